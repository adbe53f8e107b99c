/*
 * A planner decides which pending jobs start now, and which get reservations,
 * by the policies of their queues. It knows jobs, requests, times and a usage,
 * and nothing of messages. The caller changes the usage, says so, and then asks
 * for a pass; the planner calls the functions of its options.
 *
 *     struct planner *p = planner_create(&options);
 *
 *     planner_renew(p, u, NULL);
 *     planner_add(p, job);
 *     while (planner_pass(p))
 *         ;
 *     planner_destroy(p);
 *
 * Between passes reservations are in the usage: call planner_unhold() before
 * anything else looks at it.
 *
 * After a pass that returns false the next one would change nothing: every
 * reservation has the earliest time that is possible beside those before it, in
 * the order of the queue, and no waiting job could start without delaying one.
 *
 * Limits: a job without an end gives nothing to reservations; resources outside
 * of nodes are found by searches, not by sums over time.
 */
#ifndef SCHEDULE_PLANNER_H
#define SCHEDULE_PLANNER_H

#include "schedule/match.h"
#include "schedule/queue.h"

struct planner;

struct planner_options {
    struct queues *queues;           /* borrowed, like `how` */
    const struct match_options *how; /* how requests are matched, and the time
                                        now, which stays while a function of
                                        the planner runs */
    uint32_t depth;     /* reservations of rules without a depth; 0: 64 */
    uint32_t burst;     /* jobs that a pass starts or denies; 0: no limit */
    uint32_t estimates; /* jobs of each queue that get estimates under fcfs */
    double slack;       /* seconds by which a late job may delay any
                           reservation, in sum */
    /* Start a job with the resources of a plan, or deny it; and remove it. */
    void (*start)(void *arg, struct pending *job, const struct selection *plan);
    void (*deny)(void *arg, struct pending *job, const char *why);
    /* A job has to wait. NULL: it is behind others in its queue. */
    void (*waits)(void *arg, struct pending *job, const char *why);
    /* A job has got a reservation for a time, or another time; or has none any
       more (TIME_UNSET). */
    void (*reserved)(void *arg, struct pending *job, double at);
    /* A job will start at a time, as far as is known when a pass has ended;
       TIME_UNSET: it is not known any more. */
    void (*estimate)(void *arg, struct pending *job, double at);
    bool (*stopped)(void); /* should the pass end early? NULL: never */
    void *arg;
};

/* Create a planner without resources. The options are copied. */
struct planner *planner_create(const struct planner_options *options);
void planner_destroy(struct planner *p);
/* Follow other numbers in the options, and other rules of the queues, which are
   taken over. All reservations are dropped. */
void planner_configure(struct planner *p, const struct planner_options *options,
                       struct queue_rules *rules);

/* Plan with these resources from now on, without the ranks that are gone. Both
   are borrowed. */
void planner_renew(struct planner *p, struct usage *u,
                   const struct idset *gone);
/* The resources will change: reservations keep their times, as far as possible,
   and get other units. */
void planner_lose_places(struct planner *p);
/* Are there reservations of the site, which are jobs without a number? Then a
   reason to wait names those that are in the way. */
void planner_windows(struct planner *p, bool any);

/* Add a job to the queue that it names; the queues take it over. Change its
   priority. Remove it: then the caller owns it. */
void planner_add(struct planner *p, struct pending *job);
void planner_move(struct planner *p, struct pending *job, uint32_t priority);
void planner_remove(struct planner *p, struct pending *job);
/* A job that will be added waited before the planner was made, with a priority,
   and was promised a time (TIME_UNSET: none). */
void planner_waited(struct planner *p, int64_t id, uint32_t priority,
                    double at);

/* Something came free, or reservations may move, and the reasons for waiting
   may be others. */
void planner_freed(struct planner *p);

/* Start jobs and give reservations; then report reasons and estimates. Returns
   true if the burst ended before all jobs were looked at. */
bool planner_pass(struct planner *p);

/* Return why a request can never be satisfied, until it is dropped; NULL: it
   may be. */
const char *planner_never(struct planner *p, struct cached_request *k);

/* Return the end of a job that starts at a time. Without a duration it may run
   until the resources expire (RFC 14, duration). */
double planner_end(const struct planner *p, const struct pending *job,
                   double start);

/* Take reservations out of the usage, until the next pass. planner_unclaim()
   takes out those that a store would write. */
void planner_unhold(struct planner *p);
void planner_unclaim(struct planner *p);

#endif /* SCHEDULE_PLANNER_H */
