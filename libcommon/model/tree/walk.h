/* Sums of what is available (RFC 4, Aggregation). */
#ifndef MODEL_TREE_WALK_H
#define MODEL_TREE_WALK_H

#include "model/tree/rset.h"

/*
 * RFC 4, Aggregation: how many units of each type are available under a
 * vertex (NULL: in the set): up, not staged, and at no moment of the period
 * held or reserved. Types of which nothing is available are pruned, unless
 * `zero`. The types are in order of their names, in a new array for free();
 * returns their number.
 */
struct aggregate {
    const char *type;
    uint64_t available;
};
size_t rset_aggregate(struct rset *rs, const struct vertex *top,
                      const struct period *when, bool zero,
                      struct aggregate **out);

#endif /* MODEL_TREE_WALK_H */
