/*
 * Alignment: which pools of two sets are the same?
 *
 * The two trees are walked side by side. Where runs overlap in part, both
 * are cut, so that afterwards every vertex has either exactly one peer in
 * the other set, and it has the same members, or none. What then remains to
 * do for algebra, comparison and audits is a plain walk that looks at
 * `peer`. The cost follows runs: two sets of a million equal ranks are three
 * vertices against three vertices.
 *
 * Identity is the rank for execution targets of sets without a graph, type
 * and id below them, and path and rank for the vertices of graphs.
 */
#ifndef COMPARE_ALIGN_H
#define COMPARE_ALIGN_H

#include "compare/pools.h"
#include "model/tree/rset.h"

/*
 * Set the `peer` of every vertex of a and b. Both have a graph or neither
 * has (see rset_plain()). Returns -1 with a diag.
 */
int rset_align(struct rset *a, struct rset *b, struct diag *d);

/*
 * Set the peers of execution targets, and of what they lie in; pools in them
 * are not cut and get none. For two sets without graphs.
 */
void rset_align_targets(struct rset *a, struct rset *b);

/*
 * The same of one set with others, one after the other, at the cost of the
 * others. Only the peers of b are cleared before.
 *
 *     struct alignment s = {.a = a};
 *
 *     for (i = 0; i < n; i++)
 *         align_next(&s, others[i], d);
 *     align_fini(&s);
 */
struct alignment {
    struct rset *a, *b;
    struct pools pools; /* of a */
    bool targets;       /* what is in targets is not aligned */
    bool partial;       /* one side knows from R_lite alone what is in a vertex
                           of which the other has the graph: see shorthand.h */
};
int align_next(struct alignment *s, struct rset *b, struct diag *d);
void align_fini(struct alignment *s);

/*
 * Two vertices of s->a and s->b are the same: make them peers, and what is in
 * both. Only the peers in b are cleared before.
 */
void align_pair(struct alignment *s, struct vertex *a, struct vertex *b);

/*
 * The same set as an R without a graph says it: what R_lite does not speak
 * of is left out. With its records, or its resources alone. A new set, or
 * NULL with a diag: records may be such as an R can't say.
 */
struct rset *rset_plain(struct rset *rs, struct diag *d);
struct rset *rset_plain_resources(struct rset *rs, struct diag *d);

/*
 * The same, but a set without a graph is itself. When it is of no use any
 * more: rset_drop_plain().
 */
struct rset *rset_as_plain(struct rset *rs, struct diag *d);
void rset_drop_plain(struct rset *plain, const struct rset *rs);

/*
 * For a graph and a set without one: give a peer to every vertex of the
 * graph that the other set has by rank, type and id, and to its ancestors.
 * Vertices of `plain` get none. Returns -1 with a diag.
 */
int rset_align_plain(struct rset *graph, struct rset *plain, struct diag *d);

/*
 * The ranks of two sets that have other hosts in the one than in the other,
 * in ascending order.
 *
 *     other_hosts_init(&h, a, b);
 *     while (other_hosts_next(&h))
 *         use(h.rank, h.in_a, h.in_b);
 *     other_hosts_fini(&h);
 */
struct other_hosts {
    uint32_t rank;
    char in_a[HOSTLIST_NAME_MAX], in_b[HOSTLIST_NAME_MAX];
    struct idset *both;
    struct hostlist *a, *b;
    struct idset_iter next;
    struct hostlist_iter next_a, next_b;
};
void other_hosts_init(struct other_hosts *h, const struct rset *a,
                      const struct rset *b);
bool other_hosts_next(struct other_hosts *h);
void other_hosts_fini(struct other_hosts *h);

/*
 * An error that says so if a rank has different hosts in both: the first is
 * then in *rank (NULL is allowed). For sets that are `combined` --by host is a
 * way out.
 */
int rset_check_hosts(const struct rset *a, const struct rset *b, bool combined,
                     uint32_t *rank, struct diag *d);

/* An error that names both if two graphs have roots of different names. */
int rset_check_roots(const struct rset *a, const struct rset *b,
                     struct diag *d);

#endif /* COMPARE_ALIGN_H */
