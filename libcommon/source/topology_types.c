/* The one table of the types that machines have (topology.h), and its words. */
#include "source/topology_private.h"

#include <string.h>

#include "base/near.h"

/* Devices and memory are no levels of hwloc's tree. */
#define NO_LEVEL HWLOC_OBJ_TYPE_MAX

static const struct topology_level types[TOPOLOGY_TYPES] = {
    [TYPE_NODE] = {"node", HWLOC_OBJ_MACHINE, true},
    [TYPE_GROUP] = {"group", HWLOC_OBJ_GROUP, true},
    [TYPE_DIE] = {"die", HWLOC_OBJ_DIE, true},
    [TYPE_SOCKET] = {"socket", HWLOC_OBJ_PACKAGE, true},
    [TYPE_NUMA] = {"numa", HWLOC_OBJ_NUMANODE, true},
    [TYPE_L1CACHE] = {"l1cache", HWLOC_OBJ_L1CACHE, false},
    [TYPE_L2CACHE] = {"l2cache", HWLOC_OBJ_L2CACHE, false},
    [TYPE_L3CACHE] = {"l3cache", HWLOC_OBJ_L3CACHE, true},
    [TYPE_L4CACHE] = {"l4cache", HWLOC_OBJ_L4CACHE, true},
    [TYPE_L5CACHE] = {"l5cache", HWLOC_OBJ_L5CACHE, true},
    [TYPE_CORE] = {"core", HWLOC_OBJ_CORE, false},
    [TYPE_PU] = {"pu", HWLOC_OBJ_PU, false},
    [TYPE_MEMORY] = {"memory", NO_LEVEL, false},
    [TYPE_GPU] = {"gpu", NO_LEVEL, false},
    [TYPE_NIC] = {"nic", NO_LEVEL, false},
    [TYPE_STORAGE] = {"storage", NO_LEVEL, false},
};

const char *topology_type_name(enum topology_type type)
{
    return types[type].name;
}

const struct topology_level *topology_level(hwloc_obj_type_t object)
{
    for (int i = 0; i < TOPOLOGY_TYPES; i++)
        if (types[i].object == object)
            return &types[i];
    return NULL;
}

bool topology_level_asked(const struct topology_level *level, int asked)
{
    return asked & 1 << (level - types);
}

static int read_type(const char *word, size_t len, struct diag *d)
{
    struct near near = {.word = word, .len = len};

    for (int i = 0; i < TOPOLOGY_TYPES; i++)
        if (strlen(types[i].name) == len && !memcmp(types[i].name, word, len))
            return 1 << i;
    for (int i = 0; i < TOPOLOGY_TYPES; i++)
        near_try(&near, types[i].name);
    return diag_set(d, "a machine has no type %s%s", quote(word, len).text,
                    near.text);
}

int topology_read_types(const char *text, struct diag *d)
{
    int asked = 0, type;

    for (;; text++) {
        size_t len = strcspn(text, ",");
        if ((type = read_type(text, len, d)) < 0)
            return -1;
        asked |= type;
        text += len;
        if (!*text)
            return asked;
    }
}
