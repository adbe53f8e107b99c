/*
 * Moves of the game of the ledger (ledger_game.h): requests, the passing of
 * time, states and tags. At the end are the table of all moves and the games.
 */
#ifndef TEST_LEDGER_PLAY_H
#define TEST_LEDGER_PLAY_H

#include "ledger_chosen.h"
#include "model/records/tags.h"
#include "schedule/match.h"

/* --- requests ----------------------------------------------------------- */

/* A request of a simple kind. The naive ledger can count whether it matches. */
struct ask {
    enum {
        ASK_SLOTS,      /* slot=n/[core=c;gpu=g;memory=m] */
        ASK_NODES,      /* slot=n/node */
        ASK_NODES_PART, /* slot=n/node/core=c */
        ASK_UNITS,      /* slot/KIND=n */
        /* the naive ledger does not count these */
        ASK_NODE_SLOTS,  /* node=n/slot/core=c */
        ASK_SOCKETS,     /* slot=n/socket */
        ASK_RACK,        /* slot=n/rack */
        ASK_SHARED,      /* [KIND=n;slot/core=c] */
        ASK_SHARED_UNITS /* [KIND=n;slot/licence] */
    } what;
    enum kind kind;
    int n, core, gpu, memory;
    char text[96];
};

static bool world_has(const struct world *w, enum kind kind)
{
    for (int p = 0; p < w->n; p++)
        if (w->pool[p].kind == kind)
            return true;
    return false;
}

static enum kind random_kind(const struct world *w, enum kind first,
                             enum kind last)
{
    enum kind kind;

    do
        kind = first + random_below(last - first + 1);
    while (!world_has(w, kind));
    return kind;
}

static void print_ask(struct ask *a)
{
    const char *kind = kind_names[a->kind];
    FILE *fp = fmemopen(a->text, sizeof(a->text), "w");

    switch (a->what) {
    case ASK_SLOTS:
        fprintf(fp, "slot=%d/[core=%d", a->n, a->core);
        if (a->gpu)
            fputs(";gpu=1", fp);
        if (a->memory)
            fprintf(fp, ";memory=%d", a->memory);
        putc(']', fp);
        break;
    case ASK_NODES:
        fprintf(fp, "slot=%d/node", a->n);
        break;
    case ASK_NODES_PART:
        fprintf(fp, "slot=%d/node/core=%d", a->n, a->core);
        break;
    case ASK_UNITS:
        fprintf(fp, "slot/%s=%d", kind, a->n);
        break;
    case ASK_NODE_SLOTS:
        fprintf(fp, "node=%d/slot/core=%d", a->n, a->core);
        break;
    case ASK_SOCKETS:
        fprintf(fp, "slot=%d/socket", a->n);
        break;
    case ASK_RACK:
        fputs("slot/rack", fp);
        break;
    case ASK_SHARED:
        fprintf(fp, "[%s=%d;slot/core=%d]", kind, a->n, a->core);
        break;
    case ASK_SHARED_UNITS:
        fprintf(fp, "[%s=%d;slot/licence]", kind, a->n);
        break;
    }
    fclose(fp);
}

static struct ask random_ask(const struct world *w)
{
    struct ask a = {.n = 1 + (int)random_below(3),
                    .core = 1 + (int)random_below(2)};

    a.what = random_below(ASK_SHARED_UNITS + 1);
    if ((a.what == ASK_SOCKETS && !world_has(w, SOCKET))
        || (a.what == ASK_RACK && !world_has(w, RACK))
        || (a.what == ASK_SHARED_UNITS && !world_has(w, LICENCE)))
        a.what = ASK_SLOTS;
    if (a.what == ASK_SLOTS || a.what == ASK_NODES)
        a.n = 1 + (int)random_below(4);
    a.kind = random_kind(w, a.what == ASK_UNITS ? CORE : RACK, PANEL);
    if (a.what == ASK_SLOTS) {
        a.gpu = one_in(4);
        a.memory = w->graph && one_in(3) ? 1 + (int)random_below(4) : 0;
    }
    print_ask(&a);
    return a;
}

/* A request of the game, and its answer. */
struct matched {
    const struct ask *ask;
    const struct lease *of;
    int from, to;
    bool staged;
    enum match_answer answer;
    const struct selection *sel; /* with MATCH_FOUND */
    const struct wish *wish;     /* the pools of `sel` */
};

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
    struct wish wish = {0};

    game_note(&g->play, " %s:%s[%d,%d)%s", job_names[job], a.text, of.start,
              of.end, staged ? "staged" : "");
    if (req) {
        req->duration = to > SLOTS ? 0 : moment_time(to) - moment_time(from);
        answer = match_find(usage_begin(g->rs), req, &opts, &sel, &d);
    }
    request_destroy(req);
    check(g, ANSWER, answer != MATCH_ERROR, d.text);
    if (answer == MATCH_FOUND) {
        named = name_selection(&g->world, sel);
        wish = wish_of(&g->world, &named);
        check_none(g, SELECTED, named.fault);
        check(g, SELECTED, naive_may(&g->naive, &wish, from, to),
              "selected what is not free");
    }
    if (g->subject->matched)
        g->subject->matched(g, &(struct matched){&a, &of, from, to, staged,
                                                 answer, sel, &wish});
    if (answer == MATCH_FOUND && !g->play.over)
        record_wish(g, sel, &wish, &of, staged);
    if (answer == MATCH_FOUND)
        selection_destroy(sel);
    game_note(&g->play, answer == MATCH_FOUND ? " yes;" : " no;");
}

