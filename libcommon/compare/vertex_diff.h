/*
 * Inside diff: compare a pool that both sets have: states, records, sizes,
 * properties, other metadata.
 */
#ifndef COMPARE_VERTEX_DIFF_H
#define COMPARE_VERTEX_DIFF_H

#include "compare/changes.h"

/* Add the changes of a target that has its peer, and of all below it. */
void compare_target(struct changes *out, const struct vertex *target);

/* Add the changes of a vertex that has its peer, without what is below it. Its
   path is its place. */
void compare_vertex(struct changes *out, const struct vertex *v);

#endif /* COMPARE_VERTEX_DIFF_H */
