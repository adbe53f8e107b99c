/*
 * Reading a graph: elements of `nodes` become vertices at once, edges wait
 * in a compact list, because they may come first. An edge names vertices by
 * outer id; a table from outer id to vertex lives only as long as the
 * reading. Then the tree is linked: see jgf_link.c.
 *
 * Half of a graph is edges that differ in their ids only. Their text is
 * compared with the last one's, which jansson has read, and so most of them
 * cost a comparison and two look-ups.
 */
#include "model/jgf.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/json.h"
#include "base/memory.h"
#include "model/jgf_private.h"
#include "model/unknown.h"

static void reading_fini(struct jgf_reading *r)
{
    arena_fini(&r->arena);
    map_fini(&r->outers);
    map_fini(&r->links);
    free(r->edges);
    for (size_t i = 0; i < r->nextras; i++)
        json_decref(r->extras[i].extra);
    free(r->extras);
    json_decref(r->tail.extra);
}

/* The entry of an outer id, made if it is not there. */
static struct outer *outer_get(struct jgf_reading *r, const char *id,
                               size_t len)
{
    struct map_slot *slot = map_at(&r->outers, id, len);
    struct outer *o;

    if (!slot || slot->value.pointer)
        return slot ? slot->value.pointer : NULL;
    if ((o = arena_alloc(&r->arena, sizeof(*o)))) {
        o->id = slot->key;
        slot->value.pointer = o;
    }
    return o;
}

/* --- vertices ----------------------------------------------------------- */

static int add_vertex(struct jgf_reading *r, const char *id,
                      const json_t *metadata, struct diag *d)
{
    struct outer *o = outer_get(r, id, strlen(id));
    const char *path;

    if (!o)
        return diag_oom(d);
    if (o->v)
        return diag_set(d, "two vertices have the id %s",
                        quote(id, strlen(id)).text);
    if (!(o->v = jgf_vertex(r->rs, id, metadata, &path, d)))
        return diag_in(d, "metadata");
    if (path)
        o->path = hash_bytes(HASH_START, path, strlen(path));
    return 0;
}

/* What a vertex has beside its id and metadata. */
static int keep_unknown(struct jgf_reading *r, const json_t *value,
                        struct diag *d)
{
    struct vertex *v = r->rs->vertices[r->rs->nvertices - 1];
    json_t *keys;
    int rc = unknown_take(value, (const char *[]){"id", "metadata"}, 2, &keys);

    if (rc == 0)
        rc = unknown_keep(v, UNKNOWN_VERTEX, keys);
    json_decref(keys);
    return rc < 0 ? diag_oom(d) : 0;
}

static int vertex_from_json(struct jgf_reading *r, const json_t *value,
                            struct diag *d)
{
    const json_t *id = json_object_get(value, "id");
    char text[32];

    if (!json_is_object(value))
        return diag_set(d, "%s: expected an object", json_quote(value).text);
    if (!json_is_string(id) && !json_is_integer(id)) {
        diag_set(d, "%s: expected a string",
                 id ? json_quote(id).text : "missing");
        return diag_in(d, "id");
    }
    snprintf(text, sizeof(text), "%" JSON_INTEGER_FORMAT,
             json_integer_value(id));
    if (add_vertex(r, json_is_string(id) ? json_string_value(id) : text,
                   json_object_get(value, "metadata"), d)
        < 0)
        return -1;
    return json_object_size(value) > 2 ? keep_unknown(r, value, d) : 0;
}

static int read_nodes_list(struct jgf_reading *r, struct stream *s,
                           struct stream_level *level, struct diag *d)
{
    int rc;

    for (size_t i = 0; (rc = stream_item(s, level, d)) == 1; i++) {
        json_t *value = stream_value(s, d);
        rc = value ? vertex_from_json(r, value, d) : -1;
        json_decref(value);
        if (rc < 0)
            return diag_in(d, "nodes[%zu]", i);
    }
    return rc;
}

/* JGF version 2: an object from id to vertex. */
static int read_nodes_object(struct jgf_reading *r, struct stream *s,
                             struct stream_level *level, struct diag *d)
{
    const char *key;
    int rc;

    while ((rc = stream_key(s, level, &key, d)) == 1) {
        json_t *value = stream_value(s, d);
        rc = value ? add_vertex(r, key, json_object_get(value, "metadata"), d)
                   : -1;
        if (rc == 0 && json_object_size(value) > 1)
            rc = keep_unknown(r, value, d);
        json_decref(value);
        if (rc < 0) {
            diag_in(d, "nodes.%s", key);
            break;
        }
    }
    stream_leave(level);
    return rc;
}

static int read_nodes(struct jgf_reading *r, struct stream *s, struct diag *d)
{
    struct stream_level level;

    if (stream_enter(s, &level, "[{", d) < 0)
        return diag_in(d, "nodes");
    return level.keys ? read_nodes_object(r, s, &level, d)
                      : read_nodes_list(r, s, &level, d);
}

/* --- edges -------------------------------------------------------------- */

