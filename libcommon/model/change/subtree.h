/*
 * Hierarchies that are removed from a set at a path, or attached to it (RFC 4).
 *
 * Sets without a graph are trees of runs and stay such. A set that is attached
 * to one is first converted to this form, by writing and reading it.
 */
#ifndef MODEL_CHANGE_SUBTREE_H
#define MODEL_CHANGE_SUBTREE_H

#include "model/records/path.h"

/*
 * Remove the hierarchy at a pool, named by `uri`, from the set (RFC 4, Unlink).
 * Pools in it that are also in other subsystems stay there. If `uri` names a
 * subsystem that is not the pool's home, only its place there is removed, with
 * the tops that lie in it there. Returns 0; 1 with a diag if a job has a claim
 * in it, now or later; -1 with a diag if two remaining pools would have the
 * same place.
 */
int rset_unlink(struct rset *rs, struct lot *lot, const char *uri,
                struct diag *d);

/*
 * Return a new set of a single pool that rset_find_lot() found, and everything
 * below it, with records and states. rset_attach() can put it back. The pool
 * becomes the root of a graph; but from a set without a graph, a pool with
 * ranks becomes a set of these nodes. Edges that lead out of it are left out.
 */
struct rset *rset_subtree(struct rset *rs, struct lot *lot);

/*
 * Put a fragment (see rs->above) at its place in the whole set. Copies the
 * facts of the pools above it. If the whole set does not have the place, rs
 * stays a fragment.
 */
void rset_graft(struct rset *rs, struct rset *whole);

/*
 * Attach the hierarchy of `other` to a pool (RFC 4, Merge at a path): its root
 * becomes a child of the pool.
 *
 * A set without a graph contains only nodes, and pools in nodes. To its root
 * you can attach the nodes of `other`, with the resources in R_lite; to a node,
 * a single pool with a type and an id.
 *
 * Returns -1 with a diag if this is not possible: the pool has a child of the
 * same name, a pool outside containment is in both sets, two nodes would have
 * one rank, or a pool in a node would have another rank than the node. Then rs
 * is no longer usable.
 */
int rset_attach(struct rset *rs, struct lot *lot, struct rset *other,
                struct diag *d);

#endif /* MODEL_CHANGE_SUBTREE_H */
