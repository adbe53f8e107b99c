/* Configurations of resources (config.h), made into a set. */
#include "source/config.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/yaml.h"
#include "model/document/document.h"
#include "model/document/rlite.h"
#include "set/overlay.h"
#include "source/property.h"

/* --- entries ------------------------------------------------------------ */

struct entry {
    struct hostlist *hosts;
    struct idset *ranks;
    const char *cores, *gpus; /* NULL: nothing is said */
    const json_t *properties; /* NULL: none */
};

struct reading {
    const char *file;
    struct entry *entries;
    size_t n;
    struct hostlist *hosts; /* of all of them, each once */
    struct diag *d;
};

static int wrong(const struct reading *r, const json_t *value, const char *key,
                 const char *expected)
{
    diag_set(r->d, "%s%s%s is expected", value ? json_quote(value).text : "",
             value ? ": " : "", expected);
    return diag_in(r->d, "%s", key);
}

static int get_text(const struct reading *r, const json_t *object,
                    const char *key, const char **out)
{
    const json_t *value = json_object_get(object, key);

    *out = json_string_value(value);
    return value && !*out ? wrong(r, value, key, "a string") : 0;
}

static int check_keys(const struct reading *r, const json_t *object,
                      const char *const *known)
{
    const char *key;
    json_t *value;

    json_object_foreach ((json_t *)object, key, value) {
        size_t i = 0;
        while (known[i] && strcmp(known[i], key) != 0)
            i++;
        if (!known[i])
            return diag_set(r->d, "%s: there is no such key",
                            quote(key, strlen(key)).text);
    }
    return 0;
}

/* An idset; YAML takes one id for a number. */
static int get_ids(const struct reading *r, json_t *object, const char *key,
                   const char **out)
{
    const json_t *value = json_object_get(object, key);
    struct idset *ids;
    char text[32];

    if (json_is_integer(value)) {
        snprintf(text, sizeof(text), "%" JSON_INTEGER_FORMAT,
                 json_integer_value(value));
        json_object_set_new(object, key, json_string(text));
    }
    if (get_text(r, object, key, out) < 0)
        return -1;
    if (*out && idset_decode(*out, strlen(*out), &ids, r->d) < 0)
        return diag_in(r->d, "%s", key);
    if (*out)
        idset_destroy(ids);
    return 0;
}

static int read_names(const struct reading *r, const char *text,
                      struct hostlist **out)
{
    *out = hostlist_create();
    if (!text)
        return wrong(r, NULL, "hosts", "a hostlist");
    return hostlist_decode(*out, text, strlen(text), r->d) < 0
               ? diag_in(r->d, "hosts")
               : 0;
}

static int read_properties(const struct reading *r, struct entry *e,
                           const json_t *object)
{
    const json_t *name;
    size_t i;

    e->properties = json_object_get(object, "properties");
    if (e->properties && !json_is_array(e->properties))
        return wrong(r, e->properties, "properties", "a list");
    json_array_foreach (e->properties, i, name)
        if (!json_is_string(name))
            return wrong(r, name, "properties", "a name");
    return 0;
}

static int read_entry(struct reading *r, json_t *object)
{
    static const char *const keys[] = {"hosts", "cores", "gpus", "properties",
                                       NULL};
    const char *hosts;
    struct entry *e;

    VECTOR_GROW(r->entries, r->n);
    e = &r->entries[r->n++];
    *e = (struct entry){0};
    if (!json_is_object(object))
        return diag_set(r->d, "%s: a table is expected",
                        json_quote(object).text);
    return check_keys(r, object, keys) < 0
                   || get_text(r, object, "hosts", &hosts) < 0
                   || read_names(r, hosts, &e->hosts) < 0
                   || get_ids(r, object, "cores", &e->cores) < 0
                   || get_ids(r, object, "gpus", &e->gpus) < 0
                   || read_properties(r, e, object) < 0
               ? -1
               : 0;
}

/* Ranks in the order in which hosts are named first. */
static void number_hosts(struct reading *r)
{
    r->hosts = hostlist_create();
    for (size_t i = 0; i < r->n; i++) {
        struct hostlist *new = hostlist_subtract(r->entries[i].hosts, r->hosts);
        hostlist_append_list(r->hosts, new);
        hostlist_destroy(new);
    }
    for (size_t i = 0; i < r->n; i++)
        r->entries[i].ranks = hostlist_positions(r->hosts, r->entries[i].hosts);
}

