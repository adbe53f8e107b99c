/*
 * Entries that compete: a depth-first search, in the order that match.h gives.
 *
 * A list of goals says what is still to be found. Serving the first goal is a
 * choice: of a count, of a pool, of an amount. The goals that a choice adds
 * come before the others. If a goal can't be served, the last choice is undone
 * and its next alternative is taken. All of this is kept in arrays and not on
 * the stack, because a request may ask for many thousands of pools.
 *
 * Three things keep the search short. It covers only entries that compete
 * (serve.c). Of untouched pools that are alike it tries only the first
 * (candidates.c). It gives a choice up at once if too little is left for the
 * rest (bounds.c).
 */

#include "base/memory.h"
#include "base/saturate.h"
#include "schedule/search.h"

/* A search gives up after this many alternatives. */
enum { STEPS_MAX = 1000000, HURRY = 20 };
enum { LOOKS_A_STEP = 64, BLOCK_ITEMS = 1024 };

/* A pool that was tried without success. */
struct vain {
    struct vain *next;
    struct candidate *pool;
};

struct choice {
    struct goal *goal;
    struct candidate *pool; /* the alternative being tried */
    int64_t n;              /* its count or amount */
    struct vain *vain;
    size_t changes, heap; /* sizes of the undo log and of the item stack before
                             it */
};

/* Goals and failed pools live on a stack whose items never move. */
union search_item {
    struct goal goal;
    struct vain vain;
};

/* Return room for a goal or a failed pool. */
static union search_item *new_item(struct search *s)
{
    size_t block = s->nitems / BLOCK_ITEMS;

    if (block == s->nblocks)
        VECTOR_ADD(s->blocks, s->nblocks,
                   xmalloc(BLOCK_ITEMS * sizeof(**s->blocks)));
    return &s->blocks[block][s->nitems++ % BLOCK_ITEMS];
}

/* --- goals -------------------------------------------------------------- */

/* Put a goal before all others. */
static void push(struct search *s, struct goal goal)
{
    union search_item *item = new_item(s);

    item->goal = goal;
    item->goal.next = s->goals;
    s->goals = &item->goal;
}

/*
 * Return the pool after which a goal begins, or NULL.
 *
 * Equal slots in one place can be exchanged. So the pool for the next slot
 * comes after the pool for the last one, and permutations are not tried. This
 * is not done with edges and slot_parent: then one of the slots may take the
 * place itself.
 */
static struct candidate *pool_before(const struct search *s,
                                     const struct entry *e,
                                     const struct candidate *scope,
                                     const struct goal *above)
{
    if (!above || !above->e->slot || !e->with || e->slot || e->least != 1
        || !e->fixed || (s->m->opts->slot_parent && s->m->entries.linked))
        return NULL;
    for (int i = s->nchoices - 2; i >= 0; i--) {
        const struct choice *c = &s->choices[i];
        if (c->goal->e == e)
            return c->pool && c->goal->scope == scope
                           && !search_is_coarse(s, c->pool)
                       ? c->pool
                       : NULL;
        if (c->goal->e == above->e && c->goal != above)
            break;
    }
    return NULL;
}

/* Put goals for the entries of a list in a scope before all others. */
static void push_list(struct search *s, const struct entry *list,
                      const struct entry *end, struct candidate *scope,
                      const struct goal *above)
{
    struct goal *rest = s->goals, **to = &s->goals;

    for (const struct entry *e = list; e != end; e = e->next) {
        union search_item *item = new_item(s);
        item->goal = (struct goal){
            .next = rest,
            .e = e,
            .scope = scope,
            .above = above,
            .cursor = pool_before(s, e, scope, above),
            .left = search_bytes(e, e->least),
            .counted = e->fixed && !search_maximizes(s, e),
        };
        item->goal.want = item->goal.counted ? item->goal.left : 0;
        *to = &item->goal;
        to = &item->goal.next;
    }
}

/* --- alternatives --------------------------------------------------------- */

/*
 * Alternatives are tried in this order: counts from the largest down,
 * candidates in their order, amounts from the largest down.
 */

/* Step to the next candidate that is not like one that failed. */
static bool next_pool(struct search *s, struct choice *c)
{
    const struct goal *g = c->goal;

    if (c->pool && !c->pool->touch) { /* it failed */
        union search_item *item = new_item(s);
        item->vain = (struct vain){.next = c->vain, .pool = c->pool};
        c->vain = &item->vain;
        c->heap = s->nitems;
    }
    if (!c->pool && g->e->slot && g->cursor) { /* more slots in the same
                                                  place */
        c->pool = g->cursor;
        if (c->pool == g->scope
            || (search_usable(s, c->pool)
                && search_may_hold(s, c->pool, g->e->with)))
            return true;
    }
    while ((c->pool = search_candidate(s, g, c->pool ? c->pool : g->cursor))) {
        const struct vain *v = c->vain;
        while (v && !candidates_alike(&s->pools, v->pool, c->pool))
            v = v->next;
        if (!v && (g->e->with || search_available(s, g->e, c->pool) > 0))
            return true;
    }
    return false;
}

/* Return whether the rest of a goal may come from a candidate and the
   candidates after it. */
static bool has_room(struct search *s, const struct goal *g,
                     struct candidate *from)
{
    return search_at_most(s, g, from, g->left) >= g->left;
}

/*
 * Step to the next candidate, if the candidates from there on have enough.
 * Without this look ahead the search would try every way of having too little.
 */
