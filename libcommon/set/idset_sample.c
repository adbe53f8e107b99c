/*
 * Random ids without going through all of them: Floyd's sampling. For each
 * of the last n positions j a position t <= j is drawn; t is taken, or j if
 * t was taken before. That makes every choice of n positions equally likely
 * with n draws and a hash table of n positions. Of more than half of a set,
 * those that are left out are drawn.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "set/idset_private.h"

#define FREE UINT32_MAX /* no position is that large */

struct draw {
    uint64_t state;
    uint32_t *taken; /* a hash table */
    uint64_t mask;
};

/* splitmix64: the same numbers for a seed on every machine. */
static uint64_t random_word(struct draw *d)
{
    return hash_mix(d->state += UINT64_C(0x9e3779b97f4a7c15));
}

/* A number below n (up to 2^32), each as likely as any other. */
static uint32_t random_below(struct draw *d, uint64_t n)
{
    uint64_t top = (UINT64_C(1) << 32) / n * n, word;

    do
        word = random_word(d) >> 32;
    while (word >= top);
    return (uint32_t)(word % n);
}

/* Take a position; false if it was taken before. */
static bool take(struct draw *d, uint32_t at)
{
    uint64_t i = at * UINT64_C(0x9e3779b97f4a7c15) >> 20 & d->mask;

    for (; d->taken[i] != FREE; i = (i + 1) & d->mask)
        if (d->taken[i] == at)
            return false;
    d->taken[i] = at;
    return true;
}

/* n of the positions 0..count-1. */
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
        idset_push(out, t, t); /* there is room */
    }
    free(d.taken);
    idset_settle(out);
    return out;
}

struct idset *idset_sample(const struct idset *set, uint64_t n, uint64_t seed)
{
    uint64_t count = idset_count(set);
    bool few = n <= count / 2;
    struct idset *positions, *picked, *out;

    if (n >= count)
        return idset_copy(set);
    positions = draw_positions(few ? n : count - n, count, seed);
    picked = idset_pick(set, positions);
    idset_destroy(positions);
    if (few)
        return picked;
    out = idset_subtract(set, picked);
    idset_destroy(picked);
    return out;
}
