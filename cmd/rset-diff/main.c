/* rset-diff: compare and combine resource sets. tasks.h has its tasks. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/beside.h"
#include "cli/cli.h"
#include "cli/offers.h"
#include "tasks.h"
#include "cli/documents.h"

static const struct cli cli = {
    .offer = offer_for_sets,
    .name = "rset-diff",
    .synopsis = "[OPTION...] [FILE...]",
    .summary =
        "Show what differs between two resource sets, or combine two or more.",
    .common = "union intersect subtract patch apply audit in-place",
    .examples =
        "  rset-diff yesterday.json set.json\n"
        "  rset-diff inventory.json set.json\n"
        "  rset-diff power.json bigger.json\n"
        "  rset-diff --jobs yesterday.json set.json\n"
        "  rset-diff --union --key host --remap yesterday.json set.json\n"
        "  rset-diff --union --disjoint graph.json node6.json -o short\n"
        "  rset-diff --xor yesterday.json set.json | rset-match -o tree\n"
        "  rset-diff --xor inventory.json node6.json -o short\n"
        "  rset-diff --subtract set.json yesterday.json\n"
        "  rset-diff --subtract racks.json rack-job.json -o short\n"
        "  rset-diff --intersect graph.json smaller.json\n"
        "  rset-diff --intersect --key host set.json inventory.json -o short\n"
        "  rset-diff --patch yesterday.json set.json >change.json\n"
        "  rset-diff --patch power.json bigger.json\n"
        "  rset-diff --apply patch.json yesterday.json\n"
        "  rset-diff --rerank 'node[5,4,3,2,1,0]' graph.json\n"
        "  rset-diff --remap --remap-cores R.json\n"
        "  rset-diff --verify yesterday.json --allow gpu=missing set.json\n"
        "  rset-diff --audit set.json R.json\n"
        "  rset-diff --audit racks.json rack-job.json other-job.json\n"
        "  rset-diff --inventory racks.json rack-job.json -o tree\n"
        "  rset-diff --unlink /cluster0/node5 graph.json >smaller.json\n"
        "  rset-diff --unlink power:/pdu0 power.json\n"
        "  rset-diff --attach /cluster0 smaller.json node5.json\n"
        "  rset-diff --attach /cluster0 inventory.json node6.json\n",
    .footer = "Exit status: 0 the same or done, 1 different, a patch does "
              "not fit, not as\nexpected, or held twice; 2 error.\n",
};

static struct task_options options = {.by = BY_EITHER};

#define AT(member) CLI_AT(struct task_options, member)

static const struct cli_option combine_options[] = {
    {"union", '\0', CLI_RETURNS(UNION), 0, "write what is in any of the sets"},
    {"intersect", '\0', CLI_RETURNS(INTERSECT), 0,
     "write what is in all of the sets"},
    {"subtract", '\0', CLI_RETURNS(SUBTRACT), 0,
     "write what is in the first set and in no other"},
    {"xor", '\0', CLI_RETURNS(XOR), 0,
     "write what is in one of two sets and not in the other"},
    {"disjoint", '\0', AT(disjoint), 0,
     "refuse to unite sets that have something in common"},
    {"attach", '\0', CLI_RETURNS_TEXT(ATTACH), 0,
     "put the second graph below a resource of the first", "PATH"},
    {"unlink", '\0', CLI_RETURNS_TEXT(UNLINK), 0,
     "remove a resource with all below it", "PATH"},
    {"inventory", '\0', CLI_RETURNS_TEXT(EXPAND), 0,
     "complete shorthand graphs from the inventory that they belong to",
     "INVENTORY"},
    {0}};

static const struct cli_option compare_options[] = {
    {"jobs", '\0', CLI_RETURNS(JOBS), 0,
     "list the jobs that started, ended, moved, grew, shrank, or have another "
     "start or end"},
    {"patch", '\0', CLI_RETURNS(PATCH), 0,
     "write the patch that turns the first into the second"},
    {"apply", '\0', CLI_RETURNS_TEXT(APPLY), 0, "apply a patch to a document",
     "PATCH"},
    {"verify", '\0', CLI_RETURNS_TEXT(VERIFY), 0,
     "check a set against an expected one", "EXPECTED"},
    {"allow", '\0', AT(allow), 0,
     "with --verify: allow extra or missing resources of a type: strict, "
     "extra, missing or ignore; type host means whole nodes",
     "TYPE=MODE"},
    {"no-extra", '\0', AT(no_extra), 0,
     "with --verify: what is more than expected is a fault, unless allowed"},
    {"stat", '\0', AT(stat), 0,
     "print only the number of changes or findings, in one line"},
    {"audit", '\0', CLI_RETURNS(AUDIT), 0,
     "check the R of jobs against the inventory before them: report what is "
     "held twice, or not in it"},
    {"responses", '\0', CLI_RETURNS(RESPONSES), 0,
     "write the responses (RFC 28) that turn the first into the second"},
    {0}};

static const struct cli_option rank_options[] = {
    {"key", '\0', AT(by_name), 0, "identify nodes by rank or by host",
     "rank|host"},
    {"remap", '\0', AT(remap), 0, "number the ranks of the output from 0"},
    {"remap-cores", '\0', AT(remap_cores), 0,
     "number the cores of each node of the output from 0; with --remap: as "
     "flux R remap does"},
    {"rerank", '\0', AT(rerank), 0,
     "number the ranks of the output in the order of these hosts", "HOSTLIST"},
    {0}};

static const struct cli_option write_options[] = {
    {"in-place", '\0', AT(in_place), 0,
     "write the set back to the first FILE, which is locked while the command "
     "runs"},
    CLI_WAIT_OPTION("with --in-place"),
    {0}};

static const struct cli_option option_table[] = {
    CLI_INCLUDE(combine_options, 0, "To combine sets, from left to right:"),
    CLI_INCLUDE(compare_options, 0, "To compare sets:"),
    CLI_INCLUDE(rank_options, 0, "Ranks:"),
    CLI_INCLUDE(write_options, 0, "Where to:"),
    CLI_DOCUMENT_OPTIONS,
    CLI_COMMON_OPTIONS,
    {0},
};

/* Return the option that gives ranks or cores other numbers, or NULL. */
static const char *renumber_option(void)
{
    return options.remap         ? "--remap"
           : options.rerank      ? "--rerank"
           : options.remap_cores ? "--remap-cores"
                                 : NULL;
}

