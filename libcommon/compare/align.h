/*
 * Inside compare: alignment, which finds the pools that are the same in two
 * sets.
 *
 * The two trees are walked side by side. Runs that overlap in part are cut.
 * Then each vertex has either one peer in the other set, with the same members,
 * or none. Algebra, comparison and audits then walk one tree and look at
 * `peer`. The cost follows runs: two sets of a million equal ranks are three
 * vertices against three vertices.
 *
 *     set              a pool is the same if it has the same
 *     without a graph  rank (a target); rank, type and id (all below)
 *     with a graph     path and rank
 */
#ifndef COMPARE_ALIGN_H
#define COMPARE_ALIGN_H

#include "compare/vertex_index.h"
#include "model/records/usage.h"
#include "set/overlay.h"

/* Set the `peer` of each vertex of a and b. Both must have a graph, or neither
   (see rset_plain()). Returns 0, or -1 with a diag. */
int rset_align(struct settled a, struct settled b, struct diag *d);

/*
 * Align one set with others, one after the other. The total cost is the size of
 * the others. Each call only clears the peers of b.
 *
 *     struct alignment s = {.a = a};
 *
 *     for (i = 0; i < n; i++)
 *         align_next(&s, usage_settle(others[i]), d);
 *     vertex_index_fini(&s.index);
 */
struct alignment {
    struct rset *a, *b;
    struct vertex_index index; /* of a */
    bool partial; /* some vertex has a graph only in one set: see shorthand.h */
};
int align_next(struct alignment *s, struct settled b, struct diag *d);

/* Make two vertices of s->a and s->b peers, then pair the same pools below
   them. Only clears the peers below b. */
void align_pair(struct alignment *s, struct vertex *a, struct vertex *b);

/*
 * Make a set without a graph from the R_lite of a set, with or without its
 * records. Returns a new set, or NULL with a diag if an R can't express the
 * records.
 */
struct rset *rset_plain(struct rset *rs, bool records, struct diag *d);

/* Return rs itself if it has no graph, else rset_plain() of it with records.
   Pass the result to rset_drop_plain() at the end. */
struct rset *rset_as_plain(struct rset *rs, struct diag *d);
void rset_drop_plain(struct rset *plain, const struct rset *rs);

/*
 * Align a graph with a set without one. Each vertex of the graph whose rank,
 * type and id are in b gets a peer, and so do its ancestors. Vertices of b get
 * none. Returns 0, or -1 with a diag.
 */
int rset_align_plain(struct settled a, struct settled b, struct diag *d);

/*
 * The targets of many sets without graphs. Each group of their overlay is a set
 * of ranks that belong to the same targets. Its labels are indices in `list`.
 */
struct targets {
    struct vertex **list; /* set by set, each in order */
    size_t *set;          /* index of the set of each target */
    size_t n, nfirst;     /* number of targets, in all and in the first set */
    struct overlay *overlay;
};
void targets_init(struct targets *t, struct rset *const *sets, size_t n);
void targets_fini(struct targets *t);

/*
 * Walk over the ranks with different hosts in two sets, in ascending order.
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
 * Check that no rank has different hosts in the two sets. Returns 0, or -1 with
 * a diag and the first such rank in *rank (NULL is allowed). `combined`: the
 * sets are to be combined, so the diag suggests --key host.
 */
int rset_check_hosts(const struct rset *a, const struct rset *b, bool combined,
                     uint32_t *rank, struct diag *d);

/* Check that the roots of two graphs have the same name. Returns 0, or -1 with
   a diag. */
int rset_check_roots(const struct rset *a, const struct rset *b,
                     struct diag *d);

#endif /* COMPARE_ALIGN_H */
