/*
 * The hosts of a list without their order, for membership and sorting.
 *
 * The idea: names with equal prefix, equal suffix and equal number of digits
 * between them are a class. Within a class a name is just its number. A list is
 * cut into pieces of one class each (n[8-12] into n[8-9] and n[10-12]), and a
 * class is an array of ranges of numbers. So a million hosts in a few ranges
 * cost a few steps, and `n9`, `n09` and `n009` are never confused.
 */
#ifndef SET_HOSTSET_H
#define SET_HOSTSET_H

#include "base/map.h"
#include "set/hostlist_private.h"

/* Consecutive hosts of a list in one class. */
struct host_piece {
    struct host host; /* the first */
    uint64_t hi;      /* the number of the last */
};

/* Cuts a list into pieces, in its order. Begin with hostlist_iter_init(&it.at,
   list). */
struct piece_iter {
    struct hostlist_iter at;
    char name[HOSTLIST_NAME_MAX]; /* the text of some pieces' affixes */
};
bool piece_next(struct piece_iter *it, struct host_piece *piece);

struct host_class {
    struct host host;  /* one of its hosts; the set has the text */
    size_t start, end; /* its ranges in the set */
};

/* Return whether two hosts are in one class. */
bool host_like(const struct host *a, const struct host *b);

struct host_range {
    uint32_t class;
    uint64_t lo, hi;
};

struct hostset {
    struct map map; /* from affixes and width to the class */
    struct host_class *class;
    size_t nclasses;
    struct host_range *range;
    size_t n;
};

/*
 * Make the set of a list's hosts. Ranges are sorted by class and number;
 * classes are in the order of their text if `in_order`. Overlapping ranges are
 * joined if `unique`.
 */
struct hostset *hostset_create(const struct hostlist *hl, bool in_order,
                               bool unique);
void hostset_destroy(struct hostset *set);

/* Return the class of a host, or NULL if the set has no host of that class. */
const struct host_class *hostset_class(const struct hostset *set,
                                       const struct host *h);

/*
 * Return whether number n of a class (NULL: none) is in a set of unique hosts.
 * *hi becomes the last number up to which the answer is the same.
 */
bool hostset_has(const struct hostset *set, const struct host_class *class,
                 uint64_t n, uint64_t *hi);

/*
 * Return whether a name is in a set of unique hosts. *more becomes the number
 * of names after it, counted on in as many digits, with the same answer; 0 if
 * the name does not end in a number.
 */
bool hostset_has_name(const struct hostset *set, const char *name,
                      uint64_t *more);

#endif /* SET_HOSTSET_H */
