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
               || attempt_untouched(s->a, site->lot));
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

/* The site that follows in the order of the tree, below the scope. */
static struct site *site_after(struct search *s, const struct goal *g,
                               struct site *at)
{
    const struct entry *e = g->e;
    struct site *next;

    if (!at || at == g->scope)
        return site_next(&s->sites, g->scope, NULL, e);
    if (may_enter(s, g, at) && (next = site_next(&s->sites, at, NULL, e)))
        return next;
    for (; at != g->scope; at = at->parent)
        if ((next = site_next(&s->sites, at->parent, at, e)))
            return next;
    return NULL;
}

static bool is_place(const struct site *site, enum places places)
{
    return places == PLACES_NODES ? type_is_node(site->v->type)
                                  : site->v->child != NULL;
}

static bool is_candidate(const struct search *s, const struct goal *g,
                         const struct site *site, enum places places)
{
    const struct entry *e = g->e;

    if (places != PLACES_OF_TYPE)
        return is_place(site, places) && search_usable(s, site)
               && attempt_may_hold(s->a, site->lot, e->with);
    if (site->v->type != e->type || !search_usable(s, site)
        || !entry_admits(e, s->a->u->rs, site->v, site->at))
        return false;
    if (!e->with)
        return true;
    return !site->matched && !site->used && !site->shared
           && (e->hold == HOLD_SHARED
               || (!site->touch && attempt_untouched(s->a, site->lot)))
           && (e->hold != HOLD_WHOLE
               || attempt_whole(s->a, site->lot, site->at))
           && attempt_may_hold(s->a, site->lot, e->with);
}

/* The pool in no containment that follows, the trees of them in preorder. */
static struct site *next_loose(struct search *s, struct site *at)
{
    struct site *next = NULL;

    if (!at) {
        next = site_next(&s->sites, &s->sites.top, NULL, NULL);
        return !next || next->v->home
                   ? next
                   : site_next(&s->sites, &s->sites.top, next, NULL);
    }
    if (at->v->child)
        next = site_next(&s->sites, at, NULL, NULL);
    for (; !next && at->parent; at = at->parent)
        next = site_next(&s->sites, at->parent, at, NULL);
    return next;
}

/* Pools in no containment whose edges lead to the scope. */
static struct site *follow_linked(struct search *s, const struct goal *g,
                                  struct site *at)
{
    if (!s->a->entries->loose || g->scope == &s->sites.top || g->e->slot)
        return NULL;
    while ((at = next_loose(s, at)))
        if (is_candidate(s, g, at, PLACES_OF_TYPE)
            && site_leads_to(&s->sites, at, g->scope->v))
            return at;
    return NULL;
}

/* The next pool for a goal, or place for a slot. */
struct site *search_candidate(struct search *s, const struct goal *g,
                              struct site *at)
{
    enum places places = search_places(s, g);

    if (search_given_up(s))
        return NULL;
    if (at && at != g->scope && at->v->home && g->scope->v->home == NULL
        && g->scope != &s->sites.top)
        return follow_linked(s, g, at);
    if (!at && (places == PLACES_HERE || places == PLACES_ANY)
        && attempt_may_hold(s->a, g->scope->lot, g->e->with))
        return g->scope;
    if (places == PLACES_HERE)
        return NULL;
    while ((at = site_after(s, g, at)) && ++s->looks)
        if (is_candidate(s, g, at, places))
            return at;
    return g->scope->v->home ? NULL : follow_linked(s, g, NULL);
}

/* --- leaves ------------------------------------------------------------- */

/* Is it taken as a whole, whatever is wanted of it? */
bool search_lumped(const struct search *s, const struct entry *e,
                   const struct site *site)
{
    return (e->hold == HOLD_WHOLE || s->a->opts->granule_pool) && !site->v->run;
}

/* Units of a pool that an entry can have. */
int64_t search_available(const struct search *s, const struct entry *e,
                         const struct site *site)
{
    const struct vertex *v = site->v;
    int64_t taken = site->used + site->shared;
    bool marked = vertex_taken_whole(v);

    if (site->matched || site->whole)
        return 0;
    if (e->hold == HOLD_SHARED && !marked)
        return taken && search_lumped(s, e, site) ? 0 : site->all - taken;
    if (marked || v->size == 1 || e->hold == HOLD_WHOLE) {
        if (!attempt_whole(s->a, site->lot, site->at)
            || (site->touch
                && (search_lumped(s, e, site) || (v->child && !site->used))))
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
int64_t search_wanted(const struct search *s, const struct goal *g,
                      const struct site *site)
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
    bool shared = g->e->hold == HOLD_SHARED && !vertex_taken_whole(site->v);
    int64_t got;

    site_take(&s->sites, site, units, shared);
    if (!shared
        && (search_lumped(s, g->e, site)
            || (site->v->child && site->v->size == 1)))
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
