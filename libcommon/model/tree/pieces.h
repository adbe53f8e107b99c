/*
 * Cutting runs to the groups of an overlay.
 *
 * Vertices whose runs went into an overlay (with others of whatever kind) are
 * cut so that every group has a vertex of its own. The first group of a run
 * keeps its vertex, the others get copies of it.
 */
#ifndef MODEL_TREE_PIECES_H
#define MODEL_TREE_PIECES_H

#include "model/tree/rset.h"
#include "set/overlay.h"

/*
 * `list` are vertices of one set, the labels first .. first+n-1 of the
 * overlay; they must not overlap each other. Single vertices are allowed
 * where their label stands for their one rank; they are not cut. Returns a
 * new array with a group's vertex, NULL where the group has none of these.
 */
struct vertex **pieces_cut(struct rset *rs, struct vertex *const *list,
                           size_t n, const struct overlay *ov, size_t first);

#endif /* MODEL_TREE_PIECES_H */
