/* The lots that a pick names. */
#ifndef SCHEDULE_PARTS_H
#define SCHEDULE_PARTS_H

#include "model/tree/select.h"
#include "model/records/usage.h"

/*
 * Step through the lots that have the members of a pick, in their order:
 *
 *     struct parts parts = parts_of(u, parent, pick);
 *     while ((lot = parts_next(&parts)))
 *
 * With `split` members that the pick does not name are split off first, so
 * that each lot has only members of the pick.
 */
struct parts {
    struct usage *u;
    struct lot *parent;
    const struct pick *pick;
    uint32_t at;   /* the next member */
    uint64_t left; /* how many are still to come */
    bool split;
};
struct parts parts_of(struct usage *u, struct lot *parent,
                      const struct pick *pick);
struct lot *parts_next(struct parts *parts);

/*
 * Split all lots that a selection names, so that what is said of them is said
 * of nothing else; and join those again of which nothing is to be said.
 */
void parts_split(struct usage *u, const struct selection *sel);
void parts_join(struct usage *u, const struct selection *sel);

/*
 * The path of a lot that a pick names, or that is in one, for people: with what
 * it and those behind it name of such runs, and has the same grants and state.
 */
char *pick_place(const struct usage *u, const struct pick *p,
                 const struct lot *lot);

/*
 * What a selection names: each pick with each lot of its members, from the top
 * down. `before` says whether to go on (0), to go past what is in it
 * (PARTS_OVER), or to stop with what it says. Where it went on, `after` is
 * asked the same after what is in it. NULL: there is nothing to do then.
 */
enum { PARTS_OVER = -1 };
typedef int (*part_fn)(void *arg, const struct pick *p, struct lot *lot);
int each_part(struct usage *u, const struct selection *sel, part_fn before,
              part_fn after, void *arg);

#endif /* SCHEDULE_PARTS_H */
