/*
 * Evaluation: for which pools of a set a constraint holds. The set must not
 * change meanwhile.
 *
 * Pools are evaluated one by one. The answer for the first member of a run
 * applies to several members: evaluation leaves those with the same answer in
 * the member, and the others come next. So a million equal ranks are evaluated
 * only as often as the constraint distinguishes them.
 *
 *     struct evaluation *ev = evaluation_create(c, usage_settle(rs));
 *     struct member m;
 *
 *     member_init(&m, v, v->run, up);
 *     do
 *         if (evaluation_holds(ev, &m))
 *             use(member_set(&m));
 *     while (member_next(&m));
 *     evaluation_destroy(ev);
 */
#ifndef REQUEST_EVALUATION_H
#define REQUEST_EVALUATION_H

#include "model/records/usage.h"
#include "request/constraint.h"

/*
 * A pool, or members of a run with equal answers so far, for themselves and for
 * the pools in them.
 */
struct member {
    struct member *up;     /* the pool around it; NULL: none */
    struct member *target; /* the nearest target at or above it; NULL: none */
    const struct vertex *v;
    uint32_t id;              /* the first of the members */
    const struct idset *left; /* these and members not yet evaluated; NULL: a
                                 pool */
    struct idset *rest;       /* owned `left`, if it had to be made */
    struct idset *same;       /* these members; NULL: all in `left` */
};

/* Begin with the members of a set: a run or a part of it, or NULL for a
   pool. */
void member_init(struct member *m, const struct vertex *v,
                 const struct idset *set, struct member *up);

/* Go to the members not yet evaluated. Returns false, with the member released,
   if there are none. */
bool member_next(struct member *m);

/* Return the members, or NULL for a pool. */
const struct idset *member_set(const struct member *m);

/*
 * Return whether a member is in a target among the ranks. Only members with
 * this answer stay in the target.
 */
bool member_targeted(struct member *m, const struct idset *ranks);

struct evaluation;

/* Prepare the evaluation of a constraint in a set. Both must stay unchanged,
   until evaluation_destroy(). */
struct evaluation *evaluation_create(const struct constraint *c,
                                     struct settled s);
void evaluation_destroy(struct evaluation *ev); /* NULL is allowed */

/*
 * Return whether the constraint holds for a pool. Only members with this answer
 * stay in the pool and in the pools above it.
 */
bool evaluation_holds(struct evaluation *ev, struct member *m);

#endif /* REQUEST_EVALUATION_H */
