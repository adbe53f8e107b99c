/*
 * Layers: things laid over ranks, such as properties. Runs and the layers over
 * them go into one overlay (set/overlay.h). A group of the overlay consists of
 * the ranks with the same target and the same layers; runs can be cut between
 * groups.
 */
#ifndef MODEL_RECORDS_LAYERS_H
#define MODEL_RECORDS_LAYERS_H

#include "model/records/records.h"
#include "model/tree/rset.h"
#include "set/overlay.h"

/* Something laid over ranks: a property, a record. The caller owns `item`. */
struct layer {
    const struct idset *ranks;
    const void *item;
};

/*
 * Lay `n` layers over the execution targets. Calls `each` (unless NULL) once
 * for each target, or part of its run, with all layers that lie on it. CUT_RUNS
 * splits a run where a layer covers only a part of it. Otherwise runs stay
 * whole, and `ranks` may be a part of the target. CUT_LOTS splits the lots of
 * the target between groups, in order of rank, which costs less than splitting
 * them one by one. `target` is NULL for ranks that are not in the set. Costs
 * the number of runs.
 */
enum layer_cut { CUT_NOTHING, CUT_LOTS, CUT_RUNS };
struct laid_ranks {
    struct vertex *target;
    const struct idset *ranks; /* ranks of the target, or a part */
    const uint32_t *layers;    /* their numbers, ascending */
    size_t n;                  /* at least 1 */
};
typedef void (*laid_fn)(struct rset *rs, const struct laid_ranks *on,
                        void *arg);
void rset_lay(struct rset *rs, const struct layer *layers, size_t n,
              enum layer_cut cut, laid_fn each, void *arg);

/*
 * Lay properties over ranks, which must all be in the set. The items are
 * interned names, `k=v` for a property with a value. Ranks with the same layers
 * share one list.
 */
void rset_lay_properties(struct rset *rs, const struct layer *layers, size_t n);

/*
 * Cut vertices whose runs are in an overlay (beside other sets), so that each
 * group has a vertex of its own. The first group of a run keeps its vertex; the
 * others get copies.
 *
 * `list` are n vertices of one set with the labels first .. first+n-1 of the
 * overlay. Their runs must not overlap. A single vertex may be in the list if
 * its set is its rank; it is not cut. Returns a new array with the vertex of
 * each group, NULL if the group has none.
 */
struct vertex **pieces_cut(struct rset *rs, struct vertex *const *list,
                           size_t n, const struct overlay *ov, size_t first);

#endif /* MODEL_RECORDS_LAYERS_H */
