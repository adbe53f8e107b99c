/*
 * The policies of queues. Under fcfs no job overtakes the first one. Under easy
 * and conservative jobs that have to wait get reservations, and others start
 * before them only if no reservation is delayed.
 *
 * A reservation promises a time. If all of them ask for equal parts of nodes,
 * whole nodes or slots, or for parts of other nodes, only numbers count: each
 * is a number over time (usage_promise()), and a job of such a kind starts, or
 * gets a reservation, if the numbers allow it. That is exact, since what is
 * free in a node only grows. Other jobs have to see which units are meant. For
 * them the promises get places, in the order of their times. As soon as one of
 * them gets a reservation, the places are fixed: whole nodes, wherever they
 * lie, are left out by the matcher, and other units are claimed in the ledger.
 * A job that does not fit beside the places starts if all of them can be found
 * anew (exchange()). Claims and promises are taken back before anybody else
 * looks at the ledger (backfill_unhold()); a pass holds them again.
 *
 * A pass goes through the jobs in their order. Reservations of jobs after the
 * one at hand yield to it only if it is new, has risen, had no possible time,
 * or if its own time can't be kept. Their time is then found anew, in their
 * turn. If nothing came free since the last pass, only new jobs are looked at.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/time.h"
#include "model/records/jobs.h"
#include "protocol/scheduler_private.h"
#include "schedule/plan.h"

/* A kind of parts of nodes, and the number of reservations of it. */
struct known_kind {
    struct part_kind kind;
    bool any_nodes; /* whole nodes, wherever they lie */
    size_t used;
};

struct reservation {
    double at;   /* when the job will start. At most now: when a job is gone
                    whose end has passed */
    double base; /* the time without what late jobs have added to it */
    struct known_kind *kind; /* NULL: none */
    bool fixed;              /* it is held by claims, otherwise by a promise */
    bool claimed;            /* it is held by claims now */
    struct promise promise;  /* the number, and perhaps its place */
    struct selection *plan;  /* units to claim; NULL: not known */
    bool held;               /* it is sure that the time can be kept */
    bool due;                /* the time has come since the last pass */
};

struct backfill {
    struct pending **reserved; /* jobs with reservations, in their order */
    int64_t *fresh;            /* ids of jobs that are new or have risen */
    size_t nreserved, nfresh;
    uint64_t pass_frees;    /* the scheduler's `frees` at the last pass */
    uint64_t epoch, passes; /* count the events after which a request that
                               failed may succeed; full passes */
    double pass_now;        /* the time of the last pass */
    int64_t effort; /* that exchange() may still spend: parts to be found */
    struct known_kind **kinds; /* that jobs ask for, in this generation */
    size_t nkinds;
    size_t nodd;       /* reservations without a kind */
    uint64_t surveyed; /* `generation` at which `countable` was found */
    bool countable;    /* only nodes can be down */
    bool counts;       /* nodes can be counted over time */
    bool counting;     /* so are all reservations */
    bool placed;       /* promises have places, though only numbers count */
    bool hopeless;     /* some job has no reservation as no time is possible */
};

struct pass {
    struct scheduler *s;
    struct usage *u;
    double now;
    bool full;              /* all jobs are looked at, and not only new ones */
    struct pending **fresh; /* new jobs, in their order */
    size_t nfresh, i;       /* the next one */
    struct queue_heap heap; /* of queues with candidates, at this epoch */
    uint64_t heaped;
    struct pending last; /* a copy of the job that was looked at last; all
                            zeros: none yet */
};

/* --- kinds ---------------------------------------------------------------- */

enum { KINDS_MOST = 256 };

/* Return the known kind that is equal to another one, whose set is taken over.
   NULL: there are too many. */
static struct known_kind *know_kind(struct scheduler *s, struct part_kind *kind)
{
    const struct types *t = usage_types(s->u);
    size_t i = 0;

    while (i < s->bf->nkinds && !part_kind_equal(&s->bf->kinds[i]->kind, kind))
        i++;
    if (i < s->bf->nkinds || i == KINDS_MOST) {
        idset_destroy(kind->in);
        return i < s->bf->nkinds ? s->bf->kinds[i] : NULL;
    }
    VECTOR_GROW(s->bf->kinds, s->bf->nkinds);
    s->bf->kinds[s->bf->nkinds] = xcalloc(1, sizeof(**s->bf->kinds));
    *s->bf->kinds[s->bf->nkinds] = (struct known_kind){
        .kind = *kind,
        .any_nodes = !kind->in
                     && kind->each.at[0].row
                            == t->count + (unsigned)types_node(t)};
    return s->bf->kinds[s->bf->nkinds++];
}

static void forget_kinds(struct scheduler *s)
{
    for (size_t i = 0; i < s->bf->nkinds; i++) {
        idset_destroy(s->bf->kinds[i]->kind.in);
        free(s->bf->kinds[i]);
    }
    s->bf->nkinds = 0;
}

/* Return the kind of parts that a job asks for, or NULL. */
static struct known_kind *kind_of(struct scheduler *s,
                                  const struct pending *job)
{
    struct match_options opts = serve_options(s);
    struct cached_request *k = job->asks;
    struct part_kind kind;

    if (k->counted == s->generation)
        return k->kind;
    k->counted = s->generation;
    k->times = match_kind(s->u, k->req, &opts, &kind);
    if (kind.in
        && idset_count(kind.in) + idset_count(s->gone)
               == idset_count(s->rs->ranks)) {
        idset_destroy(kind.in);
        kind.in = NULL;
    }
    return k->kind = k->times > 0 ? know_kind(s, &kind) : NULL;
}

