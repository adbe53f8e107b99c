/*
 * Stores with flipped bits, a missing end, or a changed value that SQLite does
 * not notice: a reader gets a set, or reports the fault; none crashes or hangs.
 */
#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "model/records/usage.h"
#include "schedule/ledger.h"
#include "schedule/match.h"
#include "schedule/plan.h"
#include "sets.h"
#include "store/store.h"
#include "store_file.h"

static void __attribute__((noreturn)) fail(struct diag *d)
{
    (void)d;
    _exit(2);
}

static const struct store_options options = {
    .fail = fail, .wait = 1, .keep = 10};

/* --- using a store ------------------------------------------------------ */

static void past_seen(const struct past *past, void *arg)
{
    *(size_t *)arg += strlen(past->command);
}

static void fault_seen(const char *text, void *arg)
{
    *(size_t *)arg += strlen(text);
}

static void row_seen(const struct pending_row *row, void *arg)
{
    *(size_t *)arg += strlen(row->request) + strlen(row->reason)
                      + (row->queue ? strlen(row->queue) : 0);
}

static void read_all(enum store_mode mode)
{
    struct store *s = store_open(store_file, mode, &options);
    struct rset *rs = store_read(s);
    size_t seen = 0;

    free(write_set(rs, FORM_AS_READ));
    rset_destroy(rs);
    if (mode == STORE_READ) {
        store_history(s, past_seen, &seen);
        store_each_pending(s, row_seen, &seen);
        store_check(s, fault_seen, &seen);
    }
    store_close(s);
}

static void allocate(void)
{
    struct store *s = store_open(store_file, STORE_WRITE, &options);
    struct rset *rs = store_read_pieces(s, 1000, false);
    const struct match_options opts = {.now = 1000, .start = TIME_UNSET};
    const struct term terms = {.start = TIME_UNSET, .end = TIME_UNSET};
    const struct operation op = {.command = "allocate", .job = "new"};
    struct diag d = {0};
    struct request *req = request_from_shape("slot=2/core", &d);
    struct usage *u = usage_begin(rs);
    struct selection *plan = NULL;

    if (match_find(u, req, &opts, &plan, &d) == MATCH_FOUND
        && plan_check(u, "new", plan, &terms, 1000, 0, &d) == PLAN_GOOD)
        ledger_allocate(u, "new", plan, &terms);
    ledger_release(u, "1");
    store_record(s, &op);
    store_sync(s);
    selection_destroy(plan);
    request_destroy(req);
    rset_destroy(rs);
    store_close(s);
}

/* Return the status of a process that uses the store. */
static int use_store(void)
{
    int status;
    pid_t child;

    fflush(stdout);
    if ((child = fork()) == 0) {
        alarm(100); /* it hangs */
        read_all(STORE_READ);
        read_all(STORE_MARKED);
        allocate();
        _exit(0);
    }
    while (waitpid(child, &status, 0) < 0)
        ;
    return status;
}

/* --- flips -------------------------------------------------------------- */

static void write_store(const char *bytes, size_t len)
{
    FILE *fp;

    store_remove();
    fp = fopen(store_file, "w");
    if (!fp || fwrite(bytes, 1, len, fp) != len || fclose(fp) != 0)
        exit(1);
}

static char *read_store(size_t *len)
{
    struct stat st;
    FILE *fp = fopen(store_file, "r");
    char *bytes;

    if (!fp || fstat(fileno(fp), &st) < 0)
        exit(1);
    bytes = xmalloc((size_t)st.st_size);
    *len = fread(bytes, 1, (size_t)st.st_size, fp);
    fclose(fp);
    return bytes;
}

/* --- values ------------------------------------------------------------- */

static const char *const columns[][2] = {
    {"facts", "facts"},  {"facts", "facts"},     {"facts", "facts"},
    {"facts", "facts"},  {"facts", "id"},        {"word", "word"},
    {"grants", "job"},   {"grants", "came"},     {"grants", "id"},
    {"grants", "kind"},  {"grants", "units"},    {"grants", "lot"},
    {"grants", "up"},    {"grants", "pool"},     {"grants", "at"},
    {"grants", "n"},     {"grants", "owner"},    {"grants", "start"},
    {"grants", "end"},   {"grants", "nslots"},   {"grants", "reserved"},
    {"grants", "later"}, {"state", "state"},     {"state", "lot"},
    {"state", "pool"},   {"state", "n"},         {"store", "revision"},
    {"store", "seq"},    {"history", "time"},    {"history", "command"},
    {"queued", "id"},    {"queued", "queue"},    {"queued", "request"},
    {"queued", "owner"}, {"queued", "estimate"}, {"queued", "reason"},
};

static void must_run(sqlite3 *db, int rc)
{
    if (rc == SQLITE_OK || rc == SQLITE_DONE || rc == SQLITE_CONSTRAINT
        || rc == SQLITE_MISMATCH)
        return;
    printf("Bail out! %s\n", sqlite3_errmsg(db));
    exit(1);
}

static void bind_other(sqlite3_stmt *st, sqlite3_value *was)
{
    static const int64_t numbers[] = {
        -1, 0, 1, 2, 255, 65536, INT32_MAX, UINT32_MAX, INT64_MAX, INT64_MIN};
    int len = sqlite3_value_bytes(was), type = sqlite3_value_type(was);
    char *bytes;

    if (one_in(30) || len == 0 || type == SQLITE_NULL) {
        sqlite3_bind_null(st, 1);
    } else if (type == SQLITE_BLOB || type == SQLITE_TEXT) {
        bytes = xmalloc((size_t)len);
        memcpy(bytes, sqlite3_value_blob(was), (size_t)len);
        bytes[random_below((uint32_t)len)] ^= (char)(1 << random_below(8));
        len = one_in(8) ? (int)random_below((uint32_t)len) : len;
        if (type == SQLITE_BLOB)
            sqlite3_bind_blob(st, 1, bytes, len, SQLITE_TRANSIENT);
        else
            sqlite3_bind_text(st, 1, bytes, len, SQLITE_TRANSIENT);
        free(bytes);
    } else if (one_in(2)) {
        sqlite3_bind_int64(st, 1, sqlite3_value_int64(was) + 1);
    } else {
        sqlite3_bind_int64(st, 1, numbers[random_below(10)]);
    }
}

