#include "model/document.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "model/edition.h"
#include "model/jgf.h"
#include "model/marks.h"
#include "model/shorthand.h"

struct reading {
    struct rset *rs;
    struct stream *s;
    struct execution ex;
    enum trust trust;
    bool version;
};

typedef int (*key_fn)(struct reading *r, const char *key, struct diag *d);

/* Keep a key that is not ours in an object of such. */
static int keep(struct reading *r, json_t **object, const char *key,
                struct diag *d)
{
    json_t *value = stream_value(r->s, d);

    if (!value)
        return -1;
    if (!*object)
        *object = json_object();
    return json_object_set_new(*object, key, value) < 0 ? diag_oom(d) : 0;
}

static int read_version(struct reading *r, const char *key, struct diag *d)
{
    json_t *value = stream_value(r->s, d);
    int rc = 0;

    (void)key;
    if (!value)
        return -1;
    if (!json_is_integer(value) || json_integer_value(value) != 1)
        rc = diag_set(d, "%s: version 1 is understood", json_quote(value).text);
    json_decref(value);
    r->version = true;
    return rc;
}

static int read_execution(struct reading *r, const char *key, struct diag *d)
{
    (void)key;
    return execution_read(&r->ex, r->rs, r->s, d);
}

static int read_graph(struct reading *r, const char *key, struct diag *d)
{
    (void)key;
    if (r->rs->halves & HALF_GRAPH)
        return diag_set(d, "a second graph");
    return jgf_read(r->rs, r->s, d);
}

static int read_scheduling(struct reading *r, const char *name, struct diag *d)
{
    struct stream_level level;
    const char *key;
    int rc;

    (void)name;
    if (stream_peek(r->s, d) == 'n') {
        json_t *null = stream_value(r->s, d);
        json_decref(null);
        return null ? 0 : -1;
    }
    if (stream_enter(r->s, &level, "{", d) < 0)
        return -1;
    while ((rc = stream_key(r->s, &level, &key, d)) == 1) {
        if (!strcmp(key, "graph"))
            rc = read_graph(r, key, d);
        else
            rc = keep(r, &r->rs->scheduling, key, d);
        if (rc < 0) {
            diag_in(d, "%s", key);
            break;
        }
    }
    stream_leave(&level);
    return rc;
}

static int read_attributes(struct reading *r, const char *key, struct diag *d)
{
    (void)key;
    if (!(r->rs->attributes = stream_value(r->s, d)))
        return -1;
    if (json_is_null(r->rs->attributes)) {
        json_decref(r->rs->attributes);
        r->rs->attributes = NULL;
    } else if (!json_is_object(r->rs->attributes)) {
        return diag_set(d, "%s: expected an object",
                        json_quote(r->rs->attributes).text);
    }
    return 0;
}

static int read_bare_graph(struct reading *r, const char *key, struct diag *d)
{
    r->rs->bare = true;
    return read_graph(r, key, d);
}

/* JGF's multi-graph form, with one graph in it. */
static int read_graphs(struct reading *r, const char *key, struct diag *d)
{
    struct stream_level level;
    size_t n = 0;
    int rc;

    if (stream_enter(r->s, &level, "[", d) < 0)
        return -1;
    for (; (rc = stream_item(r->s, &level, d)) == 1; n++)
        if (read_bare_graph(r, key, d) < 0)
            return diag_in(d, "[%zu]", n);
    return rc == 0 && n == 0 ? diag_set(d, "one graph is expected") : rc;
}

static const struct {
    const char *key;
    key_fn read;
} keys[] = {
    {"version", read_version},       {"execution", read_execution},
    {"scheduling", read_scheduling}, {"attributes", read_attributes},
    {"graph", read_bare_graph},      {"graphs", read_graphs},
};

static int read_key(struct reading *r, const char *key, struct diag *d)
{
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (!strcmp(key, keys[i].key))
            return keys[i].read(r, key, d);
    return keep(r, &r->rs->extra, key, d);
}

