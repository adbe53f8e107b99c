/* Opens stores, commits and saves (store.h). create.c makes a new store. */
#include "store/store.h"

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/time.h"
#include "model/records/jobs.h"
#include "model/records/usage.h"
#include "store/store_private.h"

struct store *store_new(const char *file, enum store_mode mode,
                        const struct store_options *options)
{
    struct store *s = xcalloc(1, sizeof(*s));

    /* one thread uses SQLite, and nobody asks how much memory it has */
    sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);

    s->file = xstrdup(file);
    s->mode = mode;
    s->options = *options;
    s->lock = -1;
    return s;
}

static void end_transaction(struct store *s, const char *how)
{
    if (!sqlite3_get_autocommit(s->db))
        sqlite3_exec(s->db, how, NULL, NULL, NULL);
}

/* --- saving ------------------------------------------------------------- */

int64_t store_revision(struct store *s)
{
    return store_number(s, "SELECT revision FROM store", "");
}

/* Statements that drop the old values of a mark. */
#define DROP_MARK(mark)                                  \
    "DELETE FROM old_facts WHERE mark = " mark ";"       \
    "DELETE FROM old_job WHERE mark = " mark ";"         \
    "DELETE FROM main.old_grants WHERE mark = " mark ";" \
    "DELETE FROM old_state WHERE mark = " mark ";"

/*
 * Begin to save, without blocking others. A small transaction sets a mark, so
 * that later changes keep the old values. The state to save is the last commit.
 */
static void begin_saving(struct store *s)
{
    bool alone = store_take_turn(s);
    int64_t begun;

    do {
        if (!sqlite3_get_autocommit(s->db))
            store_do(s, "COMMIT", "");
        store_do(s, "BEGIN IMMEDIATE", "");
        if (alone) /* an older version may have the lease */
            store_adapt(s, true);
        store_run(s, DROP_MARK("1") "UPDATE store SET saving = revision, "
                                    "states_saved = states_saved & 1");
        if (store_is_older(s))
            store_run(s, "DELETE FROM main.old_term WHERE mark = 1");
        begun = store_revision(s);
        log_commit(s);
        store_do(s, "BEGIN", "");
    } while (store_revision(s) != begun); /* the lease holder was faster */
    store_adapt(s, false);
    store_end_turn(s);
}

void store_mark(struct store *s)
{
    store_end_reading(s);
    store_take_turn(s);
    store_do(s, "BEGIN IMMEDIATE", "");
    store_run(
        s,
        DROP_MARK(
            "0") "UPDATE old_facts SET mark = 0; UPDATE old_job SET mark = 0;"
                 "UPDATE main.old_grants SET mark = 0;"
                 "UPDATE old_state SET mark = 0;"
                 "UPDATE store SET saved = saving, saving = NULL, "
                 "states_saved = states_saved >> 1");
    if (store_is_older(s))
        store_run(s, "DELETE FROM main.old_term WHERE mark = 0;"
                     "UPDATE main.old_term SET mark = 0");
    log_commit(s);
    store_end_turn(s);
}

/* --- opening and closing ------------------------------------------------ */

struct store *store_open(const char *file, enum store_mode mode,
                         const struct store_options *options)
{
    struct store *s = store_new(file, mode, options);
    char host[256] = "";
    struct stat st;

    if (access(file, R_OK) < 0 || stat(file, &st) < 0)
        store_fail(s, "%s", strerror(errno));
    if (!S_ISREG(st.st_mode))
        store_fail(s, "%s",
                   S_ISDIR(st.st_mode) ? strerror(EISDIR)
                                       : "this is not a store");
    store_connect(s, false);
    if (!store_only_reads(s)) /* nobody else reads the log of an idle store */
        store_lock(s);
    store_read_log(s);
    if (!store_only_reads(s))
        store_note_files(s);
    log_begin(s);
    if (mode == STORE_MARK)
        begin_saving(s);
    else
        store_begin(s);

    /* First name the holder of the lease, because others ask for it when they
       find the lease taken. */
    if (mode == STORE_LEASE) {
        gethostname(host, sizeof(host) - 1);
        store_do(s, "DELETE FROM holder", "");
        store_do(s, "INSERT INTO holder VALUES (?, ?, ?)", "itd",
                 (int64_t)getpid(), host, time_now());
        log_commit(s); /* of a migration, too */
        store_lock_lease(s);
        store_do(s, "BEGIN", "");
    }
    s->revision = store_revision(s);
    return s;
}

