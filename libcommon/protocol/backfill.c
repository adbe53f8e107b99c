/*
 * The policies easy and conservative: jobs that have to wait get reservations,
 * and others start before them only if no reservation is delayed.
 *
 * A reservation promises a time. It also has units (a plan), which prove that
 * all times can be kept together. During a pass these units are claims in the
 * ledger, so that the matcher sees them. They stay there until somebody else
 * looks at the ledger (backfill_unhold).
 *
 * A job is tried beside the units of all reservations. If all ask for whole
 * nodes and any node will do, only the number of nodes counts: then a job that
 * finds none starts if all reservations, placed anew in the order of their
 * times, find nodes for these times.
 *
 * A pass goes through the jobs in their order. Reservations of jobs after the
 * one at hand yield to it only if it is new, has risen, or its own time can't
 * be kept. Their time is then found anew, in their turn. If nothing came free
 * since the last pass, only new jobs are looked at.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/time.h"
#include "protocol/scheduler_private.h"
#include "schedule/plan.h"

struct pass {
    struct scheduler *s;
    struct usage *u;
    double now;
    bool full;             /* all jobs are looked at, and not only new ones */
    struct pending **list; /* jobs that are looked at, in their order */
    size_t n;
    uint32_t given; /* reservations, so far */
};

/* --- reservations --------------------------------------------------------- */

static void set_plan(struct reservation *r, struct selection *plan)
{
    selection_destroy(r->plan);
    r->plan = plan;
}

/* Take the units of a reservation out of the ledger, if they are there. */
static void unhold_reserved(struct scheduler *s, const struct pending *job)
{
    if (job->reserved && job->reserved->held) {
        ledger_release(s->u, job_name(job->id).text);
        job->reserved->held = false;
    }
}

void backfill_note(struct scheduler *s, struct pending *job)
{
    if (s->options.policy == QUEUE_FCFS || job->fresh)
        return;
    job->fresh = true;
    VECTOR_GROW(s->fresh, s->nfresh);
    s->fresh[s->nfresh++] = job->id;
}

void backfill_forget(struct scheduler *s, struct pending *job)
{
    size_t i = 0;

    if (!job->reserved)
        return;
    unhold_reserved(s, job);
    while (s->reserved[i] != job)
        i++;
    memmove(&s->reserved[i], &s->reserved[i + 1],
            (--s->nreserved - i) * sizeof(struct pending *));
    set_plan(job->reserved, NULL);
    free(job->reserved);
    job->reserved = NULL;
    s->frees++;
    s->epoch++; /* requests that failed in this pass may fit now */
}

void backfill_unhold(struct scheduler *s)
{
    for (size_t i = 0; i < s->nreserved; i++)
        unhold_reserved(s, s->reserved[i]);
}

void backfill_lose_plans(struct scheduler *s)
{
    backfill_unhold(s);
    for (size_t i = 0; i < s->nreserved; i++)
        set_plan(s->reserved[i]->reserved, NULL);
}

/* By the order of jobs. */
static int compare_jobs(const void *a, const void *b)
{
    return pending_before(*(struct pending *const *)a,
                          *(struct pending *const *)b)
               ? -1
               : 1;
}

/* By the times of reservations, then by the order of jobs. */
static int compare_times(const void *a, const void *b)
{
    double x = (*(struct pending *const *)a)->reserved->at,
           y = (*(struct pending *const *)b)->reserved->at;

    return x < y ? -1 : x > y ? 1 : compare_jobs(a, b);
}

static struct reservation *add_reservation(struct scheduler *s,
                                           struct pending *job)
{
    VECTOR_GROW(s->reserved, s->nreserved);
    s->reserved[s->nreserved++] = job;
    qsort(s->reserved, s->nreserved, sizeof(struct pending *), compare_jobs);
    job->reserved = xcalloc(1, sizeof(*job->reserved));
    job->reserved->told = TIME_UNSET;
    return job->reserved;
}

/* --- the ledger during a pass --------------------------------------------- */

/* Return when a reservation needs its units. One that waits for jobs whose end
   has passed needs them just after now: then they count as gone. */
static double begin_of(const struct pass *p, double at)
{
    return at > p->now ? at : nextafter(p->now, INFINITY);
}

