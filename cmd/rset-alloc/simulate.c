/* A simulated scheduler (simulate.h). It is called as a service is, with the
   lines of a job manager, so that what is simulated is what is served. */
#include "simulate.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/time.h"
#include "compare/job_R.h"
#include "model/change/select.h"
#include "model/records/jobs.h"
#include "model/records/usage.h"
#include "model/tree/properties.h"
#include "schedule/ledger.h"

struct player {
    struct simulation *s;
    struct scheduler *scheduler;
    FILE *answers;
    char *text; /* answers that have not been read */
    size_t len, room;
    uint64_t lines;
    struct treap running; /* jobs by their ends */
    size_t waiting;
    uint64_t busy;           /* cores */
    double *windows;         /* when reservations of the site end, ascending */
    size_t nwindows, window; /* the next one */
    uint64_t per_node;       /* cores of the smallest node */
    struct diag *d;          /* set by the first fault */
};

/* --- running jobs --------------------------------------------------------- */

static int compare_ends(const struct treap *t, const struct treap_node *a,
                        const struct treap_node *b)
{
    const struct outcome *x = (const struct outcome *)a,
                         *y = (const struct outcome *)b;
    int order = COMPARE(x->end, y->end);

    (void)t;
    return order ? order : COMPARE(x, y);
}

static const struct treap_rules by_end = {.compare = compare_ends};

/* Return the running job that ends first, or NULL if none runs. */
static struct outcome *first_running(const struct player *p)
{
    struct treap_node *at = p->running.root;

    while (at && at->left)
        at = at->left;
    return (struct outcome *)at;
}

/* --- answers -------------------------------------------------------------- */

static ssize_t take_bytes(void *arg, const char *bytes, size_t n)
{
    struct player *p = arg;

    VECTOR_ROOM(p->text, p->room, p->len + n);
    memcpy(p->text + p->len, bytes, n);
    p->len += n;
    return (ssize_t)n;
}

/* Write the number of nodes and cores of a job in place of its resources. */
static int summarize(struct rset *R, FILE *fp, struct diag *d)
{
    struct vertex **targets;
    size_t n = rset_targets(R, &targets);
    uint64_t cores = 0;

    (void)d;
    for (size_t i = 0; i < n; i++)
        cores += rset_count(R, targets[i], "core");
    free(targets);
    fprintf(fp, "%llu %llu\n",
            (unsigned long long)(R->ranks ? idset_count(R->ranks) : n),
            (unsigned long long)cores);
    return 0;
}

/* Put a job into the saved set. */
static void save_job(struct player *p, size_t i, const json_t *R)
{
    const struct trace_job *job = &p->s->trace->jobs[i];
    const struct outcome *o = &p->s->jobs[i];
    struct term terms = {.owner = job->owner,
                         .queue = job->queue ? job->queue : job->part,
                         .start = o->start,
                         .end = o->end,
                         .reserved = true};
    char *text = json_dumps(R, JSON_COMPACT);
    struct rset *part = job_R_read(text, strlen(text), "R", NULL, p->d);

    if (part && !time_span_fault(terms.start, terms.end))
        free(job_R_hold(usage_begin(p->s->saved), job->name, part, &terms, 0));
    rset_destroy(part);
    free(text);
}

static void take_answer(struct player *p, const json_t *payload)
{
    struct simulation *s = p->s;
    int64_t id = json_integer_value(json_object_get(payload, "id"));
    int64_t type = json_integer_value(json_object_get(payload, "type"));
    const json_t *sched = json_object_get(
        json_object_get(payload, "annotations"), "sched");
    const char *summary = json_string_value(
        json_object_get(sched, "resource_summary"));
    struct outcome *o = &s->jobs[id - 1];
    char *rest;

    if (type == 0) {
        o->start = s->now;
        o->end = s->now + s->trace->jobs[id - 1].run;
        o->nodes = (uint32_t)strtoul(summary, &rest, 10);
        o->cores = (uint32_t)strtoul(rest, NULL, 10);
        treap_insert(&p->running, &o->node);
        p->waiting--;
        p->busy += o->cores;
        if (s->saved)
            save_job(p, (size_t)id - 1, json_object_get(payload, "R"));
    } else if (type == 2) {
        o->denied = true;
        s->ndenied++;
        p->waiting--;
    }
}

