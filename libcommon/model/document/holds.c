/*
 * Orders what jobs hold of one thing, and finds where that is too much
 * (holds.h).
 */
#include "model/document/holds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

static double end_of(const struct hold *hold)
{
    return hold->end < 0 ? INFINITY : hold->end;
}

/* Unset starts are before all others: TIME_UNSET is negative. */
static int compare_starts(const void *a, const void *b)
{
    const struct hold *ha = a, *hb = b;

    if (ha->start != hb->start)
        return ha->start < hb->start ? -1 : 1;
    return (ha->index > hb->index) - (ha->index < hb->index);
}

void holds_sort(struct hold *holds, size_t n)
{
    if (n > 1)
        qsort(holds, n, sizeof(*holds), compare_starts);
}

/* Put allocations in front; returns how many there are. */
static size_t allocations(struct hold *holds, size_t n)
{
    size_t front = 0;

    for (size_t i = 0; i < n; i++) {
        struct hold hold = holds[i];
        if (hold.reserved)
            continue;
        holds[i] = holds[front];
        holds[front++] = hold;
    }
    return front;
}

/* The holds by their ends. */
struct ending {
    double end;
    int64_t size;
};

static int compare_ends(const void *a, const void *b)
{
    const struct ending *ea = a, *eb = b;

    return (ea->end > eb->end) - (ea->end < eb->end);
}

static bool holds_overlap(const struct hold *a, const struct hold *b)
{
    return a->start < end_of(b) && b->start < end_of(a);
}

const struct hold *holds_meeting(const struct hold *whole, size_t n,
                                 const struct hold *hold)
{
    size_t lo = 0, hi = n;

    while (lo < hi) {
        size_t middle = lo + (hi - lo) / 2;
        if (hold->end < 0 || whole[middle].start < hold->end)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo > 0 && holds_overlap(&whole[lo - 1], hold) ? &whole[lo - 1]
                                                         : NULL;
}

/* Each hold is within `size`, so that sums do not overflow. */
static struct excess sweep(const struct hold *holds, const struct ending *ends,
                           size_t n, uint64_t size)
{
    uint64_t units = 0;
    size_t ended = 0;

    for (size_t i = 0; i < n; i++) {
        while (ends[ended].end <= holds[i].start)
            units -= (uint64_t)ends[ended++].size;
        units += (uint64_t)holds[i].size;
        if (units > size)
            return (struct excess){.hold = &holds[i], .units = units};
    }
    return (struct excess){0};
}

static struct excess excess_of(struct hold *holds, size_t n, int64_t size)
{
    struct excess found;
    struct ending *ends;

    for (size_t i = 0; i < n; i++)
        if (holds[i].size > size)
            return (struct excess){.hold = &holds[i],
                                   .units = (uint64_t)holds[i].size};
    if (n < 2)
        return (struct excess){0};
    ends = xcalloc(n, sizeof(*ends));
    holds_sort(holds, n);
    for (size_t i = 0; i < n; i++)
        ends[i] = (struct ending){end_of(&holds[i]), holds[i].size};
    qsort(ends, n, sizeof(*ends), compare_ends);
    found = sweep(holds, ends, n, (uint64_t)size);
    free(ends);
    return found;
}

struct excess holds_excess(struct hold *holds, size_t n, int64_t size)
{
    size_t front = allocations(holds, n);
    struct excess found = excess_of(holds, front, size);

    if (!found.hold && front < n) {
        found = excess_of(holds, n, size);
        found.reserved = true;
    }
    return found;
}

const char *hold_moment(const struct hold *hold, char buf[48])
{
    buf[0] = '\0';
    if (hold->start >= 0)
        snprintf(buf, 48, " at %.15g", hold->start);
    return buf;
}
