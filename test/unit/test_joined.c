/*
 * The two sides of RFC 28 joined: a provider and a scheduler, which get each
 * other's lines, and a job manager, for an hour of simulated time with random
 * events, in both editions. Lines need time on their way. The scheduler is
 * right by the lines that have reached it:
 *
 *   - it gives nothing twice, nothing that it does not have, nothing offline;
 *   - it releases resources that were taken away, once, when they are free.
 *
 * Whenever no line is on its way, both agree on resources that are given, up
 * and taken away; the scheduler's all, down and allocated are right; each job
 * that lost something got one exception; no request waits that could be
 * answered; and the store lists those that wait.
 *
 * RSET_TRACE=1 shows all lines.
 */
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "protocol/provider.h"
#include "protocol/scheduler_private.h"
#include "sets.h"
#include "store/store.h"
#include "store_file.h"
#include "tap.h"

/* === joined world ======================================================= */

/*
 * For tests of the two sides of RFC 28: ranks as bits, resources as bits of
 * each rank; the expected state of a provider and of a scheduler after the
 * lines so far. Uses none of the library's sets.
 */

enum { NODES = 40, CORES = 6, GPUS = 2, GROUPS = 4 };
static const char *const groups[GROUPS] = {"default", "x", "y", "exclude"};
enum { DEFAULT = 0, EXCLUDE = GROUPS - 1 };

/* The bit of a rank. */
#define BIT(rank) (UINT64_C(1) << (rank))
#define EACH_RANK(rank, ranks)               \
    for (int rank = 0; rank < NODES; rank++) \
        if ((ranks) >> rank & 1)

struct units {
    unsigned core, gpu; /* ids, by bits */
};

/* A part of the resources: units of each rank, or none. */
struct held {
    uint64_t ranks;
    struct units on[NODES];
};

/* Some of these, usually few. */
static uint64_t some_of(uint64_t ranks)
{
    uint64_t some = ranks
                    & ((uint64_t)random_below(1 << 20) << 20
                       | random_below(1 << 20));

    for (uint32_t n = random_below(5); n > 0; n--)
        some &= (uint64_t)random_below(1 << 20) << 20 | random_below(1 << 20);
    return some ? some : ranks & BIT(random_below(NODES));
}

static int count(uint64_t bits)
{
    return __builtin_popcountll(bits);
}

/* --- reading and writing -------------------------------------------------- */

struct text {
    char text[512];
};

static struct text ids_text(uint64_t ids)
{
    struct text t = {""};
    size_t len = 0;

    for (int i = 0; i < 64; i++)
        if (ids >> i & 1)
            len += (size_t)snprintf(t.text + len, sizeof(t.text) - len, "%s%d",
                                    len ? "," : "", i);
    return t;
}

static uint64_t read_ids(const json_t *value)
{
    const char *text = json_string_value(value);
    uint64_t ids = 0;

    while (text && *text) {
        char *end;
        unsigned long lo = strtoul(text, &end, 10), hi = lo;
        if (*end == '-')
            hi = strtoul(end + 1, &end, 10);
        for (; lo <= hi && lo < 64; lo++)
            ids |= BIT(lo);
        text = *end == ',' ? end + 1 : end;
    }
    return ids;
}

/* Read the R_lite of an R. */
static struct held read_R(const json_t *R)
{
    const json_t *entry,
        *list = json_object_get(json_object_get(R, "execution"), "R_lite");
    struct held held = {0};
    size_t i;

    json_array_foreach (list, i, entry) {
        const json_t *children = json_object_get(entry, "children");
        uint64_t ranks = read_ids(json_object_get(entry, "rank"));
        held.ranks |= ranks;
        EACH_RANK(r, ranks)
        {
            held.on[r].core |= (unsigned)read_ids(
                json_object_get(children, "core"));
            held.on[r].gpu |= (unsigned)read_ids(
                json_object_get(children, "gpu"));
        }
    }
    return held;
}

