/*
 * Schedules, compared with those of a naive simulator (queue_naive.h): random
 * lines (requests, ends, cancels, priorities, time, lost nodes) go to both.
 * After each line, both must have started the same jobs on the same cores, and
 * under easy and conservative promised the same times.
 */
#include <jansson.h>
#include <stdio.h>

#include "model/records/jobs.h"
#include "model/records/usage.h"
#include "protocol/scheduler.h"
#include "queue_naive.h"
#include "sets.h"
#include "store_file.h"
#include "view/view.h"

/* --- the scheduler -------------------------------------------------------- */

static const char *const policies[] = {[SIM_FCFS] = "fcfs",
                                       [SIM_EASY] = "easy",
                                       [SIM_CONSERVATIVE] = "conservative"};
static const char *const queue_names[QUEUES] = {NULL, "a", "b"};

/* How far a logged time may be from the promised one (seconds): rounding. An
   estimate is sent again if it changes by a second. */
static const double slack = 1e-6;

/* Write the rules of queues as an option, a new text. */
static char *rules_text(const struct sim *s)
{
    char *text;
    size_t len;
    FILE *fp = open_memstream(&text, &len);

    fputs(policies[s->rule.policy], fp);
    if (s->rule.policy == SIM_CONSERVATIVE)
        fprintf(fp, ":%d", s->rule.depth);
    for (int i = 0; i < QUEUES; i++)
        if (s->rules[i].own) {
            fprintf(fp, ",%s=%s", queue_names[i], policies[s->rules[i].policy]);
            if (s->rules[i].policy == SIM_CONSERVATIVE)
                fprintf(fp, ":%d", s->rules[i].depth);
        }
    fclose(fp);
    return text;
}

/* Events of a game. */
enum move {
    ALLOC,
    FREE_LATE, /* a job whose end has passed, if there is one */
    FREE,
    CLOCK,
    CANCEL_JOB,
    PRIORITIZE,
    EXTEND,
    CHANGE_NODE,
    CHANGE_END,
    RESTART,
    NOTHING,
    MOVES
};

/* Games differ in what happens often. */
static const struct theme {
    const char *name;
    uint32_t weight[MOVES];
    unsigned endless; /* percentage of jobs without an end */
    unsigned ends;    /* percentage of sets that have an end */
} themes[] = {
    {"", {70, 54, 12, 28, 8, 10, 6, 10, 1, 2, 1}, 8, 25},
    {"lost nodes and late ends, ", {35, 6, 8, 20, 3, 4, 8, 16, 0, 2, 1}, 8, 10},
    {"other ends, ", {35, 10, 6, 15, 3, 4, 15, 2, 0, 2, 1}, 25, 10},
    {"ends of the set, ", {35, 10, 6, 12, 3, 4, 6, 3, 15, 2, 1}, 40, 90},
    {"cancels and priorities, ", {45, 15, 12, 8, 10, 14, 2, 2, 0, 2, 1}, 8, 10},
};
enum { THEMES = sizeof(themes) / sizeof(themes[0]) };

/*
 * What jobs ask for in a game. If it is MIXED, the naive simulator follows the
 * scheduler, whose answers must keep the laws. Otherwise numbers decide, and
 * the simulator is exact.
 */
enum world {
    ANY_NODES,
    EQUAL_SLOTS,
    PARTITIONS, /* two of them, with whole nodes or equal slots each */
    MIXED,
    WORLDS
};

struct game {
    struct sim sim;
    enum world world;
    struct sim_request kinds[2]; /* in each partition, or in all nodes */
    const struct theme *theme;
    bool seed_edition;
    int parts;             /* of a second, in which times are */
    double zero;           /* when the game begins */
    struct keeper *keeper; /* a store, or `memory`; NULL: none */
    struct keeper memory;  /* keeps only the jobs that wait */
    double kept[SIM_JOBS]; /* what jobs that wait were told; NAN: no such job */
    uint32_t priority[SIM_JOBS];
    char *jobspec[SIM_JOBS];
    char *policy;    /* the rules of queues */
    unsigned has[2]; /* nodes with each property, as bits */
    struct scheduler *scheduler;
    FILE *fp; /* lines of the scheduler */
    char *out;
    size_t len, read;
    unsigned acquire; /* matchtag */
    uint64_t number;
    double estimate[SIM_JOBS]; /* by id; NAN: none */
    double logged[SIM_JOBS];   /* likewise, from the log */
    FILE *history;
    char *lines;
    size_t lines_len;
    uint64_t seed;
    double clock;   /* sched.clock is sent for this time; NAN: it is not */
    bool may_delay; /* a line since the last complete pass may delay promises */
    bool restarted, failed;
};

/* A law with the shortest game that breaks it. */
struct rule {
    struct law law;
    char *game; /* NULL: none */
    unsigned long lines;
};

