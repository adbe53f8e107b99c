/*
 * Traces: lists of jobs that have run, with their submissions, sizes and times.
 * They are read from
 *
 *     swf      the Standard Workload Format: a line of 18 numbers for each job
 *     flux     flux jobs -a --json
 *     sacct    sacct --json, or sacct --parsable2 with the names of its columns
 *
 * and may be compressed by gzip.
 */
#ifndef SOURCE_TRACE_H
#define SOURCE_TRACE_H

#include <stdint.h>

#include "base/diag.h"
#include "base/map.h"

struct trace_job {
    const char *name;         /* as the trace has it */
    double submitted, run;    /* seconds since the Epoch; seconds */
    double limit;             /* the duration that it asked for; 0: none */
    uint32_t cores, nodes;    /* 0: not known */
    const char *owner;        /* these are interned; NULL: not known */
    const char *queue, *part; /* queue, or partition */
    size_t place;             /* in the trace, from 0 */
};

/* Why a record is no job to replay. */
enum trace_skip {
    TRACE_INCOMPLETE, /* it lacks a submission, a run time or a size */
    TRACE_UNFINISHED, /* it has not run, or has not ended */
    TRACE_PART,       /* it is a part of a job that has a record of its own */
    TRACE_SKIPS
};

/* Jobs in the order of their submission, those of one time in the order of the
   trace. */
struct trace {
    struct trace_job *jobs;
    size_t n, skipped[TRACE_SKIPS];
    struct map words; /* of the names */
};

enum trace_kind { TRACE_ANY, TRACE_SWF, TRACE_FLUX, TRACE_SACCT, TRACE_KINDS };

/* Return the kind with a name: swf, flux or sacct; TRACE_KINDS with a diag if
   there is none. */
enum trace_kind trace_kind_of(const char *name, struct diag *d);

/* Read a trace from a file ("-": standard input). TRACE_ANY: the contents say
   which kind it is. Returns 0, or -1 with a diag; then there is nothing to
   free. */
int trace_read(struct trace *t, const char *path, enum trace_kind kind,
               struct diag *d);
void trace_fini(struct trace *t);

#endif /* SOURCE_TRACE_H */
