/*
 * The game of test_joined.c: a provider, a scheduler and a job manager, the
 * lines that are under way between them, and what is expected of each line when
 * it is said and when it comes.
 */
#ifndef TEST_JOINED_GAME_H
#define TEST_JOINED_GAME_H

#include "joined_world.h"
#include "protocol/provider.h"
#include "protocol/scheduler_private.h"
#include "tap.h"

enum { JOBS = 40 };

/* Where it stands what a job has, when the scheduler begins anew. */
enum memory { IN_HELLO, IN_STORE, IN_FOLDER, MEMORIES };

/* What a job asks for: slots in nodes, or nodes, on some of the ranks. */
struct shape {
    bool nodes;
    int count, cores, gpus;
    uint64_t on;
    int duration;
};

enum job_state { NONE, WAITING, HOLDING };

struct job {
    enum job_state state;
    int64_t id;
    unsigned priority;
    double submitted;
    struct shape shape;
    char *R; /* as it was given */
    struct held has;
    uint64_t freed;
    bool leaves; /* it was freed, or is canceled */
    bool lacks;  /* some of it is gone since the scheduler began */
    bool must_raise, raised;
};

/* Lines under way: to the provider, and to the scheduler from either. */
enum { TO_PROVIDER, FROM_PROVIDER, FROM_MANAGER, WAYS };
static const char *const way_names[WAYS] = {
    "scheduler to provider", "provider to scheduler", "manager to scheduler"};

struct way {
    char *lines[4000];
    size_t n;
};

/* What somebody writes. */
struct output {
    FILE *fp;
    char *text;
    size_t len;
};

struct game {
    double now;
    struct truth truth;
    struct belief belief;
    struct job jobs[JOBS];
    struct way ways[WAYS];
    struct rset *rs;
    struct provider *provider;
    struct scheduler *scheduler;
    struct keeper *keeper; /* its store, when it has one */
    struct output provider_out, manager, to_provider;
    const char *wanted[GROUPS + 1]; /* groups that the scheduler acquires */
    enum memory memory;
    bool graph, any_dialect;
    int tags[4096]; /* the group for each matchtag of resource.acquire */
    int owed_frees;
    bool ready;
    json_t *status;
};

static struct game g;
static bool failed; /* something is wrong in this game */
static bool tracing;

__attribute__((format(printf, 2, 3))) static bool must(bool good,
                                                       const char *fmt, ...)
{
    va_list ap;

    if (good || failed)
        return good;
    failed = true;
    printf("# at %.0f: ", g.now);
    va_start(ap, fmt);
    vprintf(fmt, ap);
    va_end(ap);
    putchar('\n');
    return false;
}

static void trace(const char *what, const char *line)
{
    if (tracing)
        printf("#   %.0f %s: %.*s\n", g.now, what, (int)strcspn(line, "\n"),
               line);
}

/* --- jobs ----------------------------------------------------------------- */

static struct job *find_job(const json_t *payload)
{
    json_int_t id = json_integer_value(json_object_get(payload, "id"));

    for (int i = 0; i < JOBS; i++)
        if (g.jobs[i].state != NONE && g.jobs[i].id == id)
            return &g.jobs[i];
    return NULL;
}

static void end_job(struct job *job)
{
    free(job->R);
    *job = (struct job){0};
}

static struct held all_held(void)
{
    struct held all = {0};

    for (int i = 0; i < JOBS; i++)
        add_held(&all, &g.jobs[i].has);
    return all;
}

/* How many slots or nodes of a shape are in a rank, of which some is used. */
static int room(const struct shape *s, int rank, struct units used)
{
    struct units all = g.truth.all.on[rank];
    int cores = count(all.core & ~used.core) / s->cores,
        gpus = s->gpus ? count(all.gpu & ~used.gpu) / s->gpus : cores,
        slots = gpus < cores ? gpus : cores;

    return s->nodes ? slots > 0 && !(used.core | used.gpu) : slots;
}

/* Is there enough on some ranks, besides what is used of them? */
static bool fits(const struct shape *s, uint64_t ranks, const struct held *used)
{
    int n = 0;

    EACH_RANK(r, ranks & s->on)
    n += room(s, r, used->on[r]);
    return n >= s->count;
}

static bool is_possible(const struct job *job)
{
    return fits(&job->shape, belief_all(&g.belief), &(struct held){0});
}

