/* Types of pools: usual types, types in a set, and types in its R_lite. Any
   other type may be a spelling mistake. */
#ifndef MODEL_TREE_TYPES_H
#define MODEL_TREE_TYPES_H

#include "base/near.h"
#include "model/tree/rset.h"

/* Return whether a set has pools of a type, or its R_lite names it. */
bool rset_has_type(const struct rset *rs, const char *type);

/* Return whether a type is usual (rset-documents(5)). A set may have none;
   asking for it is no mistake. */
bool type_is_usual(const char *type);

/* Call `next` for each type in a set, or for each usual type if `rs` is
   NULL. */
void type_each(const struct rset *rs, word_fn *next, void *arg);

/* Add similar types to `near`: usual types and types in a set. */
void type_near(struct near *near, const struct rset *rs);

/* Return whether a set's R_lite names a type; core and gpu always count. */
bool rlite_type(const struct rset *rs, const char *type);
/* Return whether anything below a vertex has such a type. */
bool rlite_type_below(const struct rset *rs, const struct vertex *top);
/* Return whether an R lists a vertex: a target, or a pool in a target of a type
   in R_lite. */
bool rlite_lists(const struct rset *rs, const struct vertex *v);
/* Add a type to the types that a set's R_lite names. */
void rlite_add_type(struct rset *rs, const char *type);

/* Make the R_lite of a set name all types of another one; make both name the
   types of both. */
void rlite_adopt_types(struct rset *rs, const struct rset *from);
void rlite_share_types(struct rset *a, struct rset *b);

#endif /* MODEL_TREE_TYPES_H */
