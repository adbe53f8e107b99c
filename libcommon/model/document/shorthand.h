/*
 * Shorthand graphs: a graph of what a job was given that leaves out all that
 * is in its exclusive vertices, because the job holds those whole. The
 * `writer` beside it says so (RFC 40 knows the key, deployed Fluxion the
 * word). A node then costs one vertex, whatever is in it.
 *
 * Such a graph is complete only together with its inventory. What is known
 * without it is what R_lite says: the ids of cores and gpus of each rank.
 * Those that the graph does not have are put into the tree as `implied`
 * runs, so that counting and matching go right and the two halves agree.
 * Where exactly they lie is not known, and so they are never written into a
 * graph: it is written as the shorthand that it was, or not at all.
 *
 * Implied pools lie in the one exclusive vertex of their rank, or in what
 * all of these have in common if there are several; implied nodes likewise,
 * in exclusive vertices that are of no rank.
 */
#ifndef MODEL_DOCUMENT_SHORTHAND_H
#define MODEL_DOCUMENT_SHORTHAND_H

#include "model/document/execution.h"

#define SHORTHAND_WRITER "fluxion:jgf_shorthand"

/* Is that the writer? */
bool is_shorthand_writer(const json_t *writer);

/*
 * A graph was read that its writer calls a shorthand: does it leave out
 * anything? `ex` is what `execution` said, NULL if there is none; what R_lite
 * lists beyond the graph is put into the tree. What can be in no exclusive
 * vertex is left for the comparison of the halves to tell.
 */
void shorthand_fill(struct rset *rs, const struct execution *ex);

/*
 * Is the graph of a set that was read a shorthand, and still so? What is
 * written of it is partial then; shorthand_check() says whether it can be.
 */
bool rset_partial(const struct rset *rs);

/* Return a note for users of a set that is partial; NULL: it is not. */
const char *rset_partial_note(const struct rset *rs);

/*
 * Can a partial set be written as these halves, the graph as a shorthand?
 * Its execution must have been there when it was read, and what is implied
 * must lie in exclusive vertices and have no records. -1 with a diag.
 */
int shorthand_check(const struct rset *rs, int halves, struct diag *d);

/*
 * Set the `index` of all vertices that a graph is to leave out to LEFT_OUT
 * (of the others it is left anyhow). With `cut` it is all that is below
 * vertices that a job holds whole; what is implied is left out in any case.
 * Nothing is left out that the inventory could not give back: what has
 * records, or an edge to a pool in no containment, stays, and so do pools of
 * which R_lite speaks if it speaks of what is in them, too, the vertices
 * below the root, and what is in a vertex of which the R lists a part: that is
 * known of an R that was just made, and not of one that was read. Returns how
 * many vertices are left out.
 */
#define LEFT_OUT UINT32_MAX
size_t shorthand_mark(struct rset *rs, bool cut);

/* The error of a form that a partial graph can't have. Returns -1. */
int shorthand_fault(struct diag *d);

#endif /* MODEL_DOCUMENT_SHORTHAND_H */
