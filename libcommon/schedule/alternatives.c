/*
 * The alternatives of a choice, one after the other: counts from the largest
 * down, pools in the order of the tree, amounts from the largest down.
 */
#include "schedule/search.h"

static bool tried_in_vain(struct search *s, const struct choice *c,
                          struct site *site)
{
    for (const struct vain *v = c->vain; v; v = v->next)
        if (sites_alike(s->sites, v->site, site))
            return true;
    return false;
}

/* The present candidate of a choice led to nothing. */
static void give_up(struct search *s, struct choice *c)
{
    union item *item;

    if (c->site->touch || c->goal->e->independent)
        return;
    item = search_item(s);
    item->vain = (struct vain){.next = c->vain, .site = c->site};
    c->vain = &item->vain;
    c->heap = s->nitems;
}

/* Step to the next candidate that is not like one that was tried. */
static bool next_site(struct search *s, struct choice *c)
{
    const struct goal *g = c->goal;
    bool again = g->e->slot && g->cursor; /* a place can have more slots */

    if (c->site)
        give_up(s, c);
    if (!c->site && again) {
        c->site = g->cursor;
        if (c->site == g->scope
            || (search_usable(s, c->site)
                && attempt_may_hold(s->a, c->site->lot, g->e->with)))
            return true;
    }
    do
        c->site = search_candidate(s, g, c->site ? c->site : g->cursor);
    while (c->site && tried_in_vain(s, c, c->site));
    return c->site;
}

/* What is left of a goal when one more of it is had at a site. */
static struct goal rest_of(const struct goal *g, struct site *site,
                           int64_t left)
{
    struct goal rest = *g;

    rest.cursor = site;
    rest.left = left;
    rest.back = g->e->independent ? g->back : BACK_ONE;
    return rest;
}

/* Step to the next candidate; before the first, see that there is room. */
static bool next_with_room(struct search *s, struct choice *c)
{
    const struct goal *g = c->goal;

    if (!c->site && g->e->slot && !g->e->independent && !search_has_room(s, g))
        return false;
    return next_site(s, c);
}

/* A pool, or a place for a slot; what is to be had in it comes first. */
static bool next_inner(struct search *s, struct choice *c)
{
    const struct goal *g = c->goal;
    struct goal rest;

    if (!next_with_room(s, c)
        || (!g->e->slot && !g->e->independent
            && search_is_hopeless(s, g, c->site, g->left)))
        return false;
    rest = rest_of(g, c->site, g->left - 1);
    if (!g->e->slot) {
        site_touch(s->sites, c->site);
        c->site->matched = true;
        c->site->held = g->e->hold != HOLD_SHARED;
        c->site->whole = g->e->hold == HOLD_WHOLE;
    }
    s->goals = g->next;
    if (rest.left > 0)
        search_push(s, rest);
    search_push_list(s, g->e->with, c->site);
    return true;
}

/* All that is wanted from the first pools that have it. */
static bool take_first(struct search *s, struct choice *c)
{
    struct goal g = *c->goal;
    struct site *site = NULL;

    if (c->n++)
        return false;
    while (g.left > 0 && (site = search_candidate(s, &g, site)))
        g.left = search_take(s, &g, site, search_wanted(s, &g, site));
    s->goals = c->goal->next;
    c->goal->lacks = g.left;
    return g.left == 0;
}

/* One unit less of a pool, if those after it can make up for that. */
static bool take_less(struct search *s, struct choice *c)
{
    const struct goal *g = c->goal;
    struct site *after = search_candidate(s, g, c->site);
    int64_t got = (c->n - 1) * search_unit_worth(g->e, c->site->v);

    if (c->n == 1 || search_lumped(s, g->e, c->site)
        || search_is_hopeless(s, g, after, g->left - got))
        return false;
    c->n--;
    return true;
}

/* Units of a pool: as many as serve, then fewer, then another pool. */
static bool next_leaf(struct search *s, struct choice *c)
{
    const struct goal *g = c->goal;
    struct goal rest;

    if (g->e->independent)
        return take_first(s, c);
    if (!c->site || !take_less(s, c)) {
        bool hopeful = g->hopeful && !c->site;
        if (!next_with_room(s, c)
            || (!hopeful && search_is_hopeless(s, g, c->site, g->left)))
            return false;
        c->n = search_wanted(s, g, c->site);
    }
    rest = rest_of(g, c->site, 0);
    rest.hopeful = true;
    rest.left = search_take(s, g, c->site, c->n);
    s->goals = g->next;
    if (rest.left > 0)
        search_push(s, rest);
    return true;
}

static uint64_t count_largest(const struct search *s, const struct entry *e,
                              uint64_t limit)
{
    if (s->most && !e->parent)
        return limit < *s->most ? limit : *s->most;
    return request_count_largest(&e->req->count, limit);
}

/*
 * The next smaller count. Where an entry needs no care, what was had of the
 * last one is all that can be had.
 */
static bool next_count(struct search *s, struct choice *c)
{
    struct goal goal = *c->goal;
    uint64_t limit;
    bool others;

    if (c->n == 0) {
        limit = search_count_limit(s, &goal, &others);
        if (others)
            search_blame_rest(c);
    } else if (goal.e->independent && c->best < c->n - 1) {
        limit = (uint64_t)c->best;
    } else {
        limit = (uint64_t)c->n - 1;
    }
    c->n = limit ? (int64_t)count_largest(s, goal.e, limit) : 0;
    c->best = 0;
    if (c->n == 0)
        return false;
    goal.left = search_bytes(goal.e, c->n);
    goal.counted = true;
    goal.back = s->nchoices - 1;
    s->goals = goal.next;
    search_push(s, goal);
    return true;
}

bool search_next(struct search *s, struct choice *c)
{
    if (!c->goal->counted)
        return next_count(s, c);
    return c->goal->e->with ? next_inner(s, c) : next_leaf(s, c);
}
