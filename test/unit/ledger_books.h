/*
 * The books of a set against those of the naive ledger: what selections name,
 * pool by pool, and what is recorded on every vertex.
 */
#ifndef TEST_LEDGER_BOOKS_H
#define TEST_LEDGER_BOOKS_H

#include <math.h>

#include "ledger_moves.h"
#include "model/records/jobs.h"
#include "model/records/tags.h"
#include "schedule/ledger.h"

static const char *const job_names[JOBS] = {
    "12", "a job", "007", "\303\251t\303\251 12", "18446744073709551615",
    "fat"};
static const char *const owner_names[] = {NULL, "1000", "alice"};
enum { OWNERS = sizeof(owner_names) / sizeof(owner_names[0]) };

static double moment_time(int moment)
{
    return moment < 0 ? TIME_UNSET : 1000.0 + 100.0 * moment;
}

static int time_moment(double time)
{
    return time < 0 ? NEVER : (int)((time - 1000.0) / 100.0);
}

static struct period naive_period(const struct naive *n, int from, int to)
{
    return (struct period){.now = moment_time(n->now),
                           .from = moment_time(from),
                           .to = to > SLOTS ? INFINITY : moment_time(to)};
}

/* --- what a selection names ---------------------------------------------- */

struct named {
    bool there, whole, exclusive, shared, inner;
    int units;
};

struct naming {
    struct named at[POOLS_MAX];
    const char *fault;
};

/* The pools of a vertex, or of some members of a run, in nodes of `ranks`. */
static int pools_of(const struct world *w, const struct vertex *v,
                    const struct idset *members, unsigned ranks,
                    int list[POOLS_MAX])
{
    int n = 0;

    if (!v->run) {
        list[0] = find_pool(w, v->type, v->rank, v->id);
        return 1;
    }
    for (uint32_t i = idset_first(members); i != IDSET_INVALID;
         i = idset_next(members, i))
        for (int rank = 0; rank < 15; rank++) {
            if (vertex_is_target(v) ? rank != (int)i : !(ranks >> rank & 1))
                continue;
            if (n < POOLS_MAX)
                list[n++] = find_pool(w, v->type, rank,
                                      vertex_is_target(v) ? rank : (int)i);
        }
    return n;
}

static unsigned ranks_of(const struct world *w, const int *list, int n)
{
    unsigned ranks = 0;

    for (int i = 0; i < n; i++)
        if (list[i] >= 0 && w->pool[list[i]].rank >= 0)
            ranks |= 1U << w->pool[list[i]].rank;
    return ranks;
}

static void name_pick(struct naming *out, const struct world *w,
                      const struct pick *p, unsigned ranks)
{
    struct idset *members = p->v->run ? pick_members(p) : NULL;
    int list[POOLS_MAX], n = pools_of(w, p->v, members, ranks, list);

    idset_destroy(members);
    if (p->v->run && n == 0)
        out->fault = "a pick of no member";
    for (int i = 0; i < n; i++) {
        struct named *at = list[i] < 0 ? NULL : &out->at[list[i]];
        if (!at || at->there) {
            out->fault = at ? "a pool is picked twice" : "an unknown pool";
            continue;
        }
        *at = (struct named){true,      p->whole,         p->exclusive,
                             p->shared, p->child != NULL, (int)p->amount};
        if (p->amount < 1 || p->amount > w->pool[list[i]].size)
            out->fault = "an amount that is not in the pool";
    }
    for (const struct pick *c = p->child; c; c = c->next)
        name_pick(out, w, c, ranks_of(w, list, n));
}

static struct naming name_selection(const struct world *w,
                                    const struct selection *sel)
{
    struct naming out = {.fault = NULL};

    for (const struct pick *p = sel->picks; p; p = p->next)
        name_pick(&out, w, p, 0);
    return out;
}

/* As it is to be recorded. */
static struct wish wish_of(const struct world *w, const struct naming *named)
{
    bool listing[POOLS_MAX] = {false}; /* what is below it is a list */
    struct wish wish = {0};

