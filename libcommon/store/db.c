/* The database of a store: opening, statements, faults, and the schema. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/lock.h"
#include "base/memory.h"
#include "base/time.h"
#include "store/store_private.h"

/* --- faults ------------------------------------------------------------- */

bool store_only_reads(const struct store *s)
{
    return s->mode == STORE_READ || s->mode == STORE_MARKED;
}

void store_fail(struct store *s, const char *fmt, ...)
{
    struct diag d = {0};
    char *text;
    va_list args;

    va_start(args, fmt);
    xvasprintf(&text, fmt, args);
    va_end(args);
    diag_set(&d, "%s", text);
    diag_source(&d, "%s", s->file);
    free(text);
    s->options.fail(&d);
}

/* Report that others are writing. Names the process that has the log, if it can
   be found: it may be stopped. */
__attribute__((noreturn)) static void fail_busy(struct store *s)
{
    char *path = realpath(s->file, NULL), *index;
    pid_t holder;

    xasprintf(&index, "%s-shm", path ? path : s->file);
    holder = lock_holder(index);
    free(index);
    free(path);
    if (holder > 0)
        store_fail(s, "process %ld is writing; waited for %g s", (long)holder,
                   s->options.wait);
    store_fail(s, "others are writing; waited for %g s", s->options.wait);
}

void store_fail_db(struct store *s)
{
    switch (sqlite3_errcode(s->db)) {
    case SQLITE_NOMEM:
        memory_exhausted();
    case SQLITE_NOTADB:
        store_fail(s, "this is not a store");
    case SQLITE_READONLY:
        store_fail(s,
                   store_only_reads(s)
                       ? "its log is missing: to read the store, the directory "
                         "must be writable"
                       : "it can't be written");
    case SQLITE_BUSY:
    case SQLITE_PROTOCOL:
        fail_busy(s);
    case SQLITE_CANTOPEN:
        if (store_only_reads(s))
            store_fail(s, "its index of the log is missing or can't be read: "
                          "to make it, the directory must be writable");
        /* fall through */
    default:
        store_fail(s, "%s", sqlite3_errmsg(s->db));
    }
}

void store_corrupt(struct store *s, const char *what)
{
    store_fail(s, "the store is corrupt: %s can't be read", what);
}

/* --- statements --------------------------------------------------------- */

static int bind(sqlite3_stmt *st, int at, char type, va_list *args)
{
    double number;
    const void *bytes;

    switch (type) {
    case 'i':
        return sqlite3_bind_int64(st, at, va_arg(*args, int64_t));
    case 'd':
        number = va_arg(*args, double);
        return number < 0 ? sqlite3_bind_null(st, at)
                          : sqlite3_bind_double(st, at, number);
    case 't':
        return sqlite3_bind_text(st, at, va_arg(*args, const char *), -1,
                                 SQLITE_STATIC);
    default:
        bytes = va_arg(*args, const void *);
        return sqlite3_bind_blob64(st, at, bytes, va_arg(*args, size_t),
                                   SQLITE_STATIC);
    }
}

static sqlite3_stmt *prepare_query(struct store *s, const char *sql,
                                   const char *types, va_list *args)
{
    struct map_slot *slot = map_at(&s->statements, &sql, sizeof(sql));
    sqlite3_stmt *st = slot->value.pointer;

    if (!st
        && sqlite3_prepare_v3(s->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &st,
                              NULL)
               != SQLITE_OK)
        store_fail_db(s);
    slot->value.pointer = st;
    sqlite3_reset(st);
    for (int i = 0; types[i]; i++)
        if (bind(st, i + 1, types[i], args) != SQLITE_OK)
            store_fail_db(s);
    return st;
}

sqlite3_stmt *store_query(struct store *s, const char *sql, const char *types,
                          ...)
{
    sqlite3_stmt *st;
    va_list args;

    va_start(args, types);
    st = prepare_query(s, sql, types, &args);
    va_end(args);
    return st;
}

bool store_row(struct store *s, sqlite3_stmt *statement)
{
    switch (sqlite3_step(statement)) {
    case SQLITE_ROW:
        return true;
    case SQLITE_DONE:
        sqlite3_reset(statement);
        return false;
    default:
        store_fail_db(s);
    }
}

int64_t store_do(struct store *s, const char *sql, const char *types, ...)
{
    sqlite3_stmt *st;
    va_list args;

    va_start(args, types);
    st = prepare_query(s, sql, types, &args);
    va_end(args);
    while (store_row(s, st))
        ;
    return sqlite3_changes64(s->db);
}

