/*
 * The resource set: the one form that all the programs work on.
 *
 * Two kinds of document say what resources there are. An R (RFC 20) says it
 * in the shortest way: "ranks 0-999999 each have cores 0-47". A JGF graph
 * (RFC 4, RFC 20) says everything of each of a million pools. Both are read
 * into one structure, a tree of pools (RFC 4's composite hierarchy) in which
 *
 *     a vertex stands for one pool, or for a run of equal pools.
 *
 * A run is an idset: the ranks of execution targets, or the ids of pools
 * below a target. Its members have the same everything: type, children,
 * properties, tags. So an R of a million equal ranks is three vertices,
 *
 *     cluster0 -- node, run 0-999999 -- core, run 0-47
 *                                    `- gpu, run 0-7
 *
 * and a graph with racks, power and storage is a tree of single vertices
 * with names, uuids and sizes of their own; traversal, matching and algebra
 * are written once, over vertices. Who has what of it, and what is not up,
 * stands beside it (records/usage.h). Where a run stops to be equal it is
 * split, so that every vertex stays uniform. Writing groups what is equal
 * again: what is written depends on what the set means, not on how it came
 * about.
 *
 * The children of a vertex are its containment. Other subsystems (power,
 * network, storage) are links between vertices; pools that are in no
 * containment stand in trees of their own beside it (forest.h).
 *
 * Execution targets are the vertices of type node or storage_node that have
 * a rank. Their ranks and hosts are kept beside the tree as an idset and a
 * hostlist in ascending rank, and so cost what they cost in an R.
 */
#ifndef MODEL_TREE_RSET_H
#define MODEL_TREE_RSET_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/diag.h"
#include "base/map.h"
#include "base/near.h"
#include "set/hostlist.h"
#include "set/idset.h"

#define TIME_UNSET (-1.0)

/* Seconds since the Epoch: an integer where it is one. New reference. */
json_t *time_to_json(double value);

/* RFC 4's states. A pool of which nothing is said is up. */
enum pool_state {
    STATE_UP,
    STATE_DOWN,
    STATE_DEGRADED,
    STATE_FAILING,
    STATE_UNKNOWN,
    STATE_NONE,
    POOL_STATES
};
extern const char *const pool_state_names[POOL_STATES];

/* The state of that name, or -1. */
int pool_state_from_name(const char *name);

/* The states that are near a word which is none. */
struct near pool_state_near(const char *word, size_t len);

/*
 * Static properties: names, each with a value that is mostly "". A name `k=v`
 * is the same as k with the value v: an R knows nothing else.
 */
struct property {
    const char *key, *value; /* interned */
};
struct properties {
    unsigned count;
    struct property list[];
};

/* Containment deeper than this is refused; recursion over it is bounded. */
enum { DEPTH_MAX = 200 };

/*
 * A pool, or a run of equal pools. Strings are interned in the set, or live
 * as long as the set does.
 */
struct vertex {
    struct vertex *parent, *child, *next; /* in the hierarchy of its home */
    struct vertex *peer;  /* the same pool in another set: see align.h */
    struct idset *run;    /* NULL: one pool; otherwise ranks or ids */
    const char *type;     /* never NULL */
    const char *basename; /* never NULL */
    const char *name;     /* NULL only in a run: see vertex_name() */
    const char *unit;     /* "": none */
    const char *uuid;     /* NULL: made from path and rank when written */
    const char *home;     /* the hierarchy that it stands in, interned; NULL:
                             containment; see forest.h */
    const char *above; /* of a top there: the path in which it lies, interned;
                          NULL: it is a root */
    const struct properties *properties; /* NULL: none */
    struct lot *lot; /* who has it, and its state: see usage_settle() */
    json_t *extra;   /* metadata that is not ours, or NULL; see unknown.h */
    int64_t id;      /* -1: none; in a run see `run` */
    int64_t rank;    /* -1: none; in a run of targets see `run` */
    int64_t size;    /* units in the pool (in each pool of a run) */
    uint32_t index;  /* free for whoever walks the tree */
    uint32_t number; /* of the vertex in its set, from 1: see usage.h */
    bool exclusive;  /* in an inventory: taken whole or not at all;
                        in a job's R: the job holds all of it */
    bool closed;     /* it stands for what is not read yet: see rset.closed */
    bool implied;    /* known from R_lite alone: see shorthand.h */
    bool unlisted;   /* in a job's R that was just made: the job holds all of
                        it, and not all that is in it is listed */
};

