#include "model/jgf_private.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "model/jgf.h"

/* One vertex while its metadata is read. */
struct reading {
    struct rset *rs;
    struct vertex *v;
    const char *outer;
    const char *path;
    bool has_id;
    bool has_state;
};

typedef int (*key_fn)(struct reading *r, const json_t *value, struct diag *d);

static const char *text_of(struct reading *r, const json_t *value,
                           struct diag *d)
{
    const char *text;

    if (!json_is_string(value)) {
        diag_set(d, "%s: expected a string", json_quote(value).text);
        return NULL;
    }
    if (!(text = rset_string(r->rs, json_string_value(value))))
        diag_oom(d);
    return text;
}

static int read_type(struct reading *r, const json_t *value, struct diag *d)
{
    if (json_is_string(value) && !json_string_length(value))
        return diag_set(d, "\"\": a type has a name");
    return (r->v->type = text_of(r, value, d)) ? 0 : -1;
}

static int read_basename(struct reading *r, const json_t *value, struct diag *d)
{
    return (r->v->basename = text_of(r, value, d)) ? 0 : -1;
}

static int check_name(const char *name, struct diag *d)
{
    if (!*name || strchr(name, '/'))
        return diag_set(d, "%s: a name is not empty and has no '/'",
                        quote(name, strlen(name)).text);
    if (strlen(name) >= VERTEX_NAME_MAX)
        return diag_set(d, "%s: the name is too long",
                        quote(name, strlen(name)).text);
    return 0;
}

static int read_name(struct reading *r, const json_t *value, struct diag *d)
{
    if (!(r->v->name = text_of(r, value, d)))
        return -1;
    return check_name(r->v->name, d);
}

static int read_unit(struct reading *r, const json_t *value, struct diag *d)
{
    return (r->v->unit = text_of(r, value, d)) ? 0 : -1;
}

/* Every pool has another: it is kept, but not interned. */
static int read_uuid(struct reading *r, const json_t *value, struct diag *d)
{
    if (!json_is_string(value))
        return diag_set(d, "%s: expected a string", json_quote(value).text);
    r->v->uuid = arena_strndup(&r->rs->arena, json_string_value(value),
                               json_string_length(value));
    r->rs->full = true;
    return r->v->uuid ? 0 : diag_oom(d);
}

static int integer_of(const json_t *value, int64_t least, int64_t *out,
                      struct diag *d)
{
    if (!json_is_integer(value) || json_integer_value(value) < least)
        return diag_set(d, "%s: expected an integer of at least %lld",
                        json_quote(value).text, (long long)least);
    *out = json_integer_value(value);
    return 0;
}

static int read_id(struct reading *r, const json_t *value, struct diag *d)
{
    r->has_id = true;
    return integer_of(value, -1, &r->v->id, d);
}

static int read_rank(struct reading *r, const json_t *value, struct diag *d)
{
    if (integer_of(value, -1, &r->v->rank, d) < 0)
        return -1;
    if (r->v->rank > (int64_t)IDSET_MAX)
        return diag_set(d, "%s: a rank is at most %u", json_quote(value).text,
                        IDSET_MAX);
    return 0;
}

static int read_size(struct reading *r, const json_t *value, struct diag *d)
{
    return integer_of(value, 0, &r->v->size, d);
}

static int read_exclusive(struct reading *r, const json_t *value,
                          struct diag *d)
{
    if (!json_is_boolean(value))
        return diag_set(d, "%s: expected true or false",
                        json_quote(value).text);
    r->v->exclusive = json_is_true(value);
    return 0;
}

static int read_state(struct reading *r, const json_t *value, struct diag *d)
{
    int state = json_is_string(value)
                    ? pool_state_from_name(json_string_value(value))
                : json_is_null(value) ? STATE_NONE
                                      : -1;

    if (state < 0)
        return diag_set(d,
                        "%s: expected up, down, degraded, failing, unknown "
                        "or none",
                        json_quote(value).text);
    r->v->state = (enum pool_state)state;
    r->has_state = true;
    return 0;
}

/* Fluxion's: 0 up, 1 down. `state` says more and wins. */
static int read_status(struct reading *r, const json_t *value, struct diag *d)
{
    bool number = json_is_integer(value)
                  && (json_integer_value(value) == 0
                      || json_integer_value(value) == 1);
    enum pool_state said = r->v->state;

    if (json_is_string(value)) {
        bool has_state = r->has_state;
        if (read_state(r, value, d) < 0)
            return -1;
        if (has_state)
            r->v->state = said;
        return 0;
    }
    if (!number)
        return diag_set(d, "%s: expected 0 (up) or 1 (down)",
                        json_quote(value).text);
    if (!r->has_state)
        r->v->state = json_integer_value(value) ? STATE_DOWN : STATE_UP;
    return 0;
}

/* A property's value as text: strings as they are, others as JSON. */
static int add_property(struct reading *r, const char *key, const json_t *value)
{
    char *text;
    int rc;

    if (json_is_string(value))
        return vertex_add_property(r->rs, r->v, key, json_string_value(value));
    if (!(text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT)))
        return -1;
    rc = vertex_add_property(r->rs, r->v, key, text);
    free(text);
    return rc;
}

static int read_properties(struct reading *r, const json_t *value,
                           struct diag *d)
{
    const char *key;
    json_t *item;
    size_t i;

