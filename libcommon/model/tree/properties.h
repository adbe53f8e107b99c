/*
 * Properties of pools (RFC 20), in addition to rset.h: properties of ranks, and
 * an index of execution targets by name, made at the first query. So a
 * constraint on properties does not walk the set, however often it is asked.
 */
#ifndef MODEL_TREE_PROPERTIES_H
#define MODEL_TREE_PROPERTIES_H

#include "base/near.h"
#include "model/tree/rset.h"

/*
 * Properties keep the spelling of their document: an R has names, also `k=v`;
 * a graph has keys with values, which may be empty. The key `k=v` without a
 * value is the same property as the key `k` with the value v.
 */

/* Return the value of a property whose key is `key`, "" if it has none; NULL if
   it has another key. */
const char *property_value(const struct property *p, const char *key,
                           size_t len);

/*
 * Replace the properties of a pool or a run. An R lists names in the order in
 * which they came: a name that no target had becomes the last. Costs the
 * properties of this pool, not of the set.
 */
void vertex_change_properties(struct rset *rs, struct vertex *v,
                              const struct property *list, size_t n);

/*
 * Return the ranks of the targets that have a name, or NULL if there are none.
 * The set owns them until properties or ranks change. A target with key k and
 * value v has the names `k=v` and `k` (RFC 20), however it was written.
 */
const struct idset *rset_ranks_with(const struct rset *rs, const char *name);

/* Call `next` for each name that a target has. */
void rset_each_property(const struct rset *rs, word_fn *next, void *arg);

/* Drop the index because properties or ranks change. The next query makes it
   again. */
void rset_forget_properties(struct rset *rs);

#endif /* MODEL_TREE_PROPERTIES_H */