static struct {
    struct rule answers, types, errors, promises, store, apart, kept;
} rules = {
    .answers.law.name = "the same jobs start on the same cores, at the same "
                        "time",
    .types.law.name = "they have passed waiting jobs or not, as expected",
    .errors.law.name = "sched.expiration gets the same answer",
    .promises.law.name = "the same times are promised",
    .store.law.name = "the store has the jobs that run, and no reservations",
    .apart.law.name = "jobs get what they asked for, and nobody has it",
    .kept.law.name = "promises are kept or improved",
};

static long starts, backfills, promises, waits, needless;

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

static bool overlap(const struct units *a, const struct units *b)
{
    for (int i = 0; i < NODES; i++)
        if (a->cores[i] & b->cores[i])
            return true;
    return false;
}

static bool usable(const struct sim *s, int node)
{
    return !s->down[node] && !s->gone[node];
}

/* Read an idset such as "0-1,3" or "[0-1,3]", up to its end. */
static unsigned read_bits(const char **text)
{
    unsigned bits = 0;

    *text += **text == '[';
    while (**text >= '0' && **text <= '9') {
        char *end;
        long lo = strtol(*text, &end, 10), hi = lo;
        if (*end == '-')
            hi = strtol(end + 1, &end, 10);
        for (long i = lo; i <= hi; i++)
            bits |= 1u << i;
        *text = end + (*end == ',');
    }
    *text += **text == ']';
    return bits;
}

static void add_cores(struct units *u, unsigned ranks, unsigned cores)
{
    for (int k = 0; k < NODES; k++)
        if (ranks >> k & 1)
            u->cores[k] |= cores;
}

/* Read the R of a job that starts. */
static struct units read_start(struct answers *a, const struct sim *s, long id,
                               const json_t *R)
{
    const json_t *execution = json_object_get(R, "execution"), *entry;
    double end = json_number_value(json_object_get(execution, "expiration"));
    struct units u = {0};
    size_t i;

    json_array_foreach (json_object_get(execution, "R_lite"), i, entry) {
        const char *rank = json_string_value(json_object_get(entry, "rank")),
                   *core = json_string_value(json_object_get(
                       json_object_get(entry, "children"), "core"));
        add_cores(&u, read_bits(&rank), read_bits(&core));
    }
    put_start(a, s, id, &u,
              json_number_value(json_object_get(execution, "starttime")),
              end > 0 ? end : INFINITY);
    return u;
}

/* Read the resources of a job that starts, such as "rank[0-1]/core0". Its end
   is not known in the seed edition: take that of the simulator. */
static struct units read_summary(struct answers *a, struct sim *s, long id,
                                 const char *text)
{
    struct units u = {0};

    while ((text = strstr(text, "rank"))) {
        unsigned ranks;
        text += strlen("rank");
        ranks = read_bits(&text);
        text += strlen("/core");
        add_cores(&u, ranks, read_bits(&text));
    }
    put_start(a, s, id, &u, s->now, sim_find(s, id)->end);
    return u;
}

/* Let a job of a simulator that follows start, if it may have these units. */
static void follow_start(struct game *g, struct sim_job *j,
                         const struct units *u)
{
    struct sim *s = &g->sim;
    struct units busy = {0}, rest;
    bool good = j->state == SIM_PENDING && in_times(s, s->now, j->duration);

    add_running(s, s->now, true, &busy);
    good &= !overlap(&busy, u);
    /* nothing but these units is left: they must be all that it needs */
    for (int i = 0; i < NODES; i++) {
        good &= !u->cores[i] || (usable(s, i) && j->allowed[i]);
        busy.cores[i] = ~u->cores[i];
    }
    for (int i = 0; i < NODES && j->request.whole; i++)
        busy.cores[i] = u->cores[i] ? 0 : ~0u;
    good &= take(s, j, &busy, false, &rest)
            && memcmp(&rest, u, sizeof(rest)) == 0;
    check(g, &rules.apart, good, "other units", "free ones, as asked for");
    run(s, j, u);
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
    struct units u;

    if (at)
        g->estimate[id] = json_is_number(at) ? json_number_value(at) : NAN;
    a->denied[id] |= type == DENY;
    a->canceled[id] |= type == CANCEL;
    if (g->sim.follows && (type == DENY || type == CANCEL))
        sim_find(&g->sim, id)->state = SIM_ENDED;
    if (type != SUCCESS)
        return;
    if (g->seed_edition)
        u = read_summary(
            a, &g->sim, id,
            json_string_value(json_object_get(sched, "resource_summary")));
    else
        u = read_start(a, &g->sim, id, json_object_get(payload, "R"));
    if (g->sim.follows)
        follow_start(g, sim_find(&g->sim, id), &u);
    else if (word
             || rule_of(&g->sim, sim_find(&g->sim, id)->queue)->policy
                    != SIM_FCFS)
        check(g, &rules.types,
              word && isnan(g->estimate[id])
                  && !strcmp(word, type_of(&g->sim, id)),
              word ? word : "no type", type_of(&g->sim, id));
}

