/* Copies of what a set has beside the tree of containment. */
#ifndef MODEL_TREE_COPY_H
#define MODEL_TREE_COPY_H

#include "model/tree/rset.h"

/*
 * Give an empty set what `from` has beside its tree, ranks and hosts: its
 * form, times, attributes, what is carried, the order of properties.
 */
void rset_carry(struct rset *to, const struct rset *from);

/* Add copies of all pools in no containment: see vertex_import_all(). */
void rset_import_loose(struct rset *to, const struct rset *from);

#endif /* MODEL_TREE_COPY_H */