/* Return the duration of a job from a time on (0: endless). From just after now
   it is shorter, so that the job ends at the same time as from now on. */
static double lasts(const struct pass *p, const struct pending *job,
                    double from)
{
    return job->duration > 0 && from <= begin_of(p, p->now)
               ? p->now + job->duration - from
               : job->duration;
}

/* Find units for a job from a time on; NULL: there are none. */
static struct selection *find_at(struct pass *p, struct pending *job, double at,
                                 enum match_answer *answer, struct diag *d)
{
    struct match_options opts = serve_options(p->s);
    struct selection *plan = NULL;

    opts.start = at;
    job->asks->req->duration = lasts(p, job, at);
    *answer = match_find(p->u, job->asks->req, &opts, &plan, d);
    return plan;
}

static struct term terms_from(const struct pass *p, const struct pending *job,
                              double from)
{
    return (struct term){.start = from,
                         .end = job->duration > 0 ? from + lasts(p, job, from)
                                                  : rset_expiration(p->s->rs),
                         .reserved = from > p->now};
}

/* Claim the units of a plan for a job, until unhold_plan(). */
static void hold_plan(struct pass *p, struct pending *job,
                      const struct selection *plan, double from)
{
    const struct term terms = terms_from(p, job, from);

    ledger_allocate(p->u, job_name(job->id).text, plan, &terms);
}

static void unhold_plan(struct pass *p, struct pending *job)
{
    ledger_release(p->u, job_name(job->id).text);
}

/* Claim the units of a reservation, or others for its time. Fails if there are
   none: then it has no plan. */
static bool hold_reserved(struct pass *p, struct pending *job)
{
    struct reservation *r = job->reserved;
    double from = begin_of(p, r->at);
    const struct term terms = terms_from(p, job, from);
    enum match_answer answer;
    struct diag d = {0};

    if (r->plan
        && plan_check(p->u, job_name(job->id).text, r->plan, &terms, p->now,
                      PLAN_CHOSEN, &d)
               != PLAN_GOOD) {
        set_plan(r, NULL);
        p->s->frees++; /* others may use its old units */
    }
    if (!r->plan)
        r->plan = find_at(p, job, from, &answer, &d);
    if (!r->plan)
        return false;
    hold_plan(p, job, r->plan, from);
    r->held = true;
    return true;
}

/* Let the reservations of the jobs after this one yield. */
static void unhold_later(struct pass *p, const struct pending *job)
{
    for (size_t i = 0; i < p->s->nreserved; i++)
        if (pending_before(job, p->s->reserved[i]))
            unhold_reserved(p->s, p->s->reserved[i]);
}

/* Hold the reservations of all jobs but this one (NULL: of all) as far as that
   is possible, in the order of the jobs. */
static void hold_others(struct pass *p, const struct pending *job)
{
    for (size_t i = 0; i < p->s->nreserved; i++)
        if (p->s->reserved[i] != job && !p->s->reserved[i]->reserved->held)
            hold_reserved(p, p->s->reserved[i]);
}

/* --- other units for the same times --------------------------------------- */

/* List the held reservations in the order of their times, for free(). */
static size_t list_held(const struct pass *p, struct pending ***list)
{
    size_t n = 0;

    *list = xcalloc(p->s->nreserved + 1, sizeof(**list));
    for (size_t i = 0; i < p->s->nreserved; i++)
        if (p->s->reserved[i]->reserved->held)
            (*list)[n++] = p->s->reserved[i];
    qsort(*list, n, sizeof(**list), compare_times);
    return n;
}

/*
 * Find units for reservations, which are not held, and for a job that begins
 * at `from`: for each in the order of their times. Returns the plan of the job,
 * which is held then with all the others; or NULL, and none of them is held.
 */
static struct selection *place(struct pass *p, struct pending **list, size_t n,
                               struct pending *job, double from)
{
    struct selection **plans = xcalloc(n + 1, sizeof(*plans)), *plan = NULL;
    enum match_answer answer;
    struct diag d = {0};
    size_t i = 0;

