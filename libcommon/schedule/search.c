/*
 * Requests whose parts can compete: a search in depth, in the order that
 * match.h tells.
 *
 * What is still to be had is a list of goals. Serving the first one is a
 * choice: of a count, of a pool, of an amount; what it leaves to do comes
 * before the other goals. When a goal can't be served the last choice that
 * can matter is undone and the next alternative taken. All of that is kept
 * in arrays and not on the stack, for a request may ask for many thousands.
 *
 * Three things keep it short. Goals that don't conflict never make each
 * other be chosen anew (rules.c). Of pools that are alike and untouched only
 * the first is tried (sites.c). And where an entry needs no care at all it
 * takes what comes first in one step.
 */
#include <stdlib.h>
#include <string.h>

#include "model/units.h"
#include "schedule/sites.h"

/* More alternatives than this are not tried. */
enum { STEPS_MAX = 3000000 };

/* Jump back to where? To the choice before. */
enum { BACK_ONE = -2, BACK_NONE = -1 };

struct goal {
    struct goal *next;
    const struct entry *e;
    struct site *scope;
    struct site *cursor; /* pools up to this one are done with, or NULL */
    int64_t left;        /* pools, slots or units; bytes if e->bytes */
    int64_t lacks;       /* what was left of it when it failed */
    int base;            /* the choice that made the list it is of */
    int back;            /* the choice that is undone if this fails at once */
    bool counted;        /* `left` is known */
};

/* A pool that was tried in vain. */
struct vain {
    struct vain *next;
    struct site *site;
};

struct choice {
    struct goal *goal;
    struct site *site; /* the alternative that is being tried */
    int64_t n;         /* count or amount of it */
    int64_t best;      /* of a count: how many were had at most */
    /*
     * Goals outside of what it serves failed after it: the first and the
     * last of the choices that made their lists. `many`: there are others
     * between them.
     */
    bool blamed, many;
    int first, last;
    struct vain *vain;
    size_t changes, heap; /* what there was before it */
};

/* Goals and pools tried in vain live on a stack that never moves. */
union item {
    struct goal goal;
    struct vain vain;
};
enum { BLOCK_ITEMS = 1024 };

struct search {
    struct sites sites;
    struct attempt *a;
    struct goal *goals;
    struct choice *choices;
    int nchoices, choices_size;
    uint64_t steps;
    uint64_t *most; /* of the only entry at the top */
    union item **blocks;
    size_t nblocks, nitems;
};

static union item *new_item(struct search *s)
{
    size_t block = s->nitems / BLOCK_ITEMS;

    if (block == s->nblocks) {
        union item **blocks = realloc(s->blocks, (block + 1) * sizeof(*blocks));
        if (blocks)
            s->blocks = blocks;
        if (!blocks
            || !(blocks[block] = malloc(BLOCK_ITEMS * sizeof(**blocks)))) {
            s->a->failed = true;
            return NULL;
        }
        s->nblocks++;
    }
    return &s->blocks[block][s->nitems++ % BLOCK_ITEMS];
}

/* --- goals -------------------------------------------------------------- */

static int64_t bytes_of(const struct entry *e, int64_t n)
{
    int64_t bytes;

    return __builtin_mul_overflow(n, e->bytes ? e->bytes : 1, &bytes)
               ? INT64_MAX
               : bytes;
}

static bool push_goal(struct search *s, struct goal goal)
{
    union item *item = new_item(s);

    if (!item)
        return false;
    item->goal = goal;
    item->goal.next = s->goals;
    s->goals = &item->goal;
    return true;
}

/* The goals of a list in a scope, before all others. */
static bool push_list(struct search *s, const struct entry *list,
                      struct site *scope)
{
    struct goal *rest = s->goals, **end = &s->goals;

    for (const struct entry *e = list, *before = NULL; e;
         before = e, e = e->next) {
        union item *item = new_item(s);
        bool starts = !before || before->part != e->part;
        if (!item)
            return false;
        item->goal = (struct goal){
            .next = rest,
            .e = e,
            .scope = scope,
            .left = bytes_of(e, (int64_t)e->least),
            .base = s->nchoices - 1,
            .back = starts ? s->nchoices - 1 : BACK_ONE,
            .counted = e->fixed && !(s->most && !e->parent),
        };
        *end = &item->goal;
        end = &item->goal.next;
    }
    return true;
}

