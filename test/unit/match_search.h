/*
 * The naive search: see match_naive.h.
 */
#ifndef TEST_MATCH_SEARCH_H
#define TEST_MATCH_SEARCH_H

#include "match_request.h"

/* --- taking -------------------------------------------------------------- */

/* An entry takes a pool, or units of it. */
struct act {
    const struct entry *entry;
    int pool, amount;
    int above; /* the act above it; -1: none */
    bool leaf, held, whole, shared;
};

struct goal {
    const struct entry *entry;
    int scope, above;
    bool chosen;
    long long left; /* pools; for a leaf, requested units times their worth */
    const short *order; /* all pools, in the order of the search */
    int cursor;
    const struct goal *rest;
};

struct search;
/* The order of a policy for a goal: all pools, those below its scope first. */
typedef void (*order_fn)(const struct search *s, const struct goal *g,
                         short order[POOLS]);

struct search {
    const struct world *w;
    const struct wish *q;
    order_fn order; /* of a policy; NULL: `first` */
    bool ever;      /* as if all were up and free */
    struct act act[ACTS];
    int n;
    long steps, limit;
    bool too_long;
    /* For each entry: pools of its type and id; slots that need a node. */
    bool fits[ENTRIES][POOLS], in_a_node[ENTRIES];
};

static bool in_slot_exclusive(const struct entry *e)
{
    return e->exclusive >= 0 ? e->exclusive : e->in_slot;
}

static bool used_by_others(const struct pool *p)
{
    return p->claimed > 0 || p->shared || p->staged;
}

/*
 * Can all of a pool be taken, as far as other jobs are concerned? Listed pools
 * have to be allowed, too.
 */
static bool whole_free(const struct search *s, int p, bool listed)
{
    for (int c = p; c < s->w->pool[p].end; c++) {
        const struct pool *at = &s->w->pool[c];
        if (listed && !at->allowed)
            return false;
        if (!s->ever && (!at->up || used_by_others(at)))
            return false;
    }
    return true;
}

/* Is a pool usable: it, and all pools around it? */
static bool usable(const struct search *s, int p)
{
    for (int self = p; p >= 0; p = s->w->pool[p].parent) {
        const struct pool *at = &s->w->pool[p];
        if (!at->allowed)
            return false;
        if (!s->ever && (!at->up || at->staged || at->claimed >= at->size))
            return false;
        if (p != self && at->exclusive && !whole_free(s, p, false))
            return false;
    }
    return true;
}

/* How a pool is reached from another: by an edge, or inside a pool at its
   end. */
enum reached { NOT_REACHED, REACHED, REACHED_WITH };

/* Do edges of the pool belong to the scope? */
static bool is_of(const struct world *w, int p, int scope)
{
    for (int i = 0; i < w->nlinks; i++)
        if (w->links[i].holds && w->links[i].from == scope
            && within(w, p, w->links[i].to))
            return true;
    return p == scope || (w->pool[scope].loose && within(w, p, scope));
}

/* Return the pool at the other end of a link of the scope, unless one of them
   is in the other; or -1. */
static int other_end(const struct world *w, int link, int scope)
{
    int from = w->links[link].from, to = w->links[link].to,
        other = is_of(w, from, scope) ? to
                : is_of(w, to, scope) ? from
                                      : -1;

    if (other < 0 || within(w, other, scope) || within(w, scope, other))
        return -1;
    return other;
}

static enum reached reach(const struct world *w, int p, int scope)
{
    enum reached how = NOT_REACHED;

    if (within(w, p, scope) || within(w, scope, p))
        return NOT_REACHED;
    for (int i = 0; i < w->nlinks; i++) {
        int other = other_end(w, i, scope);
        if (other < 0)
            continue;
        if (p != other && within(w, p, other))
            return REACHED_WITH;
        if (is_of(w, other, p))
            how = REACHED;
    }
    return how;
}

static bool below(const struct world *w, int p, int scope)
{
    if (scope == TOP)
        return true;
    return (p != scope && within(w, p, scope)) || reach(w, p, scope);
}

/* Is a pool directly below a scope? */
static bool directly(const struct world *w, int p, int scope)
{
    return w->pool[p].parent == scope
           || (scope != TOP && reach(w, p, scope) == REACHED);
}

/* The order in which pools are tried: pools in the scope first. */
static int nth(const struct world *w, int scope, int i)
{
    int n = scope == TOP ? 0 : w->pool[scope].end - scope;

    if (i < n)
        return scope + i;
    return i - n < scope ? i - n : i;
}

