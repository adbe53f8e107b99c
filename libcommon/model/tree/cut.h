/* Cutting runs where something speaks of a part of them. */
#ifndef MODEL_TREE_CUT_H
#define MODEL_TREE_CUT_H

#include "model/tree/rset.h"

/*
 * Cut the runs of execution targets so that every vertex has all its ranks
 * among `ranks`, or none. The set means the same.
 */
void rset_cut(struct rset *rs, const struct idset *ranks);

#endif /* MODEL_TREE_CUT_H */
