/*
 * The policies easy and conservative: jobs that have to wait get reservations,
 * and others start before them only if no reservation is delayed. If some
 * queues have such a policy, jobs of the others start here too.
 *
 * A reservation promises a time. If a job asks for whole nodes, any that there
 * are, its reservation is a number of nodes over time (usage_promise()). As
 * long as all reservations are of this kind, only numbers count: such a job
 * starts if the numbers allow it. Jobs with other requests have to see which
 * nodes are meant. For them the promises get places, in the order of their
 * times, which the matcher leaves out. As soon as a job with another request
 * gets a reservation, the places of all are fixed, and are only exchanged if
 * they can't be kept. The reservation of such a job is a plan, whose units are
 * claimed in the ledger. Claims and promises are taken back before anybody else
 * looks at the ledger (backfill_unhold); a pass holds them again.
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
#include "model/records/jobs.h"
#include "protocol/scheduler_private.h"
#include "schedule/plan.h"

struct pass {
    struct scheduler *s;
    struct usage *u;
    double now;
    bool full;              /* all jobs are looked at, and not only new ones */
    struct pending **fresh; /* new jobs, in their order */
    size_t nfresh, i;       /* the next one */
    struct pending last;    /* a copy of the job that was looked at last; all
                               zeros: none yet */
};

/* --- requests ------------------------------------------------------------- */

/*
 * Return how many whole nodes a job asks for, if any of those that there are
 * will do: if it could have all of them. 0: it asks for something else.
 */
static int64_t any_nodes(struct scheduler *s, const struct pending *job)
{
    struct match_options opts = serve_options(s);
    struct cached_request *k = job->asks;
    struct request_vertex *v = k->req->resources;
    struct request_count count = v->count;
    double duration = k->req->duration;
    struct idset *all;
    struct diag d = {0};
    uint64_t n;

    if (k->counted == s->generation)
        return k->any_nodes;
    k->counted = s->generation;
    k->any_nodes = 0;
    if (v->next || v->id || v->exclusive != YES
        || request_count_fixed(&count) == 0 || strcmp(v->type, "node") != 0)
        return 0;
    all = idset_subtract(s->rs->ranks, s->gone);
    n = idset_count(all);
    v->count = (struct request_count){.range = {n, n, '+', 1}};
    k->req->duration = 0;
    if (match_feasible(s->u, k->req, &opts, &d) == MATCH_FOUND)
        k->any_nodes = (int64_t)request_count_fixed(&count);
    k->req->duration = duration;
    v->count = count;
    idset_destroy(all);
    return k->any_nodes;
}

/* --- reservations --------------------------------------------------------- */

/* Drop the units or the place that a reservation would take. */
static void drop_place(struct reservation *r)
{
    selection_destroy(r->plan);
    r->plan = NULL;
    usage_unplace(&r->promise);
}

/* Do all reservations promise numbers of nodes? */
static bool is_counting(const struct scheduler *s)
{
    return s->counts && s->nfixed == 0;
}

/* Is a job one whose reservation promises a number of nodes? */
static bool is_counted(struct scheduler *s, const struct pending *job)
{
    return s->counts && any_nodes(s, job) > 0;
}

/* Let a reservation hold nothing. */
static void unhold_reserved(struct scheduler *s, const struct pending *job)
{
    struct reservation *r = job->reserved;

    if (!r || !r->held)
        return;
    r->held = false;
    if (r->fixed)
        ledger_release(s->u, job_name(job->id).text);
    else
        usage_take_back(s->u, &r->promise);
}

/* Forget the places of promises, if only numbers count. */
static void unplace(struct scheduler *s)
{
    for (size_t i = 0; i < s->nreserved && s->placed; i++)
        usage_unplace(&s->reserved[i]->reserved->promise);
    s->placed = false;
}

void backfill_note(struct scheduler *s, struct pending *job)
{
    if (s->queues.fcfs || job->fresh)
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
    s->nfixed -= job->reserved->fixed;
    s->placed |= is_counting(s) && job->reserved->fixed;
    if (is_counting(s))
        unplace(s);
    drop_place(job->reserved);
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
        drop_place(s->reserved[i]->reserved);
    s->placed = false;
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
    job->reserved->fixed = !is_counted(s, job);
    s->nfixed += job->reserved->fixed;
    return job->reserved;
}

