/*
 * Schedules, compared with those of a naive simulator (queue_naive.h).
 *
 * First the simulator itself: schedules worked out by hand. Then random lines
 * (requests, ends, cancels, priorities, time, lost nodes) go to a scheduler and
 * to the simulator. After each line, both must have started the same jobs on
 * the same cores, and under easy and conservative promised the same times.
 */
#include <jansson.h>
#include <stdio.h>

#include "protocol/scheduler.h"
#include "queue_naive.h"
#include "sets.h"
#include "view/view.h"

/* --- schedules as text ---------------------------------------------------- */

/* Write the cores of each node in hexadecimal, from node 0: "3f0". */
static void put_units(FILE *fp, const struct sim *s, const struct units *u)
{
    for (int i = 0; i < s->nnodes; i++)
        fprintf(fp, "%x", u->cores[i]);
}

/* Answers to a line: ids of jobs that are denied or canceled, and jobs that
   start as text, in this order. */
struct answers {
    bool denied[SIM_JOBS], canceled[SIM_JOBS];
    char *starts;
    size_t len;
    FILE *fp; /* of `starts` */
};

static void answers_begin(struct answers *a)
{
    *a = (struct answers){0};
    a->fp = open_memstream(&a->starts, &a->len);
}

static void put_start(struct answers *a, const struct sim *s, long id,
                      const struct units *u, double start, double end)
{
    fprintf(a->fp, "+%ld on ", id);
    put_units(a->fp, s, u);
    fprintf(a->fp, " %g-", start);
    if (isfinite(end))
        fprintf(a->fp, "%g", end);
    fputs(", ", a->fp);
}

/* Return all answers, a new text: "deny 4, +3 on f0 0-10, +5 on 01 0-". */
static char *answers_end(struct answers *a)
{
    char *text = NULL;
    size_t len;
    FILE *fp = open_memstream(&text, &len);

    for (int i = 0; i < SIM_JOBS; i++)
        if (a->denied[i] || a->canceled[i])
            fprintf(fp, "%s %d, ", a->denied[i] ? "deny" : "cancel", i);
    fclose(a->fp);
    fputs(a->starts, fp);
    fclose(fp);
    free(a->starts);
    if (len > 0)
        text[len - 2] = '\0'; /* the last comma */
    return text;
}

static char *sim_answers(struct sim *s)
{
    struct answers a;

    answers_begin(&a);
    for (int i = 0; i < s->nevents; i++) {
        const struct sim_event *e = &s->events[i];
        const struct sim_job *j = sim_find(s, e->id);
        a.denied[e->id] |= e->kind == SIM_DENY;
        a.canceled[e->id] |= e->kind == SIM_CANCEL;
        if (e->kind == SIM_START)
            put_start(&a, s, e->id, &j->has, j->start, j->end);
    }
    return answers_end(&a);
}

/* Return the promises, a new text, in the order of the ids: " 5@20 7@30". */
static char *sim_promises(const struct sim *s)
{
    char *text = NULL;
    size_t len;
    FILE *fp = open_memstream(&text, &len);

    for (int i = 0; i < s->njobs; i++)
        if (s->jobs[i].state == SIM_PENDING && s->jobs[i].promised)
            fprintf(fp, " %ld@%g", s->jobs[i].id, s->jobs[i].at);
    fclose(fp);
    return text;
}

/* --- schedules worked out by hand ----------------------------------------- */

struct hand_step {
    const char *line, *expected; /* answers; promises */
};

struct hand_case {
    const char *name;
    enum sim_policy policy;
    int depth;
    bool joined;
    const char *cores; /* of each node: "44" */
    struct hand_step steps[12];
};

/*
 * Lines: a letter, and numbers.
 *
 *     N nodes duration [queue [mask]]   alloc whole nodes; mask: those allowed,
 *                                       as bits
 *     C slots cores duration [queue]    alloc cores
 *     t time    f job    c job    p job priority    e job end
 *     d node (down)    u node (up)
 *
 * Duration 0 is without an end. The first job is job 1.
 */
static void hand_line(struct sim *s, const char *line)
{
    struct sim_job j = {.id = s->njobs + 1, .submitted = s->now};
    long n[4] = {0, 0, 0, 0};
    int got = sscanf(line + 1, "%ld %ld %ld %ld", &n[0], &n[1], &n[2], &n[3]);
    struct sim_job *of = sim_find(s, n[0]);
    long mask = line[0] == 'N' && got > 3 ? n[3] : ~0;

    j.constrained = mask != ~0;
    for (int i = 0; i < NODES; i++)
        j.allowed[i] = mask >> i & 1;
    switch (line[0]) {
    case 'N':
        j.asks = (struct sim_request){true, (int)n[0], 1, 1};
        j.duration = n[1] ? (double)n[1] : INFINITY;
        j.queue = (int)n[2];
        sim_alloc(s, &j);
        break;
    case 'C':
        j.asks = (struct sim_request){false, 0, (int)n[0], (int)n[1]};
        j.duration = n[2] ? (double)n[2] : INFINITY;
        j.queue = (int)n[3];
        sim_alloc(s, &j);
        break;
    case 't':
        sim_clock(s, (double)n[0]);
        break;
    case 'f':
        sim_free(s, of);
        break;
    case 'c':
        sim_cancel(s, of);
        break;
    case 'p':
        sim_prioritize(s, of, n[1]);
        break;
    case 'e':
        sim_extend(s, of, (double)n[1]);
        break;
    default:
        sim_set_up(s, (int)n[0], line[0] == 'u');
        break;
    }
}

