/*
 * Inside diff: compare a pool that both sets have: states, records, sizes,
 * properties, other metadata.
 */
#ifndef COMPARE_VERTEX_DIFF_H
#define COMPARE_VERTEX_DIFF_H

#include "compare/changes.h"
#include "model/records/usage.h"

/*
 * Add the changes of a vertex of one set that has a peer in the other. As a
 * `target` it is compared with all vertices below it, and its place is its
 * rank; otherwise alone, and its place is its path.
 */
void compare_vertex(struct changes *out, const struct settled sets[2],
                    const struct vertex *v, bool target);

#endif /* COMPARE_VERTEX_DIFF_H */
