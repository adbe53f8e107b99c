/*
 * Reading a graph: elements of `nodes` become vertices at once, edges wait
 * in a compact list, because they may come first. An edge names vertices by
 * outer id; a table of these lives only as long as the reading. Then the tree
 * is linked: see graph_link.c.
 *
 * Half of a graph is edges that differ in their ids only. Their text is
 * compared with the last one's, which jansson has read, and so most of them
 * cost a comparison and two look-ups.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/json.h"
#include "base/memory.h"
#include "model/document/graph.h"
#include "model/document/jgf.h"
#include "model/document/unknown.h"

void graph_fini(struct graph *g)
{
    map_fini(&g->ids);
    map_fini(&g->said);
    map_fini(&g->uuids);
    map_fini(&g->links);
    arena_fini(&g->given);
    free(g->outers);
    free(g->paths);
    free(g->edges);
    for (size_t i = 0; i < g->nextras; i++)
        json_decref(g->extras[i].extra);
    free(g->extras);
    json_decref(g->tail.extra);
}

/* --- faults of vertices -------------------------------------------------- */

struct quoted vertex_quote(const struct graph *g, const struct vertex *v)
{
    const struct outer *o = &g->outers[v->index];
    const char *text = !o->unnamed   ? v->name
                       : o->nameless ? "?"
                                     : g->ids.slots[v->index].key;

    return quote(text, strlen(text));
}

void graph_fault(struct graph *g, const struct vertex *v, enum rule rule,
                 const char *key, const char *fmt, ...)
{
    const struct outer *o = &g->outers[v->index];
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
    const struct map_slot *slot = map_at(&g->ids, id, len);
    size_t number = (size_t)(slot - g->ids.slots);

    if (g->ids.count > before) {
        VECTOR_GROW(g->outers, number);
        g->outers[number] = (struct outer){0};
        if (g->r->faults) {
            VECTOR_GROW(g->paths, number);
            g->paths[number] = NULL;
        }
    }
    return (uint32_t)number;
}

/* One that nothing can name: no id begins with a NUL. */
static uint32_t nameless_outer(struct graph *g)
{
    char key[32] = "";
    int len = snprintf(key + 1, sizeof(key) - 1, "%zu", g->nnodes);
    uint32_t number = graph_outer(g, key, (size_t)len + 1);

    g->outers[number].nameless = true;
    return number;
}

/* The text of an outer id; NULL if it is none. Integers get a warning. */
static const char *id_text(struct graph *g, const json_t *id, char buf[32],
                           const struct place *at)
{
    if (json_is_string(id))
        return json_string_value(id);
    if (json_is_integer(id)) {
        fault(g->r, RULE_INTEGER_ID, at, "%s: expected a string",
              json_quote(id).text);
        snprintf(buf, 32, "%" JSON_INTEGER_FORMAT, json_integer_value(id));
        return buf;
    }
    fault(g->r, id ? RULE_WRONG_TYPE : RULE_KEY_MISSING, at,
          "%s: expected a string%s", id ? json_quote(id).text : "missing",
          id ? "" : near_key(at->among, at->key).text);
    return NULL;
}

/* --- vertices ------------------------------------------------------------ */

/* An outer for the next vertex, by its id unless there is one of that id. */
static uint32_t new_outer(struct graph *g, const char *id,
                          const struct place *at)
{
    uint32_t number = id ? graph_outer(g, id, strlen(id)) : nameless_outer(g);

    if (g->outers[number].v) {
        fault(g->r, RULE_VERTEX_ID_TWICE, at, "two vertices have the id %s",
              quote(id, strlen(id)).text);
        number = nameless_outer(g);
    }
    g->outers[number].node = (uint32_t)g->nnodes++;
    return number;
}

