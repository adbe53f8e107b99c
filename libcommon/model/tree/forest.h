/*
 * Hierarchies other than containment (RFC 4: a pool may be in several, as
 * equals). A pool that is not in containment is at home in the alphabetically
 * first subsystem of its edges and paths; there it has a parent and children
 * as pools in containment have. All edges of subsystems stay links.
 *
 * What only pools of other homes lead to is a top there, and yet no root: it
 * has the path that it says it has, or has by them, as `power:/pdu0/outlet0` of
 * a PDU that is in containment. It keeps that where the PDU is left out.
 */
#ifndef MODEL_TREE_FOREST_H
#define MODEL_TREE_FOREST_H

#include "model/tree/rset.h"

/* Of a path in which a top lies so many bytes count, those at its end. */
enum { ABOVE_MAX = 4096 };

/*
 * An edge of which the edges of its subsystem lead back to where it came from;
 * NULL: there is none, as it must be. Vertices get other numbers: if the set
 * has usage, usage_gather() comes next.
 */
const struct link *forest_circle(struct rset *rs);

/* How that is told: the subsystem, and the name of the edge's target, quoted.
 */
#define FOREST_CIRCLE_TEXT "%s runs in a circle: edges lead from %s back to it"

/*
 * Give the pools in no containment their homes, parents and order, from links
 * and, where a pool has none that leads to it, from where it is: its parent, or
 * the path above it. Pools in circles are left at the top. Vertices get other
 * numbers here, too.
 */
void forest_plant(struct rset *rs);

/*
 * The place of two pools of one type and rank in no containment, which nothing
 * tells apart: a new string; NULL: there is none, as it must be.
 */
char *forest_twin(const struct rset *rs);

#endif /* MODEL_TREE_FOREST_H */
