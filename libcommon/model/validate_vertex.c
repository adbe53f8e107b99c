/* Validation of a vertex by itself (RFC 4, Resource Pool Data; RFC 20). */
#include <string.h>

#include "base/json.h"
#include "model/jgf.h"
#include "model/validate_private.h"

struct vertex_check {
    struct graph *g;
    struct check *c;
    struct pool *p;
    bool has_id;
    bool unnamed; /* what names it is faulty */
};

typedef void (*key_fn)(struct vertex_check *v, const json_t *value,
                       const struct place *at);

/* A string, or a fault. */
static const char *need_text(struct vertex_check *v, const json_t *value,
                             const struct place *at)
{
    if (!json_is_string(value))
        fault(v->c, RULE_WRONG_TYPE, at, "%s: expected a string",
              json_quote(value).text);
    return json_string_value(value);
}

static void check_type(struct vertex_check *v, const json_t *value,
                       const struct place *at)
{
    v->p->type = need_text(v, value, at);
    if (v->p->type && !*v->p->type) {
        fault(v->c, RULE_VERTEX_TYPE, at, "\"\": a type has a name");
        v->p->type = NULL;
    }
    v->unnamed |= !v->p->type;
}

static void check_basename(struct vertex_check *v, const json_t *value,
                           const struct place *at)
{
    v->p->basename = need_text(v, value, at);
    v->unnamed |= !v->p->basename;
}

/* What is wrong with a name; NULL: nothing. */
static const char *name_fault(const char *name)
{
    if (!*name || strchr(name, '/'))
        return "a name is not empty and has no '/'";
    return strlen(name) >= VERTEX_NAME_MAX ? "the name is too long" : NULL;
}

static void check_name(struct vertex_check *v, const json_t *value,
                       const struct place *at)
{
    const char *name = need_text(v, value, at);
    const char *wrong = name ? name_fault(name) : NULL;

    if (wrong)
        fault(v->c, RULE_NAME, at, "%s: %s", json_quote(value).text, wrong);
    v->p->name = name && !wrong ? name : NULL;
    v->unnamed |= !v->p->name;
}

static bool need_integer(struct vertex_check *v, const json_t *value,
                         int64_t least, int64_t *out, const struct place *at)
{
    if (json_is_integer(value) && json_integer_value(value) >= least) {
        *out = json_integer_value(value);
        return true;
    }
    fault(v->c, RULE_NUMBER, at, "%s: expected an integer of at least %lld",
          json_quote(value).text, (long long)least);
    return false;
}

static void check_id(struct vertex_check *v, const json_t *value,
                     const struct place *at)
{
    v->has_id = true;
    v->unnamed |= !need_integer(v, value, -1, &v->p->number, at);
}

static void check_rank(struct vertex_check *v, const json_t *value,
                       const struct place *at)
{
    int64_t rank;

    if (!need_integer(v, value, -1, &rank, at))
        return;
    if (rank > (int64_t)IDSET_MAX)
        fault(v->c, RULE_NUMBER, at, "%s: a rank is at most %u",
              json_quote(value).text, IDSET_MAX);
    else
        v->p->rank = rank;
}

static void check_size(struct vertex_check *v, const json_t *value,
                       const struct place *at)
{
    need_integer(v, value, 0, &v->p->size, at);
}

static void check_uniq_id(struct vertex_check *v, const json_t *value,
                          const struct place *at)
{
    int64_t unused;

    need_integer(v, value, INT64_MIN, &unused, at);
}

static void check_unit(struct vertex_check *v, const json_t *value,
                       const struct place *at)
{
    need_text(v, value, at);
}

static void check_exclusive(struct vertex_check *v, const json_t *value,
                            const struct place *at)
{
    if (!json_is_boolean(value))
        fault(v->c, RULE_WRONG_TYPE, at, "%s: expected true or false",
              json_quote(value).text);
    v->p->exclusive = json_is_true(value);
}

static void check_paths(struct vertex_check *v, const json_t *value,
                        const struct place *at)
{
    const char *key;
    json_t *path;

    if (!need_object(v->c, value, at))
        return;
    json_object_foreach ((json_t *)value, key, path)
        if (!json_is_string(path))
            fault(v->c, RULE_PATH_TYPE, IN_KEY(at, key),
                  "%s: expected a string", json_quote(path).text);
    v->p->path = json_string_value(json_object_get(value, "containment"));
}

static void check_property_list(struct vertex_check *v, const json_t *value,
                                const struct place *at)
{
    json_t *item;
    size_t i;

    fault(v->c, RULE_PROPERTIES_LIST, at, "%s: expected an object",
          json_quote(value).text);
    json_array_foreach (value, i, item)
        if (!json_is_string(item))
            fault(v->c, RULE_WRONG_TYPE, IN_LIST(at, i), "%s: expected a name",
                  json_quote(item).text);
}

static void check_properties_of(struct vertex_check *v, const json_t *value,
                                const struct place *at)
{
    const char *key;
    json_t *item;

    if (json_is_array(value) || json_is_null(value)) {
        check_property_list(v, value, at);
        return;
    }
    if (!json_is_object(value))
        fault(v->c, RULE_WRONG_TYPE, at, "%s: expected an object or a list",
              json_quote(value).text);
    json_object_foreach ((json_t *)value, key, item)
        if (!json_is_string(item))
            fault(v->c, RULE_PROPERTY_VALUE, IN_KEY(at, key),
                  "%s: expected a string", json_quote(item).text);
}

