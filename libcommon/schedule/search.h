/*
 * The matcher: from the entries of a request to the pools taken for them.
 *
 *     struct search s = {.m = m, .list = list};
 *
 *     candidates_init(&s.pools, m, entries_greedy(list));
 *     if (search_serve(&s, list, &s.pools.top, 1) > 0)
 *         candidates_select(&s.pools);         makes the picks of m->sel
 *     search_fini(&s);
 *
 * A list of entries is served below one pool, its scope. An entry gets its
 * candidates one by one, in the order of the policy (places.c), and takes units
 * of them (candidates.c) until it has enough:
 *
 *     struct goal g = {.e = e, .scope = scope, .left = e->least};
 *     struct candidate *pool = NULL;
 *
 *     while (g.left > 0 && (pool = search_candidate(s, &g, pool)))
 *         g.left = search_take(s, &g, pool, search_units_to_take(s, &g, pool));
 *
 * entries_rules() finds out beforehand which entries can compete for pools:
 *
 * - An entry that can't compete takes the first pools that fit, for good
 *   (serve.c).
 * - Entries that compete are served by choices. A choice is undone when a later
 *   one fails (search.c), until all entries have enough. Sums of units show
 *   early that they can't (bounds.c). A solution, once found, is kept for good.
 *
 * The two kinds nest: a node is taken for good once a search in it has found
 * the resources for two kinds of slots.
 */
#ifndef SCHEDULE_SEARCH_H
#define SCHEDULE_SEARCH_H

#include "schedule/candidates.h"

/* A goal: how much of an entry is still to be found below a pool. */
struct goal {
    struct goal *next;
    const struct entry *e;
    struct candidate *scope;
    const struct goal *above; /* the goal that made the scope its pool or place,
                                 or NULL */
    struct candidate *cursor; /* pools up to this one are finished, or NULL */
    int64_t left;             /* pools, slots or units; bytes if e->bytes */
    int64_t want;             /* `left` at the beginning; 0: not known */
    bool counted;             /* `left` is known */
    bool hopeful;             /* there is enough from the next pool on */
    bool anywhere;            /* at any depth below its scope, also with
                                 slot_parent */
};

/* Pools with consecutive ids: see policy_locality.c. */
struct id_row {
    const struct candidate *parent;
    const struct entry *e;
    int64_t want;
    struct candidate *first, *last; /* NULL: no such pools have enough */
};

struct search {
    struct candidates pools;
    struct id_row row;
    struct match_context *m;
    const struct entry *list; /* the whole list to serve */
    struct goal *goals;
    struct choice *choices;
    int nchoices;
    size_t choices_size;
    uint64_t steps;
    uint64_t looks; /* pools looked at; many cost as much as a step */
    bool out;       /* the steps are used up: the search was given up */
    uint64_t *most; /* for the only entry at the top: see match_alone() */
    union search_item **blocks; /* see search.c */
    size_t nblocks, nitems;
};

/* Return whether the search was given up. Then the answer is not known. */
static inline bool search_has_stopped(const struct search *s)
{
    return s->out || s->m->too_long;
}

/* Return whether the search looks for as much of an entry as possible, whatever
   its count says. */
static inline bool search_maximizes(const struct search *s,
                                    const struct entry *e)
{
    return s->most && !e->parent;
}

/* Return `n` of an entry in the unit of a goal: in bytes if units are
   converted. */
static inline int64_t search_bytes(const struct entry *e, uint64_t n)
{
    int64_t bytes;

    return __builtin_mul_overflow(n, e->bytes ? e->bytes : 1, &bytes)
               ? INT64_MAX
               : bytes;
}

/* --- serve.c ------------------------------------------------------------ */

/*
 * Take an independent entry as often as its count says, times `times`. Returns
 * how many times it could be taken, at most `times`. Fewer is certain unless
 * s->out.
 */
int64_t search_serve(struct search *s, const struct entry *e,
                     struct candidate *scope, int64_t times);

void search_fini(struct search *s);

/* --- coarse.c ----------------------------------------------------------- */

/* Return whether a pool is coarse: several nodes that can be taken one by
   one. */
static inline bool search_is_coarse(const struct search *s,
                                    const struct candidate *pool)
{
    const struct vertex *v = pool->v;

    return v->size > 1 && v->child && type_is_node(v->type)
           && !context_takes_whole(s->m, v) && !s->m->opts->granule_pool;
}

