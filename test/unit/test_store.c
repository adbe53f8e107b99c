/*
 * A store, compared with a document: each move is made on a set in a store, and
 * on one that is written and read after each move. Both always have the same
 * contents, byte for byte: before and after the store is closed, for writers of
 * one operation or of many, and for the state at an earlier mark.
 */
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "forest_world.h"
#include "game.h"
#include "model/records/jobs.h"
#include "model/records/path.h"
#include "model/records/tags.h"
#include "model/records/usage.h"
#include "model/tree/properties.h"
#include "schedule/ledger.h"
#include "schedule/match.h"
#include "schedule/plan.h"
#include "schedule/policy.h"
#include "some_path.h"
#include "store/store.h"
#include "store_file.h"

/* === store moves ======================================================== */

/*
 * Moves of a game on a set. They refer to everything by name, so that the same
 * move can be made on two equal sets.
 */

enum { JOBS = 8 };

struct move {
    const struct kind *kind;
    char job[16];
    char *path; /* of some pool */
    const char *owner, *shape;
    const struct policy *policy;
    const char *word; /* a tag or a property */
    uint32_t units;
    double now, start, end;
    enum pool_state state;
    bool staged, earliest;
};

/* A move gives the same answer on both sets. */
struct kind {
    const char *name;
    int (*make)(const struct move *m, struct rset *rs);
    bool facts;  /* may change facts */
    bool pieces; /* works on a set that is read in pieces */
    bool gives;
    unsigned often;
};

/* --- allocating and releasing ------------------------------------------- */

static struct term terms_of(const struct move *m, const struct usage *u)
{
    struct term terms = {.owner = m->owner,
                         .start = m->start,
                         .end = m->end,
                         .reserved = m->start > m->now,
                         .staged = m->staged};

    if (job_find(u, m->job)) {
        terms = ledger_terms(u, m->job);
        terms.owner = m->owner;
    }
    return terms;
}

/* Return 0 to 3, as a plan does. */
static int give(const struct move *m, struct usage *u, struct selection *plan,
                struct term *terms, unsigned flags)
{
    struct diag d = {0};
    int answer = (int)plan_check(u, m->job, plan, terms, m->now, flags, &d);

    if (answer == PLAN_GOOD && !job_find(u, m->job))
        terms->nslots = selection_open_slots(plan);
    if (answer == PLAN_GOOD)
        ledger_allocate(u, m->job, plan, terms);
    return answer;
}

static int allocate(const struct move *m, struct rset *rs)
{
    struct usage *u = usage_begin(rs);
    struct term terms = terms_of(m, u);
    struct match_options opts = {.now = m->now,
                                 .start = terms.start,
                                 .node_exclusive = m->units == 1,
                                 .policy = m->policy};
    struct diag d = {0};
    struct request *req = request_from_shape(m->shape, &d);
    struct selection *plan = NULL;
    bool has = job_find(u, m->job);
    int answer = 10;

    req->duration = terms.end >= 0 && terms.start >= 0 ? terms.end - terms.start
                                                       : 0;
    if (m->earliest && !has) {
        answer = 20
                 + (int)match_earliest(u, req, &opts, &plan, &terms.start, &d);
        terms.end = terms.start + req->duration;
        terms.reserved = terms.start > m->now;
    } else if (!has || !terms.staged) {
        answer = 20 + (int)match_find(u, req, &opts, &plan, &d);
    }
    if (plan)
        answer = give(m, u, plan, &terms, 0);
    selection_destroy(plan);
    request_destroy(req);
    return answer;
}

/* Choose some units of a pool. NULL: none, or they can't be expressed. */
static struct selection *choose(const struct move *m, struct rset *rs)
{
    struct diag d = {0};
    struct lot *lot = rset_find_lot(rs, m->path, &d);
    struct selection *plan;

