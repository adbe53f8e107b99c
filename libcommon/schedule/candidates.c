/*
 * Candidates (candidates.h): making, taking, undoing, and the final selection.
 */
#include "schedule/candidates.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/saturate.h"
#include "model/records/usage.h"

enum { CANDIDATES_MAX = 4000000 };

/* --- making ------------------------------------------------------------- */

void candidates_init(struct candidates *s, struct match_context *m, bool greedy)
{
    *s = (struct candidates){.m = m, .greedy = greedy, .policy = m->policy};
    s->top = (struct candidate){.lot = usage_top(m->u),
                                .v = usage_top(m->u)->v,
                                .n = 1,
                                .alike = 1,
                                .all = 1};
    if (m->ignore || usage_types(m->u)->huge)
        s->policy = policy_first();
    if (s->policy->ranked)
        s->ranking = policy_ranking(m, s->policy);
}

void candidates_fini(struct candidates *s)
{
    map_fini(&s->classes);
    free(s->changes);
    free(s->table);
    free(s->of);
}

bool candidate_is_before(const struct candidate *pool,
                         const struct candidate *other)
{
    return pool->lot == other->lot ? pool->at < other->at
                                   : lot_compare(pool->lot, other->lot) < 0;
}

int64_t candidate_members(const struct candidate *pool)
{
    return pool->member && !pool->touch ? pool->alike : 1;
}

/* --- finding ------------------------------------------------------------ */

/* Return the place in the table where the candidate of a member is or
   belongs. */
static struct candidate **slot_of(const struct candidates *s,
                                  const struct candidate *parent,
                                  const struct lot *lot, uint32_t at)
{
    uintptr_t hash = ((uintptr_t)parent ^ ((uintptr_t)lot * 31)) + at;
    size_t i = (size_t)((hash >> 4 ^ hash) * UINT64_C(0x9e3779b97f4a7c15));
    struct candidate *pool;

    for (i = i >> 16 & (s->table_size - 1); (pool = s->table[i]);
         i = (i + 1) & (s->table_size - 1))
        if (pool->lot == lot && pool->at == at && pool->parent == parent)
            break;
    return &s->table[i];
}

/* Return the candidate of a member of a lot, after making it if it does not
   exist. */
static struct candidate *candidate_at(struct candidates *s,
                                      struct candidate *parent, struct lot *lot,
                                      uint32_t at)
{
    struct candidate **slot, *pool;

    if (2 * (s->count + 1) > s->table_size) { /* keep at least half of it
                                                 empty */
        struct candidate **old = s->table;
        size_t size = s->table_size;
        s->table_size = size ? 4 * size : 64;
        s->table = xcalloc(s->table_size, sizeof(struct candidate *));
        for (size_t i = 0; i < size; i++)
            if (old[i])
                *slot_of(s, old[i]->parent, old[i]->lot, old[i]->at) = old[i];
        free(old);
    }
    slot = slot_of(s, parent, lot, at);
    if (!*slot && s->count == CANDIDATES_MAX)
        s->m->too_long = true;
    if (*slot || s->count == CANDIDATES_MAX)
        return *slot;

    s->count++;
    pool = *slot = arena_alloc(&s->m->sel->arena, sizeof(*pool));
    pool->parent = parent;
    pool->next = parent->child;
    parent->child = pool;
    pool->lot = lot;
    pool->v = lot->v;
    pool->at = at;
    pool->alike = context_stretch(s->m, lot, at, s->policy->back);
    pool->member = lot->v->run && vertex_is_target(lot->v);
    pool->n = pool->member ? 1 : pool->alike;
    pool->all = saturate_multiply_units(lot->v->size, pool->n);
    return pool;
}

struct candidate *candidate_beside(struct candidates *s,
                                   const struct candidate *from)
{
    const struct lot *lot = from->lot;
    uint32_t step = from->touch ? from->n : from->alike;
    int64_t at = s->policy->back ? (int64_t)from->at - step
                                 : (int64_t)from->at + step;

    return at < lot->at || at >= (int64_t)lot->at + lot->n
               ? NULL
               : candidate_at(s, from->parent, from->lot, (uint32_t)at);
}

struct candidate *candidate_first(struct candidates *s,
                                  struct candidate *parent, struct lot *lot)
{
    return candidate_at(s, parent, lot,
                        s->policy->back ? lot->at + lot->n - 1 : lot->at);
}