/* --- the ledger during a pass --------------------------------------------- */

/* Return when a reservation needs its units. One that waits for jobs whose end
   has passed needs them just after now: then they count as gone. */
static double begin_of(const struct pass *p, double at)
{
    return at > p->now ? at : nextafter(p->now, INFINITY);
}

/* Return the end of a job that begins at a time; INFINITY: it is endless. From
   just after now it ends at the same time as from now on. */
static double end_of(const struct pass *p, const struct pending *job,
                     double from)
{
    return job->duration > 0
               ? (from <= begin_of(p, p->now) ? p->now : from) + job->duration
               : INFINITY;
}

/* Return the duration of a job from a time on until its end (0: endless). */
static double lasts(const struct pass *p, const struct pending *job,
                    double from)
{
    double end = end_of(p, job, from), duration = end - from;

    return end == INFINITY         ? 0
           : from + duration > end ? nextafter(duration, 0)
                                   : duration;
}

/* Would a job that begins at a time end after the set? */
static bool ends_too_late(const struct pass *p, const struct pending *job,
                          double from)
{
    double end = rset_expiration(p->s->rs);

    return end >= 0
           && (from >= end
               || (job->duration > 0 && end_of(p, job, from) > end));
}

/* Return the first time from `at` on at which there may be enough for a job
   that lasts until its end if it starts at `at`. With `windows`, see
   match_possible(). */
static double possible(struct pass *p, struct pending *job, double at,
                       bool windows)
{
    struct match_options opts = serve_options(p->s);

    job->asks->req->duration = lasts(p, job, at);
    return match_possible(p->u, job->asks->req, &opts, at, windows);
}

/* Find units for a job from a time on; NULL: there are none. */
static struct selection *find_at(struct pass *p, struct pending *job, double at,
                                 enum match_answer *answer, struct diag *d)
{
    struct match_options opts = serve_options(p->s);
    struct selection *plan = NULL;

    opts.start = at;
    *answer = MATCH_NOT_NOW;
    if (possible(p, job, at, false) > at && !ends_too_late(p, job, at))
        return NULL;
    *answer = match_find(p->u, job->asks->req, &opts, &plan, d);
    return plan;
}

/* Return the first time at which there are enough nodes that are not promised,
   for a job that asks for any nodes; INFINITY: never. */
static double first_nodes(const struct pass *p, const struct pending *job,
                          double from)
{
    double at = usage_first_nodes(p->u, job->asks->any_nodes, from,
                                  lasts(p, job, from));

    return ends_too_late(p, job, at) ? INFINITY : at;
}

/* Return the promise that a job gets from a time on. */
static struct promise promise_from(const struct pass *p,
                                   const struct pending *job, double from)
{
    return (struct promise){.nodes = job->asks->any_nodes,
                            .from = from,
                            .to = end_of(p, job, from)};
}

/* Hold a reservation by a promise. */
static bool hold_nodes(struct pass *p, struct pending *job, double from)
{
    struct promise *promise = &job->reserved->promise;
    struct idset *ranks = promise->ranks;
    bool enough = from >= rset_starttime(p->s->rs)
                  && first_nodes(p, job, from) <= from;

    *promise = promise_from(p, job, from);
    promise->ranks = ranks;
    if (is_counting(p->s))
        unplace(p->s);
    if (promise->ranks && !(enough && usage_keeps_place(p->u, promise))) {
        usage_unplace(promise);
        p->s->frees++; /* others may use its old nodes */
    }
    if (enough && !is_counting(p->s) && !promise->ranks)
        enough = usage_place(p->u, promise);
    if (enough)
        usage_promise(p->u, promise);
    return enough;
}

/* Return whether a part of a plan is in the place of a promise. */
static bool is_taken(const struct pass *p, const struct selection *plan,
                     double from, double to)
{
    struct idset *taken = usage_taken(p->u, from, to), *ranks;
    bool is = false;

    if (taken) {
        ranks = selection_ranks(plan);
        is = idset_overlaps(ranks, taken);
        idset_destroy(ranks);
    }
    idset_destroy(taken);
    return is;
}

