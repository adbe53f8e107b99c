/*
 * A graph and a set without one: what R_lite names of a rank comes below the
 * node of that rank, and new ranks become nodes under the root.
 */
#include "compare/join.h"

#include <stdlib.h>

#include "model/document/document.h"
#include "model/document/jgf.h"
#include "model/document/rlite.h"
#include "model/document/shorthand.h"

/* Pools that are joined to a graph, with the end of the list they come to. */
struct joining {
    struct rset *a;
    struct vertex *parent, **end;
};

static struct joining join_below(struct rset *a, struct vertex *parent)
{
    struct joining j = {.a = a, .parent = parent, .end = &parent->child};

    while (*j.end)
        j.end = &(*j.end)->next;
    return j;
}

static struct vertex *join(struct joining *j, const char *type,
                           const char *name, int64_t id, int64_t rank)
{
    struct vertex *v = vertex_create(j->a, type);

    v->name = rset_string(j->a, name);
    v->id = id;
    v->rank = rank;
    v->parent = j->parent;
    *j->end = v;
    j->end = &v->next;
    return v;
}

static void join_ids(struct joining *j, const char *type,
                     const struct idset *ids)
{
    char name[VERTEX_NAME_MAX];
    struct idset_iter it;
    uint32_t id;

    idset_iter_init(&it, ids);
    while (idset_iter_next(&it, &id)) {
        snprintf(name, sizeof(name), "%s%u", type, id);
        join(j, type, name, id, j->parent->rank);
    }
}

/* A node of that rank under the root, named as its host. */
static struct vertex *join_node(struct joining *j, const struct rset *b,
                                const struct vertex *target, uint32_t rank)
{
    char buf[VERTEX_NAME_MAX];
    const char *name = vertex_name(b, target, rank, buf);
    int64_t id;

    host_basename(name, &id);
    return join(j, "node", name, id, rank);
}

/* The ids of a target that its node does not have, and its properties. */
static int join_target(struct rset *a, struct vertex *node,
                       const struct vertex *target, struct diag *d)
{
    struct joining j = join_below(a, node);
    struct lite_children known = {0};
    const struct vertex *at;
    int rc = lite_children_project(a, node, &known, &at, d);

    vertex_add_properties(a, node, target->properties);
    for (const struct vertex *c = target->child; c && rc == 0; c = c->next) {
        struct idset *rest = idset_subtract(c->run,
                                            lite_children_ids(&known, c->type));
        join_ids(&j, c->type, rest);
        idset_destroy(rest);
    }
    vertex_sort_children(node);
    lite_children_fini(&known);
    return rc;
}

/* The target of a rank among those in order of rank, by binary search. */
static struct vertex *find_target(struct vertex **targets, size_t n,
                                  uint32_t rank)
{
    size_t lo = 0, hi = n;

    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (targets[mid]->rank < (int64_t)rank)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < n && targets[lo]->rank == (int64_t)rank ? targets[lo] : NULL;
}

int join_plain(struct rset *a, const struct rset *b, struct diag *d)
{
    struct vertex **targets, *node;
    struct joining nodes;
    size_t n;
    int rc = 0;

    if (rset_partial(a)) /* it does not know where the pools are */
        return shorthand_fault(d);
    if (rset_check_ranks(a, d) < 0)
        return -1;
    if (!a->root)
        vertex_add(a, NULL, "cluster", "cluster", 0);
    n = (size_t)rset_targets(a, &targets);
    nodes = join_below(a, a->root);
    for (const struct vertex *t = b->root->child; t; t = t->next) {
        struct idset_iter it;
        uint32_t rank;
        idset_iter_init(&it, t->run);
        while (rc == 0 && idset_iter_next(&it, &rank)) {
            if (!(node = find_target(targets, n, rank)))
                node = join_node(&nodes, b, t, rank);
            rc = join_target(a, node, t, d);
        }
    }
    vertex_sort_children(a->root);
    free(targets);
    return rc < 0 ? -1 : rset_index_targets(a, d);
}