/* --- candidates --------------------------------------------------------- */

/* Of what a slot is made in a scope. */
enum places {
    PLACES_OF_TYPE, /* not of a slot: pools of a type */
    PLACES_HERE,    /* the scope itself */
    PLACES_NODES,   /* nodes below it */
    PLACES_ANY      /* all that has children, the scope too */
};

static bool within_node(const struct vertex *v)
{
    for (; v; v = v->parent)
        if (type_is_node(v->type))
            return true;
    return false;
}

static enum places places_of(const struct search *s, const struct goal *g)
{
    if (!g->e->slot)
        return PLACES_OF_TYPE;
    if (s->a->opts->slot_parent)
        return PLACES_ANY;
    return g->e->slot_of_node && !within_node(g->scope->v) ? PLACES_NODES
                                                           : PLACES_HERE;
}

/* May something be had in it, or of it, beside what is taken already? */
static bool site_usable(const struct search *s, const struct site *site)
{
    return !site->held && attempt_usable(s->a, site->v)
           && (!vertex_taken_whole(site->v)
               || attempt_untouched(s->a, site->v));
}

/* Is it worth looking at what is below? */
static bool may_enter(const struct search *s, const struct goal *g,
                      const struct site *site)
{
    const struct entry *e = g->e;

    if (s->a->opts->slot_parent && e->in_slot && !e->slot)
        return false;
    if (e->slot_of_node && type_is_node(site->v->type) && !s->a->m->nodes_nested
        && !s->a->opts->slot_parent)
        return false;
    if (!site->v->child || !site_usable(s, site))
        return false;
    return e->slot ? attempt_may_hold(s->a, site->v, e->with)
                   : attempt_below(s->a, site->v, e->ntype) > 0;
}

/* The site that follows in the order of the tree, below the scope. */
static struct site *follow(struct search *s, const struct goal *g,
                           struct site *at)
{
    struct site *child;

    if (!at || at == g->scope)
        return site_open(&s->sites, g->scope);
    if (may_enter(s, g, at) && (child = site_open(&s->sites, at)))
        return child;
    while (at != g->scope && !at->next)
        at = at->parent;
    return at == g->scope ? NULL : at->next;
}

static bool is_place(const struct site *site, enum places places)
{
    return places == PLACES_NODES ? type_is_node(site->v->type)
                                  : site->v->child != NULL;
}

static int64_t available(const struct search *s, const struct entry *e,
                         const struct site *site);

static bool is_candidate(const struct search *s, const struct goal *g,
                         const struct site *site, enum places places)
{
    const struct entry *e = g->e;

    if (places != PLACES_OF_TYPE)
        return is_place(site, places) && site_usable(s, site)
               && attempt_may_hold(s->a, site->v, e->with);
    if (site->v->type != e->type || !site_usable(s, site)
        || !entry_admits(e, s->a->m->rs, site->v))
        return false;
    if (!e->with)
        return available(s, e, site) > 0;
    return !site->matched && !site->used && !site->shared
           && (e->hold == HOLD_SHARED
               || (!site->touch && attempt_untouched(s->a, site->v)))
           && (e->hold != HOLD_WHOLE || attempt_whole(s->a, site->v))
           && attempt_may_hold(s->a, site->v, e->with);
}

/* Pools in no containment whose edges lead to the scope. */
static struct site *follow_linked(struct search *s, const struct goal *g,
                                  struct site *at)
{
    struct site *site;

    if (!s->a->entries->loose || g->scope == &s->sites.top || g->e->slot)
        return NULL;
    site = at ? at->next : site_open(&s->sites, &s->sites.top);
    for (; site; site = site->next)
        if (site->v != s->a->m->rs->root
            && is_candidate(s, g, site, PLACES_OF_TYPE)
            && site_leads_to(&s->sites, site, g->scope->v))
            return site;
    return NULL;
}

/* The next pool for a goal, or place for a slot. */
static struct site *next_candidate(struct search *s, const struct goal *g,
                                   struct site *at)
{
    enum places places = places_of(s, g);

