/*
 * rset-diff: compare and combine resource sets.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/beside.h"
#include "cli/cli.h"
#include "tasks.h"
#include "cli/documents.h"
#include "compare/algebra.h"
#include "compare/align.h"
#include "model/tree/path.h"
#include "model/tree/ranks.h"

static const struct cli cli = {
    .name = "rset-diff",
    .synopsis = "[OPTION...] [FILE...]",
    .summary = "Say what differs between two resource sets, or combine two "
               "or more.",
    .footer = "Exit status: 0 the same or done, 1 different, a patch does "
              "not fit, not as\nexpected, or held twice; 2 trouble.\n",
};

/* What is asked for, by its option; none is to compare. */
enum {
    COMPARE,
    UNION,
    INTERSECT,
    SUBTRACT,
    XOR,
    ATTACH,
    UNLINK,
    EXPAND,
    PATCH,
    APPLY,
    VERIFY,
    AUDIT,
    RESPONSES,
    RENUMBER, /* no option of its own: --remap or --rerank alone */
    ALLOW     /* an option that says something about another */
};

static char *by_name, *rerank_hosts, *argument;
static int disjoint, remap, no_extra, in_place;

static struct poptOption combine_options[] = {
    {"union", '\0', POPT_ARG_NONE, NULL, UNION,
     "write what is in any of the sets", NULL},
    {"intersect", '\0', POPT_ARG_NONE, NULL, INTERSECT,
     "write what is in all of the sets", NULL},
    {"subtract", '\0', POPT_ARG_NONE, NULL, SUBTRACT,
     "write what is in the first set and in no other", NULL},
    {"xor", '\0', POPT_ARG_NONE, NULL, XOR,
     "write what is in one of two sets and not in the other", NULL},
    {"disjoint", '\0', POPT_ARG_NONE, &disjoint, 0,
     "refuse to unite sets that have something in common", NULL},
    {"attach", '\0', POPT_ARG_STRING, &argument, ATTACH,
     "put the second graph under a vertex of the first", "PATH"},
    {"unlink", '\0', POPT_ARG_STRING, &argument, UNLINK,
     "take a pool with all below it out of a set", "PATH"},
    {"expand", '\0', POPT_ARG_STRING, &argument, EXPAND,
     "make shorthand graphs whole with the inventory they are of", "INVENTORY"},
    POPT_TABLEEND};

static struct poptOption compare_options[] = {
    {"patch", '\0', POPT_ARG_NONE, NULL, PATCH,
     "write the patch that leads from the first to the second", NULL},
    {"apply", '\0', POPT_ARG_STRING, &argument, APPLY,
     "apply a patch to a document", "PATCH"},
    {"verify", '\0', POPT_ARG_STRING, &argument, VERIFY,
     "is what is there what is expected", "EXPECTED"},
    {"allow", '\0', POPT_ARG_STRING, NULL, ALLOW,
     "with --verify: TYPE=strict, extra, missing or ignore; the type host is "
     "nodes as a whole",
     "TYPE=MODE"},
    {"no-extra", '\0', POPT_ARG_NONE, &no_extra, 0,
     "with --verify: more than is expected is a fault, too", NULL},
    {"audit", '\0', POPT_ARG_NONE, NULL, AUDIT,
     "what is held twice, or not in the inventory, of the jobs' R that "
     "follow it",
     NULL},
    {"responses", '\0', POPT_ARG_NONE, NULL, RESPONSES,
     "the responses of RFC 28 that lead from the first to the second", NULL},
    POPT_TABLEEND};

static struct poptOption rank_options[] = {
    {"by", '\0', POPT_ARG_STRING, &by_name, 0,
     "what makes a node the same: its rank or its host", "rank|host"},
    {"remap", '\0', POPT_ARG_NONE, &remap, 0,
     "number the ranks of what is written from 0", NULL},
    {"rerank", '\0', POPT_ARG_STRING, &rerank_hosts, 0,
     "number the ranks of what is written in the order of these hosts",
     "HOSTLIST"},
    POPT_TABLEEND};

static struct poptOption write_options[] = {
    {"in-place", '\0', POPT_ARG_NONE, &in_place, 0,
     "write the set back into the first FILE, which is locked from before it "
     "is read",
     NULL},
    POPT_TABLEEND};

static struct poptOption options[] = {
    {NULL, '\0', POPT_ARG_INCLUDE_TABLE, combine_options, 0,
     "To combine sets, from left to right:", NULL},
    {NULL, '\0', POPT_ARG_INCLUDE_TABLE, compare_options, 0,
     "To compare sets:", NULL},
    {NULL, '\0', POPT_ARG_INCLUDE_TABLE, rank_options, 0, "Ranks:", NULL},
    {NULL, '\0', POPT_ARG_INCLUDE_TABLE, write_options, 0, "Where to:", NULL},
    CLI_DOCUMENT_OPTIONS,
    CLI_COMMON_OPTIONS,
    POPT_TABLEEND,
};