static double read_end(const json_t *R)
{
    return json_number_value(
        json_object_get(json_object_get(R, "execution"), "expiration"));
}

/* Write an R, for free(). Its hosts are named after their ranks. */
static char *R_text(const struct held *held)
{
    const char *sep = "";
    char *text = NULL;
    size_t len;
    FILE *fp = open_memstream(&text, &len);

    fputs("{\"version\":1,\"execution\":{\"R_lite\":[", fp);
    EACH_RANK(r, held->ranks)
    {
        fprintf(fp, "%s{\"rank\":\"%d\",\"children\":{\"core\":\"%s\"", sep, r,
                ids_text(held->on[r].core).text);
        if (held->on[r].gpu)
            fprintf(fp, ",\"gpu\":\"%s\"", ids_text(held->on[r].gpu).text);
        fputs("}}", fp);
        sep = ",";
    }
    fputs("],\"nodelist\":[", fp);
    if (held->ranks)
        fprintf(fp, "\"n[%s]\"", ids_text(held->ranks).text);
    fputs("]}}", fp);
    fclose(fp);
    return text;
}

/* --- parts ---------------------------------------------------------------- */

static struct held on_ranks(const struct held *held, uint64_t ranks)
{
    struct held part = {.ranks = held->ranks & ranks};

    EACH_RANK(r, part.ranks)
    part.on[r] = held->on[r];
    return part;
}

/* The common part. A rank without units is in none. */
static struct held in_both(const struct held *a, const struct held *b)
{
    struct held both = {0};

    EACH_RANK(r, a->ranks & b->ranks)
    {
        both.on[r].core = a->on[r].core & b->on[r].core;
        both.on[r].gpu = a->on[r].gpu & b->on[r].gpu;
        if (both.on[r].core | both.on[r].gpu)
            both.ranks |= BIT(r);
    }
    return both;
}

static void add_held(struct held *to, const struct held *more)
{
    to->ranks |= more->ranks;
    EACH_RANK(r, more->ranks)
    {
        to->on[r].core |= more->on[r].core;
        to->on[r].gpu |= more->on[r].gpu;
    }
}

static bool same_held(const struct held *a, const struct held *b)
{
    return a->ranks == b->ranks && !memcmp(a->on, b->on, sizeof(a->on));
}

/* --- the expected provider
   ------------------------------------------------- */

enum { OFFLINE, TORPID, DRAINED, REASONS };

struct truth {
    bool current;
    struct held all;
    uint64_t member[GROUPS], given[GROUPS], owed[GROUPS];
    bool acquired[GROUPS];
    uint64_t down[REASONS];
    double end; /* end of the set; 0: none */
};

static uint64_t truth_up(const struct truth *t)
{
    return ~(t->down[OFFLINE] | t->down[TORPID] | t->down[DRAINED]);
}

static uint64_t all_owed(const struct truth *t)
{
    return t->owed[0] | t->owed[1] | t->owed[2] | t->owed[3];
}

static uint64_t all_given(const struct truth *t)
{
    return t->given[0] | t->given[1] | t->given[2] | t->given[3];
}

/* Give targets that nobody owes; in the current edition not in the same
   moment. */
static void truth_give(struct truth *t)
{
    for (int g = 0; g < GROUPS && !t->current; g++)
        if (t->acquired[g])
            t->given[g] |= t->member[g] & ~all_owed(t);
}

static void truth_acquire(struct truth *t, int group)
{
    t->acquired[group] = true;
    if (t->current)
        t->given[group] = t->member[group];
    truth_give(t);
}

/* Move members of a group (-1: of any) with these ranks. */
static void truth_move(struct truth *t, uint64_t ranks, int from, int to)
{
    uint64_t moved = ranks & t->all.ranks & ~t->member[to];

    if (from >= 0)
        moved &= t->member[from];
    for (int g = 0; g < GROUPS; g++) {
        if (!t->current)
            t->owed[g] |= t->given[g] & moved;
        t->given[g] &= ~moved;
        t->member[g] &= ~moved;
    }
    t->member[to] |= moved;
    truth_give(t);
}

