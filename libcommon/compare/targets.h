/*
 * Inside compare: the execution targets of many sets without graphs, laid over
 * each other at once.
 */
#ifndef COMPARE_TARGETS_H
#define COMPARE_TARGETS_H

#include "model/tree/rset.h"
#include "set/overlay.h"

/*
 * The execution targets of several sets. Every group of the overlay is a set of
 * ranks that the same targets cover; its labels are their numbers in `list`.
 */
struct targets {
    struct vertex **list; /* set after set, each in order */
    size_t n;
    size_t *end; /* where the targets of a set end in the list */
    size_t nsets;
    struct overlay *overlay;
};

void targets_init(struct targets *t, struct rset *const *sets, size_t n);
void targets_fini(struct targets *t);

/* The number of the set that a target is of. */
size_t targets_set(const struct targets *t, size_t label);

#endif /* COMPARE_TARGETS_H */
