/*
 * A map of a set: a cell a pool, row by row, painted by what jobs have of it
 * and by what is not up.
 */
#ifndef VIEW_CELL_MAP_H
#define VIEW_CELL_MAP_H

#include "model/records/usage.h"
#include "view/screen.h"

/*
 * Of some pools, in the period of the usage, all that is in them. Pools of a
 * type at a time; NULL: nodes, or of a few nodes their cores and GPUs. Cells
 * stand under the pools that they lie in: nodes in racks, others in nodes.
 * Where there are more than fit into the height of the screen a cell is several
 * of them. The palette is that of the jobs of the set. Returns 0, or -1 with a
 * diag: there is no such pool.
 */
int cell_map_print(struct rset *rs, const struct lots *tops, const char *type,
                   const struct screen *s, struct diag *d);

/* Count the pools that would be cells; 0 if there is no such type. */
uint64_t cell_map_count(struct rset *rs, const struct lots *tops,
                        const char *type);

#endif /* VIEW_CELL_MAP_H */
