/*
 * Inside algebra: who has what of a pool that two sets have, and in what state
 * it is. Both count in a union; where they can't both be so it is a conflict.
 */
#ifndef COMPARE_UNITE_RECORDS_H
#define COMPARE_UNITE_RECORDS_H

#include "model/tree/rset.h"

/*
 * What a set says of a pool (by its `lot`) is said of v, too. Two states that
 * differ are a fault: the first is told in the diag. Without one (NULL)
 * nothing is done.
 */
void unite_records(struct rset *a, struct vertex *v, const struct vertex *b,
                   struct diag *d);

/*
 * Give v the larger of the sizes that two sets say. A job that holds all of the
 * smaller one, with what is in it, would have a part: the first is a fault as
 * above.
 */
void unite_sizes(struct rset *a, struct vertex *v, const struct vertex *b,
                 struct diag *d);

/*
 * Check what jobs have now that all is united: not more than there is, nothing
 * of what another job has whole, and no part of what is exclusive (RFC 4). Call
 * it before usage_gather(). Returns -1 with a diag that names pool and jobs.
 */
int unite_check_records(struct rset *a, struct diag *d);

#endif /* COMPARE_UNITE_RECORDS_H */