static int read_entries(struct reading *r, const json_t *list)
{
    json_t *object;
    size_t i;

    if (!json_is_array(list))
        return wrong(r, list, "config", "a list of tables");
    json_array_foreach (list, i, object)
        if (read_entry(r, object) < 0)
            return diag_in(r->d, "config[%zu]", i);
    number_hosts(r);
    return 0;
}

/* --- a set of them ------------------------------------------------------ */

static void add_ids(struct lite_children *children, const char *type,
                    const char *text)
{
    struct idset *ids;
    struct diag d;

    if (!text || idset_decode(text, strlen(text), &ids, &d) < 0)
        return; /* it was checked */
    idset_add_set(lite_children_ids(children, type), ids);
    idset_destroy(ids);
}

/* Ranks that the same entries name have the same. */
static void add_ranks(const struct reading *r, struct rlite *lite,
                      const struct overlay_group *same)
{
    struct lite_children children = {0};

    for (size_t i = 0; i < same->nlabels; i++) {
        const struct entry *e = &r->entries[same->labels[i]];
        add_ids(&children, "core", e->cores);
        add_ids(&children, "gpu", e->gpus);
    }
    rlite_add(lite, same->ids, &children);
}

static int add_properties(const struct reading *r, struct rset *rs)
{
    int rc = 0;

    for (size_t i = 0; i < r->n && rc == 0; i++) {
        char *ranks = idset_encode(r->entries[i].ranks), *text;
        const json_t *name;
        size_t k;
        json_array_foreach (r->entries[i].properties, k, name) {
            xasprintf(&text, "%s:%s", json_string_value(name), ranks);
            if (rc == 0
                && (rc = rset_add_properties(rs, (const char *const[]){text}, 1,
                                             r->d))
                       < 0)
                diag_in(r->d, "config[%zu].properties", i);
            free(text);
        }
        free(ranks);
    }
    return rc;
}

static struct rset *make_set(struct reading *r)
{
    const struct idset **sets = xcalloc(r->n, sizeof(*sets));
    struct rset *rs = rset_create();
    struct rlite lite = {0};
    struct overlay *ov;
    uint64_t n = hostlist_count(r->hosts);
    struct idset *ranks = idset_create();

    for (size_t i = 0; i < r->n; i++)
        sets[i] = r->entries[i].ranks;
    ov = overlay_create(sets, r->n);
    for (size_t i = 0; i < overlay_ngroups(ov); i++)
        add_ranks(r, &lite, overlay_group(ov, i));
    overlay_destroy(ov);
    if (n > 0)
        idset_add(ranks, 0, (uint32_t)(n - 1));
    rset_set_ranks(rs, ranks, hostlist_copy(r->hosts));
    rs->halves = HALF_EXECUTION;
    rlite_build(rs, &lite);
    rlite_fini(&lite);
    free(sets);
    if (add_properties(r, rs) == 0)
        return rs;
    rset_destroy(rs);
    return NULL;
}

/* --- files -------------------------------------------------------------- */

/* A path is from where the configuration is. */
static char *path_from(const struct reading *r, const char *path)
{
    const char *slash = strrchr(r->file, '/');
    char *whole;

    if (*path == '/' || !slash)
        return xstrdup(path);
    xasprintf(&whole, "%.*s%s", (int)(slash - r->file) + 1, r->file, path);
    return whole;
}

static struct rset *read_path(const struct reading *r, const char *path)
{
    char *file = path_from(r, path);
    struct stream *s = stream_open(file, r->d);
    struct rset *rs = NULL;

    if (s && rset_read(s, TRUST_NONE, &rs, r->d) == 0) {
        diag_set(r->d, "empty input: expected a document");
        stream_fault(s, r->d);
    }
    stream_close(s);
    free(file);
    return rs;
}

static int read_scheduling(const struct reading *r, struct rset *rs,
                           const char *path)
{
    char *file = path_from(r, path), *text;
    json_t *value = NULL;
    size_t len;

    if ((text = file_read(file, CONFIG_MAX, "a value of scheduling", &len,
                          r->d)))
        value = json_read(text, len, true, r->d);
    if (value) {
        json_decref(rs->scheduling);
        rs->scheduling = value;
    } else {
        diag_source(r->d, "%s", file);
    }
    free(text);
    free(file);
    return value ? 0 : -1;
}

