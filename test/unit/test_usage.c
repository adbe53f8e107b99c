/*
 * Usage that lives long: jobs come, grow, release and go, in one usage of
 * one set. After each step
 *
 *   - the sums of every lot equal a new count;
 *   - the next lot in any order with enough units is that of a plain scan;
 *   - unused neighbours are joined in one lot;
 *   - usage that is made of the set, after its records were written, is equal;
 *   - the inventory has the same bytes as before (at the end of a game).
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "compare/cover.h"
#include "game.h"
#include "model/records/jobs.h"
#include "model/records/tags.h"
#include "model/records/path.h"
#include "schedule/ledger.h"
#include "schedule/match.h"
#include "schedule/plan.h"
#include "once.h"
#include "random.h"
#include "sets.h"
#include "some_path.h"
#include "tap.h"
#include "usage_sums.h"

enum { JOBS = 40 };

static char trouble[1024];

static bool wrong(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static bool wrong(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vsnprintf(trouble, sizeof(trouble), fmt, args);
    va_end(args);
    return false;
}

/* --- counting anew ------------------------------------------------------ */

/* Does a lot have enough units, by its row in the sums of its parent? */
static bool has_needs(const struct usage *u, const struct lot *lot,
                      const struct needs *needs)
{
    int64_t *gives = xcalloc(usage_width(u), sizeof(*gives));
    bool has = true;

    lot_sums(u, lot, gives);
    for (unsigned i = 0; i < needs->n; i++)
        has = has && gives[ROWS + needs->at[i].row] >= needs->at[i].least;
    free(gives);
    return has;
}

static struct needs random_needs(const struct usage *u)
{
    struct needs needs = {0};

    for (unsigned n = random_below(3); n > 0; n--)
        needs_add(&needs, (unsigned)random_below((unsigned)usage_rows(u)),
                  1 + (int64_t)random_below(6));
    return needs;
}

/* The next lot with enough units is the next one of all that have enough. */
static bool check_next(struct usage *u, struct lot *parent, bool back)
{
    struct needs needs = random_needs(u);
    struct lot *at = lot_child(parent), *lot = NULL;

    while (back && at && at->next)
        at = at->next;
    for (; at; at = back ? at->prev : at->next) {
        if (!has_needs(u, at, &needs))
            continue;
        lot = usage_next(u, parent, lot, &needs, back);
        if (lot != at)
            return wrong("the next %s is another", at->v->type);
    }
    return !usage_next(u, parent, lot, &needs, back)
           || wrong("there is one more %s", lot ? lot->v->type : "lot");
}

static int64_t fact_of(const struct vertex *v)
{
    return v->size % 2;
}

static int64_t rank_key(const struct usage *u, const struct rank_by *by,
                        const struct lot *lot, size_t i)
{
    int64_t n = lot->blocked ? 0 : lot_below(u, lot, (unsigned)by->types[i]);

    return by->most ? -n : n;
}

/* May one node come before another in a ranking? */
static bool in_order(const struct usage *u, const struct rank_by *by,
                     const struct lot *a, const struct lot *b)
{
    if (by->fact && fact_of(a->v) != fact_of(b->v))
        return fact_of(a->v) < fact_of(b->v);
    for (size_t i = 0; i < by->ntypes; i++)
        if (rank_key(u, by, a, i) != rank_key(u, by, b, i))
            return rank_key(u, by, a, i) < rank_key(u, by, b, i);
    return a->parent == b->parent ? lot_compare(a, b) < 0
                                  : a->v->number < b->v->number;
}

/* All nodes with enough units, each once, in the order of their ranking. */
static bool check_ranking(struct usage *u)
{
    struct rank_by by = {.fact = random_below(2) ? fact_of : NULL,
                         .ntypes = random_below(3),
                         .most = random_below(2)};
    struct needs needs = random_needs(u);
    struct lot *lot = NULL, *last = NULL;
    struct order *o;
    size_t n = 0;

    for (size_t i = 0; i < by.ntypes; i++) {
        do
            by.types[i] = (int)random_below(usage_types(u)->count);
        while (type_is_node(usage_types(u)->names[by.types[i]]));
    }
    for (o = usage_rank(u, &by); (lot = rank_next(o, lot, &needs)); n++) {
        if (!has_needs(u, lot, &needs))
            return wrong("a node has not enough");
        if (last && !in_order(u, &by, last, lot))
            return wrong("nodes are not in the order of their ranking");
        last = lot;
    }
    for (lot = usage_top(u); (lot = lot_next_in(u, usage_top(u), lot));)
        n -= type_is_node(lot->v->type) && has_needs(u, lot, &needs);
    return n == 0 || wrong("a ranking has not all nodes");
}

