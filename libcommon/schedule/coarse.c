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

bool search_is_coarse(const struct search *s, const struct site *site)
{
    const struct vertex *v = site->v;

    return v->size > 1 && v->child && type_is_node(v->type)
           && !attempt_takes_whole(s->a, v) && !s->a->opts->granule_pool;
}

bool search_gives_units(const struct search *s, const struct entry *e,
                        const struct site *site)
{
    return !e->slot && e->hold != HOLD_SHARED && search_is_coarse(s, site);
}

/* Does a list, `times` times, fit into what one unit has? */
static bool fits(struct search *s, const struct site *site,
                 const struct entry *list, int64_t times)
{
    for (const struct entry *e = list; e; e = e->next) {
        int64_t n = saturate_multiply_units(times, (int64_t)e->least);
        if (e->ntype >= 0 && !e->bytes && !e->linked
            && usage_total(s->a->u, site->v, e->ntype) / site->v->size < n)
            return false;
        if (!fits(s, site, e->with, n))
            return false;
    }
    return true;
}

bool search_fits_unit(struct search *s, const struct site *site,
                      const struct entry *list)
{
    return !search_is_coarse(s, site) || fits(s, site, list, 1);
}

/* Up to n units of `top`, as far as there is their share below a site. */
static int64_t bound_by_shares(struct search *s, const struct site *top,
                               struct site *site, int64_t n)
{
    for (struct site *c = NULL;
         n > 0 && (c = site_next(&s->sites, site, c, NULL));) {
        int64_t each = vertex_share(top->v, c->v), left;
        if (each == 0)
            continue;
        left = search_usable(s, c)
                   ? attempt_free(s->a, c->lot) - c->used - c->shared
                   : 0;
        n = left / each < n ? left / each : n;
        n = bound_by_shares(s, top, c, n);
    }
    return n;
}

int64_t search_coarse_units(struct search *s, struct site *site)
{
    int64_t size = site->v->size;
    int64_t n = attempt_free(s->a, site->lot) - site->used;

    if (site->matched || site->whole || site->held)
        return 0;
    if (!site->touch && attempt_whole(s->a, site->lot, site->at))
        return size;
    return bound_by_shares(s, site, site, n < size ? n : size - 1);
}

static void take_shares(struct search *s, const struct site *top,
                        struct site *site, int64_t n)
{
    for (struct site *c = NULL; (c = site_next(&s->sites, site, c, NULL));) {
        int64_t each = vertex_share(top->v, c->v);
        if (each > 0)
            site_take(&s->sites, c, n * each, false);
        take_shares(s, top, c, n);
    }
}

void search_take_units(struct search *s, struct site *site, int64_t n)
{
    site_take(&s->sites, site, n, false);
    if (n < site->v->size)
        take_shares(s, site, site, n);
    else
        site->whole = site->held = true;
}
