/*
 * rset-alloc replay: what a scheduler would have done with the jobs of a trace,
 * under one policy or several (simulate.h), and the figures of each schedule
 * (figures.h).
 */
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/time.h"
#include "cli/beside.h"
#include "cli/lines.h"
#include "cli/progress.h"
#include "figures.h"
#include "model/change/select.h"
#include "model/records/jobs.h"
#include "model/records/usage.h"

struct replay {
    struct alloc_call *call;
    struct trace trace;
    enum group_key by;
    double bound;
    struct rset *machine; /* without jobs and times */
    struct queue_bounds *bounds;
    size_t nbounds;
    struct simulation *runs; /* one for each policy */
    size_t n;
};

/* --- options -------------------------------------------------------------- */

/* Split the value of --queue-policy: a word without `=` begins a policy. */
static void read_policies(struct replay *r, const char *text)
{
    size_t len;

    for (const char *at = text; *at; at += len + (at[len] == ',')) {
        len = strcspn(at, ",");
        if (memchr(at, '=', len) && r->n > 0) {
            char **last = &r->runs[r->n - 1].policy, *before = *last;
            xasprintf(last, "%s,%.*s", before, (int)len, at);
            free(before);
            continue;
        }
        VECTOR_ADD(r->runs, r->n,
                   (struct simulation){.policy = xstrndup(at, len)});
    }
}

/* Read --queue NAME=CONSTRAINT: an object of RFC 31, or a property. It may name
   nothing that the set does not have. */
static int read_bounds(struct replay *r, char *const *list, struct diag *d)
{
    for (; list && *list; list++) {
        const char *equals = strchr(*list, '='), *text;
        struct constraint *c = NULL;
        char *unknown = NULL;
        json_t *json;

        if (!equals || equals == *list || !equals[1])
            return cli_fault(d, "--queue: %s: NAME=CONSTRAINT is expected",
                             quote_all(*list).text);
        text = equals + 1;
        json = *text == '{' ? json_read(text, strlen(text), false, d)
                            : json_pack("{s:[s]}", "properties", text);
        if (json && (c = constraint_from_json(json, d)))
            unknown = constraint_unknown(c, r->call->rs);
        if (unknown)
            diag_set(d, "%s", unknown + strlen("; "));
        constraint_destroy(c);
        free(unknown);
        if (!c || d->text[0]) {
            json_decref(json);
            diag_in(d, "--queue: %.*s", (int)(equals - *list), *list);
            return -1;
        }
        VECTOR_ADD(r->bounds, r->nbounds,
                   (struct queue_bounds){
                       .name = xstrndup(*list, (size_t)(equals - *list)),
                       .constraint = json_dumps(json, JSON_COMPACT)});
        json_decref(json);
    }
    return 0;
}

static int read_options(struct replay *r, struct scheduler_options *so,
                        enum job_shape *shape, struct diag *d)
{
    const struct alloc_options *o = r->call->options;
    bool reserves = false, conserves = false;

    *shape = AS_TRACE;
    r->bound = SLOWDOWN_BOUND;
    r->by = GROUP_NONE;
    if (o->shape) {
        int n = cli_word("--as", o->shape, "nodes", "slots", NULL, d);
        if (n < 0)
            return -1;
        *shape = n == 0 ? AS_NODES : AS_SLOTS;
    }
    if (o->bound
        && duration_parse(o->bound, DURATION_SECONDS, &r->bound, d) < 0)
        return diag_in(d, "--bound");
    if (r->bound <= 0)
        return cli_fault(d, "--bound: it must be above 0");
    if (o->by && (r->by = group_key_of(o->by, d)) == GROUP_KEYS)
        return diag_in(d, "--by");
    read_policies(r, o->queue_policy ? o->queue_policy : "fcfs");
    for (size_t i = 0; i < r->n; i++) {
        struct queue_rules rules = {0};
        if (queue_rules_read(&rules, r->runs[i].policy, d) < 0)
            return diag_in(d, "--queue-policy");
        conserves |= queue_rules_have(&rules, QUEUE_CONSERVATIVE);
        reserves |= conserves || queue_rules_have(&rules, QUEUE_EASY);
        queue_rules_fini(&rules);
    }
    if (o->save && r->n > 1)
        return cli_fault(d, "--save needs a single --queue-policy");
    alloc_queue_options(so, o, reserves, conserves);
    return read_bounds(r, o->bounds, d);
}

