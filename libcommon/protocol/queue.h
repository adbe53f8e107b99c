/*
 * The queue of a scheduler: jobs that wait for resources, in the order in which
 * they are served. The largest priority comes first, then the earliest
 * submission, then the smallest id. Every operation costs the logarithm of the
 * length.
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
    char *queue;                 /* name, or NULL */
    char *told; /* the last reason sent to the job manager; NULL: none */
};

/* A queue of all zeros is empty and ready. */
struct queue {
    struct treap order;
    struct map ids; /* struct pending by id */
    size_t n;
};
void queue_fini(struct queue *q, struct jobspec_cache *cache);

/* Return the first job in order, or the job with this id; NULL if there is
   none. */
struct pending *queue_first(const struct queue *q);
struct pending *queue_find(const struct queue *q, int64_t id);

/*
 * Add a job, which the queue then owns. No job with its id may be in the queue.
 */
void queue_add(struct queue *q, struct pending *job);
/* Change the priority of a job. */
void queue_move(struct queue *q, struct pending *job, uint32_t priority);
/* Remove a job. The caller owns it again; end with pending_destroy(). */
void queue_remove(struct queue *q, struct pending *job);
void pending_destroy(struct pending *job, struct jobspec_cache *cache);

/* Return the next job in order, or NULL. */
struct pending *queue_next(const struct queue *q, const struct pending *job);

#endif /* PROTOCOL_QUEUE_H */
