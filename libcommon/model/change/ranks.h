/*
 * Giving the targets of a set other ranks.
 *
 * Everything that speaks of ranks follows: the targets and what is below
 * them, the nodelist, and with them properties, records and states, which
 * are kept on the vertices.
 */
#ifndef MODEL_CHANGE_RANKS_H
#define MODEL_CHANGE_RANKS_H

#include "base/map.h"
#include "model/tree/rset.h"

/* Ranks from 0 on, in the order in which they are. */
void rset_remap(struct rset *rs);

/*
 * The rank of each host is its position in a list, which names every host of
 * the set once.
 */
int rset_rerank(struct rset *rs, const struct hostlist *order, struct diag *d);

/*
 * Give the hosts that b has in common with a the ranks that they have in a,
 * and the others ranks above all of a's. Each set names every host once.
 * If `old` is not NULL it becomes a new array with the rank that each rank
 * of b, in ascending order of the new ones, had before.
 */
int rset_adopt_ranks(struct rset *b, const struct rset *a, uint32_t **old,
                     struct diag *d);

/*
 * The same where many sets follow one: the ranks of its hosts are kept, and
 * so are those that the hosts of the sets after it were given.
 *
 *     host_ranks_init(&h, first, &d);
 *     for (i = 0; i < n; i++)
 *         host_ranks_adopt(&h, others[i], NULL, &d);
 *     host_ranks_fini(&h);
 */
struct host_ranks {
    struct map ranks;              /* a host's rank + 1 */
    uint64_t next;                 /* for a host that is new */
    bool closed;                   /* there is to be none */
    char alike[HOSTLIST_NAME_MAX]; /* the first new one that differs from
                                      another in having a domain; "": none */
};
int host_ranks_init(struct host_ranks *h, const struct rset *rs,
                    struct diag *d);
int host_ranks_adopt(struct host_ranks *h, struct rset *rs, uint32_t **old,
                     struct diag *d);
void host_ranks_fini(struct host_ranks *h);

/* Has the set a host for every rank, each but once? */
bool rset_hosts_unique(const struct rset *rs);

#endif /* MODEL_CHANGE_RANKS_H */
