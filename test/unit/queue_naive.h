/*
 * A second scheduler, naive and slow: arrays of nodes and bits of cores, and
 * every pass computed from the start.
 *
 * A pass takes the pending jobs in the order of the queue. A job starts if it
 * fits now and all promises can be kept. Under easy and conservative the first
 * jobs that don't start are promised the earliest time that lets the promises
 * before them be kept.
 *
 * Promises can be kept together if each can get a place, from the earliest time
 * to the latest: the first units that no running job has then, nor a place that
 * was found before. No place is remembered. This is exact if all jobs ask for
 * whole nodes, any of them, or for slots of one size: then only numbers count.
 * Otherwise it may be too strict.
 *
 * The policy is `first`: the lowest nodes, and in them the lowest cores.
 */
#ifndef TEST_QUEUE_NAIVE_H
#define TEST_QUEUE_NAIVE_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 6, CORES = 4, QUEUES = 3, SIM_JOBS = 200, SIM_EVENTS = 200 };

/* Cores in each node, as bits. */
struct units {
    unsigned cores[NODES];
};

/*
 * A request, in one of three forms:
 *
 *     whole: `nodes` whole nodes that have at least `cores` cores
 *     nodes > 0: on each of `nodes` nodes, `slots` slots of `cores` cores
 *     nodes == 0: `slots` slots of `cores` cores on any nodes
 */
struct sim_request {
    bool whole;
    int nodes, slots, cores;
};

enum sim_state { SIM_PENDING, SIM_RUNNING, SIM_ENDED };

struct sim_job {
    long id, priority;
    double submitted, duration; /* INFINITY: without an end */
    int queue;                  /* below QUEUES */
    struct sim_request request;
    bool allowed[NODES]; /* by the constraint */
    enum sim_state state;
    bool fresh;   /* not considered since it arrived or rose */
    int timeless; /* the pass in which no time was possible for it */
    bool promised;
    double at;          /* if promised: the time */
    double base;        /* and without what late jobs have added to it */
    double latest;      /* held for a start until then, if its time is over */
    struct units place; /* and the units that it would take */
    bool held;          /* during a pass: it must be kept */
    double start, end;  /* of a running job */
    struct units has;
};

enum sim_policy { SIM_FCFS, SIM_EASY, SIM_CONSERVATIVE };

enum sim_kind { SIM_START, SIM_DENY, SIM_CANCEL };

/* An answer to a job. */
struct sim_event {
    enum sim_kind kind;
    long id;
    bool backfilled; /* it started before a waiting job of its queue */
};

/* The rule of a queue, or of all that have none of their own. */
struct sim_rule {
    bool own;
    enum sim_policy policy;
    int depth; /* number of promises under SIM_CONSERVATIVE */
};

struct sim {
    struct sim_rule rule, rules[QUEUES];
    bool joined; /* all jobs are in one queue */
    int burst;   /* the most jobs that start or are denied in a pass; 0: all */
    bool more;   /* a pass is due */
    int passes, whole; /* count them; the last one that looked at all jobs */
    int nnodes, ncores[NODES];
    bool down[NODES], gone[NODES];
    double now, start, end; /* of the set; INFINITY: no end */
    double slack;           /* by which late jobs may delay a promise, in sum */
    bool follows; /* jobs start and get promises as another scheduler says */
    struct sim_job jobs[SIM_JOBS];
    int njobs;
    struct sim_event events[SIM_EVENTS]; /* of the last line */
    int nevents;
};

/* A list of jobs. */
struct sim_set {
    struct sim_job *jobs[SIM_JOBS];
    int n;
};

/* --- units ---------------------------------------------------------------- */

static void add_units(struct units *to, const struct units *more)
{
    for (int i = 0; i < NODES; i++)
        to->cores[i] |= more->cores[i];
}

static int count_bits(unsigned bits)
{
    int n = 0;

    for (; bits; bits &= bits - 1)
        n++;
    return n;
}

static unsigned lowest(unsigned bits, int n)
{
    unsigned got = 0;

    for (; n > 0; n--, bits &= bits - 1)
        got |= bits & -bits;
    return got;
}

static unsigned all_cores(const struct sim *s, int node)
{
    return (1u << s->ncores[node]) - 1;
}

/*
 * Find units for a job beside those in `busy`. `any_state`: also on nodes that
 * are down.
 */
