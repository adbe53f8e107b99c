/*
 * Shorthand graphs: graphs of a job's resources without the contents of
 * exclusive vertices, because the job holds these whole. A node costs one
 * vertex. The `writer` beside the graph marks it (the key is RFC 40's, the
 * value Fluxion's).
 *
 * Such a graph is complete only together with its inventory. Without the
 * inventory, R_lite has the ids of cores and gpus of each rank. Ids that are
 * not in the graph are put into the tree as `implied` runs, so that counting
 * and matching are right and the halves agree. Their exact place is unknown, so
 * they are never written into a graph: it is written as the shorthand that it
 * was, or not at all.
 *
 * Implied pools lie in the exclusive vertex of their rank, or in the nearest
 * vertex above all exclusive ones. Implied nodes lie in exclusive vertices
 * without a rank.
 */
#ifndef MODEL_DOCUMENT_SHORTHAND_H
#define MODEL_DOCUMENT_SHORTHAND_H

#include "model/tree/rset.h"

struct execution;

#define SHORTHAND_WRITER "fluxion:jgf_shorthand"

/* Return whether a writer marks a shorthand graph. */
bool is_shorthand_writer(const json_t *writer);

/*
 * Add pools in `execution` (NULL: none) that a shorthand graph does not have to
 * the tree. Pools that lie in no exclusive vertex are not added: comparing the
 * halves reports them.
 */
void shorthand_fill(struct rset *rs, const struct execution *ex);

/* Return whether the graph of a set is still a shorthand. */
bool rset_partial(const struct rset *rs);

/* Return a note for users of a partial set, or NULL if it is complete. */
const char *rset_partial_note(const struct rset *rs);

/*
 * Check that a partial set can be written as these halves, with the graph as a
 * shorthand. Its execution must have been read, and implied pools must lie in
 * exclusive vertices and have no records. Returns 0, or -1 with a diag.
 */
int shorthand_check(const struct rset *rs, int halves, struct diag *d);

/*
 * Set the `index` of vertices that a graph omits to LEFT_OUT, and return their
 * number. The `index` of other vertices is lost. Implied pools are omitted.
 *
 * `cut`: the contents of a vertex that a job holds whole are omitted, too, if
 * the inventory can give them back. It can't if any of them has records or an
 * edge to a pool outside containment, if R_lite lists both the vertex and a
 * pool in it, or if the R lists only a part of them (known only of an R that
 * was just made, not of one that was read). Children of the root are always
 * kept.
 */
#define LEFT_OUT UINT32_MAX
size_t shorthand_mark(struct rset *rs, bool cut);

/* Set the diag of a form that can't have a partial graph. Returns -1. */
int shorthand_fault(struct diag *d);

#endif /* MODEL_DOCUMENT_SHORTHAND_H */
