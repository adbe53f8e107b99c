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

#include <string.h>

#include "base/map.h"
#include "compare/align.h"
#include "compare/disjoint.h"
#include "compare/runs.h"
#include "compare/unite_records.h"
#include "model/tree/forest.h"

/* --- graphs --------------------------------------------------------------- */

struct uniting {
    struct alignment with; /* the others, one after the other */
    struct map links;      /* that the set has */
    struct diag *d;        /* what records first disagree in */
};

static void adopt_pools(struct uniting *u, struct vertex *parent,
                        struct vertex *list);

static void adopt_pool(struct uniting *u, struct vertex *v, struct vertex *b)
{
    if (b->size > v->size)
        v->size = b->size;
    vertex_add_properties(u->with.a, v, b->properties);
    unite_records(u->with.a, v, b, u->d);
    if (b->child && b->child->run)
        runs_adopt(u->with.a, v, b, u->d);
    else
        adopt_pools(u, v, b->child);
}

/* What is not there comes behind the others. */
static void adopt_pools(struct uniting *u, struct vertex *parent,
                        struct vertex *list)
{
    for (struct vertex *c = list; c; c = c->next) {
        if (c->peer)
            adopt_pool(u, c->peer, c);
        else
            pools_append(&u->with.pools, parent,
                         vertex_import_all(u->with.a, c));
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
    struct rset *a = u->with.a;

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
    struct rset *a = u->with.a;

    if (rset_check_roots(a, b, d) < 0 || align_next(&u->with, b, d) < 0
        || (disjoint && disjoint_check_peers(b, d) < 0))
        return -1;
    if (a->root && b->root)
        adopt_pool(u, a->root, b->root);
    else if (b->root)
        a->root = vertex_import_all(a, b->root);
    adopt_pools(u, NULL, b->loose);
    adopt_links(u, b);
    return d->text[0] ? -1 : 0;
}

static int unite_graphs(struct rset *const *sets, size_t n, bool disjoint,
                        size_t *at, struct diag *d)
{
    struct uniting u = {.with = {.a = sets[0]}, .d = d};
    const struct link *back;
    char *twin = NULL;
    int rc = 0;

    for (size_t i = 1; i < n && rc == 0; i++) {
        rc = unite_graph(&u, sets[i], disjoint, d);
        *at = i;
    }
    pools_sort(&u.with.pools);
    if (rc == 0 && (back = forest_circle(sets[0])))
        rc = diag_set(
            d, FOREST_CIRCLE_TEXT, back->subsystem,
            quote(back->target->name, strlen(back->target->name)).text);
    forest_plant(sets[0]);
    if (rc == 0 && (twin = forest_twin(sets[0])))
        rc = diag_set(d, "%s is two pools in the union",
                      quote(twin, strlen(twin)).text);
    free(twin);
    align_fini(&u.with);
    map_fini(&u.links);
    if (rc == 0 && (rc = rset_index_targets(sets[0], d)) < 0 && n > 2)
        *at = 0; /* which one it was is not known */
    return rc;
}

/* --- hosts ---------------------------------------------------------------- */

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
            whole &= rset_unite_hosts(a, b);
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
    runs_combine(sets, n, RUNS_UNITE, d);
    return d->text[0] ? -1 : 0;
}
