/* Inside algebra: the union, which brings pools into a set. */
#ifndef COMPARE_UNITE_H
#define COMPARE_UNITE_H

#include "model/tree/rset.h"

/* Unite pools and records: rset_unite() without times and what is carried. */
int unite_sets(struct rset *a, struct rset *const *others, size_t n,
               bool disjoint, size_t *at, struct diag *d);

/*
 * Unite ranks and hosts only, in the first set; those of the others change.
 * Returns -1 with a diag, and the number of the set at fault in *at.
 */
int unite_hosts(struct rset *const *sets, size_t n, size_t *at, struct diag *d);

/*
 * Unite targets only, of sets without graphs, with their records (unless d is
 * NULL). Cuts runs of all sets.
 */
int unite_targets(struct rset *const *sets, size_t n, bool disjoint, size_t *at,
                  struct diag *d);

#endif /* COMPARE_UNITE_H */
