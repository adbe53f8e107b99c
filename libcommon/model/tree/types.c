/* Types that are usual, and that a set has (types.h). */
#include "model/tree/types.h"

#include <string.h>

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

void type_near(struct near *near)
{
    for (size_t i = 0; i < USUAL_TYPES; i++)
        near_try(near, usual_types[i]);
}
