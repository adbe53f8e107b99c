/* Inside algebra: the union, which brings pools into a set. */
#ifndef COMPARE_UNITE_H
#define COMPARE_UNITE_H

#include "model/tree/rset.h"

/*
 * Bring into the first of n sets, which all have graphs or none has, what
 * the others have, one after the other; these are of no use any more. With
 * `disjoint` they may have nothing in common. Returns -1 with a diag, and in
 * *at the number of the set at fault; 0: it is not known.
 */
int unite_alike(struct rset *const *sets, size_t n, bool disjoint, size_t *at,
                struct diag *d);

/* Ranks and hosts alone: all come to the first, those of the others change. */
int unite_hosts(struct rset *const *sets, size_t n, size_t *at, struct diag *d);

#endif /* COMPARE_UNITE_H */
