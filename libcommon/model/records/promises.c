/*
 * Promises: whole nodes, or parts of nodes, that will be taken from a time on,
 * as a number that supplies leave out; and places for them, the ranks of idle
 * nodes (forecast.h).
 */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "model/records/profile.h"

/* Return how many parts of a supply a promise takes at least, wherever it
   lies. */
static int64_t taken_from(const struct usage *u, const struct supply *k,
                          const struct promise *p)
{
    unsigned idle = u->types.count + (unsigned)types_node(&u->types);

    if (part_kind_equal(&k->kind, p->kind))
        return p->times;
    if (p->kind->each.at[0].row != idle
        || (k->kind.in
            && !(p->kind->in && idset_subset(p->kind->in, k->kind.in))))
        return 0;
    return p->times * k->in_node;
}

void supply_apply(struct usage *u, struct supply *k, const struct promise *p,
                  int64_t times)
{
    times *= taken_from(u, k, p);
    if (times == 0)
        return;
    supply_change(u, k, p->from, times);
    if (p->to < INFINITY)
        supply_change(u, k, p->to, -times);
}

static void apply_promise_to_all(struct usage *u, const struct promise *p,
                                 int64_t times)
{
    for (size_t i = 0; i < u->nsupplies; i++)
        supply_apply(u, u->supplies[i], p, times);
}

void usage_promise(struct usage *u, struct promise *p)
{
    apply_promise_to_all(u, p, TAKE);
    p->prev = NULL;
    p->next = u->promises;
    if (p->next)
        p->next->prev = p;
    u->promises = p;
    u->placed |= p->ranks != NULL;
}

void usage_take_back(struct usage *u, struct promise *p)
{
    apply_promise_to_all(u, p, ADD);
    *(p->prev ? &p->prev->next : &u->promises) = p->next;
    if (p->next)
        p->next->prev = p->prev;
}

struct idset *usage_taken(struct usage *u, double from, double to)
{
    const struct promise *p = u->placed ? u->promises : NULL;
    struct idset *taken = NULL;

    u->placed = false;
    for (; p; p = p->next) {
        u->placed |= p->ranks != NULL;
        if (!p->ranks || p->from >= to || p->to <= from)
            continue;
        taken = taken ? taken : idset_create();
        for (size_t i = 0; i < idset_nranges(p->ranks); i++)
            idset_push(taken, idset_range(p->ranks, i).lo,
                       idset_range(p->ranks, i).hi);
    }
    if (taken)
        idset_settle(taken);
    return taken;
}

/* Find out when each node is up and idle. */
static void find_idle(struct usage *u)
{
    struct needs idle = {.n = 0};
    struct steps s = {.n = 0};

    usage_profiles(u); /* something may have ended them */
    if (u->idle_known)
        return;
    u->nidle = 0;
    needs_add(&idle, u->types.count + (unsigned)types_node(&u->types), 1);
    for (struct lot *lot = &u->top; (lot = profile_next_node(u, lot));) {
        struct profile *p = lot->in ? lot->in->profile : NULL;
        s.n = 0;
        if (p)
            profile_steps(p, &idle, -INFINITY, INFINITY, NULL, &s);
        else
            steps_add(&s, -INFINITY, 1);
        for (size_t i = 0; i < s.n; i++)
            if (s.list[i].times > 0)
                VECTOR_ADD(u->idle, u->nidle,
                           (struct idle_nodes){lot_ranks(lot), s.list[i].time,
                                               i + 1 < s.n ? s.list[i + 1].time
                                                           : INFINITY});
    }
    free(s.list);
    u->idle_known = true;
}

/* Return the ranks of the nodes that are idle between two times, as a new set;
   with `unplaced` except those in places. */
static struct idset *idle_nodes(struct usage *u, double from, double to,
                                bool unplaced)
{
    struct idset *nodes = idset_create(),
                 *taken = unplaced ? usage_taken(u, from, to) : NULL;

    find_idle(u);
    for (size_t i = 0; i < u->nidle; i++) {
        const struct idle_nodes *n = &u->idle[i];
        if (n->from <= from && n->to >= to)
            idset_add(nodes, n->ranks.lo, n->ranks.hi);
    }
    if (taken)
        idset_remove_set(nodes, taken);
    idset_destroy(taken);
    return nodes;
}

/* Add ranks of some nodes that are not among others (NULL: none), as many as
   are missing. */
static void add_place(struct promise *p, const struct idset *nodes,
                      const struct idset *others)
{
    struct idset *some = others ? idset_subtract(nodes, others)
                                : idset_copy(nodes),
                 *more;

    idset_remove_set(some, p->ranks);
    more = idset_slice(some, 0, (uint64_t)p->times - idset_count(p->ranks));
    idset_add_set(p->ranks, more);
    idset_destroy(some);
    idset_destroy(more);
}

bool usage_place(struct usage *u, struct promise *p)
{
    struct idset *nodes = idle_nodes(u, p->from, p->to, true);
    bool enough = idset_count(nodes) >= (uint64_t)p->times;

    if (enough) {
        struct idset *unclaimed = idle_nodes(u, p->from, INFINITY, false),
                     *calm = idle_nodes(u, p->from, INFINITY, true);
        p->ranks = idset_create();
        add_place(p, nodes, unclaimed);
        add_place(p, nodes, calm);
        add_place(p, nodes, NULL);
        idset_destroy(unclaimed);
        idset_destroy(calm);
    }
    u->placed |= enough;
    idset_destroy(nodes);
    return enough;
}

bool usage_keeps_place(struct usage *u, const struct promise *p)
{
    struct idset *nodes = idle_nodes(u, p->from, p->to, true);
    bool keeps = idset_subset(p->ranks, nodes);

    idset_destroy(nodes);
    return keeps;
}

void usage_unplace(struct promise *p)
{
    idset_destroy(p->ranks);
    p->ranks = NULL;
}
