/*
 * Sites of the search (sites.h): made as the search comes by, taken, given
 * back, and turned into a selection in the end.
 */
#include "schedule/sites.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/saturate.h"

enum { SITES_MAX = 4000000 };

/* --- making ------------------------------------------------------------- */

void sites_init(struct sites *s, struct attempt *a, bool greedy)
{
    *s = (struct sites){.a = a, .greedy = greedy, .policy = a->policy};
    s->top = (struct site){
        .lot = &a->u->top, .v = a->u->top.v, .n = 1, .alike = 1, .all = 1};
    if (a->ignore || a->u->types.huge)
        s->policy = policy_first();
    if (s->policy->ranked) {
        struct rank_by by = policy_rank_by(s->policy, &a->entries);
        s->ranking = usage_rank(a->u, &by);
    }
}

void sites_fini(struct sites *s)
{
    map_fini(&s->classes);
    free(s->changes);
    free(s->table);
    free(s->of);
}

bool site_is_before(const struct site *site, const struct site *other)
{
    return site->lot == other->lot ? site->at < other->at
                                   : lot_compare(site->lot, other->lot) < 0;
}

int64_t site_members(const struct site *site)
{
    return site->member && !site->touch ? site->alike : 1;
}

/* --- finding ------------------------------------------------------------ */

/* Where in the table one of a member of a lot is, or belongs. */
static struct site **slot_of(const struct sites *s, const struct site *parent,
                             const struct lot *lot, uint32_t at)
{
    uintptr_t hash = ((uintptr_t)parent ^ ((uintptr_t)lot * 31)) + at;
    size_t i = (size_t)((hash >> 4 ^ hash) * UINT64_C(0x9e3779b97f4a7c15));
    struct site *site;

    for (i = i >> 16 & (s->table_size - 1); (site = s->table[i]);
         i = (i + 1) & (s->table_size - 1))
        if (site->lot == lot && site->at == at && site->parent == parent)
            break;
    return &s->table[i];
}

/* The site of a member of a lot, made if it is not there. */
static struct site *site_at(struct sites *s, struct site *parent,
                            struct lot *lot, uint32_t at)
{
    struct site **slot, *site;

    if (2 * (s->count + 1) > s->table_size) { /* half of it stays empty */
        struct site **old = s->table;
        size_t size = s->table_size;
        s->table_size = size ? 4 * size : 64;
        s->table = xcalloc(s->table_size, sizeof(struct site *));
        for (size_t i = 0; i < size; i++)
            if (old[i])
                *slot_of(s, old[i]->parent, old[i]->lot, old[i]->at) = old[i];
        free(old);
    }
    slot = slot_of(s, parent, lot, at);
    if (!*slot && s->count == SITES_MAX)
        s->a->too_long = true;
    if (*slot || s->count == SITES_MAX)
        return *slot;

    s->count++;
    site = *slot = arena_alloc(&s->a->sel->arena, sizeof(*site));
    site->parent = parent;
    site->next = parent->child;
    parent->child = site;
    site->lot = lot;
    site->v = lot->v;
    site->at = at;
    site->alike = attempt_stretch(s->a, lot, at, s->policy->back);
    site->member = lot->v->run && vertex_is_target(lot->v);
    site->n = site->member ? 1 : site->alike;
    site->all = saturate_multiply_units(lot->v->size, site->n);
    return site;
}

struct site *site_beside(struct sites *s, const struct site *from)
{
    const struct lot *lot = from->lot;
    uint32_t step = from->touch ? from->n : from->alike;
    int64_t at = s->policy->back ? (int64_t)from->at - step
                                 : (int64_t)from->at + step;

    return at < lot->at || at >= (int64_t)lot->at + lot->n
               ? NULL
               : site_at(s, from->parent, from->lot, (uint32_t)at);
}

struct site *site_first(struct sites *s, struct site *parent, struct lot *lot)
{
    return site_at(s, parent, lot,
                   s->policy->back ? lot->at + lot->n - 1 : lot->at);
}

/* What a lot lacks that has not so much can't serve an entry; NULL: it does not
   matter who has what. */
