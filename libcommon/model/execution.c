#include "model/execution.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "model/unknown.h"

void execution_fini(struct execution *ex)
{
    rlite_fini(&ex->lite);
    hostlist_destroy(ex->hosts);
    json_decref(ex->properties);
    for (size_t i = 0; i < ex->nunknown; i++) {
        idset_destroy((struct idset *)ex->unknown[i].ranks);
        json_decref((json_t *)ex->unknown[i].item);
    }
    free(ex->unknown);
}

/* --- reading ------------------------------------------------------------ */

/* What an entry has beside ranks and children waits until they are there. */
static int keep_unknown(struct execution *ex, const json_t *value,
                        const struct idset *ranks)
{
    size_t n = ex->nunknown;
    struct layer *list;
    json_t *keys;

    if (unknown_take(value, (const char *[]){"rank", "children"}, 2, &keys) < 0)
        return -1;
    if (!keys)
        return 0;
    if ((n & (n - 1)) == 0) { /* full: the room is a power of two */
        list = xrealloc(ex->unknown, (n ? n * 2 : 1) * sizeof(*list));
        if (!list) {
            json_decref(keys);
            return -1;
        }
        ex->unknown = list;
    }
    ex->unknown[ex->nunknown++] = (struct layer){idset_copy(ranks), keys};
    return ex->unknown[n].ranks ? 0 : -1;
}

/* Takes the children over. */
static int add_entry(struct execution *ex, struct rset *rs,
                     const struct idset *ranks, struct lite_children *children)
{
    int rc = 0;

    for (size_t i = 0; i < children->n && rc == 0; i++)
        rc = rlite_add_type(rs, children->list[i].type);
    ex->nranks += idset_count(ranks);
    if (rc == 0 && !idset_empty(ranks))
        return rlite_add(&ex->lite, ranks, children);
    lite_children_fini(children);
    return rc;
}

static int read_entry(struct execution *ex, struct rset *rs,
                      const json_t *value, struct diag *d)
{
    struct lite_children children;
    struct idset *ranks;
    int rc;

    if (lite_entry_from_json(&rs->names, value, &ranks, &children, d) < 0)
        return -1;
    rc = add_entry(ex, rs, ranks, &children);
    if (rc == 0 && json_object_size(value) > 2)
        rc = keep_unknown(ex, value, ranks);
    idset_destroy(ranks);
    return rc < 0 ? diag_oom(d) : 0;
}

/* The next entry, from its text if that is plain. */
static int read_next_entry(struct execution *ex, struct rset *rs,
                           struct stream *s, struct diag *d)
{
    struct lite_children children;
    struct idset *ranks;
    const char *text;
    json_t *value;
    size_t len;
    int rc;

    if (stream_text(s, &text, &len, d) < 0)
        return -1;
    rc = lite_entry_from_text(&rs->names, text, len, &ranks, &children);
    if (rc > 0) {
        stream_skip(s, len);
        rc = add_entry(ex, rs, ranks, &children);
        idset_destroy(ranks);
    } else if (rc == 0) {
        value = stream_value(s, d);
        rc = value ? read_entry(ex, rs, value, d) : -1;
        json_decref(value);
        return rc;
    }
    return rc < 0 ? diag_oom(d) : 0;
}

/* The example of RFC 28 has one entry where a list belongs. */
static int read_lone_entry(struct execution *ex, struct rset *rs,
                           struct stream *s, struct diag *d)
{
    json_t *value = stream_value(s, d);
    int rc = value ? read_entry(ex, rs, value, d) : -1;

    json_decref(value);
    if (rc == 0)
        rset_note(rs, "execution.R_lite: a lone entry is taken for a list");
    return rc;
}

static int read_rlite(struct execution *ex, struct rset *rs, struct stream *s,
                      struct diag *d)
{
    struct stream_level level;
    int rc;

    if (stream_peek(s, d) == '{')
        return read_lone_entry(ex, rs, s, d);
    if (stream_enter(s, &level, "[", d) < 0)
        return -1;
    for (size_t i = 0; (rc = stream_item(s, &level, d)) == 1; i++) {
        if (read_next_entry(ex, rs, s, d) < 0)
            return diag_in(d, "[%zu]", i);
    }
    return rc;
}

static int read_nodelist(struct execution *ex, struct rset *rs,
                         struct stream *s, struct diag *d)
{
    struct stream_level level;
    int rc;

    (void)rs;
    if (stream_enter(s, &level, "[", d) < 0)
        return -1;
    if (!(ex->hosts = hostlist_create()))
        return diag_oom(d);
    for (size_t i = 0; (rc = stream_item(s, &level, d)) == 1; i++) {
        json_t *value = stream_value(s, d);
        if (!value)
            return -1;
        if (!json_is_string(value))
            rc = diag_set(d, "%s: expected a string", json_quote(value).text);
        else
            rc = hostlist_decode(ex->hosts, json_string_value(value),
                                 json_string_length(value), d);
        json_decref(value);
        if (rc < 0)
            return diag_in(d, "[%zu]", i);
    }
    return rc;
}

