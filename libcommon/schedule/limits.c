/*
 * How many of an entry there can be at most, where its count is not fixed:
 * by what there is of it, and by what other goals need of that.
 */
#include <string.h>

#include "model/tree/units.h"
#include "schedule/search.h"

/* Units of a type in a scope, and in no containment. */
static uint64_t units_in(const struct search *s, const struct site *scope,
                         int ntype, bool free)
{
    const struct usage *u = s->a->u;
    uint64_t units = (uint64_t)(free ? attempt_below(s->a, scope->lot, ntype)
                                     : usage_total(u, scope->v, ntype));

    if (u->types.flags[ntype] & TYPE_LOOSE)
        for (const struct lot *lot = lot_open(s->a->u, &s->a->u->top); lot;
             lot = lot->next)
            if (lot->loose && lot->v->type == u->types.names[ntype]
                && attempt_usable(s->a, lot, 0))
                units += (uint64_t)(free ? attempt_free(s->a, lot)
                                         : lot->v->size);
    return units;
}

/* All that there is of a type, in what a request calls one. */
static uint64_t converted(const struct search *s, const struct entry *e)
{
    double bytes = 0;

    for (size_t i = 0; i < s->a->u->types.nunits; i++) {
        const struct type_unit *u = &s->a->u->types.units[i];
        if ((int)u->ntype == e->ntype)
            bytes += (double)u->total * (double)unit_bytes(u->unit);
    }
    bytes /= (double)e->bytes;
    return bytes < REQUEST_COUNT_MAX ? (uint64_t)bytes : REQUEST_COUNT_MAX;
}

bool search_counts_ids(const struct search *s, const struct entry *e)
{
    return e->req->id && !e->slot && !e->bytes && !s->a->opts->slot_parent
           && (e->ntype < 0 || !(s->a->u->types.flags[e->ntype] & TYPE_LOOSE));
}

int64_t search_units_left(struct search *s, const struct entry *e,
                          struct site *scope)
{
    const struct goal g = {.e = e, .scope = scope};
    int64_t sum = 0, n;

    for (struct site *at = search_candidate(s, &g, NULL); at;
         at = search_candidate(s, &g, at)) {
        n = e->with ? 1 : search_available(s, e, at);
        if (__builtin_add_overflow(sum, n, &sum))
            return INT64_MAX;
    }
    return sum;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t count_limit(struct search *s, const struct entry *e,
                            struct site *scope);

/* How many slots, by what each needs, for itself or shared? */
static uint64_t slot_limit(struct search *s, const struct entry *slot,
                           struct site *scope)
{
    uint64_t limit = REQUEST_COUNT_MAX;

    for (unsigned t = 0; t < s->a->u->types.count; t++) {
        uint64_t need = search_needed(s->a->u, slot->with, (int)t);
        if (need > 0)
            limit = smaller(limit, units_in(s, scope, (int)t, true) / need);
    }
    for (const struct entry *e = slot->with; e; e = e->next)
        limit = smaller(limit, count_limit(s, e, scope) / e->least);
    return limit;
}

/* By what there is in a scope. */
static uint64_t count_limit(struct search *s, const struct entry *e,
                            struct site *scope)
{
    uint64_t limit;

    if (e->slot)
        return slot_limit(s, e, scope);
    if (e->ntype < 0)
        return REQUEST_COUNT_MAX;
    limit = e->bytes ? converted(s, e)
                     : units_in(s, scope, e->ntype, e->hold != HOLD_SHARED);
    if (search_counts_ids(s, e))
        limit = smaller(limit, (uint64_t)search_units_left(s, e, scope));
    return smaller(limit, REQUEST_COUNT_MAX);
}

/* --- what others need --------------------------------------------------- */

/* Units that one of an entry needs of what another is confined to by `id`. */
static uint64_t needed_alike(const struct entry *e, const struct entry *other)
{
    uint64_t sum = e->type == other->type && e->req->id
                   && !strcmp(e->req->id, other->req->id) && !e->bytes
                   && e->hold != HOLD_SHARED;

    for (const struct entry *c = e->with; c; c = c->next) {
        uint64_t n = needed_alike(c, other);
        if (__builtin_mul_overflow(n, c->least, &n)
            || __builtin_add_overflow(sum, n, &sum))
            return UINT64_MAX;
    }
    return sum;
}

/*
 * What the goals after one need from its scope: of a type (-1: of what its
 * `id` says) at the least.
 */
static uint64_t owed(const struct search *s, const struct goal *g, int ntype)
{
    uint64_t sum = 0;

    for (const struct goal *h = g->next; h; h = h->next) {
        uint64_t left = h->counted ? (uint64_t)h->left : h->e->least, n;
        if (h->scope != g->scope || h->e->bytes)
            continue;
        n = ntype < 0 ? needed_alike(h->e, g->e)
                      : search_needed_each(s->a->u, h->e, ntype);
        if (__builtin_mul_overflow(n, left, &n)
            || __builtin_add_overflow(sum, n, &sum))
            return UINT64_MAX;
    }
    return sum;
}

/* At most so many can be had of what there is beside what is owed. */
static uint64_t beside(uint64_t have, uint64_t owed, uint64_t each)
{
    return have > owed ? (have - owed) / each : 0;
}

/* By what is left in the scope beside what the goals after it need. */
static uint64_t limit_by_others(struct search *s, const struct goal *g,
                                uint64_t limit)
{
    const struct usage *u = s->a->u;

    for (unsigned t = 0; t < u->types.count; t++) {
        uint64_t each = search_needed_each(u, g->e, (int)t);
        int64_t left = attempt_below(s->a, g->scope->lot, (int)t)
                       - site_taken(g->scope, (int)t);
        if (each == 0 || g->e->bytes || (u->types.flags[t] & TYPE_LOOSE))
            continue;
        limit = smaller(limit, beside(left > 0 ? (uint64_t)left : 0,
                                      owed(s, g, (int)t), each));
    }
    if (search_counts_ids(s, g->e))
        limit = smaller(limit,
                        beside((uint64_t)search_units_left(s, g->e, g->scope),
                               owed(s, g, -1), 1));
    return limit;
}

uint64_t search_count_limit(struct search *s, const struct goal *g,
                            bool *others)
{
    uint64_t there = count_limit(s, g->e, g->scope);
    uint64_t limit = limit_by_others(s, g, there);

    *others = limit < there;
    return limit;
}
