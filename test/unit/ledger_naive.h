/*
 * The naive ledger: a cell for each unit of each pool and each slot of time,
 * with the job that has it. It is filled again each time from a list of claims.
 * A claim without a free cell has been given twice.
 *
 * Moments are 0 ... SLOTS. Slot k lasts from moment k to the next; the last
 * slot has no end. NEVER is an end that is not set. A start that is not set is
 * before slot 0.
 */
#ifndef TEST_LEDGER_NAIVE_H
#define TEST_LEDGER_NAIVE_H

#include "ledger_world.h"

enum { SLOTS = 10, NEVER = -1, JOBS = 6, CLAIMS_MAX = 2048 };

struct lease {
    int job, owner;
    bool reserved;
    int start, end;
};

struct unit_claim {
    struct lease of;
    int pool, units; /* 0: shared only */
};

struct naive {
    struct world *w;
    int now;
    struct unit_claim claims[CLAIMS_MAX]; /* in order of arrival */
    int n;
    int listed[JOBS][POOLS_MAX]; /* units inside a pool that it has whole */
    int staged[POOLS_MAX];       /* number of the job + 1 */
    enum pool_state state[POOLS_MAX];
    bool tagged[POOLS_MAX];
    /* The job in each cell, + 1; and units held beyond their end. */
    signed char cell[POOLS_MAX][SLOTS + 1][UNITS_MAX];
    signed char late[POOLS_MAX][SLOTS + 1];
};

/* To be recorded for a selection. */
struct wish {
    int claim[POOLS_MAX];  /* units */
    int listed[POOLS_MAX]; /* inside a whole claim, if only a part is listed */
    bool share[POOLS_MAX];
};

/* To be released. */
struct gift {
    int units[POOLS_MAX];
    bool share[POOLS_MAX];
    bool inner[POOLS_MAX]; /* something in it is released */
};

/* --- cells -------------------------------------------------------------- */

/* A claim of all units includes all contents. */
static bool claims_whole(const struct naive *n, const struct unit_claim *c)
{
    return c->units >= n->w->pool[c->pool].size;
}

static bool fill_cells(struct naive *n, int p, int units,
                       const struct lease *of)
{
    int from = of->start < 0 ? 0 : of->start;
    int to = of->end < 0 ? SLOTS + 1 : of->end;

    for (int t = from; t < to; t++) {
        int left = units;
        for (int u = 0; u < n->w->pool[p].size && left > 0; u++)
            if (!n->cell[p][t][u]) {
                n->cell[p][t][u] = (signed char)(of->job + 1);
                left--;
            }
        if (left > 0)
            return false;
    }
    for (int t = to; of->end >= 0 && of->end <= n->now && t <= SLOTS; t++)
        n->late[p][t] = (signed char)(n->late[p][t] + units);
    return true;
}

/* Return a pool with a unit that is given twice, or NO_POOL. */
static int naive_fill(struct naive *n)
{
    memset(n->cell, 0, sizeof(n->cell));
    memset(n->late, 0, sizeof(n->late));
    for (int i = 0; i < n->n; i++) {
        const struct unit_claim *c = &n->claims[i];
        int end = claims_whole(n, c) ? n->w->pool[c->pool].end : c->pool + 1;
        for (int p = c->pool; p < end; p++)
            if (!fill_cells(n, p, p == c->pool ? c->units : n->w->pool[p].size,
                            &c->of))
                return p;
    }
    return NO_POOL;
}

/* The most units that are taken in one of the slots from ... to - 1. */
static int naive_most(const struct naive *n, int p, int from, int to,
                      bool held_on)
{
    int most = 0;

    for (int t = from; t < to || t == from; t++) {
        int sum = held_on ? n->late[p][t] : 0;
        for (int u = 0; u < n->w->pool[p].size; u++)
            sum += n->cell[p][t][u] != 0;
        most = sum > most ? sum : most;
    }
    return most;
}

/* A later start does not count ended claims. */
static int naive_taken(const struct naive *n, int p, int from, int to)
{
    return naive_most(n, p, from, to, from <= n->now);
}

static int naive_left(const struct naive *n, int p, int from, int to)
{
    int left = n->w->pool[p].size - naive_taken(n, p, from, to);

    return left > 0 ? left : 0;
}

/* --- the parts of a job ------------------------------------------------- */

