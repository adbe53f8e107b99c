/*
 * The queues of a scheduler. Each job waits in the queue that its jobspec
 * names; jobs without a name form one queue. In a queue jobs are served by
 * priority, the largest first, then by the time of their submission, then by
 * id.
 *
 * A queue is a list of blocks of entries, in order. An entry has what a pass
 * over all jobs looks at, so that it does not touch the jobs themselves.
 * Finding a place costs a logarithm of the number of jobs, a change the size of
 * a block.
 */
#ifndef SCHEDULE_QUEUE_H
#define SCHEDULE_QUEUE_H

#include "base/map.h"
#include "model/records/records.h"
#include "schedule/queue_policy.h"
#include "request/jobspec_cache.h"

struct queue;
struct reservation;

struct pending {
    int64_t id, userid;
    uint32_t priority;
    double submitted;               /* seconds since the Epoch */
    double duration;                /* seconds; 0: unset */
    struct cached_request *request; /* NULL: not known yet */
    const char *name;             /* name of its queue, interned; NULL: none */
    struct queue *queue;          /* the queue it waits in */
    struct reservation *reserved; /* NULL: none (planner_hold.c) */
    bool fresh;                   /* it is new, or has risen in priority */
    bool noted;                   /* for the caller of the planner: its row in
                                     the store must be written */
    bool sent_reserved;           /* for the caller: it was told that it has a
                                     reservation */
    uint64_t timeless; /* the planner's `passes` when no time was possible for
                          it; 0: one was */
    /* Also for the caller: what was sent last. */
    char *sent_reason; /* for waiting; NULL: none yet */
    double estimate;   /* of its start; TIME_UNSET: none */
};

/* A job in a queue, with its request and its duration. */
struct queued {
    struct pending *job;
    const struct cached_request *request;
    double duration;
};

enum { QUEUE_BLOCK = 128 };
struct queue_block {
    size_t n;
    struct queued at[QUEUE_BLOCK];
};

/* A place in a queue: past the end if `block` is the number of blocks. */
struct queue_place {
    size_t block, i;
};

struct queue {
    struct queue_block **blocks; /* none is empty */
    size_t nblocks;
    struct queue_rule *rule; /* of `rules` */
    /* For the planner: the first job, if it was tried and has to wait, else -1;
       and the planner's `changes` at the last try. */
    int64_t blocked;
    uint64_t changes;
    /* Also for it: reservations of the jobs. In a pass: no more of them start;
       one of them keeps its reservation; the next one that is looked at, and
       the planner's `epoch` at which it was found. */
    bool closed;
    uint32_t reserved;
    bool has_reservation;
    struct queue_place next;
    uint64_t seen;
    struct pending *candidate; /* by which a heap has it */
};

/* Queues by the order of their candidates: list[0] has the first one. All zeros
   is an empty heap; free() the list. */
struct queue_heap {
    struct queue **list;
    size_t n;
};
void queue_heap_add(struct queue_heap *h, struct queue *q,
                    struct pending *candidate);
/* Give list[0] a later candidate; NULL: take it out. */
void queue_heap_next(struct queue_heap *h, struct pending *candidate);

/* Queues of all zeros are ready as soon as they have rules. */
struct queues {
    bool joined; /* all jobs wait in one queue, whatever they name */
    bool fcfs;   /* all rules are fcfs */
    struct queue_rules rules;
    struct queue **list;
    size_t nlist;
    struct map names; /* struct queue by name; "" for none */
    struct map texts; /* interned names */
    struct map ids;   /* struct pending by id */
    size_t n;         /* number of jobs */
};
void queues_fini(struct queues *q, struct jobspec_cache *cache);

/* Follow other rules, which are taken over, and let each job wait in the queue
   that they say. Without any, all queues are fcfs. */
void queues_follow(struct queues *q, struct queue_rules *rules);

/* Return the interned name of a queue. */
const char *queues_name(struct queues *q, const char *name);

/* Find a job by id; or NULL. */
struct pending *queues_find(const struct queues *q, int64_t id);

/* Add a job to the queue that it names. Takes the job over. No job of its id
   may be pending. */
void queues_add(struct queues *q, struct pending *job);
/* Change the priority of a job. */
void queues_move(struct pending *job, uint32_t priority);
/* Remove a job. The caller owns it; end with pending_destroy(). */
void queues_remove(struct queues *q, struct pending *job);
void pending_destroy(struct pending *job, struct jobspec_cache *cache);

/* The name of a job in the usage: the digits of its id. */
struct job_name {
    char text[JOB_DIGITS_MAX];
};
struct job_name job_name(int64_t id);

/* Return whether a job is served before another one. */
bool pending_before(const struct pending *a, const struct pending *b);

/* Return the first job of a queue, or the one after a job; NULL: none. */
struct pending *queue_first(const struct queue *q);
struct pending *queue_next(const struct pending *job);

/* Return the place of the first job that is not before another one. */
struct queue_place queue_find(const struct queue *q, const struct pending *job);

/* Return the entry at a place, and move the place on; NULL: past the end. */
const struct queued *queue_step(const struct queue *q,
                                struct queue_place *place);

#endif /* SCHEDULE_QUEUE_H */
