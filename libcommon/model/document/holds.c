/* Sorts holds of one pool, and finds moments with too many of them
   (holds.h). */
#include "model/document/holds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

static double end_of(const struct term *t)
{
    return t->end < 0 ? INFINITY : t->end;
}

/* By start. Unset starts come first: TIME_UNSET is negative. */
static int compare_starts(const void *a, const void *b)
{
    const struct hold *ha = a, *hb = b;
    int c = COMPARE(ha->term->start, hb->term->start);

    return c ? c : COMPARE(ha->index, hb->index);
}

void holds_sort(struct hold *holds, size_t n)
{
    VECTOR_SORT(holds, n, compare_starts);
}

struct ending {
    double end; /* by which they are sorted */
    int64_t size;
};

const struct hold *holds_meeting(const struct hold *whole, size_t n,
                                 const struct term *term)
{
    size_t at = VECTOR_SEEK(i, 0, n, whole[i].term->start < end_of(term));

    return at > 0 && term->start < end_of(whole[at - 1].term) ? &whole[at - 1]
                                                              : NULL;
}

/* Find the first hold with which there are more than `size` units. Sorts the
   holds. */
static struct excess excess_of(struct hold *holds, size_t n, int64_t size)
{
    struct excess found = {0};
    struct ending *ends;
    uint64_t units = 0;
    size_t ended = 0;

    for (size_t i = 0; i < n; i++)
        if (holds[i].size > size)
            return (struct excess){.hold = &holds[i],
                                   .units = (uint64_t)holds[i].size};
    if (n < 2)
        return found;
    ends = xcalloc(n, sizeof(*ends));
    holds_sort(holds, n);
    for (size_t i = 0; i < n; i++)
        ends[i] = (struct ending){end_of(holds[i].term), holds[i].size};
    VECTOR_SORT(ends, n, compare_doubles);

    /* each hold is at most `size`, so sums do not overflow */
    for (size_t i = 0; i < n && !found.hold; i++) {
        while (ends[ended].end <= holds[i].term->start)
            units -= (uint64_t)ends[ended++].size;
        units += (uint64_t)holds[i].size;
        if (units > (uint64_t)size)
            found = (struct excess){.hold = &holds[i], .units = units};
    }
    free(ends);
    return found;
}

struct excess holds_excess(struct hold *holds, size_t n, int64_t size)
{
    struct excess found;
    size_t front = 0; /* allocations come first */

    for (size_t i = 0; i < n; i++) {
        struct hold hold = holds[i];
        if (hold.term->reserved)
            continue;
        holds[i] = holds[front];
        holds[front++] = hold;
    }
    found = excess_of(holds, front, size);
    if (!found.hold && front < n) {
        found = excess_of(holds, n, size);
        found.reserved = true;
    }
    return found;
}

const char *hold_moment(const struct hold *hold, char buf[48])
{
    buf[0] = '\0';
    if (hold->term->start >= 0)
        snprintf(buf, 48, " at %.15g", hold->term->start);
    return buf;
}