/* Return the needs that a lot has to meet to serve an entry. NULL: any lot will
   do. */
static const struct needs *needs_of(const struct candidates *s,
                                    const struct entry *e)
{
    if (!e || s->m->ignore)
        return NULL;
    return e->slot ? &e->list : &e->needs;
}

struct lot *candidates_next_lot(const struct candidates *s,
                                const struct candidate *parent,
                                struct lot *from, const struct entry *e)
{
    do
        from = usage_next(s->m->u, parent->lot, from, needs_of(s, e),
                          s->policy->back);
    while (from && e && !context_concerns(s->m, from, e));
    return from;
}

struct candidate *candidate_next(struct candidates *s, struct candidate *parent,
                                 struct candidate *from, const struct entry *e)
{
    struct candidate *pool = from ? candidate_beside(s, from) : NULL;
    struct lot *lot = NULL;

    if (!pool)
        lot = candidates_next_lot(s, parent, from ? from->lot : NULL, e);
    return lot ? candidate_first(s, parent, lot) : pool;
}

/* Return the candidate of a lot at some depth below `top`. No lot on the way is
   a run. */
static struct candidate *candidate_below(struct candidates *s,
                                         struct candidate *top, struct lot *lot)
{
    struct candidate *parent = lot->parent == top->lot
                                   ? top
                                   : candidate_below(s, top, lot->parent);

    return parent ? candidate_first(s, parent, lot) : NULL;
}

struct candidate *candidate_next_ranked(struct candidates *s,
                                        struct order *ranking,
                                        struct candidate *top,
                                        struct candidate *from,
                                        const struct entry *e)
{
    struct candidate *pool = from ? candidate_beside(s, from) : NULL;
    struct lot *lot = from ? from->lot : NULL;

    if (pool)
        return pool;
    do
        lot = rank_next(ranking, lot, needs_of(s, e));
    while (lot
           && !(lot_is_in(lot, top->lot) && context_concerns(s->m, lot, e)));
    return lot ? candidate_below(s, top, lot) : NULL;
}

struct candidate *candidate_of(struct candidates *s, const struct vertex *v)
{
    struct candidate *parent, *c = NULL;

    if (!s->of)
        s->of = xcalloc((size_t)usage_types(s->m->u)->nnumbers + 1,
                        sizeof(*s->of));
    if (s->of[v->number])
        return s->of[v->number];
    parent = v->parent ? candidate_of(s, v->parent) : &s->top;
    while (parent && (c = candidate_next(s, parent, c, NULL)))
        s->of[c->v->number] = c;
    return s->of[v->number];
}

/* --- classes ------------------------------------------------------------ */

/* Return a bit for each entry with an `id` that admits the pool. */
static uint64_t admitting(const struct candidates *s,
                          const struct candidate *pool)
{
    const struct entry *e = s->m->entries.list;
    uint64_t bits = 0;

    for (unsigned bit = 0; e; e = entry_next(e, NULL)) {
        if (e->req->id && e->type == pool->v->type
            && (!e->ids
                || entry_admits(e, usage_rset(s->m->u), pool->v, pool->at)))
            bits |= UINT64_C(1) << (bit % 64);
        bit += e->req->id != NULL;
    }
    return bits;
}

/* Properties of a single candidate that matter to a search. The key of a class
   continues with the class of each child and its number of members. */
struct likeness {
    const char *type, *unit;
    int64_t all, free;
    uint64_t ids;
    const struct vertex *linked; /* if its edges matter, it is like no other */
    uint32_t usable, untouched, whole;
    uint32_t nchildren;
};

static uint32_t class_of(struct candidates *s, struct candidate *pool);

/* Find the class of a candidate from the classes of its children. The depth of
   a set is bounded. */
