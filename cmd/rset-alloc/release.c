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

static int nothing_held(const struct alloc_call *call)
{
    return alloc_no(call, "job %s holds nothing", call->job);
}

/* --- which part --------------------------------------------------------- */

static int by_R(struct alloc_call *call)
{
    int status;

    alloc_read_R(call);
    status = alloc_cover(call, STATUS_NO);
    if (status == STATUS_OK)
        selection_fold(call->plan);
    return status;
}

/* All that the job holds on some targets. */
static int by_targets(struct alloc_call *call)
{
    struct filter filter = {.job = call->job, .held = true};
    struct diag d = {0};

    alloc_targets(call, call->options->targets, "--targets");
    filter.targets = call->targets;
    if (!(call->plan = filter_select(call->rs, &filter, &d)))
        cli_die_in(&d, call->set->name);
    if (!call->plan->picks)
        return alloc_no(call, "job %s holds nothing on %s", call->job,
                        call->options->targets);
    return STATUS_OK;
}

static int by_path(struct alloc_call *call)
{
    call->plan = alloc_pools(call, "--give", call->options->give);
    return call->plan ? STATUS_OK : STATUS_NO;
}

/* The option that names a part; NULL: none. */
static const char *part_given(const struct alloc_options *o)
{
    int n = (o->R != NULL) + (o->targets != NULL) + (o->give != NULL);

    if (n > 1)
        cli_usage("--R, --targets and --give exclude each other");
    return o->R ? "--R" : o->targets ? "--targets" : o->give ? "--give" : NULL;
}

/* With `some` something has to be left, or nothing has changed. */
static int release_part(struct alloc_call *call, bool some)
{
    struct job_copy *copy;
    struct diag d = {0};
    struct usage *u;
    int status = call->options->R         ? by_R(call)
                 : call->options->targets ? by_targets(call)
                                          : by_path(call);
    int rc;

    if (status != STATUS_OK)
        return status;
    u = usage_begin(call->rs);
    copy = job_save(job_find(u, call->job));
    rc = ledger_shrink(u, call->job, call->plan, &d);
    if (rc == 0 && some && !ledger_has(u, call->job)) {
        job_restore(u, copy);
        rc = 1;
        diag_set(&d, "job %s would hold nothing: release it", call->job);
    }
    job_copy_destroy(copy);
    return rc ? alloc_no(call, "%s", d.text) : STATUS_OK;
}

/* --- which jobs --------------------------------------------------------- */

struct numbers {
    struct {
        uint64_t from, to;
    } * list;
    size_t n;
};

/* A set of numbers, as `1-3,7`. False: it is none, or a single number. */
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
        VECTOR_GROW(out->list, out->n);
        out->list[out->n].from = from;
        out->list[out->n++].to = to;
        more = *at;
    }
    return out->n > 0;
}

/* The first of the jobs that has nothing, into `name`; or release them all. */
static bool release_jobs(struct usage *u, const struct numbers *jobs,
                         bool release, char name[DIGITS_MAX + 1])
{
    for (size_t i = 0; i < jobs->n; i++)
        for (uint64_t n = jobs->list[i].from;; n++) {
            *put_number(name, n) = '\0';
            if (release)
                ledger_release(u, name);
            else if (!ledger_has(u, name))
                return false;
            if (n == jobs->list[i].to)
                break;
        }
    return true;
}

/* What is no job is a set of them: all are released, or none. */
static int release_several(struct alloc_call *call, const char *part)
{
    struct usage *u = usage_begin(call->rs);
    struct numbers jobs = {0};
    char name[DIGITS_MAX + 1];
    int status = STATUS_OK;

    if (!strcmp(call->job, "all"))
        status = alloc_no(call, "job all holds nothing: --all is for all jobs");
    else if (!read_numbers(call->job, &jobs))
        status = nothing_held(call);
    else if (part)
        status = alloc_no(call, "%s is no job: %s takes back a part of one",
                          call->job, part);
    else if (!release_jobs(u, &jobs, false, name))
        status = alloc_no(call, "job %s holds nothing: none of %s is released",
                          name, call->job);
    else
        release_jobs(u, &jobs, true, name);
    free(jobs.list);
    return status;
}

static int release_all(struct alloc_call *call)
{
    struct usage *u = usage_begin(call->rs);

    call->nothing_new = !usage_jobs(u);
    while (usage_jobs(u))
        job_release(u, usage_jobs(u));
    return STATUS_OK;
}

/* --- commands ----------------------------------------------------------- */

int alloc_release(struct alloc_call *call)
{
    const char *part = part_given(call->options);

    if (call->options->all) {
        cli_exclude("--all", part);
        return release_all(call);
    }
    if (!ledger_has(usage_begin(call->rs), call->job))
        return release_several(call, part);
    if (part)
        return release_part(call, false);
    ledger_release(usage_begin(call->rs), call->job);
    return STATUS_OK;
}

int alloc_shrink(struct alloc_call *call)
{
    if (!part_given(call->options))
        cli_usage("shrink: what is given back? --R, --targets or --give is "
                  "expected");
    if (!ledger_has(usage_begin(call->rs), call->job))
        return nothing_held(call);
    return release_part(call, true);
}

/* The end by what is added to an end or a start, which a job must have. */
static int lasts(struct alloc_call *call, const struct term *terms, double *end)
{
    bool more;
    double seconds = cli_lasts(&call->options->times, &more),
           from = more ? terms->end : terms->start;

    if (seconds <= 0 && !more) /* without end */
        return STATUS_OK;
    if (from < 0)
        return alloc_no(call, "job %s has no %s: name its end by --expiration",
                        call->job, more ? "end" : "start");
    *end = from + seconds;
    return STATUS_OK;
}

int alloc_extend(struct alloc_call *call)
{
    const char *option = cli_given(cli_time_table, &call->options->times,
                                   CLI_DURATION);
    struct diag d = {0};
    double end = TIME_UNSET;
    struct term terms;

    if (!call->options->times.expiration && !option)
        cli_usage("extend: --expiration or --duration is expected");
    if (!option)
        end = cli_expiration(&call->options->times, call->now);
    if (!ledger_has(usage_begin(call->rs), call->job))
        return nothing_held(call);
    terms = ledger_terms(usage_begin(call->rs), call->job);
    if (option && lasts(call, &terms, &end) != STATUS_OK)
        return STATUS_NO;
    if (!option)
        option = "--expiration";
    if (end < 0 && terms.start > call->now)
        cli_usage("%s: job %s starts later, and needs an end", option,
                  call->job);
    if (end >= 0 && end <= terms.start)
        cli_usage("%s: job %s would end before it starts", option, call->job);
    if (end >= 0 && rset_expiration(call->rs) >= 0
        && end > rset_expiration(call->rs)) {
        alloc_no(call, "the set expires before that (%s)",
                 time_utc(rset_expiration(call->rs)).text);
        return STATUS_NEVER;
    }
    if (ledger_extend(usage_begin(call->rs), call->job, end, call->now, &d))
        return alloc_no(call, "%s", d.text);
    return STATUS_OK;
}

static void tell_expired(const char *job, double end, void *arg)
{
    const struct alloc_call *call = arg;

    cli_warn("%s: job %s ended at %s", call->set->name, job,
             time_utc(end).text);
}

int alloc_expire(struct alloc_call *call)
{
    ledger_expire(usage_begin(call->rs), call->now, tell_expired, call);
    return STATUS_OK;
}