static bool take(const struct sim *s, const struct sim_job *j,
                 const struct units *busy, bool any_state, struct units *got)
{
    const struct sim_request *r = &j->request;
    int left = r->nodes > 0 ? r->nodes : r->slots;

    *got = (struct units){0};
    for (int i = 0; i < s->nnodes && left > 0; i++) {
        unsigned free = all_cores(s, i) & ~busy->cores[i];
        int n = count_bits(free);
        if (s->gone[i] || (s->down[i] && !any_state) || !j->allowed[i])
            continue;
        if (r->whole) {
            if (busy->cores[i] || n < r->cores)
                continue;
            got->cores[i] = free;
            left--;
        } else if (r->nodes > 0) {
            if (n < r->slots * r->cores)
                continue;
            got->cores[i] = lowest(free, r->slots * r->cores);
            left--;
        } else {
            int slots = n / r->cores < left ? n / r->cores : left;
            got->cores[i] = lowest(free, slots * r->cores);
            left -= slots;
        }
    }
    return left == 0;
}

/* --- times ---------------------------------------------------------------- */

/* Is a period within the times of the set? */
static bool in_times(const struct sim *s, double at, double duration)
{
    return at >= s->start && at < s->end
           && (isinf(duration) || at + duration <= s->end);
}

static bool is_overdue(const struct sim *s, const struct sim_job *j)
{
    return j->state == SIM_RUNNING && j->end <= s->now;
}

/* Add the units that running jobs hold at a time or after it. Overdue jobs end
   at any moment: they hold their units only if `overdue`. */
static void add_running(const struct sim *s, double at, bool overdue,
                        struct units *busy)
{
    for (int i = 0; i < s->njobs; i++) {
        const struct sim_job *j = &s->jobs[i];
        if (j->state == SIM_RUNNING
            && (is_overdue(s, j) ? overdue : at < j->end))
            add_units(busy, &j->has);
    }
}

/* --- promises ------------------------------------------------------------- */

/* From when, and until when, is a promise held? */
static double held_from(const struct sim *s, const struct sim_job *j)
{
    return fmax(j->at, s->now);
}

static double held_to(const struct sim *s, const struct sim_job *j)
{
    return (j->at > s->now ? j->at : fmax(s->now, j->latest)) + j->duration;
}

/* Find units for the promise of a job beside the places in a set. */
static bool find_beside(const struct sim *s, const struct sim_job *j,
                        const struct sim_set *set, int n, struct units *got)
{
    double from = held_from(s, j), to = held_to(s, j);
    struct units busy = {0};

    add_running(s, from, false, &busy);
    for (int i = 0; i < n; i++) {
        const struct sim_job *k = set->jobs[i];
        if (held_from(s, k) < to && from < held_to(s, k))
            add_units(&busy, &k->place);
    }
    return in_times(s, from, to - from) && take(s, j, &busy, false, got);
}

/* Order of the queue. */
static int compare_order(const struct sim_job *a, const struct sim_job *b)
{
    if (a->priority != b->priority)
        return a->priority > b->priority ? -1 : 1;
    if (a->submitted != b->submitted)
        return a->submitted < b->submitted ? -1 : 1;
    return (a->id > b->id) - (a->id < b->id);
}

static int compare_queued(const void *x, const void *y)
{
    return compare_order(*(struct sim_job *const *)x,
                         *(struct sim_job *const *)y);
}

static int compare_promises(const void *x, const void *y)
{
    const struct sim_job *a = *(struct sim_job *const *)x,
                         *b = *(struct sim_job *const *)y;

    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    return compare_order(a, b);
}

/* Can all promises that are held be kept? */
static bool can_keep(struct sim *s)
{
    struct sim_set set = {0};
    bool good = true;

    for (int i = 0; i < s->njobs; i++)
        if (s->jobs[i].held)
            set.jobs[set.n++] = &s->jobs[i];
    qsort(set.jobs, (size_t)set.n, sizeof(*set.jobs), compare_promises);
    for (int i = 0; i < set.n && good; i++)
        good = find_beside(s, set.jobs[i], &set, i, &set.jobs[i]->place);
    return good;
}

static void hold_if_possible(struct sim *s, struct sim_job *j)
{
    j->held = true;
    j->held = can_keep(s);
}

/* Hold promises that are not held, in the order of the queue, as far as they
   can be kept. */
