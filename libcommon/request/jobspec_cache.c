/* A cache of requests, by the text of their resources and constraints
   (jobspec_cache.h). */
#include "request/jobspec_cache.h"

#include <stdlib.h>

#include "base/json.h"
#include "base/memory.h"
#include "request/request_private.h"

/* The number of unused requests to keep: they may be asked for again. */
enum { IDLE_MAX = 1000 };

static void clean(struct jobspec_cache *cache, bool all)
{
    for (size_t i = 0; i < cache->map.count; i++) {
        const struct map_slot *slot = &cache->map.slots[i];
        struct cached_request *k = slot->value.pointer;

        if (k && (all || k->users == 0)) {
            request_destroy(k->req);
            free(k->never);
            free(k->planned);
            free(k);
            map_forget(&cache->map, slot->key, slot->len);
        }
    }
    cache->nidle = 0;
}

void jobspec_cache_fini(struct jobspec_cache *cache)
{
    clean(cache, true);
    map_fini(&cache->map);
}

struct cached_request *jobspec_cache_get(struct jobspec_cache *cache,
                                         const json_t *jobspec,
                                         double *duration, struct diag *d)
{
    const json_t *attributes = json_object_get(jobspec, "attributes"),
                 *system = json_object_get(attributes, "system");
    struct request *req = request_from_jobspec(jobspec, d);
    struct map_slot *slot;
    struct cached_request *k;
    size_t len;
    char *key;
    FILE *fp;

    if (!req)
        return NULL;
    *duration = req->duration;
    if (json_integer_value(json_object_get(jobspec, "version")) == 1
        && !json_object_get(system, "duration")) {
        /* it must have one, which may be 0 (RFC 25) */
        diag_set(d, "version 1 needs \"%s\"", system ? "duration" : "system");
        if (system)
            diag_in(d, "system");
        diag_in(d, "attributes");
        request_destroy(req);
        return NULL;
    }

    /* the key is the resources and constraints as text */
    fp = memory_open(&key, &len);
    json_write_member(fp, "", "resources",
                      json_object_get(jobspec, "resources"));
    json_write_member(fp, "", "constraints",
                      json_object_get(system, "constraints"));
    memory_close(fp);
    slot = map_at(&cache->map, key, len);
    free(key);
    if ((k = slot->value.pointer)) {
        request_destroy(req);
    } else {
        k = slot->value.pointer = xcalloc(1, sizeof(*k));
        k->req = req;
        cache->nidle++;
    }
    cache->nidle -= k->users++ == 0;
    return k;
}

void jobspec_cache_drop(struct jobspec_cache *cache, struct cached_request *k)
{
    if (--k->users == 0 && ++cache->nidle > IDLE_MAX)
        clean(cache, false);
}