static int claimed_by(const struct naive *n, int job, int p)
{
    int sum = 0;

    for (int i = 0; i < n->n; i++)
        if (n->claims[i].pool == p && n->claims[i].of.job == job)
            sum += n->claims[i].units;
    return sum;
}

static bool has_whole(const struct naive *n, int job, int p)
{
    return claimed_by(n, job, p) >= n->w->pool[p].size;
}

/* Units that the job has, also implied ones. */
static int naive_has(const struct naive *n, int job, int p)
{
    int own = claimed_by(n, job, p);

    for (int up = n->w->pool[p].parent; up >= 0; up = n->w->pool[up].parent)
        if (has_whole(n, job, up))
            return n->w->pool[p].size;
    return own < n->w->pool[p].size ? own : n->w->pool[p].size;
}

static bool has_below(const struct naive *n, int job, int top)
{
    for (int i = 0; i < n->n; i++)
        if (n->claims[i].of.job == job
            && is_below(n->w, n->claims[i].pool, top))
            return true;
    return false;
}

static bool naive_knows(const struct naive *n, int job)
{
    for (int i = 0; i < n->n; i++)
        if (n->claims[i].of.job == job)
            return true;
    return false;
}

static bool is_timed(const struct lease *of)
{
    return of->start >= 0 || of->end >= 0;
}

static bool same_times(const struct lease *a, const struct lease *b)
{
    return a->start == b->start && a->end == b->end;
}

static bool is_share_of(const struct unit_claim *c, int job, int p)
{
    return !c->units && c->of.job == job && c->pool == p;
}

/* Does anybody share it at some time from ... to - 1? An ended share counts
   until it is released. */
static bool shared_then(const struct naive *n, int p, int from, int to,
                        bool held_on)
{
    for (int i = 0; i < n->n; i++) {
        const struct unit_claim *c = &n->claims[i];
        bool late = held_on && c->of.end >= 0 && c->of.end <= n->now;
        if (c->pool == p && !c->units
            && (c->of.start < to || c->of.start <= from)
            && (c->of.end < 0 || c->of.end > from || late))
            return true;
    }
    return false;
}

static bool shared_by_any(const struct naive *n, int p)
{
    return shared_then(n, p, 0, SLOTS + 1, true);
}

static bool is_in_whole(const struct naive *n, int job, int p)
{
    for (p = p >= 0 && is_leaf(n->w, p) ? n->w->pool[p].parent : p; p >= 0;
         p = n->w->pool[p].parent)
        if (has_whole(n, job, p))
            return true;
    return false;
}

/* Lists matter only inside pools that are held whole. */
static void settle_listed(struct naive *n)
{
    for (int job = 0; job < JOBS; job++)
        for (int p = 0; p < n->w->n; p++)
            if (n->listed[job][p] && !is_in_whole(n, job, p))
                n->listed[job][p] = 0;
}

/* --- free or not -------------------------------------------------------- */

/* Is the pool, or one around it, locked? */
static bool is_locked(const struct naive *n, int p)
{
    for (; p >= 0; p = n->w->pool[p].parent)
        if (n->staged[p])
            return true;
    return false;
}

/* Are all units of the pool and of its contents unused? The state does not
   matter. */
static bool is_untouched(const struct naive *n, int top, int from, int to)
{
    for (int p = top; p < n->w->pool[top].end; p++)
        if (naive_taken(n, p, from, to) || n->staged[p]
            || shared_then(n, p, from, to, from <= n->now))
            return false;
    return true;
}

static bool may_claim(const struct naive *n, int p, int units, int from, int to)
{
    if (is_locked(n, p))
        return false;
    return units >= n->w->pool[p].size ? is_untouched(n, p, from, to)
                                       : naive_left(n, p, from, to) >= units;
}

/* Nobody has the pool, or one around it, whole. */
static bool may_share(const struct naive *n, int p, int from, int to)
{
    return !is_locked(n, p) && naive_left(n, p, from, to) > 0;
}

static bool naive_may(const struct naive *n, const struct wish *wish, int from,
                      int to)
{
    for (int p = 0; p < n->w->n; p++) {
        if (wish->claim[p] && !may_claim(n, p, wish->claim[p], from, to))
            return false;
        if (wish->share[p] && !may_share(n, p, from, to))
            return false;
    }
    return true;
}

#endif /* TEST_LEDGER_NAIVE_H */
