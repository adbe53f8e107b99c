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
    return (x > y) - (x < y);
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

/* Change the points at a time. */
static void change_point(struct usage *u, struct supply *k, double time,
                         int64_t more)
{
    struct treap_node *at = k->points.root;
    struct change_point *point;

    if (more == 0)
        return;
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
        change_point(u, k, k->latest[i].time, k->latest[i].more);
        k->latest[i].time = time;
        k->latest[i].more = 0;
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
    size_t i = 0;

    while (i < u->nsupplies && !needs_equal(&u->supplies[i]->kind.each, each))
        i++;
    if (i == u->nsupplies)
        return NULL;
    k = u->supplies[i];
    if (from < k->since)
        k->nopenings = 0;
    k->since = k->nopenings > 0 ? fmax(k->since, fmin(from, u->now)) : from;
    *since = k->since;
    if (k->nopenings < u->nprofiles)
        k->openings = xreallocarray(k->openings, u->nprofiles,
                                    sizeof(*k->openings));
    while (k->nopenings < u->nprofiles)
        k->openings[k->nopenings++] = (struct opening){-INFINITY, INFINITY,
                                                       INFINITY};
    return k->openings;
}

void supply_begin(struct usage *u, struct supply *k,
                  const struct part_kind *kind)
{
    drop_points(u, k->points.root);
    idset_destroy(k->kind.in);
    free(k->openings);
    *k = (struct supply){.points.rules = &supply_rules};
    k->kind.each = kind->each;
    k->kind.in = kind->in ? idset_copy(kind->in) : NULL;
}

double supply_first(struct usage *u, struct supply *k, int64_t least,
                    double from, double limit, double duration)
{
    double last = 0;

    for (size_t i = 0; i < LATEST_CHANGES && k->changed; i++) {
        change_point(u, k, k->latest[i].time, k->latest[i].more);
        k->latest[i].more = 0;
    }
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
