/* Inside algebra: the union, which adds pools to a set. */
#ifndef COMPARE_UNITE_H
#define COMPARE_UNITE_H

#include "model/tree/rset.h"

/* Unite pools and records. This is rset_unite() without times and other
   keys. */
int unite_sets(struct rset *a, struct rset *const *others, size_t n,
               bool disjoint, size_t *at, struct diag *d);

/* Unite only ranks and hosts, in the first set. Changes the other sets, too.
   Returns 0, or -1 with a diag and the index of the set at fault in *at. */
int unite_hosts(struct rset *const *sets, size_t n, size_t *at, struct diag *d);

/*
 * Add the targets of b to a, without records. Both have no graph and are
 * aligned. A target goes into its peer, unless everything in the peer was
 * dropped.
 */
void unite_peers(struct rset *a, struct rset *b);

#endif /* COMPARE_UNITE_H */
