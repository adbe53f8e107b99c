/* Inside usage: rows of sums, and what its files offer each other. */
#ifndef MODEL_RECORDS_USAGE_PRIVATE_H
#define MODEL_RECORDS_USAGE_PRIVATE_H

#include "base/treap.h"
#include "model/records/forecast.h"
#include "model/records/lots.h"
#include "model/records/orders.h"
#include "model/records/types.h"
#include "model/records/usage.h"

/* Terms in the order in which they begin, and in which they end. */
enum agenda { BEGINNINGS, ENDS, AGENDAS };

/* Most supplies that are kept: supply.c. */
enum { SUPPLIES = 32 };

/* Nodes that are up and idle between two times. */
struct idle_nodes {
    struct idrange ranks;
    double from, to;
};

struct usage {
    struct rset *rs;
    struct types types;
    struct vertex above; /* contains the root and all other tops; number 0 */
    struct lot top;
    struct lot *found;  /* last lot that lot_find() returned: it or the next one
                           is often asked for again */
    double now;         /* see usage_set_now() */
    uint64_t nows;      /* counts its changes, and those of states */
    bool late;          /* some job is past its end then */
    struct period when; /* `taken` and all sums hold for it; if `looking`, only
                           sums of visited nodes do */
    struct period base; /* if `looking`: the period of all other sums */
    bool looking;       /* see usage_look_at() */
    bool any_state;     /* some lot has, or may have, a state other than up */
    size_t few, spent, ask_at; /* see worth_counting() in usage.c */
    bool has_profiles;         /* profiles are kept: profile.c */
    struct profile **profiles, *away;
    size_t nprofiles;
    struct blank *blanks; /* nodes without a profile, if they are known */
    size_t nblanks;
    bool blanks_known;  /* no lot and no profile was made or joined since */
    struct gain *gains; /* the last ones, see struct outlook */
    size_t ngains;
    uint64_t gained;            /* counts all gains */
    const struct job *left_out; /* see usage_leave_out() */
    const struct idset *left_ranks;
    uint64_t windows; /* counts calls of usage_first_window() */
    struct supply *supplies[SUPPLIES];
    size_t nsupplies;
    struct promise *promises;
    bool placed;             /* some of them may have places */
    struct idle_nodes *idle; /* in the order of the set; see find_idle() */
    size_t nidle;
    bool idle_known;
    size_t nbeside; /* claims, and shares with times, that are in no node's
                       profile */
    int64_t seq;    /* of the last grant */
    struct job *jobs_first, *jobs_last; /* the oldest first */
    struct map names;                   /* jobs by name */
    size_t njobs;
    uint32_t walks;               /* for `seen` of a lot: see usage_walk() */
    size_t ntimed;                /* grants that have a start or an end */
    size_t nparts;                /* shares that are parts of a node */
    struct treap agenda[AGENDAS]; /* terms by time: agenda.c */
    bool has_agenda;              /* agendas are kept */
    double *ends;                 /* of terms, each time once, ascending */
    size_t nends;
    bool ends_known;     /* they are listed */
    size_t ends_changed; /* terms that came or went since the last question */
    double lapsed;       /* usage_lapse() has seen all ends before this time */
    /* Scratch rows: `before` and `after` for lot_changing() and lot_changed(),
       `up_gives` for a parent, `pulled` for orders. */
    int64_t *before, *after, *up_gives, *pulled;
    struct order *rankings[RANKINGS]; /* see usage_rank() */
    struct lag *lags;                 /* see orders_defer() */
    bool defers;
    struct vertex **targets; /* see usage_targets() */
    size_t ntargets;
    struct rank_range *ranges; /* instead of `targets`, if any is a run */
    size_t nranges;
    struct map path_names; /* by address of a pool with many children: their
                              names, see path.c */
    bool unsorted; /* runs were cut and their vertices are not sorted yet:
                      facts.c */
    struct stock lots, insides, orders, places, grants, points;
    struct watch watch;
};

/*
 * What a lot gives to its parent, for each member: 1 in TOUCHED if any part of
 * it is not idle, 1 in HELD if any part is held; then, from ROWS on, its free
 * units by type and its idle units by type.
 */
enum { TOUCHED, HELD, ROWS };
enum { FREE, IDLE, USAGE_ROWS };
void lot_sums(const struct usage *u, const struct lot *lot, int64_t *gives);

/* --- types.c ------------------------------------------------------------ */

/* Find all facts in `types`. */
void usage_survey(struct usage *u);