static void read_answers(struct player *p)
{
    char *line, *end;

    fflush(p->answers); /* whole lines */
    for (line = p->text; line < p->text + p->len; line = end + 1) {
        json_t *m;
        const char *topic;
        end = memchr(line, '\n', p->len - (size_t)(line - p->text));
        m = json_loadb(line, (size_t)(end - line), 0, NULL);
        topic = json_string_value(json_object_get(m, "topic"));
        if (topic && !strcmp(topic, "sched.alloc"))
            take_answer(p, json_object_get(m, "payload"));
        json_decref(m);
    }
    p->len = 0;
}

/* --- lines ---------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static void
send_line(struct player *p, const char *fmt, ...)
{
    char *text;
    va_list ap;
    int len;

    va_start(ap, fmt);
    len = xvasprintf(&text, fmt, ap);
    va_end(ap);
    scheduler_line(p->scheduler, SCHEDULER_MANAGER, text, (size_t)len,
                   ++p->lines);
    free(text);
}

/* Return the constraint of a queue or partition: as the caller says, or the
   property of this name, if the machine has it. A new string; NULL: none. */
static char *constraint_of(const struct simulation *s, const char *name)
{
    char *text = NULL;

    for (size_t i = 0; name && i < s->nbounds; i++)
        if (!strcmp(s->bounds[i].name, name))
            return xstrdup(s->bounds[i].constraint);
    if (name && rset_ranks_with(s->machine, name)) {
        json_t *list = json_pack("{s:[s]}", "properties", name);
        text = json_dumps(list, JSON_COMPACT);
        json_decref(list);
    }
    return text;
}

/* Return the resources of a job's request, a new string. */
static char *resources_of(const struct player *p, const struct trace_job *job)
{
    static const char slot[] = "\"label\":\"task\",\"with\":[{\"type\":"
                               "\"core\",\"count\":1}]}";
    bool nodes = p->s->shape == AS_NODES
                 || (p->s->shape == AS_TRACE && job->cores == 0);
    uint64_t cores = job->cores ? job->cores : job->nodes * p->per_node,
             n = job->cores ? (cores + p->per_node - 1) / p->per_node
                            : job->nodes;
    char *text;

    if (nodes)
        xasprintf(&text,
                  "{\"type\":\"node\",\"count\":%llu,\"exclusive\":true,"
                  "\"with\":[{\"type\":\"slot\",\"count\":1,%s]}",
                  (unsigned long long)n, slot);
    else
        xasprintf(&text, "{\"type\":\"slot\",\"count\":%llu,%s",
                  (unsigned long long)cores, slot);
    return text;
}

static void submit(struct player *p, size_t i)
{
    const struct trace_job *job = &p->s->trace->jobs[i];
    const char *name = job->queue ? job->queue : job->part;
    char *resources = resources_of(p, job),
         *bounds = constraint_of(p->s, job->queue);
    json_t *word = json_string(name ? name : "");
    char *queue = json_dumps(word, JSON_ENCODE_ANY);

    if (!bounds)
        bounds = constraint_of(p->s, job->part);
    p->waiting++;
    send_line(
        p,
        "{\"topic\":\"sched.alloc\",\"payload\":{\"id\":%zu,\"priority\":16,"
        "\"userid\":0,\"t_submit\":%.17g,\"jobspec\":{\"version\":1,"
        "\"resources\":[%s],\"tasks\":[{\"command\":[\"a\"],\"slot\":"
        "\"task\",\"count\":{\"per_slot\":1}}],\"attributes\":{\"system\":{"
        "\"duration\":%.17g%s%s%s%s}}}}}",
        i + 1, job->submitted, resources, job->limit, name ? ",\"queue\":" : "",
        name ? queue : "", bounds ? ",\"constraints\":" : "",
        bounds ? bounds : "");
    free(resources);
    free(bounds);
    free(queue);
    json_decref(word);
}

/* --- the clock ------------------------------------------------------------ */

static void play(struct player *p)
{
    struct simulation *s = p->s;
    const struct trace *t = s->trace;
    size_t next = 0;

    s->now = s->first = t->jobs[0].submitted;
    while ((next < t->n || p->running.root
            || (p->waiting > 0 && p->window < p->nwindows))
           && scheduler_fine(p->scheduler) && !(s->stopped && s->stopped())) {
        double at = next < t->n ? t->jobs[next].submitted : INFINITY;
        struct outcome *o = first_running(p);
        if (o)
            at = fmin(at, o->end);
        if (p->window < p->nwindows)
            at = fmin(at, p->windows[p->window]);
        at = fmax(at, s->now);
        s->used += (double)p->busy * (at - s->now);
        if (p->waiting > 0)
            s->lost += ((double)s->capacity - (double)p->busy) * (at - s->now);
        s->now = at;

        send_line(p, "{\"topic\":\"sched.clock\",\"payload\":{\"now\":%.17g}}",
                  s->now);
        while (p->window < p->nwindows && p->windows[p->window] <= s->now)
            p->window++;
        for (; o && o->end <= s->now; o = first_running(p)) {
            treap_remove(&p->running, &o->node);
            p->busy -= o->cores;
            s->ended++;
            send_line(p, "{\"topic\":\"sched.free\",\"payload\":{\"id\":%zu}}",
                      (size_t)(o - s->jobs) + 1);
        }
        for (; next < t->n && t->jobs[next].submitted <= s->now; next++)
            submit(p, next);
        send_line(p, "{\"topic\":\"sched.ping\",\"payload\":{}}");
        read_answers(p);

        VECTOR_ADD(s->samples, s->nsamples,
                   (struct sample){s->now, p->busy, p->waiting});
    }
}

