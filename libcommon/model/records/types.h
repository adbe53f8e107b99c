/*
 * Types of pools, as they lie in each other, and the links between pools: facts
 * of an inventory that are found once, before any request, and hold until
 * usage_renew(). Types have numbers from 0 on.
 *
 * A table of pairs of types says how many units of one lie below a pool of the
 * other. If there are many types (units as types, say), only pairs that occur
 * are kept, in a map: types_nesting() reads either.
 */
#ifndef MODEL_RECORDS_TYPES_H
#define MODEL_RECORDS_TYPES_H

#include "base/arena.h"
#include "base/map.h"
#include "model/tree/rset.h"

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

/* Return the number of a type in the set, or of the type with a name, or -1 if
   the set has no pool of it. */
int usage_type(const struct usage *u, const char *type);
int usage_type_named(const struct usage *u, const char *name);

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

#endif /* MODEL_RECORDS_TYPES_H */
