/*
 * The next lot that has enough, and rankings of nodes.
 *
 *     struct needs needs = {0};
 *     struct lot *lot = NULL;
 *
 *     needs_add(&needs, (unsigned)usage_type(u, "core"), 4);
 *     while ((lot = usage_next(u, root, lot, &needs, false)))
 *         ...                               nodes with four free cores each
 *
 * If a pool contains many lots, they are also in a balanced tree whose nodes
 * keep the maxima of their subtrees, so that the next one is found in
 * logarithmic time. Trees are made by the first search, and kept up by each
 * change. Needs only exclude lots: a lot that satisfies them may still have its
 * units in the wrong pools.
 */
#ifndef MODEL_RECORDS_ORDERS_H
#define MODEL_RECORDS_ORDERS_H

#include "model/tree/rset.h"

struct lot;
struct order;

/* Most types of one ranking; most rankings at a time: usage_rank(). */
enum { RANK_TYPES = 8, RANKINGS = 4 };

/* Units that must be free (row = number of a type) or idle (row = number of
   types + number of a type), at least. */
enum { NEEDS_MAX = 12 };
struct needs {
    unsigned n;
    struct row_need {
        unsigned row;
        int64_t least;
    } at[NEEDS_MAX];
};

/* Require at least `least` units of a row. Left out if there is no room: needs
   only exclude lots quickly. */
void needs_add(struct needs *needs, unsigned row, int64_t least);
bool needs_equal(const struct needs *a, const struct needs *b);

/*
 * Return the first child after `from` (NULL: of all) that satisfies `needs`;
 * with `back` the last child before it. NULL if there is none. `needs` may be
 * NULL: nothing is needed.
 */
struct lot *usage_next(struct usage *u, struct lot *parent, struct lot *from,
                       const struct needs *needs, bool back);

/* Return the most units of a type that a node has free. Costs a walk over all
   nodes. */
int64_t usage_most_in_node(struct usage *u, unsigned ntype);

/*
 * The order of a ranking of all nodes that no other node contains: by a fact,
 * if there is one, ascending; then by the free units of each type in `types`,
 * ascending, or descending with `most`; then in the order of the set.
 */
struct rank_by {
    int64_t (*fact)(const struct vertex *v);
    size_t ntypes;
    int types[RANK_TYPES];
    bool most;
};

/*
 * Delay changes of orders until orders_settle(), because much will change in
 * the same lots. Meanwhile lots keep their old places, so no search may be
 * made.
 */
void orders_defer(struct usage *u);
void orders_settle(struct usage *u);

/* Return a ranking for the period of the usage. It is valid as long as the
   usage, or until RANKINGS others were asked for. */
struct order *usage_rank(struct usage *u, const struct rank_by *by);

/* Return the first lot after `from` (NULL: of all) that satisfies `needs`. */
struct lot *rank_next(struct order *o, const struct lot *from,
                      const struct needs *needs);

#endif /* MODEL_RECORDS_ORDERS_H */
