/* The commands that give resources to jobs, or write what jobs have. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alloc.h"
#include "base/time.h"
#include "cli/cli.h"
#include "compare/cover.h"
#include "model/records/jobs.h"
#include "model/records/usage.h"
#include "schedule/plan.h"
#include "schedule/explain.h"

/* --- when --------------------------------------------------------------- */

static bool has_times(const struct alloc_call *call)
{
    return cli_first_set(cli_time_table, &call->options->times,
                         CLI_AT_TIME | CLI_TERMS | CLI_DURATION
                             | CLI_EXPIRATION);
}

/*
 * Make the terms of a job those of a grant. Resources that are added to a job
 * get the job's terms, unless times are given. Otherwise the times are those of
 * the command line or of the R, which may have ended.
 */
static int find_terms(struct alloc_call *call, struct term *terms)
{
    const struct alloc_options *o = call->options;
    bool more = job_find(usage_begin(call->rs), call->job);
    bool given = has_times(call);
    struct cli_times times;
    struct cli_when when;

    if (cli_when_read(&o->times, call->now, &when, &call->d) < 0)
        return -1;
    if (o->owner) {
        if (alloc_check_name("an owner", o->owner, &call->d) < 0)
            return -1;
        terms->owner = o->owner;
    }
    terms->staged = o->stage;
    if (more && !given)
        return STATUS_OK;
    if (call->part && !given)
        cover_times(call->rs, call->part, &times.start, &times.end);
    else if (cli_times(&when, call->now, call->req ? call->req->duration : 0,
                       o->times.earliest, &times, &call->d)
             < 0)
        return -1;
    if (cli_times_check(&times, call->now, "--R", &call->d) < 0)
        return -1;
    terms->start = times.start;
    terms->end = times.end;
    terms->reserved = terms->start > call->now;
    return STATUS_OK;
}

/* --- what --------------------------------------------------------------- */

/* Find resources for the request. --earliest sets the times of the terms. */
static int select_request(struct alloc_call *call, struct term *terms)
{
    struct match_options opts = {.now = call->now, .constraint = call->targets};
    struct cli_times times = {terms->start, terms->end};
    struct usage *u = usage_begin(call->rs);
    enum match_answer answer;
    char *text;

    if (cli_request_semantics(&call->options->request, &opts, &call->d) < 0)
        return -1;
    cli_times_apply(&times, call->req, &opts);
    answer = cli_find(u, call->req, &opts, &times,
                      call->options->times.earliest, &call->plan, &call->d);
    if (answer == MATCH_ERROR)
        return alloc_trouble(call);
    if (answer == MATCH_FOUND) {
        if (cli_times_check(&times, call->now, "--earliest", &call->d) < 0)
            return -1;
        terms->start = times.start;
        terms->end = times.end;
        terms->reserved = terms->start > call->now;
        return STATUS_OK;
    }
    text = match_explain_text(u, call->req, &opts, answer,
                              call->options->explain ? EXPLAIN_ALL
                                                     : EXPLAIN_REASONS);
    alloc_no_match(call, cli_answer_status(answer), text);
    free(text);
    return cli_answer_status(answer);
}

/* Make the plan of the request, of --R, of --targets or of --take. */
static int make_plan(struct alloc_call *call, struct term *terms)
{
    int status = STATUS_OK;

    if (call->req)
        return select_request(call, terms);
    if (call->part) {
        status = alloc_cover(call, STATUS_NEVER);
    } else if (call->options->targets) { /* all of them, whole */
        if (alloc_targets(call) < 0)
            return -1;
        alloc_target_lots(call);
        call->plan = selection_create();
        selection_take_all(call->plan, usage_begin(call->rs), &call->lots);
        alloc_join_lots(call);
    } else if ((status = alloc_pools(call, "--take", call->options->take))
               == STATUS_NO) {
        status = STATUS_NEVER; /* waiting doesn't help */
    }
    if (status == STATUS_OK)
        plan_take_whole(call->plan);
    return status;
}

/* Check that all of the plan is available on these terms. */
static int check_plan(struct alloc_call *call, const struct term *terms)
{
    unsigned flags = call->req ? 0 : PLAN_CHOSEN;
    struct usage *u = usage_begin(call->rs);
    char *jobs = NULL;

    /* an R lists what a job has, even if some of it is down by now */
    if (call->options->R || call->options->any_state)
        flags |= PLAN_ANY_STATE;
    switch (plan_check(u, call->job, call->plan, terms, call->now, flags,
                       &call->d)) {
    case PLAN_NOT_NOW:
        if (call->options->targets) { /* name the jobs that hold some of them */
            alloc_target_lots(call);
            jobs = plan_in_the_way(u, call->job, &call->lots, terms, call->now);
            alloc_join_lots(call);
        }
        alloc_no_match(call, STATUS_NO, jobs ? jobs : call->d.text);
        free(jobs);
        return STATUS_NO;
    case PLAN_NEVER:
        return alloc_no_match(call, STATUS_NEVER, call->d.text);
    case PLAN_UNSAYABLE:
        return alloc_trouble(call);
    case PLAN_GOOD:
        break;
    }
    return STATUS_OK;
}

