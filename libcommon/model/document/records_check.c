/*
 * Checks the records of a graph against each other (RFC 4, Resource Allocation
 * Records; RFC 16, Resource Allocation Data and Rules). No unit may be held
 * twice at any moment; no record may be in a pool that is held whole; and a job
 * must be in the `shared` lists above the pools that it holds.
 *
 * Each pool with records knows the nearest pool above that a job holds whole.
 * So a record is compared only with these pools, and each job climbs to the
 * root once. Rules that only warn are checked only when validating.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/document/graph.h"
#include "model/document/holds.h"
#include "model/records/jobs.h"
#include "model/records/lots.h"

/* A vertex that has records. */
struct checked_pool {
    const struct vertex *v;
    struct hold *whole; /* holds of the whole pool, by start; NULL in a leaf */
    size_t nwhole;
    struct checked_pool *above; /* nearest pool above that a job holds whole */
    bool placed;                /* it is in the tree, and not too deep */
};

struct check {
    struct graph *g;
    struct checked_pool *pools;
    size_t n;
    uint32_t *numbers;  /* number of a pool, from 1, by vertex index */
    struct hold *holds; /* of the current pool */
    size_t nholds;
    struct arena arena;
    struct map shared; /* flags by vertex and job */
};

/* Flags of a job in the `shared` list of a pool. */
enum { LISTED = 1, SEEN = 2, EXCUSED = 4 };

static size_t *shared_at(struct check *c, const struct vertex *v,
                         const char *job)
{
    struct {
        const struct vertex *v;
        const char *job;
    } key = {v, job};

    return &map_at(&c->shared, &key, sizeof(key))->value.number;
}

static struct checked_pool *pool_of(const struct check *c,
                                    const struct vertex *v)
{
    uint32_t number = c->numbers[v->index];

    return number ? &c->pools[number - 1] : NULL;
}

static bool has_whole(const struct checked_pool *p)
{
    return p && p->nwhole > 0;
}

/* --- gathering ----------------------------------------------------------- */

static void gather_pool_holds(struct check *c, const struct checked_pool *p)
{
    c->nholds = 0;
    for (const struct grant *one = p->v->lot->grants; one; one = one->beside) {
        const struct hold hold = {one->term->job->name, one->units, one->term,
                                  c->nholds};
        if (one->term->kind == GRANT_CLAIM)
            VECTOR_ADD(c->holds, c->nholds, hold);
    }
}

/* Gather the claims of a whole pool, sorted by their starts. Returns their
   number. */
static size_t gather_whole(struct check *c, const struct checked_pool *p)
{
    size_t n = 0;

    gather_pool_holds(c, p);
    for (size_t i = 0; i < c->nholds; i++)
        if (c->holds[i].size >= p->v->size)
            c->holds[n++] = c->holds[i];
    holds_sort(c->holds, n);
    return n;
}

/* List all pools with grants, then find for each the nearest pool above that is
   held whole. */
static void gather_all(struct check *c)
{
    const struct rset *rs = c->g->r->rs;

    for (size_t i = 0; i < rs->nvertices; i++) {
        const struct vertex *v = rs->vertices[i];
        struct checked_pool *p;
        if (!v->lot || !v->lot->grants)
            continue;
        if (!c->numbers)
            c->numbers = xcalloc(c->g->ids.count, sizeof(*c->numbers));
        VECTOR_ADD(c->pools, c->n, (struct checked_pool){.v = v});
        p = &c->pools[c->n - 1];
        p->nwhole = gather_whole(c, p);
        if (p->nwhole > 0 && v->child) /* for a leaf only their number counts */
            p->whole = memcpy(
                arena_alloc(&c->arena, p->nwhole * sizeof(*p->whole)), c->holds,
                p->nwhole * sizeof(*p->whole));
        c->numbers[v->index] = (uint32_t)c->n;
    }
    for (size_t i = 0; i < c->n; i++) {
        struct checked_pool *p = &c->pools[i];
        const struct vertex *up = p->v->parent;
        int depth = 1;
        if (!c->g->outers[p->v->index].met)
            continue;
        for (; up && ++depth <= DEPTH_MAX; up = up->parent)
            if (!p->above && has_whole(pool_of(c, up)))
                p->above = pool_of(c, up);
        p->placed = !up;
    }
}

/* --- one pool ------------------------------------------------------------ */

static void check_pool(struct check *c, const struct checked_pool *p)
{
    const struct job *staged = lot_staged(p->v->lot);
    struct excess when;
    bool stale = staged && !c->g->outers[p->v->index].doubtful;
    const char *how;
    char moment[48];

    gather_pool_holds(c, p);
    when = holds_excess(c->holds, c->nholds, p->v->size);
    how = when.reserved ? "allocated or reserved" : "allocated";
    if (when.hold)
        graph_fault(c->g, p->v,
                    when.reserved ? RULE_OVERRESERVED : RULE_OVERSUBSCRIBED,
                    claim_keys[when.hold->term->reserved],
                    "%llu units of %lld are %s%s, with job %.60s",
                    (unsigned long long)when.units, (long long)p->v->size, how,
                    hold_moment(when.hold, moment), when.hold->job);
    if (!reader_reports(c->g->r, FAULT_WARNED))
        return;

    for (const struct grant *g = p->v->lot->grants; g; g = g->beside) {
        if (g->term->kind == GRANT_SHARE)
            *shared_at(c, p->v, g->term->job->name) |= LISTED;
        stale = stale
                && (g->term->kind != GRANT_CLAIM || g->term->job != staged);
    }

    for (size_t i = 0; i < c->nholds && vertex_taken_whole(p->v); i++) {
        const struct hold *hold = &c->holds[i];
        if (hold->size < p->v->size)
            graph_fault(c->g, p->v, RULE_EXCLUSIVE_PARTIAL,
                        claim_keys[hold->term->reserved],
                        "job %.60s holds %lld units of %lld of an exclusive "
                        "pool",
                        hold->job, (long long)hold->size,
                        (long long)p->v->size);
    }

    /* a lock ends with commit or abort, or with the resources that it locks */
    if (stale)
        graph_fault(c->g, p->v, RULE_STALE_LOCK, "staged",
                    "%s is locked for job %.60s, which holds none of it",
                    vertex_quote(c->g, p->v).text, staged->name);
}

