/*
 * The commands of rset-alloc: what each takes, and how a command line, or a
 * line of a batch, is read.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alloc.h"
#include "base/near.h"
#include "cli/beside.h"
#include "cli/cli.h"
#include "cli/clock.h"
#include "cli/request_options.h"
#include "cli/store.h"

/*
 * Options as bits, so that a command can say which it takes: their `val`. Those
 * of times are CLI_NOW and the like.
 */
enum {
    REQUEST = 1 << 4,
    TERMS = CLI_TERMS, /* --owner --stage..., too */
    WRITE = 1 << 5,
    CHOSEN = 1 << 6,   /* --take */
    DOCUMENT = 1 << 7, /* --R */
    PART = 1 << 8,     /* --give --targets --units --type */
    HELD = 1 << 9,
    ANY_STATE = 1 << 10,
    REASON = 1 << 11,
    BATCH = 1 << 12, /* --save --no-R --group-commit */
    IN_PLACE = 1 << 13,
    DOCUMENTS = 1 << 14, /* --expect-jobs, of all but lines of a batch */
    SAVE = 1 << 15,      /* --changed */
    SERVE = 1 << 16,     /* --kvs --provider... */
    SEMANTICS = 1 << 17, /* --policy and the like, without a request */
    NOW = CLI_NOW,
    AT = CLI_AT,
    EXPIRATION = CLI_EXPIRATION,
};

struct alloc_options alloc_options;

struct poptOption alloc_option_table[] = {
    CLI_OWN_TEXTS,
    {"owner", '\0', POPT_ARG_STRING, &alloc_options.owner, TERMS,
     "allocate: whose job it is", "NAME"},
    {"grow", '\0', POPT_ARG_NONE, &alloc_options.grow, TERMS,
     "allocate: add to what the job holds", NULL},
    {"if-same", '\0', POPT_ARG_NONE, &alloc_options.if_same, TERMS,
     "allocate: all is well if the job holds just that", NULL},
    {"stage", '\0', POPT_ARG_NONE, &alloc_options.stage, TERMS,
     "allocate: lock it until commit or abort", NULL},
    {"write", 'w', POPT_ARG_STRING, &alloc_options.write, WRITE,
     "allocate, grow: write the job's R to a file as well", "FILE"},
    {"R", '\0', POPT_ARG_STRING, &alloc_options.R, DOCUMENT,
     "allocate, grow, release, shrink: what this R or graph names", "FILE"},
    {"take", '\0', POPT_ARG_ARGV, &alloc_options.take, CHOSEN,
     "allocate, grow: units of the pool at a path", "PATH=N"},
    {"give", '\0', POPT_ARG_ARGV, &alloc_options.give, PART,
     "release, shrink: units of the pool at a path", "PATH=N"},
    {"targets", '\0', POPT_ARG_STRING, &alloc_options.targets, PART,
     "release, shrink: what the job has on these ranks or hosts", "TARGETS"},
    {"units", '\0', POPT_ARG_STRING, &alloc_options.units, PART,
     "release, shrink: so many units of --type, the last ones first", "N"},
    {"type", '\0', POPT_ARG_STRING, &alloc_options.type, PART,
     "release, shrink: the type of --units", "TYPE"},
    {"held", '\0', POPT_ARG_NONE, &alloc_options.held, HELD,
     "allocated: all that is held, not only what was asked for", NULL},
    {"any-state", '\0', POPT_ARG_NONE, &alloc_options.any_state, ANY_STATE,
     "available: what is down, too", NULL},
    {"reason", '\0', POPT_ARG_STRING, &alloc_options.reason, REASON,
     "down, drain, state: why", "TEXT"},
    {"explain", '\0', POPT_ARG_NONE, &alloc_options.explain, REQUEST,
     "allocate, grow: when nothing matches, tell in full why", NULL},
    {"save", '\0', POPT_ARG_STRING, &alloc_options.save, BATCH,
     "batch: write the set to a file at the end", "FILE"},
    {"no-R", '\0', POPT_ARG_NONE, &alloc_options.no_R, BATCH,
     "batch: leave sets out of the answers", NULL},
    {"group-commit", '\0', POPT_ARG_NONE, &alloc_options.group_commit, BATCH,
     "batch --store: commit commands together that come together", NULL},
    {"changed", '\0', POPT_ARG_NONE, &alloc_options.changed, SAVE,
     "save: write a patch of what changed since the last save", NULL},
    {"provider", '\0', POPT_ARG_STRING, &alloc_options.provider, SERVE,
     "serve: resources are those of a command, which is run by sh", "COMMAND"},
    {"resources", '\0', POPT_ARG_STRING, &alloc_options.resources, SERVE,
     "serve: resources are those of a document", "FILE"},
    {"group", '\0', POPT_ARG_ARGV, &alloc_options.groups, SERVE,
     "serve: acquire this group of resources (default: default)", "NAME"},
    {"kvs", '\0', POPT_ARG_STRING, &alloc_options.kvs, SERVE,
     "serve: keep the R of each job in a folder, as ID.json", "DIR"},
    {"limit", '\0', POPT_ARG_STRING, &alloc_options.limit, SERVE,
     "serve: take so many requests at a time (default: any number)", "N"},
    {"queue-policy", '\0', POPT_ARG_STRING, &alloc_options.queue_policy, SERVE,
     "serve: in what order jobs are served: fcfs", "NAME"},
    {"log-level", '\0', POPT_ARG_STRING, &alloc_options.log_level, SERVE,
     "serve: what is told on standard error: error, warning (the default), "
     "info or debug",
     "LEVEL"},
    {"in-place", '\0', POPT_ARG_NONE, &alloc_options.in_place, IN_PLACE,
     "write the set back into FILE, which is locked from before it is read",
     NULL},
    {"expect-jobs", '\0', POPT_ARG_NONE, &alloc_options.expect_jobs, DOCUMENTS,
     "refuse a document without any job: it has lost its records", NULL},
    POPT_TABLEEND};