static void operation_fini(const struct operation *op)
{
    free((char *)op->job);
    free((char *)op->what);
    free((char *)op->reason);
}

void store_close(struct store *s)
{
    if (!s)
        return;
    /* An orderly exit leaves no lease, so that a lease that is found shows a
       process that died. */
    if (s->mode == STORE_LEASE && s->lock >= 0) {
        end_transaction(s, "ROLLBACK");
        sqlite3_exec(s->db, "DELETE FROM holder", NULL, NULL, NULL);
        log_end(s);
    }
    for (size_t i = 0; i < s->statements.count; i++)
        sqlite3_finalize(s->statements.slots[i].value.pointer);
    map_fini(&s->statements);
    sqlite3_close(s->db);
    free(s->log);
    store_unlock(s);
    for (size_t i = 0; i < STORE_FILES; i++)
        free(s->files[i].name);
    map_fini(&s->words);
    map_fini(&s->changed);
    free(s->states);
    for (size_t i = 0; i < s->npending; i++)
        operation_fini(&s->pending[i]);
    free(s->pending);
    free(s->user);
    address_end(s);
    free(s->file);
    free(s);
}

static void watch(struct store *s)
{
    int64_t seq = store_number(
        s, "SELECT coalesce((SELECT seq FROM store), -1)", "");

    if (seq < 0 || seq >> (62 - ROW_BITS) != 0)
        store_corrupt(s, "the number of the last grant");
    usage_set_seq(s->rs->usage, seq);
    usage_watch(s->rs->usage);
}

void store_replace(struct store *s, struct rset *rs)
{
    struct usage *u = usage_begin(rs);

    usage_watch(u);
    usage_note_all(u);
    s->rs = rs;
    s->replaced = true;
}

struct rset *store_read(struct store *s)
{
    jobs_load(s, facts_read(s));
    watch(s);
    if (s->mode == STORE_LEASE)
        store_do(s, "COMMIT", "");
    return s->rs;
}

void store_end_reading(struct store *s)
{
    end_transaction(s, "COMMIT");
}

/* If more grants have times than this, read the whole set. */
enum { TIMES_FEW = 256 };

struct rset *store_read_pieces(struct store *s, double now, bool times)
{
    const char *timed = "SELECT count(*) FROM (SELECT 1 FROM grants "
                        "WHERE start NOT NULL OR end NOT NULL LIMIT 1000)";

    if (store_number(s, "SELECT linked FROM store", "")
        || (times && store_number(s, timed, "") > TIMES_FEW))
        return store_read(s);
    pieces_read(s, now, times);
    watch(s);
    return s->rs;
}

/* --- committing --------------------------------------------------------- */

/* Return the name of the user. Looks it up once, because that reads a file. */
static const char *user_name(struct store *s)
{
    const struct passwd *user;

    if (s->user)
        return s->user;
    user = getpwuid(getuid());
    if (user)
        s->user = xstrdup(user->pw_name);
    else
        xasprintf(&s->user, "%lld", (long long)getuid());
    return s->user;
}

void store_record(struct store *s, const struct operation *op)
{
    struct operation *copy;

    VECTOR_GROW(s->pending, s->npending);
    copy = &s->pending[s->npending++];
    *copy = *op;
    copy->job = op->job ? xstrdup(op->job) : NULL;
    copy->what = op->what ? xstrdup(op->what) : NULL;
    copy->reason = op->reason ? xstrdup(op->reason) : NULL;
}

/* Begin a commit: check that nobody changed the store, and read the revisions
   whose rows are kept when they change. */
static void begin_commit(struct store *s)
{
    sqlite3_stmt *st;

    store_begin_sync(s);
    st = store_query(s, "SELECT revision, saved, saving, counted FROM store",
                     "");
    if (!store_row(s, st) || sqlite3_column_int64(st, 0) != s->revision)
        store_fail(s, "another process changed it in spite of the lease");
    s->marked[0] = sqlite3_column_int64(st, 1);
    s->marked[1] = sqlite3_column_int64(st, 2);
    s->marks = 1 + (sqlite3_column_type(st, 2) != SQLITE_NULL);
    s->counted = sqlite3_column_double(st, 3);
    sqlite3_reset(st);
}

