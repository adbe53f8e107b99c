/*
 * rset-diff: compare and combine resource sets.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/documents.h"
#include "compare/algebra.h"
#include "compare/diff.h"
#include "model/ranks.h"

static const struct cli cli = {
    .name = "rset-diff",
    .synopsis = "[OPTION...] [FILE...]",
    .summary = "Say what differs between two resource sets, or combine two "
               "or more.",
    .footer = "Exit status: 0 the same or done, 1 different, 2 trouble.\n",
};

enum {
    OPT_UNION = 1,
    OPT_INTERSECT,
    OPT_SUBTRACT,
    OPT_XOR,
};

static const char *by_name, *rerank_hosts;
static int disjoint, remap;

static struct poptOption combine_options[] = {
    {"union", '\0', POPT_ARG_NONE, NULL, OPT_UNION,
     "write what is in any of the sets", NULL},
    {"intersect", '\0', POPT_ARG_NONE, NULL, OPT_INTERSECT,
     "write what is in all of the sets", NULL},
    {"subtract", '\0', POPT_ARG_NONE, NULL, OPT_SUBTRACT,
     "write what is in the first set and in no other", NULL},
    {"xor", '\0', POPT_ARG_NONE, NULL, OPT_XOR,
     "write what is in one of two sets and not in the other", NULL},
    {"disjoint", '\0', POPT_ARG_NONE, &disjoint, 0,
     "refuse to unite sets that have something in common", NULL},
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

static struct poptOption options[] = {
    {NULL, '\0', POPT_ARG_INCLUDE_TABLE, combine_options, 0,
     "To combine sets, from left to right:", NULL},
    {NULL, '\0', POPT_ARG_INCLUDE_TABLE, rank_options, 0, "Ranks:", NULL},
    CLI_DOCUMENT_OPTIONS,
    CLI_COMMON_OPTIONS,
    POPT_TABLEEND,
};

static const struct operation {
    const char *name;
    int (*combine)(struct rset *a, struct rset *b, struct diag *d);
} operations[] = {
    [OPT_UNION] = {"--union", rset_union},
    [OPT_INTERSECT] = {"--intersect", rset_intersect},
    [OPT_SUBTRACT] = {"--subtract", rset_subtract},
    [OPT_XOR] = {"--xor", rset_xor},
};

/* What the command line asks for. */
struct task {
    const struct operation *op; /* NULL: none */
    bool renumber;              /* --remap or --rerank */
    enum identity by;
    struct hostlist *order; /* of --rerank */
};

/* --- options ---------------------------------------------------------------
 */

static enum identity read_identity(void)
{
    if (!by_name)
        return BY_EITHER;
    if (!strcmp(by_name, "rank"))
        return BY_RANK;
    if (!strcmp(by_name, "host"))
        return BY_HOST;
    cli_usage("--by: %s: expected rank or host",
              quote(by_name, strlen(by_name)).text);
}

static struct hostlist *read_order(void)
{
    struct hostlist *order = hostlist_create();
    struct diag d = {0};

    if (!order)
        cli_die("out of memory");
    if (hostlist_decode(order, rerank_hosts, strlen(rerank_hosts), &d) < 0)
        cli_usage("--rerank: %s", d.text);
    return order;
}

static struct task read_options(poptContext ctx)
{
    struct task task = {0};
    int opt, chosen = 0;

    while ((opt = cli_next(ctx)) >= 0) {
        if (opt == 0)
            continue;
        if (chosen && chosen != opt)
            cli_usage("%s and %s exclude each other", operations[chosen].name,
                      operations[opt].name);
        chosen = opt;
    }
    task.op = chosen ? &operations[chosen] : NULL;
    task.renumber = remap || rerank_hosts;
    task.by = read_identity();
    if (disjoint && chosen != OPT_UNION)
        cli_usage("--disjoint needs --union");
    if (remap && rerank_hosts)
        cli_usage("--remap and --rerank exclude each other");
    if (rerank_hosts)
        task.order = read_order();
    cli_document_check(task.op || task.renumber ? ANSWER_SETS : ANSWER_DATA);
    return task;
}

/* --- the work ---------------------------------------------------------------
 */

static void fail(const struct named_rset *a, const struct named_rset *b,
                 struct diag *d)
{
    if (b)
        diag_source(d, "%s and %s", a->name, b->name);
    else
        diag_source(d, "%s", a->name);
    cli_die_diag(d);
}

static void combine_two(const struct task *task, const struct named_rset *a,
                        const struct named_rset *b)
{
    struct diag d = {0};

    if (task->by == BY_HOST && rset_adopt_ranks(b->rs, a->rs, NULL, &d) < 0)
        fail(a, b, &d);
    if (disjoint && rset_check_disjoint(a->rs, b->rs, &d) < 0)
        fail(a, b, &d);
    if (task->op->combine(a->rs, b->rs, &d) < 0)
        fail(a, b, &d);
}

/* Combine from left to right into the first, renumber, and write it. */
static int write_set(const struct task *task, const struct rset_list *sets)
{
    const struct named_rset *first = &sets->list[0];
    struct diag d = {0};

    for (size_t i = 1; i < sets->n; i++)
        combine_two(task, first, &sets->list[i]);
    if (remap && rset_remap(first->rs, &d) < 0)
        fail(first, NULL, &d);
    if (task->order && rset_rerank(first->rs, task->order, &d) < 0)
        fail(first, NULL, &d);
    cli_write(first->rs);
    return STATUS_OK;
}

static int diff(const struct task *task, const struct rset_list *sets)
{
    const struct named_rset *a = &sets->list[0], *b = &sets->list[1];
    struct changes changes = {0};
    struct diag d = {0};
    int rc, status;

    if (rset_diff(a->rs, b->rs, task->by, &changes, &d) < 0)
        fail(a, b, &d);
    cli_notes(a->rs);
    rc = cli_output_json() ? changes_print_json(&changes, a->rs, b->rs, stdout)
                           : changes_print(&changes, a->rs, b->rs, stdout);
    if (rc < 0)
        cli_die("out of memory");
    status = changes.n > 0 ? STATUS_NO : STATUS_OK;
    changes_fini(&changes);
    return status;
}

static void check_number(const struct task *task, size_t n)
{
    const char *wanted = task->op         ? (n < 2 ? "two or more" : NULL)
                         : task->renumber ? (n != 1 ? "one" : NULL)
                         : n != 2         ? "two"
                                          : NULL;

    if (wanted)
        cli_die("%s document%s expected, there %s %zu", wanted,
                strcmp(wanted, "one") ? "s are" : " is", n == 1 ? "is" : "are",
                n);
}

int main(int argc, const char **argv)
{
    struct rset_list sets;
    struct task task;
    poptContext ctx;
    int status;

    cli_init(&cli);
    ctx = poptGetContext(cli.name, argc, argv, options, 0);
    task = read_options(ctx);
    sets = cli_read(cli_operands(ctx));
    check_number(&task, sets.n);
    status = task.op || task.renumber ? write_set(&task, &sets)
                                      : diff(&task, &sets);
    hostlist_destroy(task.order);
    cli_free(&sets);
    poptFreeContext(ctx);
    cli_exit(status);
}
