/*
 * Types of pools: those that are usual, those that a set has, and those that
 * its R_lite speaks of. A type that is none of them may be a slip.
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

/* Is a type one that the set's R_lite speaks of? */
bool rlite_type(const struct rset *rs, const char *type);
/* Make it one. */
void rlite_add_type(struct rset *rs, const char *type);

/* Make it speak of all that another set's does; make both do so. */
void rlite_adopt_types(struct rset *rs, const struct rset *from);
void rlite_share_types(struct rset *a, struct rset *b);

#endif /* MODEL_TREE_TYPES_H */
