/*
 * Answers to jobs: resources, denials, reasons for waiting and estimates. A job
 * that can never be satisfied is denied at once.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/time.h"
#include "compare/responses.h"
#include "protocol/scheduler_private.h"
#include "schedule/explain.h"
#include "schedule/plan.h"

/* --- answers -------------------------------------------------------------- */

static FILE *begin_answer(struct scheduler *s, int64_t id, int type)
{
    FILE *fp = s->options.manager;

    fprintf(fp,
            "{\"type\":\"response\",\"topic\":\"sched.alloc\",\"payload\":"
            "{\"id\":%lld,\"type\":%d",
            (long long)id, type);
    return fp;
}

static void end_answer(FILE *fp)
{
    putc('}', fp);
    response_end(fp);
}

enum { SUCCESS, ANNOTATE, DENY, CANCEL };

void serve_write_denial(struct scheduler *s, int64_t id, const char *note)
{
    FILE *fp = begin_answer(s, id, DENY);

    fputs(",\"note\":", fp);
    json_write_message(fp, note);
    end_answer(fp);
    s->counters.denied++;
    scheduler_log(s, LEVEL_INFO, "job %lld: denied: %s", (long long)id, note);
}

static void drop(struct scheduler *s, struct pending *job)
{
    scheduler_note(s, job);
    backfill_forget(s, job);
    queues_remove(&s->queues, job);
    pending_destroy(job, &s->cache);
}

void serve_deny(struct scheduler *s, struct pending *job, const char *note)
{
    serve_write_denial(s, job->id, note);
    drop(s, job);
}

void serve_cancel(struct scheduler *s, struct pending *job)
{
    end_answer(begin_answer(s, job->id, CANCEL));
    s->counters.canceled++;
    scheduler_log(s, LEVEL_INFO, "job %lld: canceled", (long long)job->id);
    if (job->queue->rule->policy == QUEUE_FCFS)
        s->frees++; /* another one is the first */
    drop(s, job);
}

/* --- annotations ---------------------------------------------------------- */

/* The reason of all pending jobs except the first: it needs no search. */
static const char behind[] = "it is behind other jobs in the queue";

/* Annotate a job with the reason why it waits, unless that is known already. */
static void tell_reason(struct scheduler *s, struct pending *job,
                        const char *reason)
{
    bool first_time = !job->told;
    FILE *fp;

    if (job->told && !strcmp(reason, job->told))
        return;
    free(job->told);
    job->told = xstrdup(reason);
    scheduler_note(s, job);
    fp = begin_answer(s, job->id, ANNOTATE);
    fputs(",\"annotations\":{\"sched\":{\"reason_pending\":", fp);
    json_write_message(fp, reason);
    if (job->name && first_time) {
        fputs(",\"queue\":", fp);
        json_write_message(fp, job->name);
    }
    fputs("}}", fp);
    end_answer(fp);
    scheduler_log(s, LEVEL_DEBUG, "job %lld: waits: %s", (long long)job->id,
                  reason);
}

void serve_tell_behind(struct scheduler *s, struct pending *job)
{
    if (job != queue_first(job->queue))
        tell_reason(s, job, behind);
}

static void write_annotations(struct scheduler *s, FILE *fp,
                              const struct pending *job, struct rset *R)
{
    struct diag d = {0};
    size_t len;
    char *summary;
    FILE *mem = memory_open(&summary, &len);
    int rc = s->options.summary(R, mem, &d);

    memory_close(mem);
    if (rc == 0)
        summary[len - 1] = '\0'; /* without its newline */
    fputs(",\"annotations\":{\"sched\":{\"resource_summary\":", fp);
    json_write_message(fp, summary);
    if (job->name) {
        fputs(",\"queue\":", fp);
        json_write_message(fp, job->name);
    }
    if (job->told)
        fputs(",\"reason_pending\":null", fp);
    if (job->estimate >= 0)
        fputs(",\"t_estimate\":null", fp);
    if (job->queue->rule->policy != QUEUE_FCFS)
        fprintf(fp, ",\"selection_type\":\"%s\"",
                job == queue_first(job->queue) ? "immediate" : "backfilled");
    fputs("}}", fp);
    free(summary);
}