static const struct hand_case hand_cases[] = {
    {"fcfs: a blocked job closes the queue, until it starts", SIM_FCFS,
     .joined = true, .cores = "11",
     .steps = {{"N 1 10", "+1 on 10 0-10;"},
               {"N 2 10", ";"},
               {"N 1 5", ";"},
               {"t 10", ";"},
               {"f 1", "+2 on 11 10-20;"},
               {"f 2", "+3 on 10 10-15;"}}},
    {"fcfs: separate queues do not block each other", SIM_FCFS, .cores = "11",
     .steps = {{"N 1 10", "+1 on 10 0-10;"},
               {"N 2 10 1", ";"},
               {"N 1 5 1", ";"},
               {"N 1 5 2", "+4 on 01 0-5;"}}},
    {"easy: a short job goes ahead, a long one would delay the promise",
     SIM_EASY, .cores = "111",
     .steps = {{"N 2 10", "+1 on 110 0-10;"},
               {"N 3 10", "; 2@10"},
               {"N 1 11", "; 2@10"},
               {"N 1 10", "+4 on 001 0-10; 2@10"},
               {"f 1", "; 2@10"},
               {"t 10", "; 2@10"},
               {"f 4", "+2 on 111 10-20; 3@20"}}},
    {"easy: an early end improves the promise", SIM_EASY, .cores = "11",
     .steps = {{"N 1 20", "+1 on 10 0-20;"},
               {"N 1 10", "+2 on 01 0-10;"},
               {"N 2 5", "; 3@20"},
               {"t 3", "; 3@20"},
               {"f 1", "; 3@10"},
               {"f 2", "+3 on 11 3-8;"}}},
    {"easy: one promise per queue", SIM_EASY, .cores = "1",
     .steps = {{"N 1 10", "+1 on 1 0-10;"},
               {"N 1 10 1", "; 2@10"},
               {"N 1 10 1", "; 2@10"},
               {"N 1 10 2", "; 2@10 4@20"},
               {"c 2", "cancel 2; 3@10 4@20"}}},
    {"easy, joined: one promise in all", SIM_EASY, .joined = true, .cores = "1",
     .steps = {{"N 1 10", "+1 on 1 0-10;"},
               {"N 1 10 1", "; 2@10"},
               {"N 1 10 2", "; 2@10"}}},
    {"easy: a job without an end starts only where it delays nothing", SIM_EASY,
     .cores = "111",
     .steps = {{"N 1 10", "+1 on 100 0-10;"},
               {"N 3 10", "; 2@10"},
               {"N 1 0", "; 2@10"},
               {"c 2", "cancel 2, +3 on 010 0-;"},
               {"N 3 5", ";"},
               {"N 2 5", "; 5@10"}}},
    {"easy: an overdue job is taken to end at any moment", SIM_EASY,
     .cores = "11",
     .steps = {{"N 1 10", "+1 on 10 0-10;"},
               {"N 2 10", "; 2@10"},
               {"t 15", "; 2@15"},
               {"N 1 1", "; 2@15"},
               {"t 18", "; 2@18"},
               {"f 1", "+2 on 11 18-28; 3@28"}}},
    {"easy: a running job that is extended moves the promise", SIM_EASY,
     .cores = "11",
     .steps = {{"N 1 10", "+1 on 10 0-10;"},
               {"N 2 10", "; 2@10"},
               {"e 1 25", "; 2@25"},
               {"N 1 20", "+3 on 01 0-20; 2@25"}}},
    {"easy: a lost node takes the promise away, and the next job gets one",
     SIM_EASY, .cores = "11",
     .steps = {{"N 1 10", "+1 on 10 0-10;"},
               {"N 2 10", "; 2@10"},
               {"d 1", ";"},
               {"N 1 5", "; 3@10"},
               {"u 1", "+3 on 01 0-5; 2@15"}, /* 3 was promised 10 */
               {"t 0", "; 2@10"}}},
    {"easy: a promise may take other units if its time stays", SIM_EASY,
     .cores = "11",
     .steps = {{"N 1 10", "+1 on 10 0-10;"},
               {"N 1 20", "+2 on 01 0-20;"},
               {"N 1 10", "; 3@10"},
               {"f 2", "+3 on 01 0-10;"}}},
    {"conservative: a job may pass if it delays no promise", SIM_CONSERVATIVE,
     .depth = 2, .cores = "11",
     .steps = {{"N 1 10", "+1 on 10 0-10;"},
               {"N 2 10", "; 2@10"},
               {"N 1 10", "+3 on 01 0-10; 2@10"},
               {"N 1 5", "; 2@10 4@20"},
               {"N 1 5", "; 2@10 4@20"},
               {"f 3", "+4 on 01 0-5; 2@10 5@5"}}},
    {"conservative: an earlier job that arrives moves promises",
     SIM_CONSERVATIVE, .depth = 9, .cores = "1",
     .steps = {{"N 1 10", "+1 on 1 0-10;"},
               {"N 1 10", "; 2@10"},
               {"N 1 10", "; 2@10 3@20"},
               {"p 3 1", "; 2@20 3@10"},
               {"p 3 0", "; 2@20 3@10"},
               {"t 10", "; 2@20 3@10"},
               {"f 1", "+3 on 1 10-20; 2@20"}}},
    {"conservative: a cancel keeps a promise that placing anew would break",
     SIM_CONSERVATIVE, .depth = 9, .cores = "11",
     .steps = {{"N 1 5 0 1", "+1 on 10 0-5;"},
               {"N 1 6 0 2", "+2 on 01 0-6;"},
               {"N 1 10", "; 3@5"},
               {"N 1 20", "; 3@5 4@6"},
               {"N 1 5 0 1", "; 3@5 4@6 5@15"},
               {"c 3", "cancel 3; 4@6 5@5"}}},
    {"conservative: cores of a node", SIM_CONSERVATIVE, .depth = 9,
     .cores = "42",
     .steps = {{"C 1 3 10", "+1 on 70 0-10;"},
               {"C 2 2 10", "; 2@10"},
               {"C 1 1 30", "+3 on 01 0-30; 2@10"}, /* not in the way of 2 */
               {"C 1 2 30", "; 2@10 4@20"},
               {"N 1 1", "; 2@10 4@20 5@30"},
               {"C 1 1 10", "+6 on 80 0-10; 2@10 4@20 5@30"}}},
};

