/*
 * Validation of the records of a graph against each other (RFC 4, Resource
 * Allocation Records; RFC 16, Resource Allocation Data and Rules): no unit is
 * held twice at any moment, nothing is recorded in what is held whole, and
 * who holds something is known above it.
 *
 * Every vertex knows the nearest one above that a job holds whole, so that a
 * record meets only those, and climbs to the root once for each job.
 */
#include <stdlib.h>

#include "model/validate_private.h"

/* What is known of a job in the `shared` list of a pool. */
enum { LISTED = 1, SEEN = 2, EXCUSED = 4 };

struct ledger {
    struct graph *g;
    struct map shared; /* from pool and job to the above */
};

static size_t *shared_at(struct ledger *l, const struct pool *p,
                         const char *job)
{
    struct {
        const struct pool *pool;
        const char *job;
    } key = {p, job};
    struct map_slot *slot = map_at(&l->shared, &key, sizeof(key));

    if (!slot)
        l->g->c->failed = true;
    return slot ? &slot->value.number : NULL;
}

static void note_shared(struct ledger *l, const struct pool *p)
{
    for (size_t i = 0; i < p->records->nshared; i++) {
        size_t *known = shared_at(l, p, p->records->shared[i]);
        if (known)
            *known |= LISTED;
    }
}

static bool fills(const struct pool *p, const struct hold *hold)
{
    return hold->size >= p->size;
}

static void note_whole(struct pool *p)
{
    struct pool_records *r = p->records;

    for (size_t i = 0; i < r->nholds; i++)
        if (fills(p, &r->holds[i]))
            r->whole[r->nwhole++] = r->holds[i];
    holds_sort(r->whole, r->nwhole);
}

static bool is_whole(const struct pool *p)
{
    return p->records && p->records->nwhole > 0;
}

/* --- one pool ----------------------------------------------------------- */

/* Allocations to the front; returns how many there are. */
static size_t allocations_first(struct pool_records *r)
{
    size_t n = 0;

    for (size_t i = 0; i < r->nholds; i++) {
        struct hold hold = r->holds[i];
        if (hold.kind != CLAIM_ALLOCATION)
            continue;
        r->holds[i] = r->holds[n];
        r->holds[n++] = hold;
    }
    return n;
}

static bool tell_excess(struct graph *g, const struct pool *p, size_t n,
                        enum rule rule, const char *what)
{
    struct pool_records *r = p->records;
    struct excess when;
    char moment[48];

    if (holds_excess(r->holds, n, p->size, &when) < 0) {
        g->c->failed = true;
        return true;
    }
    if (!when.hold)
        return false;
    pool_fault(g, p, rule, claim_keys[when.hold->kind],
               "%llu units of %lld are %s%s, with job %.60s",
               (unsigned long long)when.units, (long long)p->size, what,
               hold_moment(when.hold, moment), when.hold->job);
    return true;
}

static void check_units(struct graph *g, const struct pool *p)
{
    size_t n = allocations_first(p->records);

    if (!tell_excess(g, p, n, RULE_OVERSUBSCRIBED, "allocated"))
        tell_excess(g, p, p->records->nholds, RULE_OVERRESERVED,
                    "allocated or reserved");
}

/*
 * Is it taken whole or not at all (RFC 4, Exclusive flag)? In a job's R the
 * flag stands on all that is in what the job holds whole, and binds nobody:
 * see vertex_taken_whole().
 */
static bool taken_whole(const struct pool *p)
{
    if (!p->exclusive)
        return false;
    if (!p->child)
        return p->size > 1 && !(p->parent && p->parent->exclusive);
    for (const struct pool *c = p->child; c; c = c->next)
        if (!c->exclusive)
            return true;
    return false;
}

static void check_flag(struct graph *g, const struct pool *p)
{
    const struct hold *hold;

    if (!taken_whole(p))
        return;
    for (size_t i = 0; i < p->records->nholds; i++) {
        hold = &p->records->holds[i];
        if (!fills(p, hold))
            pool_fault(g, p, RULE_EXCLUSIVE_PARTIAL, claim_keys[hold->kind],
                       "job %.60s holds %lld units of %lld of an exclusive "
                       "pool",
                       hold->job, (long long)hold->size, (long long)p->size);
    }
}

/* A lock goes when it is committed or aborted, or with what it locks. */
static void check_staged(struct graph *g, const struct pool *p)
{
    const struct pool_records *r = p->records;

    if (!r->staged || r->faulty)
        return;
    for (size_t i = 0; i < r->nholds; i++)
        if (r->holds[i].job == r->staged)
            return;
    pool_fault(g, p, RULE_STALE_LOCK, "staged",
               "%s is locked for job %.60s, which has nothing of it",
               pool_quote(p).text, r->staged);
}

