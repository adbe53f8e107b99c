/*
 * The algebra of sets: one sweep does all of it.
 *
 * Read as a plain array of numbers, the runs of a set are its boundaries. At
 * even places a sweep enters the set, at odd places (plus one) it leaves the
 * set. The boundaries of both sets are visited in ascending order. The lowest
 * bits of the numbers of passed boundaries tell whether the sweep is inside
 * each set. A truth table of four entries then gives whether it is inside the
 * result; a change is a boundary of the result. Only the end of the loop is a
 * branch that depends on the data, so nothing is mispredicted.
 */
#include "set/idset_private.h"

#include <string.h>

/* Truth tables: bit (in a) + 2 * (in b) is set if that is inside the result. */
enum { OR = 0xe, AND = 0x8, MINUS = 0x2, XOR = 0x6 };

/* A search is faster than a sweep if one set has this many times more runs. */
#define LOPSIDED 16

/*
 * Sweep until one of the sets ends. The sweep is outside of that set from then
 * on, so the rest of the other set is in the result unchanged, or not at all.
 */
static size_t sweep_bounds(const uint32_t *a, size_t na, const uint32_t *b,
                           size_t nb, unsigned table, uint32_t *out)
{
    size_t i = 0, j = 0, k = 0;

    while (i < na && j < nb) {
        uint32_t x = a[i] + (i & 1), y = b[j] + (j & 1);
        uint32_t at = x < y ? x : y;

        i += x <= y;
        j += y <= x;
        out[k] = at - (k & 1);
        k += (table >> ((i & 1) + 2 * (j & 1)) ^ k) & 1;
    }
    if (table >> 1 & 1) {
        memcpy(out + k, a + i, (na - i) * sizeof(*a));
        k += na - i;
    }
    if (table >> 2 & 1) {
        memcpy(out + k, b + j, (nb - j) * sizeof(*b));
        k += nb - j;
    }
    return k;
}

static size_t sweep_sets(const struct idset *a, const struct idset *b,
                         unsigned table, struct idrange *out)
{
    return sweep_bounds((const uint32_t *)a->run, 2 * (size_t)a->n,
                        (const uint32_t *)b->run, 2 * (size_t)b->n, table,
                        (uint32_t *)out)
           / 2;
}

static struct idset *combine(const struct idset *a, const struct idset *b,
                             unsigned table)
{
    struct idset *out = idset_create_sized((size_t)a->n + b->n + 1);

    out->n = (uint32_t)sweep_sets(a, b, table, out->run);
    idset_trim(out);
    return out;
}

struct idset *idset_union(const struct idset *a, const struct idset *b)
{
    return combine(a, b, OR);
}

struct idset *idset_subtract(const struct idset *a, const struct idset *b)
{
    return combine(a, b, MINUS);
}

struct idset *idset_xor(const struct idset *a, const struct idset *b)
{
    return combine(a, b, XOR);
}

static bool lopsided(const struct idset *few, const struct idset *many)
{
    return (uint64_t)few->n * LOPSIDED < many->n;
}

/* Search for each of few runs in many. */
static struct idset *intersect_few(const struct idset *few,
                                   const struct idset *many)
{
    struct idset *out = idset_create();

    for (size_t i = 0; i < few->n; i++) {
        struct idrange r = few->run[i];

        for (size_t j = idset_seek(many, r.lo);
             j < many->n && many->run[j].lo <= r.hi; j++) {
            struct idrange s = many->run[j];

            push_range(out, s.lo > r.lo ? s.lo : r.lo,
                       s.hi < r.hi ? s.hi : r.hi);
        }
    }
    return out;
}

struct idset *idset_intersect(const struct idset *a, const struct idset *b)
{
    if (lopsided(a, b))
        return intersect_few(a, b);
    if (lopsided(b, a))
        return intersect_few(b, a);
    return combine(a, b, AND);
}

void idset_add_set(struct idset *a, const struct idset *b)
{
    if (!b->n || a == b)
        return;
    if (!a->n || a->run[a->n - 1].hi < b->run[0].lo) {
        idset_grow(a, (size_t)a->n + b->n);
        for (size_t i = 0; i < b->n; i++)
            idset_append(a, b->run[i].lo, b->run[i].hi);
    } else if (b->n == 1) {
        idset_add(a, b->run[0].lo, b->run[0].hi);
    } else {
        idset_replace(a, idset_union(a, b));
    }
}

/* Return the index of the first run from `i` on that ends at `id` or above. */
static size_t seek_from(const struct idset *set, size_t i, uint32_t id)
{
    for (int steps = 0; steps < 8; steps++, i++)
        if (i >= set->n || set->run[i].hi >= id)
            return i;
    return idset_seek(set, id);
}

bool idset_subset(const struct idset *a, const struct idset *b)
{
    size_t j = 0;

    for (size_t i = 0; i < a->n; i++) {
        j = seek_from(b, j, a->run[i].lo);
        if (j == b->n || b->run[j].lo > a->run[i].lo
            || b->run[j].hi < a->run[i].hi)
            return false;
    }
    return true;
}

bool idset_overlaps(const struct idset *a, const struct idset *b)
{
    size_t j = 0;

    if (a->n > b->n)
        return idset_overlaps(b, a);
    for (size_t i = 0; i < a->n; i++) {
        j = seek_from(b, j, a->run[i].lo);
        if (j == b->n)
            return false;
        if (b->run[j].lo <= a->run[i].hi)
            return true;
    }
    return false;
}

void idset_remove_set(struct idset *a, const struct idset *b)
{
    if (b->n == 1)
        idset_remove(a, b->run[0].lo, b->run[0].hi);
    else if (b->n > 1)
        idset_replace(a, idset_subtract(a, b));
}