static bool check_lot(struct usage *u, struct lot *lot);

static bool check_children(struct usage *u, struct lot *lot)
{
    const char *what = wrong_sums(u, lot);

    if (what)
        return wrong("a %s: %s", lot->v->type, what);
    for (struct lot *c = lot_child(lot); c; c = c->next) {
        if (!check_lot(u, c))
            return false;
        if (c->next && c->v->run && c->next->v == c->v && lot_is_blank(c)
            && lot_is_blank(c->next) && c->at + c->n == c->next->at)
            return wrong("lots are not joined");
    }
    return check_next(u, lot, false) && check_next(u, lot, true);
}

/* Claimed units at a moment of a period. Ended claims count if it starts
   now. */
static int64_t claimed_at(const struct lot *lot, const struct period *p,
                          double moment)
{
    int64_t sum = 0;

    for (const struct grant *g = lot->grants; g; g = g->beside) {
        const struct term *t = g->term;
        bool held_on = t->end < 0 || (t->end <= p->now && p->from <= p->now);
        if (t->kind == GRANT_CLAIM && t->start <= moment
            && (held_on || moment < t->end))
            sum += g->units;
    }
    return sum;
}

/* The most is claimed at the beginning, or when a claim starts. */
static int64_t naive_claimed(const struct lot *lot, const struct period *p)
{
    int64_t most = claimed_at(lot, p, p->from), sum;

    for (const struct grant *g = lot->grants; g; g = g->beside) {
        if (g->term->kind != GRANT_CLAIM || g->term->start <= p->from
            || g->term->start >= p->to)
            continue;
        sum = claimed_at(lot, p, g->term->start);
        most = sum > most ? sum : most;
    }
    return most;
}

static bool check_lot(struct usage *u, struct lot *lot)
{
    struct lot now = *lot;
    int64_t claimed = naive_claimed(lot, usage_period(u));

    if (lot->taken != claimed)
        return wrong("%lld of a %s are taken, not %lld", (long long)claimed,
                     lot->v->type, (long long)lot->taken);

    if (lot->parent) {
        lot_refresh(u, &now);
        if (now.taken != lot->taken || now.blocked != lot->blocked
            || now.touched != lot->touched || now.held != lot->held)
            return wrong("a %s does not know its own state", lot->v->type);
    }
    return !lot->in || check_children(u, lot);
}

/* --- the game ----------------------------------------------------------- */

struct game {
    struct play play;
    struct rset *rs;
    struct usage *u;
    double now;
    char
        *exclusive; /* the path of a pool that was made exclusive; NULL: none */
    size_t nvertices;
    bool survived; /* its records were written and read again */
    bool crowded;  /* equal runs may wait to be joined */
};

static const char *const shapes[] = {
    "node{x}",           "slot/core",
    "slot/core=3",       "slot=2/core=2",
    "slot/node",         "slot/gpu",
    "slot/[core=2;gpu]", "node=2/slot/core",
    "slot/memory=5",     "slot=3/core",
    "slot/licence=2",    "socket",
    "slot/socket",       "[slot{a}/core;slot=2{b}/gpu]"};

static struct law lapsed = {.name = "nothing that has ended waits"};

static const char *some_job(void)
{
    static char name[16];

    snprintf(name, sizeof(name), "%u", (unsigned)random_below(JOBS));
    return name;
}

static struct request *random_request(void)
{
    struct diag d = {0};
    struct request *req = request_from_shape(
        shapes[random_below(sizeof(shapes) / sizeof(shapes[0]))], &d);

    return req;
}