/* Refuse options of tasks that were not asked for. */
static void check_companions(void)
{
    enum task_name name = options.task;
    const struct task *task = &tasks[name];

    if (options.disjoint && name != UNION)
        cli_usage("--disjoint needs --union");
    if ((options.nrules || options.no_extra) && name != VERIFY)
        cli_usage("%s needs --verify",
                  options.nrules ? "--allow" : "--no-extra");
    if (options.stat && name != COMPARE && name != JOBS && name != VERIFY
        && name != AUDIT)
        cli_exclude(task->option, "--stat", NULL);
    if (options.remap && options.rerank)
        cli_exclude("--remap", "--rerank", NULL);
    if (task->answer != ANSWER_SETS || name == APPLY || name == EXPAND)
        cli_exclude(task->option, renumber_option(), NULL);
    if (options.in_place && task->answer != ANSWER_SETS)
        cli_exclude(task->option, "--in-place", NULL);
    if (options.by_name && !task->combine && name != COMPARE && name != JOBS
        && name != VERIFY)
        cli_exclude(task->option, "--key", NULL);
}

static void read_options(poptContext ctx)
{
    enum task_name task = COMPARE;
    struct diag d = {0};
    int opt;

    while ((opt = cli_next(ctx, &d)) > 0) {
        if (task && (int)task != opt)
            cli_exclude(tasks[task].option, tasks[opt].option, NULL);
        task = (enum task_name)opt;
        free(options.argument);
        options.argument = cli_value(ctx);
    }
    if (opt < -1)
        cli_die_diag(&d);
    if (!task && renumber_option())
        task = RENUMBER;
    options.task = task;
    for (char **text = options.allow; text && *text; text++) {
        char *eq = strchr(*text, '=');
        int mode = eq ? verify_mode_from_name(eq + 1) : -1;
        if (mode < 0 || eq == *text)
            cli_usage("--allow: %s: expected TYPE=strict, extra, missing or "
                      "ignore",
                      quote_all(*text).text);
        *eq = '\0';
        VECTOR_ADD(options.rules, options.nrules,
                   (struct verify_rule){*text, (enum verify_mode)mode});
    }
    check_companions();
    if (options.by_name)
        options.by = cli_word("--key", options.by_name, "rank", "host", NULL,
                              NULL)
                         ? BY_HOST
                         : BY_RANK;
    if (options.rerank) {
        options.order = hostlist_create();
        if (hostlist_decode(options.order, options.rerank,
                            strlen(options.rerank), &d)
            < 0)
            cli_usage("--rerank: %s", d.text);
    }
    cli_document_check(tasks[task].answer, NULL);
}

/* Check the number of sets. With --in-place the first file must have one. */
static void check_sets(const struct rset_list *sets, const char **files)
{
    const struct task *task = &tasks[options.task];
    bool expands = options.task == EXPAND;
    size_t n = 0;

    if (sets->n < task->least || (task->most && sets->n > task->most))
        cli_die("%s takes %zu document%s%s, there %s %zu",
                options.task == RENUMBER ? renumber_option() : task->option,
                task->least, task->least == 1 ? "" : "s",
                task->most ? "" : " or more", sets->n == 1 ? "is" : "are",
                sets->n);
    while (files[n])
        n++;
    if (options.in_place && (sets->n != n || (expands && n > 1)))
        cli_die("--in-place: one document is expected in a file%s",
                expands ? ", and one file" : "");
}

int main(int argc, const char **argv)
{
    const char **files;
    struct rset_list sets;
    unsigned expected = 0;
    poptContext ctx;
    int status;

    cli_init(&cli);
    ctx = cli_options(argc, argv, option_table, &options, 0);
    read_options(ctx);
    files = cli_operands(ctx);
    if (options.argument && cli_is_stdin(options.argument))
        cli_check_input(tasks[options.task].option, files);
    if (tasks[options.task].combine || options.task == EXPAND
        || options.task == AUDIT)
        expected = CLI_PARTIAL; /* another operand completes it */
    if (options.task == UNION)
        expected |= CLI_GATHERED;
    cli_wait(options.in_place ? NULL : "--in-place");
    if (options.in_place)
        cli_in_place(files, false);
    sets = cli_read(files, expected);
    check_sets(&sets, files);
    status = tasks[options.task].run(&options, &sets);
    hostlist_destroy(options.order);
    free(options.rules);
    cli_leave(&sets);
    poptFreeContext(ctx);
    beside_keep();
    cli_exit(status);
}
