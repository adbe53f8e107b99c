/*
 * A plain specification: hosts, and what each of them has.
 *
 * What every rank has is the same, so the set is runs and no graph: an
 * R of a million nodes is three vertices.
 */
#ifndef SOURCE_SPEC_H
#define SOURCE_SPEC_H

#include "model/tree/rset.h"

/* Strings that the caller keeps; NULL where nothing is said. */
struct spec {
    const char *hosts; /* hostlist (RFC 29), a host for each rank in order */
    const char *ranks; /* idset (RFC 22) */
    const char *cores; /* idset: what every rank has */
    const char *gpus;  /* idset: what every rank has */
};

/* More ranks than this are not on one host. */
enum { LOCAL_RANKS_MAX = 1 << 20 };

/*
 * Make a set of it; the caller owns the result. Where nothing is said,
 * ranks are 0, 1, ... in the order of the hosts; each has core 0 and no
 * gpus; and all ranks, 0 if there are no ranks either, are on this machine,
 * whose name is then repeated for each of them (RFC 20 wants a host for a
 * rank). An empty string is an empty set: `hosts` "" makes the set of no
 * resources, `cores` "" ranks without cores.
 *
 * NULL with a diag whose place is the member at fault: `hosts: "a[0-": ...`;
 * a number of hosts that is not that of the ranks is a fault of `hosts`.
 */
struct rset *rset_from_spec(const struct spec *spec, struct diag *d);

#endif /* SOURCE_SPEC_H */
