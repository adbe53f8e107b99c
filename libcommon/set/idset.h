/*
 * Sets of non-negative integers: RFC 22 idsets.
 *
 * A set is a sorted array of runs (lo..hi), never a bitmap: memory and time
 * follow the number of runs, whatever the ids are. `0-4294967294` costs one
 * run. Appending in ascending order is constant time, decoding and every
 * operation of the algebra one pass over the runs.
 *
 * Strings are read strictly: ascending, unique, no leading zero, no white
 * space; optional brackets around the whole; "" is the empty set.
 *
 * A const set may be shared by readers; the library keeps no state of its
 * own.
 */
#ifndef SET_IDSET_H
#define SET_IDSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diag.h"

#define IDSET_MAX UINT32_C(4294967294)     /* the largest id */
#define IDSET_INVALID UINT32_C(4294967295) /* "no such id" in an answer */

struct idset;

/* A run of consecutive ids, both ends included. */
struct idrange {
    uint32_t lo, hi;
};

/* A new empty set, to be freed with idset_destroy(). */
struct idset *idset_create(void);
struct idset *idset_create_range(uint32_t lo, uint32_t hi);
struct idset *idset_copy(const struct idset *set);
void idset_destroy(struct idset *set); /* NULL is allowed */

/*
 * RFC 22: read `len` bytes of text into a new set, *out, that the caller
 * owns. Returns 0; or -1 with the offending piece and its offset in `d`
 * (`"0-5,3": 3 is out of order at offset 4`).
 */
int idset_decode(const char *text, size_t len, struct idset **out,
                 struct diag *d);

/* The same with a lower limit: ids above `max` (<= IDSET_MAX) are refused. */
int idset_decode_max(const char *text, size_t len, uint32_t max,
                     struct idset **out, struct diag *d);

/*
 * RFC 22: the shortest valid string of the set, without brackets. encode
 * returns a new string for free(); write returns -1 if the stream failed.
 */
char *idset_encode(const struct idset *set);
int idset_write(const struct idset *set, FILE *fp);

/* The same as what follows a name, as node[0-3]: more than one in brackets. */
int idset_write_members(const struct idset *set, FILE *fp);

/* Add ids lo..hi, wherever they lie; none unless lo <= hi <= IDSET_MAX. */
void idset_add(struct idset *set, uint32_t lo, uint32_t hi);
/* Take ids lo..hi out, those that are there. */
void idset_remove(struct idset *set, uint32_t lo, uint32_t hi);
void idset_clear(struct idset *set);

/*
 * Add ids in any order, at the price of one sort: until idset_settle() makes a
 * set of what was pushed, nothing else may be done with it.
 */
void idset_push(struct idset *set, uint32_t lo, uint32_t hi);
void idset_settle(struct idset *set);

/* New sets: a|b, a&b, a-b, and what is in exactly one of both. */
struct idset *idset_union(const struct idset *a, const struct idset *b);
struct idset *idset_intersect(const struct idset *a, const struct idset *b);
struct idset *idset_subtract(const struct idset *a, const struct idset *b);
struct idset *idset_xor(const struct idset *a, const struct idset *b);

/* Add all of b to a. Linear when b lies behind a, as in ascending order. */
void idset_add_set(struct idset *a, const struct idset *b);
/* Take all of b out of a. */
void idset_remove_set(struct idset *a, const struct idset *b);

bool idset_empty(const struct idset *set);
uint64_t idset_count(const struct idset *set);
bool idset_contains(const struct idset *set, uint32_t id);
/* The same, and *last is lowered to the last id, from `id` on without a gap,
   that has the same answer. */
bool idset_until(const struct idset *set, uint32_t id, uint32_t *last);
bool idset_equal(const struct idset *a, const struct idset *b);
bool idset_subset(const struct idset *a, const struct idset *b); /* a in b */
bool idset_overlaps(const struct idset *a, const struct idset *b);

/* The lowest and the highest id, IDSET_INVALID if there is none. */
uint32_t idset_first(const struct idset *set);
uint32_t idset_last(const struct idset *set);
/* The id next above / below `id` (which need not be a member). */
uint32_t idset_next(const struct idset *set, uint32_t id);
uint32_t idset_prev(const struct idset *set, uint32_t id);

/* The n-th id, counted from 0; the position of an id, -1 if not a member. */
uint32_t idset_nth(const struct idset *set, uint64_t n);
int64_t idset_position(const struct idset *set, uint32_t id);

/* A new set of the first n ids of those that are not below `first`. */
struct idset *idset_slice(const struct idset *set, uint32_t first, uint64_t n);

/* A new set of the ids at these positions (0, 1, ...), as far as they go. */
struct idset *idset_pick(const struct idset *set,
                         const struct idset *positions);

/*
 * A new set of n ids at random, each choice as likely as any other; all if
 * there are no more. The same seed gives the same ids on every machine.
 */
struct idset *idset_sample(const struct idset *set, uint64_t n, uint64_t seed);

/*
 * The positions (0, 1, ...) that the ids of `some` have in `set`, as a new
 * set. Ids that are not members are passed over.
 */
struct idset *idset_positions(const struct idset *set,
                              const struct idset *some);

/*
 * The runs in ascending order, for loops: they belong to the set and stay
 * until it is changed.
 *
 *     for (size_t i = 0; i < idset_nranges(set); i++)
 *         use(idset_range(set, i).lo, idset_range(set, i).hi);
 */
size_t idset_nranges(const struct idset *set);
struct idrange idset_range(const struct idset *set, size_t i);
/* All of them as an array. */
const struct idrange *idset_ranges(const struct idset *set);
/* The number of the first that ends at `id` or above; that of all if none. */
size_t idset_seek(const struct idset *set, uint32_t id);

/*
 * Go through a set from its lowest id. Of every loop over ids prefer the
 * loop over ranges above, where it will do.
 *
 *     struct idset_iter it;
 *     uint32_t id;
 *
 *     idset_iter_init(&it, set);
 *     while (idset_iter_next(&it, &id))
 *         use(id);
 */
struct idset_iter {
    const struct idset *set;
    size_t run;
    uint32_t next; /* in the run, counted from its start */
};
void idset_iter_init(struct idset_iter *it, const struct idset *set);
bool idset_iter_next(struct idset_iter *it, uint32_t *id);
/* A new set of the next n ids; of fewer at the end. */
struct idset *idset_iter_take(struct idset_iter *it, uint64_t n);
/* How many ids are left in the run where one is; 0 at the end. */
uint64_t idset_iter_run(const struct idset_iter *it);

#endif /* SET_IDSET_H */
