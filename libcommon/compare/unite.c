#include "compare/unite.h"

#include <stdlib.h>
#include <string.h>

#include "compare/algebra.h"
#include "compare/align.h"
#include "model/jgf.h"
#include "model/rlite.h"
#include "schedule/ledger.h"

/* --- trees of the same kind ----------------------------------------------- */

static void append_child(struct vertex *parent, struct vertex *v)
{
    struct vertex **end = &parent->child;

    while (*end)
        end = &(*end)->next;
    *end = v;
    v->parent = parent;
}

static int add_properties(struct rset *a, struct vertex *v,
                          const struct properties *list)
{
    for (unsigned i = 0; list && i < list->count; i++)
        if (vertex_add_property(a, v, list->list[i].key, list->list[i].value)
            < 0)
            return -1;
    return 0;
}

/* What is below b and not below its peer in a comes below that. */
static int adopt(struct rset *a, struct vertex *b)
{
    struct vertex *v = b->peer;
    struct vertex *copy, *new = NULL, **end = &new;

    if (b->size > v->size)
        v->size = b->size;
    if (add_properties(a, v, b->properties) < 0)
        return -1;
    for (struct vertex *c = b->child; c; c = c->next) {
        if (c->peer) {
            if (adopt(a, c) < 0)
                return -1;
            continue;
        }
        if (!(copy = vertex_import_all(a, c)))
            return -1;
        copy->parent = v;
        *end = copy;
        end = &copy->next;
    }
    if (new) {
        append_child(v, new);
        vertex_sort_children(v);
    }
    return 0;
}

static int adopt_loose(struct rset *a, struct rset *b)
{
    struct vertex **end = &a->loose;

    while (*end)
        end = &(*end)->next;
    for (struct vertex *v = b->loose; v; v = v->next) {
        if (v->peer)
            continue;
        if (!(*end = vertex_import_all(a, v)))
            return -1;
        end = &(*end)->next;
    }
    return 0;
}

static bool has_link(const struct rset *rs, const struct link *link)
{
    for (size_t i = 0; i < rs->nlinks; i++)
        if (rs->links[i].source == link->source
            && rs->links[i].target == link->target
            && rs->links[i].subsystem == link->subsystem)
            return true;
    return false;
}

/* Every vertex of b has a peer in a by now. */
static int adopt_links(struct rset *a, const struct rset *b)
{
    for (size_t i = 0; i < b->nlinks; i++) {
        const struct link *l = &b->links[i];
        struct link copy = {.subsystem = rset_string(a, l->subsystem),
                            .relationship = rset_string(a, l->relationship),
                            .source = l->source->peer,
                            .target = l->target->peer};
        if (!copy.subsystem || !copy.relationship
            || (!has_link(a, &copy) && rset_add_link(a, &copy) < 0))
            return -1;
    }
    return 0;
}

/* --- hosts ---------------------------------------------------------------- */

static int append_hosts(struct hostlist *to, const struct rset *from,
                        struct idrange r)
{
    struct idset *ranks = idset_create_range(r.lo, r.hi), *at = NULL;
    struct hostlist *hosts = NULL;
    int rc = -1;

    if (ranks && (at = idset_positions(from->ranks, ranks))
        && (hosts = hostlist_pick(from->hosts, at)))
        rc = hostlist_append_list(to, hosts);
    idset_destroy(ranks);
    idset_destroy(at);
    hostlist_destroy(hosts);
    return rc;
}

/* Stretches of a's ranks and of those that only b has, in their order. */
static struct hostlist *merged_hosts(const struct rset *a, const struct rset *b,
                                     const struct idset *only_b)
{
    struct hostlist *hosts = hostlist_create();
    size_t na = idset_nranges(a->ranks), nb = idset_nranges(only_b);

    for (size_t i = 0, j = 0; hosts && (i < na || j < nb);) {
        bool from_a = j == nb
                      || (i < na
                          && idset_range(a->ranks, i).lo
                                 < idset_range(only_b, j).lo);
        if (append_hosts(hosts, from_a ? a : b,
                         from_a ? idset_range(a->ranks, i++)
                                : idset_range(only_b, j++))
            < 0) {
            hostlist_destroy(hosts);
            return NULL;
        }
    }
    return hosts;
}

static int unite_hosts(struct rset *a, const struct rset *b)
{
    struct idset *only_b = idset_subtract(b->ranks, a->ranks);
    struct hostlist *hosts = NULL;
    int rc = -1;

    if (!only_b)
        return -1;
    if (a->hosts && b->hosts)
        hosts = merged_hosts(a, b, only_b);
    if (hosts || !a->hosts || !b->hosts)
        rc = idset_add_set(a->ranks, only_b);
    if (!hosts && (a->hosts || b->hosts))
        rset_note(a, "nodelist is missing in one of the sets and left out");
    hostlist_destroy(a->hosts);
    a->hosts = hosts;
    idset_destroy(only_b);
    return rc;
}

