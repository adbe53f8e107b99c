/*
 * Usage: who has what of an inventory, what is not up, and what is free.
 *
 * The inventory (model/tree/rset.h) is facts and is not changed by it. Usage is
 * a tree of lots over it. A lot is a pool, or neighbouring members of a run of
 * which all is the same: who has them, and what is in them. Lots are made
 * where somebody comes by: an R of a million equal ranks is one lot under the
 * root, until a job takes a core of rank 5; then it is three, and once the
 * core is given back it is one again.
 *
 * What jobs have are grants (model/records/jobs.h). Each grant hangs on one lot
 * and belongs to one job.
 *
 * A lot with something in it knows the units below it that are free, and
 * those that are idle, by type. Both follow each change by differences, up the
 * parents, and are never counted anew. Where a pool has many lots in it, they
 * stand in a balanced tree with the most that any of them has, so that the
 * next one in order that has enough is found in logarithmic time. So a match,
 * a grant and a release cost what they take and not what there is.
 *
 *     struct usage *u = usage_begin(rs);    the set owns it; with all sums
 *     struct lot *root = lot_open(u, usage_top(u)), *lot = NULL;
 *     struct needs needs = {0};
 *
 *     needs_add(&needs, (unsigned)usage_type(u, "core"), 4);
 *     while ((lot = usage_next(u, root, lot, &needs, false)))
 *         ...                               nodes with four free cores each
 *     lot_split(u, lot, 5, 1);              member 5 becomes a lot by itself,
 *     ...                                   is given to a job, and given back:
 *     lot_join(u, lot);                     it may be one with others again
 *
 * Other directories read `parent`, `v`, `at`, `n`, `grants`, `next` and `state`
 * of a lot, and for the period of the usage `taken`, `held` and `blocked`.
 * Searches do so for each pool that they try, and calls would cost them 3 to
 * 15 % more. All else of a lot, and all changes, are calls.
 *
 * Who asks of vertices rather than of lots first has usage_settle() find, or
 * make, a vertex for each lot of which there is anything to say.
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
struct order; /* of lots: see usage_next() and usage_rank() */

/* What is in a lot. */
struct inside {
    struct lot *child;       /* the first one */
    struct order *order;     /* of them, once somebody looked for one of many */
    struct profile *profile; /* of a node: profile.c */
    uint32_t nchildren;
    uint32_t nsaid; /* children of which, or in which, there is anything to say:
                       a grant, whenever it holds, or a state */
    uint32_t nchanged; /* facts of children changed so often since equal runs
                          were joined: facts.c */
    int64_t sums[];    /* of what all children give: see lot_gives() */
};

/*
 * Documents have a million of them: what only few need stands beside it, and
 * is not there until it is needed.
 */
struct lot {
    struct lot *parent;
    struct vertex *v;
    uint32_t at, n;       /* members of a run: at, at + 1, ...; a pool: 0, 1 */
    struct grant *grants; /* on this very lot */
    struct lot *next, *prev;   /* siblings in order */
    struct inside *in;         /* NULL: nobody came by yet, so all in it is
                                  free, or there is nothing in it */
    int64_t taken;             /* units claimed in the period, of each member */
    uint32_t seen;             /* the last walk that came by: usage_walk() */
    enum pool_state state : 8; /* its own; it may lie in what is not up */
    bool blocked : 1;          /* held whole, not up or staged */
    bool touched : 1;          /* held, shared, not up or staged */
    bool stored : 1; /* its grants, and what is in it, are not read yet, but
                        counted: see pieces.h */
    bool held : 1;   /* some of it claimed in the period, or shared */
    bool lags : 1;   /* orders have it where it was: see orders_defer() */
};

/* What is known of a type in a set. */
enum {
    TYPE_IN_NODES = 1, /* some pool of it lies in a node */
    TYPE_POOLED = 2,   /* some pool of it has not size 1 */
    TYPE_NO_UNIT = 4,  /* some pool of it has no unit */
    TYPE_MARKED = 8,   /* the inventory marks some pool of it exclusive */
    TYPE_BARE = 16,    /* some pool of it has nothing below */
    TYPE_OUTSIDE = 32, /* some pool of it lies in no node */
    TYPE_NODE = 64     /* its pools are nodes */
};

