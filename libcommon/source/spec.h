/*
 * A plain specification: hosts, and the resources of each host.
 *
 * All ranks have the same resources, so the set is made of runs: an R of a
 * million nodes is three vertices. An R can't have memory or sockets: with
 * these the set is also a graph, in which the node is a run.
 *
 * Sockets count from 0. They divide the cores, GPUs and memory of the node in
 * the order in which hwloc numbers them: the first cores are in the first
 * socket. If the shares are not equal, the first sockets have one more.
 */
#ifndef SOURCE_SPEC_H
#define SOURCE_SPEC_H

#include "model/tree/rset.h"

/* Strings of the caller. NULL: not given. */
struct spec {
    const char *hosts;   /* hostlist (RFC 29), a host for each rank in order */
    const char *ranks;   /* idset (RFC 22) */
    const char *cores;   /* idset: cores of each rank */
    const char *gpus;    /* idset: GPUs of each rank */
    const char *memory;  /* amount and unit of bytes of each rank */
    const char *sockets; /* number of sockets to divide all this among */
    uint64_t first;      /* lowest rank, unless ranks are given */
};

/* Most sockets in a node. */
enum { SOCKETS_MAX = 1024 };

/* Most ranks on one host. */
enum { LOCAL_RANKS_MAX = 1 << 20 };

/*
 * Make a set from a specification. By default
 * - ranks count from `first` in the order of the hosts;
 * - each has core 0 and no GPUs;
 * - all ranks (without hosts and ranks only rank 0) are on this machine. Its
 *   name is repeated for each rank, because RFC 20 wants a host for each.
 *
 * An empty string gives an empty set: `hosts` "" a set without resources,
 * `cores` "" ranks without cores.
 *
 * The caller owns the result. Returns NULL with a diag whose place is the
 * member at fault: `hosts: "a[0-": ...`. If the numbers of hosts and ranks
 * differ, `hosts` is at fault.
 */
struct rset *rset_from_spec(const struct spec *spec, struct diag *d);

/* Return a warning about a single id other than 0, a new string. Someone who
   writes 64 usually wants 64 of them, and not the one with id 64. */
char *spec_single(const char *type, unsigned long id);

/*
 * Turn the node of a set of one machine (topology.h) into a run of nodes: one
 * for each host of a specification without cores and GPUs. Returns 0, or -1
 * with a diag as above; then the set can't be used any more.
 */
int rset_on_hosts(struct rset *machine, const struct spec *spec,
                  struct diag *d);

/*
 * Give the node of a set of one machine a rank and a host (NULL: it keeps its
 * host). Returns 0, or -1 with a diag.
 */
int rset_on_rank(struct rset *machine, uint32_t rank, const char *host,
                 struct diag *d);

/*
 * Name a node by its host: the number at the end is its id, the text before the
 * number its basename.
 */
void node_on_host(struct rset *rs, struct vertex *node, const char *host);

/*
 * Add the nodes of another set of hosts or of a machine. Returns 0, or -1 with
 * a diag if both sets have the same rank.
 */
int rset_add_group(struct rset *rs, const struct rset *group, struct diag *d);

/*
 * Return a new set with the nodes of a set of hosts or of a machine in racks.
 * `text` is the number of nodes in each rack, filled in the order of ranks; the
 * last rack may have fewer. Each node is a single pool, as in a graph that was
 * read. Racks have ids from `first` on. Returns NULL with a diag whose place is
 * "nodes-per-rack" if `text` is not such a number, or if there would be more
 * pools than RACKED_MAX.
 */
enum { RACKED_MAX = 1 << 24 };
struct rset *rset_in_racks(const struct rset *from, const char *text,
                           uint64_t first, struct diag *d);

/* --- names of hosts, for all sources ------------------------------------ */

/*
 * Check that a document can hold a name of a host: it must be a single host in
 * RFC 29, unchanged, and have no '/', which separates names in a path (RFC 20).
 * Returns 0, or -1 with a diag that quotes the name.
 */
int host_check(const char *name, struct diag *d);

/* Ask the system for the name of this machine. Returns 0, or -1 with a diag. */
int host_local(char name[HOSTLIST_NAME_MAX], struct diag *d);

#endif /* SOURCE_SPEC_H */