/* What it has beside its id and metadata is kept. */
static void add_vertex(struct graph *g, const json_t *value, const char *id,
                       const struct place *in_id, const struct place *at)
{
    static const char *const known[] = {"metadata", "id"};
    size_t n = g->keyed ? 1 : 2;
    uint32_t number = new_outer(g, id, in_id);
    json_t *keys;

    vertex_read(g, number, json_object_get(value, "metadata"),
                IN_OBJECT(at, value, "metadata"));
    if (json_object_size(value) > n || g->keyed) {
        keys = unknown_of(g->r, value, known, n, at);
        unknown_put(&g->outers[number].v->extra, UNKNOWN_VERTEX, keys);
        json_decref(keys);
    }
}

static void read_vertex(struct graph *g, const struct place *at)
{
    const struct place *in_id = IN_KEY(at, "id");
    const char *id, *text;
    json_t *value;
    char buf[32];
    size_t len;

    text = stream_ahead(g->r->s, &len);
    if (vertex_read_plain(g, text, len, &len, IN_KEY(at, "metadata"))) {
        stream_skip(g->r->s, len);
        return;
    }
    if (!(value = read_value(g->r)))
        return;
    if (need_object(g->r, value, at)) {
        id = id_text(g, json_object_get(value, "id"), buf, in_id);
        add_vertex(g, value, id, in_id, at);
    } else {
        g->nnodes++;
    }
    json_decref(value);
}

static void read_nodes(struct graph *g, const struct place *at)
{
    struct stream_level level;
    const char *id;
    json_t *value;

    if (!read_enter(g->r, &level, "[{", at))
        return;
    if (!level.object) {
        for (size_t i = 0; read_item(g->r, &level); i++)
            read_vertex(g, IN_LIST(at, i));
        return;
    }
    g->keyed = true; /* JGF version 2: an object from id to vertex */
    fault(g->r, RULE_NODES_OBJECT, at, "an object: expected a list");
    while (read_key(g->r, &level, &id))
        if ((value = read_value(g->r))) {
            add_vertex(g, value, id, IN_KEY(at, id), IN_KEY(at, id));
            json_decref(value);
        }
}

/* --- edges --------------------------------------------------------------- */

/* An edge while it is read. */
struct edge_reading {
    struct graph *g;
    struct edge *e;
    bool faulty; /* it is not known what it says */
};

static void read_end(struct edge_reading *reading, const json_t *edge,
                     const char *key, uint32_t *end, const struct place *at)
{
    char buf[32];
    const char *id = id_text(reading->g, json_object_get(edge, key), buf,
                             IN_OBJECT(at, edge, key));

    if (id)
        *end = graph_outer(reading->g, id, strlen(id));
    else
        reading->faulty = true;
}

/* A string in the metadata of an edge; *out stays if there is none. */
static void read_edge_word(struct edge_reading *reading, const json_t *object,
                           const char *key, const char **out,
                           const struct place *at)
{
    const json_t *value = json_object_get(object, key);

    if (json_is_string(value)) {
        *out = rset_string(reading->g->r->rs, json_string_value(value));
    } else if (value) {
        fault(reading->g->r, RULE_EDGE_WORDS, IN_KEY(at, key),
              "%s: expected a string", json_quote(value).text);
        reading->faulty = true;
    }
}

/* A subsystem has a name. */
static void check_subsystem(struct edge_reading *reading,
                            const struct place *at)
{
    if (reading->faulty || *reading->e->subsystem)
        return;
    fault(reading->g->r, RULE_EDGE_WORDS, at,
          "\"\": expected the name of a subsystem");
    reading->faulty = true;
}

/* Before 2024: {"name": {"containment": "contains"}}. */
static void read_old_words(struct edge_reading *reading, const json_t *names,
                           const struct place *at)
{
    void *it = json_object_iter((json_t *)names);
    const json_t *word = it ? json_object_iter_value(it) : NULL;
    struct rset *rs = reading->g->r->rs;

    if (json_object_size(names) != 1 || !json_is_string(word)) {
        fault(reading->g->r, RULE_EDGE_WORDS, at,
              "%s: expected one subsystem with a relationship",
              json_quote(names).text);
        reading->faulty = true;
        return;
    }
    reading->e->subsystem = rset_string(rs, json_object_iter_key(it));
    reading->e->relationship = rset_string(rs, json_string_value(word));
    check_subsystem(reading, at);
}

