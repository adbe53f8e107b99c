/*
 * The ledger against a naive one that has a cell for each unit of each pool
 * and each slot of time: random operations of many jobs on small graphs and
 * on plain Rs. After each of them all that is recorded is compared, all that
 * the ledger tells, and the document is written, checked by the validator,
 * and read back.
 */
#include "schedule/ledger.h"

#include <stdlib.h>
#include <string.h>

#include "compare/cover.h"
#include "ledger_asks.h"
#include "model/path.h"
#include "model/validate.h"

enum { STEPS = 40, LOG_SIZE = 16384 };

struct laws {
    struct law answer, selected, free, taken_back, time, records, tells, faults,
        forms, bytes;
};

struct game {
    struct world world;
    struct naive naive;
    struct rset *rs;
    char *start; /* the document that it began with */
    char log[LOG_SIZE];
    struct laws *laws;
    bool over;
};

/* --- telling ------------------------------------------------------------ */

__attribute__((format(printf, 2, 3))) static void note(struct game *g,
                                                       const char *fmt, ...)
{
    size_t len = strlen(g->log);
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(g->log + len, sizeof(g->log) - len, fmt, ap);
    va_end(ap);
}

/* The first failure ends a game: all after it would fail. */
static bool check(struct game *g, struct law *law, bool good, const char *what)
{
    if (g->over)
        return false;
    holds(law, good, "%s\n# in %s\n# after%s", what, g->start, g->log);
    g->over = !good;
    return good;
}

static bool check_none(struct game *g, struct law *law, const char *wrong)
{
    return check(g, law, !wrong, wrong ? wrong : "");
}

/* --- terms -------------------------------------------------------------- */

static struct lease random_lease(struct game *g, int job)
{
    struct naive *n = &g->naive;
    struct lease of = {.job = job,
                       .owner = (int)random_below(OWNERS),
                       .start = NEVER,
                       .end = NEVER};

    if (one_in(3) || n->now >= SLOTS - 1)
        return of;
    of.start = n->now;
    if (one_in(2))
        of.start += (int)random_below((uint32_t)(SLOTS - 1 - n->now));
    of.end = of.start + 1
             + (int)random_below((uint32_t)(SLOTS - of.start));
    of.reserved = of.start > n->now;
    return of;
}

static struct lease lease_for_ever(int job)
{
    return (struct lease){.job = job, .start = NEVER, .end = NEVER};
}

static struct terms terms_of(const struct lease *of, bool staged)
{
    return (struct terms){.job = job_names[of->job],
                          .owner = owner_names[of->owner],
                          .start = moment_time(of->start),
                          .end = moment_time(of->end),
                          .reserved = of->reserved,
                          .staged = staged};
}

static int lease_from(const struct game *g, const struct lease *of)
{
    return of->start > g->naive.now ? of->start : g->naive.now;
}

static int lease_to(const struct lease *of)
{
    return of->end < 0 ? SLOTS + 1 : of->end;
}

/* Record it in both. */
static void record_wish(struct game *g, struct selection *sel,
                        const struct wish *wish, const struct lease *of,
                        bool staged)
{
    const struct terms terms = terms_of(of, staged);

    if (fills_shared(&g->naive, of->job, wish))
        return;
    check(g, &g->laws->answer, ledger_allocate(g->rs, sel, &terms) == 0,
          "out of memory");
    naive_give(&g->naive, wish, of, staged);
}

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

static void play_request(struct game *g, int job)
{
    struct ask a = random_ask(&g->world);
    struct lease of = ask_shares(&a) ? lease_for_ever(job)
                                     : random_lease(g, job);
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
        answer = match_once(g->rs, req, &opts, &sel, &d);
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
        if (!g->over)
            record_wish(g, sel, &wish, &of, staged);
    }
    if (answer == MATCH_FOUND)
        selection_destroy(sel);
    note(g, answer == MATCH_FOUND ? " yes;" : " no;");
}

/* --- parts that are chosen ------------------------------------------------ */

/* Is something in it, or above it, chosen already? */
static bool is_apart(const struct world *w, const struct part *part, int p)
{
    for (int q = p; q < w->pool[p].end; q++)
        if (part->units[q])
            return false;
    for (int up = w->pool[p].parent; up >= 0; up = w->pool[up].parent)
        if (part->whole[up] || part->shared[up])
            return false;
    return true;
}

