/*
 * One hierarchy of a set (RFC 4: pools may be in several), to be shown as a
 * tree: the pools in it, each below the first one that an edge of it comes
 * from, and without what they contain.
 */
#ifndef VIEW_SUBSYSTEM_H
#define VIEW_SUBSYSTEM_H

#include "model/tree/rset.h"

/* The name of each hierarchy of a set, once. */
void rset_each_subsystem(const struct rset *rs, word_fn *next, void *arg);

/*
 * The hierarchy of that name as a new set for rset_destroy(), with records and
 * states. What several edges lead to stands at each of them, and only at the
 * first with what is below it. NULL with a diag: the set has no such subsystem,
 * or it is too deep.
 */
struct rset *rset_subsystem(struct rset *rs, const char *name, struct diag *d);

#endif /* VIEW_SUBSYSTEM_H */
