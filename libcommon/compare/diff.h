/* The differences in meaning between two resource sets. The order of keys, the
   grouping of ranks and the spelling of idsets don't matter. */
#ifndef COMPARE_DIFF_H
#define COMPARE_DIFF_H

#include "compare/changes.h"

/* How to find the same execution target in both sets. */
enum identity {
    BY_RANK,
    BY_HOST,  /* each set must name each host once */
    BY_EITHER /* by host if both sets allow it, otherwise by rank */
};

/*
 * Find the changes that lead from a to b; with `jobs` only those of jobs
 * (job_diff.c). Runs of both may be cut. By host, the ranks of b become those
 * of a, and a host that had another rank is reported as moved. If only one of
 * the sets has a graph, their R_lite is compared, and a note in a says so.
 * Returns 0 with the changes in order (none: the sets are equal), or -1 with a
 * diag.
 */
int rset_diff(struct rset *a, struct rset *b, enum identity by, bool jobs,
              struct changes *changes, struct diag *d);

#endif /* COMPARE_DIFF_H */
