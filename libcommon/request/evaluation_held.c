/*
 * Who holds a pool, and when: criteria on records. A pool of which a job has
 * all units is held with all that is in it, and that has no record of its
 * own (RFC 4, Resource Allocation Records); so a look at a pool is one at
 * those above it, too.
 */
#include "request/evaluation_private.h"

#include <string.h>

/* Spans are half-open; TIME_UNSET is always, or forever. */
static bool holds_at(const struct claim *claim, double time)
{
    return (claim->start < 0 || claim->start <= time)
           && (claim->end < 0 || time < claim->end);
}

/* Does a claim satisfy a criterion, its `!=` left aside? */
static bool is_meant(const struct constraint *c, const struct claim *claim)
{
    bool start = c->about == ABOUT_START;
    double time = start ? claim->start : claim->end;

    if (start || c->about == ABOUT_END) {
        if (time < 0)
            time = start ? -__builtin_inf() : __builtin_inf();
        return in_order(c->op, (time > c->time) - (time < c->time));
    }
    if (c->about == ABOUT_ALLOCATED && claim->kind != CLAIM_ALLOCATION)
        return false;
    if (c->about == ABOUT_RESERVED && claim->kind != CLAIM_RESERVATION)
        return false;
    if (c->timed && !holds_at(claim, c->time))
        return false;
    return !c->text || !strcmp(claim->job, c->text);
}

static const struct claim *claims_of(const struct vertex *v)
{
    return v->records ? v->records->claims : NULL;
}

/* Does the job of a claim hold all of a pool by claims of its kind? */
static bool is_whole(const struct constraint *c, const struct vertex *v,
                     const struct claim *claim)
{
    int64_t sum = 0;

    if (claim->size >= v->size)
        return true;
    for (const struct claim *o = claims_of(v); o && sum < v->size; o = o->next)
        if (o->kind == claim->kind && !strcmp(o->job, claim->job)
            && is_meant(c, o))
            sum += o->size < v->size - sum ? o->size : v->size - sum;
    return sum >= v->size;
}

/* Is any claim on v meant; with `whole`, one that is for all of it? */
static bool is_claimed(const struct constraint *c, const struct vertex *v,
                       bool whole)
{
    for (const struct claim *o = claims_of(v); o; o = o->next)
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

    (void)ev;
    return time ? is_held(c, m->v) : verdict(c, is_held(c, m->v));
}

HOLDS(holds_shared)
{
    const struct records *r = m->v->records;
    const struct joblist *jobs = r ? r->shared : NULL;

    (void)ev;
    return verdict(a->c,
                   a->c->text ? joblist_has(jobs, a->c->text) : jobs != NULL);
}

static bool is_staged(const struct constraint *c, const struct vertex *v)
{
    const char *job = v->records ? v->records->staged : NULL;

    return job && (!c->text || !strcmp(job, c->text));
}

HOLDS(holds_staged)
{
    const struct vertex *v = m->v;

    (void)ev;
    while (v && !is_staged(a->c, v))
        v = v->parent;
    return verdict(a->c, v);
}

/*
 * What is above a pool has the jobs that hold the pool in its `shared`, and
 * that knows no times: at a time only pools with nothing in them tell by it.
 */
static bool is_busy(const struct constraint *c, const struct vertex *v)
{
    if (!v->records)
        return false;
    return v->records->staged || is_claimed(c, v, false)
           || (v->records->shared && !(c->timed && v->child));
}

HOLDS(holds_free)
{
    const struct vertex *v = m->v;

    (void)ev;
    for (const struct vertex *o = v; o; o = vertex_next(v, o, false))
        if (is_busy(a->c, o))
            return false;
    for (v = v->parent; v; v = v->parent)
        if (v->records && (v->records->staged || is_claimed(a->c, v, true)))
            return false;
    return true;
}
