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
 * so nothing is counted again. If a pool contains many lots, they are also in a
 * balanced tree whose nodes keep the maxima of their subtrees. So the next lot
 * in order that has enough is found in logarithmic time. A match, a grant and a
 * release cost the size of the grant, not the size of the machine.
 *
 *     struct usage *u = usage_begin(rs);    owned by the set; has all sums
 *     struct lot *root = lot_open(u, usage_top(u)), *lot = NULL;
 *     struct needs needs = {0};
 *
 *     needs_add(&needs, (unsigned)usage_type(u, "core"), 4);
 *     while ((lot = usage_next(u, root, lot, &needs, false)))
 *         ...                               nodes with four free cores each
 *     lot_split(u, lot, 5, 1);              make member 5 a lot of its own,
 *     ...                                   give it to a job, take it back,
 *     lot_join(u, lot);                     join it with equal neighbours
 *
 * Other directories read the members `parent`, `v`, `at`, `n`, `grants`, `next`
 * and `state` of a lot, and `taken`, `held` and `blocked`, which hold for the
 * period of the usage. Searches read them for each pool that they try; function
 * calls would make them 3 to 15 % slower. Everything else of a lot, and every
 * change, is a function call.
 *
 * To ask about vertices instead of lots, call usage_settle() first. It finds or
 * makes a vertex for each lot that has grants or a state. (In these comments a
 * lot "has a state" if it is not up, and "has a grant" if a job has one on it,
 * now or at another time.)
 */
#ifndef MODEL_RECORDS_USAGE_H
#define MODEL_RECORDS_USAGE_H

#include "base/treap.h"
#include "model/records/records.h"
#include "model/tree/rset.h"

struct grant;
struct job;
struct supply;
struct profile;
struct term;
struct rank_range;
struct order; /* see usage_next() and usage_rank() */

/* The contents of a lot. */
struct inside {
    struct lot *child;       /* the first one */
    struct order *order;     /* of the children; made by a search among many */
    struct profile *profile; /* of a node: profile.c */
    uint32_t nchildren;
    uint32_t nused;    /* children that have a grant or a state, or
                          that contain a lot that has */
    uint32_t nchanged; /* changes of children's facts since equal runs were last
                          joined: facts.c */
    int64_t sums[];    /* over all children: see lot_sums() */
};

/* A lot. Documents have a million lots, so members that few lots need are in
   `struct inside`, which is made on demand. */
struct lot {
    struct lot *parent;
    struct vertex *v;
    uint32_t at, n; /* members of a run: at, at + 1, ...; 0 and 1 for a pool */
    struct grant *grants;    /* on this lot itself */
    struct lot *next, *prev; /* siblings in order */
    struct inside *in; /* NULL: not opened yet, so all contents are free; or
                          there are none */
    int64_t taken;     /* units claimed in the period, of each member */
    uint32_t seen;     /* last walk that visited it: usage_walk() */
    enum pool_state state : 8; /* its own; see lot_not_up() */
    bool blocked : 1;          /* held whole, not up or staged */
    bool touched : 1;          /* held, shared, not up or staged */
    bool stored : 1; /* its grants and contents are not read yet, but counted:
                        see pieces.h */
    bool held : 1;   /* in the period, a part is claimed or shared */
    bool lags : 1; /* its place in orders is out of date: see orders_defer() */
};

/* Flags of a type. */
enum {
    TYPE_IN_NODES = 1, /* some pool of it lies in a node */
    TYPE_POOLED = 2,   /* some pool of it has a size other than 1 */
    TYPE_NO_UNIT = 4,  /* some pool of it has no unit */
    TYPE_MARKED = 8,   /* the inventory marks some pool of it exclusive */
    TYPE_BARE = 16,    /* some pool of it has no children */
    TYPE_OUTSIDE = 32, /* some pool of it lies in no node */
    TYPE_NODE = 64     /* its pools are nodes */
};

/* One end of an edge: the pool that it reaches. Its descendants are reached
   too, unless `alone`. */
struct reach {
    struct vertex *v;
    bool alone;
};

/* A unit of measure of pools of a type. */
struct type_unit {
    unsigned ntype;
    const char *unit;
    int64_t total; /* of all these pools */
};

