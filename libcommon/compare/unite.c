/*
 * Union of any number of sets.
 *
 * All sets are united in one go, so that each costs only its own size and not
 * that of the sets united before: gathering a cluster from ten thousand
 * documents of one node each costs little more than reading them. Targets of
 * sets without graphs go into one overlay (align.h). Pools of graphs are
 * found by a map with the pools under each parent that was looked into. Hosts
 * are merged in pairs, and pairs of pairs.
 */
#include "compare/unite.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "compare/align.h"
#include "compare/expand.h"
#include "compare/changes.h"
#include "model/document/document.h"
#include "model/document/jgf.h"
#include "model/document/rlite.h"
#include "model/document/shorthand.h"
#include "model/records/tags.h"
#include "model/records/usage.h"
#include "model/tree/forest.h"
#include "model/records/layers.h"
#include "model/records/lots.h"

/* --- pools in both sets of a disjoint union ------------------------------- */

/* Gather the leaves below v that are in both sets. */
static void gather_both(struct map *both, const struct vertex *v)
{
    for (const struct vertex *c = v->child; c; c = c->next) {
        if (c->peer && c->child && c->peer->child)
            gather_both(both, c);
        else if (c->peer)
            folded_add(both, "", c);
    }
}

/* Check that a target and its peer don't overlap. They also overlap if both are
   empty. */
static int check_target(const struct vertex *v, struct diag *d)
{
    const struct vertex *peer = v->peer;
    struct map both = {0};
    int rc = 0;

    gather_both(&both, v);
    if (both.count > 0 || (!v->child && !peer->child)) {
        char *text = folded_text(&both, "");
        rc = diag_set(d, "rank %lld%s%.300s is in both sets",
                      peer->run ? (long long)idset_first(peer->run)
                                : (long long)peer->rank,
                      *text ? ": " : "", text);
        free(text);
    }
    folded_fini(&both);
    return rc;
}

/* Check that a set has no pool in common with the set of its peers. Returns 0,
   or -1 with a diag that names the first common pool. */
static int disjoint_check_peers(const struct rset *rs, struct diag *d)
{
    const struct vertex *v = rs->root;

    while (v) {
        bool target = vertex_is_target(v);

        if (v->peer && target && check_target(v, d) < 0)
            return -1;
        /* A pool outside of targets, such as storage in a rack. */
        if (v->peer && !target && v->parent && !v->child && !v->peer->child
            && v->rank < 0)
            return diag_set(d, "%s is in both sets", quote_all(v->name).text);
        v = vertex_next(rs->root, v, target || !v->peer);
    }
    return 0;
}

/* --- adding pools --------------------------------------------------------- */

struct uniting {
    struct alignment with; /* the other sets, one after the other */
    struct map links;      /* edges of the set */
    struct diag *d;        /* first conflict of records */
};

static void adopt_pool(struct uniting *u, struct vertex *v, struct vertex *b);

static struct vertex **list_end(struct vertex **list)
{
    while (*list)
        list = &(*list)->next;
    return list;
}

/* Copy a run of another set and all pools below it. Takes over `members` as its
   members (NULL: all). */
static struct vertex *import_run(struct rset *a, struct vertex *parent,
                                 struct vertex *run, struct idset *members)
{
    struct vertex *copy = vertex_import_all(a, run);

    if (members)
        idset_replace(copy->run, members);
    copy->parent = parent;
    return copy;
}

/* Add pools under a parent. New ones come last. */
static void adopt_pools(struct uniting *u, struct vertex *parent,
                        struct vertex *list)
{
    for (struct vertex *c = list; c; c = c->next) {
        if (c->peer)
            adopt_pool(u, c->peer, c);
        else
            vertex_index_append(&u->with.index, parent,
                                vertex_import_all(u->with.a, c));
    }
}

/* Add the runs below b to v, its peer. A run of v is only cut if b has
   properties, records or pools for a part of it. */
