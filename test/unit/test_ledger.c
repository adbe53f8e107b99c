/*
 * The ledger against a naive one that has a cell for each unit of each pool
 * and each slot of time: random operations of many jobs on small graphs and
 * on plain Rs. After each of them all that is recorded is compared, all that
 * the ledger tells, and the document is written, checked by the validator,
 * and read back.
 */
#include "ledger_chosen.h"
#include "model/document/document.h"
#include "schedule/plan.h"

enum { STEPS = 40 };

/* --- requests ------------------------------------------------------------ */

static void check_no(struct game *g, const struct ask *a,
                     enum match_answer answer, int from, int to)
{
    static struct naive empty;
    int now = could_have(&g->naive, a, from, to), ever;

    empty = (struct naive){.w = &g->world};
    naive_fill(&empty);
    ever = could_have(&empty, a, 0, SLOTS + 1);
    check(g, &g->laws->answer, now < 0 || (answer == MATCH_FOUND) == now,
          answer == MATCH_FOUND ? "found what can't be had"
                                : "a no to what can be had");
    check(g, &g->laws->answer, ever < 0 || (answer != MATCH_NEVER) == ever,
          "never, or not now");
}

/* A plan that was found passes all checks, those of a chosen one, too. */
static void check_plan(struct game *g, const struct selection *sel,
                       const struct lease *of, bool staged)
{
    const struct term terms = terms_of(of, staged);
    unsigned flags[] = {0, PLAN_CHOSEN};
    struct diag d = {0};

    for (int i = 0; i < 2; i++) {
        enum plan_answer answer = plan_check(
            usage_begin(g->rs), job_names[of->job], sel, &terms,
            moment_time(g->naive.now), flags[i], &d);
        check(g, &g->laws->selected,
              answer == PLAN_GOOD || answer == PLAN_UNSAYABLE, d.text);
    }
}

static void play_request(struct game *g, int job)
{
    struct ask a = random_ask(&g->world);
    struct lease of = random_lease(g, job);
    int from = lease_from(g, &of), to = lease_to(&of);
    struct match_options opts = {.now = moment_time(g->naive.now),
                                 .start = moment_time(from)};
    bool staged = !naive_knows(&g->naive, job) && one_in(4);
    struct selection *sel = NULL;
    struct diag d = {0};
    struct request *req = request_from_shape(a.text, &d);
    enum match_answer answer = MATCH_ERROR;
    struct naming named;
    struct wish wish;

    note(g, " %s:%s[%d,%d)%s", job_names[job], a.text, of.start, of.end,
         staged ? "staged" : "");
    if (req) {
        req->duration = to > SLOTS ? 0 : moment_time(to) - moment_time(from);
        answer = match_find(usage_begin(g->rs), req, &opts, &sel, &d);
    }
    request_destroy(req);
    check(g, &g->laws->answer, answer != MATCH_ERROR, d.text);
    check_no(g, &a, answer, from, to);
    if (answer == MATCH_FOUND && !g->over) {
        named = name_selection(&g->world, sel);
        wish = wish_of(&g->world, &named);
        check_none(g, &g->laws->selected, named.fault);
        check(g, &g->laws->selected, naive_may(&g->naive, &wish, from, to),
              "selected what is not free");
        check(g, &g->laws->selected, answers_ask(&g->naive, &wish, &a),
              "selected more or less than was asked for");
        check_plan(g, sel, &of, staged);
        if (!g->over)
            record_wish(g, sel, &wish, &of, staged);
    }
    if (answer == MATCH_FOUND)
        selection_destroy(sel);
    note(g, answer == MATCH_FOUND ? " yes;" : " no;");
}

/* --- time ---------------------------------------------------------------- */

static void count_ended(const char *job, double end, void *arg)
{
    int *n = arg;

    (void)end;
    *n += job_number(job) >= 0;
}

static void play_expire(struct game *g)
{
    int want = naive_expire(&g->naive), told = 0;
    size_t got = once_expire(g->rs, moment_time(g->naive.now), count_ended,
                             &told);

    note(g, " expire %d;", want);
    check(g, &g->laws->time, got == (size_t)want && told == want,
          "not as many jobs ended as did");
}

