/* A set and its jobs kept in a store (scheduler.h, struct keeper). */
#include "base/memory.h"
#include "protocol/scheduler.h"
#include "store/store.h"

static struct rset *opened(struct keeper *k, struct rset *given, bool *fresh)
{
    *fresh = !k->store;
    if (*fresh) {
        store_create(k->name, given, k->options);
        k->store = store_open(k->name, STORE_LEASE, k->options);
    }
    return store_read(k->store);
}

struct keeper *scheduler_store(struct store *s, const char *file,
                               const struct store_options *options)
{
    struct keeper *k = xcalloc(1, sizeof(*k));

    *k = (struct keeper){.name = file,
                         .store = s,
                         .options = options,
                         .opened = opened,
                         .waited = store_each_pending,
                         .replace = store_replace,
                         .record = store_record,
                         .pending = store_pending,
                         .sync = store_sync,
                         .close = store_close};
    return k;
}