/* Warn about each --queue whose queue no job of the trace is in. */
static void check_bounds(const struct replay *r)
{
    for (size_t i = 0; i < r->nbounds; i++) {
        const char *name = r->bounds[i].name;
        size_t k = VECTOR_FIND(
            at, r->trace.n,
            texts_equal(r->trace.jobs[at].queue, name)
                || texts_equal(r->trace.jobs[at].part, name));
        if (k == r->trace.n)
            cli_warn("warning: --queue: no job of the trace is in queue %s",
                     quote_all(name).text);
    }
}

/* --- the replay ----------------------------------------------------------- */

static int run_all(struct replay *r, const struct scheduler_options *o,
                   enum job_shape shape)
{
    for (size_t i = 0; i < r->n; i++) {
        struct simulation *s = &r->runs[i];
        *s = (struct simulation){.policy = s->policy,
                                 .trace = &r->trace,
                                 .machine = r->machine,
                                 .options = *o,
                                 .shape = shape,
                                 .bounds = r->bounds,
                                 .nbounds = r->nbounds,
                                 .saves = r->call->options->save,
                                 .stopped = lines_stopped};
        progress_begin("replaying", s->policy);
        if (simulate(s, &r->call->d) < 0)
            return -1;
        progress_end();
        if (lines_stopped()) {
            cli_warn("interrupted: under %s %zu of %zu jobs have ended",
                     s->policy, s->ended, r->trace.n);
            r->n = i + 1;
        }
    }
    return 0;
}

/* Return how many jobs of a run have not ended: their nodes may be drained. */
static size_t unended(const struct simulation *s)
{
    return s->trace->n - s->ndenied - s->ended;
}

/* --- JSON ----------------------------------------------------------------- */

static json_t *json_spread(const struct spread *s)
{
    return json_pack("{s:f,s:f,s:f,s:f}", "mean", s->mean, "median", s->median,
                     "p95", s->p95, "most", s->most);
}

static json_t *json_figures(const struct figures *f)
{
    return json_pack(
        "{s:I,s:f,s:f,s:f,s:o,s:o,s:o}", "jobs", (json_int_t)f->jobs,
        "makespan", f->makespan, "utilisation", f->utilisation, "loss", f->loss,
        "wait", json_spread(&f->wait), "turnaround",
        json_spread(&f->turnaround), "slowdown", json_spread(&f->slowdown));
}

static json_t *json_jobs(const struct simulation *s, double bound)
{
    json_t *list = json_array();

    for (size_t i = 0; i < s->trace->n; i++) {
        const struct trace_job *job = &s->trace->jobs[i];
        const struct outcome *o = &s->jobs[i];
        json_t *one = json_pack("{s:s,s:f}", "job", job->name, "submitted",
                                job->submitted);
        if (o->start >= 0) {
            json_object_set_new(one, "start", json_real(o->start));
            json_object_set_new(one, "end", json_real(o->end));
            json_object_set_new(one, "wait", json_real(job_wait(s, i)));
            json_object_set_new(one, "slowdown",
                                json_real(slowdown_of(s, i, bound)));
            json_object_set_new(one, "nodes", json_integer(o->nodes));
            json_object_set_new(one, "cores", json_integer(o->cores));
        } else if (o->denied) {
            json_object_set_new(one, "denied", json_true());
        }
        json_array_append_new(list, one);
    }
    return list;
}

/* The groups of a policy, as data. */
struct group_list {
    const char *by; /* the key of their names */
    json_t *list;
};

static void add_group(const char *name, const struct figures *f, void *arg)
{
    struct group_list *to = arg;
    json_t *one = json_figures(f);

    json_object_set_new(one, to->by, json_string(name));
    json_array_append_new(to->list, one);
}

