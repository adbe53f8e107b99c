/* RFC 27, Alloc Annotate: how annotations are merged. */
#include "protocol/annotate.h"

void annotations_merge(json_t *into, const json_t *update)
{
    const char *key;
    json_t *value;

    json_object_foreach ((json_t *)update, key, value) {
        json_t *old = json_object_get(into, key);
        if (json_is_null(value)) {
            json_object_del(into, key);
        } else if (json_is_object(value)) {
            if (!json_is_object(old)) {
                old = json_object(); /* what is null in it is not there */
                json_object_set_new(into, key, old);
            }
            annotations_merge(old, value);
        } else {
            json_object_set(into, key, value);
        }
    }
}
