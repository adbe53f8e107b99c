/*
 * Validation of a graph's elements: vertices and their outer ids, edges and
 * their ends. What the edges make of the vertices is in validate_tree.c.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "model/jgf.h"
#include "model/validate_private.h"

void graph_fini(struct graph *g)
{
    free(g->list);
    free(g->order);
    map_fini(&g->ids);
    map_fini(&g->uuids);
    map_fini(&g->edges);
    map_fini(&g->targets);
    idset_destroy(g->ranks);
}

struct quoted pool_quote(const struct pool *p)
{
    const char *text = p->name ? p->name : p->id ? p->id : "?";

    return quote(text, strlen(text));
}

void pool_fault(struct graph *g, const struct pool *p, enum rule rule,
                const char *key, const char *fmt, ...)
{
    const struct place *nodes = IN_KEY(g->at, "nodes");
    struct place self = {
        .up = nodes, .key = g->keyed ? p->id : NULL, .index = p->place};
    struct place metadata = {.up = &self, .key = "metadata"};
    struct place member = {.up = &metadata, .key = key};
    char text[512];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    fault(g->c, rule, key ? &member : &self, "%s", text);
}

/* --- vertices ----------------------------------------------------------- */

/* Make a vertex known by its outer id, unless there is one of that id. */
static void name_pool(struct graph *g, struct pool *p, const char *id,
                      const struct place *at)
{
    struct map_slot *slot = map_at(&g->ids, id, strlen(id));

    if (!slot) {
        g->c->failed = true;
    } else if (slot->value.pointer) {
        fault(g->c, RULE_VERTEX_ID_TWICE, at, "two vertices have the id %s",
              quote(id, strlen(id)).text);
    } else {
        slot->value.pointer = p;
        p->id = slot->key;
    }
}

/* The text of an outer id; NULL if it is none. Integers get a warning. */
static const char *outer_id(struct graph *g, const json_t *id, char buf[32],
                            const struct place *at)
{
    if (json_is_string(id))
        return json_string_value(id);
    if (json_is_integer(id)) {
        fault(g->c, RULE_INTEGER_ID, at, "%s: expected a string",
              json_quote(id).text);
        snprintf(buf, 32, "%" JSON_INTEGER_FORMAT, json_integer_value(id));
        return buf;
    }
    fault(g->c, id ? RULE_WRONG_TYPE : RULE_KEY_MISSING, at,
          "%s: expected a string", id ? json_quote(id).text : "missing");
    return NULL;
}

static struct pool *add_pool(struct graph *g)
{
    struct pool *p = &g->list[g->n];

    *p = (struct pool){.place = g->n++, .number = -1, .rank = -1, .size = 1};
    return p;
}

/* Faults of records do not keep the graph from being understood. */
static void check_metadata(struct graph *g, struct pool *p,
                           const json_t *metadata, size_t *records,
                           const struct place *at)
{
    size_t before;

    check_vertex(g, p, metadata, at);
    before = g->c->refused;
    p->records = check_pool_records(g->c, metadata, at);
    *records += g->c->refused - before;
}

static void check_element(struct graph *g, const json_t *value, size_t *records,
                          const struct place *at)
{
    const struct place *in_id = IN_KEY(at, "id");
    struct pool *p = add_pool(g);
    const char *id;
    char buf[32];

    if (!need_object(g->c, value, at))
        return;
    check_unknown(g->c, value, (const char *[]){"id", "metadata", NULL}, at);
    id = outer_id(g, json_object_get(value, "id"), buf, in_id);
    if (id)
        name_pool(g, p, id, in_id);
    check_metadata(g, p, json_object_get(value, "metadata"), records,
                   IN_KEY(at, "metadata"));
}

static void check_keyed(struct graph *g, const json_t *nodes, size_t *records,
                        const struct place *at)
{
    const char *key;
    json_t *value;

    g->keyed = true;
    fault(g->c, RULE_NODES_OBJECT, at, "an object: expected a list");
    json_object_foreach ((json_t *)nodes, key, value) {
        const struct place *in = IN_KEY(at, key);
        struct pool *p = add_pool(g);
        name_pool(g, p, key, in);
        check_metadata(g, p, json_object_get(value, "metadata"), records,
                       IN_KEY(in, "metadata"));
    }
}