/* Facts about types, found before any request. */
struct types {
    const char **names; /* interned in the set */
    unsigned count;
    unsigned char *flags; /* of each type */
    bool nodes_nested;    /* some node lies in a node */
    bool marked;          /* the inventory marks some pool exclusive */
    struct nesting {
        int64_t least, most; /* units below any pool of a */
        bool child;          /* some pool of b is a child of a pool of a */
        bool reached;        /* see usage_reaches() */
        uint32_t n;          /* vertices of a with any b below */
    } * nesting; /* [a * count + b]: pools of type b inside pools of type a.
                    NULL if there are many types: `pairs` has the pairs that
                    occur */
    struct map pairs, numbers; /* `numbers`: types by name, if there are many */
    struct arena arena;
    uint32_t *nabove; /* in a survey: vertices of a type with contents */
    struct type_unit *units;
    size_t nunits;
    bool huge;           /* some number of units does not fit into 64 bits */
    struct reach *reach; /* see usage_reach(); NULL: there are no links */
    uint32_t *reach_of;  /* by vertex number: index of its first reach */
    /* Units below a pool, by type: see usage_total(). */
    int64_t *rows;
    uint32_t *row_of; /* by vertex number: 1 + row, or 0 */
    uint32_t nnumbers, nrows;
    bool known; /* false: only the numbers of vertices are set */
};

/* Most types of one ranking; most rankings at a time: usage_rank(). */
enum { RANK_TYPES = 8, RANKINGS = 4 };

/* Changes since usage_watch() or usage_forget_changes(). */
enum { JOB_CHANGED, JOB_ENDED };
struct watch {
    bool on;
    bool states;
    struct map jobs; /* by name: JOB_CHANGED, with JOB_ENDED if the job ended in
                        between */
};

/* Units that must be free (row = number of a type) or idle (row = number of
   types + number of a type), at least. */
