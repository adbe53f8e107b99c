/*
 * Explains why a request does not match: what was needed, how much of it there
 * is, and what takes away the rest.
 */
#ifndef SCHEDULE_EXPLAIN_H
#define SCHEDULE_EXPLAIN_H

#include "schedule/match.h"

/* What stands in the way of more. */
enum obstacle {
    OBSTACLE_DOWN, /* not up, or in something that is not */
    OBSTACLE_HELD, /* held, shared or reserved by jobs */
    OBSTACLE_STAGED,
    OBSTACLE_CONSTRAINT, /* on targets that a constraint excludes */
    OBSTACLES
};
extern const char *const obstacle_names[OBSTACLES]; /* "down", ... */

/* An entry at the top of a request. */
struct need {
    char *what;     /* "4 nodes with 8 gpus" */
    char *one;      /* "node": what is counted */
    uint64_t count; /* the least that would do */
    uint64_t have;  /* how many can be had now, by itself; at least count
                       if it is not what is missing */
    char *where;    /* their hosts, or ranks; NULL: on no targets */
    uint64_t more[OBSTACLES]; /* as many more if that were not in the way */
    uint64_t ever; /* how many there are with nothing in the way but the
                      constraint */
    bool at_least; /* there may be more than that: to find out took too long */
    /* Where nothing is had: what one pool lacks. NULL, or the most of it. */
    char *part; /* "8 gpus" */
    uint64_t part_most;
    const char *absent; /* the type of the part if the set has none, or NULL */
    bool part_in_node;  /* there is some, but not in the node a slot has to
                           fit in */
};

struct explanation {
    const char *times; /* why the times of the set say no; NULL: they don't */
    double time;       /* that time; seconds since the Epoch */
    bool later;        /* they say not now, and not never */
    struct need *needs;
    size_t n;
    bool each_alone; /* each can be had by itself, but not all at once */
};

/* How much is explained: each level searches more than the one before it. */
enum explain_level {
    EXPLAIN_COUNTS,  /* what is needed, and how much of it there is */
    EXPLAIN_REASONS, /* and what takes away the rest */
    EXPLAIN_ALL,     /* and where it is, and when the request will fit */
};

/*
 * Explain why a request was answered with MATCH_NOT_NOW or MATCH_NEVER. For the
 * second, and for EXPLAIN_COUNTS, `have` and `ever` are the same count; with
 * MATCH_FOUND all is counted. Returns 0 with an explanation for
 * explanation_fini(), or -1 with a diag.
 */
int match_explain(struct usage *u, const struct request *req,
                  const struct match_options *opts, enum match_answer answer,
                  enum explain_level level, struct explanation *out,
                  struct diag *d);
void explanation_fini(struct explanation *ex);

/*
 * Say in words why a request was answered with MATCH_NOT_NOW or MATCH_NEVER.
 * Returns a new string for free(), or NULL with a diag.
 */
char *match_explain_text(struct usage *u, const struct request *req,
                         const struct match_options *opts,
                         enum match_answer answer, enum explain_level level,
                         struct diag *d);

/* When it could be had, if that is known; negative: it is not. */
double match_first_moment(struct usage *u, const struct request *req,
                          const struct match_options *opts,
                          enum match_answer answer);

#endif /* SCHEDULE_EXPLAIN_H */