static void adopt_runs(struct uniting *u, struct vertex *v, struct vertex *b)
{
    struct rset *a = u->with.a;
    struct vertex *new = NULL, **end = &new;

    for (struct vertex *c = b->child; c; c = c->next) {
        struct idset *rest = NULL; /* of c without v's members */
        bool more = c->child || c->properties || lot_is_used(c->lot)
                    || vertex_has_tags(c);

        for (struct vertex *w = v->child; w; w = w->next) {
            struct idset *both;
            if (strcmp(w->type, c->type)
                || !idset_overlaps(rest ? rest : c->run, w->run))
                continue;
            if (!rest)
                rest = idset_copy(c->run);
            both = idset_intersect(rest, w->run);
            idset_remove_set(rest, both);
            if (more)
                adopt_pool(u, vertex_split(a, w, both), c);
            idset_destroy(both);
        }
        if (rest && idset_empty(rest)) {
            idset_destroy(rest);
        } else {
            *end = import_run(a, v, c, rest);
            end = &(*end)->next;
        }
    }
    *list_end(&v->child) = new;
    vertex_sort_children(v);
}

/* Add the contents of b to v, its peer. */
static void adopt_pool(struct uniting *u, struct vertex *v, struct vertex *b)
{
    unite_sizes(u->with.a, v, b, u->d);
    vertex_add_properties(u->with.a, v, b->properties);
    unite_records(u->with.a, v, b, u->d);
    if (b->child && b->child->run)
        adopt_runs(u, v, b);
    else
        adopt_pools(u, v, b->child);
}

/* --- targets of sets without graphs --------------------------------------- */

/*
 * Unite targets. The targets of all sets are overlaid at once, so that the cost
 * does not grow with the number of sets. Then the targets of each group of
 * ranks are united.
 */
static int unite_targets(struct rset *const *sets, size_t n, bool disjoint,
                         size_t *at, struct diag *d)
{
    struct uniting u = {.with = {.a = sets[0]}, .d = d};
    struct vertex *root = sets[0]->root, **pieces, **end = &root->child;
    struct targets t;
    int rc = 0;

    targets_init(&t, sets, n);
    pieces = pieces_cut(sets[0], t.list, t.nfirst, t.overlay, 0);
    for (size_t i = 0; i < overlay_ngroups(t.overlay) && rc == 0; i++) {
        const struct overlay_group *g = overlay_group(t.overlay, i);
        struct vertex *v = pieces[i];

        if (!v)
            v = import_run(sets[0], root, t.list[g->labels[0]],
                           idset_copy(g->ids));
        *end = v;
        end = &v->next;
        for (size_t k = 1; k < g->nlabels; k++) {
            struct vertex *other = t.list[g->labels[k]];

            if (disjoint) {
                size_t set = t.set[g->labels[k]];

                u.with.b = sets[set];
                align_pair(&u.with, v, other);
                if ((rc = check_target(other, d)) < 0) {
                    *at = set;
                    break;
                }
            }
            adopt_pool(&u, v, other);
        }
    }
    *end = NULL;
    vertex_sort_children(root);
    free(pieces);
    targets_fini(&t);
    return rc < 0 || d->text[0] ? -1 : 0;
}

/* --- graphs --------------------------------------------------------------- */

/* Note an edge. Returns true if it is the first between these vertices in the
   subsystem. */
static bool is_new(struct uniting *u, const struct vertex *source,
                   const struct vertex *target, const char *subsystem)
{
    const void *key[] = {source, target, rset_string(u->with.a, subsystem)};

    return map_at(&u->links, key, sizeof(key))->value.number++ == 0;
}

static int unite_graph(struct uniting *u, struct rset *b, bool disjoint)
{
    struct rset *a = u->with.a;

    if (rset_check_roots(a, b, u->d) < 0
        || align_next(&u->with, usage_settle(b), u->d) < 0
        || (disjoint && disjoint_check_peers(b, u->d) < 0))
        return -1;
    if (a->root && b->root)
        adopt_pool(u, a->root, b->root);
    else if (b->root)
        a->root = vertex_import_all(a, b->root);
    adopt_pools(u, NULL, b->loose);

    /* By now each vertex of b has a peer in a. */
    for (size_t i = u->links.count; b->nlinks && i < a->nlinks; i++)
        is_new(u, a->links[i].source, a->links[i].target,
               a->links[i].subsystem);
    for (size_t i = 0; i < b->nlinks; i++) {
        const struct link *l = &b->links[i];
        if (is_new(u, l->source->peer, l->target->peer, l->subsystem))
            rset_import_link(a, l);
    }
    return u->d->text[0] ? -1 : 0;
}

