/*
 * The places where a goal can be served: the pools of a type, or the places for
 * a slot, in the order of the tree; and the units of them that are available
 * beside all that the search has taken.
 */
#include "base/memory.h"
#include "base/saturate.h"
#include "model/records/usage.h"
#include "model/tree/units.h"
#include "schedule/search.h"

enum places search_places(const struct search *s, const struct goal *g)
{
    if (!g->e->slot)
        return PLACES_OF_TYPE;
    if (s->m->opts->slot_parent)
        return PLACES_ANY;
    return g->e->slot_of_node && !vertex_in_node(g->scope->v) ? PLACES_NODES
                                                              : PLACES_HERE;
}

bool search_usable(const struct search *s, const struct candidate *pool)
{
    return !pool->held && context_usable(s->m, pool->lot, pool->at)
           && (!vertex_taken_whole(pool->v)
               || context_untouched(s->m, pool->lot))
           && (!context_takes_node(s->m, pool->v)
               || context_whole(s->m, pool->lot, pool->at));
}

/* Return whether the pools below a pool are worth looking at. */
static bool may_enter(const struct search *s, const struct goal *g,
                      const struct candidate *pool)
{
    bool slot_parent = s->m->opts->slot_parent;
    const struct entry *e = g->e;

    if (!pool->v->child || !search_usable(s, pool))
        return false;
    if (e->slot)
        return slot_parent || !e->slot_of_node || !type_is_node(pool->v->type)
               || usage_types(s->m->u)->nodes_nested;
    return (!slot_parent || !e->in_slot || g->anywhere)
           && context_below(s->m, pool->lot, e->ntype) > 0;
}

bool search_scope_lost(const struct goal *g)
{
    const struct goal *first = g;

    while (first->above)
        first = first->above;
    for (const struct candidate *up = g->scope;
         !vertex_is_in(first->scope->v, up->v) && up->parent; up = up->parent) {
        const struct goal *own = up->held ? g : NULL;
        while (own && own->above && !(own->scope == up && !own->above->e->slot))
            own = own->above;
        if (own && !own->above)
            return true; /* not the pool of an entry above the goal */
    }
    return false;
}

bool search_is_open(const struct search *s, const struct candidate *scope,
                    const struct candidate *pool)
{
    for (; pool->parent && !vertex_is_in(scope->v, pool->v);
         pool = pool->parent)
        if (!search_usable(s, pool))
            return false;
    return true;
}

/* The pools that the edges of a goal's scope lead to, if they matter to the
   goal. */
struct reached {
    const struct reach *list;
    size_t n, next; /* pools from `next` on were not visited yet */
};

/* Return the reached pool that a candidate is or lies in, and move on r->next.
   NULL: the candidate lies in the scope. */
static struct candidate *reached_with(struct reached *r, const struct goal *g,
                                      struct candidate *at)
{
    for (; r->n > 0 && at != g->scope; at = at->parent) {
        size_t i = VECTOR_SEEK(k, 0, r->n,
                               r->list[k].v->number < at->v->number);
        r->next = i + 1;
        if (i < r->n && r->list[i].v == at->v)
            return at;
    }
    r->next = 0;
    return NULL;
}

static struct candidate *next_child(struct search *s, const struct goal *g,
                                    struct candidate *parent,
                                    struct candidate *from)
{
    const struct policy *policy = s->pools.policy;

    return policy->next ? policy->next(s, g, parent, from)
                        : candidate_next(&s->pools, parent, from, g->e);
}

/* Return the next pool below `top`, parents before the pools in them. */
static struct candidate *next_below(struct search *s, const struct goal *g,
                                    const struct candidate *top,
                                    struct candidate *at, bool enter)
{
    struct candidate *next = NULL;

    if (enter && (next = next_child(s, g, at, NULL)))
        return next;
    for (; at != top; at = at->parent)
        if ((next = next_child(s, g, at->parent, at)))
            return next;
    return NULL;
}

