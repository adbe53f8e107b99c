/* How machines are looked at: the options of rset-discover for what hwloc sees.
 */
#include "cli/cli.h"
#include "cli/documents.h"
#include "discover.h"
#include "source/topology.h"

static const char *types;
static int whole, explain;

struct poptOption machine_options[] = {
    CLI_OWN_TEXTS,
    {"types", '\0', POPT_ARG_STRING, &types, OF_MACHINES,
     "what of machines is told: of node, group, die, socket, numa, l1cache to "
     "l5cache, core, pu, memory, gpu, nic and storage",
     "TYPE[,TYPE...]"},
    {"no-restrict", '\0', POPT_ARG_NONE, &whole, OF_MACHINES,
     "also what this process may not use", NULL},
    {"explain", '\0', POPT_ARG_NONE, &explain, OF_MACHINES,
     "say on standard error what became of each device, and why", NULL},
    POPT_TABLEEND};

const char *machine_option_given(void)
{
    return types     ? "--types"
           : whole   ? "--no-restrict"
           : explain ? "--explain"
                     : NULL;
}

/* As much as the form can say: the names of nodes, an R, or a graph. */
static int default_types(void)
{
    switch (cli_output_extent()) {
    case EXTENT_TARGETS:
        return 0;
    case EXTENT_R:
        return TYPES_OF_R;
    default:
        return TYPES_COMMON;
    }
}

struct topology_options machine_look(uint32_t rank)
{
    struct topology_options look = {.types = default_types(),
                                    .whole = whole,
                                    .rank = rank,
                                    .explain = explain ? cli_log : NULL};
    struct diag d = {0};

    if (types && (look.types = topology_read_types(types, &d)) < 0)
        cli_usage("--types: %s", d.text);
    return look;
}
