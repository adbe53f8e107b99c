/*
 * Inside diff: compare a pool that both sets have: states, records, sizes,
 * properties, other metadata.
 */
#ifndef COMPARE_VERTEX_DIFF_H
#define COMPARE_VERTEX_DIFF_H

#include "compare/changes.h"

/* Add the changes of a target of a that has a peer in b, and of all vertices
   below it. */
void compare_target(struct changes *out, const struct rset *a,
                    const struct rset *b, const struct vertex *target);

/* Add the changes of a vertex of a that has a peer in b, without its contents.
   Its path is its place. */
void compare_vertex(struct changes *out, const struct rset *a,
                    const struct rset *b, const struct vertex *v);

#endif /* COMPARE_VERTEX_DIFF_H */
