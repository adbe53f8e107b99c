/*
 * Matching a request against a resource set (RFC 16, Find), with the policy
 * `first`.
 *
 * What a request means:
 *
 * - A slot's resources are the job's alone. Above and outside of a slot
 *   vertices are shared. `exclusive` on a vertex says otherwise.
 * - A slot that has no node in it fits within one node; a request may leave
 *   out levels of the graph (`node/slot/core` where cores lie in sockets).
 * - A request that stops at a vertex in a slot, or marks a vertex exclusive,
 *   selects all below it. A vertex of a slot with a request below it is held
 *   whole, but only what is asked for is selected.
 * - Pools are taken by units. A pool that the inventory marks exclusive is
 *   taken whole or not at all, whatever is asked of it.
 * - What is not up, staged, held or reserved does not match now.
 *
 * The policy: pools are tried in the order of the tree (rank, then id), each
 * takes as much of the request as it can, until the request is filled.
 *
 *     rank 0: core[0-1] free      slot=3/core=2 takes rank 0 core[0-1],
 *     rank 1: core[0-5] free      rank 1 core[0-3]
 *
 * For requests whose parts don't compete for the same pools this finds a
 * match whenever there is one. Those whose parts could compete are told
 * apart beforehand and refused as not supported, never answered wrongly.
 *
 * A run of equal targets is looked at once: what one member can give, all
 * can, so a million equal ranks are matched at the cost of one.
 */
#ifndef SCHEDULE_MATCH_H
#define SCHEDULE_MATCH_H

#include "model/select.h"
#include "request/request.h"

enum match_answer {
    MATCH_FOUND,
    MATCH_NOT_NOW, /* would match if all were up and free */
    MATCH_NEVER,
    MATCH_ERROR /* not supported, or out of memory: see the diag */
};

/*
 * Find what a request asks for at time `now` (seconds since the Epoch), and
 * select it in *sel (new, the caller destroys it). The set is not changed,
 * but for the vertices' `index`. A set's starttime and expiration bound it:
 * before the first is not now, at or after the second is never, and so is a
 * duration that would end after it.
 */
enum match_answer match_first(struct rset *rs, const struct request *req,
                              double now, struct selection **sel,
                              struct diag *d);

/*
 * Can this matcher answer the request on this set? Returns 0, or -1 with a
 * diag that names what it does not do.
 */
int match_supported(const struct rset *rs, const struct request *req,
                    struct diag *d);

#endif /* SCHEDULE_MATCH_H */