static bool truth_release(struct truth *t, int group, uint64_t ranks)
{
    if (t->current || !ranks || ranks & ~t->owed[group])
        return false;
    t->owed[group] &= ~ranks;
    truth_give(t);
    return true;
}

static void truth_disconnect(struct truth *t)
{
    memset(t->given, 0, sizeof(t->given));
    memset(t->owed, 0, sizeof(t->owed));
    memset(t->acquired, 0, sizeof(t->acquired));
}

/* --- the expected scheduler
   ------------------------------------------------ */

/* The state according to the lines that it got. */
struct belief {
    uint64_t has[GROUPS], up;
    uint64_t lost[GROUPS]; /* taken away and not released */
    double end;
};

static uint64_t belief_all(const struct belief *b)
{
    return b->has[0] | b->has[1] | b->has[2] | b->has[3];
}

static int belief_grow(struct belief *b, int group, const json_t *payload,
                       const char *up)
{
    const json_t *R = json_object_get(payload, "resources");
    uint64_t ranks = read_R(R).ranks;

    if (!ranks || ranks & belief_all(b))
        return -1;
    b->has[group] |= ranks;
    b->lost[group] &= ~ranks;
    b->up = (b->up & ~ranks) | read_ids(json_object_get(payload, up));
    b->end = read_end(R);
    return 0;
}

static int belief_shrink(struct belief *b, int group, uint64_t ranks)
{
    if (!ranks || ranks & ~b->has[group])
        return -1;
    b->has[group] &= ~ranks;
    b->up &= ~ranks;
    b->lost[group] |= ranks;
    return 0;
}

static int belief_current(struct belief *b, const json_t *payload)
{
    const json_t *end = json_object_get(payload, "expiration"),
                 *shrink = json_object_get(payload, "shrink");

    if (json_object_get(payload, "resources"))
        return belief_grow(b, DEFAULT, payload, "up");
    if (end)
        b->end = json_number_value(end);
    b->up |= read_ids(json_object_get(payload, "up"));
    b->up &= ~read_ids(json_object_get(payload, "down"));
    return shrink ? belief_shrink(b, DEFAULT, read_ids(shrink)) : 0;
}

/* Apply a response to resource.acquire; -1: it is not one, or not allowed
   now. */
static int belief_apply(struct belief *b, int group, const json_t *payload)
{
    const char *type = json_string_value(json_object_get(payload, "type"));
    uint64_t ranks = read_ids(json_object_get(payload, "targets"));

    if (!type)
        return belief_current(b, payload);
    if (!strcmp(type, "grow"))
        return belief_grow(b, group, payload, "online");
    if (!strcmp(type, "shrink"))
        return belief_shrink(b, group, ranks);
    if (!ranks || ranks & ~b->has[group])
        return -1;
    b->up = !strcmp(type, "online") ? b->up | ranks : b->up & ~ranks;
    return 0;
}

/* === joined game ======================================================== */

/*
 * The game of test_joined.c: a provider, a scheduler and a job manager, the
 * lines on their way between them, and the expected lines, when they are sent
 * and when they arrive.
 */

enum { JOBS = 40 };

/* Where the allocations of jobs are kept while the scheduler is down. */
enum memory { IN_HELLO, IN_STORE, IN_FOLDER, MEMORIES };

/* The request of a job: slots in nodes, or nodes, on some of the ranks. */
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
    char *R;               /* the R that was given */
    struct held has, gone; /* what was not there when the scheduler began */
    uint64_t freed;
    bool leaves; /* it was freed or cancelled */
    bool lacks;  /* some of it was taken away since the scheduler began */
    bool must_raise, raised;
};

/* Lines on their way: to the provider, and to the scheduler from either. */
enum { TO_PROVIDER, FROM_PROVIDER, FROM_MANAGER, WAYS };
static const char *const way_names[WAYS] = {
    "scheduler to provider", "provider to scheduler", "manager to scheduler"};

