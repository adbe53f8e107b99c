/* The list `config` of a configuration of Flux (config.h), made into a set. */
#include "source/config_private.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/keys.h"
#include "base/memory.h"
#include "model/document/rlite.h"
#include "model/tree/properties.h"
#include "set/overlay.h"
#include "source/property.h"
#include "source/spec.h"

struct entry {
    struct hostlist *hosts;
    struct idset *cores, *gpus; /* NULL: nothing is said */
    const json_t *properties;   /* NULL: none */
    struct idset *ranks;
};

struct entries {
    struct entry *entries;
    size_t n;
    struct hostlist *hosts; /* of all of them, each once */
};

/* --- entries ------------------------------------------------------------ */

static int read_hostlist(void *arg, json_t *value, void *to, struct diag *d)
{
    struct hostlist **hosts = to;
    const char *text;

    if (keys_text(arg, value, &text, d) < 0)
        return -1;
    *hosts = hostlist_create();
    return hostlist_decode(*hosts, text, strlen(text), d) < 0
                   || hostlist_once(*hosts, d) < 0
               ? -1
               : 0;
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

#define AT(field) offsetof(struct entry, field)
static const struct key entry_keys[] = {
    {"hosts", read_hostlist, AT(hosts)},
    {"cores", config_read_ids, AT(cores)},
    {"gpus", config_read_ids, AT(gpus)},
    {"properties", read_properties, AT(properties)},
    {0}};

static int read_entry(void *arg, json_t *value, void *to, struct diag *d)
{
    struct entries *r = to;
    struct entry *e;

    VECTOR_GROW(r->entries, r->n);
    e = &r->entries[r->n++];
    *e = (struct entry){0};
    if (keys_read(arg, value, entry_keys, e, d) < 0)
        return -1;
    if (e->hosts)
        return 0;
    keys_wrong(d, NULL, "a hostlist");
    return diag_in(d, "hosts");
}

/* Ranks in the order in which hosts are named first. */
static int number_hosts(struct entries *r, struct diag *d)
{
    int rc = 0;

    r->hosts = hostlist_create();
    for (size_t i = 0; i < r->n && rc == 0; i++) {
        struct hostlist *new = hostlist_subtract(r->entries[i].hosts, r->hosts);
        rc = hostlist_append_list(r->hosts, new);
        hostlist_destroy(new);
    }
    if (rc < 0)
        return diag_set(d, "there are no ranks left above %u", IDSET_MAX);
    for (size_t i = 0; i < r->n; i++)
        r->entries[i].ranks = hostlist_positions(r->hosts, r->entries[i].hosts);
    return 0;
}

/* --- a set of them ------------------------------------------------------ */

/* Ranks that the same entries name have the same. */
static void add_ranks(const struct entries *r, struct rlite *lite,
                      const struct overlay_group *same)
{
    struct lite_children children = {0};

    for (size_t i = 0; i < same->nlabels; i++) {
        const struct entry *e = &r->entries[same->labels[i]];
        if (e->cores)
            idset_add_set(lite_children_ids(&children, "core"), e->cores);
        if (e->gpus)
            idset_add_set(lite_children_ids(&children, "gpu"), e->gpus);
    }
    rlite_add(lite, same->ids, &children, NULL);
}

static void add_properties(const struct entries *r, struct rset *rs)
{
    struct layer *layers = NULL;
    const json_t *name;
    size_t n = 0, k;

    for (size_t i = 0; i < r->n; i++)
        json_array_foreach (r->entries[i].properties, k, name) {
            VECTOR_GROW(layers, n);
            layers[n].item = rset_string(rs, json_string_value(name));
            layers[n++].ranks = r->entries[i].ranks;
        }
    rset_lay_properties(rs, layers, n);
    free(layers);
}

static void note_single(struct rset *rs, size_t entry, const char *type,
                        const struct idset *ids)
{
    char *said;

    if (!ids || idset_count(ids) != 1 || idset_first(ids) == 0)
        return;
    said = spec_single(type, idset_first(ids));
    rset_note(rs, "config[%zu].%ss: %s", entry, type, said);
    free(said);
}

static struct rset *make_hosts(const struct entries *r)
{
    const struct idset **sets = xcalloc(r->n, sizeof(*sets));
    struct rset *rs = rset_create();
    struct rlite lite = {0};
    struct overlay *ov;
    uint64_t n = hostlist_count(r->hosts);
    struct idset *ranks = idset_create();

    for (size_t i = 0; i < r->n; i++) {
        sets[i] = r->entries[i].ranks;
        note_single(rs, i, "core", r->entries[i].cores);
        note_single(rs, i, "gpu", r->entries[i].gpus);
    }
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
    add_properties(r, rs);
    return rs;
}

struct rset *config_hosts(json_t *list, struct diag *d)
{
    struct entries r = {0};
    struct rset *rs = NULL;

    if (keys_list(NULL, list, "tables", read_entry, &r, d) == 0
        && number_hosts(&r, d) == 0)
        rs = make_hosts(&r);
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
