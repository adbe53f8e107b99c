/*
 * Coarse pools: a pool of type node and size 4 is four nodes that are not told
 * apart, and each has its share of all that is below (see vertex_share()).
 *
 * Who gets a unit for itself gets its share with it, so that nobody else can
 * have more of what is below than the other units have. What is asked for in a
 * node has to fit into the share of one.
 */
#include "base/saturate.h"
#include "schedule/search.h"

bool search_gives_units(const struct search *s, const struct entry *e,
                        const struct candidate *pool)
{
    return !e->slot && e->hold != HOLD_SHARED && search_is_coarse(s, pool);
}

/* Does a list, `times` times, fit into what one unit has? */
static bool fits(struct search *s, const struct candidate *pool,
                 const struct entry *list, int64_t times)
{
    for (const struct entry *e = list; e; e = e->next) {
        int64_t n = saturate_multiply_units(times, (int64_t)e->least);
        if (e->ntype >= 0 && !e->bytes && !e->linked
            && usage_total(s->m->u, pool->v, e->ntype) / pool->v->size < n)
            return false;
        if (!fits(s, pool, e->with, n))
            return false;
    }
    return true;
}

bool search_fits_unit(struct search *s, const struct candidate *pool,
                      const struct entry *list)
{
    return fits(s, pool, list, 1);
}

/* Up to n units of `top`, as far as there is their share below a pool. */
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