/* --- the machine ---------------------------------------------------------- */

/* Count the cores that are up, and those of the smallest node. */
static void measure(struct player *p)
{
    struct rset *rs = p->s->machine;
    const struct period now = {.from = 0, .to = 0};
    struct vertex **targets;
    size_t n = rset_targets(rs, &targets);
    struct aggregate *list;
    size_t types;

    p->per_node = UINT64_MAX;
    for (size_t i = 0; i < n; i++) {
        uint64_t cores = rset_count(rs, targets[i], "core")
                         / vertex_count(targets[i]);
        p->per_node = cores > 0 && cores < p->per_node ? cores : p->per_node;
    }
    free(targets);
    if (p->per_node == UINT64_MAX)
        p->per_node = 1;
    types = ledger_aggregate(usage_begin(rs), &now, false, &list);
    for (size_t i = 0; i < types; i++)
        if (!strcmp(list[i].type, "core"))
            p->s->capacity = list[i].available;
    free(list);
}

/* --- the whole ------------------------------------------------------------ */

/* List the ends of the reservations of the site. */
static void list_windows(struct player *p)
{
    struct usage *u = usage_begin(p->s->machine);

    for (const struct job *job = usage_jobs(u); job; job = job->next) {
        double end = ledger_terms(u, job->name).end;
        if (end >= 0)
            VECTOR_ADD(p->windows, p->nwindows, end);
    }
    VECTOR_SORT(p->windows, p->nwindows, compare_doubles);
}

static void log_error(enum log_level level, const char *text, void *arg)
{
    struct player *p = arg;

    if (level == LEVEL_ERROR)
        diag_set(p->d, "%s", text);
}

int simulate(struct simulation *s, struct diag *d)
{
    static const char *const groups[] = {"default", NULL};
    struct player p = {.s = s, .d = d, .running.rules = &by_end};
    struct scheduler_options o = s->options;
    bool fine;

    if (queue_rules_read(&o.rules, s->policy, d) < 0)
        return -1;
    s->jobs = xcalloc(s->trace->n, sizeof(*s->jobs));
    for (size_t i = 0; i < s->trace->n; i++)
        s->jobs[i].start = TIME_UNSET;
    measure(&p);
    list_windows(&p);
    if (s->saves)
        s->saved = rset_duplicate(s->machine);
    p.answers = fopencookie(&p, "w",
                            (cookie_io_functions_t){.write = take_bytes});
    if (!p.answers)
        memory_exhausted();
    o.dialect = s->saves ? DIALECT_CURRENT : DIALECT_SEED;
    o.rs = rset_duplicate(s->machine);
    o.manager = o.provider = p.answers;
    o.groups = groups;
    o.clocked = true;
    o.now = s->trace->jobs[0].submitted;
    o.summary = summarize;
    o.most = LEVEL_ERROR;
    o.log = log_error;
    o.arg = &p;
    o.stopped = s->stopped;
    p.scheduler = scheduler_create(&o);
    scheduler_start(p.scheduler);
    send_line(
        &p,
        "{\"topic\":\"job-manager.sched-hello\",\"matchtag\":1,\"errnum\":61}");
    send_line(&p, "{\"topic\":\"job-manager.sched-ready\",\"matchtag\":2,"
                  "\"payload\":{\"count\":0}}");
    read_answers(&p);
    play(&p);
    fine = scheduler_fine(p.scheduler);
    scheduler_destroy(p.scheduler);
    fclose(p.answers);
    free(p.text);
    free(p.windows);
    return fine ? 0 : -1;
}

void simulation_fini(struct simulation *s)
{
    free(s->policy);
    free(s->jobs);
    free(s->samples);
    rset_destroy(s->saved);
}