    if (!lot || (!rset_has_graph(rs) && lot->v == rs->root))
        return NULL;
    plan = selection_create();
    selection_take(plan, rs->usage, lot,
                   m->units < lot->v->size ? m->units : lot->v->size);
    lots_join(rs->usage, &(struct lots){.list = &lot, .n = 1});
    if (plan_check_sums(rs, plan, &d) == 0)
        return plan;
    selection_destroy(plan);
    return NULL;
}

static int take(const struct move *m, struct rset *rs)
{
    struct usage *u = usage_begin(rs);
    struct selection *plan = choose(m, rs);
    struct term terms = terms_of(m, u);
    int answer = 10;

    if (plan && !(terms.staged && job_find(u, m->job))) {
        plan_take_whole(plan);
        answer = give(m, u, plan, &terms, PLAN_CHOSEN);
    }
    selection_destroy(plan);
    return answer;
}

static int shrink(const struct move *m, struct rset *rs)
{
    struct usage *u = usage_begin(rs);
    struct selection *what = choose(m, rs);
    struct diag d = {0};
    int answer = what ? ledger_shrink(u, m->job, what, &d) : 10;

    selection_destroy(what);
    return answer;
}

static int release(const struct move *m, struct rset *rs)
{
    return ledger_release(usage_begin(rs), m->job);
}

static int commit(const struct move *m, struct rset *rs)
{
    return ledger_commit(usage_begin(rs), m->job);
}

static int undo(const struct move *m, struct rset *rs)
{
    return ledger_abort(usage_begin(rs), m->job);
}

/* --- time --------------------------------------------------------------- */

static int extend(const struct move *m, struct rset *rs)
{
    struct diag d = {0};

    return ledger_extend(usage_begin(rs), m->job, m->end, m->now, &d);
}

static void no_word(const char *job, double end, void *arg)
{
    (void)job, (void)end, (void)arg;
}

static int expire(const struct move *m, struct rset *rs)
{
    return (int)ledger_expire(usage_begin(rs), m->now, no_word, NULL);
}

/* --- states and facts --------------------------------------------------- */

/* An R without a graph has no place for records above its nodes. */
static struct lots sayable(const struct move *m, struct rset *rs, bool target)
{
    struct lots lots;
    struct diag d = {0};

    usage_begin(rs);
    rset_find_lots(rs, m->path, &lots, &d);
    if (lots.n > 0 && !rset_has_graph(rs)
        && (target ? !vertex_is_target(lots.list[0]->v)
                   : lots.list[0]->v == rs->root)) {
        lots_join(rs->usage, &lots);
        lots.n = 0;
    }
    return lots;
}

static int state(const struct move *m, struct rset *rs)
{
    struct lots lots = sayable(m, rs, false);

    for (size_t i = 0; i < lots.n; i++)
        lot_set_state(rs->usage, lots.list[i], m->state);
    lots_join(rs->usage, &lots);
    free(lots.list);
    return (int)lots.n;
}

static bool has_key(const struct property *p, const char *key)
{
    return !strcmp(p->key, key);
}

/* Add or remove a property with a value. */
static int change_property(const struct move *m, struct rset *rs,
                           struct vertex *v)
{
    unsigned n = v->properties ? v->properties->count : 0, kept = 0;
    struct property *list = xmalloc((n + 1) * sizeof(*list));

    for (unsigned i = 0; i < n; i++)
        if (!has_key(&v->properties->list[i], m->word))
            list[kept++] = v->properties->list[i];
    if (m->units % 2)
        list[kept++] = (struct property){.key = m->word,
                                         .value = m->owner ? "" : "x"};
    vertex_change_properties(rs, v, list, kept);
    free(list);
    return (int)(kept < n);
}

static int change_tag(const struct move *m, struct rset *rs, struct vertex *v)
{
    json_t *value = m->owner ? json_string(m->owner) : NULL;
    int changed = 0;

    (void)rs;
    if (m->units % 2)
        vertex_tag(v, m->word, value);
    else
        changed = vertex_untag(v, m->word);
    json_decref(value);
    return changed;
}

static int change_exclusive(const struct move *m, struct rset *rs,
                            struct vertex *v)
{
    bool was = v->exclusive;

