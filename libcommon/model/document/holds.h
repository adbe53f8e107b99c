/* The records of one pool in time (RFC 4, RFC 16). */
#ifndef MODEL_DOCUMENT_HOLDS_H
#define MODEL_DOCUMENT_HOLDS_H

#include "model/records/records.h"

/* A job's hold on some units, from start to end. */
struct hold {
    const char *job; /* interned */
    int64_t size;
    const struct term *term;
    size_t index; /* in its list */
};

/* Sort holds by their starts. */
void holds_sort(struct hold *holds, size_t n);

/*
 * Find the first hold with which more than `size` units are allocated at some
 * moment, or else allocated or `reserved`. `units` is their sum; `hold` is NULL
 * if there is none. Changes the order of the holds.
 */
struct excess {
    const struct hold *hold;
    uint64_t units;
    bool reserved;
};
struct excess holds_excess(struct hold *holds, size_t n, int64_t size);

/*
 * Return a hold of a whole pool that overlaps a term, or NULL. The holds must
 * be sorted by their starts. Only the last hold that starts before the term
 * ends is checked: the holds before it have ended, or there are too many, which
 * is another fault.
 */
const struct hold *holds_meeting(const struct hold *whole, size_t n,
                                 const struct term *term);

/* Return " at TIME" for the start of a hold, or "". */
const char *hold_moment(const struct hold *hold, char buf[48]);

#endif /* MODEL_DOCUMENT_HOLDS_H */
