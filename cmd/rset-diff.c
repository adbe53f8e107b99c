/*
 * rset-diff: compare and combine resource sets.
 */
#include <string.h>

#include "cli/cli.h"
#include "cli/documents.h"
#include "compare/algebra.h"
#include "compare/diff.h"

static const struct cli cli = {
    .name = "rset-diff",
    .synopsis = "[OPTION...] [FILE...]",
    .summary = "Say what differs between two resource sets, or combine two "
               "or more.",
    .footer = "Exit status: 0 the same or done, 1 different, 2 trouble.\n",
};

enum { OPT_UNION = 1, OPT_INTERSECT, OPT_SUBTRACT };

static struct poptOption options[] = {
    {"union", '\0', POPT_ARG_NONE, NULL, OPT_UNION,
     "write what is in any of the sets", NULL},
    {"intersect", '\0', POPT_ARG_NONE, NULL, OPT_INTERSECT,
     "write what is in all of the sets", NULL},
    {"subtract", '\0', POPT_ARG_NONE, NULL, OPT_SUBTRACT,
     "write what is in the first set and in no other", NULL},
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
};

static int read_options(poptContext ctx)
{
    int opt, chosen = 0;

    while ((opt = cli_next(ctx)) >= 0) {
        if (opt == 0)
            continue;
        if (chosen && chosen != opt)
            cli_usage("%s and %s exclude each other", operations[chosen].name,
                      operations[opt].name);
        chosen = opt;
    }
    return chosen;
}

static void fail(const struct named_rset *a, const struct named_rset *b,
                 struct diag *d)
{
    diag_source(d, "%s and %s", a->name, b->name);
    cli_die_diag(d);
}

/* From left to right, into the first. */
static int combine(struct rset_list *sets, const struct operation *op)
{
    struct named_rset *first = &sets->list[0];
    struct diag d = {0};

    for (size_t i = 1; i < sets->n; i++)
        if (op->combine(first->rs, sets->list[i].rs, &d) < 0)
            fail(first, &sets->list[i], &d);
    cli_write(first->rs);
    return STATUS_OK;
}

static int diff(struct rset_list *sets)
{
    struct named_rset *a = &sets->list[0], *b = &sets->list[1];
    struct changes changes = {0};
    struct diag d = {0};
    int status;

    if (rset_diff(a->rs, b->rs, &changes, &d) < 0)
        fail(a, b, &d);
    cli_notes(a->rs);
    changes_print(&changes, a->rs, b->rs, stdout);
    status = changes.n > 0 ? STATUS_NO : STATUS_OK;
    changes_fini(&changes);
    return status;
}

int main(int argc, const char **argv)
{
    struct rset_list sets;
    poptContext ctx;
    int op, status;

    cli_init(&cli);
    ctx = poptGetContext(cli.name, argc, argv, options, 0);
    op = read_options(ctx);
    cli_document_check();
    if (!op && cli_output_given())
        cli_usage("--output is for --union, --intersect and --subtract");
    sets = cli_read(cli_operands(ctx));
    if (op ? sets.n < 2 : sets.n != 2)
        cli_die("%s documents are expected, there %s %zu",
                op ? "two or more" : "two", sets.n == 1 ? "is" : "are", sets.n);
    status = op ? combine(&sets, &operations[op]) : diff(&sets);
    cli_free(&sets);
    poptFreeContext(ctx);
    cli_exit(status);
}