/* Send a line of a peer (NULL: none), perhaps serve the queues, and return the
   new answers like sim_answers(). `errnum` (unless NULL) gets the error number
   of a response to a request. */
static char *send_line(struct game *g, const char *line, bool serve,
                       int *errnum)
{
    struct answers a;
    char *end;

    answers_begin(&a);
    if (line)
        scheduler_line(g->scheduler, SCHEDULER_MANAGER, line, strlen(line),
                       g->number);
    if (serve)
        scheduler_serve(g->scheduler);
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

/* Return a time or a duration in seconds. */
static double seconds(const struct game *g, int lo, int hi)
{
    return (double)between(lo * g->parts, hi * g->parts) / g->parts;
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
        fprintf(fp, ",\"starttime\":%.17g", s->start);
    if (isfinite(s->end))
        fprintf(fp, ",\"expiration\":%.17g", s->end);
    fputs("}}", fp);
    fclose(fp);
    return text;
}

/* Note the promises: "job 5: reserved from 1970-01-01T00:01:20.5Z". */
static void note_log(enum log_level level, const char *text, void *arg)
{
    struct game *g = arg;
    struct tm tm = {0};
    long id;
    int at = 0;
    const char *end;

    (void)level;
    sscanf(text, "job %ld: reserved from %n", &id, &at);
    if (at > 0 && (end = strptime(text + at, "%Y-%m-%dT%H:%M:%S", &tm)))
        g->logged[id] = (double)timegm(&tm) + strtod(end, NULL);
}

static void __attribute__((noreturn)) die(struct diag *d)
{
    printf("Bail out! %s\n", d->text);
    exit(1);
}

static const struct store_options store_how = {.fail = die, .wait = 1};

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
    free(send_line(g, line, true, NULL));
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
    fprintf(fp, "]\"],\"starttime\":%.17g,\"expiration\":%.17g}}", j->start,
            isfinite(j->end) ? j->end : 0);
    fclose(fp);
    return text;
}

/* Let some jobs run already. */
static void begin_jobs(struct sim *s, const struct game *g)
{
    for (int n = chance(30) ? between(1, 3) : 0; n > 0; n--) {
        struct sim_job *j = &s->jobs[s->njobs];
        struct units busy = {0};

        *j = (struct sim_job){.id = s->njobs + 1,
                              .request = {false, 0, between(1, 3), 1},
                              .start = g->zero,
                              .end = g->zero + seconds(g, 1, 60)};
        for (int i = 0; i < NODES; i++)
            j->allowed[i] = chance(60);
        add_running(s, s->now, true, &busy);
        if (s->start > s->now || j->end > s->end
            || !take(s, j, &busy, false, &j->has))
            continue;
        j->state = SIM_RUNNING;
        s->njobs++;
    }
}

/* List the jobs that run in response to hello. */
static void say_hello(struct game *g)
{
    struct sim *s = &g->sim;
    unsigned tag = last_tag(g);

    for (int i = 0; i < s->njobs; i++) {
        const struct sim_job *j = &s->jobs[i];
        char line[1000], *R;

        if (j->state != SIM_RUNNING)
            continue;
        R = part_of(j, -1);
        snprintf(line, sizeof(line),
                 "{\"topic\":\"job-manager.sched-hello\",\"matchtag\":%u,"
                 "\"payload\":{\"id\":%ld,\"priority\":16,\"userid\":5,"
                 "\"t_submit\":0,\"R\":%s}}",
                 tag, j->id, R);
        fprintf(g->history, "#   %s\n", line);
        free(send_line(g, line, true, NULL));
        free(R);
    }
    begin_line(g,
               "{\"topic\":\"job-manager.sched-hello\",\"matchtag\":%u,"
               "\"errnum\":61}",
               tag);
}

/* --- a keeper of jobs that wait ------------------------------------------- */

/* In place of a store it has the game. */
static struct rset *open_memory(struct keeper *k, struct rset *given,
                                bool *fresh)
{
    (void)k;
    *fresh = true;
    return rset_duplicate(given);
}

static void tell_waited(struct store *s,
                        void (*each)(const struct pending_row *row, void *of),
                        void *of)
{
    const struct game *g = (const void *)s;

    for (int i = 0; i < SIM_JOBS; i++)
        if (!isnan(g->kept[i]))
            each(&(struct pending_row){.id = i,
                                       .priority = g->priority[i],
                                       .estimate = g->kept[i]},
                 of);
}

static void keep_waiting(struct store *s, const struct pending_row *row)
{
    struct game *g = (void *)s;

    g->kept[row->id] = row->request ? row->estimate : NAN;
    g->priority[row->id] = row->priority;
}

static void keep_no_set(struct store *s, struct rset *rs)
{
    (void)s, (void)rs;
}

static void keep_no_operation(struct store *s, const struct operation *op)
{
    (void)s, (void)op;
}

static void keep_no_more(struct store *s)
{
    (void)s;
}

/* --- the scheduler -------------------------------------------------------- */

