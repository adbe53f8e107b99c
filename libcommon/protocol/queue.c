/* The queue as a treap by order and a map by id (queue.h). */
#include "protocol/queue.h"

#include <stdlib.h>

/* --- order -------------------------------------------------------------- */

static struct pending *of_node(const struct treap_node *node)
{
    return (struct pending *)node; /* its first member */
}

static int compare(const struct treap *t, const struct treap_node *x,
                   const struct treap_node *y)
{
    const struct pending *a = of_node(x), *b = of_node(y);

    (void)t;
    if (a->priority != b->priority)
        return a->priority > b->priority ? -1 : 1;
    if (a->submitted != b->submitted)
        return a->submitted < b->submitted ? -1 : 1;
    return a->id < b->id ? -1 : 1;
}

static const struct treap_rules rules = {.compare = compare};

struct pending *queue_first(const struct queue *q)
{
    const struct treap_node *node = q->order.root;

    while (node && node->left)
        node = node->left;
    return node ? of_node(node) : NULL;
}

struct pending *queue_next(const struct queue *q, const struct pending *job)
{
    const struct treap_node *node = q->order.root, *after = NULL;

    while (node)
        if (node != &job->node && compare(&q->order, &job->node, node) < 0) {
            after = node;
            node = node->left;
        } else {
            node = node->right;
        }
    return after ? of_node(after) : NULL;
}

/* --- adding and removing -------------------------------------------------- */

struct pending *queue_find(const struct queue *q, int64_t id)
{
    return map_get(&q->ids, &id, sizeof(id));
}

void queue_add(struct queue *q, struct pending *job)
{
    q->order.rules = &rules;
    q->n++;
    map_at(&q->ids, &job->id, sizeof(job->id))->value.pointer = job;
    treap_insert(&q->order, &job->node);
}

void queue_move(struct queue *q, struct pending *job, uint32_t priority)
{
    treap_remove(&q->order, &job->node);
    job->priority = priority;
    treap_insert(&q->order, &job->node);
}

void queue_remove(struct queue *q, struct pending *job)
{
    map_forget(&q->ids, &job->id, sizeof(job->id));
    treap_remove(&q->order, &job->node);
    q->n--;
}

void pending_destroy(struct pending *job, struct jobspec_cache *cache)
{
    if (job->asks)
        jobspec_cache_drop(cache, job->asks);
    free(job->queue);
    free(job->told);
    free(job);
}

void queue_fini(struct queue *q, struct jobspec_cache *cache)
{
    struct pending *job;

    while ((job = queue_first(q))) {
        queue_remove(q, job);
        pending_destroy(job, cache);
    }
    map_fini(&q->ids);
    *q = (struct queue){0};
}