static void check_nodes(struct graph *g, const json_t *nodes, size_t *records)
{
    size_t n = json_array_size(nodes) + json_object_size(nodes), i;
    const struct place *at = IN_KEY(g->at, "nodes");
    json_t *value;

    if (!nodes) {
        fault(g->c, RULE_GRAPH_KEY_MISSING, g->at, "nodes is missing");
        return;
    }
    if (!(g->list = xcalloc(n + 1, sizeof(*g->list)))) {
        g->c->failed = true;
        return;
    }
    if (json_is_object(nodes))
        check_keyed(g, nodes, records, at);
    else if (!json_is_array(nodes))
        fault(g->c, RULE_WRONG_TYPE, at, "%s: expected an object or a list",
              json_quote(nodes).text);
    json_array_foreach (nodes, i, value)
        check_element(g, value, records, IN_LIST(at, i));
}

/* --- edges -------------------------------------------------------------- */

struct edge_check {
    struct pool *source, *target;
    const char *subsystem, *relationship; /* NULL: not said */
    bool faulty;
};

static struct pool *edge_end(struct graph *g, const json_t *edge,
                             const char *key, const struct place *at)
{
    const json_t *value = json_object_get(edge, key);
    const struct map_slot *slot;
    const char *id;
    char buf[32];

    if (!(id = outer_id(g, value, buf, IN_KEY(at, key))))
        return NULL;
    if ((slot = map_find(&g->ids, id, strlen(id))))
        return slot->value.pointer;
    fault(g->c, RULE_EDGE_DANGLING, IN_KEY(at, key),
          "%s is not among the vertices", quote(id, strlen(id)).text);
    return NULL;
}

static void edge_word(struct graph *g, struct edge_check *e,
                      const json_t *object, const char *key, const char **out,
                      const struct place *at)
{
    const json_t *value = json_object_get(object, key);

    if (json_is_string(value))
        *out = json_string_value(value);
    if (!value || json_is_string(value))
        return;
    fault(g->c, RULE_EDGE_WORDS, IN_KEY(at, key), "%s: expected a string",
          json_quote(value).text);
    e->faulty = true;
}

/* Before 2024: {"name": {"containment": "contains"}}. */
static void edge_old_words(struct graph *g, const json_t *names,
                           struct edge_check *e, const struct place *at)
{
    void *it = json_object_iter((json_t *)names);
    const json_t *word = it ? json_object_iter_value(it) : NULL;

    if (json_object_size(names) == 1 && json_is_string(word)) {
        e->subsystem = json_object_iter_key(it);
        e->relationship = json_string_value(word);
        return;
    }
    fault(g->c, RULE_EDGE_WORDS, IN_KEY(at, "name"),
          "%s: expected one subsystem with a relationship",
          json_quote(names).text);
    e->faulty = true;
}

static const char *const edge_keys[] = {"source",   "target",   "metadata",
                                        "relation", "directed", NULL};
static const char *const word_keys[] = {"subsystem", "relationship", "name",
                                        NULL};

static void edge_metadata(struct graph *g, const json_t *edge,
                          struct edge_check *e, const struct place *at)
{
    const struct place *in = IN_KEY(at, "metadata");
    const json_t *metadata = json_object_get(edge, "metadata");
    const json_t *names = json_object_get(metadata, "name");
    const json_t *relation = json_object_get(edge, "relation");

    check_unknown(g->c, edge, edge_keys, at);
    check_unknown(g->c, metadata, word_keys, in);
    if (metadata && !need_object(g->c, metadata, in)) {
        e->faulty = true;
        return;
    }
    if (json_is_object(names) && !json_object_get(metadata, "subsystem")) {
        edge_old_words(g, names, e, in);
        names = NULL;
    } else if (!metadata) {
        e->relationship = json_string_value(relation);
    } else {
        edge_word(g, e, metadata, "subsystem", &e->subsystem, in);
        edge_word(g, e, metadata, "relationship", &e->relationship, in);
    }
    if (!e->faulty
        && (!json_object_get(metadata, "subsystem")
            || !json_object_get(metadata, "relationship")))
        fault(g->c, RULE_EDGE_METADATA, at,
              "subsystem and relationship: missing in the metadata");
}

/* An edge that is there already must say the same. */
static void same_edge(struct graph *g, const char *subsystem, const char *old,
                      const char *new, const struct place *at)
{
    old = old ? old : jgf_usual_word(subsystem);
    new = new ? new : jgf_usual_word(subsystem);
    if (strcmp(old, new))
        fault(g->c, RULE_EDGE_DIFFERS, at, "%s: the same edge is there as %s",
              quote(new, strlen(new)).text, quote(old, strlen(old)).text);
}

