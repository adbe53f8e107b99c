/*
 * Union of any number of sets.
 *
 * All are united in one go, so that each set costs what is in it and not what
 * was united before: gathering a cluster from ten thousand documents of a
 * node each costs little more than reading them. Targets of sets without
 * graphs go into one overlay (runs.h); pools of graphs are found by a map
 * that has the pools under every parent that was looked into; hosts are
 * merged in pairs, and pairs of pairs.
 */
#include "compare/unite.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "compare/align.h"
#include "compare/disjoint.h"
#include "compare/runs.h"
#include "model/document/shorthand.h"

/* --- graphs --------------------------------------------------------------- */

struct uniting {
    struct rset *a;
    struct map pools; /* under the parents that were looked into */
    struct map links; /* that the set has */
};

/*
 * A pool by its identity: words are interned in the set. Without words it is
 * the parent itself, of which the last child is kept.
 */
struct pool_key {
    const struct vertex *parent; /* NULL: beside the tree */
    const char *type, *name;
    int64_t rank;
};

static struct map_slot *child_slot(struct uniting *u, struct vertex *parent,
                                   const struct vertex *v)
{
    struct pool_key key = {parent, rset_string(u->a, v->type),
                           rset_string(u->a, v->name), v->rank};

    return map_at(&u->pools, &key, sizeof(key));
}

static struct map_slot *last_slot(struct uniting *u, struct vertex *parent)
{
    struct pool_key key = {.parent = parent};

    return map_at(&u->pools, &key, sizeof(key));
}

static struct vertex **first_child(struct uniting *u, struct vertex *parent)
{
    return parent ? &parent->child : &u->a->loose;
}

/* The pool under the parent that is the same as one of another set. */
static struct vertex *find_pool(struct uniting *u, struct vertex *parent,
                                const struct vertex *v)
{
    size_t known = u->pools.count;
    struct vertex **end = first_child(u, parent);

    last_slot(u, parent);
    if (u->pools.count > known) { /* for the first time */
        struct vertex *last = NULL;
        for (; *end; last = *end, end = &last->next)
            child_slot(u, parent, *end)->value.pointer = *end;
        last_slot(u, parent)->value.pointer = last;
    }
    return child_slot(u, parent, v)->value.pointer;
}

/* Runs of R_lite, of vertices that neither graph knows any more of. */
static void match_runs(struct vertex *ours, struct vertex *list)
{
    for (struct vertex *c = list; c; c = c->next)
        for (c->peer = ours; c->peer; c->peer = c->peer->next)
            if (!strcmp(c->peer->type, c->type)
                && idset_overlaps(c->peer->run, c->run))
                break;
}

/*
 * Give the pools of a list their peers below a vertex of the set, or beside
 * the tree (NULL). As long as both are in step nothing is looked up.
 */
static int match(struct uniting *u, struct vertex *parent, struct vertex *list,
                 struct diag *d)
{
    struct vertex *next = *first_child(u, parent);

    if (next && list && !next->run != !list->run)
        return shorthand_fault(d);
    if (list && list->run) {
        match_runs(next, list);
        return 0;
    }
    for (struct vertex *c = list; c; c = c->next) {
        if (next && rset_same_pool(next, c))
            c->peer = next;
        else
            c->peer = find_pool(u, parent, c);
        if (c->peer && match(u, c->peer, c->child, d) < 0)
            return -1;
        if (c->peer)
            next = c->peer->next;
    }
    return 0;
}

static void adopt_pools(struct uniting *u, struct vertex *parent,
                        struct vertex *list);

static void adopt_pool(struct uniting *u, struct vertex *v, struct vertex *b)
{
    if (b->size > v->size)
        v->size = b->size;
    vertex_add_properties(u->a, v, b->properties);
    if (b->child && b->child->run) {
        runs_adopt(u->a, v, b);
        vertex_sort_children(v);
    } else {
        adopt_pools(u, v, b->child);
    }
}

/* What is not there comes behind the others. */
static void adopt_pools(struct uniting *u, struct vertex *parent,
                        struct vertex *list)
{
    for (struct vertex *c = list; c; c = c->next) {
        struct vertex *copy, *last;
        if (c->peer) {
            adopt_pool(u, c->peer, c);
            continue;
        }
        copy = vertex_import_all(u->a, c);
        copy->parent = parent;
        last = last_slot(u, parent)->value.pointer;
        *(last ? &last->next : first_child(u, parent)) = copy;
        last_slot(u, parent)->value.pointer = copy;
        child_slot(u, parent, copy)->value.pointer = copy;
    }
}

/* Is it the first of its kind? Its words are interned. */
static bool is_new(struct uniting *u, const struct link *l)
{
    const void *key[] = {l->source, l->target, l->subsystem};

    return map_at(&u->links, key, sizeof(key))->value.number++ == 0;
}

/* Every vertex of b has a peer in a by now. */
static void adopt_links(struct uniting *u, const struct rset *b)
{
    struct rset *a = u->a;

    for (size_t i = u->links.count; b->nlinks && i < a->nlinks; i++)
        is_new(u, &a->links[i]);
    for (size_t i = 0; i < b->nlinks; i++) {
        const struct link *l = &b->links[i];
        struct link copy = {.subsystem = rset_string(a, l->subsystem),
                            .relationship = rset_string(a, l->relationship),
                            .source = l->source->peer,
                            .target = l->target->peer,
                            .extra = l->extra};
        if (is_new(u, &copy))
            rset_add_link(a, &copy);
    }
}