/* Hold a reservation by claims, of the units of its plan or of others. */
static bool hold_units(struct pass *p, struct pending *job, double from)
{
    struct reservation *r = job->reserved;
    const struct term terms = {.start = from,
                               .end = job->duration > 0
                                          ? end_of(p, job, from)
                                          : rset_expiration(p->s->rs),
                               .reserved = from > p->now};
    const struct job_name name = job_name(job->id);
    enum match_answer answer;
    struct diag d = {0};

    if (r->plan
        && (is_taken(p, r->plan, from, end_of(p, job, from))
            || plan_check(p->u, name.text, r->plan, &terms, p->now, PLAN_CHOSEN,
                          &d)
                   != PLAN_GOOD)) {
        drop_place(r);
        p->s->frees++; /* others may use its old units */
    }
    if (!r->plan)
        r->plan = find_at(p, job, from, &answer, &d);
    if (r->plan)
        ledger_allocate(p->u, name.text, r->plan, &terms);
    return r->plan;
}

/* Hold a reservation at its time, if that is possible. */
static void hold_reserved(struct pass *p, struct pending *job)
{
    struct reservation *r = job->reserved;
    double from = begin_of(p, r->at);

    if (!r->held)
        r->held = r->fixed ? hold_units(p, job, from)
                           : hold_nodes(p, job, from);
}

/* Let the reservations of the jobs after this one yield. */
static void unhold_later(struct pass *p, const struct pending *job)
{
    if (is_counting(p->s))
        unplace(p->s);
    for (size_t i = 0; i < p->s->nreserved; i++)
        if (pending_before(job, p->s->reserved[i]))
            unhold_reserved(p->s, p->s->reserved[i]);
}

/* Hold the reservations of all jobs but this one (NULL: of all) as far as that
   is possible, in the order of the jobs. */
static void hold_others(struct pass *p, const struct pending *job)
{
    for (size_t i = 0; i < p->s->nreserved; i++)
        if (p->s->reserved[i] != job)
            hold_reserved(p, p->s->reserved[i]);
}

/* --- numbers and places --------------------------------------------------- */

/* Give all promises places, in the order of their times. */
static void place(struct pass *p)
{
    struct scheduler *s = p->s;
    struct pending **list = xcalloc(s->nreserved + 1, sizeof(*list));

    memcpy(list, s->reserved, s->nreserved * sizeof(*list));
    qsort(list, s->nreserved, sizeof(*list), compare_times);
    for (size_t i = 0; i < s->nreserved; i++)
        if (list[i]->reserved->held)
            usage_place(p->u, &list[i]->reserved->promise);
    s->placed = true;
    free(list);
}

/* Are the targets the nodes, and does nothing but nodes have a state? */
static bool only_nodes_fail(struct scheduler *s)
{
    struct lot *top = usage_top(s->u);

    for (struct vertex *v = rset_first(s->rs); v; v = rset_next(s->rs, v))
        if (vertex_is_target(v) != type_is_node(v->type))
            return false;
    if (!usage_has_states(s->u))
        return true;
    for (struct lot *lot = top; (lot = lot_next(s->u, top, lot, false));)
        if (lot->state != STATE_UP && !type_is_node(lot->v->type))
            return false;
    return true;
}

/* Decide whether nodes can be counted, and for which reservations. */
static void choose_way(struct scheduler *s)
{
    bool before = s->counts, all = s->surveyed != s->generation;

    if (all)
        s->countable = only_nodes_fail(s);
    s->surveyed = s->generation;
    s->counts = s->countable && usage_counts_nodes(s->u);
    if (s->counts != before)
        backfill_lose_plans(s);
    else if (!all)
        return;
    s->nfixed = 0;
    for (size_t i = 0; i < s->nreserved; i++) {
        struct reservation *r = s->reserved[i]->reserved;
        bool fixed = !is_counted(s, s->reserved[i]);
        struct idset *ranks;
        s->nfixed += fixed;
        if (fixed == r->fixed)
            continue;
        unhold_reserved(s, s->reserved[i]);
        ranks = r->plan ? selection_ranks(r->plan) : NULL;
        drop_place(r);
        r->promise.ranks = ranks;
        r->fixed = fixed;
    }
    s->placed = true;
    if (is_counting(s))
        unplace(s);
}

