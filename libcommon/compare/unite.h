/* Inside algebra: the union, which adds pools to a set. */
#ifndef COMPARE_UNITE_H
#define COMPARE_UNITE_H

#include "model/tree/rset.h"

/* Unite pools and records. This is rset_unite() without times and other
   keys. */
int unite_sets(struct rset *a, struct rset *const *others, size_t n,
               bool disjoint, size_t *at, struct diag *d);

/* --- records (unite_records.c) -------------------------------------------- */

/*
 * Add the records of b, a pool of another set (see its `lot`), to v, so that
 * the pool has the records of both. Records that exclude each other are a
 * conflict, and so are different states. The first conflict goes to the diag.
 */
void unite_records(struct rset *a, struct vertex *v, const struct vertex *b,
                   struct diag *d);

/*
 * Give v the larger of two sizes. It is a conflict, reported as above, if a job
 * holds the smaller pool whole with its contents: of the larger pool it would
 * hold a part.
 */
void unite_sizes(struct rset *a, struct vertex *v, const struct vertex *b,
                 struct diag *d);

/*
 * Check the records of a union (RFC 4): jobs have no more units than there are,
 * nothing that another job holds whole, and no part of an exclusive pool. Call
 * this before usage_gather(). Returns 0, or -1 with a diag that names the pool
 * and the jobs.
 */
int unite_check_records(struct rset *a, struct diag *d);

#endif /* COMPARE_UNITE_H */