/* Say which nodes are up. */
static char *state_of(const struct game *g)
{
    const struct sim *s = &g->sim;
    unsigned up = 0, down = 0;
    char *text = NULL;
    size_t len;
    FILE *fp = open_memstream(&text, &len);

    for (int i = 0; i < s->nnodes; i++)
        *(s->down[i] ? &down : &up) |= 1u << i;
    fputs(g->seed_edition ? "\"type\":\"grow\",\"online\":\"" : "\"up\":\"",
          fp);
    put_bits(fp, up);
    fputs(g->seed_edition ? "\",\"offline\":\"" : "\",\"down\":\"", fp);
    put_bits(fp, down);
    fputs("\"", fp);
    fclose(fp);
    return text;
}

static void begin_scheduler(struct game *g)
{
    static const char *const groups[] = {"default", NULL};
    struct diag d = {0};
    char *R = resources_of(g), *state = state_of(g);
    struct scheduler_options o = {.dialect = g->seed_edition ? DIALECT_SEED
                                                             : DIALECT_CURRENT,
                                  .burst = (uint32_t)g->sim.burst,
                                  .groups = groups,
                                  .clocked = true,
                                  .now = g->sim.now,
                                  .slack = g->sim.slack,
                                  .fail = die,
                                  .most = LEVEL_DEBUG,
                                  .log = note_log,
                                  .arg = g,
                                  .summary = view_short};

    g->fp = open_memstream(&g->out, &g->len);
    o.manager = o.provider = g->fp;
    fprintf(g->history, "#   %s\n", R);
    o.joined = g->sim.joined;
    queue_rules_read(&o.rules, g->policy, &d);
    o.keeper = g->keeper;
    g->scheduler = scheduler_create(&o);
    scheduler_start(g->scheduler);
    g->acquire = last_tag(g);
    begin_line(g,
               "{\"topic\":\"resource.acquire\",\"matchtag\":%u,\"payload\":"
               "{\"resources\":%s,%s}}",
               g->acquire, R, state);
    say_hello(g);
    begin_line(g,
               "{\"topic\":\"job-manager.sched-ready\",\"matchtag\":%u,"
               "\"payload\":{\"count\":0}}",
               last_tag(g));
    free(state);
    free(R);
}

static void end_scheduler(struct game *g)
{
    scheduler_end(g->scheduler);
    scheduler_destroy(g->scheduler);
    fclose(g->fp);
    free(g->out);
    g->read = 0;
}

static struct sim_rule random_rule(void)
{
    return (struct sim_rule){.policy = (enum sim_policy)between(0, 2),
                             .depth = between(1, 4)};
}

/* Choose what jobs ask for if numbers decide: whole nodes, any of some, or
   slots of one size. */
static struct sim_request random_kind(const struct sim *s, bool whole,
                                      unsigned nodes)
{
    int least = CORES;

    for (int i = 0; i < s->nnodes; i++)
        if ((nodes >> i & 1) && s->ncores[i] < least)
            least = s->ncores[i];
    return (struct sim_request){.whole = whole,
                                .nodes = whole,
                                .slots = 1,
                                .cores = whole        ? between(1, least)
                                         : chance(60) ? 1
                                                      : between(1, 3)};
}

static void begin_game(struct game *g)
{
    struct sim *s = &g->sim;
    bool equal;

    memset(g, 0, sizeof(*g));
    g->seed = random_state;
    equal = chance(50);
    g->theme = &themes[random_below(THEMES)];
    g->seed_edition = chance(20);
    s->now = g->zero = chance(70) ? 0 : 1795714213;
    g->parts = chance(60) ? 1 : 8;
    s->rule = random_rule();
    for (int i = 1; i < QUEUES && chance(30); i++) {
        s->rules[i] = random_rule();
        s->rules[i].own = true;
    }
    g->policy = rules_text(s);
    s->slack = chance(50) ? 0 : between(1, 30);
    s->burst = chance(40) ? between(1, chance(50) ? 1 : 3) : 0;
    s->joined = chance(40);
    s->nnodes = between(2, NODES);
    for (int i = 0; i < s->nnodes; i++) {
        s->ncores[i] = equal && i > 0 ? s->ncores[0] : between(1, CORES);
        g->has[0] |= (unsigned)chance(50) << i;
        g->has[1] |= (unsigned)chance(30) << i;
    }
    g->world = chance(40) ? MIXED : (enum world)between(0, MIXED - 1);
    s->follows = g->world == MIXED;
    g->kinds[0] = random_kind(
        s, g->world == ANY_NODES || (g->world == PARTITIONS && chance(50)),
        g->world == PARTITIONS ? g->has[0] : ~0u);
    g->kinds[1] = random_kind(s, chance(50), ~g->has[0]);
    s->start = g->zero + (chance(90) ? 0 : 50);
    g->clock = NAN;
    if (chance(2)) {
        g->keeper = scheduler_store(NULL, store_file, &store_how);
    } else if (chance(50)) {
        g->memory = (struct keeper){.name = "memory",
                                    .store = (void *)g,
                                    .opened = open_memory,
                                    .waited = tell_waited,
                                    .replace = keep_no_set,
                                    .record = keep_no_operation,
                                    .pending = keep_waiting,
                                    .sync = keep_no_more,
                                    .close = keep_no_more};
        g->keeper = &g->memory;
    }
    s->end = chance(g->theme->ends) ? g->zero + between(150, 400) : HUGE_VAL;
    for (int i = 0; i < SIM_JOBS; i++)
        g->kept[i] = g->estimate[i] = NAN;
    g->history = open_memstream(&g->lines, &g->lines_len);
    fprintf(g->history, "RSET_SEED=%" PRIu64 " %s%s, %s%sburst %d, slack %g:\n",
            g->seed, g->policy, s->joined ? " joined" : "", g->theme->name,
            g->seed_edition ? "seed edition, " : "", s->burst, s->slack);
    begin_jobs(s, g);
    begin_scheduler(g);
}

