/* Requests of the job manager (RFC 27), and the table of their handlers. */
#include <stdlib.h>

#include "base/json.h"
#include "base/keys.h"
#include "base/memory.h"
#include "base/time.h"
#include "compare/cover.h"
#include "compare/job_R.h"
#include "model/records/jobs.h"
#include "protocol/scheduler_private.h"

/* --- alloc ---------------------------------------------------------------- */

/* Answer an alloc request without a usable id with an error. The job manager
   then suspends scheduling (RFC 27). */
static void refuse(struct scheduler *s, const char *why)
{
    FILE *fp = s->options.manager;

    response_begin(fp, &(struct message){.topic = "sched.alloc"});
    fprintf(fp, ",\"errnum\":%d", MESSAGE_EPROTO);
    json_write_field(fp, "errstr", why);
    response_end(fp);
    scheduler_log(s, LEVEL_WARNING,
                  "sched.alloc: %s: the job manager suspends scheduling", why);
}

static int read_priority(void *arg, json_t *value, void *to, struct diag *d)
{
    json_int_t n = json_integer_value(value);

    (void)arg;
    if (!json_is_integer(value) || n < 0 || n > UINT32_MAX)
        return diag_set(d, "%s is not in the range 0 to 4294967295",
                        json_quote(value).text);
    *(uint32_t *)to = (uint32_t)n;
    return 0;
}

static int read_userid(void *arg, json_t *value, void *to, struct diag *d)
{
    (void)arg;
    if (!json_is_integer(value))
        return diag_set(d, "%s is not an integer", json_quote(value).text);
    *(int64_t *)to = json_integer_value(value);
    return 0;
}

static int read_submitted(void *arg, json_t *value, void *to, struct diag *d)
{
    double time = json_number_value(value);

    (void)arg;
    if (!json_is_number(value) || time < 0)
        return diag_set(d, "%s is not a time", json_quote(value).text);
    *(double *)to = time;
    return 0;
}

static int read_jobspec(void *arg, json_t *value, void *to, struct diag *d)
{
    struct scheduler *s = arg;
    struct pending *job = to;
    const json_t *system = json_object_get(json_object_get(value, "attributes"),
                                           "system");
    const char *queue = json_string_value(json_object_get(system, "queue"));

    job->request = jobspec_cache_get(&s->cache, value, &job->duration, d);
    if (job->request && serve_check_duration(s, job->duration, d) < 0)
        return -1;
    job->name = job->request && queue ? queues_name(&s->queues, queue) : NULL;
    return job->request ? 0 : -1;
}

static const struct key alloc_keys[] = {
    {"priority", read_priority,
     offsetof(struct pending, priority) | KEY_REQUIRED},
    {"userid", read_userid, offsetof(struct pending, userid) | KEY_REQUIRED},
    {"t_submit", read_submitted, offsetof(struct pending, submitted)},
    {"jobspec", read_jobspec, KEY_REQUIRED},
    {0}};

static void take_alloc(struct scheduler *s, const struct message *m)
{
    int64_t id = message_id(m->payload);
    struct pending *job;
    struct diag d = {0};
    const char *note = NULL;
    struct diag_line line;
    char text[64];

    s->counters.requests++;
    if (id < 0) {
        refuse(s, "no valid id");
        return;
    }
    if (queues_find(&s->queues, id)) {
        snprintf(text, sizeof(text), "job %lld is already in the queue",
                 (long long)id);
        refuse(s, text);
        return;
    }
    job = xcalloc(1, sizeof(*job));
    job->id = id;
    job->submitted = scheduler_now(s);
    job->estimate = TIME_UNSET;
    if (held_any(s, job_name(id).text)) {
        note = "the job already has resources";
    } else if (keys_read(s, m->payload, NULL, alloc_keys, false, job, &d) < 0) {
        line = diag_line(&d);
        note = line.text;
    } else if (s->phase >= READYING) {
        note = planner_never(s->planner, job->request);
    }
    if (note) {
        serve_write_denial(s, id, note);
        pending_destroy(job, &s->cache);
        return;
    }
    planner_add(s->planner, job);
}

