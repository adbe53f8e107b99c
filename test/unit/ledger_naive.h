/*
 * The naive ledger: a cell for each unit of each pool and each slot of time,
 * and which job is in it. It follows from a list of claims, and is filled
 * anew each time; a claim that finds no cell left is a unit promised twice.
 *
 * Time are the moments 0 ... SLOTS, slot k is from moment k to the next; the
 * last slot is for ever. NEVER is an end that is not set, and a start that
 * is not set is before slot 0.
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
    int pool, units;
};

struct naive {
    struct world *w;
    int now;
    struct unit_claim claims[CLAIMS_MAX]; /* as they came */
    int n;
    bool shares[JOBS][POOLS_MAX];  /* with nothing below it: this very pool */
    int listed[JOBS][POOLS_MAX];   /* units; below what it has whole */
    int staged[POOLS_MAX];         /* the job + 1 */
    enum pool_state state[POOLS_MAX];
    bool tagged[POOLS_MAX];
    /* Who is in which cell, as job + 1; and what is held beyond its end. */
    signed char cell[POOLS_MAX][SLOTS + 1][UNITS_MAX];
    signed char late[POOLS_MAX][SLOTS + 1];
};

/* What a selection asks to be recorded. */
struct wish {
    int claim[POOLS_MAX];  /* units */
    int listed[POOLS_MAX]; /* in what is claimed whole, if only a part is */
    bool share[POOLS_MAX];
};

/* What is given back. */
struct gift {
    int units[POOLS_MAX];
    bool share[POOLS_MAX];
    bool inner[POOLS_MAX]; /* something in it is */
};

/* --- cells -------------------------------------------------------------- */

/* A claim of all units is one of all that is in the pool, too. */
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

/* Returns a pool of which a unit is promised twice, or NO_POOL. */
static int naive_fill(struct naive *n)
{
    memset(n->cell, 0, sizeof(n->cell));
    memset(n->late, 0, sizeof(n->late));
    for (int i = 0; i < n->n; i++) {
        const struct unit_claim *c = &n->claims[i];
        int end = claims_whole(n, c) ? n->w->pool[c->pool].end : c->pool + 1;
        for (int p = c->pool; p < end; p++)
            if (!fill_cells(n, p,
                            p == c->pool ? c->units : n->w->pool[p].size,
                            &c->of))
                return p;
    }
    return NO_POOL;
}

/* The most units that are taken in one of the slots from ... to - 1. */
static int naive_taken(const struct naive *n, int p, int from, int to)
{
    int most = 0;

    for (int t = from; t < to || t == from; t++) {
        int sum = n->late[p][t];
        for (int u = 0; u < n->w->pool[p].size; u++)
            sum += n->cell[p][t][u] != 0;
        most = sum > most ? sum : most;
    }
    return most;
}

static int naive_left(const struct naive *n, int p, int from, int to)
{
    int left = n->w->pool[p].size - naive_taken(n, p, from, to);

    return left > 0 ? left : 0;
}

/* --- what a job has ----------------------------------------------------- */

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

/* Units that it has, implied ones too. */
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
    for (int p = top + 1; p < n->w->pool[top].end; p++)
        if (n->shares[job][p])
            return true;
    return false;
}

static bool naive_knows(const struct naive *n, int job)
{
    for (int i = 0; i < n->n; i++)
        if (n->claims[i].of.job == job)
            return true;
    for (int p = 0; p < n->w->n; p++)
        if (n->shares[job][p])
            return true;
    return false;
}

/* RFC 4: every parent of what a job has. */
static bool naive_shared(const struct naive *n, int job, int p)
{
    return n->shares[job][p] || has_below(n, job, p);
}

static bool shared_by_any(const struct naive *n, int p)
{
    for (int job = 0; job < JOBS; job++)
        if (n->shares[job][p])
            return true;
    return false;
}