/* --- one job -------------------------------------------------------------- */

/* Return whether a request failed at `when`: then it fails for longer jobs too.
 */
static bool has_failed(const struct failure *f, uint64_t when, double duration)
{
    return f->when == when
           && (duration <= 0 || (f->duration > 0 && duration >= f->duration));
}

static void note_failure(struct failure *f, uint64_t when,
                         const struct pending *job)
{
    if (!has_failed(f, when, job->duration))
        *f = (struct failure){when, job->duration};
}

/* Note the jobs that could not start even without any reservation. */
static void try_alone(struct pass *p)
{
    for (size_t i = 0; i < p->s->queues.nlist; i++) {
        struct queue_place at = {0};
        const struct queued *e;

        while ((e = queue_take(p->s->queues.list[i], &at))) {
            enum match_answer answer;
            struct diag d = {0};

            if (has_failed(&e->asks->alone, p->s->passes, e->duration))
                continue;
            selection_destroy(find_at(p, e->job, p->now, &answer, &d));
            if (answer == MATCH_NOT_NOW)
                note_failure(&e->job->asks->alone, p->s->passes, e->job);
        }
    }
}

/* Has a request failed in this pass, for all that has changed since? */
static bool fails(const struct pass *p, const struct cached_request *k,
                  double duration)
{
    return has_failed(&k->alone, p->s->passes, duration)
           || has_failed(&k->beside, p->s->epoch, duration);
}

/* Find units for a job that starts now. */
static struct selection *find_now(struct pass *p, struct pending *job,
                                  enum match_answer *answer, struct diag *d)
{
    struct scheduler *s = p->s;
    struct selection *plan;
    bool late = ends_too_late(p, job, p->now);

    *answer = MATCH_NOT_NOW;
    if (!late && is_counted(s, job) && first_nodes(p, job, p->now) > p->now)
        return NULL;
    if (is_counted(s, job) && is_counting(s)) {
        unplace(s);
    } else if (is_counting(s) && !s->placed && s->nreserved > 0) {
        if (!late && possible(p, job, p->now, false) > p->now)
            return NULL;
        plan = find_at(p, job, p->now, answer, d);
        if (!plan) {
            if (*answer == MATCH_NOT_NOW)
                note_failure(&job->asks->alone, s->passes, job);
            return NULL;
        }
        selection_destroy(plan);
        place(p);
    }
    return find_at(p, job, p->now, answer, d);
}

/* Start a job now, or deny it, if that delays no reservation that is held.
   Returns false if it has to wait. */
static bool start(struct pass *p, struct pending *job)
{
    enum match_answer answer;
    struct selection *plan;
    struct diag d = {0};

    if (!job->reserved && fails(p, job->asks, job->duration)
        && !ends_too_late(p, job, p->now))
        return false;
    plan = find_now(p, job, &answer, &d);
    if (!plan && answer == MATCH_NOT_NOW) {
        note_failure(&job->asks->beside, p->s->epoch, job);
        return false;
    }
    p->s->changes++;
    p->s->frees += p->s->hopeless; /* other nodes may be left for the rest */
    if (plan)
        serve_grant(p->s, job, plan);
    else
        serve_refuse(p->s, job, answer, &d);
    selection_destroy(plan);
    return true;
}

/* Find the first time for a job that asks for any nodes. */
static double first_time_for_nodes(struct pass *p, struct pending *job,
                                   double at)
{
    bool counting = is_counting(p->s), placed;
    struct promise trial;

    for (;;) {
        at = first_nodes(p, job, at);
        if (counting || at == INFINITY)
            return at;
        trial = promise_from(p, job, at);
        placed = usage_place(p->u, &trial);
        usage_unplace(&trial);
        if (placed)
            return at;
        at = usage_next_end(p->u, at);
    }
}

