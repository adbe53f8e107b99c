/*
 * Addresses of pools (RFC 4, Composite Resource Data): a path in containment,
 * `/cluster0/rack1/node7`, or a URI in another subsystem, `power:/panel0/pdu1`.
 *
 * Members of a run have paths, too. Core 3 of a set without a graph is
 * `/cluster0/HOST/core3`, or `/cluster0/node7/core3` if hosts are unknown. An
 * address leads to a lot (records/usage.h) that has no other members; neither
 * have the lots around it.
 */
#ifndef MODEL_RECORDS_PATH_H
#define MODEL_RECORDS_PATH_H

#include "model/records/lots.h"
#include "model/records/records.h"

/* Return 0 if a text is /PATH or SUBSYSTEM:/PATH, otherwise -1 with a diag. */
int path_check(const char *text, struct diag *d);

/* The same, but also 0 if it may be a name, or a path that begins with one. */
int place_check(const char *text, struct diag *d);

/* Return the id of the member of a run with a basename that would have this
   name, or IDSET_INVALID if the name is not the basename and a number. */
uint32_t run_id_named(const char *basename, const char *name);

/*
 * Find all pools at a path or URI, or at a path that begins with the name of a
 * pool instead of `/`, if no other pool has this name. Returns 0; if there are
 * none, `lots` is empty and the diag tells how far the path leads. Returns -1
 * with a diag if the text is no path. The lots are split off: call lots_join()
 * when they are no longer needed.
 */
int rset_find_lots(struct rset *rs, const char *uri, struct lots *lots,
                   struct diag *d);

/*
 * A list of places, as people write it: paths, URIs or names, separated by
 * commas, whose parts may have ranges in brackets, as lots_place() writes them.
 * places_each() calls a function for each, until one does not return 0, and
 * returns that; or -1 with a diag. rset_find_places() adds the lots of all
 * places. Returns 0; 1 with a diag if there is no such resource; or -1 with a
 * diag, also if several have the name.
 */
typedef int place_fn(void *arg, const char *place, struct diag *d);
int places_each(const char *text, place_fn *each, void *arg, struct diag *d);
int rset_find_places(struct rset *rs, const char *text, struct lots *lots,
                     struct diag *d);

/* Return the pool at a path or URI. If a path leads to several, because brokers
   share a host, it is the first. Returns NULL with a diag if there is none. */
struct lot *rset_find_lot(struct rset *rs, const char *uri, struct diag *d);

/* Return the pool at a path or URI, which must be in the home of the pool.
   Returns NULL with a diag otherwise. */
struct lot *rset_find_home(struct rset *rs, const char *uri, struct diag *d);

/* Forget the names of children that path lookups keep in a usage. */
void path_names_end(struct usage *u);

/* Return whether the path of a top says that it lies in the pool at a URI,
   which has another home. */
bool top_lies_in(const struct vertex *top, const char *uri);

/*
 * Return the numbers that name the members of a lot: ranks of targets if hosts
 * are known, otherwise ids. A new set, or NULL if the pool has a name of its
 * own.
 */
struct idset *lot_members(const struct rset *rs, const struct lot *lot);

/* Add the ranks of targets at or above a lot, with `below` also below it. */
void lot_add_ranks(const struct lot *lot, bool below, struct idset *ranks);

/*
 * Return the place of several lots, as vertex_place() writes it: a new string.
 * The lots are like `lot`, but their numbers are `members`, and the numbers of
 * their parents are `parents`. If a set is NULL, the number of the lot, or of
 * its parent, is used.
 */
char *lots_place(const struct rset *rs, const struct lot *lot,
                 const struct idset *members, const struct idset *parents);
char *lot_place(const struct usage *u, const struct lot *lot);

#endif /* MODEL_RECORDS_PATH_H */
