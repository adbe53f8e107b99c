/*
 * Types of pools that may be a slip: those that a set does not have and that
 * nobody expects.
 */
#ifndef MODEL_TREE_TYPES_H
#define MODEL_TREE_TYPES_H

#include "base/near.h"
#include "model/tree/rset.h"

/* Has a set this type, or speaks its R_lite of it? */
bool rset_has_type(const struct rset *rs, const char *type);

/* Is it usual (rset(5)): a set may have none of it, and to ask is no slip? */
bool type_is_usual(const char *type);

/* Add the usual types that are near. */
void type_near(struct near *near);

#endif /* MODEL_TREE_TYPES_H */
