/*
 * Gives properties to vertices while a document is read (properties.h): those
 * of a vertex, and those of ranks as layers.
 */
#include "model/document/properties.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"

/* A name `k=v` is k with the value v, however it is given. */
static struct property split(struct rset *rs, const struct property *p)
{
    const char *value = *p->value ? NULL : property_value_in(p->key);
    struct property parts = *p;

    if (value) {
        parts.value = value;
        parts.key = strtab_intern(&rs->names, p->key,
                                  (size_t)(value - 1 - p->key));
        parts.value = rset_string(rs, value);
    }
    return parts;
}

static struct properties *make_list(struct rset *rs, size_t n)
{
    return arena_alloc(&rs->arena,
                       sizeof(struct properties) + n * sizeof(struct property));
}

/* Pointers are compared, because all strings are interned. */
static void add_new(struct rset *rs, struct map *seen, struct properties *p,
                    const struct property *one)
{
    struct property parts = split(rs, one);
    struct map_slot *slot = map_at(seen, &parts, sizeof(parts));

    if (!slot->value.number++)
        p->list[p->count++] = *one;
}

void properties_give(struct rset *rs, struct vertex *v,
                     const struct property *list, size_t n)
{
    const struct properties *old = v->properties;
    struct properties *p = make_list(rs, n + (old ? old->count : 0));
    struct map seen = {0};

    for (size_t i = 0; old && i < old->count; i++)
        add_new(rs, &seen, p, &old->list[i]);
    for (size_t i = 0; i < n; i++)
        add_new(rs, &seen, p, &list[i]);
    v->properties = p;
    map_fini(&seen);
}

/* --- over ranks ---------------------------------------------------------- */

struct layering {
    const struct property *list; /* of each layer */
    struct map shared;           /* lists by the layers that they are of */
};

static void give_layers(struct rset *rs, const struct laid_ranks *on, void *arg)
{
    struct layering *l = arg;
    struct map_slot *slot = map_at(&l->shared, on->layers,
                                   on->n * sizeof(*on->layers));
    struct properties *p = slot->value.pointer;

    if (!p) {
        p = slot->value.pointer = make_list(rs, on->n);
        for (size_t i = 0; i < on->n; i++)
            p->list[p->count++] = l->list[on->layers[i]];
    }
    if (on->target->properties)
        properties_give(rs, on->target, p->list, p->count);
    else
        on->target->properties = p;
}

void properties_lay(struct rset *rs, const struct layer *layers, size_t n)
{
    struct property *list = xcalloc(n, sizeof(*list));
    struct layering l = {.list = list};

    rs->property_names = xcalloc(n, sizeof(*rs->property_names));
    rs->nproperty_names = n;
    for (size_t i = 0; i < n; i++) {
        const struct property name = {.key = layers[i].item, .value = ""};
        rs->property_names[i] = name.key;
        list[i] = split(rs, &name);
        list[i].value = rset_string(rs, list[i].value);
    }
    rset_lay_all(rs, layers, n, true, give_layers, &l);
    map_fini(&l.shared);
    free(list);
}
