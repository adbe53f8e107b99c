/*
 * Reads a graph. Elements of `nodes` become vertices at once. Edges may come
 * first, so they are kept in a compact list until graph_link.c links the tree.
 * Edges name vertices by outer ids, in a table that lives as long as the
 * reading. Most vertices and edges are plain, and are read without making JSON
 * values.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/json.h"
#include "base/memory.h"
#include "model/document/graph.h"
#include "model/document/unknown.h"

void graph_fini(struct graph *g)
{
    map_fini(&g->ids);
    map_fini(&g->paths);
    map_fini(&g->uuids);
    map_fini(&g->links);
    free(g->outers);
    free(g->edges);
    for (size_t i = 0; i < g->nextras; i++)
        json_decref(g->extras[i].extra);
    free(g->extras);
}

/* --- faults of vertices -------------------------------------------------- */

struct quoted outer_quote(const struct graph *g, uint32_t number)
{
    return quote_all(g->ids.slots[number].key);
}

struct quoted vertex_quote(const struct graph *g, const struct vertex *v)
{
    const struct outer *o = outer_of(g, v);

    return !o->unnamed   ? quote_all(v->name)
           : o->nameless ? quote("?", 1)
                         : outer_quote(g, v->index);
}

void graph_fault(struct graph *g, const struct vertex *v, enum rule rule,
                 const char *key, const char *fmt, ...)
{
    const struct outer *o = outer_of(g, v);
    struct place self = {.up = IN_KEY(&g->at, "nodes"),
                         .key = g->keyed ? g->ids.slots[v->index].key : NULL,
                         .index = o->node};
    struct place member = {.up = IN_KEY(&self, "metadata"), .key = key};
    char text[512];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    fault(g->r, rule, key ? &member : &self, "%s", text);
}

/* --- outer ids ----------------------------------------------------------- */

uint32_t graph_outer(struct graph *g, const char *id, size_t len)
{
    size_t before = g->ids.count;
    size_t number = map_number(&g->ids, id, len);

    if (g->ids.count > before) {
        VECTOR_GROW(g->outers, number);
        g->outers[number] = (struct outer){0};
    }
    return (uint32_t)number;
}

/* Make an outer that no edge can name: no id begins with a NUL. */
static uint32_t nameless_outer(struct graph *g)
{
    char key[32] = "";
    int len = snprintf(key + 1, sizeof(key) - 1, "%zu", g->nnodes);
    uint32_t number = graph_outer(g, key, (size_t)len + 1);

    g->outers[number].nameless = true;
    return number;
}

/* Return the text of an outer id, or NULL for another value. Integers get a
   warning. */
static const char *id_text(struct graph *g, const json_t *id, char buf[32],
                           const struct place *at)
{
    if (json_is_string(id))
        return json_string_value(id);
    if (json_is_integer(id)) {
        fault_value(g->r, RULE_INTEGER_ID, at, id, "expected a string");
        snprintf(buf, 32, "%" JSON_INTEGER_FORMAT, json_integer_value(id));
        return buf;
    }
    fault(g->r, id ? RULE_WRONG_TYPE : RULE_KEY_MISSING, at,
          "%s: expected a string%s", id ? json_quote(id).text : "missing",
          id ? "" : near_key(at->among, at->key).text);
    return NULL;
}

const char *graph_word(struct graph *g, const struct json_token *present)
{
    return present->text
               ? map_intern(&g->r->rs->names, present->text, present->len)
               : NULL;
}

/* --- vertices ------------------------------------------------------------ */

/* Add the next vertex. It is nameless if another one has its id. Unknown keys
   beside id and metadata are kept. */
static void add_vertex(struct graph *g, const json_t *value, const char *id,
                       const struct place *in_id, const struct place *at)
{
    static const char *const known[] = {"id", "metadata", NULL};
    uint32_t number = id ? graph_outer(g, id, strlen(id)) : nameless_outer(g);

    if (g->outers[number].v) {
        fault(g->r, RULE_VERTEX_ID_TWICE, in_id, "two vertices have the id %s",
              quote_all(id).text);
        number = nameless_outer(g);
    }
    vertex_read(g, number, json_object_get(value, "metadata"),
                IN_OBJECT(at, value, "metadata"));
    if (json_object_size(value) > 2 || g->keyed)
        unknown_put(&g->outers[number].v->extra, UNKNOWN_VERTEX,
                    unknown_of(g->r, value, known + g->keyed, at));
}

