/* status --map, timeline: who has what, and when, to look at. */
#include "alloc.h"
#include "cli/cli.h"
#include "cli/terminal.h"
#include "view/cell_map.h"
#include "view/timeline.h"

static struct screen screen_of(FILE *fp, bool whole)
{
    return (struct screen){.fp = fp,
                           .width = cli_width(fp, true),
                           .height = whole ? cli_height(fp) : 0,
                           .colour = cli_colour(fp),
                           .utf8 = cli_utf8()};
}

int alloc_map(struct alloc_call *call)
{
    const struct screen s = screen_of(stdout, call->options->watch);
    struct lots tops = alloc_tops(call);
    struct diag d = {0};

    cli_check_parts(call->set, "a map",
                    cell_map_count(call->rs, &tops, call->options->by),
                    "cells");
    if (cell_map_print(call->rs, &tops, call->options->by, &s, &d) < 0)
        cli_die("%s: --by: %s", call->set->name, d.text);
    alloc_tops_end(call, &tops);
    return STATUS_OK;
}

int alloc_timeline(struct alloc_call *call)
{
    const struct screen s = screen_of(stdout, call->options->watch);
    bool jobs = call->options->by
                && cli_second_word("--by", call->options->by, "node", "job");
    bool svg = cli_output_svg();
    struct lots tops = alloc_tops(call);
    struct timeline *t;

    cli_check_parts(call->set, "a timeline", alloc_count(call, &tops, -1),
                    "nodes");
    t = timeline_create(call->rs, &tops, call->now,
                        jobs  ? TIMELINE_JOBS
                        : svg ? TIMELINE_NODES
                              : TIMELINE_FOLDED);
    if (svg)
        timeline_svg(t, stdout);
    else
        timeline_print(t, &s);
    timeline_destroy(t);
    alloc_tops_end(call, &tops);
    return STATUS_OK;
}
