/*
 * Upper bounds of goals by sums of units: whether too little is left for a
 * goal, and how many it can have at most. Without them a search would try every
 * way of having too little.
 */
#include "base/saturate.h"
#include "model/records/usage.h"
#include "schedule/search.h"

/* --- needs -------------------------------------------------------------- */

/*
 * Return the least number of units of a type that one of an entry needs for
 * itself. If the entry has its pool alone, everything below the pool counts.
 * Entries over edges may be found anywhere, and so may entries below them: they
 * count only for the whole set (`all`).
 */
static uint64_t needed_each(const struct usage *u, const struct entry *e,
                            int ntype, bool all)
{
    bool alone = e->ntype >= 0 && e->hold != HOLD_SHARED && !e->bytes;
    uint64_t below = 0, least = 0;

    if (e->linked && !e->slot && !all)
        return alone && e->ntype == ntype;
    for (const struct entry *c = e->with; c; c = c->next)
        if (all || !c->linked)
            below = saturate_add(
                below,
                saturate_multiply(needed_each(u, c, ntype, all), c->least));
    if (alone)
        least = (uint64_t)usage_least_below(u, e->ntype, ntype);
    below = least > below ? least : below;
    return saturate_add(below, alone && e->ntype == ntype);
}

/* Return the least number of units of a type that a list needs. */
static uint64_t needed(const struct usage *u, const struct entry *list,
                       int ntype, bool all)
{
    uint64_t sum = 0;

    for (const struct entry *e = list; e; e = e->next)
        sum = saturate_add(
            sum, saturate_multiply(needed_each(u, e, ntype, all), e->least));
    return sum;
}

bool search_enough(const struct match_context *m, const struct entry *list)
{
    for (int t = 0; t < (int)usage_types(m->u)->count; t++)
        if (needed(m->u, list, t, true)
            > (uint64_t)context_below(m, usage_top(m->u), t))
            return false;
    return context_may_hold(m, usage_top(m->u), list);
}

/* Return the units of a type that are left below a pool, for each member. */
static int64_t left_below(const struct search *s, const struct candidate *pool,
                          int ntype)
{
    int64_t left = context_below(s->m, pool->lot, ntype)
                   - (pool->taken ? pool->taken[ntype] : 0);

    return left > 0 ? left : 0;
}

/* Return the units of a type that are left for an entry with a scope: below the
   scope, and in and below the pools that edges of the scope lead to. */
static uint64_t units_left(struct search *s, const struct candidate *scope,
                           int ntype)
{
    const struct usage *u = s->m->u;
    int64_t left = left_below(s, scope, ntype);
    const struct reach *list;
    size_t n = 0;

    if (s->m->entries.linked
        && usage_reaches(u, usage_type(u, scope->v->type), ntype))
        n = usage_reach(u, scope->v, &list);
    for (size_t i = 0; i < n; i++) {
        const struct candidate *pool = candidate_of(&s->pools, list[i].v);
        int64_t in;
        if (!pool || !search_is_open(s, scope, pool))
            continue;
        in = list[i].alone ? 0 : left_below(s, pool, ntype);
        if (usage_type(u, list[i].v->type) == ntype)
            in = saturate_add_units(in,
                                    context_free(s->m, pool->lot) - pool->used);
        left = saturate_add_units(left, in);
    }
    return (uint64_t)left;
}

bool search_may_reach(struct search *s, const struct candidate *pool,
                      const struct entry *list)
{
    /* Slots, converted units and shared pools prove nothing. */
    for (const struct entry *e = list; e; e = e->next)
        if (e->linked && !e->slot && !e->bytes && e->hold != HOLD_SHARED
            && units_left(s, pool, e->ntype) < e->least)
            return false;
    return true;
}

/* --- at most ------------------------------------------------------------ */

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Return an upper bound of how much of an entry is available in a pool. With
   `edges`: in the whole set, plus each pool around the place that the request
   holds, because from outside nothing is found in such a pool. */
static uint64_t counted_left(struct search *s, const struct entry *e,
                             struct candidate *pool, bool edges)
{
    uint64_t sum = 0;

    for (; pool; pool = edges ? pool->parent : NULL) {
        struct goal g = {.e = e, .scope = pool, .anywhere = true};
        if (!edges || pool->held || !pool->parent)
            sum = saturate_add(
                sum, (uint64_t)search_at_most(
                         s, &g, search_candidate(s, &g, NULL), INT64_MAX));
    }
    return sum;
}

