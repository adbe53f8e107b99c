/*
 * A merge sort of the stretches that are in order already: what is read comes
 * as a few of them, and so do the ends of many sets. The merge has no branch
 * that depends on the data, so shuffled pairs cost little more.
 */
#include "set/sort.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Where the stretch ends that begins at `at`. */
static size_t stretch(const struct idrange *v, size_t at, size_t n)
{
    for (at++; at < n && v[at].lo >= v[at - 1].lo; at++)
        ;
    return at < n ? at : n;
}

/* Merge a stretch and the one behind it. */
static void merge(const struct idrange *a, size_t na, size_t nb,
                  struct idrange *to)
{
    const struct idrange *b = a + na, *mid = b, *end = b + nb;

    while (a < mid && b < end) {
        bool second = b->lo < a->lo;

        *to++ = *(second ? b : a);
        b += second;
        a += !second;
    }
    to = mempcpy(to, a, (size_t)(mid - a) * sizeof(*to));
    memcpy(to, b, (size_t)(end - b) * sizeof(*to));
}

void sort_by_lo(struct idrange *v, size_t n)
{
    struct idrange *from = v, *to, *room;

    if (stretch(v, 0, n) == n)
        return;
    to = room = xmalloc(n * sizeof(*room));
    do {
        struct idrange *merged = to;

        for (size_t i = 0, mid, end; i < n; i = end) {
            mid = stretch(from, i, n);
            end = stretch(from, mid, n);
            merge(from + i, mid - i, end - mid, to + i);
        }
        to = from;
        from = merged;
    } while (stretch(from, 0, n) < n);
    if (from != v)
        memcpy(v, from, n * sizeof(*v));
    free(room);
}
