/* Inside compare: an overlay of the execution targets of many sets without
   graphs. */
#ifndef COMPARE_TARGETS_H
#define COMPARE_TARGETS_H

#include "model/tree/rset.h"
#include "set/overlay.h"

/* Each group of the overlay is a set of ranks that belong to the same targets.
   Its labels are indices in `list`. */
struct targets {
    struct vertex **list; /* set by set, each in order */
    size_t *set;          /* index of the set of each target */
    size_t n, nfirst;     /* number of targets, in all and in the first set */
    struct overlay *overlay;
};

void targets_init(struct targets *t, struct rset *const *sets, size_t n);
void targets_fini(struct targets *t);

#endif /* COMPARE_TARGETS_H */
