/*
 * The set itself: memory, single changes, questions.
 *
 * Ids are found by a binary search over the ends of the runs. Changes at the
 * upper end, where readers and sweeps work, need no search.
 */
#include "set/idset_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define MAX_RUNS (UINT32_C(1) << 31)

struct idset *idset_create_sized(size_t cap)
{
    struct idset *set = xmalloc(sizeof(*set));

    set->run = set->small;
    set->n = 0;
    set->cap = IDSET_SMALL;
    if (cap <= IDSET_SMALL)
        return set;
    if (cap > MAX_RUNS)
        cap = MAX_RUNS;
    set->run = xmalloc(cap * sizeof(*set->run));
    set->cap = (uint32_t)cap;
    return set;
}

struct idset *idset_create(void)
{
    return idset_create_sized(0);
}

struct idset *idset_create_range(uint32_t lo, uint32_t hi)
{
    struct idset *set = idset_create();

    if (lo <= hi && hi <= IDSET_MAX)
        set->run[set->n++] = (struct idrange){lo, hi};
    return set;
}

struct idset *idset_copy(const struct idset *set)
{
    struct idset *copy = idset_create_sized(set->n);

    memcpy(copy->run, set->run, set->n * sizeof(*set->run));
    copy->n = set->n;
    return copy;
}

void idset_destroy(struct idset *set)
{
    if (!set)
        return;
    if (set->run != set->small)
        free(set->run);
    free(set);
}

static void set_capacity(struct idset *set, size_t cap)
{
    bool small = set->run == set->small;
    struct idrange *run = xrealloc(small ? NULL : set->run, cap * sizeof(*run));

    if (small)
        memcpy(run, set->small, set->n * sizeof(*run));
    set->run = run;
    set->cap = (uint32_t)cap;
}

void idset_grow(struct idset *set, size_t cap)
{
    if (cap <= set->cap)
        return;
    if (cap < (size_t)set->cap * 2)
        cap = (size_t)set->cap * 2;
    if (cap < 8)
        cap = 8;
    if (cap > UINT32_MAX) /* pushed runs need not be a set yet */
        cap = UINT32_MAX;
    if (cap == set->n)
        memory_exhausted();
    set_capacity(set, cap);
}

void idset_trim(struct idset *set)
{
    struct idrange *run = set->run;

    if (run == set->small || set->n >= set->cap / 2)
        return;
    if (set->n <= IDSET_SMALL) {
        memcpy(set->small, run, set->n * sizeof(*run));
        free(run);
        set->run = set->small;
        set->cap = IDSET_SMALL;
        return;
    }
    set_capacity(set, set->n);
}

void idset_replace(struct idset *set, struct idset *from)
{
    if (set->run != set->small)
        free(set->run);
    *set = *from;
    if (from->run == from->small)
        set->run = set->small;
    free(from);
}

/* Join runs that touch. Returns false, without a change, if the runs are not in
   order. */
static bool join_runs(struct idset *set)
{
    struct idrange *run = set->run;
    size_t n = 0, i;

    for (i = 1; i < set->n && run[i].lo > run[i - 1].hi + 1; i++)
        ; /* usually there is nothing to do */
    if (i >= set->n)
        return true;
    for (size_t k = i; k < set->n; k++)
        if (run[k].lo < run[k - 1].lo)
            return false;
    for (n = i; i < set->n; i++) {
        if (run[i].lo > run[n - 1].hi + 1)
            run[n++] = run[i];
        else if (run[i].hi > run[n - 1].hi)
            run[n - 1].hi = run[i].hi;
    }
    set->n = (uint32_t)n;
    return true;
}

void idset_push(struct idset *set, uint32_t lo, uint32_t hi)
{
    push_range(set, lo, hi);
}

void idset_settle(struct idset *set)
{
    if (!join_runs(set)) {
        sort_by_lo(set->run, set->n);
        join_runs(set);
    }
    idset_trim(set);
}

size_t idset_seek(const struct idset *set, uint32_t id)
{
    return VECTOR_SEEK(i, 0, set->n, set->run[i].hi < id);
}

/* Replace `n` runs at index `at` by one run. */
static void splice(struct idset *set, size_t at, size_t n, struct idrange with)
{
    size_t tail = set->n - at - n;

    idset_grow(set, at + 1 + tail);
    if (n != 1)
        memmove(set->run + at + 1, set->run + at + n, tail * sizeof(*set->run));
    set->run[at] = with;
    set->n = (uint32_t)(at + 1 + tail);
}

