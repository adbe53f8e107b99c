/*
 * Tags (RFC 4): names with or without a value that come and go. They stand
 * in a vertex's metadata as members of the object `tags`; a list of names is
 * read as such an object, and becomes one when it changes.
 */
#ifndef MODEL_RECORDS_TAGS_H
#define MODEL_RECORDS_TAGS_H

#include "model/tree/rset.h"

/*
 * Tag a vertex with a key in UTF-8; `value` is borrowed, NULL: none. What it
 * had goes.
 */
void vertex_tag(struct vertex *v, const char *key, json_t *value);

/* Take a tag away: was it there? */
bool vertex_untag(struct vertex *v, const char *key);

/* Its value (a borrowed JSON null if it has none), NULL: no such tag. */
const json_t *vertex_get_tag(const struct vertex *v, const char *key);

/* All tags, as an object; a new reference. */
json_t *tags_of(const struct vertex *v);

/* Has it any tag? */
bool vertex_has_tags(const struct vertex *v);

#endif /* MODEL_RECORDS_TAGS_H */
