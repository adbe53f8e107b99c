/* The table of all pools of a set: -o table. */
#ifndef VIEW_POOL_TABLE_H
#define VIEW_POOL_TABLE_H

#include "view/table.h"
#include "view/view.h"

extern const struct table_column pool_columns[];

/* Make a table with a row for each pool, in the order of the set, at the time
   of the view. For table_destroy(). */
struct table *pool_table(struct rset *rs, const struct view *view);

#endif /* VIEW_POOL_TABLE_H */
