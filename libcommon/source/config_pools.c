/* Reads the list `resources` of a configuration (config.h): pools in pools.
   Each entry is checked alone; config_build.c makes the set. */
#include "source/config_private.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/keys.h"
#include "base/memory.h"
#include "source/property.h"

/* The place of the list that is being read. */
struct entry_place {
    const char *place;     /* for messages */
    const char *subsystem; /* of the enclosing pool; NULL: containment */
    int depth;
};

/* --- values ------------------------------------------------------------- */

/* Read a word that can stand in a path. */
static int read_word(void *arg, json_t *value, void *to, struct diag *d)
{
    const char *text = "";

    if (keys_text(arg, value, &text, d) < 0)
        return -1;
    if (!*text || strchr(text, '/'))
        return diag_set(d, "%s: must not be empty or contain '/'",
                        json_quote(value).text);
    if (strlen(text) >= HOSTLIST_NAME_MAX)
        return diag_set(d, "%s: too long", json_quote(value).text);
    *(const char **)to = text;
    return 0;
}

static int read_number(json_t *value, int64_t most, int64_t *to, struct diag *d)
{
    json_int_t n = json_integer_value(value);

    if (!json_is_integer(value) || n < 1 || n > most)
        return diag_set(d, "%s: a number from 1 to %" PRId64 " is expected",
                        json_quote(value).text, most);
    *to = n;
    return 0;
}

static int read_size(void *arg, json_t *value, void *to, struct diag *d)
{
    (void)arg;
    return read_number(value, INT64_MAX, to, d);
}

static int read_pool_count(void *arg, json_t *value, void *to, struct diag *d)
{
    (void)arg;
    return read_number(value, (int64_t)IDSET_MAX + 1, to, d);
}

static int read_subsystem(void *arg, json_t *value, void *to, struct diag *d)
{
    const struct entry_place *r = arg;
    const char **subsystem = to;

    if (read_word(arg, value, subsystem, d) < 0)
        return -1;
    if (strchr(*subsystem, ':'))
        return diag_set(d, "%s: must not contain ':'", json_quote(value).text);
    if (strcmp(*subsystem, "containment") != 0)
        return 0;
    if (r->subsystem)
        return diag_set(d, "%s: the pool above it is in subsystem %s",
                        json_quote(value).text, quote_all(r->subsystem).text);
    *subsystem = NULL;
    return 0;
}

/* Add a name, or `name=value`, to an object. */
static int read_listed_word(void *arg, json_t *value, void *to, struct diag *d)
{
    const char *text, *equals;
    char *key;
    int rc;

    if (keys_text(arg, value, &text, d) < 0 || property_check(text, d) < 0)
        return -1;
    equals = strchrnul(text, '=');
    key = xstrndup(text, (size_t)(equals - text));
    rc = property_check(key, d);
    if (rc == 0 && json_object_get(to, key))
        rc = diag_set(d, "%s is given twice", quote_all(text).text);
    if (rc == 0)
        json_object_set_new(to, key, json_string(*equals ? equals + 1 : ""));
    free(key);
    return rc;
}

/* Read an array of names or an object of strings. The result is always an
   object. */
static int read_words(void *arg, json_t *value, void *to, struct diag *d)
{
    const char *key, *text;
    json_t **words = to, *one;

    if (json_is_array(value)) {
        *words = json_object();
        return keys_list(arg, value, "names", read_listed_word, *words, d);
    }
    if (!json_is_object(value))
        return keys_wrong(d, value, "an object of strings or a list of names");
    *words = json_incref(value);
    json_object_foreach (value, key, one) {
        text = json_string_value(one);
        if (!text)
            keys_wrong(d, one, "a string");
        else if (property_check(key, d) == 0
                 && (!*text || property_check(text, d) == 0))
            continue;
        return diag_in(d, "%s", quote_all(key).text);
    }
    return 0;
}