/* Can two kinds be counted side by side: are they equal, or in different nodes?
 */
static bool goes_with(const struct known_kind *a, const struct known_kind *b)
{
    return a == b
           || (a->kind.in && b->kind.in
               && !idset_overlaps(a->kind.in, b->kind.in));
}

/* Can a kind be counted side by side with those of all reservations? */
static bool goes_with_all(const struct scheduler *s,
                          const struct known_kind *kind)
{
    for (size_t i = 0; i < s->bf->nkinds; i++)
        if (s->bf->kinds[i]->used > 0 && !goes_with(kind, s->bf->kinds[i]))
            return false;
    return true;
}

/* Find out whether all reservations are numbers. */
static bool find_counting(const struct scheduler *s)
{
    for (size_t i = 0; i < s->bf->nkinds; i++)
        if (s->bf->kinds[i]->used > 0 && !goes_with_all(s, s->bf->kinds[i]))
            return false;
    return s->bf->counts && s->bf->nodd == 0;
}

/* Is the reservation of a job a promise of a number? If all are counting, then
   only numbers decide whether the job delays one. */
static bool is_counted(struct scheduler *s, const struct pending *job)
{
    struct known_kind *kind = s->bf->counts ? kind_of(s, job) : NULL;

    return kind && (s->bf->counting ? goes_with_all(s, kind) : kind->any_nodes);
}

/* --- reservations --------------------------------------------------------- */

/* Drop the units or the place that a reservation would take. */
static void drop_place(struct reservation *r)
{
    selection_destroy(r->plan);
    r->plan = NULL;
    usage_unplace(&r->promise);
}

/* Let a reservation hold nothing. */
static void unhold_reserved(struct scheduler *s, const struct pending *job)
{
    struct reservation *r = job->reserved;

    if (!r || !r->held)
        return;
    r->held = false;
    if (r->claimed)
        ledger_release(s->u, job_name(job->id).text);
    else
        usage_take_back(s->u, &r->promise);
    r->claimed = false;
}

/* Return when a reservation needs its units. One that waits for jobs whose end
   has passed needs them just after now: then they count as gone. */
static double begin_of(double now, double at)
{
    return at > now ? at : nextafter(now, INFINITY);
}

/* Return the end of a job that begins at a time; INFINITY: it is endless. From
   just after now it ends at the same time as from now on. */
static double end_of(double now, const struct pending *job, double from)
{
    return job->duration > 0
               ? (from <= begin_of(now, now) ? now : from) + job->duration
               : INFINITY;
}

/* Return the promise that a job gets from a time on. */
static struct promise promise_from(double now, const struct pending *job,
                                   double from)
{
    return (struct promise){.kind = &job->asks->kind->kind,
                            .times = job->asks->times,
                            .from = from,
                            .to = end_of(now, job, from)};
}

/* Set the promise of a reservation to its time now. The place stays. */
static void set_promise(struct scheduler *s, const struct pending *job)
{
    struct reservation *r = job->reserved;
    double now = scheduler_now(s);
    struct idset *ranks = r->promise.ranks;

    r->promise = promise_from(now, job, begin_of(now, r->at));
    r->promise.ranks = ranks;
}

/* Hold a reservation by a number that is known to be possible. */
static void hold_number(struct scheduler *s, const struct pending *job)
{
    set_promise(s, job);
    job->reserved->held = true;
    usage_promise(s->u, &job->reserved->promise);
}

/* Forget the places of promises, if only numbers count. */
static void unplace(struct scheduler *s)
{
    for (size_t i = 0; i < s->bf->nreserved && s->bf->placed; i++) {
        struct reservation *r = s->bf->reserved[i]->reserved;
        if (r->claimed) {
            unhold_reserved(s, s->bf->reserved[i]);
            hold_number(s, s->bf->reserved[i]);
        }
        drop_place(r);
    }
    s->bf->placed = false;
}

/* After a change of the reservations: if only numbers count now, all become
   numbers; if they don't any more, their places are fixed. */
static void follow_kinds(struct scheduler *s)
{
    bool before = s->bf->counting;

    s->bf->counting = find_counting(s);
    if (s->bf->counting == before)
        return;
    for (size_t i = 0; i < s->bf->nreserved; i++) {
        struct reservation *r = s->bf->reserved[i]->reserved;
        r->fixed = !s->bf->counting && !(r->kind && r->kind->any_nodes);
        if (r->held && r->fixed && !r->claimed)
            unhold_reserved(s, s->bf->reserved[i]); /* it had no place */
    }
    s->bf->placed = s->bf->counting;
}

struct backfill *backfill_create(void)
{
    struct backfill *b = xcalloc(1, sizeof(*b));

    b->epoch = b->passes = 1;
    return b;
}

void backfill_note(struct scheduler *s, struct pending *job)
{
    if (job->fresh)
        return;
    job->fresh = true;
    VECTOR_GROW(s->bf->fresh, s->bf->nfresh);
    s->bf->fresh[s->bf->nfresh++] = job->id;
}

