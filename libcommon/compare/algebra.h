/*
 * Algebra on resource sets: union, intersection, difference.
 *
 * The first set is changed into the result, so it has the first set's form.
 * If it has a graph and the other has none, the other speaks of what R_lite
 * can: ranks, and ids of types below them; if only the other has a graph,
 * what its R_lite would say of it is taken.
 *
 *   pools       by identity (see align.h); of a pool in both sets: union
 *               has the larger size, intersect the smaller, subtract what
 *               is left of the first
 *   records,    of the first set; union has those of both, which have to go
 *   states      together
 *   properties  of the first; union adds the second's
 *   times       subtract: the first set's; otherwise kept if equal in both
 *   attributes  of the first set, as all else that is carried
 *
 * A rank that has different hosts in both sets is an error.
 */
#ifndef COMPARE_ALGEBRA_H
#define COMPARE_ALGEBRA_H

#include "model/tree/rset.h"

/*
 * Change a into the result; b is of no use any more. Returns 0, or -1 with a
 * diag; then a is of no use any more, either.
 */
int rset_union(struct rset *a, struct rset *b, struct diag *d);
int rset_intersect(struct rset *a, struct rset *b, struct diag *d);
int rset_subtract(struct rset *a, struct rset *b, struct diag *d);

/* What is in exactly one of both: (a - b) and (b - a) united. */
int rset_xor(struct rset *a, struct rset *b, struct diag *d);

/*
 * Unite a with n other sets, one after the other; these are of no use any
 * more. The cost is that of reading them. With `disjoint`, sets that have a
 * pool in common are refused: -1 with a diag that names the first. *at is
 * then the number of the set at fault among the others, n if not known.
 */
int rset_unite(struct rset *a, struct rset *const *others, size_t n,
               bool disjoint, size_t *at, struct diag *d);

#endif /* COMPARE_ALGEBRA_H */
