/*
 * The queues of a scheduler, compared with arrays that are sorted again each
 * time: random jobs come, go and get other priorities.
 */
#include "schedule/queue.h"

#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "tap.h"

enum { JOBS = 600 };

static const char jobspec_text[] =
    "{\"version\":1,\"resources\":[{\"type\":\"slot\",\"count\":1,"
    "\"label\":\"s\",\"with\":[{\"type\":\"core\",\"count\":1}]}],\"tasks\":"
    "[{\"command\":[\"a\"],\"slot\":\"s\",\"count\":{\"per_slot\":1}}],"
    "\"attributes\":{\"system\":{\"duration\":0}}}";

struct game {
    struct queues queues;
    struct jobspec_cache cache;
    json_t *jobspec;
    struct pending *there[JOBS]; /* by id; NULL: it does not wait */
    bool virtual;                /* jobs of debug wait in batch */
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

/* Do two jobs wait in one queue? */
static bool is_together(const struct game *g, const struct pending *a,
                        const struct pending *b)
{
    const char *x = a->name, *y = b->name;

    if (g->virtual && x && !strcmp(x, "debug"))
        x = "batch";
    if (g->virtual && y && !strcmp(y, "debug"))
        y = "batch";
    return g->queues.joined || (x && y ? !strcmp(x, y) : x == y);
}

/* The jobs that wait in a queue with one of them. */
static size_t expect(struct game *g, const struct pending *one,
                     struct pending **sorted)
{
    size_t n = 0;

    for (int id = 0; id < JOBS; id++)
        if (g->there[id] && is_together(g, g->there[id], one))
            sorted[n++] = g->there[id];
    qsort(sorted, n, sizeof(*sorted), in_order);
    return n;
}

static bool is_as_sorted(struct game *g)
{
    size_t all = 0;

    for (int id = 0; id < JOBS; id++)
        if (queues_find(&g->queues, id) != g->there[id])
            return false;
    for (size_t i = 0; i < g->queues.nlist; i++) {
        struct pending *sorted[JOBS], *job = queue_first(g->queues.list[i]);
        size_t n = job ? expect(g, job, sorted) : 0;

        for (size_t k = 0; k < n; k++) {
            if (job != sorted[k]
                || (k > 0 && !pending_before(sorted[k - 1], job)))
                return false;
            job = queue_next(job);
        }
        if (job)
            return false;
        all += n;
    }
    return g->queues.n == all;
}

/* --- moves -------------------------------------------------------------- */

/* There are few priorities, so that the rest of the order matters. */
static uint32_t some_priority(void)
{
    return random_below(8) ? random_below(4) : UINT32_MAX - random_below(2);
}

static void add(struct game *g, int id)
{
    static const char *const names[] = {"debug", "batch", "big"};
    struct pending *job = calloc(1, sizeof(*job));
    struct diag d = {0};

    job->id = id;
    job->priority = some_priority();
    job->submitted = 1000 + random_below(4) / 2.0;
    job->request = jobspec_cache_get(&g->cache, g->jobspec, &job->duration, &d);
    job->name = random_below(2)
                    ? queues_name(&g->queues, names[random_below(3)])
                    : NULL;
    job->sent_reason = random_below(2) ? strdup("why") : NULL;
    queues_add(&g->queues, job);
    g->there[id] = job;
}

static void take_out(struct game *g, int id)
{
    queues_remove(&g->queues, g->there[id]);
    pending_destroy(g->there[id], &g->cache);
    g->there[id] = NULL;
}

/* Follow other rules. */
static void follow(struct game *g)
{
    struct queue_rules rules = {0};
    struct diag d;

    g->virtual = random_below(2);
    if (g->virtual)
        queue_rules_adopt(&rules, "debug", "batch", &d);
    if (random_below(2))
        queue_rules_read(&rules, "easy,big=fcfs", &d);
    queues_follow(&g->queues, &rules);
}

static void move(struct game *g)
{
    int id = (int)random_below(JOBS);

    if (random_below(50) == 0)
        follow(g);
    else if (!g->there[id])
        add(g, id);
    else if (random_below(3))
        queues_move(g->there[id], some_priority());
    else
        take_out(g, id);
}

static void play(json_t *jobspec, bool joined, long rounds)
{
    struct game g = {.jobspec = jobspec, .queues = {.joined = joined}};
    const char *how = joined ? "joined" : "separate";
    long i;

    ok(g.queues.n == 0 && !queues_find(&g.queues, 5),
       "all zeros are empty queues");
    for (i = 0; i < rounds && is_as_sorted(&g); i++)
        move(&g);
    ok(i == rounds, "%ld moves leave them in order (%s), round %ld", rounds,
       how, i);
    for (size_t q = 0; q < g.queues.nlist; q++)
        while (queue_first(g.queues.list[q]))
            take_out(&g, (int)queue_first(g.queues.list[q])->id);
    ok(is_as_sorted(&g) && g.queues.n == 0, "all are taken from the heads");
    ok(g.queues.nlist == (joined ? 1 : 4), "queues by name (%s)", how);
    add(&g, 1);
    add(&g, 2);
    queues_fini(&g.queues, &g.cache);
    ok(g.queues.n == 0, "the rest is freed with them");
    jobspec_cache_fini(&g.cache);
}

int main(void)
{
    long rounds = random_start(5000);
    json_t *jobspec = json_loads(jobspec_text, 0, NULL);

    play(jobspec, false, rounds);
    play(jobspec, true, rounds);
    json_decref(jobspec);
    return done_testing();
}
