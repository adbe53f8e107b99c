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
    *s = (struct sites){.a = a, .greedy = greedy};
    s->top = (struct site){
        .lot = &a->u->top, .v = a->u->top.v, .n = 1, .end = 1, .all = 1};
}

void sites_fini(struct sites *s)
{
    map_fini(&s->classes);
    free(s->changes);
    free(s->of);
}

static struct site *new_site(struct sites *s, struct site *parent,
                             struct lot *lot, uint32_t at)
{
    struct site *site = arena_alloc(&s->a->sel->arena, sizeof(*site));

    site->parent = parent;
    site->lot = lot;
    site->v = lot->v;
    site->at = at;
    site->end = attempt_stretch(s->a, lot, at);
    site->member = lot->v->run && vertex_is_target(lot->v);
    site->n = site->member ? 1 : site->end - at;
    site->all = saturate_multiply_units(lot->v->size, site->n);
    return site;
}

static bool is_before(const struct site *site, const struct lot *lot,
                      uint32_t at)
{
    return site->lot == lot ? site->at < at : lot_compare(site->lot, lot) < 0;
}

int64_t site_members(const struct site *site)
{
    return site->member && !site->touch ? (int64_t)site->end - site->at : 1;
}

/*
 * The next lot that may serve an entry. Where there are many, those that lack
 * what it needs are passed over at once, if it matters who has them.
 */
static struct lot *next_lot(const struct sites *s, struct lot *parent,
                            struct lot *lot, const struct entry *e)
{
    struct usage *u = s->a->u;
    struct lot *first = lot ? NULL : lot_open(u, parent);
    bool pass = e && !s->a->ignore;

    do
        if (pass)
            lot = usage_next(u, parent, lot, e->slot ? &e->list : &e->needs,
                             false);
        else
            lot = lot ? lot->next : first;
    while (lot && e && !attempt_concerns(s->a, lot, e));
    return lot;
}

struct site *site_next(struct sites *s, struct site *parent, struct site *from,
                       const struct entry *e)
{
    struct site **to = from ? &from->next : &parent->child, *site;
    struct lot *lot = from ? from->lot : NULL;
    uint32_t at = 0;

    if (from)
        at = from->touch ? from->at + from->n : from->end;
    if (!from || at >= lot->at + lot->n) {
        lot = next_lot(s, parent->lot, lot, e);
        at = lot ? lot->at : 0;
    }
    if (!lot)
        return NULL;
    for (; *to; to = &(*to)->next)
        if ((*to)->lot == lot && (*to)->at == at)
            return *to;
        else if (!is_before(*to, lot, at))
            break;
    if (++s->count > SITES_MAX) {
        s->a->too_long = true;
        return NULL;
    }
    site = new_site(s, parent, lot, at);
    site->next = *to;
    return *to = site;
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
static uint64_t admitting(const struct sites *s, const struct entry *list,
                          const struct site *site, unsigned *bit)
{
    uint64_t bits = 0;

    for (const struct entry *e = list; e; e = e->next) {
        if (e->req->id && e->type == site->v->type
            && entry_admits(e, s->a->u->rs, site->v, site->at))
            bits |= UINT64_C(1) << (*bit % 64);
        *bit += e->req->id != NULL;
        bits |= admitting(s, e->with, site, bit);
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

static struct likeness likeness_of(struct sites *s, const struct site *site)
{
    struct attempt *a = s->a;
    const struct reach *list;
    unsigned bit = 0;

    return (struct likeness){
        .type = site->v->type,
        .unit = site->v->unit,
        .all = site->all,
        .free = attempt_free(a, site->lot),
        .ids = a->entries->ids ? admitting(s, a->entries->list, site, &bit) : 0,
        .linked = a->entries->linked && usage_reach(a->u, site->v, &list)
                      ? site->v
                      : NULL,
        .usable = attempt_usable(a, site->lot, site->at),
        .untouched = attempt_untouched(a, site->lot),
        .whole = vertex_taken_whole(site->v),
    };
}

static uint32_t class_of(struct sites *s, struct site *site);

/* Children before parents; the depth of a set is bounded. */
static uint32_t find_class(struct sites *s, struct site *site)
{
    struct likeness like = likeness_of(s, site);
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

/* Its pick; of a stretch the first `members`. */
static struct pick *site_pick(struct site *site, int64_t members)
{
    struct pick *p = &site->pick;

    p->v = site->v;
    p->amount = site->v->size;
    if (site->v->run) {
        p->first = site->at;
        p->nmembers = site->member ? site->n : (uint64_t)members;
    }
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
        p->first = at;
        p->nmembers = (uint64_t)c->units;
        p->shared = c->shared;
        p->whole = p->exclusive = !c->shared;
        at += (uint32_t)c->units;
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
    struct pick *p = site_pick(site, site->used);

    p->amount = v->run || site->whole || vertex_taken_whole(v) ? v->size
                                                               : site->used;
    p->whole = p->exclusive = site->whole || v->size == 1
                              || vertex_taken_whole(v)
                              || (p->amount == v->size
                                  && attempt_untouched(s->a, site->lot));
    p->child = p->whole ? NULL : pick_below(s, site);
    return p;
}

/* A pool that is shared, or in which something is taken. */
static struct pick *pick_inner(struct sites *s, struct site *site)
{
    struct pick *p = site_pick(site, site->shared ? site->shared : 1);

    p->exclusive = site->held || vertex_taken_whole(site->v);
    p->whole = site->whole;
    p->child = p->whole ? NULL : pick_below(s, site);
    /* What was found below it may lie elsewhere, over an edge. */
    p->shared = site->shared > 0 || (!p->exclusive && !p->child);
    return p;
}

/* Can the one before it, in the same run, name its members, too? */
static bool joins(const struct pick *last, const struct pick *p)
{
    return last->v == p->v && p->v->run && !last->child && !p->child
           && last->amount == p->amount && last->shared == p->shared
           && last->whole == p->whole && last->exclusive == p->exclusive;
}

/* The picks of what is taken among the children of a site. */
static struct pick *pick_below(struct sites *s, struct site *site)
{
    struct pick *first = NULL, *last = NULL, **end = &first;
    uint32_t until = 0; /* the last member of the last one */

    for (struct site *c = site->child; c; c = c->next) {
        struct pick *p;
        if (!c->touch)
            continue;
        if (c->used && c->shared && c->v->run) {
            end = pick_members_taken(s, c, end);
            last = NULL;
            continue;
        }
        p = c->used ? pick_used(s, c) : pick_inner(s, c);
        if (last && joins(last, p)
            && p->first == idset_next(p->v->run, until)) {
            last->nmembers += p->nmembers;
        } else {
            last = *end = p;
            end = &p->next;
        }
        until = p->first + (uint32_t)p->nmembers - 1;
    }
    return first;
}

/* All slots; members of runs that are like others have what these have. */
static uint64_t count_slots(const struct sites *s)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < s->nchanges; i++) {
        const struct site_change *c = &s->changes[i];
        uint64_t slots = (uint64_t)c->slots;
        for (const struct site *up = c->site; slots && up; up = up->parent)
            slots *= up->member ? up->n : 1;
        sum += slots;
    }
    return sum;
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
    struct pick *list = pick_below(s, &s->top);

    s->a->sel->nslots = count_slots(s);
    s->a->sel->moldable = any_moldable(s->a->entries->list);
    if (list && list->v == s->a->u->rs->root) {
        s->a->sel->root = list;
        s->a->sel->loose = list->next;
        list->next = NULL;
    } else {
        s->a->sel->loose = list;
    }
}
