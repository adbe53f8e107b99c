/*
 * The planner without a scheduler, compared with one that only counts: random
 * jobs of equal nodes, or of slots of one core, come, leave, get other
 * priorities and end, early or late. And jobs for all kinds of things, which
 * come in the order of the queue and end in time: their promises are kept.
 */
#include "schedule/planner.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/time.h"
#include "compare/job_R.h"
#include "game.h"
#include "model/records/jobs.h"
#include "model/records/usage.h"
#include "schedule/ledger.h"
#include "sets.h"
#include "tap.h"

enum { NODES = 5, CORES = 3, JOBS = 40 };

/* A job as the counting planner sees it. */
struct counted {
    int64_t id;
    uint32_t priority;
    int size;
    double limit;
    double at;  /* its promised time; below 0: none */
    double end; /* when it should end; below 0: it waits */
    bool fresh, held;
};

struct game {
    struct play play;
    bool mixed; /* jobs ask for all kinds of things */
    bool nodes; /* otherwise: they ask for nodes, and not for slots */
    int depth;  /* reservations; 0: fcfs */
    int size;   /* of all units */
    double now;
    int64_t last;
    /* the planner */
    struct rset *rs;
    struct usage *u;
    struct idset *gone;
    struct queues queues;
    struct jobspec_cache cache;
    struct match_options how;
    struct planner *planner;
    int reports; /* decisions since they were counted last */
    /* the counting one: first those that wait, in their order */
    struct counted jobs[JOBS];
    int n;
};

/* --- counting ------------------------------------------------------------- */

/* The units that are taken at a time, beside a job. What should have ended is
   gone just after now. */
static int taken(const struct game *g, const struct counted *but, double when)
{
    int sum = 0;

    for (int i = 0; i < g->n; i++) {
        const struct counted *k = &g->jobs[i];
        if (k->end >= 0 ? k->end > when || when <= g->now
                        : k->held && k != but && k->at <= when
                              && when < k->at + k->limit)
            sum += k->size;
    }
    return sum;
}

/* Does a job fit from a time on, beside what is held? */
static bool fits(const struct game *g, const struct counted *job, double at)
{
    double from = at > g->now ? at : nextafter(g->now, INFINITY);

    if (taken(g, job, from) + job->size > g->size)
        return false;
    for (int i = 0; i < g->n; i++) {
        const struct counted *k = &g->jobs[i];
        if (k->end < 0 && k->held && k != job && k->at > from
            && k->at < at + job->limit
            && taken(g, job, k->at) + job->size > g->size)
            return false;
    }
    return true;
}

static bool starts_now(const struct game *g, const struct counted *job)
{
    int used = 0;

    for (int i = 0; i < g->n; i++)
        used += g->jobs[i].end >= 0 ? g->jobs[i].size : 0;
    return used + job->size <= g->size && fits(g, job, g->now);
}

/* The first time for a job; it may be now, if a job is past its end. */
static double first_time(const struct game *g, const struct counted *job)
{
    double first = INFINITY;

    for (int i = 0; i < g->n; i++) {
        const struct counted *k = &g->jobs[i];
        double at = k->end >= 0           ? fmax(k->end, g->now)
                    : k->held && k != job ? k->at + k->limit
                                          : INFINITY;
        if (at < first && fits(g, job, at))
            first = at;
    }
    return first;
}

static void hold(struct game *g)
{
    for (int i = 0; i < g->n; i++) {
        struct counted *k = &g->jobs[i];
        if (k->end < 0 && k->at >= 0 && !k->held)
            k->held = fits(g, k, k->at);
    }
}

static int in_order(const void *a, const void *b)
{
    const struct counted *x = a, *y = b;

    if ((x->end < 0) != (y->end < 0))
        return x->end < 0 ? -1 : 1;
    if (x->priority != y->priority)
        return x->priority > y->priority ? -1 : 1;
    return x->id < y->id ? -1 : 1;
}

