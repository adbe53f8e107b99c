/* Copies of a whole set (RFC 4, Duplicate), and of what is around the tree. */
#ifndef MODEL_TREE_COPY_H
#define MODEL_TREE_COPY_H

#include "model/tree/rset.h"

/* A new set that is the same in all. */
struct rset *rset_duplicate(struct rset *rs);

/*
 * Give an empty set what `from` has beside its tree, ranks and hosts: its
 * form, times, attributes, what is carried, the order of properties.
 */
void rset_carry(struct rset *to, const struct rset *from);

/* Add copies of all pools in no containment: see vertex_import_all(). */
void rset_import_loose(struct rset *to, const struct rset *from);

#endif /* MODEL_TREE_COPY_H */
