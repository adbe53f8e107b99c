/* The store as a whole: making, opening and committing. */
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/time.h"
#include "model/records/jobs.h"
#include "store/store_private.h"

static struct store *new_store(const char *file, enum store_mode mode,
                               const struct store_options *options)
{
    struct store *s = xcalloc(1, sizeof(*s));

    s->file = xstrdup(file);
    s->mode = mode;
    s->options = *options;
    s->lock = -1;
    return s;
}

/* --- making ------------------------------------------------------------- */

static void run_script(struct store *s, const char *sql)
{
    if (sqlite3_exec(s->db, sql, NULL, NULL, NULL) != SQLITE_OK)
        store_fail_db(s);
}

/* All that is in the set, in a database in memory. */
static void fill(struct store *s, struct rset *rs, double now)
{
    char version[128];

    if (sqlite3_open_v2(":memory:", &s->db,
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL)
        != SQLITE_OK)
        store_fail_db(s);
    snprintf(version, sizeof(version),
             "PRAGMA application_id = %d; PRAGMA user_version = %d; BEGIN;",
             STORE_ID, STORE_VERSION);
    run_script(s, version);
    run_script(s, store_schema);
    s->rs = rs;
    facts_write(s, rs);
    types_write(s, usage_begin(rs));
    address_index(s, rs);
    usage_watch(rs->usage);
    usage_note_all(rs->usage);
    jobs_write(s, rs);
    images_write(s, rs->usage, now);
    targets_write(s, rs, true);
    run_script(s, "DELETE FROM old_facts; DELETE FROM old_job;"
                  "UPDATE store SET states_saved = 0; COMMIT; VACUUM;");
}

static int write_all(int fd, const unsigned char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t n = write(fd, bytes, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -1;
        bytes += n;
        len -= (size_t)n;
    }
    return fsync(fd);
}

static char *folder_of(const char *file)
{
    const char *slash = strrchr(file, '/');

    return !slash ? xstrdup(".")
                  : xstrndup(file, slash == file ? 1 : (size_t)(slash - file));
}

static int sync_folder(const char *folder)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc;

    if (fd < 0)
        return -1;
    rc = fsync(fd);
    close(fd);
    return rc;
}

/*
 * A file without a name, which gets its name when it is whole and safe: so
 * nobody sees a part of it, and nothing is left of one that failed. It never
 * takes the place of another.
 */
static void write_file(struct store *s, const unsigned char *bytes, size_t len)
{
    char *folder = folder_of(s->file), self[64];
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666), fault = 0;

    if (fd < 0)
        store_fail(s, "%s", strerror(errno));
    snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
    if (write_all(fd, bytes, len) < 0
        || linkat(AT_FDCWD, self, AT_FDCWD, s->file, AT_SYMLINK_FOLLOW) < 0)
        fault = errno;
    else if (sync_folder(folder) < 0 && (fault = errno))
        unlink(s->file);
    close(fd);
    free(folder);
    if (fault == EEXIST)
        store_fail(s, "there is such a file already");
    if (fault)
        store_fail(s, "%s", strerror(fault));
}

/* Of a database that is in memory only the header says that it has no log. */
enum { HEADER_VERSIONS = 18, VERSION_LOG = 2 };

/* A log that was left would be taken for that of the new store. */
static void refuse_old(struct store *s)
{
    char *log;

    xasprintf(&log, "%s-wal", s->file);
    if (access(s->file, F_OK) == 0)
        store_fail(s, "there is such a file already");
    if (access(log, F_OK) == 0)
        store_fail(s, "a store that is no more has left its log: remove %s",
                   log);
    free(log);
}

void store_create(const char *file, struct rset *rs,
                  const struct store_options *options)
{
    struct store *s = new_store(file, STORE_WRITE, options);
    unsigned char *bytes;
    sqlite3_int64 len;

    refuse_old(s);
    fill(s, rs, time_now());
    bytes = sqlite3_serialize(s->db, "main", &len, 0);
    if (!bytes)
        memory_exhausted();
    bytes[HEADER_VERSIONS] = bytes[HEADER_VERSIONS + 1] = VERSION_LOG;
    write_file(s, bytes, (size_t)len);
    sqlite3_free(bytes);
    store_close(s);
}

/* --- opening and closing ------------------------------------------------ */

static void take_lease(struct store *s)
{
    char host[256] = "";

    gethostname(host, sizeof(host) - 1);
    store_do(s, "DELETE FROM holder", "");
    store_do(s, "INSERT INTO holder VALUES (?, ?, ?)", "itd", (int64_t)getpid(),
             host, time_now());
    store_do(s, "COMMIT", "");
    store_do(s, "BEGIN", "");
}

/* How long the log is now. */
static int count_pages(void *arg, sqlite3 *db, const char *name, int pages)
{
    (void)db;
    (void)name;
    ((struct store *)arg)->log_pages = pages;
    return SQLITE_OK;
}

struct store *store_open(const char *file, enum store_mode mode,
                         const struct store_options *options)
{
    struct store *s = new_store(file, mode, options);

    if (access(file, R_OK) < 0)
        store_fail(s, "%s", strerror(errno));
    store_connect(s);
    if (mode == STORE_WRITE || mode == STORE_LEASE)
        store_lock(s); /* of a file that is a store, and only beside it */
    store_begin(s);
    sqlite3_wal_hook(s->db, count_pages, s);
    if (mode == STORE_LEASE)
        take_lease(s);
    return s;
}

static void end_transaction(struct store *s, const char *how)
{
    if (!sqlite3_get_autocommit(s->db))
        sqlite3_exec(s->db, how, NULL, NULL, NULL);
}

