#include "compare/unite.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
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

/*
 * Is there anything of a pool of b that a does not have? To a run just that
 * is left: see rset_align_whole(). -1: out of memory.
 */
static int leave_rest(struct vertex *b)
{
    struct idset *rest;

    if (!b->peer)
        return 1;
    if (!b->run || idset_equal(b->run, b->peer->run))
        return 0;
    if (!idset_overlaps(b->run, b->peer->run))
        return 1;
    if (!(rest = idset_subtract(b->run, b->peer->run)))
        return -1;
    idset_destroy(b->run);
    b->run = rest;
    return !idset_empty(rest);
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
        int rest = c->peer && adopt(a, c) < 0 ? -1 : leave_rest(c);
        if (rest == 0)
            continue;
        if (rest < 0 || !(copy = vertex_import_all(a, c)))
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

/* A link as a key: three pointers, as its words are interned. */
struct link_key {
    const void *source, *target, *subsystem;
};

/* Is it the first of its kind? -1: out of memory. */
static int is_new(struct map *known, const struct link *l)
{
    struct link_key key = {l->source, l->target, l->subsystem};
    struct map_slot *slot = map_at(known, &key, sizeof(key));

    return slot ? slot->value.number++ == 0 : -1;
}

static int adopt_link(struct rset *a, struct map *known, const struct link *l)
{
    struct link copy = {.subsystem = rset_string(a, l->subsystem),
                        .relationship = rset_string(a, l->relationship),
                        .source = l->source->peer,
                        .target = l->target->peer,
                        .extra = l->extra};
    int new = copy.subsystem &&copy.relationship ? is_new(known, &copy) : -1;

    return new > 0 ? rset_add_link(a, &copy) : new;
}

/* Every vertex of b has a peer in a by now. */
static int adopt_links(struct rset *a, const struct rset *b)
{
    struct map known = {0};
    int rc = 0;

    for (size_t i = 0; b->nlinks && i < a->nlinks && rc >= 0; i++)
        rc = is_new(&known, &a->links[i]);
    for (size_t i = 0; i < b->nlinks && rc >= 0; i++)
        rc = adopt_link(a, &known, &b->links[i]);
    map_fini(&known);
    return rc < 0 ? -1 : 0;
}

/* --- hosts ---------------------------------------------------------------- */

/* Ranks with their hosts, of which stretches are taken in their order. */
struct ranked_hosts {
    const struct idset *ranks;
    size_t stretch; /* the next */
    struct hostlist_iter hosts;
};

static uint32_t next_rank(const struct ranked_hosts *from)
{
    return from->stretch < idset_nranges(from->ranks)
               ? idset_range(from->ranks, from->stretch).lo
               : IDSET_INVALID;
}

static int take_stretch(struct hostlist *to, struct ranked_hosts *from)
{
    struct idrange r = idset_range(from->ranks, from->stretch++);
    struct hostlist *hosts = hostlist_iter_take(&from->hosts,
                                                (uint64_t)(r.hi - r.lo) + 1);
    int rc = hosts ? hostlist_append_list(to, hosts) : -1;

    hostlist_destroy(hosts);
    return rc;
}

/* a's hosts and those of the ranks that only b has, in order of rank. */
static struct hostlist *merged_hosts(const struct rset *a, const struct rset *b,
                                     const struct idset *only_b)
{
    struct hostlist *hosts = hostlist_create();
    struct hostlist *others = rset_hosts_at(b, only_b);
    struct ranked_hosts in_a = {.ranks = a->ranks}, in_b = {.ranks = only_b};
    int rc = hosts && others ? 0 : -1;

    if (rc == 0) {
        hostlist_iter_init(&in_a.hosts, a->hosts);
        hostlist_iter_init(&in_b.hosts, others);
    }
    while (rc == 0 && next_rank(&in_a) != next_rank(&in_b)) /* not the end */
        rc = take_stretch(hosts,
                          next_rank(&in_a) < next_rank(&in_b) ? &in_a : &in_b);
    hostlist_destroy(others);
    if (rc == 0)
        return hosts;
    hostlist_destroy(hosts);
    return NULL;
}

static int unite_hosts(struct rset *a, const struct rset *b)
{
    struct idset *only_b = idset_subtract(b->ranks, a->ranks);
    struct hostlist *hosts = NULL;

    if (a->hosts && b->hosts && !(hosts = merged_hosts(a, b, only_b))) {
        idset_destroy(only_b);
        return -1;
    }
    idset_add_set(a->ranks, only_b);
    if (!hosts && (a->hosts || b->hosts))
        rset_note(a, "nodelist is missing in one of the sets and left out");
    hostlist_destroy(a->hosts);
    a->hosts = hosts;
    idset_destroy(only_b);
    return 0;
}

/* --- a graph and a set without one ---------------------------------------- */

struct joining {
    struct rset *a;
    const struct rset *b;
    struct vertex **end; /* of the root's children: new nodes come there */
};

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
static struct vertex *add_node(struct joining *j, const struct vertex *target,
                               uint32_t rank)
{
    struct vertex *v = vertex_create(j->a, "node");
    char name[VERTEX_NAME_MAX];

    vertex_name(j->b, target, rank, name);
    if (!v || !(v->name = rset_string(j->a, name))
        || add_properties(j->a, v, target->properties) < 0)
        return NULL;
    host_basename(name, &v->id);
    v->rank = rank;
    v->parent = j->a->root;
    *j->end = v;
    j->end = &v->next;
    return v;
}

static int add_rank(struct joining *j, const struct vertex *target,
                    uint32_t rank, struct vertex *node)
{
    if (!node && !(node = add_node(j, target, rank)))
        return -1;
    for (const struct vertex *c = target->child; c; c = c->next)
        if (add_ids(j->a, node, c) < 0)
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
    struct joining j = {.a = a, .b = b};
    struct vertex **targets;
    ssize_t n = rset_targets(a, &targets);
    int rc = n < 0 ? -1 : 0;

    if (rc == 0 && !a->root && !vertex_add(a, NULL, "cluster", "cluster", 0))
        rc = -1;
    if (rc == 0)
        for (j.end = &a->root->child; *j.end; j.end = &(*j.end)->next)
            ;
    for (const struct vertex *t = b->root->child; t && rc == 0; t = t->next)
        for (uint32_t rank = idset_first(t->run);
             rank != IDSET_INVALID && rc == 0; rank = idset_next(t->run, rank))
            rc = add_rank(&j, t, rank, find_target(targets, (size_t)n, rank));
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

    if (add_known_properties(a, b, d) < 0
        || !(known = rset_plain_resources(a, d)))
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

/* What needs to be done after any union. */
static int finish(struct rset *a, struct diag *d)
{
    if (ledger_reannotate(a) < 0)
        return diag_oom(d);
    json_object_del(a->execution_extra, "nslots");
    return 0;
}

static int bring_in(struct rset *a, struct rset *b, struct diag *d)
{
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

static int unite_alike(struct rset *a, struct rset *b, struct diag *d)
{
    if ((rset_has_graph(a) && rset_check_roots(a, b, d) < 0)
        || rset_align_whole(a, b, d) < 0)
        return -1;
    return bring_in(a, b, d);
}

int algebra_unite_aligned(struct rset *a, struct rset *b, struct diag *d)
{
    return bring_in(a, b, d) < 0 ? -1 : finish(a, d);
}

int algebra_unite(struct rset *a, struct rset *b, struct diag *d)
{
    int rc = rset_has_graph(a) == rset_has_graph(b) ? unite_alike(a, b, d)
                                                    : unite_plain(a, b, d);

    return rc < 0 ? -1 : finish(a, d);
}