    (void)rs;
    v->exclusive = m->units % 2;
    return was != v->exclusive;
}

static int change_all(const struct move *m, struct rset *rs,
                      const struct lots *lots,
                      int (*change)(const struct move *m, struct rset *rs,
                                    struct vertex *v))
{
    int n = 0;

    lots_cut(rs->usage, lots);
    for (size_t i = 0; i < lots->n; i++)
        n += change(m, rs, lots->list[i]->v);
    lots_rejoin(rs->usage, lots);
    free(lots->list);
    return n;
}

static int property(const struct move *m, struct rset *rs)
{
    struct lots lots = sayable(m, rs, true);

    return change_all(m, rs, &lots, change_property);
}

static int tag(const struct move *m, struct rset *rs)
{
    struct lots lots = sayable(m, rs, false);

    return change_all(m, rs, &lots, change_tag);
}

/* Take it down, with a tag that gives the reason. */
static int drain(const struct move *m, struct rset *rs)
{
    struct lots lots = sayable(m, rs, false);
    struct move drained = *m;

    drained.word = "drained";
    for (size_t i = 0; i < lots.n; i++)
        lot_set_state(rs->usage, lots.list[i],
                      m->units % 2 ? STATE_DOWN : STATE_UP);
    return change_all(&drained, rs, &lots, change_tag);
}

/* Mark a pool exclusive that no job has any part of. */
static int exclusive(const struct move *m, struct rset *rs)
{
    struct lots lots = sayable(m, rs, true);
    int n;

    for (size_t i = 0; i < lots.n; i++)
        for (struct lot *l = lots.list[i]; l;
             l = lot_next_in(rs->usage, lots.list[i], l))
            if (l->grants && m->units % 2) {
                lots_join(rs->usage, &lots);
                free(lots.list);
                return -1;
            }
    n = change_all(m, rs, &lots, change_exclusive);
    usage_renew(rs->usage);
    return n;
}

/* --- a random move ------------------------------------------------------ */

static const struct kind kinds[] = {
    {"allocate", allocate, .pieces = true, .gives = true, .often = 10},
    {"take", take, .gives = true, .often = 3},
    {"shrink", shrink, .often = 4},
    {"release", release, .pieces = true, .often = 4},
    {"commit", commit, .pieces = true, .often = 1},
    {"abort", undo, .pieces = true, .often = 1},
    {"extend", extend, .pieces = true, .often = 1},
    {"expire", expire, .often = 1},
    {"state", state, .often = 2},
    {"drain", drain, .facts = true, .often = 2},
    {"tag", tag, .facts = true, .often = 2},
    {"property", property, .facts = true, .often = 2},
    {"exclusive", exclusive, .facts = true, .often = 2},
};

static const struct kind *random_kind(void)
{
    unsigned all = 0, at;

    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
        all += kinds[i].often;
    at = random_below(all);
    for (const struct kind *k = kinds;; k++) {
        if (at < k->often)
            return k;
        at -= k->often;
    }
}

/* Return a random job with resources; NULL: there is none. */
static const struct job *some_job(struct rset *rs)
{
    const struct job *job = usage_jobs(usage_begin(rs));

    while (job && job->next && !one_in(3))
        job = job->next;
    return job;
}

/* Write the path of a member of a lot. */
static void put_lot(const struct rset *rs, const struct lot *lot, FILE *fp)
{
    char name[VERTEX_NAME_MAX];

    if (lot->parent->parent)
        put_lot(rs, lot->parent, fp);
    fprintf(fp, "/%s",
            vertex_name(rs, lot->v, lot->at + random_below(lot->n), name));
}

/* Return the path of a resource of a job. */
static char *path_of_job(const struct rset *rs, const struct job *job)
{
    const struct grant *g = job->grants;
    char *path;
    size_t len;
    FILE *fp;

    while (g->next && !one_in(3))
        g = g->next;
    if (!rs->root || g->lot->v->home)
        return vertex_place(rs, g->lot->v);
    fp = memory_open(&path, &len);
    put_lot(rs, g->lot, fp);
    memory_close(fp);
    return path;
}

