/* Within the matcher: what is known of the set, and of the request. */
#ifndef SCHEDULE_MATCH_PRIVATE_H
#define SCHEDULE_MATCH_PRIVATE_H

#include "schedule/match.h"
#include "model/records/usage.h"
#include "schedule/policy.h"

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
    bool hopeless;     /* it needs more than any pool has */
    bool linked;       /* edges may lead to its pools */
    bool links_below;  /* or to those of an entry below it */
    enum hold hold;
    bool idle;           /* nobody may have anything of its pools */
    uint64_t least;      /* the smallest acceptable count */
    bool fixed;          /* it is the only one */
    int64_t bytes;       /* what 1 of the count is worth in the measure, where
                            units are converted; or 0 */
    const char *measure; /* "B", or the smallest unit of those of the pools and
                            the request: borrowed */
    struct idset *ids;   /* `id` as ids; of names: what members of runs have */
    struct hostlist *names; /* `id` as names, or NULL */
    struct needs needs;     /* of one: what a lot without it can't have it */
    struct needs list;      /* the same of all entries below it, once */

    /* How it is served: see entries_rules(). */
    unsigned part;    /* entries of one list that may compete, alike */
    bool independent; /* what it takes first is never given up for others */
    bool greedy;      /* and so it is with all below it */
};

/* Step to the next entry below `up`, parents before the entries in them; NULL:
   it was the last. */
static inline struct entry *entry_next(const struct entry *e,
                                       const struct entry *up)
{
    if (e->with)
        return e->with;
    for (; !e->next; e = e->parent)
        if (e->parent == up)
            return NULL;
    return e->next;
}

struct entries {
    struct arena arena;
    struct entry *list;
    bool linked; /* edges may lead to what is asked for */
    bool ids;    /* there is an `id` */
    size_t nwanted;
    int wanted[RANK_TYPES]; /* types of what is asked for in nodes, in the order
                               of the request */
};

/*
 * Make the entries of a request: -1 with a diag if units can't be compared.
 */
int entries_make(struct entries *out, const struct usage *u,
                 const struct request *req, const struct match_options *opts,
                 struct diag *d);
void entries_fini(struct entries *entries);

/* Add what whoever is to have so many of an entry needs: as much of its type,
   and of the types below it. */
void entry_needs(struct needs *needs, const struct types *t,
                 const struct entry *e, int64_t times);

/* Are all pools of a list nodes, or in nodes, and found without edges? */
bool entries_in_nodes(const struct types *t, const struct entry *list);

/* The only type of nodes; -1: there are several, or none. */
int entries_node_type(const struct types *t);

/* May a pool, or a member of a run, be taken for it by its id or name? */
bool entry_admits(const struct entry *e, const struct rset *rs,
                  const struct vertex *v, uint32_t member);

/*
 * Find out which entries of a list compete for the same pools, if it is all
 * that is asked for. Those that do come to stand together; the first stays the
 * first.
 */
struct match_context;
void entries_rules(const struct match_context *m, struct entry *list);

/* Is no search needed for any of a list? */
bool entries_greedy(const struct entry *list);

/* --- the order ----------------------------------------------------------- */

struct goal;
struct search;
struct candidate;

/*
 * A policy says up to three things. Nodes that lie in no other node come by a
 * ranking, wherever they lie, and what lies in none comes after them; or they
 * come where they stand in the set. Below a pool its children come in an order
 * of the policy's own, or as they stand. And what comes as it stands comes
 * forward, or back from the last on.
 */
struct policy {
    const char *name;
    bool back;
    bool ranked; /* nodes come by a ranking */
    /* By what: a fact from the least on, or if NULL what is free in them of the
       types that are asked for, the first in the request first, from the least
       on or from the most. */
    int64_t (*fact)(const struct vertex *v);
    bool most;
    /* The child of a pool that follows another (NULL: the first) and may serve
       the goal; NULL: candidate_next(). */
    struct candidate *(*next)(struct search *s, const struct goal *g,
                              struct candidate *parent, struct candidate *from);
};

/* What usage_rank() needs to know of it. */
struct rank_by policy_rank_by(const struct policy *policy,
                              const struct entries *entries);

