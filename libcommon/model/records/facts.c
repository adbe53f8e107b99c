/*
 * A change of facts (usage.h) may concern some members of runs: these get
 * vertices of their own before. After it, runs beside each other that are equal
 * are one again, so that the tree does not grow with what comes and goes.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "model/records/usage_private.h"

/* --- cutting ------------------------------------------------------------ */

static bool goes_with(const struct lot *a, const struct lot *b)
{
    return a->v == b->v && a->parent == b->parent && a->state == b->state;
}

/* Members of a run that follow each other in the list. Returns how many. */
static size_t cut_some(struct usage *u, struct lot *const *list, size_t n)
{
    struct vertex *v = list[0]->v;
    struct idset *members = idset_create();
    size_t i = 0;

    for (; i < n && goes_with(list[i], list[0]); i++)
        idset_add(members, list[i]->at, list[i]->at + list[i]->n - 1);
    if (vertex_split(u->rs, v, members) != v)
        vertex_sort_children(v->parent);
    idset_destroy(members);
    return i;
}

void lots_cut(struct usage *u, const struct lots *lots)
{
    for (size_t i = 0; i < lots->n;) {
        struct lot *lot = lots->list[i];
        if (lot->parent->parent)
            lot_vertex(u, lot->parent);
        i += lot->v->run ? cut_some(u, &lots->list[i], lots->n - i) : 1;
    }
}

struct vertex *lot_vertex(struct usage *u, struct lot *lot)
{
    lots_cut(u, &(struct lots){.list = &lot, .n = 1});
    return lot->v;
}

/* --- joining ------------------------------------------------------------ */

static uint64_t hash_text(uint64_t h, const char *text)
{
    return hash_bytes(h, text, strlen(text) + 1);
}

/* Of all that makes a vertex equal to another but the members of its run. */
static uint64_t hash_facts(const struct vertex *v)
{
    const struct properties *p = v->properties;
    uint64_t h = hash_text(HASH_START, v->type);
    char *extra = v->extra ? json_dumps(v->extra, 0) : NULL;

    h = hash_bytes(h, &v->size, sizeof(v->size));
    h = extra ? hash_text(h, extra) : h;
    for (unsigned i = 0; p && i < p->count; i++)
        h += hash_text(hash_text(HASH_START, p->list[i].key), p->list[i].value);
    for (const struct vertex *c = v->child; c; c = c->next) {
        h = hash_mix(h ^ hash_facts(c));
        if (c->run)
            h = hash_bytes(h, idset_ranges(c->run),
                           idset_nranges(c->run) * sizeof(struct idrange));
    }
    free(extra);
    return h;
}

/* In the same order, too. */
static bool values_equal(const json_t *a, const json_t *b)
{
    char *x = a && a != b ? json_dumps(a, 0) : NULL;
    char *y = b && a != b ? json_dumps(b, 0) : NULL;
    bool equal = a == b || (x && y && !strcmp(x, y));

    free(x);
    free(y);
    return equal;
}

static bool facts_equal(const struct vertex *a, const struct vertex *b)
{
    const struct vertex *x = a->child, *y = b->child;

    for (; x && y && facts_equal(x, y) && idset_equal(x->run, y->run);
         y = y->next)
        x = x->next;
    return !x && !y && a->run && b->run && !strcmp(a->type, b->type)
           && !strcmp(a->basename, b->basename) && !strcmp(a->unit, b->unit)
           && a->size == b->size && a->exclusive == b->exclusive
           && a->implied == b->implied
           && properties_equal(a->properties, b->properties)
           && values_equal(a->extra, b->extra);
}

/* Of vertices that are gone lots of the one that is left for them. */
static void follow_joined(struct usage *u, const struct vertex *parent)
{
    struct lots up = usage_lots(u, parent);

    for (size_t i = 0; i < up.n; i++)
        for (struct lot *lot = lot_child(up.list[i]); lot; lot = lot->next)
            if (lot->v->peer)
                lot_follow(lot, lot->v->peer);
    free(up.list);
}

/* What was cut has the number of what it was cut from. */
static void join_children(struct usage *u, struct vertex *parent,
                          const struct idset *numbers)
{
    struct map first = {0};
    struct vertex *gone = NULL;

    for (struct vertex **link = &parent->child, *v; (v = *link);) {
        bool may = v->run && idset_contains(numbers, v->number);
        uint64_t h = may ? hash_facts(v) : 0;
        struct map_slot *slot = may ? map_at(&first, &h, sizeof(h)) : NULL;
        struct vertex *same = slot ? slot->value.pointer : NULL;
        if (!same || !facts_equal(same, v)) {
            if (slot)
                slot->value.pointer = v;
            link = &v->next;
            continue;
        }
        idset_add_set(same->run, v->run);
        *link = v->next;
        v->peer = same;
        v->next = gone;
        gone = v;
    }
    if (gone)
        follow_joined(u, parent);
    vertices_spare(u->rs, gone);
    map_fini(&first);
}

/* Below the parents of all lots, and below theirs. */
static void join_above(struct usage *u, const struct lots *lots)
{
    struct lots up = {0};

    for (size_t i = 0; i < lots->n;) {
        struct lot *parent = lots->list[i]->parent;
        struct idset *numbers = idset_create();
        for (; i < lots->n && lots->list[i]->parent == parent; i++)
            idset_add(numbers, lots->list[i]->v->number,
                      lots->list[i]->v->number);
        if (parent->parent) {
            join_children(u, parent->v, numbers);
            lots_add(&up, parent);
        }
        idset_destroy(numbers);
    }
    if (up.n > 0)
        join_above(u, &up);
    free(up.list);
}

void lots_rejoin(struct usage *u, const struct lots *lots)
{
    join_above(u, lots);
    lots_join(u, lots);
}
