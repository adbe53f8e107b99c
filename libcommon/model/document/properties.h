/*
 * Properties of pools as documents give them: to each vertex all of its own
 * at once, because a list that grows one by one costs its square.
 */
#ifndef MODEL_DOCUMENT_PROPERTIES_H
#define MODEL_DOCUMENT_PROPERTIES_H

#include "model/tree/rset.h"

/*
 * Give n properties to a vertex beside those that it has. What stands in the
 * list twice, or is there already, counts once. Strings are interned.
 */
void properties_give(struct rset *rs, struct vertex *v,
                     const struct property *list, size_t n);

/*
 * Lay the properties of an R over its ranks, all of which the set has. The
 * items of the layers are interned names, `k=v` for one with a value. Ranks
 * that have the same share the list.
 */
void properties_lay(struct rset *rs, const struct layer *layers, size_t n);

#endif /* MODEL_DOCUMENT_PROPERTIES_H */
