/* Inside the reading of a graph: vertices and edges before they form a tree. */
#ifndef MODEL_DOCUMENT_GRAPH_H
#define MODEL_DOCUMENT_GRAPH_H

#include "base/map.h"
#include "model/document/reader.h"
#include "model/tree/rset.h"

/* Hashes of a path, and of the path without its last name; 0: there is none. */
struct path_hashes {
    uint64_t path, above;
};

/* A vertex by its outer id. `v` is NULL if only edges name it. While a graph is
   read, the `index` of a vertex is the number of its outer. */
struct outer {
    struct vertex *v;
    struct path_hashes path_hash; /* of the given path in containment */
    const char *path; /* as given: in containment, kept only when validating;
                         SUBSYSTEM:PATH in its first subsystem, if it has none
                         there; or NULL */
    uint32_t node;    /* its place in `nodes` */
    uint32_t edge;    /* number of the edge from its parent */
    bool nameless;    /* it has no outer id */
    bool unnamed;     /* its type, name or id is faulty */
    bool linked;      /* has an edge outside containment */
    bool orphan;      /* an edge to it is faulty, so its parent is unknown */
    bool doubtful;    /* some of its records are faulty */
    bool met;         /* a walk from a root reached it */
};

/* The key of a path: a vertex and a subsystem, interned. */
struct path_of {
    uint64_t number; /* of the outer */
    const char *subsystem;
};

/* The key of an edge, to find edges between the same vertices. */
struct edge_key {
    uint32_t source, target;
    const char *subsystem;
};

struct edge {
    uint32_t source, target;  /* numbers of outers */
    const char *subsystem;    /* NULL: ignored */
    const char *relationship; /* NULL: the usual one; "in": it led from child to
                                 parent and was reversed */
};

/* Unknown keys of an edge: see unknown.h. */
struct edge_extra {
    size_t edge; /* its number */
    json_t *extra;
};

/* A graph that is being read. If it was not read, all members except the reader
   are zero. */
struct graph {
    struct reader *r;
    struct place around, at;
    bool there, sound; /* no faults, except in records */
    bool keyed;        /* `nodes` is an object */
    bool edged;        /* it has `edges` */
    bool broken;       /* `edges` can't be read */
    size_t nnodes;
    size_t spoilt;  /* faults of records with FAULT_REFUSED */
    struct map ids; /* outers by id, in this order */
    struct outer *outers;
    uint64_t start;    /* hash of the path in which the root lies */
    const char *least; /* shortest path, perhaps the root's, or NULL */
    struct map paths;  /* paths outside containment by struct path_of */
    struct map uuids;  /* when validating: number of the outer + 1 */
    struct edge *edges;
    size_t nedges;
    struct edge_extra *extras; /* in the order of the edges */
    size_t nextras;
    const char *containment; /* the interned word */
    struct map links;        /* edges outside it: number + 1 */
};

/* Read the value of `graph`, which comes next, into the reader's set. */
void graph_read(struct graph *g, const struct place *at);
void graph_fini(struct graph *g);

/* Report a fault of a vertex, at a key of its metadata; NULL: at the vertex. */
void graph_fault(struct graph *g, const struct vertex *v, enum rule rule,
                 const char *key, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/* Quote for a message: an outer id; the name of a vertex, or its outer id if it
   has none. */
struct quoted outer_quote(const struct graph *g, uint32_t number);
struct quoted vertex_quote(const struct graph *g, const struct vertex *v);

/* Return the number of the outer with an id, made if there is none. */
uint32_t graph_outer(struct graph *g, const char *id, size_t len);

/* Return the text of a token, interned in the set; NULL: the token is
   missing. */
const char *graph_word(struct graph *g, const struct json_token *present);

/* Make the vertex of an outer from its `metadata`. */
void vertex_read(struct graph *g, uint32_t number, const json_t *metadata,
                 const struct place *at);

/* Read the vertex that begins the text, *end bytes, if it has only usual keys
   and no fault, unless faults are listed. Otherwise return false. */
bool vertex_read_plain(struct graph *g, const char *text, size_t len,
                       size_t *end, const struct place *at);

static inline struct outer *outer_of(const struct graph *g,
                                     const struct vertex *v)
{
    return &g->outers[v->index];
}

/*
 * Link the vertices of a graph without edges by their paths. The parent of a
 * vertex has the path without the last name, and the same rank or none. If the
 * vertex has no rank, the parent is the only vertex with that path.
 */
void graph_link_paths(struct graph *g);

/* If edges of a subsystem lead both ways between two vertices, drop the
   reverse one. Reports a fault if neither relationships nor paths tell which
   one it is. */
void graph_drop_back(struct graph *g);

/* Return the hashes of a path. */
struct path_hashes path_hashes(const char *path);

/* Warn of paths that differ from the edges. */
void graph_check_paths(struct graph *g);

/* Return the hash of the path of a vertex by its edges, or 0 if it has a fault
   or is too deep. `depth` counts from 1. */
uint64_t graph_path_hash(const struct graph *g, const struct vertex *v,
                         int depth);

/* Link vertices by edges, check that containment is a tree, sort it and find
   its targets. */
void graph_link(struct graph *g);

/* Read a key with records in a vertex's metadata; `at` has the key. */
void records_read(struct graph *g, struct outer *o, const json_t *value,
                  const struct place *at);

/* Check the records of all vertices against each other. */
void records_compare(struct graph *g);

#endif /* MODEL_DOCUMENT_GRAPH_H */