/*
 * Find the first time before `limit` for a job beside the held reservations,
 * which is not before `from`, and a plan for it, unless its reservation will be
 * a promise. INFINITY: there is none.
 */
static double first_time(struct pass *p, struct pending *job, double from,
                         double limit, struct selection **plan)
{
    struct match_options opts = serve_options(p->s);
    double soon = begin_of(p, p->now),
           at = fmax(fmax(soon, from), rset_starttime(p->s->rs));
    enum match_answer answer;
    struct diag d = {0};

    *plan = NULL;
    if (is_counted(p->s, job)) {
        at = first_time_for_nodes(p, job, at);
        return at > soon ? at : p->now;
    }
    if (is_counting(p->s) && !p->s->placed && p->s->nreserved > 0)
        place(p);
    at = possible(p, job, at, false);
    if (at < limit && from <= soon && usage_begins(p->u, at))
        at = possible(p, job, at, true);
    if (at < limit && !(*plan = find_at(p, job, at, &answer, &d))) {
        opts.start = at;
        job->asks->req->duration = job->duration;
        match_earliest(p->u, job->asks->req, &opts, plan, &at, &d);
    }
    return !*plan ? INFINITY : at > soon ? at : p->now;
}

/* Keep the reservation of a job as it is. */
static void keep_reserved(struct pass *p, struct pending *job)
{
    hold_reserved(p, job);
    job->queue->rule->given++;
    job->queue->given = true;
}

/*
 * Give a job that has to wait a reservation, or move the one that it has: for
 * the first time that delays no reservation that is held. With `must_move` its
 * own time, or units, can't be kept.
 */
static void reserve(struct pass *p, struct pending *job, double from,
                    bool must_move)
{
    struct scheduler *s = p->s;
    struct reservation *r = job->reserved;
    bool bound = r && !must_move;
    struct selection *plan;
    double at = first_time(p, job, from, bound ? r->at : INFINITY, &plan),
           before = r ? r->at : TIME_UNSET;

    if (at == INFINITY && !bound) {
        serve_tell_estimate(s, job, TIME_UNSET);
        backfill_forget(s, job);
        s->hopeless = true;
        return;
    }
    if (bound && at >= r->at) {
        selection_destroy(plan);
    } else {
        if (r) { /* others may use its old units */
            s->frees++;
            s->epoch++;
        } else {
            r = add_reservation(s, job);
        }
        r->at = at;
        drop_place(r);
        r->plan = plan;
    }
    keep_reserved(p, job);
    if (before < r->at || before > r->at)
        scheduler_log(s, LEVEL_DEBUG, "job %lld: reserved from %s",
                      (long long)job->id, time_utc(r->at).text);
}

/* May a job of a queue get a reservation? */
static bool is_entitled(const struct pass *p, const struct queue *q)
{
    const struct queue_rule *rule = q->rule;

    return rule->policy == QUEUE_EASY
               ? !q->given
               : rule->policy == QUEUE_CONSERVATIVE
                     && rule->given
                            < (rule->depth ? rule->depth : p->s->options.depth);
}

/*
 * Return a time before which a job with a reservation can't start; at most that
 * of its reservation. Is there too little for each earlier time until its end,
 * and, without its own units, just before its own time? Then numbers suffice.
 */
static double not_before(struct pass *p, const struct pending *job)
{
    struct match_options opts = serve_options(p->s);
    struct request *req = job->asks->req;
    double at = job->reserved->at, before = nextafter(at, 0), from;
    int64_t nodes = job->asks->any_nodes;
    struct job *own;

    if (!job->reserved->fixed) {
        from = usage_first_nodes(p->u, nodes, p->now, job->duration);
        if (from >= at)
            from = usage_first_nodes(p->u, nodes, before, at - before);
        return from < at ? p->now : at;
    }
    req->duration = job->duration;
    from = match_possible(p->u, req, &opts, p->now, false);
    req->duration = at - before;
    if (from >= at && match_possible(p->u, req, &opts, before, false) >= at)
        return at;
    own = job_find(p->u, job_name(job->id).text);
    req->duration = lasts(p, job, p->now);
    usage_leave_out(p->u, own, true);
    from = match_possible(p->u, req, &opts, p->now, true);
    usage_leave_out(p->u, own, false);
    return fmin(from, at);
}