/* --- a graph and a set without one ---------------------------------------- */

static int add_ids(struct rset *a, struct vertex *node,
                   const struct vertex *run)
{
    for (uint32_t id = idset_first(run->run); id != IDSET_INVALID;
         id = idset_next(run->run, id)) {
        struct vertex *v = vertex_add(a, node, run->type, run->type, id);
        if (!v)
            return -1;
        v->rank = node->rank;
    }
    return 0;
}

/* A node of that rank under the root, named as its host. */
static struct vertex *add_node(struct rset *a, const struct rset *b,
                               const struct vertex *target, uint32_t rank)
{
    char name[VERTEX_NAME_MAX];
    struct vertex *v;
    int64_t id;

    vertex_name(b, target, rank, name);
    host_basename(name, &id);
    if (!(v = vertex_add(a, a->root, "node", "node", id)))
        return NULL;
    v->name = rset_string(a, name);
    v->rank = rank;
    if (!v->name || add_properties(a, v, target->properties) < 0)
        return NULL;
    return v;
}

static int add_rank(struct rset *a, const struct rset *b,
                    const struct vertex *target, uint32_t rank,
                    struct vertex *node)
{
    if (!node && !(node = add_node(a, b, target, rank)))
        return -1;
    for (const struct vertex *c = target->child; c; c = c->next)
        if (add_ids(a, node, c) < 0)
            return -1;
    vertex_sort_children(node);
    return 0;
}

static int64_t rank_of(const struct vertex *v)
{
    return v->rank;
}

/* The target of a rank among those in order of rank, by binary search. */
static struct vertex *find_target(struct vertex **targets, size_t n,
                                  uint32_t rank)
{
    size_t lo = 0, hi = n;

    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (rank_of(targets[mid]) < (int64_t)rank)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < n && rank_of(targets[lo]) == (int64_t)rank ? targets[lo] : NULL;
}

static int add_left_over(struct rset *a, const struct rset *b)
{
    struct vertex **targets;
    ssize_t n = rset_targets(a, &targets);
    int rc = n < 0 ? -1 : 0;

    if (rc == 0 && !a->root && !vertex_add(a, NULL, "cluster", "cluster", 0))
        rc = -1;
    for (const struct vertex *t = b->root->child; t && rc == 0; t = t->next)
        for (uint32_t rank = idset_first(t->run);
             rank != IDSET_INVALID && rc == 0; rank = idset_next(t->run, rank))
            rc = add_rank(a, b, t, rank, find_target(targets, (size_t)n, rank));
    if (a->root)
        vertex_sort_children(a->root);
    if (n >= 0)
        free(targets);
    return rc;
}

static int add_known_properties(struct rset *a, struct rset *b, struct diag *d)
{
    if (rset_align_plain(a, b, d) < 0)
        return -1;
    for (struct vertex *v = a->root; v; v = vertex_next(a->root, v, false))
        if (vertex_is_target(v) && v->peer
            && add_properties(a, v, v->peer->properties) < 0)
            return diag_oom(d);
    return 0;
}

static int unite_plain(struct rset *a, struct rset *b, struct diag *d)
{
    struct rset *known;
    int rc = -1;

    if (add_known_properties(a, b, d) < 0 || !(known = rset_plain(a, d)))
        return -1;
    if (rset_subtract(b, known, d) == 0) {
        rc = add_left_over(a, b);
        if (rc < 0)
            diag_oom(d);
    }
    rset_destroy(known);
    return rc < 0 ? -1 : rset_index_targets(a, d);
}

/* --- the whole ------------------------------------------------------------ */

static int unite_alike(struct rset *a, struct rset *b, struct diag *d)
{
    if ((rset_has_graph(a) && rset_check_roots(a, b, d) < 0)
        || rset_align(a, b, d) < 0)
        return -1;
    if (a->root && b->root && adopt(a, b->root) < 0)
        return diag_oom(d);
    if (!a->root && b->root && !(a->root = vertex_import_all(a, b->root)))
        return diag_oom(d);
    if (adopt_loose(a, b) < 0 || adopt_links(a, b) < 0)
        return diag_oom(d);
    if (rset_has_graph(a))
        return rset_index_targets(a, d);
    return unite_hosts(a, b) < 0 ? diag_oom(d) : 0;
}

int algebra_unite(struct rset *a, struct rset *b, struct diag *d)
{
    int rc;

    rc = rset_has_graph(a) == rset_has_graph(b) ? unite_alike(a, b, d)
                                                : unite_plain(a, b, d);
    if (rc == 0 && ledger_reannotate(a) < 0)
        rc = diag_oom(d);
    if (rc == 0)
        json_object_del(a->execution_extra, "nslots");
    return rc;
}
