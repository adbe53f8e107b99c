/*
 * Addressing pools (RFC 4, Composite Resource Data): a path in containment,
 * `/cluster0/rack1/node7`, or a URI in another subsystem,
 * `power:/panel0/pdu1`.
 *
 * The members of a run have paths, too: that of core 3 of a set without a
 * graph is `/cluster0/HOST/core3`, `/cluster0/node7/core3` if hosts are not
 * known. What is addressed is a lot (records/usage.h) with no other members
 * in it, nor in those above it.
 */
#ifndef MODEL_RECORDS_PATH_H
#define MODEL_RECORDS_PATH_H

#include "model/records/usage.h"

/* Is it /PATH or SUBSYSTEM:/PATH? Returns 0, or -1 with a diag. */
int path_check(const char *text, struct diag *d);

/*
 * The id of the member of a run that would have this name, which is basename
 * and id; IDSET_INVALID: it is none of that form.
 */
uint32_t run_id_named(const struct vertex *run, const char *name);

/*
 * All pools at a path or URI; none, with a diag that says how far the path
 * leads. 0; -1 with a diag: it is no path. Lots are split; lots_join() ends
 * that.
 */
int rset_find_lots(struct rset *rs, const char *uri, struct lots *lots,
                   struct diag *d);

/*
 * The one pool at a path or URI; the first if several brokers on one host make
 * a path name several. NULL with a diag.
 */
struct lot *rset_find_lot(struct rset *rs, const char *uri, struct diag *d);

/* The same of a path or URI in the hierarchy that the pool is at home in. */
struct lot *rset_find_home(struct rset *rs, const char *uri, struct diag *d);

/* Forget the names that a usage has of the children of pools. */
void path_names_end(struct usage *u);

/*
 * Does a top lie in the pool at a URI, though that is at home elsewhere, by its
 * own path?
 */
bool top_lies_in(const struct vertex *top, const char *uri);

/*
 * The numbers by which a place names the members of a lot: ranks of targets,
 * if their hosts are known, otherwise ids. A new set; NULL if the pool has a
 * name of its own.
 */
struct idset *lot_members(const struct rset *rs, const struct lot *lot);

/*
 * Where several lots are, as vertex_place() writes it: a new string. They are
 * like `lot`, but its name has the numbers `members`, and the name of what it
 * lies in the numbers `parents`. NULL: those of the lot, or of its parent.
 */
char *lots_place(const struct rset *rs, const struct lot *lot,
                 const struct idset *members, const struct idset *parents);
char *lot_place(const struct usage *u, const struct lot *lot,
                const struct idset *members);

#endif /* MODEL_RECORDS_PATH_H */
