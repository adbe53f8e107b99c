/*
 * The ledger: records of allocation on the pools of a set, by the rules of
 * RFC 4 (Resource Allocation Records) and RFC 16 (Resource Allocation Data
 * and Rules).
 *
 * - A job is recorded with its units on every pool that it is given.
 * - A pool held whole has the record, what is below it is implied and has
 *   none; if the job's R lists only a part of that, the part is marked.
 * - Every parent of what a job is given has the job in its `shared` list.
 *
 * What is available is what is up, unstaged, and neither held nor reserved.
 */
#ifndef SCHEDULE_LEDGER_H
#define SCHEDULE_LEDGER_H

#include "model/select.h"

/*
 * Record a selection as the allocation of a job from start to end
 * (TIME_UNSET: none). The selection must be of this set, be available, and
 * hold what is picked to be held. Runs are split, so the selection can't be
 * used after it. Returns -1 when memory ran out.
 */
int ledger_allocate(struct rset *rs, const struct selection *sel,
                    const char *job, double start, double end);

/* Forget all of a job's allocations and reservations. Was there any? */
bool ledger_release(struct rset *rs, const char *job);

/* Does the job hold, share or have reserved anything? */
bool ledger_has(const struct rset *rs, const char *job);

/*
 * Bring the `shared` lists of all vertices with children up to date, after
 * pools came or went: every job that has something below, nobody else. A
 * pool that is held whole shares with nobody. -1 when memory ran out.
 */
int ledger_reannotate(struct rset *rs);

/*
 * What a job's R lists of what is allocated to it; of all jobs together with
 * job NULL. NULL when memory ran out; nothing allocated is an empty
 * selection.
 */
struct selection *ledger_allocated(const struct rset *rs, const char *job);

/*
 * The earliest start and the latest end of what is allocated to a job;
 * TIME_UNSET where any part has none.
 */
void ledger_times(const struct rset *rs, const char *job, double *start,
                  double *end);

/*
 * RFC 4, Copy: the resources that are available, with their ancestors, sizes
 * set to what is available. Pools without anything available are left out
 * with all below them.
 */
struct selection *ledger_available(const struct rset *rs);

#endif /* SCHEDULE_LEDGER_H */