/* --- lines under way ------------------------------------------------------ */

__attribute__((format(printf, 2, 3))) static void send(int way, const char *fmt,
                                                       ...)
{
    struct way *w = &g.ways[way];
    va_list ap;

    va_start(ap, fmt);
    if (w->n == sizeof(w->lines) / sizeof(*w->lines)
        || vasprintf(&w->lines[w->n++], fmt, ap) < 0)
        abort();
    va_end(ap);
}

/* The next line that was written; NULL: no more. *at is where it begins. */
static char *next_line(struct output *o, size_t *at)
{
    char *line, *end;

    fflush(o->fp);
    if (*at >= o->len) {
        rewind(o->fp);
        return NULL;
    }
    line = o->text + *at;
    end = memchr(line, '\n', o->len - *at);
    if (!must(end, "a line has no end"))
        return NULL;
    *end = '\0';
    *at = (size_t)(end - o->text) + 1;
    return line;
}

/* --- what the provider says ----------------------------------------------- */

static void provider_wrote(void)
{
    size_t at = 0;
    char *line;

    while ((line = next_line(&g.provider_out, &at)))
        send(FROM_PROVIDER, "%s", line);
}

static int group_named(const char *name)
{
    for (int i = 0; i < GROUPS; i++)
        if (name && !strcmp(groups[i], name))
            return i;
    return -1;
}

/* A request comes to the provider. */
static void expect_request(const json_t *m)
{
    const char *topic = json_string_value(json_object_get(m, "topic"));
    const json_t *payload = json_object_get(m, "payload");
    const char *name = json_string_value(json_object_get(payload, "group"));
    int group = name ? group_named(name) : DEFAULT;

    if (!strcmp(topic, "resource.disconnect")) {
        truth_disconnect(&g.truth);
    } else if (!strcmp(topic, "resource.release")) {
        uint64_t ranks = read_ids(json_object_get(payload, "targets"));
        must(group >= 0 && truth_release(&g.truth, group, ranks),
             "a release of what was not taken away");
    } else if (g.truth.current == !name) {
        truth_acquire(&g.truth, group);
    }
}

static void to_provider(const char *line)
{
    struct diag d = {0};
    json_t *m = json_loads(line, 0, NULL);

    if (json_object_get(m, "topic"))
        expect_request(m);
    must(provider_line(g.provider, line, strlen(line), &d) == 0,
         "the provider: %s: %s", line, d.text);
    json_decref(m);
    provider_wrote();
}

/* --- what the scheduler says ---------------------------------------------- */

/* It asks the provider for something. */
static void scheduler_asked(const char *line)
{
    json_t *m = json_loads(line, 0, NULL);
    const char *topic = json_string_value(json_object_get(m, "topic"));
    json_int_t tag = json_integer_value(json_object_get(m, "matchtag"));
    const json_t *payload = json_object_get(m, "payload");
    const char *name = json_string_value(json_object_get(payload, "group"));
    int group = name ? group_named(name) : DEFAULT;

    if (must(topic && group >= 0 && tag < 4096, "asked: %s", line)
        && !strcmp(topic, "resource.acquire"))
        g.tags[tag] = group;
    if (topic && !strcmp(topic, "resource.release")) {
        uint64_t ranks = read_ids(json_object_get(payload, "targets"));
        must(!g.truth.current && ranks && !(ranks & ~g.belief.lost[group]),
             "releases what was not taken away, or twice: %s", line);
        must(!(ranks & all_held().ranks), "releases what jobs have: %s", line);
        g.belief.lost[group] &= ~ranks;
    }
    json_decref(m);
}

static void granted(struct job *job, const json_t *payload)
{
    struct held others = all_held(), there, both;
    const json_t *sched = json_object_get(
        json_object_get(payload, "annotations"), "sched");
    const char *summary = json_string_value(
        json_object_get(sched, "resource_summary"));
    json_t *R = json_loads(summary ? summary : "", 0, NULL);
    double end = read_end(R);

    job->state = HOLDING;
    job->leaves = false;
    job->R = strdup(summary ? summary : "");
    job->has = read_R(R);
    json_decref(R);
    there = on_ranks(&g.truth.all, belief_all(&g.belief) & g.belief.up);
    both = in_both(&job->has, &there);
    must(job->has.ranks && same_held(&both, &job->has),
         "job %lld: has what is not there, or not online", (long long)job->id);
    both = in_both(&job->has, &others);
    must(!both.ranks, "job %lld: has what is another's", (long long)job->id);
    must(g.belief.end <= 0 || (g.now < g.belief.end && end <= g.belief.end),
         "job %lld: has it beyond the end", (long long)job->id);
}

