/*
 * Orders of lots: the children of a pool in the order of the set, if there are
 * many; and rankings, that is all nodes by the units that are free in them, or
 * by a fact.
 *
 * Each order is a treap. Each place in it keeps, row by row, the most that any
 * lot in its subtree gives to its parent. If that is too little, the subtree is
 * skipped. So the next lot in order that has enough is found in logarithmic
 * time.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/treap.h"
#include "model/records/profile.h"

/* With more siblings than SIBLINGS_MANY an order is worth its memory. But not
   if it needs more than ORDER_MOST numbers, as with thousands of types. */
enum { SIBLINGS_MANY = 32, ORDER_MOST = 1 << 22 };

/* Siblings that are tried before an order is made: if much is free, the next
   one that has enough is near. */
enum { STEPS_FIRST = 64 };

struct order_place {
    struct treap_node node;
    struct lot *lot;
    int64_t best[]; /* the most that a lot in the subtree gives to its parent;
                       then the key of this lot */
};

struct order {
    struct treap tree;
    struct usage *u;
    struct rank_by by; /* if it is a ranking */
    size_t nkeys;      /* 0: it is an order of siblings */
    struct stock own, *places;
};

static struct order_place *place_at(const struct treap_node *node)
{
    return (struct order_place *)node;
}

static int64_t *place_key(const struct order *o, struct order_place *p)
{
    return p->best + usage_rows(o->u);
}

/* --- keys ----------------------------------------------------------------- */

/* Find the key of a lot that gives these units to its parent. */
static void find_key(const struct order *o, const struct lot *lot,
                     const int64_t *gives, int64_t *key)
{
    const int64_t *rows = gives + ROWS + FREE * o->u->types.count;

    if (o->by.fact)
        *key++ = o->by.fact(lot->v);
    for (size_t i = 0; i < o->by.ntypes; i++) {
        int64_t n = rows[o->by.types[i]];
        *key++ = o->by.most ? -n : n;
    }
}

/* Compare a lot that has a key with the lot at a place. */
static int compare_place(const struct order *o, const struct lot *lot,
                         const int64_t *key, struct order_place *p)
{
    const int64_t *its = place_key(o, p);

    for (size_t i = 0; i < o->nkeys; i++)
        if (key[i] != its[i])
            return key[i] < its[i] ? -1 : 1;
    if (lot->parent == p->lot->parent)
        return lot_compare(lot, p->lot);
    return lot->v->number < p->lot->v->number ? -1 : 1;
}

static int compare_nodes(const struct treap *t, const struct treap_node *a,
                         const struct treap_node *b)
{
    const struct order *o = (const struct order *)t;

    return compare_place(o, place_at(a)->lot, place_key(o, place_at(a)),
                         place_at(b));
}

static void raise_best(int64_t *best, const struct treap_node *node, size_t n)
{
    for (size_t i = 0; node && i < n; i++)
        if (place_at(node)->best[i] > best[i])
            best[i] = place_at(node)->best[i];
}

static bool pull(struct treap *t, struct treap_node *node)
{
    struct usage *u = ((const struct order *)t)->u;
    size_t n = usage_rows(u);
    struct order_place *p = place_at(node);
    int64_t *best = u->pulled + ROWS;

    if (n == 0)
        return false; /* a set is being read: sums are made later */
    lot_sums(u, p->lot, u->pulled);
    raise_best(best, node->left, n);
    raise_best(best, node->right, n);
    if (!memcmp(p->best, best, n * sizeof(*best)))
        return false;
    memcpy(p->best, best, n * sizeof(*best));
    return true;
}

static const struct treap_rules rules = {compare_nodes, pull};

/* --- making ------------------------------------------------------------- */

static struct order_place *new_place(struct order *o, struct lot *lot)
{
    struct usage *u = o->u;
    size_t n = usage_rows(u) + o->nkeys;
    struct order_place *p = stock_take(o->places,
                                       sizeof(*p) + n * sizeof(int64_t));

    p->lot = lot;
    if (o->nkeys > 0) {
        lot_sums(u, lot, u->pulled);
        find_key(o, lot, u->pulled, place_key(o, p));
    }
    return p;
}

static struct order *order_of(struct usage *u, struct lot *parent)
{
    struct inside *in = parent->in;
    struct treap_node **nodes;
    size_t n = 0;