/* --- pools above each other --------------------------------------------- */

static void check_above(struct ledger *l, const struct pool *p,
                        const struct hold *hold)
{
    const struct hold *whole;
    bool told = false;
    size_t *known;

    for (const struct pool *up = p->above; up; up = up->above) {
        whole = holds_meeting(up->records->whole, up->records->nwhole, hold);
        if (!whole && (known = shared_at(l, up, hold->job)))
            *known |= EXCUSED;
        if (!whole || told)
            continue;
        pool_fault(l->g, p,
                   whole->job == hold->job ? RULE_IMPLIED
                                           : RULE_BELOW_EXCLUSIVE,
                   claim_keys[hold->kind],
                   "job %.60s: %s above it is held whole by job %.60s",
                   hold->job, pool_quote(up).text, whole->job);
        told = true;
    }
}

/*
 * What is shared has no times, so that nobody else may ever hold all of what
 * it is in. Where there is more below, jobs are listed that have something of
 * that, which is met there.
 */
static void check_sharers(struct graph *g, const struct pool *p)
{
    const struct pool_records *r = p->records;

    for (size_t i = 0; !p->child && i < r->nshared; i++)
        for (const struct pool *up = p->above; up; up = up->above) {
            const struct hold *whole = &up->records->whole[0];
            if (whole->job == r->shared[i])
                continue;
            pool_fault(g, p, RULE_EXCLUSIVE_SHARED, "shared",
                       "job %.60s: %s above it is held whole by job %.60s",
                       r->shared[i], pool_quote(up).text, whole->job);
            break;
        }
}

/* The job must be in the `shared` list of all that is above (RFC 4). */
static void check_annotations(struct ledger *l, const struct pool *p,
                              const struct hold *hold)
{
    for (const struct pool *up = p->parent; up; up = up->parent) {
        size_t *known = shared_at(l, up, hold->job);
        if (!known || *known & SEEN)
            return; /* and so it is in all above */
        if (!(*known & LISTED) && !is_whole(up))
            pool_fault(l->g, up, RULE_SHARED_MISSING, "shared",
                       "job %.60s is missing, which holds something in %s",
                       hold->job, pool_quote(p).text);
        *known |= SEEN;
    }
}

/*
 * What is held whole is not shared, unless at another time; what must be held
 * whole never is.
 */
static void check_shared(struct ledger *l, const struct pool *p)
{
    const struct pool_records *r = p->records;
    bool flag = taken_whole(p);

    for (size_t i = 0; (flag || is_whole(p)) && i < r->nshared; i++) {
        const size_t *known = shared_at(l, p, r->shared[i]);
        if (!known)
            return;
        if (is_whole(p) && !(*known & EXCUSED))
            pool_fault(l->g, p, RULE_EXCLUSIVE_SHARED, "shared",
                       "%s is held whole, and shared by job %.60s",
                       pool_quote(p).text, r->shared[i]);
        else if (flag)
            pool_fault(l->g, p, RULE_EXCLUSIVE_PARTIAL, "shared",
                       "%s is exclusive, and job %.60s has only a part of it",
                       pool_quote(p).text, r->shared[i]);
    }
}

static void check_tree_of(struct ledger *l)
{
    struct graph *g = l->g;

    for (size_t i = 0; i < g->norder; i++) {
        struct pool *p = g->order[i], *up = p->parent;
        if (up)
            p->above = is_whole(up) ? up : up->above;
    }
    for (size_t i = 0; i < g->norder && !g->c->failed; i++) {
        const struct pool *p = g->order[i];
        if (!p->records || p->depth > DEPTH_MAX)
            continue; /* too deep is told, and would cost too much */
        check_sharers(g, p);
        for (size_t j = 0; j < p->records->nholds; j++) {
            const struct hold *hold = &p->records->holds[j];
            check_above(l, p, hold);
            if (hold->kind == CLAIM_ALLOCATION)
                check_annotations(l, p, hold);
        }
    }
}

static void check_pools(struct ledger *l)
{
    for (size_t i = 0; i < l->g->n && !l->g->c->failed; i++) {
        struct pool *p = &l->g->list[i];
        if (!p->records)
            continue;
        note_shared(l, p);
        note_whole(p);
        check_units(l->g, p);
        check_flag(l->g, p);
        check_staged(l->g, p);
    }
}

void check_records(struct graph *g)
{
    struct ledger l = {.g = g};

    check_pools(&l);
    check_tree_of(&l);
    for (size_t i = 0; i < g->n && !g->c->failed; i++)
        if (g->list[i].records)
            check_shared(&l, &g->list[i]);
    map_fini(&l.shared);
}