/* Return an upper bound, at most `most`, of the number of slots, by counting
   the pools of those entries for which sums of units are not enough. */
static uint64_t slots_by_pools(struct search *s, const struct entry *list,
                               struct candidate *pool, bool edges,
                               uint64_t times, uint64_t most)
{
    for (const struct entry *e = list; e && most > 0; e = e->next) {
        uint64_t each = saturate_multiply(times, e->least);
        if (e->slot)
            most = slots_by_pools(s, e->with, pool, edges, each, most);
        if (e->slot
            || !(e->req->id || e->bytes || e->hold == HOLD_SHARED
                 || e->links_below))
            continue;
        most = smaller(most, counted_left(s, e, pool, edges)
                                 / (uint64_t)search_bytes(e, each));
    }
    return most;
}

/* Return an upper bound of the slots that fit into a pool, or with `edges` into
   any pool in it, by sums of units. Pools reached over edges are somewhere in
   the set. */
static int64_t slots_in(struct search *s, const struct entry *slot,
                        struct candidate *pool, bool edges, int64_t limit)
{
    struct candidate *whole = edges ? &s->pools.top : pool;
    uint64_t most = (uint64_t)limit;

    for (int t = 0; t < (int)usage_types(s->m->u)->count && most > 0; t++) {
        uint64_t need = needed(s->m->u, slot->with, t, false),
                 all = slot->links_below ? needed(s->m->u, slot->with, t, true)
                                         : 0;
        if (need > 0)
            most = smaller(most, units_left(s, whole, t) / need);
        if (all > 0)
            most = smaller(most, units_left(s, &s->pools.top, t) / all);
    }
    return (int64_t)slots_by_pools(s, slot->with, pool, edges, 1, most);
}

/*
 * Return whether a pool lies in another pool of its type, such as a core in a
 * core. An entry that has the outer pool alone can't have the inner one as
 * well.
 */
static bool is_within(const struct entry *e, const struct candidate *pool,
                      const struct candidate *outer)
{
    if (!outer || e->slot || e->hold == HOLD_SHARED || outer->v->size != 1)
        return false;
    while (pool && pool != outer)
        pool = pool->parent;
    return pool;
}

int64_t search_at_most(struct search *s, const struct goal *g,
                       struct candidate *from, int64_t limit)
{
    const struct entry *e = g->e;
    const struct candidate *last = NULL;
    int64_t sum = 0, n, before = 0;

    if (search_places(s, g) == PLACES_ANY) /* any of them may have edges */
        return slots_in(s, e, g->scope, e->linked, limit);
    for (struct candidate *at = from; at && sum < limit;
         last = at, before = n, at = search_candidate(s, g, at)) {
        n = e->slot ? slots_in(s, e, at, false, limit - sum)
            : search_takes_units(s, e, at) ? search_coarse_units(s, at)
                                           : 1;
        if (!e->slot && !e->with)
            n = saturate_multiply_units(search_available(s, e, at),
                                        search_unit_worth(e, at->v));
        for (struct candidate *up = at; up != g->scope && up->parent;
             up = up->parent)
            n = saturate_multiply_units(n, candidate_members(up));
        if (n >= before && is_within(e, at, last))
            sum -= before;
        sum = saturate_add_units(sum, n);
    }
    return sum < limit ? sum : limit;
}

/* --- counts ------------------------------------------------------------- */

uint64_t search_count_limit(struct search *s, const struct goal *g)
{
    const struct entry *e = g->e;
    uint64_t limit = (uint64_t)search_at_most(
                         s, g, search_candidate(s, g, NULL),
                         search_bytes(e, request_count_most(e->req->unit)))
                     / (e->bytes ? (uint64_t)e->bytes : 1);

    for (int t = 0; t < (int)usage_types(s->m->u)->count && !e->bytes; t++) {
        uint64_t each = needed_each(s->m->u, e, t, false),
                 left = units_left(s, g->scope, t), owed = 0;
        /* Units that the next goals need at least from the same scope, whatever
           ids they admit. */
        for (const struct goal *h = g->next; h; h = h->next) {
            uint64_t n = h->counted ? (uint64_t)h->left : h->e->least;
            if (h->scope == g->scope && !h->e->bytes)
                owed = saturate_add(
                    owed,
                    saturate_multiply(needed_each(s->m->u, h->e, t, false), n));
        }
        if (each > 0)
            limit = smaller(limit, left > owed ? (left - owed) / each : 0);
    }
    return limit;
}