/* Does the store have the jobs that run? */
static bool same_jobs(struct game *g)
{
    struct store *store = store_open(store_file, STORE_READ, &store_how);
    struct rset *rs = store_read(store);
    const struct usage *u = usage_begin(rs);
    bool good = true;

    for (int i = 0; i < g->sim.njobs; i++) {
        char name[20];
        snprintf(name, sizeof(name), "%ld", g->sim.jobs[i].id);
        good &= !job_find(u, name) == (g->sim.jobs[i].state != SIM_RUNNING);
    }
    rset_destroy(rs);
    store_close(store);
    return good;
}

static void end_game(struct game *g)
{
    end_scheduler(g);
    if (g->keeper && g->keeper != &g->memory) {
        if (!g->failed)
            check(g, &rules.store, same_jobs(g), "other jobs", "");
        free(g->keeper);
    }
    store_remove();
    free(g->policy);
    for (int i = 0; i < SIM_JOBS; i++)
        free(g->jobspec[i]);
    fclose(g->history);
    free(g->lines);
}

/* --- lines ---------------------------------------------------------------- */

/* Promises before a line, to be compared with those after it. */
struct before {
    bool promised[SIM_JOBS];
    double at[SIM_JOBS];
    bool waits[SIM_JOBS]; /* without a promise */
    bool may_delay;       /* the line is an event that may delay promises */
};

static struct before look_before(const struct sim *s, bool may_delay)
{
    struct before b = {.may_delay = may_delay};

    for (int i = 0; i < s->njobs; i++) {
        b.promised[i] = s->jobs[i].promised;
        b.at[i] = s->jobs[i].at;
        b.waits[i] = s->jobs[i].state == SIM_PENDING && !s->jobs[i].promised;
    }
    return b;
}

/* Did a job (before this one, unless it is NULL) get a promise, or start,
   without one before? Then no time was possible for it, and others may have
   yielded. */
static bool may_yield(const struct sim *s, const struct sim_job *j,
                      const struct before *b)
{
    for (int i = 0; i < s->njobs; i++)
        if (b->waits[i] && (!j || compare_order(&s->jobs[i], j) < 0)
            && (s->jobs[i].promised || s->jobs[i].state == SIM_RUNNING))
            return true;
    return false;
}

static void check_kept(struct game *g, const struct before *b)
{
    const struct sim *s = &g->sim;
    bool good = true;

    for (int i = 0; i < s->njobs; i++) {
        const struct sim_job *j = &s->jobs[i];
        if (!b->promised[i] || may_yield(s, j, b))
            continue;
        if (j->state == SIM_PENDING && j->promised)
            good &= j->at <= fmax(b->at[i], s->now);
        if (j->state == SIM_RUNNING)
            good &= j->start <= fmax(b->at[i], s->now);
    }
    check(g, &rules.kept, good, "a later time", "the promised one");
}

/* Running jobs don't overlap; promises can be kept together, if numbers
   decide. */
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
        j->held = j->state == SIM_PENDING && j->promised;
        promises += j->held;
    }
    good &= s->follows || s->more || can_keep(s);
    for (int i = 0; i < s->njobs; i++)
        s->jobs[i].held = false;
    check(g, &rules.apart, good, "overlap", "none");
}

/* Take over the promises of the scheduler. */
static void follow_promises(struct game *g)
{
    for (int i = 0; i < g->sim.njobs; i++) {
        struct sim_job *j = &g->sim.jobs[i];
        j->promised = j->state == SIM_PENDING && !isnan(g->estimate[j->id]);
        j->at = fmax(g->logged[j->id], g->sim.now);
    }
}

