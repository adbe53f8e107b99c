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
 * with `group` and `die` where the machine has them. Others are `numa` and the
 * caches, l1cache to l5cache. A type that is not asked for is left out: what
 * would be in it is in what is above. The node is always there.
 *
 * Ids are hwloc's logical indexes, those of groups one count over all their
 * levels; devices count from 0 in hwloc's order, which is that of buses.
 *
 * - A topology that knows threads and no cores has a core for each thread.
 * - Caches are those of data; their size is in KiB.
 * - Memory is counted by NUMA domain. hwloc hangs a domain beside the cores
 *   that are close to it; here a `numa` has them in it, and its memory. Of
 *   several domains with the same cores (DRAM and HBM) that is the first, and
 *   the others are beside it, as is one of cores that have closer ones, or of
 *   none. The memory of GPUs is
 *   left out; `kind` tells other memory that hwloc knows as something special
 *   (HBM).
 * - A gpu is an OS device of the backends CUDA, NVML, OpenCL, RSMI or
 *   LevelZero on a PCI device. Devices that another backend shows on the same
 *   PCI device are the same gpu, and so are parts that hwloc shows in one; two
 *   of one backend are two (partitions of a GPU). What is on no PCI device is
 *   none: OpenCL shows processors, too.
 * - A nic is a network device on a PCI device: no loopback, bridges, tunnels.
 * - A storage is a block device with a size, rounded down to GB (10^9
 *   bytes); less than one is left out, as is what has removable media.
 * - Devices are under the finest of group, die, socket, numa, l3cache and
 *   above, and node that holds their locality; their property `device` is the
 *   name that the system has for them (eth0).
 *
 * Everything follows from the topology alone: equal machines give equal
 * sets. A set of both halves is made: rset_write() may say it as an R, a
 * graph, or both.
 *
 * hwloc does not survive it when memory runs out: it ends, or sees less. That
 * is for the program to find out; see rset-discover.
 */
#ifndef SOURCE_TOPOLOGY_H
#define SOURCE_TOPOLOGY_H

#include "model/tree/rset.h"

/* Types of resources; an int has the bits of those that are asked for. */
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
 * The bits of `TYPE[,TYPE...]`, or -1 with a diag that quotes what is no type,
 * and names those that are near it.
 */
int topology_read_types(const char *text, struct diag *d);

/* How a machine is looked at. hwloc is asked only for what is to be told. */
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
 * This machine, as far as this process may use it: of the cores those that
 * it is bound to, counted from 0. Memory and devices stay, whichever cores
 * they are close to: GPUs are used from any.
 *
 * hwloc's environment acts as it does in all programs that use hwloc:
 * HWLOC_XMLFILE (by which sites speed up discovery), HWLOC_SYNTHETIC,
 * HWLOC_COMPONENTS, HWLOC_THISSYSTEM.
 *
 * The host is the topology's HostName; without one, this machine's name if
 * the topology is of this system, and else node0, or what its rank is. The
 * caller owns the set; NULL with a diag.
 */
struct rset *rset_from_machine(const struct topology_options *opts,
                               struct diag *d);

/*
 * The machine of an hwloc XML file (of version 1 or 2), "-" for standard
 * input: all that is in it, whatever this machine is like, but for what who
 * wrote it was not allowed to use. The host is the topology's HostName, else
 * node0, or what its rank is. The diag names the file.
 */
struct rset *rset_from_xml(const char *path,
                           const struct topology_options *opts, struct diag *d);

/*
 * The machine of an hwloc synthetic description, "pack:2 core:8 pu:2", whose
 * host is node0, or what its rank is. The diag quotes the word at fault and
 * says where it stands. More than SYNTHETIC_PUS_MAX threads are refused:
 * hwloc's time grows with the square of them.
 */
enum { SYNTHETIC_PUS_MAX = 1 << 16 };
struct rset *rset_from_synthetic(const char *text,
                                 const struct topology_options *opts,
                                 struct diag *d);

#endif /* SOURCE_TOPOLOGY_H */
