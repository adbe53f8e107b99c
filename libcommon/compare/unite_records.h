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
 * Has nobody more than there is, now that all is united, and none of what
 * another has whole? Call it before usage_gather(). -1 with a diag.
 */
int unite_check_records(struct rset *a, struct diag *d);

#endif /* COMPARE_UNITE_RECORDS_H */
