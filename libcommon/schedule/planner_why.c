/* Why jobs wait, and when they will start (planner_private.h). */
#include <stdlib.h>

#include "base/memory.h"
#include "model/records/jobs.h"
#include "schedule/explain.h"
#include "schedule/planner_private.h"

/* --- reasons -------------------------------------------------------------- */

/* Scripts find a job that can never run by the word that Flux's schedulers
   use. */
char *planner_why_not(struct planner *p, const struct cached_request *k,
                      double duration, enum match_answer answer)
{
    struct match_options how = how_long(p, duration);
    char *why = match_explain_text(p->u, k->req, &how, answer, EXPLAIN_COUNTS),
         *text;

    if (answer != MATCH_NEVER)
        return why;
    xasprintf(&text, "unsatisfiable: %s", why);
    free(why);
    return text;
}

const char *planner_never(struct planner *p, struct cached_request *k)
{
    const struct match_options how = how_long(p, 0);
    enum match_answer answer;
    struct diag d = {0};

    if (planned(k)->judged == p->generation)
        return k->never;
    free(k->never);
    planned(k)->judged = p->generation;
    answer = match_feasible(p->u, k->req, &how, &d);
    k->never = answer == MATCH_NEVER   ? planner_why_not(p, k, 0, answer)
               : answer == MATCH_ERROR ? xstrdup(d.text)
                                       : NULL;
    return k->never;
}

/* The most reservations that are looked at for a reason. */
enum { DELAYED_MOST = 8 };

/* Return why a job waits although it fits: the first job with a reservation
   that it would delay. If it would delay several, only the first that begins
   before its end is named. A new string. */
static char *why_delays(struct planner *p, struct pending *job)
{
    double end = job->duration > 0 ? p->how->now + job->duration : INFINITY;
    bool held = job->reserved && job->reserved->held, fits = false;
    const struct pending *first = NULL;
    char *why;
    int n = 0;

    reservation_unhold(p, job);
    for (size_t i = 0; i < p->nreserved && !fits && n < DELAYED_MOST; i++) {
        struct pending *other = p->reserved[i];
        if (other == job || other->reserved->at >= end)
            continue;
        n++;
        reservation_unhold(p, other);
        fits = can_start(p, job);
        reservation_hold(p, other);
        if (!first || fits)
            first = other;
    }
    if (held)
        reservation_hold(p, job);
    if (!first)
        return xstrdup("it would delay a job with a reservation");
    xasprintf(&why, "it would delay job %lld (at %s)", (long long)first->id,
              time_utc(first->reserved->at).text);
    return why;
}

/* Return within which windows of the site a job could start, and those that go
   on; a new string, or NULL. Its own reservation does not count. */
static char *why_reserved(struct planner *p, struct pending *job)
{
    struct match_options how = how_long(p, job->duration);
    const struct request *req = job->request->req;
    bool held = job->reserved && job->reserved->held;
    char *later, *now, *why = NULL;

    reservation_unhold(p, job);
    later = match_windows(p->u, req, &how, true);
    now = later ? match_windows_now(p->u, req, &how) : NULL;
    if (later)
        xasprintf(&why, "reserved: %s%s%s", later, now ? ", " : "",
                  now ? now : "");
    if (held)
        reservation_hold(p, job);
    free(later);
    free(now);
    return why;
}

/*
 * Return why the first job of a queue waits, a new string. `known` keeps by
 * request why it does not fit at this moment, before any reservation begins;
 * "": it fits.
 */
static char *why_waits(struct planner *p, struct pending *job,
                       struct map *known)
{
    char *why = p->windows ? why_reserved(p, job) : NULL, *windows, **kept;
    struct match_options how = how_long(p, job->duration);
    const struct request *req = job->request->req;
    struct selection *plan;
    enum match_answer answer;
    struct diag d = {0};

    if (why)
        return why;
    kept = (char **)&map_at(known, &job->request, sizeof(job->request))
               ->value.pointer;
    if (!*kept) {
        plan = may_fit_now(p, req) ? find_momentary(p, req, &answer, &d) : NULL;
        *kept = plan ? xstrdup("")
                     : planner_why_not(p, job->request, moment(p),
                                       MATCH_NOT_NOW);
        selection_destroy(plan);
    }
    if (!(*kept)[0])
        return why_delays(p, job);
    windows = p->windows ? match_windows_now(p->u, req, &how) : NULL;
    xasprintf(&why, "%s%s%s", *kept, windows ? "; reserved: " : "",
              windows ? windows : "");
    free(windows);
    return why;
}

