/* Starts one job, or gives it a reservation (planner_private.h). */
#include <stdlib.h>

#include "base/memory.h"
#include "model/records/jobs.h"
#include "model/records/usage.h"
#include "schedule/planner_private.h"

/* --- starting ------------------------------------------------------------- */

/* Return whether a request failed at `when`: then it fails for longer jobs too.
 */
static bool has_failed(const struct failure *f, uint64_t when, double duration)
{
    return f->when == when
           && (duration <= 0 || (f->duration > 0 && duration >= f->duration));
}

void planner_note_failure(struct failure *f, uint64_t when,
                          const struct pending *job)
{
    if (!has_failed(f, when, job->duration))
        *f = (struct failure){when, job->duration};
}

bool planner_fails(const struct planner *p, const struct cached_request *k,
                   double duration)
{
    const struct planned_request *r = k->planned;

    return r
           && (has_failed(&r->alone, p->passes, duration)
               || has_failed(&r->beside, p->epoch, duration));
}

/* --- bounds --------------------------------------------------------------- */

/* Return a time before which a job can't start, because jobs that ask for no
   more of the same can't. */
static double bound_of(struct planner *p, const struct pending *job,
                       struct bounds *b, uint64_t now)
{
    const struct known_kind *kind = kind_of(p, job);
    double from = p->how->now, duration = how_long(p, job->duration).duration;

    if (b->since != now)
        b->n = 0;
    b->since = now;
    for (size_t i = 0; i < b->n && i < BOUNDS && kind; i++) {
        const struct bound *k = &b->list[i];
        if (k->until > from && k->times <= planned(job->request)->times
            && k->duration <= duration
            && (k->kind == kind
                || part_kind_within(&k->kind->kind, &kind->kind)))
            from = k->until;
    }
    return from;
}

/* Note it, after bound_of(). */
static void note_bound(struct planner *p, const struct pending *job,
                       struct bounds *b, double until)
{
    const struct known_kind *kind = kind_of(p, job);

    if (kind)
        b->list[b->n++ % BOUNDS] = (struct bound){
            kind, planned(job->request)->times,
            how_long(p, job->duration).duration, until};
}

/* --- starting ------------------------------------------------------------- */

/* Find units for a job that starts now. */
static struct selection *find_now(struct planner *p, struct pending *job,
                                  enum match_answer *answer, struct diag *d)
{
    struct selection *plan;
    bool late = ends_too_late(p, job, p->how->now),
         exact = p->counting && reservation_counts(p, job),
         to_place = p->counting && !exact && p->nreserved > 0 && !p->placed;

    *answer = MATCH_NOT_NOW;
    if ((exact || to_place) && !late && !possible_at(p, job, p->how->now))
        return NULL;
    if (exact)
        reservations_unplace(p);
    else if (to_place)
        reservations_place(p);
    plan = find_units(p, job, p->how->now, answer, d);
    if (!plan && *answer == MATCH_NOT_NOW && exact)
        planner_note_failure(&planned(job->request)->alone, p->passes, job);
    if (plan || *answer != MATCH_NOT_NOW || exact || p->nreserved == 0)
        return plan;
    if (!planner_may_exchange(p, job))
        return NULL;
    if (!p->counting && (plan = planner_exchange(p, job, true, answer, d)))
        return plan;
    return *answer == MATCH_NOT_NOW && planner_may_exchange_all(p)
               ? planner_exchange(p, job, false, answer, d)
               : NULL;
}

/* Has a job failed, or, where numbers decide, another one that asks for no
   more? Elsewhere a larger job may have been tried with more effort. */
static bool fails(struct planner *p, const struct pending *job)
{
    struct planned_request *r = planned(job->request);

    if (job->reserved)
        return has_failed(&r->alone, p->passes, job->duration);
    if (planner_fails(p, job->request, job->duration))
        return true;
    if (!p->counting || bound_of(p, job, &p->failed, p->epoch) < INFINITY)
        return false;
    planner_note_failure(&r->beside, p->epoch, job);
    return true;
}

/* Start a job now, or deny it, if that delays no reservation that is held.
   Returns false if it has to wait. */
static bool start(struct planner *p, struct pending *job)
{
    enum match_answer answer;
    struct selection *plan;
    struct diag d = {0};
    char *why;

    if (fails(p, job) && !ends_too_late(p, job, p->how->now))
        return false;
    plan = find_now(p, job, &answer, &d);
    if (!plan && answer == MATCH_NOT_NOW) {
        planner_note_failure(&planned(job->request)->beside, p->epoch, job);
        note_bound(p, job, &p->failed, INFINITY);
        return false;
    }
    p->changes++;
    p->frees += p->hopeless; /* other nodes may be left for the rest */
    if (plan) {
        p->options.start(p->options.arg, job, plan);
    } else {
        why = answer == MATCH_NEVER
                  ? planner_why_not(p, job->request, job->duration, answer)
                  : xstrdup(d.text);
        p->options.deny(p->options.arg, job, why);
        free(why);
    }
    selection_destroy(plan);
    return true;
}

