/*
 * Shorthand graphs (model/document/shorthand.h) become whole with the inventory
 * that they are a part of.
 */
#ifndef COMPARE_EXPAND_H
#define COMPARE_EXPAND_H

#include "model/tree/rset.h"

/*
 * All that the inventory has in exclusive vertices that have nothing in them,
 * which are found by path and rank, is put there, and is exclusive, too; into
 * the other exclusive ones what R_lite lists beyond what they have. If R_lite
 * was there, of the types of which it speaks it is what it lists. The
 * inventory's vertices get peers. Sets that are whole are not touched. Returns
 * -1 with a diag if the inventory does not have a vertex of the set, or what
 * R_lite lists, or is no whole graph itself; then rs is of no use any more.
 */
int rset_expand_shorthand(struct rset *rs, struct rset *inventory,
                          struct diag *d);

#endif /* COMPARE_EXPAND_H */