    if (at && at != g->scope && at->parent == &s->sites.top
        && g->scope != &s->sites.top)
        return follow_linked(s, g, at);
    if (!at && (places == PLACES_HERE || places == PLACES_ANY)
        && attempt_may_hold(s->a, g->scope->v, g->e->with))
        return g->scope;
    if (places == PLACES_HERE)
        return NULL;
    while ((at = follow(s, g, at)))
        if (is_candidate(s, g, at, places))
            return at;
    return follow_linked(s, g, NULL);
}

/* --- leaves ------------------------------------------------------------- */

/* Is it taken as a whole, whatever is wanted of it? */
static bool lumped(const struct search *s, const struct entry *e,
                   const struct site *site)
{
    return (e->hold == HOLD_WHOLE || s->a->opts->granule_pool) && !site->v->run;
}

/* Units of a pool that an entry can have. */
static int64_t available(const struct search *s, const struct entry *e,
                         const struct site *site)
{
    const struct vertex *v = site->v;
    int64_t taken = site->used + site->shared;
    bool marked = vertex_taken_whole(v);

    if (site->matched || site->whole)
        return 0;
    if (e->hold == HOLD_SHARED && !marked)
        return taken && lumped(s, e, site) ? 0 : site->all - taken;
    if (marked || v->size == 1 || e->hold == HOLD_WHOLE) {
        if (!attempt_whole(s->a, v)
            || (site->touch
                && (lumped(s, e, site) || (v->child && !site->used))))
            return 0;
        return site->all - taken;
    }
    return attempt_free(s->a, v) - taken;
}

static int64_t unit_worth(const struct entry *e, const struct vertex *v)
{
    return e->bytes ? unit_bytes(v->unit) : 1;
}

/* Up to how many units of it serve the goal? */
static int64_t wanted(const struct search *s, const struct goal *g,
                      const struct site *site)
{
    int64_t have = available(s, g->e, site), worth, want;

    if (lumped(s, g->e, site))
        return have;
    worth = unit_worth(g->e, site->v);
    want = g->left / worth + (g->left % worth > 0);
    return have < want ? have : want;
}

/* Take units for a goal; what it still lacks. */
static int64_t take_units(struct search *s, const struct goal *g,
                          struct site *site, int64_t units)
{
    bool shared = g->e->hold == HOLD_SHARED && !vertex_taken_whole(site->v);
    int64_t got;

    if (site_take(&s->sites, site, units, shared) < 0)
        return g->left;
    if (!shared
        && (lumped(s, g->e, site) || (site->v->child && site->v->size == 1)))
        site->whole = site->held = true;
    if (__builtin_mul_overflow(units, unit_worth(g->e, site->v), &got)
        || got > g->left)
        return 0;
    return g->left - got;
}

/* --- slots at a glance -------------------------------------------------- */

/* Units of a type that the list needs for itself at the least. */
static uint64_t needed(const struct entry *list, int ntype)
{
    uint64_t sum = 0, n;

    for (const struct entry *e = list; e; e = e->next) {
        n = e->ntype == ntype && e->hold != HOLD_SHARED && !e->bytes ? 1 : 0;
        if (e->with)
            n += needed(e->with, ntype);
        if (__builtin_mul_overflow(n, e->least, &n)
            || __builtin_add_overflow(sum, n, &sum))
            return UINT64_MAX;
    }
    return sum;
}

/* At most so many slots are still to be had in a place, by sums of units. */
static int64_t slots_in(const struct search *s, const struct entry *slot,
                        const struct site *site, int64_t most)
{
    for (unsigned t = 0; t < s->a->m->ntypes && most > 0; t++) {
        uint64_t need = s->a->m->flags[t] & TYPE_LOOSE
                            ? 0
                            : needed(slot->with, (int)t);
        int64_t left;
        if (need == 0)
            continue;
        left = attempt_below(s->a, site->v, (int)t) - site_taken(site, (int)t);
        left = left < 0 ? 0 : left;
        most = (uint64_t)left / need < (uint64_t)most
                   ? (int64_t)((uint64_t)left / need)
                   : most;
    }
    return most;
}

/*
 * Is there room for all slots that a goal still wants? What has no room is
 * given up at once: else all the ways to have too many would be tried.
 */
