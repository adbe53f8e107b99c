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
 * Give the pools in no containment their homes, parents and order, from links
 * and, where a pool has none that leads to it, from where it is. NULL; or a
 * pool that lies in a circle, and is left at the top. Vertices get other
 * numbers: if the set has usage, usage_gather() comes next.
 */
struct vertex *forest_plant(struct rset *rs);

#endif /* MODEL_TREE_FOREST_H */
