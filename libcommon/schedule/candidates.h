/*
 * Candidates: the pools of a set as a search sees them, with the units that the
 * search has taken so far. They are made when the search first looks at a pool.
 *
 * A lot that is one pool is a candidate. In a run of targets a member is a
 * candidate. While nothing is taken in it, it is the only one and stands for
 * all members that are equally usable. Once something is taken in it the next
 * member becomes a candidate. In a run below targets a whole stretch of members
 * is one candidate with many units.
 */
#ifndef SCHEDULE_CANDIDATES_H
#define SCHEDULE_CANDIDATES_H

#include "schedule/match_private.h"

struct candidate {
    struct candidate *parent, *child,
        *next; /* in the order in which they were made, the last first */
    struct lot *lot;
    struct vertex *v; /* the vertex of the lot */
    uint32_t at, n;   /* members of a run: the first one, and how many */
    uint32_t alike;   /* equally usable members from `at` on, including it */
    uint32_t touch;   /* number of changes in it and below it that took
                         something */
    uint32_t class;   /* equal for candidates that are alike; 0: not known */
    bool member;      /* a member of a run of targets */
    bool matched;     /* the pool of an entry with entries below it */
    bool held;        /* that entry has it alone */
    bool whole;       /* with everything below it */
    int64_t all;      /* units in it */
    int64_t used;     /* units taken for the job alone */
    int64_t shared;   /* units taken that only have to exist */
    int64_t *taken;   /* units taken below it, by type; NULL: none */
    struct pick pick; /* its pick in the final selection */
};

/* An entry of the undo log: the state of a candidate before a change, and the
   units that the change took. */
struct candidate_change {
    struct candidate *pool;
    int64_t units, slots;
    uint32_t n;
    bool shared, matched, held, whole;
};

struct candidates {
    struct match_context *m; /* the candidates live as long as its selection */
    struct candidate
        top; /* above the root, and above pools outside of containment */
    size_t count;
    const struct policy *policy;
    struct order *ranking;    /* all nodes in the order of the policy, or
                                 NULL */
    struct candidate **table; /* hash table of all candidates: parent, lot and
                                 first member */
    size_t table_size;
    struct map classes;
    struct candidate **of; /* by number of the vertex; NULL: not needed yet */
    struct candidate_change *changes;
    size_t nchanges, changes_size;
    bool greedy; /* no entry needs a search, so units taken below are not
                    counted */
};

void candidates_init(struct candidates *s, struct match_context *m,
                     bool greedy);
void candidates_fini(struct candidates *s);

/*
 * Return the next child of a pool after `from` (NULL: the first) that may serve
 * an entry (NULL: any child). The order is that of the set, or the reverse if
 * the policy goes backward.
 */
struct candidate *candidate_next(struct candidates *s, struct candidate *parent,
                                 struct candidate *from, const struct entry *e);

/* Return the next lot below a pool that may serve an entry; the candidate of
   the first members of a lot; and the candidate of the members after `from` in
   its lot. NULL: there are no more. */
struct lot *candidates_next_lot(const struct candidates *s,
                                const struct candidate *parent,
                                struct lot *from, const struct entry *e);
struct candidate *candidate_first(struct candidates *s,
                                  struct candidate *parent, struct lot *lot);
struct candidate *candidate_beside(struct candidates *s,
                                   const struct candidate *from);

/* Return the next node of a ranking that may serve an entry and lies below
   `top`. */
struct candidate *candidate_next_ranked(struct candidates *s,
                                        struct order *ranking,
                                        struct candidate *top,
                                        struct candidate *from,
                                        const struct entry *e);

/* Return whether a candidate stands before another child of the same pool. */
bool candidate_is_before(const struct candidate *pool,
                         const struct candidate *other);

/* Return for how many members a candidate stands, including itself. */
int64_t candidate_members(const struct candidate *pool);

/* Return the candidate of a pool that edges lead to; NULL: there are too many
   candidates, and the search is too long. */
struct candidate *candidate_of(struct candidates *s, const struct vertex *v);

/* Return whether two candidates are equally good, with nothing taken in them
   yet. */
bool candidates_alike(struct candidates *s, struct candidate *a,
                      struct candidate *b);

/*
 * Log the state of a candidate for candidates_undo(), and count that something
 * is taken in it.
 */
void candidate_touch(struct candidates *s, struct candidate *pool);
/* Touch a candidate and take units of it. */
void candidate_take(struct candidates *s, struct candidate *pool, int64_t units,
                    bool shared);
/* Log that `slots` slots of the request are in a candidate. Slots inside other
   slots are not counted. */
void candidate_count_slots(struct candidates *s, struct candidate *pool,
                           int64_t slots);
void candidates_undo(struct candidates *s, size_t nchanges);

/* Turn everything taken into the picks of the selection. */
void candidates_select(struct candidates *s);

#endif /* SCHEDULE_CANDIDATES_H */
