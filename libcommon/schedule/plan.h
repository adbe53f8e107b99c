/*
 * A plan is a selection that is to become a grant: what match_find() found, or
 * what an R or paths name. Nothing has changed yet. Before it is committed
 * (ledger_allocate(), which can't fail) the rules of RFC 4 and RFC 16 are held
 * against it.
 */
#ifndef SCHEDULE_PLAN_H
#define SCHEDULE_PLAN_H

#include "model/change/select.h"
#include "schedule/ledger.h"

/* What stands against a plan, with a diag that says what. */
enum plan_answer {
    PLAN_GOOD,
    PLAN_NOT_NOW,   /* something is in the way */
    PLAN_NEVER,     /* the set ends before that is over */
    PLAN_UNSAYABLE, /* it can't be given, or no document could say it */
};

enum {
    PLAN_CHOSEN = 1,    /* not by match_find(), which found it free, in time */
    PLAN_ANY_STATE = 2, /* what is down is as good as what is up */
    PLAN_ANY_TIME = 4   /* also when the set has not begun, or is over */
};

/*
 * RFC 4, Exclusive flag: a pool that has to be taken whole is held whole,
 * whatever is taken of it. For plans that match_find() did not make.
 */
void plan_take_whole(struct selection *plan);

/* -1 with a diag: units of a sum are taken (see vertex_is_sum()). */
int plan_check_sums(const struct rset *rs, const struct selection *plan,
                    struct diag *d);

enum plan_answer plan_check(struct usage *u, const char *job,
                            const struct selection *plan,
                            const struct term *terms, double now,
                            unsigned flags, struct diag *d);

#endif /* SCHEDULE_PLAN_H */
