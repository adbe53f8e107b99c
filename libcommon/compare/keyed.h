/*
 * Inside patch: documents in which the graph is an object from "path@rank" to
 * the metadata of a vertex. Beside the vertices, `links` lists the edges
 * outside of containment as [subsystem, relationship, source, target].
 *
 * A patch concerns only few of a million vertices. So vertices stay in a list,
 * as the text that rset writes for them, and become JSON in the graph on
 * demand. If such keys are ambiguous, the graph keeps its nodes and edges, and
 * there is no list.
 */
#ifndef COMPARE_KEYED_H
#define COMPARE_KEYED_H

#include <jansson.h>

#include "base/map.h"
#include "model/tree/rset.h"

struct keyed_vertex {
    const char *key, *text; /* metadata, not terminated */
    size_t len, parent;     /* index of the parent in the list + 1; 0: none */
    bool loaded;            /* moved into the graph, unless since deleted */
};

struct keyed {
    json_t *top;   /* the document under the key "" */
    json_t *graph; /* part of it; NULL: no list of vertices */
    struct keyed_vertex *list;
    size_t n;
    struct map index; /* key to index in the list + 1 */
    char *text;       /* contains the vertices */
};

/* Make the document of a set, with all vertices in the list. Returns 0, or -1
   with a diag. */
int keyed_init(struct keyed *k, struct rset *rs, struct diag *d);
void keyed_fini(struct keyed *k);

/* Return the vertex with a key from the list; NULL: there is none. */
const struct keyed_vertex *keyed_find(const struct keyed *k, const char *key);

/* Return the metadata of a vertex in the list, a new reference. */
json_t *keyed_metadata(const struct keyed_vertex *v);

/* Move a vertex from the list into the graph, if it is there; or move all, and
   drop the list. */
void keyed_load(struct keyed *k, const char *key);
void keyed_load_all(struct keyed *k);

/* Return the set of the document, or NULL with a diag. */
struct rset *keyed_to_rset(struct keyed *k, struct diag *d);

#endif /* COMPARE_KEYED_H */
