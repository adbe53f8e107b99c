/*
 * The alternatives of a choice, one after the other: counts from the largest
 * down, candidates in their order, amounts from the largest down.
 */
#include "base/saturate.h"
#include "schedule/search.h"

/* The present candidate of a choice led to nothing. */
static void note_vain(struct search *s, struct choice *c)
{
    union item *item = search_item(s);

    item->vain = (struct vain){.next = c->vain, .site = c->site};
    c->vain = &item->vain;
    c->heap = s->nitems;
}

static bool is_vain(struct search *s, const struct choice *c)
{
    const struct vain *v = c->vain;

    while (v && !sites_alike(&s->sites, v->site, c->site))
        v = v->next;
    return v
           || (!c->goal->e->with
               && search_available(s, c->goal->e, c->site) == 0);
}

/* Step to the next candidate that is not like one that was tried. */
static bool next_site(struct search *s, struct choice *c)
{
    const struct goal *g = c->goal;

    if (c->site && !c->site->touch)
        note_vain(s, c);
    if (!c->site && g->e->slot && g->cursor) { /* more slots in one place */
        c->site = g->cursor;
        if (c->site == g->scope
            || (search_usable(s, c->site)
                && search_may_hold(s, c->site, g->e->with)))
            return true;
    }
    do
        c->site = search_candidate(s, g, c->site ? c->site : g->cursor);
    while (c->site && is_vain(s, c));
    return c->site;
}

/* Can all that is left of a goal come from a candidate and those after it? */
static bool has_room(struct search *s, const struct goal *g, struct site *from)
{
    return search_at_most(s, g, from, g->left) >= g->left;
}

/* To count what edges lead to costs as much as there is of it: that there is
   room for so many slots is seen to when half of them are left. */
static bool is_sure(const struct goal *g)
{
    return g->hopeful && g->e->links_below && (g->left & (g->left - 1)) != 0;
}

/*
 * Step to the next candidate, if from there on there is enough: without that
 * look ahead all ways to have too little would be tried.
 */
static bool next_with_room(struct search *s, struct choice *c)
{
    const struct goal *g = c->goal;
    bool first = !c->site;

    if (!g->e->slot)
        return next_site(s, c)
               && ((first && g->hopeful) || has_room(s, g, c->site));
    return (!first || is_sure(g)
            || has_room(s, g,
                        g->cursor ? g->cursor : search_candidate(s, g, NULL)))
           && next_site(s, c);
}

/* What is left of a goal when some of it is had at a site. */
static void push_rest(struct search *s, const struct goal *g, struct site *site,
                      int64_t left)
{
    struct goal rest = *g;

    rest.cursor = site;
    rest.left = left;
    rest.hopeful = true;
    s->goals = g->next;
    if (left > 0)
        search_push(s, rest);
}

/* Units of a coarse pool: as many as there are, then fewer. */
static bool next_units(struct search *s, struct choice *c)
{
    const struct goal *g = c->goal;
    int64_t most = search_coarse_units(s, c->site);

    most = most < g->left ? most : g->left;
    c->n = c->n ? c->n - 1 : most;
    if (c->n == 0)
        return false;
    search_take_units(s, c->site, c->n);
    push_rest(s, g, c->site, g->left - c->n);
    return true;
}

/* A pool, or a place for a slot; what is to be had in it comes first. */
static bool next_inner(struct search *s, struct choice *c)
{
    const struct goal *g = c->goal;

    if (c->n && next_units(s, c))
        return true;
    if (!next_with_room(s, c))
        return false;
    if (search_gives_units(s, g->e, c->site))
        return next_units(s, c);
    if (!g->e->slot)
        search_enter(s, g->e, c->site);
    else if (!g->e->in_slot)
        site_count_slots(&s->sites, c->site, 1);
    push_rest(s, g, c->site, g->left - 1);
    search_push_list(s, g->e->with, NULL, c->site, g);
    return true;
}

/* One unit less of a pool, if those after it can make up for that. */
static bool take_less(struct search *s, struct choice *c)
{
    const struct goal *g = c->goal;
    int64_t left = search_available(s, g->e, c->site) - c->n + 1, need;

    left = saturate_multiply_units(left, search_unit_worth(g->e, c->site->v));
    need = saturate_add_units(g->left, left);
    if (c->n == 1 || search_lumped(s, g->e, c->site)
        || search_at_most(s, g, c->site, need) < need)
        return false;
    c->n--;
    return true;
}

/* Units of a pool: as many as serve, then fewer, then another pool. */
static bool next_leaf(struct search *s, struct choice *c)
{
    const struct goal *g = c->goal;

    if (!c->site || !take_less(s, c)) {
        if (!next_with_room(s, c))
            return false;
        c->n = search_wanted(s, g, c->site);
    }
    push_rest(s, g, c->site, search_take(s, g, c->site, c->n));
    return true;
}

/* The next smaller count. */
static bool next_count(struct search *s, struct choice *c)
{
    struct goal goal = *c->goal;
    uint64_t limit = (uint64_t)c->n - 1;

    if (c->n == 0)
        limit = search_count_limit(s, &goal);
    if (search_wants_most(s, goal.e))
        c->n = (int64_t)(limit < *s->most ? limit : *s->most);
    else
        c->n = (int64_t)request_count_largest(&goal.e->req->count, limit);
    if (c->n == 0)
        return false;
    goal.left = goal.want = search_bytes(goal.e, (uint64_t)c->n);
    goal.counted = true;
    s->goals = goal.next;
    search_push(s, goal);
    return true;
}

/* What an independent entry takes first is all that there is to try. */
static bool serve_once(struct search *s, struct choice *c)
{
    const struct goal *g = c->goal;

    if (c->n++ || search_scope_lost(s, g))
        return false;
    s->goals = g->next;
    return search_serve(s, g->e, g->scope, 1) > 0;
}

bool search_next(struct search *s)
{
    struct choice *c = &s->choices[s->nchoices - 1];

    if (c->goal->e->independent)
        return serve_once(s, c);
    if (!c->goal->counted)
        return next_count(s, c);
    return c->goal->e->with ? next_inner(s, c) : next_leaf(s, c);
}