static int unite_graph(struct uniting *u, struct rset *b, bool disjoint,
                       struct diag *d)
{
    struct rset *a = u->a;

    if (rset_check_roots(a, b, d) < 0)
        return -1;
    rset_clear_peers(b);
    if (a->root && b->root) {
        b->root->peer = a->root;
        if (match(u, a->root, b->root->child, d) < 0)
            return -1;
    }
    if (match(u, NULL, b->loose, d) < 0)
        return -1;
    if (disjoint && disjoint_check_peers(b, d) < 0)
        return -1;
    if (a->root && b->root)
        adopt_pool(u, a->root, b->root);
    else if (b->root)
        a->root = vertex_import_all(a, b->root);
    adopt_pools(u, NULL, b->loose);
    adopt_links(u, b);
    return 0;
}

/* New children came behind the others: put them where they belong. */
static void sort_pools(struct uniting *u)
{
    for (size_t i = 0; i < u->pools.count; i++) {
        struct pool_key key;
        memcpy(&key, u->pools.slots[i].key, sizeof(key));
        if (key.parent && !key.type)
            vertex_sort_children((struct vertex *)key.parent);
    }
}

static int unite_graphs(struct rset *const *sets, size_t n, bool disjoint,
                        size_t *at, struct diag *d)
{
    struct uniting u = {.a = sets[0]};
    int rc = 0;

    for (size_t i = 1; i < n && rc == 0; i++) {
        rc = unite_graph(&u, sets[i], disjoint, d);
        *at = i;
    }
    sort_pools(&u);
    map_fini(&u.pools);
    map_fini(&u.links);
    if (rc == 0 && (rc = rset_index_targets(sets[0], d)) < 0 && n > 2)
        *at = 0; /* which one it was is not known */
    return rc;
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

static void take_stretch(struct hostlist *to, struct ranked_hosts *from)
{
    struct idrange r = idset_range(from->ranks, from->stretch++);
    struct hostlist *hosts = hostlist_iter_take(&from->hosts,
                                                (uint64_t)(r.hi - r.lo) + 1);

    hostlist_append_list(to, hosts);
    hostlist_destroy(hosts);
}

/* a's hosts and those of the ranks that only b has, in order of rank. */
static struct hostlist *merged_hosts(const struct rset *a, const struct rset *b,
                                     const struct idset *only_b)
{
    struct hostlist *hosts = hostlist_create();
    struct hostlist *others = rset_hosts_at(b, only_b);
    struct ranked_hosts in_a = {.ranks = a->ranks}, in_b = {.ranks = only_b};

    hostlist_iter_init(&in_a.hosts, a->hosts);
    hostlist_iter_init(&in_b.hosts, others);
    while (next_rank(&in_a) != next_rank(&in_b)) /* not the end */
        take_stretch(hosts,
                     next_rank(&in_a) < next_rank(&in_b) ? &in_a : &in_b);
    hostlist_destroy(others);
    return hosts;
}

/* Is nothing lost? */
static bool unite_index(struct rset *a, const struct rset *b)
{
    struct idset *only_b = idset_subtract(b->ranks, a->ranks);
    bool both = a->hosts && b->hosts, none = !a->hosts && !b->hosts;
    struct hostlist *hosts = both ? merged_hosts(a, b, only_b) : NULL;

    idset_add_set(a->ranks, only_b);
    hostlist_destroy(a->hosts);
    a->hosts = hosts;
    idset_destroy(only_b);
    return both || none;
}

/* Of sets united in pairs, `width` from `at` on, the last that had the rank. */
static size_t who_had(struct rset *const *sets, size_t n, size_t at,
                      size_t width, uint32_t rank)
{
    for (width /= 2; width > 0; width /= 2)
        if (at + width < n && idset_contains(sets[at + width]->ranks, rank))
            at += width;
    return at;
}

int unite_hosts(struct rset *const *sets, size_t n, size_t *at, struct diag *d)
{
    bool whole = true;
    uint32_t rank;

    for (size_t width = 1; width < n; width *= 2) {
        for (size_t i = 0; i + width < n; i += 2 * width) {
            struct rset *a = sets[i], *b = sets[i + width];
            if (rset_check_hosts(a, b, &rank, d) < 0) {
                *at = who_had(sets, n, i + width, width, rank);
                return -1;
            }
            whole &= unite_index(a, b);
        }
    }
    if (!whole && !rset_has_graph(sets[0]))
        rset_note(sets[0],
                  "nodelist is missing in one of the sets and left out");
    return 0;
}

int unite_alike(struct rset *const *sets, size_t n, bool disjoint, size_t *at,
                struct diag *d)
{
    if (unite_hosts(sets, n, at, d) < 0)
        return -1;
    if (rset_has_graph(sets[0]))
        return unite_graphs(sets, n, disjoint, at, d);
    if (disjoint && disjoint_check_plain(sets, n, at, d) < 0)
        return -1;
    runs_combine(sets, n, RUNS_UNITE);
    return 0;
}