    for (int p = 0; p < w->n; p++) {
        const struct named *at = &named->at[p];
        int up = w->pool[p].parent;
        if (!at->there)
            continue;
        if (up >= 0 && listing[up]) {
            wish.listed[p] = at->units;
            listing[p] = true;
            for (int q = p + 1; at->whole && q < w->pool[p].end; q++)
                wish.listed[q] = w->pool[q].size;
        } else if (at->shared || (at->inner && !at->exclusive)) {
            wish.share[p] = at->shared;
        } else {
            wish.claim[p] = at->units;
            listing[p] = !at->whole && at->inner;
            if (at->exclusive && !at->whole && !at->inner && !is_leaf(w, p))
                wish.listed[p] = at->units; /* and nothing in it */
        }
    }
    for (int p = 0; p < w->n; p++)
        if (!is_leaf(w, p) && wish.claim[p] >= w->pool[p].size)
            drop_full_list(w, wish.listed, p);
    return wish;
}

/* As it is to be given back. */
static struct gift gift_of(const struct world *w, const struct naming *named)
{
    struct gift gift = {0};

    for (int p = 0; p < w->n; p++) {
        const struct named *at = &named->at[p];
        if (!at->there)
            continue;
        gift.inner[p] = at->inner && !at->whole;
        gift.share[p] = !gift.inner[p] && at->shared;
        gift.units[p] = gift.inner[p] ? 0 : at->units;
    }
    return gift;
}

/* Units of each pool that it names; 0 in a pool that is only above others. */
static void units_of(const struct world *w, const struct naming *named,
                     int units[POOLS_MAX])
{
    memset(units, 0, POOLS_MAX * sizeof(*units));
    for (int p = 0; p < w->n; p++) {
        const struct named *at = &named->at[p];
        if (at->there && (at->exclusive || (!at->shared && !at->inner)))
            units[p] = at->units;
        for (int q = p + 1; at->there && at->whole && q < w->pool[p].end; q++)
            units[q] = w->pool[q].size;
    }
}

/* --- one difference, told ------------------------------------------------ */

static char trouble_text[256];

__attribute__((format(printf, 1, 2))) static const char *
trouble(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(trouble_text, sizeof(trouble_text), fmt, ap);
    va_end(ap);
    return trouble_text;
}

static const char *pool_trouble(const struct world *w, int p, const char *what,
                                int got, int want)
{
    return trouble("%s%d of rank %d: %s %d, not %d",
                   kind_names[w->pool[p].kind], w->pool[p].id, w->pool[p].rank,
                   what, got, want);
}

/* --- records ------------------------------------------------------------- */

static int job_number(const char *name)
{
    for (int job = 0; job < JOBS; job++)
        if (!strcmp(job_names[job], name))
            return job;
    return -1;
}

static int owner_number(const char *name)
{
    for (int i = 0; i < OWNERS; i++)
        if (name == owner_names[i]
            || (name && owner_names[i] && !strcmp(name, owner_names[i])))
            return i;
    return -1;
}

static struct lease lease_of(const struct grant *c)
{
    return (struct lease){job_number(c->term->job->name),
                          owner_number(c->term->owner), c->term->reserved,
                          time_moment(c->term->start),
                          time_moment(c->term->end)};
}

/* Is each of a job's shares of a pool recorded, and no other? */
static bool same_shares(const struct naive *n, int p, const struct lot *rec,
                        int job)
{
    const struct grant *g;
    bool same = true;

    for (g = rec ? rec->grants : NULL; g; g = g->beside) {
        struct lease of = lease_of(g);
        bool found = g->term->kind != GRANT_SHARE || of.job != job;
        for (int i = 0; i < n->n && !found; i++)
            found = is_share_of(&n->claims[i], job, p)
                    && same_times(&n->claims[i].of, &of);
        same &= found;
    }
    for (int i = 0; i < n->n; i++) {
        bool found = !is_share_of(&n->claims[i], job, p);
        for (g = rec ? rec->grants : NULL; g && !found; g = g->beside) {
            struct lease of = lease_of(g);
            found = g->term->kind == GRANT_SHARE && of.job == job
                    && same_times(&n->claims[i].of, &of);
        }
        same &= found;
    }
    return same;
}