/* A pool that an edge of another leads to; and with it all that is in it. */
struct reach {
    struct vertex *v;
    bool alone; /* it, and not what is in it */
};

/* A unit that pools of a type have. */
struct type_unit {
    unsigned ntype;
    const char *unit;
    int64_t total; /* of them all */
};

/* What is known of an inventory before any request. */
struct types {
    const char **names; /* interned in the set */
    unsigned count;
    unsigned char *flags; /* of each type */
    bool nodes_nested;    /* some node lies in a node */
    bool marked;          /* the inventory marks some pool exclusive */
    struct nesting {
        int64_t least, most; /* units below each pool, or some, at least and at
                                most */
        bool child;          /* some pool is a child of such a one */
        bool reached;        /* see usage_reaches() */
        uint32_t n;          /* vertices of it with any below */
    } * nesting; /* [a * count + b]: of pools of b in those of a; NULL: there
                    are many types, and `pairs` has those that occur */
    struct map pairs, numbers; /* `numbers`: by name, of many types */
    struct arena arena;
    uint32_t *nabove; /* in a survey: vertices of a type with any below */
    struct type_unit *units;
    size_t nunits;
    bool huge;           /* there is more of a type than can be counted */
    struct reach *reach; /* see usage_reach(); NULL: there are no links */
    uint32_t *reach_of;  /* by number: where those of a vertex begin */
    /* The row of an inner pool, by its vertex's number: see usage_total(). */
    int64_t *rows;
    uint32_t *row_of; /* by number; 1 + row, or 0 */
    uint32_t nnumbers, nrows;
    bool known; /* all of this; otherwise only numbers are given */
};

/* Of so many types, and so many of them at a time: usage_rank(). */
enum { RANK_TYPES = 8, RANKINGS = 4 };

/* What became another since somebody who watches asked last. */
enum { JOB_CHANGED, JOB_ENDED };
struct watch {
    bool on;
    bool states;
    struct map jobs; /* by name: JOB_CHANGED, or JOB_ENDED if it was gone in
                        between */
};

/* At least so many units free, or idle, of types: row t, or count + t. */
enum { NEEDS_MAX = 12 };
struct needs {
    unsigned n;
    struct {
        unsigned row;
        int64_t least;
    } at[NEEDS_MAX];
};

/*
 * Return the set that a usage is of, the lot that all others lie in, what is
 * known of types (which only a store changes that reads it), the period for
 * which all sums hold, and the first of the jobs, with `next`, and their
 * number.
 */
struct rset *usage_rset(const struct usage *u);
struct lot *usage_top(const struct usage *u);
struct types *usage_types(const struct usage *u);
const struct period *usage_period(const struct usage *u);
struct job *usage_jobs(const struct usage *u);
size_t usage_njobs(const struct usage *u);

/* Is some lot not up, or may it be? */
bool usage_has_states(const struct usage *u);

/* The number of the last grant that was given, among all; a store sets it. */
int64_t usage_seq(const struct usage *u);
void usage_set_seq(struct usage *u, int64_t seq);

/* What changed since usage_watch(). */
const struct watch *usage_changes(const struct usage *u);

/*
 * The usage of a set, which owns it; made if there is none. Its tree of pools
 * may be changed meanwhile only by vertex_split(), lots_cut() and
 * lots_rejoin(); any other change of it ends with usage_gather().
 */
struct usage *usage_get(struct rset *rs);

/* The same, with all that is known of types, and all sums. */
struct usage *usage_begin(struct rset *rs);

void usage_destroy(struct usage *u); /* NULL is allowed */

/*
 * See to it that a vertex has all of a lot and nothing else, for all lots of
 * which, or in which, there is anything to say; `lot` of every vertex then is
 * one that tells what is so of all its members, NULL where nothing is. This
 * cuts runs. It holds until anything is changed but by cutting runs.
 */
