/*
 * Properties of pools (rset.h, properties.h): lists, properties of ranks, and
 * the index. All properties of a vertex are given at once, because a list that
 * grows one by one costs its square. The index is made in one walk over the
 * execution targets and kept with the set. vertex_change_properties() keeps it
 * up to date; other changes of properties or ranks drop it.
 */
#include "model/tree/properties.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"

/* --- one property --------------------------------------------------------- */

/* A property as key and value. A name `k=v` is key k with value v. */
struct key_value {
    const char *key;
    size_t len;
    const char *value;
};

static struct key_value key_value_of(const struct property *p)
{
    const char *eq = *p->value ? NULL : strchr(p->key, '=');

    if (eq && eq != p->key && eq[1])
        return (struct key_value){p->key, (size_t)(eq - p->key), eq + 1};
    return (struct key_value){p->key, strlen(p->key), p->value};
}

const char *property_value(const struct property *p, const char *key,
                           size_t len)
{
    struct key_value parts = key_value_of(p);

    return parts.len == len && !memcmp(parts.key, key, len) ? parts.value
                                                            : NULL;
}

/* --- lists ---------------------------------------------------------------- */

bool properties_have(const struct properties *p, const struct property *one)
{
    struct key_value a = key_value_of(one);

    for (unsigned i = 0; p && i < p->count; i++) {
        const char *value = property_value(&p->list[i], a.key, a.len);
        if (value && !strcmp(value, a.value))
            return true;
    }
    return false;
}

/* Return whether a list has the property at a place. Lists of one origin
   usually do. */
static bool have_at(const struct properties *p, unsigned i,
                    const struct property *one)
{
    return p && i < p->count && !strcmp(p->list[i].key, one->key)
           && !strcmp(p->list[i].value, one->value);
}

bool properties_equal(const struct properties *a, const struct properties *b)
{
    unsigned na = a ? a->count : 0, nb = b ? b->count : 0;

    if (a == b)
        return true;
    if (na != nb)
        return false;
    for (unsigned i = 0; i < na; i++)
        if (!have_at(b, i, &a->list[i]) && !properties_have(b, &a->list[i]))
            return false;
    return true;
}

static void take_property(struct rset *rs, struct properties *p,
                          const struct property *one)
{
    p->list[p->count++] = (struct property){rset_string(rs, one->key),
                                            rset_string(rs, one->value)};
}

static struct properties *make_list(struct rset *rs, size_t n)
{
    return arena_alloc(&rs->arena,
                       sizeof(struct properties) + n * sizeof(struct property));
}

static void set_list(struct rset *rs, struct vertex *v,
                     const struct property *list, size_t n)
{
    struct properties *p = n ? make_list(rs, n) : NULL;

    for (size_t i = 0; i < n; i++)
        take_property(rs, p, &list[i]);
    v->properties = p;
}

void vertex_set_properties(struct rset *rs, struct vertex *v,
                           const struct property *list, size_t n)
{
    rset_forget_properties(rs);
    set_list(rs, v, list, n);
}

/* Add a property that was not seen. Its parts are interned, so pointers are
   compared. */
static void add_new(struct rset *rs, struct map *seen, struct properties *p,
                    const struct property *one)
{
    struct key_value kv = key_value_of(one);
    struct property parts = {map_intern(&rs->names, kv.key, kv.len),
                             rset_string(rs, kv.value)};

    if (!map_at(seen, &parts, sizeof(parts))->value.number++)
        take_property(rs, p, one);
}

static void add_list(struct rset *rs, struct vertex *v,
                     const struct property *list, unsigned n)
{
    const struct properties *old = v->properties;
    unsigned i = 0;
    struct properties *p;
    struct map seen = {0};

    while (i < n && have_at(old, i, &list[i]))
        i++;
    if (i == n)
        return;
    p = make_list(rs, n - i + (old ? old->count : 0));
    for (unsigned k = 0; old && k < old->count; k++)
        add_new(rs, &seen, p, &old->list[k]);
    for (; i < n; i++)
        add_new(rs, &seen, p, &list[i]);
    map_fini(&seen);
    rset_forget_properties(rs);
    v->properties = p;
}

void vertex_add_property(struct rset *rs, struct vertex *v, const char *key,
                         const char *value)
{
    add_list(rs, v, &(struct property){key, value}, 1);
}

void vertex_add_properties(struct rset *rs, struct vertex *v,
                           const struct properties *list)
{
    if (list)
        add_list(rs, v, list->list, list->count);
}

/* --- the index ------------------------------------------------------------ */

/* The ranks and other facts that the index has for a name. */
struct named {
    const char *name;
    struct idset *ranks; /* of targets with this name */
    uint64_t n;  /* number of ranks with a property of exactly this name */
    bool listed; /* it is in the set's property_names */
};

