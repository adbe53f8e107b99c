/*
 * Where a goal can be served: the pools of a type, or the places for a slot,
 * in the order of the tree, and what can be had of them beside all that the
 * search has taken so far.
 */
#include "base/saturate.h"
#include "model/tree/units.h"
#include "schedule/search.h"

enum places search_places(const struct search *s, const struct goal *g)
{
    if (!g->e->slot)
        return PLACES_OF_TYPE;
    if (s->a->opts->slot_parent)
        return PLACES_ANY;
    return g->e->slot_of_node && !vertex_in_node(g->scope->v) ? PLACES_NODES
                                                              : PLACES_HERE;
}

/* May something be had in it, or of it, beside what is taken already? */
bool search_usable(const struct search *s, const struct site *site)
{
    return !site->held && attempt_usable(s->a, site->lot, site->at)
           && (!vertex_taken_whole(site->v)
               || attempt_untouched(s->a, site->lot))
           && (!attempt_takes_node(s->a, site->v)
               || attempt_whole(s->a, site->lot, site->at));
}

/* Is it worth looking at what is below? */
static bool may_enter(const struct search *s, const struct goal *g,
                      const struct site *site)
{
    bool slot_parent = s->a->opts->slot_parent;
    const struct entry *e = g->e;

    if (!site->v->child || !search_usable(s, site))
        return false;
    if (e->slot)
        return slot_parent || !e->slot_of_node || !type_is_node(site->v->type)
               || s->a->u->types.nodes_nested;
    return (!slot_parent || !e->in_slot || g->anywhere)
           && attempt_below(s->a, site->lot, e->ntype) > 0;
}

bool search_scope_lost(const struct search *s, const struct goal *g)
{
    const struct goal *first = g;

    if (!s->a->entries.linked)
        return false;
    while (first->above)
        first = first->above;
    for (const struct site *up = g->scope;
         !vertex_is_in(first->scope->v, up->v) && up->parent; up = up->parent) {
        const struct goal *own = up->held ? g : NULL;
        while (own && own->above && !(own->scope == up && !own->above->e->slot))
            own = own->above;
        if (own && !own->above)
            return true; /* it is not the pool of an entry above the goal */
    }
    return false;
}

bool search_is_open(const struct search *s, const struct site *scope,
                    const struct site *site)
{
    for (; site->parent && !vertex_is_in(scope->v, site->v);
         site = site->parent)
        if (!search_usable(s, site))
            return false;
    return true;
}

/* What the edges of a goal's scope lead to, if that matters to it. */
struct reached {
    const struct reach *list;
    size_t n, next; /* of those from here on nothing was seen yet */
};

/* Where among them is what a candidate lies in? NULL: it lies in the scope. */
static struct site *reached_with(struct reached *r, const struct goal *g,
                                 struct site *at)
{
    for (; r->n > 0 && at != g->scope; at = at->parent) {
        size_t lo = 0, hi = r->n;
        while (lo < hi) {
            size_t mid = (lo + hi) / 2;
            if (r->list[mid].v->number < at->v->number)
                lo = mid + 1;
            else
                hi = mid;
        }
        r->next = lo + 1;
        if (lo < r->n && r->list[lo].v == at->v)
            return at;
    }
    r->next = 0;
    return NULL;
}

static struct site *next_child(struct search *s, const struct goal *g,
                               struct site *parent, struct site *from)
{
    const struct policy *policy = s->sites.policy;

    return policy->next ? policy->next(s, g, parent, from)
                        : site_next(&s->sites, parent, from, g->e);
}

/* The site that follows below `top`, parents before what is in them. */
static struct site *next_below(struct search *s, const struct goal *g,
                               const struct site *top, struct site *at,
                               bool enter)
{
    struct site *next = NULL;

    if (enter && (next = next_child(s, g, at, NULL)))
        return next;
    for (; at != top; at = at->parent)
        if ((next = next_child(s, g, at->parent, at)))
            return next;
    return NULL;
}

/* The next node, if all pools that it lies in below `top` are worth looking
   into. */
static struct site *next_node(struct search *s, const struct goal *g,
                              struct site *top, struct site *node)
{
    const struct site *up = NULL;

    while (up != top
           && (node = site_next_ranked(&s->sites, s->sites.ranking, top, node,
                                       g->e))) {
        s->looks++;
        for (up = node->parent; up != top && may_enter(s, g, up);)
            up = up->parent;
    }
    return node;
}

/* Where nodes are ranked: those below `top`, each with what is in it, and then
   what lies in none. */
static struct site *next_ranked(struct search *s, const struct goal *g,
                                struct site *top, struct site *at, bool enter)
{
    const struct entry *e = g->e;
    struct site *node = NULL, *next;

    for (struct site *up = at; up != top; up = up->parent)
        node = type_is_node(up->v->type) ? up : node;
    if (node && (next = next_below(s, g, node, at, enter)))
        return next;
    if (node || (at == top && enter)) {
        if ((next = next_node(s, g, top, node)))
            return next;
        at = top;
        enter = true;
    }
    /* Does only a node, or what lies in one, serve the goal? */
    if (e->slot ? e->slot_of_node && !s->a->opts->slot_parent
                : e->ntype < 0 || type_is_node(e->type)
                      || !(s->a->u->types.flags[e->ntype] & TYPE_OUTSIDE))
        return NULL;
    do {
        at = next_below(s, g, top, at, enter);
        enter = false; /* nodes were looked into */
    } while (at && type_is_node(at->v->type));
    return at;
}

/*
 * The site that follows in the order of the policy: below the scope, and then
 * in each pool that edges of the scope lead to.
 */
static struct site *site_after(struct search *s, const struct goal *g,
                               struct site *at)
{
    const struct entry *e = g->e;
    struct reached r = {0};
    struct site *next = NULL, *top;
    bool enter;

