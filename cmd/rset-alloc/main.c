/*
 * rset-alloc: record who holds what, in the document that goes down the
 * pipe.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alloc.h"
#include "beside.h"
#include "cli/cli.h"
#include "cli/clock.h"
#include "cli/request_options.h"
#include "cli/validate.h"

static const struct cli cli = {
    .name = "rset-alloc",
    .synopsis = "COMMAND [JOB] [OPTION...] [FILE]",
    .summary = "Record allocations in a resource set, and ask for them.",
    .footer =
        "Commands:\n"
        "  allocate JOB REQUEST  give what is requested, or named, to a job\n"
        "  grow JOB REQUEST      give it more, on the terms of what it has\n"
        "  commit JOB            what is staged for it is its own\n"
        "  abort JOB             forget what is staged for it\n"
        "  release JOB [PART]    take back what it holds\n"
        "  shrink JOB PART       take back a part, but not all\n"
        "  extend JOB            give what it holds another end\n"
        "  expire                drop what has ended, and say what\n"
        "  allocated [JOB]       print what a job, or any job, was given\n"
        "  available             print what is up and nobody has\n"
        "  jobs                  list the jobs\n"
        "  status [WHAT]         count what there is, had and free; what is "
        "down\n"
        "  up WHAT               what was down is up\n"
        "  down WHAT             it is down\n"
        "  drain WHAT            it is down until it is undrained\n"
        "  undrain WHAT          it is as it was before\n"
        "  state WHAT STATE      up, down, degraded, failing, unknown or none\n"
        "  tag WHAT KEY[=VALUE]  tag it\n"
        "  untag WHAT KEY        take a tag away\n"
        "  property WHAT NAME[=VALUE]  give it a property; ^NAME takes it "
        "away\n"
        "  check                 print every rule that the document breaks\n"
        "\n"
        "REQUEST: request options, --R or --take. PART: --R, --give, "
        "--targets,\n"
        "or --units and --type. WHAT: ranks, hosts, or paths with commas "
        "between\n"
        "them. The document comes last; without one it is standard input.\n"
        "\n"
        "Exit status: 0 done, 1 a no that is told in a line, 2 trouble,\n"
        "3 no match ever.\n",
};

static struct poptOption options[] = {
    ALLOC_OPTIONS,        CLI_REQUEST_OPTIONS, CLI_NOW_OPTION,
    CLI_DOCUMENT_OPTIONS, CLI_COMMON_OPTIONS,  POPT_TABLEEND,
};

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
};

/* What comes after the command, before the document. */
enum operands { NOTHING, JOB, MAY_JOB, WHAT, MAY_WHAT, WHAT_WORD };

static const struct command {
    const char *name;
    enum operands operands;
    unsigned takes;
    enum answer_kind answer;
    alloc_fn run; /* NULL: the documents are checked */
} commands[] = {
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
    {"jobs", NOTHING, NOW, ANSWER_TABLE, alloc_jobs},
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
    };

    for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++)
        if (given[i].given && !(command->takes & given[i].needs))
            cli_usage("%s does not take %s", command->name, given[i].name);
    if (o->duration && o->expiration)
        cli_usage("--duration and --expiration exclude each other");
    if (o->write && (!*o->write || !strcmp(o->write, "-")))
        cli_usage("--write: a file is expected, standard output has the set");
    if (o->write && beside_is_stdio(o->write))
        cli_usage("--write: %s is standard input or output",
                  quote(o->write, strlen(o->write)).text);
    if (o->grow && (o->stage || o->if_same))
        cli_usage("--grow and %s exclude each other",
                  o->stage ? "--stage" : "--if-same");
    check_what(command);
}

/* The job, or what is meant, comes first, documents after it. */
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
                  command->operands == JOB || command->operands == MAY_JOB
                      ? "a job"
                      : "paths, ranks or hosts");
}

static void take_operands(const struct command *command, poptContext ctx,
                          struct alloc_call *call)
{
    enum operands kind = command->operands;
    const char *first = kind == NOTHING ? NULL : poptGetArg(ctx);

    if (!first && kind == JOB)
        cli_usage("%s: a job is expected", command->name);
    if (!first && (kind == WHAT || kind == WHAT_WORD))
        cli_usage("%s: paths, ranks or hosts are expected", command->name);
    if (first && !poptPeekArg(ctx))
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

static void check_inputs(const char *const *files)
{
    const char *R = alloc_options.write;

    cli_request_check_input(files, NULL);
    if (R && beside_is(R, files[0]))
        cli_usage("--write: %s is the document that is read",
                  quote(R, strlen(R)).text);
    if (alloc_options.R && !strcmp(alloc_options.R, "-")
        && !strcmp(files[0], "-"))
        cli_usage("--R -: the document needs a file of its own");
}

static void check_jobs(const struct alloc_call *call)
{
    if (!alloc_options.expect_jobs)
        return;
    for (const struct vertex *v = rset_first(call->rs); v;
         v = rset_next(call->rs, v))
        if (v->records)
            return;
    cli_die("%s: " NO_JOBS, call->set->name);
}

int main(int argc, const char **argv)
{
    const struct command *command;
    struct alloc_call call = {0};
    char digits[JOB_DIGITS_MAX];
    struct rset_list sets;
    const char **files;
    poptContext ctx;
    int status;

    cli_init(&cli);
    ctx = poptGetContext(cli.name, argc, argv, options, 0);
    while (cli_next(ctx) >= 0)
        ;
    command = find_command(poptGetArg(ctx));
    cli_document_check(command->answer);
    check_options(command);
    take_operands(command, ctx, &call);
    files = cli_operands(ctx);
    if (!command->run)
        cli_exit(cli_validate(
            files, VALIDATE_RECORDS
                       | (alloc_options.expect_jobs ? VALIDATE_JOBS : 0)));
    check_inputs(files);
    call.targets = cli_request_constraint();
    call.req = cli_request();
    call.now = cli_now();
    sets = cli_read_one(files);
    call.set = &sets.list[0];
    call.rs = sets.list[0].rs;
    check_jobs(&call);
    if (call.job)
        call.job = ledger_job(alloc_usage(&call), call.job, digits);
    status = command->run(&call);
    if (status == STATUS_OK && !call.silent)
        cli_write(call.made ? call.made : alloc_set(&call), call.set->name);
    usage_destroy(call.usage);
    rset_destroy(call.made);
    request_destroy(call.req);
    constraint_destroy(call.targets);
    cli_leave(&sets);
    poptFreeContext(ctx);
    cli_flush();
    beside_keep(); /* nobody finds a job's R if the set did not arrive */
    cli_exit(status);
}
