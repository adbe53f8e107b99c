/*
 * Goes through the jobs in their order (planner.h). Reservations of jobs after
 * the one at hand yield to it only if it is new, has risen, had no possible
 * time, or if its own time can't be kept. Their time is then found anew, in
 * their turn. If nothing came free since the last pass, only new jobs are
 * looked at.
 */
#include <stdlib.h>

#include "base/memory.h"
#include "model/records/jobs.h"
#include "model/records/usage.h"
#include "schedule/planner_private.h"

enum { DEPTH = 64 }; /* reservations of rules without a depth */

/* --- jobs and resources --------------------------------------------------- */

static void take_options(struct planner *p,
                         const struct planner_options *options)
{
    p->options = *options;
    p->queues = options->queues;
    p->how = options->how;
    if (p->options.depth == 0)
        p->options.depth = DEPTH;
}

struct planner *planner_create(const struct planner_options *options)
{
    struct planner *p = xcalloc(1, sizeof(*p));

    take_options(p, options);
    p->epoch = p->passes = p->whole = p->gained = 1;
    return p;
}

void planner_destroy(struct planner *p)
{
    if (!p)
        return;
    reservations_fini(p);
    map_fini(&p->waited);
    free(p->risen);
    free(p->fresh);
    free(p->heap.list);
    free(p->estimated);
    free(p->lost);
    free(p);
}

void planner_configure(struct planner *p, const struct planner_options *options,
                       struct queue_rules *rules)
{
    while (p->nreserved > 0)
        planner_unreserve(p, p->reserved[0]);
    take_options(p, options);
    queues_follow(p->queues, rules);
    p->generation++;
    planner_freed(p);
}

void planner_renew(struct planner *p, struct usage *u, const struct idset *gone)
{
    p->u = u;
    p->gone = gone;
    p->generation++;
    planner_freed(p);
}

/* Note a job that is new or has risen in priority. */
static void note_fresh(struct planner *p, struct pending *job)
{
    if (job->fresh)
        return;
    job->fresh = true;
    VECTOR_ADD(p->risen, p->nrisen, job->id);
}

void planner_add(struct planner *p, struct pending *job)
{
    queues_add(p->queues, job);
    note_fresh(p, job);
}

void planner_move(struct planner *p, struct pending *job, uint32_t priority)
{
    if (priority > job->priority)
        note_fresh(p, job);
    if (priority != job->priority) {
        p->frees++; /* other jobs may get reservations, or be the first */
        p->moved |= job->reserved != NULL;
    }
    queues_move(job, priority);
}

void planner_remove(struct planner *p, struct pending *job)
{
    reservation_forget(p, job);
    queues_remove(p->queues, job);
}

struct waited {
    uint32_t priority;
    bool is_back;
    double at;
};

void planner_waited(struct planner *p, int64_t id, uint32_t priority, double at)
{
    struct waited *was = arena_alloc(&p->waited.arena, sizeof(*was));

    *was = (struct waited){.priority = priority, .at = at};
    map_at(&p->waited, &id, sizeof(id))->value.pointer = was;
}

void planner_freed(struct planner *p)
{
    p->frees++;
    p->gained++;
    p->changes++;
}

struct planned_request *planned(struct cached_request *k)
{
    if (!k->planned)
        k->planned = xcalloc(1, sizeof(*k->planned));
    return k->planned;
}

double planner_end(const struct planner *p, const struct pending *job,
                   double start)
{
    return job->duration > 0 ? start + job->duration
                             : rset_expiration(usage_rset(p->u));
}

int planner_compare_jobs(const void *a, const void *b)
{
    return pending_before(*(struct pending *const *)a,
                          *(struct pending *const *)b)
               ? -1
               : 1;
}

int planner_compare_times(const void *a, const void *b)
{
    double x = (*(struct pending *const *)a)->reserved->at,
           y = (*(struct pending *const *)b)->reserved->at;

    return x < y ? -1 : x > y ? 1 : planner_compare_jobs(a, b);
}