void idset_add(struct idset *set, uint32_t lo, uint32_t hi)
{
    size_t first, last;
    struct idrange joined = {lo, hi};

    if (lo > hi || hi > IDSET_MAX)
        return;
    if (!set->n || set->run[set->n - 1].hi < lo) {
        idset_append(set, lo, hi);
        return;
    }
    first = idset_seek(set, lo ? lo - 1 : 0);
    for (last = first; last < set->n && set->run[last].lo <= hi + 1; last++)
        ;
    if (last > first) {
        if (set->run[first].lo < lo)
            joined.lo = set->run[first].lo;
        if (set->run[last - 1].hi > hi)
            joined.hi = set->run[last - 1].hi;
    }
    splice(set, first, last - first, joined);
}

void idset_remove(struct idset *set, uint32_t lo, uint32_t hi)
{
    size_t first = idset_seek(set, lo), last = first, left = 0;
    struct idrange keep[2];

    while (last < set->n && set->run[last].lo <= hi)
        last++;
    if (lo > hi || last == first)
        return;
    if (set->run[first].lo < lo)
        keep[left++] = (struct idrange){set->run[first].lo, lo - 1};
    if (set->run[last - 1].hi > hi)
        keep[left++] = (struct idrange){hi + 1, set->run[last - 1].hi};
    if (left > 0) {
        splice(set, first, last - first, keep[0]);
        if (left > 1)
            splice(set, first + 1, 0, keep[1]);
        return;
    }
    memmove(set->run + first, set->run + last,
            (set->n - last) * sizeof(*set->run));
    set->n -= (uint32_t)(last - first);
}

void idset_clear(struct idset *set)
{
    set->n = 0;
    idset_trim(set);
}

bool idset_empty(const struct idset *set)
{
    return set->n == 0;
}

uint64_t idset_count(const struct idset *set)
{
    uint64_t count = set->n;

    for (size_t i = 0; i < set->n; i++)
        count += set->run[i].hi - set->run[i].lo;
    return count;
}

bool idset_contains(const struct idset *set, uint32_t id)
{
    size_t i = idset_seek(set, id);

    return i < set->n && set->run[i].lo <= id;
}

bool idset_until(const struct idset *set, uint32_t id, uint32_t *last)
{
    size_t i = idset_seek(set, id);
    bool in = i < set->n && set->run[i].lo <= id;
    uint32_t end = i == set->n ? IDSET_MAX
                   : in        ? set->run[i].hi
                               : set->run[i].lo - 1;

    *last = end < *last ? end : *last;
    return in;
}

bool idset_equal(const struct idset *a, const struct idset *b)
{
    return a->n == b->n
           && (!a->n || !memcmp(a->run, b->run, a->n * sizeof(*a->run)));
}

uint32_t idset_first(const struct idset *set)
{
    return set->n ? set->run[0].lo : IDSET_INVALID;
}

uint32_t idset_last(const struct idset *set)
{
    return set->n ? set->run[set->n - 1].hi : IDSET_INVALID;
}

uint32_t idset_next(const struct idset *set, uint32_t id)
{
    size_t i;

    if (id >= IDSET_MAX)
        return IDSET_INVALID;
    i = idset_seek(set, id + 1);
    if (i == set->n)
        return IDSET_INVALID;
    return set->run[i].lo > id ? set->run[i].lo : id + 1;
}

uint32_t idset_prev(const struct idset *set, uint32_t id)
{
    size_t i = idset_seek(set, id);

    if (i < set->n && set->run[i].lo < id)
        return id - 1;
    return i ? set->run[i - 1].hi : IDSET_INVALID;
}

uint32_t idset_nth(const struct idset *set, uint64_t n)
{
    for (size_t i = 0; i < set->n; i++) {
        uint32_t width = set->run[i].hi - set->run[i].lo;

        if (n <= width)
            return set->run[i].lo + (uint32_t)n;
        n -= (uint64_t)width + 1;
    }
    return IDSET_INVALID;
}

int64_t idset_position(const struct idset *set, uint32_t id)
{
    size_t at = idset_seek(set, id);
    int64_t before = (int64_t)at;

    if (at == set->n || set->run[at].lo > id)
        return -1;
    for (size_t i = 0; i < at; i++)
        before += set->run[i].hi - set->run[i].lo;
    return before + (id - set->run[at].lo);
}

size_t idset_nranges(const struct idset *set)
{
    return set->n;
}

struct idrange idset_range(const struct idset *set, size_t i)
{
    return set->run[i];
}

const struct idrange *idset_ranges(const struct idset *set)
{
    return set->run;
}