static void read_words(struct edge_reading *reading, const json_t *edge,
                       const struct place *at)
{
    const struct place *in = IN_KEY(at, "metadata");
    const json_t *metadata = json_object_get(edge, "metadata");
    const json_t *names = json_object_get(metadata, "name");
    struct edge *e = reading->e;

    if (metadata && !need_object(reading->g->r, metadata, in)) {
        reading->faulty = true;
        return;
    }
    if (json_is_object(names) && !json_object_get(metadata, "subsystem")) {
        read_old_words(reading, names, IN_KEY(in, "name"));
    } else if (!metadata) {
        if (json_is_string(json_object_get(edge, "relation")))
            read_edge_word(reading, edge, "relation", &e->relationship, at);
    } else {
        read_edge_word(reading, metadata, "subsystem", &e->subsystem, in);
        read_edge_word(reading, metadata, "relationship", &e->relationship, in);
        check_subsystem(reading, IN_KEY(in, "subsystem"));
    }
    if (!reading->faulty
        && (!json_object_get(metadata, "subsystem")
            || !json_object_get(metadata, "relationship")))
        fault(reading->g->r, RULE_EDGE_METADATA, at,
              "subsystem and relationship: missing in the metadata");
}

/* An edge that is told from the child's side. */
static void turn_round(struct graph *g, struct edge *e)
{
    uint32_t child = e->source;

    if (!e->relationship || strcmp(e->relationship, "in"))
        return;
    e->source = e->target;
    e->target = child;
    g->tail.len = 0;
}

/* The keys that no standard knows, in the form of a vertex's `extra`. */
static json_t *edge_extra(struct graph *g, const json_t *edge,
                          const struct place *at)
{
    static const char *const keys[] = {"source", "target", "metadata",
                                       "relation", "directed"};
    static const char *const words[] = {"subsystem", "relationship", "name"};
    const json_t *metadata = json_object_get(edge, "metadata");
    json_t *extra = NULL, *own, *in_words;

    json_decref(unknown_of(g->r, edge, keys, 5, at));
    own = unknown_take(edge, keys, 4); /* `directed` is JGF's, and carried */
    in_words = unknown_of(g->r, metadata, words, 3, IN_KEY(at, "metadata"));
    unknown_put(&extra, UNKNOWN_EDGE, own);
    unknown_put(&extra, UNKNOWN_WORDS, in_words);
    json_decref(own);
    json_decref(in_words);
    return extra;
}

