/* Inside algebra: the union, which brings pools into a set. */
#ifndef COMPARE_UNITE_H
#define COMPARE_UNITE_H

#include "model/rset.h"

/*
 * Bring into a what only b has. If only one has a graph it must be a.
 * Returns -1 with a diag.
 */
int algebra_unite(struct rset *a, struct rset *b, struct diag *d);

/* The same of two sets without graphs that are aligned as it is. */
int algebra_unite_aligned(struct rset *a, struct rset *b, struct diag *d);

#endif /* COMPARE_UNITE_H */
