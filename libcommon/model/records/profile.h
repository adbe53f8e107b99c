/*
 * Profiles: how much is free in a node over time. Each node with claims has
 * one: a list of moments with the free units from each moment on. So a node
 * that has not enough in a period is skipped at once.
 *
 * For the whole set there are supplies (supply.c): for each kind of need that
 * was asked for lately (4 cores in a node, an idle node), the number that all
 * nodes together could give over time.
 *
 * A window (windows.c) counts what each node has for a whole duration.
 *
 * Profiles and supplies are never less than what is free, apart from promised
 * nodes (promises.c), which supplies leave out. They include claims
 * and nodes that are not up, but no other obstacles in a node. They are made
 * when somebody first looks far ahead, and then follow every grant.
 *
 * If moving to another period would change much, nodes are counted again only
 * when a search visits them: usage_look_at(). Until all nodes are counted
 * again, such a node is `away`, with a period of its own.
 */
#ifndef MODEL_RECORDS_PROFILE_H
#define MODEL_RECORDS_PROFILE_H

#include "model/records/jobs.h"
#include "model/records/usage_private.h"

struct profile {
    struct usage *u;
    struct lot *lot; /* the node */
    size_t number;   /* among the profiles of the usage */
    uint64_t seen;   /* in a window: see `windows` of the usage */
    size_t spare;    /* there: which of the spares it has */
    struct profile *next_away, *prev_away;
    struct period when; /* if it is away */
    bool away;
    bool counted;  /* it is up, so supplies count it */
    size_t n;      /* moments */
    size_t before; /* unused room before the first one */
    double *times; /* of each, ascending; the first one is -INFINITY */
    int64_t *rows; /* from each moment on: free units by type, then the number
                      of claims and shares */
    int64_t *now_rows;  /* at the present time, without what jobs past their
                           end hold; NULL: nobody has asked */
    uint64_t now_known; /* `nows` of the usage at which that was found */
};

/* How many times all nodes together have the units in `each`, over time. Nodes
   that are promised count as taken. */
enum { LATEST_CHANGES = 64 };
struct supply {
    struct treap points;
    struct part_kind kind; /* a copy */
    int64_t start;         /* before all change points */
    int64_t in_node;       /* how many every idle node gives, at least */
    struct {
        double time;
        int64_t more;
    } latest[LATEST_CHANGES]; /* by a hash of the time: added to `points` before
                                 the next question. A claim changes few times,
                                 on many nodes, and may be taken back soon. */
    bool changed;             /* any is not 0 */
    struct opening *openings; /* by the number of a profile */
    size_t nopenings;         /* nothing is known of the others */
    double since;             /* openings say nothing of the time before */
};

/* When a node may have the units of a supply: not before `from`, and not
   between `to` and `again`. */
struct opening {
    double from, to, again;
};

/* May a node have them for a duration, with a start between two times? */
static inline bool opening_fits(const struct opening *o, double first,
                                double last, double duration)
{
    return o->from <= last
           && ((o->from > first ? o->from : first) + duration <= o->to
               || o->again <= last);
}

/* A node may have more between two times than before. The usage keeps the last
   of these gains. */
enum { GAINS_MOST = 1 << 14 };
struct gain {
    size_t number; /* of the node's profile */
    double from, to;
};

/* Forget all gains: nodes may have more for other reasons. */
static inline void usage_forget_gains(struct usage *u)
{
    u->gained++;
    u->ngains = 0;
}

/* Nodes of a run in which nothing is claimed. They have no profile. */
struct blank {
    const struct vertex *v;
    struct idrange ranks; /* if they have ranks */
    uint32_t n;
    int64_t pools; /* nodes that each of them stands for */
};

/* A number of units is taken from the free ones, or added to them. */
enum { TAKE = -1, ADD = 1 };

/*
 * usage_profiles() makes profiles, if there are none and the set allows them.
 * profiles_end() frees all. usage_end_profiles() counts all sums for one period
 * first.
 */
