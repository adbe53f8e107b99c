/*
 * NUMA domains and their memory. hwloc hangs domains beside its tree, each at
 * the object that has the same processors: one that has cores is put between
 * that object and what is in it, so that a domain contains its cores.
 */
#include "source/topology_private.h"

#include <string.h>

#include "base/utf8.h"

/* The memory of a GPU is not what a job means by memory. */
static bool is_usable(hwloc_obj_t numa)
{
    return !numa->subtype || strcmp(numa->subtype, "GPUMemory");
}

/* The object with whose processors hwloc says a domain is. */
static hwloc_obj_t place_of(hwloc_obj_t numa)
{
    do
        numa = numa->parent;
    while (!hwloc_obj_type_is_normal(numa->type));
    return numa;
}

static bool is_below(hwloc_obj_t obj, hwloc_obj_t above)
{
    do
        obj = obj->parent;
    while (obj && obj != above);
    return obj;
}

/* Are there domains closer to some of the processors of an object? */
static bool has_closer(const struct building *b, hwloc_obj_t obj)
{
    hwloc_obj_t numa = NULL;

    while (
        (numa = hwloc_get_next_obj_by_type(b->topo, HWLOC_OBJ_NUMANODE, numa)))
        if (is_usable(numa) && is_below(place_of(numa), obj))
            return true;
    return false;
}

/*
 * The domain that has the processors of an object: the first that is with them;
 * NULL: none. Memory without processors is with all of them, says hwloc: those
 * have closer domains.
 */
static hwloc_obj_t domain_of(const struct building *b, hwloc_obj_t obj)
{
    for (hwloc_obj_t m = obj->memory_first_child; m; m = m->next_sibling) {
        hwloc_obj_t numa = m;
        while (numa && numa->type != HWLOC_OBJ_NUMANODE)
            numa = numa->memory_first_child; /* of a cache of memory */
        if (numa && is_usable(numa)
            && hwloc_bitmap_isequal(numa->cpuset, obj->cpuset))
            return has_closer(b, obj) ? NULL : numa;
    }
    return NULL;
}

static struct vertex *add_domain(const struct building *b, hwloc_obj_t numa,
                                 struct vertex *above)
{
    const char *type = topology_type_name(TYPE_NUMA);

    return numa->userdata = vertex_add(b->rs, above, type, type,
                                       numa->logical_index);
}

struct vertex *topology_enter_domain(const struct building *b, hwloc_obj_t obj,
                                     struct vertex *above)
{
    hwloc_obj_t numa = building_has(b, TYPE_NUMA) ? domain_of(b, obj) : NULL;

    return numa ? add_domain(b, numa, above) : above;
}

/* Of a domain that has nothing in it: beside the one that has the cores. */
static struct vertex *beside(const struct building *b, hwloc_obj_t numa)
{
    hwloc_obj_t at = place_of(numa), first = domain_of(b, at);

    return first && first->userdata ? ((struct vertex *)first->userdata)->parent
                                    : topology_container(b, at);
}

static void add_memory(const struct building *b, hwloc_obj_t numa,
                       struct vertex *above)
{
    const char *type = topology_type_name(TYPE_MEMORY);
    uint64_t mib = numa->attr->numanode.local_memory >> 20;
    struct vertex *v;

    if (mib == 0)
        return;
    v = vertex_add(b->rs, above, type, type, numa->logical_index);
    v->unit = rset_string(b->rs, "MiB");
    v->size = (int64_t)mib;
    if (numa->subtype && utf8_is(numa->subtype))
        vertex_add_property(b->rs, v, "kind", numa->subtype);
}

void topology_add_memories(const struct building *b)
{
    hwloc_obj_t numa = NULL;

    while ((
        numa = hwloc_get_next_obj_by_type(b->topo, HWLOC_OBJ_NUMANODE, numa))) {
        struct vertex *v = numa->userdata;
        if (!is_usable(numa))
            continue;
        if (!v)
            v = beside(b, numa);
        if (building_has(b, TYPE_NUMA) && !numa->userdata)
            v = add_domain(b, numa, v);
        if (building_has(b, TYPE_MEMORY))
            add_memory(b, numa, v);
    }
}
