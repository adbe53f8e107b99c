/*
 * Matching a request against a resource set (RFC 16, Find).
 *
 * What a request means:
 *
 * - An entry is looked for everywhere below the pool that the entry above it
 *   has got; levels of the graph may be left out (`node/slot/core` where
 *   cores lie in sockets). At the top the whole set is looked through.
 * - A slot's resources are the job's alone. Above and outside of slots
 *   pools are shared. `exclusive` on an entry says otherwise of that entry.
 * - A slot in which no node is asked for fits within one node. (Unless it is
 *   in a node already, or what it asks for lies in no node at all.) With
 *   `slot_parent` every list of entries in a slot is taken from the direct
 *   children of one pool, which is up, and in nothing that an earlier entry
 *   has got whole.
 * - An entry that ends the request in a slot, or is marked exclusive, gets
 *   all that is below its pool. An entry of a slot with entries below it has
 *   its pool to itself, but only what is asked for is selected in it.
 * - Pools are taken by units; a pool of size 1, a pool marked exclusive in
 *   the request, and every pool with `granule_pool`, is taken whole or not at
 *   all. So is a pool that the inventory marks exclusive, whatever is asked
 *   of it or of what is in it.
 * - Who has all units of a pool has it alone: of a pool that another job
 *   shares one unit can't be had.
 * - An entry outside of slots that is not exclusive and ends the request is
 *   shared: its pools have to be there, no units are taken from others. They
 *   are selected as they are, whatever their size.
 * - In one answer no unit serves two entries, no pool is the pool of two
 *   entries that ask for something in it, and a pool that is held whole
 *   holds nothing for entries other than those below its own.
 * - What is not up, staged, held or reserved, or in such a pool, does not
 *   match now; held or reserved at any moment from the start on, for the
 *   duration, or without one for ever. What has ended and was not released
 *   is held on. A pool can be had whole if all in it is up and nothing in it
 *   is in use, and all that is selected in it satisfies the constraint.
 * - A constraint says which execution targets may be used, now and ever;
 *   pools outside of targets are not bound by it.
 * - A unit in a request is the pool's own, or both are units of bytes, and
 *   then enough whole units of the pool are taken. Others are an error.
 * - `id` names the pools that may be taken: an idset of their ids (ranks, for
 *   targets of an R), or a hostlist of their names.
 * - Below a pool an entry is looked for in the pool's own hierarchy, and then
 *   in the pools that its edges lead to, in either direction, and below those
 *   (usage_reach()). Over an edge nothing is found in a pool that the request
 *   holds already.
 *
 * Entries are served in the order of the request, each from the pools in the
 * order of the policy (policy.h), and takes as much from each as it can. Under
 * `first` that is the order of the tree (preorder; among siblings type, rank,
 * id, name):
 *
 *     rank 0: core[0-1] free      slot=3/core=2 takes rank 0 core[0-1],
 *     rank 1: core[0-5] free      rank 1 core[0-3]
 *
 * A count that is not fixed gets the largest number that can be had: the
 * outer before the inner, the earlier before the later. Where something
 * later can't be had then, the last choice is given up for the next one:
 * less from that pool, another pool, a smaller count. So a match is found
 * whenever there is one, and it is always the same.
 *
 * The matcher (search.h) does that. For most requests it never has to go
 * back: what entries take that can't compete for a pool is never given up
 * for others, and so they are served one after the other, equal targets at
 * the cost of one. Entries that do compete are searched for, where they do;
 * pools that are alike are tried only once, and what leaves no room for the
 * rest is given up early. A search that takes too long ends with an error
 * that says so, never with a wrong no.
 */
#ifndef SCHEDULE_MATCH_H
#define SCHEDULE_MATCH_H

#include "model/change/select.h"
#include "request/constraint.h"
#include "request/request.h"
#include "model/records/usage.h"

struct policy;

enum match_answer {
    MATCH_FOUND,
    MATCH_NOT_NOW, /* would match if all were up and free */
    MATCH_NEVER,
    MATCH_ERROR /* units that don't compare, a search too long */
};

struct match_options {
    double now;   /* seconds since the Epoch */
    double start; /* when it is to begin; before `now`: now */
    const struct constraint *constraint; /* beside the request's; NULL: none */
    bool slot_parent;            /* lists in a slot from children of one pool */
    bool granule_pool;           /* pools are taken whole */
    bool node_exclusive;         /* nodes in which something is taken, too */
    const struct policy *policy; /* NULL: `first`; see policy.h */
};

/* From when to when a request asks for resources; without end: for ever. */
struct period match_period(const struct request *req,
                           const struct match_options *opts);

/*
 * Find what a request asks for, and select it in *sel (new, the caller
 * destroys it): a plan. Nothing is changed by it.
 *
 * A set's starttime and expiration bound it: a start before the first is not
 * now, at or after the second is never, and so is a duration that would end
 * after it.
 */
enum match_answer match_find(struct usage *u, const struct request *req,
                             const struct match_options *opts,
                             struct selection **sel, struct diag *d);

/*
 * Find what a request asks for at the first moment, from its start on, at which
 * all of it can be had for as long as it is asked for; *at is that moment. Not
 * now: what is in the way has no end, or the set ends before.
 */
enum match_answer match_earliest(struct usage *u, const struct request *req,
                                 const struct match_options *opts,
                                 struct selection **sel, double *at,
                                 struct diag *d);

/*
 * Could it ever match? MATCH_FOUND, MATCH_NEVER or MATCH_ERROR, whatever is
 * down or held now (RFC 28: satisfiability does not depend on availability).
 */
enum match_answer match_feasible(struct usage *u, const struct request *req,
                                 const struct match_options *opts,
                                 struct diag *d);

#endif /* SCHEDULE_MATCH_H */
