/*
 * Keys that no standard knows, where a document has them beside what it
 * knows: in an entry of R_lite, beside the metadata of a vertex, in an edge
 * and in the metadata of one. Those in a vertex's metadata, and of the larger
 * parts of a document, have their own homes: see rset.h.
 *
 * They go where the vertex goes: keys of an entry with each of its ranks,
 * those of an edge of containment with the vertex that it leads to. Hardly
 * any document has such keys, so no vertex has room for them. They stand in
 * its `extra`, under a key that metadata always has and that therefore never
 * is unknown: as an object, for each place that has any, of an object.
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

/*
 * The keys of an object that are none of n known ones, with their values: a
 * new object, NULL if there are none.
 */
json_t *unknown_take(const json_t *object, const char *const *known, size_t n);

/*
 * Put keys (a borrowed object; NULL: none) into a vertex's `extra`, beside
 * those that it has at that place. It is made if it is NULL.
 */
void unknown_put(json_t **extra, enum unknown_place place, json_t *keys);

/* Return the unknown keys at a place, from such an object. Borrowed; NULL:
   none. */
json_t *unknown_keys(const json_t *extra, enum unknown_place place);

#endif /* MODEL_DOCUMENT_UNKNOWN_H */
