/*
 * The ledger: who has what, from when to when (RFC 4 and RFC 16).
 *
 * Records lie on the vertices of a set. What a job holds is what it asked
 * for and all that its exclusive pools cover; every parent of what it has
 * names the job in `shared`, unless a pool is held whole, which shares with
 * nobody and whose children have no records of their own. Reservations are
 * allocations that start later. No function here looks at the clock: `now`
 * comes from the caller.
 */
#ifndef SCHEDULE_LEDGER_H
#define SCHEDULE_LEDGER_H

#include "model/select.h"

/* What is recorded with every part of an allocation. */
struct terms {
    const char *job;
    const char *owner; /* NULL: not said */
    double start, end; /* seconds since the Epoch, half-open; TIME_UNSET */
    bool reserved;     /* it is to start later */
    bool staged;       /* locked, until it is committed or aborted */
};

/* --- give (schedule/ledger.c) ------------------------------------------- */

/*
 * Record a selection that match_find() made, or cover_select(). Runs are
 * split, so that the selection can't be used after it. What the job has
 * already of a pool, on the same terms, grows (RFC 4, Allocate). Returns -1
 * when memory ran out.
 */
int ledger_allocate(struct rset *rs, const struct selection *sel,
                    const struct terms *terms);

/*
 * Can the selection be recorded: is all of it free in the period? 0; 1 with
 * a diag that names the first pool that is not, and who has it; -1.
 */
int ledger_check_free(const struct rset *rs, const struct selection *sel,
                      const struct period *when, struct diag *d);

/*
 * Lift the lock of what is staged for a job, which has it then; or forget
 * all that the job has. Was anything staged?
 */
bool ledger_commit(struct rset *rs, const char *job);
bool ledger_abort(struct rset *rs, const char *job);

/* --- take back (schedule/release.c, timeline.c) ------------------------ */

/* Forget all of a job's allocations and reservations. Was there any? */
bool ledger_release(struct rset *rs, const char *job);

/*
 * Take units back from a job: what a selection names, which must all be the
 * job's. A pool held whole of which a part goes is shared from then on, and
 * what is left in it is held by itself. Returns 0; 1 with a diag that names
 * what the job does not hold, and nothing has changed; -1 when memory ran
 * out.
 */
int ledger_shrink(struct rset *rs, const char *job,
                  const struct selection *what, struct diag *d);

/*
 * Drop what has ended by `now`. Every job that lost something is told, with
 * what it lost still there. Returns how many, or -1.
 */
typedef void (*expire_fn)(const struct rset *rs, const char *job, double end,
                          void *arg);
ssize_t ledger_expire(struct rset *rs, double now, expire_fn tell, void *arg);

/*
 * Give what a job has another end, TIME_UNSET: none. 0; 1 with a diag that
 * names who has claimed a pool by then, and nothing has changed.
 */
int ledger_extend(struct rset *rs, const char *job, double end, double now,
                  struct diag *d);

/*
 * Bring the `shared` lists of all vertices with children up to date, after
 * pools came or went: every job that has something below, nobody else. A
 * pool that is held whole shares with nobody. -1 when memory ran out.
 */
int ledger_reannotate(struct rset *rs);

/* --- ask (schedule/holdings.c) ------------------------------------------ */

/* Does the job hold, share or have reserved anything? */
bool ledger_has(const struct rset *rs, const char *job);

/*
 * The name by which the set knows a job: as it is written, or else the
 * digits of the id that it is (see job_decode()), into `buf` if needed.
 */
const char *ledger_job(const struct rset *rs, const char *text,
                       char buf[JOB_DIGITS_MAX]);

/*
 * Make of what was extracted of a set, with peers, for a job the job's R: it
 * gets the times of the allocation, and pools with nothing in them that the
 * job only shares say so. -1: out of memory.
 */
int ledger_complete_R(struct rset *R, const struct rset *rs, const char *job);

/*
 * What a job's R lists of what it has; of all jobs together with job NULL.
 * With `held` all that it holds, listed or not. NULL when memory ran out;
 * nothing is an empty selection.
 */
struct selection *ledger_allocated(const struct rset *rs, const char *job,
                                   bool held);

/*
 * All that a job holds, down to the last pool: what is implied by a pool held
 * whole is picked by itself.
 */
struct selection *ledger_holdings(const struct rset *rs, const char *job);

/*
 * The owner, the earliest start and the latest end of what a job has;
 * TIME_UNSET where any part has none. Is any of it staged?
 */
void ledger_terms(const struct rset *rs, const char *job, struct terms *out);

/*
 * RFC 4, Copy: the resources that are available throughout a period, with
 * their ancestors, sizes set to what is available. Pools without anything
 * available are left out with all below them. With `any_state` what is down
 * is as good as what is up.
 */
struct selection *ledger_available(const struct rset *rs,
                                   const struct period *when, bool any_state);

#endif /* SCHEDULE_LEDGER_H */
