/* Inside algebra: the union of a graph and a set without one. */
#ifndef COMPARE_JOIN_H
#define COMPARE_JOIN_H

#include "model/tree/rset.h"

/* Bring into a graph what b, a set without one, has. -1 with a diag. */
int join_plain(struct rset *a, const struct rset *b, struct diag *d);

#endif /* COMPARE_JOIN_H */