    for (; i <= n; i++) {
        double time = i < n ? begin_of(p, list[i]->reserved->at) : INFINITY;

        if (!plan
            && (from < time
                || (from <= time && pending_before(job, list[i])))) {
            if (!(plan = find_at(p, job, from, &answer, &d)))
                break;
            hold_plan(p, job, plan, from);
        }
        if (i == n || !(plans[i] = find_at(p, list[i], time, &answer, &d)))
            break;
        hold_plan(p, list[i], plans[i], time);
    }
    if (i == n && plan) {
        for (size_t k = 0; k < n; k++)
            set_plan(list[k]->reserved, plans[k]);
        p->s->frees++;
        free(plans);
        return plan;
    }
    for (size_t k = 0; k < i; k++) {
        unhold_plan(p, list[k]);
        selection_destroy(plans[k]);
    }
    if (plan)
        unhold_plan(p, job);
    selection_destroy(plan);
    free(plans);
    return NULL;
}

/*
 * Try to find units for a job from a time on by giving all held reservations
 * other units for their times. If that fails they keep their units. Returns the
 * plan of the job, which is held.
 */
static struct selection *rearrange(struct pass *p, struct pending *job,
                                   double from)
{
    struct match_options opts = serve_options(p->s);
    struct selection *plan = NULL;
    struct pending **list;
    size_t n;

    job->asks->req->duration = lasts(p, job, from);
    if (match_possible(p->u, job->asks->req, &opts, from) > from)
        return NULL; /* whatever units the others have, there are too few */
    n = list_held(p, &list);
    for (size_t i = 0; i < n; i++)
        unhold_plan(p, list[i]);
    if (n > 0 && !(plan = place(p, list, n, job, from)))
        for (size_t i = 0; i < n; i++)
            hold_plan(p, list[i], list[i]->reserved->plan,
                      begin_of(p, list[i]->reserved->at));
    free(list);
    return plan;
}

/*
 * Does a job ask for whole nodes, any of those that there are? It does if it
 * could have all of them.
 */
static bool takes_any_nodes(struct pass *p, const struct pending *job)
{
    struct match_options opts = serve_options(p->s);
    struct cached_request *k = job->asks;
    struct request_vertex *v = k->req->resources;
    struct request_count count = v->count;
    double duration = k->req->duration;
    struct idset *all;
    struct diag d = {0};
    uint64_t n;

    if (k->req->constraint || v->next || v->id || v->exclusive != YES
        || strcmp(v->type, "node") != 0)
        return false;
    if (k->counted == p->s->generation)
        return k->any_nodes;
    all = idset_subtract(p->s->rs->ranks, p->s->gone);
    n = idset_count(all);
    v->count = (struct request_count){.range = {n, n, '+', 1}};
    k->req->duration = 0;
    k->any_nodes = match_feasible(p->u, k->req, &opts, &d) == MATCH_FOUND;
    k->counted = p->s->generation;
    k->req->duration = duration;
    v->count = count;
    idset_destroy(all);
    return k->any_nodes;
}

/* Do a job and all held reservations ask for any whole nodes? Then only the
   numbers of nodes count. */
static bool all_whole(struct pass *p, const struct pending *job)
{
    bool whole = takes_any_nodes(p, job);

    for (size_t i = 0; whole && i < p->s->nreserved; i++)
        whole = !p->s->reserved[i]->reserved->held
                || takes_any_nodes(p, p->s->reserved[i]);
    return whole;
}

/* --- one job -------------------------------------------------------------- */

/* Return whether a request failed at `when`: then it fails for longer jobs too.
 */
static bool has_failed(const struct failure *f, uint64_t when,
                       const struct pending *job)
{
    return f->when == when
           && (job->duration <= 0
               || (f->duration > 0 && job->duration >= f->duration));
}

static void note_failure(struct failure *f, uint64_t when,
                         const struct pending *job)
{
    if (!has_failed(f, when, job))
        *f = (struct failure){when, job->duration};
}

/* Note the jobs that could not start even without any reservation. */
static void try_alone(struct pass *p)
{
    for (size_t i = 0; i < p->n; i++) {
        enum match_answer answer;
        struct diag d = {0};
        struct failure *f = &p->list[i]->asks->alone;

        if (has_failed(f, p->s->passes, p->list[i]))
            continue;
        selection_destroy(find_at(p, p->list[i], p->now, &answer, &d));
        if (answer == MATCH_NOT_NOW)
            note_failure(f, p->s->passes, p->list[i]);
    }
}

