/* status --map and timeline: drawings of which jobs hold what, and when. */
#include <string.h>

#include "alloc.h"
#include "base/saturate.h"
#include "cli/cli.h"
#include "cli/terminal.h"
#include "view/cell_map.h"
#include "view/holders.h"
#include "view/timeline.h"

static struct screen screen_of(const struct alloc_call *call)
{
    return (struct screen){.fp = stdout,
                           .width = cli_width(stdout, true),
                           .height = call->options->watch ? cli_height(stdout)
                                                          : 0,
                           .colour = cli_colours(stdout) == 256,
                           .utf8 = cli_utf8(stdout)};
}

int alloc_map(struct alloc_call *call)
{
    const struct screen s = screen_of(call);
    int ntypes[CELL_MAPS];
    size_t n = cell_map_types(call->rs, &call->tops, call->options->by, ntypes,
                              &call->d);
    uint64_t cells = 0;

    if (n == 0)
        diag_in(&call->d, "--by");
    for (size_t i = 0; i < n; i++)
        cells = saturate_add(
            cells, pools_count(call->rs->usage, &call->tops, ntypes[i]));
    if (n == 0 || cli_check_parts("a map", cells, PART_CELL, &call->d) < 0)
        return alloc_trouble(call);
    cell_map_print(call->rs, &call->tops, ntypes, n, &s);
    return STATUS_OK;
}

int alloc_timeline(struct alloc_call *call)
{
    const struct screen s = screen_of(call);
    const char *by = call->options->by;
    bool svg = cli_output_is("svg");
    struct timeline *t;

    if (cli_check_parts("a timeline",
                        pools_count(call->rs->usage, &call->tops, -1),
                        PART_NODE, &call->d)
        < 0)
        return alloc_trouble(call);
    t = timeline_create(call->rs, &call->tops, call->now,
                        by && !strcmp(by, "job") ? TIMELINE_JOBS
                        : svg                    ? TIMELINE_NODES
                                                 : TIMELINE_FOLDED);
    if (svg)
        timeline_svg(t, stdout);
    else
        timeline_print(t, &s);
    timeline_destroy(t);
    return STATUS_OK;
}