static int unite_graphs(struct rset *const *sets, size_t n, bool disjoint,
                        size_t *at, struct diag *d)
{
    struct uniting u = {.with = {.a = sets[0]}, .d = d};
    const struct link *back;
    char *twin = NULL;
    int rc = 0;

    for (size_t i = 1; i < n && rc == 0; i++) {
        rc = unite_graph(&u, sets[i], disjoint);
        *at = i;
    }
    vertex_index_sort(&u.with.index);
    if (rc == 0 && (back = forest_circle(sets[0])))
        rc = diag_set(d, FOREST_CIRCLE_TEXT, back->subsystem,
                      quote_all(back->target->name).text);
    forest_plant(sets[0]);
    if (rc == 0 && (twin = forest_twin(sets[0])))
        rc = diag_set(d, "%s names two pools in the union",
                      quote_all(twin).text);
    free(twin);
    vertex_index_fini(&u.with.index);
    map_fini(&u.links);
    if (rc == 0 && (rc = rset_index_targets(sets[0], d)) < 0 && n > 2)
        *at = 0; /* set at fault is not known */
    return rc;
}

/* --- hosts ---------------------------------------------------------------- */

static int unite_hosts(struct rset *const *sets, size_t n, size_t *at,
                       struct diag *d)
{
    bool whole = true;
    uint32_t rank;

    for (size_t width = 1; width < n; width *= 2) {
        for (size_t i = 0; i + width < n; i += 2 * width) {
            struct rset *a = sets[i], *b = sets[i + width];
            if (rset_check_hosts(a, b, true, &rank, d) == 0) {
                whole &= rset_unite_hosts(a, b);
                continue;
            }
            /* The set at fault is the last one in b that had the rank. */
            *at = i + width;
            for (width /= 2; width > 0; width /= 2)
                if (*at + width < n
                    && idset_contains(sets[*at + width]->ranks, rank))
                    *at += width;
            return -1;
        }
    }
    if (!whole && !rset_has_graph(sets[0]))
        rset_note(sets[0], "nodelist is left out: one of the sets has none");
    return 0;
}

/* --- a graph and a set without one ---------------------------------------- */

/* Ids that R_lite lists for a rank go below the node of that rank. New ranks
   become nodes under the root. */

/* Add a pool at the end of the children of a parent. */
static struct vertex *join(struct rset *a, struct vertex *parent,
                           struct vertex **end, const char *type,
                           const char *name, int64_t id, int64_t rank)
{
    struct vertex *v = *end = vertex_create(a, type);

    v->name = rset_string(a, name);
    v->id = id;
    v->rank = rank;
    v->parent = parent;
    return v;
}

/* Add to a node the ids of a target that it does not have, its properties and
   its records. */
static int join_target(struct rset *a, struct vertex *node,
                       const struct vertex *target, struct diag *d)
{
    struct vertex **end = list_end(&node->child);
    struct lite_children known = {0};
    int rc = lite_children_project(a, node, &known, NULL, d);

    vertex_add_properties(a, node, target->properties);
    for (const struct vertex *c = target->child; c && rc == 0; c = c->next) {
        struct idset *rest = idset_subtract(c->run,
                                            lite_children_ids(&known, c->type));
        char name[VERTEX_NAME_MAX];
        struct idset_iter it;
        uint32_t id;

        idset_iter_init(&it, rest);
        while (idset_iter_next(&it, &id)) {
            snprintf(name, sizeof(name), "%s%u", c->type, id);
            end = &join(a, node, end, c->type, name, id, node->rank)->next;
        }
        idset_destroy(rest);
    }

    unite_records(a, node, target, d);
    for (const struct vertex *c = target->child; c && rc == 0; c = c->next) {
        if (!lot_is_used(c->lot) && !vertex_has_tags(c))
            continue;
        for (struct vertex *v = vertex_next(node, node, false); v;
             v = vertex_next(node, v, false))
            if (!strcmp(v->type, c->type) && v->id >= 0 && v->id <= IDSET_MAX
                && idset_contains(c->run, (uint32_t)v->id))
                unite_records(a, v, c, d);
    }
    vertex_sort_children(node);
    lite_children_fini(&known);
    return d->text[0] ? -1 : rc;
}