static void check_hand_case(const struct hand_case *c)
{
    static struct sim s;
    bool good = true;

    memset(&s, 0, sizeof(s));
    s.policy = c->policy;
    s.depth = c->depth;
    s.joined = c->joined;
    s.end = INFINITY;
    for (const char *n = c->cores; *n; n++)
        s.ncores[s.nnodes++] = *n - '0';
    for (const struct hand_step *step = c->steps; step->line; step++) {
        char *answers, *promises, got[1000];
        hand_line(&s, step->line);
        answers = sim_answers(&s);
        promises = sim_promises(&s);
        snprintf(got, sizeof(got), "%s;%s", answers, promises);
        free(answers);
        free(promises);
        if (!good || !strcmp(got, step->expected))
            continue;
        good = false;
        printf("# after %s: %s\n# expected: %s\n", step->line, got,
               step->expected);
    }
    ok(good, "by hand: %s", c->name);
}

/* --- the scheduler -------------------------------------------------------- */

/*
 * Policies to compare, and how far an annotated estimate may be from the
 * promised time (seconds).
 */
static const struct {
    const char *name;
    enum sim_policy policy;
    bool compared;
} policies[] = {{"fcfs", SIM_FCFS, true},
                {"easy", SIM_EASY, true},
                {"conservative", SIM_CONSERVATIVE, true}};
enum { POLICIES = sizeof(policies) / sizeof(policies[0]) };
static const double slack = 1e-6; /* rounding */

/* Set the options that belong to a policy. */
static void set_policy(struct scheduler_options *o, const struct sim *s)
{
    static const enum queue_policy names[] = {
        [SIM_FCFS] = QUEUE_FCFS,
        [SIM_EASY] = QUEUE_EASY,
        [SIM_CONSERVATIVE] = QUEUE_CONSERVATIVE};

    o->joined = s->joined;
    o->policy = names[s->policy];
    o->depth = (uint32_t)s->depth;
}

struct game {
    struct sim sim;
    const char *policy;
    bool compared;
    unsigned has[2]; /* nodes with each property, as bits */
    struct scheduler *scheduler;
    FILE *fp; /* lines of the scheduler */
    char *out;
    size_t len, read;
    unsigned acquire; /* matchtag */
    uint64_t number;
    double estimate[SIM_JOBS]; /* by id; NAN: none */
    FILE *history;
    char *lines;
    size_t lines_len;
    uint64_t seed;
    bool failed;
};

/* A law with the shortest game that breaks it. */
struct rule {
    struct law law;
    char *game; /* NULL: none */
    unsigned long lines;
};

static struct {
    struct rule answers, types, errors, promises, apart, kept;
} rules = {
    .answers.law.name = "the same jobs start on the same cores, at the same "
                        "time",
    .types.law.name = "they have passed waiting jobs or not, as expected",
    .errors.law.name = "sched.expiration gets the same answer",
    .promises.law.name = "the same times are promised",
    .apart.law.name = "naive: running jobs and places do not overlap",
    .kept.law.name = "naive: promises are kept or improved",
};

static long starts, backfills, promises;

static void check(struct game *g, struct rule *r, bool good, const char *got,
                  const char *want)
{
    if (holds(&r->law, good, "RSET_SEED=%" PRIu64 " %s", g->seed, g->policy))
        return;
    g->failed = true;
    if (r->game && r->lines <= g->number)
        return;
    fprintf(g->history, "#   got:  %s\n#   want: %s\n", got, want);
    fflush(g->history);
    free(r->game);
    r->game = strdup(g->lines);
    r->lines = g->number;
}

/* Print the result of a rule, unless nothing was compared. */
static void end_rule(struct rule *r)
{
    if (r->law.cases == 0)
        return;
    law_end(&r->law);
    if (r->game)
        printf("# the shortest game that fails, %s", r->game);
    free(r->game);
}

/* Read the cores of an idset such as "0-1,3". */
static unsigned read_bits(const char *text)
{
    unsigned bits = 0;

    while (*text) {
        char *end;
        long lo = strtol(text, &end, 10), hi = lo;
        if (*end == '-')
            hi = strtol(end + 1, &end, 10);
        for (long i = lo; i <= hi; i++)
            bits |= 1u << i;
        text = end + (*end == ',');
    }
    return bits;
}