static const struct command commands[] = {
    {"allocate", JOB,
     PIECES | CHANGES | RECORDS | REQUEST | NOW | TERMS | WRITE | CHOSEN
         | DOCUMENT | EXPIRATION | AT | IN_PLACE,
     ANSWER_SETS, alloc_allocate},
    {"grow", JOB,
     PIECES | CHANGES | RECORDS | REQUEST | NOW | WRITE | CHOSEN | DOCUMENT
         | IN_PLACE,
     ANSWER_SETS, alloc_grow},
    {"commit", JOB, PIECES | CHANGES | RECORDS | IN_PLACE, ANSWER_SETS,
     alloc_commit},
    {"abort", JOB, PIECES | CHANGES | IN_PLACE, ANSWER_SETS, alloc_abort},
    {"release", JOB, PIECES | CHANGES | DOCUMENT | PART | IN_PLACE, ANSWER_SETS,
     alloc_release},
    {"shrink", JOB, PIECES | CHANGES | DOCUMENT | PART | IN_PLACE, ANSWER_SETS,
     alloc_shrink},
    {"extend", JOB, PIECES | CHANGES | RECORDS | NOW | EXPIRATION | IN_PLACE,
     ANSWER_SETS, alloc_extend},
    {"expire", NOTHING, CHANGES | NOW | IN_PLACE, ANSWER_SETS, alloc_expire},
    {"allocated", MAY_JOB, PIECES | HELD | NOW, ANSWER_SETS, alloc_allocated},
    {"available", NOTHING, NOW | AT | ANY_STATE, ANSWER_SETS, alloc_available},
    {"jobs", JOB_IN_BATCH, NOW, ANSWER_TABLE, alloc_jobs},
    {"status", MAY_WHAT, NOW, ANSWER_TABLE, alloc_status},
    {"up", WHAT, CHANGES | IN_PLACE, ANSWER_SETS, alloc_state},
    {"down", WHAT, CHANGES | RECORDS | NOW | REASON | IN_PLACE, ANSWER_SETS,
     alloc_state},
    {"drain", WHAT, CHANGES | RECORDS | NOW | REASON | IN_PLACE, ANSWER_SETS,
     alloc_drain},
    {"undrain", WHAT, CHANGES | IN_PLACE, ANSWER_SETS, alloc_undrain},
    {"state", WHAT_WORD, CHANGES | RECORDS | NOW | REASON | IN_PLACE,
     ANSWER_SETS, alloc_state},
    {"exclusive", WHAT, CHANGES | RECORDS | IN_PLACE, ANSWER_SETS,
     alloc_exclusive},
    {"unexclusive", WHAT, CHANGES | IN_PLACE, ANSWER_SETS, alloc_unexclusive},
    {"tag", WHAT_WORD, CHANGES | RECORDS | IN_PLACE, ANSWER_SETS, alloc_tag},
    {"untag", WHAT_WORD, CHANGES | IN_PLACE, ANSWER_SETS, alloc_untag},
    {"property", WHAT_WORD, CHANGES | IN_PLACE, ANSWER_SETS, alloc_property},
    {"load", NOTHING, STORED, ANSWER_SETS, alloc_load},
    {"save", NOTHING, STORED | SAVE, ANSWER_SETS, alloc_save},
    {"history", NOTHING, STORED, ANSWER_TABLE, alloc_history},
    {"check", NOTHING, 0, ANSWER_DATA, NULL},
    {"batch", COMMANDS, NOW | BATCH | IN_PLACE, ANSWER_SETS, NULL},
    {"serve", NOTHING, NOW | SERVE | SEMANTICS, ANSWER_TALK, alloc_serve},
};

static const struct command *find_command(const char *name)
{
    struct near near = {.word = name, .len = name ? strlen(name) : 0};

    if (!name)
        cli_usage("a command is expected, as allocate or release");
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
        if (!strcmp(name, commands[i].name))
            return &commands[i];
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
        near_try(&near, commands[i].name);
    cli_usage("%s: there is no such command%s", quote(name, near.len).text,
              near.text);
}