static struct outer *edge_end(struct jgf_reading *r, const json_t *edge,
                              const char *key, struct diag *d)
{
    const json_t *value = json_object_get(edge, key);
    struct outer *o = NULL;
    char text[32];

    if (json_is_string(value)) {
        o = outer_get(r, json_string_value(value), json_string_length(value));
    } else if (json_is_integer(value)) {
        snprintf(text, sizeof(text), "%" JSON_INTEGER_FORMAT,
                 json_integer_value(value));
        o = outer_get(r, text, strlen(text));
    } else {
        diag_set(d, "%s: expected a string",
                 value ? json_quote(value).text : "missing");
        diag_in(d, "%s", key);
        return NULL;
    }
    if (!o)
        diag_oom(d);
    return o;
}

/* A string in the metadata of an edge; *out stays if there is none. */
static int edge_word(struct jgf_reading *r, const json_t *metadata,
                     const char *key, const char **out, struct diag *d)
{
    const json_t *value = json_object_get(metadata, key);

    if (!value)
        return 0;
    if (!json_is_string(value)) {
        diag_set(d, "%s: expected a string", json_quote(value).text);
        return diag_in(d, "metadata.%s", key);
    }
    *out = rset_string(r->rs, json_string_value(value));
    return *out ? 0 : diag_oom(d);
}

/* Before 2024: {"name": {"containment": "contains"}}. */
static int edge_old_words(struct jgf_reading *r, const json_t *names,
                          struct edge *e, struct diag *d)
{
    void *it = json_object_iter((json_t *)names);
    const json_t *word = it ? json_object_iter_value(it) : NULL;

    if (json_object_size(names) != 1 || !json_is_string(word)) {
        diag_set(d, "%s: expected one subsystem with a relationship",
                 json_quote(names).text);
        return diag_in(d, "metadata.name");
    }
    e->subsystem = rset_string(r->rs, json_object_iter_key(it));
    e->relationship = rset_string(r->rs, json_string_value(word));
    return e->subsystem && e->relationship ? 0 : diag_oom(d);
}

static int edge_metadata(struct jgf_reading *r, const json_t *edge,
                         struct edge *e, struct diag *d)
{
    const json_t *metadata = json_object_get(edge, "metadata");
    const json_t *names = json_object_get(metadata, "name");

    if (metadata && !json_is_object(metadata)) {
        diag_set(d, "%s: expected an object", json_quote(metadata).text);
        return diag_in(d, "metadata");
    }
    if (json_is_object(names) && !json_object_get(metadata, "subsystem"))
        return edge_old_words(r, names, e, d);
    if (!metadata && json_is_string(json_object_get(edge, "relation")))
        return edge_word(r, edge, "relation", &e->relationship, d);
    if (edge_word(r, metadata, "subsystem", &e->subsystem, d) < 0)
        return -1;
    return edge_word(r, metadata, "relationship", &e->relationship, d);
}

static int keep_extra(struct jgf_reading *r, json_t *extra)
{
    struct edge_extra *extras = r->extras;

    if (r->nextras == r->extras_size) {
        r->extras_size = r->extras_size ? r->extras_size * 2 : 64;
        extras = xrealloc(extras, r->extras_size * sizeof(*extras));
        if (!extras)
            return -1;
        r->extras = extras;
    }
    extras[r->nextras++] = (struct edge_extra){r->nedges, json_incref(extra)};
    return 0;
}

static int keep_edge(struct jgf_reading *r, const struct edge *e, json_t *extra,
                     struct diag *d)
{
    if (extra && keep_extra(r, extra) < 0)
        return diag_oom(d);
    if (e->source == e->target)
        return diag_set(d, "%s: an edge from a vertex to itself",
                        quote(e->source->id, strlen(e->source->id)).text);
    if (r->nedges == r->edges_size) {
        size_t size = r->edges_size ? r->edges_size * 2 : 64;
        struct edge *edges = xrealloc(r->edges, size * sizeof(*edges));
        if (!edges)
            return diag_oom(d);
        r->edges = edges;
        r->edges_size = size;
    }
    r->edges[r->nedges++] = *e;
    return 0;
}

/* The keys that no standard knows, in the form of a vertex's `extra`. */
static int edge_extra(const json_t *edge, json_t **out)
{
    json_t *keys, *words = NULL;
    int rc = unknown_take(
        edge, (const char *[]){"source", "target", "metadata", "relation"}, 4,
        &keys);

    *out = NULL;
    if (rc == 0)
        rc = unknown_take(json_object_get(edge, "metadata"),
                          (const char *[]){"subsystem", "relationship", "name"},
                          3, &words);
    if (rc == 0)
        rc = unknown_put(out, UNKNOWN_EDGE, keys);
    if (rc == 0)
        rc = unknown_put(out, UNKNOWN_WORDS, words);
    json_decref(keys);
    json_decref(words);
    return rc;
}

static int edge_from_json(struct jgf_reading *r, const json_t *value,
                          struct edge *e, struct diag *d)
{
    *e = (struct edge){.subsystem = r->containment};
    if (!json_is_object(value))
        return diag_set(d, "%s: expected an object", json_quote(value).text);
    if (!(e->source = edge_end(r, value, "source", d))
        || !(e->target = edge_end(r, value, "target", d))
        || edge_metadata(r, value, e, d) < 0)
        return -1;
    if (e->relationship && !strcmp(e->relationship, "in")) {
        struct outer *child = e->source; /* told from the child's side */
        e->source = e->target;
        e->target = child;
        e->relationship = NULL;
        r->tail.len = 0;
    }
    return 0;
}

