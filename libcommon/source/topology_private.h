/* The parts of topology.c: checked XML, and loading of topologies. */
#ifndef SOURCE_TOPOLOGY_PRIVATE_H
#define SOURCE_TOPOLOGY_PRIVATE_H

#include <hwloc.h>

#include "source/topology.h"

/*
 * Read an XML file; "-" is standard input. Returns a new string, or NULL with a
 * diag, also for faults that hwloc's readers would not notice or would crash
 * on.
 */
char *xml_read(const char *path, size_t *len, struct diag *d);

/* The source of a topology: the text of an XML file, or a synthetic
   description. If both are NULL it is this machine. */
struct origin {
    const char *xml, *synthetic;
    size_t len; /* of the XML */
};

/* Load a topology (topology_load.c). Returns 0, or -1 with a diag; for a
   synthetic description it quotes the word at fault, with its offset. */
int topology_load(hwloc_topology_t topo, const struct origin *from,
                  const struct topology_options *opts, struct diag *d);

#endif /* SOURCE_TOPOLOGY_PRIVATE_H */
