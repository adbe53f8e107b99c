/*
 * Who holds a pool, and when: criteria on records. A pool of which a job has
 * all units is held with all that is in it, and that has no record of its
 * own (RFC 4, Resource Allocation Records); so a look at a pool is one at
 * those above it, too.
 */
#include "request/evaluation_private.h"

#include <string.h>

#include "model/records/jobs.h"

/* Spans are half-open; TIME_UNSET is always, or forever. */
static bool holds_at(const struct term *t, double time)
{
    return (t->start < 0 || t->start <= time) && (t->end < 0 || time < t->end);
}

/* Does a claim satisfy a criterion, its `!=` left aside? */
static bool is_meant(const struct constraint *c, const struct grant *claim)
{
    bool start = c->about == ABOUT_START;
    double time;

    if (claim->term->kind != GRANT_CLAIM)
        return false;
    time = start ? claim->term->start : claim->term->end;
    if (start || c->about == ABOUT_END) {
        if (time < 0)
            time = start ? -__builtin_inf() : __builtin_inf();
        return in_order(c->op, (time > c->time) - (time < c->time));
    }
    if (c->about == ABOUT_ALLOCATED && !c->timed
        && term_is_ahead(claim->term, c->now))
        return false;
    if (c->about == ABOUT_RESERVED && !term_is_ahead(claim->term, c->now))
        return false;
    if (c->timed && !holds_at(claim->term, c->time))
        return false;
    return !c->text || !strcmp(claim->term->job->name, c->text);
}

static const struct grant *grants_of(const struct vertex *v)
{
    return v->lot ? v->lot->grants : NULL;
}

/* Does the job of a claim hold all of a pool by claims of its kind? */
static bool is_whole(const struct constraint *c, const struct vertex *v,
                     const struct grant *claim)
{
    int64_t sum = 0;

    if (claim->units >= v->size)
        return true;
    for (const struct grant *o = grants_of(v); o && sum < v->size;
         o = o->beside)
        if (o->term->job == claim->term->job && is_meant(c, o)
            && term_is_ahead(o->term, c->now)
                   == term_is_ahead(claim->term, c->now))
            sum += o->units < v->size - sum ? o->units : v->size - sum;
    return sum >= v->size;
}

/* Is any claim on v meant; with `whole`, one that is for all of it? */
static bool is_claimed(const struct constraint *c, const struct vertex *v,
                       bool whole)
{
    for (const struct grant *o = grants_of(v); o; o = o->beside)
        if (is_meant(c, o) && (!whole || is_whole(c, v, o)))
            return true;
    return false;
}

static bool is_held(const struct constraint *c, const struct vertex *v)
{
    bool held = is_claimed(c, v, false);

    for (v = v->parent; v && !held; v = v->parent)
        held = is_claimed(c, v, true);
    return held;
}

/* Of a time `!=` asks for another time, of a job for its absence. */
HOLDS(holds_claim)
{
    const struct constraint *c = a->c;
    bool time = c->about == ABOUT_START || c->about == ABOUT_END;

    return time ? is_held(c, m->v) : verdict(c, is_held(c, m->v));
}

HOLDS(holds_shared)
{
    struct job **list = NULL;
    size_t n = m->v->lot ? lot_sharers(ev->rs->usage, m->v->lot, &list) : 0;
    size_t i = 0;

    while (a->c->text && i < n && strcmp(list[i]->name, a->c->text) != 0)
        i++;
    return verdict(a->c, i < n);
}

static bool is_staged(const struct constraint *c, const struct vertex *v)
{
    const struct job *job = v->lot ? lot_staged(v->lot) : NULL;

    return job && (!c->text || !strcmp(job->name, c->text));
}

HOLDS(holds_staged)
{
    const struct vertex *v = m->v;

    while (v && !is_staged(a->c, v))
        v = v->parent;
    return verdict(a->c, v);
}

/* Is it staged or claimed, or shared, which knows no times? */
static bool is_busy(const struct constraint *c, const struct vertex *v)
{
    for (const struct grant *g = grants_of(v); g; g = g->beside)
        if (g->term->kind == GRANT_STAGED || is_meant(c, g)
            || g->term->kind == GRANT_SHARE)
            return true;
    return false;
}

HOLDS(holds_free)
{
    const struct vertex *v = m->v;

    for (const struct vertex *o = v; o; o = vertex_next(v, o, false))
        if (is_busy(a->c, o))
            return false;
    for (v = v->parent; v; v = v->parent)
        if (v->lot && (lot_staged(v->lot) || is_claimed(a->c, v, true)))
            return false;
    return true;
}