void usage_settle(struct rset *rs);

/*
 * The tree of pools was changed, or made of others: each vertex's `lot`, of
 * whatever set, tells who has it and what state it is in. Make the usage of the
 * set anew from that.
 */
void usage_gather(struct rset *rs);

/* Drop what jobs share that follows from what they have below. */
void usage_drop_implied(struct usage *u);

/* The `lot` of a vertex until usage_gather(), in no tree; made if there is none
   yet. */
struct lot *vertex_lot(struct rset *rs, struct vertex *v);

/* Give a vertex that was imported by its facts a state, until usage_gather().
 */
void vertex_import_state(struct rset *rs, struct vertex *copy,
                         enum pool_state state);

/*
 * What the lot of a vertex of another set says is said of v, too, until
 * usage_gather(): its state unless v has one, tags, and what jobs have; of what
 * both say the same job has at the same time the larger number counts.
 */
void records_unite(struct rset *a, struct vertex *v, const struct vertex *b);

/* The state of a pool (of all members), as its `lot` tells. */
enum pool_state vertex_state(const struct vertex *v);

/* Is there anything to say of it, by its `lot`? */
bool vertex_is_used(const struct vertex *v);

/* How pools of a type lie in those of another. */
const struct nesting *types_find_nesting(const struct types *t, unsigned above,
                                         unsigned ntype);
static inline const struct nesting *
types_nesting(const struct types *t, unsigned above, unsigned ntype)
{
    return t->nesting ? &t->nesting[above * t->count + ntype]
                      : types_find_nesting(t, above, ntype);
}

/* The same to be changed: made if there is none. A table has all of them. */
struct nesting *types_nest(struct types *t, unsigned above, unsigned ntype);
void types_make_table(struct types *t);

/* Does some pool of a type lie below one of another? */
static inline bool types_below(const struct types *t, int ntype, int above)
{
    return types_nesting(t, (unsigned)above, (unsigned)ntype)->most > 0;
}

/* The number of a type in the set, -1 if nothing in it is of that type. */
int usage_type(const struct usage *u, const char *type);

/* May a pool of a type be a child of one like this? */
bool usage_is_child(const struct usage *u, int ntype,
                    const struct vertex *parent);

/* All units of a type below a vertex, of each member of a run. */
int64_t usage_total(const struct usage *u, const struct vertex *v, int ntype);

/* The same of all types: a row; NULL: there is nothing below it. */
const int64_t *usage_row(const struct usage *u, const struct vertex *v);

/* Every pool of a type has so many units of another below it at least. */
int64_t usage_least_below(const struct usage *u, int ntype, int below);

/*
 * The pools that edges of a pool lead to, in either direction, in the order of
 * the set: none twice, none in another, none that it lies in or that lies in
 * it. In a hierarchy other than containment the edges of what is in it are its
 * own, too, and what a pool that is reached lies in is reached as well, alone.
 * A pool in containment has the edges of the tops that its own edges lead to in
 * their home, too.
 * Returns their number.
 */
size_t usage_reach(const struct usage *u, const struct vertex *v,
                   const struct reach **list);

/* Does some pool of a type reach one of another, or what one is in? */
bool usage_reaches(const struct usage *u, int ntype, int to);

/*
 * Facts of pools are others: what is known of the inventory is found anew by
 * the next usage_begin().
 */
void usage_renew(struct usage *u);

/* A pool was made exclusive: the same for that alone, without finding all. */
void usage_mark(struct usage *u, const struct vertex *v);

/*
 * Somebody will ask what is free from this time on. If that is known before
 * all sums are made, they are made for it, and need not be counted anew.
 */
void usage_expect(struct usage *u, double now);

/* See to it that all sums hold for a period. */
void usage_at(struct usage *u, const struct period *when);

/*
 * The same; but where much would have to be counted anew only nodes to which
 * usage_next() comes are, with what is in them. Of what nodes lie in
 * lot_below() then tells what there is, and nothing else holds.
 */
