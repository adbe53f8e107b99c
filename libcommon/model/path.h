/*
 * Addressing pools (RFC 4, Composite Resource Data): a path in containment,
 * `/cluster0/rack1/node7`, or a URI in another subsystem,
 * `power:/panel0/pdu1`.
 */
#ifndef MODEL_PATH_H
#define MODEL_PATH_H

#include "model/rset.h"

/*
 * The vertex at a path or URI; the first if several brokers on one host make
 * a path name several. NULL with a diag that says how far the path leads.
 * Runs have no paths of their own: a set without a graph has only its root.
 */
struct vertex *rset_find_path(const struct rset *rs, const char *uri,
                              struct diag *d);

/* The path of a vertex in containment: a new string, NULL: out of memory. */
char *vertex_path(const struct vertex *v);

/*
 * Take the hierarchy at v, which `uri` names, out of the set (RFC 4, Unlink).
 * Pools in it that are members of other subsystems stay in those. By a URI
 * of another subsystem only v goes, and only out of that. Returns 0; 1 with
 * a diag if a job holds or has reserved something in it; -1.
 */
int rset_unlink(struct rset *rs, struct vertex *v, const char *uri,
                struct diag *d);

/*
 * Put the hierarchy of `other` under v (RFC 4, Merge at a path): its root
 * becomes a child of v. Returns -1 with a diag if v has a child of that name
 * or a rank would be there twice; then rs is of no use any more.
 */
int rset_attach(struct rset *rs, struct vertex *v, struct rset *other,
                struct diag *d);

#endif /* MODEL_PATH_H */