/* Return whether a job is behind others that it must not overtake. */
static bool is_behind(const struct pending *job)
{
    return job->queue->rule->policy == QUEUE_FCFS
           && (job->queue->closed || job != queue_first(job->queue));
}

/* Serve one job. Returns false if it has to wait. */
static bool consider(struct pass *p, struct pending *job)
{
    struct scheduler *s = p->s;
    struct reservation *r = job->reserved;
    bool lost = r && !r->held, fresh = job->fresh, yield = fresh || lost,
         waits = r && !yield && !ends_too_late(p, job, p->now);
    double from = p->now;

    if (is_behind(job)) {
        job->fresh = false;
        serve_tell_behind(s, job);
        return false;
    }
    if (waits && r->at > p->now && is_entitled(p, job->queue)) {
        from = not_before(p, job);
        if (from >= r->at) {
            keep_reserved(p, job);
            return false;
        }
    }
    if (r && is_counting(s))
        unplace(s);
    unhold_reserved(s, job);
    job->fresh = false;
    if (yield && s->nreserved > 0
        && pending_before(job, s->reserved[s->nreserved - 1])) {
        unhold_later(p, job);
        s->epoch++;
    }
    if (from <= p->now && start(p, job)) {
        if (yield)
            hold_others(p, NULL);
        return true;
    }
    job->queue->closed = true;
    if (!is_entitled(p, job->queue)) {
        serve_tell_estimate(s, job, TIME_UNSET);
        backfill_forget(s, job);
    } else if (r && !lost && !p->full) {
        keep_reserved(p, job);
    } else {
        reserve(p, job, from, lost);
    }
    if (yield)
        hold_others(p, job);
    if (fresh)
        serve_tell_behind(s, job);
    return false;
}

/* --- a pass --------------------------------------------------------------- */

/* List the jobs that are new or have risen. */
static void list_fresh(struct pass *p)
{
    struct scheduler *s = p->s;

    for (size_t i = 0; i < s->nfresh; i++) {
        struct pending *job = queues_find(&s->queues, s->fresh[i]);
        if (!job || !job->fresh)
            continue;
        VECTOR_GROW(p->fresh, p->nfresh);
        p->fresh[p->nfresh++] = job;
    }
    s->nfresh = 0;
    if (p->nfresh > 1)
        qsort(p->fresh, p->nfresh, sizeof(struct pending *), compare_jobs);
}

/* Return the next job of a queue that has not surely to wait as it did. Others
   are not even touched. */
static struct pending *next_of(struct pass *p, struct queue *q)
{
    double end = rset_expiration(p->s->rs);
    const struct queued *e;
    struct queue_place at;

    if (q->rule->policy == QUEUE_FCFS && q->closed)
        return NULL;
    if (q->seen != p->s->epoch)
        q->next = queue_find(q, &p->last);
    q->seen = p->s->epoch;
    for (at = q->next; (e = queue_take(q, &at)); q->next = at)
        if ((is_entitled(p, q) || q->rule->policy == QUEUE_FCFS
             || !fails(p, e->asks, e->duration)
             || (end >= 0 && p->now + e->duration > end))
            && e->job->id != p->last.id)
            return e->job;
    return NULL;
}

/* Return the next job that is to be looked at, in the order of all queues, or
   NULL. */
static struct pending *next_candidate(struct pass *p)
{
    struct scheduler *s = p->s;
    struct pending *next = NULL, *job;
    size_t i = 0;

    if (p->i < p->nfresh)
        next = p->fresh[p->i];
    if (!p->full)
        return next;
    while (i < s->nreserved && p->last.queue
           && !pending_before(&p->last, s->reserved[i]))
        i++;
    if (i < s->nreserved && (!next || pending_before(s->reserved[i], next)))
        next = s->reserved[i];
    for (i = 0; i < s->queues.nlist; i++)
        if ((job = next_of(p, s->queues.list[i]))
            && (!next || pending_before(job, next)))
            next = job;
    return next;
}