/* A plain id in quotes at *p, after `before`; steps over both. */
static bool take_id(const char **p, const char *end, const char *before,
                    const char **id, size_t *len)
{
    size_t n = strlen(before);

    if ((size_t)(end - *p) < n || memcmp(*p, before, n) != 0)
        return false;
    *id = *p += n;
    while (*p < end && (isalnum((unsigned char)**p) || strchr("-_.", **p)))
        ++*p;
    *len = (size_t)(*p - *id);
    return *len > 0 && *p < end && **p == '"';
}

/*
 * Is this the last edge again with other ids? Then they are taken from the
 * text, and nothing of it has to be parsed. What is after the ids in any
 * other text is kept, to be compared with what comes next.
 */
static bool edge_like_last(struct jgf_reading *r, const char *text, size_t len,
                           struct edge *e)
{
    const char *p = text, *end = text + len, *source, *target;
    struct edge_tail *tail = &r->tail;
    size_t nsource, ntarget, rest;

    if (!take_id(&p, end, "{\"source\":\"", &source, &nsource)
        || !take_id(&p, end, "\",\"target\":\"", &target, &ntarget)) {
        tail->len = 0; /* nothing is like an edge of another shape */
        return false;
    }
    rest = (size_t)(end - p);
    if (rest != tail->len || memcmp(p, tail->text, rest) != 0) {
        tail->len = rest <= sizeof(tail->text) ? rest : 0;
        memcpy(tail->text, p, tail->len);
        return false;
    }
    *e = (struct edge){.source = outer_get(r, source, nsource),
                       .target = outer_get(r, target, ntarget),
                       .subsystem = tail->subsystem,
                       .relationship = tail->relationship};
    return e->source && e->target;
}

static int read_edge(struct jgf_reading *r, struct stream *s, struct diag *d)
{
    const char *text;
    struct edge e;
    json_t *value;
    size_t len;
    int rc;

    if (stream_text(s, &text, &len, d) < 0)
        return -1;
    if (edge_like_last(r, text, len, &e)) {
        stream_skip(s, len);
        return keep_edge(r, &e, r->tail.extra, d);
    }
    if (!(value = stream_value(s, d)))
        return -1;
    rc = edge_from_json(r, value, &e, d);
    json_decref(r->tail.extra);
    r->tail.extra = NULL;
    if (rc == 0 && edge_extra(value, &r->tail.extra) < 0)
        rc = diag_oom(d);
    json_decref(value);
    r->tail.subsystem = e.subsystem;
    r->tail.relationship = e.relationship;
    return rc < 0 ? -1 : keep_edge(r, &e, r->tail.extra, d);
}

static int read_edges(struct jgf_reading *r, struct stream *s, struct diag *d)
{
    struct stream_level level;
    int rc;

    if (stream_enter(s, &level, "[", d) < 0)
        return diag_in(d, "edges");
    for (size_t i = 0; (rc = stream_item(s, &level, d)) == 1; i++)
        if (read_edge(r, s, d) < 0)
            return diag_in(d, "edges[%zu]", i);
    return rc;
}

/* --- the whole ---------------------------------------------------------- */

static int read_keys(struct jgf_reading *r, struct stream *s, bool *edges,
                     struct diag *d)
{
    struct stream_level level;
    const char *key;
    int rc;

    if (stream_enter(s, &level, "{", d) < 0)
        return -1;
    while ((rc = stream_key(s, &level, &key, d)) == 1) {
        json_t *value = NULL;
        if (!strcmp(key, "nodes")) {
            rc = read_nodes(r, s, d);
        } else if (!strcmp(key, "edges")) {
            *edges = true;
            rc = read_edges(r, s, d);
        } else if (!strcmp(key, "hyperedges")) {
            rc = diag_set(d, "hyperedges are not understood");
        } else if (!(value = stream_value(s, d))
                   || (!r->rs->graph_extra
                       && !(r->rs->graph_extra = json_object()))
                   || json_object_set(r->rs->graph_extra, key, value) < 0) {
            rc = value ? diag_oom(d) : -1;
        }
        json_decref(value);
        if (rc < 0)
            break;
    }
    stream_leave(&level);
    return rc;
}

int jgf_read(struct rset *rs, struct stream *s, struct diag *d)
{
    struct jgf_reading r = {.rs = rs};
    bool edges = false;
    int rc = -1;

    if (!(r.containment = rset_string(rs, "containment"))) {
        diag_oom(d);
    } else if (read_keys(&r, s, &edges, d) == 0) {
        if (!edges && rs->nvertices > 1)
            diag_set(d, "a graph of several vertices needs edges");
        else
            rc = jgf_link(&r, d);
    }
    reading_fini(&r);
    rs->full = rs->full || !rs->nvertices;
    rs->halves |= HALF_GRAPH;
    return rc;
}
