/*
 * Parts of a set: by position, at random, piece by piece. All go from run
 * to run and never from id to id.
 */
#include "set/idset_private.h"

#include <stdlib.h>
#include <string.h>

struct idset *idset_slice(const struct idset *set, uint32_t first, uint64_t n)
{
    struct idset *out = idset_create();

    for (size_t i = idset_seek(set, first); i < set->n && n > 0; i++) {
        struct idrange r = set->run[i];

        if (r.lo < first)
            r.lo = first;
        if (r.hi - r.lo >= n)
            r.hi = r.lo + (uint32_t)(n - 1);
        n -= (uint64_t)(r.hi - r.lo) + 1;
        idset_push(out, r.lo, r.hi);
    }
    return out;
}

struct idset *idset_positions(const struct idset *set, const struct idset *some)
{
    struct idset *out = idset_create();
    uint32_t before = 0;
    size_t j = 0;

    for (size_t i = 0; i < set->n && j < some->n; i++) {
        struct idrange r = set->run[i];

        for (; j < some->n && some->run[j].lo <= r.hi; j++) {
            struct idrange s = some->run[j];
            uint32_t lo = s.lo > r.lo ? s.lo : r.lo;
            uint32_t hi = s.hi < r.hi ? s.hi : r.hi;

            if (lo <= hi)
                idset_append(out, before + (lo - r.lo), before + (hi - r.lo));
            if (s.hi > r.hi)
                break;
        }
        before += r.hi - r.lo + 1;
    }
    return out;
}

struct idset *idset_pick(const struct idset *set, const struct idset *positions)
{
    struct idset *out = idset_create();
    uint64_t before = 0;
    size_t j = 0;

    for (size_t i = 0; i < set->n && j < positions->n; i++) {
        struct idrange r = set->run[i];
        uint64_t end = before + (r.hi - r.lo) + 1;

        for (; j < positions->n && positions->run[j].lo < end; j++) {
            struct idrange p = positions->run[j];
            uint64_t lo = p.lo > before ? p.lo : before;
            uint64_t hi = p.hi < end ? p.hi : end - 1;

            idset_append(out, r.lo + (uint32_t)(lo - before),
                         r.lo + (uint32_t)(hi - before));
            if (p.hi >= end)
                break;
        }
        before = end;
    }
    return out;
}

void idset_iter_init(struct idset_iter *it, const struct idset *set)
{
    *it = (struct idset_iter){.set = set};
}

uint64_t idset_iter_run(const struct idset_iter *it)
{
    struct idrange r;

    if (it->run >= it->set->n)
        return 0;
    r = it->set->run[it->run];
    return (uint64_t)(r.hi - r.lo) + 1 - it->next;
}

/* Step over up to n ids of the run where one is. */
static struct idrange step(struct idset_iter *it, uint64_t n)
{
    uint32_t lo = it->set->run[it->run].lo + it->next;
    uint64_t left = idset_iter_run(it);

    if (n < left) {
        it->next += (uint32_t)n;
        return (struct idrange){lo, lo + (uint32_t)(n - 1)};
    }
    it->run++;
    it->next = 0;
    return (struct idrange){lo, lo + (uint32_t)(left - 1)};
}

bool idset_iter_next(struct idset_iter *it, uint32_t *id)
{
    if (it->run >= it->set->n)
        return false;
    *id = step(it, 1).lo;
    return true;
}

struct idset *idset_iter_take(struct idset_iter *it, uint64_t n)
{
    struct idset *out = idset_create();

    while (n > 0 && it->run < it->set->n) {
        struct idrange r = step(it, n);

        n -= (uint64_t)(r.hi - r.lo) + 1;
        idset_append(out, r.lo, r.hi);
    }
    return out;
}
