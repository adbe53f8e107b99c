/* Inside diff: finds jobs that started, ended, moved, grew or shrank, or have
   another start or end. */
#ifndef COMPARE_JOB_DIFF_H
#define COMPARE_JOB_DIFF_H

#include "compare/changes.h"

/* Add a change for each job that differs, in the order of job_compare(). Both
   sets must have a graph, or neither. Returns 0, or -1 with a diag. */
int compare_jobs(struct rset *a, struct rset *b, struct changes *out,
                 struct diag *d);

#endif /* COMPARE_JOB_DIFF_H */