static void play_allocate(struct game *g)
{
    const char *name = some_job();
    struct term terms = {.start = TIME_UNSET, .end = TIME_UNSET};
    struct request *req;
    struct match_options opts = {.now = g->now, .start = TIME_UNSET};
    struct selection *plan = NULL;
    struct diag d = {0};

    if (job_find(g->u, name))
        return;
    req = random_request();
    if (one_in(2)) { /* with times, some of them in the future */
        opts.start = terms.start = g->now
                                   + (one_in(2) ? (double)random_below(20) : 0);
        req->duration = 1 + (double)random_below(30);
        terms.end = terms.start + req->duration;
        terms.reserved = terms.start > g->now;
    }
    terms.staged = one_in(10);
    if (match_find(g->u, req, &opts, &plan, &d) == MATCH_FOUND
        && plan_check(g->u, name, plan, &terms, g->now, 0, &d) == PLAN_GOOD)
        ledger_allocate(g->u, name, plan, &terms);
    selection_destroy(plan);
    request_destroy(req);
}

/* Keep about half of each pick of a job's holdings. */
static struct pick *thin(struct pick *list)
{
    struct pick *first = NULL, **end = &first;

    for (struct pick *p = list, *next; p; p = next) {
        next = p->next;
        p->next = NULL;
        if (p->child && !(p->child = thin(p->child)))
            continue;
        if (p->child && !p->shared)
            p->whole = p->exclusive = false;
        if (!p->child && one_in(2))
            continue;
        *end = p;
        end = &p->next;
    }
    return first;
}

static void play_shrink(struct game *g)
{
    const char *name = some_job();
    struct selection *what = holdings(g->u, name);
    struct job *job = job_find(g->u, name);
    struct job_copy *copy = job ? job_save(job) : NULL;
    struct diag d = {0};

    what->picks = thin(what->picks);
    ledger_shrink(g->u, name, what, &d);
    if (copy && one_in(3))
        job_restore(g->u, copy);
    job_copy_destroy(copy);
    selection_destroy(what);
}

static void no_word(const char *job, double end, void *arg)
{
    (void)job, (void)end, (void)arg;
}

/* Let a pool fail, or work again. */
static void play_state(struct game *g)
{
    struct lot *lot = lot_open(g->u, usage_top(g->u));
    enum pool_state state;

    for (uint32_t n = random_below(40); n > 0 && lot; n--)
        lot = lot_next(g->u, usage_top(g->u), lot, one_in(3));
    if (!lot || lot->state == STATE_DOWN)
        return;
    state = lot->state == STATE_UP ? STATE_FAILING : STATE_UP;
    if (lot->v->run && lot->n > 1)
        lot_split(g->u, lot, lot->at + random_below(lot->n), 1);
    lot_set_state(g->u, lot, state);
    if (state == STATE_UP)
        lot_join(g->u, lot);
}

/* --- pools by name ------------------------------------------------------ */

static struct lot *some_pool(struct game *g)
{
    struct diag d = {0};
    struct lot *lot;
    char *path = some_path(g->rs);

    if (!(lot = rset_find_lot(g->rs, path, &d)))
        wrong("%s", d.text);
    free(path);
    return lot;
}

/* Take some units of a named pool. */
static void play_take(struct game *g)
{
    const char *name = some_job();
    struct term terms = {.start = TIME_UNSET, .end = TIME_UNSET};
    struct selection *plan = selection_create();
    struct lot *lot = some_pool(g);
    struct diag d = {0};

    selection_take(plan, g->u, lot,
                   1 + (int64_t)random_below((uint32_t)lot->v->size));
    lots_join(g->u, &(struct lots){.list = &lot, .n = 1});
    plan_take_whole(plan);
    if (!job_find(g->u, name)
        && plan_check(g->u, name, plan, &terms, g->now, PLAN_CHOSEN, &d)
               == PLAN_GOOD)
        ledger_allocate(g->u, name, plan, &terms);
    else if (job_find(g->u, name))
        ledger_shrink(g->u, name, plan, &d);
    selection_destroy(plan);
}

/* A job can allocate what it released again, by its R. */
static void play_R(struct game *g)
{
    const char *name = some_job();
    struct term terms;
    struct selection *sel = ledger_allocated(g->u, name, false, g->now);
    struct rset *R = sel->job ? rset_extract(g->rs, sel) : NULL;
    struct diag d = {0};
    char *was = R ? write_set(R, FORM_AS_READ) : NULL, *is;

    selection_destroy(sel);
    rset_destroy(R);
    if (!R || !strstr(was, "\"rank\"")) {
        free(was);
        return;
    }
    R = read_set(was);
    terms = ledger_terms(g->u, name);
    terms.owner = NULL;
    ledger_release(g->u, name);
    if (cover_select(g->rs, R, &sel, &d) != 0) {
        game_must(&g->play, false, "%s: %.400s", d.text, was);
        return;
    }
    plan_take_whole(sel);
    ledger_allocate(g->u, name, sel, &terms);
    selection_destroy(sel);
    rset_destroy(R);
    sel = ledger_allocated(g->u, name, false, g->now);
    R = rset_extract(g->rs, sel);
    is = write_set(R, FORM_AS_READ);
    game_must(&g->play, !strcmp(was, is), "%.400s became %.400s", was, is);
    selection_destroy(sel);
    rset_destroy(R);
    free(was);
    free(is);
}

