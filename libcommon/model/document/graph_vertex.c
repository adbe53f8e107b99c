/* Reads a vertex from its metadata (RFC 4, Resource Pool Data; RFC 20). */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "model/document/graph.h"
#include "model/records/lots.h"
#include "model/records/usage.h"
#include "model/document/jgf.h"
#include "model/tree/forest.h"

/* A vertex while its metadata is read. */
struct vertex_reading {
    struct graph *g;
    struct reader *r;
    struct vertex *v;
    const char *path; /* the given one, or NULL */
    bool has_id, has_state;
    bool unnamed; /* its type, name or id is faulty */
};

typedef void (*key_fn)(struct vertex_reading *g, const json_t *value,
                       const struct place *at);

static const char *read_text(struct vertex_reading *g, const json_t *value,
                             const struct place *at)
{
    return rset_string(g->r->rs, need_string(g->r, value, at));
}

static void read_type(struct vertex_reading *g, const json_t *value,
                      const struct place *at)
{
    const char *type = read_text(g, value, at);

    if (type && !*type)
        fault(g->r, RULE_VERTEX_TYPE, at, "\"\": a type must have a name");
    if (type && *type)
        g->v->type = type;
    else
        g->unnamed = true;
}

static void read_basename(struct vertex_reading *g, const json_t *value,
                          const struct place *at)
{
    g->v->basename = read_text(g, value, at);
    g->unnamed |= !g->v->basename;
}

static void check_name(struct vertex_reading *g, enum rule rule,
                       const struct place *at)
{
    const char *name = g->v->name, *wrong = NULL;

    if (name && (!*name || strchr(name, '/')))
        wrong = "a name must not be empty or contain '/'";
    else if (name && strlen(name) >= VERTEX_NAME_MAX)
        wrong = "the name is too long";
    if (wrong)
        fault(g->r, rule, at, "%s: %s", quote_all(name).text, wrong);
    g->unnamed |= !name || wrong;
}

static void read_name(struct vertex_reading *g, const json_t *value,
                      const struct place *at)
{
    g->v->name = read_text(g, value, at);
    check_name(g, RULE_NAME, at);
}

static void read_unit(struct vertex_reading *g, const json_t *value,
                      const struct place *at)
{
    const char *unit = read_text(g, value, at);

    if (unit)
        g->v->unit = unit;
}

/* Uuids differ between all pools, so they are not interned. */
static void read_uuid(struct vertex_reading *g, const json_t *value,
                      const struct place *at)
{
    const char *uuid = need_string(g->r, value, at);
    struct map_slot *slot;

    if (!uuid)
        return;
    g->v->uuid = arena_strndup(&g->r->rs->arena, uuid,
                               json_string_length(value));
    g->r->rs->document.full = true;
    if (!*uuid || !reader_reports(g->r, FAULT_WARNED))
        return;
    slot = map_at(&g->g->uuids, uuid, json_string_length(value));
    if (slot->value.number)
        fault(g->r, RULE_UUID_TWICE, at, "%s: vertex %s has this uuid, too",
              json_quote(value).text,
              vertex_quote(g->g, g->g->outers[slot->value.number - 1].v).text);
    else
        slot->value.number = g->v->index + 1;
}

static void read_id(struct vertex_reading *g, const json_t *value,
                    const struct place *at)
{
    g->has_id = true;
    g->unnamed |= !need_integer(g->r, value, -1, &g->v->id, at);
}

static void read_rank(struct vertex_reading *g, const json_t *value,
                      const struct place *at)
{
    int64_t rank = -1;

    if (need_integer(g->r, value, -1, &rank, at) && rank > (int64_t)IDSET_MAX) {
        fault(g->r, RULE_NUMBER, at, "%s: a rank is at most %u",
              json_quote(value).text, IDSET_MAX);
        rank = -1;
    }
    g->v->rank = rank;
}

static void read_size(struct vertex_reading *g, const json_t *value,
                      const struct place *at)
{
    need_integer(g->r, value, 0, &g->v->size, at);
}