static bool next_with_room(struct search *s, struct choice *c)
{
    const struct goal *g = c->goal;
    bool first = !c->pool, sure;

    if (!g->e->slot)
        return next_pool(s, c)
               && ((first && g->hopeful) || has_room(s, g, c->pool));
    /* Counting what edges lead to costs as much as there is of it. So room for
       the slots is checked only if the number left is a power of two. */
    sure = g->hopeful && g->e->links_below && (g->left & (g->left - 1)) != 0;
    return (!first || sure
            || has_room(s, g,
                        g->cursor ? g->cursor : search_candidate(s, g, NULL)))
           && next_pool(s, c);
}

/* Put the rest of a goal first, after some of it was taken from a pool. */
static void push_rest(struct search *s, const struct goal *g,
                      struct candidate *pool, int64_t left)
{
    struct goal rest = *g;

    rest.cursor = pool;
    rest.left = left;
    rest.hopeful = true;
    s->goals = g->next;
    if (left > 0)
        push(s, rest);
}

/* Take units of a coarse pool: as many as possible, then fewer. */
static bool next_units(struct search *s, struct choice *c)
{
    const struct goal *g = c->goal;
    int64_t most = search_coarse_units(s, c->pool);

    most = most < g->left ? most : g->left;
    c->n = c->n ? c->n - 1 : most;
    if (c->n == 0)
        return false;
    search_take_units(s, c->pool, c->n);
    push_rest(s, g, c->pool, g->left - c->n);
    return true;
}

/* Take a pool, or a place for a slot, and put the goals inside it first. */
static bool next_inner(struct search *s, struct choice *c)
{
    const struct goal *g = c->goal;

    if (c->n && next_units(s, c))
        return true;
    if (!next_with_room(s, c))
        return false;
    if (search_takes_units(s, g->e, c->pool))
        return next_units(s, c);
    if (!g->e->slot)
        search_enter(s, g->e, c->pool);
    else if (!g->e->in_slot)
        candidate_count_slots(&s->pools, c->pool, 1);
    push_rest(s, g, c->pool, g->left - 1);
    push_list(s, g->e->with, NULL, c->pool, g);
    return true;
}

/* Take one unit less from a pool, if the pools after it can make up for it. */
static bool take_less(struct search *s, struct choice *c)
{
    const struct goal *g = c->goal;
    int64_t left = search_available(s, g->e, c->pool) - c->n + 1, need;

    left = saturate_multiply_units(left, search_unit_worth(g->e, c->pool->v));
    need = saturate_add_units(g->left, left);
    if (c->n == 1 || search_lumped(s, g->e, c->pool)
        || search_at_most(s, g, c->pool, need) < need)
        return false;
    c->n--;
    return true;
}

/* Take units of a pool: as many as the goal can use, then fewer, then units of
   another pool. */
static bool next_leaf(struct search *s, struct choice *c)
{
    const struct goal *g = c->goal;

    if (!c->pool || !take_less(s, c)) {
        if (!next_with_room(s, c))
            return false;
        c->n = search_units_to_take(s, g, c->pool);
    }
    push_rest(s, g, c->pool, search_take(s, g, c->pool, c->n));
    return true;
}

/* Try the next smaller count. */
static bool next_count(struct search *s, struct choice *c)
{
    struct goal goal = *c->goal;
    uint64_t limit = (uint64_t)c->n - 1;

    if (c->n == 0)
        limit = search_count_limit(s, &goal);
    if (search_maximizes(s, goal.e))
        c->n = (int64_t)(limit < *s->most ? limit : *s->most);
    else
        c->n = (int64_t)request_count_largest(&goal.e->req->count, limit);
    if (c->n == 0)
        return false;
    goal.left = goal.want = search_bytes(goal.e, (uint64_t)c->n);
    goal.counted = true;
    s->goals = goal.next;
    push(s, goal);
    return true;
}

/* Take the next alternative of the last choice. False: there is none. */
static bool next_alternative(struct search *s)
{
    struct choice *c = &s->choices[s->nchoices - 1];
    const struct goal *g = c->goal;

    if (!g->e->independent && !g->counted)
        return next_count(s, c);
    if (!g->e->independent)
        return g->e->with ? next_inner(s, c) : next_leaf(s, c);
    /* An independent entry has one alternative. */
    if (c->n++ || (s->m->entries.linked && search_scope_lost(g)))
        return false;
    s->goals = g->next;
    return search_serve(s, g->e, g->scope, 1) > 0;
}

/* --- the search --------------------------------------------------------- */

/* Serve all goals. On failure all choices made here are undone. */
static bool solve(struct search *s)
{
    uint64_t steps_max = STEPS_MAX / (s->m->hurry ? HURRY : 1);
    int none = s->nchoices;

    while (s->goals) {
        VECTOR_ROOM(s->choices, s->choices_size, (size_t)s->nchoices + 1);
        s->choices[s->nchoices++] = (struct choice){
            .goal = s->goals, .changes = s->pools.nchanges, .heap = s->nitems};
        for (;;) {
            const struct choice *c;
            if (s->nchoices == none)
                return false;
            if (++s->steps + s->looks / LOOKS_A_STEP > steps_max)
                s->out = true;
            if (search_has_stopped(s))
                return false;
            c = &s->choices[s->nchoices - 1];
            candidates_undo(&s->pools, c->changes);
            s->nitems = c->heap;
            if (next_alternative(s))
                break;
            s->nchoices--;
        }
    }
    return true;
}

bool search_part(struct search *s, const struct entry *list,
                 const struct entry *end, struct candidate *scope)
{
    struct goal *goals = s->goals;
    size_t heap = s->nitems;
    int first = s->nchoices;
    bool found;

    s->goals = NULL;
    push_list(s, list, end, scope, NULL);
    found = solve(s);
    if (found && search_maximizes(s, list))
        *s->most = (uint64_t)s->choices[first].n;
    s->nchoices = first;
    s->goals = goals;
    s->nitems = heap;
    return found;
}
