/*
 * Patches: the difference of two documents as JSON, and how to apply it.
 *
 *     {"patch": 1, "changes": [
 *       {"at": ["execution", "expiration"], "from": 100, "to": 200},
 *       {"at": ["scheduling", "graph", "/cluster0/node3@3", "state"],
 *        "to": "down"}, ...]}
 *
 * A change has a place (a list of keys), the old value (`from`) and the new one
 * (`to`); either is absent if there is none. In an array, {"at": [...],
 * "index": 3, "from": [...], "to": [...]} replaces a range of elements.
 *
 * A patch is made from the texts that rset writes for both sets, with the graph
 * as an object in which vertices are found by path and rank. So nothing depends
 * on ids of the documents, and a vertex that comes or goes is one change. If
 * several vertices have the same path and rank (pools of one name and two
 * types), the graph stays a list of nodes and a list of edges.
 *
 * Applied to the first set, a patch gives the second, to the byte. The result
 * has the same values, and the same order of keys wherever reading keeps it: an
 * object whose keys would come in another order is replaced whole.
 */
#ifndef COMPARE_PATCH_H
#define COMPARE_PATCH_H

#include <jansson.h>

#include "model/tree/rset.h"

/* Return the patch that leads from a to b, a new reference, or NULL with a
   diag. */
json_t *rset_patch(struct rset *a, struct rset *b, struct diag *d);

/*
 * Apply a patch to a set. Returns 0 and a new set in *out; 1 with a diag that
 * says where the patch does not fit; or -1 with a diag if it is not a patch, or
 * if the result is not a resource set.
 */
int rset_apply(struct rset *a, const json_t *patch, struct rset **out,
               struct diag *d);

#endif /* COMPARE_PATCH_H */
