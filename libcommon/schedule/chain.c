/*
 * Requests whose parts never compete for a pool: a chain of entries, with
 * several leaves of different types side by side at its end. There, taking
 * the first that fits is right, and nothing is ever given up.
 *
 * A run of equal targets is looked at once: what one member can give, all
 * can, so a million equal ranks are matched at the cost of one.
 */
#include <stdlib.h>

#include "base/saturate.h"
#include "schedule/match_private.h"

/* A list of picks that are made, in order. */
struct picks {
    struct pick *first, *last;
    uint32_t end; /* the last member of the last one */
};

static void picks_add(struct picks *list, struct pick *p)
{
    if (list->last)
        list->last->next = p;
    else
        list->first = p;
    list->last = p;
}

/* A pick of the member of a lot. */
static struct pick *member_pick(struct attempt *a, const struct lot *lot,
                                uint32_t at)
{
    struct pick *p = selection_pick(a->sel, lot->v);

    p->first = at;
    return p;
}

/* --- filling ------------------------------------------------------------ */

static int64_t fill_list(struct attempt *a, const struct entry *list,
                         struct lot *lot, int64_t times, struct picks *out);
static int64_t fill(struct attempt *a, const struct entry *e, struct lot *lot,
                    int64_t want, struct picks *out);

/* Units of a pool for an entry that ends at it; `p` is told how. */
static int64_t take_leaf(struct attempt *a, const struct entry *e,
                         struct lot *lot, int64_t want, struct pick *p)
{
    const struct vertex *v = lot->v;
    int64_t units;

    if (e->hold == HOLD_SHARED && !vertex_taken_whole(v)) {
        p->shared = true;
        p->amount = v->size;
        return v->size < want ? v->size : want;
    }
    if (e->hold == HOLD_WHOLE || v->size == 1 || vertex_taken_whole(v)) {
        p->whole = p->exclusive = true;
        return attempt_whole(a, lot, p->first) ? v->size : 0;
    }
    units = attempt_free(a, lot);
    p->amount = units < want ? units : want;
    p->whole = p->exclusive = p->amount == v->size && attempt_untouched(a, lot);
    return p->amount;
}

/* One pool for an entry with entries below it, or none. */
static int64_t take_inner(struct attempt *a, const struct entry *e,
                          struct lot *lot, struct pick *p)
{
    struct picks below = {0};

    p->exclusive = e->hold != HOLD_SHARED || vertex_taken_whole(lot->v);
    if ((p->exclusive && !attempt_untouched(a, lot))
        || (e->hold == HOLD_WHOLE && !attempt_whole(a, lot, p->first))
        || !fill_list(a, e->with, lot, 1, &below))
        return 0;
    p->child = below.first;
    p->whole = e->hold == HOLD_WHOLE;
    return 1;
}

/* What one member of a lot gives, up to `want`; `p` is its pick. */
static int64_t take(struct attempt *a, const struct entry *e, struct lot *lot,
                    int64_t want, struct pick *p)
{
    const struct vertex *v = lot->v;
    struct picks below = {0};
    int64_t got;

    if (vertex_taken_whole(v)) {
        p->exclusive = true;
        if (!attempt_untouched(a, lot))
            return 0;
    }
    if (!e->slot && v->type == e->type)
        return e->with ? take_inner(a, e, lot, p)
                       : take_leaf(a, e, lot, want, p);
    if (e->slot && type_is_node(v->type))
        got = fill_list(a, e->with, lot, want, &below);
    else if (v->child
             && (e->slot ? attempt_may_hold(a, lot, e->with)
                         : attempt_below(a, lot, e->ntype) > 0))
        got = fill(a, e, lot, want, &below);
    else
        return 0;
    p->child = below.first;
    return got;
}

/*
 * Add a pick of a stretch of a run. Where the stretch before was of the same
 * run and also ended there, the pick of that one takes it in.
 */
static void add_stretch_pick(struct picks *out, struct pick *p, uint64_t n)
{
    struct pick *last = out->last;

    p->nmembers = p->v->run ? n : 0;
    if (last && last->v == p->v && !last->child && !p->child
        && last->amount == p->amount && last->shared == p->shared
        && last->whole == p->whole && last->exclusive == p->exclusive
        && p->v->run && p->first == idset_next(p->v->run, out->end))
        last->nmembers += n;
    else
        picks_add(out, p);
    out->end = p->first + (uint32_t)n - 1;
}

/*
 * Take from identical pools: empty as many as needed, then take the rest from
 * one more.
 */
