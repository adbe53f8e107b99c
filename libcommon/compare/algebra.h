/*
 * Algebra on resource sets: union, intersection, difference.
 *
 * The first set becomes the result, and keeps its form. If only one of the sets
 * has a graph, the other one counts as what R_lite says: ranks, and ids of
 * types below them.
 *
 *   pools       by identity (see align.h); of a pool in both sets: union
 *               has the larger size, intersect the smaller, subtract what
 *               is left of the first
 *   records,    of the first set; union has those of both, and fails if they
 *   states      contradict each other
 *   properties  of the first; union adds the second's
 *   times       subtract: the first set's; otherwise kept if equal in both
 *   attributes  of the first set, and so is all else that is carried
 *
 * A rank that has different hosts in both sets is an error.
 */
#ifndef COMPARE_ALGEBRA_H
#define COMPARE_ALGEBRA_H

#include "model/tree/rset.h"

/*
 * Change a into the result. Returns 0, or -1 with a diag. After that only
 * rset_destroy() may be called for b, and after a failure for a.
 */
int rset_union(struct rset *a, struct rset *b, struct diag *d);
int rset_intersect(struct rset *a, struct rset *b, struct diag *d);
int rset_subtract(struct rset *a, struct rset *b, struct diag *d);

/* What is in exactly one of both: (a - b) and (b - a) united. */
int rset_xor(struct rset *a, struct rset *b, struct diag *d);

/*
 * Unite a with n other sets. This costs about as much as reading them. With
 * `disjoint`, sets that have a pool in common are an error. Returns 0, or -1
 * with a diag; *at is then the number of the set at fault among the others, n
 * if it is not known. Afterwards the other sets may only be destroyed.
 */
int rset_unite(struct rset *a, struct rset *const *others, size_t n,
               bool disjoint, size_t *at, struct diag *d);

#endif /* COMPARE_ALGEBRA_H */