/* Return whether a waiting job could start, by the naive rule. */
static bool is_needless(struct sim *s, struct sim_job *j, bool first)
{
    struct sim_job old = *j;
    bool could;

    if (rule_of(s, queue_of(s, j))->policy == SIM_FCFS && !first)
        return false;
    for (int i = 0; i < s->njobs; i++)
        s->jobs[i].held = s->jobs[i].state == SIM_PENDING && s->jobs[i].promised
                          && &s->jobs[i] != j;
    could = can_keep(s) && try_start(s, j);
    *j = old;
    for (int i = 0; i < s->njobs; i++)
        s->jobs[i].held = false;
    return could;
}

static void count_needless(struct game *g)
{
    struct sim *s = &g->sim;
    bool seen[QUEUES] = {false};
    struct sim_set queue;

    sort_queue(s, &queue);
    for (int i = 0; i < queue.n; i++) {
        int in = queue_of(s, queue.jobs[i]);
        waits++;
        needless += is_needless(s, queue.jobs[i], !seen[in]);
        seen[in] = true;
    }
}

/* Are all queues fcfs? */
static bool is_fcfs(const struct sim *s)
{
    bool all = true;

    for (int i = 0; i < QUEUES; i++)
        all &= rule_of(s, i)->policy == SIM_FCFS;
    return all;
}

/* Compare estimates with promises. */
static bool same_estimates(const struct game *g)
{
    for (int i = 0; i < g->sim.njobs; i++) {
        const struct sim_job *j = &g->sim.jobs[i];
        double at = g->estimate[j->id],
               logged = fmax(g->logged[j->id], g->sim.now);
        if (j->state == SIM_PENDING
            && (j->promised
                    ? !(fabs(at - j->at) < 1)
                          || !(fabs(logged - fmax(j->at, g->sim.now)) <= slack)
                    : !isnan(at)))
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
            fprintf(fp, " %ld@%.15g (log: %.15g)", j->id, g->estimate[j->id],
                    g->logged[j->id]);
    }
    fclose(fp);
    return text;
}

