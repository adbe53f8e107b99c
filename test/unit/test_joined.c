/*
 * The two sides of RFC 28 joined: a provider and a scheduler, each of which has
 * the lines of the other, and a job manager, for an hour of simulated time with
 * random events, in both editions. Lines are under way for a while. What the
 * scheduler does is right by what it was told until then:
 *
 *   - it gives nothing twice, nothing that it has not, and nothing offline;
 *   - it releases what was taken away, once, and only when nobody has it.
 *
 * And whenever no line is under way, both agree on what is given, up and taken
 * away; the scheduler says of all, down and allocated what is so; who lost
 * something was told of it, once; and nothing waits that could be done.
 *
 * RSET_TRACE=1 shows all lines.
 */
#include <math.h>
#include <unistd.h>

#include "joined_game.h"
#include "store/store.h"
#include "store_file.h"

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

/* What is not to be had: a node that a job has whole may have more by now. */
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

static void quiet(void)
{
    pass(true);
    must(g.ready && scheduler_fine(g.scheduler), "the scheduler is not ready");
    check_status();
    check_lost();
    check_jobs();
    scheduler_keep(g.scheduler);
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

/* --- what the job manager does -------------------------------------------- */

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

/* In the current edition maybe a part of it, which is not the last one. */
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

/* Whoever asks for an R takes it from the annotations. */
static int write_summary(struct rset *R, FILE *fp, struct diag *d)
{
    size_t len;
    char *text = rset_text(R, &(struct rset_style){.form = FORM_R}, &len, d);

    if (text)
        fputs(text, fp);
    free(text);
    return text ? 0 : -1;
}

static void __attribute__((noreturn)) die(struct diag *d)
{
    printf("Bail out! %s\n", d->text);
    exit(1);
}

static const struct store_options store_how = {
    .fail = die, .wait = 1, .keep = 10};

/* Resources, or others: few kinds of nodes. */
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

/* Some groups that have members; there is one, or default gets all. */
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

/* Jobs that lack something are killed: what they lack may be another's. */
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

/* The R of jobs that have something yet, and the store. */
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
        g.now += random_below(40) / 10.0;
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
