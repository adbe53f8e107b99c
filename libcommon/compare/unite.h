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
 * Bring the targets of b into a, without records. Neither has a graph, and they
 * were aligned: a target goes to its peer, unless all in the peer was dropped.
 */
void unite_peers(struct rset *a, struct rset *b);

#endif /* COMPARE_UNITE_H */
