/* Inside jgf: one vertex from its metadata, and linking what was read. */
#ifndef MODEL_JGF_PRIVATE_H
#define MODEL_JGF_PRIVATE_H

#include "base/map.h"
#include "model/rset.h"

/* A vertex by its outer id; `v` is NULL while only edges spoke of it. */
struct outer {
    struct vertex *v;
    const char *id;
    uint64_t path; /* hash of the path that was given, 0: none */
};

struct edge {
    struct outer *source, *target;
    const char *subsystem, *relationship; /* NULL: containment's usual */
};

/*
 * What follows the ids in the text of the last edge, and what it meant: most
 * edges differ from the one before in nothing but their ids.
 */
struct edge_tail {
    char text[160];
    size_t len; /* 0: none */
    const char *subsystem, *relationship;
    json_t *extra;
};

/* Keys of an edge that no standard knows: see unknown.h. */
struct edge_extra {
    size_t edge; /* its number */
    json_t *extra;
};

struct jgf_reading {
    struct rset *rs;
    struct arena arena; /* outers */
    struct map outers;  /* by their ids */
    struct edge *edges;
    size_t nedges, edges_size;
    struct edge_extra *extras; /* in the order of the edges */
    size_t nextras, extras_size;
    struct edge_tail tail;
    const char *containment; /* that word, interned */
    struct map links;        /* edges outside of it: number + 1 */
};

/*
 * Make a vertex of one element's `metadata`; `outer` is the id beside it.
 * *path is the containment path that the metadata gives, NULL if none; it
 * belongs to the metadata. Returns NULL with a diag that has the path inside
 * the metadata.
 */
struct vertex *jgf_vertex(struct rset *rs, const char *outer,
                          const json_t *metadata, const char **path,
                          struct diag *d);

/*
 * Vertices and edges are read: link them, check that containment is a tree,
 * put it in order and find its targets.
 */
int jgf_link(struct jgf_reading *r, struct diag *d);

#endif /* MODEL_JGF_PRIVATE_H */
