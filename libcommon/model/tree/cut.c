/*
 * Cuts runs at the edge of some ids (cut.h), so that a change can apply to
 * these alone.
 */
#include "model/tree/cut.h"

#include <string.h>

static bool concerns(const struct vertex *v, const char *type,
                     const struct idset *ids)
{
    return v->run && (type ? !strcmp(v->type, type) : vertex_is_target(v))
           && idset_overlaps(v->run, ids) && !idset_subset(v->run, ids);
}

bool rset_cut(struct rset *rs, const char *type, const struct idset *ids)
{
    bool cut = false;

    for (struct vertex *v = rset_first(rs); v; v = rset_next(rs, v)) {
        struct idset *part;
        if (!concerns(v, type, ids))
            continue;
        part = idset_intersect(v->run, ids);
        vertex_split(rs, v, part);
        idset_destroy(part);
        cut = true;
    }
    return cut;
}
