/* A table of the pools of a set: what -o table shows. */
#ifndef VIEW_POOL_TABLE_H
#define VIEW_POOL_TABLE_H

#include "view/table.h"
#include "view/view.h"

extern const struct table_column pool_columns[];

/* A row a pool, in the order of the set, as it is at the view's moment. */
struct table *pool_table(struct rset *rs, const struct view *view);

#endif /* VIEW_POOL_TABLE_H */
