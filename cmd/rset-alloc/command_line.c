/*
 * Reads a command line of rset-alloc, or a line of a batch: the command, its
 * options and its operands.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alloc.h"
#include "base/memory.h"
#include "base/time.h"
#include "cli/beside.h"
#include "cli/complete.h"
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
                         quote(file, strlen(file)).text);
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
    const char *other;

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
    if (command->run == alloc_save && cli_quiet)
        return cli_fault(d, "--quiet: save writes the set, or what changed");
    if (o->map && (cli_output_json() || cli_output_csv()))
        return cli_fault(d, "--map and -o %s exclude each other",
                         cli_output_json() ? "json" : "csv");
    if (cli_check_rules(o, rules, sizeof(rules) / sizeof(rules[0]), d) < 0
        || (o->by && command->run == alloc_timeline
            && cli_word("--by", o->by, "node", "job", NULL, d) < 0)
        || (o->by && command->run == alloc_jobs && strcmp(o->by, "owner") != 0
            && cli_fault(d, "--by: %s: expected owner",
                         quote(o->by, strlen(o->by)).text)
                   < 0)
        || check_what(command, o, d) < 0)
        return -1;
    if (o->job_state && alloc_jobs_check(o, d) < 0)
        return -1;
    return o->state ? cli_check_words("--state", o->state, pool_state_names,
                                      NODE_STATE_WORDS, "no node is", d)
                    : 0;
}

/* Is a word the name of a file, and not called like a number? */
static bool is_file(const char *word)
{
    return complete_is_file(word) && strspn(word, "0123456789") < strlen(word);
}

/* Is the only operand the document? It is if it is "-", or a file that is not
   called like a number. Returns true or false, or -1 with a diag. */
static int is_document(const struct command *command, poptContext ctx,
                       struct diag *d)
{
    const char **args = poptGetArgs(ctx);

    if (!args || !args[0] || args[1])
        return false;
    if (strcmp(args[0], "-") != 0 && !is_file(args[0]))
        return false;
    if (command->operands == WHAT && strcmp(args[0], "-") != 0)
        return cli_fault(
            d,
            "%s: paths, ranks or hosts are expected before %s, which is a "
            "file",
            command->help.name, quote(args[0], strlen(args[0])).text);
    return command->operands == MAY_JOB || command->operands == MAY_WHAT
           || command->operands == JOB_OR_WHAT;
}

/*
 * Notice a file in place of another operand: `release FILE` means the job FILE
 * of the set on standard input. At a terminal this is refused, because the
 * program would wait for ever. Otherwise the message mentions it if no input
 * comes.
 */
static int check_slip(const struct command *command, const char *word,
                      const char *as, struct diag *d)
{
    if (!word || cli_store || access(word, F_OK) != 0)
        return 0;
    if (isatty(STDIN_FILENO))
        return cli_fault(d,
                         "%s: %s is a file, but stands for %s; the set would "
                         "be read from the terminal",
                         command->help.name, quote(word, strlen(word)).text,
                         as);
    cli_slip(word, as);
    return 0;
}

/*
 * Refuse a missing file in place of paths, ranks or hosts. It is called as
 * files are, by its ending or a directory before it. Otherwise the set would be
 * read from standard input.
 */
static int check_no_file(const char *word, struct diag *d)
{
    static const char *const endings[] = {".json", ".jgf", ".R",   ".yaml",
                                          ".yml",  ".xml", ".txt", ".db"};
    const char *dot = word ? strrchr(word, '.') : NULL;
    bool named = false;

    if (!word || cli_store || access(word, F_OK) == 0 || strchr(word, ','))
        return 0;
    for (size_t i = 0; dot && i < sizeof(endings) / sizeof(endings[0]); i++)
        named = named || !strcmp(dot, endings[i]);
    if (!named && (!strchr(word, '/') || alloc_names_paths(word)))
        return 0;
    return diag_set(d, "%s: %s", word, strerror(ENOENT));
}

/* Are both numbers or names that begin alike, as n1 and n2? */
static bool is_series(const char *one, const char *other)
{
    size_t len = strcspn(one, "[0123456789");

    return one[len] && strcspn(other, "[0123456789") == len && other[len]
           && !strncmp(one, other, len);
}

/* An operand that is left is no document if no file has this name. If it is
   clear what was meant, return -1 with a diag that says so. */
