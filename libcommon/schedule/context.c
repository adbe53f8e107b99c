/*
 * The resources that one attempt to match may use: lots by their free units,
 * and targets by the constraint. An attempt can ignore some obstacles, to tell
 * "not now" from "never" and to explain a failure.
 */
#include "base/saturate.h"
#include "model/records/forecast.h"
#include "model/records/jobs.h"
#include "model/records/usage.h"
#include "schedule/match_private.h"

static bool lot_blocked(const struct lot *lot, unsigned ignore)
{
    if (lot->state != STATE_UP && !(ignore & IGNORE_STATE))
        return true;
    if (lot->held && lot->taken >= lot->v->size && !(ignore & IGNORE_CLAIMS))
        return true;
    return !(ignore & IGNORE_STAGED) && lot_staged(lot);
}

static bool is_allowed(const struct match_context *m, const struct vertex *v,
                       uint32_t member)
{
    return !m->allowed || (m->ignore & IGNORE_CONSTRAINT)
           || !vertex_is_target(v)
           || idset_contains(m->allowed, v->run ? member : (uint32_t)v->rank);
}

bool context_usable(const struct match_context *m, const struct lot *lot,
                    uint32_t member)
{
    unsigned ignore = m->ignore & IGNORE_USE;

    if (!is_allowed(m, lot->v, member))
        return false;
    if (ignore == 0)
        return !lot->blocked;
    return ignore == IGNORE_USE || !lot_blocked(lot, ignore);
}

bool context_takes_node(const struct match_context *m, const struct vertex *v)
{
    return m->opts->node_exclusive && type_is_node(v->type);
}

bool context_takes_whole(const struct match_context *m, const struct vertex *v)
{
    return vertex_taken_whole(v) || context_takes_node(m, v);
}

/* Return whether all targets in a pool are allowed. Targets inside targets are
   not checked. */
static bool targets_allowed(const struct match_context *m,
                            const struct vertex *top, uint32_t member)
{
    const struct vertex *v = top;

    while (v) {
        bool target = vertex_is_target(v);
        if (target && v->run && v != top ? !idset_subset(v->run, m->allowed)
                                         : !is_allowed(m, v, member))
            return false;
        v = vertex_next(top, v, target);
    }
    return true;
}

bool context_untouched(const struct match_context *m, struct lot *top)
{
    unsigned ignore = m->ignore & IGNORE_USE;

    if (ignore == 0 || ignore == IGNORE_USE)
        return ignore || lot_idle(top);
    for (struct lot *lot = top; lot; lot = lot_next(m->u, top, lot, false))
        if (lot_blocked(lot, ignore)
            || (!(ignore & IGNORE_CLAIMS) && lot->held))
            return false;
    return true;
}

bool context_whole(const struct match_context *m, struct lot *lot,
                   uint32_t member)
{
    return context_untouched(m, lot)
           && (!m->allowed || (m->ignore & IGNORE_CONSTRAINT)
               || targets_allowed(m, lot->v, member));
}

int64_t context_free(const struct match_context *m, const struct lot *lot)
{
    return m->ignore & IGNORE_CLAIMS ? lot->v->size : lot_free(lot);
}

/* Return the units that are free below a lot; with `idle` only those in pools
   that nobody uses. Parts of a node that name no units count as well. */
static int64_t below(const struct match_context *m, const struct lot *lot,
                     int ntype, bool idle)
{
    int64_t sum, least;

    if (ntype < 0 || (m->ignore & IGNORE_USE) || usage_types(m->u)->huge)
        return usage_total(m->u, lot->v, ntype);
    sum = lot_below(m->u, lot,
                    (idle ? usage_types(m->u)->count : 0) + (unsigned)ntype);
    if (!usage_has_parts(m->u) || !type_is_node(lot->v->type))
        return sum;
    least = usage_least_in(lot, (unsigned)ntype, usage_period(m->u));
    return sum < least ? sum : least;
}

int64_t context_below(const struct match_context *m, const struct lot *lot,
                      int ntype)
{
    return below(m, lot, ntype, false);
}

int64_t context_times_of(const struct match_context *m, const struct lot *lot,
                         const struct entry *e, int64_t times)
{
    int64_t least = (int64_t)e->least,
            want = saturate_multiply_units(times, least), have;

    if (e->linked && lot != usage_top(m->u))
        return times;
    if (e->slot)
        have = context_times(m, lot, e->with, want);
    else if (e->hold == HOLD_SHARED)
        have = usage_total(m->u, lot->v, e->ntype);
    else
        have = below(m, lot, e->ntype, e->idle);
    if (have >= want || (e->bytes && have > 0))
        return times;
    return e->bytes ? 0 : have / least;
}

int64_t context_times(const struct match_context *m, const struct lot *lot,
                      const struct entry *list, int64_t times)
{
    for (; list && times > 0; list = list->next)
        times = context_times_of(m, lot, list, times);
    return times;
}

bool context_concerns(const struct match_context *m, const struct lot *lot,
                      const struct entry *e)
{
    if (lot->blocked && !(m->ignore & IGNORE_USE))
        return false;
    if (e->slot)
        return context_may_hold(m, lot, e->with);
    return lot->v->type == e->type
           || (lot->v->child && context_below(m, lot, e->ntype) > 0);
}

/* --- stretches of a run ------------------------------------------------- */

/* Shrink the range to the range of the set, or to the gap in it, that contains
   `at`. */
static void bound_by(struct idrange *s, const struct idset *set, uint32_t at)
{
    const struct idrange *ranges = idset_ranges(set);
    size_t n = idset_nranges(set), i = idset_seek(set, at);
    struct idrange same;

    if (i < n && ranges[i].lo <= at) {
        same = ranges[i];
    } else {
        same.lo = i > 0 ? ranges[i - 1].hi + 1 : 0;
        same.hi = i < n ? ranges[i].lo - 1 : UINT32_MAX;
    }
    s->lo = same.lo > s->lo ? same.lo : s->lo;
    s->hi = same.hi < s->hi ? same.hi : s->hi;
}

uint32_t context_stretch(const struct match_context *m, const struct lot *lot,
                         uint32_t at, bool back)
{
    struct idrange s = {lot->at, lot->at + lot->n - 1}; /* equally usable */
    const struct entry *e = m->entries.ids ? m->entries.list : NULL;

    if (!lot->v->run)
        return 1;
    if (m->allowed && vertex_is_target(lot->v))
        bound_by(&s, m->allowed, at);
    for (; e; e = entry_next(e, NULL)) /* the ids of a request tell members
                                          apart */
        if (e->ids && e->type == lot->v->type)
            bound_by(&s, e->ids, at);
    return back ? at - s.lo + 1 : s.hi - at + 1;
}
