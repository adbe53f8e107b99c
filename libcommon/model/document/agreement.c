/* Compares the halves of an R. An R_lite is made from the graph, and both
   are laid over each other: each group of ranks must have equal children in
   both. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/document/graph.h"
#include "model/document/execution.h"
#include "set/overlay.h"

static char *entry_text(const struct lite_entry *e)
{
    if (!e || !e->children.n)
        return xstrdup(e ? "nothing" : "no such rank");
    return lite_children_text(&e->children);
}

/* Report a group of ranks whose resources differ between the halves. */
static void compare_group(struct reader *r, const struct rlite *lite,
                          const struct rlite *graph,
                          const struct overlay_group *group)
{
    const struct place *execution = IN_KEY(NULL, "execution");
    const struct lite_entry *in_r = NULL, *in_g = NULL;
    char *ranks, *text_r, *text_g;

    for (size_t i = 0; i < group->nlabels; i++) {
        size_t label = group->labels[i];
        if (label < lite->n)
            in_r = &lite->list[label];
        else
            in_g = &graph->list[label - lite->n];
    }
    /* deployed writers omit a node that has no resources for R_lite */
    if (in_r ? in_g && lite_children_equal(in_r, in_g)
             : in_g && in_g->children.n == 0)
        return;
    ranks = idset_encode(group->ids);
    text_r = entry_text(in_r);
    text_g = entry_text(in_g);
    fault(r, RULE_HALVES_DISAGREE, IN_KEY(execution, "R_lite"),
          "R_lite and the graph disagree: rank%s %.100s: %.160s in R_lite, "
          "%.160s in the graph",
          idset_count(group->ids) > 1 ? "s" : "", ranks, text_r, text_g);
    free(ranks);
    free(text_r);
    free(text_g);
}

static void agree_entries(struct reader *r, const struct rlite *lite,
                          const struct rlite *graph)
{
    const struct idset **sets;
    struct overlay *ov;

    if (rlite_equal(lite, graph)) /* usually in the same order */
        return;
    sets = xcalloc(lite->n + graph->n + 1, sizeof(*sets));
    for (size_t i = 0; i < lite->n + graph->n; i++)
        sets[i] = i < lite->n ? lite->list[i].ranks
                              : graph->list[i - lite->n].ranks;
    ov = overlay_create(sets, lite->n + graph->n);
    for (size_t i = 0; i < overlay_ngroups(ov) && !r->ended; i++)
        compare_group(r, lite, graph, overlay_group(ov, i));
    overlay_destroy(ov);
    free(sets);
}

/* Compare the hosts of R_lite's ranks. If there are more ranks than nodes, the
   halves differ anyway. */
static void compare_hosts(struct reader *r, const struct execution *ex)
{
    const struct place *execution = IN_KEY(NULL, "execution");
    const struct rset *rs = r->rs;
    char in_r[HOSTLIST_NAME_MAX], in_g[HOSTLIST_NAME_MAX];
    struct hostlist_iter names;
    struct idset_iter ranks;
    uint32_t rank;

    if (!ex->hosts || idset_count(ex->ranks) > rs->nvertices
        || (idset_equal(ex->ranks, rs->ranks)
            && hostlist_equal(ex->hosts, rs->hosts)))
        return;
    hostlist_iter_init(&names, ex->hosts);
    idset_iter_init(&ranks, ex->ranks);
    while (idset_iter_next(&ranks, &rank)
           && hostlist_iter_next(&names, in_r) >= 0)
        if (rset_host(rs, rank, in_g) >= 0 && strcmp(in_r, in_g))
            fault(r, RULE_HOSTS_DISAGREE, IN_KEY(execution, "nodelist"),
                  "the nodelist and the graph disagree: rank %u is %.160s in "
                  "the nodelist, %.160s in the graph",
                  rank, in_r, in_g);
}

void halves_compare(struct reader *r, const struct execution *ex,
                    struct graph *g)
{
    struct rlite graph = {0};
    struct vertex **targets;
    size_t n = rset_targets(r->rs, &targets);
    bool good = true; /* no id in the graph is missing, or there twice */

    for (size_t i = 0; i < n && !r->ended; i++) {
        const struct vertex *bad;
        struct diag d = {0};
        if (rlite_add_target(&graph, r->rs, targets[i], &bad, &d) < 0) {
            graph_fault(g, bad, RULE_GRAPH_ID, NULL, "%s", d.text);
            good = false;
        }
    }
    free(targets);
    rlite_sort(&graph);
    if (good) {
        agree_entries(r, &ex->lite, &graph);
        compare_hosts(r, ex);
    }
    rlite_fini(&graph);
}
