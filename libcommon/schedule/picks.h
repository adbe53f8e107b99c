/* The lots that a pick names. */
#ifndef SCHEDULE_PICKS_H
#define SCHEDULE_PICKS_H

#include "model/change/select.h"
#include "model/records/usage.h"

/*
 * Step through the lots that have the members of a pick, in their order:
 *
 *     struct pick_iter it = pick_iter_of(u, parent, pick);
 *     while ((lot = pick_iter_next(&it)))
 *
 * With `split` members that the pick does not name are split off first, so
 * that each lot has only members of the pick.
 */
struct pick_iter {
    struct usage *u;
    struct lot *parent;
    const struct pick *pick;
    uint32_t at;   /* the next member */
    uint64_t left; /* how many are still to come */
    bool split;
};
struct pick_iter pick_iter_of(struct usage *u, struct lot *parent,
                              const struct pick *pick);
struct lot *pick_iter_next(struct pick_iter *it);

/*
 * Split all lots that a selection names, so that what is said of them is said
 * of nothing else; and join those again of which nothing is to be said.
 */
void picks_split(struct usage *u, const struct selection *sel);
void picks_join(struct usage *u, const struct selection *sel);

/*
 * The path of a lot that a pick names, or that is in one, for people: with what
 * it and those behind it name of such runs, and has the same grants and state.
 */
char *pick_place(const struct usage *u, const struct pick *p,
                 const struct lot *lot);

/*
 * What a selection names: each pick with each lot of its members, from the top
 * down. `before` says whether to go on (0), to go past what is in it
 * (PICKS_OVER), or to stop with what it says. Where it went on, `after` is
 * asked the same after what is in it. NULL: there is nothing to do then.
 */
enum { PICKS_OVER = -1 };
typedef int (*pick_fn)(void *arg, const struct pick *p, struct lot *lot);
int picks_walk(struct usage *u, const struct selection *sel, pick_fn before,
               pick_fn after, void *arg);

#endif /* SCHEDULE_PICKS_H */