/* --- pools above each other ---------------------------------------------- */

/* Report a claim or a share of a pool that lies in a pool held whole at that
   time. */
static void check_above(struct check *c, const struct checked_pool *p,
                        const struct term *t)
{
    const char *job = t->job->name;
    bool share = t->kind == GRANT_SHARE, reported = false;

    for (const struct checked_pool *up = p->above; up; up = up->above) {
        const struct hold *whole = holds_meeting(up->whole, up->nwhole, t);
        if (!whole && reader_reports(c->g->r, FAULT_WARNED))
            *shared_at(c, up->v, job) |= EXCUSED;
        if (!whole || reported || (share && whole->job == job))
            continue;
        graph_fault(c->g, p->v,
                    share               ? RULE_EXCLUSIVE_SHARED
                    : whole->job == job ? RULE_IMPLIED
                                        : RULE_BELOW_EXCLUSIVE,
                    share ? "shared" : claim_keys[t->reserved],
                    "job %.60s: %s above it is held whole by job %.60s", job,
                    vertex_quote(c->g, up->v).text, whole->job);
        reported = true;
    }
}

/* Check that the job is in the `shared` lists of all pools above (RFC 4). */
static void check_annotations(struct check *c, const struct checked_pool *p,
                              const char *job)
{
    for (const struct vertex *up = p->v->parent; up; up = up->parent) {
        size_t *known = shared_at(c, up, job);
        if (*known & SEEN)
            return; /* and so in all lists above */
        if (!(*known & LISTED) && !has_whole(pool_of(c, up)))
            graph_fault(c->g, up, RULE_SHARED_MISSING, "shared",
                        "job %.60s is missing: it holds resources in %s", job,
                        vertex_quote(c->g, p->v).text);
        *known |= SEEN;
    }
}

static void check_place(struct check *c, const struct checked_pool *p)
{
    bool warn = reader_reports(c->g->r, FAULT_WARNED);
    const struct grant *first = p->v->lot->grants;

    if (!p->placed) /* its depth is a fault already */
        return;
    if (!warn && !p->above)
        return;

    /* below a share without times the job has other records */
    for (const struct grant *g = warn ? first : NULL; g; g = g->beside)
        if (g->term->kind == GRANT_SHARE
            && (!p->v->child || term_has_times(g->term)))
            check_above(c, p, g->term);
    for (const struct grant *g = first; g; g = g->beside) {
        if (g->term->kind != GRANT_CLAIM)
            continue;
        check_above(c, p, g->term);
        if (warn && !g->term->reserved)
            check_annotations(c, p, g->term->job->name);
    }
}

/* Return whether a job holds the whole pool while it is shared. */
static bool is_whole_then(struct check *c, const struct checked_pool *p,
                          const struct grant *share)
{
    if (!has_whole(p))
        return false;
    if (!term_has_times(share->term))
        return !(*shared_at(c, p->v, share->term->job->name) & EXCUSED);
    if (p->v->child)
        return holds_meeting(p->whole, p->nwhole, share->term);
    return holds_meeting(c->holds, gather_whole(c, p), share->term);
}

/* Report a share of a pool that is held whole at that time, or that is
   exclusive. */
static void check_shared(struct check *c, const struct checked_pool *p)
{
    const struct grant *j = p->v->lot->grants;
    bool flag = vertex_taken_whole(p->v);

    for (; j && (flag || has_whole(p)); j = j->beside) {
        if (j->term->kind != GRANT_SHARE)
            continue;
        if (is_whole_then(c, p, j))
            graph_fault(c->g, p->v, RULE_EXCLUSIVE_SHARED, "shared",
                        "%s is held whole, and shared by job %.60s",
                        vertex_quote(c->g, p->v).text, j->term->job->name);
        else if (flag)
            graph_fault(c->g, p->v, RULE_EXCLUSIVE_PARTIAL, "shared",
                        "%s is exclusive, and job %.60s has only a part of it",
                        vertex_quote(c->g, p->v).text, j->term->job->name);
    }
}

void records_compare(struct graph *g)
{
    struct check c = {.g = g};

    gather_all(&c);
    for (size_t i = 0; i < c.n && !g->r->ended; i++)
        check_pool(&c, &c.pools[i]);
    for (size_t i = 0; i < c.n && !g->r->ended; i++)
        check_place(&c, &c.pools[i]);
    for (size_t i = 0; i < c.n && reader_reports(g->r, FAULT_WARNED); i++)
        check_shared(&c, &c.pools[i]);
    map_fini(&c.shared);
    free(c.pools);
    free(c.numbers);
    free(c.holds);
    arena_fini(&c.arena);
}
