/* Reads and changes tags of vertices (tags.h). */
#include "model/records/tags.h"

#include <string.h>

#include "base/memory.h"

const json_t *vertex_get_tag(const struct vertex *v, const char *key)
{
    const json_t *tags = json_object_get(v->extra, "tags"), *name;
    size_t i;

    json_array_foreach (tags, i, name)
        if (json_is_string(name) && !strcmp(json_string_value(name), key))
            return json_null();
    return json_object_get(tags, key);
}

const json_t *vertex_state_tag(const struct vertex *v, enum pool_state state,
                               const char **name)
{
    const json_t *tag = NULL;

    if (state == STATE_DOWN)
        tag = vertex_get_tag(v, *name = "drained");
    if (state != STATE_UP && !tag)
        tag = vertex_get_tag(v, *name = "down");
    return tag;
}

char *vertex_state_text(const struct vertex *v, enum pool_state state)
{
    const char *word, *reason;
    const json_t *tag = vertex_state_tag(v, state, &word);
    char *text;

    if (!tag || strcmp(word, "drained") != 0)
        word = pool_state_names[state];
    reason = json_string_value(json_object_get(tag, "reason"));
    xasprintf(&text, reason ? "%s (%s)" : "%s", word, reason);
    return text;
}

bool vertex_has_tags(const struct vertex *v)
{
    const json_t *tags = json_object_get(v->extra, "tags");

    return json_object_size(tags) > 0 || json_array_size(tags) > 0;
}

/* Make an object from a list of names; empty if `tags` is no list. */
static json_t *tags_object(const json_t *tags)
{
    json_t *object = json_object(), *name;
    size_t i;

    json_array_foreach (tags, i, name)
        if (json_is_string(name))
            json_object_set_new(object, json_string_value(name), json_null());
    return object;
}

json_t *tags_of(const struct vertex *v)
{
    json_t *tags = json_object_get(v->extra, "tags");

    return json_is_object(tags) ? json_incref(tags) : tags_object(tags);
}

/* Return the tags of a vertex for a change. Metadata may be shared with other
   vertices, so copy it first. */
static json_t *own_tags(struct vertex *v)
{
    json_t *extra = v->extra ? json_deep_copy(v->extra) : json_object(), *tags;

    json_decref(v->extra);
    v->extra = extra;
    tags = json_object_get(extra, "tags");
    if (!json_is_object(tags)) {
        tags = tags_object(tags);
        json_object_set_new(extra, "tags", tags);
    }
    return tags;
}

void vertex_tag(struct vertex *v, const char *key, json_t *value)
{
    json_object_set(own_tags(v), key, value ? value : json_null());
}

bool vertex_untag(struct vertex *v, const char *key)
{
    json_t *tags;

    if (!vertex_get_tag(v, key))
        return false;
    tags = own_tags(v);
    json_object_del(tags, key);
    if (json_object_size(tags) == 0)
        json_object_del(v->extra, "tags");
    if (json_object_size(v->extra) == 0) {
        json_decref(v->extra);
        v->extra = NULL;
    }
    return true;
}