/* Is the pool inside a held one, which the scope reaches only by an edge? */
static bool barred(const struct search *s, int p, int scope)
{
    if (scope == TOP || within(s->w, p, scope))
        return false;
    for (int i = 0; i < s->n; i++)
        if (s->act[i].held && within(s->w, p, s->act[i].pool)
            && !within(s->w, scope, s->act[i].pool))
            return true;
    return false;
}

static bool named(const struct pool *p, const char *id)
{
    if (!*id)
        return true;
    if ((*id >= '0' && *id <= '9') || *id == '[')
        return idset_has(id, p->id);
    return hostlist_has(id, p->name);
}

/* Can the goal take this pool, as far as the set is concerned? */
static bool candidate(struct search *s, const struct goal *g, int p)
{
    const struct entry *e = g->entry;

    if (!s->fits[e->number][p] || !below(s->w, p, g->scope))
        return false;
    if (s->q->slot_parent && e->listed_in_slot && !directly(s->w, p, g->scope))
        return false;
    return usable(s, p) && !barred(s, p, g->scope);
}

static bool is_below(const struct search *s, int act, int above)
{
    for (; act >= 0; act = s->act[act].above)
        if (act == above)
            return true;
    return false;
}

/* Can act i and a later one exist side by side? */
static bool agree(const struct search *s, int i, int later)
{
    const struct act *a = &s->act[i], *b = &s->act[later];

    if (a->pool == b->pool && !(a->leaf && b->leaf))
        return false;
    if (a->held && within(s->w, b->pool, a->pool) && !is_below(s, later, i))
        return false;
    if (b->held && within(s->w, a->pool, b->pool) && !is_below(s, i, later))
        return false;
    if (a->pool == b->pool && (a->held || b->held))
        return false;
    return true;
}

/* Take, if earlier acts allow it. */
static bool take(struct search *s, const struct act *a)
{
    if (s->n == ACTS) {
        s->too_long = true;
        return false;
    }
    s->act[s->n] = *a;
    for (int i = 0; i < s->n; i++)
        if (!agree(s, i, s->n))
            return false;
    s->n++;
    return true;
}

/*
 * The units of a pool that an entry could take: units that no entry has; unless
 * it is shared, also no other job; and not all of a pool that another job
 * shares.
 */
static int units_left(const struct search *s, int p, bool shared)
{
    const struct pool *at = &s->w->pool[p];
    int left = at->size - (s->ever || shared ? 0 : at->claimed);

    if (at->shared && at->size > 1 && left == at->size && !s->ever && !shared)
        left--;
    for (int i = 0; i < s->n; i++)
        if (s->act[i].leaf && s->act[i].pool == p)
            left -= s->act[i].amount;
    return left < 0 ? 0 : left;
}

static bool is_shared(const struct entry *e, const struct pool *p)
{
    return !in_slot_exclusive(e) && !p->exclusive;
}

/* --- the search ---------------------------------------------------------- */

static bool solve(struct search *s, const struct goal *g);

/* Serve the entries of a list in order, then the rest. */
static bool solve_list(struct search *s, const struct entry *const *list, int n,
                       int scope, int above, const struct goal *rest)
{
    struct goal goals[WITH];

    for (int i = 0; i < n; i++)
        goals[i] = (struct goal){.entry = list[i],
                                 .scope = scope,
                                 .above = above,
                                 .rest = i + 1 < n ? &goals[i + 1] : rest};
    return solve(s, n ? &goals[0] : rest);
}

/* The worth of a requested unit, by the pools of the set. */
static long long asked_worth(const struct search *s, const struct entry *e)
{
    long long asked, one;

    for (int p = 0; p < s->w->n && !e->slot && !e->nwith; p++)
        if (!strcmp(s->w->pool[p].type, e->type)
            && worth(e, &s->w->pool[p], &one, &asked))
            return asked;
    return 1;
}

/* The largest count that is possible. */
static long long most(const struct search *s, const struct entry *e)
{
    long long sum = 0, asked, one;

    for (int p = 0; p < s->w->n; p++) {
        const struct pool *at = &s->w->pool[p];
        if (e->slot)
            sum += at->size;
        else if (!strcmp(at->type, e->type) && worth(e, at, &one, &asked))
            sum += e->nwith ? 1 : at->size * one;
    }
    return sum / asked_worth(s, e);
}

static bool solve_count(struct search *s, const struct goal *g)
{
    struct goal chosen = *g;
    short order[POOLS];

    for (int i = 0; i < s->w->n; i++)
        order[i] = (short)nth(s->w, g->scope, i);
    if (s->order)
        s->order(s, g, order);
    chosen.order = order;
    chosen.chosen = true;
    for (long long n = most(s, g->entry); n > 0 && !s->too_long; n--) {
        if (!count_has(g->entry->count, n))
            continue;
        chosen.left = n * asked_worth(s, g->entry);
        if (solve(s, &chosen))
            return true;
    }
    return false;
}

