/*
 * Inside compare: sets without graphs, whose targets and pools are runs. All
 * targets are laid over each other; then each group of ranks is combined by
 * itself, with no more than a few operations on idsets.
 */
#ifndef COMPARE_RUNS_H
#define COMPARE_RUNS_H

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

enum runs_operation { RUNS_UNITE, RUNS_SUBTRACT, RUNS_INTERSECT, RUNS_XOR };

/*
 * Combine the targets of the first of n sets (two, or more to unite) with
 * those of the others. Its ranks and hosts, and what is said above targets,
 * are left to the caller.
 */
void runs_combine(struct rset *const *sets, size_t n, enum runs_operation op,
                  struct diag *d);

/*
 * Bring the runs below another vertex that is the same as v below v, with their
 * records; see unite_records() for the diag.
 */
void runs_adopt(struct rset *a, struct vertex *v, const struct vertex *other,
                struct diag *d);

/*
 * The members that a run has in common with those of its type that are right
 * below another vertex: a new set.
 */
struct idset *runs_common(const struct vertex *c, const struct vertex *other);

#endif /* COMPARE_RUNS_H */
