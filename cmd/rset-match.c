/*
 * rset-match: find resources in a set; with no request, the `cat` of
 * resource sets.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/documents.h"

static const struct cli cli = {
    .name = "rset-match",
    .synopsis = "[OPTION...] [FILE...]",
    .summary = "Select resources from resource sets; with no request, check "
               "and convert them.",
};

static struct poptOption options[] = {
    CLI_DOCUMENT_OPTIONS,
    CLI_COMMON_OPTIONS,
    POPT_TABLEEND,
};

int main(int argc, const char **argv)
{
    poptContext ctx;
    struct rset_list sets;

    cli_init(&cli);
    ctx = poptGetContext(cli.name, argc, argv, options, 0);
    while (cli_next(ctx) >= 0)
        ;
    cli_document_check();
    sets = cli_read(cli_operands(ctx));
    for (size_t i = 0; i < sets.n; i++)
        cli_write(sets.list[i]);
    cli_free(&sets);
    poptFreeContext(ctx);
    cli_exit(STATUS_OK);
}
