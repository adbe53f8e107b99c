/*
 * Granularity (RFC 4): the same resources seen more coarsely, as a scheduler
 * high up in a hierarchy sees them.
 */
#ifndef MODEL_CHANGE_GRANULARITY_H
#define MODEL_CHANGE_GRANULARITY_H

#include "model/tree/rset.h"

/*
 * Keep the pools of n named types, the root, and execution targets with
 * something kept in them, for ranks and hosts hang on these. All other pools
 * are summed by type, unit and state into the nearest pool above them that is
 * kept: one pool of that size, with the units that jobs have of it. A sum has
 * no id, so that it is never written to an R_lite. The set becomes a bare graph
 * if an R would lack something of it. Returns -1 with a diag if a sum is more
 * than can be counted, or two pools that are kept would have one name.
 */
int rset_coarsen(struct rset *rs, const char *const *types, size_t n,
                 struct diag *d);

/*
 * Is it a sum of pools that had others in them? These stand beside it, kept or
 * summed, so that to give it to a job would be to give them twice. The key
 * `sum` in its metadata says so.
 */
bool vertex_is_sum(const struct vertex *v);

#endif /* MODEL_CHANGE_GRANULARITY_H */
