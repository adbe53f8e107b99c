/*
 * The inside of an idset, for the files of this folder only.
 *
 * A model holds hundreds of thousands of sets, and nearly all of them have one
 * or two runs. Such runs are inside the object: one allocation of 40 bytes per
 * set, and no second place in memory to visit.
 */
#ifndef SET_IDSET_PRIVATE_H
#define SET_IDSET_PRIVATE_H

#include "set/idset_form.h"
#include "set/scan.h"

#define IDSET_SMALL 3 /* runs that fit inside */

struct idset {
    struct idrange *run; /* ascending, disjoint, never adjacent */
    uint32_t n, cap;     /* at most 2^31 runs exist */
    struct idrange small[IDSET_SMALL];
};

/* Return a new empty set with room for `cap` runs. */
struct idset *idset_create_sized(size_t cap);

/* Make room for `cap` runs in all; at least double the room. */
void idset_grow(struct idset *set, size_t cap);

/* Give back unused room, if it is much. */
void idset_trim(struct idset *set);

/* Append a run anywhere; idset_settle() makes a set of the runs. */
static inline void push_range(struct idset *set, uint32_t lo, uint32_t hi)
{
    if (set->n == set->cap)
        idset_grow(set, (size_t)set->n + 1);
    set->run[set->n++] = (struct idrange){lo, hi};
}

/* Append a run above all others. An adjacent one is joined. */
static inline void idset_append(struct idset *set, uint32_t lo, uint32_t hi)
{
    if (set->n && set->run[set->n - 1].hi + 1 == lo)
        set->run[set->n - 1].hi = hi;
    else
        push_range(set, lo, hi);
}

/* A text from which ids are read. Runs are pushed as they come. */
struct id_scan {
    struct scan scan;
    uint32_t max;
    bool loose;
    struct idset *set;
};

/*
 * Read a number. `item` is the beginning of the range that the number belongs
 * to; NULL: no ranges are allowed here. Returns -1 with a diag.
 */
int id_scan_number(struct id_scan *s, const char *item, uint32_t *id);
/* Read `id` or `lo-hi`, with lo < hi. Returns -1 with a diag. */
int id_scan_item(struct id_scan *s, struct idrange *item);

/* Read RFC 22 strings, strictly or loosely. Returns -1 with a diag. */
int idset_read_text(struct id_scan *s);

/* Sort `n` pairs by `lo` in linear time (sort.c). Pairs that are in order
   already are only read once. */
void sort_by_lo(struct idrange *v, size_t n);

#endif /* SET_IDSET_PRIVATE_H */