void serve_tell_estimate(struct scheduler *s, struct pending *job, double at)
{
    double told = job->estimate;
    FILE *fp;

    if (at < 0 ? told < 0 : told >= 0 && fabs(at - told) < 1)
        return;
    job->estimate = at;
    scheduler_note(s, job);
    fp = begin_answer(s, job->id, ANNOTATE);
    fputs(",\"annotations\":{\"sched\":{\"t_estimate\":", fp);
    if (at < 0)
        fputs("null", fp);
    else
        fprintf(fp, "%.17g", at);
    if (job->reserved && (at < 0 || told < 0))
        fprintf(fp, ",\"selection_type\":%s", at < 0 ? "null" : "\"reserved\"");
    fputs("}}", fp);
    end_answer(fp);
}

/* --- giving --------------------------------------------------------------- */

int serve_check_duration(const struct scheduler *s, double duration,
                         struct diag *d)
{
    double now = scheduler_now(s);
    const char *why = duration > 0 ? time_span_fault(now, now + duration)
                                   : NULL;

    if (!why)
        return 0;
    diag_set(d, "%g: %s", duration, why);
    return diag_in(d, "attributes.system.duration");
}

/* Return whether each rank of an R has a core. */
static bool has_cores(const struct rset *R)
{
    struct vertex **targets;
    size_t n = rset_targets(R, &targets);
    bool all = n > 0;

    for (size_t i = 0; i < n && all; i++)
        all = rset_count(R, targets[i], "core") > 0;
    free(targets);
    return all;
}

double serve_end(const struct scheduler *s, const struct pending *job,
                 double start)
{
    return job->duration > 0 ? start + job->duration : rset_expiration(s->rs);
}

/* Give a job the resources of a plan and answer SUCCESS, or deny the job. */
void serve_grant(struct scheduler *s, struct pending *job,
                 const struct selection *plan)
{
    double now = scheduler_now(s);
    struct job_name name = job_name(job->id), owner = job_name(job->userid);
    struct term terms = {.owner = owner.text,
                         .queue = s->current ? NULL : job->name,
                         .start = now,
                         .end = serve_end(s, job, now),
                         .nslots = selection_open_slots(plan)};
    struct diag d = {0};
    char *text = NULL;
    struct rset *R;
    FILE *fp;

    if (serve_check_duration(s, job->duration, &d) < 0
        || plan_check(s->u, name.text, plan, &terms, now, 0, &d) != PLAN_GOOD) {
        serve_deny(s, job, d.text);
        return;
    }
    ledger_allocate(s->u, name.text, plan, &terms);
    R = ledger_R(s->u, name.text, false, scheduler_now(s), plan);
    if (s->options.shell && !has_cores(R))
        diag_set(&d, "it asks for no core on some node, and tasks need one "
                     "each");
    else if (s->current || s->kvs)
        text = job_R_text(R, s->options.form, scheduler_dialect(s), &d);
    if (d.text[0]) {
        ledger_release(s->u, name.text);
        serve_deny(s, job, d.text);
        rset_destroy(R);
        return;
    }
    scheduler_record(s, "allocate", name.text, false);
    if (s->kvs)
        kvs_put(s->kvs, job->id, text);
    fp = begin_answer(s, job->id, SUCCESS);
    write_annotations(s, fp, job, R);
    if (s->current)
        fprintf(fp, ",\"R\":%s", text);
    end_answer(fp);
    s->counters.granted++;
    scheduler_log(s, LEVEL_INFO, "job %s: allocated", name.text);
    drop(s, job);
    rset_destroy(R);
    free(text);
}

/* --- jobs that can never be satisfied ------------------------------------- */

struct match_options serve_options(const struct scheduler *s)
{
    struct match_options opts = s->options.how;

