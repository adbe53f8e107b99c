/*
 * flux-run's short options say no more than a shape can; so they are written
 * as one and read by its reader.
 */
#include "request/request.h"

#include <inttypes.h>
#include <stdio.h>

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

struct request *request_from_options(const struct request_options *o,
                                     struct diag *d)
{
    uint64_t nslots = o->nslots ? o->nslots : 1;
    uint64_t cores = o->cores_per_slot ? o->cores_per_slot : 1;
    bool whole = o->exclusive || !o->nslots;
    char node[40] = "", inside[64], shape[160];

    if (check(o, d) < 0)
        return NULL;
    if (o->nodes) {
        snprintf(node, sizeof(node), "node=%" PRIu64 "%s/", o->nodes,
                 whole ? "{x}" : "");
        nslots = (nslots + o->nodes - 1) / o->nodes;
    }
    if (o->gpus_per_slot)
        snprintf(inside, sizeof(inside), "[core=%" PRIu64 ";gpu=%" PRIu64 "]",
                 cores, o->gpus_per_slot);
    else
        snprintf(inside, sizeof(inside), "core=%" PRIu64, cores);
    snprintf(shape, sizeof(shape), "%sslot=%" PRIu64 "/%s", node, nslots,
             inside);
    return request_from_shape(shape, d);
}
