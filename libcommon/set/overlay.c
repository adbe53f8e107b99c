/*
 * See overlay.h for the idea. Starts and ends of runs are swept as two sorted
 * arrays. If the sets are given in ascending order, they need no sorting.
 *
 * The words of the sets are the outputs of splitmix64 for their index, so that
 * equal input gives equal groups on every machine. Two covers with equally many
 * sets and the same word would be confused; with 64 bits that does not happen
 * by accident.
 */
#include "set/overlay.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/memory.h"
#include "set/idset_private.h"

struct overlay {
    struct overlay_group *group;
    size_t n;
    struct map ids;      /* ids of a group, by the word and the number of
                            sets */
    struct arena labels; /* of all groups */
};

/* The sets that cover the current place of the sweep. */
struct cover {
    uint64_t word;
    uint32_t *label; /* the sets, in any order */
    uint32_t *place; /* position of each set in `label` */
    size_t n;
};

/* The ends of all runs: `lo` is the place, `hi` the set. */
struct events {
    struct idrange *on, *off;
    size_t n;
};

static uint64_t set_word(uint64_t i)
{
    return hash_mix((i + 1) * UINT64_C(0x9e3779b97f4a7c15));
}

static void events_init(struct events *ev, const struct idset *const *sets,
                        size_t n)
{
    size_t total = 0, k = 0;

    for (size_t i = 0; i < n; i++)
        total += sets[i]->n;
    ev->n = total;
    ev->on = xmalloc((total + 1) * sizeof(*ev->on));
    ev->off = xmalloc((total + 1) * sizeof(*ev->off));
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < sets[i]->n; j++, k++) {
            struct idrange r = sets[i]->run[j];

            ev->on[k] = (struct idrange){r.lo, (uint32_t)i};
            ev->off[k] = (struct idrange){r.hi + 1, (uint32_t)i};
        }
    }
    sort_by_lo(ev->on, total);
    sort_by_lo(ev->off, total);
}

/* Return the ids of the group with a cover, after adding the group if
   needed. */
static struct idset *group_ids(struct overlay *ov, const struct cover *c)
{
    uint64_t key[] = {c->word, c->n};
    struct map_slot *slot = map_at(&ov->ids, key, sizeof(key));
    size_t size = c->n * sizeof(*c->label);
    uint32_t *labels;

    if (slot->value.pointer)
        return slot->value.pointer;
    labels = memcpy(arena_alloc(&ov->labels, size), c->label, size);
    if (c->n > 1)
        qsort(labels, c->n, sizeof(*labels), compare_uint32);
    VECTOR_ADD(ov->group, ov->n,
               (struct overlay_group){idset_create(), labels, c->n});
    return slot->value.pointer = ov->group[ov->n - 1].ids;
}

static void sweep_events(struct overlay *ov, const struct events *ev,
                         struct cover *c)
{
    size_t i = 0, j = 0;

    while (j < ev->n) {
        uint32_t from = ev->off[j].lo, to;

        if (i < ev->n && ev->on[i].lo < from)
            from = ev->on[i].lo;
        for (; j < ev->n && ev->off[j].lo == from; j++) { /* a set leaves */
            uint32_t set = ev->off[j].hi, last = c->label[--c->n];

            c->word ^= set_word(set);
            c->label[c->place[set]] = last;
            c->place[last] = c->place[set];
        }
        for (; i < ev->n && ev->on[i].lo == from; i++) { /* a set enters */
            uint32_t set = ev->on[i].hi;

            c->word ^= set_word(set);
            c->place[set] = (uint32_t)c->n;
            c->label[c->n++] = set;
        }
        if (!c->n)
            continue;
        to = ev->off[j].lo;
        if (i < ev->n && ev->on[i].lo < to)
            to = ev->on[i].lo;
        idset_append(group_ids(ov, c), from, to - 1);
    }
}

struct overlay *overlay_create(const struct idset *const *sets, size_t n)
{
    struct overlay *ov = xcalloc(1, sizeof(*ov));
    struct cover c = {.label = xmalloc((n + 1) * sizeof(*c.label)),
                      .place = xmalloc((n + 1) * sizeof(*c.place))};
    struct events ev;

    events_init(&ev, sets, n);
    sweep_events(ov, &ev, &c);
    free(ev.on);
    free(ev.off);
    free(c.label);
    free(c.place);
    map_fini(&ov->ids);
    return ov;
}

void overlay_destroy(struct overlay *ov)
{
    if (!ov)
        return;
    for (size_t i = 0; i < ov->n; i++)
        idset_destroy(ov->group[i].ids);
    free(ov->group);
    arena_fini(&ov->labels);
    free(ov);
}

size_t overlay_ngroups(const struct overlay *ov)
{
    return ov->n;
}

const struct overlay_group *overlay_group(const struct overlay *ov, size_t i)
{
    return &ov->group[i];
}
