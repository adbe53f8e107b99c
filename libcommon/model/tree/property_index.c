/*
 * The index of properties: made of the execution targets in one walk, kept
 * with the set, and forgotten where properties or ranks change.
 */
#include "model/tree/property_index.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"

/* Ranks lo..hi have the property with this number. */
struct carriers {
    size_t property;
    struct idrange ranks;
};

struct property_index {
    struct map names; /* of each name the number of its set, from 1 */
    struct idset **ranks;

    /* While it is made. */
    struct carriers *list;
    size_t n;
};

void rset_forget_properties(struct rset *rs)
{
    struct property_index *index = rs->property_index;

    if (!index)
        return;
    for (size_t i = 0; i < index->names.count; i++)
        idset_destroy(index->ranks[i]);
    free(index->ranks);
    map_fini(&index->names);
    free(index);
    rs->property_index = NULL;
}

/* --- names ---------------------------------------------------------------- */

/* How much of a name `k=v` without a value beside it is k; 0: it is none. */
static size_t key_in(const struct property *p)
{
    const char *value = *p->value ? NULL : property_value_in(p->key);

    return value ? (size_t)(value - 1 - p->key) : 0;
}

bool is_key_value(const char *name, const char *key, const char *value)
{
    size_t len = strlen(key);

    if (strncmp(name, key, len) != 0)
        return false;
    return !name[len] || (name[len] == '=' && !strcmp(name + len + 1, value));
}

bool property_answers(const struct property *p, const char *name)
{
    size_t len = key_in(p);

    return is_key_value(name, p->key, p->value)
           || (len && !strncmp(name, p->key, len) && !name[len]);
}

/* --- making --------------------------------------------------------------- */

static void add_carriers(struct property_index *index, size_t property,
                         struct idrange ranks)
{
    VECTOR_GROW(index->list, index->n);
    index->list[index->n++] = (struct carriers){property, ranks};
}

static void note_name(struct property_index *index, const struct vertex *target,
                      const char *name, size_t len)
{
    struct map_slot *slot = map_at(&index->names, name, len);
    uint32_t rank = (uint32_t)target->rank;

    if (!slot->value.number)
        slot->value.number = index->names.count;
    if (!target->run)
        add_carriers(index, slot->value.number - 1,
                     (struct idrange){rank, rank});
    for (size_t i = 0; target->run && i < idset_nranges(target->run); i++)
        add_carriers(index, slot->value.number - 1,
                     idset_range(target->run, i));
}

static void note_property(struct property_index *index,
                          const struct vertex *target, const struct property *p)
{
    char *text;
    int len;

    note_name(index, target, p->key, strlen(p->key));
    if (key_in(p))
        note_name(index, target, p->key, key_in(p));
    if (!*p->value)
        return;
    len = xasprintf(&text, "%s=%s", p->key, p->value);
    note_name(index, target, text, (size_t)len);
    free(text);
}

static int by_rank(const void *a, const void *b)
{
    const struct carriers *x = a, *y = b;

    return (x->ranks.lo > y->ranks.lo) - (x->ranks.lo < y->ranks.lo);
}

/*
 * Runs of targets lie among each other: sets grow in linear time because
 * they are made of sorted ranges, not of one target after the other.
 */
static struct property_index *make(const struct rset *rs)
{
    struct property_index *index = xcalloc(1, sizeof(*index));
    struct vertex **targets;
    ssize_t n = rset_targets(rs, &targets);

    for (ssize_t i = 0; i < n; i++)
        for (unsigned k = 0;
             targets[i]->properties && k < targets[i]->properties->count; k++)
            note_property(index, targets[i], &targets[i]->properties->list[k]);
    free(targets);
    index->ranks = xcalloc(index->names.count, sizeof(struct idset *));
    for (size_t i = 0; i < index->names.count; i++)
        index->ranks[i] = idset_create();
    if (index->n)
        qsort(index->list, index->n, sizeof(*index->list), by_rank);
    for (size_t i = 0; i < index->n; i++)
        idset_add(index->ranks[index->list[i].property],
                  index->list[i].ranks.lo, index->list[i].ranks.hi);
    free(index->list);
    index->list = NULL;
    return index;
}

/* The index says nothing that the set does not: to make it changes nothing. */
const struct idset *rset_ranks_with(const struct rset *rs, const char *name)
{
    const struct map_slot *slot;

    if (!rs->property_index)
        ((struct rset *)rs)->property_index = make(rs);
    slot = map_find(&rs->property_index->names, name, strlen(name));
    return slot ? rs->property_index->ranks[slot->value.number - 1] : NULL;
}
