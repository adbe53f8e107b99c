/*
 * Inside compare: the execution targets of many sets without graphs, laid over
 * each other at once.
 */
#ifndef COMPARE_TARGETS_H
#define COMPARE_TARGETS_H

#include "model/tree/rset.h"
#include "set/overlay.h"

/*
 * Every group of the overlay is a set of ranks that the same targets cover; its
 * labels are their numbers in `list`.
 */
struct targets {
    struct vertex **list; /* set after set, each in order */
    size_t *set;          /* the number of the set of each */
    size_t n, nfirst;     /* how many there are, in all and in the first set */
    struct overlay *overlay;
};

void targets_init(struct targets *t, struct rset *const *sets, size_t n);
void targets_fini(struct targets *t);

#endif /* COMPARE_TARGETS_H */
