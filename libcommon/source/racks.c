/* Puts nodes in racks (racks.h): runs become the pools for which they stand. */
#include "source/racks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/digits.h"
#include "source/spec.h"

/* The last child of a vertex, behind which the next one goes. */
struct tail {
    struct vertex *parent, **end;
};

static struct vertex *append(struct tail *to, struct vertex *v)
{
    v->parent = to->parent;
    *to->end = v;
    to->end = &v->next;
    return v;
}

static struct vertex *copy_member(struct rset *rs, const struct vertex *from,
                                  int64_t id, int64_t rank)
{
    struct vertex *v = vertex_import(rs, from);

    v->rank = rank;
    if (from->run) {
        v->id = id;
        v->name = rset_name_by_id(rs, v->basename, id);
    }
    return v;
}

/* What is in a pool of a node of this rank, as deep as containment is. */
static void copy_children(struct rset *rs, struct vertex *parent,
                          const struct vertex *from, int64_t rank)
{
    struct tail to = {parent, &parent->child};

    for (const struct vertex *c = from->child; c; c = c->next) {
        struct idset_iter it;
        uint32_t id = 0;
        if (c->run)
            idset_iter_init(&it, c->run);
        while (!c->run || idset_iter_next(&it, &id)) {
            copy_children(rs, append(&to, copy_member(rs, c, id, rank)), c,
                          rank);
            if (!c->run)
                break;
        }
    }
}

static void copy_node(struct rset *rs, struct tail *to,
                      const struct vertex *node, const struct rset *from,
                      uint32_t rank)
{
    struct vertex *v = append(to, copy_member(rs, node, -1, rank));
    char host[HOSTLIST_NAME_MAX];

    if (rset_host(from, rank, host, sizeof(host)) >= 0)
        node_on_host(rs, v, host);
    copy_children(rs, v, node, rank);
}

static void fill_racks(struct rset *rs, const struct rset *from,
                       uint64_t per_rack, uint64_t first)
{
    const struct vertex *node = from->root->child;
    struct tail racks = {rs->root, &rs->root->child}, nodes = {0};
    struct idset_iter it;
    uint64_t n = 0;
    uint32_t rank;

    idset_iter_init(&it, from->ranks);
    for (; node && idset_iter_next(&it, &rank); n++) {
        if (n % per_rack == 0) {
            nodes.parent = append(&racks, vertex_create(rs, "rack"));
            nodes.parent->id = (int64_t)(first + n / per_rack);
            nodes.parent->name = rset_name_by_id(rs, "rack", nodes.parent->id);
            nodes.end = &nodes.parent->child;
        }
        copy_node(rs, &nodes, node, from, rank);
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
