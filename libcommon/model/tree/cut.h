/* Cutting runs where something speaks of a part of them. */
#ifndef MODEL_TREE_CUT_H
#define MODEL_TREE_CUT_H

#include "model/tree/rset.h"

/*
 * Cut the runs of a type (NULL: of execution targets) so that every vertex
 * has all its members among `ids`, or none. The set means the same. Was any
 * cut?
 */
bool rset_cut(struct rset *rs, const char *type, const struct idset *ids);

#endif /* MODEL_TREE_CUT_H */
