/* Types that are usual, and that a set has (types.h). */
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
    for (size_t i = 0; i < rs->ntypes; i++)
        if (!strcmp(rs->types[i], type))
            return true;
    return rset_count(rs, NULL, type) > 0;
}

bool type_is_usual(const char *type)
{
    for (size_t i = 0; i < USUAL_TYPES; i++)
        if (!strcmp(type, usual_types[i]))
            return true;
    return false;
}

/* Types are interned: each is one pointer. */
static void add_type(const char ***list, size_t *n, const char *type)
{
    for (size_t i = 0; i < *n; i++)
        if ((*list)[i] == type)
            return;
    VECTOR_GROW(*list, *n);
    (*list)[(*n)++] = type;
}

void type_each(const struct rset *rs, word_fn *next, void *arg)
{
    const char **list = NULL;
    size_t n = 0;

    for (size_t i = 0; !rs && i < USUAL_TYPES; i++)
        next(arg, usual_types[i]);
    for (struct vertex *v = rs ? rset_first(rs) : NULL; v; v = rset_next(rs, v))
        add_type(&list, &n, v->type);
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
