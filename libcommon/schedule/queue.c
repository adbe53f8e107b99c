/* Blocks of entries in order; all jobs are in a map by id (queue.h). */
#include "schedule/queue.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct job_name job_name(int64_t id)
{
    struct job_name name;

    snprintf(name.text, sizeof(name.text), "%lld", (long long)id);
    return name;
}

/* --- order -------------------------------------------------------------- */

bool pending_before(const struct pending *a, const struct pending *b)
{
    if (a->priority != b->priority)
        return a->priority > b->priority;
    if (a->submitted != b->submitted)
        return a->submitted < b->submitted;
    return a->id < b->id;
}

struct queue_place queue_find(const struct queue *q, const struct pending *job)
{
    const struct queue_block *block;
    size_t at;

    if (q->nblocks == 0)
        return (struct queue_place){0};
    /* the last block that begins before the job */
    at = VECTOR_SEEK(i, 1, q->nblocks,
                     pending_before(q->blocks[i]->at[0].job, job))
         - 1;
    block = q->blocks[at];
    return (struct queue_place){
        at, VECTOR_SEEK(i, 0, block->n, pending_before(block->at[i].job, job))};
}

const struct queued *queue_step(const struct queue *q,
                                struct queue_place *place)
{
    while (place->block < q->nblocks && place->i >= q->blocks[place->block]->n)
        *place = (struct queue_place){place->block + 1, 0};
    return place->block < q->nblocks ? &q->blocks[place->block]->at[place->i++]
                                     : NULL;
}

struct pending *queue_first(const struct queue *q)
{
    return q->nblocks > 0 ? q->blocks[0]->at[0].job : NULL;
}

struct pending *queue_next(const struct pending *job)
{
    struct queue_place at = queue_find(job->queue, job);
    const struct queued *next;

    queue_step(job->queue, &at);
    next = queue_step(job->queue, &at);
    return next ? next->job : NULL;
}

static struct queue_block *add_block(struct queue *q, size_t at)
{
    VECTOR_GROW(q->blocks, q->nblocks);
    memmove(&q->blocks[at + 1], &q->blocks[at],
            (q->nblocks++ - at) * sizeof(struct queue_block *));
    return q->blocks[at] = xcalloc(1, sizeof(struct queue_block));
}

static void enqueue(struct pending *job)
{
    struct queue *q = job->queue;
    struct queue_place at = queue_find(q, job);
    struct queue_block *block, *more;

    if (q->nblocks == 0)
        add_block(q, 0);
    block = q->blocks[at.block];
    if (block->n == QUEUE_BLOCK) {
        /* Jobs mostly come in order: then the block stays full. */
        size_t stay = at.i == QUEUE_BLOCK ? at.i : QUEUE_BLOCK / 2;
        more = add_block(q, at.block + 1);
        more->n = block->n - stay;
        memcpy(more->at, &block->at[stay], more->n * sizeof(block->at[0]));
        block->n = stay;
        if (at.i >= stay) {
            at.i -= stay;
            block = more;
        }
    }
    memmove(&block->at[at.i + 1], &block->at[at.i],
            (block->n++ - at.i) * sizeof(block->at[0]));
    block->at[at.i] = (struct queued){job, job->request, job->duration};
}

static void dequeue(const struct pending *job)
{
    struct queue *q = job->queue;
    struct queue_place at = queue_find(q, job);
    struct queue_block *block;

    if (at.i == q->blocks[at.block]->n)
        at = (struct queue_place){at.block + 1, 0};
    block = q->blocks[at.block];
    memmove(&block->at[at.i], &block->at[at.i + 1],
            (--block->n - at.i) * sizeof(block->at[0]));
    if (block->n > 0)
        return;
    free(block);
    memmove(&q->blocks[at.block], &q->blocks[at.block + 1],
            (--q->nblocks - at.block) * sizeof(struct queue_block *));
}

/* --- the first of many queues --------------------------------------------- */

static bool heap_before(const struct queue_heap *h, size_t a, size_t b)
{
    return pending_before(h->list[a]->candidate, h->list[b]->candidate);
}

