/* Which jobs have something below a vertex, whenever that is. */
#ifndef SCHEDULE_ANNOTATE_H
#define SCHEDULE_ANNOTATE_H

#include "base/map.h"
#include "model/rset.h"

/* Note it for all vertices of a set in an empty map. -1: out of memory. */
int below_note(struct map *map, const struct rset *rs);

bool below_has(const struct map *map, const struct vertex *v, const char *job);

/*
 * A job may share a pool with children itself, with nothing below it. That
 * looks like an annotation whose reason has gone, so it has to be noted, in an
 * empty map, before anything goes; annotate() is ledger_reannotate() that
 * leaves it alone. -1: out of memory.
 */
int shares_note(struct map *shares, const struct rset *rs);
int annotate(struct rset *rs, const struct map *shares);

#endif /* SCHEDULE_ANNOTATE_H */
