/* Inside topology: the parts that are put together. */
#ifndef SOURCE_TOPOLOGY_PRIVATE_H
#define SOURCE_TOPOLOGY_PRIVATE_H

#include <hwloc.h>

#include "model/tree/rset.h"

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

/*
 * The finest node, socket, die or group that holds an object. Objects have
 * their vertices as hwloc's `userdata`.
 */
struct vertex *topology_container(hwloc_topology_t topo, hwloc_obj_t obj);

/* Add gpus, nics and storage to the tree. */
void topology_add_devices(struct rset *rs, hwloc_topology_t topo);

#endif /* SOURCE_TOPOLOGY_PRIVATE_H */
