/*
 * Can all that is left of a list be had at all? A bound for entries that
 * compete for many pools, as slots of several kinds do for nodes.
 *
 * It is the packing of bins, as in cutting stock: each unit of an entry fits
 * in one bin, a node say, and of each bin it is known which combinations of
 * units it can hold, its patterns. There is no way to have all if some
 * weights of the entries say so: when no choice of patterns is worth as much
 * as what is asked for. Such weights are found by linear programming, and
 * then they are checked in whole numbers, so that a no is never wrong; where
 * no weights say no the search has to find out.
 */
#ifndef SCHEDULE_PACKING_H
#define SCHEDULE_PACKING_H

#include "schedule/search.h"

enum {
    KINDS_MAX = 6,
    UNITS_MAX = 1024 /* of a kind in a bin */
};

/* One of the things that are packed: an entry, or what is in one. */
struct kind {
    const struct entry *e;
    const struct entry *of; /* the entry of the list that it belongs to */
    int64_t each;           /* so many for each of that one */
    bool is_bin;            /* its pool is a bin itself */
};

/* Combinations of units of the kinds, of which none holds another. */
struct patterns {
    int n;
    int64_t v[][KINDS_MAX];
};

/* Worths of the units: of one kind alone, or with which no was said once. */
struct weighting {
    int64_t w[KINDS_MAX];
    int64_t total;           /* what all bins can hold is worth this */
    int64_t lost[KINDS_MAX]; /* less this if a kind comes no more to bins
                              * before its cursor */
};
enum { WEIGHTINGS_MAX = 16 };

/* What is known of the entries of a list that compete. */
struct packed {
    struct packed *next;
    const struct entry *list;
    unsigned part;
    const char *bin_type; /* NULL: nodes */
    int nkinds;           /* 0: it can't be bounded so */
    struct kind kind[KINDS_MAX];
    struct weighting weighting[WEIGHTINGS_MAX];
    unsigned nweightings; /* ever found */
    size_t nbins;         /* in that scope which had most */
    uint64_t search_at;   /* steps when weights are worth looking for */
};

struct bin {
    struct site *site;
    const struct patterns *patterns; /* of what is left in it */
};

struct packing {
    struct search *s;
    struct search inner; /* tries what a bin can hold */
    struct arena arena;
    struct map known; /* patterns of bins by what is left in them */
    struct packed *packed;
    struct packed *now; /* of these are the bins; in this scope */
    struct site *scope;
    struct bin *bins;
    size_t nbins, bins_size;
    bool blind;               /* it is not known what they can hold */
    size_t cursor[KINDS_MAX]; /* a kind comes to no bin before this one */
};

/* A bound for a search. NULL: out of memory. */
struct packing *packing_create(struct search *s);
void packing_destroy(struct packing *p); /* NULL is allowed */

/*
 * Can the goal, which is the first, and those of its list that compete with
 * it all be had? With a site: if the goal gets something there, and nothing
 * before it.
 */
enum room {
    ROOM_UNKNOWN,   /* nothing is known */
    ROOM_LIKELY,    /* nothing says no */
    ROOM_ELSEWHERE, /* not at this site */
    ROOM_NONE       /* neither there nor at any site after it */
};
enum room packing_room(struct packing *p, const struct goal *g,
                       const struct site *site);

/* What the bin of a site could hold when it was last looked at, or NULL. */
const struct patterns *packing_held(struct packing *p, const struct goal *g,
                                    const struct site *site);

/*
 * Where there is no room for the rest of a goal: was there none before the
 * choice of which it is the rest, either, whatever is taken from that bin?
 */
bool packing_was_futile(const struct packing *p, const struct goal *g);

/* --- kinds.c ------------------------------------------------------------- */

/* What is known of the entries that a goal competes with. NULL: no memory. */
struct packed *packing_find(struct packing *p, const struct goal *g);

/* Are pools of a type bins? */
bool packing_is_bin(const struct packed *now, const char *type);

/* --- worths.c ------------------------------------------------------------ */

/* Sum up what the bins are worth, when they are others. */
void packing_sum(struct packing *p);
/* Count a bin (1), or no more (-1), as what it can hold changes. */
void packing_count(struct packing *p, size_t at, int64_t sign);

/* A kind comes no more to the bins before this one. */
void packing_move_cursor(struct packing *p, int kind, size_t to);

/* Is there a pattern of the bin with one of a kind? */
bool packing_holds_one(const struct bin *bin, int kind);

/*
 * Do weights that are known say no? With a bin: if it holds one of the kind,
 * and as much beside that as of `held`.
 */
bool packing_weights_refuse(const struct packing *p, const int64_t *need,
                            int kind, const struct bin *bin,
                            const struct patterns *held);

/*
 * Look for weights that say no. That takes its time, and it is not done
 * again before the search has taken as much.
 */
bool packing_find_weights(struct packing *p, const int64_t *need, int kind);

/* --- patterns.c --------------------------------------------------------- */

/* The patterns of what is left in a bin. NULL: not known. */
const struct patterns *packing_patterns(struct packing *p, struct site *bin);

/* --- weights.c ---------------------------------------------------------- */

/*
 * What is asked for, and what can be held if units are worth `w`: returns
 * the most that all bins can hold, and how much of each kind that is.
 */
struct supply {
    int n;
    double worth_max;        /* of a weight times its need */
    int64_t need[KINDS_MAX]; /* 0: nothing of this kind */
    int64_t (*most)(void *arg, const int64_t *w, double *held);
    void *arg;
};

/* Find weights for which less can be held than is needed. */
bool weights_find(const struct supply *supply, int64_t *w);

#endif /* SCHEDULE_PACKING_H */
