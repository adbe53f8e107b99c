/* Makes a set from the list `config` of a configuration (config.h). */
#include "source/config_private.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/keys.h"
#include "base/memory.h"
#include "model/document/rlite.h"
#include "model/records/layers.h"
#include "set/overlay.h"
#include "source/property.h"
#include "source/spec.h"

struct config_entry {
    struct hostlist *hosts;
    struct idset *cores, *gpus; /* NULL: not given */
    const json_t *properties;   /* NULL: none */
    struct idset *ranks;
};

struct config_entries {
    struct config_entry *entries;
    size_t n;
    struct hostlist *hosts; /* hosts of all entries, each once */
};

/* --- entries ------------------------------------------------------------ */

static int read_hostlist(void *arg, json_t *value, void *to, struct diag *d)
{
    struct hostlist **hosts = to;
    const char *text = "";

    if (keys_text(arg, value, &text, d) < 0)
        return -1;
    *hosts = hostlist_create();
    if (hostlist_decode(*hosts, text, strlen(text), d) < 0
        || hostlist_once(*hosts, d) < 0)
        return -1;
    return hostlist_count(*hosts) > 0
               ? 0
               : diag_set(d, "%s: there is no host", json_quote(value).text);
}

static int read_property(void *arg, json_t *value, void *to, struct diag *d)
{
    (void)arg;
    (void)to;
    return json_is_string(value) ? property_check(json_string_value(value), d)
                                 : keys_wrong(d, value, "a name");
}

static int read_properties(void *arg, json_t *value, void *to, struct diag *d)
{
    *(const json_t **)to = value;
    return keys_list(arg, value, "names", read_property, NULL, d);
}

#define AT(field) offsetof(struct config_entry, field)
static const struct key entry_keys[] = {
    {"hosts", read_hostlist, AT(hosts)},
    {"cores", config_read_ids, AT(cores)},
    {"gpus", config_read_ids, AT(gpus)},
    {"properties", read_properties, AT(properties)},
    {0}};

static int read_entry(void *arg, json_t *value, void *to, struct diag *d)
{
    struct config_entries *r = to;
    struct config_entry *e;

    VECTOR_ADD(r->entries, r->n, (struct config_entry){0});
    e = &r->entries[r->n - 1];
    if (keys_read(arg, value, NULL, entry_keys, true, e, d) < 0)
        return -1;
    return e->hosts ? 0 : diag_key(d, "hosts", "a hostlist is expected");
}

/* --- making the set ----------------------------------------------------- */

/* Add the ids of an entry (NULL: none). Fails if an earlier entry has
   the same. */
static int add_ids(struct lite_children *children, const char *type,
                   const struct idset *ids, const char *host, struct diag *d)
{
    struct idset *there, *twice;
    int rc = 0;

    if (!ids)
        return 0;
    there = lite_children_ids(children, type);
    twice = idset_intersect(there, ids);
    if (!idset_empty(twice)) {
        diag_set(d, "an earlier entry gives %s %s %" PRIu32,
                 quote_all(host).text, type, idset_first(twice));
        rc = diag_in(d, "%ss", type);
    }
    idset_destroy(twice);
    idset_add_set(there, ids);
    return rc;
}

/* Add the ranks of one group: hosts named by the same entries. Each must have a
   core or GPU (a rule of Flux). */
static int add_ranks(const struct config_entries *r, struct rlite *lite,
                     const struct overlay_group *same, struct diag *d)
{
    struct lite_children children = {0};
    char host[HOSTLIST_NAME_MAX];
    size_t i, n = 0;
    int rc = 0;

    hostlist_nth(r->hosts, idset_first(same->ids), host);
    for (i = 0; i < same->nlabels && rc == 0; i++) {
        const struct config_entry *e = &r->entries[same->labels[i]];
        if (add_ids(&children, "core", e->cores, host, d) < 0
            || add_ids(&children, "gpu", e->gpus, host, d) < 0)
            rc = diag_in(d, "[%zu]", (size_t)same->labels[i]);
    }
    for (i = 0; i < children.n; i++)
        n += !idset_empty(children.list[i].ids);
    if (rc == 0 && n == 0) {
        diag_set(d, "no entry gives %s cores or gpus", quote_all(host).text);
        rc = diag_in(d, "[%zu].hosts", (size_t)same->labels[0]);
    }
    rlite_add(lite, same->ids, &children, NULL);
    return rc;
}

static void note_single(struct rset *rs, size_t entry, const char *type,
                        const struct idset *ids)
{
    char *text;

    if (!ids || idset_count(ids) != 1 || idset_first(ids) == 0)
        return;
    text = spec_single(type, idset_first(ids));
    rset_note(rs, "config[%zu].%ss: %s", entry, type, text);
    free(text);
}

static struct rset *make_hosts(const struct config_entries *r, struct diag *d)
{
    const struct idset **sets = xcalloc(r->n, sizeof(*sets));
    struct rset *rs = rset_create();
    struct rlite lite = {0};
    struct layer *layers = NULL;
    struct overlay *ov;
    const json_t *name;
    size_t nlayers = 0, k;
    int rc = 0;

    for (size_t i = 0; i < r->n; i++) {
        sets[i] = r->entries[i].ranks;
        note_single(rs, i, "core", r->entries[i].cores);
        note_single(rs, i, "gpu", r->entries[i].gpus);
    }
    ov = overlay_create(sets, r->n);
    for (size_t i = 0; i < overlay_ngroups(ov) && rc == 0; i++)
        rc = add_ranks(r, &lite, overlay_group(ov, i), d);
    overlay_destroy(ov);
    if (rc < 0) {
        rset_destroy(rs);
        rs = NULL;
        goto out;
    }
    rs->hosts = hostlist_copy(r->hosts);
    rs->ranks = idset_create_range(0, (uint32_t)hostlist_count(rs->hosts) - 1);
    rs->document.halves = HALF_EXECUTION;
    rlite_build(rs, &lite);

    for (size_t i = 0; i < r->n; i++)
        json_array_foreach (r->entries[i].properties, k, name)
            VECTOR_ADD(
                layers, nlayers,
                (struct layer){r->entries[i].ranks,
                               rset_string(rs, json_string_value(name))});
    rset_lay_properties(rs, layers, nlayers);
    free(layers);
out:
    rlite_fini(&lite);
    free(sets);
    return rs;
}

struct rset *config_hosts(json_t *list, struct diag *d)
{
    struct config_entries r = {.hosts = hostlist_create()};
    struct rset *rs = NULL;
    int rc = keys_list(NULL, list, "tables", read_entry, &r, d);

    if (rc == 0 && r.n == 0)
        rc = diag_set(d, "[]: there is no host");

    /* Ranks follow the order in which hosts are first named. */
    for (size_t i = 0; i < r.n && rc == 0; i++) {
        struct hostlist *new = hostlist_subtract(r.entries[i].hosts, r.hosts);
        if ((rc = hostlist_append_list(r.hosts, new)) < 0)
            diag_set(d, "there are no ranks left above %u", IDSET_MAX);
        hostlist_destroy(new);
    }
    for (size_t i = 0; i < r.n && rc == 0; i++)
        r.entries[i].ranks = hostlist_positions(r.hosts, r.entries[i].hosts);
    if (rc == 0)
        rs = make_hosts(&r, d);
    for (size_t i = 0; i < r.n; i++) {
        hostlist_destroy(r.entries[i].hosts);
        idset_destroy(r.entries[i].cores);
        idset_destroy(r.entries[i].gpus);
        idset_destroy(r.entries[i].ranks);
    }
    free(r.entries);
    hostlist_destroy(r.hosts);
    return rs;
}
