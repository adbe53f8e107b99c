/*
 * Lines of SQL change rows of a good store. Everybody who opens it gets one
 * fault that names the store, or a set that is written. If the store's own
 * check finds no fault, the set is read back from its text, a search in pieces
 * has the same answer as one in the whole set, and a change is there for the
 * next reader.
 *
 * Scripts that begin with "-- graph" change a store of a graph, those that
 * begin with "-- schema 3" an old store of an R, and others a new store of an
 * R.
 */
#include <setjmp.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "model/records/usage.h"
#include "read_back.h"
#include "schedule/ledger.h"
#include "schedule/match.h"
#include "schedule/plan.h"
#include "store/store_private.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
/* A shared library of the sanitizer calls it, too. */
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);

/* A fault leaves what was read so far. */
int __lsan_is_turned_off(void)
{
    return 1;
}

/* --- the file --------------------------------------------------------------
 */

static char folder[32], file[64];

static void remove_files(void)
{
    static const char *const ends[] = {"", "-wal", "-shm", "-lease"};
    char name[80];

    for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
        snprintf(name, sizeof(name), "%s%s", file, ends[i]);
        unlink(name);
    }
}

static void remove_folder(void)
{
    remove_files();
    rmdir(folder);
}

static void make_folder(void)
{
    bool shm = access("/dev/shm", W_OK) == 0;

    strcpy(folder, shm ? "/dev/shm/rset-fuzz.XXXXXX" : "/tmp/rset-fuzz.XXXXXX");
    check(mkdtemp(folder) != NULL);
    snprintf(file, sizeof(file), "%s/store", folder);
    atexit(remove_folder);
}

/* --- good stores ---------------------------------------------------------- */

static const char R[] =
    "{\"version\":1,\"execution\":{\"R_lite\":[{\"rank\":\"0-5\",\"children\":{"
    "\"core\":\"0-3\"}},{\"rank\":\"6-9\",\"children\":{\"core\":\"0-1\","
    "\"gpu\":\"0\"}}],\"nodelist\":[\"n[0-9]\"],\"properties\":{\"a\":\"3-5\"}"
    "},\"attributes\":{\"system\":{\"scheduler\":{\"allocations\":[{\"job\":1,"
    "\"R_lite\":[{\"rank\":\"2\",\"children\":{\"core\":\"1-2\"}}]},{\"job\":2,"
    "\"R_lite\":[{\"rank\":\"5-6\"}],\"owner\":\"bob\",\"start\":5,\"end\":"
    "2000}],\"states\":[{\"state\":\"down\",\"R_lite\":[{\"rank\":\"4\"}]}]}}}"
    "}";

static const char graph[] =
    "{\"graph\":{\"nodes\":["
    "{\"id\":\"c\",\"metadata\":{\"type\":\"cluster\"}},"
    "{\"id\":\"n\",\"metadata\":{\"type\":\"node\",\"id\":0,\"rank\":0,"
    "\"properties\":{\"a\":\"1\"},\"uuid\":\"u\"}},"
    "{\"id\":\"m\",\"metadata\":{\"type\":\"memory\",\"size\":16,\"unit\":"
    "\"GB\",\"tags\":{\"row\":null},\"allocations\":[{\"job\":8,\"size\":4,"
    "\"end\":2000}],\"shared\":[7]}},"
    "{\"id\":\"k\",\"metadata\":{\"type\":\"core\",\"id\":1,\"staged\":3}},"
    "{\"id\":\"o\",\"metadata\":{\"type\":\"node\",\"id\":1,\"rank\":1,"
    "\"state\":\"down\",\"x\":5}},"
    "{\"id\":\"l\",\"metadata\":{\"type\":\"core\",\"id\":0,\"allocations\":["
    "{\"job\":8,\"end\":2000}]}},"
    "{\"id\":\"d\",\"metadata\":{\"type\":\"pdu\",\"name\":\"p\"}}],\"edges\":["
    "{\"source\":\"c\",\"target\":\"n\"},{\"source\":\"n\",\"target\":\"m\"},"
    "{\"source\":\"n\",\"target\":\"k\"},{\"source\":\"c\",\"target\":\"o\"},"
    "{\"source\":\"o\",\"target\":\"l\"},{\"source\":\"d\",\"target\":\"n\","
    "\"metadata\":{\"subsystem\":\"power\",\"amps\":5}}]}}";

static struct store *store; /* that is open */
static jmp_buf faulty;

static void __attribute__((noreturn)) fail(struct diag *d)
{
    check(store && d->text[0] && !strcmp(d->source, file));
    longjmp(faulty, 1);
}

static const struct store_options options = {
    .fail = fail, .wait = 1, .keep = 10};

static void run(sqlite3 *db, const char *sql)
{
    check(sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK);
}

/* --- using a store -------------------------------------------------------- */

static char *document; /* the set that was read or written last */
static char *answers;  /* and what matches in it */
static size_t faults;

static void remember(char **where, char *text)
{
    free(*where);
    *where = text;
}

