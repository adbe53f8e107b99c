/*
 * Explains why a request does not match: how much it needs, how much there is,
 * and which obstacles take away the rest.
 */
#ifndef SCHEDULE_EXPLAIN_H
#define SCHEDULE_EXPLAIN_H

#include "schedule/match.h"

/* Obstacles that make resources unavailable. */
enum obstacle {
    OBSTACLE_DOWN,     /* not up, or in a pool that is not up */
    OBSTACLE_HELD,     /* held or shared by jobs */
    OBSTACLE_RESERVED, /* only reserved, for a time before the request ends */
    OBSTACLE_BOTH,     /* down, and held or reserved */
    OBSTACLE_STAGED,
    OBSTACLE_CONSTRAINT, /* on targets that a constraint excludes */
    OBSTACLES
};
extern const char *const obstacle_names[OBSTACLES]; /* "down", ... */

/* A top entry of a request. */
struct need {
    char *what;     /* "4 nodes with 8 gpus" */
    char *one;      /* "node": the type that is counted */
    uint64_t count; /* the least acceptable number */
    uint64_t have;  /* number available now, for this entry alone; at least
                       `count` if it is not the cause */
    char *where;    /* their hosts, or ranks; NULL: on no targets */
    uint64_t more[OBSTACLES]; /* how many more without this obstacle */
    uint64_t ever;            /* number that exist, without any obstacle but the
                                 constraint */
    bool at_least;            /* there may be more: counting took too long */
    int64_t each;     /* the size of all pools, if one is to be taken whole;
                         otherwise 1 */
    const char *unit; /* of the numbers, if all pools have it; or NULL */
    /* If there is none: the part that pools lack, or NULL, and the most of it
       that one pool can give. */
    char *part; /* "8 gpus" */
    uint64_t part_most;
    const char *absent; /* the type of the part if the set has none, or NULL */
    bool part_in_node;  /* it exists, but outside of the node that a slot has to
                           fit in */
    const char *place;  /* the type of places that have each of several parts,
                           but not all together; NULL: not so */
    bool slot_of_node;  /* a slot has to fit in such a place */
};

struct explanation {
    const char *times; /* how the times of the set prevent a match; NULL: they
                          don't */
    double time;       /* the time in question; seconds since the Epoch */
    bool later;        /* the set only begins later: "not now", not "never" */
    struct need *needs;
    size_t n;
    bool each_alone; /* each entry is available by itself, but not all
                        together */
    char *both; /* with EXPLAIN_ALL: why nodes with OBSTACLE_BOTH are down, and
                   who holds them; or NULL */
};

/* Levels of an explanation. Each needs more searches than the one before it. */
enum explain_level {
    EXPLAIN_COUNTS,  /* how much is needed, and how much there is */
    EXPLAIN_REASONS, /* also which obstacles take away the rest */
    EXPLAIN_ALL,     /* also where it is, and when the request will fit */
};

/*
 * Explain why a request was answered with MATCH_NOT_NOW or MATCH_NEVER. For the
 * second, and for EXPLAIN_COUNTS, `have` and `ever` are the same count; with
 * MATCH_FOUND all is counted. The explanation is for explanation_fini().
 */
void match_explain(struct usage *u, const struct request *req,
                   const struct match_options *opts, enum match_answer answer,
                   enum explain_level level, struct explanation *out);
void explanation_fini(struct explanation *ex);

/*
 * Say in words why a request was answered with MATCH_NOT_NOW or MATCH_NEVER.
 * Returns a new string for free().
 */
char *match_explain_text(struct usage *u, const struct request *req,
                         const struct match_options *opts,
                         enum match_answer answer, enum explain_level level);

/*
 * Name the reservations that a request waits for: those on targets that it
 * could have now, but not for its whole duration. With `site` only those whose
 * name is not a number. Returns a new string, such as "maint from
 * 2026-12-01T08:00:00Z"; NULL: there are none.
 */
char *match_windows(struct usage *u, const struct request *req,
                    const struct match_options *opts, bool site);
/* Likewise, name the reservations of the site that go on at this moment, on
   targets that a request may have: "maint until 2026-12-01T16:00:00Z". */
char *match_windows_now(struct usage *u, const struct request *req,
                        const struct match_options *opts);

/* Return when the request could start, or a negative value if that is not
   known. */
double match_first_moment(struct usage *u, const struct request *req,
                          const struct match_options *opts,
                          enum match_answer answer);

#endif /* SCHEDULE_EXPLAIN_H */
