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

/* How many different targets a list can come to use. */
static uint64_t demand(const struct attempt *a, const struct entry *list)
{
    const struct types *t = &a->u->types;
    uint64_t sum = 0;

    for (const struct entry *e = list; e; e = e->next) {
        uint64_t n = request_count_largest(&e->req->count, INT64_MAX), below;
        bool in_one = (e->slot_of_node && !a->opts->slot_parent)
                      || (e->ntype >= 0
                          && (type_is_node(e->type)
                              || (t->flags[e->ntype] & TYPE_IN_NODES)));
        below = in_one ? 1 : demand(a, e->with);
        n = saturate_multiply(n, below ? below : 1);
        sum = sum + n < sum ? UINT64_MAX : sum + n;
    }
    return sum;
}

void sites_init(struct sites *s, struct attempt *a, const struct entry *list)
{
    *s = (struct sites){.a = a};
    s->top = (struct site){.lot = &a->u->top, .v = a->u->top.v, .all = 1};
    s->members_max = demand(a, list);
}

void sites_fini(struct sites *s)
{
    arena_fini(&s->arena);
    map_fini(&s->classes);
    free(s->changes);
}

static struct site *add_site(struct sites *s, struct site *parent,
                             struct lot *lot, uint32_t at, uint64_t n)
{
    struct site *site = arena_alloc(&s->arena, sizeof(*site));

    if (++s->count > SITES_MAX) {
        s->a->too_long = true;
        return NULL;
    }
    site->parent = parent;
    site->lot = lot;
    site->v = lot->v;
    site->at = at;
    if (__builtin_mul_overflow(lot->v->size, (int64_t)n, &site->all))
        site->all = INT64_MAX;
    return site;
}

/*
 * Sites of the members at .. end - 1: of a run of targets by themselves, of
 * others as one.
 */
static struct site **add_stretch_sites(struct sites *s, struct site *parent,
                                       struct lot *lot, uint32_t at,
                                       uint32_t end, struct site **to)
{
    uint64_t n = end - at, each = n;

    if (vertex_is_target(lot->v) && lot->v->run) {
        n = n < s->members_max ? n : s->members_max;
        each = 1;
    }
    for (uint64_t i = 0; i < n; i += each) {
        if (!(*to = add_site(s, parent, lot, at + (uint32_t)i, each)))
            return NULL;
        (*to)->stretch = at;
        to = &(*to)->next;
    }
    return to;
}

static void add_children(struct sites *s, struct site *site)
{
    struct site **to = &site->child;

    for (struct lot *c = lot_open(s->a->u, site->lot); c; c = c->next)
        for (uint32_t at = c->at, end; to && at < c->at + c->n; at = end) {
            end = attempt_stretch(s->a, c, at);
            to = add_stretch_sites(s, site, c, at, end, to);
        }
}

struct site *site_open(struct sites *s, struct site *site)
{
    if (!site->opened) {
        site->opened = true;
        add_children(s, site);
    }
    return site->child;
}

/* Edges go few steps: panel, pdu, node. */
static bool leads_to(const struct rset *rs, const struct vertex *from,
                     const struct vertex *to, unsigned steps)
{
    for (size_t i = 0; i < rs->nlinks && steps > 0; i++)
        if (rs->links[i].source == from
            && (rs->links[i].target == to
                || leads_to(rs, rs->links[i].target, to, steps - 1)))
            return true;
    return false;
}

enum { EDGES_MAX = 8 };

bool site_leads_to(const struct sites *s, const struct site *site,
                   const struct vertex *v)
{
    return leads_to(s->a->u->rs, site->v, v, EDGES_MAX);
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
    uint32_t nchildren;
};

static struct likeness likeness_of(struct sites *s, const struct site *site)
{
    struct attempt *a = s->a;
    unsigned bit = 0;

    return (struct likeness){
        .type = site->v->type,
        .unit = site->v->unit,
        .all = site->all,
        .free = attempt_free(a, site->lot),
        .ids = a->entries->ids ? admitting(s, a->entries->list, site, &bit) : 0,
        .linked = a->entries->loose ? site->v : NULL,
        .usable = attempt_usable(a, site->lot, site->at),
        .untouched = attempt_untouched(a, site->lot),
        .whole = vertex_taken_whole(site->v),
    };
}

/* Children before parents; the depth of a set is bounded. */
static uint32_t find_class(struct sites *s, struct site *site)
{
    struct likeness like = likeness_of(s, site);
    size_t size = sizeof(like);
    struct map_slot *slot;
    uint32_t *at;
    char *key;

    for (struct site *c = site_open(s, site); c; c = c->next)
        like.nchildren++;
    size += like.nchildren * sizeof(uint32_t);
    key = xmalloc(size);
    memcpy(key, &like, sizeof(like));
    at = (uint32_t *)(void *)(key + sizeof(like));
    for (struct site *c = site->child; c; c = c->next)
        *at++ = sites_class(s, c);
    slot = map_at(&s->classes, key, size);
    free(key);
    if (!slot->value.number)
        slot->value.number = s->classes.count;
    return (uint32_t)slot->value.number;
}