static void read_nodes(struct graph *g, const struct place *at)
{
    struct stream_level level;
    const char *id;
    json_t *value;
    char buf[32];
    size_t len;

    if (!read_enter(g->r, &level, "[{", at))
        return;
    for (size_t i = 0; !level.object && read_item(g->r, &level); i++) {
        const struct place *in = IN_LIST(at, i), *in_id = IN_KEY(in, "id");
        const char *text = stream_ahead(g->r->s, &len);
        if (vertex_read_plain(g, text, len, &len, IN_KEY(in, "metadata"))) {
            stream_skip(g->r->s, len);
        } else if ((value = read_value(g->r))) {
            if (need_object(g->r, value, in)) {
                id = id_text(g, json_object_get(value, "id"), buf, in_id);
                add_vertex(g, value, id, in_id, in);
            } else {
                g->nnodes++;
            }
            json_decref(value);
        }
    }
    if (!level.object)
        return;
    g->keyed = true; /* JGF version 2: an object from ids to vertices */
    fault(g->r, RULE_NODES_OBJECT, at, "an object: expected a list");
    while (read_key(g->r, &level, &id))
        if ((value = read_value(g->r))) {
            add_vertex(g, value, id, IN_KEY(at, id), IN_KEY(at, id));
            json_decref(value);
        }
}

/* --- edges --------------------------------------------------------------- */

/* Read the vertex at one end of an edge. Returns false if there is no id. */
static bool read_end(struct graph *g, const json_t *edge, const char *key,
                     uint32_t *end, const struct place *at)
{
    char buf[32];
    const char *id = id_text(g, json_object_get(edge, key), buf,
                             IN_OBJECT(at, edge, key));

    if (id)
        *end = graph_outer(g, id, strlen(id));
    return id;
}

/* Read a string of an edge into *out if there is one. Returns false if it is no
   string. */
static bool read_edge_word(struct graph *g, const json_t *object,
                           const char *key, const char **out,
                           const struct place *at)
{
    const json_t *value = json_object_get(object, key);

    if (json_is_string(value))
        *out = rset_string(g->r->rs, json_string_value(value));
    else if (value)
        fault_value(g->r, RULE_EDGE_WORDS, IN_KEY(at, key), value,
                    "expected a string");
    return !value || json_is_string(value);
}

/* Read subsystem and relationship of an edge. Returns `sound`, or false after a
   fault. */
static bool read_words(struct graph *g, const json_t *edge, struct edge *e,
                       bool sound, const struct place *at)
{
    const struct place *in = IN_KEY(at, "metadata");
    const struct place *old = IN_KEY(in, "name");
    const struct place *subsystem = IN_KEY(in, "subsystem");
    const json_t *metadata = json_object_get(edge, "metadata");
    const json_t *names = json_object_get(metadata, "name");

    if (metadata && !need_object(g->r, metadata, in))
        return false;
    if (json_is_object(names) && !json_object_get(metadata, "subsystem")) {
        /* before 2024: {"name": {"containment": "contains"}} */
        void *it = json_object_iter((json_t *)names);
        const json_t *word = it ? json_object_iter_value(it) : NULL;
        if (json_object_size(names) != 1 || !json_is_string(word)) {
            fault_value(g->r, RULE_EDGE_WORDS, old, names,
                        "expected one subsystem with a relationship");
            return false;
        }
        e->subsystem = rset_string(g->r->rs, json_object_iter_key(it));
        e->relationship = rset_string(g->r->rs, json_string_value(word));
        subsystem = old;
    } else if (!metadata) {
        if (json_is_string(json_object_get(edge, "relation")))
            read_edge_word(g, edge, "relation", &e->relationship, at);
    } else {
        sound &= read_edge_word(g, metadata, "subsystem", &e->subsystem, in);
        sound &= read_edge_word(g, metadata, "relationship", &e->relationship,
                                in);
    }
    if (sound && !*e->subsystem) {
        fault(g->r, RULE_EDGE_WORDS, subsystem,
              "\"\": expected the name of a subsystem");
        return false;
    }
    if (sound
        && (!json_object_get(metadata, "subsystem")
            || !json_object_get(metadata, "relationship")))
        fault(g->r, RULE_EDGE_METADATA, at,
              "subsystem and relationship: missing in the metadata");
    return sound;
}

