/*
 * Supplies (profile.h): how many of a kind all nodes could give over time.
 * Change points are in a balanced tree with minima and maxima, so that the next
 * moment with enough is found without visiting the points before it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "model/records/profile.h"

struct change_point {
    struct treap_node node;
    double time;
    int64_t change;
    int64_t sum, least, most; /* in a subtree; extremes of the sum */
};

static struct change_point *point_at(const struct treap_node *node)
{
    return (struct change_point *)node;
}

static int compare_points(const struct treap *t, const struct treap_node *a,
                          const struct treap_node *b)
{
    double x = point_at(a)->time, y = point_at(b)->time;

    (void)t;
    return COMPARE(x, y);
}

static int64_t sum_before(const struct treap_node *node)
{
    return node->left ? point_at(node->left)->sum : 0;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static bool pull_point(struct treap *t, struct treap_node *node)
{
    const struct change_point *left = point_at(node->left),
                              *right = point_at(node->right);
    struct change_point *p = point_at(node), old = *p;
    int64_t here = sum_before(node) + p->change;

    (void)t;
    p->sum = here + (right ? right->sum : 0);
    p->least = smaller(here, left ? left->least : here);
    p->most = larger(here, left ? left->most : here);
    if (right) {
        p->least = smaller(p->least, here + right->least);
        p->most = larger(p->most, here + right->most);
    }
    return p->sum != old.sum || p->least != old.least || p->most != old.most;
}

static const struct treap_rules supply_rules = {compare_points, pull_point};

/* Add a change among the latest ones to the point at its time. */
static void change_point(struct usage *u, struct supply *k, size_t i)
{
    struct treap_node *at = k->points.root;
    double time = k->latest[i].time;
    int64_t more = k->latest[i].more;
    struct change_point *point;

    if (more == 0)
        return;
    k->latest[i].more = 0;
    while (at && point_at(at)->time != time)
        at = time < point_at(at)->time ? at->left : at->right;
    point = at ? point_at(at) : stock_take(&u->points, sizeof(*point));
    point->time = time;
    point->change += more;
    if (!at) {
        treap_insert(&k->points, &point->node);
    } else if (point->change != 0) {
        treap_pull(&k->points, at);
    } else {
        treap_remove(&k->points, at);
        stock_free(&u->points, point);
    }
}

void supply_change(struct usage *u, struct supply *k, double time, int64_t more)
{
    uint64_t bits;
    size_t i;

    if (time <= 0)
        k->start += more;
    if (time <= 0 || more == 0)
        return;
    memcpy(&bits, &time, sizeof(bits));
    i = hash_mix(bits) % LATEST_CHANGES;
    if (k->latest[i].time != time) {
        change_point(u, k, i);
        k->latest[i].time = time;
    }
    k->latest[i].more += more;
    k->changed = true;
}

static int64_t value_at(const struct supply *k, double time)
{
    int64_t sum = k->start;

    for (const struct treap_node *at = k->points.root; at;) {
        if (point_at(at)->time > time) {
            at = at->left;
        } else {
            sum += sum_before(at) + point_at(at)->change;
            at = at->right;
        }
    }
    return sum;
}

/* Return the last moment between two times (both excluded) at which there is
   less than `least`; negative: none. `sum` is the value before the subtree. */
static double last_below(const struct treap_node *at, int64_t sum, double from,
                         double to, int64_t least)
{
    while (at && sum + point_at(at)->least < least) {
        double time = point_at(at)->time, found = -1;
        int64_t here = sum + sum_before(at) + point_at(at)->change;
        if (time < to)
            found = last_below(at->right, here, from, to, least);
        if (found >= 0)
            return found;
        if (time > from && time < to && here < least)
            return time;
        at = time > from ? at->left : NULL;
    }
    return -1;
}

/* Return the first moment after a time at which there is enough; INFINITY:
   none. */
static double first_enough(const struct treap_node *at, int64_t sum,
                           double after, int64_t least)
{
    while (at && sum + point_at(at)->most >= least) {
        double time = point_at(at)->time, found = INFINITY;
        int64_t here = sum + sum_before(at) + point_at(at)->change;
        if (time > after)
            found = first_enough(at->left, sum, after, least);
        if (found < INFINITY)
            return found;
        if (time > after && here >= least)
            return time;
        sum = here;
        at = at->right;
    }
    return INFINITY;
}

static void drop_points(struct usage *u, struct treap_node *at)
{
    while (at) {
        struct treap_node *right = at->right;
        drop_points(u, at->left);
        stock_free(&u->points, at);
        at = right;
    }
}

struct opening *supply_openings(struct usage *u, const struct needs *each,
                                double from, double *since)
{
    struct supply *k;
    size_t i = VECTOR_FIND(at, u->nsupplies,
                           needs_equal(&u->supplies[at]->kind.each, each));

    if (i == u->nsupplies)
        return NULL;
    k = u->supplies[i];
    if (from < k->since)
        k->nopenings = 0;
    k->since = k->nopenings > 0 ? fmax(k->since, fmin(from, u->now)) : from;
    *since = k->since;
    while (k->nopenings < u->nprofiles)
        VECTOR_ADD(k->openings, k->nopenings,
                   (struct opening){-INFINITY, INFINITY, INFINITY});
    return k->openings;
}

/* Return the first start, not before `from`, at which there are `least` for a
   duration (0: without end); INFINITY if there is none before `limit`. */
static double first_start(struct usage *u, struct supply *k, int64_t least,
                          double from, double limit, double duration)
{
    double last = 0;

    for (size_t i = 0; i < LATEST_CHANGES && k->changed; i++)
        change_point(u, k, i);
    k->changed = false;
    while (last >= 0 && from < limit) {
        double to = duration > 0 ? from + duration : INFINITY;
        last = last_below(k->points.root, k->start, from, to, least);
        if (last < 0 && value_at(k, from) < least)
            last = from;
        if (last >= 0)
            from = first_enough(k->points.root, k->start, last, least);
    }
    return from < limit ? from : INFINITY;
}

/* --- the supplies of a set ------------------------------------------------ */

static bool same_nodes(const struct part_kind *a, const struct part_kind *b)
{
    return a->in == b->in || (a->in && b->in && idset_equal(a->in, b->in));
}

bool part_kind_equal(const struct part_kind *a, const struct part_kind *b)
{
    return needs_equal(&a->each, &b->each) && same_nodes(a, b);
}

bool part_kind_within(const struct part_kind *a, const struct part_kind *b)
{
    bool within = true;

    for (unsigned i = 0; i < a->each.n && within; i++) {
        const struct row_need *need = &a->each.at[i];
        size_t k = VECTOR_FIND(j, b->each.n, b->each.at[j].row == need->row);
        within = k < b->each.n && need->least <= b->each.at[k].least;
    }
    return within && same_nodes(a, b);
}

int64_t supply_nodes(const struct supply *k, const struct lot *node)
{
    const struct idset *in = k->kind.in;
    int64_t n = lot_pools(node, NULL), within = 0;
    struct idrange all, r;

    if (!in || !vertex_is_target(node->v))
        return n;
    all = lot_ranks(node);
    if (all.lo == all.hi)
        return idset_contains(in, all.lo) ? n : 0;
    for (size_t i = 0; i < idset_nranges(in); i++) {
        r = idset_range(in, i);
        r.lo = r.lo > all.lo ? r.lo : all.lo;
        r.hi = r.hi < all.hi ? r.hi : all.hi;
        if (r.lo <= r.hi)
            within += (int64_t)(r.hi - r.lo) + 1;
    }
    return n / (int64_t)node->n * within;
}

/* Let a supply count another kind: what all nodes can give. Nodes without a
   profile are idle. */
static void fill_supply(struct usage *u, struct supply *k,
                        const struct part_kind *kind)
{
    int64_t n, members;

    drop_points(u, k->points.root);
    idset_destroy(k->kind.in);
    free(k->openings);
    *k = (struct supply){.points.rules = &supply_rules, .in_node = INT64_MAX};
    k->kind.each = kind->each;
    k->kind.in = kind->in ? idset_copy(kind->in) : NULL;
    for (struct lot *lot = &u->top; (lot = profile_next_node(u, lot));) {
        if ((members = supply_nodes(k, lot)) == 0)
            continue;
        n = profile_times_idle(u, lot->v, &k->kind.each);
        k->in_node = n < k->in_node ? n : k->in_node;
        if (!lot->in || !lot->in->profile)
            k->start += n * members;
    }
    for (size_t i = 0; i < u->nprofiles; i++)
        if (u->profiles[i]->counted)
            supply_add_profile(u->profiles[i], k, ADD);
    for (const struct promise *p = u->promises; p; p = p->next)
        supply_apply(u, k, p, TAKE);
}

/* The supply that was used last comes first; a new one replaces the last. */
static struct supply *supply_of(struct usage *u, const struct part_kind *kind)
{
    struct supply *k;
    size_t i = VECTOR_FIND(at, u->nsupplies,
                           part_kind_equal(&u->supplies[at]->kind, kind));

    if (i < u->nsupplies) {
        k = u->supplies[i];
    } else {
        if (u->nsupplies < SUPPLIES)
            u->supplies[u->nsupplies++] = xcalloc(1, sizeof(*k));
        else
            i--;
        k = u->supplies[i];
        fill_supply(u, k, kind);
    }
    memmove(&u->supplies[1], &u->supplies[0], i * sizeof(struct supply *));
    return u->supplies[0] = k;
}

double usage_first_start(struct usage *u, const struct part_kind *kind,
                         int64_t least, double from, double limit,
                         double duration)
{
    if ((u->ntimed > 0 || u->promises) && kind->each.n > 0 && !u->rs->source)
        usage_profiles(u); /* would read a set in pieces whole */
    if (!u->has_profiles || kind->each.n == 0)
        return from;
    return first_start(u, supply_of(u, kind), least, from, limit, duration);
}
