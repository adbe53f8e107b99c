/*
 * Availability profiles: how much is free over time. Each node in which
 * anything is claimed has one, a list of moments and of what is free from each
 * of them on. So a node that has not enough in a period is passed over at once.
 *
 * For the whole set, of each kind of thing that was asked for lately (4 cores
 * in a node, an idle node) the number that all nodes could give is kept: a
 * supply (supply.c).
 *
 * What they say is never less than what is free: they know of claims and of
 * nodes that are not up, but not of what else is in the way in a node. They are
 * made when somebody first looks far ahead, and follow every grant.
 *
 * Where another period would change much, nodes are counted anew for it only
 * when a search comes by: usage_look_at(). Until all are again, a node is
 * `away` with a period of its own.
 */
#ifndef MODEL_RECORDS_PROFILE_H
#define MODEL_RECORDS_PROFILE_H

#include "model/records/jobs.h"
#include "model/records/usage_private.h"

struct profile {
    struct usage *u;
    struct lot *lot; /* the node */
    struct profile *next, *prev;
    struct profile *next_away, *prev_away;
    struct period when; /* if it is away */
    bool away;
    bool counted;          /* it is up, and so one of those of the set */
    struct block **blocks; /* one behind the other; none is empty */
    size_t nblocks;
};

/* Moments, ascending; the first of all is before all others. */
enum { BLOCK_MOMENTS = 16 };
struct block {
    size_t n;
    double times[BLOCK_MOMENTS];
    int64_t rows[]; /* what is free from each of them on, by type; and then by
                       how many claims and shares the node is not idle */
};

/* A moment; behind the last one is block `nblocks`. */
struct moment_at {
    size_t block, i;
};

/* How many of a kind all nodes could give over time. */
struct supply {
    struct treap points;
    struct needs each;
    int64_t start; /* before all change points */
};

/* Make profiles, if there are none and nothing is in the way of them; end all,
   once the usage is as all sums say. */
void usage_profiles(struct usage *u);
void usage_end_profiles(struct usage *u);
void profiles_end(struct usage *u);

/* A claim or a share comes, or goes: before, or after, it is on its lot. */
void profile_take(struct usage *u, const struct grant *g);
void profile_give(struct usage *u, const struct grant *g);

/* A lot has another state. */
void profile_follow_state(struct usage *u, struct lot *lot);

/* All that a lot has leaves its profiles for a while, and enters them again. */
void profile_leave(struct usage *u, struct lot *top);
void profile_enter(struct usage *u, struct lot *top);

/* The profile of a node, which ends with it. */
void profile_end(struct profile *p);

/* That of the node that a lot is, or lies in, or NULL. */
struct profile *lot_profile(struct lot *lot);

/* A quick no: can all of it be had in a period? */
bool profile_may_have(const struct profile *p, const struct needs *needs,
                      const struct period *when);

/* Of which period a node is; it is of another one from now on; it is of the one
   of all again (false: it was). */
const struct period *profile_period(const struct profile *p);
void profile_go(struct profile *p, const struct period *when);
bool profile_return(struct profile *p);

/* --- supply.c ----------------------------------------------------------- */

/* It is of another kind, and empty. */
void supply_begin(struct usage *u, struct supply *k, const struct needs *each);

/* From a time on there are so many more. */
void supply_change(struct usage *u, struct supply *k, double time,
                   int64_t more);

/* The first start from a time on at which there are so many for a duration (0:
   on and on); INFINITY: none. */
double supply_first(const struct supply *k, int64_t least, double from,
                    double duration);

#endif /* MODEL_RECORDS_PROFILE_H */