static const struct needs *needs_of(const struct sites *s,
                                    const struct entry *e)
{
    if (!e || s->a->ignore)
        return NULL;
    return e->slot ? &e->list : &e->needs;
}

struct lot *sites_next_lot(const struct sites *s, const struct site *parent,
                           struct lot *from, const struct entry *e)
{
    do
        from = usage_next(s->a->u, parent->lot, from, needs_of(s, e),
                          s->policy->back);
    while (from && e && !attempt_concerns(s->a, from, e));
    return from;
}

struct site *site_next(struct sites *s, struct site *parent, struct site *from,
                       const struct entry *e)
{
    struct site *site = from ? site_beside(s, from) : NULL;
    struct lot *lot = NULL;

    if (!site)
        lot = sites_next_lot(s, parent, from ? from->lot : NULL, e);
    return lot ? site_first(s, parent, lot) : site;
}

/* The site of a lot somewhere below another, of which nothing is a run. */
static struct site *site_below(struct sites *s, struct site *top,
                               struct lot *lot)
{
    struct site *parent = lot->parent == top->lot
                              ? top
                              : site_below(s, top, lot->parent);

    return parent ? site_first(s, parent, lot) : NULL;
}

struct site *site_next_ranked(struct sites *s, struct order *ranking,
                              struct site *top, struct site *from,
                              const struct entry *e)
{
    struct site *site = from ? site_beside(s, from) : NULL;
    struct lot *lot = from ? from->lot : NULL;

    if (site)
        return site;
    do
        lot = rank_next(ranking, lot, needs_of(s, e));
    while (lot
           && !(lot_is_in(lot, top->lot) && attempt_concerns(s->a, lot, e)));
    return lot ? site_below(s, top, lot) : NULL;
}

struct site *site_of(struct sites *s, const struct vertex *v)
{
    struct site *parent, *c = NULL;

    if (!s->of)
        s->of = xcalloc((size_t)s->a->u->types.nnumbers + 1, sizeof(*s->of));
    if (s->of[v->number])
        return s->of[v->number];
    parent = v->parent ? site_of(s, v->parent) : &s->top;
    while ((c = site_next(s, parent, c, NULL)))
        s->of[c->v->number] = c;
    return s->of[v->number];
}

/* --- classes ------------------------------------------------------------ */

/* Which of the entries with an `id` admit it, as bits. */
static uint64_t admitting(const struct sites *s, const struct site *site)
{
    const struct entry *e = s->a->entries.list;
    uint64_t bits = 0;

    for (unsigned bit = 0; e; e = entry_next(e, NULL)) {
        if (e->req->id && e->type == site->v->type
            && entry_admits(e, s->a->u->rs, site->v, site->at))
            bits |= UINT64_C(1) << (bit % 64);
        bit += e->req->id != NULL;
    }
    return bits;
}

/* What of a site alone makes a difference to a search. */
struct likeness {
    const char *type, *unit;
    int64_t all, free;
    uint64_t ids;
    const struct vertex *linked; /* where edges matter, it is like no other */
    uint32_t usable, untouched, whole;
    uint32_t nchildren; /* whose classes, and for how many each stands, follow
                         */
};

static uint32_t class_of(struct sites *s, struct site *site);

/* Children before parents; the depth of a set is bounded. */
static uint32_t find_class(struct sites *s, struct site *site)
{
    struct attempt *a = s->a;
    const struct reach *list;
    bool linked = a->entries.linked && usage_reach(a->u, site->v, &list);
    struct likeness like = {
        .type = site->v->type,
        .unit = site->v->unit,
        .all = site->all,
        .free = attempt_free(a, site->lot),
        .ids = a->entries.ids ? admitting(s, site) : 0,
        .linked = linked ? site->v : NULL,
        .usable = attempt_usable(a, site->lot, site->at),
        .untouched = attempt_untouched(a, site->lot),
        .whole = attempt_takes_whole(a, site->v),
    };
    size_t size = sizeof(like);
    struct map_slot *slot;
    struct site *c = NULL;
    uint32_t *at;
    char *key;

    while ((c = site_next(s, site, c, NULL)))
        like.nchildren++;
    size += 2 * like.nchildren * sizeof(uint32_t);
    key = xmalloc(size);
    memcpy(key, &like, sizeof(like));
    at = (uint32_t *)(void *)(key + sizeof(like));
    while ((c = site_next(s, site, c, NULL))) {
        *at++ = class_of(s, c);
        *at++ = (uint32_t)site_members(c);
    }
    slot = map_at(&s->classes, key, size);
    free(key);
    if (!slot->value.number)
        slot->value.number = s->classes.count;
    return (uint32_t)slot->value.number;
}

