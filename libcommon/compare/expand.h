/* Expansion: complete a shorthand graph (model/document/shorthand.h) from its
   inventory. */
#ifndef COMPARE_EXPAND_H
#define COMPARE_EXPAND_H

#include "model/tree/rset.h"

/*
 * Fill the exclusive vertices of rs. They are found in the inventory by path
 * and rank:
 *
 *     vertex        gets from the inventory
 *     without       all its contents
 *     contents
 *     with some     the contents that R_lite lists and the vertex does not have
 *
 * If there is an R_lite, pools of the types that it can list are added only if
 * it lists them. New pools are exclusive. Complete sets do not change. The
 * inventory's vertices get peers. Returns 0, or -1 with a diag if the inventory
 * has no complete graph, or lacks a vertex of rs or a resource in R_lite; then
 * rs may only be destroyed.
 */
int rset_expand_shorthand(struct rset *rs, struct rset *inventory,
                          struct diag *d);

#endif /* COMPARE_EXPAND_H */