/* --- a pass --------------------------------------------------------------- */

/* If a job waited before the service began again, it is not new, unless it has
   risen, and gets the reservation that it had. */
static void recall(struct planner *p, struct pending *job)
{
    struct waited *was = map_get(&p->waited, &job->id, sizeof(job->id));

    if (!was || was->is_back)
        return;
    was->is_back = true;
    if (was->at >= 0 && !job->reserved
        && job->queue->rule->policy != QUEUE_FCFS) {
        reservation_add(p, job);
        job->reserved->at = job->reserved->base = fmax(was->at, p->how->now);
        p->displaced = true;
    }
    job->fresh = job->priority > was->priority;
    p->frees++;
}

/* List the jobs that are new or have risen. */
static void list_fresh(struct planner *p)
{
    p->nfresh = p->next = 0;
    for (size_t i = 0; i < p->nrisen; i++) {
        struct pending *job = queues_find(p->queues, p->risen[i]);
        if (!job || !job->fresh)
            continue;
        recall(p, job);
        VECTOR_ADD(p->fresh, p->nfresh, job);
    }
    p->nrisen = 0;
    VECTOR_SORT(p->fresh, p->nfresh, planner_compare_jobs);
}

/* Return the next job of a queue that has not surely to wait as it did. Others
   are not even touched. */
static struct pending *next_of(struct planner *p, struct queue *q)
{
    double end = rset_expiration(usage_rset(p->u));
    const struct queued *e;
    struct queue_place at;

    if (q->rule->policy == QUEUE_FCFS && q->closed)
        return NULL;
    if (q->seen != p->epoch)
        q->next = queue_find(q, &p->last);
    q->seen = p->epoch;
    for (at = q->next; (e = queue_step(q, &at)); q->next = at)
        if ((planner_is_entitled(p, q) || q->rule->policy == QUEUE_FCFS
             || !planner_fails(p, e->request, e->duration)
             || (end >= 0 && p->how->now + e->duration > end))
            && e->job->id != p->last.id)
            return e->job;
    return NULL;
}

/* Return the first of the next jobs of all queues, or NULL. */
static struct pending *next_of_all(struct planner *p)
{
    struct queue_heap *h = &p->heap;
    struct pending *job = NULL;

    if (p->heaped != p->epoch) {
        h->n = 0;
        for (size_t i = 0; i < p->queues->nlist; i++)
            if ((job = next_of(p, p->queues->list[i])))
                queue_heap_add(h, p->queues->list[i], job);
        p->heaped = p->epoch;
    }
    while (h->n > 0 && (job = next_of(p, h->list[0])) != h->list[0]->candidate)
        queue_heap_next(h, job);
    return h->n > 0 ? job : NULL;
}

/* Return the next job that is to be looked at, in the order of all queues, or
   NULL: it is new, has a reservation, or is the first of the others. */
static struct pending *next_candidate(struct planner *p)
{
    struct pending *next = p->next < p->nfresh ? p->fresh[p->next] : NULL,
                   *other = p->full ? next_of_all(p) : NULL;
    size_t i = VECTOR_SEEK(k, 0, p->last.queue ? p->nreserved : 0,
                           !pending_before(&p->last, p->reserved[k]));

    while (i < p->nreserved && !p->full && !p->reserved[i]->reserved->due)
        i++;
    if (i < p->nreserved && (!next || pending_before(p->reserved[i], next)))
        next = p->reserved[i];
    return other && (!next || pending_before(other, next)) ? other : next;
}

/* Return whether the pass has not come to its end. */
static bool is_more(const struct planner *p)
{
    const struct queues *q = p->queues;
    bool more = p->next < p->nfresh;

    for (size_t i = 0; i < q->nlist && p->full && !more; i++) {
        struct queue_place at = queue_find(q->list[i], &p->last);
        more = queue_step(q->list[i], &at);
    }
    return more;
}

/* Return whether only new jobs have to be looked at: nothing came free, and no
   reservation is to be given to a job before one that has it, or would have it
   if a time were possible. */