    opts.now = scheduler_now(s);
    return opts;
}

/* Return why there is no match, a new string. Scripts find a job that can never
   run by the word that Flux's schedulers use. */
static char *why_not(struct scheduler *s, const struct cached_request *k,
                     enum match_answer answer)
{
    const struct match_options opts = serve_options(s);
    char *why = match_explain_text(s->u, k->req, &opts, answer, EXPLAIN_COUNTS),
         *text;

    if (answer != MATCH_NEVER)
        return why;
    xasprintf(&text, "unsatisfiable: %s", why);
    free(why);
    return text;
}

const char *serve_never(struct scheduler *s, struct cached_request *k)
{
    const struct match_options opts = serve_options(s);
    struct diag d = {0};

    if (k->judged == s->generation)
        return k->never;
    free(k->never);
    k->never = NULL;
    k->judged = s->generation;
    k->req->duration = 0;
    switch (match_feasible(s->u, k->req, &opts, &d)) {
    case MATCH_NEVER:
        k->never = why_not(s, k, MATCH_NEVER);
        break;
    case MATCH_ERROR:
        k->never = xstrdup(d.text);
        break;
    default:
        break;
    }
    return k->never;
}

void serve_judge(struct scheduler *s)
{
    struct pending *job, *next;

    if (s->phase < READYING)
        return;
    for (size_t i = 0; i < s->queues.nlist; i++)
        for (job = queue_first(s->queues.list[i]); job; job = next) {
            const char *note = serve_never(s, job->asks);
            next = queue_next(job);
            if (note)
                serve_deny(s, job, note);
        }
}

void serve_refuse(struct scheduler *s, struct pending *job,
                  enum match_answer answer, const struct diag *d)
{
    char *note = answer == MATCH_NEVER ? why_not(s, job->asks, MATCH_NEVER)
                                       : xstrdup(d->text);

    serve_deny(s, job, note);
    free(note);
}

/* --- reasons -------------------------------------------------------------- */

/* Return why a job waits although it fits: it would delay the first job with a
   reservation that begins before its end. A new string. */
static char *why_delays(const struct scheduler *s, const struct pending *job)
{
    double end = job->duration > 0 ? scheduler_now(s) + job->duration
                                   : INFINITY;
    double at;
    const struct pending *other = backfill_delayed(s, job, end, &at);
    char *why;

    if (!other)
        return xstrdup("it would delay a job with a reservation");
    xasprintf(&why, "it would delay job %lld (at %s)", (long long)other->id,
              time_utc(at).text);
    return why;
}

/* Return why the first job of a queue waits, a new string. Its own reservation
   does not count. */
static char *why_waits(struct scheduler *s, struct pending *job)
{
    const struct match_options opts = serve_options(s);
    struct request *req = job->asks->req;
    struct selection *plan = NULL;
    char *windows, *why;
    struct diag d = {0};
    bool held, fits;
    double at;

    req->duration = job->duration;
    if (s->site && (windows = match_windows(s->u, req, &opts, true))) {
        xasprintf(&why, "reserved: %s", windows);
        free(windows);
        return why;
    }
    held = backfill_leave_out(s, job);
    req->duration = nextafter(opts.now, INFINITY) - opts.now;
    fits = backfill_delayed(s, NULL, INFINITY, &at)
           && match_find(s->u, req, &opts, &plan, &d) == MATCH_FOUND;
    selection_destroy(plan);
    req->duration = job->duration;
    why = fits ? why_delays(s, job) : why_not(s, job->asks, MATCH_NOT_NOW);
    if (held)
        backfill_put_back(s, job);
    return why;
}

/* Let the first job of a queue wait, and annotate it with the reason. */
static void block(struct scheduler *s, struct pending *job)
{
    struct queue *q = job->queue;
    struct pending *before = queues_find(&s->queues, q->blocked);
    char *why = why_waits(s, job);

    if (before && before->queue == q)
        serve_tell_behind(s, before);
    q->blocked = job->id;
    q->changes = s->changes;
    tell_reason(s, job, why);
    free(why);
}