/* What is given is requested or named, and how to match is of a request. */
static void check_what(const struct command *command)
{
    const struct alloc_options *o = &alloc_options;
    const char *named = o->take                            ? "--take"
                        : o->R && command->takes & REQUEST ? "--R"
                                                           : NULL;
    const char *asked;

    if (!named)
        return;
    if (cli_given(cli_request_table, CLI_ASKS) || (o->take && o->R))
        cli_usage("a request, --R and --take exclude each other");
    asked = cli_given(cli_request_table, CLI_BOUNDS | CLI_SEMANTICS);
    if (!asked && (o->explain || cli_earliest))
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

/* No option is read and passed over. */
static void check_options(const struct command *command)
{
    const struct alloc_options *o = &alloc_options;
    bool reads = command->run != alloc_serve
                 && (!(command->takes & STORED) || command->run == alloc_load);
    /* the history of a store says when */
    unsigned dated = cli_store && command->takes & CHANGES ? NOW : 0;
    const char *other;

    if (!(command->takes & REQUEST)
        && cli_given(cli_request_table, command->takes & SEMANTICS
                                            ? ~(unsigned)CLI_SEMANTICS
                                            : ~0U))
        cli_usage("%s does not take a request", command->name);
    if ((other = cli_given(cli_time_table, ~(command->takes | dated)))
        || (other = cli_given(alloc_option_table,
                              ~(command->takes | (reads ? DOCUMENTS : 0)))))
        cli_usage("%s does not take %s", command->name, other);
    cli_when_check();
    if (o->reason)
        alloc_text("--reason", o->reason);
    check_file("--write", o->write, "the set");
    check_file("--save", o->save, "the answers");
    if (o->in_place && o->save)
        cli_usage("--in-place and --save exclude each other");
    if (o->in_place && cli_store)
        cli_usage("--in-place and --store exclude each other");
    if (o->group_commit && !cli_store)
        cli_usage("--group-commit needs --store");
    if (command->takes & STORED && !cli_store)
        cli_usage("%s: --store is expected", command->name);
    if (o->grow && (o->stage || o->if_same))
        cli_usage("--grow and %s exclude each other",
                  o->stage ? "--stage" : "--if-same");
    check_what(command);
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
            command->name, quote(args[0], strlen(args[0])).text);
    return command->operands == MAY_JOB || command->operands == MAY_WHAT;
}

/*
 * `release FILE` asks for the job of that name in the set on standard input. At
 * a terminal that is a slip, and would wait for ever.
 */
static void check_slip(const struct command *command, const char *first)
{
    if (isatty(STDIN_FILENO) && access(first, F_OK) == 0)
        cli_usage("%s: %s is a file, but stands for %s; the set would be read "
                  "from the terminal",
                  command->name, quote(first, strlen(first)).text,
                  command->operands <= MAY_JOB ? "a job"
                                               : "paths, ranks or hosts");
}

/* The job, or what is meant, comes first, documents after it. */
static void take_operands(const struct command *command, poptContext ctx,
                          struct alloc_call *call)
{
    enum operands kind = command->operands;
    const char *first;

    if (kind == JOB_IN_BATCH)
        kind = call->why ? MAY_JOB : NOTHING;
    if (!call->why && is_document(command, ctx))
        kind = NOTHING;
    first = kind == NOTHING ? NULL : poptGetArg(ctx);

    if (!first && kind == JOB)
        cli_usage("%s: a job is expected", command->name);
    if (!first && (kind == WHAT || kind == WHAT_WORD))
        cli_usage("%s: paths, ranks or hosts are expected", command->name);
    if (!first && kind == COMMANDS)
        cli_usage("batch: a file of commands is expected, or -");
    if (first && kind != COMMANDS && !call->why && !poptPeekArg(ctx))
        check_slip(command, first);
    if (kind == JOB || kind == MAY_JOB)
        call->job = first ? alloc_name("a job", first) : NULL;
    else
        call->what = first;
    if (kind != WHAT_WORD)
        return;
    if (!(call->word = poptGetArg(ctx)))
        cli_usage("%s: %s is expected after %s", command->name,
                  command->run == alloc_state ? "a state" : "a key or name",
                  quote(first, strlen(first)).text);
    alloc_read_word(call);
}

static void check_batch(const struct command *command)
{
    const char *other = cli_given(alloc_option_table,
                                  WRITE | DOCUMENTS | IN_PLACE);

    if (!command->run || command->takes & (STORED | SERVE))
        other = command->name;
    if (other)
        cli_usage("%s: not in a batch", other);
}

void command_read(poptContext ctx, struct alloc_call *call)
{
    while (cli_next(ctx) >= 0)
        ;
    call->command = find_command(poptPeekArg(ctx));
    poptGetArg(ctx);
    if (!call->why)
        cli_document_check(alloc_options.changed ? ANSWER_DATA
                                                 : call->command->answer);
    check_options(call->command);
    take_operands(call->command, ctx, call);
    if (call->why)
        check_batch(call->command);
}