/*
 * Find the first time before `limit` for a job beside the held reservations,
 * and a plan for it, unless its reservation will be a promise. Windows say that
 * it is not before `from`. INFINITY: there is none.
 */
static double first_time(struct planner *p, struct pending *job, double from,
                         double limit, struct selection **plan)
{
    struct match_options how = how_long(p, job->duration);
    double soon = begin_of(p->how->now, p->how->now),
           at = fmax(fmax(soon, from), rset_starttime(usage_rset(p->u)));
    enum match_answer answer;
    struct diag d = {0};

    *plan = NULL;
    if (reservation_counts(p, job)) {
        at = possible_from(p, job, at, limit, false);
        if (!p->counting && at < limit)
            at = possible_from(p, job, at, limit, true);
        return at > soon ? at : p->how->now;
    }
    if (p->counting && !p->placed && p->nreserved > 0)
        reservations_place(p);
    at = possible_from(p, job, at, limit, false);
    if (at < limit && at != from && needs_window(p, job, at))
        at = possible_from(p, job, at, limit, true);
    if (at < limit && !(*plan = find_units(p, job, at, &answer, &d))) {
        how.start = at;
        how.before = limit;
        match_earliest(p->u, job->request->req, &how, plan, &at, &d);
    }
    return !*plan ? INFINITY : at > soon ? at : p->how->now;
}

void planner_unreserve(struct planner *p, struct pending *job)
{
    if (!job->reserved)
        return;
    p->options.reserved(p->options.arg, job, TIME_UNSET);
    reservation_forget(p, job);
    VECTOR_ADD(p->lost, p->nlost, job->id);
}

bool planner_is_entitled(const struct planner *p, const struct queue *q)
{
    const struct queue_rule *rule = q->rule;

    return rule->policy == QUEUE_EASY
               ? !q->has_reservation
               : rule->policy == QUEUE_CONSERVATIVE
                     && rule->in_use
                            < (rule->depth ? rule->depth : p->options.depth);
}

/* Keep the reservation of a job as it is. If it is the last one of its rule, or
   of its queue under easy, later jobs lose theirs. */
static void keep_reserved(struct planner *p, struct pending *job)
{
    struct queue_rule *rule = job->queue->rule;
    uint32_t others;

    reservation_hold(p, job);
    rule->in_use++;
    job->queue->has_reservation = true;
    if (!p->full || planner_is_entitled(p, job->queue))
        return;
    others = rule->policy == QUEUE_EASY ? job->queue->reserved - 1
                                        : rule->reserved - rule->in_use;
    for (size_t i = p->nreserved; others > 0 && i-- > 0;) {
        struct pending *later = p->reserved[i];
        if (!pending_before(job, later))
            break;
        if (rule->policy == QUEUE_EASY ? later->queue != job->queue
                                       : later->queue->rule != rule)
            continue;
        planner_unreserve(p, later);
        others--;
    }
}

/*
 * Give a job that has to wait a reservation, or move the one that it has: for
 * the first time that delays no reservation that is held; see first_time() for
 * `from`. With `must_move` its own time, or units, can't be kept. Returns false
 * if no time is possible.
 */
static bool reserve(struct planner *p, struct pending *job, double from,
                    bool must_move)
{
    struct reservation *r = job->reserved;
    bool bound = r && !must_move;
    struct selection *plan;
    double at, before = r ? r->at : TIME_UNSET;

    if (r && must_move)
        r->latest = 0;
    at = first_time(p, job, from, bound ? r->at : INFINITY, &plan);
    if (at == INFINITY && !bound)
        return false;
    if (bound && at >= r->at) {
        selection_destroy(plan);
        r->barred = p->gained;
    } else {
        if (r) {
            planner_freed(p);
            p->epoch += !must_move; /* what it held may fit others */
        } else {
            r = reservation_add(p, job);
        }
        r->base = at > r->at ? at : fmin(r->base, at);
        r->at = r->latest = at;
        r->barred = 0;
        reservation_drop_place(r);
        if (plan && !p->counting)
            r->promise.ranks = selection_ranks(plan);
        if (r->fixed && (r->plan = plan))
            reservation_claim(p, job);
        else
            selection_destroy(plan);
    }
    keep_reserved(p, job);
    if (before < r->at || before > r->at)
        p->options.reserved(p->options.arg, job, r->at);
    return true;
}

/* The number of reservations up to which they have outlooks. Each may have the
   ends of all jobs. */
enum { OUTLOOKS_MOST = 256 };

/*
 * Return a time before which a job with a reservation can't start, as numbers
 * say; INFINITY: not before its time. There is too little for each earlier
 * start until its end, or, without its own units, just before its time. A start
 * just after now, when late jobs count as gone, has the end of one now: so it
 * lasts a moment less. For a reservation that stands at now, only a start now
 * is earlier.
 */
