/* Within the matcher: what is known of the set, and of the request. */
#ifndef SCHEDULE_MATCH_PRIVATE_H
#define SCHEDULE_MATCH_PRIVATE_H

#include "schedule/match.h"

/* --- the set ------------------------------------------------------------ */

/* What is known of a type in a set. */
enum {
    TYPE_IN_NODES = 1, /* some pool of it lies in a node */
    TYPE_POOLED = 2,   /* some pool of it has not size 1 */
    TYPE_LOOSE = 4,    /* some pool of it is in no containment */
    TYPE_NO_UNIT = 8,  /* some pool of it has no unit */
    TYPE_MARKED = 16,  /* the inventory marks some pool of it exclusive */
    TYPE_BARE = 32     /* some pool of it has nothing below */
};

/* A unit that pools of a type have. */
struct type_unit {
    unsigned ntype;
    const char *unit;
    int64_t total; /* of them all */
};

struct matcher {
    struct rset *rs;
    struct period when;    /* for which `index` and sums hold */
    bool timed;            /* some claim does not hold always */
    struct map below_jobs; /* jobs with something below a vertex, if timed */
    struct vertex above;   /* the root is a candidate: this is its parent */
    const char **types;    /* interned in rs */
    unsigned ntypes, types_size;
    unsigned char *flags; /* of each type */
    bool nodes_nested;    /* some node lies in a node */
    bool *below;          /* [a * ntypes + b]: some pool of a is below a b */
    int64_t *least;       /* [a * ntypes + b]: units of b below each a */
    struct type_unit *units;
    size_t nunits;
    /*
     * For every vertex with children two rows of units below it, of each
     * type: free now, and all there are. Of a run: of each member.
     */
    int64_t *sums;
    size_t nsums, sums_size; /* in rows */
};

/* What a vertex's `index` holds while there is a matcher. */
enum {
    UNUSABLE = 1,   /* held whole, not up, or staged: nothing below is free */
    TOUCHED = 2,    /* something in it is held or can't be used */
    INDEX_SHIFT = 2 /* above: 1 + the first of its rows; 0: it has none */
};

/* The number of a type in the set, -1 if nothing in it is of that type. */
int matcher_type(const struct matcher *m, const char *type);

/*
 * Cut the runs of a type (NULL: of targets) so that every vertex has all its
 * members among `ids`, or none. -1: out of memory.
 */
int matcher_cut(struct matcher *m, const char *type, const struct idset *ids);

/* See to it that all is known for a period. -1: out of memory. */
int matcher_at(struct matcher *m, const struct period *when);

/* All units of a type below v. */
int64_t matcher_below(const struct matcher *m, const struct vertex *v,
                      int ntype);

/* Every pool of a type has so many units of another below it at least. */
int64_t matcher_least_below(const struct matcher *m, int ntype, int below);

/* --- the request -------------------------------------------------------- */

/* How an entry has its pool. */
enum hold {
    HOLD_SHARED, /* beside others; a leaf only has to be there */
    HOLD_UNITS,  /* a leaf: some of its units; a composite: all for itself */
    HOLD_WHOLE   /* with all that is below it */
};

/* An entry of a request, as it is matched against one set. */
struct entry {
    const struct request_vertex *req;
    struct entry *parent, *with, *next;
    const char *type; /* interned in the set; NULL: nothing is of that type */
    int ntype;        /* its number, -1 */
    bool slot, in_slot;
    bool slot_of_node; /* a slot of what lies in nodes, none asked for */
    enum hold hold;
    uint64_t least;    /* the smallest acceptable count */
    bool fixed;        /* it is the only one */
    int64_t bytes;     /* in 1 of the count, where units are converted; or 0 */
    struct idset *ids; /* `id` as ids, or NULL */
    struct hostlist *names; /* `id` as names, or NULL */

    /* For the search; see rules.c. */
    unsigned part;    /* entries of one list that may compete, alike */
    bool independent; /* what it takes first is never given up for others */
};

struct entries {
    struct arena arena;
    struct entry *list;
    bool loose; /* something is asked for of which pools are loose */
    bool ids;   /* there is an `id` */
};

/*
 * Make the entries of a request: -1 with a diag if units can't be compared
 * or memory ran out. Runs are split where an `id` names a part.
 */
int entries_make(struct entries *out, struct matcher *m,
                 const struct request *req, const struct match_options *opts,
                 struct diag *d);
void entries_fini(struct entries *entries);

/* May a pool be taken for it by its id or name? */
bool entry_admits(const struct entry *e, const struct rset *rs,
                  const struct vertex *v);

/* Find out which entries compete; `part` and `independent`. */
void entries_rules(struct entries *entries, const struct matcher *m,
                   const struct match_options *opts);

/* --- one attempt -------------------------------------------------------- */

/* What is passed over: all three of the first for 'ever'. */
enum {
    IGNORE_STATE = 1,
    IGNORE_CLAIMS = 2,
    IGNORE_STAGED = 4,
    IGNORE_CONSTRAINT = 8,
    IGNORE_USE = IGNORE_STATE | IGNORE_CLAIMS | IGNORE_STAGED
};

struct attempt {
    struct matcher *m;
    const struct entries *entries;
    const struct match_options *opts;
    struct idset *allowed; /* ranks; NULL: all */
    unsigned ignore;
    struct selection *sel; /* where picks are made */
    bool failed;           /* out of memory */
    bool too_long;         /* the search was given up */
};

/* Can v be looked into, or taken from, as far as it alone is concerned? */
bool attempt_usable(const struct attempt *a, const struct vertex *v);
/* Is all in it up and nothing in use, so that a job can have it alone? */
bool attempt_untouched(const struct attempt *a, const struct vertex *v);
/* And no target in it excluded, so that all of it can be selected? */
bool attempt_whole(const struct attempt *a, const struct vertex *v);
/* Units of a pool that can be taken; all of them only if nobody shares it. */
int64_t attempt_free(const struct attempt *a, const struct vertex *v);
/* At most so many units of a type are to be had below v. */
int64_t attempt_below(const struct attempt *a, const struct vertex *v,
                      int ntype);
/* Could the list be had below v, by the sums? A quick no. */
bool attempt_may_hold(const struct attempt *a, const struct vertex *v,
                      const struct entry *list);

/*
 * Try to select the list in a->sel, with whichever engine can. With `most`
 * not NULL the list is one entry, of which as many as can be had, up to
 * *most, are selected whatever its count says, and *most tells how many.
 */
bool attempt_list(struct attempt *a, const struct entry *list, uint64_t *most);

/* Can chain.c answer these entries? */
bool chain_answers(const struct matcher *m, const struct entry *list,
                   const struct match_options *opts);
bool chain_try(struct attempt *a, const struct entry *list, uint64_t *most);
/* (search.c makes the selection anew, having tried parts of the list.) */
bool search_try(struct attempt *a, const struct entry *list, uint64_t *most);

/*
 * How many of an entry `below` e, up to its least count, can the best of the
 * pools of e give? UINT64_MAX if that is not known: only for what chain.c
 * answers.
 */
uint64_t chain_most_below(struct attempt *a, const struct entry *e,
                          const struct entry *below);

/*
 * Make entries of a request and find out what may be used, ready for
 * attempts. -1 with a diag.
 */
int attempt_prepare(struct attempt *a, struct entries *entries,
                    const struct request *req, struct diag *d);
void attempt_finish(struct attempt *a, struct entries *entries);

#endif /* SCHEDULE_MATCH_PRIVATE_H */
