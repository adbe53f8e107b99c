/* The write-ahead log of a store: commits, and writing it back. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "store/store_private.h"

/* --- joined writes ------------------------------------------------------ */

/*
 * SQLite writes a commit of n pages to the log with 2n calls of pwrite(2), then
 * syncs it, and then tells other processes through the index of the log. While
 * a commit lasts that ends with a sync, these methods of the log's file keep
 * what is written until the sync, and write it with one call.
 */
struct joined_log {
    sqlite3_io_methods methods; /* the file points to them: the first member */
    const sqlite3_io_methods *under;
    bool joins;
    size_t n;
    int64_t at;
    char bytes[64 * 1024]; /* n bytes, not written yet */
};

static struct joined_log *joined(sqlite3_file *file)
{
    return (struct joined_log *)file->pMethods;
}

/* Write what was kept. */
static int write_joined(sqlite3_file *file)
{
    struct joined_log *l = joined(file);
    int n = (int)l->n;

    l->n = 0;
    return n == 0 ? SQLITE_OK : l->under->xWrite(file, l->bytes, n, l->at);
}

static int join_write(sqlite3_file *file, const void *bytes, int n,
                      sqlite3_int64 at)
{
    struct joined_log *l = joined(file);
    int rc = SQLITE_OK;

    if (l->n > 0
        && (at != l->at + (int64_t)l->n || l->n + (size_t)n > sizeof(l->bytes)))
        rc = write_joined(file);
    if (rc != SQLITE_OK)
        return rc;
    if (!l->joins || (size_t)n > sizeof(l->bytes))
        return l->under->xWrite(file, bytes, n, at);
    if (l->n == 0)
        l->at = at;
    memcpy(l->bytes + l->n, bytes, (size_t)n);
    l->n += (size_t)n;
    return SQLITE_OK;
}

static int join_sync(sqlite3_file *file, int flags)
{
    int rc = write_joined(file);

    return rc != SQLITE_OK ? rc : joined(file)->under->xSync(file, flags);
}

static int join_read(sqlite3_file *file, void *bytes, int n, sqlite3_int64 at)
{
    int rc = write_joined(file);

    return rc != SQLITE_OK ? rc
                           : joined(file)->under->xRead(file, bytes, n, at);
}

/* Begin to join the writes of commits, if the file system keeps what lies
   beside the bytes that are written: else SQLite also writes after a sync. */
static void join_writes(struct store *s)
{
    struct joined_log *l;
    sqlite3_file *file = NULL;

    sqlite3_file_control(s->db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file);
    if (!file || !file->pMethods
        || !(file->pMethods->xDeviceCharacteristics(file)
             & SQLITE_IOCAP_POWERSAFE_OVERWRITE))
        return;
    l = s->log = xcalloc(1, sizeof(*l));
    l->under = file->pMethods;
    l->methods = *l->under;
    if (l->methods.iVersion > 3) /* of a SQLite that has more methods */
        l->methods.iVersion = 3;
    l->methods.xWrite = join_write;
    l->methods.xSync = join_sync;
    l->methods.xRead = join_read;
    file->pMethods = &l->methods;
}

/* --- commits ------------------------------------------------------------ */

/* The log is written back when it has more pages than this. It is kept short
   because the first process that opens the store reads it while others wait. */
enum { LOG_PAGES = 128, LOG_PAGES_LEASED = 1000 };

/* Note the length of the log, which SQLite passes to this hook. */
static int count_pages(void *arg, sqlite3 *db, const char *name, int pages)
{
    (void)db;
    (void)name;
    ((struct store *)arg)->log_pages = pages;
    return SQLITE_OK;
}

void log_begin(struct store *s)
{
    sqlite3_wal_hook(s->db, count_pages, s);
    if (s->mode == STORE_LEASE)
        join_writes(s);
}

/* Write the log back, and empty it; or, with `goes_on`, begin it anew in its
   space, which costs less. Does nothing while others read; a later call will do
   it. */
static void write_back(struct store *s, bool goes_on)
{
    sqlite3_busy_timeout(s->db, 0);
    sqlite3_wal_checkpoint_v2(s->db, "main",
                              goes_on ? SQLITE_CHECKPOINT_RESTART
                                      : SQLITE_CHECKPOINT_TRUNCATE,
                              NULL, NULL);
    sqlite3_busy_timeout(s->db, (int)(s->options.wait * 1000));
    s->log_is_long = goes_on;
}

void log_end(struct store *s)
{
    if (s->log_pages > LOG_PAGES || s->log_is_long)
        write_back(s, false);
}

/* Run COMMIT, with joined writes if it ends with a sync. If it fails before the
   sync, what was kept is dropped. */
static bool run_commit(struct store *s)
{
    bool done;

    if (s->log)
        s->log->joins = !s->hasty;
    done = sqlite3_step(store_query(s, "COMMIT", "")) == SQLITE_DONE;
    if (s->log) {
        s->log->joins = false;
        s->log->n = 0;
    }
    return done;
}

void log_commit(struct store *s)
{
    /* A failed commit may still be in the log, and would be found when the
       store is opened next. So it is overwritten with another commit, which
       need not be durable. */
    static const char *const bury[] = {
        "ROLLBACK", "PRAGMA synchronous = OFF", "BEGIN IMMEDIATE",
        "UPDATE store SET seq = seq + 1", "COMMIT"};

    if (!run_commit(s)) {
        char *why = xstrdup(sqlite3_errmsg(s->db));
        for (size_t i = 0; i < sizeof(bury) / sizeof(*bury); i++)
            sqlite3_exec(s->db, bury[i], NULL, NULL, NULL);
        store_fail(s, "%s", why);
    }
    store_check_files(s);
    if (s->log_pages > (s->mode == STORE_LEASE ? LOG_PAGES_LEASED : LOG_PAGES))
        write_back(s, s->mode == STORE_LEASE);
}