#define ONE_OF(list) list[random_below(sizeof(list) / sizeof(*(list)))]

static struct move random_move(struct rset *rs, double now)
{
    static const char *const shapes[] = {
        "node{x}",           "slot/core",           "slot/core=3",
        "slot=2/core=2",     "slot/node",           "slot/gpu",
        "slot/[core=2;gpu]", "node=2/slot/core",    "slot=1+/core",
        "slot/memory=5",     "slot=3/core",         "slot/pdu=2",
        "slot/socket",       "node=2/slot=2/core=2"};
    static const char *const words[] = {"a", "k"};
    static const char *const policies[] = {"first",    "first",     "first",
                                           "best-fit", "worst-fit", "locality"};
    static const char *const owners[] = {NULL, "bob", "1000"};
    struct move m = {.kind = random_kind(),
                     .path = some_path(rs),
                     .owner = ONE_OF(owners),
                     .policy = policy_find(ONE_OF(policies), NULL),
                     .shape = ONE_OF(shapes),
                     .word = ONE_OF(words),
                     .units = 1 + random_below(4),
                     .now = now,
                     .start = TIME_UNSET,
                     .end = TIME_UNSET,
                     .state = (enum pool_state)random_below(POOL_STATES),
                     .staged = one_in(8)};
    const struct job *job = some_job(rs);
    static char last[512]; /* a path with a record */

    snprintf(m.job, sizeof(m.job), one_in(2) ? "%u" : "job %u",
             (unsigned)random_below(JOBS));
    if (job && one_in(2))
        snprintf(m.job, sizeof(m.job), "%s", job->name);
    if (job && one_in(3)) {
        free(m.path);
        m.path = path_of_job(rs, job);
    }
    if (one_in(2)) {
        m.start = now + (one_in(2) ? (double)random_below(20) : 0);
        m.end = m.start + 1 + (double)random_below(30);
        m.earliest = one_in(3);
    }
    if (one_in(2))
        m.state = STATE_UP;
    if (m.kind->facts && one_in(2)) {
        free(m.path);
        m.path = xstrdup(last);
    }
    snprintf(last, sizeof(last), "%s", m.path);
    return m;
}

static int make_move(const struct move *m, struct rset *rs)
{
    return m->kind->make(m, rs);
}

struct game {
    struct play play;
    char *document, *marked;
    int64_t revision;
    double now;
};

/* --- the store ---------------------------------------------------------- */

static void __attribute__((noreturn)) fail(struct diag *d)
{

    printf("Bail out! %s\n", diag_line(d).text);
    exit(1);
}

static const struct store_options options = {
    .fail = fail, .wait = 1, .keep = 10};

/* --- comparing ---------------------------------------------------------- */

/* Return where two texts begin to differ, a little earlier. */
static size_t differ(const char *a, const char *b)
{
    size_t i = 0;

    while (a[i] && a[i] == b[i])
        i++;
    return i > 200 ? i - 200 : 0;
}

static void must_say(struct game *g, struct rset *rs, const char *want,
                     const char *what)
{
    char *is = write_set(rs, FORM_AS_READ);
    size_t at = is ? differ(is, want) : 0;

    game_must(&g->play, is && !strcmp(is, want),
              "%s\n# is %.400s\n# want %.400s", what, is ? is + at : "nothing",
              want + at);
    free(is);
}

static void must_read(struct game *g, enum store_mode mode, const char *want,
                      const char *what)
{
    struct store *s = store_open(store_file, mode, &options);
    struct rset *rs = store_read(s);

    must_say(g, rs, want, what);
    game_must(&g->play,
              mode == STORE_MARKED || store_revision(s) == g->revision,
              "operations are miscounted");
    rset_destroy(rs);
    store_close(s);
}

/* --- moves -------------------------------------------------------------- */