/* An edge outside of containment. */
struct link {
    const char *subsystem, *relationship; /* interned */
    struct vertex *source, *target;
    json_t *extra; /* the set's, see unknown.h; NULL: none */
};

/* Which halves of an R document a set was read from, and is written to. */
enum { HALF_EXECUTION = 1, HALF_GRAPH = 2 };

/*
 * A set that is read piece by piece, as it is asked for: see pieces.h. Whoever
 * goes from a vertex to what is in it does that with vertex_child(); whether
 * there is anything, `child` tells.
 */
struct rset_source;
struct usage; /* who has what of a set: see records/usage.h */

struct rset {
    struct map names;
    struct arena arena;       /* vertices and properties */
    struct vertex **vertices; /* all that were made, for the end */
    size_t nvertices;
    struct vertex *spare; /* of them, by `next` */
    size_t cuts;          /* how often runs were cut, or joined */

    struct vertex *root;  /* NULL: a graph without vertices */
    struct vertex *loose; /* tops of other hierarchies, by `next` */
    struct link *links;
    size_t nlinks;

    struct idset *ranks;        /* of all execution targets */
    struct hostlist *hosts;     /* in ascending rank; NULL: not known */
    struct map *property_index; /* of each name the ranks: properties.h */

    struct vertex closed; /* the child of a vertex whose own are not read yet */
    struct rset_source *source; /* from which they are; NULL: all is there */

    struct usage *usage; /* NULL: nobody has anything, and all is up */
    void (*usage_end)(struct usage *u); /* frees it: see usage_get() */
    uint32_t numbers; /* that its vertices have already; 0: usage numbers
                         them */

    int halves;
    bool bare;         /* a bare {"graph": ...} */
    bool names_losses; /* written without its graph, a note also names the types
                          and properties that are left out */
    bool full;         /* its graph has uuids: it is in the full style */
    enum {
        NSLOTS_READ,
        NSLOTS_FIXED,
        NSLOTS_MOLDABLE
    } nslots;          /* from where
   nslots in execution_extra is: see rset_set_nslots() */
    bool shorthand;    /* its graph leaves out what is in exclusive vertices */
    const char *above; /* its graph is a fragment: the path of the pool in which
                          its root lies; NULL: it is whole */
    json_t *starttime, *expiration; /* as they were written; NULL: unset */
    const char **types; /* beyond core and gpu, what R_lite speaks of */
    size_t ntypes;
    struct map type_names; /* the first so many of them: see rlite_type() */
    size_t ntype_names;
    const char **property_names; /* in the order in which an R gave them */
    size_t nproperty_names;

    /* What is carried: objects of unknown keys, NULL if there are none. */
    json_t *attributes, *execution_extra, *scheduling, *graph_extra, *extra;

    json_t *link_extra; /* a list of what links have, NULL: nothing */

    char **notes; /* warnings that arose in reading */
    size_t nnotes;
};

/* A new set without any vertex; rset_destroy() frees all that is in it. */
struct rset *rset_create(void);
void rset_destroy(struct rset *rs); /* NULL is allowed */

/* Has it a graph, or does an R alone say what is in it? */
static inline bool rset_has_graph(const struct rset *rs)
{
    return rs->halves & HALF_GRAPH;
}

