/*
 * Sets of non-negative integers: RFC 22 idsets.
 *
 * A set is a sorted array of runs (lo..hi), never a bitmap. Memory and time
 * depend on the number of runs, whatever the ids are. `0-4294967294` costs one
 * run. Appending in ascending order takes constant time; decoding and every
 * operation of the algebra take one pass over the runs.
 *
 * Strings are read strictly: ascending, unique, no leading zero, no white
 * space; optional brackets around the whole; "" is the empty set.
 *
 * Several readers may share a const set; the library keeps no state of its own.
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

/* Return a new set, to be freed with idset_destroy(). */
struct idset *idset_create(void);
struct idset *idset_create_range(uint32_t lo, uint32_t hi);
struct idset *idset_copy(const struct idset *set);
void idset_destroy(struct idset *set); /* NULL is allowed */

/*
 * Read `len` bytes of text (RFC 22) into a new set *out, which the caller owns.
 * Returns 0, or -1 with the offending piece and its offset in `d` (`"0-5,3": 3
 * is out of order at offset 4`).
 */
int idset_decode(const char *text, size_t len, struct idset **out,
                 struct diag *d);

/* Read a set like idset_decode(), and refuse ids above `max` (<= IDSET_MAX). */
int idset_decode_max(const char *text, size_t len, uint32_t max,
                     struct idset **out, struct diag *d);

/* Return the shortest valid string of the set (RFC 22), without brackets, as a
   new string for free(); or write it. Write errors show in ferror(). */
char *idset_encode(const struct idset *set);
void idset_write(const struct idset *set, FILE *fp);

/* Write a set as it follows a name, like node[0-3]: several ids are in
   brackets. */
void idset_write_members(const struct idset *set, FILE *fp);

/* Add ids lo..hi. Does nothing unless lo <= hi <= IDSET_MAX. */
void idset_add(struct idset *set, uint32_t lo, uint32_t hi);
/* Remove the ids in lo..hi. */
void idset_remove(struct idset *set, uint32_t lo, uint32_t hi);
void idset_clear(struct idset *set);

/*
 * Add ids in any order, at the cost of one sort in idset_settle(). Until then
 * no other function may be used on the set.
 */
void idset_push(struct idset *set, uint32_t lo, uint32_t hi);
void idset_settle(struct idset *set);

/* Return new sets: a|b, a&b, a-b, and the ids in exactly one of both. */
struct idset *idset_union(const struct idset *a, const struct idset *b);
struct idset *idset_intersect(const struct idset *a, const struct idset *b);
struct idset *idset_subtract(const struct idset *a, const struct idset *b);
struct idset *idset_xor(const struct idset *a, const struct idset *b);

/* Add all of b to a. Linear if b is above a, as when appending in ascending
   order. */
void idset_add_set(struct idset *a, const struct idset *b);
/* Remove all of b from a. */
void idset_remove_set(struct idset *a, const struct idset *b);

/* Replace the ids of `set` by those of `from`, and destroy `from`, as in
   idset_replace(a, idset_intersect(a, b)). */
void idset_replace(struct idset *set, struct idset *from);

bool idset_empty(const struct idset *set);
uint64_t idset_count(const struct idset *set);
bool idset_contains(const struct idset *set, uint32_t id);
/* Return whether a set contains `id`. Lowers *last to the last id up to which,
   from `id` on, the answer is the same. */
bool idset_until(const struct idset *set, uint32_t id, uint32_t *last);
bool idset_equal(const struct idset *a, const struct idset *b);
bool idset_subset(const struct idset *a, const struct idset *b); /* a in b? */
bool idset_overlaps(const struct idset *a, const struct idset *b);

/* Return the lowest and the highest id, or IDSET_INVALID if there is none. */
uint32_t idset_first(const struct idset *set);
uint32_t idset_last(const struct idset *set);
/* Return the next id above / below `id`, which need not be a member. */
uint32_t idset_next(const struct idset *set, uint32_t id);
uint32_t idset_prev(const struct idset *set, uint32_t id);

/* Return the n-th id, counted from 0; the position of an id, or -1 if it is not
   a member. */
uint32_t idset_nth(const struct idset *set, uint64_t n);
int64_t idset_position(const struct idset *set, uint32_t id);

/* Return a new set of the first n ids that are not below `first`. */
struct idset *idset_slice(const struct idset *set, uint32_t first, uint64_t n);

/* Return a new set of the ids at the given positions (0, 1, ...) that exist. */
struct idset *idset_pick(const struct idset *set,
                         const struct idset *positions);

/*
 * Return a new set of n random ids, with every choice equally likely; all ids
 * if there are no more. Equal seeds give equal ids on every machine.
 */
struct idset *idset_sample(const struct idset *set, uint64_t n, uint64_t seed);

/*
 * Return the positions (0, 1, ...) in `set` of the ids of `some`: a new set.
 * Ids that are not members are skipped.
 */
struct idset *idset_positions(const struct idset *set,
                              const struct idset *some);

/*
 * The runs in ascending order, for loops. They belong to the set and are valid
 * until it is changed.
 *
 *     for (size_t i = 0; i < idset_nranges(set); i++)
 *         use(idset_range(set, i).lo, idset_range(set, i).hi);
 */
size_t idset_nranges(const struct idset *set);
struct idrange idset_range(const struct idset *set, size_t i);
/* Return all runs as an array. */
const struct idrange *idset_ranges(const struct idset *set);
/* Return the index of the first run that ends at `id` or above; the number of
   runs if there is none. */
size_t idset_seek(const struct idset *set, uint32_t id);

/*
 * Iterate over a set from its lowest id. Prefer a loop over runs, as above,
 * where possible.
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
/* Return a new set of the next n ids; at the end of fewer. */
struct idset *idset_iter_take(struct idset_iter *it, uint64_t n);
/* Return how many ids are left in the current run; 0 at the end. */
uint64_t idset_iter_run(const struct idset_iter *it);

#endif /* SET_IDSET_H */