/* Go once through the jobs. Returns whether anything changed. */
static bool count_once(struct game *g)
{
    int given = 0;
    bool changed = false;

    qsort(g->jobs, (size_t)g->n, sizeof(*g->jobs), in_order);
    for (int i = 0; i < g->n; i++) {
        g->jobs[i].held = false;
        if (g->jobs[i].at >= 0)
            g->jobs[i].at = fmax(g->jobs[i].at, g->now);
    }
    hold(g);
    for (int i = 0; i < g->n && g->jobs[i].end < 0; i++) {
        struct counted *job = &g->jobs[i];
        bool had = job->held, yields = job->fresh || (job->at >= 0 && !had);
        double before = job->at;

        job->fresh = job->held = false;
        for (int k = i + 1; k < g->n && yields; k++)
            g->jobs[k].held = false;
        if (starts_now(g, job)) {
            job->end = g->now + job->limit;
            job->at = -1;
            changed = true;
        } else if (g->depth == 0) {
            break;
        } else if (given < g->depth) {
            double at = first_time(g, job);
            job->at = had ? fmin(job->at, at) : at;
            job->held = true;
            given++;
            for (int k = i + 1; k < g->n && given == g->depth; k++)
                if (g->jobs[k].end < 0) {
                    g->jobs[k].at = -1;
                    g->jobs[k].held = false;
                }
        } else {
            job->at = -1;
        }
        changed |= job->end < 0 && (before < job->at || before > job->at);
        if (yields)
            hold(g);
    }
    return changed;
}

/* --- the planner ---------------------------------------------------------- */

static void start(void *arg, struct pending *job, const struct selection *plan)
{
    struct game *g = arg;
    const struct term terms = {.start = g->now,
                               .end = planner_end(g->planner, job, g->now)};

    g->reports++;
    ledger_allocate(g->u, job_name(job->id).text, plan, &terms);
    planner_remove(g->planner, job);
    pending_destroy(job, &g->cache);
}

static void deny(void *arg, struct pending *job, const char *why)
{
    struct game *g = arg;

    game_must(&g->play, false, "job %" PRId64 " is denied: %s", job->id, why);
    planner_remove(g->planner, job);
    pending_destroy(job, &g->cache);
}

static void waits(void *arg, struct pending *job, const char *why)
{
    struct game *g = arg;

    g->reports += !job->sent_reason;
    free(job->sent_reason);
    job->sent_reason = xstrdup(why ? why : "behind");
}

static void reserved(void *arg, struct pending *job, double at)
{
    struct game *g = arg;

    g->reports++;
    if (at < 0)
        job->estimate = at;
}

static void estimate(void *arg, struct pending *job, double at)
{
    (void)arg;
    job->estimate = at;
}

/* --- moves ---------------------------------------------------------------- */

/* Return some pools of a type, each with something in it, or NULL. */
static json_t *pools(const char *type, uint32_t n, json_t *in)
{
    json_t *one = json_pack("{s:s,s:i}", "type", type, "count", (int)n);

    if (in)
        json_object_set_new(one, "with", json_pack("[o]", in));
    return one;
}

static json_t *slots(const char *label, uint32_t n, json_t *in)
{
    json_t *one = pools("slot", n, in);

    json_object_set_new(one, "label", json_string(label));
    return one;
}

/* Return the resources of a random job. */
static json_t *random_resources(struct game *g)
{
    uint32_t n = 1 + random_below(2), c = 1 + random_below(4),
             kind = random_below(8);
    json_t *core = pools("core", kind == 0 ? 1 : c, NULL), *one;
    char *text;

    if (kind == 0) {
        one = pools("node", n, slots("s", 1, core));
        json_object_set_new(one, "exclusive", json_true());
    } else if (kind == 1) {
        one = pools("node", n, slots("s", 2, core));
    } else if (kind == 2) {
        one = pools("node", n, pools("socket", 1, slots("s", 1, core)));
    } else if (kind == 3) {
        one = slots("s", n, pools("socket", 1, core));
    } else if (kind == 5) {
        one = slots("s", n, pools("socket", 1, NULL));
        json_decref(core);
    } else {
        one = slots("s", n, core);
    }
    one = kind == 4
              ? json_pack("[oo]", one, slots("t", 1, pools("core", c, NULL)))
              : json_pack("[o]", one);
    text = json_dumps(one, JSON_COMPACT);
    game_note(&g->play, " %s", text);
    free(text);
    return one;
}

