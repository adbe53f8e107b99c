/*
 * Properties of pools (RFC 20), beside what rset.h has of them: those of ranks,
 * and an index by name of the execution targets that have them, made when it is
 * first asked. So a constraint on properties does not walk the set, however
 * often it is asked.
 */
#ifndef MODEL_TREE_PROPERTIES_H
#define MODEL_TREE_PROPERTIES_H

#include "base/near.h"
#include "model/tree/rset.h"

/* Return a property, which may be a name `k=v`, as k and v, both interned. */
struct property property_split(struct rset *rs, const struct property *p);

/*
 * Give a pool, or a run of them, other properties. An R lists names in the
 * order in which they came: one that no target had is the last. Costs what
 * this pool has, not what the set has.
 */
void vertex_change_properties(struct rset *rs, struct vertex *v,
                              const struct property *list, size_t n);

/*
 * The ranks of the targets that answer to a name, which the set owns until
 * properties or ranks change; NULL if there are none. A target with k and the
 * value v answers to `k=v` and to `k` (RFC 20), however the two are written.
 */
const struct idset *rset_ranks_with(const struct rset *rs, const char *name);

/* Each name that a target answers to. */
void rset_each_property(const struct rset *rs, word_fn *next, void *arg);

/* Is a name KEY, or KEY=VALUE? */
bool is_key_value(const char *name, const char *key, const char *value);

/* Does a property answer to a name? */
bool property_answers(const struct property *p, const char *name);

/* Properties or ranks change: the index is made anew when it is asked. */
void rset_forget_properties(struct rset *rs);

#endif /* MODEL_TREE_PROPERTIES_H */