/* --- the job's R -------------------------------------------------------- */

struct rset *alloc_job_R(struct alloc_call *call, bool held)
{
    return ledger_R(usage_begin(call->rs), call->job, held, call->now,
                    call->new_plan);
}

/* --- commands ----------------------------------------------------------- */

int alloc_allocate(struct alloc_call *call)
{
    const struct alloc_options *o = call->options;
    struct usage *u = usage_begin(call->rs);
    const struct job *job = job_find(u, call->job);
    bool more = o->grow ? job != NULL : !(call->command->does & NEW_JOB);
    struct term terms = ledger_terms(u, call->job);
    int status;

    if (!call->req && !o->R && !o->take && !o->targets)
        return cli_fault(&call->d,
                         "%s: a request is expected: -n, -N, --shape, "
                         "--jobspec, --R, --take or --targets",
                         call->command->help.name);
    if (job && !more)
        return alloc_no(call, "job %s holds resources already", call->job);
    if (!job && more)
        return alloc_no(call, "job %s holds nothing", call->job);
    if (job && terms.staged)
        return alloc_no(call, "job %s is staged", call->job);
    if (job && terms.end >= 0 && terms.end <= call->now && !has_times(call))
        return alloc_no(call, "job %s ended at %s", call->job,
                        time_utc(terms.end).text);

    if ((o->R && (status = alloc_read_R(call)) != STATUS_OK)
        || (status = find_terms(call, &terms)) != STATUS_OK
        || (status = make_plan(call, &terms)) != STATUS_OK
        || (status = check_plan(call, &terms)) != STATUS_OK)
        return status;
    u = usage_begin(call->rs);
    job = job_find(u, call->job);
    if (call->in_batch && job)
        call->undo = job_save(job);
    call->new_plan = !job && call->plan->nslots ? call->plan : NULL;
    if (!job)
        terms.nslots = selection_open_slots(call->plan);
    ledger_allocate(u, call->job, call->plan, &terms);
    if (o->write) {
        struct rset *R = alloc_job_R(call, false);
        cli_save(R, call->set->name, o->write);
        rset_destroy(R);
    }
    return STATUS_OK;
}

int alloc_unstage(struct alloc_call *call)
{
    bool commit = !strcmp(call->command->help.name, "commit");

    return (commit ? ledger_commit : ledger_abort)(usage_begin(call->rs),
                                                   call->job)
               ? STATUS_OK
               : alloc_no(call, "nothing is staged for job %s", call->job);
}

/* If all that a job has waits for other jobs, name one and return true. */
static bool is_waiting(struct alloc_call *call, const struct job *job)
{
    struct usage *u = call->rs->usage;
    const struct grant *first, *over;

    for (const struct grant *g = job->grants; g; g = g->next)
        if (term_uses(g->term) && !grant_awaits(u, g, call->now))
            return false;
    if (!(over = job_awaits(u, job, call->now, &first)))
        return false;
    alloc_no(call,
             "job %s holds nothing: it waits for job %s, which ended at %s and "
             "was not released: %s",
             job->name, over->term->job->name, time_utc(over->term->end).text,
             alloc_place(call, first->lot));
    return true;
}

int alloc_allocated(struct alloc_call *call)
{
    struct usage *u = usage_begin(call->rs);
    const struct job *job = call->job ? job_find(u, call->job) : NULL;
    struct rset *held;

    if (call->job && !job)
        return alloc_no(call, "job %s holds nothing", call->job);
    if (job && is_waiting(call, job))
        return STATUS_NO;
    call->made = alloc_job_R(call, call->options->held);
    if (!job || call->options->held || !isatty(STDERR_FILENO))
        return STATUS_OK;

    /* people may wonder why tables show more than the job asked for */
    held = alloc_job_R(call, true);
    if (rset_count(held, NULL, "core") != rset_count(call->made, NULL, "core"))
        cli_warn("job %s holds its nodes whole, and asked for less: --held "
                 "writes all that it holds",
                 call->job);
    rset_destroy(held);
    return STATUS_OK;
}

int alloc_available(struct alloc_call *call)
{
    struct selection *sel;
    struct period when;

    if (cli_moment(&call->options->times, call->now, &when, &call->d) < 0)
        return -1;
    sel = ledger_available(usage_begin(call->rs), &when,
                           call->options->any_state);
    if (cli_output_extent() != EXTENT_GRAPH)
        selection_drop_unusable(call->rs->usage, sel);
    call->made = rset_extract(call->rs, sel);
    selection_destroy(sel);
    return STATUS_OK;
}