/* Start a job now, or deny it, if that delays no reservation that is held.
   Returns false if it has to wait. */
static bool start(struct pass *p, struct pending *job)
{
    const struct cached_request *k = job->asks;
    enum match_answer answer;
    struct selection *plan;
    struct diag d = {0};

    if ((has_failed(&k->alone, p->s->passes, job)
         || (has_failed(&k->beside, p->s->epoch, job) && !job->reserved))
        && !(rset_expiration(p->s->rs) >= 0 && job->duration > 0
             && p->now + job->duration > rset_expiration(p->s->rs)))
        return false;
    plan = find_at(p, job, p->now, &answer, &d);
    if (!plan && answer == MATCH_NOT_NOW && all_whole(p, job)
        && (plan = rearrange(p, job, p->now)))
        unhold_plan(p, job);
    if (!plan && answer == MATCH_NOT_NOW) {
        note_failure(&job->asks->beside, p->s->epoch, job);
        return false;
    }
    p->s->changes++;
    if (plan)
        serve_grant(p->s, job, plan);
    else
        serve_refuse(p->s, job, answer, &d);
    selection_destroy(plan);
    return true;
}

/*
 * Find the first time before `limit` for a job beside the held reservations,
 * and a plan for it; INFINITY: there is none. Where all ask for whole nodes,
 * reservations may get other units for that. The job is not held.
 */
static double first_time(struct pass *p, struct pending *job, double limit,
                         struct selection **plan)
{
    struct match_options opts = serve_options(p->s);
    const struct request *req = job->asks->req;
    double soon = begin_of(p, p->now), at;
    enum match_answer answer;
    struct diag d = {0};

    *plan = NULL;
    job->asks->req->duration = lasts(p, job, soon);
    at = match_possible(p->u, req, &opts, fmax(soon, rset_starttime(p->s->rs)));
    if (all_whole(p, job)) {
        while (at < limit && !(*plan = find_at(p, job, at, &answer, &d))) {
            if ((*plan = rearrange(p, job, at))) {
                unhold_plan(p, job);
                break;
            }
            at = match_possible(p->u, req, &opts, usage_next_end(p->u, at));
        }
    } else if (at < limit && !(*plan = find_at(p, job, at, &answer, &d))) {
        opts.start = at;
        job->asks->req->duration = job->duration;
        match_earliest(p->u, req, &opts, plan, &at, &d);
    }
    if (!*plan)
        return INFINITY;
    return at > soon ? at : p->now;
}

/* Keep the reservation of a job as it is. */
static void keep_reserved(struct pass *p, struct pending *job)
{
    hold_reserved(p, job);
    p->given++;
    job->queue->given = true;
}

/*
 * Give a job that has to wait a reservation, or move the one that it has: for
 * the first time that delays no reservation that is held. With `must_move` its
 * own time, or units, can't be kept.
 */
static void reserve(struct pass *p, struct pending *job, bool must_move)
{
    struct reservation *r = job->reserved;
    bool bound = r && !must_move;
    struct selection *plan;
    double at = first_time(p, job, bound ? r->at : INFINITY, &plan),
           before = r ? r->at : TIME_UNSET;

    if (!plan && !bound) {
        serve_tell_estimate(p->s, job, TIME_UNSET);
        backfill_forget(p->s, job);
        return;
    }
    if (bound && at >= r->at) {
        selection_destroy(plan);
    } else {
        if (r) { /* others may use its old units */
            p->s->frees++;
            p->s->epoch++;
        } else {
            r = add_reservation(p->s, job);
        }
        r->at = at;
        set_plan(r, plan);
    }
    keep_reserved(p, job);
    if (before < r->at || before > r->at)
        scheduler_log(p->s, LEVEL_DEBUG, "job %lld: reserved from %s",
                      (long long)job->id, time_utc(r->at).text);
}

/* May a job that has to wait get a reservation? */
static bool is_entitled(const struct pass *p, const struct pending *job)
{
    return p->s->options.policy == QUEUE_EASY ? !job->queue->given
                                              : p->given < p->s->options.depth;
}