static void play_extend(struct game *g, int job)
{
    int end = one_in(4) ? NEVER : 1 + (int)random_below(SLOTS);
    bool may = naive_extend(&g->naive, job, end);
    struct diag d = {0};

    note(g, " %s extend %d %s;", job_names[job], end, may ? "yes" : "no");
    check(g, &g->laws->time,
          once_extend(g->rs, job_names[job], moment_time(end),
                      moment_time(g->naive.now), &d)
              == !may,
          may ? d.text : "extended into what is taken");
}

static void play_tick(struct game *g)
{
    if (g->naive.now < SLOTS - 1)
        g->naive.now++;
    note(g, " now %d;", g->naive.now);
}

/* --- states and tags ----------------------------------------------------- */

static void set_state(struct game *g, int p, enum pool_state state)
{
    struct lot *lot = pool_lot(&g->world, g->rs, p);

    lot_set_state(g->rs->usage, lot, state);
    lot_join(g->rs->usage, lot);
    g->naive.state[p] = state;
}

static void set_tag(struct game *g, int p, bool tagged)
{
    struct vertex *v = pool_vertex(&g->world, g->rs, p);

    if (tagged)
        vertex_tag(v, "blue", NULL);
    else
        vertex_untag(v, "blue");
    g->naive.tagged[p] = tagged;
}

/* An R without a graph speaks of targets, and what is in them. */
static int any_pool(const struct game *g)
{
    int first = g->world.graph ? 0 : 1;

    return first + (int)random_below((uint32_t)(g->world.n - first));
}

static void play_state(struct game *g)
{
    int p = any_pool(g);
    enum pool_state state = one_in(2) ? STATE_UP : random_below(POOL_STATES);

    set_state(g, p, state);
    note(g, " %s%d@%d %s;", kind_names[g->world.pool[p].kind],
         g->world.pool[p].id, g->world.pool[p].rank, pool_state_names[state]);
}

static void play_tag(struct game *g)
{
    int p = any_pool(g);

    set_tag(g, p, !g->naive.tagged[p]);
    note(g, " tag;");
}

/* --- after each ---------------------------------------------------------- */

static bool record_fault(const struct fault *f)
{
    return f->level != FAULT_STRICT || !strncmp(f->rule->name, "record-", 7)
           || !strcmp(f->rule->name, "exclusive-shared");
}

static void check_faults(struct game *g, const char *text)
{
    struct faults faults = {.strict = true};
    struct diag d = {0};
    struct stream *s = stream_open_text(text, strlen(text), "set");

    rset_validate(s, TRUST_NONE, &faults, &d);
    stream_close(s);
    for (size_t i = 0; i < faults.n; i++) {
        const struct fault *f = &faults.list[i];
        if (record_fault(f))
            check_none(g, &g->laws->faults,
                       trouble("%s: %s: %s", f->rule->name, f->where, f->text));
    }
    g->laws->faults.cases++;
    faults_fini(&faults);
}

static size_t differ(const char *a, const char *b)
{
    size_t i = 0;

    while (b && a[i] && a[i] == b[i])
        i++;
    return i > 20 ? i - 20 : 0;
}

/* Written, checked and read back; takes `set` over and returns the copy. */
static struct rset *through_a_pipe(struct game *g, enum rset_form form)
{
    char *text = write_set(g->rs, form), *again;
    struct rset *copy;

    if (!check(g, &g->laws->forms, text != NULL, "can't be written"))
        return NULL;
    check_faults(g, text);
    copy = g->over ? NULL : read_set(text);
    again = copy ? write_set(copy, form) : NULL;
    if (copy)
        check(g, &g->laws->forms, again && !strcmp(text, again),
              trouble("differ at %.120s", text + differ(text, again)));
    free(text);
    free(again);
    return copy;
}

static void check_told(struct game *g)
{
    struct naive *n = &g->naive;
    int moment = n->now + (int)random_below((uint32_t)(SLOTS + 1 - n->now));

    for (int job = 0; job < JOBS && !g->over; job++)
        check_none(g, &g->laws->tells, check_job(n, g->rs, job));
    if (!g->over)
        check_none(g, &g->laws->tells,
                   check_available(n, g->rs, moment, one_in(2)));
}

