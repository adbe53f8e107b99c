/*
 * Inside patch: a document in which the graph is an object from "path@rank"
 * to the metadata of a vertex, beside `links`, the edges outside of
 * containment as a list of [subsystem, relationship, source, target].
 *
 * Of a million vertices a patch speaks of few. So vertices stay the text
 * that rset writes of them, in a list, and become JSON in the graph when
 * somebody asks for them. Where such keys do not tell the vertices apart the
 * graph keeps its nodes and edges, and there is no list.
 */
#ifndef COMPARE_KEYED_H
#define COMPARE_KEYED_H

#include <jansson.h>

#include "base/map.h"
#include "model/tree/rset.h"

struct keyed_vertex {
    const char *key, *text; /* its metadata, not terminated */
    size_t len, parent;     /* number of the parent in the list + 1; 0: none */
    bool loaded;            /* it is in the graph by now, if anywhere */
};

struct keyed {
    json_t *top;   /* the document under the key "" */
    json_t *graph; /* in it; NULL: there are no vertices in the list */
    struct keyed_vertex *list;
    size_t n;
    struct map index; /* a key's number in the list + 1 */
    char *text;       /* that the vertices are in */
};

/* Is a key of a graph that of a vertex? One in no containment is loose. */
bool keyed_is_vertex(const char *key);
bool keyed_is_loose(const char *key);

/* A document with all its vertices in the list. -1 with a diag. */
int keyed_init(struct keyed *k, struct rset *rs, struct diag *d);
void keyed_fini(struct keyed *k);

/* The vertex of a key in the list; NULL: there is none. */
const struct keyed_vertex *keyed_find(const struct keyed *k, const char *key);

/* The metadata of a vertex in the list: a new reference. */
json_t *keyed_metadata(const struct keyed_vertex *v);

/* Put a vertex into the graph, if it is in the list; or all, and end it. */
void keyed_load(struct keyed *k, const char *key);
void keyed_load_all(struct keyed *k);

/* The set that the document says, NULL with a diag. */
struct rset *keyed_to_rset(struct keyed *k, struct diag *d);

#endif /* COMPARE_KEYED_H */
