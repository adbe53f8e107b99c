/*
 * Hierarchies other than containment (RFC 4: a pool may be in several, as
 * equals). The home of a pool outside containment is the alphabetically first
 * subsystem of its edges and paths. There it has a parent and children, like
 * pools in containment. All edges of subsystems stay links.
 *
 * If only pools with other homes lead to a pool, it is a top, but not a root.
 * It has the path given in the document, or the path through these pools:
 * `power:/pdu0/outlet0` for an outlet of a PDU in containment. It keeps the
 * path when the PDU is left out.
 */
#ifndef MODEL_TREE_FOREST_H
#define MODEL_TREE_FOREST_H

#include "model/tree/rset.h"

/* Longest path in which a top lies; of a longer one the end is kept. */
enum { ABOVE_MAX = 4096 };

/*
 * Return an edge that is part of a circle in its subsystem; NULL if there is
 * none, as it must be. Renumbers vertices, so if the set has usage call
 * usage_gather() next.
 */
const struct link *forest_circle(struct rset *rs);

/* Message about a circle: the subsystem, and the quoted name of the edge's
   target. */
#define FOREST_CIRCLE_TEXT "%s runs in a circle: edges lead from %s back to it"

/*
 * Give the pools outside containment their homes, parents and order, from the
 * links. A pool without a link to it keeps its parent or the path above it.
 * Pools in circles become tops. Renumbers vertices, too.
 */
void forest_plant(struct rset *rs);

/* Make the trees outside containment of all their pools, in their order: sort
   each pool below its parent, and tops into rs->loose. */
void forest_hang(struct rset *rs, struct vertex *const *list, size_t n);

/* Return the place of two pools outside containment with the same place, type
   and rank, as a new string. NULL if there are none, as it must be. */
char *forest_twin(const struct rset *rs);

#endif /* MODEL_TREE_FOREST_H */