void planner_explain(struct planner *p)
{
    struct map known = {0};

    for (size_t i = 0; i < p->queues->nlist; i++) {
        struct queue *q = p->queues->list[i];
        struct pending *job = queue_first(q), *before;
        char *why;

        if (job && q->changes == p->changes && q->blocked == job->id)
            continue;
        if (!job) {
            q->blocked = -1;
            continue;
        }
        why = why_waits(p, job, &known);
        before = queues_find(p->queues, q->blocked);
        q->blocked = job->id;
        q->changes = p->changes;
        if (before && before->queue == q && before != job)
            p->options.waits(p->options.arg, before, NULL);
        p->options.waits(p->options.arg, job, why);
        free(why);
    }
    for (size_t i = 0; i < known.count; i++)
        free(known.slots[i].value.pointer);
    map_fini(&known);
}

/* --- estimates ------------------------------------------------------------ */

/* The most jobs that get estimates under fcfs. */
enum { ESTIMATES_MOST = 64 };

/* List the first jobs of each queue under fcfs. Returns their number. */
static size_t list_first(const struct planner *p, struct pending **list)
{
    size_t n = 0;

    for (size_t i = 0; i < p->queues->nlist; i++) {
        const struct queue *q = p->queues->list[i];
        struct queue_place at = {0};
        const struct queued *e;
        if (q->rule->policy != QUEUE_FCFS)
            continue;
        for (uint32_t k = 0;
             k < p->options.estimates && (e = queue_step(q, &at)); k++) {
            if (n == ESTIMATES_MOST)
                return n;
            list[n++] = e->job;
        }
    }
    return n;
}

/* Find the first time for a job, and claim what it would get then, for a while.
   TIME_UNSET: there is none. */
static double claim_first(struct planner *p, struct pending *job, double from)
{
    struct match_options how = how_long(p, job->duration);
    struct selection *plan = NULL;
    struct term terms = {.reserved = true, .planned = true};
    struct diag d = {0};

    how.start = from;
    if (match_earliest(p->u, job->request->req, &how, &plan, &terms.start, &d)
        != MATCH_FOUND)
        return TIME_UNSET;
    terms.end = planner_end(p, job, terms.start);
    ledger_allocate(p->u, job_name(job->id).text, plan, &terms);
    selection_destroy(plan);
    return terms.start;
}

/* Estimate the first jobs of each queue under fcfs, in the order of the jobs:
   each starts after the one before it in its queue, and beside all others, if
   no other job comes first. Nothing is reserved. Times that have passed are
   found anew after the slack. */
static void estimate_first(struct planner *p)
{
    struct pending *list[ESTIMATES_MOST];
    double times[ESTIMATES_MOST];
    size_t n = list_first(p, list), same = 0;

    VECTOR_SORT(list, n, planner_compare_jobs);
    while (same < n && same < p->nestimated
           && list[same]->id == p->estimated[same])
        same++;
    if (same == n && n == p->nestimated && p->estimate_frees == p->frees
        && p->estimate_changes == p->changes && p->how->now < p->estimate_until)
        return;
    for (size_t i = 0; i < p->nestimated; i++) {
        struct pending *job = queues_find(p->queues, p->estimated[i]);
        if (job && VECTOR_FIND(k, n, list[k] == job) == n)
            p->options.estimate(p->options.arg, job, TIME_UNSET);
    }

    if (n > 0 && p->counting && p->nreserved > 0)
        reservations_place(p);
    p->estimated = xreallocarray(p->estimated, n + 1, sizeof(*p->estimated));
    p->estimate_until = INFINITY;
    for (size_t i = 0; i < n; i++) {
        size_t before = i; /* 1 + index of the one before it in its queue */
        while (before > 0 && list[before - 1]->queue != list[i]->queue)
            before--;
        times[i] = before > 0 ? times[before - 1] : p->how->now;
        if (times[i] >= 0)
            times[i] = claim_first(p, list[i], times[i]);
        if (times[i] >= 0)
            p->estimate_until = fmin(p->estimate_until,
                                     times[i] + p->options.slack);
        p->options.estimate(p->options.arg, list[i], times[i]);
        p->estimated[i] = list[i]->id;
    }
    p->nestimated = n;
    for (size_t i = 0; i < n; i++)
        ledger_release(p->u, job_name(list[i]->id).text);
    reservations_unplace(p);
    p->estimate_frees = p->frees;
    p->estimate_changes = p->changes;
}

void planner_estimate(struct planner *p)
{
    for (size_t i = 0; i < p->nlost; i++) {
        struct pending *job = queues_find(p->queues, p->lost[i]);
        if (job && !job->reserved)
            p->options.estimate(p->options.arg, job, TIME_UNSET);
    }
    p->nlost = 0;
    if (queue_rules_have(&p->queues->rules, QUEUE_FCFS))
        estimate_first(p);
    for (size_t i = 0; i < p->nreserved; i++)
        p->options.estimate(p->options.arg, p->reserved[i],
                            p->reserved[i]->reserved->at);
}
