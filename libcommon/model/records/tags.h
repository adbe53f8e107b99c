/*
 * Tags (RFC 4): names, with or without a value, that may be added and removed.
 * They are members of the object `tags` in the metadata of a vertex. A list of
 * names is read as such an object, and becomes one at the first change.
 */
#ifndef MODEL_RECORDS_TAGS_H
#define MODEL_RECORDS_TAGS_H

#include "model/tree/rset.h"

/* Set a tag of a vertex, replacing its value. The key is UTF-8. `value` is
   borrowed; NULL: no value. */
void vertex_tag(struct vertex *v, const char *key, json_t *value);

/* Remove a tag. Returns whether the vertex had it. */
bool vertex_untag(struct vertex *v, const char *key);

/* Return the value of a tag (borrowed; JSON null if it has none), or NULL if
   the vertex has no such tag. */
const json_t *vertex_get_tag(const struct vertex *v, const char *key);

/* Return the tag that goes with a vertex's state, and its name: "drained" or
   "down" (borrowed). NULL: none. */
const json_t *vertex_state_tag(const struct vertex *v, enum pool_state state,
                               const char **name);

/* Return the state with the reason, such as "up", "down" or "drained (broken
   fan)": a new string. */
char *vertex_state_text(const struct vertex *v, enum pool_state state);

/* Return all tags as an object, a new reference. */
json_t *tags_of(const struct vertex *v);

/* Return whether a vertex has any tag. */
bool vertex_has_tags(const struct vertex *v);

#endif /* MODEL_RECORDS_TAGS_H */
