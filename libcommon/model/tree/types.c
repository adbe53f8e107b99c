/* The usual types of pools, and spelling mistakes in other ones (types.h). */
#include "model/tree/types.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static const char *const usual_types[] = {
    "cluster", "rack",    "chassis", "blade",   "node", "board",
    "group",   "socket",  "package", "die",     "numa", "l1cache",
    "l2cache", "l3cache", "l4cache", "l5cache", "core", "pu",
    "gpu",     "memory",  "storage", "ssd",     "nic",  "hfi",
    "switch",  "power",   "pdu",     "license", "bb",   "partition",
};
enum { USUAL_TYPES = sizeof(usual_types) / sizeof(usual_types[0]) };

bool rset_has_type(const struct rset *rs, const char *type)
{
    return map_find(&rs->document.types, type, strlen(type))
           || rset_count(rs, NULL, type) > 0;
}

bool type_is_usual(const char *type)
{
    return WORD_FIND(usual_types, type) >= 0;
}

bool rlite_type(const struct rset *rs, const char *type)
{
    return !strcmp(type, "core") || !strcmp(type, "gpu")
           || map_find(&rs->document.types, type, strlen(type));
}

bool rlite_type_below(const struct rset *rs, const struct vertex *top)
{
    const struct vertex *v = top;

    while ((v = vertex_next(top, v, false)))
        if (rlite_type(rs, v->type))
            return true;
    return false;
}

bool rlite_lists(const struct rset *rs, const struct vertex *v)
{
    return vertex_is_target(v) || (rlite_type(rs, v->type) && vertex_target(v));
}

void rlite_add_type(struct rset *rs, const char *type)
{
    if (!rlite_type(rs, type))
        map_at(&rs->document.types, type, strlen(type));
}

void rlite_adopt_types(struct rset *rs, const struct rset *from)
{
    for (size_t i = 0; i < from->document.types.count; i++)
        rlite_add_type(rs, from->document.types.slots[i].key);
}

void rlite_share_types(struct rset *a, struct rset *b)
{
    rlite_adopt_types(a, b);
    rlite_adopt_types(b, a);
}

void type_each(const struct rset *rs, word_fn *next, void *arg)
{
    const char **list = NULL;
    size_t n = 0;

    for (size_t i = 0; !rs && i < USUAL_TYPES; i++)
        next(arg, usual_types[i]);
    for (struct vertex *v = rs ? rset_first(rs) : NULL; v; v = rset_next(rs, v))
        if (VECTOR_FIND(i, n, list[i] == v->type) == n) /* interned */
            VECTOR_ADD(list, n, v->type);
    for (size_t i = 0; i < n; i++)
        next(arg, list[i]);
    free(list);
}

static void near_unusual(void *near, const char *type)
{
    if (!type_is_usual(type))
        near_try(near, type);
}

void type_near(struct near *near, const struct rset *rs)
{
    type_each(NULL, near_try, near);
    if (rs)
        type_each(rs, near_unusual, near);
}
