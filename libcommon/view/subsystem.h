/*
 * One hierarchy of a set as a tree (RFC 4: a pool may be in several
 * hierarchies). The tree has the pools of the hierarchy without their contents.
 * A pool stands below the first pool that an edge leads from.
 */
#ifndef VIEW_SUBSYSTEM_H
#define VIEW_SUBSYSTEM_H

#include "model/tree/rset.h"

/* Call `next` with the name of each hierarchy of a set, once. */
void rset_each_subsystem(const struct rset *rs, word_fn *next, void *arg);

/*
 * Return the hierarchy `name` as a new set for rset_destroy(), with records and
 * states. A pool with several incoming edges stands at each of them; only the
 * first place has the pools below it. Returns NULL with a diag if the set has
 * no such subsystem, or if it is too deep.
 */
struct rset *rset_subsystem(struct rset *rs, const char *name, struct diag *d);

#endif /* VIEW_SUBSYSTEM_H */