static int read_properties(struct execution *ex, struct rset *rs,
                           struct stream *s, struct diag *d)
{
    (void)rs;
    if (!(ex->properties = stream_value(s, d)))
        return -1;
    if (!json_is_object(ex->properties))
        return diag_set(d, "%s: expected an object",
                        json_quote(ex->properties).text);
    return 0;
}

/* Zero and absent are both unset. */
static int read_time(struct stream *s, json_t **out, struct diag *d)
{
    json_t *value = stream_value(s, d);

    if (!value)
        return -1;
    if (!json_is_number(value) || json_number_value(value) < 0) {
        diag_set(d, "%s: expected seconds since the Epoch",
                 json_quote(value).text);
        json_decref(value);
        return -1;
    }
    *out = value;
    if (json_number_value(value) == 0) {
        json_decref(value);
        *out = NULL;
    }
    return 0;
}

static int read_starttime(struct execution *ex, struct rset *rs,
                          struct stream *s, struct diag *d)
{
    (void)ex;
    return read_time(s, &rs->starttime, d);
}

static int read_expiration(struct execution *ex, struct rset *rs,
                           struct stream *s, struct diag *d)
{
    (void)ex;
    return read_time(s, &rs->expiration, d);
}

static const struct {
    const char *key;
    int (*read)(struct execution *ex, struct rset *rs, struct stream *s,
                struct diag *d);
} keys[] = {
    {"R_lite", read_rlite},          {"nodelist", read_nodelist},
    {"properties", read_properties}, {"starttime", read_starttime},
    {"expiration", read_expiration},
};

static int read_other(struct rset *rs, const char *key, struct stream *s,
                      struct diag *d)
{
    json_t *value = stream_value(s, d);
    int rc;

    if (!value)
        return -1;
    if (!rs->execution_extra)
        rs->execution_extra = json_object();
    rc = json_object_set_new(rs->execution_extra, key, value);
    return rc < 0 ? diag_oom(d) : 0;
}

static int read_key(struct execution *ex, struct rset *rs, const char *key,
                    struct stream *s, struct diag *d)
{
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (!strcmp(key, keys[i].key))
            return keys[i].read(ex, rs, s, d);
    return read_other(rs, key, s, d);
}

static int check_times(const struct rset *rs, struct diag *d)
{
    if (!rs->starttime || !rs->expiration
        || rset_expiration(rs) > rset_starttime(rs))
        return 0;
    diag_set(d, "%s is not after the starttime %s",
             json_quote(rs->expiration).text, json_quote(rs->starttime).text);
    return diag_in(d, "expiration");
}

int execution_read(struct execution *ex, struct rset *rs, struct stream *s,
                   struct diag *d)
{
    struct stream_level level;
    const char *key;
    bool has_rlite = false;
    int rc;

    if (stream_enter(s, &level, "{", d) < 0)
        return -1;
    while ((rc = stream_key(s, &level, &key, d)) == 1) {
        has_rlite = has_rlite || !strcmp(key, "R_lite");
        if ((rc = read_key(ex, rs, key, s, d)) < 0) {
            diag_in(d, "%s", key);
            break;
        }
    }
    stream_leave(&level);
    if (rc == 0 && !has_rlite)
        return diag_set(d, "R_lite is missing");
    rs->halves |= HALF_EXECUTION;
    return rc < 0 ? rc : check_times(rs, d);
}

/* --- into the set ------------------------------------------------------- */

/* The first rank that was listed more than once. */
static int repeated_rank(const struct rlite *lite, struct diag *d)
{
    struct idset *seen = lite->twice ? idset_copy(lite->twice) : idset_create();

    if (lite->twice && seen) {
        diag_set(d, "rank %u is listed twice", idset_first(seen));
        idset_destroy(seen);
        return diag_in(d, "R_lite");
    }
    for (size_t i = 0; seen && i < lite->n; i++) {
        struct idset *both = idset_intersect(seen, lite->list[i].ranks);
        if (both && !idset_empty(both)) {
            diag_set(d, "rank %u is listed twice", idset_first(both));
            idset_destroy(both);
            idset_destroy(seen);
            return diag_in(d, "R_lite");
        }
        idset_destroy(both);
        idset_add_set(seen, lite->list[i].ranks);
    }
    idset_destroy(seen);
    diag_set(d, "a rank is listed twice");
    return diag_in(d, "R_lite");
}

/* In ascending order, so that each entry goes behind those before it. */
static struct idset *all_ranks(struct execution *ex, struct diag *d)
{
    struct idset *ranks = idset_create();

    rlite_sort(&ex->lite);
    for (size_t i = 0; ranks && i < ex->lite.n; i++) {
        idset_add_set(ranks, ex->lite.list[i].ranks);
    }
    if (!ranks)
        diag_oom(d);
    else if (idset_count(ranks) != ex->nranks)
        repeated_rank(&ex->lite, d);
    else
        return ranks;
    idset_destroy(ranks);
    return NULL;
}

