/*
 * The resource set: the one form on which all programs work.
 *
 * Two kinds of document describe resources. An R (RFC 20) is the shortest:
 * "ranks 0-999999 each have cores 0-47". A JGF graph (RFC 4, RFC 20) describes
 * each of a million pools. Both are read into a tree of pools (RFC 4's
 * composite hierarchy) in which
 *
 *     a vertex stands for one pool, or for a run of equal pools.
 *
 * A run is an idset: the ranks of execution targets, or the ids of pools in a
 * target. All its members have the same type, children, properties and tags. So
 * an R of a million equal ranks is three vertices,
 *
 *     cluster0 -- node, run 0-999999 -- core, run 0-47
 *                                    `- gpu, run 0-7
 *
 * and a graph with racks, power and storage is a tree of single vertices with
 * their own names, uuids and sizes. Traversal, matching and algebra are written
 * once, over vertices. Grants and states are kept beside the tree
 * (records/usage.h). If members of a run become different, the run is split, so
 * that every vertex stays uniform. Writing groups equal members again: the
 * output depends on the contents of the set, not on its history.
 *
 * The children of a vertex are its containment. Edges of other subsystems
 * (power, network, storage) are links between vertices. Pools outside
 * containment are in trees of their own (forest.h).
 *
 * Execution targets are the vertices of type node or storage_node that have a
 * rank. Their ranks and hosts are also kept as an idset and a hostlist in
 * ascending rank, as compact as in an R.
 *
 * Invariants between changes:
 *
 * - Children are in the order of vertex_sort_children(); members of two runs of
 *   one parent and type are disjoint.
 * - Everything in a target has the rank of the target, or is in its run.
 * - `ranks` and `hosts` have the ranks and hosts of all targets, and no other.
 * - Both ends of a link are in a tree of the set.
 * - A vertex that is `closed` stands for the children of its parent until
 *   vertex_child() reads them.
 *
 * Limits: names and texts live as long as the set (they are interned); one
 * thread works on a set; ids and ranks end at 2^32 - 2; trees are at most 200
 * levels deep.
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

/* Return seconds since the Epoch as JSON: an integer if possible, otherwise a
   real. New reference. */
json_t *time_to_json(double value);

/* The states of RFC 4. A pool is up unless a record says otherwise. */
enum pool_state {
    STATE_UP,
    STATE_DOWN,
    STATE_DEGRADED,
    STATE_FAILING,
    STATE_UNKNOWN,
    STATE_NONE,
    POOL_STATES
};
/* Words for states: their names; then what a pool that is down may be called;
   then how a node that is up is used. */
enum { STATE_WORDS = POOL_STATES + 2, NODE_STATE_WORDS = STATE_WORDS + 3 };
extern const char *const pool_state_names[NODE_STATE_WORDS];

/* Return the state with a name, or -1. */
int pool_state_from_name(const char *name);

/* Return which of the first n words for states are similar to a word. */
struct near pool_state_near(const char *word, int n);

/* Static properties: names, most with the value "". A property named `k=v`
   equals property k with the value v, because an R has only names. */
struct property {
    const char *key, *value; /* interned */
};
struct properties {
    unsigned count;
    struct property list[];
};

/* Deeper containment is refused. So recursion over it is bounded. */
enum { DEPTH_MAX = 200 };

/* A pool, or a run of equal pools. Strings are interned in the set, or live as
   long as the set. */
struct vertex {
    struct vertex *parent, *child, *next; /* in its home */
    struct vertex *peer;  /* its counterpart in another set: align.h */
    struct idset *run;    /* ranks or ids; NULL: a single pool */
    const char *type;     /* never NULL */
    const char *basename; /* never NULL */
    const char *name;     /* NULL only in a run: vertex_name() */
    const char *unit;     /* "": none */
    const char *uuid;     /* NULL: made from path and rank in writing */
    const char *home;     /* its hierarchy, interned; NULL: containment */
    const char *above;    /* of a top of another hierarchy: the path in which it
                             lies, interned; NULL: it is a root */
    const struct properties *properties; /* NULL: none */
    struct lot *lot; /* its grants and state: see usage_settle() */
    json_t *extra;   /* unknown metadata, or NULL; see unknown.h */
    int64_t id;      /* -1: none; a run has ids in `run` */
    int64_t rank;    /* -1: none; a run of targets has ranks in `run` */
    int64_t size;    /* units in the pool (in each pool of a run) */
    uint32_t index;  /* free for use by a walk */
    uint32_t number; /* of the vertex in its set, from 1: usage.h */
    bool exclusive; /* in an inventory: allocated only as a whole; in a job's R:
                       the job holds all of it */
    bool closed;    /* stands for children not yet read: see rset.closed */
    bool implied;   /* known only from R_lite: see shorthand.h */
    bool unlisted;  /* in a new R of a job: the job holds all of it, but the R
                       does not list all its contents */
};