static int64_t take_stretch(struct attempt *a, const struct entry *e,
                            struct lot *lot, uint32_t at, uint32_t end,
                            int64_t want, struct picks *out)
{
    int64_t members = (int64_t)end - at, each, full, got = 0;
    struct pick *p = member_pick(a, lot, at);

    if (!attempt_usable(a, lot, p->first))
        return 0;
    each = take(a, e, lot, want, p);
    if (each <= 0)
        return 0;
    full = want / each;
    full = full < members ? full : members;
    if (full > 0) {
        add_stretch_pick(out, p, (uint64_t)full);
        got = full * each;
    }
    if (got < want && full < members) {
        p = member_pick(a, lot, at + (uint32_t)full);
        got = saturate_add_units(got, take(a, e, lot, want - got, p));
        add_stretch_pick(out, p, 1);
    }
    return got;
}

/*
 * Up to `want` of an entry from the pools in a lot, in their order; of a
 * slot, what is looked for are nodes that hold such slots.
 */
static int64_t fill(struct attempt *a, const struct entry *e, struct lot *lot,
                    int64_t want, struct picks *out)
{
    const struct needs none = {0};
    const struct needs *needs = a->ignore ? &none
                                : e->slot ? &e->list
                                          : &e->needs;
    int64_t got = 0;

    for (struct lot *c = usage_next(a->u, lot, NULL, needs); c && got < want;
         c = usage_next(a->u, lot, c, needs))
        for (uint32_t at = c->at, end; at < c->at + c->n && got < want;
             at = end) {
            end = attempt_stretch(a, c, at);
            got = saturate_add_units(
                got, take_stretch(a, e, c, at, end, want - got, out));
        }
    return got;
}

/* --- lists of entries --------------------------------------------------- */

/* Picks for several entries under one vertex become one tree. */
static void merge_picks(struct picks *into, struct picks *more)
{
    struct pick *list = more->first;

    if (!into->first) {
        *into = *more;
        return;
    }
    while (list) {
        struct pick *p = list, *same = into->first;
        list = list->next;
        p->next = NULL;
        while (same && (same->v != p->v || p->v->run))
            same = same->next;
        if (same) {
            struct picks below = {.first = same->child, .last = same->child};
            struct picks other = {.first = p->child, .last = p->child};
            while (below.last && below.last->next)
                below.last = below.last->next;
            while (other.last && other.last->next)
                other.last = other.last->next;
            merge_picks(&below, &other);
            same->child = below.first;
        } else {
            picks_add(into, p);
        }
    }
}

/*
 * Up to `want` of one entry under v. A slot that needs no node, or is in one
 * already, multiplies what it holds; another looks for nodes.
 */
static int64_t fill_entry(struct attempt *a, const struct entry *e,
                          struct lot *lot, int64_t want, struct picks *out)
{
    if (!e->slot || (e->slot_of_node && !vertex_in_node(lot->v)))
        return fill(a, e, lot, want, out);
    return fill_list(a, e->with, lot, want, out);
}

/*
 * Take all of a list under v, up to `times` times, and return how often.
 * What the first entry gives bounds the next; where less than was wanted can
 * be had in the end, exactly that is taken anew.
 */
static int64_t fill_list(struct attempt *a, const struct entry *list,
                         struct lot *lot, int64_t times, struct picks *out)
{
    struct picks all = {0};
    int64_t least = times;
    bool exact = true;

    if (!attempt_may_hold(a, lot, list))
        return 0;
    for (const struct entry *e = list; e && least > 0; e = e->next) {
        int64_t count = (int64_t)e->least,
                want = saturate_multiply_units(least, count);
        struct picks picks = {0};
        int64_t got = fill_entry(a, e, lot, want, &picks);
        exact = exact && (got >= want || (e == list && got % count == 0));
        least = got / count < least ? got / count : least;
        merge_picks(&all, &picks);
    }
    if (least <= 0)
        return 0;
    if (!exact)
        return fill_list(a, list, lot, least, out);
    merge_picks(out, &all);
    return least;
}

/* --- the whole ---------------------------------------------------------- */

static uint64_t fill_all(struct attempt *a, const struct entry *e,
                         uint64_t want, struct picks *out)
{
    struct lot *top = &a->u->top;

    if (!a->u->rs->root || (e->slot && !attempt_may_hold(a, top, e->with)))
        return 0;
    return (uint64_t)fill_entry(a, e, top, (int64_t)want, out);
}