/* reach.c: find what edges reach; called when the other facts are known. */
void reach_survey(struct usage *u);

/* Count the units below each pool inside a vertex that was read just now. */
void usage_survey_inside(struct usage *u, const struct vertex *v);

/* Allocate the scratch rows, again when types are known. */
void usage_make_room(struct usage *u);

/* Return how many numbers of units a lot gives, and how long its row is. */
static inline size_t usage_rows(const struct usage *u)
{
    return (size_t)USAGE_ROWS * u->types.count;
}
static inline size_t usage_width(const struct usage *u)
{
    return ROWS + usage_rows(u);
}

/* --- orders.c ----------------------------------------------------------- */

/* Add a lot to the orders of its siblings; remove it; move it when it gives
   `after` instead of `before`. */
void orders_add(struct usage *u, struct lot *lot);
void orders_remove(struct usage *u, struct lot *lot);
void orders_follow(struct usage *u, struct lot *lot, const int64_t *before,
                   const int64_t *after);

/* Return the child with a member of a vertex. */
struct lot *orders_find(struct usage *u, struct lot *parent,
                        const struct vertex *v, uint32_t at);

void rankings_end(struct usage *u);

/* --- lots.c ------------------------------------------------------------- */

/* lot_create() returns a new lot that is not among the children of `parent`
   (NULL: outside the tree) yet, lot_inside() empty contents for a lot. */
struct lot *lot_create(struct usage *u, struct lot *parent, struct vertex *v,
                       uint32_t at, uint32_t n);
struct inside *lot_inside(struct usage *u);

/* Add what a child gives to the sums of its parent's contents. */
void lot_count_in(struct usage *u, struct inside *in, const struct lot *child);

/* Move a lot, and all lots in it, to a copy of its vertex. */
void lot_follow(struct lot *lot, struct vertex *copy);

/* Make the sums of all lots, once types are known. */
void lots_sum(struct usage *u);

/* Compare a member of a vertex with a lot beside it; 0: the lot has the
   member. */
int lot_compare_member(const struct vertex *v, uint32_t at,
                       const struct lot *lot);

/*
 * Join lots, and the lots around them, like lots_join(). Call `changed` before
 * each group of siblings, with the number of them in the list. If it returns
 * true, it made other siblings equal, and all siblings are joined.
 */
typedef bool join_fn(struct usage *u, struct lot *parent, size_t n);
void lots_join_in(struct usage *u, const struct lots *lots, join_fn *changed);

/* --- usage.c ------------------------------------------------------------ */

/* Return whether a lot or any lot in it is held. */
static inline bool lot_held(const struct lot *lot)
{
    return lot->held || (lot->in && lot->in->sums[HELD] > 0);
}

/* Call lot_changing() before, and lot_changed() after, changing the state or
   the grants of a lot, or the period. Nothing else may change in between. */
void lot_changing(struct usage *u, struct lot *lot);
void lot_changed(struct usage *u, struct lot *lot);

/* Recompute `blocked`, `touched`, `taken` and `held` of a lot. */
void lot_refresh(struct usage *u, struct lot *lot);

/* Recount a node and its contents for the period that is looked at; recount
   them for the period of all others. */
void lot_show(struct usage *u, struct lot *node);
void lot_come_back(struct usage *u, struct lot *node);

/* Note that a lot got its first grant or state (`first`), or lost its last
   one. */
void lot_note_used(struct lot *lot, bool first);

/* agenda.c: add a term to the agendas, if they are kept; drop it; recount all
   lots for which the current period differs from `old`. */
void agenda_add(struct usage *u, struct term *t);
void agenda_drop(struct usage *u, struct term *t);
void agenda_recount(struct usage *u, const struct period *old);

/* Return whether a term has ended by a time, and was not released. */
bool agenda_is_late(struct usage *u, double now);

/* Return whether fewer than `few` grants differ between the period of all sums
   and another one. */
bool agenda_is_few(struct usage *u, const struct period *when, size_t few);

/* Return a usage without lots and jobs. The caller puts it into the set. */
struct usage *usage_create(struct rset *rs);

/* Return all lots of a vertex, in all lots of its parent; the only lot of a
   vertex that is in no run. */
struct lots usage_lots(struct usage *u, const struct vertex *v);
struct lot *usage_lot(struct usage *u, const struct vertex *v);

/* Copy a run beside itself with some of its members, and move their lots
   there. */
struct vertex *vertex_copy_members(struct rset *rs, struct vertex *v,
                                   const struct idset *members);

#endif /* MODEL_RECORDS_USAGE_PRIVATE_H */