/* Send the line that the simulator has followed, and compare. */
static void compare(struct game *g, const char *line, const struct before *b,
                    int errnum)
{
    bool serve = !line || (isnan(g->clock) && chance(80));
    struct sim *s = &g->sim;
    char *want, *promised, *got, *estimates;
    int answer = 0;

    if (serve)
        sim_serve(s);
    want = sim_answers(s);
    promised = sim_promises(s);
    g->number++;
    fprintf(g->history, "#   %s%s\n#     %s;%s\n", line ? line : "",
            serve ? " (serve)" : "", want, promised);
    for (int i = 0; i < s->nevents; i++) {
        starts += s->events[i].kind == SIM_START;
        backfills += s->events[i].backfilled;
    }
    got = send_line(g, line, serve, &answer);
    s->nevents = 0;
    if (!isnan(g->clock))
        sim_clock(s, g->clock);
    g->clock = NAN;
    if (s->follows)
        fprintf(g->history, "#     %s;\n", got);
    else
        check(g, &rules.answers, !strcmp(got, want), got, want);
    if (errnum >= 0)
        check(g, &rules.errors, answer == errnum, "another error", "");
    estimates = estimates_text(g);
    if (s->follows) {
        s->more = scheduler_more(g->scheduler);
        follow_promises(g);
        fprintf(g->history, "#     %s\n", estimates);
        if (!s->more)
            count_needless(g);
    } else if (!is_fcfs(s) && !s->more)
        check(g, &rules.promises, same_estimates(g), estimates, promised);
    free(estimates);
    check_apart(g);
    g->may_delay |= b->may_delay;
    if (!g->may_delay && !(s->follows && s->more))
        check_kept(g, b);
    /* others move in the next part; estimates are sent after the last one */
    g->may_delay |= s->follows || may_yield(s, NULL, b);
    g->may_delay &= s->more;
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
    unsigned fast = g->has[0], big = g->has[1],
             kind = g->world == PARTITIONS ? random_below(2)
                    : g->world == MIXED    ? random_below(10)
                                           : 9,
             some = random_below(1 << NODES),
             ranks = kind == 0   ? fast
                     : kind == 1 ? ~fast
                     : kind == 2 ? fast | big
                     : kind == 3 ? some
                                 : ~0u;
    char *text = NULL;
    size_t len;
    FILE *fp = open_memstream(&text, &len);

    for (int i = 0; i < NODES; i++)
        j->allowed[i] = ranks >> i & 1;
    if (kind == 3) {
        fputs(",\"constraints\":{\"ranks\":[\"", fp);
        put_bits(fp, some);
        fputs("\"]}", fp);
    } else if (kind < 5) {
        fputs(",\"constraints\":", fp);
        fputs(kind == 0   ? "{\"properties\":[\"fast\"]}"
              : kind == 1 ? "{\"properties\":[\"^fast\"]}"
              : kind == 2 ? "{\"or\":[{\"properties\":[\"fast\"]},"
                            "{\"properties\":[\"big\"]}]}"
                          : "{}",
              fp);
    }
    fclose(fp);
    if (g->world != MIXED) {
        j->request = g->kinds[g->world == PARTITIONS ? kind : 0];
        if (j->request.whole)
            j->request.nodes = between(1, (g->sim.nnodes + 2) / 2);
        else
            j->request.slots = between(1, 5);
    }
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

/* Return the request of a job, a new text. */
static char *alloc_line(const struct game *g, const struct sim_job *j)
{
    char *line;

    if (asprintf(&line,
                 "{\"topic\":\"sched.alloc\",\"payload\":{\"id\":%ld,"
                 "\"priority\":%ld,\"userid\":5,\"t_submit\":%.17g,"
                 "\"jobspec\":%s}}",
                 j->id, j->priority, j->submitted, g->jobspec[j->id])
        < 0)
        abort();
    return line;
}

static void alloc(struct game *g)
{
    static const char *const names[QUEUES] = {"", ",\"queue\":\"a\"",
                                              ",\"queue\":\"b\""};
    struct sim *s = &g->sim;
    struct sim_job j = {
        .id = s->njobs + 1,
        .priority = between(0, 2),
        .submitted = chance(80) ? s->now : g->zero + seconds(g, 0, 200),
        .duration = chance(g->theme->endless) ? HUGE_VAL : seconds(g, 1, 60),
        .queue = between(0, QUEUES - 1),
        .request = random_request(s)};
    struct before b = look_before(s, true);
    char *constraint = random_constraint(g, &j),
         *resources = resources_asked(&j.request), *line;

    if (asprintf(&g->jobspec[j.id],
                 "{\"version\":1,\"resources\":[%s],\"tasks\":[{\"command\":"
                 "[\"a\"],\"slot\":\"s\",\"count\":{\"per_slot\":1}}],"
                 "\"attributes\":{\"system\":{\"duration\":%.17g%s%s}}}",
                 resources, isinf(j.duration) ? 0 : j.duration, names[j.queue],
                 constraint)
        < 0)
        abort();
    line = alloc_line(g, &j);
    sim_alloc(s, &j);
    compare(g, line, &b, -1);
    free(line);
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
    if (nodes < 2 || chance(70) || g->seed_edition)
        node = -1;
    R = part_of(j, node);
    if (node >= 0)
        sim_free_node(&g->sim, j, node);
    else
        sim_free(&g->sim, j);
    if (g->seed_edition)
        snprintf(line, sizeof(line),
                 "{\"topic\":\"sched.free\",\"payload\":{\"id\":%ld}}", j->id);
    else
        snprintf(
            line, sizeof(line),
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
    double now = s->now + seconds(g, 0, 20);
    struct before b;
    char line[200];

    for (int i = 0; i < s->njobs && chance(80); i++)
        if (s->jobs[i].state == SIM_RUNNING && s->jobs[i].end > s->now
            && chance(50))
            now = fmin(s->now + 60, s->jobs[i].end);
    now = fmin(now, s->end - 1);
    /* in bursts, jobs may have had no turn yet whose time has come */
    b = look_before(s, s->more || any_overdue(s, now)
                           || (s->now < s->start && now > s->start));
    sim_finish(s);
    g->clock = now;
    snprintf(line, sizeof(line),
             "{\"topic\":\"sched.clock\",\"payload\":{\"now\":%.17g}}", now);
    compare(g, line, &b, -1);
}

static bool any_gone(const struct sim *s)
{
    bool any = false;

    for (int i = 0; i < s->nnodes; i++)
        any |= s->gone[i];
    return any;
}

enum { NO_ENTRY = 2, INVALID = 22, OUT_OF_RANGE = 34 };

/* Give a job another end; 0: none. */
static void extend(struct game *g, struct sim_job *j)
{
    struct sim *s = &g->sim;
    /* after a restart the times of an R may be those of the set: then its start
       is not known */
    double end = chance(10) ? 0
                            : fmax(g->restarted ? j->start + 1 : 0,
                                   s->now + seconds(g, -20, 60)),
           until = end > 0 ? end : INFINITY;
    struct before b = look_before(s, until > j->end || until <= s->now);
    int errnum = g->seed_edition && end > floor(end)  ? INVALID
                 : j->state != SIM_RUNNING            ? NO_ENTRY
                 : end > 0 && end <= j->start + slack ? INVALID
                 : end > 0 && end > s->end            ? OUT_OF_RANGE
                                                      : 0;
    char line[200];

    if (errnum == 0)
        sim_extend(s, j, until);
    snprintf(line, sizeof(line),
             "{\"topic\":\"sched.expiration\",\"matchtag\":9,\"payload\":"
             "{\"id\":%ld,\"expiration\":%.17g}}",
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

/* Say what has become of a node, in the word of the seed edition or another. */
static void of_node(struct game *g, const struct before *b, const char *seed,
                    const char *current, int node)
{
    if (g->seed_edition)
        of_provider(g, b, "\"type\":\"%s\",\"targets\":\"%d\"", seed, node);
    else
        of_provider(g, b, "\"%s\":\"%d\"", current, node);
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
        of_node(g, &b, "shrink", "shrink", node);
    } else if (s->down[node]) {
        sim_set_up(s, node, true);
        of_node(g, &b, "online", "up", node);
    } else {
        sim_set_up(s, node, false);
        of_node(g, &b, "offline", "down", node);
    }
}

/* Change the end of the resources. */
static void change_end(struct game *g)
{
    struct sim *s = &g->sim;
    double end = chance(30) ? INFINITY : s->now + seconds(g, 5, 200);
    struct before b = look_before(s, true);

    sim_set_end(s, end);
    of_provider(g, &b, "\"expiration\":%.17g", isinf(end) ? 0 : end);
}

/* A line that changes nothing. All passes that are due come before it. */
static void ping(struct game *g)
{
    struct before b = look_before(&g->sim, false);

    sim_finish(&g->sim);
    compare(g, "{\"topic\":\"sched.ping\",\"payload\":{}}", &b, -1);
}

/*
 * The scheduler ends and begins again; jobs that wait send their requests
 * again. It keeps the promises that it had told, and the others don't become
 * new.
 */
static void restart(struct game *g)
{
    struct sim *s = &g->sim;
    int n = 0, first = between(0, s->njobs);

    ping(g);
    fprintf(g->history, "#   (restart)\n");
    for (int i = 0; i < s->njobs; i++)
        s->jobs[i].fresh = isnan(g->kept[s->jobs[i].id]);
    end_scheduler(g);
    begin_scheduler(g);
    for (int i = 0; i < s->njobs; i++) {
        struct sim_job *j = &s->jobs[(first + i) % s->njobs];
        char *line;
        if (j->state != SIM_PENDING)
            continue;
        n++;
        j->timeless = 0;
        if (j->promised) {
            g->may_delay |= j->at < g->estimate[j->id]
                            || j->at > g->estimate[j->id];
            j->at = j->base = fmax(g->estimate[j->id], s->now);
            g->logged[j->id] =
                j->at; /* changes below a second are not stored */
            j->latest = 0;
        }
        g->estimate[j->id] = NAN;
        line = alloc_line(g, j);
        fprintf(g->history, "#   %s\n", line);
        free(send_line(g, line, false, NULL));
        free(line);
    }
    s->more = n > 0;
    g->restarted = true;
    g->may_delay |= s->follows; /* reservations get other places */
    ping(g);
}

/* --- games ---------------------------------------------------------------- */

/* Serve the queues, perhaps after a pass that has ended early. */
static void go_on(struct game *g)
{
    struct before b = look_before(&g->sim, false);

    compare(g, NULL, &b, -1);
}

static enum move random_move(const struct theme *t)
{
    uint32_t all = 0, what;
    enum move m = ALLOC;

    for (int i = 0; i < MOVES; i++)
        all += t->weight[i];
    what = random_below(all);
    while (what >= t->weight[m])
        what -= t->weight[m++];
    return m;
}

static void step(struct game *g)
{
    struct sim *s = &g->sim;
    enum move what = random_move(g->theme);
    struct sim_job *pending = random_job(s, SIM_PENDING),
                   *running = random_job(s, SIM_RUNNING), *late = running;

    if (s->more && chance(50)) {
        go_on(g);
        return;
    }
    if (s->more && chance(50))
        what = CANCEL_JOB;
    for (int i = 0; i < s->njobs; i++) {
        if (what == FREE_LATE && is_overdue(s, &s->jobs[i]))
            late = &s->jobs[i];
        if (what == CANCEL_JOB && s->jobs[i].promised && chance(50)
            && s->jobs[i].state == SIM_PENDING)
            pending = &s->jobs[i];
    }
    if (what == ALLOC)
        alloc(g);
    else if ((what == FREE_LATE || what == FREE) && running)
        free_job(g, late);
    else if (what == CLOCK)
        step_clock(g);
    else if (what == CANCEL_JOB && pending)
        cancel(g, pending);
    else if (what == PRIORITIZE && pending)
        prioritize(g, pending);
    else if (what == EXTEND && s->njobs > 0)
        extend(g, running ? running : &s->jobs[0]);
    else if (what == CHANGE_NODE)
        change_node(g);
    else if (what == CHANGE_END && !g->seed_edition)
        change_end(g);
    else if (what == RESTART && g->keeper == &g->memory && !any_gone(s)
             && s->start < s->end)
        restart(g);
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
    store_begin();
    for (long i = random_start(2700); i > 0; i--)
        play();
    end_rule(&rules.answers);
    end_rule(&rules.types);
    end_rule(&rules.errors);
    end_rule(&rules.promises);
    end_rule(&rules.store);
    end_rule(&rules.apart);
    end_rule(&rules.kept);
    /* a start may leave the naive rule other places than the scheduler has */
    ok(needless * 5000 <= waits,
       "of %ld times that a job waits, it could start in %ld", waits, needless);
    printf("# %ld starts, %ld of them before a waiting job; %ld promises\n",
           starts, backfills, promises);
    return done_testing();
}
