/*
 * Inside algebra: the records of a pool that two sets have, in their union. The
 * pool gets the records of both. Records that exclude each other are a
 * conflict.
 */
#ifndef COMPARE_UNITE_RECORDS_H
#define COMPARE_UNITE_RECORDS_H

#include "model/tree/rset.h"

/*
 * Add the records of b, a pool of another set (see its `lot`), to those of v.
 * The first pair of different states is reported in the diag. Does nothing if d
 * is NULL.
 */
void unite_records(struct rset *a, struct vertex *v, const struct vertex *b,
                   struct diag *d);

/*
 * Give v the larger one of two sizes. It is a fault, reported as above, if a
 * job holds all of the smaller pool and what is in it: it would hold a part.
 */
void unite_sizes(struct rset *a, struct vertex *v, const struct vertex *b,
                 struct diag *d);

/*
 * Check the records of a union: jobs have no more than there is, nothing that
 * another job holds whole, and no part of an exclusive pool (RFC 4). Call it
 * before usage_gather(). Returns 0, or -1 with a diag that names pool and jobs.
 */
int unite_check_records(struct rset *a, struct diag *d);

#endif /* COMPARE_UNITE_RECORDS_H */
