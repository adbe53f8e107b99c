/* Keeps and writes keys that no standard knows (unknown.h). */
#include "model/document/unknown.h"

#include <string.h>

#include "base/json.h"

static const char *const place_keys[UNKNOWN_PLACES] = {
    [UNKNOWN_ENTRY] = "entry",
    [UNKNOWN_VERTEX] = "vertex",
    [UNKNOWN_EDGE] = "edge",
    [UNKNOWN_WORDS] = "words",
};

void unknown_take(const json_t *object, const char *const *known, size_t n,
                  json_t **out)
{
    const char *key;
    json_t *value;

    *out = NULL;
    json_object_foreach ((json_t *)object, key, value) {
        size_t i = 0;
        while (i < n && strcmp(key, known[i]))
            i++;
        if (i < n)
            continue;
        if (!*out)
            *out = json_object();
        json_object_set(*out, key, value);
    }
}

json_t *unknown_keys(const json_t *extra, enum unknown_place place)
{
    return json_object_get(json_object_get(extra, UNKNOWN_KEY),
                           place_keys[place]);
}

/* Copies of a vertex share the object: before a change it is copied. */
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
    json_decref(*extra);
    *extra = own;
}

void unknown_keep(struct vertex *v, enum unknown_place place, json_t *keys)
{
    unknown_put(&v->extra, place, keys);
}

/* Keys of metadata, but for what has a place in an R, is a mere number, or says
   of a sum, which is in no R, that it is one. */
static size_t count_metadata(const json_t *extra)
{
    size_t n = json_object_size(extra);

    n -= json_object_get(extra, UNKNOWN_KEY) != NULL;
    n -= json_object_get(extra, "tags") != NULL;
    n -= json_object_get(extra, "sum") != NULL;
    return n - (json_object_get(extra, "uniq_id") != NULL);
}

static size_t count_keys(const json_t *extra, int halves)
{
    size_t n = halves & HALF_GRAPH ? 0 : count_metadata(extra);

    for (int place = 0; place < UNKNOWN_PLACES; place++) {
        const json_t *keys = unknown_keys(extra, (enum unknown_place)place);
        int half = place == UNKNOWN_ENTRY ? HALF_EXECUTION : HALF_GRAPH;
        if (!(halves & half)) /* the word of an edge is known */
            n += json_object_size(keys)
                 - (json_object_get(keys, "relationship") != NULL);
    }
    return n;
}

void unknown_note(struct rset *rs, int halves)
{
    size_t n = halves & HALF_GRAPH ? 0 : json_object_size(rs->graph_extra);

    if (!(rs->halves & ~halves))
        return; /* whatever it has was read from these */
    for (const struct vertex *v = rset_first(rs); v; v = rset_next(rs, v))
        if (v->extra)
            n += count_keys(v->extra, halves);
    for (size_t i = 0; i < rs->nlinks; i++)
        n += count_keys(rs->links[i].extra, halves);
    if (n > 0)
        rset_note(rs,
                  "%zu key%s of R_lite entries, the graph, its vertices or "
                  "its edges %s left out",
                  n, n == 1 ? "" : "s", n == 1 ? "is" : "are");
}