/* Add the targets of b. Targets and spans are both ordered by rank. */
static int join_targets(struct rset *a, const struct rset *b, struct diag *d)
{
    struct vertex **end = list_end(&a->root->child);
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
            if (at < n && targets[at]->rank == (int64_t)r) {
                node = targets[at];
            } else { /* a new node is named like its host */
                char buf[VERTEX_NAME_MAX];
                const char *name = vertex_name(b, t, (uint32_t)r, buf);
                int64_t id;

                host_basename(name, &id);
                node = join(a, a->root, end, "node", name, id, (int64_t)r);
                end = &node->next;
            }
            rc = join_target(a, node, t, d);
        }
    }
    free(spans);
    free(targets);
    return rc;
}

/* Unite a graph and a set without one. */
static int join_plain(struct rset *a, struct rset *b, bool disjoint,
                      struct diag *d)
{
    struct rset *plain = disjoint ? rset_plain(a, false, d) : NULL;
    int rc = disjoint && !plain ? -1 : 0;

    if (plain
        && (rc = rset_align(usage_settle(plain), usage_settle(b), d)) == 0)
        rc = disjoint_check_peers(b, d);
    rset_destroy(plain);
    if (rc < 0 || rset_check_hosts(a, b, true, NULL, d) < 0)
        return -1;

    if (rset_partial(a)) /* graph without places of pools */
        return shorthand_fault(d);
    if (rset_check_ranks(a, d) < 0)
        return -1;
    if (!a->root)
        vertex_add(a, NULL, "cluster", 0);
    rc = join_targets(a, b, d);
    vertex_sort_children(a->root);
    return rc < 0 ? -1 : rset_index_targets(a, d);
}

/* --- any sets ------------------------------------------------------------- */

/* Unite the first set with as many others as possible in one go. Returns their
   number. Checks the records of the result. */
static size_t unite_some(struct rset *const *sets, size_t n, bool disjoint,
                         int *rc, size_t *at, struct diag *d)
{
    struct rset *a = sets[0];
    size_t alike = 1, more;

    while (alike < n && rset_has_graph(sets[alike]) == rset_has_graph(a))
        alike++;
    more = alike > 1 ? alike - 1 : 1;
    for (size_t i = 1; i <= more; i++) {
        usage_settle(sets[i]);
        if (sets[i]->usage) /* the first set needs one before it changes */
            usage_get(a);
        rlite_share_types(a, sets[i]);
    }
    usage_settle(a);

    *at = alike > 1 ? 0 : 1;
    if (alike == 1)
        *rc = join_plain(a, sets[1], disjoint, d);
    else if ((*rc = unite_hosts(sets, alike, at, d)) == 0)
        *rc = (rset_has_graph(a) ? unite_graphs
                                 : unite_targets)(sets, alike, disjoint, at, d);
    if (*rc == 0)
        *rc = unite_check_records(a, d);
    usage_gather(a);
    return more;
}

int unite_sets(struct rset *a, struct rset *const *others, size_t n,
               bool disjoint, size_t *at, struct diag *d)
{
    struct rset **sets = xcalloc(n + 1, sizeof(*sets));
    bool plain = !rset_has_graph(a);
    size_t fault = 0, more;
    int rc = 0;

    for (size_t i = 0; i < n && rc == 0; i++) {
        sets[i + 1] = others[i];
        if (!plain) {
            rc = rset_expand_other(a, others[i], d);
            *at = i;
            continue;
        }
        /* If the first has no graph, only the R_lite of the others counts. */
        usage_settle(others[i]);
        rlite_share_types(a, others[i]);
        if (!(sets[i + 1] = rset_as_plain(others[i], d))) {
            *at = i;
            rc = -1;
        }
    }
    for (size_t i = 0; i < n && rc == 0; i += more) {
        sets[i] = a; /* union so far */
        more = unite_some(sets + i, n + 1 - i, disjoint, &rc, &fault, d);
        *at = fault ? i + fault - 1 : n;
    }
    for (size_t i = 0; i < n && plain; i++)
        rset_drop_plain(sets[i + 1], others[i]);
    free(sets);
    return rc;
}
