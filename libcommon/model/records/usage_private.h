/* Within usage: rows of sums, and what its files do for each other. */
#ifndef MODEL_RECORDS_USAGE_PRIVATE_H
#define MODEL_RECORDS_USAGE_PRIVATE_H

#include "model/records/usage.h"

/* Terms by when they begin, and by when they end. */
enum agenda { BEGINNINGS, ENDS, AGENDAS };

/* Of so many kinds of things is known how many there are over time. */
enum { SUPPLIES = 16 };

struct usage {
    struct rset *rs;
    struct types types;
    struct vertex above; /* the root is in it, and what is in no containment */
    struct lot top;
    struct lot *found;  /* by lot_find(): often it, or the next one, is again */
    struct period when; /* for which `taken` and all sums hold; or, while it is
                           `looking`, those of nodes that are looked at */
    struct period base; /* for which others hold then */
    bool looking;       /* see usage_look_at() */
    bool any_state;     /* some lot was, or may be, in a state that is not up */
    size_t few, spent, ask_at; /* see worth_counting() in usage.c */
    bool has_profiles;         /* profile.c: they are kept from now on */
    struct profile *node_profiles, *away;
    size_t nprofiles;
    struct supply *supplies[SUPPLIES];
    size_t nsupplies;
    size_t nbeside; /* claims, and shares with times, in no node's profile */
    int64_t seq;    /* of the last grant that was given */
    struct job *jobs_first, *jobs_last; /* in the order in which they came */
    struct map names;                   /* jobs by name */
    size_t njobs;
    struct map *sharers;          /* see lot_sharers() */
    uint32_t walks;               /* for `seen` of a lot: see usage_walk() */
    size_t ntimed;                /* grants that have a start or an end */
    struct treap agenda[AGENDAS]; /* terms by time: agenda.c */
    bool has_agenda;              /* it is kept from now on */
    /* While a lot changes: what it was, and what lots give. */
    int64_t *before, *after, *up_gives, *pulled;
    struct order *rankings[RANKINGS]; /* see usage_rank() */
    struct lag *lags;                 /* see orders_defer() */
    bool defers;
    struct vertex **targets; /* see usage_targets() */
    size_t ntargets;
    struct rank_range *ranges; /* instead of `targets`, if any is a run */
    size_t nranges;
    struct map path_names; /* of pools with many children, by their address:
                              names of these, see path.c */
    bool unsorted; /* runs were cut: vertices are not in order, see facts.c */
    struct stock lots, insides, orders, places, grants, points;
    struct watch watch;
};

/*
 * What a lot gives to its parent, of each member: is anything of it not idle,
 * or held, 0 or 1; and from ROWS on units by type, all that are free and then
 * all that are idle.
 */
enum { TOUCHED, HELD, ROWS };
enum { FREE, IDLE, USAGE_ROWS };
void lot_gives(const struct usage *u, const struct lot *lot, int64_t *gives);

/* --- types.c ------------------------------------------------------------ */

/* Find all that `types` tells. */
void usage_survey(struct usage *u);
void types_fini(struct types *t);

/* reach.c: what edges lead to; after all that is known of types. */
void reach_survey(struct usage *u);

/* The rows of what is in a vertex, which was read just now. */
void usage_survey_inside(struct usage *u, const struct vertex *v);

/* There is room for what lots give; anew, once types are known. */
void usage_make_room(struct usage *u);

/* Rows of all types; and so much is what a lot gives. */
static inline size_t usage_rows(const struct usage *u)
{
    return (size_t)USAGE_ROWS * u->types.count;
}
static inline size_t usage_width(const struct usage *u)
{
    return ROWS + usage_rows(u);
}

/* --- orders.c ----------------------------------------------------------- */

/* A lot comes to stand beside others; it goes; it gives something else than
   before: the orders that it stands in follow. */
void orders_add(struct usage *u, struct lot *lot);
void orders_remove(struct usage *u, struct lot *lot);
void orders_follow(struct usage *u, struct lot *lot, const int64_t *before,
                   const int64_t *after);

/* The child that has a member of a vertex. */
struct lot *orders_find(struct usage *u, struct lot *parent,
                        const struct vertex *v, uint32_t at);

void rankings_end(struct usage *u);

/* --- lots.c ------------------------------------------------------------- */

/* Room for what is in a lot; a lot of a stretch of members, after the last. */
struct inside *lot_inside(struct usage *u);
struct lot *lot_append(struct usage *u, struct lot *parent, struct lot *last,
                       const struct span *span);

/* Count what a child gives among what is in the lot that it lies in. */
void lot_count_in(struct usage *u, struct inside *in, const struct lot *child);

/* A lot, and all that is in it, is of a copy of its vertex from now on. */
void lot_follow(struct lot *lot, struct vertex *copy);

/* All sums of the lots that are there, now that types are known. */
void lots_sum(struct usage *u);

/* Order of a member of a vertex and of a lot beside it; 0: it is in it. */
int lot_compare_member(const struct vertex *v, uint32_t at,
                       const struct lot *lot);

/*
 * Join lots, and those that they lie in, as lots_join() does. `changed` comes
 * before siblings of which `n` are in the list: true if it made others of them
 * equal, so that all are to be joined.
 */
typedef bool join_fn(struct usage *u, struct lot *parent, size_t n);
void lots_join_in(struct usage *u, const struct lots *lots, join_fn *changed);

/* A walk from a lot to the top, or as far as it came already: all above it are
   `seen`. */
void lot_climb(const struct usage *u, struct lot *lot);

/* --- usage.c ------------------------------------------------------------ */

/* Is it, or anything in it, held? */
static inline bool lot_held(const struct lot *lot)
{
    return lot->held || (lot->in && lot->in->sums[HELD] > 0);
}

/*
 * The state or the grants of a lot, or what they come to in the period, are
 * going to change; they have changed. In between nothing else does.
 */
void lot_changing(struct usage *u, struct lot *lot);
void lot_changed(struct usage *u, struct lot *lot);

/* Find `blocked`, `touched`, `taken` and `held` of a lot anew. */
void lot_refresh(struct usage *u, struct lot *lot);

/* A node, and all in it, is to be as it is in the period that is looked at; or
   again in that of all others. */
void lot_show(struct usage *u, struct lot *node);
void lot_come_back(struct usage *u, struct lot *node);

/* There is something to say of a lot now, or nothing any more. */
void lot_said(struct lot *lot, bool first);

/* agenda.c: put a term on the agenda, which there is (has_agenda), or take it
   off; and count all lots anew that another period than `old` makes a
   difference to. */
void agenda_add(struct usage *u, struct term *t);
void agenda_drop(struct usage *u, struct term *t);
void agenda_recount(struct usage *u, const struct period *old);

/* Are that less than so many grants? */
bool agenda_is_few(struct usage *u, const struct period *old,
                   const struct period *when, size_t few);

/* Forget the sharers that were found (u->sharers is set): they may be others
   by now. */
void usage_forget_sharers(struct usage *u);

/* A usage without any lots opened and any jobs. */
struct usage *usage_create(struct rset *rs);

#endif /* MODEL_RECORDS_USAGE_PRIVATE_H */