static void keep_edge(struct graph *g, const struct edge *e)
{
    if (g->tail.extra) {
        VECTOR_GROW(g->extras, g->nextras);
        g->extras[g->nextras++] = (struct edge_extra){
            g->nedges, json_incref(g->tail.extra)};
    }
    VECTOR_GROW(g->edges, g->nedges);
    g->edges[g->nedges++] = *e;
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
static bool edge_like_last(struct graph *g, const char *text, size_t len,
                           struct edge *e)
{
    const char *p = text, *end = text + len, *source, *target;
    struct edge_tail *tail = &g->tail;
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
    *e = (struct edge){.source = graph_outer(g, source, nsource),
                       .target = graph_outer(g, target, ntarget),
                       .subsystem = tail->subsystem,
                       .relationship = tail->relationship};
    return true;
}

/* Whatever is like an edge that is at fault has to be told, too. */
static void edge_from_json(struct graph *g, const json_t *value, struct edge *e,
                           const struct place *at)
{
    struct edge_reading reading = {.g = g, .e = e};
    size_t told = g->r->told;

    *e = (struct edge){.subsystem = g->containment};
    if (!need_object(g->r, value, at)) {
        e->subsystem = NULL;
        return;
    }
    read_end(&reading, value, "source", &e->source, at);
    read_end(&reading, value, "target", &e->target, at);
    read_words(&reading, value, at);
    json_decref(g->tail.extra);
    g->tail.extra = edge_extra(g, value, at);
    turn_round(g, e);
    if (reading.faulty) {
        e->subsystem = NULL;
        if (json_is_string(json_object_get(value, "target")))
            g->outers[e->target].orphan = true;
    }
    g->tail.subsystem = e->subsystem;
    g->tail.relationship = e->relationship;
    if (g->r->told > told)
        g->tail.len = 0;
}

static void read_edge(struct graph *g, const struct place *at)
{
    const char *text;
    struct edge e;
    json_t *value;
    size_t len;

    if (stream_text(g->r->s, &text, &len, g->r->d) < 0) {
        g->r->ended = true;
        return;
    }
    if (edge_like_last(g, text, len, &e)) {
        stream_skip(g->r->s, len);
    } else {
        if (!(value = read_value(g->r)))
            return;
        edge_from_json(g, value, &e, at);
        json_decref(value);
    }
    keep_edge(g, &e);
}

static void read_edges(struct graph *g, const struct place *at)
{
    struct stream_level level;

    g->edged = true;
    g->broken = !read_enter(g->r, &level, "[", at);
    for (size_t i = 0; !g->broken && read_item(g->r, &level); i++)
        read_edge(g, IN_LIST(at, i));
}

/* --- the whole ----------------------------------------------------------- */

/* Of JGF or of what deployed writers put there. */
static bool is_known(const char *key)
{
    static const char *const known[] = {"directed", "type", "label", "metadata",
                                        "id"};

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (!strcmp(key, known[i]))
            return true;
    return false;
}

static void read_other(struct graph *g, const char *key)
{
    json_t *value = read_value(g->r);

    if (!value)
        return;
    if (!strcmp(key, "hyperedges"))
        fault(g->r, RULE_HYPEREDGES, &g->at, "hyperedges are not understood");
    else if (!is_known(key))
        fault(g->r, RULE_RESERVED_KEY, IN_KEY(&g->at, key),
              "JGF does not know it");
    object_keep(&g->r->rs->graph_extra, key, value);
}

static void read_keys(struct graph *g)
{
    struct stream_level level;
    bool nodes = false;
    const char *key;

    if (!read_enter(g->r, &level, "{", &g->at)) {
        g->edged = true; /* and that it has no nodes is no news */
        return;
    }
    while (read_key(g->r, &level, &key)) {
        nodes = nodes || !strcmp(key, "nodes");
        if (!strcmp(key, "nodes"))
            read_nodes(g, IN_KEY(&g->at, key));
        else if (!strcmp(key, "edges"))
            read_edges(g, IN_KEY(&g->at, key));
        else
            read_other(g, key);
    }
    if (!nodes)
        fault(g->r, RULE_GRAPH_KEY_MISSING, &g->at, "nodes is missing");
    if (!g->edged)
        fault(g->r, RULE_GRAPH_KEY_MISSING, &g->at, "edges is missing");
}

/* Places that are on the stack elsewhere stay as long as the graph does. */
static void keep_place(struct graph *g, const struct place *at)
{
    g->at = *at;
    if (at->up) {
        g->around = *at->up;
        g->at.up = &g->around;
    }
}

void graph_read(struct graph *g, const struct place *at)
{
    struct rset *rs = g->r->rs;
    size_t before = g->r->refused;

    keep_place(g, at);
    g->there = true;
    g->start = HASH_START;
    g->containment = rset_string(rs, "containment");
    read_keys(g);
    rs->full = rs->full || !rs->nvertices;
    rs->halves |= HALF_GRAPH;
    if (g->r->ended)
        return;
    if (!g->edged && g->nnodes > 1 && !graph_has_paths(g))
        fault(g->r, RULE_EDGES_MISSING, &g->at,
              "a graph of several vertices needs edges");
    else if (!g->broken)
        graph_link(g);
    g->sound = g->r->refused - g->spoilt == before;
    if (!g->r->ended)
        records_compare(g);
}
