/* Inside algebra: the union, which brings pools into a set. */
#ifndef COMPARE_UNITE_H
#define COMPARE_UNITE_H

#include "model/tree/rset.h"

/* The sets and their records alone of rset_unite(). */
int unite_sets(struct rset *a, struct rset *const *others, size_t n,
               bool disjoint, size_t *at, struct diag *d);

/*
 * Ranks and hosts alone: all come to the first, those of the others change.
 * -1 with a diag, and in *at the number of the set at fault.
 */
int unite_hosts(struct rset *const *sets, size_t n, size_t *at, struct diag *d);

/*
 * Targets of sets without graphs alone, with their records, as rset_unite()
 * does; without records if `d` is NULL. Cuts runs of all of them.
 */
int unite_targets(struct rset *const *sets, size_t n, bool disjoint, size_t *at,
                  struct diag *d);

#endif /* COMPARE_UNITE_H */