/* Set or remove the tag that marks a pool as blue. */
static void set_tag(struct game *g, bool blue)
{
    struct lot *lot = some_pool(g);
    const struct lots lots = {.list = &lot, .n = 1};

    if (!vertex_get_tag(lot->v, "blue") != blue) {
        lots_join(g->u, &lots);
        return;
    }
    lots_cut(g->u, &lots);
    if (blue)
        vertex_tag(lot->v, "blue", NULL);
    else
        vertex_untag(lot->v, "blue");
    lots_rejoin(g->u, &lots);
}

/* Change the inventory's exclusive mark, while states change, too. */
static void set_exclusive(struct game *g, const char *path, bool exclusive)
{
    struct diag d = {0};
    struct lot *lot = rset_find_lot(g->rs, path, &d);
    const struct lots lots = {.list = &lot, .n = 1};

    lots_cut(g->u, &lots);
    lot->v->exclusive = exclusive;
    lots_rejoin(g->u, &lots);
    usage_renew(g->u);
    if (one_in(2))
        play_state(g);
    usage_begin(g->rs);
}

static void end_exclusive(struct game *g)
{
    if (g->exclusive)
        set_exclusive(g, g->exclusive, false);
    free(g->exclusive);
    g->exclusive = NULL;
}

static bool is_had(struct usage *u, struct lot *top)
{
    for (struct lot *lot = top; lot; lot = lot_next_in(u, top, lot))
        if (lot->grants)
            return true;
    return false;
}

/* Make another unused pool exclusive. */
static void play_exclusive(struct game *g)
{
    char *path = some_path(g->rs);
    struct diag d = {0};
    struct lot *lot;
    bool may;

    end_exclusive(g);
    lot = rset_find_lot(g->rs, path, &d);
    may = !lot->v->exclusive && !is_had(g->u, lot);
    lots_join(g->u, &(struct lots){.list = &lot, .n = 1});
    if (may) {
        set_exclusive(g, path, true);
        g->exclusive = path;
    } else {
        free(path);
    }
}

static size_t count_tags(const struct rset *rs)
{
    size_t n = 0;

    for (const struct vertex *v = rset_first(rs); v; v = rset_next(rs, v))
        n += vertex_has_tags(v);
    return n;
}

static void untag_all(struct game *g)
{
    for (struct vertex *v = rset_first(g->rs); v;) {
        struct lots lots = {0};
        if (vertex_untag(v, "blue"))
            lots = usage_lots(g->u, v);
        lots_rejoin(g->u, &lots);
        v = lots.n ? rset_first(g->rs) : rset_next(g->rs, v);
        free(lots.list);
    }
}

static size_t count_vertices(const struct rset *rs)
{
    size_t n = 0;

    for (const struct vertex *v = rset_first(rs); v; v = rset_next(rs, v))
        n++;
    return n;
}

/* --- checks ------------------------------------------------------------- */

static void repair_all(struct game *g)
{
    struct lots lots = {0};

    for (struct lot *lot = usage_top(g->u); lot;
         lot = lot_next_in(g->u, usage_top(g->u), lot))
        if (lot->state == STATE_FAILING) {
            lot_set_state(g->u, lot, STATE_UP);
            lots_add(&lots, lot);
        }
    lots_join(g->u, &lots);
    free(lots.list);
}

static void play_commit(struct game *g)
{
    ledger_commit(g->u, some_job());
}

static void play_extend(struct game *g)
{
    struct diag d = {0};

    ledger_extend(g->u, some_job(), g->now + (double)random_below(40), g->now,
                  &d);
}