/* Make a move on the document and on the set of the store. */
static void play_move(struct game *g, struct rset *rs, const struct move *m)
{
    struct rset *model = read_set(g->document);
    int want = make_move(m, model), is;

    game_note(&g->play, "\n# %s %s %s %s %s %u [%g,%g)%s at %g: %d",
              m->kind->name, m->job, m->shape, m->path, m->word, m->units,
              m->start, m->end, m->earliest ? " earliest" : "", m->now, want);
    is = make_move(m, rs);
    game_must(&g->play, is == want, "the answer is another");
    free(g->document);
    g->document = write_set(model, FORM_AS_READ);
    rset_destroy(model);
}

static struct move next_move(struct game *g)
{
    struct rset *rs = read_set(g->document);
    struct move m;

    g->now += one_in(3) ? random_below(5) : 0;
    m = random_move(rs, g->now);
    rset_destroy(rs);
    return m;
}

static struct operation operation_of(const struct move *m)
{
    return (struct operation){.time = m->now,
                              .command = m->kind->name,
                              .job = one_in(2) ? m->job : NULL,
                              .facts = m->kind->facts};
}

/* Make one operation on a store that is opened for it, and partly read. */
static void play_once(struct game *g)
{
    struct move m = next_move(g);
    struct operation op = operation_of(&m);
    struct store *s = store_open(store_file, STORE_WRITE, &options);
    bool pieces = m.kind->pieces && !one_in(4);
    struct rset *rs = pieces ? store_read_pieces(s, m.now, m.earliest)
                             : store_read(s);

    play_move(g, rs, &m);
    if (!pieces && one_in(4))
        must_say(g, rs, g->document, "it is another before the commit");
    store_record(s, &op);
    store_sync(s);
    g->revision++;
    if (!pieces && one_in(4))
        must_say(g, rs, g->document, "it is another after the commit");
    free(m.path);
    rset_destroy(rs);
    store_close(s);
}

static bool has_job(const struct game *g, const char *job)
{
    struct rset *rs = read_set(g->document);
    bool has = job_find(usage_begin(rs), job);

    rset_destroy(rs);
    return has;
}

/* Undo the allocation of a new job, whose answer could not be written. */
static void play_undone(struct rset *rs, const struct move *m)
{
    make_move(m, rs);
    ledger_release(rs->usage, m->job);
}

/* Make many operations, each by itself or several together. */
static void play_lease(struct game *g)
{
    struct store *s = store_open(store_file, STORE_LEASE, &options);
    struct rset *rs = store_read(s);

    game_note(&g->play, "\n# (");
    for (int n = (int)random_below(8); n > 0 && !g->play.over; n--) {
        struct move m = next_move(g);
        struct operation op = operation_of(&m);
        if (m.kind->gives && !has_job(g, m.job) && one_in(2)) {
            play_undone(rs, &m);
            game_note(&g->play, "\n# undone %s %s", m.kind->name, m.job);
        } else {
            play_move(g, rs, &m);
            store_record(s, &op);
            g->revision++;
        }
        must_say(g, rs, g->document, "it is another in memory");
        if (one_in(2))
            store_sync(s);
        free(m.path);
    }
    store_sync(s);
    game_note(&g->play, ")");
    rset_destroy(rs);
    store_close(s);
}

/* An operation that is not committed leaves nothing. */
static void play_lost(struct game *g)
{
    struct store *s = store_open(store_file, STORE_WRITE, &options);
    struct rset *rs = store_read(s);
    struct move m = next_move(g);

    make_move(&m, rs);
    free(m.path);
    rset_destroy(rs);
    store_close(s);
}

static void play_mark(struct game *g)
{
    struct store *s = store_open(store_file, STORE_MARK, &options);
    struct rset *rs = store_read(s);

    must_say(g, rs, g->document, "it is another for who marks it");
    rset_destroy(rs);
    store_mark(s);
    store_close(s);
    game_note(&g->play, "\n# mark");
    free(g->marked);
    g->marked = strdup(g->document);
}

