/* Moves keys that the editions have in different places (edition.h). */
#include "model/document/edition.h"

#include <string.h>

#include "base/json.h"
#include "model/document/shorthand.h"

json_t *edition_scheduler(const json_t *attributes)
{
    return json_object_get(json_object_get(attributes, "system"), "scheduler");
}

static void prune(json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    if (json_is_object(value) && json_object_size(value) == 0)
        json_object_del(object, key);
}

void edition_prune(json_t *attributes)
{
    json_t *system = json_object_get(attributes, "system");

    prune(system, "scheduler");
    prune(attributes, "system");
}

/* --- nslots and writer --------------------------------------------------- */

static bool is_nslots(const json_t *value)
{
    return json_is_integer(value) && json_integer_value(value) > 0;
}

const json_t *edition_nslots(const struct rset *rs)
{
    const json_t *value = json_object_get(rs->document.execution, "nslots");

    return is_nslots(value) ? value : NULL;
}

bool edition_is_writer(const char *key, const json_t *value)
{
    return !strcmp(key, "writer") && json_is_string(value);
}

/* Return whether a value is a writer of a graph that is carried: any except
   shorthand. */
static bool is_writer(const json_t *value)
{
    return json_is_string(value) && !is_shorthand_writer(value);
}

/* Move a key to an object, made if there is none, unless it has that key. */
static void move(struct rset *rs, json_t *from, const char *key, json_t **to)
{
    json_t *value = json_object_get(from, key);

    if (!json_object_get(*to, key))
        json_put(to, key, json_incref(value));
    else if (!json_equal(json_object_get(*to, key), value))
        rset_note(rs,
                  "attributes.system.scheduler.%s is left out: the document "
                  "has another %s",
                  key, key);
    json_object_del(from, key);
}

void edition_restore(struct rset *rs)
{
    json_t *scheduler = edition_scheduler(rs->document.attributes);

    if (is_nslots(json_object_get(scheduler, "nslots")))
        move(rs, scheduler, "nslots", &rs->document.execution);
    if (rset_has_graph(rs) && !rs->document.bare
        && is_writer(json_object_get(scheduler, "writer")))
        move(rs, scheduler, "writer", &rs->document.scheduling);
    edition_prune(rs->document.attributes);
}

json_t *edition_make_scheduler(json_t *attributes)
{
    return json_at(json_at(attributes, "system", json_object), "scheduler",
                   json_object);
}

void edition_park(const struct rset *rs, bool graph, json_t *attributes)
{
    const json_t *nslots = edition_nslots(rs);
    json_t *writer = json_object_get(rs->document.scheduling, "writer");

    if (nslots && rs->document.nslots != NSLOTS_FIXED)
        json_object_set(edition_make_scheduler(attributes), "nslots",
                        (json_t *)nslots);
    if (graph && is_writer(writer))
        json_object_set(edition_make_scheduler(attributes), "writer", writer);
}
