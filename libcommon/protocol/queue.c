/* Each queue is a treap by order; all jobs are in a map by id (queue.h). */
#include "protocol/queue.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* --- order -------------------------------------------------------------- */

static struct pending *of_node(const struct treap_node *node)
{
    return (struct pending *)node; /* a job begins with its node */
}

bool pending_before(const struct pending *a, const struct pending *b)
{
    if (a->priority != b->priority)
        return a->priority > b->priority;
    if (a->submitted != b->submitted)
        return a->submitted < b->submitted;
    return a->id < b->id;
}

static int compare(const struct treap *t, const struct treap_node *x,
                   const struct treap_node *y)
{
    (void)t;
    return pending_before(of_node(x), of_node(y)) ? -1 : 1;
}

static const struct treap_rules rules = {.compare = compare};

struct pending *queue_first(const struct queue *q)
{
    const struct treap_node *node = q->order.root;

    while (node && node->left)
        node = node->left;
    return node ? of_node(node) : NULL;
}

struct pending *queue_next(const struct pending *job)
{
    const struct treap_node *node = job->queue->order.root, *after = NULL;

    while (node)
        if (pending_before(job, of_node(node))) {
            after = node;
            node = node->left;
        } else {
            node = node->right;
        }
    return after ? of_node(after) : NULL;
}

void queue_each(const struct queue *q,
                void (*visit)(void *arg, struct pending *job), void *arg)
{
    struct treap_node **stack = NULL, *node = q->order.root;
    size_t n = 0;

    while (node || n > 0) {
        for (; node; node = node->left) {
            VECTOR_GROW(stack, n);
            stack[n++] = node;
        }
        node = stack[--n];
        visit(arg, of_node(node));
        node = node->right;
    }
    free(stack);
}

/* --- jobs and queues ------------------------------------------------------ */

const char *queues_name(struct queues *q, const char *name)
{
    return map_intern(&q->texts, name, strlen(name));
}

struct pending *queues_find(const struct queues *q, int64_t id)
{
    return map_get(&q->ids, &id, sizeof(id));
}

/* Find the queue of a job, or make it. */
static struct queue *queue_of(struct queues *q, const struct pending *job)
{
    const char *name = q->joined || !job->name ? "" : job->name;
    struct map_slot *slot = map_at(&q->names, name, strlen(name));
    struct queue *queue = slot->value.pointer;

    if (queue)
        return queue;
    queue = slot->value.pointer = xcalloc(1, sizeof(*queue));
    queue->order.rules = &rules;
    queue->blocked = -1;
    VECTOR_GROW(q->list, q->nlist);
    q->list[q->nlist++] = queue;
    return queue;
}

void queues_add(struct queues *q, struct pending *job)
{
    job->queue = queue_of(q, job);
    q->n++;
    map_at(&q->ids, &job->id, sizeof(job->id))->value.pointer = job;
    treap_insert(&job->queue->order, &job->node);
}

void queues_move(struct pending *job, uint32_t priority)
{
    treap_remove(&job->queue->order, &job->node);
    job->priority = priority;
    treap_insert(&job->queue->order, &job->node);
}

void queues_remove(struct queues *q, struct pending *job)
{
    map_forget(&q->ids, &job->id, sizeof(job->id));
    treap_remove(&job->queue->order, &job->node);
    q->n--;
}

void pending_destroy(struct pending *job, struct jobspec_cache *cache)
{
    if (job->asks)
        jobspec_cache_drop(cache, job->asks);
    free(job->told);
    free(job);
}

void queues_fini(struct queues *q, struct jobspec_cache *cache)
{
    struct pending *job;

    for (size_t i = 0; i < q->nlist; i++) {
        while ((job = queue_first(q->list[i]))) {
            queues_remove(q, job);
            pending_destroy(job, cache);
        }
        free(q->list[i]);
    }
    free(q->list);
    map_fini(&q->names);
    map_fini(&q->texts);
    map_fini(&q->ids);
    *q = (struct queues){0};
}
