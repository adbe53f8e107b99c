/*
 * Figures of a schedule, as the field defines them.
 *
 *     wait          start - submission
 *     turnaround    end - submission
 *     slowdown      max(1, turnaround / max(run, bound)): the bounded slowdown
 *                   (Feitelson, Rudolph 1998), usually with 10 seconds
 *     makespan      last end - first submission
 *     utilisation   core-seconds of jobs / (cores * makespan)
 *     loss          core-seconds that were idle while any job waited /
 *                   (cores * makespan): the loss of capacity (Zhang, Franke,
 *                   Moreira, Sivasubramaniam 2000)
 */
#ifndef RSET_ALLOC_FIGURES_H
#define RSET_ALLOC_FIGURES_H

#include <stdio.h>

#include "simulate.h"

enum { SLOWDOWN_BOUND = 10 }; /* seconds, the usual bound */

/* How a value is spread over jobs. 95 of 100 jobs have at most p95. */
struct spread {
    double mean, median, p95, most;
};

struct figures {
    size_t jobs; /* that have ended */
    double makespan, utilisation, loss;
    struct spread wait, turnaround, slowdown;
};

/* Return the slowdown of a job that has started. */
double slowdown_of(const struct simulation *s, size_t job, double bound);

/* Return the figures of all jobs. */
struct figures figures_of(const struct simulation *s, double bound);

/* What the jobs of a group have in common. */
enum group_key {
    GROUP_NONE,
    GROUP_QUEUE, /* or partition */
    GROUP_OWNER,
    GROUP_SIZE, /* cores, in powers of two */
    GROUP_DAY,  /* of the submission, by TZ */
    GROUP_KEYS
};
/* Return the key with a name; GROUP_KEYS with a diag if there is none. */
enum group_key group_key_of(const char *name, struct diag *d);
extern const char *const group_key_names[];

/* Call `next` with the figures of each group of jobs, in the order of their
   names or sizes. Makespan and loss are those of all. */
typedef void group_fn(const char *name, const struct figures *f, void *arg);
void groups_each(const struct simulation *s, enum group_key key, double bound,
                 group_fn *next, void *arg);

/* Draw the utilisation and the number of jobs that wait over time, one above
   the other, a line for each simulation (curves.c). */
void draw_runs(const struct simulation *runs, size_t n, FILE *fp);

#endif /* RSET_ALLOC_FIGURES_H */
