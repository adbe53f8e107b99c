/*
 * The hosts of a list without their order: for membership and for sorting.
 *
 * The idea: names with the same prefix, the same suffix and the same number
 * of digits between them are a class, and within a class a name is its
 * number and nothing else. A list is cut into pieces that lie in one class
 * each (n[8-12] into n[8-9] and n[10-12]), and what is known of a class is
 * an array of ranges of numbers. So a million hosts in a few ranges cost a
 * few steps, and `n9`, `n09` and `n009` are never taken for each other.
 */
#ifndef SET_HOSTSET_H
#define SET_HOSTSET_H

#include "base/map.h"
#include "set/hostlist_private.h"

/* Hosts of a list that are next to each other and in one class. */
struct host_piece {
    struct host host; /* the first */
    uint64_t hi;      /* the number of the last */
};

/* Cuts a list into pieces, in its order. */
struct piece_iter {
    struct hostlist_iter at;
    char name[HOSTLIST_NAME_MAX]; /* holds a piece's affixes, at times */
};
void piece_iter_init(struct piece_iter *it, const struct hostlist *hl);
bool piece_next(struct piece_iter *it, struct host_piece *piece);

struct host_class {
    const char *affix; /* prefix, line feed, suffix */
    uint16_t plen, slen;
    int width;
    size_t start, end; /* its ranges in the set */
};

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
 * Gather the hosts of a list. Ranges are sorted by class and number, with
 * classes in the order of their text if `in_order`. Ranges that overlap are
 * joined if `unique`.
 */
struct hostset *hostset_create(const struct hostlist *hl, bool in_order,
                               bool unique);
void hostset_destroy(struct hostset *set);

/* The class of a host; NULL if none of the set is in it. */
const struct host_class *hostset_class(const struct hostset *set,
                                       const struct host *h);

/*
 * Is number n of a class (NULL: none) in a set of unique hosts? *hi is set
 * to the last number, from n to *hi, with the same answer.
 */
bool hostset_has(const struct hostset *set, const struct host_class *class,
                 uint64_t n, uint64_t *hi);

/*
 * Is a name in a set of unique hosts? *more is set to how many names that
 * count on from it, in as many digits, have the same answer; 0 if it ends in
 * no number.
 */
bool hostset_has_name(const struct hostset *set, const char *name,
                      uint64_t *more);

#endif /* SET_HOSTSET_H */