/* Read the R of a job that starts. */
static void read_start(struct answers *a, const struct sim *s, long id,
                       const json_t *R)
{
    const json_t *execution = json_object_get(R, "execution"), *entry;
    double end = json_number_value(json_object_get(execution, "expiration"));
    struct units u = {0};
    size_t i;

    json_array_foreach (json_object_get(execution, "R_lite"), i, entry) {
        const json_t *rank = json_object_get(entry, "rank"),
                     *core = json_object_get(json_object_get(entry, "children"),
                                             "core");
        unsigned ranks = read_bits(json_string_value(rank));
        for (int k = 0; k < NODES; k++)
            if (ranks >> k & 1)
                u.cores[k] |= read_bits(json_string_value(core));
    }
    put_start(a, s, id, &u,
              json_number_value(json_object_get(execution, "starttime")),
              end > 0 ? end : INFINITY);
}

/* Return the selection type of a job that starts, by the simulator. */
static const char *type_of(const struct sim *s, long id)
{
    for (int i = 0; i < s->nevents; i++)
        if (s->events[i].id == id)
            return s->events[i].backfilled ? "backfilled" : "immediate";
    return "waiting";
}

enum { SUCCESS, ANNOTATE, DENY, CANCEL };

static void take_answer(struct game *g, const json_t *payload,
                        struct answers *a)
{
    long id = (long)json_integer_value(json_object_get(payload, "id"));
    json_int_t type = json_integer_value(json_object_get(payload, "type"));
    const json_t *sched = json_object_get(
                     json_object_get(payload, "annotations"), "sched"),
                 *at = json_object_get(sched, "t_estimate");
    const char *word = json_string_value(
        json_object_get(sched, "selection_type"));

    if (at)
        g->estimate[id] = json_is_number(at) ? json_number_value(at) : NAN;
    a->denied[id] |= type == DENY;
    a->canceled[id] |= type == CANCEL;
    if (type != SUCCESS)
        return;
    read_start(a, &g->sim, id, json_object_get(payload, "R"));
    if (word || g->sim.policy != SIM_FCFS)
        check(g, &rules.types,
              word && isnan(g->estimate[id])
                  && !strcmp(word, type_of(&g->sim, id)),
              word ? word : "no type", type_of(&g->sim, id));
}

/* Send a line of a peer, and return the new answers like sim_answers().
   `errnum` (unless NULL) gets the error number of a response to a request. */
static char *send_line(struct game *g, const char *line, int *errnum)
{
    struct answers a;
    char *end;

    answers_begin(&a);
    scheduler_line(g->scheduler, SCHEDULER_MANAGER, line, strlen(line),
                   g->number);
    scheduler_keep(g->scheduler);
    fflush(g->fp);
    while (g->read < g->len
           && (end = memchr(g->out + g->read, '\n', g->len - g->read))) {
        json_t *m = json_loadb(g->out + g->read,
                               (size_t)(end - g->out) - g->read, 0, NULL);
        const char *topic = json_string_value(json_object_get(m, "topic"));
        if (!strcmp(topic, "sched.alloc"))
            take_answer(g, json_object_get(m, "payload"), &a);
        else if (errnum)
            *errnum = (int)json_integer_value(json_object_get(m, "errnum"));
        json_decref(m);
        g->read = (size_t)(end - g->out) + 1;
    }
    return answers_end(&a);
}

/* --- the start ------------------------------------------------------------ */

static bool chance(unsigned percent)
{
    return random_below(100) < percent;
}

static int between(int lo, int hi)
{
    return lo + (int)random_below((uint32_t)(hi - lo + 1));
}

static const char *const property_names[] = {"fast", "big"};

/* Write the places of the bits that are set, with commas. */
static void put_bits(FILE *fp, unsigned bits)
{
    const char *comma = "";

    for (int i = 0; bits >> i; i++)
        if (bits >> i & 1) {
            fprintf(fp, "%s%d", comma, i);
            comma = ",";
        }
}

/* Return the resources, a new R. */
static char *resources_of(const struct game *g)
{
    const struct sim *s = &g->sim;
    const char *comma = "";
    char *text = NULL;
    size_t len;
    FILE *fp = open_memstream(&text, &len);

    fputs("{\"version\":1,\"execution\":{\"R_lite\":[", fp);
    for (int i = 0; i < s->nnodes; i++) {
        fprintf(fp, "%s{\"rank\":\"%d\",\"children\":{\"core\":\"",
                i > 0 ? "," : "", i);
        put_bits(fp, all_cores(s, i));
        fputs("\"}}", fp);
    }
    fprintf(fp, "],\"nodelist\":[\"n[0-%d]\"],\"properties\":{", s->nnodes - 1);
    for (int p = 0; p < 2; p++) {
        if (!g->has[p])
            continue;
        fprintf(fp, "%s\"%s\":\"", comma, property_names[p]);
        put_bits(fp, g->has[p]);
        fputs("\"", fp);
        comma = ",";
    }
    fputs("}", fp);
    if (s->start > 0)
        fprintf(fp, ",\"starttime\":%g", s->start);
    if (isfinite(s->end))
        fprintf(fp, ",\"expiration\":%g", s->end);
    fputs("}}", fp);
    fclose(fp);
    return text;
}

static void ignore(enum log_level level, const char *text, void *arg)
{
    (void)level, (void)text, (void)arg;
}

static void __attribute__((noreturn)) die(struct diag *d)
{
    printf("Bail out! %s\n", d->text);
    exit(1);
}

