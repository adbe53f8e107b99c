/*
 * Overlay: many labelled sets of numbers laid over each other.
 *
 * Given idsets 0..n-1, the numbers form groups: a group has all numbers that
 * exactly the same idsets cover. Overlays align two resource sets by rank, lay
 * properties and records over ranks, and find resources that are held twice.
 * They cost as much as there are runs, not ranks.
 *
 * The idea: one sweep over the ends of all runs in ascending order. Each set
 * has a random 64-bit word. The running xor of the words identifies the sets
 * that cover the current stretch, and a hash table leads from it to the
 * stretch's group.
 */
#ifndef SET_OVERLAY_H
#define SET_OVERLAY_H

#include <stddef.h>
#include <stdint.h>

#include "set/idset.h"

struct overlay_group {
    struct idset *ids;      /* all numbers with this cover */
    const uint32_t *labels; /* the sets that cover them, ascending */
    size_t nlabels;         /* at least 1 */
};

struct overlay;

/*
 * Lay `n` sets over each other. Groups are in the order of their lowest number.
 * Returns a new object.
 */
struct overlay *overlay_create(const struct idset *const *sets, size_t n);
void overlay_destroy(struct overlay *ov);

size_t overlay_ngroups(const struct overlay *ov);
const struct overlay_group *overlay_group(const struct overlay *ov, size_t i);

#endif /* SET_OVERLAY_H */
