/*
 * A plan is a selection that is to become a grant: the result of match_find(),
 * or resources named by an R or by paths. It changes nothing yet. Before it is
 * committed with ledger_allocate(), which can't fail, plan_check() applies the
 * rules of RFC 4 and RFC 16.
 */
#ifndef SCHEDULE_PLAN_H
#define SCHEDULE_PLAN_H

#include "model/change/select.h"
#include "schedule/ledger.h"

/* Results of plan_check(), each but PLAN_GOOD with a diag. */
enum plan_answer {
    PLAN_GOOD,
    PLAN_NOT_NOW,   /* something is in the way */
    PLAN_NEVER,     /* the set expires before the end */
    PLAN_UNSAYABLE, /* resources that can't be given, or not recorded */
};

enum {
    PLAN_CHOSEN = 1,    /* not made by match_find(), which checks states and
                           times */
    PLAN_ANY_STATE = 2, /* allow pools that are not up */
    PLAN_ANY_TIME = 4   /* allow times outside of the set's times */
};

/*
 * Take pools whole that have to be taken whole (RFC 4, Exclusive flag). For
 * plans that match_find() did not make.
 */
void plan_take_whole(struct selection *plan);

/* Check that a plan takes no units of a sum (see vertex_is_sum()). Returns 0,
   or -1 with a diag. */
int plan_check_sums(const struct rset *rs, const struct selection *plan,
                    struct diag *d);

/* Return the period in which a plan with these terms takes its resources: from
   now on, or from a later start. */
struct period plan_period(const struct term *terms, double now);

enum plan_answer plan_check(struct usage *u, const char *job,
                            const struct selection *plan,
                            const struct term *terms, double now,
                            unsigned flags, struct diag *d);

/* Return whether each node has the units that a plan takes of it at each moment
   of a period, whichever units they are: beside terms that don't name theirs.
   Pools that the plan takes whole are not checked. */
bool plan_has_enough(struct usage *u, const struct selection *plan,
                     const struct period *when);

/*
 * Name the jobs, but one, that hold any part of these lots in a period, or at
 * the times of a plan that is for that one, and say until when. Returns a new
 * string; NULL: there are none.
 */
char *jobs_in_the_way(struct usage *u, const char *but, const struct lots *lots,
                      const struct period *when);
char *plan_in_the_way(struct usage *u, const char *job, const struct lots *lots,
                      const struct term *terms, double now);

/*
 * Commit a plan as far as its resources are free. Only units and pools that
 * others hold are left out. Units that the job has already count as taken. If a
 * reservation on any of them begins later, the job gets all until then, and
 * terms->end is set to that time. Returns NULL, or a new string that names the
 * first thing in the way.
 */
char *plan_take_free(struct usage *u, const char *job,
                     const struct selection *plan, struct term *terms,
                     double now);

#endif /* SCHEDULE_PLAN_H */
