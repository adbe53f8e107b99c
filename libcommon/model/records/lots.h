/*
 * Lots: the tree over an inventory in which usage is kept (usage.h).
 *
 *     struct lot *root = lot_open(u, usage_top(u)), *lot;
 *
 *     for (lot = root; lot; lot = lot_next_recorded(u, root, lot))
 *         ...                               where anything is held or not up
 *     lot_split(u, lot, 5, 1);              make member 5 a lot of its own,
 *     ...                                   give it to a job, take it back,
 *     lot_join(u, lot);                     join it with equal neighbours
 *
 * Invariants between changes:
 *
 * - The children of an open lot have all members of all child vertices, each
 *   once, in the order of the set. Lots of one run are in the order of members.
 * - Two lots of one run lie side by side and unjoined only while a change is
 *   under way, or if their grants, states or contents differ.
 * - in->sums are the sums over all children, and in->nused counts those that
 *   have a grant or a state, or contain a lot that has.
 * - A lot that is not open has no grant and no state below it, or is `stored`.
 *
 * Other directories read `parent`, `v`, `at`, `n`, `grants`, `next` and `state`
 * of a lot, and what holds for the period. Searches read them for each pool
 * that they try; function calls would make them 3 to 15 % slower. Everything
 * else of a lot, and every change, is a function call.
 */
#ifndef MODEL_RECORDS_LOTS_H
#define MODEL_RECORDS_LOTS_H

#include "model/tree/rset.h"

struct grant;
struct job;
struct order;
struct profile;

/* The contents of a lot. */
struct inside {
    struct lot *child;       /* the first one */
    struct order *order;     /* of the children; made by a search among many */
    struct profile *profile; /* of a node: profile.c */
    uint32_t nchildren;
    uint32_t nused;    /* children that have a grant or a state, or
                          that contain a lot that has */
    uint32_t nchanged; /* changes of children's facts since equal runs were last
                          joined: facts.c */
    int64_t sums[];    /* over all children: see lot_sums() */
};

/* A lot. Documents have a million lots, so members that few lots need are in
   `struct inside`, which is made on demand. */
struct lot {
    /* until the next change of grants, states or contents */
    struct lot *parent;
    struct vertex *v;
    uint32_t at, n; /* members of a run: at, at + 1, ...; 0 and 1 for a pool */
    struct grant *grants;    /* on this lot itself */
    struct lot *next, *prev; /* siblings in order */
    struct inside *in; /* NULL: not opened yet, so all contents are free; or
                          there are none */
    /* for the period of the usage; `state` is the lot's own: lot_not_up() */
    int64_t taken; /* units claimed, of each member */
    uint32_t seen; /* for a walk: the last one that visited it (usage_walk()) */
    enum pool_state state : 8;
    bool blocked : 1; /* held whole, not up or staged */
    bool touched : 1; /* held, shared, not up or staged */
    bool stored : 1;  /* until lot_load(): its grants and contents are not read
                         yet, but counted (pieces.h) */
    bool held : 1;    /* a part is claimed or shared */
    bool lags : 1;    /* until orders_settle(): its place in orders is old */
};

/* A list of lots. Free `list` with free(). */
struct lots {
    struct lot **list;
    size_t n;
};
void lots_add(struct lots *lots, struct lot *lot);

/* Add the lots with these members of a vertex below `parent`, and split them
   off. */
void lots_take(struct usage *u, struct lot *parent, const struct vertex *v,
               const struct idset *members, struct lots *out);

/* Return the execution targets with these ranks, in order of rank, and set *n.
   Returns NULL if any target of the set is a run. */
struct vertex *const *usage_targets(struct usage *u, struct idrange ranks,
                                    size_t *n);

/* Add the lots of the execution targets with these ranks, in order of rank. */
void lots_of_ranks(struct usage *u, const struct idset *ranks,
                   struct lots *out);

/*
 * Split a run. Members in `ids` (a part, or all) get a vertex of their own
 * beside v, which keeps the rest. Returns the vertex of `ids`, which is v if
 * `ids` are all members.
 */
struct vertex *vertex_split(struct rset *rs, struct vertex *v,
                            const struct idset *ids);

/* Join lots that were split off, and the lots around them, with their
   neighbours, if none has a grant or a state. */
void lots_join(struct usage *u, const struct lots *lots);

/*
 * lots_cut(): before a change of facts, give each lot, and each lot around it,
 * a vertex with only its members. Lots in the same state may get one vertex
 * together. This cuts runs.
 *
 * lots_rejoin(): after the change, join the lots, and make one run of equal
 * runs. Few runs are joined at once, many only at times, so that a change costs
 * what it changes.
 */
void lots_cut(struct usage *u, const struct lots *lots);
void lots_rejoin(struct usage *u, const struct lots *lots);

/* Give one lot a vertex with only its members, like lots_cut(), and return the
   vertex. */
struct vertex *lot_vertex(struct usage *u, struct lot *lot);