static struct rset *begin(enum store_mode mode, bool pieces)
{
    store = store_open(file, mode, &options);
    return pieces ? store_read_pieces(store, 1000, false) : store_read(store);
}

/* Use a store. Return whether there was no fault. */
static bool attempt(void (*use)(void))
{
    volatile bool good = false;

    if (setjmp(faulty) == 0) {
        use();
        good = true;
    }
    if (store)
        rset_destroy(store->rs);
    store_close(store);
    store = NULL;
    return good;
}

static void count_fault(const char *text, void *arg)
{
    check(*text);
    (*(size_t *)arg)++;
}

static void check_past(const struct past *past, void *arg)
{
    check(past->command && past->user && !arg);
}

static void check_pending(const struct pending_row *row, void *arg)
{
    check(row->request && row->reason && !arg);
}

/* Return what is selected, as text. */
static char *selected(struct rset *rs, const struct selection *plan)
{
    struct diag d = {0};
    struct rset *part = rset_extract(rs, plan);
    char *text = rset_text(part, &(struct rset_style){0}, NULL, &d);

    rset_destroy(part);
    return text;
}

/* Search for a few requests, and give a job what is found. Without a job, keep
   the answers. */
static void match(struct rset *rs, const char *job)
{
    static const char *const shapes[] = {"slot=2/core", "node{-x}/slot/core=2",
                                         "slot/node", "slot/memory=3"};
    const struct match_options opts = {.now = 1000, .start = TIME_UNSET};
    const struct term terms = {.start = TIME_UNSET, .end = TIME_UNSET};
    struct usage *u = usage_begin(rs);
    char *text;
    FILE *fp = memory_open(&text, NULL);

    for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
        struct diag d = {0};
        struct request *req = request_from_shape(shapes[i], &d);
        struct selection *plan = NULL;
        int rc = match_find(u, req, &opts, &plan, &d);
        char *part = rc == MATCH_FOUND ? selected(rs, plan) : NULL;
        fprintf(fp, "%d %s\n", rc, part ? part : d.text);
        if (rc == MATCH_FOUND && job
            && plan_check(u, job, plan, &terms, 1000, 0, &d) == PLAN_GOOD)
            ledger_allocate(u, job, plan, &terms);
        free(part);
        selection_destroy(plan);
        request_destroy(req);
    }
    memory_close(fp);
    if (job)
        free(text);
    else
        remember(&answers, text);
}

static char *text_of(struct rset *rs)
{
    struct diag d = {0};
    char *text = NULL;

    if (rset_pools(rs) < 20000)
        check((text = rset_text(rs, &(struct rset_style){0}, NULL, &d))
              || d.text[0]);
    return text;
}

static void use_whole(void)
{
    faults = 0;
    begin(STORE_READ, false);
    remember(&document, text_of(store->rs));
    match(store->rs, NULL);
    store_check(store, count_fault, &faults);
    store_check_counts(store, count_fault, &faults);
    store_history(store, check_past, NULL);
    store_each_pending(store, check_pending, NULL);
}

static void use_marked(void)
{
    free(text_of(begin(STORE_MARKED, false)));
}

static void change(bool pieces)
{
    const struct operation op = {.command = "allocate", .job = "new"};
    struct rset *rs = begin(STORE_WRITE, pieces);
    struct usage *u = usage_begin(rs);

    match(rs, NULL);
    match(rs, "new");
    ledger_release(u, "2");
    ledger_release(u, "8");
    if (!pieces)
        remember(&document, text_of(rs));
    store_record(store, &op);
    store_sync(store);
}

static void change_pieces(void)
{
    change(true);
}

static void change_whole(void)
{
    change(false);
}

static void mark(void)
{
    begin(STORE_MARK, false);
    store_end_reading(store);
    store_mark(store);
}

/* --- scripts -------------------------------------------------------------- */

struct good_store {
    unsigned char *bytes;
    sqlite3_int64 len;
};

static const char queue[] =
    "INSERT INTO queued VALUES (9, 1000, 'q', 16, 'slot/core', 60, 1000, 2000, "
    "'busy'), (10, 0, NULL, 31, 'node', NULL, 1000.5, NULL, '')";

static const char older[] =
    "DROP VIEW pending; DROP TABLE queued; DROP VIEW jobs;"
    "DROP VIEW holdings; DROP TABLE old_job; DROP TABLE old_grants;"
    "CREATE TABLE job (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);"
    "INSERT INTO job (name) SELECT DISTINCT job FROM grants;"
    "CREATE TABLE term AS SELECT grants.id AS id, job.id AS job,"
    "  owner, queue, start, end, nslots, reserved"
    "  FROM grants JOIN job ON name = job;"
    "CREATE TABLE a AS SELECT grants.id, job.id AS job, kind,"
    "  grants.id AS term, units, lot, up, pool, at, n, path"
    "  FROM grants JOIN job ON name = job;"
    "DROP TABLE grants; ALTER TABLE a RENAME TO grants;"
    "CREATE TABLE old_job (mark INTEGER, name TEXT, id INTEGER,"
    "  PRIMARY KEY (name, mark)) WITHOUT ROWID;"
    "CREATE TABLE old_term AS SELECT 0 AS mark, * FROM term WHERE 0;"
    "CREATE TABLE old_grants AS SELECT 0 AS mark, * FROM grants WHERE 0;"
    "CREATE VIEW jobs AS SELECT name FROM job;"
    "CREATE VIEW holdings AS SELECT * FROM grants;"
    "PRAGMA user_version = 3";