static json_t *json_of(const struct replay *r)
{
    const struct trace *t = &r->trace;
    json_t *list = json_array();

    for (size_t i = 0; i < r->n; i++) {
        const struct simulation *s = &r->runs[i];
        struct figures f = figures_of(s, r->bound);
        json_t *one = json_figures(&f);
        json_object_set_new(one, "policy", json_string(s->policy));
        json_object_set_new(one, "denied",
                            json_integer((json_int_t)s->ndenied));
        json_object_set_new(one, "unended",
                            json_integer((json_int_t)unended(s)));
        if (r->by != GROUP_NONE) {
            struct group_list g = {group_key_names[r->by], json_array()};
            groups_each(s, r->by, r->bound, add_group, &g);
            json_object_set_new(one, "groups", g.list);
        }
        if (r->call->options->list_jobs)
            json_object_set_new(one, "list", json_jobs(s, r->bound));
        json_array_append_new(list, one);
    }
    return json_pack("{s:{s:I,s:I},s:I,s:{s:I,s:I,s:I},s:f,s:o}", "machine",
                     "nodes", (json_int_t)idset_count(r->machine->ranks),
                     "cores", (json_int_t)r->runs[0].capacity, "jobs",
                     (json_int_t)t->n, "skipped", "incomplete",
                     (json_int_t)t->skipped[TRACE_INCOMPLETE], "unfinished",
                     (json_int_t)t->skipped[TRACE_UNFINISHED], "parts",
                     (json_int_t)t->skipped[TRACE_PART], "bound", r->bound,
                     "policies", list);
}

/* --- tables --------------------------------------------------------------- */

static void print_spread(const char *name, const struct spread *s)
{
    printf("%-14s %12.2f %12.2f %12.2f %12.2f\n", name, s->mean, s->median,
           s->p95, s->most);
}

static void print_one(const struct simulation *s, double bound)
{
    struct figures f = figures_of(s, bound);

    printf("policy        %s\n", s->policy);
    printf("too large     %zu\n", s->ndenied);
    if (unended(s) > 0)
        printf("not ended     %zu\n", unended(s));
    printf("makespan      %.15g s\n", f.makespan);
    printf("utilisation   %.2f %%\n", 100 * f.utilisation);
    printf("loss          %.2f %%\n\n", 100 * f.loss);
    printf("%-14s %12s %12s %12s %12s\n", "", "mean", "median", "95 %", "most");
    print_spread("wait, s", &f.wait);
    print_spread("turnaround, s", &f.turnaround);
    print_spread("slowdown", &f.slowdown);
}

/* A figure of several policies in a row; the best has a star, if they differ,
   and as many jobs have ended as under the others. */
static void print_row(const struct replay *r, const char *name,
                      const double *values, bool most)
{
    double best = values[0], worst = values[0];
    bool stars = true;

    for (size_t i = 1; i < r->n; i++) {
        best = most ? fmax(best, values[i]) : fmin(best, values[i]);
        worst = most ? fmin(worst, values[i]) : fmax(worst, values[i]);
        stars = stars && unended(&r->runs[i]) == unended(&r->runs[0]);
    }
    printf("%-22s", name);
    for (size_t i = 0; i < r->n; i++)
        printf(" %16.2f%s", values[i],
               stars && fabs(values[i] - worst) > 0
                       && !(fabs(values[i] - best) > 0)
                   ? "*"
               : i + 1 < r->n ? " "
                              : "");
    putchar('\n');
}

static void print_many(const struct replay *r)
{
    static const struct {
        const char *name;
        size_t at;
        double unit;
        bool most;
    } rows[] = {
        {"makespan, s", offsetof(struct figures, makespan), 1, false},
        {"utilisation, %", offsetof(struct figures, utilisation), 100, true},
        {"loss, %", offsetof(struct figures, loss), 100, false},
        {"wait, s: mean", offsetof(struct figures, wait.mean), 1, false},
        {"wait, s: median", offsetof(struct figures, wait.median), 1, false},
        {"wait, s: 95 %", offsetof(struct figures, wait.p95), 1, false},
        {"wait, s: most", offsetof(struct figures, wait.most), 1, false},
        {"turnaround, s: mean", offsetof(struct figures, turnaround.mean), 1,
         false},
        {"slowdown: mean", offsetof(struct figures, slowdown.mean), 1, false},
        {"slowdown: median", offsetof(struct figures, slowdown.median), 1,
         false},
        {"slowdown: 95 %", offsetof(struct figures, slowdown.p95), 1, false},
        {"slowdown: most", offsetof(struct figures, slowdown.most), 1, false},
    };
    struct figures *f = xcalloc(r->n, sizeof(*f));
    double *values = xcalloc(r->n, sizeof(*values));

    for (size_t i = 0; i < r->n; i++)
        f[i] = figures_of(&r->runs[i], r->bound);
    printf("too large     %zu\n", r->runs[0].ndenied);
    for (size_t i = 0; i < r->n; i++)
        if (unended(&r->runs[i]) > 0)
            printf("not ended     %zu (%s)\n", unended(&r->runs[i]),
                   r->runs[i].policy);
    printf("\n%-22s", "");
    for (size_t i = 0; i < r->n; i++)
        printf(" %16s%s", r->runs[i].policy, i + 1 < r->n ? " " : "");
    putchar('\n');
    for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
        for (size_t i = 0; i < r->n; i++)
            values[i] = rows[k].unit
                        * *(const double *)((const char *)&f[i] + rows[k].at);
        print_row(r, rows[k].name, values, rows[k].most);
    }
    free(values);
    free(f);
}