/* Return what identifies the rows of a table. */
static const char *key_of(const char *table)
{
    return !strcmp(table, "grants")    ? "job, id"
           : !strcmp(table, "old_job") ? "name, mark"
                                       : "rowid";
}

/* Change a column in a random row of a table, if it has rows. */
static void change_value(const char *table, const char *column)
{
    const char *key = key_of(table);
    sqlite3_stmt *rows, *change;
    char *sql, *row;
    sqlite3 *db;

    must_run(NULL, sqlite3_open(store_file, &db));
    xasprintf(&row,
              "FROM %s ORDER BY %s LIMIT 1 "
              "OFFSET %u %% max(1, (SELECT count(*) FROM %s))",
              table, key, (unsigned)random_below(1000), table);
    xasprintf(&sql, "SELECT %s %s", column, row);
    must_run(db, sqlite3_prepare_v2(db, sql, -1, &rows, NULL));
    free(sql);
    if (sqlite3_step(rows) == SQLITE_ROW) {
        sqlite3_value *was = sqlite3_value_dup(sqlite3_column_value(rows, 0));
        xasprintf(&sql, "UPDATE %s SET %s = ? WHERE (%s) = (SELECT %s %s)",
                  table, column, key, key, row);
        sqlite3_reset(rows);
        must_run(db, sqlite3_prepare_v2(db, sql, -1, &change, NULL));
        bind_other(change, was);
        must_run(db, sqlite3_step(change));
        sqlite3_finalize(change);
        sqlite3_value_free(was);
        free(sql);
    }
    free(row);
    sqlite3_finalize(rows);
    sqlite3_close(db);
}

/* --- games -------------------------------------------------------------- */

/* Make a store of a few jobs, in one file. One of them is pending. */
static void make_store(const char *text)
{
    static const char pending[] =
        "INSERT INTO queued VALUES (7, 5, 'q', 16, '2 slots', 60.0, 1.0, 2.0, "
        "'busy'); PRAGMA wal_checkpoint(TRUNCATE)";
    struct rset *rs = read_set(text);
    sqlite3 *db;

    store_remove();
    store_create(store_file, rs, &options);
    rset_destroy(rs);
    must_run(NULL, sqlite3_open(store_file, &db));
    must_run(db, sqlite3_exec(db, pending, NULL, NULL, NULL));
    sqlite3_close(db);
}

static bool survives(int status)
{
    return WIFEXITED(status)
           && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 2);
}

static void flip_bits(const char *text, long rounds, const char *name)
{
    long crashes = 0, refused = 0;
    char *bytes, *copy;
    size_t len;

    make_store(text);
    bytes = read_store(&len);
    copy = xmalloc(len);
    ok(use_store() == 0, "%s: a sound store is used", name);
    for (long i = 0; i < rounds; i++) {
        size_t end = one_in(20) ? random_below((uint32_t)len) : len;
        uint64_t seed = random_state;
        int status;
        memcpy(copy, bytes, len);
        for (uint32_t n = 1 + random_below(3); n > 0; n--)
            copy[random_below((uint32_t)len)] ^= (char)(1 << random_below(8));
        write_store(i % 2 ? bytes : copy, i % 2 ? len : end);
        if (i % 2) {
            size_t at = random_below(sizeof(columns) / sizeof(*columns));
            change_value(columns[at][0], columns[at][1]);
        }
        status = use_store();
        refused += WIFEXITED(status) && WEXITSTATUS(status) == 2;
        if (!survives(status))
            printf("# crash %ld, status %#x, the state is %" PRIu64 "\n",
                   ++crashes, (unsigned)status, seed);
    }
    ok(crashes == 0, "%s: none crashes of %ld with bits flipped", name, rounds);
    ok(refused > 0, "%s: some of them are refused", name);
    free(bytes);
    free(copy);
}

static const char R[] =
    "{\"version\":1,\"execution\":{\"R_lite\":[{\"rank\":\"0-9\",\"children\":{"
    "\"core\":\"0-7\"}},{\"rank\":\"10-19\",\"children\":{\"core\":\"0-3\","
    "\"gpu\":\"0-1\"}}],\"nodelist\":[\"n[0-19]\"],\"properties\":{\"a\":"
    "\"3-5\"}},\"attributes\":{\"system\":{\"scheduler\":{\"allocations\":[{"
    "\"job\":1,\"R_lite\":[{\"rank\":\"2\",\"children\":{\"core\":\"3-5\"}}]},{"
    "\"job\":2,\"R_lite\":[{\"rank\":\"9-12\"}],\"owner\":\"bob\",\"start\":5}"
    "],\"states\":[{\"state\":\"down\",\"R_lite\":[{\"rank\":\"4\"}]}]}}}}";

int main(void)
{
    long rounds = random_start(60);
    struct bits b = random_bits(true);
    char *graph = bits_text(
        &b, &(struct layout){.graph = true, .racks = true, .sockets = true});

    store_begin();
    flip_bits(R, rounds, "R");
    flip_bits(graph, rounds, "graph");
    free(graph);
    return done_testing();
}