bool chain_try(struct attempt *a, const struct entry *e, uint64_t *most)
{
    const struct request_count *count = &e->req->count;
    struct picks picks = {0};
    uint64_t want = most ? *most : request_count_largest(count, INT64_MAX);
    uint64_t got = fill_all(a, e, want, &picks), accepted;

    accepted = most ? (got < want ? got : want)
                    : request_count_largest(count, got);
    if (most)
        *most = accepted;
    if (!accepted)
        return false;
    if (accepted < got) {
        picks = (struct picks){0};
        fill_all(a, e, accepted, &picks);
    }
    a->sel->root = picks.first;
    return true;
}

/* --- what can be answered so -------------------------------------------- */

/* Leaves of which none lies in another, each of a type of its own. */
static bool leaves_apart(const struct types *t, const struct entry *list)
{
    for (const struct entry *e = list; e; e = e->next)
        for (const struct entry *f = list; f; f = f->next) {
            if (e->with || f->with)
                return false;
            if (e == f || e->ntype < 0 || f->ntype < 0)
                continue;
            if (e->ntype == f->ntype
                || t->below[(unsigned)e->ntype * t->count + (unsigned)f->ntype])
                return false;
        }
    return true;
}

/*
 * Pools of one type in each other, pools in no containment, units that are
 * converted, and whole pools for amounts can make a choice matter.
 */
static bool entry_simple(const struct types *t, const struct entry *e,
                         bool granule)
{
    unsigned flags;

    if (e->req->id || e->bytes || (e->slot && e->in_slot)
        || (!e->fixed && e->parent))
        return false;
    if (e->slot || e->ntype < 0)
        return true;
    flags = t->flags[e->ntype];
    if ((flags & TYPE_LOOSE)
        || ((flags & TYPE_POOLED)
            && (e->with || e->hold == HOLD_WHOLE || granule)))
        return false;
    return !t->below[(unsigned)e->ntype * t->count + (unsigned)e->ntype];
}

static bool list_simple(const struct types *t, const struct entry *list,
                        bool in_node, bool granule)
{
    if (list->next && (!in_node || !leaves_apart(t, list)))
        return false;
    for (const struct entry *e = list; e; e = e->next)
        if (!entry_simple(t, e, granule)
            || (e->with
                && !list_simple(t, e->with,
                                in_node || e->slot
                                    || (e->type && type_is_node(e->type)),
                                granule)))
            return false;
    return true;
}

bool chain_answers(const struct types *t, const struct entry *list,
                   const struct match_options *opts)
{
    return !opts->slot_parent && !list->next
           && list_simple(t, list, false, opts->granule_pool);
}

/* --- why not ------------------------------------------------------------ */

/* Is it a pool of e, or for a slot what could hold it? */
static bool could_hold(const struct attempt *a, const struct entry *e,
                       const struct lot *lot)
{
    if (!e->slot)
        return lot->v->type == e->type;
    return e->slot_of_node ? type_is_node(lot->v->type) : lot == &a->u->top;
}

/* May something in it be a pool of e? */
static bool may_contain(const struct attempt *a, const struct entry *e,
                        const struct lot *lot)
{
    return e->slot || usage_total(a->u, lot->v, e->ntype) > 0;
}

/* Of what a slot below another entry is made depends on what that one got. */
static bool is_known(const struct attempt *a, const struct entry *e,
                     const struct entry *only)
{
    return !a->opts->slot_parent
           && (!e->slot || !e->parent || (e->slot_of_node && !e->in_slot))
           && list_simple(&a->u->types, only, true, a->opts->granule_pool);
}

uint64_t chain_most_below(struct attempt *a, const struct entry *e,
                          const struct entry *below)
{
    struct entry only = *below;
    uint64_t most = 0;

    only.next = NULL;
    only.fixed = true; /* as of the least of it */
    if (!is_known(a, e, &only))
        return UINT64_MAX;
    for (struct lot *lot = &a->u->top, *next; lot; lot = next) {
        struct picks unused = {0};
        bool usable = lot == &a->u->top || attempt_usable(a, lot, lot->at);
        if (usable && could_hold(a, e, lot)) {
            int64_t got = fill_entry(a, &only, lot, (int64_t)below->least,
                                     &unused);
            most = (uint64_t)got > most ? (uint64_t)got : most;
        }
        next = lot_next(a->u, &a->u->top, lot,
                        !usable || !may_contain(a, e, lot));
    }
    return most;
}