static uint32_t class_of(struct sites *s, struct site *site)
{
    if (!site->class)
        site->class = find_class(s, site);
    return site->class;
}

bool sites_alike(struct sites *s, struct site *a, struct site *b)
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

/* Something was taken in a site, or is given back. */
static void count_touch(struct site *site, bool more)
{
    for (; site; site = site->parent)
        site->touch += more ? 1 : UINT32_MAX;
}

static void note_change(struct sites *s, struct site *site)
{
    if (s->nchanges == s->changes_size) {
        size_t size = s->changes_size ? 2 * s->changes_size : 40;
        s->changes = xrealloc(s->changes, size * sizeof(*s->changes));
        s->changes_size = size;
    }
    s->changes[s->nchanges++] = (struct site_change){
        .site = site,
        .n = site->n,
        .matched = site->matched,
        .held = site->held,
        .whole = site->whole,
    };
}

void site_touch(struct sites *s, struct site *site)
{
    note_change(s, site);
    count_touch(site, true);
}

int64_t site_taken(const struct site *site, int ntype)
{
    return site->taken && ntype >= 0 ? site->taken[ntype] : 0;
}

/* Tell all above a site that units of it are used, or not any more. */
static void tell_above(struct sites *s, struct site *site, int64_t units)
{
    const struct usage *u = s->a->u;
    int ntype = s->greedy ? -1 : usage_type(u, site->v->type);

    for (struct site *up = site->parent; up && ntype >= 0; up = up->parent) {
        if (!up->taken)
            up->taken = arena_alloc(&s->a->sel->arena,
                                    u->types.count * sizeof(*up->taken));
        up->taken[ntype] += units;
    }
}

void site_take(struct sites *s, struct site *site, int64_t units, bool shared)
{
    if (!shared)
        tell_above(s, site, units);
    site_touch(s, site);
    s->changes[s->nchanges - 1].units = units;
    s->changes[s->nchanges - 1].shared = shared;
    *(shared ? &site->shared : &site->used) += units;
}

void site_count_slots(struct sites *s, struct site *site, int64_t slots)
{
    note_change(s, site); /* what is in them may lie elsewhere, over an edge */
    s->changes[s->nchanges - 1].slots = slots;
}

void site_widen(struct sites *s, struct site *site, uint32_t more)
{
    site_touch(s, site);
    site->n += more;
}

void sites_undo(struct sites *s, size_t nchanges)
{
    while (s->nchanges > nchanges) {
        const struct site_change *c = &s->changes[--s->nchanges];
        struct site *site = c->site;
        if (c->units && !c->shared)
            tell_above(s, site, -c->units);
        *(c->shared ? &site->shared : &site->used) -= c->units;
        site->n = c->n;
        site->matched = c->matched;
        site->held = c->held;
        site->whole = c->whole;
        if (!c->slots)
            count_touch(site, false);
    }
}

/* --- the selection ------------------------------------------------------ */

/* Members of a site from one on, as many as there are of them. */
static void pick_run(const struct sites *s, struct pick *p, uint32_t at,
                     uint64_t n)
{
    p->first = s->policy->back ? at - (uint32_t)n + 1 : at;
    p->nmembers = n;
}

/* Its pick; of a stretch the first `members`. */
static struct pick *site_pick(const struct sites *s, struct site *site,
                              int64_t members)
{
    struct pick *p = &site->pick;

    p->v = site->v;
    p->amount = site->v->size;
    if (site->v->run)
        pick_run(s, p, site->at, site->member ? site->n : (uint64_t)members);
    return p;
}

/* Members of a stretch, in the order in which they were taken. */
static struct pick **pick_members_taken(struct sites *s, struct site *site,
                                        struct pick **end)
{
    uint32_t at = site->at;