/* An edge outside of containment. */
struct link {
    const char *subsystem, *relationship; /* interned */
    struct vertex *source, *target;
    json_t *extra; /* owned by the set, see unknown.h; NULL: none */
};

/*
 * The source of a set that is read piece by piece, on demand: see pieces.h. To
 * get the children of a vertex call vertex_child(). To ask only whether it has
 * any, look at `child`.
 */
struct rset_source;
struct usage; /* grants and states of a set: records/usage.h */

enum { HALF_EXECUTION = 1, HALF_GRAPH = 2 }; /* halves of an R */

/* The document that a set was read from, and that it is written to by default.
   Set by the readers in model/document and by sources of new sets; copied by
   rset_carry(). The writers use it. */
struct document {
    int halves;
    bool bare;         /* a bare {"graph": ...} */
    bool full;         /* its graph has uuids, so it is in the full style */
    bool names_losses; /* when written without its graph, a note also names
                          types and properties that are lost */
    /* Source of nslots in `execution`: it was read, or is of a request. If the
       request fixed it, only the current edition writes it
       (document/edition.h).
     */
    enum { NSLOTS_READ, NSLOTS_FIXED, NSLOTS_MOLDABLE } nslots;

    struct map types;            /* types in R_lite other than core and gpu */
    const char **property_names; /* in the order in which an R lists them */
    size_t nproperty_names;

    /* Unknown keys in these objects, and at the top (`extra`). NULL: none. */
    json_t *attributes, *execution, *scheduling, *graph, *extra;
};

struct rset {
    /* Memory. */
    struct map names;         /* interned strings */
    struct arena arena;       /* vertices and properties */
    struct vertex **vertices; /* all that were made, to free them */
    size_t nvertices;
    struct vertex *spare; /* unused ones of `vertices`, by `next` */
    json_t *link_extra;   /* an array of all links' `extra`; NULL: none */

    /* Pools and edges. */
    struct vertex *root;  /* NULL: a graph without vertices */
    struct vertex *loose; /* tops of other hierarchies, by `next` */
    struct link *links;
    size_t nlinks;
    size_t cuts;    /* number of times that runs were cut or joined */
    size_t changes; /* number of changes that end usage_settle() */

    /* Pools that are not in the tree. */
    struct vertex closed;       /* stands for children not read yet */
    struct rset_source *source; /* reads these children; NULL: all are read */
    bool shorthand;    /* the graph omits the contents of exclusive vertices */
    const char *above; /* path of the pool that contains a fragment, or NULL */

    /* Execution targets. */
    struct idset *ranks;        /* of all targets */
    struct hostlist *hosts;     /* in ascending rank; NULL: unknown */
    struct map *property_index; /* ranks by name of a property: properties.h */

    /* Records, and the time for which a job has the set. */
    struct usage *usage; /* NULL: no grants, and all pools are up */
    void (*usage_end)(struct usage *u); /* frees it: usage_get() */
    uint32_t numbers; /* given to vertices already; 0: usage gives them */
    json_t *starttime, *expiration; /* as written; NULL: unset */

    /* Input and output. */
    struct document document;
    char **notes; /* warnings for the user */
    size_t nnotes;
};

/* The values that a set keeps as they were read, by their names in a store.
   rset_value() returns the place of one in a set; NULL there: none. */
struct rset_value {
    const char *name;
    size_t at;
};
enum { RSET_VALUES = 7 };
extern const struct rset_value rset_values[RSET_VALUES];
json_t **rset_value(const struct rset *rs, size_t i);

/* Return a new set without vertices. rset_destroy() frees a set and all its
   members. */
struct rset *rset_create(void);
void rset_destroy(struct rset *rs); /* NULL is allowed */

/* Return whether a set has a graph; if not, it is only an R. */
static inline bool rset_has_graph(const struct rset *rs)
{
    return rs->document.halves & HALF_GRAPH;
}