    if (!in || in->order || in->nchildren <= SIBLINGS_MANY
        || in->nchildren > ORDER_MOST / (usage_rows(u) + 1))
        return in ? in->order : NULL;
    in->order = stock_take(&u->orders, sizeof(*in->order));
    *in->order = (struct order){
        .tree.rules = &rules, .u = u, .places = &u->places};
    nodes = xcalloc(in->nchildren, sizeof(*nodes));
    for (struct lot *c = in->child; c; c = c->next)
        nodes[n++] = &new_place(in->order, c)->node;
    treap_build(&in->order->tree, nodes, n);
    free(nodes);
    return in->order;
}

/* --- rankings ----------------------------------------------------------- */

/* Return whether a lot is a node outside of other nodes and of runs. */
static bool in_rankings(const struct lot *lot)
{
    if (!type_is_node(lot->v->type))
        return false;
    for (lot = lot->parent; lot; lot = lot->parent)
        if (lot->v->run || type_is_node(lot->v->type))
            return false;
    return true;
}

static int compare_ranked(const void *a, const void *b, void *o)
{
    return compare_nodes(o, *(struct treap_node *const *)a,
                         *(struct treap_node *const *)b);
}

static struct order *new_ranking(struct usage *u, const struct rank_by *by)
{
    struct order *o = xcalloc(1, sizeof(*o));
    struct treap_node **nodes = NULL;
    size_t n = 0;

    *o = (struct order){.tree.rules = &rules,
                        .u = u,
                        .by = *by,
                        .nkeys = by->ntypes + (by->fact != NULL),
                        .places = &o->own};
    for (struct lot *lot = &u->top; (lot = profile_next_node(u, lot));)
        if (in_rankings(lot))
            VECTOR_ADD(nodes, n, &new_place(o, lot)->node);
    if (n > 1)
        qsort_r(nodes, n, sizeof(*nodes), compare_ranked, o);
    treap_build(&o->tree, nodes, n);
    free(nodes);
    return o;
}

static bool ranks_by(const struct order *o, const struct rank_by *by)
{
    return o->by.fact == by->fact && o->by.most == by->most
           && o->by.ntypes == by->ntypes
           && !memcmp(o->by.types, by->types, by->ntypes * sizeof(*by->types));
}

static void end_ranking(struct order *o)
{
    if (o)
        stock_fini(&o->own);
    free(o);
}

void rankings_end(struct usage *u)
{
    for (int i = 0; i < RANKINGS; i++) {
        end_ranking(u->rankings[i]);
        u->rankings[i] = NULL;
    }
}

/* The ranking that was used last comes first; a new one replaces the last. */
struct order *usage_rank(struct usage *u, const struct rank_by *by)
{
    struct order *o;
    int i = 0;

    usage_at(u, &u->when);
    while (i < RANKINGS - 1 && u->rankings[i] && !ranks_by(u->rankings[i], by))
        i++;
    o = u->rankings[i];
    if (!o || !ranks_by(o, by)) {
        end_ranking(o);
        o = new_ranking(u, by);
    }
    memmove(&u->rankings[1], &u->rankings[0], (size_t)i * sizeof(o));
    return u->rankings[0] = o;
}

/* --- changes ------------------------------------------------------------ */

/* Find the place of a lot, which was put there when it gave `gives`. */
static struct order_place *find(const struct order *o, const struct lot *lot,
                                const int64_t *gives)
{
    struct treap_node *at = o->tree.root;
    int64_t key[RANK_TYPES + 1];

    find_key(o, lot, gives, key);
    while (place_at(at)->lot != lot)
        at = compare_place(o, lot, key, place_at(at)) < 0 ? at->left
                                                          : at->right;
    return place_at(at);
}

/* Update an order after a lot's units changed. If its key changed, it moves. */
static void order_follow(struct order *o, struct lot *lot,
                         const int64_t *before, const int64_t *after)
{
    struct order_place *p = find(o, lot, before);
    int64_t key[RANK_TYPES + 1];
    size_t size = o->nkeys * sizeof(*key);

    find_key(o, lot, after, key);
    if (!memcmp(key, place_key(o, p), size)) {
        treap_pull(&o->tree, &p->node);
        return;
    }
    treap_remove(&o->tree, &p->node);
    memcpy(place_key(o, p), key, size);
    treap_insert(&o->tree, &p->node);
}

/* All orders that contain a lot. */
struct orders {
    struct order *list[RANKINGS + 1];
    int n;
};

static struct orders orders_with(const struct usage *u, const struct lot *lot)
{
    struct orders all = {.n = 0};