/* Return the matchtag of the last request that the scheduler wrote. */
static unsigned last_tag(struct game *g)
{
    const char *at = NULL, *next;

    fflush(g->fp);
    for (next = g->out; (next = strstr(next, "\"matchtag\":")); next++)
        at = next;
    g->read = g->len;
    return at ? (unsigned)strtoul(at + strlen("\"matchtag\":"), NULL, 10) : 0;
}

__attribute__((format(printf, 2, 3))) static void
begin_line(struct game *g, const char *fmt, ...)
{
    char line[2000];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(line, sizeof(line), fmt, ap);
    va_end(ap);
    free(send_line(g, line, NULL));
}

/* Return what a job has on one node, or all of it (below 0), as an R: a new
   text. */
static char *part_of(const struct sim_job *j, int node)
{
    char *text = NULL;
    size_t len;
    FILE *fp = open_memstream(&text, &len);
    const char *comma = "";
    unsigned ranks = 0;

    fputs("{\"version\":1,\"execution\":{\"R_lite\":[", fp);
    for (int i = 0; i < NODES; i++) {
        if (!j->has.cores[i] || (node >= 0 && node != i))
            continue;
        ranks |= 1u << i;
        fprintf(fp, "%s{\"rank\":\"%d\",\"children\":{\"core\":\"", comma, i);
        put_bits(fp, j->has.cores[i]);
        fputs("\"}}", fp);
        comma = ",";
    }
    fputs("],\"nodelist\":[\"n[", fp);
    put_bits(fp, ranks);
    fprintf(fp, "]\"],\"starttime\":%g,\"expiration\":%g}}", j->start,
            isfinite(j->end) ? j->end : 0);
    fclose(fp);
    return text;
}

/* Let some jobs run already, and list them in response to hello. */
static void say_hello(struct game *g)
{
    struct sim *s = &g->sim;
    unsigned tag = g->compared ? last_tag(g) : 0;

    for (int n = chance(30) ? between(1, 3) : 0; n > 0; n--) {
        struct sim_job *j = &s->jobs[s->njobs];
        struct units busy = {0};
        char line[1000], *R;

        *j = (struct sim_job){.id = s->njobs + 1,
                              .asks = {false, 0, between(1, 3), 1},
                              .end = between(1, 60)};
        for (int i = 0; i < NODES; i++)
            j->allowed[i] = chance(60);
        add_running(s, s->now, true, &busy);
        if (s->start > 0 || j->end > s->end
            || !take(s, j, &busy, false, &j->has))
            continue;
        j->state = SIM_RUNNING;
        s->njobs++;
        R = part_of(j, -1);
        snprintf(line, sizeof(line),
                 "{\"topic\":\"job-manager.sched-hello\",\"matchtag\":%u,"
                 "\"payload\":{\"id\":%ld,\"priority\":16,\"userid\":5,"
                 "\"t_submit\":0,\"R\":%s}}",
                 tag, j->id, R);
        fprintf(g->history, "#   %s\n", line);
        if (g->compared)
            free(send_line(g, line, NULL));
        free(R);
    }
    if (g->compared)
        begin_line(g,
                   "{\"topic\":\"job-manager.sched-hello\",\"matchtag\":%u,"
                   "\"errnum\":61}",
                   tag);
}

static void begin_scheduler(struct game *g)
{
    static const char *const groups[] = {"default", NULL};
    char *R = resources_of(g);
    struct scheduler_options o = {.dialect = DIALECT_CURRENT,
                                  .groups = groups,
                                  .clocked = true,
                                  .now = g->sim.now,
                                  .fail = die,
                                  .most = LEVEL_ERROR,
                                  .log = ignore,
                                  .summary = view_short};

    g->fp = open_memstream(&g->out, &g->len);
    o.manager = o.provider = g->fp;
    fprintf(g->history, "#   %s\n", R);
    if (!g->compared) {
        say_hello(g);
        free(R);
        return;
    }
    set_policy(&o, &g->sim);
    g->scheduler = scheduler_create(&o);
    scheduler_start(g->scheduler);
    g->acquire = last_tag(g);
    begin_line(g,
               "{\"topic\":\"resource.acquire\",\"matchtag\":%u,\"payload\":"
               "{\"resources\":%s,\"up\":\"0-%d\"}}",
               g->acquire, R, g->sim.nnodes - 1);
    say_hello(g);
    begin_line(g,
               "{\"topic\":\"job-manager.sched-ready\",\"matchtag\":%u,"
               "\"payload\":{\"count\":0}}",
               last_tag(g));
    free(R);
}

static void begin_game(struct game *g)
{
    struct sim *s = &g->sim;
    bool equal;
    int policy;

    memset(g, 0, sizeof(*g));
    g->seed = random_state;
    policy = between(0, POLICIES - 1);
    equal = chance(50);
    g->policy = policies[policy].name;
    g->compared = policies[policy].compared;
    s->policy = policies[policy].policy;
    s->depth = between(1, 4);
    s->joined = chance(40);
    s->nnodes = between(2, NODES);
    for (int i = 0; i < s->nnodes; i++) {
        s->ncores[i] = equal && i > 0 ? s->ncores[0] : between(1, CORES);
        g->has[0] |= (unsigned)chance(50) << i;
        g->has[1] |= (unsigned)chance(30) << i;
    }
    s->start = chance(90) ? 0 : 50;
    s->end = chance(75) ? HUGE_VAL : between(150, 400);
    for (int i = 0; i < SIM_JOBS; i++)
        g->estimate[i] = NAN;
    g->history = open_memstream(&g->lines, &g->lines_len);
    fprintf(g->history, "RSET_SEED=%" PRIu64 " %s%s, depth %d:\n", g->seed,
            g->policy, s->joined ? " joined" : "", s->depth);
    begin_scheduler(g);
}

