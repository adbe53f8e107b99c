/*
 * Many records on one pool in time (RFC 4, RFC 16): no more units are held
 * at any moment than there are.
 */
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

/* Put them in the order of their starts. */
void holds_sort(struct hold *holds, size_t n);

/*
 * Is there a moment at which more than `size` units are allocated, or else
 * allocated or `reserved`? Then `hold` is the first that is too much, and
 * `units` how many there are with it; NULL if there is none. Holds are put in
 * another order.
 */
struct excess {
    const struct hold *hold;
    uint64_t units;
    bool reserved;
};
struct excess holds_excess(struct hold *holds, size_t n, int64_t size);

/*
 * Of holds of all of something, in the order of their starts, one that
 * overlaps with another's term in time, or NULL: the last that starts before
 * the end of the other. What is before it has ended, unless there are too many
 * of them, which is told anyway.
 */
const struct hold *holds_meeting(const struct hold *whole, size_t n,
                                 const struct term *term);

/* " at TIME" of a hold's start, or "". */
const char *hold_moment(const struct hold *hold, char buf[48]);

#endif /* MODEL_DOCUMENT_HOLDS_H */