/* Return the next node, if all pools around it below `top` are worth
   entering. */
static struct candidate *next_node(struct search *s, const struct goal *g,
                                   struct candidate *top,
                                   struct candidate *node)
{
    const struct candidate *up = NULL;

    while (up != top
           && (node = candidate_next_ranked(&s->pools, s->pools.ranking, top,
                                            node, g->e))) {
        s->looks++;
        for (up = node->parent; up != top && may_enter(s, g, up);)
            up = up->parent;
    }
    return node;
}

/* Return the next pool below `top` if nodes are ranked: each node with the
   pools in it, and then the pools outside of nodes. */
static struct candidate *next_ranked(struct search *s, const struct goal *g,
                                     struct candidate *top,
                                     struct candidate *at, bool enter)
{
    const struct entry *e = g->e;
    struct candidate *node = NULL, *next;

    for (struct candidate *up = at; up != top; up = up->parent)
        node = type_is_node(up->v->type) ? up : node;
    if (node && (next = next_below(s, g, node, at, enter)))
        return next;
    if (node || (at == top && enter)) {
        if ((next = next_node(s, g, top, node)))
            return next;
        at = top;
        enter = true;
    }
    /* Can only nodes, or pools in them, serve the goal? */
    if (e->slot
            ? e->slot_of_node && !s->m->opts->slot_parent
            : e->ntype < 0 || type_is_node(e->type)
                  || !(usage_types(s->m->u)->flags[e->ntype] & TYPE_OUTSIDE))
        return NULL;
    do {
        at = next_below(s, g, top, at, enter);
        enter = false; /* nodes have been visited */
    } while (at && type_is_node(at->v->type));
    return at;
}

/*
 * Return the next pool in the order of the policy: below the scope, and then in
 * each pool that edges of the scope lead to.
 */
static struct candidate *pool_after(struct search *s, const struct goal *g,
                                    struct candidate *at)
{
    const struct entry *e = g->e;
    struct reached r = {0};
    struct candidate *next = NULL, *top;
    bool enter;

    at = at ? at : g->scope;
    if (e->linked)
        r.n = usage_reach(s->m->u, g->scope->v, &r.list);
    top = e->linked ? reached_with(&r, g, at) : NULL;
    enter = at == g->scope ? !s->m->entries.linked || !search_scope_lost(g)
                           : (may_enter(s, g, at)
                              && !(at == top && r.list[r.next - 1].alone));
    top = top ? top : g->scope;
    next = s->pools.ranking && !vertex_in_node(top->v)
               ? next_ranked(s, g, top, at, enter)
               : next_below(s, g, top, at, enter);
    while (!next && r.next < r.n) {
        next = candidate_of(&s->pools, r.list[r.next++].v);
        if (next && context_concerns(s->m, next->lot, e)
            && search_is_open(s, g->scope, next))
            return next;
        next = NULL;
    }
    return next;
}

static bool is_candidate(struct search *s, const struct goal *g,
                         struct candidate *pool, enum places places)
{
    const struct entry *e = g->e;
    const struct reach *list;

    if (places == PLACES_NODES)
        return type_is_node(pool->v->type) && search_usable(s, pool)
               && search_may_hold(s, pool, e->with)
               && (!search_is_coarse(s, pool)
                   || search_fits_unit(s, pool, e->with, 1));
    if (places != PLACES_OF_TYPE) /* any pool with children or edges */
        return (pool->v->child || usage_reach(s->m->u, pool->v, &list))
               && search_usable(s, pool) && search_may_hold(s, pool, e->with);
    if (pool->v->type != e->type || !search_usable(s, pool)
        || (e->ids && !entry_admits(e, usage_rset(s->m->u), pool->v, pool->at)))
        return false;
    if (!e->with)
        return true;
    if (search_is_coarse(s, pool) && !search_fits_unit(s, pool, e->with, 1))
        return false;
    if (search_is_coarse(s, pool) && e->hold != HOLD_SHARED)
        return search_coarse_units(s, pool) > 0;
    return !pool->matched && !pool->used && !pool->shared
           && (e->hold == HOLD_SHARED
               || (!pool->touch && context_untouched(s->m, pool->lot)))
           && (e->hold != HOLD_WHOLE
               || context_whole(s->m, pool->lot, pool->at))
           && search_may_hold(s, pool, e->with);
}

