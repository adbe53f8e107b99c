/*
 * Unknown keys: keys that no standard defines, in an entry of R_lite, beside
 * the metadata of a vertex, in an edge or in its metadata. (Unknown keys in a
 * vertex's metadata and in larger parts of a document are kept elsewhere: see
 * rset.h.)
 *
 * Vertices keep them: keys of an entry at each of its ranks, keys of an edge of
 * containment at its target. Few documents have such keys, so they are in the
 * vertex's `extra`, under a key that can't be unknown: an object from places to
 * their keys.
 */
#ifndef MODEL_DOCUMENT_UNKNOWN_H
#define MODEL_DOCUMENT_UNKNOWN_H

#include "model/tree/rset.h"

enum unknown_place {
    UNKNOWN_ENTRY,
    UNKNOWN_VERTEX,
    UNKNOWN_EDGE,
    UNKNOWN_WORDS, /* metadata of an edge; of containment also its relationship,
                      if not the usual one */
    UNKNOWN_PLACES
};

/* Their key in `extra`. */
#define UNKNOWN_KEY "type"

/* Return whether a key is in a list that ends with NULL. */
bool is_known_key(const char *key, const char *const *known);

/* Return the members of an object that are not in `known`: a new object, or
   NULL. */
json_t *unknown_take(const json_t *object, const char *const *known);

/* Add keys (an object, which is taken over; NULL: none) to the keys at a place
   of `extra`, which is made if it is NULL. */
void unknown_put(json_t **extra, enum unknown_place place, json_t *keys);

/* Return the unknown keys at a place of `extra`. Borrowed; NULL: none. */
json_t *unknown_keys(const json_t *extra, enum unknown_place place);

#endif /* MODEL_DOCUMENT_UNKNOWN_H */