static void heap_swap(struct queue_heap *h, size_t a, size_t b)
{
    struct queue *q = h->list[a];

    h->list[a] = h->list[b];
    h->list[b] = q;
}

void queue_heap_add(struct queue_heap *h, struct queue *q,
                    struct pending *candidate)
{
    size_t i = h->n;

    q->candidate = candidate;
    VECTOR_ADD(h->list, h->n, q);
    for (; i > 0 && heap_before(h, i, (i - 1) / 2); i = (i - 1) / 2)
        heap_swap(h, i, (i - 1) / 2);
}

void queue_heap_next(struct queue_heap *h, struct pending *candidate)
{
    size_t i = 0, child;

    if (candidate)
        h->list[0]->candidate = candidate;
    else
        h->list[0] = h->list[--h->n];
    for (; (child = 2 * i + 1) < h->n; i = child) {
        child += child + 1 < h->n && heap_before(h, child + 1, child);
        if (!heap_before(h, child, i))
            return;
        heap_swap(h, i, child);
    }
}

/* --- jobs and queues ------------------------------------------------------ */

/* Find the queue of a job, or make it. */
static struct queue *queue_of(struct queues *q, const struct pending *job)
{
    const char *name = q->joined || !job->name
                           ? ""
                           : queue_rules_home(&q->rules, job->name);
    struct map_slot *slot = map_at(&q->names, name, strlen(name));
    struct queue *queue = slot->value.pointer;

    if (queue)
        return queue;
    queue = slot->value.pointer = xcalloc(1, sizeof(*queue));
    queue->blocked = -1;
    queue->rule = queue_rules_of(&q->rules, name);
    VECTOR_ADD(q->list, q->nlist, queue);
    return queue;
}

void queues_follow(struct queues *q, struct queue_rules *rules)
{
    struct diag d;

    queue_rules_fini(&q->rules);
    q->rules = *rules;
    *rules = (struct queue_rules){0};
    if (q->rules.n == 0)
        queue_rules_read(&q->rules, "fcfs", &d);
    q->fcfs = !queue_rules_have(&q->rules, QUEUE_EASY)
              && !queue_rules_have(&q->rules, QUEUE_CONSERVATIVE);
    for (size_t i = 0; i < q->names.count; i++) {
        const struct map_slot *slot = &q->names.slots[i];
        struct queue *queue = slot->value.pointer;
        queue->rule = queue_rules_of(&q->rules, slot->key);
    }
    for (size_t i = 0; i < q->ids.count; i++) {
        struct pending *job = q->ids.slots[i].value.pointer;
        if (!job)
            continue; /* forgotten */
        dequeue(job);
        job->queue = queue_of(q, job);
        enqueue(job);
    }
}

const char *queues_name(struct queues *q, const char *name)
{
    return map_intern(&q->texts, name, strlen(name));
}

struct pending *queues_find(const struct queues *q, int64_t id)
{
    return map_get(&q->ids, &id, sizeof(id));
}

void queues_add(struct queues *q, struct pending *job)
{
    job->queue = queue_of(q, job);
    q->n++;
    map_at(&q->ids, &job->id, sizeof(job->id))->value.pointer = job;
    enqueue(job);
}

void queues_move(struct pending *job, uint32_t priority)
{
    dequeue(job);
    job->priority = priority;
    enqueue(job);
}

void queues_remove(struct queues *q, struct pending *job)
{
    map_forget(&q->ids, &job->id, sizeof(job->id));
    dequeue(job);
    q->n--;
}

void pending_destroy(struct pending *job, struct jobspec_cache *cache)
{
    if (job->request)
        jobspec_cache_drop(cache, job->request);
    free(job->sent_reason);
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
        free(q->list[i]->blocks);
        free(q->list[i]);
    }
    free(q->list);
    queue_rules_fini(&q->rules);
    map_fini(&q->names);
    map_fini(&q->texts);
    map_fini(&q->ids);
    *q = (struct queues){0};
}
