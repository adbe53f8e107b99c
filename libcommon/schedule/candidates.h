/*
 * Candidates: the pools of a set as a search sees them, with what it has taken
 * so far. They are made where the search comes by.
 *
 * A lot that is one pool is a candidate. Of a run of targets a member is one,
 * for as long as nothing is taken there the only one: all others that are as
 * usable are as good, and it stands for them. Once something is taken in it
 * the next member becomes a candidate. Of a run below targets a whole stretch
 * is one candidate of many units.
 */
#ifndef SCHEDULE_CANDIDATES_H
#define SCHEDULE_CANDIDATES_H

#include "schedule/match_private.h"

struct candidate {
    struct candidate *parent, *child,
        *next; /* as they were made, the last first */
    struct lot *lot;
    struct vertex *v; /* of the lot */
    uint32_t at, n;   /* of a run: the first member, and how many */
    uint32_t alike;   /* members from it on that are as usable, with it */
    uint32_t touch;   /* how much is taken in it */
    uint32_t class;   /* candidates alike have the same; 0: not known */
    bool member;      /* of a run of targets */
    bool matched;     /* the pool of an entry with entries below it */
    bool held;        /* for that entry alone */
    bool whole;       /* with all below it */
    int64_t all;      /* units in it */
    int64_t used;     /* units taken for the job alone */
    int64_t shared;   /* units that only have to be there */
    int64_t *taken;   /* units of each type used below it; NULL: none */
    struct pick pick; /* what comes of it in the end */
};

/* A change: what a candidate was before, and what was taken of it. */
struct candidate_change {
    struct candidate *pool;
    int64_t units, slots;
    uint32_t n;
    bool shared, matched, held, whole;
};

struct candidates {
    struct match_context *m; /* they live with its selection */
    struct candidate
        top; /* the root is below it, and pools in no containment */
    size_t count;
    const struct policy *policy;
    struct order *ranking;    /* of all nodes, by the policy; NULL: none */
    struct candidate **table; /* all that are there, by what they are of */
    size_t table_size;
    struct map classes;
    struct candidate *
        *of; /* by number of their vertices; NULL: not needed yet */
    struct candidate_change *changes;
    size_t nchanges, changes_size;
    bool greedy; /* nobody asks what is taken below one */
};

void candidates_init(struct candidates *s, struct match_context *m,
                     bool greedy);
void candidates_fini(struct candidates *s);

/*
 * The next child of a pool after `from` (NULL: the first), as they stand in the
 * set, or where the policy goes back, from the last on; only those that may
 * serve an entry (NULL: all).
 */
struct candidate *candidate_next(struct candidates *s, struct candidate *parent,
                                 struct candidate *from, const struct entry *e);

/* The next lot below a pool that may serve an entry; the candidate of the first
   member of a lot; and that of the members after another candidate (NULL: there
   are no more). */
struct lot *candidates_next_lot(const struct candidates *s,
                                const struct candidate *parent,
                                struct lot *from, const struct entry *e);
struct candidate *candidate_first(struct candidates *s,
                                  struct candidate *parent, struct lot *lot);
struct candidate *candidate_beside(struct candidates *s,
                                   const struct candidate *from);

/* The next node in a ranking that may serve an entry and lies below `top`. */
struct candidate *candidate_next_ranked(struct candidates *s,
                                        struct order *ranking,
                                        struct candidate *top,
                                        struct candidate *from,
                                        const struct entry *e);

/* Does a candidate stand before another one? Both are children of one pool. */
bool candidate_is_before(const struct candidate *pool,
                         const struct candidate *other);

/* For how many members does it stand, itself among them? */
int64_t candidate_members(const struct candidate *pool);

/* The candidate of a pool that edges lead to. */
struct candidate *candidate_of(struct candidates *s, const struct vertex *v);

/* Are both as good as each other, and is nothing taken in them yet? */
bool candidates_alike(struct candidates *s, struct candidate *a,
                      struct candidate *b);

/*
 * Remember what a candidate is, for candidates_undo(), and count that something
 * is taken there.
 */
void candidate_touch(struct candidates *s, struct candidate *pool);
/* Touch a candidate and take units of it. */
void candidate_take(struct candidates *s, struct candidate *pool, int64_t units,
                    bool shared);
/* Note that so many slots of the request, which lie in no other slot, are in
   it. */
void candidate_count_slots(struct candidates *s, struct candidate *pool,
                           int64_t slots);
/* Let it stand for so many members more, which have what it has. */
void candidate_widen(struct candidates *s, struct candidate *pool,
                     uint32_t more);
void candidates_undo(struct candidates *s, size_t nchanges);

/* Units of a type that are used below a pool. */
int64_t candidate_taken(const struct candidate *pool, int ntype);

/* The selection of all that is taken. */
void candidates_select(struct candidates *s);

#endif /* SCHEDULE_SITES_H */
