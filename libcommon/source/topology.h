/*
 * Resources of one machine, as hwloc sees it.
 *
 * The set is a graph, as deep as the requested types. With the common types it
 * is
 *
 *     cluster0
 *     `- HOST               node
 *        |- storage0        GB
 *        `- socket0         hwloc's package
 *           |- core0
 *           |  `- pu0       a hardware thread
 *           |- gpu0
 *           |- memory0      MiB of a NUMA domain
 *           `- nic0
 *
 * with `group` and `die` if the machine has them. Other types are `numa` and
 * the caches, l1cache to l5cache. If a type is not requested, its children go
 * to the pool above. The node is always there.
 *
 * Ids are hwloc's logical indexes. Groups count on over all their levels.
 * Devices count from 0 in hwloc's order, which is that of buses.
 *
 * - A topology that has threads but no cores gets a core for each thread.
 * - Caches are data caches; their size is in KiB.
 * - Memory is counted by NUMA domain. hwloc hangs a domain beside the cores
 *   that are close to it; here a `numa` contains these cores and its memory. If
 *   several domains have the same cores (DRAM and HBM), the first one contains
 *   them, and the others are beside it. A domain is also put beside if its
 *   cores have a closer one, or if it has no cores. The memory of GPUs is left
 *   out. The property `kind` marks special memory (HBM).
 * - A gpu is an OS device of the backends CUDA, NVML, OpenCL, RSMI or LevelZero
 *   on a PCI device. OpenCL also shows processors, which are not on a PCI
 *   device. Devices of other backends on the same PCI device are the same gpu,
 *   and so are parts that hwloc shows inside a device. Two devices of one
 *   backend are two gpus (partitions).
 * - A nic is a network device on a PCI device: no loopback, bridges, tunnels.
 * - A storage is a block device with a size, rounded down to GB (10^9 bytes).
 *   Devices smaller than 1 GB or with removable media are left out.
 * - A device is in the smallest pool that holds its locality, of group, die,
 *   socket, numa, l3cache to l5cache, and node. Its property `device` is its
 *   name in the system (eth0).
 *
 * The set depends only on the topology: equal machines give equal sets. It has
 * both halves: rset_write() can write an R, a graph, or both.
 *
 * hwloc does not handle exhausted memory: it ends the program, or sees less.
 * The program has to detect this; see rset-discover.
 */
#ifndef SOURCE_TOPOLOGY_H
#define SOURCE_TOPOLOGY_H

#include "model/tree/rset.h"

/* Types of resources. An int has a bit for each requested type. */
enum topology_type {
    TYPE_NODE,
    TYPE_GROUP,
    TYPE_DIE,
    TYPE_SOCKET,
    TYPE_NUMA,
    TYPE_L1CACHE,
    TYPE_L2CACHE,
    TYPE_L3CACHE,
    TYPE_L4CACHE,
    TYPE_L5CACHE,
    TYPE_CORE,
    TYPE_PU,
    TYPE_MEMORY,
    TYPE_GPU,
    TYPE_NIC,
    TYPE_STORAGE,
    TOPOLOGY_TYPES
};
enum {
    TYPES_OF_R = 1 << TYPE_CORE | 1 << TYPE_GPU,
    TYPES_OF_DEVICES = 1 << TYPE_GPU | 1 << TYPE_NIC | 1 << TYPE_STORAGE,
    TYPES_COMMON = TYPES_OF_R | TYPES_OF_DEVICES | 1 << TYPE_GROUP
                   | 1 << TYPE_DIE | 1 << TYPE_SOCKET | 1 << TYPE_PU
                   | 1 << TYPE_MEMORY,
};

/* Return the bits of `TYPE[,TYPE...]`. Returns -1 with a diag that quotes an
   unknown type and names similar ones. */
int topology_read_types(const char *text, struct diag *d);

/* How to look at a machine. hwloc is only asked for the types in `types`.
   `explain` gets a line that says what a device became, and why. */
struct topology_options {
    int types;     /* bits */
    bool whole;    /* also processors that this process may not use */
    uint32_t rank; /* of the node */
    void (*explain)(const char *line); /* called for each device; may be NULL */
    /* NULL, or filled by rset_from_machine() unless `whole`: the number of
       cores that this process may use, and of all cores of the machine */
    struct topology_cores {
        unsigned bound, all;
    } * cores;
};

/*
 * Make a set of this machine. It has only the cores that this process is bound
 * to, counted from 0, but all memory and devices, because any core can use a
 * GPU.
 *
 * hwloc's environment works as in all programs with hwloc: HWLOC_XMLFILE (which
 * some sites use to speed up discovery), HWLOC_SYNTHETIC, HWLOC_COMPONENTS,
 * HWLOC_THISSYSTEM.
 *
 * The host is the first of these: the topology's HostName; the name of this
 * machine, if the topology is of this system; node and the rank, as node0. The
 * caller owns the set. Returns NULL with a diag.
 */
struct rset *rset_from_machine(const struct topology_options *opts,
                               struct diag *d);

/*
 * Make a set from an hwloc XML file (version 1 or 2); "-" is standard input.
 * Resources that the writer of the file was not allowed to use are left out.
 * The host is the topology's HostName, or node and the rank. The caller owns
 * the set. Returns NULL with a diag that names the file.
 */
struct rset *rset_from_xml(const char *path,
                           const struct topology_options *opts, struct diag *d);

/*
 * Make a set from an hwloc synthetic description such as "pack:2 core:8 pu:2".
 * The host is node and the rank. The caller owns the set. Returns NULL with a
 * diag that quotes the word at fault, with its offset, or if there are more
 * threads than SYNTHETIC_PUS_MAX: hwloc's time grows with their square.
 */
enum { SYNTHETIC_PUS_MAX = 1 << 16 };
struct rset *rset_from_synthetic(const char *text,
                                 const struct topology_options *opts,
                                 struct diag *d);

#endif /* SOURCE_TOPOLOGY_H */