static int check_more(struct alloc_call *call, poptContext ctx)
{
    alloc_fn run = call->command->run;
    const char **args = poptGetArgs(ctx), *word = args ? args[0] : NULL;
    const char *first = run == alloc_release ? call->job
                        : run == alloc_batch || run == alloc_replay
                            ? NULL
                            : call->what;
    char *meant;
    double duration;
    struct diag d;

    if (!word
        || (!call->why && (!strcmp(word, "-") || access(word, F_OK) == 0)))
        return 0;
    if (first && is_series(first, word))
        xasprintf(&meant, "%s,%s", first, word);
    else if (first && is_file(first) && !cli_store && !call->why && !args[1])
        xasprintf(&meant, "%s %s", word, first);
    else if (run == alloc_extend
             && !duration_parse(word + (*word == '+'), 1, &duration, &d))
        xasprintf(&meant, "--duration %s", word);
    else if (run == alloc_jobs
             && (cli_store || args[1] || strspn(word, "0123456789")))
        xasprintf(&meant, "--job %s", word);
    else
        return 0;
    cli_fault(&call->d, "%s: unexpected argument %s: did you mean %s?",
              call->command->help.name, quote(word, strlen(word)).text, meant);
    free(meant);
    return -1;
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
    int document = 0;
    int64_t number;

    if (kind == JOB_OR_WHAT) {
        first = poptPeekArg(ctx);
        kind = first
                       && (job_is_number(first, &number)
                           || (call->why && !alloc_names_paths(first)))
                   ? MAY_JOB
                   : MAY_WHAT;
    }
    if (!o->all && !call->why && (document = is_document(command, ctx, d)) < 0)
        return -1;
    if (o->all || document)
        kind = NOTHING;
    first = kind == NOTHING ? NULL : poptGetArg(ctx);

    if (!first && kind == JOB)
        return cli_fault(d, "%s: a job is expected", name);
    if (!first && (kind == WHAT || kind == WHAT_WORD))
        return cli_fault(d, "%s: paths, ranks or hosts are expected", name);
    if (!first && kind == COMMANDS)
        return cli_fault(d, "batch: a file of commands is expected, or -");
    if (!first && kind == TRACE)
        return cli_fault(d, "replay: a trace is expected, or -");
    if (!call->why && !poptPeekArg(ctx)
        && ((kind != COMMANDS && kind != TRACE
             && check_slip(command, first,
                           kind <= MAY_JOB ? "a job" : "paths, ranks or hosts",
                           d)
                    < 0)
            || check_slip(command, o->reason, "the reason", d) < 0))
        return -1;
    if (!call->why && !poptPeekArg(ctx)
        && (kind == MAY_WHAT || kind == WHAT || kind == WHAT_WORD)
        && check_no_file(first, d) < 0)
        return -1;
    if (first && kind == MAY_WHAT
        && (bound = cli_first_set(cli_request_table, &o->request, CLI_BOUNDS)))
        return cli_fault(d, "%s: %s and %s exclude each other", name,
                         quote(first, strlen(first)).text, bound);

    if (kind == JOB || kind == MAY_JOB) {
        /* release also takes a set of jobs */
        if (first
            && (command->run == alloc_release
                    ? alloc_check_text
                    : alloc_check_name)("a job", first, d)
                   < 0)
            return -1;
        call->job = first;
    } else {
        call->what = first;
    }
    if (kind != WHAT_WORD)
        return check_more(call, ctx);

    if (!(call->word = poptGetArg(ctx)))
        return cli_fault(d, "%s: %s is expected after %s", name,
                         command->run == alloc_state ? "a state"
                                                     : "a key or name",
                         quote(first, strlen(first)).text);
    if (!call->why && !poptPeekArg(ctx)
        && check_slip(command, call->word, "the value to set", d) < 0)
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

const struct table_column *alloc_columns(alloc_fn run)
{
    static const struct {
        alloc_fn run;
        const struct table_column *columns;
    } tables[] = {
        {alloc_jobs, alloc_jobs_columns},
        {alloc_history, alloc_history_columns},
        {alloc_nodes, alloc_nodes_columns},
        {alloc_status, alloc_groups_columns},
    };

    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
        if (run == tables[i].run)
            return tables[i].columns;
    return NULL;
}

int command_read(poptContext ctx, struct alloc_call *call)
{
    const struct alloc_options *o = call->options;
    const struct cli_command *found;
    const struct table_column *columns = NULL;
    struct diag *d = &call->d;

    if (cli_read_options(ctx, d) < 0)
        return -1;
    if (!poptPeekArg(ctx))
        return cli_fault(d,
                         "a command is expected, such as allocate or release");
    if (!(found = cli_command(ctx, d)))
        return -1;
    call->command = (const struct command *)found;
    if (!call->why)
        cli_document_check(o->changed ? ANSWER_DATA : call->command->answer,
                           NULL);
    if (check_options(call->command, o, d) < 0)
        return -1;
    if (call->command->answer == ANSWER_TABLE)
        columns = alloc_columns(call->command->run);
    if (columns && o->by && call->command->run == alloc_jobs)
        columns = alloc_owners_columns;
    else if (columns && alloc_jobs_pending(o))
        columns = alloc_pending_columns;
    else if (columns && o->by && !strcmp(o->by, "type"))
        columns = alloc_types_columns;
    else if (columns && o->by && !strcmp(o->by, "state"))
        columns = alloc_states_columns;
    if ((columns
         && cli_table_check(&o->table, columns, alloc_as_data(call),
                            &call->choice, d)
                < 0)
        || take_operands(call->command, ctx, call) < 0)
        return -1;
    return call->why ? check_batch(call->command, o, d) : 0;
}