static int check_hosts(const struct execution *ex, const struct idset *ranks,
                       struct rset *rs, struct diag *d)
{
    uint64_t nhosts, nranks = idset_count(ranks);

    if (!ex->hosts) {
        if (nranks > 0)
            rset_note(rs, "execution: nodelist is missing");
        return 0;
    }
    nhosts = hostlist_count(ex->hosts);
    if (nhosts == nranks)
        return 0;
    diag_set(d, "%llu hosts for %llu ranks", (unsigned long long)nhosts,
             (unsigned long long)nranks);
    return diag_in(d, "nodelist");
}

static int add_property(struct rset *rs, struct vertex *v, const void *item,
                        void *arg, struct diag *d)
{
    (void)arg;
    return vertex_add_property_text(rs, v, item) < 0 ? diag_oom(d) : 0;
}

static int check_property_name(const char *name, struct diag *d)
{
    const char *bad = strpbrk(name, PROPERTY_FORBIDDEN);

    if (!*name)
        return diag_set(d, "\"\": a property has a name");
    if (bad)
        return diag_set(d, "%s: '%c' is not allowed in a property",
                        quote(name, strlen(name)).text, *bad);
    return 0;
}

static int property_layers(const struct execution *ex, struct rset *rs,
                           struct layer *layers, struct diag *d)
{
    const char *key;
    json_t *value;
    size_t n = 0;

    json_object_foreach (ex->properties, key, value) {
        const char *name = rset_string(rs, key);
        if (!name)
            return diag_oom(d);
        if (check_property_name(name, d) < 0)
            return -1;
        layers[n].item = name;
        if (!(layers[n].ranks = idset_from_json(value, d)))
            return diag_in(d, "%s", key);
        rs->property_names[n++] = name;
    }
    rs->nproperty_names = n;
    return 0;
}

static int apply_properties(const struct execution *ex, struct rset *rs,
                            struct diag *d)
{
    size_t n = json_object_size(ex->properties), at;
    struct layer *layers;
    int rc = -1;

    if (n == 0)
        return 0;
    layers = xcalloc(n, sizeof(*layers));
    rs->property_names = xcalloc(n, sizeof(*rs->property_names));
    if (!layers || !rs->property_names) {
        diag_oom(d);
    } else if (property_layers(ex, rs, layers, d) == 0) {
        rc = rset_lay(rs, layers, n, add_property, NULL, &at, d);
        if (rc < 0)
            diag_in(d, "%s", (const char *)layers[at].item);
    }
    for (size_t i = 0; layers && i < n; i++)
        idset_destroy((struct idset *)layers[i].ranks);
    free(layers);
    return rc < 0 ? diag_in(d, "properties") : 0;
}

static int put_unknown(struct rset *rs, struct vertex *v, const void *item,
                       void *arg, struct diag *d)
{
    (void)rs, (void)arg;
    return unknown_keep(v, UNKNOWN_ENTRY, (json_t *)item) < 0 ? diag_oom(d) : 0;
}

static int apply_unknown(const struct execution *ex, struct rset *rs,
                         struct diag *d)
{
    size_t at;

    return ex->nunknown ? rset_lay(rs, ex->unknown, ex->nunknown, put_unknown,
                                   NULL, &at, d)
                        : 0;
}

/* --- the two halves ----------------------------------------------------- */

static void drop_graph(struct rset *rs)
{
    rs->root = rs->loose = NULL;
    rs->nlinks = 0;
    rs->halves &= ~HALF_GRAPH;
    json_decref(rs->graph_extra);
    rs->graph_extra = NULL;
}

static int build(struct execution *ex, struct rset *rs, struct idset *ranks,
                 struct diag *d)
{
    idset_destroy(rs->ranks);
    hostlist_destroy(rs->hosts);
    rs->ranks = ranks;
    rs->hosts = ex->hosts;
    ex->hosts = NULL;
    return rlite_build(rs, &ex->lite, d);
}

int execution_apply(struct execution *ex, struct rset *rs, enum trust trust,
                    struct diag *d)
{
    bool graph = rs->halves & HALF_GRAPH;
    struct idset *ranks = all_ranks(ex, d);

    if (!ranks)
        return diag_in(d, "execution");
    if (check_hosts(ex, ranks, rs, d) < 0) {
        idset_destroy(ranks);
        return diag_in(d, "execution");
    }
    if (graph && trust != TRUST_EXECUTION) {
        int rc = trust == TRUST_GRAPH ? 0 : execution_agrees(ex, rs, ranks, d);
        idset_destroy(ranks);
        if (rc < 0)
            return diag_in(d, "execution");
        if (trust == TRUST_GRAPH) {
            rset_note(rs, "execution is left aside, the graph is taken");
            return 0;
        }
    } else {
        if (graph) {
            rset_note(rs, "the graph is left aside, execution is taken");
            drop_graph(rs);
        }
        if (build(ex, rs, ranks, d) < 0)
            return diag_in(d, "execution");
    }
    return apply_properties(ex, rs, d) < 0 || apply_unknown(ex, rs, d) < 0
               ? diag_in(d, "execution")
               : 0;
}