/* Grants that ended while they waited are gone afterwards. */
static void lapse(struct game *g)
{
    size_t waiting = 0;

    usage_lapse(g->u, g->now);
    for (const struct job *job = usage_jobs(g->u); job; job = job->next)
        for (const struct grant *c = job->grants; c; c = c->next)
            waiting += c->term->end >= 0 && c->term->end <= g->now
                       && grant_awaits(g->u, c, g->now);
    holds(&lapsed, waiting == 0, "%zu wait at %g", waiting, g->now);
}

static void play_wait(struct game *g)
{
    g->now += (double)random_below(5);
    if (one_in(4))
        ledger_expire(g->u, g->now, no_word, NULL);
    else if (one_in(2))
        lapse(g);
}

static void play_release(struct game *g)
{
    ledger_release(g->u, some_job());
}

static void play_tag(struct game *g)
{
    set_tag(g, one_in(2));
}

static const struct game_move moves[] = {{"allocate", 5, play_allocate},
                                         {"release", 3, play_release},
                                         {"tag", 2, play_tag},
                                         {"commit", 1, play_commit},
                                         {"exclusive", 1, play_exclusive},
                                         {"extend", 1, play_extend},
                                         {"R", 1, play_R},
                                         {"shrink", 1, play_shrink},
                                         {"state", 1, play_state},
                                         {"take", 1, play_take},
                                         {"untag", 1, untag_all},
                                         {"wait", 1, play_wait},
                                         {0}};

/* Usage is the same after it was written to records and made again. */
static void survive(struct game *g)
{
    struct selection *before = ledger_allocated(g->u, NULL, true, g->now),
                     *after;
    struct rset *part = rset_extract(g->rs, before);
    char *was = write_set(part, FORM_AS_READ), *is;

    rset_destroy(part);
    selection_destroy(before);
    usage_settle(g->rs);
    usage_gather(g->rs);
    g->u = usage_begin(g->rs);
    after = ledger_allocated(g->u, NULL, true, g->now);
    part = rset_extract(g->rs, after);
    is = write_set(part, FORM_AS_READ);
    game_must(&g->play, !strcmp(was, is), "%.400s became %.400s", was, is);
    g->survived = true;
    rset_destroy(part);
    selection_destroy(after);
    free(was);
    free(is);
}

static void check_usage(struct game *g)
{
    game_must(&g->play,
              check_lot(g->u, &g->u->top) && check_ranking(g->u) && !*trouble,
              "%s", trouble);
}

/* Does a pool have so many children that equal runs are joined later (facts.c)?
 */
static bool is_crowded(struct usage *u)
{
    enum { FEW = 32 };

    for (struct lot *lot = &u->top; lot; lot = lot_next_in(u, &u->top, lot))
        if (lot->in && lot->in->nchildren > FEW)
            return true;
    return false;
}

static void check_vertices(struct game *g)
{
    size_t n = count_vertices(g->rs);

    g->crowded = (g->crowded && n != g->nvertices) || is_crowded(g->u);
    if (!g->survived && !count_tags(g->rs) && !g->exclusive && !g->crowded)
        game_must(&g->play, n == g->nvertices, "vertices were made");
}

static game_fn *const checks[] = {check_usage, check_vertices, NULL};

static bool play_set(const char *text, int steps)
{
    struct game g = {.play = {.moves = moves, .checks = checks},
                     .rs = read_set(text),
                     .now = 1000};
    char *first = write_set(g.rs, FORM_AS_READ), *last;

    g.nvertices = count_vertices(g.rs);
    g.u = usage_begin(g.rs);
    g.u->walks = UINT32_MAX - 100; /* the counter of walks wraps around */
    game_play(&g.play, &g, steps / 2);
    if (!g.play.over)
        survive(&g);
    game_play(&g.play, &g, steps - steps / 2);
    while (g.u->jobs_first)
        job_release(g.u, g.u->jobs_first);
    end_exclusive(&g);
    repair_all(&g);
    untag_all(&g);
    check_usage(&g);
    last = write_set(g.rs, FORM_AS_READ);
    game_must(&g.play, !strcmp(first, last), "the inventory is another: %.400s",
              last);
    free(first);
    free(last);
    rset_destroy(g.rs);
    game_end(&g.play);
    return !g.play.over;
}

/* --- sets --------------------------------------------------------------- */

