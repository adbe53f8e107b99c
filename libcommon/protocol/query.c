/* Requests that change nothing: the resources, statistics, and whether a
   request could ever be satisfied. */
#include <stdlib.h>

#include "compare/job_R.h"
#include "compare/responses.h"
#include "protocol/scheduler_private.h"
#include "schedule/filter.h"
#include "schedule/policy.h"

/* --- sched.resource-status ------------------------------------------------ */

void answer_status(struct scheduler *s, const struct message *m)
{
    FILE *fp = s->options.manager;
    enum dialect dialect = scheduler_dialect(s);
    struct rset *R, *facts;
    struct idset *all, *down;
    struct diag d = {0};
    char *texts[3] = {0};

    if (!message_answered(m))
        return;
    all = idset_subtract(s->rs->ranks, s->gone);
    down = idset_intersect(s->down, all);
    texts[0] = resources_text(s->rs, all, dialect, &d);
    texts[1] = texts[0] ? resources_text(s->rs, down, dialect, &d) : NULL;
    if (texts[1]) { /* the resources of all jobs */
        R = ledger_R(s->u, NULL, false, scheduler_now(s), NULL);
        rset_set_times(R, TIME_UNSET, TIME_UNSET);
        facts = rset_facts(R);
        texts[2] = job_R_text(facts, JOB_FORM_RV1, dialect, &d);
        rset_destroy(facts);
        rset_destroy(R);
    }
    if (texts[2]) {
        response_begin(fp, m);
        fprintf(fp, ",\"payload\":{\"all\":%s,\"down\":%s,\"allocated\":%s}",
                texts[0], texts[1], texts[2]);
        response_end(fp);
    } else {
        response_error(fp, m, MESSAGE_EINVAL, d.text);
    }
    idset_destroy(all);
    idset_destroy(down);
    for (int i = 0; i < 3; i++)
        free(texts[i]);
}

/* --- sched.stats-get ------------------------------------------------------ */

void answer_stats(struct scheduler *s, const struct message *m)
{
    const struct counters *c = &s->counters;
    char *rules = queue_rules_text(&s->queues.rules);
    json_t *stats = json_pack(
        "{s:s,s:s,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "policy",
        policy_name(s->options.how.policy), "queue-policy", rules, "pending",
        (json_int_t)s->queues.n, "allocated", (json_int_t)held_jobs(s),
        "requests", (json_int_t)c->requests, "granted", (json_int_t)c->granted,
        "denied", (json_int_t)c->denied, "canceled", (json_int_t)c->canceled,
        "freed", (json_int_t)c->freed, "raised", (json_int_t)c->raised,
        "bad-lines", (json_int_t)c->bad);

    response_payload(s->options.manager, m, stats);
    json_decref(stats);
    free(rules);
}

/* --- feasibility.check ---------------------------------------------------- */

void answer_feasible(struct scheduler *s, const struct message *m)
{
    FILE *fp = s->options.manager;
    const json_t *jobspec = json_object_get(m->payload, "jobspec");
    struct diag d = {0};
    double duration;
    struct cached_request *k;
    const char *never;

    if (!jobspec)
        diag_set(&d, "jobspec is missing");
    k = jobspec ? jobspec_cache_get(&s->cache, jobspec, &duration, &d) : NULL;
    if (k && serve_check_duration(s, duration, &d) < 0) {
        jobspec_cache_drop(&s->cache, k);
        k = NULL;
    }
    if (!k) {
        if (jobspec)
            diag_in(&d, "jobspec");
        response_error(fp, m, jobspec ? MESSAGE_EINVAL : MESSAGE_EPROTO,
                       diag_line(&d).text);
        return;
    }
    if ((never = planner_never(s->planner, k)))
        response_error(fp, m, MESSAGE_EOVERFLOW, never);
    else
        response_payload(fp, m, NULL);
    jobspec_cache_drop(&s->cache, k);
}
