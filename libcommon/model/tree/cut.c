/*
 * Cuts runs at the edge of some ranks (cut.h), so that a change can apply to
 * these alone.
 */
#include "model/tree/cut.h"

static bool concerns(const struct vertex *v, const struct idset *ranks)
{
    return v->run && idset_overlaps(v->run, ranks)
           && !idset_subset(v->run, ranks);
}

void rset_cut(struct rset *rs, const struct idset *ranks)
{
    bool target; /* which has no other in it */

    for (struct vertex *v = rs->root; v; v = vertex_next(rs->root, v, target)) {
        struct idset *part;
        if (!(target = vertex_is_target(v)) || !concerns(v, ranks))
            continue;
        part = idset_intersect(v->run, ranks);
        vertex_split(rs, v, part);
        idset_destroy(part);
    }
}
