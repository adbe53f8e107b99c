/* Inside algebra: the union, which adds pools to a set. */
#ifndef COMPARE_UNITE_H
#define COMPARE_UNITE_H

#include "model/tree/rset.h"

/* Unite pools and records. This is rset_unite() without times and other
   keys. */
int unite_sets(struct rset *a, struct rset *const *others, size_t n,
               bool disjoint, size_t *at, struct diag *d);

#endif /* COMPARE_UNITE_H */