static void add_above(const struct world *w, struct part *part, int p)
{
    for (int up = w->pool[p].parent; up >= 0; up = w->pool[up].parent)
        part->units[up] = w->pool[up].size;
}

/* A composite pool, whole: what is said to be in it is all, nothing, some. */
static void choose_whole(const struct world *w, struct part *part,
                         struct wish *wish, int p)
{
    unsigned all = random_below(w->graph ? 3 : 2);

    wish->claim[p] = w->pool[p].size;
    part->units[p] = w->pool[p].size;
    part->whole[p] = true;
    for (int q = p + 1; q < w->pool[p].end && all == 0; q++) {
        part->units[q] = w->pool[q].size;
        part->whole[q] = true;
    }
    if (all != 1)
        return;
    for (int tries = 3; tries > 0; tries--) {
        int q = p + 1 + (int)random_below((uint32_t)(w->pool[p].end - p - 1));
        if (!is_leaf(w, q))
            continue;
        part->units[q] = 1 + (int)random_below((uint32_t)w->pool[q].size);
        for (int up = q; up > p; up = w->pool[up].parent) {
            part->units[up] = up == q ? part->units[q] : w->pool[up].size;
            part->whole[up] = true;
        }
    }
    for (int q = p + 1; q < w->pool[p].end; q++)
        wish->listed[q] = part->units[q];
}

/* If all that is in it is listed, with all units, nothing is left to list. */
static void settle_whole(const struct world *w, struct part *part,
                         struct wish *wish, int p)
{
    int missing = 0, listed = 0;

    for (int q = p + 1; q < w->pool[p].end; q++) {
        missing += wish->listed[q] < w->pool[q].size;
        listed += wish->listed[q] > 0;
    }
    if (missing == 0)
        memset(&wish->listed[p + 1], 0,
               (size_t)(w->pool[p].end - p - 1) * sizeof(wish->listed[0]));
    if (listed == 0 && !w->graph) /* an R has to list something */
        for (int q = p + 1; q < w->pool[p].end; q++)
            part->units[q] = w->pool[q].size;
}

static void choose_one(const struct world *w, struct part *part,
                       struct wish *wish, int p)
{
    const struct pool *pool = &w->pool[p];
    int top = marked_above(w, p);

    if (is_loose(w, p) || (top >= 0 && top != p) || !is_apart(w, part, p)
        || (p == 0 && !one_in(20)) || (!w->graph && p == 0))
        return;
    add_above(w, part, p);
    if (w->graph && top < 0 && p > 0 && one_in(6)) {
        part->units[p] = pool->size;
        part->shared[p] = wish->share[p] = true;
        return;
    }
    if (!is_leaf(w, p)) {
        choose_whole(w, part, wish, p);
        settle_whole(w, part, wish, p);
        return;
    }
    part->units[p] = wish->claim[p] = pool->exclusive || one_in(3)
                         ? pool->size
                         : 1 + (int)random_below((uint32_t)pool->size);
}

/* Some pools, and what is to be recorded of them. */
static void choose_part(const struct world *w, struct part *part,
                        struct wish *wish)
{
    *part = (struct part){0};
    *wish = (struct wish){0};
    for (int tries = 1 + (int)random_below(4); tries > 0; tries--)
        choose_one(w, part, wish, (int)random_below((uint32_t)w->n));
}

static struct rset *part_set(const struct world *w, const struct part *part)
{
    char *text = w->graph ? part_graph(w, part) : part_plain(w, part, "holds");
    struct rset *rs = read_set(text);

    free(text);
    return rs;
}

static struct selection *select_part(struct game *g, const struct part *part)
{
    struct rset *R = part_set(&g->world, part);
    struct selection *sel = NULL;
    struct diag d = {0};
    int rc = cover_select(g->rs, R, &sel, &d);

    rset_destroy(R);
    check(g, &g->laws->selected, rc == 0, d.text);
    return sel;
}

/* Pools by path, units of them, as --take and --give name them. */
static struct pick *path_pick(struct rset *rs, struct selection *sel,
                              struct vertex *v)
{
    struct pick *up = v->parent ? path_pick(rs, sel, v->parent) : NULL, *p;
    struct pick **list = up ? &up->child
                         : v == rs->root ? &sel->root
                                         : &sel->loose;

