/*
 * A plain specification: hosts, and what each of them has.
 *
 * All ranks have the same, so the set is runs: an R of a million nodes is three
 * vertices. An R can't have memory or sockets: with them the set is a graph,
 * too, in which the node is a run.
 *
 * Sockets count from 0. They share the cores, GPUs and memory of the node in
 * the order in which hwloc numbers them: the first cores are in the first
 * socket. If the shares are not equal, the first sockets have one more.
 */
#ifndef SOURCE_SPEC_H
#define SOURCE_SPEC_H

#include "model/tree/rset.h"

/* Strings that the caller keeps; NULL where nothing is said. */
struct spec {
    const char *hosts;   /* hostlist (RFC 29), a host for each rank in order */
    const char *ranks;   /* idset (RFC 22) */
    const char *cores;   /* idset: what every rank has */
    const char *gpus;    /* idset: what every rank has */
    const char *memory;  /* amount and unit of bytes: what every rank has */
    const char *sockets; /* number of sockets that share all that */
    uint64_t first;      /* the lowest rank, unless ranks are given */
};

/* A node has at most so many sockets. */
enum { SOCKETS_MAX = 1024 };

/* A host has at most so many ranks. */
enum { LOCAL_RANKS_MAX = 1 << 20 };

/*
 * Make a set of a specification. By default
 * - ranks count from `first` in the order of the hosts;
 * - each has core 0 and no gpus;
 * - all ranks (rank 0 if there are none) are on this machine. Its name is
 *   repeated for each of them, because RFC 20 wants a host for each rank.
 * An empty string is an empty set: `hosts` "" makes the set of no resources,
 * `cores` "" ranks without cores.
 *
 * The caller owns the result. Returns NULL with a diag whose place is the
 * member at fault: `hosts: "a[0-": ...`. If there are more or fewer hosts than
 * ranks, that is a fault of `hosts`.
 */
struct rset *rset_from_spec(const struct spec *spec, struct diag *d);

/*
 * Return a warning about a single id other than 0, a new text: whoever writes
 * 64 mostly wants that many, and not the one with that id.
 */
char *spec_single(const char *type, unsigned long id);

/*
 * Make the node of a set of one machine (topology.h) a run of nodes: one for
 * each host of a specification without cores and gpus. Returns 0, or -1 with a
 * diag as above; then the set can't be used.
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
 * Return a new set with the nodes of a set of hosts or of a machine in racks:
 * `text` says how many are in each, in the order of their ranks. The last rack
 * may have fewer. Each node is a single pool, as in a graph that was read.
 * Racks have the ids from `first` on. Returns NULL with a diag whose place is
 * "nodes-per-rack" if `text` is no such number, or if there would be more pools
 * than RACKED_MAX.
 */
enum { RACKED_MAX = 1 << 24 };
struct rset *rset_in_racks(const struct rset *from, const char *text,
                           uint64_t first, struct diag *d);

/* --- names of hosts, which sources find --------------------------------- */

/*
 * Check that a document can hold the name of a host: it is one host of RFC 29
 * as it stands, and has no '/', which separates names in a path (RFC 20).
 * Returns 0, or -1 with a diag that quotes it.
 */
int host_check(const char *name, struct diag *d);

/* Ask the system for the name of this machine. Returns 0, or -1 with a diag. */
int host_local(char name[HOSTLIST_NAME_MAX], struct diag *d);

#endif /* SOURCE_SPEC_H */