static void check_all(struct game *g)
{
    int twice = naive_fill(&g->naive);
    struct rset *copy;

    check(g, &g->laws->records, twice == NO_POOL, "a unit is promised twice");
    if (!g->over)
        check_none(g, &g->laws->records, check_records(&g->naive, g->rs));
    if (!g->over)
        check_told(g);
    if (!g->over && one_in(4)) /* what R_lite says of it */
        rset_destroy(through_a_pipe(g, FORM_R));
    copy = g->over ? NULL : through_a_pipe(g, FORM_AS_READ);
    if (copy)
        check_none(g, &g->laws->forms, check_records(&g->naive, copy));
    if (copy && one_in(2)) {
        struct rset *old = g->rs;
        g->rs = copy;
        copy = old;
    }
    rset_destroy(copy);
}

/* --- games ---------------------------------------------------------------- */

static void play_step(struct game *g)
{
    int job = (int)random_below(JOBS);
    bool staged = false;

    for (int p = 0; p < g->world.n; p++)
        staged = staged || g->naive.staged[p] == job + 1;
    switch (random_below(20)) {
    case 0:
        play_release(g, job);
        return;
    case 1:
    case 2:
    case 3:
        play_shrink(g, job);
        return;
    case 4:
        play_expire(g);
        return;
    case 5:
        play_tick(g);
        return;
    case 6:
        play_extend(g, job);
        return;
    case 7:
        play_state(g);
        return;
    case 8:
        play_tag(g);
        return;
    default:
        if (staged)
            play_staged(g, job);
        else if (one_in(2))
            play_request(g, job);
        else
            play_chosen(g, job);
    }
}

/* Release all, and mend all: the bytes are the first ones. */
static void end_game(struct game *g)
{
    char *end;

    for (int job = 0; job < JOBS; job++)
        play_release(g, job);
    for (int p = 0; p < g->world.n; p++) {
        if (g->naive.state[p] != STATE_UP)
            set_state(g, p, STATE_UP);
        if (g->naive.tagged[p])
            set_tag(g, p, false);
    }
    end = write_set(g->rs, FORM_AS_READ);
    check(g, &g->laws->bytes, end && !strcmp(g->start, end),
          trouble("became %.200s", end));
    free(end);
}

static long play(const struct plan_of_world *plan, struct laws *laws)
{
    static struct game g;
    long steps = 0;

    g = (struct game){.laws = laws};
    world_make(&g.world, plan);
    g.naive.w = &g.world;
    g.rs = world_set(&g.world);
    g.start = write_set(g.rs, FORM_AS_READ);
    for (; steps < STEPS && !g.over; steps++) {
        play_step(&g);
        check_all(&g);
    }
    if (!g.over)
        end_game(&g);
    free(g.start);
    rset_destroy(g.rs);
    return steps;
}

static const struct plan_of_world plans[] = {
    {.name = "R"},
    {.name = "R with nodes to be taken whole", .marked = true},
    {.name = "flat graphs", .graph = true},
    {.name = "graphs with sockets and licences",
     .graph = true,
     .sockets = true,
     .licences = true},
    {.name = "graphs with racks, licences and power",
     .graph = true,
     .racks = true,
     .licences = true,
     .power = true},
    {.name = "graphs with all, and pools to be taken whole",
     .graph = true,
     .racks = true,
     .sockets = true,
     .licences = true,
     .power = true,
     .marked = true},
};
enum { PLANS = sizeof(plans) / sizeof(plans[0]) };

static void test_plan(const struct plan_of_world *plan, long steps)
{
    struct laws laws = {
        {.name = "a match is found where it can be counted that there is one"},
        {.name = "what is selected is free, and what was asked for"},
        {.name = "what is chosen is refused if any of it is taken"},
        {.name = "what is given back is what the job has, nothing else"},
        {.name = "what has ended is dropped, an end is put off if it can be"},
        {.name = "the records are those of the naive ledger"},
        {.name = "the ledger tells what the naive one knows"},
        {.name = "the document keeps all rules of records"},
        {.name = "the document is read back, and written again the same"},
        {.name = "when all is released the bytes are the first ones"},
    };

    printf("# %s\n", plan->name);
    while (steps > 0)
        steps -= play(plan, &laws);
    law_end(&laws.answer);
    law_end(&laws.selected);
    law_end(&laws.free);
    law_end(&laws.taken_back);
    law_end(&laws.time);
    law_end(&laws.records);
    law_end(&laws.tells);
    law_end(&laws.faults);
    law_end(&laws.forms);
    law_end(&laws.bytes);
}

int main(void)
{
    long steps = random_start(4000);

    for (int i = 0; i < PLANS; i++)
        test_plan(&plans[i], steps / PLANS + 1);
    return done_testing();
}
