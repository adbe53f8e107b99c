/*
 * Inside compare: an index of the pools of a graph. Two pools of two graphs are
 * the same if they have the same parent, type, name and rank. The index grows:
 * the children of a vertex are added when one of them is looked up.
 */
#ifndef COMPARE_VERTEX_INDEX_H
#define COMPARE_VERTEX_INDEX_H

#include "base/map.h"
#include "model/tree/rset.h"

struct vertex_index {
    struct rset *rs;
    struct map map;
};

/*
 * Return the pool under `parent` that is the same as v, a pool of another set.
 * Parent NULL stands for pools outside of containment. Tries `guess` first
 * unless it is NULL. Returns NULL if there is no such pool.
 */
struct vertex *vertex_index_find(struct vertex_index *p, struct vertex *parent,
                                 struct vertex *guess, const struct vertex *v);

/* As vertex_index_find(), for few pools of a large graph: looks near the guess,
   then for a target of this rank, and only then into the index. */
struct vertex *vertex_index_near(struct vertex_index *p, struct vertex *parent,
                                 struct vertex *guess, const struct vertex *v);

/* Return the run of a type under `parent` that has the id; NULL if there is
   none. */
struct vertex *run_find(const struct vertex *parent, const char *type,
                        int64_t id);

/* Add a new pool of the set as the last child of a parent. */
void vertex_index_append(struct vertex_index *p, struct vertex *parent,
                         struct vertex *v);

/* Sort the children of each parent in the index. */
void vertex_index_sort(struct vertex_index *p);

void vertex_index_fini(struct vertex_index *p);

#endif /* COMPARE_VERTEX_INDEX_H */