static void read_exclusive(struct vertex_reading *g, const json_t *value,
                           const struct place *at)
{
    if (!json_is_boolean(value))
        fault_value(g->r, RULE_WRONG_TYPE, at, value, "expected true or false");
    g->v->exclusive = json_is_true(value);
}

static void read_state(struct vertex_reading *g, const json_t *value,
                       const struct place *at)
{
    int state = json_is_string(value)
                    ? pool_state_from_name(json_string_value(value))
                : json_is_null(value) ? STATE_NONE
                                      : -1;

    if (state < 0) {
        fault_value(g->r, RULE_STATE, at, value,
                    "expected up, down, degraded, failing, unknown or none");
        return;
    }
    vertex_lot(g->r->rs, g->v)->state = (enum pool_state)state;
    g->has_state = true;
}

/* Fluxion's key: 0 is up, 1 down. `state` is more exact and wins. */
static void read_status(struct vertex_reading *g, const json_t *value,
                        const struct place *at)
{
    json_int_t number = json_integer_value(value);
    enum pool_state state = lot_state(g->v->lot);
    bool has_state = g->has_state;

    if (json_is_string(value))
        read_state(g, value, at);
    else if (!json_is_integer(value) || number < 0 || number > 1)
        fault_value(g->r, RULE_STATE, at, value, "expected 0 (up) or 1 (down)");
    else
        vertex_lot(g->r->rs, g->v)->state = number ? STATE_DOWN : STATE_UP;
    if (has_state)
        vertex_lot(g->r->rs, g->v)->state = state;
}

/* Read properties. A value that is no text is kept as its JSON text. */
static void read_vertex_properties(struct vertex_reading *g,
                                   const json_t *value, const struct place *at)
{
    size_t n = json_object_size(value) + json_array_size(value), i;
    struct properties *p;
    const char *key;
    json_t *item;

    if (json_is_array(value) || json_is_null(value))
        fault_value(g->r, RULE_PROPERTIES_LIST, at, value,
                    "expected an object");
    else if (!json_is_object(value))
        fault_value(g->r, RULE_WRONG_TYPE, at, value,
                    "expected an object or a list");
    if (n == 0)
        return;
    p = xcalloc(1, sizeof(*p) + n * sizeof(p->list[0]));
    json_object_foreach ((json_t *)value, key, item) {
        const char *text = json_string_value(item);
        if (!text) {
            char *json = json_dumps(item, JSON_ENCODE_ANY | JSON_COMPACT);
            fault_value(g->r, RULE_PROPERTY_VALUE, IN_KEY(at, key), item,
                        "expected a string");
            text = rset_string(g->r->rs, json);
            free(json);
        }
        p->list[p->count++] = (struct property){key, text};
    }
    json_array_foreach (value, i, item) {
        const char *name = json_string_value(item);
        if (name)
            p->list[p->count++] = (struct property){name, ""};
        else
            fault_value(g->r, RULE_WRONG_TYPE, IN_LIST(at, i), item,
                        "expected a name");
    }
    vertex_add_properties(g->r->rs, g->v, p);
    free(p);
}

/* Find the home: the alphabetically first subsystem of the paths (RFC 4,
   paths). */
static void read_home(struct vertex_reading *g, const json_t *paths,
                      const struct place *at)
{
    const char *home = NULL, *key;
    char *text = NULL, *first, *last;
    json_t *path;

    json_object_foreach ((json_t *)paths, key, path)
        if (json_is_string(path) && (!home || strcmp(key, home) < 0))
            home = key;
    if (!home)
        return;
    if (!*home)
        fault(g->r, RULE_EDGE_WORDS, at,
              "\"\": expected the name of a subsystem");
    xasprintf(&text, "%s:%s", home,
              json_string_value(json_object_get(paths, home)));
    outer_of(g->g, g->v)->path = rset_string(g->r->rs, text);
    g->v->home = rset_string(g->r->rs, home);

    /* cut off the last name of the path, if it is a path */
    first = text + strlen(home) + 1;
    last = strrchr(first, '/');
    if (*first == '/' && last > first && last - first < ABOVE_MAX
        && !strstr(first, "//")) {
        *last = '\0';
        g->v->above = rset_string(g->r->rs, first);
    }
    free(text);
}