void rset_forget_properties(struct rset *rs)
{
    struct map *index = rs->property_index;

    if (!index)
        return;
    for (size_t i = 0; i < index->count; i++) {
        struct named *named = index->slots[i].value.pointer;
        idset_destroy(named->ranks);
        free(named);
    }
    map_fini(index);
    free(index);
    rs->property_index = NULL;
}

static struct named *named_at(struct map *index, const char *name, size_t len)
{
    struct map_slot *slot = map_at(index, name, len);
    struct named *named = slot->value.pointer;

    if (!named) {
        named = slot->value.pointer = xcalloc(1, sizeof(*named));
        named->ranks = idset_create();
        named->name = slot->key;
    }
    return named;
}

/* Find the names of a property in the index: `k`, and `k=v` if it has a value.
   The last one is the exact name. Returns their number. */
static int names_of(struct map *index, const struct property *p,
                    struct named *names[2])
{
    struct key_value parts = key_value_of(p);
    char *text;
    int len;

    names[0] = named_at(index, parts.key, parts.len);
    if (!*parts.value)
        return 1;
    len = xasprintf(&text, "%.*s=%s", (int)parts.len, parts.key, parts.value);
    names[1] = named_at(index, text, (size_t)len);
    free(text);
    return 2;
}

static struct map *make_index(const struct rset *rs)
{
    struct map *index = xcalloc(1, sizeof(*index));
    struct vertex **targets;
    size_t n = rset_targets(rs, &targets);

    for (size_t i = 0; i < n; i++) {
        const struct properties *p = targets[i]->properties;
        for (unsigned k = 0; p && k < p->count; k++) {
            struct named *names[2];
            int nnames = names_of(index, &p->list[k], names);
            names[nnames - 1]->n += vertex_count(targets[i]);
            while (nnames-- > 0)
                target_push_ranks(targets[i], names[nnames]->ranks);
        }
    }
    free(targets);
    for (size_t i = 0; i < rs->document.nproperty_names; i++) {
        const char *name = rs->document.property_names[i];
        named_at(index, name, strlen(name))->listed = true;
    }
    for (size_t i = 0; i < index->count; i++)
        idset_settle(((struct named *)index->slots[i].value.pointer)->ranks);
    return index;
}

/* Return the index, made if there is none. Making it does not change the
   set. */
static struct map *index_of(const struct rset *rs)
{
    if (!rs->property_index)
        ((struct rset *)rs)->property_index = make_index(rs);
    return rs->property_index;
}

/* Move a name that no target had to the end of the names that an R lists. */
static void list_last(struct rset *rs, struct named *named)
{
    struct document *doc = &rs->document;
    const char *name = rset_string(rs, named->name);
    size_t n = named->listed ? doc->nproperty_names : 0,
           i = VECTOR_FIND(k, n, !strcmp(doc->property_names[k], name));

    if (i < n)
        memmove(&doc->property_names[i], &doc->property_names[i + 1],
                (--doc->nproperty_names - i) * sizeof(name));
    VECTOR_ADD(doc->property_names, doc->nproperty_names, name);
    named->listed = true;
}

void vertex_change_properties(struct rset *rs, struct vertex *v,
                              const struct property *list, size_t n)
{
    struct map *index = index_of(rs);
    const struct properties *old = v->properties;
    struct idset *ranks;
    struct named *names[2];
    int nnames;

    if (!vertex_is_target(v)) { /* it is not in the index */
        set_list(rs, v, list, n);
        return;
    }
    ranks = idset_create();
    target_add_ranks(v, ranks);
    for (size_t i = 0; i < n; i++) { /* some old ones may stay */
        struct named *own;
        nnames = names_of(index, &list[i], names);
        own = names[nnames - 1];
        if (own->n == 0 && (rs->document.halves & HALF_EXECUTION))
            list_last(rs, own);
        own->n += vertex_count(v);
    }
    for (unsigned i = 0; old && i < old->count; i++) {
        nnames = names_of(index, &old->list[i], names);
        names[nnames - 1]->n -= vertex_count(v);
        while (nnames-- > 0)
            idset_remove_set(names[nnames]->ranks, ranks);
    }
    for (size_t i = 0; i < n; i++)
        for (nnames = names_of(index, &list[i], names); nnames-- > 0;)
            idset_add_set(names[nnames]->ranks, ranks);
    idset_destroy(ranks);
    set_list(rs, v, list, n);
}

const struct idset *rset_ranks_with(const struct rset *rs, const char *name)
{
    const struct named *named = map_get(index_of(rs), name, strlen(name));

    return named && !idset_empty(named->ranks) ? named->ranks : NULL;
}

void rset_each_property(const struct rset *rs, word_fn *next, void *arg)
{
    const struct map *names = index_of(rs);

    for (size_t i = 0; i < names->count; i++)
        if (rset_ranks_with(rs, names->slots[i].key))
            next(arg, names->slots[i].key);
}
