/*
 * A graph and a set without one: what R_lite names of a rank comes below the
 * node of that rank, and new ranks become nodes under the root.
 */
#include "compare/join.h"

#include <stdlib.h>
#include <string.h>

#include "compare/unite_records.h"
#include "model/document/document.h"
#include "model/document/jgf.h"
#include "model/document/rlite.h"
#include "model/document/shorthand.h"
#include "model/records/tags.h"
#include "model/records/usage.h"

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

/* What jobs have of pools of a run, of those that the node has by now. */
static void join_records(struct rset *a, struct vertex *node,
                         const struct vertex *run, struct diag *d)
{
    if (!vertex_is_used(run) && !vertex_has_tags(run))
        return;
    for (struct vertex *v = vertex_next(node, node, false); v;
         v = vertex_next(node, v, false))
        if (!strcmp(v->type, run->type) && v->id >= 0 && v->id <= IDSET_MAX
            && idset_contains(run->run, (uint32_t)v->id))
            unite_records(a, v, run, d);
}

/* The ids of a target that its node does not have, its properties, records. */
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
    unite_records(a, node, target, d);
    for (const struct vertex *c = target->child; c && rc == 0; c = c->next)
        join_records(a, node, c, d);
    vertex_sort_children(node);
    lite_children_fini(&known);
    return d->text[0] ? -1 : rc;
}

/* Both are gone through in order of rank. */
static int join_targets(struct rset *a, const struct rset *b, struct diag *d)
{
    struct joining nodes = join_below(a, a->root);
    struct vertex **targets;
    struct span *spans;
    size_t n = rset_targets(a, &targets), nspans, at = 0;
    int rc = 0;

    nspans = vertex_spans(b->root, &spans);
    for (size_t i = 0; i < nspans; i++) {
        const struct vertex *t = spans[i].v;
        for (uint64_t r = spans[i].lo; rc == 0 && r <= spans[i].hi; r++) {
            struct vertex *node;
            while (at < n && targets[at]->rank < (int64_t)r)
                at++;
            node = at < n && targets[at]->rank == (int64_t)r
                       ? targets[at]
                       : join_node(&nodes, b, t, (uint32_t)r);
            rc = join_target(a, node, t, d);
        }
    }
    free(spans);
    free(targets);
    return rc;
}

int join_plain(struct rset *a, const struct rset *b, struct diag *d)
{
    int rc;

    if (rset_partial(a)) /* it does not know where the pools are */
        return shorthand_fault(d);
    if (rset_check_ranks(a, d) < 0)
        return -1;
    if (!a->root)
        vertex_add(a, NULL, "cluster", "cluster", 0);
    rc = join_targets(a, b, d);
    vertex_sort_children(a->root);
    return rc < 0 ? -1 : rset_index_targets(a, d);
}
