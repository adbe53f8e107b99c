/* rset-alloc: record which job holds what, in the document that is passed on in
   a pipe, or in a store. */
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/memory.h"
#include "cli/beside.h"
#include "cli/cli.h"
#include "cli/store.h"
#include "cli/targets.h"
#include "cli/validate.h"
#include "cli/watch.h"
#include "model/records/usage.h"

static const struct cli cli = {
    .name = "rset-alloc",
    .synopsis = "COMMAND [JOB] [OPTION...] [FILE]",
    .summary = "Give resources of a set to jobs, take them back, and show who "
               "holds what.",
    .common = "in-place store explain",
    .about =
        "REQUEST: request options, --R, --take or --targets.\n"
        "PART: --R, --give or --targets.\n"
        "WHAT: ranks, hosts, or paths, separated by commas.\n"
        "The document is the last word, or standard input. With --store there "
        "is none.\n",
    .footer = "Exit status: 0 done, 1 refused or no match now, 2 error, 3 no "
              "match ever.\n",
    .command = alloc_command,
    .meanings = alloc_meanings,
    .offer = alloc_offer,
    .store_set = cli_store_offer,
};

static const struct cli_option option_table[] = {
    ALLOC_OPTIONS,
    CLI_STORE_OPTIONS,
    CLI_DOCUMENT_OPTIONS,
    CLI_EXPAND_OPTIONS("Trees:"),
    CLI_TABLE_OPTIONS(offsetof(struct alloc_options, table)),
    CLI_COMMON_OPTIONS,
    {0},
};

static struct alloc_options options;

static void check_inputs(const struct alloc_call *call,
                         const char *const *files)
{
    const struct command *command = call->command;
    const char *R = call->options->write, *input;
    bool commands = command->operands == COMMANDS || command->operands == TRACE;

    if (call->what
        && (commands ? cli_is_stdin(call->what)
                     : cli_targets_read_stdin(call->what)))
        cli_check_input(command->help.name, files);
    if (call->options->in_place && command->operands == COMMANDS)
        options.save = xstrdup(files[0]);
    if (call->options->save && beside_is(call->options->save, call->what))
        cli_usage("--save: %s is the file of the %s",
                  quote_all(call->what).text,
                  command->operands == TRACE ? "trace" : "commands");
    if ((input = cli_request_reads_stdin(&call->options->request)))
        cli_check_input(input, files);
    if (call->options->R && cli_is_stdin(call->options->R))
        cli_check_input("--R", files);
    if (cli_targets_read_stdin(call->options->targets))
        cli_check_input("--targets", files);
    if (call->options->watch && files[0] && cli_is_stdin(files[0]))
        cli_usage("--watch: a file or a store is expected, standard input is "
                  "read once");
    if (R && files[0] && beside_is(R, files[0]))
        cli_usage("--write: %s is the document that is read",
                  quote_all(R).text);
}

/* Check that the set has jobs, if some are expected, and that its form can hold
   the changes. */
static void check_set(const struct alloc_call *call)
{
    const struct command *command = call->command;
    const struct usage *u = call->rs->usage;
    bool saved = command->operands == COMMANDS ? call->options->save != NULL
                                               : command->does & RECORDS;

    if (call->options->expect_jobs && (!u || usage_njobs(u) == 0))
        cli_die("%s: " NO_JOBS, call->set->name);
    if (saved && !call->options->write && cli_drops_records(call->rs))
        cli_die("%s: %s: an R of the current edition can hold records only in "
                "a graph",
                call->set->name, command->help.name);
}

/* Write the result. With a store whatever can fail comes before the commit. */
static void write_answer(struct alloc_call *call)
{
    char *text = NULL;
    bool json;

    if (!call->store) {
        cli_write(call->made ? call->made : call->rs, call->set->name);
        return;
    }
    if (call->command->does & GIVES)
        call->made = alloc_job_R(call, false);
    if (call->made && !(text = cli_text(call->made, &json, &call->d)))
        cli_die_in(&call->d, call->set->name);
    alloc_store_record(call);
    store_sync(call->store);
    if (!text)
        return;
    puts(text);
    cli_notes(call->made, call->set->name);
    free(text);
}

/* Read the command line into a call, and check what can be checked before
   anything is read. */
static void read_command(poptContext ctx, struct alloc_call *call)
{
    const struct command *command;
    const char **files;

    if (command_read(ctx, call) < 0)
        cli_die_diag(&call->d);
    command = call->command;
    cli_clock_is(options.times.now);
    call->files = files = command->does & ALONE || options.in_place
                              ? cli_operands(ctx)
                              : cli_set_operands(ctx);
    cli_store_check(command->does & LOADS ? NULL : files);
    cli_wait(cli_store || options.in_place ? NULL : "--store or --in-place");
    if (command->answer == ANSWER_TALK && strcmp(files[0], "-") != 0)
        cli_usage("serve: %s: no document is expected",
                  quote_all(files[0]).text);
}

/* Open the set of a call, and find in it what the options and operands name. */
static void open_set(struct alloc_call *call, struct rset_list *sets)
{
    static const char *no_files[] = {NULL};
    static char digits[JOB_DIGITS_MAX];
    const struct command *command = call->command;
    const char **files = cli_store && !(command->does & LOADS) ? no_files
                                                               : call->files;

    check_inputs(call, files);
    /* check their texts */
    if (cli_request_constraint(&options.request, NULL, &call->targets, &call->d)
            < 0
        || cli_request(&options.request, &call->req, &call->d) < 0)
        cli_die_diag(&call->d);
    constraint_destroy(call->targets);
    if (options.watch)
        watch_file(files[0] ? files[0] : cli_store);
    call->now = cli_clock(&call->now_is_set);
    if (options.in_place)
        cli_in_place(files, command->operands == COMMANDS);
    if (files[0] && files[1])
        guess_documents(command, files);
    *sets = files[0] ? cli_read(files, CLI_ONE) : alloc_store_open(call);
    call->sets = sets;
    call->set = &sets->list[0];
    call->rs = sets->list[0].rs;
    check_set(call);
    if (cli_request_constraint(&options.request, sets, &call->targets, &call->d)
        < 0)
        cli_die_diag(&call->d);
    if (call->job)
        call->job = ledger_job(usage_begin(call->rs), call->job, digits);
}

int main(int argc, const char **argv)
{
    struct alloc_call call = {.options = &options};
    const struct command *command;
    struct rset_list sets;
    poptContext ctx;
    int status;

    cli_init(&cli);
    ctx = cli_options(argc, argv, option_table, &options, 0);
    read_command(ctx, &call);
    command = call.command;
    if (!(command->does & ALONE))
        open_set(&call, &sets);
    if ((status = alloc_run(&call)) < 0)
        cli_die_diag(&call.d);
    if (command->does & ALONE) { /* it has read its own input */
        if (call.data)
            cli_write_json(call.data);
        cli_exit(status);
    }
    if (status != STATUS_OK && call.answer[0])
        cli_warn("%s: %s", call.set->name, call.answer);
    if (call.data)
        cli_write_json(json_incref(call.data));
    else if (status == STATUS_OK && command->answer == ANSWER_SETS
             && command->operands != COMMANDS && !(command->does & STORED))
        write_answer(&call);
    alloc_end(&call);
    cli_flush();
    cli_leave(&sets);
    poptFreeContext(ctx);
    /* a job's R must not appear if the set could not be written */
    beside_keep();
    store_close(call.store);
    cli_exit(status);
}
