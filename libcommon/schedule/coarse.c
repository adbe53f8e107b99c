/*
 * Coarse pools: a pool of type node and size 4 stands for four nodes that can't
 * be told apart. Each has its share of everything below (see vertex_share()).
 *
 * An entry that gets a unit for itself gets the unit's share with it. Others
 * can then use only the shares of the other units. Resources that are requested
 * in one node have to fit into the share of one unit.
 */
#include "base/saturate.h"
#include "schedule/search.h"

bool search_takes_units(const struct search *s, const struct entry *e,
                        const struct candidate *pool)
{
    return !e->slot && e->hold != HOLD_SHARED && search_is_coarse(s, pool);
}

bool search_fits_unit(const struct search *s, const struct candidate *pool,
                      const struct entry *list, int64_t times)
{
    for (const struct entry *e = list; e; e = e->next) {
        int64_t n = saturate_multiply_units(times, (int64_t)e->least);
        if (e->ntype >= 0 && !e->bytes && !e->linked
            && usage_total(s->m->u, pool->v, e->ntype) / pool->v->size < n)
            return false;
        if (!search_fits_unit(s, pool, e->with, n))
            return false;
    }
    return true;
}

/* Return how many units of `top`, up to n, have their full share left below a
   pool. */
static int64_t bound_by_shares(struct search *s, const struct candidate *top,
                               struct candidate *pool, int64_t n)
{
    for (struct candidate *c = NULL;
         n > 0 && (c = candidate_next(&s->pools, pool, c, NULL));) {
        int64_t each = vertex_share(top->v, c->v), left;
        if (each == 0)
            continue;
        left = search_usable(s, c)
                   ? context_free(s->m, c->lot) - c->used - c->shared
                   : 0;
        n = left / each < n ? left / each : n;
        n = bound_by_shares(s, top, c, n);
    }
    return n;
}

int64_t search_coarse_units(struct search *s, struct candidate *pool)
{
    int64_t size = pool->v->size;
    int64_t n = context_free(s->m, pool->lot) - pool->used;

    if (pool->matched || pool->whole || pool->held)
        return 0;
    if (!pool->touch && context_whole(s->m, pool->lot, pool->at))
        return size;
    return bound_by_shares(s, pool, pool, n < size ? n : size - 1);
}

static void take_shares(struct search *s, const struct candidate *top,
                        struct candidate *pool, int64_t n)
{
    for (struct candidate *c = NULL;
         (c = candidate_next(&s->pools, pool, c, NULL));) {
        int64_t each = vertex_share(top->v, c->v);
        if (each > 0)
            candidate_take(&s->pools, c, n * each, false);
        take_shares(s, top, c, n);
    }
}

void search_take_units(struct search *s, struct candidate *pool, int64_t n)
{
    candidate_take(&s->pools, pool, n, false);
    if (n < pool->v->size)
        take_shares(s, pool, pool, n);
    else
        pool->whole = pool->held = true;
}