    at = at ? at : g->scope;
    if (e->linked)
        r.n = usage_reach(s->a->u, g->scope->v, &r.list);
    top = reached_with(&r, g, at);
    enter = at == g->scope ? !search_scope_lost(s, g)
                           : (may_enter(s, g, at)
                              && !(at == top && r.list[r.next - 1].alone));
    top = top ? top : g->scope;
    next = s->sites.ranking && !vertex_in_node(top->v)
               ? next_ranked(s, g, top, at, enter)
               : next_below(s, g, top, at, enter);
    while (!next && r.next < r.n) {
        next = site_of(&s->sites, r.list[r.next++].v);
        if (next && attempt_concerns(s->a, next->lot, e)
            && search_is_open(s, g->scope, next))
            return next;
        next = NULL;
    }
    return next;
}

static bool is_candidate(struct search *s, const struct goal *g,
                         struct site *site, enum places places)
{
    const struct entry *e = g->e;
    const struct reach *list;

    if (places == PLACES_NODES)
        return type_is_node(site->v->type) && search_usable(s, site)
               && search_may_hold(s, site, e->with)
               && search_fits_unit(s, site, e->with);
    if (places != PLACES_OF_TYPE) /* any pool from which others are found */
        return (site->v->child || usage_reach(s->a->u, site->v, &list))
               && search_usable(s, site) && search_may_hold(s, site, e->with);
    if (site->v->type != e->type || !search_usable(s, site)
        || !entry_admits(e, s->a->u->rs, site->v, site->at))
        return false;
    if (!e->with)
        return true;
    if (search_is_coarse(s, site) && !search_fits_unit(s, site, e->with))
        return false;
    if (search_is_coarse(s, site) && e->hold != HOLD_SHARED)
        return search_coarse_units(s, site) > 0;
    return !site->matched && !site->used && !site->shared
           && (e->hold == HOLD_SHARED
               || (!site->touch && attempt_untouched(s->a, site->lot)))
           && (e->hold != HOLD_WHOLE
               || attempt_whole(s->a, site->lot, site->at))
           && search_may_hold(s, site, e->with);
}

/* The next pool for a goal, or place for a slot. */
struct site *search_candidate(struct search *s, const struct goal *g,
                              struct site *at)
{
    enum places places = search_places(s, g);

    if (search_given_up(s))
        return NULL;
    if (!at && (places == PLACES_HERE || places == PLACES_ANY)
        && search_may_hold(s, g->scope, g->e->with))
        return g->scope;
    if (places == PLACES_HERE)
        return NULL;
    while ((at = site_after(s, g, at)) && ++s->looks)
        if (is_candidate(s, g, at, places))
            return at;
    return NULL;
}

/* --- leaves ------------------------------------------------------------- */

/* Is it taken as a whole, whatever is wanted of it? */
bool search_lumped(const struct search *s, const struct entry *e,
                   const struct site *site)
{
    return (e->hold == HOLD_WHOLE || s->a->opts->granule_pool) && !site->v->run
           && !search_is_coarse(s, site);
}

/* Units of a pool that an entry can have. */
int64_t search_available(struct search *s, const struct entry *e,
                         struct site *site)
{
    const struct vertex *v = site->v;
    int64_t taken = site->used + site->shared;
    bool marked = attempt_takes_whole(s->a, v);

    if (site->matched || site->whole)
        return 0;
    if (e->hold != HOLD_SHARED && search_is_coarse(s, site))
        return search_coarse_units(s, site);
    if (e->hold == HOLD_SHARED && !marked)
        return taken && search_lumped(s, e, site) ? 0 : site->all - taken;
    if (marked || v->size == 1 || e->hold == HOLD_WHOLE) {
        if (!attempt_whole(s->a, site->lot, site->at)
            || (site->touch
                && (search_lumped(s, e, site)
                    || (v->size == 1 && v->child && !site->used))))
            return 0;
        return site->all - taken;
    }
    taken = attempt_free(s->a, site->lot) - taken;
    return taken > 0 ? taken : 0;
}

int64_t search_unit_worth(const struct entry *e, const struct vertex *v)
{
    int64_t worth = 1, one;

    if (e->bytes)
        units_compare(v->unit, e->measure, &worth, &one);
    return worth;
}

/* Up to how many units of it serve the goal? */
int64_t search_wanted(struct search *s, const struct goal *g, struct site *site)
{
    int64_t have = search_available(s, g->e, site);
    int64_t worth = search_unit_worth(g->e, site->v);

    if (search_lumped(s, g->e, site)
        || saturate_multiply_units(have, worth) <= g->left)
        return have;
    return worth == 1 ? g->left : g->left / worth + (g->left % worth > 0);
}

/* Take units for a goal; what it still lacks. */
int64_t search_take(struct search *s, const struct goal *g, struct site *site,
                    int64_t units)
{
    bool shared = g->e->hold == HOLD_SHARED
                  && !attempt_takes_whole(s->a, site->v);
    int64_t got;

    if (!shared && search_is_coarse(s, site))
        search_take_units(s, site, units);
    else
        site_take(&s->sites, site, units, shared);
    if (!shared
        && (search_lumped(s, g->e, site)
            || (site->v->size == 1 && (site->v->child || !site->v->run))))
        site->whole = site->held = true;
    if (__builtin_mul_overflow(units, search_unit_worth(g->e, site->v), &got)
        || got > g->left)
        return 0;
    return g->left - got;
}

void search_enter(struct search *s, const struct entry *e, struct site *site)
{
    site_touch(&s->sites, site);
    site->matched = true;
    site->held = e->hold != HOLD_SHARED;
    site->whole = e->hold == HOLD_WHOLE;
}
