/*
 * Usage from vertices: what the lots say that vertices know, of whatever set,
 * is said again of a tree of pools that has changed, or was just read.
 */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "model/records/jobs.h"
#include "model/records/usage_private.h"

struct lots usage_lots(struct usage *u, const struct vertex *v)
{
    struct lots up = {0}, lots = {0};
    uint32_t last = v->run ? idset_last(v->run) : 0;

    if (v->parent)
        up = usage_lots(u, v->parent);
    else
        lots_add(&up, &u->top);
    for (size_t i = 0; i < up.n; i++)
        for (uint32_t at = v->run ? idset_first(v->run) : 0;;) {
            struct lot *lot = lot_find(u, up.list[i], v, at);
            lots_add(&lots, lot);
            if (lot->at + lot->n > last)
                break;
            at = idset_next(v->run, lot->at + lot->n - 1);
        }
    free(up.list);
    return lots;
}

void grant_import(struct usage *u, struct lot *lot, const struct grant *g)
{
    struct job *job = job_get(u, g->term->job->name);

    grant_add(u, job, lot, g->term->kind, job_term(job, g->term), g->units);
}

static struct grant *last_claim_on(const struct lot *lot)
{
    struct grant *last = NULL;

    for (struct grant *g = lot->grants; g; g = g->beside)
        if (g->term->kind == GRANT_CLAIM)
            last = g;
    return last;
}

/*
 * Of a pool that became smaller nobody has more than there is: who came last
 * loses first.
 */
static void trim_claims(struct usage *u, struct lot *lot)
{
    const struct period ever = {.to = INFINITY};
    int64_t excess;

    while ((excess = lot_claimed(lot, &ever, NULL) - lot->v->size) > 0) {
        struct grant *g = last_claim_on(lot);
        char *place = lot_place(u, lot, NULL);
        excess = excess < g->units ? excess : g->units;
        rset_note(u->rs, "%s: of what job %s has there, %lld units are gone",
                  place, g->term->job->name, (long long)excess);
        free(place);
        if (excess < g->units)
            grant_grow(u, g, -excess);
        else
            grant_destroy(u, g);
    }
}

static void gather_lot(struct usage *u, struct lot *lot, const struct lot *from)
{
    if (from->state != STATE_UP)
        lot_set_state(u, lot, from->state);
    for (const struct grant *g = from->grants; g; g = g->beside)
        grant_import(u, lot, g);
    trim_claims(u, lot);
}

void lot_climb(const struct usage *u, struct lot *lot)
{
    for (lot = lot->parent; lot && lot->seen != u->walks; lot = lot->parent)
        lot->seen = u->walks;
}

/* Who has something below a pool shares it: that is nothing to be said. */
static void drop_implied_shares(struct usage *u, struct job *job)
{
    struct grant *first = job->nshared ? job->grants : NULL;

    usage_walk(u);
    for (const struct grant *g = first; g; g = g->next)
        if (g->term->kind == GRANT_CLAIM || g->term->kind == GRANT_SHARE)
            lot_climb(u, g->lot);
    for (struct grant *g = first, *next; g; g = next) {
        next = g->next;
        if (g->term->kind == GRANT_SHARE && g->lot->seen == u->walks)
            grant_destroy(u, g);
    }
    job_end_if_empty(u, job);
}

void usage_drop_implied(struct usage *u)
{
    for (struct job *job = u->jobs_first, *next; job; job = next) {
        next = job->next;
        drop_implied_shares(u, job);
    }
}

static bool is_any_used(const struct rset *rs)
{
    for (const struct vertex *v = rset_first(rs); v; v = rset_next(rs, v))
        if (vertex_is_used(v))
            return true;
    return false;
}

static struct usage *gather(struct rset *rs)
{
    struct usage *u = usage_create(rs);

    for (struct job *job = rs->usage ? rs->usage->jobs_first : NULL; job;
         job = job->next)
        job_get(u, job->name); /* in their order */
    for (struct vertex *v = rset_first(rs); v; v = rset_next(rs, v)) {
        struct lots lots = {0};
        if (vertex_is_used(v))
            lots = usage_lots(u, v);
        for (size_t i = 0; i < lots.n; i++)
            gather_lot(u, lots.list[i], v->lot);
        free(lots.list);
    }
    usage_drop_implied(u);
    return u;
}

void usage_gather(struct rset *rs)
{
    struct usage *u;

    rs->numbers = 0; /* there may be vertices without one */
    u = is_any_used(rs) ? gather(rs) : NULL;
    usage_destroy(rs->usage);
    rs->usage = u;
    for (size_t i = 0; i < rs->nvertices; i++)
        rs->vertices[i]->lot = NULL;
}
