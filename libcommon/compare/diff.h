/*
 * What differs between two resource sets, in meaning: the order of keys, how
 * ranks are grouped and how idsets are spelled do not matter.
 */
#ifndef COMPARE_DIFF_H
#define COMPARE_DIFF_H

#include "compare/changes.h"

/* What makes an execution target the same in both sets. */
enum identity {
    BY_RANK,
    BY_HOST,  /* each set must name every host once */
    BY_EITHER /* by host where both sets can, otherwise by rank */
};

/*
 * Find the changes that lead from a to b; runs of both may be cut. By host, the
 * ranks of b become those of a, and a host that had another rank is reported as
 * moved. If only one of the sets has a graph, they are compared by what R_lite
 * says, and a note in a says so. Returns 0 with the changes in order (none: the
 * sets are the same), or -1 with a diag.
 */
int rset_diff(struct rset *a, struct rset *b, enum identity by,
              struct changes *changes, struct diag *d);

/* The same of jobs alone: which of them started, ended, moved, grew or shrank,
   or have another start or end, in the order of job_compare(). */
int rset_diff_jobs(struct rset *a, struct rset *b, enum identity by,
                   struct changes *changes, struct diag *d);

#endif /* COMPARE_DIFF_H */
