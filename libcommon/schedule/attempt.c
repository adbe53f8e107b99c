/*
 * What one attempt to match may use: lots by what is free of them, and what
 * a constraint allows; or, to tell "not now" from "never" and to explain, as
 * if some of what is in the way were not.
 */
#include "base/saturate.h"
#include "model/records/jobs.h"
#include "schedule/match_private.h"

static bool lot_blocked(const struct lot *lot, unsigned ignore)
{
    if (lot->state != STATE_UP && !(ignore & IGNORE_STATE))
        return true;
    if (lot->held && lot->taken >= lot->v->size && !(ignore & IGNORE_CLAIMS))
        return true;
    for (const struct grant *g = lot->grants; g; g = g->beside)
        if (g->term->kind == GRANT_STAGED && !(ignore & IGNORE_STAGED))
            return true;
    return false;
}

static bool is_constrained(const struct attempt *a, const struct vertex *v)
{
    return a->allowed && !(a->ignore & IGNORE_CONSTRAINT)
           && vertex_is_target(v);
}

static bool is_allowed(const struct attempt *a, const struct vertex *v,
                       uint32_t member)
{
    return !is_constrained(a, v)
           || idset_contains(a->allowed, v->run ? member : (uint32_t)v->rank);
}

bool attempt_usable(const struct attempt *a, const struct lot *lot,
                    uint32_t member)
{
    unsigned ignore = a->ignore & IGNORE_USE;

    if (!is_allowed(a, lot->v, member))
        return false;
    if (ignore == 0)
        return !lot->blocked;
    return ignore == IGNORE_USE || !lot_blocked(lot, ignore);
}

/* Are all targets in it? What is in a target is not looked at. */
static bool targets_allowed(const struct attempt *a, const struct vertex *top,
                            uint32_t member)
{
    const struct vertex *v = top;

    while (v) {
        bool target = vertex_is_target(v);
        if (target && v->run && v != top ? !idset_subset(v->run, a->allowed)
                                         : !is_allowed(a, v, member))
            return false;
        v = vertex_next(top, v, target);
    }
    return true;
}

bool attempt_untouched(const struct attempt *a, struct lot *top)
{
    unsigned ignore = a->ignore & IGNORE_USE;

    if (ignore == 0 || ignore == IGNORE_USE)
        return ignore || lot_idle(top);
    for (struct lot *lot = top; lot; lot = lot_next(a->u, top, lot, false))
        if (lot_blocked(lot, ignore)
            || (!(ignore & IGNORE_CLAIMS) && lot->held))
            return false;
    return true;
}

bool attempt_whole(const struct attempt *a, struct lot *lot, uint32_t member)
{
    return attempt_untouched(a, lot)
           && (!a->allowed || (a->ignore & IGNORE_CONSTRAINT)
               || targets_allowed(a, lot->v, member));
}

int64_t attempt_free(const struct attempt *a, const struct lot *lot)
{
    return a->ignore & IGNORE_CLAIMS ? lot->v->size : lot_free(lot);
}

/* Units free below it, or in pools that are `idle`. */
static int64_t below(const struct attempt *a, const struct lot *lot, int ntype,
                     bool idle)
{
    if (ntype < 0 || (a->ignore & IGNORE_USE) || a->u->types.huge)
        return usage_total(a->u, lot->v, ntype);
    return lot_below(a->u, lot,
                     (idle ? a->u->types.count : 0) + (unsigned)ntype);
}

int64_t attempt_below(const struct attempt *a, const struct lot *lot, int ntype)
{
    return below(a, lot, ntype, false);
}

/* How often, up to `times`, could one entry be had, as far as sums tell? */
static int64_t times_of(const struct attempt *a, const struct lot *lot,
                        const struct entry *e, int64_t times)
{
    int64_t least = (int64_t)e->least,
            want = saturate_multiply_units(times, least), have;

    if (e->linked && lot != &a->u->top)
        return times;
    if (e->slot)
        have = attempt_times(a, lot, e->with, want);
    else if (e->hold == HOLD_SHARED)
        have = usage_total(a->u, lot->v, e->ntype);
    else
        have = below(a, lot, e->ntype, e->idle);
    if (have >= want || (e->bytes && have > 0))
        return times;
    return e->bytes ? 0 : have / least;
}

int64_t attempt_times(const struct attempt *a, const struct lot *lot,
                      const struct entry *list, int64_t times)
{
    for (; list && times > 0; list = list->next)
        times = times_of(a, lot, list, times);
    return times;
}

bool attempt_concerns(const struct attempt *a, const struct lot *lot,
                      const struct entry *e)
{
    if (lot->blocked && !(a->ignore & IGNORE_USE))
        return false;
    if (e->slot)
        return attempt_may_hold(a, lot, e->with);
    return lot->v->type == e->type
           || (lot->v->child && attempt_below(a, lot, e->ntype) > 0);
}

/* --- stretches of a run ------------------------------------------------- */

/* The last id from this one on that is in the set as it is, or as it is not. */
static uint32_t same_until(const struct idset *set, uint32_t id)
{
    const struct idrange *ranges = idset_ranges(set);
    size_t lo = 0, hi = idset_nranges(set);

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (ranges[mid].hi < id)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo == idset_nranges(set))
        return UINT32_MAX;
    return ranges[lo].lo <= id ? ranges[lo].hi : ranges[lo].lo - 1;
}

/* Where a stretch ends at which a set begins or ends, too. */
static uint32_t cut_at(const struct idset *set, uint32_t at, uint32_t end)
{
    uint32_t until = same_until(set, at);

    return until < end ? until + 1 : end;
}

/* Entries of a type that ask for ids tell its members apart. */
static uint32_t stretch_of_ids(const struct entry *list, const struct lot *lot,
                               uint32_t at, uint32_t end)
{
    for (const struct entry *e = list; e; e = e->next) {
        if (e->ids && e->type == lot->v->type)
            end = cut_at(e->ids, at, end);
        end = stretch_of_ids(e->with, lot, at, end);
    }
    return end;
}

uint32_t attempt_stretch(const struct attempt *a, const struct lot *lot,
                         uint32_t at)
{
    uint32_t end = lot->at + lot->n;

    if (!lot->v->run)
        return end;
    if (a->allowed && vertex_is_target(lot->v))
        end = cut_at(a->allowed, at, end);
    return a->entries->ids ? stretch_of_ids(a->entries->list, lot, at, end)
                           : end;
}