    if (lot->parent->in->order)
        all.list[all.n++] = lot->parent->in->order;
    if (u->rankings[0] && in_rankings(lot))
        for (int i = 0; i < RANKINGS && u->rankings[i]; i++)
            all.list[all.n++] = u->rankings[i];
    return all;
}

void orders_add(struct usage *u, struct lot *lot)
{
    struct orders all = orders_with(u, lot);

    for (int i = 0; i < all.n; i++)
        treap_insert(&all.list[i]->tree, &new_place(all.list[i], lot)->node);
}

/* Units that a lot gave when it got its place, then units that it gives now. */
struct lag {
    struct lag *next;
    struct lot *lot;
    int64_t gives[];
};

void orders_defer(struct usage *u)
{
    u->defers = true;
}

static void settle_lags(struct usage *u)
{
    struct lag *lag;

    while ((lag = u->lags)) {
        struct orders all = orders_with(u, lag->lot);
        int64_t *now = lag->gives + usage_width(u);
        lot_sums(u, lag->lot, now);
        for (int i = 0; i < all.n; i++)
            order_follow(all.list[i], lag->lot, lag->gives, now);
        lag->lot->lags = false;
        u->lags = lag->next;
        free(lag);
    }
}

void orders_settle(struct usage *u)
{
    u->defers = false;
    settle_lags(u);
}

void orders_remove(struct usage *u, struct lot *lot)
{
    struct orders all = orders_with(u, lot);

    settle_lags(u);
    for (int i = 0; i < all.n; i++) {
        struct order *o = all.list[i];
        struct order_place *p;
        lot_sums(u, lot, u->pulled);
        p = find(o, lot, u->pulled);
        treap_remove(&o->tree, &p->node);
        stock_free(o->places, p);
    }
}

void orders_follow(struct usage *u, struct lot *lot, const int64_t *before,
                   const int64_t *after)
{
    struct orders all;

    if (lot->lags)
        return;
    all = orders_with(u, lot);
    if (u->defers && lot->in && all.n > 0) {
        size_t n = usage_width(u);
        struct lag *lag = xmalloc(sizeof(*lag) + 2 * n * sizeof(*before));
        *lag = (struct lag){.next = u->lags, .lot = lot};
        memcpy(lag->gives, before, n * sizeof(*before));
        u->lags = lag;
        lot->lags = true;
        return;
    }
    for (int i = 0; i < all.n; i++)
        order_follow(all.list[i], lot, before, after);
}

struct lot *orders_find(struct usage *u, struct lot *parent,
                        const struct vertex *v, uint32_t at)
{
    struct order *o = order_of(u, parent);
    struct treap_node *node = o ? o->tree.root : NULL;
    struct lot *lot = o ? NULL : lot_open(u, parent);
    int c;

    while (lot && lot_compare_member(v, at, lot) != 0)
        lot = lot->next;
    for (; node && !lot; node = c < 0 ? node->left : node->right)
        if ((c = lot_compare_member(v, at, place_at(node)->lot)) == 0)
            lot = place_at(node)->lot;
    return lot;
}

/* --- the next that has enough ------------------------------------------- */

void needs_add(struct needs *needs, unsigned row, int64_t least)
{
    size_t i = VECTOR_FIND(k, needs->n, needs->at[k].row == row);

    if (i == NEEDS_MAX)
        return;
    if (i == needs->n)
        needs->at[needs->n++] = (struct row_need){row, least};
    else if (needs->at[i].least < least)
        needs->at[i].least = least;
}

bool needs_equal(const struct needs *a, const struct needs *b)
{
    bool same = a->n == b->n;

    for (unsigned i = 0; i < a->n && same; i++)
        same = a->at[i].row == b->at[i].row && a->at[i].least == b->at[i].least;
    return same;
}

int64_t lot_units(const struct usage *u, const struct lot *lot, unsigned row)
{
    unsigned count = u->types.count, ntype = row % count;
    int64_t own = lot->v->type != u->types.names[ntype] ? 0
                  : row < count                         ? lot_free(lot)
                  : lot_idle(lot)                       ? lot->v->size
                                                        : 0;

    return own + lot_below(u, lot, row);
}

static bool lot_has(const struct usage *u, const struct lot *lot,
                    const struct needs *needs)
{
    if (lot->blocked && needs->n > 0)
        return false;
    for (unsigned i = 0; i < needs->n; i++)
        if (lot_units(u, lot, needs->at[i].row) < needs->at[i].least)
            return false;
    return true;
}