/* Return whether an entry gets units of a coarse pool for itself. */
bool search_takes_units(const struct search *s, const struct entry *e,
                        const struct candidate *pool);

/* Return whether a list, `times` times, fits into the share of one unit of a
   coarse pool. */
bool search_fits_unit(const struct search *s, const struct candidate *pool,
                      const struct entry *list, int64_t times);

/* search_coarse_units() returns how many units can be taken with their shares;
   search_take_units() takes `n` units with their shares. */
int64_t search_coarse_units(struct search *s, struct candidate *pool);
void search_take_units(struct search *s, struct candidate *pool, int64_t n);

/* --- search.c ----------------------------------------------------------- */

/*
 * Find a solution for entries of a list that compete with each other and with
 * nothing else, and take it for good.
 */
bool search_part(struct search *s, const struct entry *list,
                 const struct entry *end, struct candidate *scope);

/* --- places.c ----------------------------------------------------------- */

/* Where the pools of a goal, or the places for its slots, are. */
enum places {
    PLACES_OF_TYPE, /* not a slot: pools of a type */
    PLACES_HERE,    /* the scope itself */
    PLACES_NODES,   /* nodes below it */
    PLACES_ANY      /* all pools with children, and the scope */
};
enum places search_places(const struct search *s, const struct goal *g);

/* Return whether anything of a pool can be used beside what the search has
   taken. */
bool search_usable(const struct search *s, const struct candidate *pool);

/*
 * Return the next pool for a goal, or place for a slot, after `at` (NULL: the
 * first), in the order of the policy. Everything that is taken is taken from
 * these. A leaf may have nothing left: see search_available().
 */
struct candidate *search_candidate(struct search *s, const struct goal *g,
                                   struct candidate *at);

/* Return whether anything can be taken in a pool that an edge of the scope
   leads to. */
bool search_is_open(const struct search *s, const struct candidate *scope,
                    const struct candidate *pool);

/*
 * Return whether the scope of a goal, or a pool around the scope, was meanwhile
 * taken for another entry. Only a request that follows edges can do that.
 */
bool search_scope_lost(const struct goal *g);

/* Return whether a pool is taken as a whole, however little is wanted. */
bool search_lumped(const struct search *s, const struct entry *e,
                   const struct candidate *pool);
/* search_available() returns the units of a pool that an entry can have,
   search_unit_worth() the value of one unit to the entry. */
int64_t search_available(struct search *s, const struct entry *e,
                         struct candidate *pool);
int64_t search_unit_worth(const struct entry *e, const struct vertex *v);
/* Return how many units of a pool serve the goal, at most. */
int64_t search_units_to_take(struct search *s, const struct goal *g,
                             struct candidate *pool);
/* Take units for a goal. Returns how much the goal still lacks. */
int64_t search_take(struct search *s, const struct goal *g,
                    struct candidate *pool, int64_t units);
/* Take a pool for an entry with entries below it. */
void search_enter(struct search *s, const struct entry *e,
                  struct candidate *pool);

/* --- bounds.c ----------------------------------------------------------- */

/* Return whether the edges of a pool or place lead to enough for a list. */
bool search_may_reach(struct search *s, const struct candidate *pool,
                      const struct entry *list);

/* Return whether a list could be served in a pool or place, judged by sums.
   False is certain, true is not. */
static inline bool search_may_hold(struct search *s,
                                   const struct candidate *pool,
                                   const struct entry *list)
{
    return context_may_hold(s->m, pool->lot, list)
           && (s->pools.greedy || !s->m->entries.linked
               || search_may_reach(s, pool, list));
}

/* Return whether the sums of units in the whole set suffice for a list. */
bool search_enough(const struct match_context *m, const struct entry *list);

/* Return an upper bound, at most `limit`, of how much of a goal can come from a
   candidate and the candidates after it. */
int64_t search_at_most(struct search *s, const struct goal *g,
                       struct candidate *from, int64_t limit);

/* Return an upper bound of the count of a goal's entry. The goal is the
   first. */
uint64_t search_count_limit(struct search *s, const struct goal *g);

#endif /* SCHEDULE_SEARCH_H */