struct way {
    char *lines[4000];
    size_t n;
};

/* The output of one side. */
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
    struct keeper *keeper; /* the store of the scheduler, if it has one */
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
static bool failed; /* this game has failed */
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

/* How many slots or nodes of a shape fit into a rank, beside the used units? */
static int room(const struct shape *s, int rank, struct units used)
{
    struct units all = g.truth.all.on[rank];
    int cores = count(all.core & ~used.core) / s->cores,
        gpus = s->gpus ? count(all.gpu & ~used.gpu) / s->gpus : cores,
        slots = gpus < cores ? gpus : cores;

    return s->nodes ? slots > 0 && !(used.core | used.gpu) : slots;
}

/* Is there enough on some ranks, beside the used units? */
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

/* --- lines on their way
   ---------------------------------------------------- */

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

/* Return the next line, NULL: no more. *at is its beginning. */
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

/* --- lines from the provider ---------------------------------------------- */

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

/* A request arrives at the provider. */
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
             "a release of targets that were not taken away");
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

/* --- lines from the scheduler --------------------------------------------- */

/* The scheduler sends a request to the provider. */
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
        must(!(ranks & all_held().ranks), "a release of held resources: %s",
             line);
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
    job->gone = (struct held){0};
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

/* The scheduler begins: tell it about jobs, as far as their resources exist. */
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
        job->gone = on_ranks(&had, ~job->has.ranks);
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

/* It is ready: waiting jobs send their requests again. */
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

/* --- lines to the scheduler ----------------------------------------------- */

/* Jobs on targets that are taken away now get an exception. */
static void expect_raises(uint64_t before)
{
    uint64_t gone = before & ~belief_all(&g.belief);

    for (int i = 0; i < JOBS && !g.truth.current; i++)
        if (g.jobs[i].state == HOLDING && g.jobs[i].has.ranks & gone)
            g.jobs[i].must_raise = true;
}