static void answered(const json_t *payload)
{
    struct job *job = find_job(payload);
    bool ends = g.belief.end > 0;

    if (!must(job && job->state == WAITING,
              "an alloc is answered that is none"))
        return;
    switch (json_integer_value(json_object_get(payload, "type"))) {
    case 0:
        granted(job, payload);
        break;
    case 2:
        must(!is_possible(job) || ends, "job %lld: denied: %s",
             (long long)job->id,
             json_string_value(json_object_get(payload, "note")));
        end_job(job);
        break;
    case 3:
        must(job->leaves, "job %lld: nobody canceled it", (long long)job->id);
        end_job(job);
        break;
    }
}

static void raised(const json_t *payload)
{
    struct job *job = find_job(payload);

    if (must(job && job->state == HOLDING && job->must_raise && !job->raised,
             "raised, for nothing or again"))
        job->raised = true;
}

/* The scheduler begins: who has what, and what of it is there? */
static void hello(json_int_t tag)
{
    struct held there = on_ranks(&g.truth.all, belief_all(&g.belief));

    for (int i = 0; i < JOBS; i++) {
        struct job *job = &g.jobs[i];
        bool tells = g.memory == IN_HELLO || one_in(4);
        struct held had = job->has;
        if (job->state != HOLDING)
            continue;
        job->has = in_both(&had, &there);
        job->lacks = job->must_raise = !same_held(&job->has, &had);
        job->raised = false;
        send(FROM_MANAGER,
             "{\"topic\":\"job-manager.sched-hello\",\"matchtag\":%lld,"
             "\"payload\":{\"id\":%lld,\"priority\":16,\"userid\":1,"
             "\"t_submit\":%.1f,\"free\":\"%s\"%s%s}}",
             (long long)tag, (long long)job->id, job->submitted,
             ids_text(job->freed).text, tells ? ",\"R\":" : "",
             tells ? job->R : "");
    }
    send(FROM_MANAGER,
         "{\"type\":\"response\",\"topic\":\"job-manager.sched-hello\","
         "\"matchtag\":%lld,\"errnum\":61}",
         (long long)tag);
}

static void send_alloc(const struct job *job)
{
    const struct shape *s = &job->shape;
    char gpus[64] = "", on[600] = "", in[64] = "";

    if (s->gpus)
        snprintf(gpus, sizeof(gpus), ",{\"type\":\"gpu\",\"count\":%d}",
                 s->gpus);
    if (s->on != ~UINT64_C(0))
        snprintf(on, sizeof(on), ",\"constraints\":{\"ranks\":[\"%s\"]}",
                 ids_text(s->on).text);
    if (s->nodes)
        snprintf(in, sizeof(in),
                 "{\"type\":\"node\",\"count\":%d,\"exclusive\":true,"
                 "\"with\":[",
                 s->count);
    send(FROM_MANAGER,
         "{\"topic\":\"sched.alloc\",\"payload\":{\"id\":%lld,\"priority\":%u,"
         "\"userid\":1,\"t_submit\":%.1f,\"jobspec\":{\"version\":1,"
         "\"resources\":[%s{\"type\":\"slot\",\"count\":%d,\"label\":\"t\","
         "\"with\":[{\"type\":\"core\",\"count\":%d}%s]}%s],\"tasks\":[{"
         "\"command\":[\"a\"],\"slot\":\"t\",\"count\":{\"per_slot\":1}}],"
         "\"attributes\":{\"system\":{\"duration\":%d%s}}}}}",
         (long long)job->id, job->priority, job->submitted, in,
         s->nodes ? 1 : s->count, s->cores, gpus, s->nodes ? "]}" : "",
         s->duration, on);
}

/* It is ready: jobs that wait ask again. */
static void ready(json_int_t tag)
{
    send(FROM_MANAGER,
         "{\"topic\":\"job-manager.sched-ready\",\"matchtag\":%lld,"
         "\"payload\":{\"count\":0}}",
         (long long)tag);
    g.ready = true;
    for (int i = 0; i < JOBS; i++)
        if (g.jobs[i].state == WAITING)
            send_alloc(&g.jobs[i]);
}