/* --- cancel, prioritize --------------------------------------------------- */

static void take_cancel(struct scheduler *s, const struct message *m)
{
    int64_t id = message_id(m->payload);
    struct pending *job = queues_find(&s->queues, id);

    if (id < 0)
        scheduler_log(s, LEVEL_WARNING, "sched.cancel: no valid id");
    else if (job)
        serve_cancel(s, job);
    else
        scheduler_log(s, LEVEL_DEBUG,
                      "sched.cancel: job %lld is not in the queue",
                      (long long)id);
}

static int read_tuple(const json_t *tuple, int64_t *id, uint32_t *priority,
                      struct diag *d)
{
    const json_t *first = json_array_get(tuple, 0);

    if (json_array_size(tuple) != 2 || !json_is_integer(first)
        || json_integer_value(first) < 0)
        return diag_set(d, "%s: an id and a priority are expected",
                        json_quote(tuple).text);
    *id = json_integer_value(first);
    return read_priority(NULL, json_array_get(tuple, 1), priority, d) < 0
               ? diag_in(d, "priority")
               : 0;
}

/* Change all the priorities, or none if any tuple is wrong. */
static void take_prioritize(struct scheduler *s, const struct message *m)
{
    const json_t *jobs = json_object_get(m->payload, "jobs"), *tuple;
    struct diag d = {0};
    uint32_t priority;
    int64_t id;
    size_t i;
    int rc = json_is_array(jobs) ? 0 : diag_set(&d, "jobs: a list is expected");

    json_array_foreach (jobs, i, tuple)
        if (rc == 0 && (rc = read_tuple(tuple, &id, &priority, &d)) < 0)
            diag_in(&d, "jobs[%zu]", i);
    if (rc < 0) {
        scheduler_log(s, LEVEL_WARNING, "sched.prioritize: %s",
                      diag_line(&d).text);
        return;
    }
    json_array_foreach (jobs, i, tuple) {
        struct pending *job;
        read_tuple(tuple, &id, &priority, &d);
        if (!(job = queues_find(&s->queues, id)))
            continue;
        planner_move(s->planner, job, priority);
        scheduler_note(s, job);
    }
}

/* --- free ----------------------------------------------------------------- */

/* Read the R of a part that is given back, with the ranks that its hosts have
   now. Returns NULL with a diag. */
static struct rset *read_part(struct scheduler *s, const json_t *payload,
                              struct diag *d)
{
    const json_t *R = json_object_get(payload, "R"),
                 *final = json_object_get(payload, "final");
    struct diag unused;
    struct rset *part = NULL;

    if (final && !json_is_boolean(final))
        diag_key(d, "final", "%s is not true or false", json_quote(final).text);
    else if (!R)
        diag_set(d, "R is missing");
    else
        part = job_R_read(json_string_value(R), json_string_length(R), "R",
                          NULL, d); /* only the ranks count */
    if (part && (!part->ranks || idset_empty(part->ranks))) {
        diag_set(d, "R has no ranks");
        rset_destroy(part);
        part = NULL;
    }
    if (part && s->rs)
        cover_adopt(s->rs, part, &unused);
    return part;
}

/* Is everything that a job holds in a target on these targets? */
static bool lies_in(struct scheduler *s, const char *name,
                    const struct idset *ranks)
{
    const struct job *job = job_find(s->u, name);

    for (const struct grant *g = job ? job->grants : NULL; g; g = g->next) {
        const struct lot *lot = g->lot;
        struct idrange in;
        uint32_t until;

        while (lot->parent && !vertex_is_target(lot->v))
            lot = lot->parent;
        if (!lot->parent && (g->term->kind == GRANT_SHARE || !g->lot->v->child))
            continue; /* above targets: R_lite can't list it */
        if (!lot->parent)
            return false;
        in = lot_ranks(lot);
        until = in.hi;
        if (!idset_until(ranks, in.lo, &until) || until < in.hi)
            return false;
    }
    return true;
}

