/* Reads configurations and makes sets from them (config.h). */
#include "source/config.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/keys.h"
#include "base/memory.h"
#include "base/stream.h"
#include "base/yaml.h"
#include "model/document/document.h"
#include "source/config_private.h"
#include "source/property.h"

/* The keys of the table; texts are borrowed, NULL if a key is not there. */
struct config_table {
    json_t *config, *resources;
    const char *path, *scheduling, *exclude;
    bool norestrict;
    /* values of keys that have no meaning here */
    bool other_flag;
    const char *other_text;
};

int config_read_ids(void *arg, json_t *value, void *to, struct diag *d)
{
    const char *text = "";

    return keys_text(arg, value, &text, d) < 0
               ? -1
               : idset_decode(text, strlen(text), to, d);
}

/* --- files -------------------------------------------------------------- */

/* Return a path relative to the directory of the configuration, as a new text.
 */
static char *path_from(const char *file, const char *path)
{
    const char *slash = strrchr(file, '/');
    char *whole;

    if (*path == '/' || !slash)
        return xstrdup(path);
    xasprintf(&whole, "%.*s%s", (int)(slash - file) + 1, file, path);
    return whole;
}

static int read_scheduling(const char *from, struct rset **rs, const char *path,
                           struct diag *d)
{
    /* without the graph that an R has already */
    const struct rset_style style = {.form = FORM_R};
    char *file = path_from(from, path), *text;
    json_t *value = NULL;
    struct rset *whole;
    size_t len;
    int rc = -1;

    if ((text = file_read(file, CONFIG_MAX, "a value of scheduling", &len, d)))
        value = json_read(text, len, true, d);
    if (value) {
        json_decref((*rs)->document.scheduling);
        (*rs)->document.scheduling = value;
        rc = 0;
    } else {
        diag_source(d, "%s", file);
    }
    if (json_object_get(value, "graph")) {
        /* the set takes its graph from `scheduling`: write the set, read it
           again */
        whole = rset_in_style(*rs, &style, file, d);
        rset_destroy(*rs);
        *rs = whole;
        rc = whole ? 0 : -1;
    }
    free(text);
    free(file);
    return rc;
}

/* Does the first line that is not a comment begin a table, `[name]`? */
static bool is_toml(const char *text)
{
    size_t name;

    text += strspn(text, " \t\r\n");
    while (*text == '#') {
        text += strcspn(text, "\n");
        text += strspn(text, " \t\r\n");
    }
    name = strcspn(text, "]\n");
    return *text == '[' && name > 1 && text[name] == ']'
           && !memchr(text, '"', name) && !memchr(text, ',', name)
           && strchr("]\r\n", text[name + 1]);
}

/* --- the table ---------------------------------------------------------- */

static int keep(void *arg, json_t *value, void *to, struct diag *d)
{
    (void)arg;
    (void)d;
    *(json_t **)to = value;
    return 0;
}

static int read_integer(void *arg, json_t *value, void *to, struct diag *d)
{
    (void)arg;
    (void)to;
    return json_is_integer(value) ? 0 : keys_wrong(d, value, "an integer");
}

static int read_verify(void *arg, json_t *value, void *to, struct diag *d)
{
    (void)arg;
    (void)to;
    return json_is_boolean(value) || json_is_object(value)
               ? 0
               : keys_wrong(d, value, "true, false or a table");
}

#define AT(field) offsetof(struct config_table, field)
static const struct key table_keys[] = {
    {"config", keep, AT(config)},
    {"resources", keep, AT(resources)},
    {"path", keys_text, AT(path)},
    {"scheduling", keys_text, AT(scheduling)},
    {"exclude", keys_text, AT(exclude)},
    {"norestrict", keys_bool, AT(norestrict)},
    /* keys of Flux that don't change the resources */
    {"history", keys_text, AT(other_text)},
    {"journal-max", read_integer, 0},
    {"no-update-watch", keys_bool, AT(other_flag)},
    {"noverify", keys_bool, AT(other_flag)},
    {"rediscover", keys_bool, AT(other_flag)},
    {"verify", read_verify, 0},
    {0}};

static struct rset *make_set(const char *file, const struct config_table *t,
                             config_machine *machine, struct diag *d)
{
    struct rset *rs = NULL;
    struct stream *s;
    char *path;

    if (t->resources && (t->config || t->path)) {
        diag_set(d, "resources can't be combined with %s",
                 t->config ? "config" : "path");
    } else if (t->config) {
        if (!(rs = config_hosts(t->config, d)))
            diag_in(d, "config");
    } else if (t->resources) {
        if (!(rs = config_pools(t->resources, d)))
            diag_in(d, "resources");
    } else if (t->path) {
        path = path_from(file, t->path);
        s = stream_open(path, d);
        if (s && rset_read(s, TRUST_NONE, &rs, d) == 0) {
            diag_set(d, "empty input: expected a document");
            stream_fault(s, d);
        }
        stream_close(s);
        free(path);
    } else {
        rs = machine(t->norestrict, d);
    }
    return rs;
}

/*
 * Read the table and make the set. An unknown key is only a note, because Flux
 * gets new keys, and none of them changes the resources. But if the table names
 * no resources, the unknown key may be a misspelt one that does: then it is a
 * fault.
 */
static int read_table(const char *file, json_t *value, config_machine *machine,
                      struct config *out, struct diag *d)
{
    struct diag unknown;
    struct config_table t = {0};
    const char *key;
    json_t *any;

    if (keys_read(NULL, value, NULL, table_keys, false, &t, d) < 0)
        return -1;
    json_object_foreach (value, key, any)
        if (!t.config && !t.resources && !t.path
            && !keys_check(key, NULL, table_keys, d))
            return -1;
    if (t.scheduling && !t.config && !t.path)
        return diag_key(d, "scheduling",
                        t.resources ? "can't be combined with resources"
                                    : "needs config or path");
    if (!(out->rs = make_set(file, &t, machine, d)))
        return -1;
    json_object_foreach (value, key, any)
        if (!keys_check(key, NULL, table_keys, &unknown))
            rset_note(out->rs, "%s", unknown.text);
    if (t.scheduling && read_scheduling(file, &out->rs, t.scheduling, d) < 0)
        return -1;
    if (t.exclude && targets_read(out->rs, t.exclude, &out->exclude, d) < 0)
        return diag_in(d, "exclude");
    return 0;
}

int config_read_text(const char *file, const char *text, size_t len,
                     config_machine *machine, struct config *out,
                     struct diag *d)
{
    const char *other = NULL;
    json_t *value = NULL, *table = NULL;
    int rc = -1;

    if (is_toml(text))
        diag_set(d, "this is TOML: convert it to JSON with `flux config "
                    "get --config-path=DIR resource`");
    else
        value = yaml_load(text, len, d);
    if (json_is_object(value)) {
        table = json_object_get(value, "resource");
        rc = read_table(file, table ? table : value, machine, out, d);
    } else {
        if (value)
            keys_wrong(d, value, "a table");
        if ((other = stream_other(text, len)))
            diag_set(d, "expected a configuration, and this is %s", other);
    }
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

int config_read(const char *file, config_machine *machine, struct config *out,
                struct diag *d)
{
    const char *name = strcmp(file, "-") ? file : "stdin";
    size_t len;
    char *text = file_read(file, CONFIG_MAX, "a configuration", &len, d);
    int rc = text ? config_read_text(name, text, len, machine, out, d)
                  : diag_source(d, "%s", name);

    free(text);
    return rc;
}

void config_fini(struct config *c)
{
    rset_destroy(c->rs);
    idset_destroy(c->exclude);
    *c = (struct config){0};
}
