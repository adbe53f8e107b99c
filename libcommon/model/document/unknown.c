/* Keeps and returns keys that no standard defines (unknown.h). */
#include "model/document/unknown.h"

#include <string.h>

#include "base/json.h"

static const char *const place_keys[UNKNOWN_PLACES] = {
    [UNKNOWN_ENTRY] = "entry",
    [UNKNOWN_VERTEX] = "vertex",
    [UNKNOWN_EDGE] = "edge",
    [UNKNOWN_WORDS] = "words",
};

bool is_known_key(const char *key, const char *const *known)
{
    while (*known && strcmp(key, *known))
        known++;
    return *known;
}

json_t *unknown_take(const json_t *object, const char *const *known)
{
    json_t *out = NULL, *value;
    const char *key;

    json_object_foreach ((json_t *)object, key, value)
        if (!is_known_key(key, known))
            json_put(&out, key, json_incref(value));
    return out;
}

json_t *unknown_keys(const json_t *extra, enum unknown_place place)
{
    return json_object_get(json_object_get(extra, UNKNOWN_KEY),
                           place_keys[place]);
}

/* Copies of a vertex share the object, so it is copied before a change. */
void unknown_put(json_t **extra, enum unknown_place place, json_t *keys)
{
    json_t *own, *old, *at, *places;

    if (!keys)
        return;
    old = json_object_get(*extra, UNKNOWN_KEY);
    own = *extra ? json_copy(*extra) : json_object();
    places = old ? json_copy(old) : json_object();
    at = json_copy(keys);
    if ((old = unknown_keys(*extra, place)))
        json_object_update(at, old);
    json_object_set_new(own, UNKNOWN_KEY, places);
    json_object_set_new(places, place_keys[place], at);
    json_decref(keys);
    json_decref(*extra);
    *extra = own;
}