static void hold_promises(struct sim *s, const struct sim_set *queue)
{
    for (int i = 0; i < queue->n; i++) {
        struct sim_job *j = queue->jobs[i];
        if (j->state == SIM_PENDING && j->promised && !j->held)
            hold_if_possible(s, j);
    }
}

static void run(struct sim *s, struct sim_job *j, const struct units *units)
{
    j->state = SIM_RUNNING;
    j->promised = false;
    j->has = *units;
    j->start = s->now;
    j->end = isinf(j->duration) ? s->end : s->now + j->duration;
}

/* Start a job, if that keeps the promises that are held. */
static bool try_start(struct sim *s, struct sim_job *j)
{
    struct units busy = {0}, got;
    bool promised = j->promised;

    add_running(s, s->now, true, &busy);
    if (!in_times(s, s->now, j->duration) || !take(s, j, &busy, false, &got))
        return false;
    run(s, j, &got);
    if (can_keep(s))
        return true;
    j->state = SIM_PENDING;
    j->promised = promised;
    return false;
}

/* Promise a job this time, if that keeps the promises that are held. */
static bool try_promise(struct sim *s, struct sim_job *j, double at)
{
    double old = j->at, latest = j->latest;

    j->at = j->latest = at;
    hold_if_possible(s, j);
    if (!j->held) {
        j->at = old;
        j->latest = latest;
    } else if (!j->promised || at > old || at < j->base) {
        j->base = at;
    }
    return j->held;
}

static int compare_times(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;

    return (a > b) - (a < b);
}

/* Promise a job the earliest possible time before `limit`. */
static bool promise(struct sim *s, struct sim_job *j, double limit)
{
    double times[2 * SIM_JOBS + 2];
    size_t n = 0;
    bool overdue = false; /* is there an overdue job? Then now is possible */

    times[n++] = s->start;
    for (int i = 0; i < s->njobs; i++) {
        const struct sim_job *k = &s->jobs[i];
        overdue |= is_overdue(s, k);
        if (k->state == SIM_RUNNING)
            times[n++] = is_overdue(s, k) ? s->now : k->end;
        if (k->held)
            times[n++] = held_to(s, k);
    }
    qsort(times, n, sizeof(*times), compare_times);
    for (size_t i = 0; i < n && times[i] < limit; i++)
        if ((times[i] > s->now || (times[i] == s->now && overdue))
            && try_promise(s, j, times[i]))
            return true;
    return false;
}

/* --- a pass --------------------------------------------------------------- */

static void add_event(struct sim *s, enum sim_kind kind, long id,
                      bool backfilled)
{
    if (s->nevents == SIM_EVENTS)
        abort();
    s->events[s->nevents++] = (struct sim_event){kind, id, backfilled};
}

/* Sort the pending jobs by the order of the queue. */
static void sort_queue(struct sim *s, struct sim_set *queue)
{
    queue->n = 0;
    for (int i = 0; i < s->njobs; i++)
        if (s->jobs[i].state == SIM_PENDING)
            queue->jobs[queue->n++] = &s->jobs[i];
    qsort(queue->jobs, (size_t)queue->n, sizeof(*queue->jobs), compare_queued);
}

static int queue_of(const struct sim *s, const struct sim_job *j)
{
    return s->joined ? 0 : j->queue;
}

/* Return the rule of a queue. */
static const struct sim_rule *rule_of(const struct sim *s, int queue)
{
    return s->rules[queue].own && !s->joined ? &s->rules[queue] : &s->rule;
}

/* Don't keep the promises of the jobs after one for now. */
static void yield_later(const struct sim_set *queue, int i)
{
    while (++i < queue->n)
        queue->jobs[i]->held = false;
}

/* Has a job before one a promise without an end? */
static bool is_after_endless(const struct sim_set *queue, int i)
{
    while (--i >= 0)
        if (queue->jobs[i]->promised && isinf(queue->jobs[i]->duration))
            return true;
    return false;
}

/*
 * Start a job, or promise it a time. The promises of later jobs yield to a job
 * that is fresh, or whose own promise can't be held, or if no time is possible
 * beside them, or was in the last pass that looked at all jobs; in the last two
 * cases not if they might get no time instead. Returns whether they have
 * yielded.
 */
