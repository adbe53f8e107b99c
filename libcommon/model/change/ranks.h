/*
 * Gives the targets of a set other ranks.
 *
 * Everything with ranks follows: the targets and their contents, the nodelist,
 * and properties, records and states, which are kept on the vertices.
 */
#ifndef MODEL_CHANGE_RANKS_H
#define MODEL_CHANGE_RANKS_H

#include "base/map.h"
#include "model/tree/rset.h"

/* Give the targets ranks from 0 on, in their present order. */
void rset_remap(struct rset *rs);

/* Number the cores of each target from 0 on, in the order of their ids. Cores
   of one target with the same id keep one id. */
void rset_remap_cores(struct rset *rs);

/* Make the rank of each host its position in a list, which must name every host
   of the set once. Returns -1 with a diag otherwise. */
int rset_rerank(struct rset *rs, const struct hostlist *order, struct diag *d);

/*
 * Give hosts of b that are also in a the ranks that they have in a, and other
 * hosts of b ranks above all ranks of a. Each set must name every host once. If
 * `old` is not NULL, sets it to a new array of b's old ranks, in ascending
 * order of the new ones. Returns -1 with a diag.
 */
int rset_adopt_ranks(struct rset *b, const struct rset *a, uint32_t **old,
                     struct diag *d);

/*
 * Give many sets the ranks of a first one: its hosts keep their ranks, and new
 * hosts keep the ranks that they got in an earlier set.
 *
 *     host_ranks_init(&h, first, &d);
 *     for (i = 0; i < n; i++)
 *         host_ranks_adopt(&h, others[i], NULL, &d);
 *     host_ranks_fini(&h);
 */
struct host_ranks {
    struct map ranks;              /* rank + 1 of each host */
    uint64_t next;                 /* rank of the next new host */
    bool closed;                   /* new hosts are errors */
    char alike[HOSTLIST_NAME_MAX]; /* first new host that differs from another
                                      only by its domain; "": none */
};
int host_ranks_init(struct host_ranks *h, const struct rset *rs,
                    struct diag *d);
int host_ranks_adopt(struct host_ranks *h, struct rset *rs, uint32_t **old,
                     struct diag *d);
void host_ranks_fini(struct host_ranks *h);

/* Return whether the set has a host for every rank, and none twice. */
bool rset_hosts_unique(const struct rset *rs);

#endif /* MODEL_CHANGE_RANKS_H */
