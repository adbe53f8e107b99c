/* Lays layers over ranks, and cuts runs where they differ (layers.h). */
#include "model/records/layers.h"

#include <stdlib.h>

#include "base/memory.h"
#include "model/records/usage_private.h"
#include "model/tree/properties.h"

/* --- pieces --------------------------------------------------------------- */

struct vertex **pieces_cut(struct rset *rs, struct vertex *const *list,
                           size_t n, const struct overlay *ov, size_t first)
{
    struct vertex **pieces = xcalloc(overlay_ngroups(ov) + 1, sizeof(*pieces));
    bool *used = xcalloc(n + 1, sizeof(*used));

    for (size_t i = 0; i < overlay_ngroups(ov); i++) {
        const struct overlay_group *g = overlay_group(ov, i);
        size_t at = n;
        for (size_t k = 0; k < g->nlabels && at == n; k++)
            if (g->labels[k] >= first && g->labels[k] < first + n)
                at = g->labels[k] - first;
        if (at == n)
            continue;
        pieces[i] = list[at];
        if (list[at]->run && used[at]) {
            pieces[i] = vertex_copy_members(rs, list[at], g->ids);
        } else if (list[at]->run) {
            idset_destroy(list[at]->run);
            list[at]->run = idset_copy(g->ids);
        }
        used[at] = true;
    }
    free(used);
    return pieces;
}

/* --- layers --------------------------------------------------------------- */

/* Make the overlay of the sets of all layers, then of all targets. */
static struct overlay *overlay_of(const struct layer *layers, size_t n,
                                  struct vertex *const *targets,
                                  size_t ntargets)
{
    const struct idset **sets = xcalloc(n + ntargets + 1, sizeof(*sets));
    struct idset **own = xcalloc(ntargets + 1, sizeof(*own));
    struct overlay *ov;

    for (size_t i = 0; i < n; i++)
        sets[i] = layers[i].ranks;
    for (size_t i = 0; i < ntargets; i++) {
        if (!targets[i]->run) {
            own[i] = idset_create();
            target_add_ranks(targets[i], own[i]);
        }
        sets[n + i] = own[i] ? own[i] : targets[i]->run;
    }
    ov = overlay_create(sets, n + ntargets);
    for (size_t i = 0; i < ntargets; i++)
        idset_destroy(own[i]);
    free(own);
    free(sets);
    return ov;
}

/* Split the lots of runs where groups begin and end. */
static void split_lots(struct usage *u, struct vertex *const *targets,
                       size_t ntargets, const struct overlay *ov, size_t first)
{
    struct idset **cuts = xcalloc(ntargets + 1, sizeof(*cuts));

    for (size_t i = 0; i < overlay_ngroups(ov); i++) {
        const struct overlay_group *g = overlay_group(ov, i);
        size_t at = g->labels[g->nlabels - 1] - first;
        if (g->labels[g->nlabels - 1] < first || !targets[at]->run
            || g->nlabels == 1)
            continue;
        if (!cuts[at])
            cuts[at] = idset_create();
        for (size_t k = 0; k < idset_nranges(g->ids); k++) {
            struct idrange r = idset_range(g->ids, k);
            idset_push(cuts[at], r.lo, r.lo);
            if (r.hi < IDSET_MAX)
                idset_push(cuts[at], r.hi + 1, r.hi + 1);
        }
    }
    for (size_t i = 0; i < ntargets; i++) {
        struct idset_iter it;
        struct lot *up;
        uint32_t at;
        if (!cuts[i])
            continue;
        up = usage_lot(u, targets[i]->parent);
        idset_settle(cuts[i]);
        idset_iter_init(&it, cuts[i]);
        while (idset_iter_next(&it, &at)) {
            struct lot *lot;
            if (!idset_contains(targets[i]->run, at))
                continue;
            lot = lot_find(u, up, targets[i], at);
            lot_split(u, lot, at, lot->at + lot->n - at);
        }
        idset_destroy(cuts[i]);
    }
    free(cuts);
}

/* If a group has a target, it is the last label of the group. */
void rset_lay(struct rset *rs, const struct layer *layers, size_t n,
              enum layer_cut cut, laid_fn each, void *arg)
{
    struct vertex **targets, **pieces = NULL;
    size_t ntargets = rset_targets(rs, &targets);
    struct overlay *ov = overlay_of(layers, n, targets, ntargets);

    if (cut == CUT_LOTS)
        split_lots(usage_get(rs), targets, ntargets, ov, n);
    if (cut == CUT_RUNS)
        pieces = pieces_cut(rs, targets, ntargets, ov, n);
    for (size_t i = 0; i < overlay_ngroups(ov); i++) {
        const struct overlay_group *g = overlay_group(ov, i);
        size_t last = g->labels[g->nlabels - 1];
        const struct laid_ranks on = {.target = last < n ? NULL
                                                : pieces ? pieces[i]
                                                         : targets[last - n],
                                      .ranks = g->ids,
                                      .layers = g->labels,
                                      .n = g->nlabels - (last >= n)};
        if (each && on.n > 0)
            each(rs, &on, arg);
    }
    if (rs->root)
        vertex_sort_children(rs->root);
    overlay_destroy(ov);
    free(targets);
    free(pieces);
}

/* --- properties ----------------------------------------------------------- */

struct layering {
    struct property *list; /* of each layer */
    bool *again;           /* true: an earlier layer has the same */
    struct map shared;     /* lists of properties by their layers */
};

static void apply_layers(struct rset *rs, const struct laid_ranks *on,
                         void *arg)
{
    struct layering *l = arg;
    struct map_slot *slot = map_at(&l->shared, on->layers,
                                   on->n * sizeof(*on->layers));
    struct properties *p = slot->value.pointer;

    if (!p) {
        p = slot->value.pointer = arena_alloc(
            &rs->arena,
            sizeof(struct properties) + on->n * sizeof(struct property));
        for (size_t i = 0; i < on->n; i++) {
            uint32_t k = on->layers[i];
            if (!l->again[k] || !properties_have(p, &l->list[k]))
                p->list[p->count++] = l->list[k];
        }
    }
    if (on->target->properties)
        vertex_add_properties(rs, on->target, p);
    else
        on->target->properties = p;
}

void rset_lay_properties(struct rset *rs, const struct layer *layers, size_t n)
{
    struct layering l = {.list = xcalloc(n, sizeof(*l.list)),
                         .again = xcalloc(n, sizeof(*l.again))};
    struct document *doc = &rs->document;
    struct map seen = {0};

    for (size_t i = 0; i < n; i++) {
        VECTOR_ADD(doc->property_names, doc->nproperty_names, layers[i].item);
        l.list[i] = (struct property){rset_string(rs, layers[i].item), ""};
        l.again[i] = map_at(&seen, &l.list[i].key, sizeof(l.list[i].key))
                         ->value.number++
                     > 0;
    }
    map_fini(&seen);
    rset_lay(rs, layers, n, CUT_RUNS, apply_layers, &l);
    map_fini(&l.shared);
    free(l.list);
    free(l.again);
    rset_forget_properties(rs);
}
