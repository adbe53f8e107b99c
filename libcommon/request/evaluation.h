/*
 * Evaluation: what a constraint holds for, in a set that stays as it is.
 *
 * It is asked of one pool after the other. The first member of a run is asked
 * for all of them: who answers leaves those among them that have the same
 * answer, and the others are asked next. So a million equal ranks are asked
 * as often as a constraint tells them apart.
 *
 *     struct evaluation *ev = evaluation_create(c, rs);
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

#include "request/constraint.h"

/*
 * A pool, or members of a run that have had the same answers to all that was
 * asked of them and of what is in them, in the pool that is above it.
 */
struct member {
    struct member *up;     /* NULL: nothing is above it */
    struct member *target; /* the nearest at or above it; NULL: none */
    const struct vertex *v;
    uint32_t id;              /* the first of the members */
    const struct idset *left; /* they and those not yet asked; NULL: a pool */
    struct idset *rest;       /* the same if it had to be made */
    struct idset *same;       /* they; NULL: all that are left */
};

/* Begin with the members of a set (a run or part of it), if any. */
void member_init(struct member *m, const struct vertex *v,
                 const struct idset *set, struct member *up);

/* Go to others; false, and it is released, if there are none. */
bool member_next(struct member *m);

/* The members; NULL of a pool. */
const struct idset *member_set(const struct member *m);

/*
 * Is it in a target among these ranks? Of that only members with the same
 * answer stay.
 */
bool member_targeted(struct member *m, const struct idset *ranks);

struct evaluation;

/* Both have to stay as they are meanwhile, settled: see usage_settle(). */
struct evaluation *evaluation_create(const struct constraint *c,
                                     const struct rset *rs);
void evaluation_destroy(struct evaluation *ev); /* NULL is allowed */

/*
 * Does the constraint hold for a pool? Of it and those above it only members
 * with the same answer stay.
 */
bool evaluation_holds(struct evaluation *ev, struct member *m);

#endif /* REQUEST_EVALUATION_H */