void store_sync(struct store *s)
{
    struct usage *u = usage_begin(s->rs);
    bool facts = false, states = usage_changes(u)->states;
    double now = 0;

    if (s->npending == 0) {
        if (s->hasty && !sqlite3_get_autocommit(s->db))
            log_commit(s); /* jobs that wait */
        return;
    }
    begin_commit(s);
    for (size_t i = 0; i < s->npending; i++) {
        const struct operation *op = &s->pending[i];
        store_do(s, "INSERT INTO history VALUES (?, ?, ?, ?, ?, ?, ?)",
                 "idttttt", ++s->revision, op->time, user_name(s), op->command,
                 op->job, op->what, op->reason);
        facts = facts || op->facts;
        now = op->time;
        operation_fini(op);
    }
    s->npending = 0;
    if (s->revision > (int64_t)s->options.keep)
        store_do(s, "DELETE FROM history WHERE revision <= ?", "i",
                 s->revision - (int64_t)s->options.keep);

    if (s->replaced)
        jobs_drop(s);
    if (facts || s->replaced) {
        facts_write(s, s->rs);
        types_write(s, usage_begin(s->rs));
    }
    if (s->replaced)
        address_index(s, s->rs);
    images_begin(s, now);
    jobs_write(s, s->rs);
    images_write(s, u);
    if (facts || states || s->replaced)
        targets_write(s, s->rs, s->replaced);
    s->replaced = false;
    log_commit(s);
    if (s->mode == STORE_WRITE)
        store_unlock(s);
}

/* --- asking ------------------------------------------------------------- */

void store_history(struct store *s,
                   void (*each)(const struct past *past, void *arg), void *arg)
{
    sqlite3_stmt *st = store_query(
        s,
        "SELECT revision, time, user, command, job, "
        "what, reason FROM history ORDER BY revision",
        "");

    while (store_row(s, st)) {
        const struct past past = {
            .revision = sqlite3_column_int64(st, 0),
            .time = sqlite3_column_double(st, 1),
            .user = column_text(st, 2),
            .command = column_text(st, 3),
            .job = column_text(st, 4),
            .what = column_text(st, 5),
            .reason = column_text(st, 6),
        };
        each(&past, arg);
    }
}

/* --- checking ------------------------------------------------------------ */

/* Report each line, except lines that only name the database. Returns true if
   there was any. */
static bool report_lines(const char *text, store_fault_fn *fault, void *arg)
{
    char *lines = xstrdup(text), *rest = NULL;
    bool any = false;

    for (char *line = strtok_r(lines, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest))
        if (strcmp(line, "ok") != 0 && strncmp(line, "*** in", 6) != 0) {
            fault(line, arg);
            any = true;
        }
    free(lines);
    return any;
}

/* A query that makes one query for each column, to find values of a
   wrong type. */
static const char types[] =
    "SELECT group_concat('SELECT ''' || t.name || '.' || c.name || "
    "': a value has the wrong type'' WHERE EXISTS (SELECT 1 FROM ' || t.name "
    "|| ' WHERE typeof(\"' || c.name || '\") NOT IN (''' || lower(c.type) || "
    "CASE WHEN c.\"notnull\" THEN '' ELSE ''',''null' END || '''))', "
    "' UNION ALL ') FROM sqlite_master AS t, pragma_table_info(t.name) AS c "
    "WHERE t.type = 'table' AND c.type IN ('INTEGER', 'REAL', 'TEXT', 'BLOB')";

static const char revision[] =
    "SELECT 'store.revision: the history has a later revision' FROM store "
    "WHERE revision < (SELECT coalesce(max(revision), 0) FROM history)";

/* The ids are those of FACTS_LINKS (rows.h). */
static const char linked[] =
    "SELECT 'store.linked: there are edges' FROM store WHERE linked = 0 AND "
    "EXISTS (SELECT 1 FROM facts WHERE id >= 3 << 40 AND id < 4 << 40)";

static const char later[] =
    "SELECT 'grants.later: ' || job || ' starts at another time' FROM grants "
    "WHERE later <> (coalesce(start, 0) > (SELECT counted FROM store))";

void store_check(struct store *s, store_fault_fn *fault, void *arg)
{
    sqlite3_stmt *st = store_query(s, types, "");
    char *queries = store_row(s, st) ? xstrdup(column_text(st, 0)) : NULL;
    const char *const checks[] = {"PRAGMA integrity_check", queries, revision,
                                  linked, later};
    bool any = false;

    sqlite3_reset(st);
    for (size_t i = 0; i < sizeof(checks) / sizeof(*checks) && !any; i++) {
        st = store_query(s, checks[i], "");
        while (store_row(s, st))
            any = report_lines(column_text(st, 0), fault, arg) || any;
    }
    free(queries);
}