    for (p = *list; p; p = p->next)
        if (p->v == v)
            return p;
    p = selection_pick(sel, v);
    pick_all_members(p);
    p->next = *list;
    return *list = p;
}

static struct selection *select_paths(struct game *g, struct wish *wish)
{
    const struct world *w = &g->world;
    struct selection *sel = selection_create();

    *wish = (struct wish){0};
    for (int tries = 1 + (int)random_below(3); tries > 0; tries--) {
        int p = (int)random_below((uint32_t)w->n), top = marked_above(w, p);
        bool apart = top < 0 || top == p;
        for (int q = 0; q < w->n; q++)
            if (wish->claim[q]
                && (q == p || is_below(w, q, p) || is_below(w, p, q)))
                apart = false;
        if (apart && p > 0)
            wish->claim[p] = top == p
                                 ? w->pool[p].size
                                 : 1
                                       + (int)random_below(
                                           (uint32_t)w->pool[p].size);
    }
    for (int p = 0; p < w->n; p++)
        if (wish->claim[p]) /* runs are split before any pick is made */
            pool_vertex(w, g->rs, p);
    for (int p = 0; p < w->n; p++)
        if (wish->claim[p]) {
            struct pick *pick = path_pick(g->rs, sel,
                                          pool_vertex(w, g->rs, p));
            pick->amount = wish->claim[p];
            pick->whole = pick->exclusive = wish->claim[p]
                                            == w->pool[p].size;
        }
    return sel;
}

static void play_chosen(struct game *g, int job)
{
    struct lease of = random_lease(g, job);
    int from = lease_from(g, &of), to = lease_to(&of);
    struct period when = naive_period(&g->naive, from, to);
    bool paths = one_in(2), may;
    bool staged = !naive_knows(&g->naive, job) && one_in(4);
    struct selection *sel;
    struct naming named;
    struct part part;
    struct wish wish, got;
    struct diag d = {0};

    if (!paths)
        choose_part(&g->world, &part, &wish);
    sel = paths ? select_paths(g, &wish) : select_part(g, &part);
    if (!sel)
        return;
    named = name_selection(&g->world, sel);
    got = wish_of(&g->world, &named);
    note(g, " %s:%s[%d,%d)%s{", job_names[job], paths ? "paths" : "R", of.start,
         of.end, staged ? "staged" : "");
    for (int p = 0; p < g->world.n; p++)
        if (wish.claim[p] + wish.listed[p] + wish.share[p])
            note(g, " %s%d@%d=%d/%d/%d", kind_names[g->world.pool[p].kind],
                 g->world.pool[p].id, g->world.pool[p].rank, wish.claim[p],
                 wish.listed[p], wish.share[p]);
    check_none(g, &g->laws->selected, named.fault);
    check(g, &g->laws->selected, !memcmp(&got, &wish, sizeof(got)),
          "selected what was not chosen");
    may = naive_may(&g->naive, &wish, from, to);
    note(g, "} %s;", may ? "yes" : "no");
    check(g, &g->laws->free,
          (ledger_check_free(g->rs, sel, &when, &d) == 0) == may,
          may ? d.text : "free what is taken");
    if (may && !g->over)
        record_wish(g, sel, &wish, &of, staged);
    selection_destroy(sel);
}

/* --- take back ----------------------------------------------------------- */

/* Of a run, some of the first or of the last members that are picked. */
static void thin_members(struct pick *p)
{
    uint64_t drop = random_below((uint32_t)p->nmembers);

    p->nmembers -= drop;
    while (one_in(2) && drop-- > 0)
        p->first = idset_next(p->v->run, p->first);
}

static struct pick *thin(struct pick *list)
{
    struct pick *first = NULL, **end = &first;

    for (struct pick *p = list, *next; p; p = next) {
        bool leaf = !p->child;
        next = p->next;
        p->next = NULL;
        p->child = thin(p->child);
        if (leaf ? one_in(2) : !p->child)
            continue;
        if (leaf && p->nmembers)
            thin_members(p);
        else if (leaf && one_in(2)) {
            p->amount = 1 + (int64_t)random_below((uint32_t)p->amount);
        }
        *end = p;
        end = &p->next;
    }
    return first;
}