/* usage_walk() begins a walk that has `seen` no lot, and returns its number.
   lot_visit() returns whether the walk visits a lot for the first time. */
uint32_t usage_walk(struct usage *u);
bool lot_visit(struct lot *lot, uint32_t walk);

/* Add the lots of a list that no other lot of it contains, each once. */
void lots_tops(struct usage *u, const struct lots *lots, struct lots *tops);

/* Return the first child; NULL: there is none, or the lot was not opened. */
static inline struct lot *lot_child(const struct lot *lot)
{
    return lot->in ? lot->in->child : NULL;
}

/* Return whether the children were made. If not, all contents are free, or
   there are none. */
static inline bool lot_is_open(const struct lot *lot)
{
    return lot->in;
}

/* Return the number of children that have a grant or a state, or that contain
   such a lot. */
static inline uint32_t lot_nused(const struct lot *lot)
{
    return lot->in ? lot->in->nused : 0;
}

/* Return units below a lot, of each member: free units of type t for row t,
   idle units for row count + t. */
int64_t lot_below(const struct usage *u, const struct lot *lot, unsigned row);

/* Return units in a lot, its own included, of each member, as if it were not
   blocked; rows as for lot_below(). */
int64_t lot_units(const struct usage *u, const struct lot *lot, unsigned row);

/* Return the lot, or the nearest lot around it, that is not up; NULL if all are
   up. */
const struct lot *lot_not_up(const struct lot *lot);

/* Return the number of pools that a lot is in one member of `top`; NULL: in the
   whole set. */
int64_t lot_pools(const struct lot *lot, const struct lot *top);

/* Return the ranks of a lot of execution targets. */
struct idrange lot_ranks(const struct lot *lot);

/* Return whether the lot itself has a grant or a state; its first grant, or
   NULL; its state. NULL, the `lot` of many vertices, has no grant and is up. */
bool lot_is_used(const struct lot *lot);
static inline struct grant *lot_grants(const struct lot *lot)
{
    return lot ? lot->grants : NULL;
}
static inline enum pool_state lot_state(const struct lot *lot)
{
    return lot ? lot->state : STATE_UP;
}

/* Return whether neither the lot nor any lot in it has a grant or a state. */
bool lot_is_blank(const struct lot *lot);

/* Set the state of a lot. */
void lot_set_state(struct usage *u, struct lot *lot, enum pool_state state);

/* Read the grants of a lot and the lots in it, if they are not read yet. */
void lot_read(struct usage *u, struct lot *lot);
static inline void lot_load(struct usage *u, struct lot *lot)
{
    if (lot->stored)
        lot_read(u, lot);
}

/* Make the children of a lot if they are not made yet, and return the first. */
struct lot *lot_open(struct usage *u, struct lot *lot);

/* Return the child of a lot with member `at` of a vertex (0 for a pool). */
struct lot *lot_find(struct usage *u, struct lot *parent,
                     const struct vertex *v, uint32_t at);

/* Make n members from `at` on a lot of their own. `lot` keeps them; new lots
   get the others. */
void lot_split(struct usage *u, struct lot *lot, uint32_t at, uint32_t n);

/* Return the lot after `lot` and all lots in it, in preorder under `top`; NULL
   at the end. */
static inline struct lot *lot_after(const struct lot *top,
                                    const struct lot *lot)
{
    while (lot != top && !lot->next)
        lot = lot->parent;
    return lot != top ? lot->next : NULL;
}

/* Return the lot after `lot` in preorder under `top`, and open lots on the way.
   `over`: skip the contents of `lot`. NULL at the end. */
struct lot *lot_next(struct usage *u, const struct lot *top, struct lot *lot,
                     bool over);

/* Return the next lot in preorder under `top` that was made already; other lots
   have no grants. NULL at the end. */
struct lot *lot_next_in(struct usage *u, const struct lot *top,
                        struct lot *lot);

/* As lot_next_in(), but pass over the contents of lots in which nothing has a
   grant or a state. */
struct lot *lot_next_recorded(struct usage *u, const struct lot *top,
                              struct lot *lot);

/* Return the units of a pool that no job holds. */
int64_t lot_free(const struct lot *lot);

/* Return whether neither the lot nor any lot in it is held, staged, shared or
   not up. */
bool lot_idle(const struct lot *lot);

/* Return whether a lot is `top` or below it. */
bool lot_is_in(const struct lot *lot, const struct lot *top);

/* Compare two siblings by their order. */
int lot_compare(const struct lot *a, const struct lot *b);

/*
 * Join an unused lot with unused neighbours of the same run. Return the lot
 * that remains; pointers to a lot that was joined into another become invalid.
 * lot_join() continues with the lots around it.
 */
struct lot *lot_join_here(struct usage *u, struct lot *lot);
void lot_join(struct usage *u, struct lot *lot);

#endif /* MODEL_RECORDS_LOTS_H */
