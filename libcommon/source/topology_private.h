/* What topology.c needs of its parts: texts that were checked, topologies. */
#ifndef SOURCE_TOPOLOGY_PRIVATE_H
#define SOURCE_TOPOLOGY_PRIVATE_H

#include <hwloc.h>

#include "source/topology.h"

/*
 * Read an XML file as a new text; "-" is standard input. Returns NULL with a
 * diag, also for faults that hwloc's readers would not notice or not survive.
 */
char *xml_read(const char *path, size_t *len, struct diag *d);

/*
 * Where a topology comes from: a text of an XML file, or a synthetic
 * description. If both are NULL it is this machine.
 */
struct origin {
    const char *xml, *synthetic;
    size_t len; /* of the XML */
};

/*
 * Load a topology (topology_load.c). Returns 0, or -1 with a diag; the word at
 * fault in a synthetic description is quoted, with its offset.
 */
int topology_load(hwloc_topology_t topo, const struct origin *from,
                  const struct topology_options *opts, struct diag *d);

#endif /* SOURCE_TOPOLOGY_PRIVATE_H */
