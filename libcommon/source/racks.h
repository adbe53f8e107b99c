/*
 * Nodes in racks: `rack` between the root and the nodes of a group.
 *
 * A node in a rack is a pool of its own and no member of a run, as in a graph
 * that was read.
 */
#ifndef SOURCE_RACKS_H
#define SOURCE_RACKS_H

#include "model/tree/rset.h"

/* A set of more pools than that is not put in racks. */
enum { RACKED_MAX = 1 << 24 };

/*
 * A new set of the nodes of one that a source has made: each `per_rack` of them
 * in the order of their ranks, the last ones may be fewer, are in a rack. Racks
 * have the ids from `first` on. NULL with a diag whose place is
 * "nodes-per-rack": `text` is no such number, or it would be too much.
 */
struct rset *rset_in_racks(const struct rset *from, const char *text,
                           uint64_t first, struct diag *d);

#endif /* SOURCE_RACKS_H */
