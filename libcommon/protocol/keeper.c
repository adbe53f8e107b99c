/* A set and its jobs kept in a store (scheduler.h, struct keeper). */
#include "base/memory.h"
#include "protocol/scheduler.h"
#include "store/store.h"

struct stored {
    struct keeper keeper; /* the part for the scheduler */
    struct store *store;  /* NULL: not created yet */
    const struct store_options *options;
};

static struct rset *opened(void *arg, struct rset *given, bool *fresh)
{
    struct stored *k = arg;

    *fresh = !k->store;
    if (*fresh) {
        store_create(k->keeper.name, given, k->options);
        k->store = store_open(k->keeper.name, STORE_LEASE, k->options);
    }
    return store_read(k->store);
}

static void waited(void *arg, void (*each)(const struct pending_row *, void *),
                   void *of)
{
    struct stored *k = arg;

    store_each_pending(k->store, each, of);
    store_drop_pending(k->store);
}

static void replace(void *arg, struct rset *rs)
{
    store_replace(((struct stored *)arg)->store, rs);
}

static void record_one(void *arg, const struct operation *op)
{
    store_record(((struct stored *)arg)->store, op);
}

static void pending_one(void *arg, const struct pending_row *row)
{
    store_pending(((struct stored *)arg)->store, row);
}

static void sync_all(void *arg)
{
    store_sync(((struct stored *)arg)->store);
}

static void close_it(void *arg)
{
    store_close(((struct stored *)arg)->store);
}

struct keeper *scheduler_store(struct store *s, const char *file,
                               const struct store_options *options)
{
    struct stored *k = xcalloc(1, sizeof(*k));

    *k = (struct stored){.keeper = {.name = file,
                                    .opened = opened,
                                    .waited = waited,
                                    .replace = replace,
                                    .record = record_one,
                                    .pending = pending_one,
                                    .sync = sync_all,
                                    .close = close_it,
                                    .arg = k},
                         .store = s,
                         .options = options};
    return &k->keeper;
}