static bool is_light(const struct planner *p)
{
    if (p->frees != p->pass_frees)
        return false;
    return p->nfresh == 0
           || (!planner_is_before_any(p, p->fresh[0])
               && !(p->hopeless
                    && pending_before(p->fresh[0], &p->last_timeless)));
}

/* Count the reservations that stay in a light pass. */
static void count_reserved(struct planner *p)
{
    for (size_t i = 0; i < p->queues->nlist; i++) {
        p->queues->list[i]->has_reservation = false;
        p->queues->list[i]->closed = false;
        p->queues->list[i]->next = (struct queue_place){0};
        p->queues->list[i]->seen = p->epoch;
    }
    for (size_t i = 0; i < p->queues->rules.n; i++)
        p->queues->rules.list[i].in_use = 0;
    for (size_t i = 0; i < p->nreserved && !p->full; i++) {
        p->reserved[i]->queue->has_reservation = true;
        p->reserved[i]->queue->rule->in_use++;
    }
}

/* Return until when a start of a reservation that waits for late jobs is held:
   until its slack is used up, then in steps of the slack, at the same times for
   all. So nothing has to be found anew in between. */
static double latest_of(const struct planner *p, const struct reservation *r)
{
    double now = p->how->now, slack = p->options.slack;

    return r->base + slack >= now ? r->base + slack
           : slack > 0            ? now + slack - fmod(now, slack)
                                  : now;
}

/* Let the reservations whose time has come stand at now. Return whether there
   are any: they wait for a job whose end has passed, unless that has just been
   freed. *late gets the longest time by which one of them has moved. */
static bool is_overdue(struct planner *p, double *late)
{
    double now = p->how->now;
    bool overdue = false, freed = p->frees != p->pass_frees;

    *late = 0;
    for (size_t i = 0; i < p->nreserved; i++)
        overdue |= p->reserved[i]->reserved->at <= now;
    if (overdue && freed)
        planner_unhold(p);
    for (size_t i = 0; i < p->nreserved && overdue; i++) {
        struct reservation *r = p->reserved[i]->reserved;
        double before = fmax(r->at, r->latest);
        bool starts;
        if (r->at > now || (r->latest > now && !freed))
            continue;
        reservation_unhold(p, p->reserved[i]);
        starts = freed && can_start(p, p->reserved[i]);
        if (starts || r->latest <= now) {
            r->due = r->at > p->pass_now;
            r->latest = r->at < now && !starts ? latest_of(p, r) : now;
            r->at = now;
            *late = fmax(*late, r->latest - before);
        }
        if (freed)
            reservation_hold(p, p->reserved[i]);
    }
    return overdue;
}

static int compare_bases(const void *a, const void *b)
{
    double x = (*(struct pending *const *)a)->reserved->base,
           y = (*(struct pending *const *)b)->reserved->base;

    return x < y ? -1 : x > y ? 1 : planner_compare_jobs(a, b);
}

/* If one of the reservations whose time has come can't be held, and one may
   move, hold them anew, in the order of their times. */
static void hold_by_base(struct planner *p)
{
    struct pending **list;
    bool lost = false, moves = false;

    for (size_t i = 0; i < p->nreserved; i++) {
        const struct reservation *r = p->reserved[i]->reserved;
        if (r->at > p->how->now)
            continue;
        lost |= !r->held;
        moves |= r->base + p->options.slack > p->how->now;
    }
    if (!lost || !moves)
        return;
    planner_unhold(p);
    list = reservations_by(p, compare_bases);
    for (size_t i = 0; i < p->nreserved; i++)
        if (list[i]->reserved->at <= p->how->now)
            reservation_hold(p, list[i]);
    free(list);
}

/* Move reservations that can't be kept by the time that others are late, but
   none by more than the slack in sum. In the order of their times, so that each
   has the earlier ones beside it as they are now; or in another order, if one
   finds no units. */