/* Read ids; in YAML a single id is a number. */
static int read_ids(void *arg, json_t *value, void *to, struct diag *d)
{
    char number[32];

    if (!json_is_integer(value))
        return config_read_ids(arg, value, to, d);
    snprintf(number, sizeof(number), "%" JSON_INTEGER_FORMAT,
             json_integer_value(value));
    return idset_decode(number, strlen(number), to, d);
}

/* --- entries ------------------------------------------------------------ */

static int read_pool(void *arg, json_t *value, void *to, struct diag *d);

static int read_with(void *arg, json_t *value, void *to, struct diag *d)
{
    const struct entry_place *up = arg;
    struct pool_entry *pool = to;
    struct entry_place r = {.subsystem = pool->subsystem,
                            .depth = up->depth + 1};
    char *place;
    int rc;

    if (r.depth > DEPTH_MAX / 2)
        return diag_set(d, "pools are nested more than %d deep", DEPTH_MAX / 2);
    xasprintf(&place, "%s.with", pool->place);
    r.place = place;
    rc = keys_list(&r, value, "tables", read_pool, &pool->with, d);
    free(place);
    return rc;
}

/* The subsystem is read before the pools that inherit it. */
#define AT(field) offsetof(struct pool_entry, field)
static const struct key pool_keys[] = {
    {"type", read_word, AT(type)},
    {"count", read_pool_count, AT(count)},
    {"ids", read_ids, AT(ids)},
    {"size", read_size, AT(size)},
    {"unit", keys_text, AT(unit)},
    {"name", read_word, AT(name)},
    {"properties", read_words, AT(properties)},
    {"tags", read_words, AT(tags)},
    {"subsystem", read_subsystem, AT(subsystem)},
    {"path", keys_text, AT(path)},
    {"with", read_with, 0},
    {0}};

static int check_pool(const struct entry_place *r, struct pool_entry *pool,
                      const json_t *value, struct diag *d)
{
    uint64_t n = pool->ids ? idset_count(pool->ids) : pool->count;

    if (pool->path) {
        size_t others = json_object_size(value) - 1;

        if (others > (json_object_get(value, "subsystem") ? 1 : 0))
            diag_set(d, "an entry with a path has no other key than subsystem");
        else if (r->depth == 0)
            diag_set(d, "an entry with a path must be in the `with` of another "
                        "entry");
        else if (!pool->subsystem)
            diag_set(d, "in containment a pool has only one place");
        else
            return 0;
        return diag_in(d, "path");
    }
    if (!pool->type)
        return diag_key(d, "type", "a type is expected");
    if (n == 0)
        return diag_key(d, "ids", "\"\": there is no pool");
    if (n != pool->count && json_object_get(value, "count"))
        return diag_key(d, "count", "%" PRIu64 ": there are %" PRIu64 " ids",
                        pool->count, n);
    pool->count = n;
    pool->counted = pool->ids || json_object_get(value, "count");
    return 0;
}

static int read_pool(void *arg, json_t *value, void *to, struct diag *d)
{
    struct entry_place *r = arg;
    struct pool_list *list = to;
    struct pool_entry *pool;

    VECTOR_GROW(list->list, list->n);
    pool = &list->list[list->n];
    *pool = (struct pool_entry){
        .unit = "", .size = 1, .count = 1, .subsystem = r->subsystem};
    xasprintf(&pool->place, "%s[%zu]", r->place, list->n++);
    return keys_read(r, value, NULL, pool_keys, true, pool, d) < 0
                   || check_pool(r, pool, value, d) < 0
               ? -1
               : 0;
}

static void free_pools(struct pool_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        idset_destroy(list->list[i].ids);
        json_decref(list->list[i].properties);
        json_decref(list->list[i].tags);
        free(list->list[i].place);
        free_pools(&list->list[i].with);
    }
    free(list->list);
}

struct rset *config_pools(json_t *list, struct diag *d)
{
    struct entry_place r = {.place = ""};
    struct pool_list pools = {0};
    struct rset *rs = NULL;

    if (keys_list(&r, list, "tables", read_pool, &pools, d) == 0)
        rs = pools_build(&pools, d);
    free_pools(&pools);
    return rs;
}
