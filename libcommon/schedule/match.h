/*
 * Matching a request against a resource set (RFC 16, Find).
 *
 * The meaning of a request:
 *
 * - An entry is searched for everywhere below the pool that was taken for the
 *   entry above it. Levels of the graph may be left out (`node/slot/core` where
 *   cores lie in sockets). An entry at the top is searched for in the whole
 *   set.
 * - The resources of a slot belong to the job alone. Pools above and outside of
 *   slots are shared. `exclusive` on an entry overrides this for the entry.
 * - A slot that asks for no node fits within one node, unless it is in a node
 *   already or asks only for resources outside of nodes. With `slot_parent`
 *   each list of entries in a slot is taken from the direct children of one
 *   pool. That pool has to be up, and not inside a pool that an earlier entry
 *   holds whole.
 * - An entry without entries below it, if it is in a slot or marked exclusive,
 *   gets all that is below its pool. An entry of a slot with entries below it
 *   has its pool alone, but only the resources that it asks for are selected
 *   there.
 * - Pools are taken by units. A pool is taken whole or not at all if its size
 *   is 1, if the request or the inventory marks it exclusive, or with
 *   `granule_pool`. The mark of the inventory applies to requests for anything
 *   in the pool, too.
 * - Holding every unit of a pool is exclusive. So a pool of size 1 (a core)
 *   that another job shares can't be taken.
 * - An entry outside of slots that is not exclusive and has no entries below it
 *   is shared: its pools have to exist, but it takes no units from other jobs.
 *   They are selected as they are, whatever their size.
 * - Within one answer no unit serves two entries. No pool serves two entries
 *   that have entries below them. A pool that is held whole contains nothing
 *   for entries other than those below its own entry.
 * - A pool does not match now if it is not up, is staged, held or reserved, or
 *   lies in such a pool. Held and reserved are judged over the period of the
 *   request: from the start on for the duration, or for ever if it has none. A
 *   claim that has ended but was not released still holds its pool. A pool can
 *   be taken whole if everything in it is up, nothing in it is in use, and
 *   everything selected in it satisfies the constraint.
 * - A constraint says which execution targets may be used, now and ever. It
 *   does not bind pools outside of targets.
 * - A unit in a request has to be the unit of the pool, or both have to be
 *   units of bytes; then as many whole units of the pool are taken as are
 *   needed. Other units are an error.
 * - `id` names the pools that may be taken: an idset of their ids (ranks, for
 *   targets of an R), or a hostlist of their names.
 * - An entry is searched for below a pool in the pool's own hierarchy first,
 *   then in the pools that the pool's edges lead to, in either direction, and
 *   below those pools (usage_reach()). Over an edge nothing is found in a pool
 *   that the request holds already.
 *
 * Entries are served in the order of the request. Each takes from the pools in
 * the order of the policy (policy.h), as much from each as it can. Under
 * `first` that is the order of the tree (preorder; siblings by type, rank, id,
 * name):
 *
 *     rank 0: core[0-1] free      slot=3/core=2 takes rank 0 core[0-1],
 *     rank 1: core[0-5] free      rank 1 core[0-3]
 *
 * A count that is not fixed gets the largest number that is available: outer
 * entries before inner ones, earlier before later ones. If a later entry then
 * fails, the last choice is given up for the next one: less from that pool,
 * another pool, a smaller count. So a match is found whenever there is one, and
 * equal questions get equal answers.
 *
 * search.h describes the matcher. For most requests it never has to go back.
 * Entries that can't compete for a pool keep what they take first, so they are
 * served one after the other, and equal targets cost as much as one. Entries
 * that compete are searched for where they compete. Pools that are alike are
 * tried only once, and a choice that leaves too little for the rest is given up
 * early. A search that takes too long ends with an error that says so, never
 * with a wrong "no match".
 */
#ifndef SCHEDULE_MATCH_H
#define SCHEDULE_MATCH_H

#include "model/change/select.h"
#include "request/constraint.h"
#include "request/request.h"
#include "model/records/forecast.h"

struct policy;

enum match_answer {
    MATCH_FOUND,
    MATCH_NOT_NOW, /* would match if all were up and free */
    MATCH_NEVER,
    MATCH_ERROR /* units that can't be compared, or a search that takes too
                   long */
};

struct match_options {
    double now;      /* seconds since the Epoch */
    double start;    /* when the job begins; if before `now`: now */
    double duration; /* how long it lasts, INFINITY: for ever; 0: as long as the
                        request says */
    double before;   /* match_earliest() looks for a time before this one; 0:
                        for any time */
    const struct constraint *constraint; /* in addition to the request's; NULL:
                                            none */
    const char *constraint_option; /* "--requires": for messages, or NULL */
    bool slot_parent;              /* each list in a slot is taken from the
                                      children of one pool */
    bool granule_pool;             /* pools are taken whole */
    bool node_exclusive;         /* nodes are taken whole if anything in them is
                                    taken */
    const struct policy *policy; /* NULL: `first`; see policy.h */
};

/* Return the period for which a request asks for resources. A request without a
   duration has no end. */
struct period match_period(const struct request *req,
                           const struct match_options *opts);

/*
 * Find resources for a request and select them in *sel: a plan, which the
 * caller destroys. Changes nothing.
 *
 * The set's starttime and expiration are bounds. A start before starttime gives
 * MATCH_NOT_NOW. A start at or after expiration, or a duration that ends after
 * it, gives MATCH_NEVER.
 */
enum match_answer match_find(struct usage *u, const struct request *req,
                             const struct match_options *opts,
                             struct selection **sel, struct diag *d);

/*
 * Find the first moment *at, not before the start of the request, at which all
 * its resources are available for its whole duration. *sel is as for
 * match_find(). MATCH_NOT_NOW: a claim in the way has no end, or the set
 * expires first.
 */
enum match_answer match_earliest(struct usage *u, const struct request *req,
                                 const struct match_options *opts,
                                 struct selection **sel, double *at,
                                 struct diag *d);

/*
 * Return the first time, not before `from`, at which all nodes together have
 * enough units for a request. It need not match then. INFINITY: not before
 * `limit`. With `windows` only what a node has for the whole duration counts
 * (usage_first_window()).
 */
double match_possible(struct usage *u, const struct request *req,
                      const struct match_options *opts, double from,
                      double limit, bool windows);

/*
 * Return the first time, not before `from`, from which on all nodes together
 * have the units of a request for its duration, however they are spread.
 * INFINITY: never.
 */
double match_enough(struct usage *u, const struct request *req,
                    const struct match_options *opts, double from);

/*
 * Describe a request as a number of equal parts of nodes: whole nodes, any of
 * those that the constraints allow, or slots in them that hold plain units.
 * Returns the number, and sets *kind, whose `in` is a new set; 0: it asks for
 * something else. *exact: a part takes exactly the units in `each`, also if 0
 * is returned since the parts have to be in different nodes, or in nodes that
 * are not alike.
 */
int64_t match_kind(struct usage *u, const struct request *req,
                   const struct match_options *opts, struct part_kind *kind,
                   bool *exact);

/*
 * Return whether a request could ever match, whatever is down or held now:
 * MATCH_FOUND, MATCH_NEVER or MATCH_ERROR (RFC 28: satisfiability does not
 * depend on availability).
 */
enum match_answer match_feasible(struct usage *u, const struct request *req,
                                 const struct match_options *opts,
                                 struct diag *d);

#endif /* SCHEDULE_MATCH_H */
