#include "schedule/sites.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { SITES_MAX = 4000000 };

/* --- making ------------------------------------------------------------- */

static uint64_t times(uint64_t a, uint64_t b)
{
    uint64_t product;

    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

/* How many different targets a list can come to use. */
static uint64_t demand(const struct attempt *a, const struct entry *list)
{
    const struct matcher *m = a->m;
    uint64_t sum = 0;

    for (const struct entry *e = list; e; e = e->next) {
        uint64_t n = request_count_largest(&e->req->count, INT64_MAX), below;
        bool in_one = (e->slot_of_node && !a->opts->slot_parent)
                      || (e->ntype >= 0
                          && (type_is_node(e->type)
                              || (m->flags[e->ntype] & TYPE_IN_NODES)));
        below = in_one ? 1 : demand(a, e->with);
        n = times(n, below ? below : 1);
        sum = sum + n < sum ? UINT64_MAX : sum + n;
    }
    return sum;
}

int sites_init(struct sites *s, struct attempt *a, const struct entry *list)
{
    *s = (struct sites){.a = a};
    s->top = (struct site){.v = &a->m->above, .all = 1};
    s->members_max = demand(a, list);
    return 0;
}

void sites_fini(struct sites *s)
{
    arena_fini(&s->arena);
    map_fini(&s->classes);
    free(s->changes);
}

static struct site *add_site(struct sites *s, struct site *parent,
                             struct vertex *v, uint32_t first, uint64_t n)
{
    struct site *site = arena_alloc(&s->arena, sizeof(*site));

    if (!site || ++s->count > SITES_MAX) {
        s->a->failed = s->a->failed || !site;
        s->a->too_long = site;
        return NULL;
    }
    site->parent = parent;
    site->v = v;
    site->first = first;
    if (__builtin_mul_overflow(v->size, (int64_t)n, &site->all))
        site->all = INT64_MAX;
    return site;
}

/* Members of a run of targets by themselves, other stretches as one. */
static struct site **add_span(struct sites *s, struct site *parent,
                              const struct span *span, struct site **end)
{
    uint64_t n = (uint64_t)span->hi - span->lo + 1, each = n;

    if (vertex_is_target(span->v) && span->v->run) {
        n = n < s->members_max ? n : s->members_max;
        each = 1;
    }
    for (uint64_t i = 0; i < n; i += each) {
        if (!(*end = add_site(s, parent, span->v, span->lo + (uint32_t)i,
                              each)))
            return NULL;
        end = &(*end)->next;
    }
    return end;
}

static void add_children(struct sites *s, struct site *site)
{
    struct site **end = &site->child;
    struct span *spans;
    ssize_t n = vertex_spans(site->v, &spans);

    if (n < 0) {
        s->a->failed = true;
        return;
    }
    for (ssize_t i = 0; i < n && end; i++)
        end = add_span(s, site, &spans[i], end);
    free(spans);
    if (site != &s->top)
        return;
    for (struct vertex *v = s->a->m->rs->loose; v && end; v = v->next)
        end = add_span(s, site, &(struct span){.v = v}, end);
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
    return leads_to(s->a->m->rs, site->v, v, EDGES_MAX);
}

/* --- classes ------------------------------------------------------------ */

/* Which of the entries with an `id` admit it, as bits. */
static uint64_t admitting(const struct sites *s, const struct entry *list,
                          const struct vertex *v, unsigned *bit)
{
    uint64_t bits = 0;

    for (const struct entry *e = list; e; e = e->next) {
        if (e->req->id && e->type == v->type && entry_admits(e, s->a->m->rs, v))
            bits |= UINT64_C(1) << (*bit % 64);
        *bit += e->req->id != NULL;
        bits |= admitting(s, e->with, v, bit);
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
        .free = attempt_free(a, site->v),
        .ids = a->entries->ids ? admitting(s, a->entries->list, site->v, &bit)
                               : 0,
        .linked = a->entries->loose ? site->v : NULL,
        .usable = attempt_usable(a, site->v),
        .untouched = attempt_untouched(a, site->v),
        .whole = vertex_taken_whole(site->v),
    };
}

/* Children before parents; the depth of a set is bounded. */
static uint32_t find_class(struct sites *s, struct site *site)
{
    struct likeness like = likeness_of(s, site);
    struct map_slot *slot = NULL;
    size_t size = sizeof(like);
    char *key;

    for (struct site *c = site_open(s, site); c; c = c->next)
        like.nchildren++;
    size += like.nchildren * sizeof(uint32_t);
    if ((key = xmalloc(size))) {
        uint32_t *at = (uint32_t *)(void *)(key + sizeof(like));
        memcpy(key, &like, sizeof(like));
        for (struct site *c = site->child; c; c = c->next)
            *at++ = sites_class(s, c);
        slot = map_at(&s->classes, key, size);
    }
    free(key);
    if (!slot) {
        s->a->failed = true;
        return UINT32_MAX;
    }
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

bool sites_alike(struct sites *s, struct site *a, struct site *b)
{
    while (a != b) {
        if (!a->parent || !b->parent || a->touch || b->touch
            || (a->v != b->v && sites_class(s, a) != sites_class(s, b))
            || (a->v == b->v && a->all != b->all))
            return false;
        a = a->parent;
        b = b->parent;
    }
    return true;
}

/* --- taking ------------------------------------------------------------- */

/* Something was taken in a site, or is given back. */
static void count_touch(struct sites *s, struct site *site, bool more)
{
    for (; site; site = site->parent) {
        site->touch += more ? 1 : UINT32_MAX;
        if (site->bin && !site->changed) {
            site->changed = true;
            s->changed[s->nchanged++] = site;
        }
    }
}

int site_touch(struct sites *s, struct site *site)
{
    if (s->nchanges == s->changes_size) {
        size_t size = s->changes_size ? 2 * s->changes_size : 256;
        struct site_change *changes = xrealloc(s->changes,
                                               size * sizeof(*changes));
        if (!changes) {
            s->a->failed = true;
            return -1;
        }
        s->changes = changes;
        s->changes_size = size;
    }
    s->changes[s->nchanges++] = (struct site_change){.site = site,
                                                     .before = *site};
    count_touch(s, site, true);
    return 0;
}

int64_t site_taken(const struct site *site, int ntype)
{
    return site->taken && ntype >= 0 ? site->taken[ntype] : 0;
}

/* Tell all above a site that units of it are used, or not any more. */
static int tell_above(struct sites *s, struct site *site, int64_t units)
{
    const struct matcher *m = s->a->m;
    int ntype = matcher_type(m, site->v->type);

    for (struct site *up = site->parent; up; up = up->parent) {
        if (!up->taken
            && !(up->taken = arena_alloc(&s->arena,
                                         m->ntypes * sizeof(*up->taken)))) {
            s->a->failed = true;
            return -1;
        }
        up->taken[ntype] += units;
    }
    return 0;
}

int site_take(struct sites *s, struct site *site, int64_t units, bool shared)
{
    if ((!shared && tell_above(s, site, units) < 0) || site_touch(s, site) < 0)
        return -1;
    s->changes[s->nchanges - 1].units = units;
    s->changes[s->nchanges - 1].shared = shared;
    *(shared ? &site->shared : &site->used) += units;
    return 0;
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
        count_touch(s, site, false);
    }
}

/* --- the selection ------------------------------------------------------ */

/* A pick; of a stretch `members` of it, those after the first `skip`. */
static struct pick *new_pick(struct sites *s, const struct site *site,
                             uint64_t skip, uint64_t members)
{
    struct pick *p = selection_pick(s->a->sel, site->v);

    if (!p) {
        s->a->failed = true;
        return NULL;
    }
    if (site->v->run) {
        p->first = site->first + (uint32_t)skip;
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
        if (!(p = new_pick(s, site, at, (uint64_t)c->units)))
            break;
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
    struct pick *p = new_pick(s, site, 0, (uint64_t)site->used);

    if (!p)
        return NULL;
    p->amount = v->run || site->whole || vertex_taken_whole(v) ? v->size
                                                               : site->used;
    p->whole = p->exclusive = site->whole || v->size == 1
                              || vertex_taken_whole(v)
                              || (p->amount == v->size
                                  && attempt_untouched(s->a, v));
    return p;
}

static struct pick *pick_below(struct sites *s, const struct site *site);

/* A pool that is shared, or in which something is taken. */
static struct pick *pick_inner(struct sites *s, const struct site *site)
{
    struct pick *p = new_pick(s, site, 0,
                              site->shared ? (uint64_t)site->shared : 1);

    if (!p)
        return NULL;
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
        else if ((*end = c->used ? pick_used(s, c) : pick_inner(s, c)))
            end = &(*end)->next;
    }
    return first;
}

void sites_select(struct sites *s)
{
    struct pick *list = pick_below(s, &s->top);

    if (list && list->v == s->a->m->rs->root) {
        s->a->sel->root = list;
        s->a->sel->loose = list->next;
        list->next = NULL;
    } else {
        s->a->sel->loose = list;
    }
}
