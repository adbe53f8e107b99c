/*
 * The alternatives of a choice, one after the other: counts from the largest
 * down, candidates in their order, amounts from the largest down.
 */
#include "base/saturate.h"
#include "schedule/search.h"

/* Step to the next candidate that is not like one that was tried. */
static bool next_site(struct search *s, struct choice *c)
{
    const struct goal *g = c->goal;

    if (c->site && !c->site->touch) {
        search_note_vain(s, &c->vain, c->site);
        c->heap = s->nitems;
    }
    if (!c->site && g->e->slot && g->cursor) { /* more slots in one place */
        c->site = g->cursor;
        if (c->site == g->scope
            || (search_usable(s, c->site)
                && attempt_may_hold(s->a, c->site->lot, g->e->with)))
            return true;
    }
    do
        c->site = search_candidate(s, g, c->site ? c->site : g->cursor);
    while (c->site
           && ((!g->e->with && search_available(s, g->e, c->site) == 0)
               || search_is_vain(s, c->vain, c->site)));
    return c->site;
}

/* Can all that is left of a goal come from a candidate and those after it? */
static bool has_room(struct search *s, const struct goal *g, struct site *from)
{
    return search_at_most(s, g, from, g->left) >= g->left;
}

/* What is left of a goal when one more of it is had at a site. */
static struct goal rest_of(const struct goal *g, struct site *site,
                           int64_t left)
{
    struct goal rest = *g;

    rest.cursor = site;
    rest.left = left;
    rest.back = BACK_ONE;
    return rest;
}

/*
 * A pool, or a place for a slot; what is to be had in it comes first. Without
 * a look ahead all ways to have too few would be tried.
 */
static bool next_inner(struct search *s, struct choice *c)
{
    const struct goal *g = c->goal;
    bool slot = g->e->slot;
    struct goal rest;

    if (slot && !c->site
        && !has_room(s, g,
                     g->cursor ? g->cursor : search_candidate(s, g, NULL)))
        return false;
    if (!next_site(s, c) || (!slot && !has_room(s, g, c->site)))
        return false;
    rest = rest_of(g, c->site, g->left - 1);
    if (!slot)
        search_enter(s, g->e, c->site);
    s->goals = g->next;
    if (rest.left > 0)
        search_push(s, rest);
    search_push_list(s, g->e->with, NULL, c->site);
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
    struct goal rest;

    if (!c->site || !take_less(s, c)) {
        bool hopeful = g->hopeful && !c->site;
        if (!next_site(s, c) || (!hopeful && !has_room(s, g, c->site)))
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

/* The next smaller count. */
static bool next_count(struct search *s, struct choice *c)
{
    struct goal goal = *c->goal;
    uint64_t limit = (uint64_t)c->n - 1;
    bool others = false;

    if (c->n == 0)
        limit = search_count_limit(s, &goal, &others);
    if (others)
        search_blame_rest(c);
    if (s->most && !goal.e->parent)
        c->n = (int64_t)(limit < *s->most ? limit : *s->most);
    else
        c->n = (int64_t)request_count_largest(&goal.e->req->count, limit);
    if (c->n == 0)
        return false;
    goal.left = search_bytes(goal.e, (uint64_t)c->n);
    goal.counted = true;
    goal.back = s->nchoices - 1;
    s->goals = goal.next;
    search_push(s, goal);
    return true;
}

/* What an independent entry takes first is all that there is to try. */
static bool serve_once(struct search *s, struct choice *c)
{
    const struct goal *g = c->goal;

    if (c->n++)
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