static void play_come(struct game *g)
{
    struct pending *job = xcalloc(1, sizeof(*job));
    struct counted *k = &g->jobs[g->n];
    struct diag d = {0};
    json_t *jobspec;

    if (g->n == JOBS) {
        free(job);
        return;
    }
    *k = (struct counted){.id = ++g->last,
                          .priority = 16 + (g->mixed ? 0 : random_below(2)),
                          .size = 1 + (int)random_below((uint32_t)g->size),
                          .limit = 1 + random_below(20),
                          .at = -1,
                          .end = -1,
                          .fresh = true};
    jobspec = json_pack(
        "{s:i,s:[{s:s,s:i,s:s,s:[{s:s,s:i,s:o*}]}],s:[{s:[s],s:s,s:{s:i}}],"
        "s:{s:{s:f}}}",
        "version", 1, "resources", "type", "slot", "count", k->size, "label",
        "s", "with", "type", g->nodes ? "node" : "core", "count", 1,
        "exclusive", g->nodes ? json_true() : NULL, "tasks", "command", "a",
        "slot", "s", "count", "per_slot", 1, "attributes", "system", "duration",
        k->limit);
    if (g->mixed)
        json_object_set_new(jobspec, "resources", random_resources(g));
    job->id = k->id;
    job->priority = k->priority;
    job->submitted = (double)k->id;
    job->estimate = TIME_UNSET;
    job->request = jobspec_cache_get(&g->cache, jobspec, &job->duration, &d);
    json_decref(jobspec);
    if (!job->request) {
        game_must(&g->play, false, "jobspec: %s", d.text);
        free(job);
        return;
    }
    g->n++;
    game_note(&g->play, " %" PRId64 ": %d for %g, priority %" PRIu32, k->id,
              k->size, k->limit, k->priority);
    planner_add(g->planner, job);
}

static struct counted *any(struct game *g, bool waiting)
{
    int seen = 0;
    struct counted *one = NULL;

    for (int i = 0; i < g->n; i++)
        if ((g->jobs[i].end < 0) == waiting
            && random_below((uint32_t)++seen) == 0)
            one = &g->jobs[i];
    return one;
}

static void play_cancel(struct game *g)
{
    struct counted *k = any(g, true);
    struct pending *job = k ? queues_find(&g->queues, k->id) : NULL;

    if (!job)
        return;
    game_note(&g->play, " %" PRId64, k->id);
    planner_remove(g->planner, job);
    planner_freed(g->planner);
    pending_destroy(job, &g->cache);
    *k = g->jobs[--g->n];
}

static void play_move(struct game *g)
{
    struct counted *k = any(g, true);
    uint32_t priority = 15 + random_below(4);
    struct pending *job = k ? queues_find(&g->queues, k->id) : NULL;

    if (!job)
        return;
    game_note(&g->play, " %" PRId64 " to %" PRIu32, k->id, priority);
    k->fresh |= priority > k->priority;
    k->priority = priority;
    planner_move(g->planner, job, priority);
}

static void play_end(struct game *g)
{
    struct counted *k = any(g, false);

    if (!k)
        return;
    game_note(&g->play, " %" PRId64, k->id);
    ledger_release(g->u, job_name(k->id).text);
    planner_freed(g->planner);
    *k = g->jobs[--g->n];
}

static void play_time(struct game *g)
{
    g->how.now = g->now += 1 + random_below(8);
    game_note(&g->play, " is %g", g->now);
}

/* Let the time of the next end come. The jobs that end then are freed. */
static void play_next_end(struct game *g)
{
    double next = INFINITY;

    for (int i = 0; i < g->n; i++)
        if (g->jobs[i].end >= 0)
            next = fmin(next, g->jobs[i].end);
    if (next == INFINITY)
        return;
    g->how.now = g->now = next;
    for (int i = g->n; i-- > 0;)
        if (g->jobs[i].end >= 0 && g->jobs[i].end <= next) {
            ledger_release(g->u, job_name(g->jobs[i].id).text);
            planner_freed(g->planner);
            g->jobs[i] = g->jobs[--g->n];
        }
    game_note(&g->play, " is %g", g->now);
}

static const struct game_move moves[] = {
    {"job", 6, play_come}, {"cancel", 1, play_cancel}, {"move", 1, play_move},
    {"end", 4, play_end},  {"time", 3, play_time},     {0}};
static const struct game_move mixed_moves[] = {{"job", 5, play_come},
                                               {"cancel", 1, play_cancel},
                                               {"end", 1, play_end},
                                               {"next end", 4, play_next_end},
                                               {0}};

/* --- checks --------------------------------------------------------------- */

/* Do both start the same jobs, and promise the same times? */
static void check_decisions(struct game *g)
{
    while (count_once(g))
        ;
    while (planner_pass(g->planner))
        ;
    for (int i = 0; i < g->n && !g->play.over; i++) {
        const struct counted *k = &g->jobs[i];
        const struct pending *job = queues_find(&g->queues, k->id);

        if ((k->end < 0) != (job != NULL))
            game_must(&g->play, false, "job %" PRId64 " %s", k->id,
                      job ? "waits" : "has started");
        else if (job && g->depth > 0
                 && (job->estimate < k->at || job->estimate > k->at))
            game_must(&g->play, false, "job %" PRId64 " at %g, and not at %g",
                      k->id, job->estimate, k->at);
    }
}

