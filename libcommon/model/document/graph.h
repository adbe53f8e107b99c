/* Inside the reading of a graph: vertices and edges before they are a tree. */
#ifndef MODEL_DOCUMENT_GRAPH_H
#define MODEL_DOCUMENT_GRAPH_H

#include "base/map.h"
#include "model/document/reader.h"
#include "model/tree/rset.h"

/* Hashes of a path, and of what is before its last name; 0: it has none. */
struct path_hashes {
    uint64_t path, above;
};

/* A vertex by its outer id; `v` is NULL if only edges name it. While a graph is
   read, the `index` of a vertex is the number of its outer. */
struct outer {
    struct vertex *v;
    struct path_hashes said; /* of the path that was given in containment */
    const char *home_path;   /* SUBSYSTEM:PATH in its first subsystem, if it has
                                no path in containment; or NULL */
    uint32_t node;           /* its number in `nodes` */
    uint32_t edge; /* the number of the edge that gave it its parent */
    bool nameless; /* it has no outer id */
    bool unnamed;  /* its type, name or id is at fault */
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
    const char *relationship; /* NULL: the usual one; "in": it was read from
                                 child to parent, and turned round */
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
    bool there, sound; /* sound: without a fault, except in records */
    bool keyed;        /* `nodes` is an object */
    bool edged;        /* it has `edges` */
    bool broken;       /* but they can't be read */
    size_t nnodes;
    size_t spoilt;  /* faults of records, of FAULT_REFUSED */
    struct map ids; /* outers by their ids, in this order */
    struct outer *outers;
    uint64_t start;    /* hash of the path in which the root lies */
    const char *least; /* the shortest path, perhaps of the root, or NULL */
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

/* Report a fault of a vertex, at a key of its metadata; NULL: at the vertex. */
void graph_fault(struct graph *g, const struct vertex *v, enum rule rule,
                 const char *key, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/* For a message: an outer id; the name of a vertex, or else its outer id. */
struct quoted outer_quote(const struct graph *g, uint32_t number);
struct quoted vertex_quote(const struct graph *g, const struct vertex *v);

/* The number of the outer of that id, made if it is not there. */
uint32_t graph_outer(struct graph *g, const char *id, size_t len);

/* Return the text of a token, interned in the set; NULL: it is not there. */
const char *graph_word(struct graph *g, const struct json_token *said);

/* Make a vertex of the `metadata` of the outer with that number. */
void vertex_read(struct graph *g, uint32_t number, const json_t *metadata,
                 const struct place *at);

/* Read the vertex that begins the text, *end bytes, if it has only usual keys
   and no fault, and faults are not gathered. Otherwise return false. */
bool vertex_read_plain(struct graph *g, const char *text, size_t len,
                       size_t *end, const struct place *at);

static inline struct outer *outer_of(const struct graph *g,
                                     const struct vertex *v)
{
    return &g->outers[v->index];
}

/*
 * Link the vertices of a graph without edges by their paths. A vertex lies in
 * the pool with its path without the last name, of the same rank or of none; a
 * vertex without a rank in the only one with that path.
 */
void graph_link_paths(struct graph *g);

/* Drop the reverse edge if edges of a subsystem lead both ways between two
   vertices; a fault if neither words nor paths tell which it is. */
void graph_drop_back(struct graph *g);

/* The hashes of a path, and its text as it was kept; NULL: it was not. */
struct path_hashes path_hashes(const char *path);
const char *graph_path_said(const struct graph *g, uint32_t number,
                            const char *subsystem);

/* Warn of paths that differ from where the vertices are. */
void graph_check_paths(struct graph *g);

/* The hash of a vertex's path, by the edges; 0: it has a fault or is too deep.
   Depth is counted from 1. */
uint64_t graph_path_hash(const struct graph *g, const struct vertex *v,
                         int depth);

/* Link vertices by edges, check that containment is a tree, put it in order and
   find its targets. */
void graph_link(struct graph *g);

/* A key of a vertex's metadata that has records: read them. */
void records_read(struct graph *g, struct outer *o, const char *key,
                  const json_t *value, const struct place *at);

/* Check the records of all vertices against each other. */
void records_compare(struct graph *g);

#endif /* MODEL_DOCUMENT_GRAPH_H */