/* Tell the first job of each queue why it waits now. */
static void renew_reasons(struct scheduler *s)
{
    for (size_t i = 0; i < s->queues.nlist; i++) {
        struct queue *q = s->queues.list[i];
        struct pending *job = queue_first(q);

        if (!job)
            q->blocked = -1;
        else if (q->changes != s->changes || q->blocked != job->id)
            block(s, job);
    }
}

/* --- estimates ------------------------------------------------------------ */

/* The most jobs that get estimates under fcfs. */
enum { ESTIMATES_MOST = 64 };

/* List the first jobs of each queue. Returns their number. */
static size_t list_first(const struct scheduler *s, struct pending **list)
{
    size_t n = 0;

    for (size_t i = 0; i < s->queues.nlist; i++) {
        struct pending *job = queue_first(s->queues.list[i]);
        for (uint32_t k = 0; job && k < s->options.estimates; k++) {
            if (n == ESTIMATES_MOST)
                return n;
            list[n++] = job;
            job = queue_next(job);
        }
    }
    return n;
}

/* Find the first time for a job, and claim what it would get then, for a while.
   TIME_UNSET: there is none. */
static double claim_first(struct scheduler *s, struct pending *job, double from)
{
    struct match_options opts = serve_options(s);
    const struct job_name name = job_name(job->id);
    struct selection *plan = NULL;
    struct term terms = {.reserved = true};
    struct diag d = {0};

    opts.start = from;
    job->asks->req->duration = job->duration;
    if (match_earliest(s->u, job->asks->req, &opts, &plan, &terms.start, &d)
        != MATCH_FOUND)
        return TIME_UNSET;
    terms.end = serve_end(s, job, terms.start);
    ledger_allocate(s->u, name.text, plan, &terms);
    selection_destroy(plan);
    return terms.start;
}

/* Take back the estimates of jobs that are not in a list any more. */
static void forget_estimates(struct scheduler *s, struct pending *const *list,
                             size_t n)
{
    for (size_t i = 0; i < s->nestimated; i++) {
        struct pending *job = queues_find(&s->queues, s->estimated[i]);
        size_t k = 0;
        while (k < n && list[k] != job)
            k++;
        if (job && k == n)
            serve_tell_estimate(s, job, TIME_UNSET);
    }
}

/* Send the first jobs of each queue estimates: when each starts, after the one
   before it, if no other job comes first. Nothing is reserved. */
static void send_estimates(struct scheduler *s)
{
    struct pending *list[ESTIMATES_MOST];
    size_t n = list_first(s, list), same = 0;
    double now = scheduler_now(s), at = now;

    while (same < n && same < s->nestimated
           && list[same]->id == s->estimated[same])
        same++;
    if (same == n && n == s->nestimated && s->estimate_frees == s->frees
        && s->estimate_changes == s->changes)
        return;
    forget_estimates(s, list, n);
    s->estimated = xreallocarray(s->estimated, n + 1, sizeof(*s->estimated));
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && list[i]->queue != list[i - 1]->queue)
            at = now;
        if (at >= 0)
            at = claim_first(s, list[i], at);
        serve_tell_estimate(s, list[i], at);
        s->estimated[i] = list[i]->id;
    }
    s->nestimated = n;
    for (size_t i = 0; i < n; i++)
        ledger_release(s->u, job_name(list[i]->id).text);
    s->estimate_frees = s->frees;
    s->estimate_changes = s->changes;
}

/* --- all queues ----------------------------------------------------------- */

bool serve_stopped(const struct scheduler *s)
{
    return s->options.stopped && s->options.stopped();
}

void serve_queues(struct scheduler *s)
{
    s->served = scheduler_now(s);
    backfill_pass(s);
    if (s->more)
        return;
    renew_reasons(s);
    if (s->queues.fcfs)
        send_estimates(s);
    else
        backfill_tell(s);
}