static void print_group(const char *name, const struct figures *f, void *arg)
{
    (void)arg;
    printf("%-14s %9zu %11.2f%% %12.2f %12.2f %12.2f %12.2f\n", name, f->jobs,
           100 * f->utilisation, f->wait.mean, f->wait.p95, f->slowdown.mean,
           f->slowdown.p95);
}

static void print_groups(const struct replay *r, const struct simulation *s)
{
    printf("\n%s\n%-14s %9s %12s %12s %12s %12s %12s\n", s->policy,
           group_key_names[r->by], "jobs", "utilisation", "wait", "95 %",
           "slowdown", "95 %");
    groups_each(s, r->by, r->bound, print_group, NULL);
}

static void print_table(const struct replay *r)
{
    const struct trace *t = &r->trace;

    printf("machine       %llu nodes, %llu cores that are up\n",
           (unsigned long long)idset_count(r->machine->ranks),
           (unsigned long long)r->runs[0].capacity);
    printf("jobs          %zu\n", t->n);
    printf("skipped       incomplete %zu, unfinished %zu, parts of jobs %zu\n",
           t->skipped[TRACE_INCOMPLETE], t->skipped[TRACE_UNFINISHED],
           t->skipped[TRACE_PART]);
    if (r->n == 1)
        print_one(&r->runs[0], r->bound);
    else
        print_many(r);
    for (size_t i = 0; i < r->n && r->by != GROUP_NONE; i++)
        print_groups(r, &r->runs[i]);
}

/* --- the command ---------------------------------------------------------- */

static void answer(struct replay *r)
{
    struct alloc_call *call = r->call;

    if (call->options->save) {
        cli_save(r->runs[0].saved, call->set->name, call->options->save);
        beside_keep();
    }
    if (cli_quiet)
        return;
    if (cli_output_is("svg"))
        draw_runs(r->runs, r->n, stdout);
    else if (cli_output_is("json"))
        call->data = json_of(r);
    else
        print_table(r);
}

int alloc_replay(struct alloc_call *call)
{
    struct replay r = {.call = call};
    struct scheduler_options o = {0};
    enum trace_kind kind = TRACE_ANY;
    enum job_shape shape;
    int rc = read_options(&r, &o, &shape, &call->d);

    if (rc == 0 && call->options->from
        && (kind = trace_kind_of(call->options->from, &call->d)) == TRACE_KINDS)
        rc = diag_in(&call->d, "--from");
    lines_catch_signals();
    signal(SIGPIPE, SIG_DFL); /* nobody reads the table */
    if (rc == 0 && call->options->save)
        beside_check(call->options->save);
    if (rc == 0)
        rc = trace_read(&r.trace, call->what, kind, &call->d);
    if (rc == 0) {
        /* the machine, idle for all time; reservations of the site stay */
        r.machine = rset_duplicate(call->rs);
        job_release_numbered(usage_begin(r.machine));
        rset_set_times(r.machine, TIME_UNSET, TIME_UNSET);
        check_bounds(&r);
        rc = run_all(&r, &o, shape);
    }
    if (rc == 0)
        answer(&r);
    for (size_t i = 0; i < r.n; i++)
        simulation_fini(&r.runs[i]);
    for (size_t i = 0; i < r.nbounds; i++) {
        free((char *)r.bounds[i].name);
        free((char *)r.bounds[i].constraint);
    }
    free(r.bounds);
    free(r.runs);
    rset_destroy(r.machine);
    trace_fini(&r.trace);
    return rc < 0 ? -1 : lines_stopped() ? STATUS_TROUBLE : STATUS_OK;
}
