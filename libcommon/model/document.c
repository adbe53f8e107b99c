#include "model/document.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "model/execution.h"
#include "model/jgf.h"
#include "model/marks.h"

/* --- reading ------------------------------------------------------------ */

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

/*
 * What writes graphs that leave out what is below exclusive vertices says
 * so; such a graph can only be understood beside its inventory.
 */
static int check_writer(const json_t *scheduling, struct diag *d)
{
    const char *writer = json_string_value(
        json_object_get(scheduling, "writer"));

    if (!writer || strcmp(writer, "fluxion:jgf_shorthand"))
        return 0;
    diag_set(d,
             "%s: a shorthand graph leaves out resources, and can't be read "
             "without its inventory",
             quote(writer, strlen(writer)).text);
    return diag_in(d, "writer");
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
    if (rc == 0 && (r->rs->halves & HALF_GRAPH))
        rc = check_writer(r->rs->scheduling, d);
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

static json_t *scheduler_of(const json_t *attributes)
{
    return json_object_get(json_object_get(attributes, "system"), "scheduler");
}

static void prune(json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    if (json_is_object(value) && json_object_size(value) == 0)
        json_object_del(object, key);
}

/* Objects that say nothing are not kept. */
static void prune_attributes(json_t *attributes)
{
    json_t *system = json_object_get(attributes, "system");

    prune(system, "scheduler");
    prune(attributes, "system");
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

/* All keys are read: is it a document, and what does it say? */
static int finish(struct reading *r, struct diag *d)
{
    struct rset *rs = r->rs;
    json_t *scheduler = scheduler_of(rs->attributes);

    if (!rs->halves && !r->version)
        return diag_set(d, "neither an R nor a graph: it has no `version`, "
                           "`execution`, `scheduling` or `graph`");
    if (!rs->halves)
        return diag_set(d,
                        "an R needs `execution`, or a graph in `scheduling`");
    if (!rs->bare && !r->version)
        return diag_set(d, "an R needs a `version`");
    if (rs->bare && check_writer(rs->extra, d) < 0)
        return -1;
    if (rs->bare && (rs->halves & HALF_EXECUTION))
        return diag_set(d, "`graph` beside `execution`: an R has its graph "
                           "in `scheduling`");
    if (check_attributes(rs->attributes, d) < 0)
        return -1;
    if ((rs->halves & HALF_EXECUTION)
        && execution_apply(&r->ex, rs, r->trust, d) < 0)
        return -1;
    if (!(rs->halves & HALF_GRAPH) && scheduler
        && marks_read(rs, scheduler, d) < 0)
        return diag_in(d, "attributes.system.scheduler");
    prune_attributes(rs->attributes);
    if (rs->nleft_out)
        rset_note(rs,
                  "%zu key%s of R_lite entries, vertices beside their "
                  "metadata, or edges %s left out",
                  rs->nleft_out, rs->nleft_out == 1 ? "" : "s",
                  rs->nleft_out == 1 ? "is" : "are");
    return 0;
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

/* --- writing ------------------------------------------------------------ */

/* An object under a key, made if it is not there or is none. */
static json_t *object_at(json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);

    if (!json_is_object(value)) {
        value = json_object();
        json_object_set_new(object, key, value);
    }
    return value;
}

/* The attributes as they are written; with the records if there is no graph. */
static json_t *make_attributes(const struct rset *rs, bool graph,
                               struct diag *d)
{
    json_t *attributes = rs->attributes ? json_deep_copy(rs->attributes)
                                        : json_object();
    json_t *system, *scheduler;

    if (!attributes) {
        diag_oom(d);
        return NULL;
    }
    if (!graph) {
        system = object_at(attributes, "system");
        scheduler = object_at(system, "scheduler");
        if (!scheduler || marks_write(rs, scheduler, d) < 0) {
            json_decref(attributes);
            return NULL;
        }
    }
    prune_attributes(attributes);
    return attributes;
}

static void write_members(FILE *fp, const json_t *object)
{
    const char *key;
    json_t *value;

    json_object_foreach ((json_t *)object, key, value) {
        putc(',', fp);
        json_write_string(fp, key);
        putc(':', fp);
        json_write(fp, value);
    }
}

/* The graph, and what stood beside it; `writer` is not ours to give. */
static int write_scheduling(struct rset *rs, bool graph, enum jgf_style style,
                            FILE *fp)
{
    const char *key, *sep = "";
    json_t *value;

    if (!graph && json_object_size(rs->scheduling) == 0)
        return 0;
    fputs(",\"scheduling\":{", fp);
    if (graph) {
        fputs("\"graph\":", fp);
        if (jgf_write(rs, style, fp) < 0)
            return -1;
        sep = ",";
    }
    json_object_foreach (rs->scheduling, key, value) {
        if (graph && !strcmp(key, "writer"))
            continue;
        fputs(sep, fp);
        json_write_string(fp, key);
        putc(':', fp);
        json_write(fp, value);
        sep = ",";
    }
    putc('}', fp);
    return 0;
}

static int write_r(struct rset *rs, int halves, enum jgf_style style,
                   const struct rlite *lite, const json_t *attributes, FILE *fp)
{
    fputs("{\"version\":1", fp);
    if (halves & HALF_EXECUTION) {
        fputs(",\"execution\":", fp);
        if (execution_write(rs, lite, fp) < 0)
            return -1;
    }
    if (write_scheduling(rs, halves & HALF_GRAPH, style, fp) < 0)
        return -1;
    if (json_object_size(attributes) > 0) {
        fputs(",\"attributes\":", fp);
        json_write(fp, attributes);
    }
    write_members(fp, rs->extra);
    fputs("}\n", fp);
    return 0;
}

static int check_ranks(const struct rset *rs, struct diag *d)
{
    if ((!rs->ranks || idset_empty(rs->ranks)) && rs->root
        && (rs->halves & HALF_GRAPH) && rs->root->child)
        return diag_set(d, "no node of the graph has a rank: it can't be "
                           "said as an R");
    return 0;
}

/* What a bare graph has no place for. */
static void note_bare(struct rset *rs)
{
    bool times = rs->starttime || rs->expiration;
    bool attributes = json_object_size(rs->attributes) > 0;

    if (times || attributes)
        rset_note(rs, "a bare graph has no place for %s%s%s",
                  times ? "starttime and expiration" : "",
                  times && attributes ? " and " : "",
                  attributes ? "attributes" : "");
}

/* Records of pools that R_lite does not speak of. */
static void note_plain(struct rset *rs)
{
    size_t n = 0;

    for (const struct vertex *v = rset_first(rs); v; v = rset_next(rs, v)) {
        bool recorded = v->records
                        && (v->records->claims || v->records->staged);
        bool whole = v->exclusive && !(v->parent && v->parent->exclusive);
        if ((recorded || v->state != STATE_UP || whole) && !vertex_is_target(v)
            && !(v->rank >= 0 && rlite_type(rs, v->type)))
            n++;
    }
    if (n > 0 && (rs->halves & HALF_GRAPH))
        rset_note(rs,
                  "an R without a graph does not say what is recorded "
                  "of %zu pool%s",
                  n, n == 1 ? "" : "s");
}

/* A host becomes the name of a vertex, and that is a part of paths. */
static int check_hosts(const struct rset *rs, struct diag *d)
{
    char *text;
    int rc = 0;

    if ((rs->halves & HALF_GRAPH) || !rs->hosts)
        return 0;
    if (!(text = hostlist_encode(rs->hosts)))
        return diag_oom(d);
    if (strchr(text, '/'))
        rc = diag_set(d, "%s: a host with a '/' can't be a vertex",
                      quote(text, strlen(text)).text);
    free(text);
    return rc;
}

/* Beside a graph the names that its vertices get are hosts, too. */
static int name_hosts(struct rset *rs, struct diag *d)
{
    char *ranks, *text = NULL;
    int rc = -1;

    if (rs->hosts || !rs->ranks || idset_empty(rs->ranks))
        return 0;
    if ((ranks = idset_encode(rs->ranks))
        && asprintf(&text, "node[%s]", ranks) >= 0
        && (rs->hosts = hostlist_create()))
        rc = hostlist_decode(rs->hosts, text, strlen(text), d);
    else
        diag_oom(d);
    free(ranks);
    free(text);
    return rc;
}

static int write_document(struct rset *rs, int halves, enum jgf_style style,
                          FILE *fp, struct diag *d)
{
    struct rlite lite = {0};
    json_t *attributes = NULL;
    int rc = 0;

    if (halves & HALF_EXECUTION)
        rc = check_ranks(rs, d) < 0 || rlite_project(&lite, rs, d) < 0 ? -1 : 0;
    if (rc == 0 && (halves & HALF_GRAPH))
        rc = check_hosts(rs, d) < 0 ? -1 : name_hosts(rs, d);
    if (rc == 0 && !(attributes = make_attributes(rs, halves & HALF_GRAPH, d)))
        rc = -1;
    if (!(halves & HALF_GRAPH))
        note_plain(rs);
    if (rc == 0 && write_r(rs, halves, style, &lite, attributes, fp) < 0)
        rc = diag_oom(d);
    rlite_fini(&lite);
    json_decref(attributes);
    return rc;
}

static int write_bare(struct rset *rs, enum jgf_style style, FILE *fp,
                      struct diag *d)
{
    if (check_hosts(rs, d) < 0)
        return -1;
    fputs("{\"graph\":", fp);
    if (jgf_write(rs, style, fp) < 0)
        return diag_oom(d);
    if (rs->bare)
        write_members(fp, rs->extra);
    else
        note_bare(rs);
    fputs("}\n", fp);
    return 0;
}

int rset_write(struct rset *rs, enum rset_form form, FILE *fp, struct diag *d)
{
    enum jgf_style style = rs->full ? JGF_FULL : JGF_COMPACT;

    switch (form) {
    case FORM_AS_READ:
        break;
    case FORM_R:
        return write_document(rs, HALF_EXECUTION, JGF_FULL, fp, d);
    case FORM_RV1:
        return write_document(rs, HALF_EXECUTION | HALF_GRAPH, JGF_FULL, fp, d);
    case FORM_RV1_COMPACT:
        return write_document(rs, HALF_EXECUTION | HALF_GRAPH, JGF_COMPACT, fp,
                              d);
    case FORM_JGF:
        return write_bare(rs, JGF_FULL, fp, d);
    case FORM_JGF_COMPACT:
        return write_bare(rs, JGF_COMPACT, fp, d);
    }
    if (rs->bare)
        return write_bare(rs, style, fp, d);
    return write_document(rs, rs->halves, style, fp, d);
}
