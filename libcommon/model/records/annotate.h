/* Which jobs have something below a vertex, whenever that is. */
#ifndef MODEL_RECORDS_ANNOTATE_H
#define MODEL_RECORDS_ANNOTATE_H

#include "base/map.h"
#include "model/tree/rset.h"

/* Note it for all vertices of a set in an empty map. */
void below_note(struct map *map, const struct rset *rs);

bool below_has(const struct map *map, const struct vertex *v, const char *job);

/*
 * Bring the `shared` lists of all vertices with children up to date, after
 * pools came or went: every job that has something below, nobody else. A
 * pool that is held whole shares with nobody.
 */
void annotate(struct rset *rs);

#endif /* MODEL_RECORDS_ANNOTATE_H */
