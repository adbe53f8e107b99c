/*
 * Hello and Ready of RFC 27. The job manager lists the jobs that have
 * resources. The scheduler finds these resources in its store or in an R. It
 * frees the resources of jobs in the store that hello doesn't list.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "compare/cover.h"
#include "compare/expand.h"
#include "compare/job_R.h"
#include "model/document/edition.h"
#include "model/records/jobs.h"
#include "model/tree/types.h"
#include "protocol/scheduler_private.h"
#include "schedule/filter.h"

/* Value in `greeted` of a job that hello has listed. */
static const char listed[] = "";

void hello_start(struct scheduler *s)
{
    FILE *fp = s->options.manager;

    s->phase = GREETING;
    s->hello_tag = scheduler_tag(s);
    request_begin(fp, "job-manager.sched-hello", s->hello_tag, "streaming");
    if (s->current)
        fputs(",\"payload\":{\"partial-ok\":true}", fp);
    response_end(fp);
}

/* --- a job with resources ------------------------------------------------- */

/* Return what R_lite lists in the edition that is spoken: that of Flux does not
   say which nodes are held whole. */
static char *plain_text(const struct scheduler *s, struct rset *rs)
{
    struct diag d = {0};

    rset_set_times(rs, TIME_UNSET, TIME_UNSET);
    return job_R_text(rs, JOB_FORM_R, scheduler_dialect(s), &d);
}

/* Return the units that R_lite can't list: memory, licences and others. */
static uint64_t count_unlisted(struct rset *rs)
{
    uint64_t sum = 0;

    for (const struct vertex *v = rset_first(rs); v; v = rset_next(rs, v))
        if (!v->child && !rlite_lists(rs, v))
            sum += (uint64_t)v->size;
    return sum;
}

/* Does the store have the same resources for this job, as far as its R lists
   them? */
static bool is_in_store(struct scheduler *s, const char *job, struct rset *R)
{
    struct rset *mine = ledger_R(s->u, job, false, 0, NULL),
                *facts = rset_facts(mine), *other = rset_facts(R);
    char *a = plain_text(s, facts), *b = plain_text(s, other);
    struct diag d = {0};
    bool same = a && b && !strcmp(a, b);

    if (same && rset_has_graph(R) && rset_has_graph(mine))
        same = rset_expand_shorthand(other, s->rs, EXPAND_KNOWN, &d) == 0
               && count_unlisted(mine) == count_unlisted(other);

    free(a);
    free(b);
    rset_destroy(mine);
    rset_destroy(facts);
    rset_destroy(other);
    return same;
}

/* Give a job the resources of an R without the ranks that are freed (NULL:
   none). `name` is the R's name in messages. Returns NULL, or a new string that
   says what could not be read or is gone. What another job holds is raised at
   the end of hello, when that job may be gone too. */
static char *take_R(struct scheduler *s, const struct job_name *job,
                    const json_t *payload, const struct idset *freed,
                    const char *R, const char *name)
{
    const json_t *userid = json_object_get(payload, "userid");
    struct job_name owner = job_name(json_integer_value(userid));
    struct term terms = {.owner = json_is_integer(userid) ? owner.text : NULL};
    const json_t *scheduler;
    struct diag d = {0};
    char *note = NULL, *fault, *gone;
    struct rset *rs = job_R_read(R, strlen(R), name, &fault, &d);

    if (fault)
        scheduler_log(s, LEVEL_WARNING,
                      "job %s: only R_lite is used of its R: %s", job->text,
                      fault);
    free(fault);
    if (rs && freed)
        rs = job_R_without(rs, freed, s->rs, &d);
    if (d.text[0])
        note = xstrdup(diag_line(&d).text);
    if (!rs)
        return note;
    cover_times(s->rs, rs, &terms.start, &terms.end);
    if (job_find(s->u, job->text) && !is_in_store(s, job->text, rs)) {
        struct term known = ledger_terms(s->u, job->text);
        terms.start = known.start; /* sched.expiration does not change the R */
        terms.end = known.end;
        if (json_object_get(payload, "R"))
            scheduler_log(
                s, LEVEL_WARNING,
                "job %s: the R of hello replaces another R in the store",
                job->text);
        ledger_release(s->u, job->text);
    }
    if (job_find(s->u, job->text)) { /* it has all of this R */
        held_forget(s, job->text, NULL);
        rset_destroy(rs);
        return note;
    }
    scheduler = edition_scheduler(rs->document.attributes);
    terms.queue = json_string_value(json_object_get(scheduler, "queue"));
    held_take(s, job->text, rs, &terms, &gone);
    scheduler_record(s, "allocate", job->text, NULL, false);
    if (!note)
        return gone;
    free(gone);
    return note;
}