/* RFC 20: `system` and `scheduler` are dictionaries. */
static int check_attributes(const json_t *attributes, struct diag *d)
{
    const json_t *system = json_object_get(attributes, "system");
    const json_t *scheduler = json_object_get(system, "scheduler");

    if (system && !json_is_object(system)) {
        diag_set(d, "%s: expected an object", json_quote(system).text);
        return diag_in(d, "attributes.system");
    }
    if (scheduler && !json_is_object(scheduler)) {
        diag_set(d, "%s: expected an object", json_quote(scheduler).text);
        return diag_in(d, "attributes.system.scheduler");
    }
    return 0;
}

/* What the parts that were read are together. */
static int check_kind(const struct reading *r, struct diag *d)
{
    const struct rset *rs = r->rs;

    if (!rs->halves && !r->version)
        return diag_set(d, "neither an R nor a graph: it has no `version`, "
                           "`execution`, `scheduling` or `graph`");
    if (!rs->halves)
        return diag_set(d,
                        "an R needs `execution`, or a graph in `scheduling`");
    if (!rs->bare && !r->version)
        return diag_set(d, "an R needs a `version`");
    if (rs->bare && (rs->halves & HALF_EXECUTION))
        return diag_set(d, "`graph` beside `execution`: an R has its graph "
                           "in `scheduling`");
    return check_attributes(rs->attributes, d);
}

/* The writer of a bare graph is kept where that of an R's graph is. */
static int take_writer(struct rset *rs)
{
    json_t *writer = json_object_get(rs->extra, "writer");

    if (!rs->bare || !json_is_string(writer))
        return 0;
    if (!rs->scheduling && !(rs->scheduling = json_object()))
        return -1;
    if (json_object_set(rs->scheduling, "writer", writer) < 0)
        return -1;
    return json_object_del(rs->extra, "writer");
}

/* Does the writer of the graph call it a shorthand? It goes then. */
static bool take_shorthand(struct rset *rs)
{
    const char *writer = json_string_value(
        json_object_get(rs->scheduling, "writer"));

    return (rs->halves & HALF_GRAPH) && writer
           && !strcmp(writer, SHORTHAND_WRITER)
           && json_object_del(rs->scheduling, "writer") == 0;
}

/* Put the two halves together. */
static int join_halves(struct reading *r, struct diag *d)
{
    struct rset *rs = r->rs;
    bool execution = rs->halves & HALF_EXECUTION;

    if (take_writer(rs) < 0)
        return diag_oom(d);
    if (take_shorthand(rs) && r->trust != TRUST_EXECUTION
        && shorthand_fill(rs, execution ? &r->ex : NULL, d) < 0)
        return -1;
    return execution ? execution_apply(&r->ex, rs, r->trust, d) : 0;
}

/* All keys are read: is it a document, and what does it say? */
static int finish(struct reading *r, struct diag *d)
{
    struct rset *rs = r->rs;
    json_t *scheduler = edition_scheduler(rs->attributes);

    if (check_kind(r, d) < 0 || join_halves(r, d) < 0)
        return -1;
    if (!(rs->halves & HALF_GRAPH) && scheduler
        && marks_read(rs, scheduler, d) < 0)
        return diag_in(d, "attributes.system.scheduler");
    if (rset_check_claims(rs, d) < 0)
        return -1;
    return edition_restore(rs) < 0 ? diag_oom(d) : 0;
}

static int read_document(struct reading *r, struct diag *d)
{
    struct stream_level level;
    const char *key;
    int rc;

    if (stream_enter(r->s, &level, "{", d) < 0)
        return -1;
    while ((rc = stream_key(r->s, &level, &key, d)) == 1) {
        if ((rc = read_key(r, key, d)) < 0) {
            diag_in(d, "%s", key);
            break;
        }
    }
    stream_leave(&level);
    return rc < 0 ? -1 : finish(r, d);
}

int rset_read(struct stream *s, enum trust trust, struct rset **out,
              struct diag *d)
{
    struct reading r = {.s = s, .trust = trust};
    int rc = stream_next(s, d);

    *out = NULL;
    if (rc <= 0)
        return rc;
    if (!(r.rs = rset_create())) {
        diag_oom(d);
        return stream_fault(s, d);
    }
    rc = read_document(&r, d);
    execution_fini(&r.ex);
    if (rc < 0) {
        if (!d->source[0])
            stream_fault(s, d);
        rset_destroy(r.rs);
        return -1;
    }
    *out = r.rs;
    return 1;
}