static uint32_t find_class(struct candidates *s, struct candidate *pool)
{
    struct match_context *m = s->m;
    const struct reach *list;
    bool linked = m->entries.linked && usage_reach(m->u, pool->v, &list);
    struct likeness like = {
        .type = pool->v->type,
        .unit = pool->v->unit,
        .all = pool->all,
        .free = context_free(m, pool->lot),
        .ids = m->entries.ids ? admitting(s, pool) : 0,
        .linked = linked ? pool->v : NULL,
        .usable = context_usable(m, pool->lot, pool->at),
        .untouched = context_untouched(m, pool->lot),
        .whole = context_takes_whole(m, pool->v),
    };
    size_t size = sizeof(like);
    struct map_slot *slot;
    struct candidate *c = NULL;
    uint32_t *at;
    char *key;

    while ((c = candidate_next(s, pool, c, NULL)))
        like.nchildren++;
    size += 2 * like.nchildren * sizeof(uint32_t);
    key = xmalloc(size);
    memcpy(key, &like, sizeof(like));
    at = (uint32_t *)(void *)(key + sizeof(like));
    while ((c = candidate_next(s, pool, c, NULL))) {
        *at++ = class_of(s, c);
        *at++ = (uint32_t)candidate_members(c);
    }
    slot = map_at(&s->classes, key, size);
    free(key);
    if (!slot->value.number)
        slot->value.number = s->classes.count;
    return (uint32_t)slot->value.number;
}

static uint32_t class_of(struct candidates *s, struct candidate *pool)
{
    if (!pool->class)
        pool->class = find_class(s, pool);
    return pool->class;
}

bool candidates_alike(struct candidates *s, struct candidate *a,
                      struct candidate *b)
{
    while (a != b) {
        if (!a->parent || !b->parent || a->touch || b->touch
            || class_of(s, a) != class_of(s, b))
            return false;
        a = a->parent;
        b = b->parent;
    }
    return true;
}

/* --- taking ------------------------------------------------------------- */

/* Count that a pool has one change more, or one less. */
static void count_touch(struct candidate *pool, bool more)
{
    for (; pool; pool = pool->parent)
        pool->touch += more ? 1 : UINT32_MAX;
}

static void note_change(struct candidates *s, struct candidate *pool)
{
    VECTOR_ROOM(s->changes, s->changes_size, s->nchanges + 1);
    s->changes[s->nchanges++] = (struct candidate_change){
        .pool = pool,
        .n = pool->n,
        .matched = pool->matched,
        .held = pool->held,
        .whole = pool->whole,
    };
}

void candidate_touch(struct candidates *s, struct candidate *pool)
{
    note_change(s, pool);
    count_touch(pool, true);
}

/* Add units of a pool, negative ones to undo, to the sums of all pools above
   it. */
static void count_above(struct candidates *s, struct candidate *pool,
                        int64_t units)
{
    const struct usage *u = s->m->u;
    int ntype = s->greedy ? -1 : usage_type(u, pool->v->type);

    for (struct candidate *up = pool->parent; up && ntype >= 0;
         up = up->parent) {
        if (!up->taken)
            up->taken = arena_alloc(&s->m->sel->arena,
                                    usage_types(u)->count * sizeof(*up->taken));
        up->taken[ntype] += units;
    }
}

void candidate_take(struct candidates *s, struct candidate *pool, int64_t units,
                    bool shared)
{
    if (!shared)
        count_above(s, pool, units);
    candidate_touch(s, pool);
    s->changes[s->nchanges - 1].units = units;
    s->changes[s->nchanges - 1].shared = shared;
    *(shared ? &pool->shared : &pool->used) += units;
}

void candidate_count_slots(struct candidates *s, struct candidate *pool,
                           int64_t slots)
{
    note_change(s, pool); /* no touch: over an edge the resources of a slot may
                             lie elsewhere */
    s->changes[s->nchanges - 1].slots = slots;
}

void candidates_undo(struct candidates *s, size_t nchanges)
{
    while (s->nchanges > nchanges) {
        const struct candidate_change *c = &s->changes[--s->nchanges];
        struct candidate *pool = c->pool;
        if (c->units && !c->shared)
            count_above(s, pool, -c->units);
        *(c->shared ? &pool->shared : &pool->used) -= c->units;
        pool->n = c->n;
        pool->matched = c->matched;
        pool->held = c->held;
        pool->whole = c->whole;
        if (!c->slots)
            count_touch(pool, false);
    }
}

/* --- the selection ------------------------------------------------------ */

/* Let a pick name `n` members of a run, beginning with `at`. */
static void pick_run(const struct candidates *s, struct pick *p, uint32_t at,
                     uint64_t n)
{
    p->first = s->policy->back ? at - (uint32_t)n + 1 : at;
    p->nmembers = n;
}

/* Pick the members of a stretch in the order in which they were taken. */
static struct pick **pick_members_taken(struct candidates *s,
                                        struct candidate *pool,
                                        struct pick **end)
{
    uint32_t at = pool->at;

