/* Moves of the naive ledger: allocate, release, and the passing of time. */
#ifndef TEST_LEDGER_NAIVE_MOVES_H
#define TEST_LEDGER_NAIVE_MOVES_H

#include "ledger_naive.h"

/* --- allocate ----------------------------------------------------------- */

static bool same_lease(const struct lease *a, const struct lease *b)
{
    return a->job == b->job && a->owner == b->owner
           && a->reserved == b->reserved && a->start == b->start
           && a->end == b->end;
}

static void add_claim(struct naive *n, int p, int units, const struct lease *of)
{
    for (int i = 0; i < n->n; i++)
        if (n->claims[i].pool == p && n->claims[i].units
            && same_lease(&n->claims[i].of, of)) {
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

/* A list with all contents of a pool is dropped. */
static void drop_full_list(const struct world *w, int listed[POOLS_MAX],
                           int top)
{
    for (int p = top + 1; p < w->pool[top].end; p++)
        if (listed[p] < w->pool[p].size)
            return;
    memset(&listed[top], 0,
           (size_t)(w->pool[top].end - top) * sizeof(listed[0]));
}

/* Does a job have all of a pool, or of one around it, without a list? */
static bool is_all_listed(const struct naive *n, int job, int p)
{
    for (; p >= 0; p = n->w->pool[p].parent)
        if (has_whole(n, job, p) && !lists_part(n->w, n->listed[job], p))
            return true;
    return false;
}

static void drop_claim(struct naive *n, int i);

/* Drop a job's shares of a pool for these times (NULL: any) or without an
   end. */
static void drop_shares(struct naive *n, int job, int p, const struct lease *of)
{
    for (int i = n->n - 1; i >= 0; i--)
        if (is_share_of(&n->claims[i], job, p)
            && (!of || !is_timed(&n->claims[i].of)
                || same_times(&n->claims[i].of, of)))
            drop_claim(n, i);
}

/* A job that has a part of a pool, or of its contents, shares the pool then. */
static void add_share(struct naive *n, int p, const struct lease *of)
{
    for (int i = 0; i < n->n; i++) {
        const struct unit_claim *c = &n->claims[i];
        bool own = c->pool == p && (!c->units || is_leaf(n->w, p));
        bool then = same_times(&c->of, of) || (!c->units && !is_timed(&c->of))
                    || (!is_timed(of) && (c->units || c->pool != p));
        if (c->of.job == of->job && then && (own || is_below(n->w, c->pool, p)))
            return;
    }
    if (!is_timed(of))
        drop_shares(n, of->job, p, NULL);
    if (n->n == CLAIMS_MAX)
        abort();
    n->claims[n->n++] = (struct unit_claim){*of, p, 0};
}

static void drop_claim(struct naive *n, int i)
{
    n->n--;
    memmove(&n->claims[i], &n->claims[i + 1],
            (size_t)(n->n - i) * sizeof(n->claims[0]));
}

/*
 * If a job gets all of a pool, its older parts on the same terms are included,
 * and stay listed.
 */
static void absorb(struct naive *n, const struct lease *of, int top, bool list)
{
    int *listed = n->listed[of->job];

    for (int i = n->n - 1; i >= 0; i--) {
        struct unit_claim c = n->claims[i];
        bool whole = claims_whole(n, &c);
        if (c.units ? !same_lease(&c.of, of)
                    : c.of.job != of->job
                          || (is_timed(&c.of) && !same_times(&c.of, of)))
            continue;
        if (!is_below(n->w, c.pool, top))
            continue;
        drop_claim(n, i);
        if (!c.units)
            continue;
        if (list && whole && !lists_part(n->w, listed, c.pool))
            for (int p = c.pool; p < n->w->pool[c.pool].end; p++)
                listed[p] = n->w->pool[p].size;
        else if (list && !whole && c.units > listed[c.pool])
            listed[c.pool] = c.units;
    }
}

/* May it be allocated, if the job's own parts of these pools do not count? */
static bool naive_may_grow(const struct naive *n, const struct wish *wish,
                           const struct lease *of, int from, int to)
{
    static struct naive without;

    without = *n;
    for (int p = 0; p < n->w->n; p++)
        if (wish->claim[p] >= n->w->pool[p].size)
            absorb(&without, of, p, false);
    naive_fill(&without);
    return naive_may(&without, wish, from, to);
}

/*
 * The list of a pool that a job has at several times joins the lists of all
 * times.
 */
static void give_whole(struct naive *n, const struct wish *wish,
                       const struct lease *of, int top)
{
    int *listed = n->listed[of->job];
    bool all = is_all_listed(n, of->job, top);
    bool in_whole = is_in_whole(n, of->job, n->w->pool[top].parent);
    bool wants_all = !lists_part(n->w, wish->listed, top);

    add_claim(n, top, wish->claim[top], of);
    if (is_leaf(n->w, top))
        return;
    absorb(n, of, top, !all && !wants_all);
    for (int p = top; p < n->w->pool[top].end && !all; p++)
        if (listed[p] < (wants_all ? n->w->pool[p].size : wish->listed[p]))
            listed[p] = wants_all ? n->w->pool[p].size : wish->listed[p];
    if (!all && !in_whole)
        drop_full_list(n->w, listed, top);
}

static void naive_give(struct naive *n, const struct wish *wish,
                       const struct lease *of, bool staged)
{
    for (int p = 0; p < n->w->n; p++) {
        bool below = wish->claim[p] && is_leaf(n->w, p);
        for (int q = p + 1; q < n->w->pool[p].end; q++)
            below = below
                    || ((wish->claim[q] || wish->share[q]) && !wish->claim[p]);
        if (below)
            drop_shares(n, of->job, p, of);
        if (wish->claim[p] >= n->w->pool[p].size)
            give_whole(n, wish, of, p);
        else if (wish->claim[p])
            add_claim(n, p, wish->claim[p], of);
        if (wish->claim[p] && staged)
            n->staged[p] = of->job + 1;
    }
    for (int p = n->w->n - 1; p >= 0; p--)
        if (wish->share[p])
            add_share(n, p, of);
}

/*
 * Together with its older parts, would a job have all units of a pool that
 * others share? This can't be refused if the job is not known.
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

/* --- release ------------------------------------------------------------ */

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

/* Replace a whole pool by its parts. All of them are listed then. */
static void spread(struct naive *n, int job, int top)
{
    const struct world *w = n->w;

    for (int i = n->n - 1; i >= 0; i--) {
        struct unit_claim c = n->claims[i];
        if (c.pool != top || c.of.job != job)
            continue;
        drop_claim(n, i);
        for (int p = top + 1; c.units && p < w->pool[top].end;
             p = w->pool[p].end)
            add_claim(n, p, w->pool[p].size, &c.of);
    }
    for (int p = top; p < w->pool[top].end; p++) {
        n->listed[job][p] = 0;
        if (w->pool[p].parent == top && n->staged[top] == job + 1)
            n->staged[p] = job + 1;
    }
    unlock(n, job, top);
}

/* Does a start later than b, or start with it and end later? */
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
                && n->claims[i].units
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

/* RFC 4: an exclusive pool is not released in part. */
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

static bool shares_itself(const struct naive *n, int job, int p)
{
    for (int i = 0; i < n->n; i++)
        if (is_share_of(&n->claims[i], job, p))
            return true;
    return false;
}

/* False: the job does not have all of it, and nothing has changed. */
static bool naive_take_back(struct naive *n, int job, const struct gift *gift)
{
    for (int p = 0; p < n->w->n; p++) {
        if (gift->share[p] && shares_itself(n, job, p))
            continue; /* a share; otherwise the job's units are meant */
        if (gift->units[p] > naive_has(n, job, p))
            return false;
    }
    if (breaks_marked(n, gift))
        return false;
    for (int p = 0; p < n->w->n; p++) {
        if (gift->inner[p] && n->w->pool[p].exclusive && has_whole(n, job, p)) {
            take_back(n, job, p,
                      n->w->pool[p].size); /* all of it is released */
            unlock(n, job, p);
            p = n->w->pool[p].end - 1;
            continue;
        }
        if (gift->inner[p] && has_whole(n, job, p))
            spread(n, job, p);
        if (gift->units[p])
            take_back(n, job, p, gift->units[p]);
        if (gift->share[p] && !has_below(n, job, p))
            drop_shares(n, job, p, NULL);
        unlock(n, job, p);
    }
    for (int p = n->w->n - 1; p >= 0; p--)
        if (gift->inner[p] && !has_below(n, job, p))
            drop_shares(n, job, p, NULL);
    settle_listed(n);
    return true;
}

/* --- time --------------------------------------------------------------- */

static bool is_over(const struct unit_claim *c, int now)
{
    return c->of.end >= 0 && c->of.end <= now;
}

/* Return how many jobs lost something. */
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
            left = left
                   || (n->claims[i].of.job == job
                       && (n->claims[i].units || is_timed(&n->claims[i].of)));
        if (lost[job] && !left)
            naive_release(n, job);
        for (int p = 0; p < n->w->n; p++)
            unlock(n, job, p);
    }
    settle_listed(n);
    return count;
}

/* Does the added time need units that another job holds beyond its end? */
static bool late_in_the_way(const struct naive *before,
                            const struct naive *after, int i)
{
    const struct unit_claim *c = &after->claims[i];
    const struct world *w = after->w;
    int from = before->claims[i].of.end;
    int to = c->of.end < 0 ? SLOTS + 1 : c->of.end;
    bool whole = claims_whole(after, c);
    int end = whole ? w->pool[c->pool].end : c->pool + 1;

    for (int p = c->pool; from >= 0 && p < end; p++)
        for (int t = from; t < to; t++)
            if (naive_most(after, p, t, t, true) + !c->units > w->pool[p].size
                || (whole && shared_then(before, p, t, t, true)))
                return true;
    return false;
}

/* False: a claim, also of the same job, needs the resources then. */
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

#endif /* TEST_LEDGER_NAIVE_MOVES_H */
