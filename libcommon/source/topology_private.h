/* Inside topology: loading, and the parts that are put together. */
#ifndef SOURCE_TOPOLOGY_PRIVATE_H
#define SOURCE_TOPOLOGY_PRIVATE_H

#include <hwloc.h>

#include "model/tree/rset.h"

/*
 * Load a topology, for hwloc_topology_destroy(). Return -1 with a diag, and
 * then there is none.
 */
int topology_load_machine(hwloc_topology_t *topo, struct diag *d);
int topology_load_xml(hwloc_topology_t *topo, const char *path, struct diag *d);
int topology_load_synthetic(hwloc_topology_t *topo, const char *text,
                            struct diag *d);

/*
 * An XML file as text that ends with a NUL byte; "-" is standard input. What
 * hwloc's readers would not notice, or would not survive, is refused. `text`
 * is for free(); -1 with a diag, and then there is none.
 */
struct xml {
    char *text;
    size_t len;
};
int xml_read(const char *path, struct xml *x, struct diag *d);

/*
 * A synthetic description: refuse one that hwloc would not be done with, and
 * say what is wrong with one that it refused (always -1).
 */
int synthetic_check_size(const char *text, struct diag *d);
int synthetic_explain(const char *text, struct diag *d);

/*
 * The finest node, socket, die or group that holds an object. Objects have
 * their vertices as hwloc's `userdata`.
 */
struct vertex *topology_container(hwloc_topology_t topo, hwloc_obj_t obj);

/* Add gpus, nics and storage to the tree. */
void topology_add_devices(struct rset *rs, hwloc_topology_t topo);

#endif /* SOURCE_TOPOLOGY_PRIVATE_H */