static void take_job(struct scheduler *s, int64_t id, const json_t *payload)
{
    struct job_name job = job_name(id);
    struct map_slot *slot = map_at(&s->greeted, job.text, strlen(job.text));
    const char *R = json_string_value(json_object_get(payload, "R"));
    char *had = slot->value.pointer, *lacks = NULL, *kept = NULL, *path = NULL;
    struct idset *freed = NULL;
    struct diag d = {0};

    if (had == listed) {
        scheduler_log(s, LEVEL_WARNING, "hello: job %s is listed twice",
                      job.text);
        return;
    }
    slot->value.pointer = (char *)listed;
    if (!R && s->kvs)
        kept = kvs_read(s->kvs, id, &path, &d);
    else if (s->kvs)
        kvs_put(s->kvs, id, R);
    if (json_object_get(payload, "free"))
        freed = message_ranks(payload, "free", &d);
    if (R || kept || had)
        lacks = take_R(s, &job, payload, freed,
                       R      ? R
                       : kept ? kept
                              : had,
                       kept ? path : "R");
    else if (!job_find(s->u, job.text))
        lacks = xstrdup("its resources are unknown");
    else if (freed)
        held_free(s, job.text, freed);
    held_begin(s, job.text);
    if (d.text[0] || lacks)
        raise_job(s, job.text, "scheduler-restart",
                  d.text[0] ? diag_line(&d).text : lacks);
    idset_destroy(freed);
    free(kept);
    free(path);
    free(lacks);
    free(had);
}

/* --- the end of hello ----------------------------------------------------- */

void hello_end(struct scheduler *s)
{
    for (size_t i = 0; i < s->greeted.count; i++)
        if (s->greeted.slots[i].value.pointer != listed)
            free(s->greeted.slots[i].value.pointer);
    map_fini(&s->greeted);
}

/* Free the resources of jobs that hello has not listed; then give the others
   what they lack, as far as that is free now. */
static void end_hello(struct scheduler *s)
{
    size_t removed, n;

    for (size_t i = 0; i < s->greeted.count; i++) {
        struct map_slot *slot = &s->greeted.slots[i];
        if (slot->value.pointer == listed || !held_any(s, slot->key))
            continue;
        held_release(s, slot->key, "release");
        scheduler_log(
            s, LEVEL_WARNING,
            "job %s: unknown to the job manager: its resources are freed",
            slot->key);
    }
    if (s->kvs && (removed = kvs_remove_others(s->kvs, &s->greeted)) > 0)
        scheduler_log(
            s, LEVEL_WARNING,
            "%s: removed the R of jobs unknown to the job manager: %zu",
            s->options.kvs, removed);
    hello_end(s);

    held_retry(s);
    held_raise_lacking(s);
    n = held_jobs(s);
    scheduler_log(s, LEVEL_INFO, "hello: %zu %s resources", n,
                  n == 1 ? "job has" : "jobs have");
    for (size_t i = 0; i < s->ngroups; i++)
        held_raise(s, s->groups[i].lost);
    planner_freed(s->planner);
    s->due |= DUE_RELEASE | DUE_READY | DUE_JUDGE;
}

void hello_ready(struct scheduler *s)
{
    FILE *fp = s->options.manager;

    s->phase = READYING;
    s->ready_tag = scheduler_tag(s);
    request_begin(fp, "job-manager.sched-ready", s->ready_tag, NULL);
    if (s->options.limit > 0)
        fprintf(fp, ",\"payload\":{\"mode\":\"limited\",\"limit\":%u}",
                (unsigned)s->options.limit);
    else
        fputs(",\"payload\":{\"mode\":\"unlimited\"}", fp);
    response_end(fp);
}

void hello_response(struct scheduler *s, const struct message *m)
{
    int64_t id = message_id(m->payload);

    if (s->phase != GREETING || m->matchtag != s->hello_tag)
        scheduler_log(s, LEVEL_WARNING, "%s: unexpected response", m->topic);
    else if (m->errnum == MESSAGE_ENODATA)
        end_hello(s);
    else if (m->errnum)
        scheduler_refused(s, m->topic, "the job manager", m);
    else if (id < 0)
        scheduler_log(s, LEVEL_WARNING, "%s: a response without an id",
                      m->topic);
    else
        take_job(s, id, m->payload);
}

void ready_response(struct scheduler *s, const struct message *m)
{
    json_int_t n = json_integer_value(json_object_get(m->payload, "count"));

    if (s->phase != READYING || m->matchtag != s->ready_tag) {
        scheduler_log(s, LEVEL_WARNING, "%s: unexpected response", m->topic);
    } else if (m->errnum) {
        scheduler_refused(s, m->topic, "the job manager", m);
    } else {
        s->phase = SERVING;
        s->waiting = n > 0 ? (uint64_t)n : 0;
        scheduler_log(s, LEVEL_INFO, "ready: %lld %s", (long long)n,
                      n == 1 ? "job waits" : "jobs wait");
    }
}