/* Reverse an edge that leads from child to parent. */
static void turn_round(struct edge *e)
{
    uint32_t child = e->source;

    if (!e->relationship || strcmp(e->relationship, "in"))
        return;
    e->source = e->target;
    e->target = child;
}

/* Return the unknown keys of an edge, in the form of a vertex's `extra`. */
static json_t *edge_extra(struct graph *g, const json_t *edge,
                          const struct place *at)
{
    static const char *const keys[] = {"directed", "source",   "target",
                                       "metadata", "relation", NULL};
    static const char *const words[] = {"subsystem", "relationship", "name",
                                        NULL};
    const json_t *metadata = json_object_get(edge, "metadata");
    json_t *extra = NULL;

    json_decref(unknown_of(g->r, edge, keys, at));
    /* keep JGF's `directed` */
    unknown_put(&extra, UNKNOWN_EDGE, unknown_take(edge, keys + 1));
    unknown_put(&extra, UNKNOWN_WORDS,
                unknown_of(g->r, metadata, words, IN_KEY(at, "metadata")));
    return extra;
}

/* The keys of plain edges. */
enum { SOURCE, TARGET, WORDS, SUBSYSTEM, RELATIONSHIP, EDGE_KEYS };
static const struct json_field in_words[] = {
    {"subsystem", JSON_STRING, SUBSYSTEM, NULL},
    {"relationship", JSON_STRING, RELATIONSHIP, NULL},
    {0}};
static const struct json_field in_edge[] = {
    {"source", JSON_STRING, SOURCE, NULL},
    {"target", JSON_STRING, TARGET, NULL},
    {"metadata", JSON_OBJECT, WORDS, in_words},
    {0}};

/* Return the number of an outer id. It costs little if that is `guess`. */
static uint32_t near_outer(struct graph *g, uint32_t guess,
                           const struct json_token *id)
{
    if (guess < g->ids.count && g->ids.slots[guess].len == id->len
        && !memcmp(g->ids.slots[guess].key, id->text, id->len))
        return guess;
    return graph_outer(g, id->text, id->len);
}

/* Read a plain edge. Writers list all edges of a vertex in the order of their
   targets. Returns false if the next edge is not plain or has a
   fault. */
static bool read_plain_edge(struct graph *g, struct edge *e)
{
    struct json_token present[EDGE_KEYS] = {0};
    const struct json_token *subsystem = &present[SUBSYSTEM];
    const struct edge *before = g->nedges > 0 ? &g->edges[g->nedges - 1] : e;
    size_t len;
    const char *text = stream_ahead(g->r->s, &len);

    if (!json_read_fields(text, len, in_edge, present, &len)
        || !present[SOURCE].text || !present[TARGET].text
        || (subsystem->text && !subsystem->len)
        || (reader_reports(g->r, FAULT_STRICT)
            && (!subsystem->text || !present[RELATIONSHIP].text)))
        return false;
    e->source = near_outer(g, before->source, &present[SOURCE]);
    e->target = near_outer(g, before->target + 1, &present[TARGET]);
    e->subsystem = subsystem->text ? graph_word(g, subsystem) : g->containment;
    e->relationship = graph_word(g, &present[RELATIONSHIP]);
    turn_round(e);
    stream_skip(g->r->s, len);
    return true;
}

