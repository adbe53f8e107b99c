/*
 * Differences between a graph and an R without a graph.
 *
 * An R lists nodes by their ranks, and pools of some types in them by their ids
 * (RFC 20, Execution), each as one unit. It can't express topology, which is
 * lost without a note. Records are not lost like this: a record that a reader
 * would misunderstand is refused, and records of pools that are not listed are
 * reported.
 */
#ifndef MODEL_DOCUMENT_PLAIN_H
#define MODEL_DOCUMENT_PLAIN_H

#include "model/tree/rset.h"

/* Return whether an R lists a vertex: a target, or a pool in a target of a type
   in R_lite. */
bool plain_lists(const struct rset *rs, const struct vertex *v);

/* Return whether a grant is a claim of its whole pool. */
struct grant;
bool plain_whole(const struct grant *g);

/*
 * Check that all claims can be expressed. In an R a claim is of a whole pool,
 * so two jobs with parts of a pool would both hold all of it. Returns 0, or -1
 * with a diag.
 */
int plain_check(const struct rset *rs, struct diag *d);

#endif /* MODEL_DOCUMENT_PLAIN_H */