/* Serve one job. Returns false if it has to wait. */
static bool consider(struct pass *p, struct pending *job)
{
    struct scheduler *s = p->s;
    struct reservation *r = job->reserved;
    bool lost = r && !r->held, fresh = job->fresh, yield = fresh || lost;

    unhold_reserved(s, job);
    job->fresh = false;
    if (yield && s->nreserved > 0
        && pending_before(job, s->reserved[s->nreserved - 1])) {
        unhold_later(p, job);
        s->epoch++;
    }
    if (start(p, job)) {
        if (yield)
            hold_others(p, NULL);
        return true;
    }
    if (!is_entitled(p, job)) {
        serve_tell_estimate(s, job, TIME_UNSET);
        backfill_forget(s, job);
    } else if (r && !lost && !p->full) {
        keep_reserved(p, job);
    } else {
        reserve(p, job, lost);
    }
    if (yield)
        hold_others(p, job);
    if (fresh)
        serve_tell_behind(s, job);
    return false;
}

/* --- a pass --------------------------------------------------------------- */

static void add_job(void *arg, struct pending *job)
{
    struct pass *p = arg;

    VECTOR_GROW(p->list, p->n);
    p->list[p->n++] = job;
}

/* List the jobs that are new or have risen. */
static void list_fresh(struct pass *p)
{
    struct scheduler *s = p->s;

    for (size_t i = 0; i < s->nfresh; i++) {
        struct pending *job = queues_find(&s->queues, s->fresh[i]);
        if (job && job->fresh)
            add_job(p, job);
    }
    s->nfresh = 0;
    if (p->n > 1)
        qsort(p->list, p->n, sizeof(struct pending *), compare_jobs);
}

/* List all jobs in their order. */
static void list_all(struct pass *p)
{
    struct queues *q = &p->s->queues;

    p->n = 0;
    for (size_t i = 0; i < q->nlist; i++)
        queue_each(q->list[i], add_job, p);
    if (p->n > 1 && q->nlist > 1)
        qsort(p->list, p->n, sizeof(struct pending *), compare_jobs);
}

/* Return whether only new jobs have to be looked at: nothing came free, and no
   reservation is to be given to a job before one that has it. */
static bool is_light(const struct pass *p)
{
    const struct scheduler *s = p->s;

    if (s->frees != s->pass_frees)
        return false;
    return p->n == 0 || s->nreserved == 0
           || !pending_before(p->list[0], s->reserved[s->nreserved - 1]);
}

/* Count the reservations that stay in a light pass. */
static void count_given(struct pass *p)
{
    for (size_t i = 0; i < p->s->queues.nlist; i++)
        p->s->queues.list[i]->given = false;
    for (size_t i = 0; i < p->s->nreserved && !p->full; i++)
        p->s->reserved[i]->queue->given = true;
    p->given = p->full ? 0 : (uint32_t)p->s->nreserved;
}

/* Return whether a reservation waits for a job whose end has passed. */
static bool is_overdue(const struct pass *p)
{
    for (size_t i = 0; i < p->s->nreserved; i++)
        if (p->s->reserved[i]->reserved->at <= p->now)
            return true;
    return false;
}

void backfill_pass(struct scheduler *s)
{
    struct pass p = {.s = s, .u = s->u, .now = scheduler_now(s)};
    uint32_t left = s->options.burst;

    if (s->nreserved > 1)
        qsort(s->reserved, s->nreserved, sizeof(struct pending *),
              compare_jobs);
    list_fresh(&p);
    p.full = !is_light(&p) || is_overdue(&p);
    if (p.full) {
        backfill_unhold(s);
        list_all(&p);
        s->epoch++;
        s->passes++;
        try_alone(&p);
    }
    s->pass_frees = s->frees;
    count_given(&p);
    if (p.n > 0)
        hold_others(&p, NULL);
    for (size_t i = 0; i < p.n; i++) {
        if (!consider(&p, p.list[i]) || left == 0 || --left > 0)
            continue;
        s->more = i + 1 < p.n;
        s->frees += s->more; /* the rest is looked at in a pass of its own */
        break;
    }
    free(p.list);
    if (s->keeper)
        backfill_unhold(s); /* the store is written from the ledger */
}

void backfill_tell(struct scheduler *s)
{
    for (size_t i = 0; i < s->nreserved; i++)
        serve_tell_estimate(s, s->reserved[i], s->reserved[i]->reserved->at);
}