/* --- time --------------------------------------------------------------- */

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

    game_note(&g->play, " expire %d;", want);
    check(g, TIME, got == (size_t)want && told == want,
          "not as many jobs ended as did");
}

static void play_extend(struct game *g)
{
    int job = some_job();
    int end = one_in(4) ? NEVER : 1 + (int)random_below(SLOTS);
    bool may = naive_extend(&g->naive, job, end);
    struct diag d = {0};

    game_note(&g->play, " %s extend %d %s;", job_names[job], end,
              may ? "yes" : "no");
    check(g, TIME,
          once_extend(g->rs, job_names[job], moment_time(end),
                      moment_time(g->naive.now), &d)
              == !may,
          may ? d.text : "extended into what is taken");
}

static void play_tick(struct game *g)
{
    if (g->naive.now < SLOTS - 1)
        g->naive.now++;
    game_note(&g->play, " now %d;", g->naive.now);
}

/* --- states and tags ---------------------------------------------------- */

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

/* An R without a graph names targets and their contents. */
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
    game_note(&g->play, " %s%d@%d %s;", kind_names[g->world.pool[p].kind],
              g->world.pool[p].id, g->world.pool[p].rank,
              pool_state_names[state]);
}

static void play_tag(struct game *g)
{
    int p = any_pool(g);

    set_tag(g, p, !g->naive.tagged[p]);
    game_note(&g->play, " tag;");
}

/* --- after each move ---------------------------------------------------- */

/* Fill the cells of the naive ledger. This is the first check. */
static void check_cells(struct game *g)
{
    check(g, RECORDS, naive_fill(&g->naive) == NO_POOL,
          "a unit is promised twice");
}

/* Go on with a copy that is written and read, after half of the moves. */
UNUSED static void go_on_with_copy(struct game *g)
{
    char *text;

    if (!one_in(2))
        return;
    text = write_set(g->rs, FORM_AS_READ);
    if (check(g, FORMS, text != NULL, "can't be written")) {
        rset_destroy(g->rs);
        g->rs = read_set(text);
    }
    free(text);
}

/* --- games -------------------------------------------------------------- */

static void play_give(struct game *g)
{
    int job = some_job();
    bool staged = false;

    for (int p = 0; p < g->world.n; p++)
        staged = staged || g->naive.staged[p] == job + 1;
    if (staged)
        play_staged(g, job);
    else if (one_in(2))
        play_request(g, job);
    else
        play_chosen(g, job);
}

static void play_release(struct game *g)
{
    release(g, some_job());
}

static const struct game_move moves[] = {{"give", 11, play_give},
                                         {"shrink", 3, play_shrink},
                                         {"release", 1, play_release},
                                         {"expire", 1, play_expire},
                                         {"tick", 1, play_tick},
                                         {"extend", 1, play_extend},
                                         {"state", 1, play_state},
                                         {"tag", 1, play_tag},
                                         {0}};

enum { STEPS = 40 };

static long play(const struct plan_of_world *plan,
                 const struct subject *subject, struct law laws[LAWS])
{
    static struct game g;
    long steps;

    g = (struct game){.play = {.moves = moves, .checks = subject->checks},
                      .laws = laws,
                      .subject = subject};
    world_make(&g.world, plan);
    g.naive.w = &g.world;
    g.rs = world_set(&g.world);
    g.start = write_set(g.rs, FORM_AS_READ);
    steps = game_play(&g.play, &g, STEPS);
    if (!g.play.over && subject->end)
        subject->end(&g);
    game_end(&g.play);
    free(g.start);
    rset_destroy(g.rs);
    return steps;
}

static const struct plan_of_world plans[] = {
    {.name = "R"},
    {.name = "R with exclusive nodes", .marked = true},
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
    {.name = "graphs with everything, and exclusive pools",
     .graph = true,
     .racks = true,
     .sockets = true,
     .licences = true,
     .power = true,
     .marked = true},
};
enum { PLANS = sizeof(plans) / sizeof(plans[0]) };

/* Laws of other subjects get a line only if they are broken. */
static void test_plan(const struct plan_of_world *plan,
                      const struct subject *subject, long steps)
{
    struct law laws[LAWS] = {0};

    printf("# %s\n", plan->name);
    for (int i = 0; i < LAWS; i++)
        laws[i].name = law_names[i];
    while (steps > 0)
        steps -= play(plan, subject, laws);
    for (int i = 0; i < LAWS; i++)
        if (subject->laws[i] || laws[i].failed)
            law_end(&laws[i]);
}

/* Play the games of all plans. Return the status of the test. */
static int play_games(const struct subject *subject)
{
    long steps = random_start(4000);

    for (int i = 0; i < PLANS; i++)
        test_plan(&plans[i], subject, steps / PLANS + 1);
    return done_testing();
}

#endif /* TEST_LEDGER_PLAY_H */