static struct selection *select_some(struct game *g, int job)
{
    struct selection *sel = ledger_holdings(g->rs, job_names[job]);

    sel->root = thin(sel->root);
    sel->loose = thin(sel->loose);
    return sel;
}

static void note_gift(struct game *g, int job, const struct gift *gift)
{
    note(g, " %s gives{", job_names[job]);
    for (int p = 0; p < g->world.n; p++)
        if (gift->units[p] + gift->share[p])
            note(g, " %s%d@%d=%d/%d", kind_names[g->world.pool[p].kind],
                 g->world.pool[p].id, g->world.pool[p].rank, gift->units[p],
                 gift->share[p]);
}

static void play_shrink(struct game *g, int job)
{
    struct wish wish = {0};
    struct part part;
    struct selection *sel;
    struct naming named;
    struct gift gift;
    struct diag d = {0};
    bool gives;
    int rc;

    if (one_in(4))
        choose_part(&g->world, &part, &wish);
    else
        part.units[0] = 0;
    sel = part.units[0]      ? select_part(g, &part)
          : random_below(3) ? select_some(g, job)
                             : select_paths(g, &wish);
    if (!sel)
        return;
    named = name_selection(&g->world, sel);
    gift = gift_of(&g->world, &named);
    note_gift(g, job, &gift);
    gives = naive_take_back(&g->naive, job, &gift);
    note(g, "} %s;", gives ? "yes" : "no");
    check_none(g, &g->laws->taken_back, named.fault);
    rc = ledger_shrink(g->rs, job_names[job], sel, &d);
    check(g, &g->laws->taken_back, rc == !gives,
          gives ? d.text : "it gave what it does not have");
    selection_destroy(sel);
}

static void play_release(struct game *g, int job)
{
    bool known = naive_knows(&g->naive, job);

    note(g, " %s releases;", job_names[job]);
    naive_release(&g->naive, job);
    check(g, &g->laws->taken_back,
          ledger_release(g->rs, job_names[job]) == known,
          "released what was not there, or not what was");
}

static void play_staged(struct game *g, int job)
{
    bool commit = one_in(2), found = naive_commit(&g->naive, job);

    note(g, " %s %s;", job_names[job], commit ? "commits" : "aborts");
    if (found && !commit)
        naive_release(&g->naive, job);
    check(g, &g->laws->taken_back,
          (commit ? ledger_commit : ledger_abort)(g->rs, job_names[job])
              == found,
          "staged, or not");
}

/* --- time ---------------------------------------------------------------- */

static void count_ended(const struct rset *rs, const char *job, double end,
                        void *arg)
{
    int *n = arg;

    (void)rs, (void)end;
    *n += job_number(job) >= 0;
}

static void play_expire(struct game *g)
{
    int want = naive_expire(&g->naive), told = 0;
    ssize_t got = ledger_expire(g->rs, moment_time(g->naive.now), count_ended,
                                &told);

    note(g, " expire %d;", want);
    check(g, &g->laws->time, got == want && told == want,
          "not as many jobs ended as did");
}

static void play_extend(struct game *g, int job)
{
    int end = one_in(4) ? NEVER : 1 + (int)random_below(SLOTS);
    bool may = naive_extend(&g->naive, job, end);
    struct diag d = {0};

    note(g, " %s extend %d %s;", job_names[job], end, may ? "yes" : "no");
    check(g, &g->laws->time,
          ledger_extend(g->rs, job_names[job], moment_time(end),
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
    pool_vertex(&g->world, g->rs, p)->state = state;
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
    return f->level != FAULT_STRICT || !strncmp(f->rule, "record-", 7)
           || !strcmp(f->rule, "exclusive-shared");
}

static void check_faults(struct game *g, const char *text)
{
    json_t *doc = json_loads(text, 0, NULL);
    struct faults faults = {.strict = true};
    struct diag d = {0};

    validate_document(doc, &faults, &d);
    json_decref(doc);
    for (size_t i = 0; i < faults.n; i++) {
        const struct fault *f = &faults.list[i];
        if (record_fault(f))
            check_none(g, &g->laws->faults,
                       trouble("%s: %s: %s", f->rule, f->where, f->text));
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
    long steps = random_start(10000);

    for (int i = 0; i < PLANS; i++)
        test_plan(&plans[i], steps / PLANS + 1);
    return done_testing();
}