static void read_paths(struct vertex_reading *g, const json_t *value,
                       const struct place *at)
{
    struct rset *rs = g->r->rs;
    const char *key;
    json_t *path;

    if (!need_object(g->r, value, at))
        return;
    g->path = json_string_value(json_object_get(value, "containment"));
    if (!json_object_get(value, "containment"))
        read_home(g, value, at);
    json_object_foreach ((json_t *)value, key, path) {
        struct path_of of = {g->v->index, rset_string(rs, key)};
        const char *text = json_string_value(path);
        if (!text && reader_reports(g->r, FAULT_STRICT))
            fault_value(g->r, RULE_PATH_TYPE, IN_KEY(at, key), path,
                        "expected a string");
        /* needed to tell which of two opposite edges is the reverse */
        if (text && of.subsystem != g->g->containment)
            map_at(&g->g->paths, &of, sizeof(of))->value.pointer = (void *)
                rset_string(rs, text);
    }
}

static void keep_value(struct vertex_reading *g, const char *key,
                       const json_t *value)
{
    json_put(&g->v->extra, key, json_incref((json_t *)value));
}

/* Read a key of no standard. Its usual value, the outer id, is not kept. */
static void read_uniq_id(struct vertex_reading *g, const json_t *value,
                         const struct place *at)
{
    char text[32];
    int64_t number;

    if (!need_integer(g->r, value, INT64_MIN, &number, at))
        return;
    snprintf(text, sizeof(text), "%lld", (long long)number);
    if (strcmp(text, g->g->ids.slots[g->v->index].key))
        keep_value(g, "uniq_id", value);
}

static void read_tags(struct vertex_reading *g, const json_t *value,
                      const struct place *at)
{
    json_t *item;
    size_t i;

    keep_value(g, "tags", value);
    if (!json_is_object(value) && !json_is_array(value))
        fault_value(g->r, RULE_TAGS_SHAPE, at, value,
                    "expected an object or a list");
    json_array_foreach (value, i, item)
        if (!json_is_string(item))
            fault_value(g->r, RULE_TAGS_SHAPE, IN_LIST(at, i), item,
                        "expected a name");
}

static void read_records(struct vertex_reading *g, const json_t *value,
                         const struct place *at)
{
    records_read(g->g, outer_of(g->g, g->v), value, at);
}

static const struct {
    const char *key;
    key_fn read;
    bool required; /* by RFC 20 */
} keys[] = {
    {"allocations", read_records, false},
    {"reservations", read_records, false},
    {"shared", read_records, false},
    {"listed", read_records, false},
    {"staged", read_records, false},
    {"type", read_type, false}, /* reported apart */
    {"uuid", read_uuid, true},
    {"basename", read_basename, true},
    {"name", read_name, true},
    {"id", read_id, true},
    {"properties", read_vertex_properties, true},
    {"size", read_size, true},
    {"unit", read_unit, true},
    {"rank", read_rank, false},
    {"exclusive", read_exclusive, false},
    {"paths", read_paths, false},
    {"status", read_status, false},
    {"state", read_state, false},
    {"tags", read_tags, false},
    {"uniq_id", read_uniq_id, false},
};
enum { KEYS = sizeof(keys) / sizeof(keys[0]) };

