/* A map of a set: rows of cells, one for each pool, painted by the jobs that
   hold the pool and by its state. */
#ifndef VIEW_CELL_MAP_H
#define VIEW_CELL_MAP_H

#include "model/records/lots.h"
#include "view/screen.h"

/*
 * Print a map of the pools in `tops`, in the period of the usage. `type` is the
 * type of the pools that are cells; NULL: nodes, or cores and GPUs if there are
 * few nodes. Cells are grouped by the pool that contains them: nodes by rack,
 * others by node. If the map would be higher than the screen, each cell stands
 * for several pools. The palette covers all jobs of the set. Returns 0, or -1
 * with a diag if no pool has the type.
 */
int cell_map_print(struct rset *rs, const struct lots *tops, const char *type,
                   const struct screen *s, struct diag *d);

/* Count the pools that would be cells. Returns 0 if the set has no such
   type. */
uint64_t cell_map_count(struct rset *rs, const struct lots *tops,
                        const char *type);

#endif /* VIEW_CELL_MAP_H */