/* The next claim of a list, the first included. */
static const struct grant *claim_in(const struct grant *g)
{
    while (g && g->term->kind != GRANT_CLAIM)
        g = g->beside;
    return g;
}

static int recorded(const struct lot *lot, const struct lease *of)
{
    int sum = 0;

    for (const struct grant *c = claim_in(lot ? lot->grants : NULL); c;
         c = claim_in(c->beside)) {
        struct lease lease = lease_of(c);
        if (same_lease(&lease, of))
            sum += (int)c->units;
    }
    return sum;
}

static int expected(const struct naive *n, int p, const struct lease *of)
{
    int sum = 0;

    for (int i = 0; i < n->n; i++)
        if (n->claims[i].pool == p && same_lease(&n->claims[i].of, of))
            sum += n->claims[i].units;
    return sum;
}

static const char *check_claims(const struct naive *n, int p,
                                const struct lot *rec)
{
    for (const struct grant *c = claim_in(rec ? rec->grants : NULL); c;
         c = claim_in(c->beside)) {
        struct lease of = lease_of(c);
        if (recorded(rec, &of) != expected(n, p, &of))
            return pool_trouble(n->w, p, c->term->job->name, recorded(rec, &of),
                                expected(n, p, &of));
    }
    for (int i = 0; i < n->n; i++) {
        const struct lease *of = &n->claims[i].of;
        if (n->claims[i].pool == p && n->claims[i].units
            && recorded(rec, of) != expected(n, p, of))
            return pool_trouble(n->w, p, job_names[of->job], recorded(rec, of),
                                expected(n, p, of));
    }
    return NULL;
}

static const char *check_lists(const struct naive *n, int p, struct usage *u,
                               struct lot *rec, int job)
{
    struct job *known = u ? job_find(u, job_names[job]) : NULL;
    const struct grant *mark = known && rec
                                   ? grant_find(rec, known, GRANT_LISTED)
                                   : NULL;
    int size = n->w->pool[p].size;
    int listed = !mark ? 0 : mark->units ? (int)mark->units : size;
    struct job **sharers;
    size_t nsharers = rec ? lot_sharers(u, rec, &sharers) : 0;
    bool shared = false;

    for (size_t i = 0; i < nsharers; i++)
        shared = shared || sharers[i] == known;
    if (shared != naive_shared(n, job, p))
        return pool_trouble(n->w, p, "shared by",
                            naive_shared(n, job, p) ? 0 : 1,
                            naive_shared(n, job, p));
    if (!same_shares(n, p, rec, job))
        return pool_trouble(n->w, p, "the times of what it shares", 0, 1);
    if (listed != n->listed[job][p])
        return pool_trouble(n->w, p, "listed", listed, n->listed[job][p]);
    return NULL;
}

static const char *check_pool(const struct naive *n, int p,
                              const struct rset *rs, const struct vertex *v)
{
    struct lot *rec = v->lot;
    const char *wrong = check_claims(n, p, rec);
    const struct job *lock = rec ? lot_staged(rec) : NULL;
    int staged = lock ? job_number(lock->name) + 1 : 0;

    for (int job = 0; job < JOBS && !wrong; job++)
        wrong = check_lists(n, p, rs->usage, rec, job);
    if (!wrong && staged != n->staged[p])
        wrong = pool_trouble(n->w, p, "staged for", staged, n->staged[p]);
    if (!wrong && vertex_state(v) != n->state[p])
        wrong = pool_trouble(n->w, p, "state", (int)vertex_state(v),
                             (int)n->state[p]);
    if (!wrong && !vertex_get_tag(v, "blue") != !n->tagged[p])
        wrong = pool_trouble(n->w, p, "tagged", !n->tagged[p], n->tagged[p]);
    if (!wrong && v->size != n->w->pool[p].size)
        wrong = pool_trouble(n->w, p, "size", (int)v->size, n->w->pool[p].size);
    return wrong;
}

