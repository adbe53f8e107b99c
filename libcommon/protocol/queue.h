/*
 * The queue of a scheduler: jobs that wait, in the order in which they are
 * served: by priority, the largest first, then by the time of their submission,
 * then by id. All of it costs a logarithm of how many there are.
 */
#ifndef PROTOCOL_QUEUE_H
#define PROTOCOL_QUEUE_H

#include "base/map.h"
#include "base/treap.h"
#include "request/jobspec_cache.h"

struct pending {
    struct treap_node node;
    int64_t id, userid;
    uint32_t priority;
    double submitted;            /* seconds since the Epoch */
    double duration;             /* seconds; 0: unset */
    struct cached_request *asks; /* NULL: not known yet */
    char *queue;                 /* by name; NULL: none */
    char *told; /* why it waits, as the job manager knows; NULL: not said yet */
};

/* A queue of all zeros is empty and ready. */
struct queue {
    struct treap order;
    struct map ids; /* a job by its id */
    size_t n;
};
void queue_fini(struct queue *q, struct jobspec_cache *cache);

/* The first in order, or the one of an id; NULL: there is none. */
struct pending *queue_first(const struct queue *q);
struct pending *queue_find(const struct queue *q, int64_t id);

/* It is taken over; no job of its id may be in the queue. */
void queue_add(struct queue *q, struct pending *job);
/* It has another priority. */
void queue_move(struct queue *q, struct pending *job, uint32_t priority);
/* It is in the queue no more: for pending_destroy(). */
void queue_remove(struct queue *q, struct pending *job);
void pending_destroy(struct pending *job, struct jobspec_cache *cache);

/* The one that follows in order; NULL: none. */
struct pending *queue_next(const struct queue *q, const struct pending *job);

#endif /* PROTOCOL_QUEUE_H */
