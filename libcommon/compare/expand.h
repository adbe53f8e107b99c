/*
 * Expansion: make a shorthand graph (model/document/shorthand.h) whole with the
 * inventory that it is a part of.
 */
#ifndef COMPARE_EXPAND_H
#define COMPARE_EXPAND_H

#include "model/tree/rset.h"

/*
 * Fill the exclusive vertices of rs, which are found by path and rank:
 *
 *     it has            it gets from the inventory
 *     nothing in it     everything there
 *     something in it   what R_lite lists and it does not have
 *
 * If there is an R_lite, pools of the types it speaks of come in only if they
 * are listed. New pools are exclusive. Sets that are whole do not change. The
 * inventory's vertices get peers. Returns 0, or -1 with a diag if the inventory
 * is no whole graph, or lacks a vertex of rs or what R_lite lists; then rs may
 * only be destroyed.
 */
int rset_expand_shorthand(struct rset *rs, struct rset *inventory,
                          struct diag *d);

#endif /* COMPARE_EXPAND_H */
