/*
 * The queue of a scheduler, compared with an array that is sorted again each
 * time: random jobs come, go and get other priorities.
 */
#include "protocol/queue.h"

#include <stdlib.h>

#include "random.h"
#include "tap.h"

enum { JOBS = 200 };

static const char jobspec_text[] =
    "{\"version\":1,\"resources\":[{\"type\":\"slot\",\"count\":1,"
    "\"label\":\"s\",\"with\":[{\"type\":\"core\",\"count\":1}]}],\"tasks\":"
    "[{\"command\":[\"a\"],\"slot\":\"s\",\"count\":{\"per_slot\":1}}],"
    "\"attributes\":{\"system\":{\"duration\":0}}}";

struct game {
    struct queue queue;
    struct jobspec_cache cache;
    json_t *jobspec;
    struct pending *there[JOBS]; /* by id; NULL: it is not in the queue */
};

/* --- the expected order ------------------------------------------------- */

static int in_order(const void *a, const void *b)
{
    const struct pending *x = *(struct pending *const *)a,
                         *y = *(struct pending *const *)b;

    if (x->priority != y->priority)
        return x->priority > y->priority ? -1 : 1;
    if (x->submitted != y->submitted)
        return x->submitted < y->submitted ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

static bool is_as_sorted(struct game *g)
{
    struct pending *sorted[JOBS], *job = queue_first(&g->queue);
    size_t n = 0;

    for (int id = 0; id < JOBS; id++) {
        if (queue_find(&g->queue, id) != g->there[id])
            return false;
        if (g->there[id])
            sorted[n++] = g->there[id];
    }
    qsort(sorted, n, sizeof(*sorted), in_order);
    for (size_t i = 0; i < n; i++) {
        if (job != sorted[i])
            return false;
        job = queue_next(&g->queue, job);
    }
    return !job && g->queue.n == n;
}

/* --- moves -------------------------------------------------------------- */

/* There are few priorities, so that the rest of the order matters. */
static uint32_t some_priority(void)
{
    return random_below(8) ? random_below(4) : UINT32_MAX - random_below(2);
}

static void add(struct game *g, int id)
{
    struct pending *job = calloc(1, sizeof(*job));
    struct diag d = {0};

    job->id = id;
    job->priority = some_priority();
    job->submitted = 1000 + random_below(4) / 2.0;
    job->asks = jobspec_cache_get(&g->cache, g->jobspec, &job->duration, &d);
    job->queue = random_below(2) ? strdup("debug") : NULL;
    job->told = random_below(2) ? strdup("why") : NULL;
    queue_add(&g->queue, job);
    g->there[id] = job;
}

static void take_out(struct game *g, int id)
{
    queue_remove(&g->queue, g->there[id]);
    pending_destroy(g->there[id], &g->cache);
    g->there[id] = NULL;
}

static void move(struct game *g)
{
    int id = (int)random_below(JOBS);

    if (!g->there[id])
        add(g, id);
    else if (random_below(3))
        queue_move(&g->queue, g->there[id], some_priority());
    else
        take_out(g, id);
}

int main(void)
{
    long rounds = random_start(5000), i;
    struct game g = {.jobspec = json_loads(jobspec_text, 0, NULL)};

    ok(!queue_first(&g.queue) && !queue_find(&g.queue, 5),
       "all zeros are an empty queue");
    for (i = 0; i < rounds && is_as_sorted(&g); i++)
        move(&g);
    ok(i == rounds, "%ld moves leave it in order, round %ld", rounds, i);
    for (i = 0; queue_first(&g.queue); i++)
        take_out(&g, (int)queue_first(&g.queue)->id);
    ok(is_as_sorted(&g), "%ld are taken from its head", i);
    add(&g, 1);
    add(&g, 2);
    queue_fini(&g.queue, &g.cache);
    ok(!queue_first(&g.queue), "the rest is freed with it");
    jobspec_cache_fini(&g.cache);
    json_decref(g.jobspec);
    return done_testing();
}
