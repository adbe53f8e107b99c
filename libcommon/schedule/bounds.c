/*
 * What sums say of goals: that there is not enough left for one, or how many
 * there can be of it at most. Without that a search would try all the ways
 * to have too little.
 */
#include "model/tree/units.h"
#include "schedule/search.h"

/* --- slots at a glance -------------------------------------------------- */

/* Nothing that is below a pool that an entry has to itself is left. */
uint64_t search_needed_each(const struct usage *u, const struct entry *e,
                            int ntype)
{
    bool alone = e->ntype >= 0 && e->hold != HOLD_SHARED && !e->bytes;
    uint64_t below = search_needed(u, e->with, ntype), all = 0;

    if (alone)
        all = (uint64_t)usage_least_below(u, e->ntype, ntype);
    below = all > below ? all : below;
    return below == UINT64_MAX ? below : below + (alone && e->ntype == ntype);
}

uint64_t search_needed(const struct usage *u, const struct entry *list,
                       int ntype)
{
    uint64_t sum = 0, n;

    for (const struct entry *e = list; e; e = e->next) {
        n = search_needed_each(u, e, ntype);
        if (__builtin_mul_overflow(n, e->least, &n)
            || __builtin_add_overflow(sum, n, &sum))
            return UINT64_MAX;
    }
    return sum;
}

/* At most so many slots, by the pools that an `id` names. */
static int64_t slots_by_id(struct search *s, const struct entry *list,
                           struct site *site, int64_t times, int64_t most)
{
    for (const struct entry *e = list; e && most > 0; e = e->next) {
        int64_t each, n;
        if (__builtin_mul_overflow(times, (int64_t)e->least, &each))
            return 0;
        if (e->slot)
            most = slots_by_id(s, e->with, site, each, most);
        if (!search_counts_ids(s, e))
            continue;
        n = search_units_left(s, e, site) / each;
        most = n < most ? n : most;
    }
    return most;
}

/* At most so many slots are still to be had in a place, by sums of units. */
static int64_t slots_in(struct search *s, const struct entry *slot,
                        struct site *site, int64_t most)
{
    for (unsigned t = 0; t < s->a->u->types.count && most > 0; t++) {
        uint64_t need = s->a->u->types.flags[t] & TYPE_LOOSE
                            ? 0
                            : search_needed(s->a->u, slot->with, (int)t);
        int64_t left;
        if (need == 0)
            continue;
        left = attempt_below(s->a, site->lot, (int)t)
               - site_taken(site, (int)t);
        left = left < 0 ? 0 : left;
        most = (uint64_t)left / need < (uint64_t)most
                   ? (int64_t)((uint64_t)left / need)
                   : most;
    }
    return slots_by_id(s, slot->with, site, 1, most);
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

/* Is there enough of everything, if nothing but that mattered? */
bool search_enough(const struct attempt *a, const struct entry *list)
{
    for (unsigned t = 0; t < a->u->types.count; t++)
        if (!(a->u->types.flags[t] & TYPE_LOOSE)
            && search_needed(a->u, list, (int)t)
                   > (uint64_t)attempt_below(a, &a->u->top, (int)t))
            return false;
    return attempt_may_hold(a, &a->u->top, list);
}
