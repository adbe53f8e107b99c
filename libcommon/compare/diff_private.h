/* Inside diff: the comparison of pools and of jobs. */
#ifndef COMPARE_DIFF_PRIVATE_H
#define COMPARE_DIFF_PRIVATE_H

#include "compare/changes.h"
#include "model/records/usage.h"

/*
 * Add the changes of vertices: which are gone or new, and of those that have a
 * peer states, records, sizes, properties, other metadata. compare_target()
 * compares a target that has a peer and all vertices below it; their place is
 * its rank. compare_trees() compares two lists of siblings and all vertices
 * below them, except targets; their place is their path. (vertex_diff.c)
 */
void compare_target(struct changes *out, const struct settled sets[2],
                    const struct vertex *v);
void compare_trees(struct changes *out, const struct settled sets[2],
                   const struct vertex *a, const struct vertex *b);

/*
 * Add a change for each job that started, ended, moved, grew or shrank, or has
 * another start or end, in the order of job_compare(). Both sets must have a
 * graph, or neither. Returns 0, or -1 with a diag. (job_diff.c)
 */
int compare_jobs(struct rset *a, struct rset *b, struct changes *out,
                 struct diag *d);

#endif /* COMPARE_DIFF_PRIVATE_H */