int64_t store_number(struct store *s, const char *sql, const char *types, ...)
{
    sqlite3_stmt *st;
    int64_t number;
    va_list args;

    va_start(args, types);
    st = prepare_query(s, sql, types, &args);
    va_end(args);
    number = store_row(s, st) ? sqlite3_column_int64(st, 0) : 0;
    sqlite3_reset(st);
    return number;
}

void store_run(struct store *s, const char *sql)
{
    if (sqlite3_exec(s->db, sql, NULL, NULL, NULL) != SQLITE_OK)
        store_fail_db(s);
}

const char *column_text(sqlite3_stmt *statement, int column)
{
    return (const char *)sqlite3_column_text(statement, column);
}

double column_time(sqlite3_stmt *statement, int column)
{
    return sqlite3_column_type(statement, column) == SQLITE_NULL
               ? TIME_UNSET
               : sqlite3_column_double(statement, column);
}

/* --- opening ------------------------------------------------------------ */

/* Return the number of the schema, which is one of the known. */
static int64_t check_version(struct store *s)
{
    int64_t version;

    if (store_number(s, "PRAGMA application_id", "") != STORE_ID)
        store_fail(s, "this is not a store");
    version = store_number(s, "PRAGMA user_version", "");
    if (version > STORE_VERSION)
        store_fail(s,
                   "a newer version wrote this store: its schema is %lld, "
                   "and %d is the newest known here",
                   (long long)version, STORE_VERSION);
    if (version < 1)
        store_corrupt(s, "its version");
    if (version < STORE_OLDEST)
        store_fail(s, "an older version wrote this store: save its set with "
                      "that version, and load it again");
    return version;
}

/*
 * Check by the header of the database that it is a store. Reads the header
 * through SQLite's own descriptor: closing another descriptor would drop all
 * locks that this process has on the file (POSIX).
 */
