/*
 * Reads a command line of rset-alloc, or a line of a batch: the command, its
 * options and its operands.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alloc.h"
#include "base/memory.h"
#include "base/time.h"
#include "cli/beside.h"
#include "cli/store.h"

/* What is given is requested or named, and how to match is of a request. */
static void check_what(const struct command *command,
                       const struct alloc_options *o)
{
    const char *named = o->take                                  ? "--take"
                        : o->R && command->help.takes & CLI_ASKS ? "--R"
                                                                 : NULL;
    const char *asked;

    if (!named)
        return;
    if (cli_given(cli_request_table, &o->request, CLI_ASKS)
        || (o->take && o->R))
        cli_usage("a request, --R and --take exclude each other");
    asked = cli_given(cli_request_table, &o->request,
                      CLI_BOUNDS | CLI_SEMANTICS);
    if (!asked && (o->explain || o->times.earliest))
        asked = o->explain ? "--explain" : "--earliest";
    if (asked)
        cli_usage("%s: %s is of a request", named, asked);
}

/* What is written beside standard output goes to a file of its own. */
static void check_file(const char *option, const char *file, const char *answer)
{
    if (!file)
        return;
    if (!*file || !strcmp(file, "-"))
        cli_usage("%s: a file is expected, standard output has %s", option,
                  answer);
    if (beside_is_stdio(file))
        cli_usage("%s: %s is standard input or output", option,
                  quote(file, strlen(file)).text);
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

/* No option is read and passed over. */
static void check_options(const struct command *command,
                          const struct alloc_options *o)
{
    struct cli_command c = command->help;
    const char *other;

    if (cli_store && command->does & CHANGES)
        c.takes |= NOW; /* the history of a store says when */
    if (cli_given_beside(cli_request_table, &o->request, &c))
        cli_usage("%s does not take a request", c.name);
    if ((other = cli_given_beside(cli_time_table, &o->times, &c))
        || (other = cli_given_beside(cli_table_options, &o->table, &c))
        || (other = cli_given_beside(alloc_option_table, o, &c)))
        cli_usage("%s does not take %s", command->help.name, other);
    cli_when_check(&o->times);
    if (o->reason)
        alloc_text("--reason", o->reason);
    check_file("--write", o->write, "the set");
    check_file("--save", o->save, "the answers");
    if (command->does & STORED && !cli_store)
        cli_usage("%s: --store is expected", command->help.name);
    if (command->run == alloc_save && cli_quiet)
        cli_usage("--quiet: save writes the set, or what changed");
    if (o->map && cli_output_json())
        cli_usage("--map and -o json exclude each other");
    cli_check_rules(o, rules, sizeof(rules) / sizeof(rules[0]));
    if (o->by && command->run == alloc_timeline)
        cli_second_word("--by", o->by, "node", "job");
    check_what(command, o);
    alloc_jobs_check(o);
}

/*
 * A single operand of a command, which names a file and is no number, or is
 * standard input, is the document; or else its place is before one.
 */
static bool is_document(const struct command *command, poptContext ctx)
{
    const char **args = poptGetArgs(ctx);
    struct stat st;

    if (!args || !args[0] || args[1])
        return false;
    if (strcmp(args[0], "-") != 0
        && (stat(args[0], &st) < 0 || !S_ISREG(st.st_mode)
            || strspn(args[0], "0123456789") == strlen(args[0])))
        return false;
    if (command->operands == WHAT && strcmp(args[0], "-") != 0)
        cli_usage(
            "%s: paths, ranks or hosts are expected before %s, which is a "
            "file",
            command->help.name, quote(args[0], strlen(args[0])).text);
    return command->operands == MAY_JOB || command->operands == MAY_WHAT;
}

/*
 * `release FILE` asks for the job of that name in the set on standard input. At
 * a terminal that is a slip, and would wait for ever; elsewhere it is named
 * when nothing comes.
 */
static void check_slip(const struct command *command, const char *word,
                       const char *as)
{
    if (!word || cli_store || access(word, F_OK) != 0)
        return;
    if (isatty(STDIN_FILENO))
        cli_usage("%s: %s is a file, but stands for %s; the set would be read "
                  "from the terminal",
                  command->help.name, quote(word, strlen(word)).text, as);
    cli_slip(word, as);
}

/* Are both numbers or names that begin alike, as n1 and n2? */
static bool is_series(const char *one, const char *other)
{
    size_t len = strcspn(one, "[0123456789");

    return one[len] && strcspn(other, "[0123456789") == len && other[len]
           && !strncmp(one, other, len);
}

/* A word is left that is no document, as no file is named so: what of these was
   meant? */
static void check_more(const struct alloc_call *call, poptContext ctx)
{
    alloc_fn run = call->command->run;
    const char **args = poptGetArgs(ctx), *word = args ? args[0] : NULL;
    const char *first = run == alloc_release ? call->job
                        : run == alloc_batch ? NULL
                                             : call->what;
    char *meant;
    double duration;
    struct diag d;

    if (!word
        || (!call->why && (!strcmp(word, "-") || access(word, F_OK) == 0)))
        return;
    if (first && is_series(first, word))
        xasprintf(&meant, "%s,%s", first, word);
    else if (run == alloc_extend
             && !duration_parse(word + (*word == '+'), 1, &duration, &d))
        xasprintf(&meant, "--duration %s", word);
    else if (run == alloc_jobs
             && (cli_store || args[1] || strspn(word, "0123456789")))
        xasprintf(&meant, "--job %s", word);
    else
        return;
    cli_own(meant, free);
    cli_usage("%s: %s is a word too many: expected %s",
              call->command->help.name, quote(word, strlen(word)).text, meant);
}

/* The job, or what is meant, comes first, documents after it. */
static void take_operands(const struct command *command, poptContext ctx,
                          struct alloc_call *call)
{
    const struct alloc_options *o = call->options;
    enum operands kind = command->operands;
    const char *first, *bound;

    if (kind == JOB_IN_BATCH)
        kind = call->why ? MAY_JOB : NOTHING;
    if (o->all || (!call->why && is_document(command, ctx)))
        kind = NOTHING;
    first = kind == NOTHING ? NULL : poptGetArg(ctx);

    if (!first && kind == JOB)
        cli_usage("%s: a job is expected", command->help.name);
    if (!first && (kind == WHAT || kind == WHAT_WORD))
        cli_usage("%s: paths, ranks or hosts are expected", command->help.name);
    if (!first && kind == COMMANDS)
        cli_usage("batch: a file of commands is expected, or -");
    if (first && kind != COMMANDS && !call->why && !poptPeekArg(ctx))
        check_slip(command, first,
                   kind <= MAY_JOB ? "a job" : "paths, ranks or hosts");
    if (!call->why && !poptPeekArg(ctx))
        check_slip(command, o->reason, "the reason");
    if (first && kind == MAY_WHAT
        && (bound = cli_given(cli_request_table, &o->request, CLI_BOUNDS)))
        cli_usage("%s: %s and %s exclude each other", command->help.name,
                  quote(first, strlen(first)).text, bound);
    if (kind == JOB || kind == MAY_JOB)
        call->job = !first ? NULL
                    : command->run == alloc_release /* or a set of them */
                        ? alloc_text("a job", first)
                        : alloc_name("a job", first);
    else
        call->what = first;
    if (kind != WHAT_WORD) {
        check_more(call, ctx);
        return;
    }
    if (!(call->word = poptGetArg(ctx)))
        cli_usage("%s: %s is expected after %s", command->help.name,
                  command->run == alloc_state ? "a state" : "a key or name",
                  quote(first, strlen(first)).text);
    if (!call->why && !poptPeekArg(ctx))
        check_slip(command, call->word, "what to set");
    alloc_read_word(call);
}

static void check_batch(const struct command *command,
                        const struct alloc_options *o)
{
    const char *other = o->write   ? "--write"
                        : o->map   ? "--map"
                        : o->watch ? "--watch"
                                   : cli_given(alloc_option_table, o,
                                               DOCUMENTS | IN_PLACE);

    if (command->does & (ALONE | STORED) || command->operands == COMMANDS
        || command->answer == ANSWER_CHART)
        other = command->help.name;
    if (other)
        cli_usage("%s: not in a batch", other);
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

static void check_table(struct alloc_call *call)
{
    const struct table_column *columns = alloc_columns(call->command->run);
    const struct alloc_options *o = call->options;
    bool types = o->by && !strcmp(o->by, "type");

    if (columns)
        cli_table_check(&o->table, types ? alloc_types_columns : columns,
                        alloc_as_data(call), &call->choice);
}

void command_read(poptContext ctx, struct alloc_call *call)
{
    const struct cli_command *found;

    cli_read_options(ctx);
    if (!(found = cli_command(ctx)))
        cli_usage("a command is expected, as allocate or release");
    call->command = (const struct command *)found;
    if (!call->why)
        cli_document_check(
            call->options->changed ? ANSWER_DATA : call->command->answer, NULL);
    check_options(call->command, call->options);
    check_table(call);
    take_operands(call->command, ctx, call);
    if (call->why)
        check_batch(call->command, call->options);
}
