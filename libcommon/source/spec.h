/*
 * A plain specification: hosts, and what each of them has.
 *
 * What every rank has is the same, so the set is runs: an R of a million nodes
 * is three vertices. With memory or sockets, of which an R can't speak, it is
 * a graph, too, in which the node is a run.
 *
 * Sockets count from 0, and what the node has is spread over them as hwloc
 * numbers it: the first ones of its cores are in the first socket, and so of
 * its GPUs and its memory. Where that does not come out even, the first sockets
 * have one more.
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
    const char *sockets; /* number: over which all that is spread */
    uint64_t first;      /* the lowest of the ranks if they are not given */
};

/* More sockets than this are in no node. */
enum { SOCKETS_MAX = 1024 };

/* More ranks than this are not on one host. */
enum { LOCAL_RANKS_MAX = 1 << 20 };

/*
 * Make a set of it; the caller owns the result. Where nothing is said,
 * ranks count from `first` in the order of the hosts; each has core 0 and no
 * gpus; and all ranks, 0 if there are no ranks either, are on this machine,
 * whose name is then repeated for each of them (RFC 20 wants a host for a
 * rank). An empty string is an empty set: `hosts` "" makes the set of no
 * resources, `cores` "" ranks without cores.
 *
 * NULL with a diag whose place is the member at fault: `hosts: "a[0-": ...`;
 * a number of hosts that is not that of the ranks is a fault of `hosts`.
 */
struct rset *rset_from_spec(const struct spec *spec, struct diag *d);

/*
 * A warning of a single id other than 0, a new text: whoever writes 64 mostly
 * wants that many, and not the one with that id.
 */
char *spec_single(const char *type, unsigned long id);

/*
 * The machine of a set of one node (topology.h) becomes that of all hosts of
 * a specification, which says nothing of cores and gpus: its node a run of
 * nodes. 0, or -1 with a diag as above, and the set is of no use.
 */
int rset_on_hosts(struct rset *machine, const struct spec *spec,
                  struct diag *d);

/*
 * The node of such a machine has this rank, and is this host (NULL: the one
 * that it is). 0, or -1 with a diag.
 */
int rset_on_rank(struct rset *machine, uint32_t rank, const char *host,
                 struct diag *d);

/*
 * Name a node by its host: the number at the end is its id, what is before that
 * its basename.
 */
void node_on_host(struct rset *rs, struct vertex *node, const char *host);

/*
 * The nodes of another such set come into this one. -1 with a diag if both
 * have a rank.
 */
int rset_add_group(struct rset *rs, const struct rset *group, struct diag *d);

/*
 * A new set of the nodes of one that a source has made: each `per_rack` of them
 * in the order of their ranks, the last ones may be fewer, are in a pool of
 * type rack below the root, and each is a pool of its own, as in a graph that
 * was read. Racks have the ids from `first` on. NULL with a diag whose place is
 * "nodes-per-rack": `text` is no such number, or there would be more pools than
 * RACKED_MAX.
 */
enum { RACKED_MAX = 1 << 24 };
struct rset *rset_in_racks(const struct rset *from, const char *text,
                           uint64_t first, struct diag *d);

/* --- names of hosts, which sources find --------------------------------- */

/*
 * Can a document hold the name: is it one host of RFC 29 as it stands, and
 * without the '/' that separates names in a path (RFC 20)? Returns 0, or -1
 * with a diag that quotes it.
 */
int host_check(const char *name, struct diag *d);

/* The name of this machine, as the system tells it. 0, or -1 with a diag. */
int host_local(char name[HOSTLIST_NAME_MAX], struct diag *d);

#endif /* SOURCE_SPEC_H */