static void check_uuid(struct vertex_check *v, const json_t *value,
                       const struct place *at)
{
    const char *uuid = need_text(v, value, at);
    struct map_slot *slot;

    if (!uuid || !*uuid)
        return;
    if (!(slot = map_at(&v->g->uuids, uuid, strlen(uuid))))
        v->c->failed = true;
    else if (slot->value.pointer)
        fault(v->c, RULE_UUID_TWICE, at, "%s: vertex %s has this uuid, too",
              json_quote(value).text, pool_quote(slot->value.pointer).text);
    else
        slot->value.pointer = v->p;
}

static bool is_state(const json_t *value)
{
    return json_is_string(value)
           && pool_state_from_name(json_string_value(value)) >= 0;
}

static void check_state(struct vertex_check *v, const json_t *value,
                        const struct place *at)
{
    if (!is_state(value) && !json_is_null(value))
        fault(v->c, RULE_STATE, at,
              "%s: expected up, down, degraded, failing, unknown or none",
              json_quote(value).text);
}

static void check_status(struct vertex_check *v, const json_t *value,
                         const struct place *at)
{
    json_int_t number = json_integer_value(value);

    if (json_is_string(value))
        check_state(v, value, at);
    else if (!json_is_integer(value) || number < 0 || number > 1)
        fault(v->c, RULE_STATE, at, "%s: expected 0 (up) or 1 (down)",
              json_quote(value).text);
}

static void check_tags(struct vertex_check *v, const json_t *value,
                       const struct place *at)
{
    json_t *item;
    size_t i;

    if (!json_is_object(value) && !json_is_array(value))
        fault(v->c, RULE_TAGS_SHAPE, at, "%s: expected an object or a list",
              json_quote(value).text);
    json_array_foreach (value, i, item)
        if (!json_is_string(item))
            fault(v->c, RULE_TAGS_SHAPE, IN_LIST(at, i), "%s: expected a name",
                  json_quote(item).text);
}

static const struct {
    const char *key;
    key_fn check;
    bool required; /* by RFC 20 */
} keys[] = {
    {"type", check_type, false}, /* told apart */
    {"uuid", check_uuid, true},
    {"basename", check_basename, true},
    {"name", check_name, true},
    {"id", check_id, true},
    {"properties", check_properties_of, true},
    {"size", check_size, true},
    {"unit", check_unit, true},
    {"rank", check_rank, false},
    {"exclusive", check_exclusive, false},
    {"paths", check_paths, false},
    {"status", check_status, false},
    {"state", check_state, false},
    {"tags", check_tags, false},
    {"uniq_id", check_uniq_id, false},
};
enum { KEYS = sizeof(keys) / sizeof(keys[0]) };

static void check_missing(struct check *c, const json_t *metadata,
                          const struct place *at)
{
    char text[96] = "";
    size_t n = 0;

    for (size_t i = 0; c->out->strict && i < KEYS; i++)
        if (keys[i].required && !json_object_get(metadata, keys[i].key))
            n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s",
                                  n ? ", " : "", keys[i].key);
    if (n)
        fault(c, RULE_VERTEX_KEY_MISSING, at, "%s: missing", text);
}

/* --- what follows from what is there ------------------------------------ */

/* The last component of the path that it gives. */
static const char *name_from_path(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;

    return slash && slash[1] && strlen(slash + 1) < VERTEX_NAME_MAX ? slash + 1
                                                                    : NULL;
}

/* basename and id, or the basename alone (RFC 4). */
static const char *made_name(struct vertex_check *v, const struct place *at)
{
    char text[VERTEX_NAME_MAX];
    const char *name = v->p->basename, *wrong;
    int len = 0;

    if (v->p->number >= 0) {
        len = snprintf(text, sizeof(text), "%s%lld", name,
                       (long long)v->p->number);
        name = strtab_intern(&v->c->names, text, strlen(text));
    }
    if (!name) {
        v->c->failed = true;
        return NULL;
    }
    wrong = len >= (int)sizeof(text) ? "the name is too long"
                                     : name_fault(name);
    if (wrong)
        fault(v->c, RULE_DEFAULT_NAME, at, "%s: %s",
              quote(name, strlen(name)).text, wrong);
    return wrong ? NULL : name;
}

/* The digits at the end of a name, where nothing else says the id. */
static void number_from_name(struct pool *p)
{
    size_t len = host_basename(p->name, &p->number);

    if (!type_is_node(p->type)
        && (len != strlen(p->basename) || strncmp(p->name, p->basename, len)))
        p->number = -1;
}

static void fill_defaults(struct vertex_check *v, const struct place *at)
{
    struct pool *p = v->p;
    const char *from_path = name_from_path(p->path);

    if (v->unnamed) {
        p->name = NULL;
        return;
    }
    if (!p->basename)
        p->basename = p->type;
    if (!p->name)
        p->name = v->has_id || !from_path ? made_name(v, at) : from_path;
    if (p->name && !v->has_id)
        number_from_name(p);
}

void check_vertex(struct graph *g, struct pool *p, const json_t *metadata,
                  const struct place *at)
{
    struct vertex_check v = {.g = g, .c = g->c, .p = p};

    if (!need_object(v.c, metadata, at))
        return;
    if (!json_object_get(metadata, "type")) {
        fault(v.c, RULE_KEY_MISSING, at, "a vertex needs a type");
        v.unnamed = true;
    }
    for (size_t i = 0; i < KEYS; i++) {
        const json_t *value = json_object_get(metadata, keys[i].key);
        if (value)
            keys[i].check(&v, value, IN_KEY(at, keys[i].key));
    }
    check_missing(v.c, metadata, at);
    fill_defaults(&v, at);
}