void usage_look_at(struct usage *u, const struct period *when);

/*
 * The first start from a time on at which all nodes together may give so many
 * of what each of needs `each`, for a duration (0: on and on); INFINITY: none.
 */
double usage_first_start(struct usage *u, const struct needs *each,
                         int64_t least, double from, double duration);

/* When the next claim ends after a time; INFINITY: none does. */
double usage_next_end(struct usage *u, double time);

/* All ends from a time on, ascending, in a new array for free(). */
size_t usage_ends(struct usage *u, double from, double **ends);

/* Does any claim begin after a time? */
bool usage_begins(struct usage *u, double after);

/* --- lots --------------------------------------------------------------- */

/* Lots in a list, which is for free(). */
struct lots {
    struct lot **list;
    size_t n;
};
void lots_add(struct lots *lots, struct lot *lot);

/* All lots of a vertex: in each of its parent's, for each stretch. */
struct lots usage_lots(struct usage *u, const struct vertex *v);

/* Add lots that have these members of a vertex: they are split off. */
void lots_take(struct usage *u, struct lot *parent, const struct vertex *v,
               const struct idset *members, struct lots *out);

/*
 * The execution targets from one rank to another, in order of rank, where each
 * is a vertex of its own; NULL: they are runs.
 */
struct vertex *const *usage_targets(struct usage *u, struct idrange ranks,
                                    size_t *n);

/* Add those of all execution targets of these ranks, in that order. */
void lots_of_ranks(struct usage *u, const struct idset *ranks,
                   struct lots *out);

/*
 * Split a run: the members in `ids` (a proper part, or all) become a vertex
 * of their own beside v, which keeps the rest. Returns the vertex of `ids`,
 * v itself if that is all of it.
 */
struct vertex *vertex_split(struct rset *rs, struct vertex *v,
                            const struct idset *ids);

/* Make a copy of a run beside it with some of its members, and their lots. */
struct vertex *vertex_copy_members(struct rset *rs, struct vertex *v,
                                   const struct idset *members);

/* They were of use: where nothing is to be said, join them and those above. */
void lots_join(struct usage *u, const struct lots *lots);

/*
 * Before a change of facts lots_cut() gives lots vertices that have no members
 * but theirs, and so the lots that they lie in; lots in one state may get one
 * vertex together. This cuts runs. After it lots_rejoin() joins the lots. It
 * also makes one run of those that are equal: at once where there are few, and
 * where there are many at times, so that a change costs what it changes.
 */
void lots_cut(struct usage *u, const struct lots *lots);
void lots_rejoin(struct usage *u, const struct lots *lots);

/* The same for one lot: its vertex. */
struct vertex *lot_vertex(struct usage *u, struct lot *lot);

/* A walk begins: no lot has been `seen` by it. Does it come to a lot for the
   first time? */
uint32_t usage_walk(struct usage *u);
bool lot_visit(struct lot *lot, uint32_t walk);

/* Add the lots of a list that lie in no other of it, each once. */
void lots_tops(struct usage *u, const struct lots *lots, struct lots *tops);

/* The first child that is there; NULL: none, or nobody came by. */
static inline struct lot *lot_child(const struct lot *lot)
{
    return lot->in ? lot->in->child : NULL;
}

/* Are its children there? Otherwise all in it is free, or it has none. */
static inline bool lot_is_open(const struct lot *lot)
{
    return lot->in;
}

/* In how many of its children is there anything to say? */
static inline uint32_t lot_nsaid(const struct lot *lot)
{
    return lot->in ? lot->in->nsaid : 0;
}

/* Units below it of a row, of each member: t for free ones of a type, count + t
 * for idle ones. */
int64_t lot_below(const struct usage *u, const struct lot *lot, unsigned row);

/* The same with what there is of it itself: what it gives if it can be used. */
int64_t lot_given(const struct usage *u, const struct lot *lot, unsigned row);

/* The lot, or the nearest that it lies in, that is not up; NULL: all are up. */
const struct lot *lot_not_up(const struct lot *lot);

