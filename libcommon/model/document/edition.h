/*
 * Differences between the two editions of RFC 20.
 *
 * The seed edition has `attributes` with a free-form system.scheduler. The
 * current edition has `execution.nslots` and `scheduling.writer` instead. In
 * memory they are always in the places of the current edition; in an R of the
 * seed edition they are written under attributes.system.scheduler. So nothing
 * is lost.
 */
#ifndef MODEL_DOCUMENT_EDITION_H
#define MODEL_DOCUMENT_EDITION_H

#include <jansson.h>
#include <stdbool.h>

#include "model/tree/rset.h"

/* Return attributes.system.scheduler (borrowed), or NULL. */
json_t *edition_scheduler(const json_t *attributes);

/* Return attributes.system.scheduler; make it if it is not there. */
json_t *edition_make_scheduler(json_t *attributes);

/* Remove empty objects system and system.scheduler from attributes. */
void edition_prune(json_t *attributes);

/* Move nslots and writer from the attributes of a set that was read to their
   places. */
void edition_restore(struct rset *rs);

/* Copy nslots, and if there is a `graph` its writer, into `attributes`. */
void edition_park(const struct rset *rs, bool graph, json_t *attributes);

/* Return nslots if it is a number of slots, otherwise NULL. */
const json_t *edition_nslots(const struct rset *rs);

/* Return whether a key of `scheduling` is the writer of the graph. */
bool edition_is_writer(const char *key, const json_t *value);

#endif /* MODEL_DOCUMENT_EDITION_H */
