/*
 * The two editions of RFC 20, where they differ.
 *
 * The seed edition has `attributes`, whose system.scheduler is free-form. The
 * current one has `execution.nslots` and `scheduling.writer` instead. These
 * stand under attributes.system.scheduler in an R of the seed edition, and in
 * memory where the current edition has them, so nothing is lost in between.
 */
#ifndef MODEL_DOCUMENT_EDITION_H
#define MODEL_DOCUMENT_EDITION_H

#include <jansson.h>
#include <stdbool.h>

#include "model/tree/rset.h"

/* attributes.system.scheduler, or NULL. Borrowed. */
json_t *edition_scheduler(const json_t *attributes);

/* Return attributes.system.scheduler; make it if it is not there. */
json_t *edition_make_scheduler(json_t *attributes);

/* Objects in attributes that say nothing are not kept. */
void edition_prune(json_t *attributes);

/* Move nslots and writer of a set that was read out of its attributes. */
void edition_restore(struct rset *rs);

/* Put nslots and, with a `graph`, its writer into `attributes`. */
void edition_park(const struct rset *rs, bool graph, json_t *attributes);

/* nslots, if it is what the current edition says it is; or NULL. */
const json_t *edition_nslots(const struct rset *rs);

/* Is the key of `scheduling` the writer of the graph beside it? */
bool edition_is_writer(const char *key, const json_t *value);

#endif /* MODEL_DOCUMENT_EDITION_H */
