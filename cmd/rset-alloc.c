/*
 * rset-alloc: record who holds what, in the document that goes down the
 * pipe.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/cli.h"
#include "cli/clock.h"
#include "cli/documents.h"
#include "cli/request_options.h"
#include "schedule/ledger.h"
#include "schedule/match.h"

static const struct cli cli = {
    .name = "rset-alloc",
    .synopsis = "COMMAND [JOB] [OPTION...] [FILE]",
    .summary = "Record allocations in a resource set, and ask for them.",
    .footer =
        "Commands:\n"
        "  allocate JOB    allocate what is requested to a job\n"
        "  release JOB     give back all that a job holds\n"
        "  allocated [JOB] print what a job, or any job, was given\n"
        "  available       print what is up and not allocated\n"
        "\n"
        "Exit status: 0 done, 1 no match now, or the job holds nothing (or,\n"
        "to allocate, holds something), 2 trouble, 3 no match ever.\n",
};

static struct poptOption options[] = {
    CLI_REQUEST_OPTIONS, CLI_NOW_OPTION, CLI_DOCUMENT_OPTIONS,
    CLI_COMMON_OPTIONS,  POPT_TABLEEND,
};

/* A command works on one set and says what to write, NULL: nothing. */
struct call {
    const struct named_rset *set;
    const char *job;
    const struct request *req;
    double now;
    struct rset *made; /* a new set to write and destroy */
};

static struct rset *fail(const struct call *call, struct diag *d)
{
    diag_source(d, "%s", call->set->name);
    cli_die_diag(d);
}

static struct rset *out_of_memory(const struct call *call)
{
    struct diag d = {0};

    diag_oom(&d);
    return fail(call, &d);
}

static struct rset *allocate(struct call *call, int *status)
{
    struct rset *rs = call->set->rs;
    struct match_options opts = {.now = call->now};
    struct constraint *constraint = cli_request_constraint();
    double duration = call->req->duration, start = TIME_UNSET, end = TIME_UNSET;
    struct selection *sel;
    struct matcher *m;
    struct diag d = {0};
    enum match_answer answer;

    if (ledger_has(rs, call->job)) {
        cli_warn("%s: job %s holds resources already", call->set->name,
                 call->job);
        *status = STATUS_NO;
        return NULL;
    }
    opts.constraint = constraint;
    cli_request_semantics(&opts);
    if (!(m = matcher_create(rs, &d)))
        fail(call, &d);
    answer = match_find(m, call->req, &opts, &sel, &d);
    if (answer == MATCH_ERROR)
        fail(call, &d);
    if (answer != MATCH_FOUND)
        cli_say_no(call->set->name, m, call->req, &opts, answer, false);
    matcher_destroy(m);
    constraint_destroy(constraint);
    *status = cli_answer_status(answer);
    if (answer != MATCH_FOUND)
        return NULL;
    if (duration > 0) {
        start = call->now;
        end = call->now + duration;
    }
    if (ledger_allocate(rs, sel, call->job, start, end) < 0)
        out_of_memory(call);
    selection_destroy(sel);
    return rs;
}

static struct rset *nothing_held(const struct call *call, int *status)
{
    cli_warn("%s: job %s holds nothing", call->set->name, call->job);
    *status = STATUS_NO;
    return NULL;
}

static struct rset *release(struct call *call, int *status)
{
    if (!ledger_release(call->set->rs, call->job))
        return nothing_held(call, status);
    return call->set->rs;
}

static struct rset *extract(struct call *call, struct selection *sel)
{
    struct diag d = {0};

    if (!sel)
        out_of_memory(call);
    call->made = rset_extract(call->set->rs, sel, &d);
    selection_destroy(sel);
    return call->made ? call->made : fail(call, &d);
}

/* The R of a job has the times of its allocation, if it has any. */
static struct rset *allocated(struct call *call, int *status)
{
    struct rset *rs = call->set->rs, *result;
    struct selection *sel = ledger_allocated(rs, call->job);
    double start, end;

    if (call->job && sel && !sel->root && !sel->loose) {
        selection_destroy(sel);
        return nothing_held(call, status);
    }
    result = extract(call, sel);
    if (!call->job)
        return result;
    ledger_times(rs, call->job, &start, &end);
    if ((start >= 0 || end >= 0) && rset_set_times(result, start, end) < 0)
        out_of_memory(call);
    return result;
}

static struct rset *available(struct call *call, int *status)
{
    (void)status;
    return extract(call, ledger_available(call->set->rs));
}

static const struct command {
    const char *name;
    enum { NO_JOB, MAY_JOB, NEEDS_JOB } job;
    bool request;
    struct rset *(*run)(struct call *call, int *status);
} commands[] = {
    {"allocate", NEEDS_JOB, true, allocate},
    {"release", NEEDS_JOB, false, release},
    {"allocated", MAY_JOB, false, allocated},
    {"available", NO_JOB, false, available},
};

static const struct command *find_command(const char *name)
{
    if (!name)
        cli_usage("a command is expected: allocate, release, allocated or "
                  "available");
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
        if (!strcmp(name, commands[i].name))
            return &commands[i];
    cli_usage("%s: there is no such command", quote(name, strlen(name)).text);
}

static const char *check_job(const char *job)
{
    json_t *text = json_string(job); /* which UTF-8 only can be */

    if (!*job || strlen(job) > JOB_NAME_MAX)
        cli_usage("%s: a job is a number or a name of at most %d bytes",
                  quote(job, strlen(job)).text, JOB_NAME_MAX);
    if (!text)
        cli_usage("the job's name is not UTF-8");
    json_decref(text);
    return job;
}

/* The job comes first, documents after it. */
static const char *take_job(const struct command *command, poptContext ctx)
{
    const char *job = command->job == NO_JOB ? NULL : poptGetArg(ctx);

    if (!job && command->job == NEEDS_JOB)
        cli_usage("%s: a job is expected", command->name);
    return job ? check_job(job) : NULL;
}

static struct request *take_request(const struct command *command,
                                    const char *const *files)
{
    if (!command->request
        && (cli_request_given() || cli_request_constrained()
            || cli_request_semantics_given()))
        cli_usage("%s takes no request", command->name);
    if (!command->request && cli_now_text)
        cli_usage("%s: --now is for allocate", command->name);
    if (command->request && !cli_request_given())
        cli_usage("%s: a request is expected: -n, -N, --shape or --jobspec",
                  command->name);
    cli_request_check_input(files, NULL);
    return cli_request();
}

int main(int argc, const char **argv)
{
    const struct command *command;
    const char **files;
    struct request *req;
    struct rset_list sets;
    struct rset *result;
    struct call call = {0};
    poptContext ctx;
    int status = STATUS_OK;

    cli_init(&cli);
    ctx = poptGetContext(cli.name, argc, argv, options, 0);
    while (cli_next(ctx) >= 0)
        ;
    cli_document_check(ANSWER_SETS);
    command = find_command(poptGetArg(ctx));
    call.job = take_job(command, ctx);
    files = cli_operands(ctx);
    call.req = req = take_request(command, files);
    call.now = cli_now();
    sets = cli_read_one(files);
    call.set = &sets.list[0];
    if ((result = command->run(&call, &status)))
        cli_write(result, call.set->name);
    rset_destroy(call.made);
    request_destroy(req);
    cli_free(&sets);
    poptFreeContext(ctx);
    cli_exit(status);
}
