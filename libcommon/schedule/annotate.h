/* Which jobs have something below a vertex, whenever that is. */
#ifndef SCHEDULE_ANNOTATE_H
#define SCHEDULE_ANNOTATE_H

#include "base/map.h"
#include "model/rset.h"

/* Note it for all vertices of a set in an empty map. -1: out of memory. */
int below_note(struct map *map, const struct rset *rs);

bool below_has(const struct map *map, const struct vertex *v, const char *job);

#endif /* SCHEDULE_ANNOTATE_H */