/* All that is recorded in a set; NULL: it is what the naive ledger has. */
static const char *check_records(const struct naive *n, struct rset *rs)
{
    bool seen[POOLS_MAX] = {false};
    const char *wrong = NULL;

    usage_settle(rs);
    for (const struct vertex *v = rset_first(rs); v && !wrong;
         v = rset_next(rs, v)) {
        int up[POOLS_MAX], list[POOLS_MAX];
        int above = v->run && !vertex_is_target(v)
                        ? pools_of(n->w, v->parent, v->parent->run, 0, up)
                        : 0;
        int count = pools_of(n->w, v, v->run, ranks_of(n->w, up, above), list);
        for (int i = 0; i < count && !wrong; i++) {
            if (list[i] < 0 || seen[list[i]])
                return trouble("a %s that is not there, or twice", v->type);
            seen[list[i]] = true;
            wrong = check_pool(n, list[i], rs, v);
        }
    }
    for (int p = 0; p < n->w->n && !wrong; p++)
        if (!seen[p])
            wrong = pool_trouble(n->w, p, "there", 0, 1);
    return wrong;
}

/* --- what the ledger tells ------------------------------------------------ */

/* Units that the R of a job lists; with `held` all that it has. */
static void naive_lists(const struct naive *n, int job, bool held,
                        int units[POOLS_MAX])
{
    const struct world *w = n->w;

    memset(units, 0, POOLS_MAX * sizeof(*units));
    for (int p = 0; p < w->n; p++) {
        bool part = false;
        int own = claimed_by(n, job, p);
        if (own <= 0)
            continue;
        units[p] = own < w->pool[p].size ? own : w->pool[p].size;
        if (own < w->pool[p].size)
            continue;
        for (int q = p; !held && q < w->pool[p].end; q++)
            part = part || n->listed[job][q];
        for (int q = p + 1; q < w->pool[p].end; q++)
            units[q] = part ? n->listed[job][q] : w->pool[q].size;
        p = w->pool[p].end - 1;
    }
}

static const char *compare_units(const struct world *w, const char *what,
                                 const int got[POOLS_MAX],
                                 const int want[POOLS_MAX])
{
    for (int p = 0; p < w->n; p++)
        if (got[p] != want[p])
            return pool_trouble(w, p, what, got[p], want[p]);
    return NULL;
}

/* Takes the selection over. */
static const char *check_selected(const struct naive *n, const char *what,
                                  struct selection *sel,
                                  const int want[POOLS_MAX])
{
    struct naming named = name_selection(n->w, sel);
    int got[POOLS_MAX];

    selection_destroy(sel);
    units_of(n->w, &named, got);
    return named.fault ? trouble("%s: %s", what, named.fault)
                       : compare_units(n->w, what, got, want);
}

static const char *check_terms(const struct naive *n, struct rset *rs, int job)
{
    int start = SLOTS, end = 0;
    bool any = false, staged = false;
    struct term terms;
    struct usage *u;

    for (int i = 0; i < n->n; i++) {
        const struct lease *of = &n->claims[i].of;
        if (of->job != job || (!n->claims[i].units && !is_timed(of)))
            continue;
        any = true;
        start = of->start < start ? of->start : start;
        end = of->end < 0 ? SLOTS + 1 : of->end > end ? of->end : end;
    }
    for (int p = 0; p < n->w->n; p++)
        staged = staged || n->staged[p] == job + 1;
    u = usage_begin(rs);
    terms = ledger_terms(u, job_names[job]);
    if (time_moment(terms.start) != (any ? start : NEVER)
        || time_moment(terms.end) != (any && end <= SLOTS ? end : NEVER)
        || terms.staged != staged)
        return trouble("job %s: terms %g-%g %d", job_names[job], terms.start,
                       terms.end, terms.staged);
    return NULL;
}

