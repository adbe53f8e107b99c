/*
 * Simulates a scheduler (protocol/scheduler.h) that gets the jobs of a trace
 * (source/trace.h). Its clock goes from event to event: a submission, or the
 * end of a job. What happens at one time is one moment: ends, then submissions,
 * then a look at the queues.
 */
#ifndef RSET_ALLOC_SIMULATE_H
#define RSET_ALLOC_SIMULATE_H

#include "base/treap.h"
#include "protocol/scheduler.h"
#include "source/trace.h"

/* How jobs become requests. */
enum job_shape {
    AS_TRACE, /* slots if the trace has cores, otherwise nodes */
    AS_NODES, /* whole nodes */
    AS_SLOTS  /* slots of one core */
};

/* The queue of jobs, and the resources that they may use. */
struct queue_bounds {
    const char *name, *constraint; /* RFC 31, as JSON text */
};

struct simulation {
    char *policy; /* rules of queues (schedule/queue_policy.h), owned */
    /* set by the caller, and borrowed: */
    const struct trace *trace;
    struct rset *machine;
    struct scheduler_options options; /* its semantics, depth and slack */
    enum job_shape shape;
    const struct queue_bounds *bounds;
    size_t nbounds;
    bool saves;            /* make `saved` */
    bool (*stopped)(void); /* should it end early? */

    /* the result: */
    struct outcome {
        struct treap_node node; /* first; while the job runs: by end */
        double start;           /* below 0: the job has not started */
        double end;
        uint32_t nodes, cores;
        bool denied; /* no part of the machine is large enough */
    } * jobs;        /* of each job of the trace */
    size_t ended, ndenied;
    double now, first;
    uint64_t capacity; /* cores that are up */
    double used, lost; /* core-seconds: of jobs; idle while a job waited */
    struct sample {
        double time;
        uint64_t busy; /* cores */
        size_t waiting;
    } * samples; /* the state from each moment on */
    size_t nsamples;
    struct rset *saved; /* the machine with the jobs, at the times of their
                           runs */
};

/* Run it. Returns 0, or -1 with a diag. */
int simulate(struct simulation *s, struct diag *d);
void simulation_fini(struct simulation *s);

static inline double job_wait(const struct simulation *s, size_t i)
{
    return s->jobs[i].start - s->trace->jobs[i].submitted;
}

#endif /* RSET_ALLOC_SIMULATE_H */
