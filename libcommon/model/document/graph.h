/*
 * Inside the reading of a graph: vertices and edges while they are not yet a
 * tree.
 */
#ifndef MODEL_DOCUMENT_GRAPH_H
#define MODEL_DOCUMENT_GRAPH_H

#include "base/map.h"
#include "model/document/reader.h"
#include "model/tree/rset.h"

/* Hashes of a path, and of what is before its last name; 0: it has none. */
struct path_hashes {
    uint64_t path, above;
};

/*
 * A vertex by its outer id; one that is only known from edges has no `v`.
 * While the graph is read the `index` of a vertex is the number of its outer.
 */
struct outer {
    struct vertex *v;
    struct path_hashes said; /* of the path that was given in containment */
    const char *home_path;   /* of a pool without one in containment: its first
                                subsystem, and its path there; NULL: none */
    uint32_t node;           /* its number in `nodes` */
    uint32_t edge; /* the number of the edge that gave it its parent */
    bool nameless; /* it has no outer id that others could use */
    bool unnamed;  /* what names the pool is at fault */
    bool linked;   /* has an edge outside of containment */
    bool orphan;   /* an edge to it is at fault: it may have a parent */
    bool doubtful; /* not all of its records were understood */
    bool met;      /* in a walk from a root */
};

/* The key of a path: the vertex, and the subsystem, interned. */
struct path_of {
    uint64_t number; /* of the outer */
    const char *subsystem;
};

/* Which edge it is: to find those between the same two vertices. */
struct edge_key {
    uint32_t source, target;
    const char *subsystem;
};

struct edge {
    uint32_t source, target;  /* numbers of outers */
    const char *subsystem;    /* NULL: does not count */
    const char *relationship; /* NULL: the usual one; "in": the edge was told
                                 from the child's side, and turned round */
};

/* Keys of an edge that no standard knows: see unknown.h. */
struct edge_extra {
    size_t edge; /* its number */
    json_t *extra;
};

/* All of zeros, but for the reader, is a graph that is not there. */
struct graph {
    struct reader *r;
    struct place around, at;
    bool there, sound; /* sound: it is understood, but for its records */
    bool keyed;        /* `nodes` is an object */
    bool edged;        /* it has `edges` */
    bool broken;       /* of which nothing is known */
    size_t nnodes;
    size_t spoilt;  /* faults of records, of FAULT_REFUSED */
    struct map ids; /* outers by their ids, in this order */
    struct outer *outers;
    uint64_t start;    /* hash of the path in which the root lies */
    const char *least; /* the shortest path, which the root's would be;
NULL: no vertex says its path */
    struct map said;   /* paths, by struct path_of: those beside containment;
                          when faults are gathered, all */
    struct map uuids;  /* when faults are gathered: number of the outer + 1 */
    struct edge *edges;
    size_t nedges;
    struct edge_extra *extras; /* in the order of the edges */
    size_t nextras;
    const char *containment; /* that word, interned */
    struct map links;        /* edges outside of it: number + 1 */
};

/* Read the value of a `graph` key, which comes next, into the reader's set. */
void graph_read(struct graph *g, const struct place *at);
void graph_fini(struct graph *g);

/* Tell a fault of a vertex, at its metadata's `key`; NULL: at the vertex. */
void graph_fault(struct graph *g, const struct vertex *v, enum rule rule,
                 const char *key, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/* Return the name of a vertex, or its outer id, for a message. */
struct quoted vertex_quote(const struct graph *g, const struct vertex *v);

/* The number of the outer of that id, made if it is not there. */
uint32_t graph_outer(struct graph *g, const char *id, size_t len);

/* Return the text of a token, interned in the set; NULL: it is not there. */
const char *graph_word(struct graph *g, const struct json_token *said);

/* Make a vertex of the `metadata` of the outer with that number. */
void vertex_read(struct graph *g, uint32_t number, const json_t *metadata,
                 const struct place *at);

/*
 * The same of a vertex that begins the text, *end bytes of it, if it is plain:
 * nothing in it is at fault, unusual, or of a kind that few have. False: it is
 * not, or that is to be told.
 */
bool vertex_read_plain(struct graph *g, const char *text, size_t len,
                       size_t *end, const struct place *at);

static inline struct outer *outer_of(const struct graph *g,
                                     const struct vertex *v)
{
    return &g->outers[v->index];
}

/*
 * Without any edge a vertex lies where its path says: in the pool with the
 * path before its last name, of its rank or of none; without a rank, in the
 * one that there is.
 */
void graph_link_paths(struct graph *g);

/*
 * Of two edges of one subsystem that lead both ways between two vertices the
 * one back does not count any more; a fault where nothing tells which it is.
 */
void graph_drop_back(struct graph *g);

/* The hashes of a path, and its text as it was kept; NULL: it was not. */
struct path_hashes path_hashes(const char *path);
const char *graph_path_said(const struct graph *g, uint32_t number,
                            const char *subsystem);

/* Warn of paths that differ from where the vertices are. */
void graph_check_paths(struct graph *g);

/*
 * The hash of a vertex's path; 0 if it is not known, or is that of something
 * that no walk can reach. Its depth is counted from 1.
 */
uint64_t graph_path_hash(const struct graph *g, const struct vertex *v,
                         int depth);

/*
 * Vertices and edges are read: link them, check that containment is a tree,
 * put it in order and find its targets.
 */
void graph_link(struct graph *g);

/* A key of a vertex's metadata that has records: read them. */
void records_read(struct graph *g, struct outer *o, const char *key,
                  const json_t *value, const struct place *at);

/* Hold the records of all vertices against each other. */
void records_compare(struct graph *g);

#endif /* MODEL_DOCUMENT_GRAPH_H */
