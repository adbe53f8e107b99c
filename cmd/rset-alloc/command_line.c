/*
 * Reads a command line of rset-alloc, or a line of a batch: the command, its
 * options and its operands.
 */
#include <string.h>

#include "alloc.h"
#include "cli/beside.h"
#include "cli/store.h"
#include "model/records/jobs.h"

/* Check the options that say which resources to give: a request, or one of --R,
   --take and --targets, which take no options of a request. */
static int check_what(const struct command *command,
                      const struct alloc_options *o, struct diag *d)
{
    const char *named = o->take      ? "--take"
                        : o->R       ? "--R"
                        : o->targets ? "--targets"
                                     : NULL;
    int n = (o->take != NULL) + (o->R != NULL) + (o->targets != NULL);
    const char *option;

    if (!(command->help.takes & CLI_ASKS))
        return 0;
    if (o->any_state && (!named || o->R))
        return cli_fault(d, "--any-state needs --targets or --take");
    if (!named)
        return 0;
    if (n > 1 || cli_first_set(cli_request_table, &o->request, CLI_ASKS))
        return cli_fault(d, "a request, --R, --take and --targets exclude each "
                            "other");
    option = cli_first_set(cli_request_table, &o->request,
                           CLI_BOUNDS | CLI_SEMANTICS);
    if (!option && (o->explain || o->times.earliest))
        option = o->explain ? "--explain" : "--earliest";
    return option ? cli_fault(d, "%s: %s needs a request", named, option) : 0;
}

/* Check that output beside standard output goes to a file of its own. */
static int check_file(const char *option, const char *file, const char *answer,
                      struct diag *d)
{
    if (!*file || !strcmp(file, "-"))
        return cli_fault(d, "%s: a file is expected, standard output has %s",
                         option, answer);
    if (beside_is_stdio(file))
        return cli_fault(d, "%s: %s is standard input or output", option,
                         quote_all(file).text);
    return 0;
}

static const struct cli_rule rules[] = {
    {"in-place", CLI_EXCLUDES, "save"},
    {"in-place", CLI_EXCLUDES, "store"},
    {"group-commit", CLI_NEEDS, "store"},
    {"map", CLI_EXCLUDES, "columns"},
    {"map", CLI_EXCLUDES, "sort"},
    {"map", CLI_EXCLUDES, "no-header"},
    {"grow", CLI_EXCLUDES, "stage"},
    {"resources", CLI_EXCLUDES, "provider"},
    {"resources", CLI_EXCLUDES, "group"},
    {"kvs", CLI_EXCLUDES, "store"},
};

/* Refuse options that the command would ignore. */
static int check_options(const struct command *command,
                         const struct alloc_options *o, struct diag *d)
{
    struct cli_command c = command->help;
    const char *other, *form = cli_output_is("json")  ? "json"
                               : cli_output_is("csv") ? "csv"
                                                      : NULL;

    if (cli_store && command->does & CHANGES)
        c.takes |= NOW; /* for the time in the store's history */
    if (cli_first_untaken(cli_request_table, &o->request, &c))
        return cli_fault(d, "%s does not take a request", c.name);
    if ((other = cli_first_untaken(cli_time_table, &o->times, &c))
        || (other = cli_first_untaken(cli_table_options, &o->table, &c))
        || (other = cli_first_untaken(alloc_option_table, o, &c)))
        return cli_fault(d, "%s does not take %s", c.name, other);
    if (((o->times.limit || o->times.expiration)
         && cli_when_check(&o->times, d) < 0)
        || (o->reason && alloc_check_text("--reason", o->reason, d) < 0)
        || (o->write && check_file("--write", o->write, "the set", d) < 0)
        || (o->save && check_file("--save", o->save, "the answers", d) < 0))
        return -1;
    if (command->does & STORED && !cli_store && !cli_default_store())
        return cli_fault(d, "%s: --store is expected", c.name);
    if (o->map && form)
        return cli_fault(d, "--map and -o %s exclude each other", form);
    if (cli_check_rules(rules, sizeof(rules) / sizeof(rules[0]), d) < 0
        || (o->by && command->by && command->columns != alloc_groups_columns
            && cli_word("--by", o->by, command->by[0].word, command->by[1].word,
                        NULL, d)
                   < 0)
        || check_what(command, o, d) < 0)
        return -1;
    if (o->job_state && alloc_jobs_check(o, d) < 0)
        return -1;
    return o->state ? cli_check_words("--state", o->state, pool_state_names,
                                      NODE_STATE_WORDS, "no node is", d)
                    : 0;
}

