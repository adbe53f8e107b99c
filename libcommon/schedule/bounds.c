/*
 * What sums say of goals: that there is not enough left for one, or how many
 * there can be of it at most. Without that a search would try all the ways
 * to have too little.
 */
#include "model/units.h"
#include "schedule/search.h"

/* --- slots at a glance -------------------------------------------------- */

static uint64_t needed(const struct matcher *m, const struct entry *list,
                       int ntype);

/* Nothing that is below a pool that an entry has to itself is left. */
uint64_t search_needed_each(const struct matcher *m, const struct entry *e,
                            int ntype)
{
    bool alone = e->ntype >= 0 && e->hold != HOLD_SHARED && !e->bytes;
    uint64_t below = e->with ? needed(m, e->with, ntype) : 0, all = 0;

    if (alone)
        all = (uint64_t)matcher_least_below(m, e->ntype, ntype);
    below = all > below ? all : below;
    return below == UINT64_MAX ? below : below + (alone && e->ntype == ntype);
}

/* Units of a type that the list needs for itself at the least. */
static uint64_t needed(const struct matcher *m, const struct entry *list,
                       int ntype)
{
    uint64_t sum = 0, n;

    for (const struct entry *e = list; e; e = e->next) {
        n = search_needed_each(m, e, ntype);
        if (__builtin_mul_overflow(n, e->least, &n)
            || __builtin_add_overflow(sum, n, &sum))
            return UINT64_MAX;
    }
    return sum;
}

/* At most so many slots are still to be had in a place, by sums of units. */
static int64_t slots_in(const struct search *s, const struct entry *slot,
                        const struct site *site, int64_t most)
{
    for (unsigned t = 0; t < s->a->m->ntypes && most > 0; t++) {
        uint64_t need = s->a->m->flags[t] & TYPE_LOOSE
                            ? 0
                            : needed(s->a->m, slot->with, (int)t);
        int64_t left;
        if (need == 0)
            continue;
        left = attempt_below(s->a, site->v, (int)t) - site_taken(site, (int)t);
        left = left < 0 ? 0 : left;
        most = (uint64_t)left / need < (uint64_t)most
                   ? (int64_t)((uint64_t)left / need)
                   : most;
    }
    return most;
}

/*
 * Is there room for all slots that a goal still wants? What has no room is
 * given up at once: else all the ways to have too many would be tried.
 */
bool search_has_room(struct search *s, const struct goal *g)
{
    enum places places = search_places(s, g);
    int64_t left = g->left;

    if (places == PLACES_HERE)
        return slots_in(s, g->e, g->scope, left) >= left;
    if (places != PLACES_NODES)
        return true;
    for (struct site *at = g->cursor ? g->cursor : search_candidate(s, g, NULL);
         at && left > 0; at = search_candidate(s, g, at))
        left -= slots_in(s, g->e, at, left);
    return left <= 0;
}

/* Without this look ahead all ways to take too little would be tried. */
bool search_is_hopeless(struct search *s, const struct goal *g,
                        struct site *from, int64_t left)
{
    for (struct site *at = from; at && left > 0;
         at = search_candidate(s, g, at)) {
        int64_t got = 1;
        if (!g->e->with
            && __builtin_mul_overflow(search_available(s, g->e, at),
                                      search_unit_worth(g->e, at->v), &got))
            return false;
        left -= got;
    }
    return left > 0;
}

/* Units of a type in a scope, and in no containment. */
static uint64_t units_in(const struct search *s, const struct site *scope,
                         int ntype, bool free)
{
    const struct matcher *m = s->a->m;
    uint64_t units = (uint64_t)(free ? attempt_below(s->a, scope->v, ntype)
                                     : matcher_below(m, scope->v, ntype));

    if (m->flags[ntype] & TYPE_LOOSE)
        for (const struct vertex *v = m->rs->loose; v; v = v->next)
            if (v->type == m->types[ntype] && attempt_usable(s->a, v))
                units += (uint64_t)(free ? attempt_free(s->a, v) : v->size);
    return units;
}

/* All that there is of a type, in what a request calls one. */
static uint64_t converted(const struct search *s, const struct entry *e)
{
    double bytes = 0;

    for (size_t i = 0; i < s->a->m->nunits; i++) {
        const struct type_unit *u = &s->a->m->units[i];
        if ((int)u->ntype == e->ntype)
            bytes += (double)u->total * (double)unit_bytes(u->unit);
    }
    bytes /= (double)e->bytes;
    return bytes < REQUEST_COUNT_MAX ? (uint64_t)bytes : REQUEST_COUNT_MAX;
}

/* How many slots, by what each needs for itself? */
static uint64_t slot_limit(const struct search *s, const struct entry *slot,
                           const struct site *scope)
{
    uint64_t limit = REQUEST_COUNT_MAX;

    for (unsigned t = 0; t < s->a->m->ntypes; t++) {
        uint64_t need = needed(s->a->m, slot->with, (int)t), n;
        if (need == 0)
            continue;
        n = units_in(s, scope, (int)t, true) / need;
        limit = n < limit ? n : limit;
    }
    return limit;
}

/* How many of an entry can there be in a scope at most? */
uint64_t search_count_limit(const struct search *s, const struct entry *e,
                            const struct site *scope)
{
    uint64_t limit = e->slot ? slot_limit(s, e, scope) : REQUEST_COUNT_MAX, n;

    for (const struct entry *c = e->slot ? e->with : NULL; c; c = c->next) {
        n = search_count_limit(s, c, scope) / c->least;
        limit = n < limit ? n : limit;
    }
    if (e->slot || e->ntype < 0)
        return limit;
    n = e->bytes ? converted(s, e)
                 : units_in(s, scope, e->ntype, e->hold != HOLD_SHARED);
    return n < limit ? n : limit;
}

/* Is there enough of everything, if nothing but that mattered? */
bool search_enough(const struct attempt *a, const struct entry *list)
{
    for (unsigned t = 0; t < a->m->ntypes; t++)
        if (!(a->m->flags[t] & TYPE_LOOSE)
            && needed(a->m, list, (int)t)
                   > (uint64_t)attempt_below(a, &a->m->above, (int)t))
            return false;
    return attempt_may_hold(a, &a->m->above, list);
}
