/*
 * Moves in a game on a set, which say all that they do by names, so that one
 * can be made on two sets that say the same.
 */
#ifndef TEST_STORE_MOVES_H
#define TEST_STORE_MOVES_H

#include "model/tree/properties.h"
#include "model/records/jobs.h"
#include "model/records/tags.h"
#include "model/records/path.h"
#include "schedule/ledger.h"
#include "schedule/match.h"
#include "schedule/plan.h"
#include "schedule/policy.h"
#include "some_path.h"

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

/* What a move answers is the same on both sets. */
struct kind {
    const char *name;
    int (*make)(const struct move *m, struct rset *rs);
    bool facts;  /* it may change facts */
    bool pieces; /* a set that is read in pieces is enough for it */
    bool gives;
    unsigned often;
};

/* --- giving and taking -------------------------------------------------- */

static struct term terms_of(const struct move *m, const struct usage *u)
{
    struct term terms = {.owner = m->owner,
                         .start = m->start,
                         .end = m->end,
                         .reserved = m->start > m->now,
                         .staged = m->staged};

    if (ledger_has(u, m->job)) {
        terms = ledger_terms(u, m->job);
        terms.owner = m->owner;
    }
    return terms;
}

/* 0 to 3: as a plan is answered. */
static int give(const struct move *m, struct usage *u, struct selection *plan,
                struct term *terms, unsigned flags)
{
    struct diag d = {0};
    int answer = (int)plan_check(u, m->job, plan, terms, m->now, flags, &d);

    if (answer == PLAN_GOOD && !ledger_has(u, m->job))
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
    bool has = ledger_has(u, m->job);
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

/* Some units of a pool; NULL: there is none, or that can't be said. */
static struct selection *choose(const struct move *m, struct rset *rs)
{
    struct diag d = {0};
    struct lot *lot = rset_find_lot(rs, m->path, &d);
    struct selection *plan;

    if (!lot || (!(rs->halves & HALF_GRAPH) && lot->v == rs->root))
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

    if (plan && !(terms.staged && ledger_has(u, m->job))) {
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

/* An R without a graph has no place for what is above its nodes. */
static struct lots sayable(const struct move *m, struct rset *rs, bool target)
{
    struct lots lots;
    struct diag d = {0};

    usage_begin(rs);
    rset_find_lots(rs, m->path, &lots, &d);
    if (lots.n > 0 && !(rs->halves & HALF_GRAPH)
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

/* A property with a value comes, or goes. */
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

/* It is down, with a tag that says why. */
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

/* Not one of which a job has anything. */
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

/* Some job that has anything; NULL: there is none. */
static const struct job *some_job(struct rset *rs)
{
    const struct job *job = usage_jobs(usage_begin(rs));

    while (job && job->next && !one_in(3))
        job = job->next;
    return job;
}

/* The path of a member of a lot. */
static void put_lot(const struct rset *rs, const struct lot *lot, FILE *fp)
{
    char name[VERTEX_NAME_MAX];

    if (lot->parent->parent)
        put_lot(rs, lot->parent, fp);
    fprintf(fp, "/%s",
            vertex_name(rs, lot->v, lot->at + random_below(lot->n), name));
}

/* The path of something that a job has. */
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
    static char last[512]; /* a path of which something was said */

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

#endif /* TEST_STORE_MOVES_H */