static char *plain_set(void)
{
    char *text;

    xasprintf(&text,
              "{\"version\":1,\"execution\":{\"R_lite\":["
              "{\"rank\":\"0-%u\",\"children\":{\"core\":\"0-5\",\"gpu\":"
              "\"0-1\"}},{\"rank\":\"100,102,104\",\"children\":{\"core\":"
              "\"0-3\"}},{\"rank\":\"101,103\",\"children\":{\"core\":\"0-1,5\""
              "}}]}}",
              3 + (unsigned)random_below(60));
    return text;
}

/* A cluster of several nodes with sockets, cores, memory and licences. */
static char *graph_set(void)
{
    char *text = NULL;
    size_t len;
    FILE *fp = memory_open(&text, &len);
    unsigned nodes = 2 + (unsigned)random_below(50), id = 1;
    unsigned *parents = xcalloc(20 * nodes + 10, sizeof(*parents));

    fputs("{\"graph\":{\"nodes\":[{\"id\":\"0\",\"metadata\":{\"type\":"
          "\"cluster\",\"id\":0}}",
          fp);
    for (unsigned n = 0; n < nodes; n++) {
        unsigned node = id;
        fprintf(fp,
                ",{\"id\":\"%u\",\"metadata\":{\"type\":\"node\",\"id\":%u,"
                "\"rank\":%u%s}}",
                id++, n, n,
                one_in(8) ? ",\"state\":\"down\",\"status\":1" : "");
        for (unsigned s = 0; s < 2; s++) {
            unsigned socket = id;
            parents[id] = node;
            fprintf(fp,
                    ",{\"id\":\"%u\",\"metadata\":{\"type\":\"socket\",\"id\":"
                    "%u,\"rank\":%u%s}}",
                    id++, s, n, one_in(20) ? ",\"exclusive\":true" : "");
            for (unsigned c = 0; c < 3; c++) {
                parents[id] = socket;
                fprintf(fp,
                        ",{\"id\":\"%u\",\"metadata\":{\"type\":\"%s\","
                        "\"id\":%u,\"rank\":%u,\"size\":%u}}",
                        id++, c < 2 ? "core" : "memory", c < 2 ? 2 * s + c : s,
                        n, c < 2 ? 1 : 16);
            }
        }
        parents[id] = node;
        fprintf(fp,
                ",{\"id\":\"%u\",\"metadata\":{\"type\":\"gpu\",\"id\":0,"
                "\"rank\":%u}}",
                id++, n);
    }
    fprintf(fp,
            ",{\"id\":\"%u\",\"metadata\":{\"type\":\"licence\",\"id\":0,"
            "\"size\":10}}],\"edges\":[",
            id++);
    for (unsigned i = 1; i < id; i++)
        fprintf(fp, "%s{\"source\":\"%u\",\"target\":\"%u\"}", i > 1 ? "," : "",
                parents[i], i);
    fputs("]}}", fp);
    memory_close(fp);
    free(parents);
    return text;
}

/* Allocating does not change the tree of pools. */
static void test_million(void)
{
    struct rset *rs = read_set(
        "{\"version\":1,\"execution\":{\"R_lite\":[{\"rank\":\"0-999999\","
        "\"children\":{\"core\":\"0-47\"}}]},\"attributes\":{\"system\":{"
        "\"scheduler\":{\"allocations\":[{\"job\":1,\"R_lite\":[{\"rank\":"
        "\"7\",\"children\":{\"core\":\"3-5\"}}]},{\"job\":2,\"R_lite\":[{"
        "\"rank\":\"9-20\"}]}],\"states\":[{\"state\":\"down\",\"R_lite\":"
        "[{\"rank\":\"30\"}]}]}}}}");
    char *text;

    ok(rs->nvertices == 3, "a million ranks are three vertices, with jobs");
    job_release(rs->usage, job_find(rs->usage, "1"));
    text = write_set(rs, FORM_AS_READ);
    ok(rs->nvertices == 3, "... when they have gone, and are written");
    ok(strstr(text, "\"job\":2") && !strstr(text, "\"job\":1"),
       "... and what is written is what there is: %s", text);
    free(text);
    rset_destroy(rs);
}

/* Naming a pool does not change it either; a fact of some members splits a run
   as long as it holds. */