void usage_profiles(struct usage *u);
void usage_end_profiles(struct usage *u);
void profiles_end(struct usage *u);

/* If profiles are kept, take the units of a claim or a share from its node's
   profile (TAKE), or add them again (ADD). */
void profile_apply(struct usage *u, const struct grant *g, int64_t times);

/* Follow a change of a lot's state. */
void profile_follow_state(struct usage *u, struct lot *lot);

/* Remove all grants of a lot and its contents from profiles, if any are kept,
   for a while; add them again. */
void profile_leave(struct usage *u, struct lot *top);
void profile_enter(struct usage *u, struct lot *top);

/* Free the profile of a node that is going to be freed. */
void profile_end(struct profile *p);

/* Return the profile of the node that a lot is or lies in, or NULL. */
struct profile *lot_profile(struct lot *lot);

/* Return false if a node certainly has not enough in a period. */
bool profile_may_have(struct profile *p, const struct needs *needs,
                      const struct period *when);

/* How many times a node has some units, from each time on. */
struct steps {
    struct {
        double time;
        int64_t times;
    } * list;
    size_t n, room;
};

/* Units of a node that are free for a time if the job does not count that is
   left out. */
struct spare {
    struct profile *in;
    double from, to;
    int64_t *rows;
};

/* All of them; free both arrays with free(). The profiles count as seen. */
struct spares {
    struct spare *list;
    size_t n;
    int64_t *rows;
};
void profile_spare(struct usage *u, struct spares *s);

/*
 * steps_add() adds a step, unless the number is the same. steps_find() returns
 * the time of the first step from *i on that gives something, or nothing, and
 * sets *i to it; INFINITY: there is none.
 *
 * profile_steps() adds all steps of a profile from a time on; there are none if
 * the node is not up, and only zeros if it gives nothing until `last`. With
 * `spare` (or NULL) some more is free. It returns what the steps say.
 */
void steps_add(struct steps *s, double time, int64_t times);
double steps_find(const struct steps *s, size_t *i, bool something);
struct opening profile_steps(struct profile *p, const struct needs *each,
                             double from, double last,
                             const struct spare *spare, struct steps *out);

/* Add all that a node gives over time to a supply, or take it away. */
void supply_add_profile(const struct profile *p, struct supply *k,
                        int64_t times);

/* Return how many times a node has some units if nothing in it is claimed. */
int64_t profile_times_idle(struct usage *u, const struct vertex *node,
                           const struct needs *each);

/* Return the next node after a lot, in the order of the set; NULL: none. */
struct lot *profile_next_node(struct usage *u, struct lot *lot);

/* Let a window look again for nodes without a profile if a lot, which is split
   or joined, may be of nodes. */
void profile_forget_blanks(struct usage *u, const struct lot *lot);

/*
 * profile_period() returns the period for which a node is counted. profile_go()
 * notes that it is counted for another period. profile_return() notes that it
 * is counted for the period of all nodes again; false: it was already.
 */
const struct period *profile_period(const struct profile *p);
void profile_go(struct profile *p, const struct period *when);
bool profile_return(struct profile *p);

/* --- supply.c ----------------------------------------------------------- */

/* Return openings for the units in `each`, one for each profile; NULL: there is
   no supply of them. The caller asks about the time from `from` on. It may note
   the answer in an opening if `from` is not after *since, or not after the
   beginning of the opening: otherwise the time in between is not known. */
struct opening *supply_openings(struct usage *u, const struct needs *each,
                                double from, double *since);

/* Return how many nodes that a lot stands for count in a supply. */
int64_t supply_nodes(const struct supply *k, const struct lot *node);

/* Let a supply leave out a promise (TAKE), or no more (ADD): promises.c. */
void supply_apply(struct usage *u, struct supply *k, const struct promise *p,
                  int64_t times);

/* Add to a supply from a time on. */
void supply_change(struct usage *u, struct supply *k, double time,
                   int64_t more);

#endif /* MODEL_RECORDS_PROFILE_H */