static bool has_room(struct search *s, const struct goal *g)
{
    enum places places = places_of(s, g);
    int64_t left = g->left;

    if (places == PLACES_HERE)
        return slots_in(s, g->e, g->scope, left) >= left;
    if (places != PLACES_NODES)
        return true;
    for (struct site *at = g->cursor ? g->cursor : next_candidate(s, g, NULL);
         at && left > 0; at = next_candidate(s, g, at))
        left -= slots_in(s, g->e, at, left);
    return left <= 0;
}

/* --- alternatives ------------------------------------------------------- */

static bool tried_in_vain(struct search *s, const struct choice *c,
                          struct site *site)
{
    for (const struct vain *v = c->vain; v; v = v->next)
        if (sites_alike(&s->sites, v->site, site))
            return true;
    return false;
}

/* The present candidate of a choice led to nothing. */
static bool give_up(struct search *s, struct choice *c)
{
    union item *item;

    if (c->site->touch || c->goal->e->independent)
        return true;
    if (!(item = new_item(s)))
        return false;
    item->vain = (struct vain){.next = c->vain, .site = c->site};
    c->vain = &item->vain;
    c->heap = s->nitems;
    return true;
}

/* Step to the next candidate that is not like one that was tried. */
static bool next_site(struct search *s, struct choice *c)
{
    const struct goal *g = c->goal;
    bool again = g->e->slot && g->cursor; /* a place can have more slots */

    if (c->site && !give_up(s, c))
        return false;
    if (!c->site && again) {
        c->site = g->cursor;
        if (c->site == g->scope
            || (site_usable(s, c->site)
                && attempt_may_hold(s->a, c->site->v, g->e->with)))
            return true;
    }
    do
        c->site = next_candidate(s, g, c->site ? c->site : g->cursor);
    while (c->site && tried_in_vain(s, c, c->site));
    return c->site;
}

/*
 * Could what is left of a goal still come from a site and those that follow
 * it? Without this look ahead all ways to take too little would be tried.
 */
