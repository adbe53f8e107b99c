/* Copies of a whole set (RFC 4, Duplicate), and of what is around the tree. */
#ifndef MODEL_COPY_H
#define MODEL_COPY_H

#include "model/rset.h"

/* A new set that is the same in all. NULL with a diag. */
struct rset *rset_duplicate(struct rset *rs, struct diag *d);

/*
 * Give an empty set what `from` has beside its tree, ranks and hosts: its
 * form, times, attributes, what is carried, the order of properties. Returns
 * -1 when memory ran out.
 */
int rset_carry(struct rset *to, const struct rset *from);

#endif /* MODEL_COPY_H */