void backfill_forget(struct scheduler *s, struct pending *job)
{
    size_t i = 0;

    if (!job->reserved)
        return;
    unhold_reserved(s, job);
    while (s->bf->reserved[i] != job)
        i++;
    memmove(&s->bf->reserved[i], &s->bf->reserved[i + 1],
            (--s->bf->nreserved - i) * sizeof(struct pending *));
    job->queue->reserved--;
    job->queue->rule->reserved--;
    s->bf->nodd -= !job->reserved->kind;
    if (job->reserved->kind)
        job->reserved->kind->used--;
    follow_kinds(s);
    if (s->bf->counting)
        unplace(s);
    drop_place(job->reserved);
    free(job->reserved);
    job->reserved = NULL;
    s->frees++;
    s->bf->epoch++; /* requests that failed in this pass may fit now */
}

void backfill_end(struct scheduler *s)
{
    for (size_t i = 0; i < s->bf->nreserved; i++) {
        drop_place(s->bf->reserved[i]->reserved);
        free(s->bf->reserved[i]->reserved);
    }
    forget_kinds(s);
    free(s->bf->kinds);
    free(s->bf->reserved);
    free(s->bf->fresh);
    free(s->bf);
}

void backfill_forget_all(struct scheduler *s)
{
    while (s->bf->nreserved > 0) {
        serve_tell_estimate(s, s->bf->reserved[0], TIME_UNSET);
        backfill_forget(s, s->bf->reserved[0]);
    }
}

void backfill_unhold(struct scheduler *s)
{
    for (size_t i = 0; i < s->bf->nreserved; i++)
        unhold_reserved(s, s->bf->reserved[i]);
}

void backfill_unclaim(struct scheduler *s)
{
    for (size_t i = 0; i < s->bf->nreserved; i++)
        if (s->bf->reserved[i]->reserved->claimed)
            unhold_reserved(s, s->bf->reserved[i]);
}

