/*
 * Inside patch: a document as one JSON value in which the graph is an object
 * from "path@rank" to the metadata of a vertex (its `paths` in other
 * subsystems kept as links, a list of [subsystem, relationship, source,
 * target]). Where such keys do not tell the vertices apart the graph keeps
 * its nodes and edges.
 */
#ifndef COMPARE_KEYED_H
#define COMPARE_KEYED_H

#include <jansson.h>

#include "model/rset.h"

/* What rset writes of a set, for free(); NULL with a diag. */
char *keyed_text(struct rset *rs, size_t *len, struct diag *d);

/* The same, keyed. New reference, NULL with a diag. */
json_t *keyed_from_rset(struct rset *rs, struct diag *d);

/* The set that a keyed document says, NULL with a diag. */
struct rset *keyed_to_rset(const json_t *keyed, struct diag *d);

#endif /* COMPARE_KEYED_H */
