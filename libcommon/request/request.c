/*
 * Requests as objects, and those that flux-run's short options make. The depth
 * of a request is bounded by its readers, so that walking it may recurse.
 */
#include "request/request_private.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct request_vertex *request_vertex_create(void)
{
    struct request_vertex *v = xcalloc(1, sizeof(*v));

    v->exclusive = UNSET;
    request_count_fix(&v->count, 1);
    return v;
}

void request_vertex_destroy(struct request_vertex *v)
{
    struct request_vertex *next;

    for (; v; v = next) {
        next = v->next;
        request_vertex_destroy(v->with);
        idset_destroy(v->count.set);
        free(v->type);
        free(v->unit);
        free(v->id);
        free(v->label);
        free(v);
    }
}

struct request *request_create(struct request_vertex *resources)
{
    struct request *req = xcalloc(1, sizeof(*req));

    req->resources = resources;
    return req;
}

void request_destroy(struct request *req)
{
    if (!req)
        return;
    request_vertex_destroy(req->resources);
    constraint_destroy(req->constraint);
    free(req);
}

bool request_is_slot(const struct request_vertex *v)
{
    return !strcmp(v->type, "slot");
}

/* --- short options -------------------------------------------------------- */

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