static json_t *read_text(const struct reading *r, const char *text, size_t len)
{
    json_t *value = yaml_load(text, len, r->d);

    if (value && !json_is_object(value)) {
        wrong(r, value, "resource", "a table");
        json_decref(value);
        value = NULL;
    }
    return value;
}

/* --- all of it ---------------------------------------------------------- */

static int read_ranks(const struct reading *r, const char *text,
                      struct config *out)
{
    struct idset *wrong;
    int rc = idset_decode(text, strlen(text), &out->exclude, r->d);

    if (rc == 0) {
        wrong = idset_subtract(out->exclude, out->rs->ranks);
        if (!idset_empty(wrong))
            rc = diag_set(r->d, "there is no rank %u",
                          (unsigned)idset_first(wrong));
        idset_destroy(wrong);
    }
    return rc < 0 ? diag_in(r->d, "exclude") : 0;
}

/* Ranks, or hosts, of the set. */
static int read_exclude(const struct reading *r, const char *text,
                        struct config *out)
{
    struct hostlist *hosts;
    struct idset *at;
    int rc;

    if (text[strspn(text, "0123456789-,[]")] == '\0')
        return read_ranks(r, text, out);
    hosts = hostlist_create();
    rc = hostlist_decode(hosts, text, strlen(text), r->d);
    if (rc == 0 && out->rs->hosts) {
        at = hostlist_positions(out->rs->hosts, hosts);
        out->exclude = idset_pick(out->rs->ranks, at);
        idset_destroy(at);
    }
    if (rc == 0
        && (!out->exclude || idset_count(out->exclude) < hostlist_count(hosts)))
        rc = diag_set(r->d, "%s: not all of them are hosts of the set",
                      quote(text, strlen(text)).text);
    hostlist_destroy(hosts);
    return rc < 0 ? diag_in(r->d, "exclude") : 0;
}

static int read_table(struct reading *r, const json_t *table,
                      struct config *out)
{
    static const char *const keys[] = {
        "config",     "path",       "scheduling",  "exclude",
        "noverify",   "norestrict", "journal-max", "no-update-watch",
        "rediscover", NULL};
    const json_t *config = json_object_get(table, "config");
    const char *path, *scheduling, *exclude;

    if (check_keys(r, table, keys) < 0 || get_text(r, table, "path", &path) < 0
        || get_text(r, table, "scheduling", &scheduling) < 0
        || get_text(r, table, "exclude", &exclude) < 0)
        return -1;
    if (!config == !path)
        return diag_set(r->d, "either config or path is expected");
    if (config && read_entries(r, config) == 0)
        out->rs = make_set(r);
    else if (path)
        out->rs = read_path(r, path);
    if (!out->rs || (scheduling && read_scheduling(r, out->rs, scheduling) < 0))
        return -1;
    return exclude ? read_exclude(r, exclude, out) : 0;
}

static void reading_fini(struct reading *r)
{
    for (size_t i = 0; i < r->n; i++) {
        hostlist_destroy(r->entries[i].hosts);
        idset_destroy(r->entries[i].ranks);
    }
    free(r->entries);
    hostlist_destroy(r->hosts);
}

int config_read_text(const char *file, const char *text, size_t len,
                     struct config *out, struct diag *d)
{
    struct reading r = {.file = file, .d = d};
    json_t *value = read_text(&r, text, len),
           *table = json_object_get(value, "resource");
    int rc = value ? read_table(&r, table ? table : value, out) : -1;

    reading_fini(&r);
    json_decref(value);
    if (rc == 0)
        return 0;
    config_fini(out);
    if (table && !d->source[0])
        diag_in(d, "resource");
    if (!d->source[0])
        diag_source(d, "%s", file);
    return -1;
}

int config_read(const char *file, struct config *out, struct diag *d)
{
    size_t len;
    char *text = file_read(file, CONFIG_MAX, "a configuration", &len, d);
    int rc = text ? config_read_text(file, text, len, out, d)
                  : diag_source(d, "%s", file);

    free(text);
    return rc;
}

void config_fini(struct config *c)
{
    rset_destroy(c->rs);
    idset_destroy(c->exclude);
    *c = (struct config){0};
}