static void delay_others(struct planner *p, double late)
{
    struct pending **list;
    int tried = 0;

    hold_by_base(p);
    for (size_t i = 0; i < p->nreserved; i++)
        if (p->reserved[i]->reserved->at > p->how->now)
            reservation_unhold(p, p->reserved[i]);
    list = reservations_by(p, planner_compare_times);
    for (size_t i = 0; i < p->nreserved; i++) {
        struct reservation *r = list[i]->reserved;
        double by = fmin(late, r->base + p->options.slack - r->at);
        reservation_hold(p, list[i]);
        if (r->held)
            continue;
        if (by > 0) {
            planner_freed(p);
            r->at += by;
            r->barred = 0; /* that was found for earlier starts */
            p->options.reserved(p->options.arg, list[i], r->at);
            reservation_hold(p, list[i]);
        }
        if (!r->held && reservations_again(p, list, i, &tried))
            i = SIZE_MAX; /* from the first one on */
    }
    free(list);
}

/* Go once through the jobs. Returns false if the pass ends before all were
   looked at. */
static bool go_through(struct planner *p)
{
    struct pending *job;
    bool moves, ended = true;
    double late;

    if (p->moved)
        qsort(p->reserved, p->nreserved, sizeof(struct pending *),
              planner_compare_jobs);
    p->moved = false;
    if (!p->queues->fcfs) {
        usage_set_now(p->u, p->how->now);
        reservations_survey(p);
    }
    list_fresh(p);
    if (p->nfresh == 0 && p->frees == p->pass_frees
        && p->how->now == p->pass_now)
        return true;
    /* As long as all can be held, and no job is late that was not late before,
       nothing comes free for others. */
    moves = is_overdue(p, &late);
    if (moves && reservations_hold(p))
        moves = usage_next_end(p->u, p->pass_now) <= p->how->now;
    else if (moves)
        delay_others(p, late);
    p->full = moves || !is_light(p);
    if (p->full) {
        for (size_t i = 0; i < p->nreserved; i++)
            moves |= !p->reserved[i]->reserved->held;
        for (size_t i = 0; i < p->nreserved && moves; i++)
            reservation_unhold(p, p->reserved[i]);
        p->epoch++;
        p->passes++;
        p->hopeless = false;
    }
    p->pass_frees = p->frees;
    p->pass_now = p->how->now;
    count_reserved(p);
    p->last = (struct pending){0};
    p->heaped = 0;
    job = next_candidate(p);
    if (job)
        reservations_hold(p);
    for (; job; job = next_candidate(p)) {
        p->last = *job;
        job->queue->seen = 0;
        p->next += p->next < p->nfresh && p->fresh[p->next] == job;
        if ((!planner_consider(p, job) || p->left == 0 || --p->left > 0)
            && !planner_stopped(p))
            continue;
        ended = !is_more(p) && !planner_stopped(p);
        p->frees += !ended; /* the rest is looked at in a pass of its own */
        for (; p->next < p->nfresh; p->next++)
            p->risen[p->nrisen++] = p->fresh[p->next]->id;
        break;
    }
    if (p->yielded)
        reservations_hold(p);
    p->yielded = false;
    reservations_unplace(p);
    if (p->full && ended)
        p->whole = p->passes;
    return ended;
}

/* A pass ends after so many rounds, even if something still changes. It never
   came to that. */
enum { ROUNDS_MOST = 100 };

/* How many parts a pass may search in planner_exchange(), and how many can be
   saved for later passes. */
enum { EFFORT = 200, EFFORT_MOST = 5000 };

bool planner_pass(struct planner *p)
{
    int rounds = 0;
    bool ended;

    p->effort = p->effort + EFFORT < EFFORT_MOST ? p->effort + EFFORT
                                                 : EFFORT_MOST;
    p->left = p->options.burst;
    do
        ended = go_through(p);
    while (ended && p->frees != p->pass_frees && ++rounds < ROUNDS_MOST);
    if (ended) {
        planner_explain(p);
        planner_estimate(p);
    }
    return !ended;
}