/* Are promises kept? */
static void check_promises(struct game *g)
{
    while (planner_pass(g->planner))
        ;
    for (int i = 0; i < g->n; i++) {
        struct counted *k = &g->jobs[i];
        const struct pending *job = queues_find(&g->queues, k->id);
        double at = job ? job->estimate : g->now;

        if (k->end >= 0)
            continue;
        if (k->at >= 0 && !(at >= 0 && at <= k->at))
            game_must(&g->play, false, "job %" PRId64 " at %g, and not at %g",
                      k->id, at, k->at);
        k->at = at;
        if (!job)
            k->end = g->now + k->limit;
    }
}

/* Has another pass nothing left to do? */
static void check_rest(struct game *g)
{
    g->reports = 0;
    planner_pass(g->planner);
    planner_freed(g->planner);
    planner_pass(g->planner);
    if (g->reports > 0)
        game_must(&g->play, false, "a second pass makes %d decisions",
                  g->reports);
}

/* Is the usage the same as without reservations? */
static void check_usage(struct game *g)
{
    size_t running = 0;

    planner_unhold(g->planner);
    for (int i = 0; i < g->n; i++) {
        running += g->jobs[i].end >= 0;
        if ((g->jobs[i].end >= 0)
            != (job_find(g->u, job_name(g->jobs[i].id).text) != NULL))
            game_must(&g->play, false, "job %" PRId64 " in the usage",
                      g->jobs[i].id);
    }
    if (usage_njobs(g->u) != running)
        game_must(&g->play, false, "%zu jobs in the usage", usage_njobs(g->u));
}

static game_fn *const checks[] = {check_decisions, check_rest, check_usage,
                                  NULL},
                      *const mixed_checks[] = {check_promises, check_usage,
                                               NULL};

static struct rset *read_sockets(void)
{
    struct bits b = {0};
    char *text;
    struct rset *rs;

    for (int i = 0; i < 3; i++)
        b.node[i] = (struct bits_node){.there = true, .ids = {(1 << IDS) - 1}};
    text = bits_text(&b, &(struct layout){.graph = true, .sockets = true});
    rs = read_set(text);
    free(text);
    return rs;
}

static struct rset *read_R(const char *text)
{
    struct diag d = {0};

    return job_R_read(text, strlen(text), "R", NULL, &d);
}

static bool play(bool mixed)
{
    static const char *const rules[] = {"fcfs", "easy", "conservative:2",
                                        "conservative:64"};
    struct game g = {.play = {.moves = mixed ? mixed_moves : moves,
                              .checks = mixed ? mixed_checks : checks},
                     .mixed = mixed,
                     .nodes = random_below(2),
                     .gone = idset_create(),
                     .how = {.now = 1000}};
    struct planner_options options = {.queues = &g.queues,
                                      .how = &g.how,
                                      .start = start,
                                      .deny = deny,
                                      .waits = waits,
                                      .reserved = reserved,
                                      .estimate = estimate,
                                      .arg = &g};
    uint32_t rule = random_below(4);
    struct queue_rules read = {0};
    struct diag d = {0};

    g.now = g.how.now;
    g.size = g.nodes ? NODES : NODES * CORES;
    g.depth = (int[]){0, 1, 2, 64}[rule];
    g.rs = mixed ? read_sockets()
                 : read_R("{\"version\":1,\"execution\":{\"R_lite\":[{\"rank\":"
                          "\"0-4\",\"children\":{\"core\":\"0-2\"}}],"
                          "\"nodelist\":[\"n[0-4]\"]}}");
    g.u = usage_begin(g.rs);
    queue_rules_read(&read, rules[rule], &d);
    queues_follow(&g.queues, &read);
    g.planner = planner_create(&options);
    planner_renew(g.planner, g.u, g.gone);
    game_note(&g.play, "%s, %s\n", rules[rule],
              mixed     ? "mixed"
              : g.nodes ? "nodes"
                        : "slots");
    game_play(&g.play, &g, 60);
    game_end(&g.play);
    planner_destroy(g.planner);
    queues_fini(&g.queues, &g.cache);
    jobspec_cache_fini(&g.cache);
    rset_destroy(g.rs);
    idset_destroy(g.gone);
    return !g.play.over;
}

int main(void)
{
    long games = random_start(300), good = 0, kept = 0;

    while (good < games && play(false))
        good++;
    ok(good == games, "the planner decides as one that counts, in %ld games",
       games);
    while (kept < 5 * games && play(true))
        kept++;
    ok(kept == 5 * games,
       "promises for requests of all kinds are kept, in %ld games", 5 * games);
    return done_testing();
}