static void end_game(struct game *g)
{
    if (g->compared) {
        scheduler_end(g->scheduler);
        scheduler_destroy(g->scheduler);
    }
    fclose(g->fp);
    free(g->out);
    fclose(g->history);
    free(g->lines);
}

/* --- lines ---------------------------------------------------------------- */

/* Promises before a line, to be compared with those after it. */
struct before {
    bool promised[SIM_JOBS];
    double at[SIM_JOBS];
    bool may_delay; /* the line is an event that may delay promises */
};

static struct before look_before(const struct sim *s, bool may_delay)
{
    struct before b = {.may_delay = may_delay};

    for (int i = 0; i < s->njobs; i++) {
        b.promised[i] = s->jobs[i].promised;
        b.at[i] = s->jobs[i].at;
    }
    return b;
}

static void check_kept(struct game *g, const struct before *b)
{
    const struct sim *s = &g->sim;
    bool good = true;

    for (int i = 0; i < s->njobs; i++) {
        const struct sim_job *j = &s->jobs[i];
        if (!b->promised[i])
            continue;
        if (j->state == SIM_PENDING && j->promised)
            good &= j->at <= fmax(b->at[i], s->now);
        if (j->state == SIM_RUNNING)
            good &= j->start <= fmax(b->at[i], s->now);
    }
    check(g, &rules.kept, good, "a later time", "the promised one");
}

/* Overdue jobs count as gone for places, as always. */
static void check_apart(struct game *g)
{
    struct sim *s = &g->sim;
    struct units all = {0};
    bool good = true;

    for (int i = 0; i < s->njobs; i++) {
        struct sim_job *j = &s->jobs[i];
        if (j->state == SIM_RUNNING) {
            good &= !overlap(&all, &j->has);
            add_units(&all, &j->has);
        }
        if (j->state == SIM_PENDING && j->promised) {
            good &= is_valid(s, j);
            j->held = true;
            promises++;
        }
    }
    for (int i = 0; i < s->njobs; i++)
        s->jobs[i].held = false;
    check(g, &rules.apart, good, "overlap", "none");
}

/* Compare estimates with promises. */
static bool same_estimates(const struct game *g)
{
    for (int i = 0; i < g->sim.njobs; i++) {
        const struct sim_job *j = &g->sim.jobs[i];
        /* a time in the past is now, whenever an overdue job ends */
        double at = fmax(g->estimate[j->id], g->sim.now);
        if (isnan(g->estimate[j->id]))
            at = NAN;
        if (j->state == SIM_PENDING
            && (j->promised ? !(fabs(at - j->at) <= slack) : !isnan(at)))
            return false;
    }
    return true;
}

static char *estimates_text(const struct game *g)
{
    char *text = NULL;
    size_t len;
    FILE *fp = open_memstream(&text, &len);

    for (int i = 0; i < g->sim.njobs; i++) {
        const struct sim_job *j = &g->sim.jobs[i];
        if (j->state == SIM_PENDING && !isnan(g->estimate[j->id]))
            fprintf(fp, " %ld@%g", j->id, g->estimate[j->id]);
    }
    fclose(fp);
    return text;
}

/* Send the line that the simulator has followed, and compare. */
static void compare(struct game *g, const char *line, const struct before *b,
                    int errnum)
{
    char *want = sim_answers(&g->sim), *promised = sim_promises(&g->sim),
         *got = NULL, *estimates;
    int answer = 0;

    g->number++;
    fprintf(g->history, "#   %s\n#     %s;%s\n", line, want, promised);
    for (int i = 0; i < g->sim.nevents; i++) {
        starts += g->sim.events[i].kind == SIM_START;
        backfills += g->sim.events[i].backfilled;
    }
    if (g->compared) {
        got = send_line(g, line, &answer);
        check(g, &rules.answers, !strcmp(got, want), got, want);
        if (errnum >= 0)
            check(g, &rules.errors, answer == errnum, "another error", "");
        estimates = estimates_text(g);
        if (g->sim.policy != SIM_FCFS)
            check(g, &rules.promises, same_estimates(g), estimates, promised);
        free(estimates);
    }
    check_apart(g);
    if (!b->may_delay)
        check_kept(g, b);
    free(promised);
    free(want);
    free(got);
}

/* Return a random job in a state, or NULL. */
static struct sim_job *random_job(struct sim *s, enum sim_state state)
{
    struct sim_job *list[SIM_JOBS];
    uint32_t n = 0;

    for (int i = 0; i < s->njobs; i++)
        if (s->jobs[i].state == state)
            list[n++] = &s->jobs[i];
    return n > 0 ? list[random_below(n)] : NULL;
}

