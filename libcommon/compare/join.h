/* Inside algebra: the union of a graph and a set without one. */
#ifndef COMPARE_JOIN_H
#define COMPARE_JOIN_H

#include "model/tree/rset.h"

/* Bring into a graph what a set without one has. Returns -1 with a diag. */
int join_plain(struct rset *graph, const struct rset *plain, struct diag *d);

#endif /* COMPARE_JOIN_H */
