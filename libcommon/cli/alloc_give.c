/* The commands that give resources to jobs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/alloc.h"
#include "cli/answer.h"
#include "cli/cli.h"
#include "cli/request_options.h"
#include "compare/cover.h"

/* --- when --------------------------------------------------------------- */

static double end_of(const struct alloc_call *call, double start)
{
    double duration = call->req ? call->req->duration : 0;

    if (alloc_options.expiration)
        return alloc_time("--expiration", alloc_options.expiration, call->now);
    if (alloc_options.duration)
        duration = alloc_duration("--duration", alloc_options.duration);
    return duration > 0 ? start + duration : TIME_UNSET;
}

/*
 * No time is recorded unless one was given. What is to start later must have
 * an end, since nobody could be sure to be out of its way.
 */
static struct terms find_terms(const struct alloc_call *call)
{
    double start = alloc_options.at
                       ? alloc_time("--at", alloc_options.at, call->now)
                       : call->now;
    struct terms terms = {
        .job = call->job,
        .owner = alloc_options.owner,
        .start = start,
        .end = end_of(call, start),
        .reserved = start > call->now,
        .staged = alloc_options.stage,
    };

    if (terms.end < 0 && terms.reserved)
        cli_usage("--at: what starts later needs a --duration or an "
                  "--expiration");
    if (terms.end >= 0 && terms.end <= start)
        cli_usage("it would end before it starts");
    if (terms.end < 0 && !alloc_options.at)
        terms.start = TIME_UNSET;
    return terms;
}

static struct period period_of(const struct alloc_call *call,
                               const struct terms *terms)
{
    double from = terms->start > call->now ? terms->start : call->now;

    return (struct period){call->now, from,
                           terms->end >= 0 ? terms->end : INFINITY};
}

/* --- what --------------------------------------------------------------- */

static int select_request(struct alloc_call *call, const struct terms *terms,
                          struct selection **sel)
{
    struct match_options opts = {.now = call->now,
                                 .start = terms->start,
                                 .constraint = call->targets};
    struct period when = period_of(call, terms);
    struct diag d = {0};
    struct matcher *m = matcher_create(call->rs, &d);
    enum match_answer answer;

    cli_request_semantics(&opts);
    call->req->duration = terms->end >= 0 ? terms->end - when.from : 0;
    answer = m ? match_find(m, call->req, &opts, sel, &d) : MATCH_ERROR;
    if (answer == MATCH_ERROR)
        alloc_fail(call, &d);
    if (answer != MATCH_FOUND)
        cli_say_no(call->set->name, m, call->req, &opts, answer,
                   alloc_options.explain);
    matcher_destroy(m);
    return cli_answer_status(answer);
}

/* What was chosen elsewhere: all of it is free, or nothing is taken. */
static int check_free(const struct alloc_call *call, const struct terms *terms,
                      const struct selection *sel)
{
    struct period when = period_of(call, terms);
    struct diag d = {0};

    return ledger_check_free(call->rs, sel, &when, &d)
               ? alloc_no(call, "%s", d.text)
               : STATUS_OK;
}

static int select_R(struct alloc_call *call, struct selection **sel)
{
    struct rset *part = alloc_read_R(call);
    struct diag d = {0};
    int rc = cover_select(call->rs, part, sel, &d);

    rset_destroy(part);
    if (rc < 0)
        alloc_fail(call, &d);
    return rc ? alloc_no(call, "--R: %s", d.text) : STATUS_OK;
}

static int select_chosen(struct alloc_call *call, const struct terms *terms,
                         struct selection **sel)
{
    int status = STATUS_OK;

    if (alloc_options.take)
        *sel = alloc_pools(call, "--take", alloc_options.take);
    else
        status = select_R(call, sel);
    if (!*sel)
        return STATUS_NO;
    return status == STATUS_OK ? check_free(call, terms, *sel) : status;
}

/* --- the job's R -------------------------------------------------------- */

static void write_R(const struct alloc_call *call)
{
    FILE *fp;
    struct rset *R;

    if (!alloc_options.write)
        return;
    R = alloc_job_R(call, false);
    if (!(fp = fopen(alloc_options.write, "w")))
        cli_die("%s: can't be opened for writing", alloc_options.write);
    cli_write_to(R, fp, alloc_options.write);
    if (fclose(fp) != 0)
        cli_die("%s: not all could be written", alloc_options.write);
    rset_destroy(R);
}

/* --- commands ----------------------------------------------------------- */

static int give(struct alloc_call *call, const struct terms *terms)
{
    struct selection *sel = NULL;
    int status = call->req ? select_request(call, terms, &sel)
                           : select_chosen(call, terms, &sel);

    if (status == STATUS_OK && ledger_allocate(call->rs, sel, terms) < 0)
        alloc_oom();
    selection_destroy(sel);
    if (status == STATUS_OK)
        write_R(call);
    return status;
}

/* Would what the job holds answer the request? */
static int check_same(struct alloc_call *call)
{
    struct rset *R = alloc_job_R(call, false);
    struct match_options opts = {.constraint = call->targets};
    struct diag d = {0};
    struct matcher *m = matcher_create(R, &d);
    enum match_answer answer;

    cli_request_semantics(&opts);
    rset_set_times(R, TIME_UNSET, TIME_UNSET);
    answer = m ? match_feasible(m, call->req, &opts, &d) : MATCH_ERROR;
    if (answer == MATCH_ERROR)
        alloc_fail(call, &d);
    matcher_destroy(m);
    rset_destroy(R);
    if (answer != MATCH_FOUND)
        return alloc_no(call, "job %s holds something else", call->job);
    cli_warn("%s: job %s holds that already", call->set->name, call->job);
    write_R(call);
    return STATUS_OK;
}

int alloc_allocate(struct alloc_call *call)
{
    struct terms terms = find_terms(call);
    bool has = ledger_has(call->rs, call->job);

    if (!call->req && !alloc_options.R && !alloc_options.take)
        cli_usage("allocate: a request is expected: -n, -N, --shape, "
                  "--jobspec, --R or --take");
    if (alloc_options.if_same && !call->req)
        cli_usage("--if-same needs a request");
    if (has && alloc_options.if_same)
        return check_same(call);
    if (has && !alloc_options.grow)
        return alloc_no(call, "job %s holds resources already", call->job);
    return give(call, &terms);
}

/* More, on the same terms. */
int alloc_grow(struct alloc_call *call)
{
    struct terms terms;

    if (!call->req && !alloc_options.R && !alloc_options.take)
        cli_usage("grow: a request is expected: -n, -N, --shape, --jobspec, "
                  "--R or --take");
    if (!ledger_has(call->rs, call->job))
        return alloc_no(call, "job %s holds nothing", call->job);
    ledger_terms(call->rs, call->job, &terms);
    if (terms.staged)
        return alloc_no(call, "job %s is staged", call->job);
    return give(call, &terms);
}

int alloc_commit(struct alloc_call *call)
{
    return ledger_commit(call->rs, call->job)
               ? STATUS_OK
               : alloc_no(call, "nothing is staged for job %s", call->job);
}

int alloc_abort(struct alloc_call *call)
{
    return ledger_abort(call->rs, call->job)
               ? STATUS_OK
               : alloc_no(call, "nothing is staged for job %s", call->job);
}
