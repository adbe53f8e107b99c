/*
 * The matcher: from the entries of a request to what is taken for them.
 *
 *     struct search s = {.m = m, .list = list};
 *
 *     candidates_init(&s.pools, m, entries_greedy(list));
 *     if (search_serve(&s, list, &s.pools.top, 1) > 0)
 *         candidates_select(&s.pools);         makes the picks of m->sel
 *     search_fini(&s);
 *
 * A list of entries is served below one pool, its scope. An entry gets its
 * candidates one by one, in the order of the policy (places.c), and takes
 * what they have (candidates.c) until it has enough:
 *
 *     struct goal g = {.e = e, .scope = scope, .left = e->least};
 *     struct candidate *pool = NULL;
 *
 *     while (g.left > 0 && (pool = search_candidate(s, &g, pool)))
 *         g.left = search_take(s, &g, pool, search_wanted(s, &g, pool));
 *
 * Which entries can be in each other's way is known before (entries_rules()):
 *
 * - One that can't takes the first that there is, for good (serve.c).
 * - Those that can are served by choices that are taken back when another
 *   fails (search.c), until all of them have enough; sums say
 *   early that they can't (bounds.c). Then that is for good, too.
 *
 * Both may lie in each other: a node is taken for good once a search in it
 * has found what two kinds of slots need there.
 */
#ifndef SCHEDULE_SEARCH_H
#define SCHEDULE_SEARCH_H

#include "schedule/candidates.h"

/* A goal: how much of an entry is still to be found below a pool. */
struct goal {
    struct goal *next;
    const struct entry *e;
    struct candidate *scope;
    const struct goal *above; /* whose pool or place the scope is, or NULL */
    struct candidate *cursor; /* pools up to this one are done with, or NULL */
    int64_t left;             /* pools, slots or units; bytes if e->bytes */
    int64_t want;             /* the same at first; 0: not known */
    bool counted;             /* `left` is known */
    bool hopeful;             /* there is enough from the next pool on */
    bool anywhere;            /* in any slot below its scope */
};

/* Pools with consecutive ids: see policy_locality.c. */
struct id_row {
    const struct candidate *parent;
    const struct entry *e;
    int64_t want;
    struct candidate *first, *last; /* NULL: there are none that have so much */
};

struct search {
    struct candidates pools;
    struct id_row row;
    struct match_context *m;
    const struct entry *list; /* all that is asked for */
    struct goal *goals;
    struct choice *choices;
    int nchoices, choices_size;
    uint64_t steps;
    uint64_t looks; /* at pools, many of which cost as much as a step */
    bool out;       /* of steps: it was given up */
    uint64_t *most; /* of the only entry at the top */
    union search_item **blocks; /* see search.c */
    size_t nblocks, nitems;
};

/* Nothing more is tried, the answer is not known. */
static inline bool search_given_up(const struct search *s)
{
    return s->out || s->m->too_long;
}

/* Is as much wanted of an entry as there is, whatever its count says? */
static inline bool search_wants_most(const struct search *s,
                                     const struct entry *e)
{
    return s->most && !e->parent;
}

/* `n` of an entry as a goal has it: in bytes, where units are converted. */
static inline int64_t search_bytes(const struct entry *e, uint64_t n)
{
    int64_t bytes;

    return __builtin_mul_overflow(n, e->bytes ? e->bytes : 1, &bytes)
               ? INT64_MAX
               : bytes;
}

/* --- serve.c ------------------------------------------------------------ */

/*
 * Take an entry that is independent, as often as its count says, times
 * `times`, or less often: how often. A no is certain unless it is `out` of
 * steps.
 */
int64_t search_serve(struct search *s, const struct entry *e,
                     struct candidate *scope, int64_t times);

void search_fini(struct search *s);

/* --- coarse.c ----------------------------------------------------------- */

