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

/* Each type that a set has, once; without one (NULL) each that is usual. */
void type_each(const struct rset *rs, word_fn *next, void *arg);

/* Add the types that are near, of the usual ones and those of a set. */
void type_near(struct near *near, const struct rset *rs);

#endif /* MODEL_TREE_TYPES_H */
