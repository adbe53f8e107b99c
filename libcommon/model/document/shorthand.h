/*
 * Shorthand graphs: the graph of a job's resources without what is in exclusive
 * vertices, because the job holds these whole. A node costs one vertex. The
 * `writer` beside the graph says so (the key is RFC 40's, the word Fluxion's).
 *
 * The graph is complete only with its inventory. Without that, R_lite tells the
 * ids of cores and gpus of each rank. Ids that the graph does not have are put
 * into the tree as `implied` runs, so that counting and matching are right and
 * the halves agree. Their exact place is not known, so they are never written
 * into a graph: it is written as the shorthand that it was, or not at all.
 *
 * Implied pools lie in the exclusive vertex of their rank, or in the nearest
 * vertex above all of them; implied nodes in exclusive vertices without a rank.
 */
#ifndef MODEL_DOCUMENT_SHORTHAND_H
#define MODEL_DOCUMENT_SHORTHAND_H

#include "model/document/execution.h"

#define SHORTHAND_WRITER "fluxion:jgf_shorthand"

/* Is that the writer? */
bool is_shorthand_writer(const json_t *writer);

/*
 * Put into the tree what `execution` (NULL: none) lists beyond a graph that its
 * writer calls a shorthand. Pools that lie in no exclusive vertex are left out:
 * comparing the halves reports them.
 */
void shorthand_fill(struct rset *rs, const struct execution *ex);

/* Is the graph of a set that was read still a shorthand? */
bool rset_partial(const struct rset *rs);

/* Return a note for users of a set that is partial; NULL: it is not. */
const char *rset_partial_note(const struct rset *rs);

/*
 * Can a partial set be written as these halves, the graph as a shorthand? Its
 * execution must have been read, and implied pools must lie in exclusive
 * vertices and have no records. -1 with a diag.
 */
int shorthand_check(const struct rset *rs, int halves, struct diag *d);

/*
 * Set the `index` of vertices that a graph leaves out to LEFT_OUT; returns
 * their number. The `index` of others is lost. Implied pools are left out; with
 * `cut` also all below a vertex that a job holds whole, if the inventory can
 * give it back. That is not so if anything there has records or an edge to a
 * pool in no containment, if R_lite lists both the vertex and something in it,
 * or if the R lists only a part of it (which is known of an R that was just
 * made, and not of one that was read). Children of the root always stay.
 */
#define LEFT_OUT UINT32_MAX
size_t shorthand_mark(struct rset *rs, bool cut);

/* The error of a form that a partial graph can't have. Returns -1. */
int shorthand_fault(struct diag *d);

#endif /* MODEL_DOCUMENT_SHORTHAND_H */
