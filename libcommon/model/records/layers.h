/*
 * Laying things over ranks, and cutting runs where they begin and end: a run
 * and what lies over it go into one overlay (set/overlay.h), each of whose
 * groups is all members of which the same is so.
 */
#ifndef MODEL_RECORDS_LAYERS_H
#define MODEL_RECORDS_LAYERS_H

#include "model/records/usage.h"
#include "set/overlay.h"

/* Something laid over ranks: a property, a record. `item` is the caller's. */
struct layer {
    const struct idset *ranks;
    const void *item;
};

/*
 * Lay `n` layers over the execution targets: `each` is called once for each
 * target, or part of its run, with all that lies on it. CUT_RUNS splits runs
 * where a layer covers a part. Otherwise they stay whole, and `ranks` are a
 * part of the target's: CUT_LOTS splits the lots of the target along them, all
 * in order of rank, which costs less than one by one. `target` is NULL for
 * ranks that the set does not have. The cost follows runs.
 */
enum layer_cut { CUT_NOTHING, CUT_LOTS, CUT_RUNS };
struct laid_ranks {
    struct vertex *target;
    const struct idset *ranks; /* the target's */
    const uint32_t *layers;    /* their numbers, ascending */
    size_t n;                  /* at least 1 */
};
typedef void (*laid_fn)(struct rset *rs, const struct laid_ranks *on,
                        void *arg);
void rset_lay(struct rset *rs, const struct layer *layers, size_t n,
              enum layer_cut cut, laid_fn each, void *arg);

/*
 * Lay properties over ranks, all of which the set has. The items of the layers
 * are interned names, `k=v` for one with a value. Ranks that have the same
 * share the list.
 */
void rset_lay_properties(struct rset *rs, const struct layer *layers, size_t n);

/*
 * Cut vertices whose runs went into an overlay (with others of whatever kind)
 * so that every group has a vertex of its own: the first group of a run keeps
 * its vertex, the others get copies of it.
 *
 * `list` are vertices of one set, the labels first .. first+n-1 of the
 * overlay; they must not overlap each other. Single vertices are allowed
 * where their label stands for their one rank; they are not cut. Returns a
 * new array with a group's vertex, NULL where the group has none of these.
 */
struct vertex **pieces_cut(struct rset *rs, struct vertex *const *list,
                           size_t n, const struct overlay *ov, size_t first);

#endif /* MODEL_RECORDS_LAYERS_H */
