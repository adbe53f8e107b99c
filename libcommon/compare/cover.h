/*
 * The part of a set that another set names: as a selection, which the ledger
 * can record or take back.
 */
#ifndef COMPARE_COVER_H
#define COMPARE_COVER_H

#include "model/change/select.h"

/*
 * Select in rs what `part` names, an R or a graph: its pools with as many
 * units, those that it says the job holds whole as held whole, with what it
 * lists of them; what it says is shared as shared. Runs of `part` may be
 * split. Returns 0 and a new selection; 1 with a diag that names what rs
 * does not have; -1 with a diag.
 */
int cover_select(struct rset *rs, struct rset *part, struct selection **out,
                 struct diag *d);

/*
 * From when to when that is; TIME_UNSET: not said. The times of rs itself,
 * which are in every R that is made of a part of it, say nothing.
 */
void cover_times(const struct rset *rs, const struct rset *part, double *start,
                 double *end);

#endif /* COMPARE_COVER_H */