static bool serve(struct sim *s, const struct sim_set *queue, int i,
                  bool may_promise)
{
    struct sim_job *j = queue->jobs[i];
    bool had = j->held, yield = j->fresh || (j->promised && !j->held)
                                || (j->timeless && j->timeless >= s->whole
                                    && !is_after_endless(queue, i));

    j->fresh = j->held = false;
    j->timeless = 0;
    if (yield)
        yield_later(queue, i);
    if (!try_start(s, j) && may_promise) {
        j->held = promise(s, j, had ? j->at : INFINITY) || had;
        if (!j->held) {
            yield = yield || !is_after_endless(queue, i);
            if (yield)
                yield_later(queue, i);
            j->held = yield && !try_start(s, j) && promise(s, j, INFINITY);
            if (j->state == SIM_PENDING && !j->held)
                j->timeless = s->passes;
        }
        j->promised = j->held;
    } else {
        j->promised = false;
    }
    return yield;
}

/* A job has got the last promise of its rule, or queue under easy: the later
   jobs have none any more. */
static void end_promises(const struct sim *s, const struct sim_set *queue,
                         int i, const struct sim_rule *rule)
{
    int in = queue_of(s, queue->jobs[i]);

    while (++i < queue->n) {
        struct sim_job *j = queue->jobs[i];
        if (rule_of(s, queue_of(s, j)) == rule
            && (rule->policy != SIM_EASY || queue_of(s, j) == in))
            j->promised = j->held = false;
    }
}

/* Return until when a promise is held whose time is over. */
static double latest_of(const struct sim *s, const struct sim_job *j)
{
    double latest = j->base + s->slack;

    if (latest < s->now && s->slack > 0)
        latest = s->now + s->slack - fmod(s->now, s->slack);
    return fmax(latest, s->now);
}

/* Could a job start now? */
static bool could_start(const struct sim *s, const struct sim_job *j)
{
    static struct sim copy;

    copy = *s;
    copy.jobs[j - s->jobs].held = false;
    return try_start(&copy, &copy.jobs[j - s->jobs]);
}

/*
 * Hold all promises. Those whose time is over are held until the slack is used
 * up, then in steps of it, or for a start now if that is possible. If not all
 * can be held, those that can't, in the order of their times, are delayed by
 * the longest of these steps, but none by more than the slack in sum. A promise
 * whose time is over, too, is one of them if it can't be held beside those that
 * had earlier times.
 */
static void be_late(struct sim *s, const struct sim_set *queue)
{
    double late = 0, before;
    bool all = true, seen[SIM_JOBS] = {false};

    for (int i = 0; i < queue->n; i++)
        queue->jobs[i]->held = false;
    for (int i = 0; i < queue->n; i++) {
        struct sim_job *j = queue->jobs[i];
        bool starts;
        if (!j->promised || j->at > s->now)
            continue;
        starts = could_start(s, j);
        before = fmax(j->at, j->latest);
        if (starts || j->latest <= s->now) {
            j->latest = j->at < s->now && !starts ? latest_of(s, j) : s->now;
            j->at = s->now;
            late = fmax(late, j->latest - before);
        }
        hold_if_possible(s, j);
    }
    hold_promises(s, queue);
    for (int i = 0; i < queue->n; i++)
        all &= queue->jobs[i]->held || !queue->jobs[i]->promised;
    if (all)
        return;
    for (int i = 0; i < queue->n; i++)
        queue->jobs[i]->held = false;
    for (double base = -INFINITY, next; base < INFINITY; base = next) {
        next = INFINITY;
        for (int i = 0; i < queue->n; i++) {
            struct sim_job *j = queue->jobs[i];
            if (!j->promised || j->at > s->now)
                continue;
            if (j->base == base)
                hold_if_possible(s, j);
            else if (j->base > base)
                next = fmin(next, j->base);
        }
    }
    for (;;) {
        struct sim_job *j;
        int first = -1;
        for (int i = 0; i < queue->n; i++)
            if (queue->jobs[i]->promised && !seen[i]
                && (first < 0 || queue->jobs[i]->at < queue->jobs[first]->at))
                first = i;
        if (first < 0)
            break;
        seen[first] = true;
        j = queue->jobs[first];
        hold_if_possible(s, j);
        if (j->held || j->at >= j->base + s->slack)
            continue;
        j->at = fmin(j->at + late, j->base + s->slack);
        hold_if_possible(s, j);
    }
    for (int i = 0; i < queue->n; i++)
        queue->jobs[i]->held = false;
    hold_promises(s, queue);
}

