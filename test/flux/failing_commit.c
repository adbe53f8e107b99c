/*
 * Preloaded by a test: every second commit to the KVS fails. So commits that
 * were joined fail together, and some fail alone.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>

struct flux_future;
typedef struct flux_future *commit_fn(void *h, const char *ns, int flags,
                                      void *txn);

__attribute__((visibility("default"))) struct flux_future *
flux_kvs_commit(void *h, const char *ns, int flags, void *txn);

struct flux_future *flux_kvs_commit(void *h, const char *ns, int flags,
                                    void *txn)
{
    static int count;
    commit_fn *real = (commit_fn *)dlsym(RTLD_NEXT, "flux_kvs_commit");

    if (++count % 2 == 0) {
        errno = ENOSPC;
        return NULL;
    }
    return real(h, ns, flags, txn);
}