/*
 * The next child when those with something in them come by what is free of
 * the types that are asked for in them, from the least on or from the most,
 * among equals as they stand; and then those with nothing in them, as they
 * stand.
 */
struct candidate *policy_next_by_free(struct search *s, const struct goal *g,
                                      struct candidate *parent,
                                      struct candidate *from);

/* See policy_locality.c. */
struct candidate *policy_next_local(struct search *s, const struct goal *g,
                                    struct candidate *parent,
                                    struct candidate *from);

/* --- one attempt -------------------------------------------------------- */

/* What is passed over: all three of the first for 'ever'. */
enum {
    IGNORE_STATE = 1,
    IGNORE_CLAIMS = 2,
    IGNORE_STAGED = 4,
    IGNORE_CONSTRAINT = 8,
    IGNORE_USE = IGNORE_STATE | IGNORE_CLAIMS | IGNORE_STAGED
};

struct match_context {
    struct usage *u;
    const struct request *req;
    const struct match_options *opts;
    const struct policy *policy;
    struct entries entries;
    struct idset *allowed; /* ranks; NULL: all */
    unsigned ignore;
    struct selection *sel; /* where picks are made */
    bool hurry;            /* give a search up soon */
    bool counts;           /* nobody asks for what was selected */
    bool too_long;         /* the search was given up */
};

/*
 * Can a lot be looked into, or taken from, as far as it alone is concerned?
 * `member` is one of its run; what may be used can differ in a run of targets.
 */
bool context_usable(const struct match_context *m, const struct lot *lot,
                    uint32_t member);
/* Is it a node that the options let nobody share? */
bool context_takes_node(const struct match_context *m, const struct vertex *v);
/* Has a pool to be taken whole, by the inventory or the options? */
bool context_takes_whole(const struct match_context *m, const struct vertex *v);
/* Is all in it up and nothing in use, so that a job can have it alone? */
bool context_untouched(const struct match_context *m, struct lot *lot);
/* Is it untouched, and no target in it excluded, so that all of it can be
   selected? */
bool context_whole(const struct match_context *m, struct lot *lot,
                   uint32_t member);
/* Units of a pool that can be taken; all of them only if nobody shares it. */
int64_t context_free(const struct match_context *m, const struct lot *lot);
/* At most so many units of a type are to be had below it. */
int64_t context_below(const struct match_context *m, const struct lot *lot,
                      int ntype);
/* How often, up to `times`, could the list be had below it, by the sums? */
int64_t context_times(const struct match_context *m, const struct lot *lot,
                      const struct entry *list, int64_t times);
/* How often, up to `times`, could an entry be had below it, by the sums? */
int64_t context_times_of(const struct match_context *m, const struct lot *lot,
                         const struct entry *e, int64_t times);
/* Could the list be had below it once? A quick no. */
static inline bool context_may_hold(const struct match_context *m,
                                    const struct lot *lot,
                                    const struct entry *list)
{
    return context_times(m, lot, list, 1) > 0;
}
/* Can it be, or have in it, a pool of an entry, or a place for a slot? */
bool context_concerns(const struct match_context *m, const struct lot *lot,
                      const struct entry *e);
/* How many members from `at` on, or `back` from it, are as usable as it is? */
uint32_t context_stretch(const struct match_context *m, const struct lot *lot,
                         uint32_t at, bool back);

/* Select all that is asked for in a->sel. */
bool match_all(struct match_context *m);

/*
 * Select an entry of the list as if it were the only one. With `most` not
 * NULL as many as can be had, up to *most, whatever its count says, and *most
 * tells how many; up to its least count only, if that has to be searched for.
 */
bool match_alone(struct match_context *m, struct entry *e, uint64_t *most);

/*
 * How many of an entry `below` e, up to its least count, can the best of the
 * pools of e give? UINT64_MAX if that would have to be searched for.
 */
uint64_t match_below_best(struct match_context *m, const struct entry *e,
                          struct entry *below);

/*
 * Make entries of a request and find out what may be used, ready for attempts.
 * -1 with a diag.
 */
int context_begin(struct match_context *m, struct usage *u,
                  const struct request *req, const struct match_options *opts,
                  struct diag *d);
void context_end(struct match_context *m);

#endif /* SCHEDULE_MATCH_PRIVATE_H */
