/* A summary of the resources of a job, for tables. */
#ifndef VIEW_JOB_SUMMARY_H
#define VIEW_JOB_SUMMARY_H

#include "model/records/job_list.h"
#include "model/records/jobs.h"

/* Units of one type that a job has, and the first lot with them. */
struct job_units {
    const char *type;
    const struct lot *first;
    int64_t units;  /* recorded */
    int64_t inside; /* in pools of other types that the job holds whole */
};

struct job_summary {
    const char *job, *owner, *queue; /* NULL: none; of the set */
    double start, end;               /* TIME_UNSET: none */
    struct job_list awaited; /* ended jobs that still hold its resources */
    bool staged;
    int64_t nodes, cores, gpus; /* including those in pools held whole */
    struct idset *ranks;        /* the targets on which it holds anything */
    struct job_units *list;     /* in the order of the tree; none of a job that
                                   only shares */
    size_t n;
};

/*
 * Summarize a job at a time. Its grants at all times count, and memory, for
 * example, in what it holds whole; but not pools that only group others, such
 * as sockets, and not parts of cores and GPUs. Returns false if all its grants
 * are only listed (GRANT_LISTED). job_summary_fini() frees what is in it.
 */
bool job_summarize(struct job_summary *s, struct usage *u,
                   const struct job *job, double now);
void job_summary_fini(const struct job_summary *s);

/* Is a type counted in a member of its own: nodes, cores and GPUs? */
bool job_summary_counts(const char *type);

#endif /* VIEW_JOB_SUMMARY_H */