static double may_start(struct planner *p, struct pending *job)
{
    struct reservation *of = job->reserved;
    struct outlook *outlook = p->countable && p->nreserved <= OUTLOOKS_MOST
                                  ? &of->outlook
                                  : NULL;
    double now = p->how->now, soon = begin_of(now, now),
           at = begin_of(now, of->at), before = nextafter(at, 0), start = now;

    if (of->barred == p->gained)
        return INFINITY;
    if (of->at > now
        && possible_for(p, job, before, at, at - before, false, NULL) >= at
        && possible_from(p, job, bound_of(p, job, &p->bounds, p->gained), at,
                         false)
               >= at) {
        note_bound(p, job, &p->bounds, at);
        start = INFINITY;
    } else if (of->fixed) {
        usage_leave_out(p->u, job_find(p->u, job_name(job->id).text),
                        of->promise.ranks);
        start = possible_for(p, job, now, at, lasts(p, job, soon), true,
                             outlook);
        usage_leave_out(p->u, NULL, NULL);
    }
    of->barred = start < at ? 0 : p->gained;
    return start;
}

/* Has a job before this one a reservation without an end? Then a job after it
   may have no other time than before that. */
static bool is_after_endless(const struct planner *p, const struct pending *job)
{
    size_t i = VECTOR_FIND(k, p->nreserved, p->reserved[k]->duration <= 0);

    return i < p->nreserved && pending_before(p->reserved[i], job);
}

/* Does a job get its first time now: is it new, has it risen, or was no time
   possible for it until now? */
static bool gets_its_first(const struct planner *p, const struct pending *job)
{
    return job->fresh
           || (job->timeless >= p->whole && !is_after_endless(p, job));
}

/* Let the reservations of the jobs after this one yield. Return whether there
   are any. */
static bool yield_later(struct planner *p, const struct pending *job)
{
    if (p->yielded)
        return true;
    if (!planner_is_before_any(p, job))
        return false;
    reservations_unplace(p);
    for (size_t i = 0; i < p->nreserved; i++)
        if (pending_before(job, p->reserved[i]))
            reservation_unhold(p, p->reserved[i]);
    p->epoch++; /* requests that failed in this pass may fit now */
    return p->yielded = true;
}

/* Hold the reservations that have yielded, unless they yield to this job, the
   next one, too; or its own can't be held: then it is looked at first. Returns
   whether its is lost. */
static bool reservations_come_back(struct planner *p, struct pending *job)
{
    if (p->yielded && job->reserved && p->full)
        reservation_hold(p, job);
    if (p->yielded && !(gets_its_first(p, job) && planner_is_before_any(p, job))
        && (!p->full || !job->reserved || job->reserved->held)) {
        reservations_hold(p);
        p->yielded = false;
    }
    return job->reserved && !job->reserved->held;
}

/* Report that a job waits behind others, unless it is the first. */
static void wait_behind(struct planner *p, struct pending *job)
{
    if (job != queue_first(job->queue))
        p->options.waits(p->options.arg, job, NULL);
}

bool planner_consider(struct planner *p, struct pending *job)
{
    struct reservation *r = job->reserved;
    bool lost = reservations_come_back(p, job), fresh = job->fresh,
         yield = gets_its_first(p, job) || lost,
         waits = r && job->sent_reason && !yield
                 && !ends_too_late(p, job, p->how->now),
         started;
    struct queue *queue = job->queue;
    double from = p->how->now;

    if (queue->rule->policy == QUEUE_FCFS
        && (queue->closed || job != queue_first(queue))) { /* no overtaking */
        job->fresh = false;
        wait_behind(p, job);
        return false;
    }
    if (waits && (r->at > p->how->now || r->fixed)
        && planner_is_entitled(p, queue)
        && (from = may_start(p, job)) == INFINITY
        && (p->counting || !planner_may_exchange(p, job))) {
        r->due = false;
        keep_reserved(p, job);
        return false;
    }
    if (r) {
        reservations_unplace(p);
        r->due = false;
    }
    reservation_unhold(p, job);
    job->fresh = false;
    job->timeless = 0;
    if (yield)
        yield = yield_later(p, job);
    started = start(p, job)
              || (reservations_name_units(p, job) && start(p, job));
    queue->closed = !started;
    if (!started && !planner_is_entitled(p, queue)) {
        planner_unreserve(p, job);
    } else if (!started && r && !lost && !p->full) {
        keep_reserved(p, job);
    } else if (!started && !reserve(p, job, from, lost)) {
        /* no time is possible: that of later jobs does not count */
        yield = yield || (!is_after_endless(p, job) && yield_later(p, job));
        started = yield && start(p, job);
        if (!started && !(yield && reserve(p, job, p->how->now, lost))) {
            planner_unreserve(p, job);
            p->hopeless = true;
            job->timeless = p->passes;
            p->last_timeless = *job;
        }
    }
    if (!started && (fresh || !job->sent_reason))
        wait_behind(p, job);
    return started;
}
