/*
 * Resources of one machine, as hwloc sees it.
 *
 * The set is a graph, as deep as the types that are asked for. Of the common
 * ones it is
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
 * the caches, l1cache to l5cache. A type that is not asked for is left out, and
 * the pool above has its children. The node is always there.
 *
 * Ids are hwloc's logical indexes. Groups count on over all their levels.
 * Devices count from 0 in hwloc's order, which is that of buses.
 *
 * - A topology that knows threads and no cores has a core for each thread.
 * - Caches are those of data; their size is in KiB.
 * - Memory is counted by NUMA domain. hwloc hangs a domain beside the cores
 *   that are close to it; here a `numa` has these cores and its memory in it.
 * If several domains have the same cores (DRAM and HBM), the first one has
 * them, and the others are beside it. So is a domain whose cores have a closer
 * one, or that has no cores. The memory of GPUs is left out; the property
 * `kind` tells special memory (HBM).
 * - A gpu is an OS device of the backends CUDA, NVML, OpenCL, RSMI or
 *   LevelZero on a PCI device. OpenCL also shows processors: these are on no
 * PCI device. Devices that another backend shows on the same PCI device are the
 *   same gpu, and so are parts that hwloc shows in one. Two devices of one
 *   backend are two gpus (partitions).
 * - A nic is a network device on a PCI device: no loopback, bridges, tunnels.
 * - A storage is a block device with a size, rounded down to GB (10^9 bytes).
 *   Devices of less than 1 GB or with removable media are left out.
 * - Devices are in the finest pool that holds their locality, of group, die,
 *   socket, numa, l3cache to l5cache, and node. Their property `device` is the
 *   name that the system has for them (eth0).
 *
 * The set follows from the topology alone: equal machines give equal sets. It
 * has both halves: rset_write() can write an R, a graph, or both.
 *
 * hwloc does not survive if memory runs out: it ends, or sees less. The program
 * has to find that out; see rset-discover.
 */
#ifndef SOURCE_TOPOLOGY_H
#define SOURCE_TOPOLOGY_H

#include "model/tree/rset.h"

/* Types of resources; an int has a bit for each that is asked for. */
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

/*
 * Return the bits of `TYPE[,TYPE...]`, or -1 with a diag that quotes a word
 * that is no type, and names types near it.
 */
int topology_read_types(const char *text, struct diag *d);

/* How to look at a machine. hwloc is asked only for the types in `types`. */
struct topology_options {
    int types;                         /* bits */
    bool whole;                        /* also what this process may not use */
    uint32_t rank;                     /* of the node */
    void (*explain)(const char *line); /* is told of each device what became of
                                          it, and why; NULL: nobody is */
    /* NULL, or filled by rset_from_machine() unless `whole`: the cores of this
       machine that this process may use, and all of them */
    struct topology_cores {
        unsigned bound, all;
    } * cores;
};

/*
 * Make a set of this machine, as far as this process may use it: only the cores
 * that it is bound to, counted from 0, but all memory and devices, because GPUs
 * can be used from any core.
 *
 * hwloc's environment acts as it does in all programs that use hwloc:
 * HWLOC_XMLFILE (by which sites speed up discovery), HWLOC_SYNTHETIC,
 * HWLOC_COMPONENTS, HWLOC_THISSYSTEM.
 *
 * The host is the first of these: the topology's HostName; the name of this
 * machine, if the topology is of this system; node and the rank, node0. The
 * caller owns the set. Returns NULL with a diag.
 */
struct rset *rset_from_machine(const struct topology_options *opts,
                               struct diag *d);

/*
 * Make a set of the machine of an hwloc XML file (of version 1 or 2), "-" is
 * standard input. Resources that the writer of the file was not allowed to use
 * are left out. The host is the topology's HostName, or node and the rank. The
 * diag names the file.
 */
struct rset *rset_from_xml(const char *path,
                           const struct topology_options *opts, struct diag *d);

/*
 * Make a set of the machine of an hwloc synthetic description, as
 * "pack:2 core:8 pu:2". The host is node and the rank. The diag quotes the word
 * at fault, with its offset. More than SYNTHETIC_PUS_MAX threads are refused:
 * hwloc's time grows with their square.
 */
enum { SYNTHETIC_PUS_MAX = 1 << 16 };
struct rset *rset_from_synthetic(const char *text,
                                 const struct topology_options *opts,
                                 struct diag *d);

#endif /* SOURCE_TOPOLOGY_H */