/* Choose a constraint, and return it as JSON, a new text. */
static char *random_constraint(const struct game *g, struct sim_job *j)
{
    unsigned fast = g->has[0], big = g->has[1], kind = random_below(10),
             some = random_below(1 << NODES),
             ranks = kind == 0   ? fast
                     : kind == 1 ? ~fast
                     : kind == 2 ? fast | big
                     : kind == 3 ? some
                                 : ~0u;
    char *text = NULL;
    size_t len;
    FILE *fp = open_memstream(&text, &len);

    j->constrained = kind < 5;
    for (int i = 0; i < NODES; i++)
        j->allowed[i] = ranks >> i & 1;
    if (kind == 3) {
        fputs(",\"constraints\":{\"ranks\":[\"", fp);
        put_bits(fp, some);
        fputs("\"]}", fp);
    } else if (j->constrained) {
        fputs(",\"constraints\":", fp);
        fputs(kind == 0   ? "{\"properties\":[\"fast\"]}"
              : kind == 1 ? "{\"properties\":[\"^fast\"]}"
              : kind == 2 ? "{\"or\":[{\"properties\":[\"fast\"]},"
                            "{\"properties\":[\"big\"]}]}"
                          : "{}",
              fp);
    }
    fclose(fp);
    return text;
}

static struct sim_request random_request(const struct sim *s)
{
    uint32_t kind = random_below(3);

    return (struct sim_request){
        .whole = kind == 0,
        .nodes = kind < 2 ? between(1, (s->nnodes + 2) / 2) : 0,
        .slots = kind == 0 ? 1 : between(1, kind == 1 ? 2 : 5),
        .cores = chance(60) ? 1 : between(1, 3)};
}

/* Return the resources of a jobspec, a new text. */
static char *resources_asked(const struct sim_request *r)
{
    char *text = NULL;
    size_t len;
    FILE *fp = open_memstream(&text, &len);

    if (r->nodes > 0)
        fprintf(fp, "{\"type\":\"node\",\"count\":%d%s,\"with\":[", r->nodes,
                r->whole ? ",\"exclusive\":true" : "");
    fprintf(fp,
            "{\"type\":\"slot\",\"count\":%d,\"label\":\"s\",\"with\":"
            "[{\"type\":\"core\",\"count\":%d}]}",
            r->slots, r->cores);
    if (r->nodes > 0)
        fputs("]}", fp);
    fclose(fp);
    return text;
}

static void alloc(struct game *g)
{
    static const char *const names[QUEUES] = {"", ",\"queue\":\"a\"",
                                              ",\"queue\":\"b\""};
    struct sim *s = &g->sim;
    struct sim_job j = {.id = s->njobs + 1,
                        .priority = between(0, 2),
                        .submitted = chance(80) ? s->now : between(0, 200),
                        .duration = chance(8) ? HUGE_VAL : between(1, 60),
                        .queue = between(0, QUEUES - 1),
                        .asks = random_request(s)};
    struct before b = look_before(s, true);
    char *resources = resources_asked(&j.asks),
         *constraint = random_constraint(g, &j), line[2000];

    sim_alloc(s, &j);
    snprintf(line, sizeof(line),
             "{\"topic\":\"sched.alloc\",\"payload\":{\"id\":%ld,"
             "\"priority\":%ld,\"userid\":5,\"t_submit\":%g,\"jobspec\":"
             "{\"version\":1,\"resources\":[%s],\"tasks\":[{\"command\":"
             "[\"a\"],\"slot\":\"s\",\"count\":{\"per_slot\":1}}],"
             "\"attributes\":{\"system\":{\"duration\":%g%s"
             "%s}}}}}",
             j.id, j.priority, j.submitted, resources,
             isinf(j.duration) ? 0 : j.duration, names[j.queue], constraint);
    compare(g, line, &b, -1);
    free(resources);
    free(constraint);
}

/* Free a job that runs, or what it has on one of several nodes. */
static void free_job(struct game *g, struct sim_job *j)
{
    struct before b = look_before(&g->sim, false);
    int nodes = 0, node = -1;
    char line[1000], *R;

    for (int i = 0; i < NODES; i++)
        if (j->has.cores[i]) {
            nodes++;
            node = node < 0 || chance(40) ? i : node;
        }
    if (nodes < 2 || chance(70))
        node = -1;
    R = part_of(j, node);
    if (node >= 0)
        sim_free_node(&g->sim, j, node);
    else
        sim_free(&g->sim, j);
    snprintf(line, sizeof(line),
             "{\"topic\":\"sched.free\",\"payload\":{\"id\":%ld,\"R\":%s%s}}",
             j->id, R, node < 0 ? ",\"final\":true" : "");
    compare(g, line, &b, -1);
    free(R);
}

static void cancel(struct game *g, struct sim_job *j)
{
    struct before b = look_before(&g->sim, false);
    char line[200];

    sim_cancel(&g->sim, j);
    snprintf(line, sizeof(line),
             "{\"topic\":\"sched.cancel\",\"payload\":{\"id\":%ld}}", j->id);
    compare(g, line, &b, -1);
}

static void prioritize(struct game *g, struct sim_job *j)
{
    long priority = between(0, 3);
    struct before b = look_before(&g->sim, priority > j->priority);
    char line[200];

    sim_prioritize(&g->sim, j, priority);
    snprintf(line, sizeof(line),
             "{\"topic\":\"sched.prioritize\",\"payload\":"
             "{\"jobs\":[[%ld,%ld]]}}",
             j->id, priority);
    compare(g, line, &b, -1);
}

static bool any_overdue(const struct sim *s, double now)
{
    for (int i = 0; i < s->njobs; i++)
        if (s->jobs[i].state == SIM_RUNNING && s->jobs[i].end <= now)
            return true;
    return false;
}