/* Return whether some lot in a subtree could satisfy the needs. */
static bool may_have_needs(const struct treap_node *node,
                           const struct needs *needs)
{
    for (unsigned i = 0; i < needs->n; i++)
        if (place_at(node)->best[needs->at[i].row] < needs->at[i].least)
            return false;
    return true;
}

/* Where a search continues: behind a lot (NULL: anywhere), to the right, or
   with `back` to the left. */
struct behind {
    const struct order *o;
    const struct lot *from;
    int64_t key[RANK_TYPES + 1];
    bool back;
};

static bool is_behind(const struct behind *b, const struct treap_node *node)
{
    int c = place_at(node)->lot == b->from
                ? 0
                : compare_place(b->o, b->from, b->key, place_at(node));

    return b->back ? c > 0 : c < 0;
}

/* Return the first lot in a subtree; `all`: the whole subtree is behind
   `from`. */
static struct lot *first_in(const struct behind *b,
                            const struct treap_node *node, bool all,
                            const struct needs *needs)
{
    while (node && may_have_needs(node, needs)) {
        bool is = all || is_behind(b, node);
        struct lot *found = is ? first_in(b, b->back ? node->right : node->left,
                                          all, needs)
                               : NULL;
        if (found)
            return found;
        if (is && lot_has(b->o->u, place_at(node)->lot, needs))
            return place_at(node)->lot;
        node = b->back ? node->left : node->right;
        all = all || is;
    }
    return NULL;
}

static struct lot *next_in(const struct order *o, const struct lot *from,
                           const struct needs *needs, bool back)
{
    struct behind b = {.o = o, .from = from, .back = back};

    if (from && o->nkeys > 0) {
        lot_sums(o->u, from, o->u->pulled);
        find_key(o, from, o->u->pulled, b.key);
    }
    return first_in(&b, o->tree.root, !from, needs);
}

struct lot *rank_next(struct order *o, const struct lot *from,
                      const struct needs *needs)
{
    return next_in(o, from, needs, false);
}

/* Return the next sibling; if `from` is NULL the first, or the last. */
static struct lot *step(struct lot *first, struct lot *from, bool back)
{
    if (from)
        return back ? from->prev : from->next;
    while (back && first && first->next)
        first = first->next;
    return first;
}

/* May a node have enough, as far as its profile knows? `o` are the openings for
   these needs, or NULL. */
static bool may_have(const struct usage *u, const struct lot *node,
                     const struct needs *needs, const struct opening *o)
{
    struct profile *p = node->in ? node->in->profile : NULL;

    return !p
           || (!(o && o[p->number].from > u->when.from)
               && profile_may_have(p, needs, &u->when));
}

/* Return the next lot that has enough, while only visited nodes are counted. */
static struct lot *next_looked_at(struct usage *u, struct lot *first,
                                  struct lot *from, const struct needs *needs,
                                  bool back)
{
    double since;
    const struct opening *o = supply_openings(u, needs, u->when.from, &since);

    while ((from = step(first, from, back))) {
        if (!may_have(u, from, needs, o))
            continue;
        lot_show(u, from);
        if (lot_has(u, from, needs))
            return from;
    }
    return NULL;
}

struct lot *usage_next(struct usage *u, struct lot *parent, struct lot *from,
                       const struct needs *needs, bool back)
{
    struct lot *first = lot_open(u, parent), *next = from;
    bool none = !needs || u->types.huge;
    int steps = back || !first || parent->in->order ? 0 : STEPS_FIRST;

    if (!none && u->looking && !vertex_in_node(parent->v))
        return next_looked_at(u, first, from, needs, back);
    for (; !none && steps > 0; steps--)
        if (!(next = step(first, next, back)) || lot_has(u, next, needs)) {
            u->found = next ? next : u->found; /* its taker will look for it */
            return next;
        }
    if (!none && order_of(u, parent))
        return next_in(order_of(u, parent), from, needs, back);
    do
        next = step(first, next, back);
    while (next && !none && !lot_has(u, next, needs));
    return next;
}

int64_t usage_most_in_node(struct usage *u, unsigned ntype)
{
    struct needs more = {.n = 1, .at = {{.row = ntype}}};
    int64_t most = 0;

    for (struct lot *lot = &u->top; (lot = profile_next_node(u, lot));) {
        more.at[0].least = most + 1;
        if (!may_have(u, lot, &more, NULL))
            continue;
        lot_show(u, lot);
        if (!lot->blocked && lot_below(u, lot, ntype) > most)
            most = lot_below(u, lot, ntype);
    }
    return most;
}
