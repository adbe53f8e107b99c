#include "model/tags.h"

const json_t *vertex_get_tag(const struct vertex *v, const char *key)
{
    return json_object_get(json_object_get(v->extra, "tags"), key);
}

/* Metadata may be shared with other vertices: this one gets its own. */
static json_t *own_tags(struct vertex *v)
{
    json_t *extra = v->extra ? json_deep_copy(v->extra) : json_object(), *tags;

    if (!extra)
        return NULL;
    json_decref(v->extra);
    v->extra = extra;
    if (!(tags = json_object_get(extra, "tags"))
        && (tags = json_object()) && json_object_set_new(extra, "tags", tags))
        return NULL;
    return tags;
}

int vertex_tag(struct vertex *v, const char *key, json_t *value)
{
    json_t *tags = own_tags(v);

    if (!tags)
        return -1;
    return value ? json_object_set(tags, key, value)
                 : json_object_set_new(tags, key, json_null());
}

int vertex_untag(struct vertex *v, const char *key)
{
    json_t *tags;

    if (!vertex_get_tag(v, key))
        return 0;
    if (!(tags = own_tags(v)))
        return -1;
    json_object_del(tags, key);
    if (json_object_size(tags) == 0)
        json_object_del(v->extra, "tags");
    if (json_object_size(v->extra) == 0) {
        json_decref(v->extra);
        v->extra = NULL;
    }
    return 1;
}
