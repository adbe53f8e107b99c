/*
 * Inside diff: compare a pool that both sets have: states, records, sizes,
 * properties, other metadata.
 */
#ifndef COMPARE_VERTEX_DIFF_H
#define COMPARE_VERTEX_DIFF_H

#include "compare/changes.h"

/* Add the changes of a target of a that has its peer in b, and of all below it.
 */
void compare_target(struct changes *out, const struct rset *a,
                    const struct rset *b, const struct vertex *target);

/* Add the changes of a vertex of a that has its peer in b, without those of
   what is below it. Its path is its place. */
void compare_vertex(struct changes *out, const struct rset *a,
                    const struct rset *b, const struct vertex *v);

#endif /* COMPARE_VERTEX_DIFF_H */