struct candidate *search_candidate(struct search *s, const struct goal *g,
                                   struct candidate *at)
{
    enum places places = search_places(s, g);

    if (search_has_stopped(s))
        return NULL;
    if (!at && (places == PLACES_HERE || places == PLACES_ANY)
        && search_may_hold(s, g->scope, g->e->with))
        return g->scope;
    if (places == PLACES_HERE)
        return NULL;
    while ((at = pool_after(s, g, at)) && ++s->looks)
        if (is_candidate(s, g, at, places))
            return at;
    return NULL;
}

/* --- leaves ------------------------------------------------------------- */

bool search_lumped(const struct search *s, const struct entry *e,
                   const struct candidate *pool)
{
    return (e->hold == HOLD_WHOLE || s->m->opts->granule_pool) && !pool->v->run
           && !search_is_coarse(s, pool);
}

int64_t search_available(struct search *s, const struct entry *e,
                         struct candidate *pool)
{
    const struct vertex *v = pool->v;
    int64_t taken = pool->used + pool->shared;
    bool marked = context_takes_whole(s->m, v);

    if (pool->matched || pool->whole)
        return 0;
    if (e->hold != HOLD_SHARED && search_is_coarse(s, pool))
        return search_coarse_units(s, pool);
    if (e->hold == HOLD_SHARED && !marked)
        return taken && search_lumped(s, e, pool) ? 0 : pool->all - taken;
    if (marked || v->size == 1 || e->hold == HOLD_WHOLE) {
        if (!context_whole(s->m, pool->lot, pool->at)
            || (pool->touch
                && (search_lumped(s, e, pool)
                    || (v->size == 1 && v->child && !pool->used))))
            return 0;
        return pool->all - taken;
    }
    taken = context_free(s->m, pool->lot) - taken;
    return taken > 0 ? taken : 0;
}

int64_t search_unit_worth(const struct entry *e, const struct vertex *v)
{
    int64_t worth = 1, one;

    if (e->bytes)
        units_compare(v->unit, e->measure, &worth, &one);
    return worth;
}

int64_t search_units_to_take(struct search *s, const struct goal *g,
                             struct candidate *pool)
{
    int64_t have = search_available(s, g->e, pool);
    int64_t worth = search_unit_worth(g->e, pool->v);

    if (search_lumped(s, g->e, pool)
        || saturate_multiply_units(have, worth) <= g->left)
        return have;
    return worth == 1 ? g->left : g->left / worth + (g->left % worth > 0);
}

int64_t search_take(struct search *s, const struct goal *g,
                    struct candidate *pool, int64_t units)
{
    bool shared = g->e->hold == HOLD_SHARED
                  && !context_takes_whole(s->m, pool->v);
    int64_t got = saturate_multiply_units(units,
                                          search_unit_worth(g->e, pool->v));

    if (!shared && search_is_coarse(s, pool))
        search_take_units(s, pool, units);
    else
        candidate_take(&s->pools, pool, units, shared);
    if (!shared
        && (search_lumped(s, g->e, pool)
            || (pool->v->size == 1 && (pool->v->child || !pool->v->run))))
        pool->whole = pool->held = true;
    return got < g->left ? g->left - got : 0;
}

void search_enter(struct search *s, const struct entry *e,
                  struct candidate *pool)
{
    candidate_touch(&s->pools, pool);
    pool->matched = true;
    pool->held = e->hold != HOLD_SHARED;
    pool->whole = e->hold == HOLD_WHOLE;
}