/* Is it a pool of several nodes, which units of can be had? */
static inline bool search_is_coarse(const struct search *s,
                                    const struct candidate *pool)
{
    const struct vertex *v = pool->v;

    return v->size > 1 && v->child && type_is_node(v->type)
           && !context_takes_whole(s->m, v) && !s->m->opts->granule_pool;
}

/* Does an entry get units of it for itself? */
bool search_gives_units(const struct search *s, const struct entry *e,
                        const struct candidate *pool);

/* Does a list fit into a unit of it? */
bool search_fits_unit(struct search *s, const struct candidate *pool,
                      const struct entry *list);

/* How many units can be had with their shares; and take so many. */
int64_t search_coarse_units(struct search *s, struct candidate *pool);
void search_take_units(struct search *s, struct candidate *pool, int64_t n);

/* --- search.c ----------------------------------------------------------- */

/*
 * Find a way to have entries of a list that compete with each other and with
 * nothing else, and take that for good.
 */
bool search_part(struct search *s, const struct entry *list,
                 const struct entry *end, struct candidate *scope);

/* --- places.c ----------------------------------------------------------- */

/* Places for the slots of a goal in its scope. */
enum places {
    PLACES_OF_TYPE, /* not of a slot: pools of a type */
    PLACES_HERE,    /* the scope itself */
    PLACES_NODES,   /* nodes below it */
    PLACES_ANY      /* all that has children, the scope too */
};
enum places search_places(const struct search *s, const struct goal *g);

/* May something be had in it, or of it, beside what is taken already? */
bool search_usable(const struct search *s, const struct candidate *pool);

/*
 * The next pool for a goal, or place for a slot, after `at` (NULL: first), in
 * the order of the policy: all that is taken is taken from these.
 * Of a leaf nothing may be left: see search_available().
 */
struct candidate *search_candidate(struct search *s, const struct goal *g,
                                   struct candidate *at);

/* May something be had in a pool that an edge of a scope leads to? */
bool search_is_open(const struct search *s, const struct candidate *scope,
                    const struct candidate *pool);

/*
 * Was the scope of a goal, or what it lies in, meanwhile taken for another
 * entry? Only edges lead from one to the other.
 */
bool search_scope_lost(const struct goal *g);

/* Is it taken as a whole, whatever is wanted of it? */
bool search_lumped(const struct search *s, const struct entry *e,
                   const struct candidate *pool);
/* Units of a pool that an entry can have; and what one is worth to it. */
int64_t search_available(struct search *s, const struct entry *e,
                         struct candidate *pool);
int64_t search_unit_worth(const struct entry *e, const struct vertex *v);
/* Up to how many units of it serve the goal? */
int64_t search_wanted(struct search *s, const struct goal *g,
                      struct candidate *pool);
/* Take units for a goal; returns what it still lacks. */
int64_t search_take(struct search *s, const struct goal *g,
                    struct candidate *pool, int64_t units);
/* Take a pool for an entry with entries below it. */
void search_enter(struct search *s, const struct entry *e,
                  struct candidate *pool);

/* --- bounds.c ----------------------------------------------------------- */

/* Is there enough for a list of what edges of a pool or place lead to? */
bool search_may_reach(struct search *s, const struct candidate *pool,
                      const struct entry *list);

/* Could a list be had in a pool or place? A quick no. */
static inline bool search_may_hold(struct search *s,
                                   const struct candidate *pool,
                                   const struct entry *list)
{
    return context_may_hold(s->m, pool->lot, list)
           && (s->pools.greedy || !s->m->entries.linked
               || search_may_reach(s, pool, list));
}

/* Is there enough of everything, if nothing but that mattered? */
bool search_enough(const struct match_context *m, const struct entry *list);

/* At most how much of a goal, up to `limit`, can come from a candidate and
   those after it? */
int64_t search_at_most(struct search *s, const struct goal *g,
                       struct candidate *from, int64_t limit);

/* How many of the entry of a goal, the first, can there be at most? */
uint64_t search_count_limit(struct search *s, const struct goal *g);

#endif /* SCHEDULE_SEARCH_H */
