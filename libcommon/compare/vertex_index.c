/* Indexes the pools of a graph (vertex_index.h). One map serves all parents. */
#include "compare/vertex_index.h"

#include <string.h>

#include "model/records/lots.h"
#include "model/records/usage.h"

/* Words are interned in the set. A key without words finds the last child of
   the parent. */
struct vertex_key {
    const struct vertex *parent; /* NULL: outside of the tree */
    const char *type, *name;
    const char *home;  /* NULL: containment */
    const char *above; /* of a top; NULL: it is a root */
    int64_t rank;
};

static struct vertex **first_child(struct vertex_index *p,
                                   struct vertex *parent)
{
    return parent ? &parent->child : &p->rs->loose;
}

static struct map_slot *last_slot(struct vertex_index *p,
                                  const struct vertex *parent)
{
    struct vertex_key key = {.parent = parent};

    return map_at(&p->map, &key, sizeof(key));
}

/* Add a vertex of the set, whose words are interned there. */
static void add(struct vertex_index *p, struct vertex *v)
{
    struct vertex_key key = {v->parent, v->type,  v->name,
                             v->home,   v->above, v->rank};

    map_at(&p->map, &key, sizeof(key))->value.pointer = v;
}

static void look_into(struct vertex_index *p, struct vertex *parent)
{
    size_t known = p->map.count;
    struct vertex *last = NULL;

    last_slot(p, parent);
    if (p->map.count == known)
        return;
    for (struct vertex *v = *first_child(p, parent); v; last = v, v = v->next)
        add(p, v);
    last_slot(p, parent)->value.pointer = last;
}

static bool same_pool(const struct vertex *a, const struct vertex *b)
{
    return a->rank == b->rank && !strcmp(a->name, b->name)
           && !strcmp(a->type, b->type) && texts_equal(a->home, b->home)
           && texts_equal(a->above, b->above);
}

struct vertex *vertex_index_find(struct vertex_index *p, struct vertex *parent,
                                 struct vertex *guess, const struct vertex *v)
{
    struct map *names = &p->rs->names;
    struct vertex_key key = {.parent = parent, .rank = v->rank};

    if (guess && same_pool(guess, v))
        return guess;
    look_into(p, parent);
    key.type = map_interned(names, v->type);
    key.name = map_interned(names, v->name);
    key.home = v->home ? map_interned(names, v->home) : NULL;
    key.above = v->above ? map_interned(names, v->above) : NULL;
    if (!key.type || !key.name || !key.home != !v->home
        || !key.above != !v->above)
        return NULL;
    return map_get(&p->map, &key, sizeof(key));
}

struct vertex *vertex_index_near(struct vertex_index *p, struct vertex *parent,
                                 struct vertex *guess, const struct vertex *v)
{
    enum { NEAR = 64 };
    uint32_t rank = (uint32_t)v->rank;
    struct vertex *const *list;
    size_t n;

    for (int i = 0; guess && i < NEAR; i++, guess = guess->next)
        if (same_pool(guess, v))
            return guess;
    if (vertex_is_target(v)) {
        list = usage_targets(usage_get(p->rs), (struct idrange){rank, rank},
                             &n);
        if (n == 1 && list[0]->parent == parent && same_pool(list[0], v))
            return list[0];
    }
    return vertex_index_find(p, parent, NULL, v);
}

struct vertex *run_find(const struct vertex *parent, const char *type,
                        int64_t id)
{
    if (id < 0 || id > (int64_t)IDSET_MAX)
        return NULL;
    for (struct vertex *v = parent->child; v; v = v->next)
        if (!strcmp(v->type, type) && idset_contains(v->run, (uint32_t)id))
            return v;
    return NULL;
}

void vertex_index_append(struct vertex_index *p, struct vertex *parent,
                         struct vertex *v)
{
    struct vertex *last;

    look_into(p, parent);
    last = last_slot(p, parent)->value.pointer;
    *(last ? &last->next : first_child(p, parent)) = v;
    v->parent = parent;
    last_slot(p, parent)->value.pointer = v;
    add(p, v);
}

void vertex_index_sort(struct vertex_index *p)
{
    for (size_t i = 0; i < p->map.count; i++) {
        struct vertex_key key;
        memcpy(&key, p->map.slots[i].key, sizeof(key));
        if (key.parent && !key.type)
            vertex_sort_children((struct vertex *)key.parent);
    }
}

void vertex_index_fini(struct vertex_index *p)
{
    map_fini(&p->map);
}
