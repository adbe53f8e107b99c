/* Shared by the files that read traces (trace.h). */
#ifndef SOURCE_TRACE_PRIVATE_H
#define SOURCE_TRACE_PRIVATE_H

#include "source/trace.h"

/* A job is in 32 bits of cores, and ends within the calendar (time.h). */
enum { TRACE_CORES_MAX = INT32_MAX };

/* Add a job to a trace; or count it as skipped if it lacks something. Names may
   be any text, and are copied. Returns 0, or -1 with a diag if a number is
   beyond all bounds. */
int trace_add(struct trace *t, struct trace_job *job, struct diag *d);

/* Read the jobs of a document of flux or sacct (trace_jobs.c). */
int trace_read_json(struct trace *t, const char *text, size_t len,
                    enum trace_kind kind, struct diag *d);
/* Read the names of the columns, and then lines, of sacct --parsable2. */
struct trace_columns {
    int at[16]; /* column of each value that is used; -1: it is not there */
};
int trace_read_header(struct trace_columns *c, const char *line,
                      struct diag *d);
int trace_read_row(struct trace *t, const struct trace_columns *c,
                   const char *line, struct diag *d);

#endif /* SOURCE_TRACE_PRIVATE_H */
