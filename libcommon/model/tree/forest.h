/*
 * Hierarchies other than containment (RFC 4: a pool may be in several, as
 * equals). A pool that is not in containment is at home in the alphabetically
 * first subsystem of its edges and paths; there it has a parent and children
 * as pools in containment have. All edges of subsystems stay links.
 */
#ifndef MODEL_TREE_FOREST_H
#define MODEL_TREE_FOREST_H

#include "model/tree/rset.h"

/*
 * An edge of which the edges of its subsystem lead back to where it came from;
 * NULL: there is none, as it must be. Vertices get other numbers: if the set
 * has usage, usage_gather() comes next.
 */
const struct link *forest_circle(struct rset *rs);

/*
 * Give the pools in no containment their homes, parents and order, from links
 * and, where a pool has none that leads to it, from where it is. Pools in
 * circles are left at the top. Vertices get other numbers here, too.
 */
void forest_plant(struct rset *rs);

#endif /* MODEL_TREE_FOREST_H */