static void scheduler_said(const char *line)
{
    json_t *m = json_loads(line, 0, NULL);
    const char *topic = json_string_value(json_object_get(m, "topic"));
    json_int_t tag = json_integer_value(json_object_get(m, "matchtag"));
    const json_t *payload = json_object_get(m, "payload");

    if (!must(topic, "said: %s", line))
        return;
    if (!strcmp(topic, "sched.alloc"))
        answered(payload);
    else if (!strcmp(topic, "sched.free"))
        g.owed_frees--;
    else if (!strcmp(topic, "job-manager.raise"))
        raised(payload);
    else if (!strcmp(topic, "job-manager.sched-hello"))
        hello(tag);
    else if (!strcmp(topic, "job-manager.sched-ready"))
        ready(tag);
    else if (!strcmp(topic, "sched.resource-status"))
        g.status = json_deep_copy(payload);
    json_decref(m);
}

static void scheduler_wrote(void)
{
    size_t at = 0;
    char *line;

    while ((line = next_line(&g.manager, &at))) {
        trace("scheduler says", line);
        scheduler_said(line);
    }
    at = 0;
    while ((line = next_line(&g.to_provider, &at))) {
        scheduler_asked(line);
        send(TO_PROVIDER, "%s", line);
    }
}

/* --- what the scheduler is told ------------------------------------------- */

/* Those on what is taken away now are to know. */
static void expect_raises(uint64_t before)
{
    uint64_t gone = before & ~belief_all(&g.belief);

    for (int i = 0; i < JOBS && !g.truth.current; i++)
        if (g.jobs[i].state == HOLDING && g.jobs[i].has.ranks & gone)
            g.jobs[i].must_raise = true;
}

static void expect_response(const json_t *m)
{
    const char *topic = json_string_value(json_object_get(m, "topic"));
    json_int_t tag = json_integer_value(json_object_get(m, "matchtag")),
               errnum = json_integer_value(json_object_get(m, "errnum"));
    uint64_t before = belief_all(&g.belief);

    if (errnum)
        must(g.any_dialect && !before && errnum == MESSAGE_EPROTO,
             "the provider refuses something");
    else if (!strcmp(topic, "resource.acquire"))
        must(belief_apply(&g.belief, g.tags[tag], json_object_get(m, "payload"))
                 == 0,
             "the provider says what can't be");
    expect_raises(before);
}

static void expect_free(const json_t *payload)
{
    struct job *job = find_job(payload);
    const json_t *R = json_object_get(payload, "R");
    uint64_t ranks = R ? read_R(R).ranks : ~UINT64_C(0);

    job->has = on_ranks(&job->has, ~ranks);
    if (!R || json_object_get(payload, "final"))
        end_job(job);
}

static void to_scheduler(const char *line, bool from_provider)
{
    json_t *m = json_loads(line, 0, NULL);
    const char *topic = json_string_value(json_object_get(m, "topic"));

    if (from_provider)
        expect_response(m);
    else if (!strcmp(topic, "sched.free"))
        expect_free(json_object_get(m, "payload"));
    g.scheduler->options.now = g.now;
    scheduler_line(g.scheduler,
                   from_provider ? SCHEDULER_PROVIDER : SCHEDULER_MANAGER, line,
                   strlen(line), 1);
    while (scheduler_more(g.scheduler))
        scheduler_serve(g.scheduler);
    json_decref(m);
    scheduler_wrote();
}

/* Lines come to where they go, from any way; all, or some of them. */
static void pass(bool all)
{
    while (!failed && (all || !one_in(4))) {
        int way = (int)random_below(WAYS);
        struct way *w = &g.ways[way];
        char *line;
        if (!g.ways[0].n && !g.ways[1].n && !g.ways[2].n)
            return;
        if (!w->n)
            continue;
        line = w->lines[0];
        memmove(w->lines, w->lines + 1, --w->n * sizeof(*w->lines));
        trace(way_names[way], line);
        if (way == TO_PROVIDER)
            to_provider(line);
        else
            to_scheduler(line, way == FROM_PROVIDER);
        free(line);
    }
}

#endif /* TEST_JOINED_GAME_H */
