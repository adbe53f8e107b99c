/*
 * The first moment at which a request can be had. What is free changes for the
 * better only when a claim ends, so it is asked from the start on and at each
 * end. Those at which all nodes together have too little are passed over, for
 * there are profiles of that (model/records/profile.h). What is left is asked
 * one after the other; usage follows from one to the next at the cost of what
 * ends and begins in between.
 */
#include <math.h>
#include <stdlib.h>

#include "base/saturate.h"
#include "schedule/match_private.h"

/*
 * The next moment after `at` at which more may be free. Nobody knows when what
 * should have ended will be released: not within a second.
 */
static double next_moment(struct usage *u, double now, double at)
{
    double next = usage_next_end(u, at);

    if (at < now + 1 && next > now + 1 && usage_next_end(u, -1) <= now)
        next = now + 1;
    return next;
}

static bool find_at(struct attempt *a, const struct request *req, double at)
{
    struct period when = {.now = a->opts->now, .from = at, .to = INFINITY};

    if (req->duration > 0)
        when.to = at + req->duration;
    attempt_at(a, &when);
    return attempt_may_hold(a, &a->u->top, a->entries->list) && attempt_all(a);
}

/* Is it over before the set is? */
static bool ends_in_time(const struct attempt *a, const struct request *req,
                         double at)
{
    double end = rset_expiration(a->u->rs);

    return isfinite(at) && (end < 0 || (at < end && at + req->duration <= end));
}

/* Where nothing begins any more, more and more is free: the first of the ends
   is found by halves. */
static bool find_by_halves(struct attempt *a, const struct request *req,
                           double *at)
{
    double *ends;
    size_t n = usage_ends(a->u, *at, &ends), lo = 0, hi = n, last = n;

    while (hi > 0 && !ends_in_time(a, req, ends[hi - 1]))
        hi--;
    for (n = hi; lo < hi && !a->too_long;) {
        last = lo + (hi - lo) / 2;
        if (find_at(a, req, ends[last]))
            hi = last;
        else
            lo = last + 1;
    }
    *at = lo < n ? ends[lo] : INFINITY;
    free(ends);
    return isfinite(*at) && !a->too_long
           && (last == lo || find_at(a, req, *at));
}

/* The first moment from a time on at which there may be enough for a list, so
   often. */
static double first_start(struct attempt *a, const struct entry *list,
                          int64_t times, double at, double duration)
{
    for (const struct entry *e = list; e; e = e->next) {
        int64_t n = saturate_multiply_units(times, (int64_t)e->least);
        if (e->bytes || (e->hold == HOLD_SHARED && !e->with)
            || (e->slot_of_node && a->opts->node_exclusive))
            n = 1; /* one may serve for all of them */
        at = e->slot && !e->slot_of_node
                 ? first_start(a, e->with, n, at, duration)
                 : usage_first_start(a->u, e->slot ? &e->list : &e->needs, n,
                                     at, duration);
    }
    return at;
}

/* So many moments are tried one by one. */
enum { MOMENTS_FEW = 4 };

/* From a start on, until the set ends. */
static bool find_from(struct attempt *a, const struct request *req, double *at)
{
    const struct entry *list = a->entries->list;
    bool in_nodes = entries_in_nodes(&a->u->types, list)
                    && !a->opts->slot_parent;
    double now = a->opts->now;

    for (int n = 0; ends_in_time(a, req, *at); n++) {
        if (*at > now + 1 && in_nodes)
            *at = first_start(a, list, 1, *at, req->duration);
        if (!ends_in_time(a, req, *at))
            return false;
        if (n >= MOMENTS_FEW && *at > now + 1 && !usage_begins(a->u, *at))
            return find_by_halves(a, req, at);
        if (find_at(a, req, *at))
            return true;
        if (a->too_long)
            return false;
        *at = next_moment(a->u, now, *at);
    }
    return false;
}

enum match_answer match_earliest(struct usage *u, const struct request *req,
                                 const struct match_options *opts,
                                 struct selection **sel, double *at,
                                 struct diag *d)
{
    struct attempt a = {.u = u, .opts = opts};
    double start = rset_starttime(u->rs);
    enum match_answer answer;
    struct entries entries;

    *sel = NULL;
    *at = match_period(req, opts).from;
    *at = *at > start ? *at : start;
    if (attempt_prepare(&a, &entries, req, d) < 0)
        return MATCH_ERROR;
    answer = attempt_ever(&a, req, d);
    if (answer == MATCH_FOUND && find_from(&a, req, at)) {
        answer = attempt_found(&a, sel, d);
    } else if (answer == MATCH_FOUND) {
        answer = attempt_trouble(&a, d);
        answer = answer == MATCH_NEVER ? MATCH_NOT_NOW : answer;
    }
    attempt_finish(&a, &entries);
    return answer;
}
