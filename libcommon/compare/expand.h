/* Expansion: complete a shorthand graph (model/document/shorthand.h) from its
   inventory. */
#ifndef COMPARE_EXPAND_H
#define COMPARE_EXPAND_H

#include "model/tree/rset.h"

/* Flags of rset_expand_shorthand(). */
enum {
    EXPAND_STATES = 1, /* new pools have the states of the inventory */
    EXPAND_KNOWN = 2   /* leave what the inventory does not have as it is */
};

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
 * it lists them. New pools are exclusive. Complete sets do not change. Costs
 * the size of the result and the number of edges in the inventory. Returns 0,
 * or -1 with a diag if the inventory has no complete graph, or (without
 * EXPAND_KNOWN) lacks a vertex of rs or a resource in R_lite; then rs may only
 * be destroyed.
 */
int rset_expand_shorthand(struct rset *rs, struct rset *inventory,
                          unsigned flags, struct diag *d);

/* If only one of two graphs is complete, complete the other one from it.
   Returns 0, or -1 with a diag. */
int rset_expand_other(struct rset *a, struct rset *b, struct diag *d);

#endif /* COMPARE_EXPAND_H */