static bool taken_whole(const struct search *s, const struct entry *e,
                        const struct pool *p)
{
    return p->size == 1 || e->exclusive == 1 || s->q->granule_pool;
}

/* Take from the pool at the cursor, as much as possible first. */
static bool solve_leaf_at(struct search *s, const struct goal *g, int cursor)
{
    int p = g->order[cursor];
    const struct pool *at = &s->w->pool[p];
    struct act a = {
        .entry = g->entry, .pool = p, .above = g->above, .leaf = true};
    bool whole = taken_whole(s, g->entry, at);
    int n = s->n, free, least = whole ? at->size : 1;
    struct goal next = *g;
    long long one, asked;

    worth(g->entry, at, &one, &asked);
    a.shared = is_shared(g->entry, at);
    free = units_left(s, p, a.shared);
    a.held = whole && !a.shared;
    if ((a.held || at->exclusive) && !whole_free(s, p, !a.shared))
        return false;
    if (!whole && free > (g->left + one - 1) / one)
        free = (int)((g->left + one - 1) / one);
    for (a.amount = free; a.amount >= least; a.amount--) {
        next.left = g->left - a.amount * one;
        next.left = next.left < 0 ? 0 : next.left;
        next.cursor = cursor + 1;
        a.whole = !a.shared && (a.held || at->exclusive);
        if (take(s, &a) && solve(s, &next))
            return true;
        s->n = n;
        if (s->too_long)
            return false;
    }
    return false;
}

/* Are the remaining pools too few for the rest of a leaf? */
static bool leaf_hopeless(struct search *s, const struct goal *g)
{
    long long sum = 0, one, asked;

    for (int i = g->cursor; i < s->w->n && sum < g->left; i++) {
        int p = g->order[i];
        if (candidate(s, g, p)) {
            worth(g->entry, &s->w->pool[p], &one, &asked);
            sum += one * units_left(s, p, is_shared(g->entry, &s->w->pool[p]));
        }
    }
    return sum < g->left;
}

static bool solve_leaf(struct search *s, const struct goal *g)
{
    if (leaf_hopeless(s, g))
        return false;
    for (int i = g->cursor; i < s->w->n && !s->too_long; i++)
        if (candidate(s, g, g->order[i]) && solve_leaf_at(s, g, i))
            return true;
    return false;
}

static bool solve_inner(struct search *s, const struct goal *g)
{
    const struct entry *e = g->entry;
    int n = s->n;

    for (int i = g->cursor; i < s->w->n && !s->too_long; i++) {
        int p = g->order[i];
        struct act a = {.entry = e, .pool = p, .above = g->above};
        struct goal next = *g;
        if (!candidate(s, g, p))
            continue;
        a.held = in_slot_exclusive(e);
        a.whole = e->exclusive == 1;
        next.left--;
        next.cursor = i + 1;
        if (((!a.held && !s->w->pool[p].exclusive) || whole_free(s, p, a.whole))
            && take(s, &a) && solve_list(s, e->with, e->nwith, p, n, &next))
            return true;
        s->n = n;
    }
    return false;
}

/* --- slots --------------------------------------------------------------- */

static bool asks_for_node(const struct entry *e)
{
    for (int i = 0; i < e->nwith; i++)
        if (!strcmp(e->with[i]->type, "node") || asks_for_node(e->with[i]))
            return true;
    return false;
}

static bool in_node(const struct world *w, int p)
{
    for (; p >= 0; p = w->pool[p].parent)
        if (is_node(&w->pool[p]))
            return true;
    return false;
}

static bool asks_for_type(const struct entry *e, const char *type)
{
    for (int i = 0; i < e->nwith; i++)
        if (!strcmp(e->with[i]->type, type) || asks_for_type(e->with[i], type))
            return true;
    return false;
}

/* Does any requested type exist in nodes? */
static bool lies_in_nodes(const struct world *w, const struct entry *slot)
{
    for (int p = 0; p < w->n; p++)
        if (in_node(w, w->pool[p].parent)
            && asks_for_type(slot, w->pool[p].type))
            return true;
    return false;
}

/*
 * Can a slot be in this pool below the scope: is it usable, and not in a pool
 * that an earlier entry holds whole?
 */
static bool usable_place(const struct search *s, const struct goal *g, int p)
{
    const struct pool *at = &s->w->pool[p];

    if (!below(s->w, p, g->scope) || !usable(s, p)
        || (at->exclusive && !whole_free(s, p, false)))
        return false;
    for (int i = 0; i < s->n; i++)
        if (s->act[i].held && within(s->w, p, s->act[i].pool)
            && !is_below(s, g->above, i))
            return false;
    return true;
}