static void check_header(struct store *s)
{
    enum { HEADER = 100, ID_AT = 68 };
    static const unsigned char id[] = {STORE_ID >> 24, STORE_ID >> 16 & 255,
                                       STORE_ID >> 8 & 255, STORE_ID & 255};
    unsigned char header[HEADER] = {0};
    sqlite3_file *file;
    int rc;

    sqlite3_file_control(s->db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
    rc = file->pMethods->xRead(file, header, HEADER, 0);
    if (rc != SQLITE_OK && rc != SQLITE_IOERR_SHORT_READ)
        store_fail(s, "%s", sqlite3_errstr(rc));
    if (memcmp(header, "SQLite format 3", 16) != 0
        || memcmp(header + ID_AT, id, sizeof(id)) != 0)
        store_fail(s, "this is not a store");
}

/* Return a URI that makes SQLite open the index of the log only for reading;
   NULL if the file can't be found. */
static char *uri_of_reader(const struct store *s)
{
    char *path = realpath(s->file, NULL), *uri = NULL;
    FILE *fp;

    if (!path)
        return NULL;
    fp = memory_open(&uri, NULL);
    fputs("file://", fp);
    for (const char *p = path; *p; p++)
        if (strchr("%?#", *p))
            fprintf(fp, "%%%02X", (unsigned char)*p);
        else
            putc(*p, fp);
    fputs("?readonly_shm=1", fp);
    memory_close(fp);
    free(path);
    return uri;
}

void store_connect(struct store *s, bool makes_index)
{
    char *uri = store_only_reads(s) && !makes_index ? uri_of_reader(s) : NULL,
         *name;
    int keep = 1, flags = uri ? SQLITE_OPEN_URI : 0, rc;

    /* for SQLite `:memory:` and `file:a` are no names of files */
    xasprintf(&name, "%s%s", uri || *s->file == '/' ? "" : "./",
              uri ? uri : s->file);
    free(uri);
    flags |= store_only_reads(s) ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
    rc = sqlite3_open_v2(name, &s->db, flags, NULL);
    free(name);
    if (rc != SQLITE_OK)
        store_fail_db(s);
    if (!store_only_reads(s) && sqlite3_db_readonly(s->db, "main") == 1)
        store_fail(s, "it can't be written");
    sqlite3_extended_result_codes(s->db, 0);
    sqlite3_busy_timeout(s->db, (int)(s->options.wait * 1000));

    /*
     * Keep the log when the last process closes the database, so that an
     * operation costs only one sync. It is written back when it has grown: see
     * store_close().
     */
    sqlite3_db_config(s->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    sqlite3_wal_autocheckpoint(s->db, 0);
    sqlite3_file_control(s->db, "main", SQLITE_FCNTL_PERSIST_WAL, &keep);
    check_header(s);
}

/*
 * The first program that opens a store reads its whole log. SQLite keeps all
 * others out while it does, even if that program is stopped. Therefore a reader
 * opens the index of the log only for reading: then SQLite reads the log for
 * this reader alone, and keeps nobody out. That fails if there is no index yet,
 * or only an incomplete one: then the reader makes it.
 */
void store_read_log(struct store *s)
{
    static const char first[] = "PRAGMA user_version";
    double end = time_now() + s->options.wait;
    int rc = sqlite3_exec(s->db, first, NULL, NULL, NULL);
    sqlite3_stmt *st;

    if (store_only_reads(s) && rc != SQLITE_OK && rc != SQLITE_BUSY) {
        sqlite3_close(s->db);
        store_connect(s, true);
        rc = sqlite3_exec(s->db, first, NULL, NULL, NULL);
    }

    /* others take its locks in an order that SQLite does not wait for */
    while ((rc == SQLITE_PROTOCOL
            || sqlite3_extended_errcode(s->db) == SQLITE_READONLY_RECOVERY)
           && time_now() < end) {
        sqlite3_sleep(1);
        rc = sqlite3_exec(s->db, first, NULL, NULL, NULL);
    }
    if (rc != SQLITE_OK)
        store_fail_db(s);
    check_version(s);
    if (store_only_reads(s))
        return;
    store_number(s, "PRAGMA synchronous = FULL", "");

    /* a copy that SQLite made has no log */
    st = store_query(s, "PRAGMA journal_mode = WAL", "");
    if (!store_row(s, st) || strcmp(column_text(st, 0), "wal") != 0)
        store_fail(s, "it can't have a write-ahead log here");
    sqlite3_reset(st);
    store_number(s, first, ""); /* a new log is made when it is read */
}

void store_begin(struct store *s)
{
    store_do(s, store_only_reads(s) ? "BEGIN" : "BEGIN IMMEDIATE", "");
    store_adapt(s, !store_only_reads(s));
}

void store_begin_sync(struct store *s)
{
    bool hasty = s->npending == 0;

    if (!sqlite3_get_autocommit(s->db))
        return;
    /* NORMAL syncs only before the log is written back */
    if (hasty != s->hasty)
        store_run(s, hasty ? "PRAGMA synchronous = NORMAL"
                           : "PRAGMA synchronous = FULL");
    s->hasty = hasty;
    if (s->mode == STORE_LEASE) /* nobody else brings the schema up to date */
        store_do(s, "BEGIN IMMEDIATE", "");
    else
        store_begin(s);
}

static void fail_moved(struct store *s, const char *name)
{
    store_fail(s,
               "%s was removed, renamed or replaced while the store was open: "
               "the last changes may be lost",
               basename(name));
}

void store_note_files(struct store *s)
{
    static const char *const ends[STORE_FILES - 1] = {"-wal", "-shm", "-lease"};
    char *path = realpath(s->file, NULL);

    if (!path)
        fail_moved(s, s->file);
    s->files[0].name = xstrdup(s->file); /* a link must still lead there, too */
    for (size_t i = 1; i < STORE_FILES; i++)
        xasprintf(&s->files[i].name, "%s%s", path, ends[i - 1]);
    free(path);
    for (size_t i = 0; i < STORE_FILES; i++)
        if (stat(s->files[i].name, &s->files[i].is) < 0)
            fail_moved(s, s->files[i].name);
}

void store_check_files(struct store *s)
{
    for (size_t i = 0; i < STORE_FILES; i++) {
        const struct stat *was = &s->files[i].is;
        struct stat is;
        if (stat(s->files[i].name, &is) < 0 || is.st_dev != was->st_dev
            || is.st_ino != was->st_ino)
            fail_moved(s, s->files[i].name);
    }
}

/* --- the schema --------------------------------------------------------- */

/* Added by schema 4: the jobs that wait, which only the next commit of the
   service keeps. */
#define QUEUE                                                                \
    "CREATE TABLE queued (id INTEGER PRIMARY KEY, owner INTEGER NOT NULL,"   \
    "  queue TEXT, priority INTEGER NOT NULL, request TEXT NOT NULL,"        \
    "  duration REAL, submitted REAL NOT NULL, estimate REAL,"               \
    "  reason TEXT NOT NULL);"                                               \
    "CREATE VIEW pending AS"                                                 \
    "  SELECT CAST(id AS TEXT) AS job, CAST(owner AS TEXT) AS owner, queue," \
    "    priority, request, duration, submitted, estimate, reason"           \
    "  FROM queued;"

/* Changed by schema 6: the grants of jobs. A commit writes pages of each tree,
   so there are few trees: a table by job, an index by lot, and indexes with few
   rows. */
#define RECORDS                                                           \
    "CREATE TABLE grants (job TEXT NOT NULL, id INTEGER NOT NULL,"        \
    "  came INTEGER NOT NULL, kind INTEGER NOT NULL, units INTEGER"       \
    "  NOT NULL, lot INTEGER NOT NULL, up INTEGER NOT NULL, pool INTEGER" \
    "  NOT NULL, at INTEGER NOT NULL, n INTEGER NOT NULL, path TEXT"      \
    "  NOT NULL, owner TEXT, queue TEXT, start REAL, end REAL, nslots"    \
    "  INTEGER NOT NULL, reserved INTEGER NOT NULL, later INTEGER"        \
    "  NOT NULL, PRIMARY KEY (job, id)) WITHOUT ROWID;"                   \
    "CREATE TABLE old_job (mark INTEGER, name TEXT,"                      \
    "  PRIMARY KEY (name, mark)) WITHOUT ROWID;"                          \
    "CREATE TABLE old_grants AS SELECT 0 AS mark, * FROM main.grants;"
#define RECORDS_INDEXED                                                     \
    "CREATE INDEX grants_lot ON grants (lot);"                              \
    "CREATE INDEX grants_staged ON grants (lot) WHERE kind = 3;"            \
    "CREATE INDEX grants_later ON grants (start) WHERE later = 1;"          \
    "CREATE INDEX grants_reserved ON grants (end) WHERE reserved = 1;"      \
    "CREATE VIEW jobs AS"                                                   \
    "  SELECT job, max(owner) AS owner,"                                    \
    "    CASE WHEN max(kind = 3) THEN 'staged'"                             \
    "      WHEN min(start) > (julianday('now') - 2440587.5) * 86400.0"      \
    "        THEN 'reserved'"                                               \
    "      WHEN max(end) <= (julianday('now') - 2440587.5) * 86400.0"       \
    "        THEN 'ended'"                                                  \
    "      WHEN max(kind = 0) THEN 'allocated' ELSE 'shared' END AS state," \
    "    nullif(min(start), -1) AS start, nullif(max(end), 9e99) AS end"    \
    "  FROM (SELECT job, came, kind, owner,"                                \
    "      CASE WHEN timed THEN coalesce(start, -1) END AS start,"          \
    "      CASE WHEN timed THEN coalesce(end, 9e99) END AS end"             \
    "    FROM (SELECT *, kind = 0 OR start NOT NULL OR end NOT NULL AS"     \
    "      timed FROM grants))"                                             \
    "  GROUP BY job ORDER BY min(came);"                                    \
    "CREATE VIEW holdings AS"                                               \
    "  WITH RECURSIVE one (job, path, run, id, last, lot, units, start,"    \
    "      end) AS ("                                                       \
    "    SELECT job, path, pool < 0, at, at + n - 1, lot, units, start,"    \
    "      end FROM grants WHERE kind = 0"                                  \
    "    UNION ALL"                                                         \
    "    SELECT job, path, run, id + 1, last, lot, units, start, end"       \
    "      FROM one WHERE id < last)"                                       \
    "  SELECT one.job AS job,"                                              \
    "    CASE WHEN target.path NOT NULL THEN target.path ELSE '' END"       \
    "      || one.path || CASE WHEN one.run THEN one.id ELSE '' END"        \
    "      AS path, units, start, end"                                      \
    "  FROM one LEFT JOIN target ON target.rank = one.lot;"

const char store_schema[] =
    "CREATE TABLE store (revision INTEGER NOT NULL, saved INTEGER NOT NULL,"
    "  seq INTEGER NOT NULL, states_saved INTEGER NOT NULL,"
    "  counted REAL NOT NULL, linked INTEGER NOT NULL, saving INTEGER);"
    "INSERT INTO store VALUES (0, 0, 0, 0, 0, 0, NULL);"
    "CREATE TABLE word (id INTEGER PRIMARY KEY, word TEXT NOT NULL);"
    "CREATE TABLE facts (id INTEGER PRIMARY KEY, facts BLOB NOT NULL);"
    "CREATE TABLE target (rank INTEGER PRIMARY KEY, host TEXT,"
    "  path TEXT NOT NULL, state TEXT NOT NULL);"
    "CREATE TABLE state (id INTEGER PRIMARY KEY, state INTEGER NOT NULL,"
    "  lot INTEGER NOT NULL, up INTEGER NOT NULL, pool INTEGER NOT NULL,"
    "  at INTEGER NOT NULL, n INTEGER NOT NULL);"
    "CREATE INDEX state_lot ON state (lot);"
    "CREATE TABLE lot (lot INTEGER PRIMARY KEY, image BLOB NOT NULL);"
    "CREATE TABLE history (revision INTEGER PRIMARY KEY, time REAL NOT NULL,"
    "  user TEXT NOT NULL, command TEXT NOT NULL, job TEXT, what TEXT,"
    "  reason TEXT);"
    "CREATE TABLE holder (pid INTEGER NOT NULL, host TEXT NOT NULL,"
    "  since REAL NOT NULL);"
    /* Old values of rows that changed since a mark. Mark 0 is the last save of
       the store, mark 1 the begin of a save that is not complete yet. */
    "CREATE TABLE old_facts (mark INTEGER, id INTEGER, facts BLOB,"
    "  PRIMARY KEY (mark, id));"
    "CREATE TABLE old_state AS SELECT 0 AS mark, * FROM state;"
    "CREATE VIEW lease AS SELECT pid, host, since FROM holder;"
    "CREATE VIEW targets AS SELECT rank, host, state FROM target;" RECORDS
        RECORDS_INDEXED QUEUE;

/* Make the records of an older schema a temporary table that hides its own one:
   a row of grants has the columns of its term. */
#define JOINED(table, job, came, from)                                      \
    "CREATE TEMP TABLE " table " AS SELECT " job " AS job, g.id, " came     \
    " AS came, kind, units, lot, up, pool, at, n, path, owner, queue, "     \
    "start, end, CASE WHEN g.term NOT NULL OR kind = 0 THEN nslots ELSE 0 " \
    "END AS nslots, coalesce(reserved = 1, 0) AS reserved, "                \
    "coalesce(start, 0) > (SELECT counted FROM store) AS later FROM " from ";"
static const char records_5[] = JOINED(
    "grants", "g.job", "came",
    "main.grants AS g LEFT JOIN main.term AS t ON t.job = g.job "
    "AND t.id = g.term")
    JOINED("old_grants", "g.mark, g.job", "came",
           "main.old_grants AS g LEFT JOIN main.old_term AS t "
           "ON t.mark = g.mark AND t.job = g.job AND t.id = g.term");
/* Jobs had numbers. They came before all others. */
#define CAME "g.job - (1 << 62)"
static const char records_4[] = JOINED(
    "grants", "name", CAME,
    "main.grants AS g LEFT JOIN main.term AS t ON t.id = g.term "
    "LEFT JOIN main.job AS j ON j.id = g.job")
    JOINED("old_grants", "g.mark, name", CAME,
           "main.old_grants AS g LEFT JOIN main.old_term AS t "
           "ON t.mark = g.mark AND t.id = g.term "
           "LEFT JOIN main.old_job AS j ON j.id = g.job AND j.mark = g.mark");

#define MOVE(table)                                            \
    "INSERT INTO main." table " SELECT * FROM temp." table ";" \
    "DROP TABLE temp." table ";"
static const char newer_records[] =
    "CREATE TEMP TABLE old_job AS SELECT mark, name FROM main.old_job;"
    "DROP VIEW jobs; DROP VIEW holdings; DROP TABLE IF EXISTS job;"
    "DROP TABLE main.grants; DROP TABLE main.old_grants; DROP TABLE term;"
    "DROP TABLE old_term; DROP TABLE main.old_job;" RECORDS MOVE("grants")
        MOVE("old_job") MOVE("old_grants") RECORDS_INDEXED
    "PRAGMA user_version = 6";

bool store_is_older(struct store *s)
{
    return check_version(s) < STORE_VERSION;
}

void store_adapt(struct store *s, bool migrates)
{
    int64_t version = check_version(
        s); /* another process may have changed it */

    if (version == STORE_VERSION)
        return;
    store_run(s, version < STORE_WITH_TERMS ? records_4 : records_5);
    if (!migrates)
        return;
    if (version < STORE_WITH_QUEUE)
        store_run(s, QUEUE);
    store_run(s, newer_records);
}
