/*
 * What a graph says and an R without a graph does not.
 *
 * An R lists nodes by their ranks, and in them pools of some types by their
 * ids (RFC 20, Execution), each as one unit. Topology is left out by nature
 * of the form. Records are not: what would be read as something else is
 * refused, and what belongs to pools that are not listed is told.
 */
#ifndef MODEL_DOCUMENT_PLAIN_H
#define MODEL_DOCUMENT_PLAIN_H

#include "model/tree/rset.h"

/* Is it listed: an execution target, or of a type of R_lite in a target? */
bool plain_lists(const struct rset *rs, const struct vertex *v);

/* Is it a claim of all of the pool that it is of? */
struct grant;
bool plain_whole(const struct grant *g);

/*
 * Can the claims be said? An R gives a pool as a whole, so that parts of it
 * for two jobs would be all of it, twice. Returns 0, or -1 with a diag.
 */
int plain_check(const struct rset *rs, struct diag *d);

#endif /* MODEL_DOCUMENT_PLAIN_H */