    if (!json_is_object(value) && !json_is_array(value) && !json_is_null(value))
        return diag_set(d, "%s: expected an object or a list",
                        json_quote(value).text);
    json_object_foreach ((json_t *)value, key, item)
        if (add_property(r, key, item) < 0)
            return diag_oom(d);
    json_array_foreach (value, i, item) {
        if (!json_is_string(item)) {
            diag_set(d, "%s: expected a name", json_quote(item).text);
            return diag_in(d, "[%zu]", i);
        }
        if (vertex_add_property(r->rs, r->v, json_string_value(item), "") < 0)
            return diag_oom(d);
    }
    return 0;
}

static int read_paths(struct reading *r, const json_t *value, struct diag *d)
{
    if (!json_is_object(value))
        return diag_set(d, "%s: expected an object", json_quote(value).text);
    r->path = json_string_value(json_object_get(value, "containment"));
    return 0;
}

/* Not in any standard; by default the outer id, and then not worth keeping. */
static int read_uniq_id(struct reading *r, const json_t *value, struct diag *d)
{
    char text[32];
    int64_t number;

    if (integer_of(value, INT64_MIN, &number, d) < 0)
        return -1;
    snprintf(text, sizeof(text), "%lld", (long long)number);
    if (!strcmp(text, r->outer))
        return 0;
    if (!r->v->extra && !(r->v->extra = json_object()))
        return diag_oom(d);
    if (json_object_set(r->v->extra, "uniq_id", (json_t *)value) < 0)
        return diag_oom(d);
    return 0;
}

static const struct {
    const char *key;
    key_fn read;
} keys[] = {
    {"type", read_type},   {"basename", read_basename},
    {"name", read_name},   {"id", read_id},
    {"rank", read_rank},   {"size", read_size},
    {"unit", read_unit},   {"exclusive", read_exclusive},
    {"paths", read_paths}, {"properties", read_properties},
    {"uuid", read_uuid},   {"status", read_status},
    {"state", read_state}, {"uniq_id", read_uniq_id},
};

static int read_key(struct reading *r, const char *key, json_t *value,
                    struct diag *d)
{
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (*key == *keys[i].key && !strcmp(key, keys[i].key))
            return keys[i].read(r, value, d) < 0 ? diag_in(d, "%s", key) : 0;
    if (records_key(key))
        return 0; /* read together, below */
    if (!r->v->extra && !(r->v->extra = json_object()))
        return diag_oom(d);
    return json_object_set(r->v->extra, key, value) < 0 ? diag_oom(d) : 0;
}

size_t host_basename(const char *name, int64_t *id)
{
    size_t len = strlen(name), start = len;

    while (start > 0 && isdigit((unsigned char)name[start - 1]))
        start--;
    *id = -1;
    if (start == len || len - start > 18)
        return len;
    *id = strtoll(name + start, NULL, 10);
    return start;
}

/* The last component of the path that the metadata gives. */
static const char *name_from_path(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;

    return slash && slash[1] && strlen(slash + 1) < VERTEX_NAME_MAX ? slash + 1
                                                                    : NULL;
}

/* basename and id, or the basename alone (RFC 4). */
static const char *made_name(struct rset *rs, const struct vertex *v)
{
    const char *name;
    char *text;

    if (v->id < 0)
        return v->basename;
    if (xasprintf(&text, "%s%lld", v->basename, (long long)v->id) < 0)
        return NULL;
    name = rset_string(rs, text);
    free(text);
    return name;
}

/*
 * What the metadata leaves out (RFC 4's defaults, and what deployed readers
 * take): basename from the type, the name from the path or from basename and
 * id, the id from digits at the end of the name.
 */
static int fill_defaults(struct reading *r, struct diag *d)
{
    struct vertex *v = r->v;
    const char *from_path = name_from_path(r->path);
    size_t len;

    if (!v->basename)
        v->basename = v->type;
    if (!v->name && (r->has_id || !from_path))
        v->name = made_name(r->rs, v);
    else if (!v->name)
        v->name = rset_string(r->rs, from_path);
    if (!v->name)
        return diag_oom(d);
    if (check_name(v->name, d) < 0)
        return diag_in(d, "name");
    if (!r->has_id) {
        len = host_basename(v->name, &v->id);
        if (!type_is_node(v->type)
            && (len != strlen(v->basename)
                || strncmp(v->name, v->basename, len)))
            v->id = -1;
    }
    return 0;
}

struct vertex *jgf_vertex(struct rset *rs, const char *outer,
                          const json_t *metadata, const char **path,
                          struct diag *d)
{
    struct reading r = {.rs = rs, .outer = outer};
    const char *key;
    json_t *value;

    if (!json_is_object(metadata)) {
        diag_set(d, "%s: expected an object",
                 metadata ? json_quote(metadata).text : "missing");
        return NULL;
    }
    if (!json_object_get(metadata, "type")) {
        diag_set(d, "a vertex needs a type");
        return NULL;
    }
    if (!(r.v = vertex_create(rs, ""))) {
        diag_oom(d);
        return NULL;
    }
    r.v->basename = NULL;
    json_object_foreach ((json_t *)metadata, key, value)
        if (read_key(&r, key, value, d) < 0)
            return NULL;
    if (fill_defaults(&r, d) < 0
        || records_from_json(&rs->names, metadata, &r.v->records, d) < 0
        || records_check(r.v->records, r.v->size, d) < 0)
        return NULL;
    *path = r.path;
    return r.v;
}
