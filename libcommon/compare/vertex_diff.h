/*
 * Inside diff: compare a pool that both sets have: states, records, sizes,
 * properties, other metadata.
 */
#ifndef COMPARE_VERTEX_DIFF_H
#define COMPARE_VERTEX_DIFF_H

#include "compare/changes.h"
#include "model/records/usage.h"

/* Add the changes of a target of one set that has a peer in the other, and of
   all vertices below it. */
void compare_target(struct changes *out, const struct settled sets[2],
                    const struct vertex *target);

/* Add the changes of a vertex of one set that has a peer in the other, without
   its contents. Its path is its place. */
void compare_vertex(struct changes *out, const struct settled sets[2],
                    const struct vertex *v);

#endif /* COMPARE_VERTEX_DIFF_H */
