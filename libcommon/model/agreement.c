/*
 * Do the two halves of an R agree? The graph is said as R_lite; then entries
 * of both are laid over each other, and every group of ranks must have an
 * entry of each half with the same children.
 */
#include "model/execution.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "set/overlay.h"

static const struct lite_entry *entry_of(const struct rlite *rl, uint32_t rank)
{
    for (size_t i = 0; i < rl->n; i++)
        if (idset_contains(rl->list[i].ranks, rank))
            return &rl->list[i];
    return NULL;
}

static char *entry_text(const struct lite_entry *e)
{
    char *text = NULL;
    size_t len;
    FILE *fp = memory_open(&text, &len);

    if (!fp)
        return NULL;
    if (!e)
        fputs("no such rank", fp);
    else if (!e->children.n)
        fputs("nothing", fp);
    else
        lite_children_print(&e->children, fp);
    memory_close(fp);
    return text;
}

static int tell_disagreement(const struct rlite *r, const struct rlite *g,
                             uint32_t rank, struct diag *d)
{
    char *in_r = entry_text(entry_of(r, rank));
    char *in_g = entry_text(entry_of(g, rank));

    diag_set(d,
             "R_lite and the graph disagree: rank %u: %.160s in R_lite, "
             "%.160s in the graph (--trust says which to take)",
             rank, in_r ? in_r : "?", in_g ? in_g : "?");
    free(in_r);
    free(in_g);
    return -1;
}

static bool entries_agree(const struct rlite *r, const struct rlite *g,
                          const struct overlay_group *group)
{
    const struct lite_entry *a, *b;

    if (group->nlabels != 2)
        /* deployed writers leave out a node that has nothing for R_lite */
        return group->labels[0] >= r->n
               && g->list[group->labels[0] - r->n].children.n == 0;
    a = &r->list[group->labels[0]];
    b = &g->list[group->labels[1] - r->n];
    return a->keylen == b->keylen && !memcmp(a->key, b->key, a->keylen);
}

static int compare_rlite(const struct rlite *r, const struct rlite *g,
                         struct diag *d)
{
    const struct idset **sets = xmalloc((r->n + g->n + 1) * sizeof(*sets));
    struct overlay *ov = NULL;
    int rc = 0;

    for (size_t i = 0; sets && i < r->n + g->n; i++)
        sets[i] = i < r->n ? r->list[i].ranks : g->list[i - r->n].ranks;
    if (!sets || !(ov = overlay_create(sets, r->n + g->n)))
        rc = diag_oom(d);
    for (size_t i = 0; rc == 0 && i < overlay_ngroups(ov); i++) {
        const struct overlay_group *group = overlay_group(ov, i);
        if (!entries_agree(r, g, group))
            rc = tell_disagreement(r, g, idset_first(group->ids), d);
    }
    overlay_destroy(ov);
    free(sets);
    return rc;
}

/* Hosts of R_lite's ranks, in the nodelist and in the graph. */
static int compare_hosts(const struct execution *ex, const struct rset *rs,
                         const struct idset *ranks, struct diag *d)
{
    char in_r[HOSTLIST_NAME_MAX], in_g[HOSTLIST_NAME_MAX];
    struct hostlist_iter it;

    if (!ex->hosts
        || (idset_equal(ranks, rs->ranks)
            && hostlist_equal(ex->hosts, rs->hosts)))
        return 0;
    hostlist_iter_init(&it, ex->hosts);
    for (uint32_t rank = idset_first(ranks); rank != IDSET_INVALID;
         rank = idset_next(ranks, rank)) {
        hostlist_iter_next(&it, in_r, sizeof(in_r));
        if (rset_host(rs, rank, in_g, sizeof(in_g)) >= 0
            && strcmp(in_r, in_g)) {
            diag_set(d,
                     "the nodelist and the graph disagree: rank %u is "
                     "%.160s in the nodelist, %.160s in the graph (--trust "
                     "says which to take)",
                     rank, in_r, in_g);
            return -1;
        }
    }
    return 0;
}

int execution_agrees(const struct execution *ex, const struct rset *rs,
                     const struct idset *ranks, struct diag *d)
{
    struct rlite graph = {0};
    int rc = rlite_project(&graph, rs, d);

    if (rc == 0)
        rc = compare_rlite(&ex->lite, &graph, d);
    if (rc == 0)
        rc = compare_hosts(ex, rs, ranks, d);
    rlite_fini(&graph);
    return rc;
}
