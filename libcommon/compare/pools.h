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
 * as one of another set; NULL: there is none. Where lists are in step a guess,
 * or NULL, saves looking it up.
 */
struct vertex *pools_find(struct pools *p, struct vertex *parent,
                          struct vertex *guess, const struct vertex *v);

/* The same, if it is the guess or one of a few that follow it; or NULL. */
struct vertex *pools_near(struct vertex *guess, const struct vertex *v);

/* The run of a type under a parent that has a member of that id, or NULL. */
struct vertex *run_find(const struct vertex *parent, const char *type,
                        int64_t id);

/* Put a new pool behind the others under a parent. */
void pools_append(struct pools *p, struct vertex *parent, struct vertex *v);

/* Put all pools under parents that were looked into where they belong. */
void pools_sort(struct pools *p);

void pools_fini(struct pools *p);

#endif /* COMPARE_POOLS_H */