/* Report misspelt keys, and missing keys of RFC 20. */
static void check_keys(struct vertex_reading *g, const json_t *metadata,
                       const struct place *at)
{
    const char *known[KEYS + 1] = {NULL};
    char missing[96] = "";
    size_t n = 0;

    for (size_t i = 0; i < KEYS; i++)
        known[i] = keys[i].key;
    if (g->v->extra)
        report_typos(g->r, metadata, known, at);
    if (!reader_reports(g->r, FAULT_STRICT) || !json_is_object(metadata))
        return;
    for (size_t i = 0; i < KEYS; i++)
        if (keys[i].required && !json_object_get(metadata, keys[i].key))
            n += (size_t)snprintf(missing + n, sizeof(missing) - n, "%s%s",
                                  n ? ", " : "", keys[i].key);
    if (n)
        fault(g->r, RULE_VERTEX_KEY_MISSING, at, "%s: missing", missing);
}

/* --- defaults ------------------------------------------------------------ */

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

/*
 * Fill in missing keys (RFC 4's defaults, as deployed readers do): the basename
 * from the type, the name from the path or from basename and id, the id from
 * digits at the end of the name.
 */
static void fill_defaults(struct vertex_reading *g, const struct place *at)
{
    struct vertex *v = g->v;
    const char *last = g->path ? strrchr(g->path, '/') : NULL;
    size_t len;

    if (!v->basename)
        v->basename = v->type;
    if (!g->unnamed && !v->name) {
        bool from_path = !g->has_id && last && last[1]
                         && strlen(last + 1) < VERTEX_NAME_MAX;
        v->name = from_path ? rset_string(g->r->rs, last + 1)
                            : rset_name_by_id(g->r->rs, v->basename, v->id);
        check_name(g, RULE_DEFAULT_NAME, at);
    }
    if (g->unnamed) {
        v->name = "";
    } else if (!g->has_id) {
        len = host_basename(v->name, &v->id);
        if (!type_is_node(v->type)
            && (len != strlen(v->basename)
                || strncmp(v->name, v->basename, len)))
            v->id = -1;
    }
}

/* All keys of a vertex are read. */
static void finish_vertex(struct vertex_reading *g, const struct place *at)
{
    struct outer *o = outer_of(g->g, g->v);
    const char **least = &g->g->least;

    fill_defaults(g, at);
    o->unnamed = g->unnamed;
    if (!g->path)
        return;
    o->path_hash = path_hashes(g->path);
    if (g->r->faults)
        o->path = arena_strndup(&g->r->rs->arena, g->path, strlen(g->path));
    if (!*least || strlen(g->path) < strlen(*least))
        *least = rset_string(g->r->rs, g->path);
}

/* A new vertex of an outer that has none. */
static struct vertex_reading begin_vertex(struct graph *g, uint32_t number)
{
    struct vertex *v = vertex_create(g->r->rs, "");

    v->basename = NULL;
    v->index = number;
    g->outers[number].v = v;
    g->outers[number].node = (uint32_t)g->nnodes++;
    return (struct vertex_reading){.g = g, .r = g->r, .v = v};
}

void vertex_read(struct graph *g, uint32_t number, const json_t *metadata,
                 const struct place *at)
{
    struct vertex_reading reading = begin_vertex(g, number);
    const char *key;
    json_t *value;

    if (!need_object(g->r, metadata, at)) {
        reading.unnamed = true;
    } else if (!json_object_get(metadata, "type")) {
        fault(g->r, RULE_KEY_MISSING, at, "a vertex needs a type%s",
              near_key(metadata, "type").text);
        reading.unnamed = true;
    }
    json_object_foreach ((json_t *)metadata, key, value) {
        size_t i = VECTOR_FIND(
            k, KEYS, *key == *keys[k].key && !strcmp(key, keys[k].key));
        if (i < KEYS)
            keys[i].read(&reading, value, IN_KEY(at, key));
        else
            keep_value(&reading, key, value);
    }
    check_keys(&reading, metadata, at);
    finish_vertex(&reading, at);
}

/* --- plain vertices ------------------------------------------------------ */