static void test_named(void)
{
    struct rset *rs = read_set("{\"version\":1,\"execution\":{\"R_lite\":[{"
                               "\"rank\":\"0-999999\",\"children\":{"
                               "\"core\":\"0-47\"}}]}}");
    struct lots lots;
    struct diag d = {0};

    rset_find_lots(rs, "/cluster0/node7/core3", &lots, &d);
    lot_set_state(rs->usage, lots.list[0], STATE_DOWN);
    ok(rs->nvertices == 3, "a pool that is down cuts no run");
    for (int i = 0; i < 10; i++) {
        lots_cut(rs->usage, &lots);
        vertex_tag(lots.list[0]->v, "blue", NULL);
        lots_rejoin(rs->usage, &lots);
        ok(count_vertices(rs) == 6, "... one that is blue does");
        vertex_untag(lots.list[0]->v, "blue");
        lots_rejoin(rs->usage, &lots);
    }
    ok(count_vertices(rs) == 3 && rs->nvertices == 6,
       "... and when it is not any more, others may be");
    free(lots.list);
    rset_destroy(rs);
}

/* When a part of a job ends, nothing of it stays apart. */
static void test_part_ends(void)
{
    struct rset *rs = read_set(
        "{\"version\":1,\"execution\":{\"R_lite\":[{\"rank\":\"0-99\","
        "\"children\":{\"core\":\"0-47\"}}]},\"attributes\":{\"system\":{"
        "\"scheduler\":{\"allocations\":[{\"job\":1,\"end\":10,\"R_lite\":"
        "[{\"rank\":\"7\",\"children\":{\"core\":\"3-5\"}}]},{\"job\":1,"
        "\"end\":20,\"R_lite\":[{\"rank\":\"9\"}]}]}}}}");

    ok(ledger_expire(usage_begin(rs), 15, no_word, NULL) == 1
           && check_lot(rs->usage, usage_top(rs->usage)),
       "when a part of a job ends, its lots are joined: %s", trouble);
    rset_destroy(rs);
}

/* Changes of a settled set. */
static void cut(struct usage *u, struct lots *lots)
{
    lots_cut(u, lots);
}

static void raise_state(struct usage *u, struct lots *lots)
{
    lot_set_state(u, lots->list[0], STATE_UP);
}

static void claim(struct usage *u, struct lots *lots)
{
    struct job *job = job_get(u, "1");
    const struct term like = {.kind = GRANT_CLAIM, .start = 0, .end = 9};

    grant_add(u, job, lots->list[0], GRANT_CLAIM, job_term(u, job, &like), 1);
}

static void gather(struct usage *u, struct lots *lots)
{
    (void)lots;
    usage_gather(usage_rset(u));
}

/* Return whether asking about a vertex after a change ends the program. */
static bool aborts(void (*change)(struct usage *u, struct lots *lots))
{
    struct rset *rs = read_set("{\"version\":1,\"execution\":{\"R_lite\":[{"
                               "\"rank\":\"0-9\",\"children\":{"
                               "\"core\":\"0-3\"}}]}}");
    struct usage *u = usage_begin(rs);
    struct lots lots;
    struct diag d = {0};
    int status = 0;
    pid_t child;

    rset_find_lots(rs, "/cluster0/node7/core3", &lots, &d);
    lot_set_state(u, lots.list[0], STATE_DOWN);
    if ((child = fork()) == 0) {
        struct settled s = usage_settle(rs);
        if (!freopen("/dev/null", "w", stderr))
            _exit(1);
        change(u, &lots);
        vertex_state(s, rs->root);
        _exit(0);
    }
    waitpid(child, &status, 0);
    free(lots.list);
    rset_destroy(rs);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void test_settled(void)
{
    ok(!aborts(cut), "a settled set stays settled when runs are cut");
    ok(aborts(raise_state), "... but not when a state is set");
    ok(aborts(claim), "... nor when a job gets a grant");
    ok(aborts(gather), "... nor when usage is gathered");
}

/* A game for each seed, so that one of them can be played again. */
int main(void)
{
    long steps = random_start(8000);
    enum { GAMES = 16 };

    for (int i = 0; i < GAMES; i++) {
        char *text = i % 2 ? graph_set() : plain_set();
        trouble[0] = '\0';
        ok(play_set(text, (int)(steps / GAMES)),
           "game %d: after each step usage is what counting anew gives", i + 1);
        free(text);
    }
    law_end(&lapsed);
    test_million();
    test_named();
    test_part_ends();
    test_settled();
    return done_testing();
}