static void add_containment(struct graph *g, const struct edge_check *e,
                            const struct place *at)
{
    struct pool *child = e->target;

    if (child->parent == e->source) {
        same_edge(g, "containment", child->relationship, e->relationship, at);
    } else if (child->parent) {
        fault(g->c, RULE_TWO_PARENTS, at, "%s has two parents in containment",
              quote(child->id, strlen(child->id)).text);
    } else {
        child->parent = e->source;
        child->relationship = e->relationship;
    }
}

static void add_link(struct graph *g, const struct edge_check *e,
                     const struct place *at)
{
    struct {
        const void *source, *target, *subsystem;
    } key = {e->source, e->target,
             strtab_intern(&g->c->names, e->subsystem, strlen(e->subsystem))};
    struct map_slot *slot = map_at(&g->edges, &key, sizeof(key));

    e->source->linked = e->target->linked = true;
    if (!slot || !key.subsystem) {
        g->c->failed = true;
        return;
    }
    if (slot->value.pointer)
        same_edge(g, e->subsystem, slot->value.pointer, e->relationship, at);
    else
        slot->value.pointer = (void *)(e->relationship
                                           ? e->relationship
                                           : jgf_usual_word(e->subsystem));
}

/* An edge told from the child's side. */
static void turn_round(struct edge_check *e)
{
    struct pool *child = e->source;

    if (!e->relationship || strcmp(e->relationship, "in"))
        return;
    e->source = e->target;
    e->target = child;
    e->relationship = NULL;
}

static void check_edge(struct graph *g, const json_t *value,
                       const struct place *at)
{
    struct edge_check e = {0};

    if (!need_object(g->c, value, at))
        return;
    e.source = edge_end(g, value, "source", at);
    e.target = edge_end(g, value, "target", at);
    edge_metadata(g, value, &e, at);
    turn_round(&e);
    if (e.source && e.source == e.target) {
        fault(g->c, RULE_EDGE_SELF, at, "%s: an edge from a vertex to itself",
              quote(e.source->id, strlen(e.source->id)).text);
        e.faulty = true;
    }
    if (!e.source || !e.target || e.faulty) {
        if (e.target)
            e.target->orphan = true;
    } else if (!e.subsystem || !strcmp(e.subsystem, "containment")) {
        add_containment(g, &e, at);
    } else {
        add_link(g, &e, at);
    }
}

void check_edges(struct graph *g, const json_t *edges)
{
    const struct place *at = IN_KEY(g->at, "edges");
    json_t *value;
    size_t i;

    json_array_foreach (edges, i, value)
        check_edge(g, value, IN_LIST(at, i));
}

/* Are there edges, so that there can be a tree? */
static bool has_edges(struct graph *g, const json_t *edges)
{
    if (edges)
        return need_list(g->c, edges, IN_KEY(g->at, "edges"));
    fault(g->c, RULE_GRAPH_KEY_MISSING, g->at, "edges is missing");
    if (g->n > 1)
        fault(g->c, RULE_EDGES_MISSING, g->at,
              "a graph of several vertices needs edges");
    return g->n <= 1;
}

/* --- the whole ---------------------------------------------------------- */

static void check_keys(struct graph *g, const json_t *value)
{
    static const char *const known[] = {"nodes", "edges",    "directed", "type",
                                        "label", "metadata", "id"};
    const char *key;
    json_t *item;
    size_t i;

    json_object_foreach ((json_t *)value, key, item) {
        for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
            if (!strcmp(key, known[i]))
                break;
        if (!strcmp(key, "hyperedges"))
            fault(g->c, RULE_HYPEREDGES, g->at,
                  "hyperedges are not understood");
        else if (i == sizeof(known) / sizeof(known[0]))
            fault(g->c, RULE_RESERVED_KEY, IN_KEY(g->at, key),
                  "JGF does not know it");
    }
}

void check_graph(struct graph *g, const json_t *value)
{
    size_t before = g->c->refused, records = 0;
    bool tree;

    g->there = true;
    if (!need_object(g->c, value, g->at))
        return;
    check_keys(g, value);
    check_nodes(g, json_object_get(value, "nodes"), &records);
    tree = has_edges(g, json_object_get(value, "edges"));
    check_edges(g, json_object_get(value, "edges"));
    if (tree && !g->c->failed)
        check_tree(g);
    g->sound = !g->c->failed && g->c->refused - records == before;
    if (!g->c->failed)
        check_records(g);
}
