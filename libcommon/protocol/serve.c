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
#include "protocol/scheduler_private.h"
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

enum { SUCCESS, ANNOTATE, DENY, CANCEL };

void serve_write_denial(struct scheduler *s, int64_t id, const char *note)
{
    FILE *fp = begin_answer(s, id, DENY);

    json_write_field(fp, "note", note);
    payload_end(fp);
    s->counters.denied++;
    scheduler_log(s, LEVEL_INFO, "job %lld: denied: %s", (long long)id, note);
}

static void drop(struct scheduler *s, struct pending *job)
{
    scheduler_note(s, job);
    planner_remove(s->planner, job);
    pending_destroy(job, &s->cache);
}

static void deny(void *arg, struct pending *job, const char *note)
{
    struct scheduler *s = arg;

    serve_write_denial(s, job->id, note);
    drop(s, job);
}

void serve_cancel(struct scheduler *s, struct pending *job)
{
    payload_end(begin_answer(s, job->id, CANCEL));
    s->counters.canceled++;
    scheduler_log(s, LEVEL_INFO, "job %lld: canceled", (long long)job->id);
    if (job->queue->rule->policy == QUEUE_FCFS)
        planner_freed(s->planner); /* another one is the first */
    drop(s, job);
}

/* --- annotations ---------------------------------------------------------- */

/* Annotate a job with the reason why it waits, unless that is known already. */
static void annotate_reason(void *arg, struct pending *job, const char *why)
{
    const char *reason = why ? why : "it is behind other jobs in the queue";
    struct scheduler *s = arg;
    bool first_time = !job->sent_reason;
    FILE *fp;

    if (job->sent_reason && !strcmp(reason, job->sent_reason))
        return;
    free(job->sent_reason);
    job->sent_reason = xstrdup(reason);
    scheduler_note(s, job);
    fp = begin_answer(s, job->id, ANNOTATE);
    fputs(",\"annotations\":{\"sched\":{\"reason_pending\":", fp);
    json_write_message(fp, reason);
    if (first_time)
        json_write_field(fp, "queue", job->name);
    fputs("}}", fp);
    payload_end(fp);
    scheduler_log(s, LEVEL_DEBUG, "job %lld: waits: %s", (long long)job->id,
                  reason);
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
    json_write_field(fp, "queue", job->name);
    if (job->sent_reason)
        fputs(",\"reason_pending\":null", fp);
    if (job->estimate >= 0)
        fputs(",\"t_estimate\":null", fp);
    if (job->queue->rule->policy != QUEUE_FCFS)
        fprintf(fp, ",\"selection_type\":\"%s\"",
                job == queue_first(job->queue) ? "immediate" : "backfilled");
    else if (job->sent_reserved)
        fputs(",\"selection_type\":null", fp);
    fputs("}}", fp);
    free(summary);
}

/* Annotate a job with the time at which it will start (TIME_UNSET: it is not
   known), if that changed by a second or more; and with whether it has a
   reservation, if that changed. */
static void annotate_estimate(void *arg, struct pending *job, double at)
{
    struct scheduler *s = arg;
    double sent = job->estimate;
    bool reserved = at >= 0 && job->reserved;
    FILE *fp;

    if ((at < 0 ? sent < 0 : sent >= 0 && fabs(at - sent) < 1)
        && reserved == job->sent_reserved)
        return;
    job->estimate = at;
    scheduler_note(s, job);
    fp = begin_answer(s, job->id, ANNOTATE);
    fputs(",\"annotations\":{\"sched\":{\"t_estimate\":", fp);
    if (at < 0)
        fputs("null", fp);
    else
        fprintf(fp, "%.17g", at);
    if (reserved != job->sent_reserved)
        fprintf(fp, ",\"selection_type\":%s",
                reserved ? "\"reserved\"" : "null");
    job->sent_reserved = reserved;
    fputs("}}", fp);
    payload_end(fp);
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
    return diag_key(d, "attributes.system.duration", "%g: %s", duration, why);
}

/* Return whether each rank of an R has a core. */
static bool has_cores(const struct rset *R)
{
    struct vertex **targets;
    size_t n = rset_targets(R, &targets);
    size_t at = VECTOR_FIND(i, n, rset_count(R, targets[i], "core") == 0);

    free(targets);
    return n > 0 && at == n;
}

/* Give a job the resources of a plan and answer SUCCESS, or deny the job. */
static void grant(void *arg, struct pending *job, const struct selection *plan)
{
    struct scheduler *s = arg;
    double now = scheduler_now(s);
    struct job_name name = job_name(job->id), owner = job_name(job->userid);
    struct term terms = {.owner = owner.text,
                         .queue = s->current ? NULL : job->name,
                         .start = now,
                         .end = planner_end(s->planner, job, now),
                         .nslots = selection_open_slots(plan)};
    struct diag d = {0};
    char *text = NULL;
    struct rset *R;
    FILE *fp;

    if (serve_check_duration(s, job->duration, &d) < 0
        || plan_check(s->u, name.text, plan, &terms, now, 0, &d) != PLAN_GOOD) {
        deny(s, job, d.text);
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
        deny(s, job, d.text);
        rset_destroy(R);
        return;
    }
    scheduler_record(s, "allocate", name.text, NULL, false);
    if (s->kvs)
        kvs_put(s->kvs, job->id, text);
    fp = begin_answer(s, job->id, SUCCESS);
    write_annotations(s, fp, job, R);
    if (s->current)
        fprintf(fp, ",\"R\":%s", text);
    payload_end(fp);
    s->counters.granted++;
    scheduler_log(s, LEVEL_INFO, "job %s: allocated", name.text);
    drop(s, job);
    rset_destroy(R);
    free(text);
}

/* --- jobs that can never be satisfied ------------------------------------- */

void serve_judge(struct scheduler *s)
{
    struct pending *job, *next;

    if (s->phase < READYING)
        return;
    for (size_t i = 0; i < s->queues.nlist; i++)
        for (job = queue_first(s->queues.list[i]); job; job = next) {
            const char *note = planner_never(s->planner, job->request);
            next = queue_next(job);
            if (note)
                deny(s, job, note);
        }
}

/* --- the planner ---------------------------------------------------------- */

/* Log the time of a reservation. */
static void log_reserved(void *arg, struct pending *job, double at)
{
    struct scheduler *s = arg;

    if (at >= 0)
        scheduler_log(s, LEVEL_DEBUG, "job %lld: reserved from %s",
                      (long long)job->id, time_utc(at).text);
    else
        scheduler_log(s, LEVEL_DEBUG, "job %lld: not reserved any more",
                      (long long)job->id);
}

struct planner_options serve_planner_options(struct scheduler *s)
{
    return (struct planner_options){.queues = &s->queues,
                                    .how = &s->options.how,
                                    .depth = s->options.depth,
                                    .burst = s->options.burst,
                                    .estimates = s->options.estimates,
                                    .slack = s->options.slack,
                                    .start = grant,
                                    .deny = deny,
                                    .waits = annotate_reason,
                                    .reserved = log_reserved,
                                    .estimate = annotate_estimate,
                                    .stopped = s->options.stopped,
                                    .arg = s};
}
