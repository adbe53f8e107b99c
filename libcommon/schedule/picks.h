/* The lots that a pick names. */
#ifndef SCHEDULE_PICKS_H
#define SCHEDULE_PICKS_H

#include "model/change/select.h"

/*
 * Step through the lots that contain the members of a pick, in order:
 *
 *     struct pick_iter it = pick_iter_of(u, parent, pick, true);
 *     while ((lot = pick_iter_next(&it)))
 *
 * With `split` members that the pick does not name are split off first. Then
 * each lot has only members of the pick.
 */
struct pick_iter {
    struct usage *u;
    struct lot *parent;
    const struct pick *pick;
    uint32_t at;   /* the next member */
    uint64_t left; /* the number of members to come */
    bool split;
};
struct pick_iter pick_iter_of(struct usage *u, struct lot *parent,
                              const struct pick *pick, bool split);
struct lot *pick_iter_next(struct pick_iter *it);

/*
 * picks_split() splits all lots that a selection names, so that changes affect
 * only its members. picks_join() joins them again where nothing distinguishes
 * them.
 */
void picks_split(struct usage *u, const struct selection *sel);
void picks_join(struct usage *u, const struct selection *sel);

/* Return how many units of a type a plan takes below the pool of a pick. */
int64_t pick_units(const struct usage *u, const struct pick *p, unsigned ntype);

/*
 * Return the path of a lot for messages: a new string. The lot is named by a
 * pick or lies in a pool that a pick names. For a run the path includes the
 * members that the pick, or picks after it, name in runs of the same name with
 * the same grants and state.
 */
char *pick_place(const struct usage *u, const struct pick *p,
                 const struct lot *lot);

/*
 * Walk over the picks of a selection, from the top down, and call a function
 * for each pick with each lot of its members. `before` returns 0 to go on,
 * PICKS_OVER to skip the pools inside, or a positive status to stop. `after` is
 * called after the pools inside, unless they were skipped, and returns alike.
 * Each may be NULL. Returns the status, or 0.
 */
enum { PICKS_OVER = -1 };
typedef int (*pick_fn)(void *arg, const struct pick *p, struct lot *lot);
int picks_walk(struct usage *u, const struct selection *sel, pick_fn before,
               pick_fn after, void *arg);

#endif /* SCHEDULE_PICKS_H */