/* Go once through the jobs. `left` is how many may still start or be denied. */
static void go_through(struct sim *s, int *left)
{
    struct sim_set queue;
    int waiting[QUEUES] = {0}, promised[QUEUES] = {0},
        promises[QUEUES + 1] = {0};

    sort_queue(s, &queue);
    be_late(s, &queue);
    s->passes++;
    s->more = false;
    for (int i = 0; i < queue.n && !s->more; i++) {
        struct sim_job *j = queue.jobs[i];
        int in = queue_of(s, j);
        const struct sim_rule *rule = rule_of(s, in);
        int *n = &promises[rule->own ? in : QUEUES];
        bool may_promise = rule->policy == SIM_EASY           ? !promised[in]
                           : rule->policy == SIM_CONSERVATIVE ? *n < rule->depth
                                                              : false,
             yields;

        if (rule->policy == SIM_FCFS && waiting[in]) {
            j->fresh = false;
            continue;
        }
        if (s->now >= s->end
            || (isfinite(j->duration) && s->now + j->duration > s->end)) {
            j->state = SIM_ENDED;
            j->held = j->promised = false;
            add_event(s, SIM_DENY, j->id, false);
            s->more = --*left == 0 && i + 1 < queue.n;
            continue;
        }
        yields = serve(s, &queue, i, may_promise);
        if (j->promised && (rule->policy == SIM_EASY || *n + 1 == rule->depth))
            end_promises(s, &queue, i, rule);
        if (yields)
            hold_promises(s, &queue);
        if (j->state == SIM_RUNNING) {
            add_event(s, SIM_START, j->id, waiting[in] > 0);
            s->more = --*left == 0 && i + 1 < queue.n;
            continue;
        }
        waiting[in]++;
        promised[in] += j->promised;
        *n += j->promised;
    }
    for (int i = 0; i < queue.n; i++)
        queue.jobs[i]->held = false;
    if (!s->more)
        s->whole = s->passes;
}

/* Write what a pass decides, a new text. */
static char *decisions(const struct sim *s)
{
    char *text;
    size_t len;
    FILE *fp = open_memstream(&text, &len);

    for (int i = 0; i < s->njobs; i++)
        fprintf(fp, "%d %d %.17g,", (int)s->jobs[i].state, s->jobs[i].promised,
                s->jobs[i].at);
    fclose(fp);
    return text;
}

/* Go through the jobs until nothing changes any more. */
static void sim_pass(struct sim *s)
{
    int left = s->burst > 0 ? s->burst : SIM_JOBS;
    bool same = s->follows;

    s->more = false;
    while (!same) {
        char *before = decisions(s), *after;
        go_through(s, &left);
        after = decisions(s);
        same = s->more || strcmp(before, after) == 0;
        free(before);
        free(after);
    }
}

/* --- lines ---------------------------------------------------------------- */

static struct sim_job *sim_find(struct sim *s, long id)
{
    for (int i = 0; i < s->njobs; i++)
        if (s->jobs[i].id == id)
            return &s->jobs[i];
    return NULL;
}

/* Could a job ever start, if all is up and free? */
static bool sim_possible(const struct sim *s, const struct sim_job *j)
{
    struct units none = {0}, got;

    return take(s, j, &none, true, &got);
}

/* Deny pending jobs that have become impossible. */
static void judge(struct sim *s)
{
    struct sim_set queue;

    sort_queue(s, &queue);
    for (int i = 0; i < queue.n && !s->follows; i++)
        if (!sim_possible(s, queue.jobs[i])) {
            queue.jobs[i]->state = SIM_ENDED;
            add_event(s, SIM_DENY, queue.jobs[i]->id, false);
        }
}

/*
 * Each function below is a line. sim_serve() is a pass for all lines since the
 * last one, and more of them may have to follow; sim_finish() does all. The
 * events are those since they were forgotten.
 */

static void sim_alloc(struct sim *s, const struct sim_job *job)
{
    struct sim_job *j = &s->jobs[s->njobs++];

    *j = *job;
    j->state = SIM_PENDING;
    j->fresh = true;
    if (!s->follows && !sim_possible(s, j)) {
        j->state = SIM_ENDED;
        add_event(s, SIM_DENY, j->id, false);
    }
    s->more = true;
}

static void sim_serve(struct sim *s)
{
    if (s->more)
        sim_pass(s);
}

static void sim_finish(struct sim *s)
{
    while (s->more)
        sim_pass(s);
}

static void sim_free(struct sim *s, struct sim_job *j)
{
    j->state = SIM_ENDED;
    s->more = true;
}

