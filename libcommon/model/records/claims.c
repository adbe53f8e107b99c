/*
 * How much of a pool is claimed, and when.
 */
#include <math.h>
#include <string.h>

#include <stdlib.h>

#include "model/tree/rset.h"

int64_t records_claimed_by(const struct records *rec, const char *job)
{
    int64_t sum = 0;

    if (rec)
        for (const struct claim *c = rec->claims; c; c = c->next)
            if ((c->job == job || !strcmp(c->job, job))
                && __builtin_add_overflow(sum, c->size, &sum))
                return INT64_MAX;
    return sum;
}

static bool same_name(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

bool claim_same_terms(const struct claim *a, const struct claim *b)
{
    return same_name(a->job, b->job) && same_name(a->owner, b->owner)
           && a->kind == b->kind && a->start == b->start && a->end == b->end;
}

static double claim_end(const struct claim *c, const struct period *p)
{
    if (c->end < 0 || c->end <= p->now)
        return INFINITY; /* what has ended is held until it is released */
    return c->end;
}

bool claim_during(const struct claim *c, const struct period *p)
{
    return (c->start < p->to || c->start <= p->from)
           && p->from < claim_end(c, p);
}

/*
 * The most that is claimed at a time is claimed at the beginning, or where
 * some claim starts.
 */
int64_t records_claimed(const struct records *rec, const struct period *p)
{
    int64_t most = 0;

    for (const struct claim *at = rec ? rec->claims : NULL; at; at = at->next) {
        double moment = at->start > p->from ? at->start : p->from;
        const struct period then = {p->now, moment, moment};
        int64_t sum = 0;
        if (!claim_during(at, p))
            continue;
        for (const struct claim *c = rec->claims; c; c = c->next)
            if (claim_during(c, &then)
                && __builtin_add_overflow(sum, c->size, &sum))
                return INT64_MAX;
        most = sum > most ? sum : most;
    }
    return most;
}

static int64_t claimed_ever(const struct records *rec)
{
    int64_t sum = 0;

    for (const struct claim *c = rec ? rec->claims : NULL; c; c = c->next)
        if (__builtin_add_overflow(sum, c->size, &sum))
            return INT64_MAX;
    return sum;
}

/* Do both claims hold at some moment? Spans are half-open. */
static bool claims_overlap(const struct claim *a, const struct claim *b)
{
    return (a->end < 0 || b->start < a->end)
           && (b->end < 0 || a->start < b->end);
}

/*
 * The most that is claimed at a time is claimed at the start of some claim:
 * what holds then overlaps with it and started no later.
 */
int records_check(const struct records *rec, int64_t size, struct diag *d)
{
    const struct claim *list = rec ? rec->claims : NULL;

    if (claimed_ever(rec) <= size && size < INT64_MAX)
        return 0; /* even if all were at the same time */
    for (const struct claim *c = list; c; c = c->next) {
        const struct claim *other = c;
        bool more = false; /* than can be counted */
        int64_t sum = 0;
        for (const struct claim *o = list; o; o = o->next) {
            if (o->start > c->start || !claims_overlap(o, c))
                continue;
            if (__builtin_add_overflow(sum, o->size, &sum)) {
                sum = INT64_MAX;
                more = true;
            }
            if (o != c)
                other = o;
        }
        if (sum > size || more)
            return diag_set(d,
                            "%lld units are claimed where there %s %lld, by "
                            "jobs %s and %s",
                            (long long)sum, size == 1 ? "is" : "are",
                            (long long)size, c->job, other->job);
    }
    return 0;
}
