/* Copies of members of a set other than the tree of containment. */
#ifndef MODEL_TREE_COPY_H
#define MODEL_TREE_COPY_H

#include "model/tree/rset.h"

/* Copy to an empty set all members of `from` except its trees, ranks and hosts:
   form, times, attributes, unknown keys, the order of properties. */
void rset_carry(struct rset *to, const struct rset *from);

/* Add copies of all pools outside containment: see vertex_import_all(). */
void rset_import_loose(struct rset *to, const struct rset *from);

#endif /* MODEL_TREE_COPY_H */
