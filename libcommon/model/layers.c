/*
 * Laying things over ranks. The runs of the targets and the layers go into
 * one overlay; each of its groups is a set of ranks with one target and one
 * cover of layers, and becomes a vertex.
 */
#include "model/rset.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/pieces.h"

struct laying {
    struct rset *rs;
    struct vertex **targets;
    size_t ntargets;
    const struct layer *layers;
    size_t nlayers;
    struct overlay *ov;
    struct vertex **pieces; /* a group's target */
    struct idset **own;     /* idsets of targets that are no runs */
};

static void laying_fini(struct laying *l)
{
    overlay_destroy(l->ov);
    free(l->targets);
    free(l->pieces);
    for (size_t i = 0; l->own && i < l->ntargets; i++)
        idset_destroy(l->own[i]);
    free(l->own);
}

/* The sets that go into the overlay: first the targets', then the layers'. */
static int make_overlay(struct laying *l)
{
    size_t n = l->ntargets + l->nlayers;
    const struct idset **sets = xmalloc((n + 1) * sizeof(*sets));

    l->own = xcalloc(l->ntargets + 1, sizeof(*l->own));
    if (!sets || !l->own)
        goto out;
    for (size_t i = 0; i < l->ntargets; i++) {
        const struct vertex *v = l->targets[i];
        if (!v->run
            && !(l->own[i] = idset_create_range((uint32_t)v->rank,
                                                (uint32_t)v->rank)))
            goto out;
        sets[i] = v->run ? v->run : l->own[i];
    }
    for (size_t i = 0; i < l->nlayers; i++)
        sets[l->ntargets + i] = l->layers[i].ranks;
    l->ov = overlay_create(sets, n);
out:
    free(sets);
    return l->ov ? 0 : -1;
}

/* Every group that has no target is ranks that the set does not have. */
static int check_known(const struct laying *l, size_t *at, struct diag *d)
{
    for (size_t i = 0; i < overlay_ngroups(l->ov); i++) {
        const struct overlay_group *g = overlay_group(l->ov, i);
        if (g->labels[0] >= l->ntargets) {
            *at = g->labels[0] - l->ntargets;
            return diag_set(d, "rank %u is not in the set",
                            idset_first(g->ids));
        }
    }
    return 0;
}

static int apply_layers(struct laying *l, layer_fn apply, void *arg, size_t *at,
                        struct diag *d)
{
    for (size_t i = 0; i < overlay_ngroups(l->ov); i++) {
        const struct overlay_group *g = overlay_group(l->ov, i);
        for (size_t j = 1; j < g->nlabels; j++) {
            *at = g->labels[j] - l->ntargets;
            if (apply(l->rs, l->pieces[i], l->layers[*at].item, arg, d) < 0)
                return -1;
        }
    }
    return 0;
}

int rset_lay(struct rset *rs, const struct layer *layers, size_t n,
             layer_fn apply, void *arg, size_t *at, struct diag *d)
{
    struct laying l = {.rs = rs, .layers = layers, .nlayers = n};
    ssize_t ntargets = rset_targets(rs, &l.targets);
    int rc = -1;

    *at = 0;
    if (ntargets < 0)
        return diag_oom(d);
    l.ntargets = (size_t)ntargets;
    if (make_overlay(&l) < 0) {
        diag_oom(d);
    } else if (check_known(&l, at, d) == 0) {
        l.pieces = pieces_cut(rs, l.targets, l.ntargets, l.ov, 0);
        rc = l.pieces ? apply_layers(&l, apply, arg, at, d) : diag_oom(d);
    }
    if (rs->root)
        vertex_sort_children(rs->root);
    laying_fini(&l);
    return rc;
}
