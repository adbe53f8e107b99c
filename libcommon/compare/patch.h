/*
 * Patches: the difference of two documents as JSON, and how to apply it.
 *
 *     {"patch": 1, "changes": [
 *       {"at": ["execution", "expiration"], "from": 100, "to": 200},
 *       {"at": ["scheduling", "graph", "/cluster0/node3@3", "state"],
 *        "to": "down"}, ...]}
 *
 * A change is a place, what is there (`from`, absent if nothing), and what
 * comes there (`to`, absent if nothing). A place is a list of keys. In a
 * list, {"at": [...], "index": 3, "from": [...], "to": [...]} replaces a
 * stretch of elements.
 *
 * It is made from what rset writes of both sets, with the graph as an object
 * in which a vertex is found by path and rank, so that nothing depends on
 * outer ids, and a vertex that comes or goes is a change of its own. A graph
 * in which several vertices have one path and rank (pools of one name and
 * two types) stays a list of nodes and a list of edges.
 *
 * Applied to the first set it gives the second, to the byte. What is patched
 * has the same values, and the same order of keys wherever reading keeps it:
 * an object whose keys would come in another order is replaced as a whole.
 */
#ifndef COMPARE_PATCH_H
#define COMPARE_PATCH_H

#include <jansson.h>

#include "model/tree/rset.h"

/* The patch that leads from a to b. A new reference, or NULL with a diag. */
json_t *rset_patch(struct rset *a, struct rset *b, struct diag *d);

/*
 * Apply a patch to a set: a new set in *out. Returns 0; 1 if the patch does
 * not fit, with a diag that says where; -1 with a diag if it is no patch, or
 * what comes out is no resource set.
 */
int rset_apply(struct rset *a, const json_t *patch, struct rset **out,
               struct diag *d);

#endif /* COMPARE_PATCH_H */
