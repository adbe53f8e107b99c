/*
 * Keys that no standard knows, in an entry of R_lite, beside the metadata of a
 * vertex, in an edge or its metadata. (Those in a vertex's metadata and in the
 * larger parts of a document are kept elsewhere: see rset.h.)
 *
 * A vertex keeps them: those of an entry at each of its ranks, those of an edge
 * of containment at its target. Hardly any document has such keys, so they
 * stand in the vertex's `extra`, under a key that metadata always has: an
 * object from places to the keys there.
 */
#ifndef MODEL_DOCUMENT_UNKNOWN_H
#define MODEL_DOCUMENT_UNKNOWN_H

#include "model/tree/rset.h"

enum unknown_place {
    UNKNOWN_ENTRY,
    UNKNOWN_VERTEX,
    UNKNOWN_EDGE,
    UNKNOWN_WORDS, /* the metadata of an edge; with its relationship, if that
                      is not the usual one and it is of containment */
    UNKNOWN_PLACES
};

/* The key in `extra` under which they are. */
#define UNKNOWN_KEY "type"

/* Is a key in a list that ends with NULL? */
bool key_known(const char *key, const char *const *known);

/* Return the members of an object that are none of these: a new object, NULL if
   there are none. */
json_t *unknown_take(const json_t *object, const char *const *known);

/* Add keys (a borrowed object; NULL: none) to those at a place of `extra`,
   which is made if it is NULL. */
void unknown_put(json_t **extra, enum unknown_place place, json_t *keys);

/* Return the unknown keys at a place of `extra`. Borrowed; NULL: none. */
json_t *unknown_keys(const json_t *extra, enum unknown_place place);

#endif /* MODEL_DOCUMENT_UNKNOWN_H */