uint32_t sites_class(struct sites *s, struct site *site)
{
    if (!site->class)
        site->class = find_class(s, site);
    return site->class;
}

static bool is_same_stretch(const struct site *a, const struct site *b)
{
    return a->lot == b->lot && a->stretch == b->stretch;
}

bool sites_alike(struct sites *s, struct site *a, struct site *b)
{
    while (a != b) {
        if (!a->parent || !b->parent || a->touch || b->touch
            || (!is_same_stretch(a, b)
                && sites_class(s, a) != sites_class(s, b))
            || (is_same_stretch(a, b) && a->all != b->all))
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

void site_touch(struct sites *s, struct site *site)
{
    if (s->nchanges == s->changes_size) {
        size_t size = s->changes_size ? 2 * s->changes_size : 256;
        struct site_change *changes = xrealloc(s->changes,
                                               size * sizeof(*changes));
        s->changes = changes;
        s->changes_size = size;
    }
    s->changes[s->nchanges++] = (struct site_change){.site = site,
                                                     .before = *site};
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
    int ntype = usage_type(u, site->v->type);

    for (struct site *up = site->parent; up; up = up->parent) {
        if (!up->taken)
            up->taken = arena_alloc(&s->arena,
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

void sites_undo(struct sites *s, size_t nchanges)
{
    while (s->nchanges > nchanges) {
        const struct site_change *c = &s->changes[--s->nchanges];
        struct site *site = c->site;
        if (c->units && !c->shared)
            tell_above(s, site, -c->units);
        site->used = c->before.used;
        site->shared = c->before.shared;
        site->matched = c->before.matched;
        site->held = c->before.held;
        site->whole = c->before.whole;
        count_touch(site, false);
    }
}

/* --- the selection ------------------------------------------------------ */

/* A pick; of a stretch `members` of it, those after the first `skip`. */
static struct pick *site_pick(struct sites *s, const struct site *site,
                              uint64_t skip, uint64_t members)
{
    struct pick *p = selection_pick(s->a->sel, site->v);

    if (site->v->run) {
        p->first = site->at + (uint32_t)skip;
        p->nmembers = members;
    }
    return p;
}

/* Members of a stretch, in the order in which they were taken. */
static struct pick **
pick_members_taken(struct sites *s, const struct site *site, struct pick **end)
{
    uint64_t at = 0;

    for (size_t i = 0; i < s->nchanges; i++) {
        const struct site_change *c = &s->changes[i];
        struct pick *p;
        if (c->site != site)
            continue;
        p = site_pick(s, site, at, (uint64_t)c->units);
        at += (uint64_t)c->units;
        p->shared = c->shared;
        p->whole = p->exclusive = !c->shared;
        *end = p;
        end = &p->next;
    }
    return end;
}

/* A pool of which units are taken. */
static struct pick *pick_used(struct sites *s, const struct site *site)
{
    const struct vertex *v = site->v;
    struct pick *p = site_pick(s, site, 0, (uint64_t)site->used);

    p->amount = v->run || site->whole || vertex_taken_whole(v) ? v->size
                                                               : site->used;
    p->whole = p->exclusive = site->whole || v->size == 1
                              || vertex_taken_whole(v)
                              || (p->amount == v->size
                                  && attempt_untouched(s->a, site->lot));
    return p;
}

static struct pick *pick_below(struct sites *s, const struct site *site);

/* A pool that is shared, or in which something is taken. */
static struct pick *pick_inner(struct sites *s, const struct site *site)
{
    struct pick *p = site_pick(s, site, 0,
                               site->shared ? (uint64_t)site->shared : 1);

    p->shared = site->shared > 0;
    p->exclusive = site->held || vertex_taken_whole(site->v);
    p->whole = site->whole;
    p->child = p->whole ? NULL : pick_below(s, site);
    return p;
}

/* The picks of what is taken among the children of a site. */
static struct pick *pick_below(struct sites *s, const struct site *site)
{
    struct pick *first = NULL, **end = &first;

    for (const struct site *c = site->child; c; c = c->next) {
        if (!c->touch)
            continue;
        if (c->used && c->shared && c->v->run)
            end = pick_members_taken(s, c, end);
        else
            end = &(*end = c->used ? pick_used(s, c) : pick_inner(s, c))->next;
    }
    return first;
}

void sites_select(struct sites *s)
{
    struct pick *list = pick_below(s, &s->top);

    if (list && list->v == s->a->u->rs->root) {
        s->a->sel->root = list;
        s->a->sel->loose = list->next;
        list->next = NULL;
    } else {
        s->a->sel->loose = list;
    }
}
