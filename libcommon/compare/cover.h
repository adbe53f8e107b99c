/* Cover: select the part of a set that another set lists, for the ledger to
   record or release. */
#ifndef COMPARE_COVER_H
#define COMPARE_COVER_H

#include "model/change/select.h"

/*
 * Select in rs the pools that `part`, an R or a graph, lists, with their units.
 * Pools that the job holds whole or shares in `part` are marked so in the
 * selection. Runs of `part` may be split, and a shorthand graph is completed
 * from rs. Returns 0 and a new selection; 1 with a diag that names a pool that
 * is not in rs; or -1 with a diag.
 */
int cover_select(struct rset *rs, struct rset *part, struct selection **out,
                 struct diag *d);

/* Select what rs has of `part`, as cover_select() does. Ranks of the same hosts
   may differ; `part` gets those of rs. If anything was left out, *lacks is a
   new string that names the first such thing; else NULL. Returns a new
   selection, or NULL if `part` does not fit rs at all. */
struct selection *cover_known(struct rset *rs, struct rset *part, char **lacks);

/* Give the hosts of `part` their ranks in rs, and other hosts ranks above.
   Returns 0; 1 with a diag if a rank had another host in rs; or -1 with a diag
   if two hosts have one name, and `part` is as it was. */
int cover_adopt(struct rset *rs, struct rset *part, struct diag *d);

/* Get the times of `part`. They are TIME_UNSET if there are none, or if they
   equal the times of rs: each R made from a part of rs has these. */
void cover_times(const struct rset *rs, const struct rset *part, double *start,
                 double *end);

#endif /* COMPARE_COVER_H */
