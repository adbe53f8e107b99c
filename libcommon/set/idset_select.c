/*
 * Parts of a set: by position, at random, piece by piece. All step from run to
 * run and never from id to id.
 */
#include "set/idset_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"

/*
 * Return the positions of ids in a set, or the ids at positions (`to_ids`).
 * Within a run the two differ by a constant.
 */
static struct idset *moved(const struct idset *set, const struct idset *some,
                           bool to_ids)
{
    struct idset *out = idset_create();
    uint64_t before = 0;
    size_t j = 0;

    for (size_t i = 0; i < set->n && j < some->n; i++) {
        struct idrange r = set->run[i];
        uint64_t lo = to_ids ? before : r.lo, hi = lo + (r.hi - r.lo);
        uint64_t by = to_ids ? r.lo - before : before - r.lo;

        for (; j < some->n && some->run[j].lo <= hi; j++) {
            struct idrange s = some->run[j];
            uint64_t from = s.lo > lo ? s.lo : lo, to = s.hi < hi ? s.hi : hi;

            if (from <= to)
                idset_append(out, (uint32_t)(from + by), (uint32_t)(to + by));
            if (s.hi > hi)
                break;
        }
        before += (uint64_t)(r.hi - r.lo) + 1;
    }
    return out;
}

struct idset *idset_positions(const struct idset *set, const struct idset *some)
{
    return moved(set, some, false);
}

struct idset *idset_pick(const struct idset *set, const struct idset *positions)
{
    return moved(set, positions, true);
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

/* Step over up to n ids of the current run, and return them. */
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

struct idset *idset_slice(const struct idset *set, uint32_t first, uint64_t n)
{
    struct idset_iter it = {.set = set, .run = idset_seek(set, first)};

    if (it.run < set->n && set->run[it.run].lo < first)
        it.next = first - set->run[it.run].lo;
    return idset_iter_take(&it, n);
}

/* --- at random ------------------------------------------------------------ */

/*
 * Random ids without a walk over all ids: Floyd's sampling. For each of the
 * last n positions j a position t <= j is drawn. t is taken, or j if t was
 * taken before. This makes every choice of n positions equally likely, with n
 * draws and a hash table of n positions. If more than half of a set is wanted,
 * the ids to leave out are drawn.
 */

#define FREE UINT32_MAX /* no position is that large */

struct draw {
    uint64_t state;
    uint32_t *taken; /* a hash table */
    uint64_t mask;
};

/*
 * Return a random number below n (up to 2^32), all equally likely. splitmix64
 * gives the same numbers for a seed on every machine.
 */
static uint32_t random_below(struct draw *d, uint64_t n)
{
    uint64_t top = (UINT64_C(1) << 32) / n * n, word;

    do
        word = hash_mix(d->state += UINT64_C(0x9e3779b97f4a7c15)) >> 32;
    while (word >= top);
    return (uint32_t)(word % n);
}

/* Take a position. Returns false if it was taken before. */
static bool take(struct draw *d, uint32_t at)
{
    uint64_t i = at * UINT64_C(0x9e3779b97f4a7c15) >> 20 & d->mask;

    for (; d->taken[i] != FREE; i = (i + 1) & d->mask)
        if (d->taken[i] == at)
            return false;
    d->taken[i] = at;
    return true;
}

/* Draw n of the positions 0..count-1. */
static struct idset *draw_positions(uint64_t n, uint64_t count, uint64_t seed)
{
    struct draw d = {.state = seed, .mask = 15};
    struct idset *out = idset_create_sized(n);

    while (d.mask < 2 * n)
        d.mask = 2 * d.mask + 1;
    d.taken = xmalloc((d.mask + 1) * sizeof(*d.taken));
    memset(d.taken, 0xff, (d.mask + 1) * sizeof(*d.taken));
    for (uint64_t j = count - n; j < count; j++) {
        uint32_t t = random_below(&d, j + 1);

        if (!take(&d, t))
            take(&d, t = (uint32_t)j);
        push_range(out, t, t); /* there is room */
    }
    free(d.taken);
    idset_settle(out);
    return out;
}

struct idset *idset_sample(const struct idset *set, uint64_t n, uint64_t seed)
{
    uint64_t count = idset_count(set);
    bool few = n <= count / 2;
    struct idset *out;

    if (n >= count)
        return idset_copy(set);
    out = draw_positions(few ? n : count - n, count, seed);
    idset_replace(out, idset_pick(set, out));
    if (!few)
        idset_replace(out, idset_subtract(set, out));
    return out;
}