    for (size_t i = 0; i < s->nchanges; i++) {
        const struct site_change *c = &s->changes[i];
        struct pick *p;
        if (c->site != site || !c->units)
            continue;
        p = selection_pick(s->a->sel, site->v);
        pick_run(s, p, at, (uint64_t)c->units);
        p->shared = c->shared;
        p->whole = p->exclusive = !c->shared;
        at += (uint32_t)(s->policy->back ? -c->units : c->units);
        *end = p;
        end = &p->next;
    }
    return end;
}

static struct pick *pick_below(struct sites *s, struct site *site);

/* A pool of which units are taken, and something in it, too, it may be. */
static struct pick *pick_used(struct sites *s, struct site *site)
{
    const struct vertex *v = site->v;
    struct pick *p = site_pick(s, site, site->used);

    p->amount = v->run || site->whole || attempt_takes_whole(s->a, v)
                    ? v->size
                    : site->used;
    p->whole = p->exclusive = site->whole || v->size == 1
                              || attempt_takes_whole(s->a, v)
                              || (p->amount == v->size
                                  && attempt_untouched(s->a, site->lot));
    p->child = p->whole ? NULL : pick_below(s, site);
    return p;
}

/* A pool that is shared, or in which something is taken. */
static struct pick *pick_inner(struct sites *s, struct site *site)
{
    struct pick *p = site_pick(s, site, site->shared ? site->shared : 1);

    p->exclusive = site->held || attempt_takes_whole(s->a, site->v);
    p->whole = site->whole || attempt_takes_node(s->a, site->v);
    p->child = p->whole ? NULL : pick_below(s, site);
    /* What was found below it may lie elsewhere, over an edge. */
    p->shared = site->shared > 0 || (!p->exclusive && !p->child);
    return p;
}

static int compare_sites(const void *a, const void *b)
{
    const struct site *x = *(struct site *const *)a,
                      *y = *(struct site *const *)b;

    return site_is_before(x, y) ? -1 : site_is_before(y, x);
}

/* The children of a site in which something is taken, as they stand in the
   set: a new array. */
static struct site **touched_children(const struct site *site, size_t *n)
{
    struct site **list = NULL;
    bool sorted = true;

    *n = 0;
    for (struct site *c = site->child; c; c = c->next)
        *n += c->touch > 0;
    list = xcalloc(*n, sizeof(struct site *));
    for (struct site *c = site->child, **to = list + *n; c; c = c->next) {
        if (!c->touch)
            continue;
        *--to = c;
        sorted = sorted && (to == list + *n - 1 || site_is_before(c, to[1]));
    }
    if (!sorted)
        qsort(list, *n, sizeof(struct site *), compare_sites);
    return list;
}

/* The picks of what is taken among the children of a site. */
static struct pick *pick_below(struct sites *s, struct site *site)
{
    struct pick *first = NULL, *last = NULL, **end = &first;
    uint32_t until = 0; /* the last member of the last one */
    size_t n;
    struct site **list = touched_children(site, &n);

    for (size_t i = 0; i < n; i++) {
        struct site *c = list[i];
        struct pick *p;
        if (c->used && c->shared && c->v->run) {
            end = pick_members_taken(s, c, end);
            last = NULL;
            continue;
        }
        p = c->used ? pick_used(s, c) : pick_inner(s, c);
        /* Can the one before it, in the same run, name its members, too? */
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

/* Is it left open how many slots there are? */
static bool any_moldable(const struct entry *list)
{
    for (const struct entry *e = list; e; e = e->next)
        if (!e->fixed || (!e->slot && any_moldable(e->with)))
            return true;
    return false;
}

void sites_select(struct sites *s)
{
    struct selection *sel = s->a->sel;

    sel->picks = pick_below(s, &s->top);
    sel->nslots = 0;
    for (size_t i = 0; i < s->nchanges; i++) {
        const struct site_change *c = &s->changes[i];
        uint64_t slots = (uint64_t)c->slots;
        /* Members of runs that are like others have what these have. */
        for (const struct site *up = c->site; slots && up; up = up->parent)
            slots *= up->member ? up->n : 1;
        sel->nslots += slots;
    }
    sel->moldable = any_moldable(s->a->entries.list);
}