/* Take the operands before the documents. */
static int take_operands(const struct command *command, poptContext ctx,
                         struct alloc_call *call)
{
    const struct alloc_options *o = call->options;
    const char *name = command->help.name;
    enum operands kind = command->operands;
    const char *first, *bound;
    struct diag *d = &call->d;
    bool word = kind == WHAT_STATE || kind == WHAT_KEY || kind == WHAT_PROPERTY;
    int document = 0;
    int64_t number;

    if (kind == JOB_OR_WHAT) {
        first = poptPeekArg(ctx);
        kind = first
                       && (job_is_number(first, &number)
                           || (call->in_batch && !alloc_names_paths(first)))
                   ? MAY_JOB
                   : MAY_WHAT;
    }
    if (!o->all && !call->in_batch
        && (document = guess_document(command, ctx, d)) < 0)
        return -1;
    if (o->all || document)
        kind = NOTHING;
    first = kind == NOTHING ? NULL : poptGetArg(ctx);

    if (!first && (kind == JOB || kind == JOBS))
        return cli_fault(d, "%s: a job is expected", name);
    if (!first && (kind == WHAT || word))
        return cli_fault(d, "%s: paths, ranks or hosts are expected", name);
    if (!first && kind == COMMANDS)
        return cli_fault(d, "batch: a file of commands is expected, or -");
    if (!first && kind == TRACE)
        return cli_fault(d, "replay: a trace is expected, or -");
    if (!call->in_batch && !poptPeekArg(ctx)
        && ((kind != COMMANDS && kind != TRACE
             && guess_slip(command, first,
                           kind <= MAY_JOB ? "a job" : "paths, ranks or hosts",
                           d)
                    < 0)
            || guess_slip(command, o->reason, "the reason", d) < 0
            || ((kind == MAY_WHAT || kind == WHAT || word)
                && guess_missing(first, d) < 0)))
        return -1;
    if (first && kind == MAY_WHAT
        && (bound = cli_first_set(cli_request_table, &o->request, CLI_BOUNDS)))
        return cli_fault(d, "%s: %s and %s exclude each other", name,
                         quote_all(first).text, bound);

    if (kind == JOB || kind == JOBS || kind == MAY_JOB) {
        if (first
            && (kind == JOBS ? alloc_check_text : alloc_check_name)("a job",
                                                                    first, d)
                   < 0)
            return -1;
        call->job = first;
    } else {
        call->what = first;
    }
    if (!word)
        return guess_more(call, ctx);

    if (!(call->word = poptGetArg(ctx)))
        return cli_fault(d, "%s: %s is expected after %s", name,
                         kind == WHAT_STATE ? "a state" : "a key or name",
                         quote_all(first).text);
    if (!call->in_batch && !poptPeekArg(ctx)
        && guess_slip(command, call->word, "the value to set", d) < 0)
        return -1;
    return alloc_read_word(call);
}

static int check_batch(const struct command *command,
                       const struct alloc_options *o, struct diag *d)
{
    const char *other = o->write   ? "--write"
                        : o->map   ? "--map"
                        : o->watch ? "--watch"
                                   : cli_first_set(alloc_option_table, o,
                                                   DOCUMENTS | IN_PLACE);

    if (command->does & (ALONE | STORED) || command->operands == COMMANDS
        || command->operands == TRACE || command->answer == ANSWER_CHART)
        other = command->help.name;
    return other ? cli_fault(d, "%s: not in a batch", other) : 0;
}

const struct table_column *alloc_columns(const struct command *command,
                                         const char *by, bool pending)
{
    for (const struct by_word *w = command->by; by && w && w->word; w++)
        if (!strcmp(w->word, by))
            return w->columns;
    return pending ? alloc_pending_columns : command->columns;
}

int command_read(poptContext ctx, struct alloc_call *call)
{
    const struct alloc_options *o = call->options;
    const struct cli_command *found;
    const struct table_column *columns;
    struct diag *d = &call->d;

    if (cli_read_options(ctx, d) < 0)
        return -1;
    if (!poptPeekArg(ctx))
        return cli_fault(d,
                         "a command is expected, such as allocate or release");
    if (!(found = cli_command(ctx, d)))
        return -1;
    call->command = (const struct command *)found;
    if (!call->in_batch)
        cli_document_check(o->changed ? ANSWER_DATA : call->command->answer,
                           NULL);
    if (check_options(call->command, o, d) < 0)
        return -1;
    columns = alloc_columns(call->command, o->by, alloc_jobs_pending(o));
    if ((columns
         && cli_table_check(&o->table, columns, alloc_as_data(call),
                            &call->choice, d)
                < 0)
        || take_operands(call->command, ctx, call) < 0)
        return -1;
    return call->in_batch ? check_batch(call->command, o, d) : 0;
}