    for (size_t i = 0; i < s->nchanges; i++) {
        const struct candidate_change *c = &s->changes[i];
        struct pick *p;
        if (c->pool != pool || !c->units)
            continue;
        p = selection_pick(s->m->sel, pool->v);
        pick_run(s, p, at, (uint64_t)c->units);
        p->shared = c->shared;
        p->whole = p->exclusive = !c->shared;
        at += (uint32_t)(s->policy->back ? -c->units : c->units);
        *end = p;
        end = &p->next;
    }
    return end;
}

static struct pick *pick_below(struct candidates *s, struct candidate *pool);

/* Pick a pool that is shared, whose units are taken, or in which something is
   taken. Of a stretch, pick as many members as were taken. */
static struct pick *pick_taken(struct candidates *s, struct candidate *pool)
{
    const struct vertex *v = pool->v;
    bool marked = context_takes_whole(s->m, v);
    int64_t members = pool->used ? pool->used : pool->shared;
    struct pick *p = &pool->pick;

    p->v = pool->v;
    p->amount = v->size;
    if (v->run)
        pick_run(s, p, pool->at,
                 pool->member  ? pool->n
                 : members > 0 ? (uint64_t)members
                               : 1);
    if (pool->used) {
        if (!v->run && !pool->whole && !marked)
            p->amount = pool->used;
        p->exclusive = pool->whole || v->size == 1 || marked
                       || (p->amount == v->size
                           && context_untouched(s->m, pool->lot));
        p->whole = p->exclusive;
    } else {
        p->exclusive = pool->held || marked;
        p->whole = pool->whole || context_takes_node(s->m, v);
    }
    p->child = p->whole ? NULL : pick_below(s, pool);
    /* Over an edge, the resources of entries below it may lie elsewhere. */
    p->shared = !pool->used
                && (pool->shared > 0 || (!p->exclusive && !p->child));
    return p;
}

static int compare_candidates(const void *a, const void *b)
{
    const struct candidate *x = *(struct candidate *const *)a,
                           *y = *(struct candidate *const *)b;

    return candidate_is_before(x, y) ? -1 : candidate_is_before(y, x);
}

/* Make the picks of everything taken below a pool. */
static struct pick *pick_below(struct candidates *s, struct candidate *pool)
{
    struct pick *first = NULL, *last = NULL, **end = &first;
    uint32_t until = 0;      /* the last member of the pick before */
    struct candidate **list; /* children in which something is taken */
    size_t n = 0;

    for (const struct candidate *c = pool->child; c; c = c->next)
        n += c->touch > 0;
    list = xcalloc(n, sizeof(struct candidate *));
    for (struct candidate *c = pool->child, **to = list + n; c; c = c->next)
        if (c->touch)
            *--to = c;
    VECTOR_SORT(list, n, compare_candidates);

    for (size_t i = 0; i < n; i++) {
        struct candidate *c = list[i];
        struct pick *p;
        if (c->used && c->shared && c->v->run) {
            end = pick_members_taken(s, c, end);
            last = NULL;
            continue;
        }
        p = pick_taken(s, c);
        /* Join it to the pick before if both name members of one run alike. */
        if (last && last->v == p->v && p->v->run && !last->child && !p->child
            && last->amount == p->amount && last->shared == p->shared
            && last->whole == p->whole && last->exclusive == p->exclusive
            && p->first == idset_next(p->v->run, until)) {
            last->nmembers += p->nmembers;
        } else {
            last = *end = p;
            end = &p->next;
        }
        until = p->first + (uint32_t)p->nmembers - 1;
    }
    free(list);
    return first;
}

/* Return whether the number of slots is left open. */
static bool any_moldable(const struct entry *list)
{
    for (const struct entry *e = list; e; e = e->next)
        if (!e->fixed || (!e->slot && any_moldable(e->with)))
            return true;
    return false;
}

void candidates_select(struct candidates *s)
{
    struct selection *sel = s->m->sel;

    sel->picks = pick_below(s, &s->top);
    sel->nslots = 0;
    for (size_t i = 0; i < s->nchanges; i++) {
        const struct candidate_change *c = &s->changes[i];
        uint64_t slots = (uint64_t)c->slots;
        /* Members of runs for which a candidate stands have as many slots. */
        for (const struct candidate *up = c->pool; slots && up; up = up->parent)
            slots *= up->member ? up->n : 1;
        sel->nslots += slots;
    }
    sel->moldable = any_moldable(s->m->entries.list);
}
