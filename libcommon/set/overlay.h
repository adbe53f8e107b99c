/*
 * Overlay: many labelled sets of numbers laid over each other.
 *
 * Given idsets 0..n-1, the numbers fall into groups: all that are covered by
 * exactly the same idsets. That is what is needed to align two resource sets
 * by rank, to lay properties and records over ranks, and to find what is
 * held twice, each in the number of runs and not of ranks.
 *
 * The idea: one sweep over all ends of all runs in ascending order. The sets
 * that cover the current stretch are known by a running xor of a random
 * 64-bit word a set; a hash table from that word to the group lets every
 * stretch find its group at once.
 */
#ifndef SET_OVERLAY_H
#define SET_OVERLAY_H

#include <stddef.h>
#include <stdint.h>

#include "set/idset.h"

struct overlay_group {
    struct idset *ids;      /* all numbers with this cover */
    const uint32_t *labels; /* which sets cover them, ascending */
    size_t nlabels;         /* at least 1 */
};

struct overlay;

/*
 * Lay `n` sets over each other. Groups are in the order of their lowest
 * number. Returns a new object.
 */
struct overlay *overlay_create(const struct idset *const *sets, size_t n);
void overlay_destroy(struct overlay *ov);

size_t overlay_ngroups(const struct overlay *ov);
const struct overlay_group *overlay_group(const struct overlay *ov, size_t i);

#endif /* SET_OVERLAY_H */