/*
 * A pool in which a job has something names it for that: whether it shares
 * the pool itself can't be told from it.
 */
static void settle_shares(struct naive *n)
{
    for (int job = 0; job < JOBS; job++)
        for (int p = 0; p < n->w->n; p++)
            if (n->shares[job][p]
                && (claimed_by(n, job, p) || has_below(n, job, p)))
                n->shares[job][p] = false;
}

static bool is_in_whole(const struct naive *n, int job, int p)
{
    for (p = p >= 0 && is_leaf(n->w, p) ? n->w->pool[p].parent : p; p >= 0;
         p = n->w->pool[p].parent)
        if (has_whole(n, job, p))
            return true;
    return false;
}

/* What is listed means something only in what is held whole. */
static void settle_listed(struct naive *n)
{
    for (int job = 0; job < JOBS; job++)
        for (int p = 0; p < n->w->n; p++)
            if (n->listed[job][p] && !is_in_whole(n, job, p))
                n->listed[job][p] = 0;
}

/* --- is it free? -------------------------------------------------------- */

/* Is it, or what it is in, locked? */
static bool is_locked(const struct naive *n, int p)
{
    for (; p >= 0; p = n->w->pool[p].parent)
        if (n->staged[p])
            return true;
    return false;
}

static bool is_up(const struct naive *n, int p)
{
    for (; p >= 0; p = n->w->pool[p].parent)
        if (n->state[p] != STATE_UP)
            return false;
    return true;
}

/* Is nothing in it, and no unit of it, in use? Whether it is up is not asked. */
static bool is_untouched(const struct naive *n, int top, int from, int to)
{
    for (int p = top; p < n->w->pool[top].end; p++)
        if (naive_taken(n, p, from, to) || shared_by_any(n, p)
            || n->staged[p])
            return false;
    return true;
}

static bool may_claim(const struct naive *n, int p, int units, int from,
                      int to)
{
    if (is_locked(n, p))
        return false;
    return units >= n->w->pool[p].size ? is_untouched(n, p, from, to)
                                       : naive_left(n, p, from, to) >= units;
}

