/* Inside topology: the parts that are put together. */
#ifndef SOURCE_TOPOLOGY_PRIVATE_H
#define SOURCE_TOPOLOGY_PRIVATE_H

#include <hwloc.h>

#include "source/topology.h"

/*
 * An XML file as a new text of some length; "-" is standard input. What hwloc's
 * readers would not notice, or would not survive, is refused: NULL with a diag.
 */
char *xml_read(const char *path, size_t *len, struct diag *d);

/*
 * A synthetic description: refuse one that hwloc would not be done with, and
 * say what is wrong with one that it refused (always -1).
 */
int synthetic_check_size(const char *text, struct diag *d);
int synthetic_explain(const char *text, struct diag *d);

/* --- types (topology_types.c) ------------------------------------------- */

struct topology_level {
    const char *name;
    hwloc_obj_type_t object; /* that becomes a pool of this type */
    bool holds;              /* devices and memory that are close to it */
};

const char *topology_type_name(enum topology_type type);

/* What an object becomes; NULL: nothing. Is that among those asked for? */
const struct topology_level *topology_level(hwloc_obj_type_t object);
bool topology_level_asked(const struct topology_level *level, int asked);

/* --- building ------------------------------------------------------------ */

struct building {
    struct rset *rs;
    hwloc_topology_t topo;
    const struct topology_options *opts;
    bool local;       /* asked of this machine, not of a description */
    unsigned ngroups; /* that have an id */
};

static inline bool building_has(const struct building *b,
                                enum topology_type type)
{
    return b->opts->types & 1 << type;
}

/*
 * The finest vertex that is to hold devices and holds an object. Objects have
 * as hwloc's `userdata` the vertex that what is in them comes into.
 */
struct vertex *topology_container(const struct building *b, hwloc_obj_t obj);

/* Add NUMA domains that have cores in them: before what is in an object. */
struct vertex *topology_enter_domain(const struct building *b, hwloc_obj_t obj,
                                     struct vertex *above);

/* Add the other domains, and memory, to the tree (topology_memory.c). */
void topology_add_memories(const struct building *b);

/* Add gpus, nics and storage (topology_devices.c). */
void topology_add_devices(const struct building *b);

/* The PCI device that an object is in or is; the backend that shows it as a
   gpu, of which there is one string each. NULL: none. */
hwloc_obj_t topology_pci_of(hwloc_obj_t obj);
const char *topology_gpu_backend(hwloc_obj_t dev);

/* What becomes of a device; its vertex, if it has one, is its `userdata`. */
struct device_verdict {
    int64_t size;    /* 0: it is no resource of its own */
    hwloc_obj_t one; /* with which it is one; NULL: none */
    const char *why; /* it is none at all */
};

/* Tell of one device, and of what else there is to know (topology_explain.c).
 */
void topology_explain_device(const struct building *b, hwloc_obj_t dev,
                             const struct device_verdict *verdict);
void topology_explain_rest(const struct building *b, unsigned ngpus);

#endif /* SOURCE_TOPOLOGY_PRIVATE_H */
