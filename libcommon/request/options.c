/* The request that flux-run's short options make. */
#include "request/request_private.h"

#include <inttypes.h>

#include "base/memory.h"

/* No option may ask for more than a count can hold. */
static int check_limits(const struct request_options *o, struct diag *d)
{
    const struct {
        const char *what;
        uint64_t n;
    } counts[] = {{"nodes", o->nodes},
                  {"slots", o->nslots},
                  {"cores a slot", o->cores_per_slot},
                  {"gpus a slot", o->gpus_per_slot}};

    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
        if (counts[i].n > REQUEST_COUNT_MAX)
            return diag_set(d, "%" PRIu64 " %s: at most %" PRIu32, counts[i].n,
                            counts[i].what, REQUEST_COUNT_MAX);
    return 0;
}

static int check(const struct request_options *o, struct diag *d)
{
    if (check_limits(o, d) < 0)
        return -1;
    if (o->exclusive && !o->nodes)
        return diag_set(d, "exclusive nodes need a number of nodes");
    if (o->nslots && o->nslots < o->nodes)
        return diag_set(d, "%" PRIu64 " slot%s cannot be on %" PRIu64 " nodes",
                        o->nslots, o->nslots == 1 ? "" : "s", o->nodes);
    return 0;
}

static struct request_vertex *ask(const char *type, uint64_t n,
                                  struct request_vertex *with)
{
    struct request_vertex *v = request_vertex_create();

    v->type = xstrdup(type);
    request_count_fix(&v->count, n);
    v->with = with;
    return v;
}

struct request *request_from_options(const struct request_options *o,
                                     struct diag *d)
{
    uint64_t nslots = o->nslots ? o->nslots : 1;
    struct request_vertex *pools, *top;

    if (check(o, d) < 0)
        return NULL;
    if (o->nodes)
        nslots = (nslots + o->nodes - 1) / o->nodes;
    pools = ask("core", o->cores_per_slot ? o->cores_per_slot : 1, NULL);
    if (o->gpus_per_slot)
        pools->next = ask("gpu", o->gpus_per_slot, NULL);
    top = ask("slot", nslots, pools);
    top->label = xstrdup(REQUEST_DEFAULT_LABEL);
    if (o->nodes)
        top = ask("node", o->nodes, top);
    if (o->nodes && (o->exclusive || !o->nslots))
        top->exclusive = YES;
    return request_create(top);
}