/* Sharing has no time: nobody has it whole, or what it is in, whenever. */
static bool may_share(const struct naive *n, int p, int from, int to)
{
    if (is_locked(n, p) || !naive_left(n, p, from, to))
        return false;
    for (int i = 0; i < n->n; i++)
        if (claims_whole(n, &n->claims[i])
            && (n->claims[i].pool == p || is_below(n->w, p, n->claims[i].pool)))
            return false;
    return true;
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

/* --- give --------------------------------------------------------------- */

static bool same_lease(const struct lease *a, const struct lease *b)
{
    return a->job == b->job && a->owner == b->owner
           && a->reserved == b->reserved && a->start == b->start
           && a->end == b->end;
}

static void add_claim(struct naive *n, int p, int units,
                      const struct lease *of)
{
    for (int i = 0; i < n->n; i++)
        if (n->claims[i].pool == p && same_lease(&n->claims[i].of, of)) {
            n->claims[i].units += units;
            return;
        }
    if (n->n == CLAIMS_MAX)
        abort();
    n->claims[n->n++] = (struct unit_claim){*of, p, units};
}

static bool lists_part(const struct world *w, const int listed[POOLS_MAX],
                       int top)
{
    for (int p = top; p < w->pool[top].end; p++)
        if (listed[p])
            return true;
    return false;
}

/* Where all that is in a pool is listed, one by one, no list is needed. */
static void drop_full_list(const struct world *w, int listed[POOLS_MAX],
                           int top)
{
    for (int p = top + 1; p < w->pool[top].end; p++)
        if (listed[p] < w->pool[p].size)
            return;
    memset(&listed[top], 0,
           (size_t)(w->pool[top].end - top) * sizeof(listed[0]));
}

static void naive_give(struct naive *n, const struct wish *wish,
                       const struct lease *of, bool staged)
{
    for (int p = 0; p < n->w->n; p++) {
        if (wish->claim[p]) {
            add_claim(n, p, wish->claim[p], of);
            if (staged)
                n->staged[p] = of->job + 1;
        }
        if (wish->share[p])
            n->shares[of->job][p] = true;
        if (wish->listed[p] && !n->listed[of->job][p])
            n->listed[of->job][p] = wish->listed[p];
    }
    for (int p = 0; p < n->w->n; p++)
        if (wish->claim[p] >= n->w->pool[p].size
            && lists_part(n->w, wish->listed, p)
            && !is_in_whole(n, of->job, n->w->pool[p].parent))
            drop_full_list(n->w, n->listed[of->job], p);
    settle_shares(n);
}

/*
 * With what it has already, would a job have all units of a pool that others
 * share? That can't be refused where the job is not known.
 */
static bool fills_shared(const struct naive *n, int job,
                         const struct wish *wish)
{
    for (int p = 0; p < n->w->n; p++) {
        int own = claimed_by(n, job, p);
        if (own && wish->claim[p] && shared_by_any(n, p)
            && own + wish->claim[p] >= n->w->pool[p].size)
            return true;
    }
    return false;
}

/* --- take back ---------------------------------------------------------- */

static void drop_claim(struct naive *n, int i)
{
    n->n--;
    memmove(&n->claims[i], &n->claims[i + 1],
            (size_t)(n->n - i) * sizeof(n->claims[0]));
}

static void unlock(struct naive *n, int job, int p)
{
    if (n->staged[p] == job + 1 && !claimed_by(n, job, p))
        n->staged[p] = 0;
}

static void naive_release(struct naive *n, int job)
{
    for (int i = n->n - 1; i >= 0; i--)
        if (n->claims[i].of.job == job)
            drop_claim(n, i);
    for (int p = 0; p < n->w->n; p++) {
        n->shares[job][p] = false;
        n->listed[job][p] = 0;
        unlock(n, job, p);
    }
}

static bool naive_commit(struct naive *n, int job)
{
    bool found = false;

    for (int p = 0; p < n->w->n; p++)
        if (n->staged[p] == job + 1) {
            n->staged[p] = 0;
            found = true;
        }
    return found;
}

/* What is held whole is held by its parts; all of them are listed then. */
static void spread(struct naive *n, int job, int top)
{
    const struct world *w = n->w;

    for (int i = n->n - 1; i >= 0; i--) {
        struct unit_claim c = n->claims[i];
        if (c.pool != top || c.of.job != job)
            continue;
        drop_claim(n, i);
        for (int p = top + 1; p < w->pool[top].end; p = w->pool[p].end)
            add_claim(n, p, w->pool[p].size, &c.of);
    }
    for (int p = top; p < w->pool[top].end; p++) {
        n->listed[job][p] = 0;
        if (w->pool[p].parent == top && n->staged[top] == job + 1)
            n->staged[p] = job + 1;
    }
    unlock(n, job, top);
}

/* Does a start later than b; or, started with it, end later? */
static bool is_later(const struct lease *a, const struct lease *b)
{
    int ea = a->end < 0 ? SLOTS + 1 : a->end;
    int eb = b->end < 0 ? SLOTS + 1 : b->end;

    if (a->start != b->start)
        return a->start > b->start;
    if (ea != eb)
        return ea > eb;
    return a->reserved != b->reserved ? a->reserved : a->owner > b->owner;
}

static void take_back(struct naive *n, int job, int p, int units)
{
    while (units > 0) {
        int last = -1;
        for (int i = 0; i < n->n; i++)
            if (n->claims[i].pool == p && n->claims[i].of.job == job
                && (last < 0
                    || is_later(&n->claims[i].of, &n->claims[last].of)))
                last = i;
        if (last < 0)
            return;
        if (n->claims[last].units > units) {
            n->claims[last].units -= units;
            return;
        }
        units -= n->claims[last].units;
        drop_claim(n, last);
    }
}

static bool given_whole(const struct naive *n, const struct gift *gift, int p)
{
    for (; p >= 0; p = n->w->pool[p].parent)
        if (gift->units[p] >= n->w->pool[p].size)
            return true;
    return false;
}

/* RFC 4: a pool that has to be taken whole is not given back in part. */
static bool breaks_marked(const struct naive *n, const struct gift *gift)
{
    const struct world *w = n->w;

    for (int p = 0; p < w->n; p++) {
        int top = gift->units[p] ? marked_above(w, p) : NO_POOL;
        for (int q = top; top >= 0 && q < w->pool[top].end; q++)
            if (is_leaf(w, q) && !given_whole(n, gift, q))
                return true;
    }
    return false;
}

/* False: it does not have all of it, and nothing has changed. */
static bool naive_take_back(struct naive *n, int job, const struct gift *gift)
{
    for (int p = 0; p < n->w->n; p++) {
        if (gift->share[p] && n->shares[job][p])
            continue; /* what it shares; or else what it has is meant */
        if (gift->units[p] > naive_has(n, job, p))
            return false;
    }
    if (breaks_marked(n, gift))
        return false;
    for (int p = 0; p < n->w->n; p++) {
        if (gift->inner[p] && has_whole(n, job, p))
            spread(n, job, p);
        if (gift->units[p])
            take_back(n, job, p, gift->units[p]);
        if (gift->share[p])
            n->shares[job][p] = false;
        unlock(n, job, p);
    }
    settle_listed(n);
    return true;
}

/* --- time --------------------------------------------------------------- */

static bool is_over(const struct unit_claim *c, int now)
{
    return c->of.end >= 0 && c->of.end <= now;
}

/* How many jobs lost something. */
static int naive_expire(struct naive *n)
{
    bool lost[JOBS] = {false};
    int count = 0;

    for (int i = n->n - 1; i >= 0; i--)
        if (is_over(&n->claims[i], n->now)) {
            lost[n->claims[i].of.job] = true;
            drop_claim(n, i);
        }
    for (int job = 0; job < JOBS; job++) {
        bool left = false;
        count += lost[job];
        for (int i = 0; i < n->n; i++)
            left = left || n->claims[i].of.job == job;
        if (lost[job] && !left)
            naive_release(n, job);
        for (int p = 0; p < n->w->n; p++)
            unlock(n, job, p);
    }
    settle_listed(n);
    return count;
}

/* Is what another holds beyond its end needed for the time that is added? */
static bool late_in_the_way(const struct naive *before,
                            const struct naive *after, int i)
{
    const struct unit_claim *c = &after->claims[i];
    const struct world *w = after->w;
    int from = before->claims[i].of.end;
    int to = c->of.end < 0 ? SLOTS + 1 : c->of.end;
    int end = claims_whole(after, c) ? w->pool[c->pool].end : c->pool + 1;

    for (int p = c->pool; from >= 0 && p < end; p++)
        for (int t = from; t < to; t++)
            if (naive_taken(after, p, t, t) > w->pool[p].size)
                return true;
    return false;
}

/* False: somebody, or the job itself, has claimed what it would need. */
static bool naive_extend(struct naive *n, int job, int end)
{
    static struct naive copy;

    for (int i = 0; i < n->n; i++)
        if (n->claims[i].of.job == job && end >= 0
            && end <= n->claims[i].of.start)
            return false;
    copy = *n;
    for (int i = 0; i < n->n; i++)
        if (n->claims[i].of.job == job)
            copy.claims[i].of.end = end;
    if (naive_fill(&copy) != NO_POOL)
        return false;
    for (int i = 0; i < n->n; i++)
        if (n->claims[i].of.job == job && late_in_the_way(n, &copy, i))
            return false;
    *n = copy;
    return true;
}

#endif /* TEST_LEDGER_NAIVE_H */
