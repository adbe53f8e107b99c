/*
 * The ledger: which job has which resources at which times (RFC 4 and RFC 16),
 * in the usage of a set.
 *
 * A job holds the resources that it asked for, and everything in its exclusive
 * pools. A pool that is held whole is not shared with any job, and its holder
 * has no claims inside it. Reservations are allocations that start later. No
 * function here looks at the clock: the caller passes `now`.
 *
 *     struct usage *u = usage_begin(rs);
 *     match_find(u, req, &opts, &sel, &d);       a plan
 *     plan_check(u, "7", sel, &term, ...);       is it allowed?
 *     ledger_allocate(u, "7", sel, &term);       can't fail
 */
#ifndef SCHEDULE_LEDGER_H
#define SCHEDULE_LEDGER_H

#include "model/change/select.h"

/* --- give (schedule/ledger.c) ------------------------------------------- */

/*
 * Commit a plan: record what match_find() or cover_select() selected. If
 * staged, the resources are locked until ledger_commit() or ledger_abort().
 * Grants of the job in the same pools on the same terms grow (RFC 4, Allocate).
 * A job that had grants before no longer has a known number of slots.
 */
void ledger_allocate(struct usage *u, const char *name,
                     const struct selection *sel, const struct term *terms);

/*
 * Give a job, which has nothing yet, as many parts of each node as a plan
 * takes, of units that are free in a period, whichever. `each`: the units of
 * one part. Returns false, and gives nothing, if there are too few.
 */
bool ledger_allocate_free(struct usage *u, const char *name,
                          const struct selection *sel, const struct term *terms,
                          const struct needs *each, const struct period *when);

/*
 * ledger_commit() lifts the lock of staged resources: the job then has them.
 * ledger_abort() releases everything that the job has. Both return false,
 * without a change, if nothing is staged.
 */
bool ledger_commit(struct usage *u, const char *name);
bool ledger_abort(struct usage *u, const char *job);

/* --- take back (schedule/release.c) ----------------------------------- */

/* Release all allocations and reservations of a job. Returns false if there are
   none. */
bool ledger_release(struct usage *u, const char *name);

/*
 * Release the part of a job's resources that a selection names. If part of a
 * pool that is held whole is released, the pool becomes shared and the rest of
 * it is claimed by itself. Returns 0. If the job does not hold all of the
 * selection: returns 1 with a diag that names the missing resources, and
 * changes nothing.
 */
int ledger_shrink(struct usage *u, const char *name,
                  const struct selection *what, struct diag *d);

/*
 * Release everything that ended by `now`. Calls report for each job that lost
 * something, in the order of names, with the latest end. Returns the number of
 * these jobs.
 */
typedef void (*expire_fn)(const char *job, double end, void *arg);
size_t ledger_expire(struct usage *u, double now, expire_fn report, void *arg);

/*
 * Change the end of everything that a job has; TIME_UNSET: no end. Returns 0.
 * If a pool is taken in the added time, also by another grant of this job:
 * returns 1 with a diag that names the pool and the job, and changes nothing.
 */
int ledger_extend(struct usage *u, const char *name, double end, double now,
                  struct diag *d);

/* --- ask (schedule/holdings.c) ------------------------------------------ */

/*
 * Return the name by which the set knows a job: as written, or as the digits of
 * the id that the text encodes (see job_decode()). `buf` holds the digits.
 */
const char *ledger_job(const struct usage *u, const char *text,
                       char buf[JOB_DIGITS_MAX]);

/*
 * Select the resources that a job's R lists. With name NULL: the resources that
 * the Rs of all jobs list, without reservations that have not begun. With
 * `held`: everything that the job holds, listed or not. Resources that wait at
 * `now` for another job are left out; with `now` 0 nothing waits. The selection
 * may be empty. The selection of a job has the job's name and times.
 */
struct selection *ledger_allocated(struct usage *u, const char *name, bool held,
                                   double now);

/*
 * Make the R of a job from ledger_allocated(): a new set. `plan` is the plan
 * that the job was just given, with its number of slots; NULL: not known.
 */
struct rset *ledger_R(struct usage *u, const char *job, bool held, double now,
                      const struct selection *plan);

/*
 * Return the terms of a job: owner, queue, earliest start and latest end
 * (TIME_UNSET if any part has none), the number of slots if all parts agree,
 * and whether any part is staged.
 */
struct term ledger_terms(const struct usage *u, const char *name);

/*
 * Return whether a period lies partly outside of the set's times: BEFORE_SET if
 * it starts before the set begins, AFTER_SET if it starts or ends after the set
 * expires. A period without an end may go on after that.
 */
enum { BEFORE_SET = 1, AFTER_SET = 2 };
unsigned ledger_outside(const struct rset *rs, const struct period *when);

/*
 * Select the resources that are available throughout a period, with their
 * ancestors and with sizes set to what is available (RFC 4, Copy). A unit is
 * available if it is up, and not held, reserved or staged in the period. A pool
 * with pools in it is available if anything in it is. Nothing is available
 * before the set begins or after it expires. With `any_state` pools that are
 * not up count, too.
 */
struct selection *ledger_available(struct usage *u, const struct period *when,
                                   bool any_state);

/* Drop nodes that have cores or GPUs from a selection that has none of these,
   but for example memory: no job can start there. */
void selection_drop_unusable(const struct usage *u, struct selection *sel);

/* Return whether nothing of a pool is available in the period of the usage. It
   is held whole, not up or staged, or it is used and can only be taken
   whole. */
bool ledger_blocks(struct usage *u, struct lot *lot);

/*
 * Sum up the units that ledger_available() finds by type (RFC 4, Aggregation).
 * `free` counts the wholly free ones: nobody has anything of the pool or in it,
 * and everything in it is up. The unclaimed units of a partly claimed pool are
 * wholly free. Types with nothing available are left out, unless `zero`. *out
 * is a new array for free(), sorted by type. Returns its length.
 */
struct aggregate {
    const char *type;
    uint64_t available, free;
};
size_t ledger_aggregate(struct usage *u, const struct period *when, bool zero,
                        struct aggregate **out);

#endif /* SCHEDULE_LEDGER_H */
