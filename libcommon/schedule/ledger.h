/*
 * The ledger: who has what, from when to when (RFC 4 and RFC 16), in the
 * usage of a set.
 *
 * What a job holds is what it asked for and all that its exclusive pools
 * cover; a pool that is held whole is shared with nobody, and the job has no
 * claims on what is in it. Reservations are allocations that start later. No
 * function here looks at the clock: `now` comes from the caller.
 *
 *     struct usage *u = usage_begin(rs);
 *     match_find(u, req, &opts, &sel, &d);       a plan
 *     plan_check(u, "7", sel, &term, ...);       what stands against it
 *     ledger_allocate(u, "7", sel, &term);       can't fail
 */
#ifndef SCHEDULE_LEDGER_H
#define SCHEDULE_LEDGER_H

#include "model/change/select.h"
#include "model/records/usage.h"

/* --- give (schedule/ledger.c) ------------------------------------------- */

/*
 * Commit a plan: record what match_find() or cover_select() selected, locked if
 * it is staged until it is committed or aborted. What the job has already of a
 * pool, on the same terms, grows (RFC 4, Allocate); how many slots it has is
 * not known any more.
 */
void ledger_allocate(struct usage *u, const char *name,
                     const struct selection *sel, const struct term *terms);

/*
 * Lift the lock of what is staged for a job, which has it then; or forget
 * all that the job has. Was anything staged?
 */
bool ledger_commit(struct usage *u, const char *name);
bool ledger_abort(struct usage *u, const char *job);

/* --- take back (schedule/release.c) ----------------------------------- */

/* Forget all of a job's allocations and reservations. Was there any? */
bool ledger_release(struct usage *u, const char *name);

/*
 * Take units back from a job: what a selection names, which must all be the
 * job's. A pool held whole of which a part goes is shared from then on, and
 * what is left in it is held by itself. Returns 0; or 1 with a diag that
 * names what the job does not hold, and nothing has changed.
 */
int ledger_shrink(struct usage *u, const char *name,
                  const struct selection *what, struct diag *d);

/*
 * Drop what has ended by `now`. Every job that lost something is reported.
 * Returns how many.
 */
typedef void (*expire_fn)(const char *job, double end, void *arg);
size_t ledger_expire(struct usage *u, double now, expire_fn report, void *arg);

/*
 * Give what a job has another end, TIME_UNSET: none. 0; 1 with a diag that
 * names who has claimed a pool by then, and nothing has changed.
 */
int ledger_extend(struct usage *u, const char *name, double end, double now,
                  struct diag *d);

/* --- ask (schedule/holdings.c) ------------------------------------------ */

/*
 * The name by which the set knows a job: as it is written, or else the
 * digits of the id that it is (see job_decode()), into `buf` if needed.
 */
const char *ledger_job(const struct usage *u, const char *text,
                       char buf[JOB_DIGITS_MAX]);

/*
 * What a job's R lists of what it has; with job NULL what those of all jobs
 * list together, but for reservations that have not begun. With `held` all that
 * it holds, listed or not. What waits at `now` for another job is left out; at
 * 0 nothing waits. Nothing is an empty selection. The selection of a job knows
 * the job and its times.
 */
struct selection *ledger_allocated(struct usage *u, const char *job, bool held,
                                   double now);

/*
 * Make the R of a job from ledger_allocated(), a new set. `plan` is what the
 * job was just given, which tells the number of its slots; NULL: not known.
 */
struct rset *ledger_R(struct usage *u, const char *job, bool held, double now,
                      const struct selection *plan);

/*
 * The owner, the earliest start and the latest end of what a job has;
 * TIME_UNSET where any part has none; the number of its slots, if all parts
 * say the same; whether any of it is staged.
 */
struct term ledger_terms(const struct usage *u, const char *name);

/*
 * A set has nothing before it begins, and after it has expired: how does a
 * period leave its times? One without an end may go on when the set is over.
 */
enum { BEFORE_SET = 1, AFTER_SET = 2 };
unsigned ledger_outside(const struct rset *rs, const struct period *when);

/*
 * RFC 4, Copy: the resources that are available throughout a period, with
 * their ancestors, sizes set to what is available. A unit is available if it
 * is up, and not held, reserved or staged at the time; a pool with others in
 * it, if anything in it is; and nothing is while the set has not begun or has
 * expired. What is not available is left out with all below it. With
 * `any_state` what is down is as good as what is up.
 */
struct selection *ledger_available(struct usage *u, const struct period *when,
                                   bool any_state);

/* Is any of a pool, or of what is in it, claimed in the period, shared or
   staged? */
bool ledger_in_use(struct usage *u, struct lot *top, const struct period *when);

/* Is nothing of a pool available in the period of the usage? It is held whole,
   not up or staged, or it is used and can only be taken whole. */
bool ledger_blocks(struct usage *u, struct lot *lot);

/*
 * RFC 4, Aggregation: the units of each type that ledger_available() finds, and
 * how many of these are wholly free: nobody has anything of the pool or in it,
 * and all of that is up. Of a pool that is partly claimed the other units are
 * wholly free. Types of which nothing is available are pruned, unless `zero`.
 * The types are in order of their names, in a new array for free(); returns
 * their number.
 */
struct aggregate {
    const char *type;
    uint64_t available, free;
};
size_t ledger_aggregate(struct usage *u, const struct period *when, bool zero,
                        struct aggregate **out);

#endif /* SCHEDULE_LEDGER_H */
