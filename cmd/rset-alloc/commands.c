/*
 * The commands of rset-alloc: what each takes, and how a command line, or a
 * line of a batch, is read.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "beside.h"
#include "cli/cli.h"
#include "cli/clock.h"
#include "cli/request_options.h"

/* Options as bits, so that a command can say which it takes. */
enum {
    REQUEST = 1 << 0,
    NOW = 1 << 1,
    TERMS = 1 << 2, /* --duration --at --expiration --owner --stage... */
    WRITE = 1 << 3,
    CHOSEN = 1 << 4,   /* --take */
    DOCUMENT = 1 << 5, /* --R */
    PART = 1 << 6,     /* --give --targets --units --type */
    EXPIRATION = 1 << 7,
    AT = 1 << 8,
    HELD = 1 << 9,
    ANY_STATE = 1 << 10,
    REASON = 1 << 11,
    BATCH = 1 << 12, /* --save --no-R */
};

static const struct command commands[] = {
    {"allocate", JOB,
     REQUEST | NOW | TERMS | WRITE | CHOSEN | DOCUMENT | EXPIRATION | AT,
     ANSWER_SETS, alloc_allocate},
    {"grow", JOB, REQUEST | NOW | WRITE | CHOSEN | DOCUMENT, ANSWER_SETS,
     alloc_grow},
    {"commit", JOB, 0, ANSWER_SETS, alloc_commit},
    {"abort", JOB, 0, ANSWER_SETS, alloc_abort},
    {"release", JOB, DOCUMENT | PART, ANSWER_SETS, alloc_release},
    {"shrink", JOB, DOCUMENT | PART, ANSWER_SETS, alloc_shrink},
    {"extend", JOB, NOW | EXPIRATION, ANSWER_SETS, alloc_extend},
    {"expire", NOTHING, NOW, ANSWER_SETS, alloc_expire},
    {"allocated", MAY_JOB, HELD, ANSWER_SETS, alloc_allocated},
    {"available", NOTHING, NOW | AT | ANY_STATE, ANSWER_SETS, alloc_available},
    {"jobs", JOB_IN_BATCH, NOW, ANSWER_TABLE, alloc_jobs},
    {"status", MAY_WHAT, NOW, ANSWER_TABLE, alloc_status},
    {"up", WHAT, 0, ANSWER_SETS, alloc_up},
    {"down", WHAT, NOW | REASON, ANSWER_SETS, alloc_down},
    {"drain", WHAT, NOW | REASON, ANSWER_SETS, alloc_drain},
    {"undrain", WHAT, 0, ANSWER_SETS, alloc_undrain},
    {"state", WHAT_WORD, NOW | REASON, ANSWER_SETS, alloc_state},
    {"tag", WHAT_WORD, 0, ANSWER_SETS, alloc_tag},
    {"untag", WHAT_WORD, 0, ANSWER_SETS, alloc_untag},
    {"property", WHAT_WORD, 0, ANSWER_SETS, alloc_property},
    {"check", NOTHING, 0, ANSWER_DATA, NULL},
    {"batch", COMMANDS, NOW | BATCH, ANSWER_SETS, NULL},
};

static const struct command *find_command(const char *name)
{
    if (!name)
        cli_usage("a command is expected, as allocate or release");
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
        if (!strcmp(name, commands[i].name))
            return &commands[i];
    cli_usage("%s: there is no such command", quote(name, strlen(name)).text);
}

/* What is given is requested or named, and how to match is of a request. */
static void check_what(const struct command *command)
{
    const struct alloc_options *o = &alloc_options;
    const char *named = o->take                            ? "--take"
                        : o->R && command->takes & REQUEST ? "--R"
                                                           : NULL;

    if (!named)
        return;
    if (cli_request_given() || (o->take && o->R))
        cli_usage("a request, --R and --take exclude each other");
    if (cli_request_semantics_given() || cli_request_constrained())
        cli_usage("%s: --requires, --constraint, --slot-scope and --granule "
                  "are of a request",
                  named);
    if (o->explain)
        cli_usage("%s: --explain is of a request", named);
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
    const struct {
        const char *name;
        bool given;
        unsigned needs;
    } given[] = {
        {"a request",
         cli_request_given() || cli_request_semantics_given()
             || cli_request_constrained(),
         REQUEST},
        {"--explain", o->explain, REQUEST},
        {"--now", cli_now_text, NOW},
        {"--duration", o->duration, TERMS},
        {"--owner", o->owner, TERMS},
        {"--grow", o->grow, TERMS},
        {"--if-same", o->if_same, TERMS},
        {"--stage", o->stage, TERMS},
        {"--at", o->at, AT},
        {"--expiration", o->expiration, EXPIRATION},
        {"--write", o->write, WRITE},
        {"--take", o->take, CHOSEN},
        {"--R", o->R, DOCUMENT},
        {"--give", o->give, PART},
        {"--targets", o->targets, PART},
        {"--units", o->units, PART},
        {"--type", o->type, PART},
        {"--held", o->held, HELD},
        {"--any-state", o->any_state, ANY_STATE},
        {"--reason", o->reason, REASON},
        {"--save", o->save, BATCH},
        {"--no-R", o->no_R, BATCH},
    };

    for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++)
        if (given[i].given && !(command->takes & given[i].needs))
            cli_usage("%s does not take %s", command->name, given[i].name);
    if (o->duration && o->expiration)
        cli_usage("--duration and --expiration exclude each other");
    if (o->reason)
        alloc_text("--reason", o->reason);
    check_file("--write", o->write, "the set");
    check_file("--save", o->save, "the answers");
    if (o->grow && (o->stage || o->if_same))
        cli_usage("--grow and %s exclude each other",
                  o->stage ? "--stage" : "--if-same");
    check_what(command);
}

/*
 * `status FILE` asks for what is called like the file in the set on standard
 * input. At a terminal that is a slip, and would wait for ever.
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
    alloc_check_word(command->run, call->word);
}

void command_read(poptContext ctx, struct alloc_call *call)
{
    while (cli_next(ctx) >= 0)
        ;
    call->command = find_command(poptPeekArg(ctx));
    poptGetArg(ctx);
    if (!call->why)
        cli_document_check(call->command->answer);
    check_options(call->command);
    take_operands(call->command, ctx, call);
}
