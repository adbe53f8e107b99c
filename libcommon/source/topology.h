/*
 * Resources of one machine, as hwloc sees it.
 *
 * The set is a graph, as deep as hwloc is:
 *
 *     cluster0
 *     `- HOST               node, rank 0
 *        |- storage0        GB
 *        `- socket0         hwloc's package
 *           |- core0
 *           |  `- pu0       a hardware thread
 *           |- gpu0
 *           |- memory0      MiB of a NUMA domain
 *           `- nic0
 *
 * with `group` and `die` where the machine has them. Ids are hwloc's logical
 * indexes, those of groups one count over all their levels; devices count
 * from 0 in hwloc's order, which is that of buses. What is held is what an R
 * needs (cores and gpus are unique within the rank) and what schedulers
 * place by. Beyond that:
 *
 * - Caches are left out: they are where a core is, not what a job asks for.
 * - A topology that knows threads and no cores has a core for each thread.
 * - Memory is counted by NUMA domain. hwloc hangs a domain beside the cores
 *   that are close to it, and so it is here. The memory of GPUs is left out;
 *   `kind` tells other memory that hwloc knows as something special (HBM).
 * - A gpu is an OS device of the backends CUDA, NVML, OpenCL or RSMI. Devices
 *   that another backend shows on the same PCI device are the same gpu; two
 *   of one backend are two (partitions of a GPU). Devices without a PCI
 *   device are each a gpu.
 * - A nic is a network device on a PCI device: no loopback, bridges, tunnels.
 * - A storage is a block device with a size, rounded down to GB (10^9
 *   bytes); less than one is left out, as is what has removable media.
 * - Devices are under the finest of group, die, socket and node that holds
 *   their locality; their property `device` is the name that the system has
 *   for them (eth0).
 *
 * Everything follows from the topology alone: equal machines give equal
 * sets. A set of both halves is made: rset_write() may say it as an R, a
 * graph, or both.
 */
#ifndef SOURCE_TOPOLOGY_H
#define SOURCE_TOPOLOGY_H

#include "model/tree/rset.h"

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
 * the topology is of this system, and else node0. The caller owns the set;
 * NULL with a diag.
 */
struct rset *rset_from_machine(struct diag *d);

/*
 * The machine of an hwloc XML file (of version 1 or 2), "-" for standard
 * input: all that is in it, whatever this machine is like. The host is the
 * topology's HostName, else node0. The diag names the file.
 */
struct rset *rset_from_xml(const char *path, struct diag *d);

/*
 * The machine of an hwloc synthetic description, "pack:2 core:8 pu:2", whose
 * host is node0. The diag quotes the word at fault and says where it stands.
 * More than SYNTHETIC_PUS_MAX threads are refused: hwloc's time grows with
 * the square of them.
 */
enum { SYNTHETIC_PUS_MAX = 1 << 16 };
struct rset *rset_from_synthetic(const char *text, struct diag *d);

#endif /* SOURCE_TOPOLOGY_H */