/* Jobs get back what was not there when the scheduler began. */
static void expect_back(void)
{
    uint64_t ranks = belief_all(&g.belief);
    struct held there = on_ranks(&g.truth.all, ranks);

    for (int i = 0; i < JOBS; i++) {
        struct held back = in_both(&g.jobs[i].gone, &there);
        if (g.jobs[i].state != HOLDING)
            continue;
        add_held(&g.jobs[i].has, &back);
        g.jobs[i].gone = on_ranks(&g.jobs[i].gone, ~ranks);
    }
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
    expect_back();
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

/* Deliver lines from all ways: all of them, or some. */
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

enum { HOUR = 3600 };

/* --- quiet moments -------------------------------------------------------- */

static void check_status(void)
{
    const struct truth *t = &g.truth;
    struct held all, down, allocated, want;
    json_t *R;

    send(FROM_MANAGER, "{\"topic\":\"sched.resource-status\",\"matchtag\":99}");
    pass(true);
    if (!must(g.status, "no status"))
        return;
    all = read_R(R = json_object_get(g.status, "all"));
    want = on_ranks(&t->all, all_given(t));
    must(!t->current || g.belief.end == t->end, "the end is %.0f", t->end);
    must(same_held(&all, &want), "all is %s", ids_text(all.ranks).text);
    must(read_end(R) == g.belief.end, "it ends at %.0f", read_end(R));
    down = read_R(json_object_get(g.status, "down"));
    want = on_ranks(&t->all, all_given(t) & ~truth_up(t));
    must(same_held(&down, &want), "down is %s", ids_text(down.ranks).text);
    allocated = read_R(json_object_get(g.status, "allocated"));
    want = all_held();
    must(same_held(&allocated, &want), "allocated is %s",
         ids_text(allocated.ranks).text);
    json_decref(g.status);
    g.status = NULL;
}

static void check_lost(void)
{
    struct held used = all_held();

    for (int i = 0; i < GROUPS; i++) {
        must(g.belief.has[i] == g.truth.given[i], "group %s has %s, not %s",
             groups[i], ids_text(g.belief.has[i]).text,
             ids_text(g.truth.given[i]).text);
        must(g.truth.current || g.belief.lost[i] == g.truth.owed[i],
             "group %s owes %s", groups[i], ids_text(g.truth.owed[i]).text);
        must(!(g.truth.owed[i] & ~used.ranks), "%s are free, and not released",
             ids_text(g.truth.owed[i] & ~used.ranks).text);
    }
}

static bool is_before(const struct job *a, const struct job *b)
{
    if (a->priority != b->priority)
        return a->priority > b->priority;
    if (a->submitted != b->submitted)
        return a->submitted < b->submitted;
    return a->id < b->id;
}

/* Units that can't be given. A job's whole node may have more units by now. */
static struct held all_used(void)
{
    struct held used = all_held();

    for (int i = 0; i < JOBS; i++)
        EACH_RANK(r, g.jobs[i].shape.nodes ? g.jobs[i].has.ranks : 0)
    used.on[r] = g.truth.all.on[r];
    return used;
}

static void check_jobs(void)
{
    struct held used = all_used();
    const struct job *first = NULL;

    for (int i = 0; i < JOBS; i++) {
        const struct job *job = &g.jobs[i];
        must(job->raised == job->must_raise, "job %lld is not raised",
             (long long)job->id);
        if (job->state != WAITING)
            continue;
        must(!job->leaves, "job %lld is not canceled", (long long)job->id);
        must(is_possible(job), "job %lld waits for ever", (long long)job->id);
        if (!first || is_before(job, first))
            first = job;
    }
    must(
        !first || g.truth.end > 0
            || !fits(&first->shape, belief_all(&g.belief) & g.belief.up, &used),
        "job %lld waits, and fits", (long long)(first ? first->id : 0));
    must(g.owed_frees == 0, "a sched.free is not answered");
}

static void __attribute__((noreturn)) die(struct diag *d)
{
    printf("Bail out! %s\n", d->text);
    exit(1);
}

static const struct store_options store_how = {
    .fail = die, .wait = 1, .keep = 10};

static void check_row(const struct pending_row *row, void *arg)
{
    const struct job *job = NULL;

    for (int i = 0; i < JOBS; i++)
        if (g.jobs[i].state == WAITING && g.jobs[i].id == row->id)
            job = &g.jobs[i];
    must(job && row->priority == job->priority
             && fabs(row->submitted - job->submitted) < 0.05,
         "job %lld waits in the store", (long long)row->id);
    ++*(int *)arg;
}

/* The store lists the jobs that wait. */
static void check_pending(void)
{
    struct store *s;
    int rows = 0, waiting = 0;

    if (!g.keeper)
        return;
    s = store_open(store_file, STORE_READ, &store_how);
    store_each_pending(s, check_row, &rows);
    store_close(s);
    for (int i = 0; i < JOBS; i++)
        waiting += g.jobs[i].state == WAITING;
    must(rows == waiting, "%d jobs wait, %d in the store", waiting, rows);
}

static void quiet(void)
{
    pass(true);
    must(g.ready && scheduler_fine(g.scheduler), "the scheduler is not ready");
    check_status();
    check_lost();
    check_jobs();
    scheduler_keep(g.scheduler);
    check_pending();
}

/* --- events --------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static void event(const char *name,
                                                        const char *fmt, ...)
{
    char context[1024], line[2048];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(context, sizeof(context), fmt, ap);
    va_end(ap);
    snprintf(line, sizeof(line),
             "{\"timestamp\":%.1f,\"name\":\"%s\",\"context\":{%s}}", g.now,
             name, context);
    trace("event", line);
    to_provider(line);
}

static void happen_state(void)
{
    static const char *const names[REASONS][2] = {
        {"online", "offline"}, {"lively", "torpid"}, {"undrain", "drain"}};
    int reason = (int)random_below(REASONS), is = !one_in(2);
    uint64_t ranks = some_of(g.truth.all.ranks), *down = &g.truth.down[reason];

    *down = is ? *down | ranks : *down & ~ranks;
    event(names[reason][is], "\"idset\":\"%s\"", ids_text(ranks).text);
}

static void happen_restart(void)
{
    uint64_t all = g.truth.all.ranks, online = all & ~some_of(all);

    g.truth.down[OFFLINE] = ~online;
    g.truth.down[TORPID] = 0;
    event("restart",
          "\"ranks\":\"%s\",\"nodelist\":\"n[%s]\",\"online\":\"%s\"",
          ids_text(all).text, ids_text(all).text, ids_text(online).text);
}

static void happen_move(void)
{
    uint64_t ranks = some_of(g.truth.all.ranks);
    int to = (int)random_below(GROUPS);
    struct text ids = ids_text(ranks);

    if (to == DEFAULT && one_in(2)) {
        truth_move(&g.truth, ranks, EXCLUDE, DEFAULT);
        event("include", "\"idset\":\"%s\"", ids.text);
        return;
    }
    truth_move(&g.truth, ranks, -1, to);
    if (to == EXCLUDE)
        event("exclude", "\"idset\":\"%s\"", ids.text);
    else
        event("assign", "\"idset\":\"%s\",\"group\":\"%s\"", ids.text,
              groups[to]);
}

static void happen_end(void)
{
    double end = one_in(2) ? 0 : floor(g.now) + 50 + (double)random_below(500);

    g.truth.end = end;
    event("resource-update", "\"expiration\":%.0f", end);
}

/* --- the job manager ------------------------------------------------------ */

static struct job *random_job(enum job_state state)
{
    uint32_t at = random_below(JOBS);

    for (uint32_t i = 0; i < JOBS; i++) {
        struct job *job = &g.jobs[(at + i) % JOBS];
        if (job->state == state && !job->leaves)
            return job;
    }
    return NULL;
}

static void submit(void)
{
    struct job *job = random_job(NONE);
    int most = one_in(8) ? CORES : 2;

    if (!job)
        return;
    *job = (struct job){
        .state = WAITING,
        .id = 1 + (job - g.jobs),
        .priority = one_in(4) ? random_below(20) : 16,
        .submitted = g.now,
        .shape = {.nodes = one_in(4),
                  .count = 1 + (int)random_below(one_in(8) ? 80 : 4),
                  .cores = 1 + (int)random_below((unsigned)most),
                  .gpus = one_in(4) ? 1 : 0,
                  .on = one_in(5) ? some_of(g.truth.all.ranks) : ~UINT64_C(0),
                  .duration = one_in(2) ? 0 : 1 + (int)random_below(500)}};
    if (g.ready)
        send_alloc(job);
}

static void cancel(void)
{
    struct job *job = random_job(WAITING);

    if (!job || !g.ready)
        return;
    job->leaves = true;
    send(FROM_MANAGER, "{\"topic\":\"sched.cancel\",\"payload\":{\"id\":%lld}}",
         (long long)job->id);
}

static void prioritize(void)
{
    struct job *job = random_job(WAITING);

    if (!job)
        return;
    job->priority = random_below(30);
    send(FROM_MANAGER,
         "{\"topic\":\"sched.prioritize\",\"payload\":{\"jobs\":[[%lld,%u]]}}",
         (long long)job->id, job->priority);
}

/* Free a job. In the current edition maybe a part, which is not the last
   one. */
static void free_job(struct job *job, bool whole)
{
    struct held left, part;
    char *R;

    if (!job || !g.ready)
        return;
    left = on_ranks(&job->has, ~job->freed);
    part = on_ranks(&left, some_of(left.ranks));
    if (whole || !g.truth.current || !part.ranks || part.ranks == left.ranks)
        part = left;
    job->leaves = part.ranks == left.ranks;
    job->freed |= part.ranks;
    R = R_text(&part);
    if (g.truth.current)
        send(FROM_MANAGER,
             "{\"topic\":\"sched.free\",\"payload\":{\"id\":%lld,\"R\":%s%s}}",
             (long long)job->id, R, job->leaves ? ",\"final\":true" : "");
    else
        send(FROM_MANAGER,
             "{\"topic\":\"sched.free\",\"payload\":{\"id\":%lld}}",
             (long long)job->id);
    g.owed_frees += !g.truth.current;
    free(R);
}

/* --- beginning and end ---------------------------------------------------- */

static void log_nothing(const char *text)
{
    trace("provider", text);
}

static void log_errors(enum log_level level, const char *text, void *arg)
{
    (void)arg;
    trace("scheduler", text);
    must(level != LEVEL_ERROR, "%s", text);
}

/* Write the summary that the job manager needs to ask for an R. */
static int write_summary(struct rset *R, FILE *fp, struct diag *d)
{
    size_t len;
    char *text = rset_text(R, &(struct rset_style){.form = FORM_R}, &len, d);

    if (text)
        fputs(text, fp);
    free(text);
    return text ? 0 : -1;
}

/* Make resources with few kinds of nodes. */
static void make_resources(int nodes)
{
    struct held *all = &g.truth.all;

    *all = (struct held){0};
    for (int r = 0; r < nodes; r++) {
        unsigned kind = random_below(nodes > 3 ? 3 : CORES);
        if (nodes > 1 && one_in(8))
            continue;
        all->ranks |= BIT(r);
        all->on[r].core = (2U << (CORES - 1 - kind)) - 1;
        all->on[r].gpu = (1U << kind % (GPUS + 1)) - 1;
    }
    if (!all->ranks)
        make_resources(nodes);
}

static void begin_provider(void)
{
    struct provider_options o = {.dialect = g.truth.current ? DIALECT_CURRENT
                                                            : DIALECT_SEED,
                                 .out = g.provider_out.fp,
                                 .log = log_nothing,
                                 .offline = one_in(4)};
    char *text = R_text(&g.truth.all), *graph;

    g.rs = read_set(text);
    if (g.graph) {
        graph = write_set(g.rs, FORM_JGF);
        rset_destroy(g.rs);
        g.rs = read_set(graph);
        free(graph);
    }
    free(text);
    g.provider = provider_create(g.rs, &o);
    memset(g.truth.down, 0, sizeof(g.truth.down));
    g.truth.down[OFFLINE] = o.offline ? ~UINT64_C(0) : 0;
    memset(g.truth.member, 0, sizeof(g.truth.member));
    g.truth.member[DEFAULT] = g.truth.all.ranks;
    g.truth.end = 0;
}

static void end_provider(void)
{
    provider_destroy(g.provider);
    rset_destroy(g.rs);
}

/* Make some groups that have members. There is one, or default gets all. */
static void choose_groups(void)
{
    int n = 0;

    for (int i = 0; i < GROUPS; i++)
        if (g.truth.member[i] && !one_in(3) && (!g.truth.current || i == 0)
            && (!g.any_dialect || i == 0))
            g.wanted[n++] = groups[i];
    g.wanted[n] = NULL;
    if (n > 0)
        return;
    truth_move(&g.truth, g.truth.all.ranks, -1, DEFAULT);
    event("assign", "\"idset\":\"%s\",\"group\":\"default\"",
          ids_text(g.truth.all.ranks).text);
    g.wanted[0] = groups[DEFAULT];
    g.wanted[1] = NULL;
}

static void begin_scheduler(void)
{
    struct scheduler_options o = {.dialect = g.truth.current ? DIALECT_CURRENT
                                                             : DIALECT_SEED,
                                  .any_dialect = g.any_dialect,
                                  .groups = g.wanted,
                                  .manager = g.manager.fp,
                                  .provider = g.to_provider.fp,
                                  .fail = die,
                                  .burst = random_below(3),
                                  .now = g.now,
                                  .most = LEVEL_DEBUG,
                                  .log = log_errors,
                                  .summary = write_summary};

    choose_groups();
    if (g.memory == IN_STORE) {
        struct store *store = NULL;
        if (access(store_file, F_OK) == 0)
            store = store_open(store_file, STORE_LEASE, &store_how);
        g.keeper = scheduler_store(store, store_file, &store_how);
        o.keeper = g.keeper;
    }
    if (g.memory == IN_FOLDER)
        o.kvs = store_folder;
    g.belief = (struct belief){0};
    g.ready = false;
    g.scheduler = scheduler_create(&o);
    scheduler_start(g.scheduler);
    scheduler_wrote();
}

/* Jobs that lack something are killed, because another job may have it. */
static void end_scheduler(void)
{
    quiet();
    for (int i = 0; i < JOBS; i++)
        if (g.jobs[i].lacks && !g.jobs[i].leaves)
            free_job(&g.jobs[i], true);
    quiet();
    scheduler_end(g.scheduler);
    scheduler_wrote();
    pass(true);
    scheduler_destroy(g.scheduler);
    free(g.keeper);
    g.keeper = NULL;
}

/* A scheduler begins again, often after a provider with other resources. */
static void begin_again(int nodes)
{
    end_scheduler();
    if (one_in(2)) {
        end_provider();
        if (one_in(2))
            make_resources(nodes);
        begin_provider();
    }
    begin_scheduler();
}

/* --- games ---------------------------------------------------------------- */

static void step(int nodes)
{
    uint32_t what = random_below(100);

    if (what < 20)
        happen_state();
    else if (what < 30 && g.ready)
        happen_move();
    else if (what < 32)
        happen_restart();
    else if (what < 34)
        happen_end();
    else if (what < 60)
        submit();
    else if (what < 90)
        free_job(random_job(HOLDING), one_in(3));
    else if (what < 94)
        cancel();
    else if (what < 98)
        prioritize();
    else if (one_in(3))
        begin_again(nodes);
    pass(false);
}

static void output_open(struct output *o)
{
    o->fp = open_memstream(&o->text, &o->len);
}

static void output_close(struct output *o)
{
    fclose(o->fp);
    free(o->text);
}

/* Remove the R of the remaining jobs, and the store. */
static void remove_files(void)
{
    char name[80];

    for (int i = 0; i < JOBS; i++) {
        snprintf(name, sizeof(name), "%s/%d.json", store_folder, i + 1);
        unlink(name);
    }
    store_remove();
}

static void end_game(void)
{
    scheduler_destroy(g.scheduler);
    free(g.keeper);
    end_provider();
    output_close(&g.provider_out);
    output_close(&g.manager);
    output_close(&g.to_provider);
    for (int i = 0; i < WAYS; i++)
        while (g.ways[i].n > 0)
            free(g.ways[i].lines[--g.ways[i].n]);
    for (int i = 0; i < JOBS; i++)
        end_job(&g.jobs[i]);
    json_decref(g.status);
    remove_files();
}

static void play(bool current, int nodes, double seconds)
{
    g = (struct game){.now = 1e9,
                      .truth.current = current,
                      .memory = (enum memory)random_below(MEMORIES),
                      .graph = one_in(2),
                      .any_dialect = one_in(3)};
    failed = false;
    output_open(&g.provider_out);
    output_open(&g.manager);
    output_open(&g.to_provider);
    make_resources(nodes);
    begin_provider();
    begin_scheduler();
    while (g.now < 1e9 + seconds && !failed) {
        g.now = round(10 * g.now + random_below(40)) / 10; /* as R has it */
        step(nodes);
        if (one_in(3) && !failed)
            quiet();
    }
    end_game();
}

int main(void)
{
    static const int sizes[] = {1, 3, NODES};
    double seconds = (double)random_start(HOUR / 4);

    tracing = getenv("RSET_TRACE");
    store_begin();
    for (int current = 0; current < 2; current++)
        for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
            play(current, sizes[i], seconds);
            ok(!failed, "%s, %d nodes: both sides agree for %.0f s",
               current ? "the current edition" : "the seed's edition", sizes[i],
               seconds);
        }
    return done_testing();
}