void backfill_lose_plans(struct scheduler *s)
{
    backfill_unhold(s);
    for (size_t i = 0; i < s->bf->nreserved; i++)
        drop_place(s->bf->reserved[i]->reserved);
    s->bf->placed = false;
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

/* Note the kind of a new reservation. */
static void count_kind(struct scheduler *s, struct pending *job)
{
    struct known_kind *kind = kind_of(s, job);

    job->reserved->kind = kind;
    s->bf->nodd += !kind;
    if (kind)
        kind->used++;
}

static struct reservation *add_reservation(struct scheduler *s,
                                           struct pending *job)
{
    size_t i = s->bf->nreserved;

    VECTOR_GROW(s->bf->reserved, s->bf->nreserved);
    for (s->bf->nreserved++;
         i > 0 && pending_before(job, s->bf->reserved[i - 1]); i--)
        s->bf->reserved[i] = s->bf->reserved[i - 1];
    s->bf->reserved[i] = job;
    job->reserved = xcalloc(1, sizeof(*job->reserved));
    job->queue->reserved++;
    job->queue->rule->reserved++;
    count_kind(s, job);
    follow_kinds(s);
    job->reserved->fixed = !is_counted(s, job);
    return job->reserved;
}

/* --- the ledger during a pass --------------------------------------------- */

/* Return the duration of a job from a time on until its end (0: endless). */
static double lasts(const struct pass *p, const struct pending *job,
                    double from)
{
    double end = end_of(p->now, job, from), duration = end - from;

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
               || (job->duration > 0 && end_of(p->now, job, from) > end));
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

/* Return the first time at which there are enough parts for a job, beside
   promises; INFINITY: never. */
static double first_parts(const struct pass *p, const struct pending *job,
                          double from)
{
    double at = usage_first_start(p->u, &job->asks->kind->kind,
                                  job->asks->times, from, lasts(p, job, from));

    return ends_too_late(p, job, at) ? INFINITY : at;
}

/* Hold a reservation by a promise. */
static void hold_promise(struct pass *p, struct pending *job, double from)
{
    struct promise *promise = &job->reserved->promise;
    bool enough = from >= rset_starttime(p->s->rs)
                  && first_parts(p, job, from) <= from;

    set_promise(p->s, job);
    if (p->s->bf->counting)
        unplace(p->s);
    if (promise->ranks && !(enough && usage_keeps_place(p->u, promise))) {
        usage_unplace(promise);
        p->s->frees++; /* others may use its old nodes */
    }
    if (enough && !p->s->bf->counting && !promise->ranks)
        enough = usage_place(p->u, promise);
    if (enough)
        hold_number(p->s, job);
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
static void hold_claims(struct pass *p, struct pending *job, double from)
{
    struct reservation *r = job->reserved;
    const struct term terms = {.start = from,
                               .end = job->duration > 0
                                          ? end_of(p->now, job, from)
                                          : rset_expiration(p->s->rs),
                               .reserved = from > p->now};
    const struct job_name name = job_name(job->id);
    enum match_answer answer;
    struct diag d = {0};

    if (r->plan
        && (is_taken(p, r->plan, from, end_of(p->now, job, from))
            || plan_check(p->u, name.text, r->plan, &terms, p->now, PLAN_CHOSEN,
                          &d)
                   != PLAN_GOOD)) {
        drop_place(r);
        p->s->frees++; /* others may use its old units */
    }
    if (!r->plan)
        r->plan = find_at(p, job, from, &answer, &d);
    if (!r->plan)
        return;
    ledger_allocate(p->u, name.text, r->plan, &terms);
    r->held = r->claimed = true;
}

/* Hold a reservation at its time, if that is possible. */
static void hold_reserved(struct pass *p, struct pending *job)
{
    struct reservation *r = job->reserved;
    double from = begin_of(p->now, r->at);

    if (r->held)
        return;
    if (r->fixed)
        hold_claims(p, job, from);
    else
        hold_promise(p, job, from);
}

/* Let the reservations of the jobs after this one yield. Return whether there
   are any. */
static bool yield_later(struct pass *p, const struct pending *job)
{
    struct scheduler *s = p->s;

    if (s->bf->nreserved == 0
        || !pending_before(job, s->bf->reserved[s->bf->nreserved - 1]))
        return false;
    if (s->bf->counting)
        unplace(s);
    for (size_t i = 0; i < s->bf->nreserved; i++)
        if (pending_before(job, s->bf->reserved[i]))
            unhold_reserved(s, s->bf->reserved[i]);
    s->bf->epoch++; /* requests that failed in this pass may fit now */
    return true;
}

/* Hold the reservations of all jobs but this one (NULL: of all) as far as that
   is possible, in the order of the jobs. */
static void hold_others(struct pass *p, const struct pending *job)
{
    for (size_t i = 0; i < p->s->bf->nreserved && !serve_stopped(p->s); i++)
        if (p->s->bf->reserved[i] != job)
            hold_reserved(p, p->s->bf->reserved[i]);
}

bool backfill_leave_out(struct scheduler *s, struct pending *job)
{
    bool held = job->reserved && job->reserved->held;

    if (held)
        unhold_reserved(s, job);
    return held;
}

void backfill_put_back(struct scheduler *s, struct pending *job)
{
    struct pass p = {.s = s, .u = s->u, .now = scheduler_now(s)};

    hold_reserved(&p, job);
}

const struct pending *backfill_delayed(const struct scheduler *s,
                                       const struct pending *job, double end,
                                       double *at)
{
    for (size_t i = 0; i < s->bf->nreserved; i++) {
        const struct pending *other = s->bf->reserved[i];
        *at = other->reserved->at;
        if (other != job && *at < end)
            return other;
    }
    return NULL;
}

/* --- numbers and places --------------------------------------------------- */

/* Give all promises places, in the order of their times. */
static void place(struct pass *p)
{
    struct scheduler *s = p->s;
    struct pending **list = xcalloc(s->bf->nreserved + 1, sizeof(*list));

    memcpy(list, s->bf->reserved, s->bf->nreserved * sizeof(*list));
    qsort(list, s->bf->nreserved, sizeof(*list), compare_times);
    for (size_t i = 0; i < s->bf->nreserved; i++) {
        struct reservation *r = list[i]->reserved;
        if (!r->held)
            continue;
        if (r->kind->any_nodes) {
            usage_place(p->u, &r->promise);
            continue;
        }
        unhold_reserved(s, list[i]);
        hold_claims(p, list[i], begin_of(p->now, r->at));
        if (!r->held)
            hold_number(s, list[i]);
    }
    s->bf->placed = true;
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
    bool before = s->bf->counts, all = s->bf->surveyed != s->generation;

    if (all)
        s->bf->countable = only_nodes_fail(s);
    s->bf->surveyed = s->generation;
    s->bf->counts = s->bf->countable && usage_counts_nodes(s->u);
    if (s->bf->counts == before && !all)
        return;
    backfill_lose_plans(s);
    if (all)
        forget_kinds(s);
    for (size_t i = 0; i < s->bf->nkinds; i++)
        s->bf->kinds[i]->used = 0;
    s->bf->nodd = 0;
    for (size_t i = 0; i < s->bf->nreserved; i++)
        count_kind(s, s->bf->reserved[i]);
    s->bf->counting = find_counting(s);
    for (size_t i = 0; i < s->bf->nreserved; i++) {
        struct pending *job = s->bf->reserved[i];
        job->reserved->fixed = !is_counted(s, job);
    }
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

/* Has a request failed in this pass, for all that has changed since? */
static bool fails(const struct pass *p, const struct cached_request *k,
                  double duration)
{
    return has_failed(&k->alone, p->s->bf->passes, duration)
           || has_failed(&k->beside, p->s->bf->epoch, duration);
}

/* Return how many parts a job asks for; a guess if it asks for something
   else. */
static int64_t parts_of(const struct pending *job)
{
    return job->asks->kind ? job->asks->times : 8;
}

/*
 * Find units for a job that starts now, and other places for the reservations
 * that are held, each at its time.
 */
static struct selection *exchange(struct pass *p, struct pending *job,
                                  enum match_answer *answer, struct diag *d)
{
    struct scheduler *s = p->s;
    const struct job_name name = job_name(job->id);
    const struct term terms = {.start = p->now,
                               .end = serve_end(s, job, p->now)};
    struct reservation *old = xcalloc(s->bf->nreserved + 1, sizeof(*old));
    struct pending **list = xcalloc(s->bf->nreserved + 1, sizeof(*list));
    struct selection *plan;
    bool good = true;
    size_t n = 0;

    if (s->bf->counting)
        unplace(s);
    for (size_t i = 0; i < s->bf->nreserved; i++)
        if (s->bf->reserved[i]->reserved->held)
            list[n++] = s->bf->reserved[i];
    qsort(list, n, sizeof(*list), compare_times);
    for (size_t i = 0; i < n; i++) {
        unhold_reserved(s, list[i]);
        old[i] = *list[i]->reserved;
        s->bf->effort -= s->bf->counting ? 0 : parts_of(list[i]);
        list[i]->reserved->plan = NULL;
        list[i]->reserved->promise.ranks = NULL;
    }
    plan = find_at(p, job, p->now, answer, d);
    if (plan) {
        ledger_allocate(p->u, name.text, plan, &terms);
        for (size_t i = 0; i < n && good; i++) {
            hold_reserved(p, list[i]);
            good = list[i]->reserved->held;
        }
        ledger_release(p->u, name.text);
    } else if (*answer == MATCH_NOT_NOW) {
        note_failure(&job->asks->alone, s->bf->passes, job);
    }
    for (size_t i = 0; i < n; i++) {
        struct reservation *r = list[i]->reserved;
        if (plan && good) {
            drop_place(&old[i]);
            s->frees++; /* others may use the old places */
            continue;
        }
        unhold_reserved(s, list[i]);
        drop_place(r);
        r->plan = old[i].plan;
        r->promise.ranks = old[i].promise.ranks;
    }
    if (plan && !good) {
        selection_destroy(plan);
        plan = NULL;
        *answer = MATCH_NOT_NOW;
    }
    for (size_t i = 0; i < n; i++)
        hold_reserved(p, list[i]);
    free(list);
    free(old);
    return plan;
}

/*
 * Decide whether to try exchange(): if numbers don't say that it fails, however
 * the reservations are placed; and if it has not been tried in vain too often
 * lately, measured by the parts that have to be found.
 */
static bool may_exchange(struct pass *p, struct pending *job)
{
    struct scheduler *s = p->s;
    struct match_options opts = serve_options(s);
    struct request *req = job->asks->req;
    int64_t parts = 0;

    for (size_t i = 0; i < s->bf->nreserved; i++)
        if (s->bf->reserved[i]->reserved->held && s->bf->reserved[i] != job)
            parts += parts_of(s->bf->reserved[i]);
    if (parts == 0 || parts > s->bf->effort)
        return false;
    req->duration = nextafter(p->now, INFINITY) - p->now;
    if (match_possible(p->u, req, &opts, p->now, false) > p->now)
        return false;
    req->duration = lasts(p, job, p->now);
    return match_enough(p->u, req, &opts, p->now) <= p->now;
}

/* Find units for a job that starts now. */
static struct selection *find_now(struct pass *p, struct pending *job,
                                  enum match_answer *answer, struct diag *d)
{
    struct scheduler *s = p->s;
    struct selection *plan;
    bool late = ends_too_late(p, job, p->now),
         exact = s->bf->counting && is_counted(s, job);

    *answer = MATCH_NOT_NOW;
    if (!late && exact && first_parts(p, job, p->now) > p->now)
        return NULL;
    if (exact)
        unplace(s);
    else if (s->bf->counting && s->bf->nreserved > 0 && !s->bf->placed) {
        if (!late && possible(p, job, p->now, false) > p->now)
            return NULL;
        place(p);
    }
    plan = find_at(p, job, p->now, answer, d);
    if (!plan && *answer == MATCH_NOT_NOW && exact)
        note_failure(&job->asks->alone, s->bf->passes, job);
    if (plan || *answer != MATCH_NOT_NOW || exact || s->bf->nreserved == 0)
        return plan;
    return may_exchange(p, job) ? exchange(p, job, answer, d) : NULL;
}

/* Start a job now, or deny it, if that delays no reservation that is held.
   Returns false if it has to wait. */
static bool start(struct pass *p, struct pending *job)
{
    struct scheduler *s = p->s;
    enum match_answer answer;
    struct selection *plan;
    struct diag d = {0};

    if ((job->reserved
             ? has_failed(&job->asks->alone, s->bf->passes, job->duration)
             : fails(p, job->asks, job->duration))
        && !ends_too_late(p, job, p->now))
        return false;
    plan = find_now(p, job, &answer, &d);
    if (!plan && answer == MATCH_NOT_NOW) {
        note_failure(&job->asks->beside, s->bf->epoch, job);
        return false;
    }
    s->changes++;
    s->frees += s->bf->hopeless; /* other nodes may be left for the rest */
    if (plan)
        serve_grant(s, job, plan);
    else
        serve_refuse(s, job, answer, &d);
    selection_destroy(plan);
    return true;
}

/* Find the first time for a job whose reservation will be a promise. */
static double first_time_for_promise(struct pass *p, struct pending *job,
                                     double at)
{
    struct promise trial;
    bool placed;

    for (;;) {
        at = first_parts(p, job, at);
        if (p->s->bf->counting || at == INFINITY)
            return at;
        trial = promise_from(p->now, job, at);
        placed = usage_place(p->u, &trial);
        usage_unplace(&trial);
        if (placed)
            return at;
        at = usage_next_end(p->u, at);
    }
}

/*
 * Find the first time before `limit` for a job beside the held reservations,
 * and a plan for it, unless its reservation will be a promise. INFINITY: there
 * is none.
 */
static double first_time(struct pass *p, struct pending *job, double limit,
                         struct selection **plan)
{
    struct match_options opts = serve_options(p->s);
    double soon = begin_of(p->now, p->now),
           at = fmax(soon, rset_starttime(p->s->rs));
    enum match_answer answer;
    struct diag d = {0};

    *plan = NULL;
    if (is_counted(p->s, job)) {
        at = first_time_for_promise(p, job, at);
        return at > soon ? at : p->now;
    }
    if (p->s->bf->counting && !p->s->bf->placed && p->s->bf->nreserved > 0)
        place(p);
    at = possible(p, job, at, false);
    if (at < limit && usage_begins(p->u, at))
        at = possible(p, job, at, true);
    if (at < limit && !(*plan = find_at(p, job, at, &answer, &d))) {
        opts.start = at;
        job->asks->req->duration = job->duration;
        match_earliest(p->u, job->asks->req, &opts, plan, &at, &d);
    }
    return !*plan ? INFINITY : at > soon ? at : p->now;
}

static void log_time(struct scheduler *s, const struct pending *job)
{
    scheduler_log(s, LEVEL_DEBUG, "job %lld: reserved from %s",
                  (long long)job->id, time_utc(job->reserved->at).text);
}

/* Let a job have no reservation. */
static void give_up(struct pass *p, struct pending *job)
{
    if (!job->reserved)
        return;
    scheduler_log(p->s, LEVEL_DEBUG, "job %lld: not reserved any more",
                  (long long)job->id);
    serve_tell_estimate(p->s, job, TIME_UNSET);
    backfill_forget(p->s, job);
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

/* Keep the reservation of a job as it is. If it is the last one of its rule, or
   of its queue under easy, later jobs lose theirs. */
static void keep_reserved(struct pass *p, struct pending *job)
{
    struct queue_rule *rule = job->queue->rule;
    struct scheduler *s = p->s;
    uint32_t others;

    hold_reserved(p, job);
    rule->given++;
    job->queue->given = true;
    if (!p->full || is_entitled(p, job->queue))
        return;
    others = rule->policy == QUEUE_EASY ? job->queue->reserved - 1
                                        : rule->reserved - rule->given;
    for (size_t i = s->bf->nreserved; others > 0 && i-- > 0;) {
        struct pending *later = s->bf->reserved[i];
        if (!pending_before(job, later))
            break;
        if (rule->policy == QUEUE_EASY ? later->queue != job->queue
                                       : later->queue->rule != rule)
            continue;
        give_up(p, later);
        others--;
    }
}

/*
 * Give a job that has to wait a reservation, or move the one that it has: for
 * the first time that delays no reservation that is held. With `must_move` its
 * own time, or units, can't be kept. Returns false if no time is possible.
 */
static bool reserve(struct pass *p, struct pending *job, bool must_move)
{
    struct scheduler *s = p->s;
    struct reservation *r = job->reserved;
    bool bound = r && !must_move;
    struct selection *plan;
    double at = first_time(p, job, bound ? r->at : INFINITY, &plan),
           before = r ? r->at : TIME_UNSET;

    if (at == INFINITY && !bound)
        return false;
    if (bound && at >= r->at) {
        selection_destroy(plan);
    } else {
        if (r) { /* others may use its old units */
            s->frees++;
            s->bf->epoch++;
        } else {
            r = add_reservation(s, job);
        }
        r->base = at > r->at ? at : fmin(r->base, at);
        r->at = at;
        drop_place(r);
        r->plan = r->fixed ? plan : NULL;
        if (!r->fixed && plan) {
            r->promise.ranks = s->bf->counting ? NULL : selection_ranks(plan);
            selection_destroy(plan);
        }
    }
    keep_reserved(p, job);
    if (before < r->at || before > r->at)
        log_time(s, job);
    return true;
}

/*
 * Return false if numbers say that a job with a reservation can't start before
 * its time: if there is too little for each earlier start until its end, and,
 * without its own units, just before its time.
 */
static bool may_be_earlier(struct pass *p, const struct pending *job)
{
    struct match_options opts = serve_options(p->s);
    struct cached_request *k = job->asks;
    double at = job->reserved->at, before = nextafter(at, 0);
    const struct part_kind *kind = k->kind ? &k->kind->kind : NULL;
    struct job *own;
    bool may;

    if (!job->reserved->fixed)
        return usage_first_start(p->u, kind, k->times, p->now, job->duration)
                   < at
               || usage_first_start(p->u, kind, k->times, before, at - before)
                      < at;
    k->req->duration = job->duration;
    if (match_possible(p->u, k->req, &opts, p->now, false) >= at) {
        k->req->duration = at - before;
        if (match_possible(p->u, k->req, &opts, before, false) >= at)
            return false;
    }
    own = job_find(p->u, job_name(job->id).text);
    k->req->duration = lasts(p, job, p->now);
    usage_leave_out(p->u, own, true);
    may = match_possible(p->u, k->req, &opts, p->now, true) < at;
    usage_leave_out(p->u, own, false);
    return may;
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
         waits = r && job->told && !yield && !ends_too_late(p, job, p->now),
         started;
    struct queue *queue = job->queue;

    if (is_behind(job)) {
        job->fresh = false;
        serve_tell_behind(s, job);
        return false;
    }
    if (waits && r->at > p->now && is_entitled(p, queue)
        && !may_be_earlier(p, job)
        && (s->bf->counting || !may_exchange(p, job))) {
        keep_reserved(p, job);
        return false;
    }
    if (r && s->bf->counting)
        unplace(s);
    if (r)
        r->due = false;
    unhold_reserved(s, job);
    job->fresh = false;
    if (yield)
        yield = yield_later(p, job);
    started = start(p, job);
    queue->closed = !started;
    if (!started && !is_entitled(p, queue)) {
        give_up(p, job);
    } else if (!started && r && !lost && !p->full) {
        keep_reserved(p, job);
    } else if (!started && !reserve(p, job, lost)) {
        /* no time is possible: that of later jobs does not count */
        yield = yield || yield_later(p, job);
        started = yield && start(p, job);
        if (!started && !(yield && reserve(p, job, lost))) {
            give_up(p, job);
            s->bf->hopeless = true;
        }
    }
    if (yield)
        hold_others(p, started ? NULL : job);
    if (!started && (fresh || !job->told))
        serve_tell_behind(s, job);
    return started;
}

/* --- a pass --------------------------------------------------------------- */

/* Give a job the reservation that it had before the service began again.
   Returns false if it had none. */
static bool recall(struct scheduler *s, struct pending *job)
{
    const double *at = map_get(&s->promised, &job->id, sizeof(job->id));

    if (!at || job->reserved || job->queue->rule->policy == QUEUE_FCFS)
        return false;
    add_reservation(s, job);
    job->reserved->at = job->reserved->base = *at;
    map_forget(&s->promised, &job->id, sizeof(job->id));
    s->frees++;
    return true;
}

/* List the jobs that are new or have risen. */
static void list_fresh(struct pass *p)
{
    struct scheduler *s = p->s;

    for (size_t i = 0; i < s->bf->nfresh; i++) {
        struct pending *job = queues_find(&s->queues, s->bf->fresh[i]);
        if (!job || !job->fresh)
            continue;
        if (recall(s, job)) {
            job->fresh = false;
            continue;
        }
        VECTOR_GROW(p->fresh, p->nfresh);
        p->fresh[p->nfresh++] = job;
    }
    s->bf->nfresh = 0;
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
    if (q->seen != p->s->bf->epoch)
        q->next = queue_find(q, &p->last);
    q->seen = p->s->bf->epoch;
    for (at = q->next; (e = queue_take(q, &at)); q->next = at)
        if ((is_entitled(p, q) || q->rule->policy == QUEUE_FCFS
             || !fails(p, e->asks, e->duration)
             || (end >= 0 && p->now + e->duration > end))
            && e->job->id != p->last.id)
            return e->job;
    return NULL;
}

/* Return the first of the next jobs of all queues, or NULL. */
static struct pending *next_of_all(struct pass *p)
{
    struct queue_heap *h = &p->heap;
    struct scheduler *s = p->s;
    struct pending *job = NULL;

    if (p->heaped != s->bf->epoch) {
        h->n = 0;
        for (size_t i = 0; i < s->queues.nlist; i++)
            if ((job = next_of(p, s->queues.list[i])))
                queue_heap_add(h, s->queues.list[i], job);
        p->heaped = s->bf->epoch;
    }
    while (h->n > 0 && (job = next_of(p, h->list[0])) != h->list[0]->candidate)
        queue_heap_next(h, job);
    return h->n > 0 ? job : NULL;
}

/* Return the next job with a reservation that is to be looked at, or NULL. */
static struct pending *next_reserved(const struct pass *p)
{
    struct scheduler *s = p->s;
    size_t i = 0, hi = s->bf->nreserved;

    while (i < hi && p->last.queue) {
        size_t mid = i + (hi - i) / 2;
        if (pending_before(&p->last, s->bf->reserved[mid]))
            hi = mid;
        else
            i = mid + 1;
    }
    while (i < s->bf->nreserved && !p->full
           && !s->bf->reserved[i]->reserved->due)
        i++;
    return i < s->bf->nreserved ? s->bf->reserved[i] : NULL;
}

/* Return the next job that is to be looked at, in the order of all queues, or
   NULL. */
static struct pending *next_candidate(struct pass *p)
{
    struct pending *next = p->i < p->nfresh ? p->fresh[p->i] : NULL,
                   *reserved = next_reserved(p),
                   *other = p->full ? next_of_all(p) : NULL;

    if (reserved && (!next || pending_before(reserved, next)))
        next = reserved;
    return other && (!next || pending_before(other, next)) ? other : next;
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

    if (s->frees != s->bf->pass_frees)
        return false;
    return p->nfresh == 0 || s->bf->nreserved == 0
           || !pending_before(p->fresh[0],
                              s->bf->reserved[s->bf->nreserved - 1]);
}

/* Count the reservations that stay in a light pass. */
static void count_given(struct pass *p)
{
    for (size_t i = 0; i < p->s->queues.nlist; i++) {
        p->s->queues.list[i]->given = false;
        p->s->queues.list[i]->closed = false;
        p->s->queues.list[i]->next = (struct queue_place){0};
        p->s->queues.list[i]->seen = p->s->bf->epoch;
    }
    for (size_t i = 0; i < p->s->queues.rules.n; i++)
        p->s->queues.rules.list[i].given = 0;
    for (size_t i = 0; i < p->s->bf->nreserved && !p->full; i++) {
        p->s->bf->reserved[i]->queue->given = true;
        p->s->bf->reserved[i]->queue->rule->given++;
    }
}

/* Let the reservations whose time has come stand at now. Return whether there
   are any: they wait for a job whose end has passed, if they can't start. *late
   gets the longest time by which one of them has moved. */
static bool is_overdue(const struct pass *p, double *late)
{
    bool overdue = false;

    *late = 0;
    for (size_t i = 0; i < p->s->bf->nreserved; i++) {
        struct reservation *r = p->s->bf->reserved[i]->reserved;
        if (r->at > p->now)
            continue;
        overdue = true;
        *late = fmax(*late, p->now - r->at);
        r->due = r->at > p->s->bf->pass_now;
        unhold_reserved(p->s, p->s->bf->reserved[i]);
        r->base = r->at = p->now;
    }
    return overdue;
}

/* Move all later reservations by the time that others are late, but none by
   more than the slack in sum. */
static void delay_others(struct pass *p, double late)
{
    for (size_t i = 0; i < p->s->bf->nreserved; i++) {
        struct reservation *r = p->s->bf->reserved[i]->reserved;
        double by = fmin(late, r->base + p->s->options.slack - r->at);
        if (r->at <= p->now || by <= 0)
            continue;
        unhold_reserved(p->s, p->s->bf->reserved[i]);
        r->at += by;
        log_time(p->s, p->s->bf->reserved[i]);
    }
}

/* Return whether all reservations can be held. */
static bool hold_all(struct pass *p)
{
    bool all = true;

    hold_others(p, NULL);
    for (size_t i = 0; i < p->s->bf->nreserved; i++)
        all &= p->s->bf->reserved[i]->reserved->held;
    return all;
}

/* Go once through the jobs. *left: how many may still start or be denied; 0: no
   limit. */
static void go_through(struct scheduler *s, uint32_t *left)
{
    struct pass p = {.s = s, .u = s->u, .now = scheduler_now(s)};
    struct pending *job;
    double late;
    bool moves;

    if (s->bf->nreserved > 1)
        qsort(s->bf->reserved, s->bf->nreserved, sizeof(struct pending *),
              compare_jobs);
    if (!s->queues.fcfs)
        choose_way(s);
    list_fresh(&p);
    if (p.nfresh == 0 && s->frees == s->bf->pass_frees
        && p.now == s->bf->pass_now)
        return;
    /* As long as all can be held, and no job is late that was not late before,
       nothing comes free for others. */
    moves = is_overdue(&p, &late);
    if (moves && hold_all(&p))
        moves = usage_next_end(s->u, s->bf->pass_now) <= p.now;
    else if (moves)
        delay_others(&p, late);
    p.full = moves || !is_light(&p);
    if (p.full) {
        for (size_t i = 0; i < s->bf->nreserved; i++)
            moves |= !s->bf->reserved[i]->reserved->held;
        for (size_t i = 0; i < s->bf->nreserved && moves; i++)
            unhold_reserved(s, s->bf->reserved[i]);
        s->bf->epoch++;
        s->bf->passes++;
        s->bf->hopeless = false;
    }
    s->bf->pass_frees = s->frees;
    s->bf->pass_now = p.now;
    count_given(&p);
    job = next_candidate(&p);
    if (job)
        hold_others(&p, NULL);
    for (; job; job = next_candidate(&p)) {
        p.last = *job;
        job->queue->seen = 0;
        p.i += p.i < p.nfresh && p.fresh[p.i] == job;
        if ((!consider(&p, job) || *left == 0 || --*left > 0)
            && !serve_stopped(s))
            continue;
        s->more = is_more(&p) || serve_stopped(s);
        s->frees += s->more; /* the rest is looked at in a pass of its own */
        for (; p.i < p.nfresh; p.i++)
            s->bf->fresh[s->bf->nfresh++] = p.fresh[p.i]->id;
        break;
    }
    free(p.fresh);
    free(p.heap.list);
    if (s->bf->counting)
        unplace(s);
}

/* A pass ends after so many rounds, even if something still changes. It never
   came to that. */
enum { ROUNDS_MOST = 100 };

/* How many parts a pass may search in exchange(), and how many can be saved for
   later passes. */
enum { EFFORT = 2000, EFFORT_MOST = 50000 };

void backfill_pass(struct scheduler *s)
{
    uint32_t left = s->options.burst;
    int rounds = 0;

    s->bf->effort = s->bf->effort + EFFORT < EFFORT_MOST
                        ? s->bf->effort + EFFORT
                        : EFFORT_MOST;

    do
        go_through(s, &left);
    while (!s->more && s->frees != s->bf->pass_frees && ++rounds < ROUNDS_MOST);
}

void backfill_tell(struct scheduler *s)
{
    for (size_t i = 0; i < s->bf->nreserved; i++)
        serve_tell_estimate(s, s->bf->reserved[i],
                            s->bf->reserved[i]->reserved->at);
}
