/*
 * Hierarchies that are taken out of a set at a path, and put into it (RFC 4).
 *
 * Sets without a graph are trees of runs, and stay such: what is put in is
 * first brought into the form that the set has, by writing and reading it.
 */
#ifndef MODEL_CHANGE_SUBTREE_H
#define MODEL_CHANGE_SUBTREE_H

#include "model/records/path.h"

/*
 * Take the hierarchy at a pool, which `uri` names, out of the set (RFC 4,
 * Unlink). Pools in it that are members of other subsystems stay in those. By a
 * URI of a subsystem that it is not at home in it goes out of that, with the
 * tops that lie in it there. Returns 0; 1 with a diag if a job holds or has
 * reserved something in it; -1 if nothing tells apart any more what stays.
 */
int rset_unlink(struct rset *rs, struct lot *lot, const char *uri,
                struct diag *d);

/*
 * A new set of a single pool that rset_find_lot() found, and all below it,
 * with records and states: what rset_attach() puts back. It is the root of a
 * graph; but of a set without a graph what has a rank is a set of these nodes.
 * Edges that lead out of it are not in it.
 */
struct rset *rset_subtree(struct rset *rs, struct lot *lot);

/*
 * A fragment (see rs->above) comes to lie where it lies in the whole, whose
 * pools above it are copied, with nothing said of them. If it is not there it
 * stays a fragment.
 */
void rset_graft(struct rset *rs, struct rset *whole);

/*
 * Put the hierarchy of `other` under a pool (RFC 4, Merge at a path): its root
 * becomes a child of it.
 *
 * A set without a graph has nodes, and pools in nodes, and nothing else. At
 * its root it takes in the nodes of `other`, with what R_lite says of them;
 * in a node a single pool that has a type and an id.
 *
 * Returns -1 with a diag if that can't be, it has a child of that name, pools
 * in no containment are in both, or two nodes would have a rank, or something
 * in a node another rank than that; then rs is of no use any more.
 */
int rset_attach(struct rset *rs, struct lot *lot, struct rset *other,
                struct diag *d);

#endif /* MODEL_CHANGE_SUBTREE_H */