/* A warning for whoever reads the set, printf style, once. */
void rset_note(struct rset *rs, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* The same, all of another set's. */
void rset_note_all(struct rset *rs, const struct rset *from);

/*
 * How many slots of a request are in it; 0: not known. Where their number was
 * not left open only the current edition says it (document/edition.h).
 */
void rset_set_nslots(struct rset *rs, uint64_t n, bool moldable);

/*
 * The set changed: warn if it has another scheduler's `scheduling`, which we
 * do not understand and which therefore can't follow.
 */
void rset_note_scheduling(struct rset *rs);

/* Intern a string in the set. */
const char *rset_string(struct rset *rs, const char *text);

/*
 * A new vertex of a type, as yet nowhere in the tree: basename the type, no
 * name, no id, no rank, size 1, up.
 */
struct vertex *vertex_create(struct rset *rs, const char *type);

/*
 * A new single vertex under `parent` (NULL: it becomes the root), named
 * by basename and id. For sources of resources.
 */
struct vertex *vertex_add(struct rset *rs, struct vertex *parent,
                          const char *type, const char *basename, int64_t id);

/* A new run of pools under `parent`, which takes `run` over. */
struct vertex *vertex_add_run(struct rset *rs, struct vertex *parent,
                              const char *type, struct idset *run);

/* Make a vertex that has no parent the last child of one. */
void vertex_append(struct vertex *parent, struct vertex *v);

/*
 * Add an edge outside of containment; its words are interned, its `extra` is
 * borrowed.
 */
void rset_add_link(struct rset *rs, const struct link *link);

/* Add an edge of another set, or all, both of whose ends have a peer in rs. */
void rset_import_link(struct rset *rs, const struct link *l);
void rset_import_links(struct rset *rs, const struct rset *from);

/* Forget edges with an end that is not in the set any more. */
void rset_drop_unlinked(struct rset *rs);

/*
 * Set the properties of a vertex, or add to them: what it has, or what stands
 * in the list twice, counts once. Lists are copied and interned.
 */
void vertex_set_properties(struct rset *rs, struct vertex *v,
                           const struct property *list, size_t n);
void vertex_add_property(struct rset *rs, struct vertex *v, const char *key,
                         const char *value);
void vertex_add_properties(struct rset *rs, struct vertex *v,
                           const struct properties *list);
/* Is it among them (NULL: none)? */
bool properties_have(const struct properties *p, const struct property *one);
bool properties_equal(const struct properties *a, const struct properties *b);

/* The first of what is in a vertex, which is read now if it was not yet. */
struct vertex *vertex_open(const struct vertex *v);
static inline struct vertex *vertex_child(const struct vertex *v)
{
    return v->child && v->child->closed ? vertex_open(v) : v->child;
}

/* How many pools a vertex stands for under one parent: 1 or the run's. */
uint64_t vertex_count(const struct vertex *v);

/*
 * Has this pool to be taken whole (RFC 4 and 16, the exclusive flag)? In an
 * inventory `exclusive` says so. In the R of a job it says that the job
 * holds the pool whole, and then it stands on all that is in it, too; what
 * such an R is used for is not bound by that.
 */
bool vertex_taken_whole(const struct vertex *v);

/* Is it an execution target: node or storage_node with a rank? */
bool vertex_is_target(const struct vertex *v);
/* The target that v is, or the nearest one that it lies in; NULL: none. */
struct vertex *vertex_target(const struct vertex *v);
bool type_is_node(const char *type);

/* Is it a node, or does it lie in one? */
bool vertex_in_node(const struct vertex *v);

/*
 * A pool of type node and size 4 is four nodes. Each has its share of what is
 * below: so many units of `v` for one of `top`. What can't be shared out evenly
 * is nobody's, unless the pool is taken as a whole.
 */
int64_t vertex_share(const struct vertex *top, const struct vertex *v);

/*
 * The name of a vertex; of a run, of its member `n`: the host of rank n, or
 * basename and id. buf holds the text if it has to be made.
 */
enum { VERTEX_NAME_MAX = HOSTLIST_NAME_MAX };
const char *vertex_name(const struct rset *rs, const struct vertex *v,
                        uint32_t n, char buf[VERTEX_NAME_MAX]);

/*
 * By RFC 4 a name is basename and id, or the basename alone if id is -1: that
 * name, interned; is a name that?
 */
const char *rset_name_by_id(struct rset *rs, const char *basename, int64_t id);
bool is_name_by_id(const char *name, const char *basename, int64_t id);

/*
 * The path of a vertex in containment, a run under the name of its type: a
 * new string.
 */
char *vertex_path(const struct vertex *v);

/*
 * Write the name of a vertex; of several members of a run (NULL: it is none)
 * all their hosts, or the basename and all their ids.
 */
void vertex_write_name(const struct rset *rs, const struct vertex *v,
                       const struct idset *members, FILE *fp);

/*
 * Where a vertex is, for people: its path, with the members of a run as in
 * `/cluster0/n[0-3]/core[0-7]`; of a pool in no containment the URI in its
 * home. A new string.
 */
char *vertex_place(const struct rset *rs, const struct vertex *v);

/*
 * Is it named by basename and id, so that pools of one basename can be shown
 * together by their ids? Runs are; targets and pools with names of their own
 * are not.
 */
bool vertex_folds(const struct vertex *v);

/*
 * A copy of a vertex of another set, as yet nowhere in the tree: alone,
 * without run, and its facts only; or with all that it has and all below it,
 * and then each copy is the peer of its original. Who has it, and its state,
 * its `lot` tells until usage_gather().
 */
struct vertex *vertex_import(struct rset *rs, const struct vertex *v);
struct vertex *vertex_import_all(struct rset *rs, struct vertex *v);

/*
 * Vertices in a list, nowhere in the tree any more, with all below them: new
 * ones take their place.
 */
void vertices_spare(struct rset *rs, struct vertex *list);

/*
 * A copy of a run, and of all in it, beside it, with the members `run`. They
 * are not taken out of v, and lots stay with v: see vertex_split().
 */
struct vertex *vertex_copy_beside(struct rset *rs, struct vertex *v,
                                  const struct idset *run);

/* Is it that vertex, or below it? */
bool vertex_is_in(const struct vertex *v, const struct vertex *top);

/* Take v out of its parent's children. */
void vertex_unlink(struct rset *rs, struct vertex *v);

/*
 * Put the children of v in order: type, rank, id, name; of tops also home, and
 * the path in which they lie.
 */
void vertex_sort_children(struct vertex *v);
int vertex_compare(const struct vertex *a, const struct vertex *b);

/*
 * The pools under a parent in their order, members of several runs merged:
 * a stretch of members of one run, or a single vertex (lo = hi = 0). A new
 * array for free(); returns its length.
 */
struct span {
    struct vertex *v;
    uint32_t lo, hi;
};
size_t vertex_spans(const struct vertex *parent, struct span **spans);

/*
 * Walk: the vertex that follows v in preorder in the tree under `top`, or
 * NULL at the end. With `over` what is below v is passed over.
 */
struct vertex *vertex_next(const struct vertex *top, const struct vertex *v,
                           bool over);

/*
 * Walk over all vertices of a set that are in it: the tree in preorder, then
 * the trees of what is in no containment.
 *
 *     for (struct vertex *v = rset_first(rs); v; v = rset_next(rs, v))
 */
struct vertex *rset_first(const struct rset *rs);
struct vertex *rset_next(const struct rset *rs, const struct vertex *v);

/*
 * All execution targets in order of their rank (of the lowest in a run), in
 * a new array for free(). Returns their number.
 */
size_t rset_targets(const struct rset *rs, struct vertex ***targets);

/*
 * Find ranks and hosts anew from the tree of single vertices. Returns -1
 * with a diag if two targets have the same rank.
 */
int rset_index_targets(struct rset *rs, struct diag *d);

/* Add the ranks of a target to a set. */
void target_add_ranks(const struct vertex *target, struct idset *ranks);

/* The set's ranks and hosts are these now, which are taken over. */
void rset_set_ranks(struct rset *rs, struct idset *ranks,
                    struct hostlist *hosts);

/*
 * Only these of the set's ranks are left, with their hosts; `ranks` is taken
 * over. The tree is the caller's.
 */
void rset_keep_ranks(struct rset *rs, struct idset *ranks);

/*
 * Bring the ranks and hosts of b into a. False if the hosts of one are not
 * known: then no host is.
 */
bool rset_unite_hosts(struct rset *a, const struct rset *b);

/* The hosts of ranks that the set has, in a new list; it must have hosts. */
struct hostlist *rset_hosts_at(const struct rset *rs,
                               const struct idset *ranks);

/* The host of a rank into buf: its length, or -1 if it is not known. */
int rset_host(const struct rset *rs, uint32_t rank, char *buf, size_t size);

/* Times of the set, TIME_UNSET if unset. */
double rset_starttime(const struct rset *rs);
double rset_expiration(const struct rset *rs);

/* Set them; TIME_UNSET takes one away. */
void rset_set_times(struct rset *rs, double start, double expiration);

/*
 * The number of units of a type in the set: sizes of its pools, those of a
 * run for each member. Counted under `top`, NULL for the whole set.
 */
uint64_t rset_count(const struct rset *rs, const struct vertex *top,
                    const char *type);

/* The number of pools, which are the vertices that its graph has. */
uint64_t rset_pools(const struct rset *rs);

#endif /* MODEL_TREE_RSET_H */
