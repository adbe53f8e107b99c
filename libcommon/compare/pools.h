/*
 * Inside compare: the pools of a graph by what makes them the same in another
 * one: under one parent, type, name and rank. Only the parents that were
 * looked into are in the index.
 */
#ifndef COMPARE_POOLS_H
#define COMPARE_POOLS_H

#include "base/map.h"
#include "model/tree/rset.h"

struct pools {
    struct rset *rs;
    struct map map;
};

/*
 * The pool under a parent, NULL for those in no containment, that is the same
 * as one of another set; NULL: there is none.
 */
struct vertex *pools_find(struct pools *p, struct vertex *parent,
                          const struct vertex *v);

/* Put a new pool behind the others under a parent. */
void pools_append(struct pools *p, struct vertex *parent, struct vertex *v);

/* Put all pools under parents that were looked into where they belong. */
void pools_sort(struct pools *p);

void pools_fini(struct pools *p);

#endif /* COMPARE_POOLS_H */