/* Make a store with rows in each table: jobs changed since it was saved. */
static struct good_store make_store(const char *text, const char *sql)
{
    struct diag d = {0};
    struct rset *rs = rset_read_text(text, strlen(text), "set", TRUST_NONE, &d);
    struct good_store good;
    sqlite3 *db;

    check(rs != NULL);
    remove_files();
    store_create(file, rs, &options);
    rset_destroy(rs);
    check(attempt(mark) && attempt(change_whole) && attempt(mark));
    check(attempt(change_pieces));
    check(sqlite3_open(file, &db) == SQLITE_OK);
    run(db, sql);
    run(db, "PRAGMA journal_mode = DELETE");
    good.bytes = sqlite3_serialize(db, "main", &good.len, 0);
    check(good.bytes != NULL);
    sqlite3_close(db);
    return good;
}

/* Only rows are changed, because everybody sees at once that the version or a
   table is missing. */
static int authorize(void *arg, int what, const char *table, const char *more,
                     const char *name, const char *view)
{
    static const int rights[] = {SQLITE_INSERT, SQLITE_UPDATE, SQLITE_DELETE,
                                 SQLITE_SELECT, SQLITE_READ,   SQLITE_FUNCTION};

    (void)arg, (void)more, (void)name, (void)view;
    for (size_t i = 0; i < sizeof(rights) / sizeof(*rights); i++)
        if (what == rights[i])
            return table && !strncmp(table, "sqlite_", 7) ? SQLITE_DENY
                                                          : SQLITE_OK;
    return SQLITE_DENY;
}

static int stop(void *arg)
{
    (void)arg;
    return 1;
}

/* Write a good store whose rows a script changed. A set may have had very many
   pools, and rightly takes much memory then. */
static void write_store(const struct good_store *good, char *script)
{
    unsigned char *bytes = sqlite3_malloc64((sqlite3_uint64)good->len);
    sqlite3_int64 len;
    char *rest = NULL;
    sqlite3 *db;
    FILE *fp;

    check(bytes != NULL);
    check(sqlite3_open(":memory:", &db) == SQLITE_OK);
    memcpy(bytes, good->bytes, (size_t)good->len);
    check(sqlite3_deserialize(db, "main", bytes, good->len, good->len,
                              SQLITE_DESERIALIZE_FREEONCLOSE
                                  | SQLITE_DESERIALIZE_RESIZEABLE)
          == SQLITE_OK);
    sqlite3_set_authorizer(db, authorize, NULL);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 1 << 16);
    for (char *line = strtok_r(script, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        sqlite3_progress_handler(db, 10000, stop, NULL);
        sqlite3_exec(db, line, NULL, NULL, NULL);
    }
    run(db, "UPDATE facts SET facts = x'' WHERE id = 0 AND json_valid(facts) "
            "AND json_extract(facts, '$.numbers') > 1000000");
    bytes = sqlite3_serialize(db, "main", &len, 0);
    sqlite3_close(db);
    remove_files();
    fp = fopen(file, "w");
    check(bytes && fp && fwrite(bytes, 1, (size_t)len, fp) == (size_t)len
          && fclose(fp) == 0);
    sqlite3_free(bytes);
}

/* Is the document of a store read back from its text? */
static bool is_document(void)
{
    struct diag d = {0};
    struct rset *rs = document ? rset_read_text(document, strlen(document),
                                                "again", TRUST_NONE, &d)
                               : NULL;

    rset_destroy(rs);
    return rs != NULL;
}

static void check_store(void)
{
    bool good = attempt(use_whole) && faults == 0 && is_document();
    char *was = good ? xstrdup(answers) : NULL;

    attempt(use_marked);
    check((attempt(change_pieces) && (!good || !strcmp(answers, was)))
          || !good);
    free(was);
    check(attempt(change_whole) || !good);
    if (!good)
        return;
    was = xstrdup(document);
    check(attempt(use_whole) && !strcmp(document, was));
    free(was);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct good_store stores[3];
    char *script = xstrndup((const char *)data, size);
    int which = !strncmp(script, "-- graph", 8)       ? 1
                : !strncmp(script, "-- schema 3", 11) ? 2
                                                      : 0;

    if (!stores[0].bytes) {
        make_folder();
        stores[0] = make_store(R, queue);
        stores[1] = make_store(graph, queue);
        stores[2] = make_store(R, older);
    }
    write_store(&stores[which], script);
    check_store();
    free(script);
    return 0;
}
