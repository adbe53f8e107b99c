/*
 * Laying things over ranks. The layers and the runs of the targets go into
 * one overlay; each of its groups is a set of ranks with one target and one
 * cover of layers, and becomes a vertex.
 */
#include "model/tree/rset.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/tree/pieces.h"

struct laying {
    struct rset *rs;
    struct vertex **targets;
    size_t ntargets, nlayers;
    struct overlay *ov;
    struct vertex **pieces; /* a group's target */
};

/* The sets that go into the overlay: the layers', then the targets'. */
static void laying_init(struct laying *l, struct rset *rs,
                        const struct layer *layers, size_t n)
{
    size_t ntargets = (size_t)rset_targets(rs, &l->targets);
    const struct idset **sets = xcalloc(n + ntargets + 1, sizeof(*sets));
    struct idset **own = xcalloc(ntargets + 1, sizeof(*own));

    l->rs = rs;
    l->ntargets = ntargets;
    l->nlayers = n;
    for (size_t i = 0; i < n; i++)
        sets[i] = layers[i].ranks;
    for (size_t i = 0; i < ntargets; i++) {
        const struct vertex *v = l->targets[i];
        if (!v->run)
            own[i] = idset_create_range((uint32_t)v->rank, (uint32_t)v->rank);
        sets[n + i] = v->run ? v->run : own[i];
    }
    l->ov = overlay_create(sets, n + ntargets);
    for (size_t i = 0; i < ntargets; i++)
        idset_destroy(own[i]);
    free(own);
    free(sets);
}

static void laying_fini(struct laying *l)
{
    if (l->rs->root)
        vertex_sort_children(l->rs->root);
    overlay_destroy(l->ov);
    free(l->targets);
    free(l->pieces);
}

static void cut(struct laying *l)
{
    l->pieces = pieces_cut(l->rs, l->targets, l->ntargets, l->ov, l->nlayers);
}

/* The target of a group, if it has any, is the last of its labels. */
static bool has_target(const struct laying *l, const struct overlay_group *g)
{
    return g->labels[g->nlabels - 1] >= l->nlayers;
}

static int check_known(const struct laying *l, size_t *at, struct diag *d)
{
    for (size_t i = 0; i < overlay_ngroups(l->ov); i++) {
        const struct overlay_group *g = overlay_group(l->ov, i);
        if (!has_target(l, g)) {
            *at = g->labels[0];
            return diag_set(d, "rank %u is not in the set",
                            idset_first(g->ids));
        }
    }
    return 0;
}

/* The target of a group, cut or not. */
static struct vertex *target_of_group(const struct laying *l, size_t i)
{
    const struct overlay_group *g = overlay_group(l->ov, i);

    if (l->pieces)
        return l->pieces[i];
    return has_target(l, g) ? l->targets[g->labels[g->nlabels - 1] - l->nlayers]
                            : NULL;
}

void rset_lay_all(struct rset *rs, const struct layer *layers, size_t n,
                  bool cut_runs, laid_fn each, void *arg)
{
    struct laying l = {0};

    laying_init(&l, rs, layers, n);
    if (cut_runs)
        cut(&l);
    for (size_t i = 0; i < overlay_ngroups(l.ov); i++) {
        const struct overlay_group *g = overlay_group(l.ov, i);
        const struct laid_ranks on = {.target = target_of_group(&l, i),
                                      .ranks = g->ids,
                                      .layers = g->labels,
                                      .n = g->nlabels - has_target(&l, g)};
        if (on.n > 0)
            each(rs, &on, arg);
    }
    laying_fini(&l);
}

static int apply_layers(struct laying *l, const struct layer *layers,
                        layer_fn apply, void *arg, size_t *at, struct diag *d)
{
    for (size_t i = 0; i < overlay_ngroups(l->ov); i++) {
        const struct overlay_group *g = overlay_group(l->ov, i);
        for (size_t j = 0; j + 1 < g->nlabels; j++) {
            *at = g->labels[j];
            if (apply(l->rs, l->pieces[i], layers[*at].item, arg, d) < 0)
                return -1;
        }
    }
    return 0;
}

int rset_lay(struct rset *rs, const struct layer *layers, size_t n,
             layer_fn apply, void *arg, size_t *at, struct diag *d)
{
    struct laying l = {0};
    int rc;

    *at = 0;
    laying_init(&l, rs, layers, n);
    rc = check_known(&l, at, d);
    if (rc == 0) {
        cut(&l);
        rc = apply_layers(&l, layers, apply, arg, at, d);
    }
    laying_fini(&l);
    return rc;
}
