/*
 * Algebra on resource sets: union, intersection, difference.
 *
 * The first set becomes the result and keeps its form. If only one of the sets
 * has a graph, only the R_lite of the other counts: ranks, and ids of types
 * below them.
 *
 *     pools       by identity (see align.h); for a pool in both sets, union
 *                 takes the larger size, intersect the smaller, and subtract
 *                 the rest of the first
 *     records,    of the first set; union adds the second's, and fails if they
 *     states      contradict each other
 *     properties  of the first set; union adds the second's
 *     times       subtract: of the first set; otherwise kept if equal in both
 *     attributes  of the first set, and so are all other keys
 *
 * A rank with different hosts in the two sets is an error.
 */
#ifndef COMPARE_ALGEBRA_H
#define COMPARE_ALGEBRA_H

#include "model/tree/rset.h"

/* Change a into the result. Returns 0, or -1 with a diag. Afterwards only
   rset_destroy() may be called for b, and after a failure also for a. */
int rset_union(struct rset *a, struct rset *b, struct diag *d);
int rset_intersect(struct rset *a, struct rset *b, struct diag *d);
int rset_subtract(struct rset *a, struct rset *b, struct diag *d);

/* Change a into the pools that are in exactly one set: (a - b) united with (b -
   a). Otherwise like rset_union(). */
int rset_xor(struct rset *a, struct rset *b, struct diag *d);

/*
 * Unite a with n other sets. Costs about as much as reading them. With
 * `disjoint`, sets that have a pool in common are an error. Returns 0, or -1
 * with a diag and the index of the other set at fault in *at (n: not known).
 * Afterwards the other sets may only be destroyed.
 */
int rset_unite(struct rset *a, struct rset *const *others, size_t n,
               bool disjoint, size_t *at, struct diag *d);

#endif /* COMPARE_ALGEBRA_H */