static const char *check_job(const struct naive *n, struct rset *rs, int job)
{
    const char *name = job_names[job], *wrong;
    int want[POOLS_MAX];

    if (once_has(rs, name) != naive_knows(n, job))
        return trouble("job %s is known: %d", name, once_has(rs, name));
    naive_lists(n, job, false, want);
    if ((wrong = check_selected(n, "allocated", once_allocated(rs, name, false),
                                want)))
        return wrong;
    naive_lists(n, job, true, want);
    if ((wrong = check_selected(n, "held", once_allocated(rs, name, true),
                                want))
        || (wrong = check_selected(n, "holdings", once_holdings(rs, name),
                                   want)))
        return wrong;
    return check_terms(n, rs, job);
}

/* RFC 4, Copy: pools with nothing available are left out with all in them. */
static int naive_available(const struct naive *n, int p, int moment,
                           bool any_state, bool there[POOLS_MAX])
{
    const struct world *w = n->w;
    int left = naive_left(n, p, moment, moment), found = 0;

    if (!left || n->staged[p] || (n->state[p] != STATE_UP && !any_state))
        return 0;
    for (int q = p; w->pool[p].exclusive && q < w->pool[p].end; q++)
        if (naive_taken(n, q, moment, moment)
            || shared_then(n, q, moment, moment, moment <= n->now))
            return 0;
    for (int q = p + 1; q < w->pool[p].end; q = w->pool[q].end)
        found += naive_available(n, q, moment, any_state, there);
    if (!found && !is_leaf(w, p))
        return 0;
    there[p] = true;
    return left;
}

/*
 * Sums of what is available, and what a set of that has, are these; a root has
 * every set.
 */
static const char *check_sums(struct rset *rs, const struct period *when,
                              const uint64_t units[KINDS_OF_POOLS])
{
    struct selection *sel = once_available(rs, when, false);
    struct rset *part = rset_extract(rs, sel);
    struct aggregate *list;
    size_t got = ledger_aggregate(usage_begin(rs), when, true, &list);
    const char *wrong = NULL;

    for (int k = 0; k < KINDS_OF_POOLS && !wrong; k++) {
        uint64_t sum = 0, count = rset_count(part, NULL, kind_names[k]);
        for (size_t i = 0; i < got; i++)
            if (!strcmp(list[i].type, kind_names[k]))
                sum += list[i].available;
        if (sum != units[k] || (count != units[k] && k != CLUSTER))
            wrong = trouble("%s: %d in sum, %d to count, not %d", kind_names[k],
                            (int)sum, (int)count, (int)units[k]);
    }
    free(list);
    rset_destroy(part);
    selection_destroy(sel);
    return wrong;
}

static const char *check_available(const struct naive *n, struct rset *rs,
                                   int moment, bool any_state)
{
    uint64_t units[KINDS_OF_POOLS] = {0};
    const struct world *w = n->w;
    struct period when = naive_period(n, moment, moment);
    struct selection *sel = once_available(rs, &when, any_state);
    struct naming named = name_selection(w, sel);
    bool there[POOLS_MAX] = {false}, gone = false;

    selection_destroy(sel);
    for (int p = 0; p < w->n; p++)
        if (w->pool[p].parent < 0)
            naive_available(n, p, moment, any_state, there);
    for (int p = 0; p < w->n; p++) {
        int up = w->pool[p].parent, left = naive_left(n, p, moment, moment);
        gone = up >= 0 && !there[up];
        if (named.at[p].there != (there[p] && !gone))
            return pool_trouble(w, p, "available", named.at[p].there,
                                there[p] && !gone);
        there[p] = there[p] && !gone;
        if (there[p] && named.at[p].units != left)
            return pool_trouble(w, p, "available units", named.at[p].units,
                                left);
        units[w->pool[p].kind] += there[p] ? (uint64_t)left : 0;
    }
    return any_state ? NULL : check_sums(rs, &when, units);
}

#endif /* TEST_LEDGER_BOOKS_H */
