/* The commands that take resources back from jobs. */
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "cli/cli.h"
#include "base/memory.h"
#include "base/time.h"
#include "schedule/filter.h"
#include "model/records/jobs.h"
#include "base/digits.h"
#include "model/records/usage.h"

static int nothing_held(struct alloc_call *call)
{
    return alloc_no(call, "job %s holds nothing", call->job);
}

/* --- which part --------------------------------------------------------- */

/* Plan to take back the pools of --R or --give, or all that the job holds on
   some targets. Returns a status. */
static int plan_part(struct alloc_call *call)
{
    const struct alloc_options *o = call->options;
    struct filter filter = {.job = call->job, .held = true};
    int status;

    if (o->give)
        return alloc_pools(call, "--give", o->give);
    if (o->R) {
        if ((status = alloc_read_R(call)) == STATUS_OK
            && (status = alloc_cover(call, STATUS_NO)) == STATUS_OK)
            picks_fold(call->plan->picks);
        return status;
    }
    if (alloc_targets(call) < 0)
        return -1;
    filter.targets = call->targets;
    call->plan = filter_select(call->rs, &filter);
    if (!call->plan->picks)
        return alloc_no(call, "job %s holds nothing on %s", call->job,
                        o->targets);
    return STATUS_OK;
}

/* Find the option for a part; NULL: none. Returns 0, or -1 with a diag. */
static int find_part_option(struct alloc_call *call, const char **part)
{
    const struct alloc_options *o = call->options;
    int n = (o->R != NULL) + (o->targets != NULL) + (o->give != NULL);

    *part = o->R ? "--R" : o->targets ? "--targets" : o->give ? "--give" : NULL;
    return n > 1 ? cli_fault(&call->d,
                             "--R, --targets and --give exclude each other")
                 : 0;
}

/* Take back a part. `some`: refuse if nothing would be left. */
static int release_part(struct alloc_call *call, bool some)
{
    struct job_copy *copy;
    struct diag d = {0};
    struct usage *u;
    int status = plan_part(call), rc;

    if (status != STATUS_OK)
        return status;
    u = usage_begin(call->rs);
    copy = job_save(job_find(u, call->job));
    rc = ledger_shrink(u, call->job, call->plan, &d);
    if (rc == 0 && some && !job_find(u, call->job)) {
        job_restore(u, copy);
        rc = 1;
        diag_set(&d, "job %s would hold nothing: use release", call->job);
    }
    job_copy_destroy(copy);
    return rc ? alloc_no(call, "%s", d.text) : STATUS_OK;
}

/* --- which jobs --------------------------------------------------------- */

struct numbers {
    struct number_range {
        uint64_t from, to;
    } * list;
    size_t n;
};

/* Read a set of numbers, such as `1-3,7`. Returns false for any other text. */
static bool read_numbers(const char *text, struct numbers *out)
{
    const char *end = strchr(text, '\0'), *at;
    uint64_t from, to;

    for (bool more = strpbrk(text, "-,"); more; text = at + 1) {
        at = get_number(text, end, &from);
        to = from;
        if (at > text && *at == '-')
            at = get_number(text = at + 1, end, &to);
        if (at == text || to < from || (*at && *at != ','))
            return false;
        VECTOR_ADD(out->list, out->n, (struct number_range){from, to});
        more = *at;
    }
    return out->n > 0;
}

/* Return false with the name of the first job that holds nothing; or, with
   `release`, release all of them. */
static bool release_jobs(struct usage *u, const struct numbers *jobs,
                         bool release, char name[DIGITS_MAX + 1])
{
    for (size_t i = 0; i < jobs->n; i++)
        for (uint64_t n = jobs->list[i].from;; n++) {
            *put_number(name, n) = '\0';
            if (release)
                ledger_release(u, name);
            else if (!job_find(u, name))
                return false;
            if (n == jobs->list[i].to)
                break;
        }
    return true;
}