/* Return whether the pass has not come to its end. */
static bool is_more(const struct pass *p)
{
    const struct queues *q = &p->s->queues;
    bool more = p->i < p->nfresh;

    for (size_t i = 0; i < q->nlist && p->full && !more; i++) {
        struct queue_place at = queue_find(q->list[i], &p->last);
        more = queue_take(q->list[i], &at);
    }
    return more;
}

/* Return whether only new jobs have to be looked at: nothing came free, and no
   reservation is to be given to a job before one that has it. */
static bool is_light(const struct pass *p)
{
    const struct scheduler *s = p->s;

    if (s->frees != s->pass_frees)
        return false;
    return p->nfresh == 0 || s->nreserved == 0
           || !pending_before(p->fresh[0], s->reserved[s->nreserved - 1]);
}

/* Count the reservations that stay in a light pass. */
static void count_given(struct pass *p)
{
    for (size_t i = 0; i < p->s->queues.nlist; i++) {
        p->s->queues.list[i]->given = false;
        p->s->queues.list[i]->closed = false;
        p->s->queues.list[i]->next = (struct queue_place){0};
        p->s->queues.list[i]->seen = p->s->epoch;
    }
    for (size_t i = 0; i < p->s->queues.rules.n; i++)
        p->s->queues.rules.list[i].given = 0;
    for (size_t i = 0; i < p->s->nreserved && !p->full; i++) {
        p->s->reserved[i]->queue->given = true;
        p->s->reserved[i]->queue->rule->given++;
    }
}

/* Return whether a reservation waits for a job whose end has passed. It stands
   at now. */
static bool is_overdue(const struct pass *p)
{
    bool overdue = false;

    for (size_t i = 0; i < p->s->nreserved; i++) {
        struct reservation *r = p->s->reserved[i]->reserved;
        overdue |= r->at <= p->now;
        r->at = fmax(r->at, p->now);
    }
    return overdue;
}

void backfill_pass(struct scheduler *s)
{
    struct pass p = {.s = s, .u = s->u, .now = scheduler_now(s)};
    uint32_t left = s->options.burst;
    bool overdue, again;
    struct pending *job;

    if (s->nreserved > 1)
        qsort(s->reserved, s->nreserved, sizeof(struct pending *),
              compare_jobs);
    choose_way(s);
    list_fresh(&p);
    overdue = is_overdue(&p);
    p.full = overdue || !is_light(&p);
    if (p.full) {
        again = overdue;
        for (size_t i = 0; i < s->nreserved; i++)
            again |= !s->reserved[i]->reserved->held;
        for (size_t i = 0; i < s->nreserved && again; i++)
            unhold_reserved(s, s->reserved[i]);
        s->epoch++;
        s->passes++;
        s->hopeless = false;
        if (!is_counting(s) && again)
            try_alone(&p);
    }
    s->pass_frees = s->frees;
    count_given(&p);
    job = next_candidate(&p);
    if (job)
        hold_others(&p, NULL);
    for (; job; job = next_candidate(&p)) {
        p.last = *job;
        job->queue->seen = 0;
        p.i += p.i < p.nfresh && p.fresh[p.i] == job;
        if (!consider(&p, job) || left == 0 || --left > 0)
            continue;
        s->more = is_more(&p);
        s->frees += s->more; /* the rest is looked at in a pass of its own */
        for (; p.i < p.nfresh; p.i++)
            s->fresh[s->nfresh++] = p.fresh[p.i]->id;
        break;
    }
    free(p.fresh);
    if (is_counting(s))
        unplace(s);
    /* A store is written from the ledger: it must not have claims. */
    for (size_t i = 0; i < s->nreserved && s->keeper; i++)
        if (s->reserved[i]->reserved->fixed)
            unhold_reserved(s, s->reserved[i]);
}

void backfill_tell(struct scheduler *s)
{
    for (size_t i = 0; i < s->nreserved; i++)
        serve_tell_estimate(s, s->reserved[i], s->reserved[i]->reserved->at);
}