static void find_fault(const char *text, void *play)
{
    game_must(play, false, "%s", text);
}

static void check_store(struct game *g)
{
    struct store *s = store_open(store_file, STORE_READ, &options);

    store_check(s, find_fault, &g->play);
    store_close(s);
}

/* --- games -------------------------------------------------------------- */

static void check_read(struct game *g)
{
    must_read(g, STORE_READ, g->document, "the document differs");
    if (one_in(3))
        must_read(g, STORE_MARKED, g->marked, "the marked state differs");
}

/* Return the state of a target, or of the nearest resource around it that is
   not up. */
static const char *state_of(struct settled s, const struct vertex *v)
{
    if (vertex_state(s, v) == STATE_DOWN && vertex_get_tag(v, "drained"))
        return "drained";
    v = vertex_not_up(s, v);
    return pool_state_names[vertex_state(s, v)];
}

/* The table that people read with SQL has the states of the document. */
static void check_targets(struct game *g)
{
    struct rset *rs = read_set(g->document);
    struct settled s = usage_settle(rs);
    struct vertex **targets;
    sqlite3_stmt *rows;
    sqlite3 *db;
    size_t n;

    n = rset_targets(rs, &targets);
    sqlite3_open_v2(store_file, &db, SQLITE_OPEN_READONLY, NULL);
    sqlite3_prepare_v2(db, "SELECT rank, state FROM target", -1, &rows, NULL);
    while (!g->play.over && sqlite3_step(rows) == SQLITE_ROW) {
        int64_t rank = sqlite3_column_int64(rows, 0);
        const char *text = (const char *)sqlite3_column_text(rows, 1);
        size_t i = 0;
        while (i < n
               && (targets[i]->run
                       ? !idset_contains(targets[i]->run, (uint32_t)rank)
                       : targets[i]->rank != rank))
            i++;
        game_must(&g->play, i < n && !strcmp(text, state_of(s, targets[i])),
                  "rank %lld is %s in the table of targets", (long long)rank,
                  text);
    }
    sqlite3_finalize(rows);
    sqlite3_close(db);
    free(targets);
    rset_destroy(rs);
}

static const struct game_move moves[] = {{"once", 9, play_once},
                                         {"lease", 1, play_lease},
                                         {"lost", 1, play_lost},
                                         {"mark", 1, play_mark},
                                         {0}};
static game_fn *const checks[] = {check_read, check_targets, NULL};

static bool play(const char *text, long steps)
{
    struct game g = {.play = {.moves = moves, .checks = checks}, .now = 1000};
    struct rset *rs = read_set(text);

    g.document = write_set(rs, FORM_AS_READ);
    g.marked = strdup(g.document);
    game_note(&g.play, " %s", text);
    store_create(store_file, rs, &options);
    rset_destroy(rs);
    must_read(&g, STORE_READ, g.document, "it is another when it is new");
    game_play(&g.play, &g, steps);
    check_store(&g);
    game_end(&g.play);
    free(g.document);
    free(g.marked);
    store_remove();
    return !g.play.over;
}

static char *random_text(int i)
{
    struct bits b = random_bits(true);
    char *text, *same;

    if (i % 3 == 0) {
        struct pools all = random_forest(true);
        text = json_dumps(all.document, 0);
        free_pools(&all);
    } else {
        text = bits_text(&b, &(struct layout){.graph = i % 3 == 1,
                                              .racks = one_in(2),
                                              .sockets = one_in(2)});
    }
    if (i % 3 == 2 || one_in(2))
        return text;
    same = rewrite(text, one_in(2) ? FORM_RV1 : FORM_JGF_COMPACT);
    if (!same)
        return text;
    free(text);
    return same;
}

int main(void)
{
    enum { GAMES = 24 };
    long steps = random_start(300);

    store_begin();
    for (int i = 0; i < GAMES; i++) {
        char *text = random_text(i);
        ok(play(text, steps / GAMES),
           "game %d: a store says what the document says", i + 1);
        free(text);
    }
    return done_testing();
}
