/*
 * Replays a trace of jobs with rset-alloc serve, whose clock follows the trace,
 * so that a month takes seconds.
 *
 *     trace.c     read a trace
 *     main.c      options, and the replay
 *     result.c    write the schedule and its figures
 *     generate.c  a program of its own that makes a trace
 *
 * The lines to the service and from it are those of ../manager/child.c.
 */
#ifndef TEST_REPLAY_H
#define TEST_REPLAY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Fields of a record in the Standard Workload Format. Times are in seconds, and
   -1 means that a value is not known. */
enum field {
    JOB,
    SUBMIT,
    WAIT,
    RUN,
    USED_PROCESSORS,
    USED_CPU,
    USED_MEMORY,
    PROCESSORS, /* requested */
    TIME,       /* requested */
    MEMORY,     /* requested */
    STATUS,     /* 2 to 4: the record is a part of another one */
    USER,
    GROUP,
    EXECUTABLE,
    QUEUE,
    PARTITION,
    BEFORE, /* the job that this one follows */
    THINK,  /* the time between them */
    FIELDS
};

struct job {
    double field[FIELDS]; /* as read, except for both PROCESSORS, which are the
                             same, and WAIT, if the job has started */
    double duration;      /* that the job asks for */
    unsigned long line;
    bool started;
};

/* The jobs to replay, in the order of their submission, and the number of
   records that were skipped. */
struct trace {
    struct job *job;
    size_t n;
    size_t larger;     /* than the machine */
    size_t incomplete; /* no job number, submission, run time or processors */
    size_t parts;      /* of jobs that have a record for the whole */
};

/* Read a trace. Skips jobs with more than `processors`. A line that is not a
   record ends the program with status 2. */
void trace_read(struct trace *t, const char *path, double processors);

/* Return the job with this number; NULL: there is none. */
struct job *trace_find(const struct trace *t, double number);

static inline double job_start(const struct job *j)
{
    return j->field[SUBMIT] + j->field[WAIT];
}

static inline double job_end(const struct job *j)
{
    return job_start(j) + j->field[RUN];
}

struct machine {
    long nodes, cores; /* cores of each node */
    const char *policy;
};

/* Write the jobs as a trace, with their waits. */
void result_trace(const struct trace *t, FILE *fp);
/* Write the figures as a table, or as JSON. */
void result_table(const struct trace *t, const struct machine *m, FILE *fp);
void result_json(const struct trace *t, const struct machine *m, FILE *fp);

/* Print a message, and exit with status 2. */
void die(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

#endif /* TEST_REPLAY_H */
