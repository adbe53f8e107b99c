/*
 * Traversal (RFC 4, Stage Methods), and sums of what is available.
 */
#ifndef MODEL_WALK_H
#define MODEL_WALK_H

#include "model/rset.h"

/* What a visit says: go on, leave out what is below, or end the walk. */
enum walk_step { WALK_ON, WALK_PRUNE, WALK_END };

/* How a tree is walked. Every function may be NULL. */
struct walk {
    /* Before and after what is below v; `depth` is 0 at the top. */
    enum walk_step (*before)(struct vertex *v, unsigned depth, void *arg);
    enum walk_step (*after)(struct vertex *v, unsigned depth, void *arg);
    /* The order of visits to the children of a vertex, as for qsort();
       without it they are visited as they are. */
    int (*order)(const struct vertex *a, const struct vertex *b, void *arg);
    void *arg;
};

/*
 * Walk over `top` and all below it. Returns 0 at the end, 1 if a visit ended
 * the walk.
 */
int vertex_walk(struct vertex *top, const struct walk *walk);

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
size_t rset_aggregate(const struct rset *rs, const struct vertex *top,
                      const struct period *when, bool zero,
                      struct aggregate **out);

#endif /* MODEL_WALK_H */