/* Add a warning for the user (printf style), unless the set has it already. */
void rset_note(struct rset *rs, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Add all warnings of another set. */
void rset_note_all(struct rset *rs, const struct rset *from);

/* Warn, after a change, if the set has `scheduling` of another scheduler, which
   can't follow the change because its format is unknown. */
void rset_note_scheduling(struct rset *rs);

/* Intern a string in the set; NULL stays NULL. */
const char *rset_string(struct rset *rs, const char *text);

/* Return a new vertex outside the tree. Its basename is the type; it has no
   name, id or rank, size 1, and is up. */
struct vertex *vertex_create(struct rset *rs, const char *type);

/* Add a single vertex below `parent` (NULL: as the root), named by type and id.
   For sources of resources. */
struct vertex *vertex_add(struct rset *rs, struct vertex *parent,
                          const char *type, int64_t id);

/* Add a run of pools below `parent`. Takes `run` over. */
struct vertex *vertex_add_run(struct rset *rs, struct vertex *parent,
                              const char *type, struct idset *run);

/* Make a vertex without a parent the last child of `parent`. */
void vertex_append(struct vertex *parent, struct vertex *v);

/* Add an edge outside containment. Its strings are interned already; its
   `extra` is borrowed. */
void rset_add_link(struct rset *rs, const struct link *link);

/* Copy an edge of another set, or all edges. Edges with an end that has no peer
   in rs are left out. */
void rset_import_link(struct rset *rs, const struct link *l);
void rset_import_links(struct rset *rs, const struct rset *from);

/* Drop edges with an end that is no longer in the set. */
void rset_drop_unlinked(struct rset *rs);

/*
 * Set the properties of a vertex, or add to them. Duplicates in the list, and
 * properties that the vertex has already, count once. Lists are copied and
 * interned.
 */
void vertex_set_properties(struct rset *rs, struct vertex *v,
                           const struct property *list, size_t n);
void vertex_add_property(struct rset *rs, struct vertex *v, const char *key,
                         const char *value);
void vertex_add_properties(struct rset *rs, struct vertex *v,
                           const struct properties *list);
/* Return whether a list (NULL: empty) has a property. */
bool properties_have(const struct properties *p, const struct property *one);
bool properties_equal(const struct properties *a, const struct properties *b);

/* Return the first child of a vertex, and read its children if they are not
   read yet. */
struct vertex *vertex_open(const struct vertex *v);
static inline struct vertex *vertex_child(const struct vertex *v)
{
    return v->child && v->child->closed ? vertex_open(v) : v->child;
}

/* Return the pools that a vertex stands for below one parent: 1, or the members
   of the run. */
uint64_t vertex_count(const struct vertex *v);

/*
 * Return whether a pool must be taken whole (RFC 4 and 16, exclusive flag). In
 * an inventory `exclusive` says so. In the R of a job it says that the job
 * holds the pool whole, and then all contents have the flag, too: such an R
 * does not restrict later requests.
 */
bool vertex_taken_whole(const struct vertex *v);

/* Return whether a vertex is an execution target: node or storage_node with a
   rank. */
bool vertex_is_target(const struct vertex *v);
/* Return v if it is a target, otherwise the nearest target around it, or
   NULL. */
struct vertex *vertex_target(const struct vertex *v);
bool type_is_node(const char *type);

/* Return whether a vertex is a node or lies in a node. */
bool vertex_in_node(const struct vertex *v);

/*
 * Return the units of `v` for one unit of `top`. (A pool of type node and size
 * 4 is four nodes, and each has its share of the contents.) A remainder belongs
 * to none; it is given only with the whole pool.
 */
int64_t vertex_share(const struct vertex *top, const struct vertex *v);

/* Return the name of a vertex, or of member `n` of a run: the host of rank n,
   or basename and id. `buf` is used if the name must be made. */
enum { VERTEX_NAME_MAX = HOSTLIST_NAME_MAX };
const char *vertex_name(const struct rset *rs, const struct vertex *v,
                        uint32_t n, char buf[VERTEX_NAME_MAX]);

/*
 * rset_name_by_id() returns the usual name of RFC 4, interned: basename and id,
 * or only the basename if id is -1. is_name_by_id() returns whether a name is
 * this.
 */
const char *rset_name_by_id(struct rset *rs, const char *basename, int64_t id);
bool is_name_by_id(const char *name, const char *basename, int64_t id);

/* Return the path of a vertex in its hierarchy, with types as names of runs: a
   new string. */
char *vertex_path(const struct vertex *v);

/* Write the name of a vertex, or of several members of a run: their hosts, or
   the basename and their ids. `members` is NULL for a single vertex. */
void vertex_write_name(const struct rset *rs, const struct vertex *v,
                       const struct idset *members, FILE *fp);

/*
 * Return the place of a vertex for people: its path, with members of a run as
 * in `/cluster0/n[0-3]/core[0-7]`; outside containment the URI in its home. A
 * new string.
 */
char *vertex_place(const struct rset *rs, const struct vertex *v);

/*
 * Return whether a vertex is named by basename and id, so that several can be
 * shown together by their ids. True for runs; false for targets and other pools
 * with names of their own.
 */
bool vertex_folds(const struct vertex *v);

/*
 * Copy a vertex of another set; the copy is not yet in the tree.
 * vertex_import() copies the facts of one vertex, without run and children.
 * vertex_import_all() copies everything below it, too, and makes each copy the
 * peer of its original. The `lot` of a copy tells its grants and state until
 * usage_gather().
 */
struct vertex *vertex_import(struct rset *rs, const struct vertex *v);
struct vertex *vertex_import_all(struct rset *rs, struct vertex *v);

/* Add copies of all pools outside containment, like vertex_import_all(). */
void rset_import_loose(struct rset *to, const struct rset *from);

/* Copy to an empty set all members of `from` except its trees, ranks and hosts:
   form, times, attributes, unknown keys, the order of properties. */
void rset_carry(struct rset *to, const struct rset *from);

/* Free vertices in a list that is no longer in the tree, and everything below
   them, for use by new vertices. */
void vertices_spare(struct rset *rs, struct vertex *list);

/* Copy a run with its contents beside itself, with the members `run`. v keeps
   these members and all lots: see vertex_split(). */
struct vertex *vertex_copy_beside(struct rset *rs, struct vertex *v,
                                  const struct idset *run);

/* Return whether a vertex is `top` or below it. */
bool vertex_is_in(const struct vertex *v, const struct vertex *top);

/* Remove v from its parent's children. */
void vertex_unlink(struct rset *rs, struct vertex *v);

/*
 * Sort the children of v by type, rank, id and name; tops also by home and by
 * the path in which they lie. vertex_compare() compares two vertices in this
 * order.
 */
void vertex_sort_children(struct vertex *v);
int vertex_compare(const struct vertex *a, const struct vertex *b);

/*
 * List the pools below a parent in their order, with members of several runs
 * merged. Each span is a stretch of members of one run, or a single vertex (lo
 * = hi = 0). Sets *spans to a new array for free() and returns its length.
 */
struct span {
    struct vertex *v;
    uint32_t lo, hi;
};
size_t vertex_spans(const struct vertex *parent, struct span **spans);

/* Return the vertex after v in preorder below `top`, or NULL at the end.
   `over`: skip the contents of v. */
struct vertex *vertex_next(const struct vertex *top, const struct vertex *v,
                           bool over);

/*
 * Walk over all vertices of a set: the tree in preorder, then the trees outside
 * containment.
 *
 *     for (struct vertex *v = rset_first(rs); v; v = rset_next(rs, v))
 */
struct vertex *rset_first(const struct rset *rs);
struct vertex *rset_next(const struct rset *rs, const struct vertex *v);

/* List all execution targets in order of rank (of a run: of its lowest rank),
   in a new array for free(). Returns their number. */
size_t rset_targets(const struct rset *rs, struct vertex ***targets);

/* Find ranks and hosts again from a tree of single vertices. Returns -1 with a
   diag if two targets have the same rank. */
int rset_index_targets(struct rset *rs, struct diag *d);

/* Add the ranks of a target to a set of ranks: at once, or with idset_push() if
   many targets come in no order. */
void target_add_ranks(const struct vertex *target, struct idset *ranks);
void target_push_ranks(const struct vertex *target, struct idset *ranks);

/* Replace the set's ranks and hosts. Takes both over. */
void rset_set_ranks(struct rset *rs, struct idset *ranks,
                    struct hostlist *hosts);

/* Keep only these ranks of the set and their hosts. Takes `ranks` over. Does
   not change the tree. */
void rset_keep_ranks(struct rset *rs, struct idset *ranks);

/* Add the ranks and hosts of b to a. Returns false if only one of them has
   hosts: then a has none. */
bool rset_unite_hosts(struct rset *a, const struct rset *b);

/* Return the hosts of ranks of a set that has hosts, as a new list, or as a new
   string such as "n[0-3]". */
char *rset_hosts_text(const struct rset *rs, const struct idset *ranks);
struct hostlist *rset_hosts_at(const struct rset *rs,
                               const struct idset *ranks);

/* Write the host of a rank into buf. Returns its length, or -1 if it is
   unknown. */
int rset_host(const struct rset *rs, uint32_t rank,
              char buf[HOSTLIST_NAME_MAX]);

/* Return a time of the set, or TIME_UNSET. */
double rset_starttime(const struct rset *rs);
double rset_expiration(const struct rset *rs);

/* Set both times. TIME_UNSET removes a time. */
void rset_set_times(struct rset *rs, double start, double expiration);

/* Return the number of units of a type below `top` (NULL: in the whole set):
   the sizes of its pools, a run counting for each member. */
uint64_t rset_count(const struct rset *rs, const struct vertex *top,
                    const char *type);

/* Return the number of pools. A graph has this many vertices. */
uint64_t rset_pools(const struct rset *rs);

#endif /* MODEL_TREE_RSET_H */