/* Free what a job has on a node; it has something on another one, too. */
static void sim_free_node(struct sim *s, struct sim_job *j, int node)
{
    j->has.cores[node] = 0;
    s->more = true;
}

static void sim_cancel(struct sim *s, struct sim_job *j)
{
    j->state = s->follows ? SIM_PENDING : SIM_ENDED;
    add_event(s, SIM_CANCEL, j->id, false);
    s->more = true;
}

static void sim_prioritize(struct sim *s, struct sim_job *j, long priority)
{
    j->fresh |= priority > j->priority;
    j->priority = priority;
    s->more = true;
}

static void sim_clock(struct sim *s, double now)
{
    s->now = now;
    s->more = true;
}

/* Change the end of a running job; INFINITY: none. */
static void sim_extend(struct sim *s, struct sim_job *j, double end)
{
    j->end = end;
    s->more = true;
}

static void sim_set_up(struct sim *s, int node, bool up)
{
    s->down[node] = !up;
    s->more = true;
}

static void sim_shrink(struct sim *s, int node)
{
    s->gone[node] = true;
    judge(s);
    s->more = true;
}

/* Change the end of the set. Jobs that ended with it end with it again. */
static void sim_set_end(struct sim *s, double end)
{
    for (int i = 0; i < s->njobs; i++)
        if (s->jobs[i].state == SIM_RUNNING && s->jobs[i].end == s->end)
            s->jobs[i].end = end;
    s->end = end;
    judge(s);
    s->more = true;
}

/* --- schedules as text ---------------------------------------------------- */

/* Write the cores of each node in hexadecimal, from node 0: "3f0". */
static void put_units(FILE *fp, const struct sim *s, const struct units *u)
{
    for (int i = 0; i < s->nnodes; i++)
        fprintf(fp, "%x", u->cores[i]);
}

/* Answers to a line: ids of jobs that are denied or canceled, and jobs that
   start as text, in this order. */
struct answers {
    bool denied[SIM_JOBS], canceled[SIM_JOBS];
    char *starts;
    size_t len;
    FILE *fp; /* of `starts` */
};

static void answers_begin(struct answers *a)
{
    *a = (struct answers){0};
    a->fp = open_memstream(&a->starts, &a->len);
}

static void put_start(struct answers *a, const struct sim *s, long id,
                      const struct units *u, double start, double end)
{
    fprintf(a->fp, "+%ld on ", id);
    put_units(a->fp, s, u);
    fprintf(a->fp, " %.15g-", start);
    if (isfinite(end))
        fprintf(a->fp, "%.15g", end);
    fputs(", ", a->fp);
}

/* Return all answers, a new text: "deny 4, +3 on f0 0-10, +5 on 01 0-". */
static char *answers_end(struct answers *a)
{
    char *text = NULL;
    size_t len;
    FILE *fp = open_memstream(&text, &len);

    for (int i = 0; i < SIM_JOBS; i++)
        if (a->denied[i] || a->canceled[i])
            fprintf(fp, "%s %d, ", a->denied[i] ? "deny" : "cancel", i);
    fclose(a->fp);
    fputs(a->starts, fp);
    fclose(fp);
    free(a->starts);
    if (len > 0)
        text[len - 2] = '\0'; /* the last comma */
    return text;
}

static char *sim_answers(struct sim *s)
{
    struct answers a;

    answers_begin(&a);
    for (int i = 0; i < s->nevents; i++) {
        const struct sim_event *e = &s->events[i];
        const struct sim_job *j = sim_find(s, e->id);
        a.denied[e->id] |= e->kind == SIM_DENY;
        a.canceled[e->id] |= e->kind == SIM_CANCEL;
        if (e->kind == SIM_START)
            put_start(&a, s, e->id, &j->has, j->start, j->end);
    }
    return answers_end(&a);
}

/* Return the promises, a new text, in the order of the ids: " 5@20 7@30". */
static char *sim_promises(const struct sim *s)
{
    char *text = NULL;
    size_t len;
    FILE *fp = open_memstream(&text, &len);

    for (int i = 0; i < s->njobs; i++)
        if (s->jobs[i].state == SIM_PENDING && s->jobs[i].promised)
            fprintf(fp, " %ld@%.15g", s->jobs[i].id, s->jobs[i].at);
    fclose(fp);
    return text;
}

#endif /* TEST_QUEUE_NAIVE_H */
