/* Inside diff: the comparison of pools and of jobs. */
#ifndef COMPARE_DIFF_PRIVATE_H
#define COMPARE_DIFF_PRIVATE_H

#include "compare/changes.h"
#include "model/records/usage.h"

/*
 * Add the changes of a vertex of one set that has a peer in the other: states,
 * records, sizes, properties, other metadata. As a `target` it is compared with
 * all vertices below it, and its place is its rank; otherwise alone, and its
 * place is its path. (vertex_diff.c)
 */
void compare_vertex(struct changes *out, const struct settled sets[2],
                    const struct vertex *v, bool target);

/*
 * Add a change for each job that started, ended, moved, grew or shrank, or has
 * another start or end, in the order of job_compare(). Both sets must have a
 * graph, or neither. Returns 0, or -1 with a diag. (job_diff.c)
 */
int compare_jobs(struct rset *a, struct rset *b, struct changes *out,
                 struct diag *d);

#endif /* COMPARE_DIFF_PRIVATE_H */
