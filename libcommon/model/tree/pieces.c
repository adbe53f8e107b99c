/* Cuts a run into pieces along an overlay (pieces.h). */
#include "model/tree/pieces.h"

#include <stdlib.h>

#include "base/memory.h"
#include "model/records/usage_private.h"

/* A copy of a run with some of its members, and with their lots. */
static struct vertex *copy_beside(struct rset *rs, struct vertex *v,
                                  const struct idset *members)
{
    struct vertex *copy = vertex_copy_beside(rs, v, members);

    if (rs->usage)
        lots_follow_split(rs->usage, v, copy);
    return copy;
}

/* The label among first .. first+n-1, or n if there is none. */
static size_t label_of(const struct overlay_group *g, size_t first, size_t n)
{
    for (size_t i = 0; i < g->nlabels; i++)
        if (g->labels[i] >= first && g->labels[i] < first + n)
            return g->labels[i] - first;
    return n;
}

/* The first group of a run keeps its vertex, the others get copies. */
struct vertex **pieces_cut(struct rset *rs, struct vertex *const *list,
                           size_t n, const struct overlay *ov, size_t first)
{
    struct vertex **pieces = xcalloc(overlay_ngroups(ov) + 1, sizeof(*pieces));
    bool *used = xcalloc(n + 1, sizeof(*used));

    for (size_t i = 0; i < overlay_ngroups(ov); i++) {
        const struct overlay_group *g = overlay_group(ov, i);
        size_t at = label_of(g, first, n);
        if (at == n)
            continue;
        pieces[i] = list[at];
        if (list[at]->run && used[at]) {
            pieces[i] = copy_beside(rs, list[at], g->ids);
        } else if (list[at]->run) {
            idset_destroy(list[at]->run);
            list[at]->run = idset_copy(g->ids);
        }
        used[at] = true;
    }
    free(used);
    return pieces;
}