/* Free the targets of an R, and all that the job has if the part is final. */
static void free_part(struct scheduler *s, const char *job,
                      const struct message *m)
{
    bool final = json_is_true(json_object_get(m->payload, "final"));
    struct diag d = {0};
    struct rset *part = read_part(s, m->payload, &d);
    bool all = part && final && lies_in(s, job, part->ranks);

    if (!part)
        scheduler_log(s, LEVEL_WARNING, "sched.free: job %s: %s", job,
                      diag_line(&d).text);
    else if (!all)
        held_free(s, job, part->ranks);
    if (final && held_any(s, job)) {
        if (part && !all && job_find(s->u, job))
            scheduler_log(
                s, LEVEL_WARNING,
                "sched.free: job %s: the final part leaves out resources: "
                "they are freed too",
                job);
        held_release(s, job, "release");
    }
    rset_destroy(part);
}

static void take_free(struct scheduler *s, const struct message *m)
{
    int64_t id = message_id(m->payload);
    struct job_name job = job_name(id);
    bool has;

    if (queues_find(&s->queues, id))
        planner_unhold(s->planner); /* it has no resources yet */
    has = id >= 0 && held_any(s, job.text);
    if (id < 0) {
        scheduler_log(s, LEVEL_WARNING, "sched.free: no valid id");
        return;
    }
    if (!has)
        scheduler_log(s, LEVEL_WARNING, "sched.free: job %s has no resources",
                      job.text);
    else if (s->current && json_object_size(m->payload) > 1)
        free_part(s, job.text, m);
    else
        held_release(s, job.text, "release");
    if (!held_any(s, job.text)) {
        if (has) {
            s->counters.freed++;
            scheduler_log(s, LEVEL_INFO, "job %s: freed", job.text);
        }
        raise_forget(s, id);
        if (s->kvs)
            kvs_put(s->kvs, id, NULL);
    }
    if (has) {
        planner_freed(s->planner);
        s->due |= DUE_RELEASE;
    }
    if (!s->current)
        s->freed = id;
}

void jobs_answer_free(struct scheduler *s)
{
    if (s->freed < 0)
        return;
    fprintf(s->options.manager,
            "{\"type\":\"response\",\"topic\":\"sched.free\",\"payload\":"
            "{\"id\":%lld}}\n",
            (long long)s->freed);
    s->freed = -1;
}

/* --- expiration ----------------------------------------------------------- */

/*
 * Give a job another end. Returns 0, or the number of an error with a diag. RFC
 * 27 of the seeds has an integer; Flux sends the start of the job plus its
 * duration, which has a fraction.
 */
static int take_expiration(struct scheduler *s, const struct message *m,
                           struct diag *d)
{
    const json_t *time = json_object_get(m->payload, "expiration");
    double end, last;
    int64_t id = message_id(m->payload);
    struct job_name job = job_name(id);
    struct term terms;

    if (id < 0) {
        diag_set(d, "id: an integer from 0 on is expected");
        return MESSAGE_EPROTO;
    }
    if (message_time(time, !s->current, &end, d) < 0) {
        diag_in(d, "expiration");
        return json_is_number(time) ? MESSAGE_EINVAL : MESSAGE_EPROTO;
    }
    if (!s->u || !job_find(s->u, job.text)) {
        diag_set(d, "the job has no resources");
        return MESSAGE_ENOENT;
    }
    terms = ledger_terms(s->u, job.text);
    if (end > 0 && time_span_fault(terms.start, end)) {
        diag_set(d, "the job would end before it began");
        return MESSAGE_EINVAL;
    }
    last = rset_expiration(s->rs);
    if (last >= 0 && end > last) {
        diag_set(d, "the resources expire before that (%s)",
                 time_utc(last).text);
        return MESSAGE_ERANGE;
    }
    if (end <= 0)
        end = TIME_UNSET;
    if (ledger_extend(s->u, job.text, end, scheduler_now(s), d))
        return MESSAGE_EBUSY;
    planner_freed(s->planner); /* reservations may move */
    scheduler_record(s, "extend", job.text, NULL, false);
    if (s->kvs)
        kvs_put_end(s->kvs, id, end);
    return 0;
}

