/* A map of a set: rows of cells, one for each pool, painted by the jobs that
   hold the pool and by its state. */
#ifndef VIEW_CELL_MAP_H
#define VIEW_CELL_MAP_H

#include "model/records/lots.h"
#include "view/screen.h"

/*
 * Choose the types of the pools that are cells: `type`; or (NULL) nodes, or
 * cores and GPUs if there are few nodes. Sets their numbers, those of
 * usage_type() or -1 for nodes, and returns how many they are: there is a map
 * for each. Returns 0 with a diag if no pool has the type.
 */
enum { CELL_MAPS = 2 };
size_t cell_map_types(struct rset *rs, const struct lots *tops,
                      const char *type, int ntypes[CELL_MAPS], struct diag *d);

/*
 * Print maps of the pools in `tops` of n types, in the period of the usage.
 * Cells are grouped by the pool that contains them: nodes by rack, others by
 * node. If a map would be higher than the screen, each cell stands for several
 * pools. The palette covers all jobs of the set.
 */
void cell_map_print(struct rset *rs, const struct lots *tops, const int *ntypes,
                    size_t n, const struct screen *s);

#endif /* VIEW_CELL_MAP_H */