/* Can a slot of this goal be in this pool (TOP: anywhere)? */
static bool is_host(const struct search *s, const struct goal *g, int p)
{
    const struct world *w = s->w;

    if (s->q->slot_parent)
        return p == g->scope
               || (p != TOP && usable_place(s, g, p)
                   && !barred(s, p, g->scope));
    if (!s->in_a_node[g->entry->number]
        || (g->scope != TOP && in_node(w, g->scope)))
        return p == g->scope;
    return p != TOP && is_node(&w->pool[p]) && usable_place(s, g, p)
           && !barred(s, p, g->scope);
}

static bool solve_slot(struct search *s, const struct goal *g)
{
    int n = s->n;

    /* For TOP the cursor is one more than for a pool. */
    for (int at = g->cursor; at <= s->w->n && !s->too_long; at++) {
        int p = at ? g->order[at - 1] : TOP;
        struct goal next = *g;
        if (!is_host(s, g, p))
            continue;
        next.left--;
        next.cursor = at;
        if (solve_list(s, g->entry->with, g->entry->nwith, p, g->above, &next))
            return true;
        s->n = n;
    }
    return false;
}

static bool solve(struct search *s, const struct goal *g)
{
    if (!g)
        return true;
    if (s->too_long || ++s->steps > s->limit) {
        s->too_long = true;
        return false;
    }
    if (!g->chosen)
        return solve_count(s, g);
    if (g->left == 0)
        return solve(s, g->rest);
    if (g->entry->slot)
        return solve_slot(s, g);
    return g->entry->nwith ? solve_inner(s, g) : solve_leaf(s, g);
}

__attribute__((unused)) static bool search_first(struct search *s)
{
    long long x, y;

    for (int i = 0; i < s->q->n; i++) {
        const struct entry *e = &s->q->entry[i];
        s->in_a_node[i] = !asks_for_node(e) && lies_in_nodes(s->w, e);
        for (int p = 0; p < s->w->n; p++) {
            const struct pool *at = &s->w->pool[p];
            s->fits[i][p] = !strcmp(at->type, e->type) && named(at, e->id)
                            && worth(e, at, &x, &y);
        }
    }
    return solve_list(s, s->q->top, s->q->ntop, TOP, -1, NULL);
}

/* --- the answer ---------------------------------------------------------- */

/* The listed part of each pool; 0: none. */
struct picked {
    int amount[POOLS];
    bool held[POOLS], shared[POOLS], in_held[POOLS];
    bool inner[POOLS]; /* for an entry with others below it */
};

static void pick_all(const struct world *w, struct picked *x, int top)
{
    for (int p = top + 1; p < w->pool[top].end; p++) {
        x->amount[p] = w->pool[p].size;
        x->in_held[p] = true;
    }
}

/* All that a search has taken, with the pools around it. */
__attribute__((unused)) static void pick_acts(const struct search *s,
                                              struct picked *x)
{
    const struct world *w = s->w;

    *x = (struct picked){0};
    for (int i = 0; i < s->n; i++) {
        const struct act *a = &s->act[i];
        x->amount[a->pool] += a->leaf && !a->shared ? a->amount : 0;
        x->inner[a->pool] |= !a->leaf;
        x->held[a->pool] |= a->held || (a->leaf && a->whole);
    }
    for (int p = 0; p < w->n; p++) /* a job with all units has all contents */
        if (x->amount[p] == w->pool[p].size && whole_free(s, p, true)) {
            x->held[p] = true;
            pick_all(w, x, p);
        }
    for (int i = 0; i < s->n; i++) {
        const struct act *a = &s->act[i];
        bool inner = !a->leaf && !a->held && !w->pool[a->pool].exclusive;
        x->shared[a->pool] |= (a->shared || inner) && !x->amount[a->pool];
    }
    for (int i = 0; i < s->n; i++) {
        for (int p = s->act[i].pool; p >= 0; p = w->pool[p].parent) {
            x->held[p] |= w->pool[p].exclusive;
            if (!x->amount[p] || w->pool[p].exclusive)
                x->amount[p] = w->pool[p].size;
        }
    }
    for (int i = 0; i < s->n; i++) {
        if (s->act[i].whole)
            pick_all(w, x, s->act[i].pool);
        for (int p = s->act[i].pool; s->q->node_exclusive && p >= 0;
             p = w->pool[p].parent)
            if (is_node(&w->pool[p]))
                pick_all(w, x, p);
    }
}

#endif /* TEST_MATCH_SEARCH_H */