/* How many documents a task takes, and what kind of answer it gives. */
static const struct task {
    const char *option;
    size_t least, most; /* 0: any number */
    enum answer_kind answer;
    int (*combine)(struct rset *a, struct rset *b, struct diag *d);
} tasks[] = {
    [COMPARE] = {"comparing", 2, 2, ANSWER_DATA, NULL},
    [UNION] = {"--union", 2, 0, ANSWER_SETS, rset_union},
    [INTERSECT] = {"--intersect", 2, 0, ANSWER_SETS, rset_intersect},
    [SUBTRACT] = {"--subtract", 2, 0, ANSWER_SETS, rset_subtract},
    [XOR] = {"--xor", 2, 0, ANSWER_SETS, rset_xor},
    [ATTACH] = {"--attach", 2, 2, ANSWER_SETS, NULL},
    [UNLINK] = {"--unlink", 1, 1, ANSWER_SETS, NULL},
    [EXPAND] = {"--expand", 1, 0, ANSWER_SETS, NULL},
    [PATCH] = {"--patch", 2, 2, ANSWER_DATA, NULL},
    [APPLY] = {"--apply", 1, 1, ANSWER_SETS, NULL},
    [VERIFY] = {"--verify", 1, 1, ANSWER_DATA, NULL},
    [AUDIT] = {"--audit", 2, 0, ANSWER_DATA, NULL},
    [RESPONSES] = {"--responses", 2, 2, ANSWER_SPOKEN, NULL},
    [RENUMBER] = {"--remap", 1, 1, ANSWER_SETS, NULL},
};

static struct verify_rule *rules;
static size_t nrules;
static struct hostlist *order; /* of --rerank */

/* --- options ---------------------------------------------------------------
 */

/* One of two words, the first if the option was not given. */
static int one_of(const char *option, const char *text, const char *first,
                  const char *second)
{
    if (!text || !strcmp(text, first))
        return 0;
    if (!strcmp(text, second))
        return 1;
    cli_usage("%s: %s: expected %s or %s", option,
              quote(text, strlen(text)).text, first, second);
}

static void add_rule(poptContext ctx)
{
    char *text = poptGetOptArg(ctx), *eq = strchr(text, '=');
    int mode = eq ? verify_mode_from_name(eq + 1) : -1;

    if (mode < 0 || eq == text)
        cli_usage("--allow: %s: expected TYPE=strict, extra, missing or "
                  "ignore",
                  quote(text, strlen(text)).text);
    *eq = '\0';
    VECTOR_GROW(rules, nrules);
    rules[nrules++] = (struct verify_rule){text, (enum verify_mode)mode};
}

static void read_order(void)
{
    struct diag d = {0};

    order = hostlist_create();
    if (hostlist_decode(order, rerank_hosts, strlen(rerank_hosts), &d) < 0)
        cli_usage("--rerank: %s", d.text);
}

/* Options that say something about a task that was not asked for. */
static void check_companions(int task)
{
    if (disjoint && task != UNION)
        cli_usage("--disjoint needs --union");
    if ((nrules || no_extra) && task != VERIFY)
        cli_usage("%s needs --verify", nrules ? "--allow" : "--no-extra");
    if (remap && rerank_hosts)
        cli_usage("--remap and --rerank exclude each other");
    if ((remap || rerank_hosts)
        && (tasks[task].answer != ANSWER_SETS || task == APPLY
            || task == EXPAND))
        cli_usage("%s and %s exclude each other", tasks[task].option,
                  remap ? "--remap" : "--rerank");
    if (in_place && tasks[task].answer != ANSWER_SETS)
        cli_usage("%s and --in-place exclude each other", tasks[task].option);
    if (by_name && !tasks[task].combine && task != COMPARE && task != VERIFY)
        cli_usage("%s and --by exclude each other", tasks[task].option);
}

static int read_options(poptContext ctx)
{
    int opt, task = COMPARE;

    while ((opt = cli_next(ctx)) >= 0) {
        if (opt == ALLOW) {
            add_rule(ctx);
        } else if (opt != 0) {
            if (task && task != opt)
                cli_usage("%s and %s exclude each other", tasks[task].option,
                          tasks[opt].option);
            task = opt;
        }
    }
    if (!task && (remap || rerank_hosts))
        task = RENUMBER;
    check_companions(task);
    if (rerank_hosts)
        read_order();
    cli_document_check(tasks[task].answer);
    return task;
}

/* --- tasks that write a set --------------------------------------------------
 */

static void combine_two(int task, const struct named_rset *a,
                        const struct named_rset *b)
{
    struct diag d = {0};

    if (one_of("--by", by_name, "rank", "host")
        && rset_adopt_ranks(b->rs, a->rs, NULL, &d) < 0)
        diff_fail(a, b, &d);
    if (tasks[task].combine(a->rs, b->rs, &d) < 0)
        diff_fail(a, b, &d);
}