enum { NEEDS_MAX = 12 };
struct needs {
    unsigned n;
    struct {
        unsigned row;
        int64_t least;
    } at[NEEDS_MAX];
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
 * states. This holds until the next change other than cutting a run.
 */
void usage_settle(struct rset *rs);

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

/* Return the state in the `lot` of a vertex. It is valid for all members. */
enum pool_state vertex_state(const struct vertex *v);

/* Return whether the `lot` of a vertex has a grant or a state. */
bool vertex_is_used(const struct vertex *v);

/* Return how pools of type `ntype` lie in pools of type `above`. */
const struct nesting *types_find_nesting(const struct types *t, unsigned above,
                                         unsigned ntype);
static inline const struct nesting *
types_nesting(const struct types *t, unsigned above, unsigned ntype)
{
    return t->nesting ? &t->nesting[above * t->count + ntype]
                      : types_find_nesting(t, above, ntype);
}

/* Return the entry of a pair of types for changing it; made if there is none.
   types_make_table() makes the table of all pairs. types_fini() frees all facts
   of types that a store read. */
struct nesting *types_nest(struct types *t, unsigned above, unsigned ntype);
void types_make_table(struct types *t);
void types_fini(struct types *t);

/* Return the type of nodes, or -1 if there are several or none. */
int types_node(const struct types *t);

/* Return whether some pool of a type lies below a pool of another type. */
static inline bool types_below(const struct types *t, int ntype, int above)
{
    return types_nesting(t, (unsigned)above, (unsigned)ntype)->most > 0;
}

/* Return the number of a type in the set, or -1 if the set has no pool of
   it. */
int usage_type(const struct usage *u, const char *type);

/* Return whether a pool of a type may be a child of a pool of the type of
   `parent`. */
bool usage_is_child(const struct usage *u, int ntype,
                    const struct vertex *parent);

/* Return the number of units of a type below a vertex (a run: below each
   member). */
int64_t usage_total(const struct usage *u, const struct vertex *v, int ntype);

/* Return the numbers of units of all types below a vertex (a run: below each
   member), or NULL if it has no contents. */
const int64_t *usage_row(const struct usage *u, const struct vertex *v);

/* Return the fewest units of type `below` that any pool of type `ntype`
   contains. */
int64_t usage_least_below(const struct usage *u, int ntype, int below);

/*
 * Set *list to the pools that the edges of a pool reach, in either direction,
 * in the order of the set, and return their number. No pool occurs twice or
 * inside another one, and none is an ancestor or a descendant of `v`.
 *
 * In a hierarchy other than containment a pool also has the edges of its
 * descendants, and the ancestors of a reached pool are reached as well,
 * `alone`. A pool in containment with an edge to a top of another hierarchy
 * also has the edges of that top.
 */
size_t usage_reach(const struct usage *u, const struct vertex *v,
                   const struct reach **list);

/* Return whether some pool of a type reaches a pool of type `to`, or a pool
   that contains one. */
bool usage_reaches(const struct usage *u, int ntype, int to);

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

/*
 * A kind of equal parts of nodes: what each part needs in a node, and the ranks
 * of the nodes that count; NULL: all.
 */
struct part_kind {
    struct needs each;
    struct idset *in;
};
bool part_kind_equal(const struct part_kind *a, const struct part_kind *b);

/*
 * Return the first start, not before `from`, at which all nodes together may
 * give `least` parts of a kind, beside promises, for a duration (0: without
 * end). INFINITY if there is none before `limit`.
 */
double usage_first_start(struct usage *u, const struct part_kind *kind,
                         int64_t least, double from, double limit,
                         double duration);

/*
 * As usage_first_start(), but each node has to have its part of the units for
 * the whole duration, and nodes that are not `allowed` (ranks; NULL: all are)
 * or that a place has meanwhile don't count. It is nearer to the truth, and
 * costs a walk over all nodes. *most: the most that they may give at any start
 * that was looked at.
 */
double usage_first_window(struct usage *u, const struct needs *each,
                          int64_t least, const struct idset *allowed,
                          double from, double limit, double duration,
                          int64_t *most);

/* Return how many times one node has some units at most, if nothing in it is
   claimed. */
int64_t usage_most_parts(struct usage *u, const struct needs *each);

/* Let usage_first_window() leave out the claims of a job; count them again.
   Nothing else may be asked, and nothing may change in between. */
void usage_leave_out(struct usage *u, const struct job *job, bool out);

/*
 * Parts of nodes that are promised for a time. A promise is no grant. It is a
 * number, which usage_first_start() leaves out; and if it has a place, which
 * only a promise of whole nodes can have, a match leaves out the nodes with
 * these ranks for that time. Set the last five members before usage_promise(),
 * and keep the promise and its kind where they are until it is taken back.
 * usage_taken() returns the places of all promises between two times, a new
 * set; NULL: there are none.
 */
struct promise {
    struct promise *next, *prev;
    const struct part_kind *kind;
    int64_t times;
    double from, to;     /* INFINITY: for ever */
    struct idset *ranks; /* its place; NULL: it has none */
};
void usage_promise(struct usage *u, struct promise *p);
void usage_take_back(struct usage *u, struct promise *p);
struct idset *usage_taken(struct usage *u, double from, double to);

/*
 * usage_place() finds a place for a promise that has none and is not made yet:
 * the nodes with the lowest ranks that are idle all the time, and that no other
 * place has then. Returns false if there are too few. usage_keeps_place()
 * returns whether nothing is in the way of a place. usage_unplace() drops it.
 * All three are only for sets where usage_counts_nodes() holds.
 */
bool usage_place(struct usage *u, struct promise *p);
bool usage_keeps_place(struct usage *u, const struct promise *p);
void usage_unplace(struct promise *p);

/* Return whether usage_first_start() is exact if only nodes can be down, and
   all promises are of the kind or lie in other nodes: not if there are several
   types of nodes, a node lies in another one, a vertex stands for several
   nodes, or anything around nodes is held. */
bool usage_counts_nodes(struct usage *u);

/*
 * Questions about claims and the promises that have places: the first end after
 * a time, or INFINITY if there is none.
 */
double usage_next_end(struct usage *u, double time);

/* Return the number of ends with from <= end < to, and set *ends to a new array
   of them, ascending; free it with free(). */
size_t usage_ends(struct usage *u, double from, double to, double **ends);

/* Return whether any begins after a time. */
bool usage_begins(struct usage *u, double after);

/*
 * Drop the claims and shares that ended by `now` while they waited for another
 * job (grant_awaits()): they have never held anything, and wait for nothing any
 * more. Before each command that knows the time.
 */
void usage_lapse(struct usage *u, double now);

/* --- lots --------------------------------------------------------------- */

/* A list of lots. Free `list` with free(). */
struct lots {
    struct lot **list;
    size_t n;
};
void lots_add(struct lots *lots, struct lot *lot);

/* Return all lots of a vertex, in all lots of its parent. */
struct lots usage_lots(struct usage *u, const struct vertex *v);

/* Add the lots with these members of a vertex below `parent`, and split them
   off. */
void lots_take(struct usage *u, struct lot *parent, const struct vertex *v,
               const struct idset *members, struct lots *out);

/* Return the execution targets with these ranks, in order of rank, and set *n.
   Returns NULL if any target of the set is a run. */
struct vertex *const *usage_targets(struct usage *u, struct idrange ranks,
                                    size_t *n);

/* Add the lots of the execution targets with these ranks, in order of rank. */
void lots_of_ranks(struct usage *u, const struct idset *ranks,
                   struct lots *out);

/*
 * Split a run. Members in `ids` (a part, or all) get a vertex of their own
 * beside v, which keeps the rest. Returns the vertex of `ids`, which is v if
 * `ids` are all members.
 */
struct vertex *vertex_split(struct rset *rs, struct vertex *v,
                            const struct idset *ids);

/* Copy a run beside itself with some of its members, and move their lots
   there. */
struct vertex *vertex_copy_members(struct rset *rs, struct vertex *v,
                                   const struct idset *members);

/* Join lots that were split off, and the lots around them, with their
   neighbours, if none has a grant or a state. */
void lots_join(struct usage *u, const struct lots *lots);

/*
 * lots_cut(): before a change of facts, give each lot, and each lot around it,
 * a vertex with only its members. Lots in the same state may get one vertex
 * together. This cuts runs.
 *
 * lots_rejoin(): after the change, join the lots, and make one run of equal
 * runs. Few runs are joined at once, many only at times, so that a change costs
 * what it changes.
 */
void lots_cut(struct usage *u, const struct lots *lots);
void lots_rejoin(struct usage *u, const struct lots *lots);

/* Give one lot a vertex with only its members, like lots_cut(), and return the
   vertex. */
struct vertex *lot_vertex(struct usage *u, struct lot *lot);

/* usage_walk() begins a walk that has `seen` no lot, and returns its number.
   lot_visit() returns whether the walk visits a lot for the first time. */
uint32_t usage_walk(struct usage *u);
bool lot_visit(struct lot *lot, uint32_t walk);

/* Add the lots of a list that no other lot of it contains, each once. */
void lots_tops(struct usage *u, const struct lots *lots, struct lots *tops);

/* Return the first child; NULL: there is none, or the lot was not opened. */
static inline struct lot *lot_child(const struct lot *lot)
{
    return lot->in ? lot->in->child : NULL;
}

/* Return whether the children were made. If not, all contents are free, or
   there are none. */
static inline bool lot_is_open(const struct lot *lot)
{
    return lot->in;
}

/* Return the number of children that have a grant or a state, or that contain
   such a lot. */
static inline uint32_t lot_nused(const struct lot *lot)
{
    return lot->in ? lot->in->nused : 0;
}

/* Return units below a lot, of each member: free units of type t for row t,
   idle units for row count + t. */
int64_t lot_below(const struct usage *u, const struct lot *lot, unsigned row);

/* Return units in a lot, its own included, of each member, as if it were not
   blocked; rows as for lot_below(). */
int64_t lot_units(const struct usage *u, const struct lot *lot, unsigned row);

/* Return the lot, or the nearest lot around it, that is not up; NULL if all are
   up. */
const struct lot *lot_not_up(const struct lot *lot);

/* Return the number of pools that a lot is in one member of `top`; NULL: in the
   whole set. */
int64_t lot_pools(const struct lot *lot, const struct lot *top);

/* Return the ranks of a lot of execution targets. */
struct idrange lot_ranks(const struct lot *lot);

/* Return whether the lot itself has a grant or a state. */
bool lot_is_used(const struct lot *lot);

/* Return whether neither the lot nor any lot in it has a grant or a state. */
bool lot_is_blank(const struct lot *lot);

/* Set the state of a lot. */
void lot_set_state(struct usage *u, struct lot *lot, enum pool_state state);

/*
 * Return the number of jobs that share a pool or hold anything in it (RFC 4,
 * shared), and set *list to them in the order of documents. The list is valid
 * until the next change of a grant.
 */
size_t lot_sharers(struct usage *u, const struct lot *lot, struct job ***list);

/* Read the grants of a lot and the lots in it, if they are not read yet. */
void lot_read(struct usage *u, struct lot *lot);
static inline void lot_load(struct usage *u, struct lot *lot)
{
    if (lot->stored)
        lot_read(u, lot);
}

/* Make the children of a lot if they are not made yet, and return the first. */
struct lot *lot_open(struct usage *u, struct lot *lot);

/* Return the child of a lot with member `at` of a vertex (0 for a pool). */
struct lot *lot_find(struct usage *u, struct lot *parent,
                     const struct vertex *v, uint32_t at);

/* Make n members from `at` on a lot of their own. `lot` keeps them; new lots
   get the others. */
void lot_split(struct usage *u, struct lot *lot, uint32_t at, uint32_t n);

/* Return the lot after `lot` and all lots in it, in preorder under `top`; NULL
   at the end. */
static inline struct lot *lot_after(const struct lot *top,
                                    const struct lot *lot)
{
    while (lot != top && !lot->next)
        lot = lot->parent;
    return lot != top ? lot->next : NULL;
}

/* Return the lot after `lot` in preorder under `top`, and open lots on the way.
   `over`: skip the contents of `lot`. NULL at the end. */
struct lot *lot_next(struct usage *u, const struct lot *top, struct lot *lot,
                     bool over);

/* Return the next lot in preorder under `top` that was made already; other lots
   have no grants. NULL at the end. */
struct lot *lot_next_in(struct usage *u, const struct lot *top,
                        struct lot *lot);

/* As lot_next_in(), but pass over the contents of lots in which nothing has a
   grant or a state. */
struct lot *lot_next_recorded(struct usage *u, const struct lot *top,
                              struct lot *lot);

/* Return the units of a pool that no job holds. */
int64_t lot_free(const struct lot *lot);

/* Return whether neither the lot nor any lot in it is held, staged, shared or
   not up. */
bool lot_idle(const struct lot *lot);

/* Return whether a lot is `top` or below it. */
bool lot_is_in(const struct lot *lot, const struct lot *top);

/* Compare two siblings by their order. */
int lot_compare(const struct lot *a, const struct lot *b);

/*
 * Join an unused lot with unused neighbours of the same run. Return the lot
 * that remains; pointers to a lot that was joined into another become invalid.
 * lot_join() continues with the lots around it.
 */
struct lot *lot_join_here(struct usage *u, struct lot *lot);
void lot_join(struct usage *u, struct lot *lot);

/* --- the next that has enough ------------------------------------------- */

/* Require at least `least` units of a row. Left out if there is no room: needs
   only exclude lots quickly. */
void needs_add(struct needs *needs, unsigned row, int64_t least);

/*
 * Return the first child after `from` (NULL: of all) that satisfies `needs`;
 * with `back` the last child before it. NULL if there is none. `needs` may be
 * NULL: nothing is needed.
 */
struct lot *usage_next(struct usage *u, struct lot *parent, struct lot *from,
                       const struct needs *needs, bool back);

/*
 * The order of a ranking of all nodes that no other node contains: by a fact,
 * if there is one, ascending; then by the free units of each type in `types`,
 * ascending, or descending with `most`; then in the order of the set.
 */
struct rank_by {
    int64_t (*fact)(const struct vertex *v);
    size_t ntypes;
    int types[RANK_TYPES];
    bool most;
};

/*
 * Delay changes of orders until orders_settle(), because much will change in
 * the same lots. Meanwhile lots keep their old places, so no search may be
 * made.
 */
void orders_defer(struct usage *u);
void orders_settle(struct usage *u);

/* Return a ranking for the period of the usage. It is valid as long as the
   usage, or until RANKINGS others were asked for. */
struct order *usage_rank(struct usage *u, const struct rank_by *by);

/* Return the first lot after `from` (NULL: of all) that satisfies `needs`. */
struct lot *rank_next(struct order *o, const struct lot *from,
                      const struct needs *needs);

#endif /* MODEL_RECORDS_USAGE_H */
