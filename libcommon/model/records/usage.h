/*
 * Usage: which jobs hold which pools of an inventory, which pools are not up,
 * and how much is free.
 *
 * The inventory (model/tree/rset.h) consists of facts; usage never changes it.
 * Usage is a tree of lots over it. A lot is a pool, or neighbouring members of
 * a run that have the same grants, state and contents. Lots are made when they
 * are first needed. An R of a million equal ranks is one lot under the root.
 * When a job takes a core of rank 5, it becomes three lots; when the core is
 * given back, one again.
 *
 * Jobs hold grants (model/records/jobs.h). Each grant is on one lot
 * and belongs to one job.
 *
 * A lot with contents keeps the sums of the free units and of the idle units
 * below it, by type. A change adds its difference to the sums of all parents,
 * so nothing is counted again. The next lot that has enough is found without a
 * walk over all (orders.h). So a match, a grant and a release cost the size of
 * the grant, not the size of the machine.
 *
 *     struct usage *u = usage_begin(rs);    owned by the set; has all sums
 *     struct lot *root = lot_open(u, usage_top(u));
 *
 * The parts: lots.h (the tree), types.h (facts about types), orders.h (the next
 * lot that has enough), forecast.h (what will be free), jobs.h (grants).
 *
 * To ask about vertices instead of lots, call usage_settle(), and pass the
 * result to vertex_grants() and others. It finds or makes a vertex for each lot
 * that has grants or a state. (In these comments a lot "has a state" if it is
 * not up, and "has a grant" if a job has one on it, now or at another time.)
 */
#ifndef MODEL_RECORDS_USAGE_H
#define MODEL_RECORDS_USAGE_H

#include "model/records/records.h"
#include "model/tree/rset.h"

struct types;

/* Changes since usage_watch() or usage_forget_changes(). */
enum { JOB_CHANGED, JOB_ENDED };
struct watch {
    bool on;
    bool states;
    struct map jobs; /* by name: JOB_CHANGED, with JOB_ENDED if the job ended in
                        between */
};

/*
 * Return the set of a usage; the lot that contains all others; the facts about
 * types (only a store that reads them may change them); the period for which
 * all sums hold; the first job (the next ones by `next`); the number of jobs.
 */
struct rset *usage_rset(const struct usage *u);
struct lot *usage_top(const struct usage *u);
struct types *usage_types(const struct usage *u);
const struct period *usage_period(const struct usage *u);
struct job *usage_jobs(const struct usage *u);
size_t usage_njobs(const struct usage *u);

/* Return whether some lot is not up, or may not be. */
bool usage_has_states(const struct usage *u);

/* Return or set the sequence number of the last grant, among all jobs. Only a
   store sets it. */
int64_t usage_seq(const struct usage *u);
void usage_set_seq(struct usage *u, int64_t seq);

/* Return the changes since usage_watch(). */
const struct watch *usage_changes(const struct usage *u);

/*
 * Return the usage of a set, which owns it. Makes one if there is none. As long
 * as it exists, change the tree of pools only by vertex_split(), lots_cut() and
 * lots_rejoin(), or call usage_gather() after another change.
 */
struct usage *usage_get(struct rset *rs);

/* Return the usage of a set with all facts about types and all sums. */
struct usage *usage_begin(struct rset *rs);

void usage_destroy(struct usage *u); /* NULL is allowed */

/*
 * Give each lot that has a grant or a state, or that contains such a lot, a
 * vertex with exactly its members. This cuts runs. Then `lot` of each vertex is
 * a lot that is valid for all members, or NULL if there are no grants and no
 * states. This holds until usage_gather() or the next change of a grant or a
 * state. Cutting runs or changing the tree does not end it. Code that reads
 * or changes records itself asks `lot` instead: lot_grants(), lot_state().
 */
struct settled {
    struct rset *rs;
    size_t changes; /* of rs, at that time */
};
struct settled usage_settle(struct rset *rs);

/*
 * Rebuild the usage of a set after its tree of pools changed or was newly made.
 * Takes grants and states from the `lot` of each vertex, which may belong to
 * any set.
 */
void usage_gather(struct rset *rs);

/* Drop shares that follow from grants below their pools. */
void usage_drop_implied(struct usage *u);

/* Return the `lot` of a vertex, or a new lot outside the tree of lots. Valid
   until usage_gather(). */
struct lot *vertex_lot(struct rset *rs, struct vertex *v);

/* Give a state to a vertex that vertex_import() copied. Valid until
   usage_gather(). */
void vertex_import_state(struct rset *rs, struct vertex *copy,
                         enum pool_state state);

/*
 * Add tags, state and grants of a vertex of another set to v; valid until
 * usage_gather(). The state of b counts if v is up; a tag that v has keeps its
 * value. If the same job has a grant with the same term in both, the larger
 * number of units counts.
 */
void records_unite(struct rset *a, struct vertex *v, const struct vertex *b);

/*
 * Return the `lot` of a vertex of a settled set; its first grant, or NULL; its
 * state. No vertex (NULL) is up and has no grant. They abort if the set has
 * changed since usage_settle().
 */
struct lot *settled_lot(struct settled s, const struct vertex *v);
struct grant *vertex_grants(struct settled s, const struct vertex *v);
enum pool_state vertex_state(struct settled s, const struct vertex *v);

/* Return the vertex, or the nearest vertex around it, that is not up; NULL if
   all are up. */
const struct vertex *vertex_not_up(struct settled s, const struct vertex *v);

/* Drop the facts about types because facts of pools changed. The next
   usage_begin() finds them again. */
void usage_renew(struct usage *u);

/* Note that a pool was made exclusive, without finding all facts again. */
void usage_mark(struct usage *u, const struct vertex *v);

/* Announce that sums will be asked for from this time on. If they are not made
   yet, they are made for this time and need not be counted again. */
void usage_expect(struct usage *u, double now);

/* Make all sums hold for a period. */
void usage_at(struct usage *u, const struct period *when);

/*
 * Make sums hold for a period. If much would have to be counted again, only
 * nodes that usage_next() visits are counted, with their contents. Then
 * lot_below() returns all units that exist in the pools around these nodes, and
 * their other sums don't hold.
 */
void usage_look_at(struct usage *u, const struct period *when);

/* Make the sums of one lot hold for a period, and perhaps all others. */
void usage_at_lot(struct usage *u, const struct period *when, struct lot *lot);

/*
 * Drop the claims and shares that ended by `now` while they waited for another
 * job (grant_awaits()): they have never held anything, and wait for nothing any
 * more. Before each command that knows the time.
 */
void usage_lapse(struct usage *u, double now);

#endif /* MODEL_RECORDS_USAGE_H */