/* Release a set of jobs: all of them, or none. */
static int release_several(struct alloc_call *call, const char *part)
{
    struct usage *u = usage_begin(call->rs);
    struct numbers jobs = {0};
    char name[DIGITS_MAX + 1];
    int status = STATUS_OK;

    if (!strcmp(call->job, "all"))
        status = alloc_no(call,
                          "job all holds nothing: --all releases all jobs");
    else if (!read_numbers(call->job, &jobs))
        status = nothing_held(call);
    else if (part)
        status = alloc_no(call,
                          "%s is not one job: %s takes back a part of one",
                          call->job, part);
    else if (!release_jobs(u, &jobs, false, name))
        status = alloc_no(call, "job %s holds nothing: none of %s is released",
                          name, call->job);
    else
        release_jobs(u, &jobs, true, name);
    free(jobs.list);
    return status;
}

/* --- commands ----------------------------------------------------------- */

int alloc_release(struct alloc_call *call)
{
    struct usage *u;
    const char *part;

    if (find_part_option(call, &part) < 0
        || (call->options->all && cli_exclude("--all", part, &call->d) < 0))
        return -1;
    u = usage_begin(call->rs);
    if (call->options->all) {
        call->nothing_new = !usage_jobs(u);
        while (usage_jobs(u))
            job_release(u, usage_jobs(u));
        return STATUS_OK;
    }
    if (!job_find(u, call->job))
        return release_several(call, part);
    if (part)
        return release_part(call, false);
    ledger_release(u, call->job);
    return STATUS_OK;
}

int alloc_shrink(struct alloc_call *call)
{
    const char *part;

    if (find_part_option(call, &part) < 0)
        return -1;
    if (!part)
        return cli_fault(&call->d,
                         "shrink: a part is expected: --R, --targets or "
                         "--give");
    if (!job_find(usage_begin(call->rs), call->job))
        return nothing_held(call);
    return release_part(call, true);
}

/* Change the end of a job. A duration is added to its start or end. */
int alloc_extend(struct alloc_call *call)
{
    const struct cli_time_options *times = &call->options->times;
    const char *option = cli_first_set(cli_time_table, times, CLI_DURATION),
               *why;
    double end = TIME_UNSET, seconds, from, last = rset_expiration(call->rs);
    struct diag *d = &call->d;
    struct term terms;
    bool more;

    if (!times->expiration && !option)
        return cli_fault(d, "extend: --expiration or --duration is expected");
    if (!option && cli_expiration(times, call->now, &end, d) < 0)
        return -1;
    if (!job_find(usage_begin(call->rs), call->job))
        return nothing_held(call);
    terms = ledger_terms(usage_begin(call->rs), call->job);

    if (option) {
        if (cli_lasts(times, &more, &seconds, d) < 0)
            return -1;
        from = more ? terms.end : terms.start;
        if (from < 0 && (more || seconds > 0))
            return alloc_no(call,
                            "job %s has no %s: set its end with --expiration",
                            call->job, more ? "end" : "start");
        if (more || seconds > 0) /* else it has no end */
            end = from + seconds;
    } else {
        option = "--expiration";
    }

    if (end < 0 && terms.start > call->now)
        return cli_fault(d, "%s: job %s starts later and needs an end", option,
                         call->job);
    if (end >= 0 && (why = time_span_fault(terms.start, end)))
        return cli_fault(d, "%s: job %s: %s", option, call->job, why);
    if (end >= 0 && last >= 0 && end > last) {
        alloc_no(call, "the set expires before that (%s)", time_utc(last).text);
        return STATUS_NEVER;
    }
    if (ledger_extend(usage_begin(call->rs), call->job, end, call->now, d))
        return alloc_no(call, "%s", d->text);
    return STATUS_OK;
}

static void report_expired(const char *job, double end, void *arg)
{
    struct alloc_call *call = arg;

    cli_warn("%s: job %s ended at %s", call->set->name, job,
             time_utc(end).text);
}

int alloc_expire(struct alloc_call *call)
{
    ledger_expire(usage_begin(call->rs), call->now, report_expired, call);
    return STATUS_OK;
}
