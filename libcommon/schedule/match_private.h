/* The private header of the matcher: entries, policies and the match
   context. */
#ifndef SCHEDULE_MATCH_PRIVATE_H
#define SCHEDULE_MATCH_PRIVATE_H

#include "model/records/types.h"
#include "schedule/match.h"
#include "schedule/policy.h"

/* --- the request -------------------------------------------------------- */

/* How an entry uses its pool. */
enum hold {
    HOLD_SHARED, /* beside other jobs; a leaf only has to exist */
    HOLD_UNITS,  /* a leaf: some of its units; an entry with entries below it:
                    the pool alone */
    HOLD_WHOLE   /* the pool and all that is below it */
};

/* An entry of a request, prepared for matching against one set. */
struct entry {
    const struct request_vertex *req;
    struct entry *parent, *with, *next;
    const char *type; /* interned in the set; NULL: the set has no such type */
    int ntype;        /* number of the type, or -1 */
    bool slot, in_slot;
    bool slot_of_node; /* a slot of resources in nodes that asks for no node */
    bool hopeless;     /* it needs more than any pool has */
    bool linked;       /* edges may lead to its pools */
    bool links_below;  /* edges may lead to pools of an entry below it */
    enum hold hold;
    bool idle;           /* its pools must not be used by anybody, not even in
                            part */
    uint64_t least;      /* the smallest acceptable count */
    bool fixed;          /* `least` is the only acceptable count */
    int64_t bytes;       /* if units are converted: units of `measure` in one of
                            the count; otherwise 0 */
    const char *measure; /* "B", or the smallest unit that the pools and the
                            request use: borrowed */
    struct idset *ids;   /* `id` as ids; if it has names, the matching ids of
                            members of runs */
    struct hostlist *names; /* `id` as names, or NULL */
    struct needs needs;     /* of one: a lot with less can't serve it */
    struct needs list;      /* of all entries below it, each once */

    /* How the entry is served: see entries_rules(). */
    unsigned part;    /* entries of one list that may compete have the same
                         number */
    bool independent; /* the first pools that fit are taken for good */
    bool greedy;      /* independent, and all entries below it are greedy */
};

/* Step to the next entry below `up`, parents before the entries in them. NULL:
   there is none. */
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
    bool linked; /* edges may lead to pools of some entry */
    bool ids;    /* some entry has an `id` */
    size_t nwanted;
    int wanted[RANK_TYPES]; /* types in nodes that the request asks for, in the
                               order of the request */
};

/*
 * Make the entries of a request. Returns -1 with a diag if units can't be
 * compared.
 */
int entries_make(struct entries *out, const struct usage *u,
                 const struct request *req, const struct match_options *opts,
                 struct diag *d);
void entries_fini(struct entries *entries);

/* Add to `needs` what `times` of an entry need: units of its type, and of the
   types below it. */
void entry_needs(struct needs *needs, const struct types *t,
                 const struct entry *e, int64_t times);

/* Return whether all pools of a list are nodes or in nodes, and are found
   without edges. */
bool entries_in_nodes(const struct types *t, const struct entry *list);

/* Return whether the ids of an entry, which has some, admit a pool or a member
   of a run. */
bool entry_admits(const struct entry *e, const struct rset *rs,
                  const struct vertex *v, uint32_t member);

/*
 * Find out which entries of a list compete for pools, as if the list were the
 * whole request. Moves entries that compete next to each other; the first entry
 * stays the first.
 */
struct match_context;
void entries_rules(const struct match_context *m, struct entry *list);

/* Return whether no entry of a list needs a search. */
bool entries_greedy(const struct entry *list);

/* --- the order ----------------------------------------------------------- */

struct goal;
struct search;
struct candidate;

/*
 * A policy decides up to three things. First, the order of nodes that lie in no
 * other node: by a ranking, wherever they lie, with the pools outside of nodes
 * after them; or as they stand in the set. Second, the order of children below
 * a pool: the policy's own, or as they stand. Third, whether pools that are
 * taken as they stand are taken forward, or backward from the last.
 */
struct policy {
    const char *name;
    bool back;
    bool ranked; /* nodes are taken in the order of a ranking */
    /* The key of the ranking: a fact, in ascending order. NULL: the free units
       in a node of the types that the request asks for, the first type of the
       request first; in descending order if `most`, otherwise ascending. */
    int64_t (*fact)(const struct vertex *v);
    bool most;
    /* Return the child of `parent` after `from` (NULL: the first) that may
       serve the goal. NULL: use candidate_next(). */
    struct candidate *(*next)(struct search *s, const struct goal *g,
                              struct candidate *parent, struct candidate *from);
};