/* Who goes in order leaves no lease; whoever finds one that was left knows. */
static void give_lease(struct store *s)
{
    end_transaction(s, "ROLLBACK");
    sqlite3_exec(s->db, "DELETE FROM holder", NULL, NULL, NULL);
}

void store_close(struct store *s)
{
    if (!s)
        return;
    if (s->mode == STORE_LEASE && s->lock >= 0)
        give_lease(s);
    for (size_t i = 0; i < STATEMENTS && s->statements[i].sql; i++)
        sqlite3_finalize(s->statements[i].statement);
    sqlite3_close(s->db);
    store_unlock(s);
    words_end(s);
    map_fini(&s->changed);
    free(s->pending);
    address_end(s);
    free(s->file);
    free(s);
}

struct rset *store_read(struct store *s)
{
    s->rs = facts_read(s);
    jobs_load(s, s->rs);
    usage_watch(s->rs->usage);
    if (s->mode == STORE_LEASE)
        store_do(s, "COMMIT", "");
    return s->rs;
}

struct rset *store_read_pieces(struct store *s, double now)
{
    if (store_number(s, "SELECT linked FROM store"))
        return store_read(s);
    pieces_prepare(s);
    s->rs = facts_read(s);
    pieces_begin(s, now);
    usage_watch(s->rs->usage);
    return s->rs;
}

/* --- committing --------------------------------------------------------- */

/* The log is written back when it has more pages than that. */
enum { LOG_PAGES = 1000 };

/*
 * It begins anew with nothing in it, for that is all that the next process
 * knows of it. Where readers are at work it can't: then the next one will.
 */
static void write_log_back(struct store *s)
{
    sqlite3_busy_timeout(s->db, 0);
    sqlite3_wal_checkpoint_v2(s->db, "main", SQLITE_CHECKPOINT_TRUNCATE, NULL,
                              NULL);
    sqlite3_busy_timeout(s->db, (int)(s->options.wait * 1000));
}

static void commit(struct store *s)
{
    store_do(s, "COMMIT", "");
    if (s->log_pages > LOG_PAGES)
        write_log_back(s);
}

static void write_past(struct store *s, const struct operation *op)
{
    const struct passwd *user = getpwuid(getuid());
    char number[32];

    snprintf(number, sizeof(number), "%lld", (long long)getuid());
    store_do(s, "UPDATE store SET revision = revision + 1", "");
    store_do(s,
             "INSERT INTO history VALUES "
             "((SELECT revision FROM store), ?, ?, ?, ?)",
             "dttt", op->time, user ? user->pw_name : number, op->command,
             op->job);
}

static void drop_past(struct store *s)
{
    store_do(s,
             "DELETE FROM history WHERE revision <= "
             "(SELECT revision FROM store) - ?",
             "i", (int64_t)s->options.keep);
}

void store_record(struct store *s, const struct operation *op)
{
    struct operation *copy;

    VECTOR_GROW(s->pending, s->npending);
    copy = &s->pending[s->npending++];
    *copy = *op;
    copy->job = op->job ? xstrdup(op->job) : NULL;
}

void store_sync(struct store *s)
{
    struct usage *u = usage_begin(s->rs);
    bool facts = false, states = u->watch.states;
    double now = 0;

    if (s->npending == 0)
        return;
    if (sqlite3_get_autocommit(s->db))
        store_do(s, "BEGIN IMMEDIATE", "");
    for (size_t i = 0; i < s->npending; i++) {
        write_past(s, &s->pending[i]);
        facts = facts || s->pending[i].facts;
        now = s->pending[i].time;
        free((char *)s->pending[i].job);
    }
    s->npending = 0;
    drop_past(s);
    if (facts) {
        facts_write(s, s->rs);
        types_write(s, usage_begin(s->rs));
    }
    jobs_write(s, s->rs);
    images_write(s, u, now);
    if (facts || states)
        targets_write(s, s->rs, false);
    commit(s);
}

void store_commit(struct store *s, const struct operation *op)
{
    store_record(s, op);
    store_sync(s);
}

int64_t store_revision(struct store *s)
{
    return store_number(s, "SELECT revision FROM store");
}

void store_mark(struct store *s)
{
    store_do(s, "DELETE FROM old_facts", "");
    store_do(s, "DELETE FROM old_job", "");
    store_do(s, "DELETE FROM old_term", "");
    store_do(s, "DELETE FROM old_grants", "");
    store_do(s, "DELETE FROM old_state", "");
    store_do(s, "UPDATE store SET saved = revision, states_saved = 0", "");
    commit(s);
}

/* --- asking ------------------------------------------------------------- */

void store_history(struct store *s,
                   void (*each)(const struct past *past, void *arg), void *arg)
{
    sqlite3_stmt *st = store_ask(s,
                                 "SELECT revision, time, user, command, job "
                                 "FROM history ORDER BY revision",
                                 "");

    while (store_row(s, st)) {
        const struct past past = {
            .revision = sqlite3_column_int64(st, 0),
            .time = sqlite3_column_double(st, 1),
            .user = column_text(st, 2),
            .command = column_text(st, 3),
            .job = column_text(st, 4),
        };
        each(&past, arg);
    }
}

void store_check(struct store *s, store_fault_fn *fault, void *arg)
{
    sqlite3_stmt *st = store_ask(s, "PRAGMA integrity_check", "");

    while (store_row(s, st))
        if (strcmp(column_text(st, 0), "ok") != 0)
            fault(column_text(st, 0), arg);
}