/* The pools that a lot is in a member of `top`; NULL: in the set. */
int64_t lot_pools(const struct lot *lot, const struct lot *top);

/* The ranks of a lot of execution targets. */
struct idrange lot_ranks(const struct lot *lot);

/* Is there anything to say of the lot itself? */
bool lot_says(const struct lot *lot);

/* Is there nothing to say of it, nor of anything in it? */
bool lot_is_blank(const struct lot *lot);

/* Give it another state. */
void lot_set_state(struct usage *u, struct lot *lot, enum pool_state state);

/*
 * The jobs that share a pool or have anything in it (RFC 4, shared), in the
 * order of documents. Returns their number; the list holds until the next
 * grant is given or taken.
 */
size_t lot_sharers(struct usage *u, const struct lot *lot, struct job ***list);

/* See to it that the grants of a lot are there, and lots in it. */
void lot_read(struct usage *u, struct lot *lot);
static inline void lot_load(struct usage *u, struct lot *lot)
{
    if (lot->stored)
        lot_read(u, lot);
}

/* The first child of a lot; its children are made if they are not yet. */
struct lot *lot_open(struct usage *u, struct lot *lot);

/* The child of a lot that has a member of a vertex (of a pool: 0). */
struct lot *lot_find(struct usage *u, struct lot *parent,
                     const struct vertex *v, uint32_t at);

/* Make members at, at + 1, ... (n of them) a lot of their own: `lot` itself. */
void lot_split(struct usage *u, struct lot *lot, uint32_t at, uint32_t n);

/* The lot that follows in preorder under `top`; with `over` past what is in
 * it. Lots are opened. NULL at the end. */
struct lot *lot_next(struct usage *u, const struct lot *top, struct lot *lot,
                     bool over);

/* The same of lots that are there: others have no grants. */
struct lot *lot_next_in(struct usage *u, const struct lot *top,
                        struct lot *lot);

/* Units of a pool that nobody has. */
int64_t lot_free(const struct lot *lot);

/* Is nothing in it, and not itself, held, staged, shared or not up? */
bool lot_idle(const struct lot *lot);

/* Is it that lot, or below it? */
bool lot_is_in(const struct lot *lot, const struct lot *top);

/* Order of two siblings. */
int lot_compare(const struct lot *a, const struct lot *b);

/*
 * Join a lot of which nobody has anything any more with neighbours of the
 * same run: the lot that stands for all of them. Where the lot ends that was
 * given, so do pointers to it. lot_join() goes on with those that it lies in.
 */
struct lot *lot_join_here(struct usage *u, struct lot *lot);
void lot_join(struct usage *u, struct lot *lot);

/* --- the next that has enough ------------------------------------------- */

/* Add one; what has no room is left out, for needs are only a quick no. */
void needs_add(struct needs *needs, unsigned row, int64_t least);

/*
 * The first child after `from` (NULL: of all) that can have all of it, or with
 * `back` the last one before. NULL for needs: none.
 */
struct lot *usage_next(struct usage *u, struct lot *parent, struct lot *from,
                       const struct needs *needs, bool back);

/*
 * A ranking of all nodes (that lie in no other): by a fact, if there is one,
 * from the smallest on; then by what is free of each of some types in them,
 * from the least on, or from the most; then as they stand in the set.
 */
struct rank_by {
    int64_t (*fact)(const struct vertex *v);
    size_t ntypes;
    int types[RANK_TYPES];
    bool most;
};

/*
 * Much changes in the same lots: from here to orders_settle() they stand in
 * orders where they were, as long as nobody looks for what comes next.
 */
void orders_defer(struct usage *u);
void orders_settle(struct usage *u);

/* A ranking for the period of the usage; it holds as long as the usage does, or
   until so many others were asked for. */
struct order *usage_rank(struct usage *u, const struct rank_by *by);

/* The first in it after `from` (NULL: of all) that can have all of it. */
struct lot *rank_next(struct order *o, const struct lot *from,
                      const struct needs *needs);

#endif /* MODEL_RECORDS_USAGE_H */