/* The keys of plain vertices. */
enum {
    OUTER,
    METADATA,
    TYPE,
    UUID,
    BASENAME,
    NAME,
    ID,
    PROPERTIES,
    SIZE,
    UNIT,
    RANK,
    EXCLUSIVE,
    PATHS,
    PATH,
    FIELDS
};
static const struct json_field no_fields[1],
    in_paths[] = {{"containment", JSON_STRING, PATH, NULL}, {0}},
    in_metadata[] = {{"type", JSON_STRING, TYPE, NULL},
                     {"uuid", JSON_STRING, UUID, NULL},
                     {"basename", JSON_STRING, BASENAME, NULL},
                     {"name", JSON_STRING, NAME, NULL},
                     {"id", JSON_INTEGER, ID, NULL},
                     {"properties", JSON_OBJECT, PROPERTIES, no_fields},
                     {"size", JSON_INTEGER, SIZE, NULL},
                     {"unit", JSON_STRING, UNIT, NULL},
                     {"rank", JSON_INTEGER, RANK, NULL},
                     {"exclusive", JSON_TRUE, EXCLUSIVE, NULL},
                     {"paths", JSON_OBJECT, PATHS, in_paths},
                     {0}},
    in_vertex[] = {{"id", JSON_STRING, OUTER, NULL},
                   {"metadata", JSON_OBJECT, METADATA, in_metadata},
                   {0}};

static bool is_sound(const struct json_token *present)
{
    const struct json_token *name = &present[NAME];

    return present[OUTER].text && present[TYPE].len > 0
           && present[ID].number >= -1 && present[SIZE].number >= 0
           && present[RANK].number >= -1
           && present[RANK].number <= (int64_t)IDSET_MAX
           && present[PATH].len < ABOVE_MAX
           && (!name->text
               || (name->len > 0 && name->len < VERTEX_NAME_MAX
                   && !memchr(name->text, '/', name->len)));
}

/* Return whether validation finds no fault in a sound vertex: it has all keys
   of RFC 20, and a uuid that is new. */
static bool is_faultless(const struct graph *g,
                         const struct json_token *present)
{
    for (int i = TYPE; i <= UNIT; i++)
        if (!present[i].text)
            return false;
    return present[UUID].len > 0
           && !map_find(&g->uuids, present[UUID].text, present[UUID].len);
}

bool vertex_read_plain(struct graph *g, const char *text, size_t len,
                       size_t *end, const struct place *at)
{
    struct json_token present[FIELDS] = {
        [ID].number = -1, [SIZE].number = 1, [RANK].number = -1};
    struct vertex_reading reading;
    struct vertex *v;
    uint32_t number;
    char path[ABOVE_MAX];

    if (!json_read_fields(text, len, in_vertex, present, end)
        || !is_sound(present) || (g->r->faults && !is_faultless(g, present)))
        return false;
    number = graph_outer(g, present[OUTER].text, present[OUTER].len);
    if (g->outers[number].v)
        return false;
    reading = begin_vertex(g, number);
    reading.has_id = present[ID].text;
    v = reading.v;
    v->type = graph_word(g, &present[TYPE]);
    v->basename = graph_word(g, &present[BASENAME]);
    v->name = graph_word(g, &present[NAME]);
    v->id = present[ID].number;
    v->size = present[SIZE].number;
    v->rank = present[RANK].number;
    v->exclusive = present[EXCLUSIVE].number;
    if (present[UNIT].text)
        v->unit = graph_word(g, &present[UNIT]);
    if (present[UUID].text) {
        v->uuid = arena_strndup(&g->r->rs->arena, present[UUID].text,
                                present[UUID].len);
        if (g->r->faults) {
            struct map_slot *slot = map_at(&g->uuids, v->uuid,
                                           present[UUID].len);
            slot->value.number = number + 1;
        }
        g->r->rs->document.full = true;
    }
    if (present[PATH].text) {
        memcpy(path, present[PATH].text, present[PATH].len);
        path[present[PATH].len] = '\0';
        reading.path = path;
    }
    finish_vertex(&reading, at);
    return true;
}