/* --- topics --------------------------------------------------------------- */

static void take_ping(struct scheduler *s, const struct message *m)
{
    response_payload(s->options.manager, m, m->payload);
}

/* Set the clock, to microseconds like the times of an R: a job that starts now
   has started. It does not go back. */
static int take_clock(struct scheduler *s, const struct message *m,
                      struct diag *d)
{
    const json_t *value = json_object_get(m->payload, "now");
    double now = json_is_number(value) ? time_round(json_number_value(value))
                                       : -1;

    if (now < s->options.now) {
        if (json_is_number(value))
            diag_set(d, "now: %s is before %.17g", json_quote(value).text,
                     s->options.now);
        else
            diag_set(d, "now: a number of seconds is expected");
        scheduler_log(s, LEVEL_WARNING, "sched.clock: %s", d->text);
        return MESSAGE_EINVAL;
    }
    /* Time alone lets jobs start, or stops them, only at the ends of the set,
       or if a reservation of the site begins. */
    if (!s->rs || s->rs->starttime || s->rs->expiration || s->site)
        planner_freed(s->planner);
    s->options.now = now;
    scheduler_tick(s);
    return 0;
}

/* What a request needs: a ledger without the claims of reservations; resources
   that are known. */
enum { UNHELD = 1, KNOWN = 2 };

/* A handler that answers itself; or one that makes a change, and returns 0, or
   the number of an error with a diag. A disconnect has none: a client has gone,
   and waits for no answers any more (RFC 6). */
static const struct {
    const char *topic;
    void (*take)(struct scheduler *s, const struct message *m);
    int (*change)(struct scheduler *s, const struct message *m, struct diag *d);
    unsigned needs;
} topics[] = {
    {"sched.alloc", .take = take_alloc},
    {"sched.free", .take = take_free},
    {"sched.cancel", .take = take_cancel},
    {"sched.prioritize", .take = take_prioritize},
    {"sched.expiration", .change = take_expiration, .needs = UNHELD},
    {"sched.reserve", .change = site_take_reserve, .needs = UNHELD | KNOWN},
    {"sched.unreserve", .take = site_take_unreserve, .needs = UNHELD},
    {"sched.reservations", .take = site_take_list, .needs = UNHELD},
    {"sched.resource-status", .take = answer_status, .needs = UNHELD | KNOWN},
    {"sched.stats-get", .take = answer_stats, .needs = UNHELD},
    {"feasibility.check", .take = answer_feasible, .needs = UNHELD | KNOWN},
    {"sched.ping", .take = take_ping},
    {"sched.clock", .change = take_clock},
    {.topic = "sched.disconnect"},
    {.topic = "feasibility.disconnect"},
};

bool jobs_request(struct scheduler *s, const struct message *m)
{
    int i = WORD_FIND(topics, m->topic), errnum;
    FILE *fp = s->options.manager;
    struct diag d = {0};

    if (i < 0 || (topics[i].change == take_clock && !s->options.clocked))
        return false;
    if (topics[i].needs & UNHELD)
        planner_unhold(s->planner);
    if ((topics[i].needs & KNOWN) && !s->u)
        response_error(fp, m, MESSAGE_EBUSY, "no resources are known yet");
    else if (topics[i].take)
        topics[i].take(s, m);
    else if (topics[i].change && (errnum = topics[i].change(s, m, &d)))
        response_error(fp, m, errnum, diag_line(&d).text);
    else if (topics[i].change)
        response_payload(fp, m, NULL);
    return true;
}