/* Read an edge from JSON. Returns its unknown keys. */
static json_t *edge_from_json(struct graph *g, const json_t *value,
                              struct edge *e, const struct place *at)
{
    json_t *extra;
    bool sound;

    if (!need_object(g->r, value, at))
        return NULL;
    e->subsystem = g->containment;
    sound = read_end(g, value, "source", &e->source, at);
    sound &= read_end(g, value, "target", &e->target, at);
    sound = read_words(g, value, e, sound, at);
    extra = edge_extra(g, value, at);
    turn_round(e);
    if (!sound) {
        e->subsystem = NULL;
        if (json_is_string(json_object_get(value, "target")))
            g->outers[e->target].orphan = true;
    }
    return extra;
}

static void read_edge(struct graph *g, const struct place *at)
{
    struct edge e = {0};
    json_t *value, *extra;

    if (!read_plain_edge(g, &e)) {
        if (!(value = read_value(g->r)))
            return;
        if ((extra = edge_from_json(g, value, &e, at)))
            VECTOR_ADD(g->extras, g->nextras,
                       (struct edge_extra){g->nedges, extra});
        json_decref(value);
    }
    VECTOR_ADD(g->edges, g->nedges, e);
}

/* --- the whole ----------------------------------------------------------- */

static void read_other(struct graph *g, const char *key)
{
    /* keys of JGF, or of deployed writers */
    static const char *const known[] = {"directed", "type", "label",
                                        "metadata", "id",   NULL};
    json_t *value = read_value(g->r);

    if (!value)
        return;
    if (!strcmp(key, "hyperedges"))
        fault(g->r, RULE_HYPEREDGES, &g->at, "hyperedges are not supported");
    else if (!is_known_key(key, known))
        fault(g->r, RULE_RESERVED_KEY, IN_KEY(&g->at, key), "not a key of JGF");
    else if (!strcmp(key, "metadata"))
        need_version(g->r, value, IN_KEY(&g->at, key));
    if (!strcmp(key, "graph"))
        report_place(g->r, key, "one level higher", &g->at);
    json_put(&g->r->rs->document.graph, key, value);
}

static void read_keys(struct graph *g)
{
    struct stream_level level, edges;
    bool nodes = false;
    const char *key;

    if (!read_enter(g->r, &level, "{", &g->at)) {
        g->edged = true; /* no second fault for missing keys */
        return;
    }
    while (read_key(g->r, &level, &key)) {
        nodes = nodes || !strcmp(key, "nodes");
        if (!strcmp(key, "nodes")) {
            read_nodes(g, IN_KEY(&g->at, key));
        } else if (!strcmp(key, "edges")) {
            const struct place *at = IN_KEY(&g->at, key);
            g->edged = true;
            g->broken = !read_enter(g->r, &edges, "[", at);
            for (size_t i = 0; !g->broken && read_item(g->r, &edges); i++)
                read_edge(g, IN_LIST(at, i));
        } else {
            read_other(g, key);
        }
    }
    if (!nodes)
        fault(g->r, RULE_GRAPH_KEY_MISSING, &g->at, "nodes is missing");
    if (!g->edged)
        fault(g->r, RULE_GRAPH_KEY_MISSING, &g->at, "edges is missing");
}

void graph_read(struct graph *g, const struct place *at)
{
    struct rset *rs = g->r->rs;
    size_t before = g->r->refused;

    g->at = *at; /* `at` is on the stack, and is needed longer */
    if (at->up) {
        g->around = *at->up;
        g->at.up = &g->around;
    }
    g->there = true;
    g->start = HASH_START;
    g->containment = rset_string(rs, "containment");
    read_keys(g);
    rs->document.full = rs->document.full || !rs->nvertices;
    rs->document.halves |= HALF_GRAPH;
    if (g->r->ended)
        return;
    if (!g->edged && g->nnodes > 1 && !g->least)
        fault(g->r, RULE_EDGES_MISSING, &g->at,
              "a graph of several vertices needs edges");
    else if (!g->broken)
        graph_link(g);
    g->sound = g->r->refused - g->spoilt == before;
    if (!g->r->ended)
        records_compare(g);
}
