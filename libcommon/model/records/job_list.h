/*
 * Lists of jobs: added in any order, then sorted by name without repetitions.
 *
 *     struct job_list jobs = {0};
 *
 *     job_list_add(&jobs, job);
 *     job_list_sort(&jobs);
 *     job_list_print(&jobs, SIZE_MAX, fp);     101-103,200
 *     free(jobs.list);
 */
#ifndef MODEL_RECORDS_JOB_LIST_H
#define MODEL_RECORDS_JOB_LIST_H

#include <stdio.h>

#include "model/records/jobs.h"

/* Titles and trees fold the numbers of more jobs than this: 101-180,200. A cell
   of a table shows at most this number of names and ranges. */
enum { JOB_LIST_FEW = 8 };

struct job_list {
    struct job **list;
    size_t n;
};
void job_list_add(struct job_list *to, struct job *job);
void job_list_sort(struct job_list *jobs);

/* Return the jobs that share a pool or hold anything in it (RFC 4, shared), in
   the order of documents. Costs a walk over the grants in it. */
struct job_list lot_sharers(struct usage *u, struct lot *lot);

/* Write the names of jobs with commas, many jobs like job_list_fold(). */
void job_list_print(const struct job_list *jobs, size_t most, FILE *fp);

/* Write the numbers of jobs as ranges, then the other names: at most `most`
   ranges and names. Then write how many jobs are left out: 1-40,77,x,+1200. */
void job_list_fold(const struct job_list *jobs, size_t most, FILE *fp);

#endif /* MODEL_RECORDS_JOB_LIST_H */
