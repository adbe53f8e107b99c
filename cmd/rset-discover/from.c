/* rset-discover --from: what another scheduler says of its nodes and jobs. */
#include <string.h>

#include "cli/cli.h"
#include "cli/documents.h"
#include "discover.h"
#include "source/slurm.h"

static const char *from_name;

struct poptOption from_options[] = {
    {"from", '\0', POPT_ARG_STRING, &from_name, 0,
     "nodes, and what jobs have, as Slurm says it with --json in files",
     "slurm"},
    POPT_TABLEEND};

bool from_given(void)
{
    return from_name;
}

/* Notes are told here: a service writes no set with which they would be. */
struct rset *from_discover(const char *const *files, bool serves,
                           struct diag *d)
{
    struct rset *rs;

    if (strcmp(from_name, "slurm") != 0)
        cli_usage("--from: %s: slurm is expected",
                  quote(from_name, strlen(from_name)).text);
    for (const char *const *file = files; serves && *file; file++)
        if (cli_is_stdin(*file))
            cli_usage("serve: --from needs a FILE: standard input has the "
                      "requests");
    if ((rs = rset_from_slurm(files, d)))
        cli_notes(rs, NULL);
    return rs;
}
