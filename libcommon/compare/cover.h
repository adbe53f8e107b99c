/*
 * Cover: select the part of a set that another set lists, so that the ledger
 * can record or release it.
 */
#ifndef COMPARE_COVER_H
#define COMPARE_COVER_H

#include "model/change/select.h"

/*
 * Select in rs the pools that `part`, an R or a graph, lists, each with its
 * units. Pools that the job holds whole or shares by `part` are selected so.
 * Runs of `part` may be split. Returns 0 and a new selection; 1 with a diag
 * that names what rs does not have; -1 with a diag.
 */
int cover_select(struct rset *rs, struct rset *part, struct selection **out,
                 struct diag *d);

/*
 * Get the times of `part`; TIME_UNSET if there are none, or if they are those
 * of rs, which every R made of a part of rs has.
 */
void cover_times(const struct rset *rs, const struct rset *part, double *start,
                 double *end);

#endif /* COMPARE_COVER_H */
