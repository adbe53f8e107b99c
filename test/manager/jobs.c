/* The jobs, by id and by state, and their known order. */
#include "manager.h"

#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 4096, OLD_IDS = 64 };

static struct job *buckets[BUCKETS];
static uint64_t last_id = 1000, old_ids[OLD_IDS];
static unsigned nold;

struct list jobs[JOB_STATES];

static struct job **bucket_of(uint64_t id)
{
    return &buckets[(id * UINT64_C(0x9e3779b97f4a7c15)) >> 52];
}

struct job *job_find(uint64_t id)
{
    struct job *j = *bucket_of(id);

    while (j && j->id != id)
        j = j->next;
    return j;
}

static void list_add(struct list *list, struct job *j)
{
    if (list->n == list->room) {
        list->room = list->room * 2 + 64;
        list->job = realloc(list->job, list->room * sizeof(*list->job));
        if (!list->job)
            abort();
    }
    j->at = list->n;
    list->job[list->n++] = j;
}

static void list_remove(struct list *list, const struct job *j)
{
    struct job *last = list->job[--list->n];

    list->job[j->at] = last;
    last->at = j->at;
}

struct job *job_add(uint64_t id)
{
    struct job *j = calloc(1, sizeof(*j)), **bucket = bucket_of(id);

    if (!j)
        abort();
    j->id = id;
    j->next = *bucket;
    *bucket = j;
    list_add(&jobs[WAITING], j);
    return j;
}

void job_move(struct job *j, enum job_state state)
{
    list_remove(&jobs[j->state], j);
    j->state = state;
    list_add(&jobs[state], j);
}

void job_remove(struct job *j)
{
    struct job **p = bucket_of(j->id);

    while (*p != j)
        p = &(*p)->next;
    *p = j->next;
    list_remove(&jobs[j->state], j);
    old_ids[nold++ % OLD_IDS] = j->id;
    json_decref(j->R);
    json_decref(j->notes);
    free(j);
}

struct job *job_random(enum job_state state)
{
    const struct list *list = &jobs[state];

    return list->n ? list->job[below((uint32_t)list->n)] : NULL;
}

/* Return a new id. Ids ascend, like those of Flux, with exceptions. */
uint64_t new_id(void)
{
    uint64_t id;

    do {
        id = last_id += 1 + below(3);
        if (once_in(50))
            id = (uint64_t)INT64_MAX - below(100000);
        else if (once_in(50))
            id = below(1000);
    } while (job_find(id));
    return id;
}

uint64_t old_id(void)
{
    uint64_t id = nold && !once_in(4) ? old_ids[below(OLD_IDS)]
                                      : last_id + 1000000 + below(1000);

    return job_find(id) ? last_id + 2000000 : id;
}

/* --- the queue ------------------------------------------------------------ */

bool job_before(const struct job *a, const struct job *b)
{
    if (a->priority != b->priority)
        return a->priority > b->priority;
    if (a->time_kind != b->time_kind)
        return a->time_kind < b->time_kind;
    if (a->time_kind == 0) /* two that arrive together may compare as equal */
        return a->arrival < b->arrival && a->id < b->id;
    if (a->time < b->time || a->time > b->time)
        return a->time < b->time;
    return a->id < b->id;
}

int job_queue(const struct job *j)
{
    return options.joined ? 0 : j->shape.queue;
}

struct job *queue_head(int queue)
{
    const struct list *waiting = &jobs[WAITING];
    struct job *head = NULL;

    for (size_t i = 0; i < waiting->n; i++)
        if (job_queue(waiting->job[i]) == queue
            && (!head || !job_before(head, waiting->job[i])))
            head = waiting->job[i];
    for (size_t i = 0; i < waiting->n; i++)
        if (job_queue(waiting->job[i]) == queue && waiting->job[i] != head
            && !job_before(head, waiting->job[i]))
            return NULL;
    return head;
}

struct job *job_passed(const struct job *j)
{
    const struct list *waiting = &jobs[WAITING];

    if (options.backfill)
        return NULL;
    if (j->prioritized > child.acked && j->prioritized > j->arrival)
        return NULL; /* it is not known which of its priorities counted */
    for (size_t i = 0; i < waiting->n; i++) {
        struct job *k = waiting->job[i];

        if (k != j && job_queue(k) == job_queue(j)
            && k->prioritized <= child.acked && !k->cancelled
            && job_before(k, j))
            return k;
    }
    return NULL;
}