/* Return the ranking of nodes by a policy; see usage_rank(). */
struct order *policy_ranking(const struct match_context *m,
                             const struct policy *policy);

/*
 * Return the next child by free units of the types that the request asks for:
 * first the children with pools in them, ascending or descending by those free
 * units, equal ones as they stand; then the children with nothing in them, as
 * they stand.
 */
struct candidate *policy_next_by_free(struct search *s, const struct goal *g,
                                      struct candidate *parent,
                                      struct candidate *from);

/* See policy_locality.c. */
struct candidate *policy_next_local(struct search *s, const struct goal *g,
                                    struct candidate *parent,
                                    struct candidate *from);

/* --- one attempt -------------------------------------------------------- */

/* Obstacles that an attempt ignores. The first three together (IGNORE_USE) ask
   whether a request could ever match. */
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
    struct idset *constrained; /* ranks that the constraints allow; NULL: all */
    struct idset *allowed; /* of them, those that are promised to nobody in the
                              period; NULL: all */
    unsigned ignore;
    struct selection *sel; /* where picks are made */
    bool hurry;            /* give up a search early */
    bool counts;           /* the caller needs only counts, not the selection */
    bool too_long;         /* a search was given up */
};

/*
 * Return whether the lot itself may be searched or taken from; pools around it
 * are not checked. `member` is one of the lot's run: constraints may admit some
 * members of a run of targets and exclude others.
 */
bool context_usable(const struct match_context *m, const struct lot *lot,
                    uint32_t member);
/* Return whether a vertex is a node that the options make exclusive. */
bool context_takes_node(const struct match_context *m, const struct vertex *v);
/* Return whether the inventory or the options require that a pool is taken
   whole. */
bool context_takes_whole(const struct match_context *m, const struct vertex *v);
/* Return whether everything in a lot is up and unused, so that a job can have
   it alone. */
bool context_untouched(const struct match_context *m, struct lot *lot);
/* Return whether a lot is untouched and contains no excluded target, so that
   all of it can be selected. */
bool context_whole(const struct match_context *m, struct lot *lot,
                   uint32_t member);
/* Return the units of a pool that can be taken: all of them only if no job
   shares the pool. */
int64_t context_free(const struct match_context *m, const struct lot *lot);
/* Return an upper bound of the units of a type that are available below a
   lot. */
int64_t context_below(const struct match_context *m, const struct lot *lot,
                      int ntype);
/* Return how often, up to `times`, a list could be served below a lot, judged
   by sums of units. */
int64_t context_times(const struct match_context *m, const struct lot *lot,
                      const struct entry *list, int64_t times);
/* Return how often, up to `times`, an entry could be served below a lot, judged
   by sums of units. */
int64_t context_times_of(const struct match_context *m, const struct lot *lot,
                         const struct entry *e, int64_t times);
/* Return whether a list could be served below a lot, judged by sums. False is
   certain, true is not. */
static inline bool context_may_hold(const struct match_context *m,
                                    const struct lot *lot,
                                    const struct entry *list)
{
    return context_times(m, lot, list, 1) > 0;
}
/* Return whether the lot can be, or contain, a pool of an entry or a place for
   a slot. */
bool context_concerns(const struct match_context *m, const struct lot *lot,
                      const struct entry *e);
/* Return how many members from `at` on, or backward from it with `back`, are as
   usable as the member `at`. */
uint32_t context_stretch(const struct match_context *m, const struct lot *lot,
                         uint32_t at, bool back);

/* Select resources for the whole request in m->sel. */
bool match_all(struct match_context *m);

/*
 * Select an entry of the list as if it were the only one. If `most` is not
 * NULL: as many as are available, up to *most, whatever its count says, and
 * store the number in *most. If that needs a search, the limit is the entry's
 * least count.
 */
bool match_alone(struct match_context *m, struct entry *e, uint64_t *most);

/*
 * Return how many of an entry `below` e, up to its least count, the best of e's
 * pools can give. UINT64_MAX: a search would be needed to find out.
 */
uint64_t match_below_best(struct match_context *m, const struct entry *e,
                          struct entry *below);

/*
 * Make the entries of a request, and find the ranks that its constraints allow.
 * Returns -1 with a diag.
 */
int context_begin(struct match_context *m, struct usage *u,
                  const struct request *req, const struct match_options *opts,
                  struct diag *d);
void context_end(struct match_context *m);

/* Set the period of the usage. If that would recount much, only the nodes that
   the search visits are recounted, and sums of more than a node are bounds. */
void context_look_at(struct match_context *m, const struct period *when);

#endif /* SCHEDULE_MATCH_PRIVATE_H */
