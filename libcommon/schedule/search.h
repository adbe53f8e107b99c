/*
 * Within the search: goals, the choices that serve them, and who sees to
 * what. search.c takes choices and undoes them; alternatives.c tells what
 * the next alternative of one is, candidates.c where a goal can be served,
 * bounds.c when it can't be.
 */
#ifndef SCHEDULE_SEARCH_H
#define SCHEDULE_SEARCH_H

#include "schedule/sites.h"

/* Jump back to where? To the choice before. */
enum { BACK_ONE = -2, BACK_NONE = -1 };

struct goal {
    struct goal *next;
    const struct entry *e;
    struct site *scope;
    struct site *within; /* only this pool of it and what is below, or NULL */
    struct site *cursor; /* pools up to this one are done with, or NULL */
    int64_t left;        /* pools, slots or units; bytes if e->bytes */
    int64_t lacks;       /* what was left of it when it failed */
    int base;            /* the choice that made the list it is of */
    int back;            /* the choice that is undone if this fails at once */
    bool counted;        /* `left` is known */
    bool hopeful;        /* there is enough from the next pool on */
};

/* A pool that was tried in vain. */
struct vain {
    struct vain *next;
    struct site *site;
};

struct choice {
    struct goal *goal;
    struct site *site; /* the alternative that is being tried */
    int64_t n;         /* count or amount of it */
    int64_t best;      /* of a count: how many were had at most */
    /*
     * Goals outside of what it serves failed after it: the first and the
     * last of the choices that made their lists. `many`: there are others
     * between them.
     */
    bool blamed, many;
    int first, last;
    struct vain *vain;
    size_t changes, heap; /* what there was before it */
};

/* Goals and pools tried in vain live on a stack that never moves. */
union item {
    struct goal goal;
    struct vain vain;
};
enum { BLOCK_ITEMS = 1024 };

struct search {
    struct sites *sites;
    struct attempt *a;
    struct goal *goals;
    struct choice *choices;
    int nchoices, choices_size;
    uint64_t steps, steps_max;
    uint64_t looks; /* at pools, many of which cost as much as a step */
    bool out;       /* of steps: it was given up */
    uint64_t *most; /* of the only entry at the top */
    union item **blocks;
    size_t nblocks, nitems;
};

/* --- search.c ----------------------------------------------------------- */

/* Room for a goal or a pool tried in vain. */
union item *search_item(struct search *s);

/* `n` of an entry as a goal has it: in bytes, where units are converted. */
int64_t search_bytes(const struct entry *e, int64_t n);

/* Put a goal, or those of a list in a scope, before all others. */
void search_push(struct search *s, struct goal goal);
void search_push_list(struct search *s, const struct entry *list,
                      struct site *scope);

/* Serve all goals; a no is certain unless it is `out` of steps. */
bool search_solve(struct search *s);
void search_fini(struct search *s);

/* Blame a choice for what failed, or would, of goals after it. */
void search_blame_rest(struct choice *c);

/* Do both serve the same part of one list? */
bool search_same_part(const struct goal *g, const struct goal *h);

/* --- candidates.c ------------------------------------------------------- */

/* Of what a slot is made in a scope. */
enum places {
    PLACES_OF_TYPE, /* not of a slot: pools of a type */
    PLACES_HERE,    /* the scope itself */
    PLACES_NODES,   /* nodes below it */
    PLACES_ANY      /* all that has children, the scope too */
};
enum places search_places(const struct search *s, const struct goal *g);

/* May something be had in it, or of it, beside what is taken already? */
bool search_usable(const struct search *s, const struct site *site);

/* The next pool for a goal, or place for a slot, after `at` (NULL: first). */
struct site *search_candidate(struct search *s, const struct goal *g,
                              struct site *at);

/* Is it taken as a whole, whatever is wanted of it? */
bool search_lumped(const struct search *s, const struct entry *e,
                   const struct site *site);
/* Units of a pool that an entry can have; and what one is worth to it. */
int64_t search_available(const struct search *s, const struct entry *e,
                         const struct site *site);
int64_t search_unit_worth(const struct entry *e, const struct vertex *v);
/* Up to how many units of it serve the goal? */
int64_t search_wanted(const struct search *s, const struct goal *g,
                      const struct site *site);
/* Take units for a goal; returns what it still lacks. */
int64_t search_take(struct search *s, const struct goal *g, struct site *site,
                    int64_t units);

/* --- bounds.c ----------------------------------------------------------- */

/* Units of a type that one of an entry needs for itself at the least. */
uint64_t search_needed_each(const struct usage *u, const struct entry *e,
                            int ntype);

/* The same of a list. */
uint64_t search_needed(const struct usage *u, const struct entry *list,
                       int ntype);

/* Is there enough of everything, if nothing but that mattered? */
bool search_enough(const struct attempt *a, const struct entry *list);

/* Is there room for all slots that a goal still wants? */
bool search_has_room(struct search *s, const struct goal *g);

/* Can't so much of a goal come from a candidate and those after it? */
bool search_is_hopeless(struct search *s, const struct goal *g,
                        struct site *from, int64_t left);

/* --- limits.c ----------------------------------------------------------- */

/*
 * Can the pools that the `id` of an entry admits be counted in a scope? Those
 * in no containment are also below pools in the scope to which edges lead.
 */
bool search_counts_ids(const struct search *s, const struct entry *e);

/* Units (of composites: pools) that an entry can still have in a scope. */
int64_t search_units_left(struct search *s, const struct entry *e,
                          struct site *scope);

/*
 * How many of the entry of a goal, the first, can there be at most? *others:
 * that would be more if goals after it needed nothing.
 */
uint64_t search_count_limit(struct search *s, const struct goal *g,
                            bool *others);

/* --- alternatives.c ----------------------------------------------------- */

/* Take the next alternative of a choice; false: there is none. */
bool search_next(struct search *s, struct choice *c);

#endif /* SCHEDULE_SEARCH_H */