/* All at once, as they may be many. */
static void unite(const struct rset_list *sets)
{
    const struct named_rset *first = &sets->list[0];
    struct rset **others = xmalloc(sets->n * sizeof(*others));
    bool by_host = one_of("--by", by_name, "rank", "host");
    struct host_ranks ranks = {0};
    struct diag d = {0};
    size_t at;

    if (by_host && host_ranks_init(&ranks, first->rs, &d) < 0)
        diff_fail(first, &sets->list[1], &d);
    for (size_t i = 1; i < sets->n; i++) {
        others[i - 1] = sets->list[i].rs;
        if (by_host && host_ranks_adopt(&ranks, others[i - 1], NULL, &d) < 0)
            diff_fail(first, &sets->list[i], &d);
    }
    if (rset_unite(first->rs, others, sets->n - 1, disjoint, &at, &d) < 0)
        diff_fail(first, at < sets->n - 1 ? &sets->list[at + 1] : NULL, &d);
    host_ranks_fini(&ranks);
    free(others);
}

/* --attach and --unlink: by path. Returns the exit status. */
static int change_graph(int task, const struct rset_list *sets)
{
    const struct named_rset *a = &sets->list[0];
    struct diag d = {0};
    struct lot *lot = (task == UNLINK ? rset_find_lot
                                      : rset_find_home)(a->rs, argument, &d);
    int rc;

    if (!lot)
        diff_fail(a, NULL, &d);
    rc = task == UNLINK ? rset_unlink(a->rs, lot, argument, &d)
                        : rset_attach(a->rs, lot, sets->list[1].rs, &d);
    if (rc < 0)
        diff_fail(a, NULL, &d);
    if (rc > 0) {
        diag_source(&d, "%s", a->name);
        cli_warn_diag(&d);
    }
    return rc;
}

static int write_set(int task, const struct rset_list *sets)
{
    const struct named_rset *first = &sets->list[0];
    struct diag d = {0};

    for (size_t i = 1; (task == UNION || task == XOR) && i < sets->n; i++)
        if (rset_has_graph(first->rs))
            cli_check_size(&sets->list[i]);
    if (task == UNION)
        unite(sets);
    else if (tasks[task].combine)
        for (size_t i = 1; i < sets->n; i++)
            combine_two(task, first, &sets->list[i]);
    if ((task == ATTACH || task == UNLINK) && change_graph(task, sets) != 0)
        return STATUS_NO;
    if ((remap && rset_remap(first->rs, &d) < 0)
        || (order && rset_rerank(first->rs, order, &d) < 0))
        diff_fail(first, NULL, &d);
    cli_write(first->rs, first->name);
    return STATUS_OK;
}

/* --- the whole
 * ---------------------------------------------------------------- */

static int run(int task, const struct rset_list *sets)
{
    enum identity by = !by_name                                  ? BY_EITHER
                       : one_of("--by", by_name, "rank", "host") ? BY_HOST
                                                                 : BY_RANK;
    const struct diff_verify how = {argument, by, rules, nrules, no_extra};

    switch (task) {
    case COMPARE:
        return diff_compare(sets, by);
    case PATCH:
        return diff_patch(sets);
    case APPLY:
        return diff_apply(sets, argument);
    case VERIFY:
        return diff_verify(sets, &how);
    case AUDIT:
        return diff_audit(sets);
    case RESPONSES:
        return diff_responses(sets, cli_dialect());
    case EXPAND:
        return diff_expand(sets, argument);
    default:
        return write_set(task, sets);
    }
}

static void check_number(const struct task *task, size_t n)
{
    if (n < task->least || (task->most && n > task->most))
        cli_die("%s takes %zu document%s%s, there %s %zu", task->option,
                task->least, task->least == 1 ? "" : "s",
                task->most ? "" : " or more", n == 1 ? "is" : "are", n);
}

/* What is in the first file is one set, and so is what replaces it. */
static void check_in_place(int task, const struct rset_list *sets,
                           const char **files)
{
    size_t n = 0;

    while (files[n])
        n++;
    if (in_place && (sets->n != n || (task == EXPAND && n > 1)))
        cli_die("--in-place: one document is expected in a file%s",
                task == EXPAND ? ", and one file" : "");
}

/* Standard input can be read once. */
static void check_input(int task, const char **files)
{
    for (; argument && !strcmp(argument, "-") && *files; files++)
        if (!strcmp(*files, "-"))
            cli_usage("%s -: the document needs a file of its own",
                      tasks[task].option);
}

int main(int argc, const char **argv)
{
    const char **files;
    struct rset_list sets;
    poptContext ctx;
    int task, status;

    cli_init(&cli);
    ctx = cli_options(argc, argv, options, 0);
    task = read_options(ctx);
    files = cli_operands(ctx);
    check_input(task, files);
    if (task == EXPAND)
        cli_expect_partial();
    if (in_place)
        cli_in_place(files, false);
    sets = cli_read(files);
    check_number(&tasks[task], sets.n);
    check_in_place(task, &sets, files);
    status = run(task, &sets);
    hostlist_destroy(order);
    for (size_t i = 0; i < nrules; i++)
        free((char *)rules[i].type);
    free(rules);
    cli_leave(&sets);
    poptFreeContext(ctx);
    beside_keep();
    cli_exit(status);
}
