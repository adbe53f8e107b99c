/* Puts nodes in racks (racks.h): runs become the pools for which they stand. */
#include "source/racks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"
#include "source/spec.h"

/* One node of those for which a vertex stands, with all that is in it. */
static struct vertex *copy_node(struct rset *rs, struct vertex *node,
                                const struct rset *from, uint32_t rank)
{
    struct vertex *v = vertex_import_all(rs, node);
    char host[HOSTLIST_NAME_MAX];

    idset_destroy(v->run);
    v->run = NULL;
    for (struct vertex *in = v; in; in = vertex_next(v, in, false))
        in->rank = rank;
    if (rset_host(from, rank, host, sizeof(host)) >= 0)
        node_on_host(rs, v, host);
    return v;
}

static void fill_racks(struct rset *rs, const struct rset *from,
                       uint64_t per_rack, uint64_t first)
{
    struct vertex *node = from->root->child, *rack = NULL,
                  **racks = &rs->root->child, **nodes = NULL;
    struct idset_iter it;
    uint64_t n = 0;
    uint32_t rank;

    idset_iter_init(&it, from->ranks);
    for (; node && idset_iter_next(&it, &rank); n++) {
        if (n % per_rack == 0) {
            rack = *racks = vertex_create(rs, "rack");
            rack->parent = rs->root;
            rack->id = (int64_t)(first + n / per_rack);
            rack->name = rset_name_by_id(rs, "rack", rack->id);
            racks = &rack->next;
            nodes = &rack->child;
        }
        *nodes = copy_node(rs, node, from, rank);
        (*nodes)->parent = rack;
        nodes = &(*nodes)->next;
    }
}

static int check(const struct rset *rs, const char *text, uint64_t *n,
                 struct diag *d)
{
    const char *end = text + strlen(text);
    uint64_t pools = rset_pools(rs);

    if (get_number(text, end, n) != end || *n == 0)
        diag_set(d, "%s: a number of nodes is expected",
                 quote(text, strlen(text)).text);
    else if (pools > RACKED_MAX)
        diag_set(d, "%" PRIu64 " pools are more than %d, which is too much",
                 pools, RACKED_MAX);
    else
        return 0;
    return diag_in(d, "nodes-per-rack");
}

struct rset *rset_in_racks(const struct rset *from, const char *text,
                           uint64_t first, struct diag *d)
{
    struct rset *rs;
    uint64_t n;

    if (check(from, text, &n, d) < 0)
        return NULL;
    rs = rset_create();
    vertex_add(rs, NULL, "cluster", "cluster", 0);
    fill_racks(rs, from, n, first);
    rset_set_ranks(rs, idset_copy(from->ranks), hostlist_copy(from->hosts));
    rs->halves = HALF_EXECUTION | HALF_GRAPH;
    rs->full = true;
    return rs;
}