/* Set the clock, often to the next end. */
static void step_clock(struct game *g)
{
    struct sim *s = &g->sim;
    double now = s->now + between(0, 20);
    struct before b;
    char line[200];

    for (int i = 0; i < s->njobs && chance(80); i++)
        if (s->jobs[i].state == SIM_RUNNING && s->jobs[i].end > s->now
            && chance(50))
            now = fmin(s->now + 60, s->jobs[i].end);
    now = fmin(now, s->end - 1);
    b = look_before(s, any_overdue(s, now)
                           || (s->now < s->start && now > s->start));
    sim_clock(s, now);
    snprintf(line, sizeof(line),
             "{\"topic\":\"sched.clock\",\"payload\":{\"now\":%g}}", now);
    compare(g, line, &b, -1);
}

enum { NO_ENTRY = 2, INVALID = 22, OUT_OF_RANGE = 34 };

/* Give a job another end; 0: none. */
static void extend(struct game *g, struct sim_job *j)
{
    struct sim *s = &g->sim;
    double end = chance(10) ? 0 : fmax(0, s->now + between(-20, 60));
    double until = end > 0 ? end : INFINITY;
    struct before b = look_before(s, until > j->end || until <= s->now);
    int errnum = j->state != SIM_RUNNING      ? NO_ENTRY
                 : end > 0 && end <= j->start ? INVALID
                 : end > 0 && end > s->end    ? OUT_OF_RANGE
                                              : 0;
    char line[200];

    if (errnum == 0)
        sim_extend(s, j, until);
    else
        sim_clock(s, s->now);
    snprintf(line, sizeof(line),
             "{\"topic\":\"sched.expiration\",\"matchtag\":9,\"payload\":"
             "{\"id\":%ld,\"expiration\":%g}}",
             j->id, end);
    compare(g, line, &b, errnum);
}

__attribute__((format(printf, 3, 4))) static void
of_provider(struct game *g, const struct before *b, const char *fmt, ...)
{
    char line[300], payload[200];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(payload, sizeof(payload), fmt, ap);
    va_end(ap);
    snprintf(line, sizeof(line),
             "{\"topic\":\"resource.acquire\",\"matchtag\":%u,\"payload\":"
             "{%s}}",
             g->acquire, payload);
    compare(g, line, b, -1);
}

static void change_node(struct game *g)
{
    struct sim *s = &g->sim;
    int node = between(0, s->nnodes - 1), left = 0;
    struct before b;

    for (int i = 0; i < s->nnodes; i++)
        left += !s->gone[i];
    if (s->gone[node])
        return;
    b = look_before(s, !s->down[node]);
    if (left > 1 && chance(5)) {
        b.may_delay = true;
        sim_shrink(s, node);
        of_provider(g, &b, "\"shrink\":\"%d\"", node);
    } else if (s->down[node]) {
        sim_set_up(s, node, true);
        of_provider(g, &b, "\"up\":\"%d\"", node);
    } else {
        sim_set_up(s, node, false);
        of_provider(g, &b, "\"down\":\"%d\"", node);
    }
}

/* Change the end of the resources. */
static void change_end(struct game *g)
{
    struct sim *s = &g->sim;
    double end = chance(30) ? INFINITY : s->now + between(5, 200);
    struct before b = look_before(s, true);

    sim_set_end(s, end);
    of_provider(g, &b, "\"expiration\":%g", isinf(end) ? 0 : end);
}

/* A line that changes nothing: the pass after it may improve promises. */
static void ping(struct game *g)
{
    struct before b = look_before(&g->sim, false);

    sim_clock(&g->sim, g->sim.now);
    compare(g, "{\"topic\":\"sched.ping\",\"payload\":{}}", &b, -1);
}

/* --- games ---------------------------------------------------------------- */

static void step(struct game *g)
{
    uint32_t what = random_below(100);
    struct sim_job *pending = random_job(&g->sim, SIM_PENDING),
                   *running = random_job(&g->sim, SIM_RUNNING);
    struct sim_job *late = running;

    /* most jobs that are freed have ended */
    for (int i = 0; i < g->sim.njobs && what < 62; i++)
        if (is_overdue(&g->sim, &g->sim.jobs[i]))
            late = &g->sim.jobs[i];
    if (what < 35)
        alloc(g);
    else if (what < 62 && late)
        free_job(g, late);
    else if (what < 68 && running)
        free_job(g, running);
    else if (what < 82)
        step_clock(g);
    else if (what < 86 && pending)
        cancel(g, pending);
    else if (what < 91 && pending)
        prioritize(g, pending);
    else if (what < 94 && g->sim.njobs > 0)
        extend(g, running ? running : &g->sim.jobs[0]);
    else if (what < 99)
        change_node(g);
    else if (chance(30))
        change_end(g);
    else
        ping(g);
}

static void play(void)
{
    static struct game g;
    int steps;

    begin_game(&g);
    steps = between(3, chance(50) ? 20 : 100);
    while (steps-- > 0 && !g.failed && g.sim.njobs < SIM_JOBS - 1)
        step(&g);
    end_game(&g);
}

int main(void)
{
    for (size_t i = 0; i < sizeof(hand_cases) / sizeof(hand_cases[0]); i++)
        check_hand_case(&hand_cases[i]);
    for (long i = random_start(2700); i > 0; i--)
        play();
    end_rule(&rules.answers);
    end_rule(&rules.types);
    end_rule(&rules.errors);
    end_rule(&rules.promises);
    end_rule(&rules.apart);
    end_rule(&rules.kept);
    printf("# %ld starts, %ld of them before a waiting job; %ld promises\n",
           starts, backfills, promises);
    return done_testing();
}
