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

const char *topology_type_name(enum topology_type type);

/*
 * The finest vertex that is to hold devices and holds an object. Objects have
 * as hwloc's `userdata` the vertex that what is in them comes into.
 */
struct vertex *topology_container(const struct building *b, hwloc_obj_t obj);

/* Add gpus, nics and storage (topology_devices.c). */
void topology_add_devices(const struct building *b);

#endif /* SOURCE_TOPOLOGY_PRIVATE_H */
