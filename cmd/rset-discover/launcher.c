/*
 * Launchers start a process on each of many hosts and number the processes. The
 * machine of such a process gets this number as its rank, so that the sets of
 * all hosts can be united directly.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "discover.h"
#include "base/digits.h"
#include "source/spec.h"

static const char *launcher_rank; /* value of --rank; NULL: not given */

const struct cli_option launcher_options[] = {
    {"rank", '\0', CLI_VARIABLE(launcher_rank), 0,
     "set the rank of this machine, or of --xml (default: the launcher's, or "
     "0)",
     "RANK"},
    {0}};

/* If one launcher runs inside another, the inner one comes first here. */
#define OF_SLURM "SLURM_NODEID"
static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK",
                                        "FLUX_TASK_RANK", OF_SLURM};
enum { VARIABLES = sizeof(variables) / sizeof(variables[0]) };

const char *launcher_variable(void)
{
    for (size_t i = 0; i < VARIABLES; i++)
        if (getenv(variables[i]))
            return variables[i];
    return NULL;
}

void launcher_place(struct rset *rs, bool machine)
{
    const char *name = launcher_rank ? "--rank" : launcher_variable(),
               *host = NULL, *text;
    struct diag d = {0};
    uint64_t rank;

    if (!machine && launcher_rank)
        cli_usage("--rank is for this machine, or for one --xml");
    if (!machine || !name)
        return;
    if (!launcher_rank && !strcmp(name, OF_SLURM) && !source_option())
        host = getenv("SLURMD_NODENAME");
    text = launcher_rank ? launcher_rank : getenv(name);
    if (!text_is_number(text, &rank) || rank > IDSET_MAX)
        cli_die("%s: %s: a rank is expected, from 0 to %u", name,
                quote_all(text).text, IDSET_MAX);
    if (rset_on_rank(rs, (uint32_t)rank, host, &d) < 0)
        cli_die_in(&d, "SLURMD_NODENAME");
}
