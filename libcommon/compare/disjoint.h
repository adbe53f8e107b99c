/* Inside algebra: have sets a pool in common? */
#ifndef COMPARE_DISJOINT_H
#define COMPARE_DISJOINT_H

#include "model/tree/rset.h"

/*
 * Refuse sets without graphs of which two have a pool in common: -1 with a
 * diag that names the first, and in *at the number of the second set.
 */
int disjoint_check_plain(struct rset *const *sets, size_t n, size_t *at,
                         struct diag *d);

/* The same of a graph whose pools have their peers in another one. */
int disjoint_check_peers(const struct rset *rs, struct diag *d);

#endif /* COMPARE_DISJOINT_H */
