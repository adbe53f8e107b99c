/* Granularity (RFC 4): a coarser view of the same resources, for a scheduler
   high up in a hierarchy. */
#ifndef MODEL_CHANGE_GRANULARITY_H
#define MODEL_CHANGE_GRANULARITY_H

#include "model/tree/rset.h"

/*
 * Keep the pools of n types, the root, and execution targets that contain a
 * kept pool (for their ranks and hosts). All other pools are summed by type,
 * unit and state into the nearest kept pool above them: one pool of their total
 * size, with the units that jobs hold. A sum has no id, so it is never written
 * to an R_lite. If an R would lose resources, the set becomes a bare graph.
 * Returns -1 with a diag if a sum is too large, or if two kept pools would have
 * one name.
 */
int rset_coarsen(struct rset *rs, const char *const *types, size_t n,
                 struct diag *d);

/*
 * Return whether a vertex is a sum of pools with contents. These contents are
 * beside it, kept or summed, so giving the sum to a job would give them twice.
 * The key `sum` in its metadata marks it.
 */
bool vertex_is_sum(const struct vertex *v);

#endif /* MODEL_CHANGE_GRANULARITY_H */