static bool is_hopeless(struct search *s, const struct choice *c)
{
    const struct goal *g = c->goal;
    int64_t left = g->left;

    for (struct site *at = c->site; at && left > 0;
         at = next_candidate(s, g, at)) {
        int64_t got = 1;
        if (!g->e->with
            && __builtin_mul_overflow(available(s, g->e, at),
                                      unit_worth(g->e, at->v), &got))
            return false;
        left -= got;
    }
    return left > 0;
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

/* A pool, or a place for a slot; what is to be had in it comes first. */
static bool next_inner(struct search *s, struct choice *c)
{
    const struct goal *g = c->goal;

    if (g->e->slot && !g->e->independent && !c->site && !has_room(s, g))
        return false;
    if (!next_site(s, c)
        || (!g->e->slot && !g->e->independent && is_hopeless(s, c)))
        return false;
    if (!g->e->slot) {
        if (site_touch(&s->sites, c->site) < 0)
            return false;
        c->site->matched = true;
        c->site->held = g->e->hold != HOLD_SHARED;
        c->site->whole = g->e->hold == HOLD_WHOLE;
    }
    s->goals = g->next;
    if (g->left > 1 && !push_goal(s, rest_of(g, c->site, g->left - 1)))
        return false;
    return push_list(s, g->e->with, c->site);
}

/* All that is wanted from the first pools that have it. */
static bool take_first(struct search *s, struct choice *c)
{
    struct goal g = *c->goal;
    struct site *site = NULL;

    if (c->n++)
        return false;
    while (g.left > 0 && (site = next_candidate(s, &g, site)))
        g.left = take_units(s, &g, site, wanted(s, &g, site));
    s->goals = c->goal->next;
    c->goal->lacks = g.left;
    return g.left == 0;
}

/* Units of a pool: as many as serve, then fewer, then another pool. */
static bool next_leaf(struct search *s, struct choice *c)
{
    const struct goal *g = c->goal;
    int64_t left;

    if (g->e->independent)
        return take_first(s, c);
    if (c->site && c->n > 1 && !lumped(s, g->e, c->site)) {
        c->n--;
    } else {
        if (!next_site(s, c) || is_hopeless(s, c))
            return false;
        c->n = wanted(s, g, c->site);
    }
    left = take_units(s, g, c->site, c->n);
    s->goals = g->next;
    return left == 0 || push_goal(s, rest_of(g, c->site, left));
}

/* Units of a type in a scope, and in no containment. */
static uint64_t units_in(const struct search *s, const struct site *scope,
                         int ntype, bool free)
{
    const struct matcher *m = s->a->m;
    uint64_t units = (uint64_t)(free ? attempt_below(s->a, scope->v, ntype)
                                     : matcher_below(m, scope->v, ntype));

    if (m->flags[ntype] & TYPE_LOOSE)
        for (const struct vertex *v = m->rs->loose; v; v = v->next)
            if (v->type == m->types[ntype] && attempt_usable(s->a, v))
                units += (uint64_t)(free ? attempt_free(s->a, v) : v->size);
    return units;
}

/* All that there is of a type, in what a request calls one. */
static uint64_t converted(const struct search *s, const struct entry *e)
{
    double bytes = 0;

    for (size_t i = 0; i < s->a->m->nunits; i++) {
        const struct type_unit *u = &s->a->m->units[i];
        if ((int)u->ntype == e->ntype)
            bytes += (double)u->total * (double)unit_bytes(u->unit);
    }
    bytes /= (double)e->bytes;
    return bytes < REQUEST_COUNT_MAX ? (uint64_t)bytes : REQUEST_COUNT_MAX;
}

/* How many slots, by what each needs for itself? */
static uint64_t slot_limit(const struct search *s, const struct entry *slot,
                           const struct site *scope)
{
    uint64_t limit = REQUEST_COUNT_MAX;

    for (unsigned t = 0; t < s->a->m->ntypes; t++) {
        uint64_t need = needed(slot->with, (int)t), n;
        if (need == 0)
            continue;
        n = units_in(s, scope, (int)t, true) / need;
        limit = n < limit ? n : limit;
    }
    return limit;
}

/* How many of an entry can there be in a scope at most? */
static uint64_t count_limit(const struct search *s, const struct entry *e,
                            const struct site *scope)
{
    uint64_t limit = e->slot ? slot_limit(s, e, scope) : REQUEST_COUNT_MAX, n;

    for (const struct entry *c = e->slot ? e->with : NULL; c; c = c->next) {
        n = count_limit(s, c, scope) / c->least;
        limit = n < limit ? n : limit;
    }
    if (e->slot || e->ntype < 0)
        return limit;
    n = e->bytes ? converted(s, e)
                 : units_in(s, scope, e->ntype, e->hold != HOLD_SHARED);
    return n < limit ? n : limit;
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

    if (c->n == 0)
        limit = count_limit(s, goal.e, goal.scope);
    else if (goal.e->independent && c->best < c->n - 1)
        limit = (uint64_t)c->best;
    else
        limit = (uint64_t)c->n - 1;
    c->n = limit ? (int64_t)count_largest(s, goal.e, limit) : 0;
    c->best = 0;
    if (c->n == 0)
        return false;
    goal.left = bytes_of(goal.e, c->n);
    goal.counted = true;
    goal.back = s->nchoices - 1;
    s->goals = goal.next;
    return push_goal(s, goal);
}

static bool next_alternative(struct search *s, struct choice *c)
{
    if (!c->goal->counted)
        return next_count(s, c);
    return c->goal->e->with ? next_inner(s, c) : next_leaf(s, c);
}

/* --- the search --------------------------------------------------------- */

static bool begin_choice(struct search *s)
{
    if (s->nchoices == s->choices_size) {
        int size = s->choices_size ? 2 * s->choices_size : 256;
        struct choice *choices = realloc(s->choices,
                                         (size_t)size * sizeof(*choices));
        if (!choices) {
            s->a->failed = true;
            return false;
        }
        s->choices = choices;
        s->choices_size = size;
    }
    s->choices[s->nchoices++] = (struct choice){
        .goal = s->goals, .changes = s->sites.nchanges, .heap = s->nitems};
    return true;
}

/* Do both serve the same part of one list? */
static bool same_part(const struct goal *g, const struct goal *h)
{
    return g->base == h->base && g->e->parent == h->e->parent
           && g->e->part == h->e->part;
}

/* What a goal whose count is to be chosen anew had at most. */
static void note_best(struct search *s, const struct goal *g, int back)
{
    struct choice *count = &s->choices[back];
    int64_t left = g->e->with ? g->left : g->lacks, had;

    if (!g->counted || count->goal->counted || count->goal->e != g->e)
        return;
    had = count->n - left / (g->e->bytes ? g->e->bytes : 1);
    count->best = had > count->best ? had : count->best;
}

/* Blame a choice for what failed in lists made by others. */
static void blame(struct choice *c, int first, int last, bool many)
{
    if (c->blamed) {
        many = many || c->many || c->last != last || c->first != first;
        first = c->first < first ? c->first : first;
        last = c->last > last ? c->last : last;
    }
    c->blamed = true;
    c->many = many;
    c->first = first;
    c->last = last;
}

/*
 * Go back choice by choice from one that serves g, for what failed in lists
 * that were made by the choices first .. last. What made such a list is not
 * to blame, it has to make another. What an entry that concerns nobody else
 * got is not to blame either.
 */
static int go_back_one(struct search *s, const struct goal *g, int first,
                       int last, bool many)
{
    for (int back = s->nchoices - 2; back >= 0; back--) {
        struct choice *before = &s->choices[back];
        if (back == last) {
            if (first < back)
                blame(before, first, first, true);
            return back;
        }
        if (!same_part(g, before->goal) && before->goal->e->independent
            && !many)
            continue;
        blame(before, first, last, many);
        return back;
    }
    return BACK_NONE;
}

/*
 * The choice to take anew when the last one has no alternative left. Where
 * only what it serves failed, that is the choice that matters to it.
 */
static void go_back(struct search *s)
{
    const struct choice *c = &s->choices[s->nchoices - 1];
    const struct goal *g = c->goal;
    int back = g->back, first = g->base, last = g->base;
    bool many = false;

    if (c->blamed) {
        many = c->many || c->first != first || c->last != last;
        first = c->first < first ? c->first : first;
        last = c->last > last ? c->last : last;
    }
    if (c->blamed || back == BACK_ONE)
        back = go_back_one(s, g, first, last, many);
    else if (back >= 0)
        note_best(s, g, back);
    s->nchoices = back + 1;
}

static bool stop(struct search *s)
{
    if (++s->steps > STEPS_MAX)
        s->a->too_long = true;
    return s->a->failed || s->a->too_long;
}

/* Serve all goals. Choices are undone back to none before it says no. */
static bool solve(struct search *s)
{
    while (s->goals && begin_choice(s)) {
        for (;;) {
            struct choice *c;
            if (s->nchoices == 0 || stop(s))
                return false;
            c = &s->choices[s->nchoices - 1];
            sites_undo(&s->sites, c->changes);
            s->nitems = c->heap;
            if (next_alternative(s, c))
                break;
            go_back(s);
        }
    }
    return !s->a->failed;
}

/* --- before it ---------------------------------------------------------- */

/* Is there enough of everything, if nothing but that mattered? */
static bool enough(const struct attempt *a, const struct entry *list)
{
    for (unsigned t = 0; t < a->m->ntypes; t++)
        if (!(a->m->flags[t] & TYPE_LOOSE)
            && needed(list, (int)t)
                   > (uint64_t)attempt_below(a, &a->m->above, (int)t))
            return false;
    return attempt_may_hold(a, &a->m->above, list);
}

/* Can each entry be had if it were the only one? */
static bool each_alone(struct attempt *a, const struct entry *list)
{
    for (const struct entry *e = list; e && list->next; e = e->next) {
        struct entry only = *e;
        only.next = NULL;
        if (!attempt_list(a, &only, NULL))
            return false;
    }
    return true;
}

static void fini(struct search *s)
{
    for (size_t i = 0; i < s->nblocks; i++)
        free(s->blocks[i]);
    free(s->blocks);
    free(s->choices);
    sites_fini(&s->sites);
}

bool search_try(struct attempt *a, const struct entry *list, uint64_t *most)
{
    struct search s = {.a = a, .most = most};
    bool found = false;

    if ((!most && !enough(a, list)) || !each_alone(a, list))
        return false;
    selection_destroy(a->sel);
    if (!(a->sel = selection_create())) {
        a->failed = true;
        return false;
    }
    sites_init(&s.sites, a, list);
    if (push_list(&s, list, &s.sites.top) && (found = solve(&s)))
        sites_select(&s.sites);
    if (found && most)
        *most = (uint64_t)s.choices[0].n;
    fini(&s);
    return found && !a->failed;
}
