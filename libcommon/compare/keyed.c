#include "compare/keyed.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/json.h"
#include "base/map.h"
#include "model/document.h"
#include "model/jgf.h"

/* --- keys --------------------------------------------------------------- */

static bool is_vertex(const char *key)
{
    return strchr(key, '@');
}

/* In containment, and not its root. */
static bool has_parent(const char *key)
{
    return is_vertex(key) && *key == '/' && strchr(key + 1, '/');
}

static void free_keys(char **keys)
{
    for (size_t i = 0; keys && keys[i]; i++)
        free(keys[i]);
    free(keys);
}

/* The vertices of a keyed graph, numbered from 1 in their order. */
static int number_keys(struct map *ids, const json_t *graph)
{
    const char *key;
    json_t *value;
    size_t n = 0;

    json_object_foreach ((json_t *)graph, key, value) {
        struct map_slot *slot;
        if (!is_vertex(key))
            continue;
        if (!(slot = map_at(ids, key, strlen(key))))
            return -1;
        slot->value.number = ++n;
    }
    return 0;
}

/* The number of a key, 0 if there is none. */
static size_t id_of(const struct map *ids, const char *key)
{
    const struct map_slot *slot = map_find(ids, key, strlen(key));

    return slot ? slot->value.number : 0;
}

static int find_path(const struct map *ids, const char *path, size_t len,
                     const char *rank, size_t *id)
{
    char *key = xmalloc(len + strlen(rank) + 1);

    if (!key)
        return -1;
    memcpy(key, path, len);
    strcpy(key + len, rank);
    *id = id_of(ids, key);
    free(key);
    return 0;
}

/*
 * The parent has the path without the last name, and the rank or none.
 * *id is 0 if it is not there; -1 if memory ran out.
 */
static int find_parent(const struct map *ids, const char *key, size_t *id)
{
    const char *rank = strrchr(key, '@'), *slash = rank;

    *id = 0;
    while (slash > key && *slash != '/')
        slash--;
    if (find_path(ids, key, (size_t)(slash - key), rank, id) < 0)
        return -1;
    if (*id)
        return 0;
    return find_path(ids, key, (size_t)(slash - key), "@-1", id);
}

/* --- from a set --------------------------------------------------------- */

char *keyed_text(struct rset *rs, size_t *len, struct diag *d)
{
    char *text = NULL;
    FILE *fp = memory_open(&text, len);
    int rc = rset_write(rs, FORM_AS_READ, fp, d);

    memory_close(fp);
    if (rc == 0)
        return text;
    free(text);
    return NULL;
}

static const char *word(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

/* A vertex's key; those in no containment have a path in another subsystem. */
static char *vertex_key(const json_t *metadata)
{
    const json_t *paths = json_object_get(metadata, "paths");
    const json_t *rank = json_object_get(metadata, "rank");
    const char *path = word(paths, "containment"), *subsystem = "", *sep = "";
    char *key;

    if (!*path && json_object_size(paths) > 0) {
        void *it = json_object_iter((json_t *)paths);
        subsystem = json_object_iter_key(it);
        path = json_string_value(json_object_iter_value(it));
        sep = ":";
    }
    if (xasprintf(&key, "%s%s%s@%lld", subsystem, sep, path,
                  (long long)json_integer_value(rank))
        < 0)
        return NULL;
    return key;
}

/* The keys of the vertices, whose outer ids are the positions in the list. */
static char **make_keys(const json_t *nodes)
{
    char **keys = xcalloc(json_array_size(nodes) + 1, sizeof(*keys));
    const json_t *node;
    size_t i;

    json_array_foreach (nodes, i, node) {
        const json_t *metadata = json_object_get(node, "metadata");
        if (!keys || !(keys[i] = vertex_key(metadata)))
            break;
    }
    if (!keys || i == json_array_size(nodes))
        return keys;
    free_keys(keys);
    return NULL;
}

static int key_nodes(const json_t *nodes, json_t *graph, char **keys)
{
    const json_t *node;
    size_t i;

    json_array_foreach (nodes, i, node)
        if (json_object_set(graph, keys[i], json_object_get(node, "metadata"))
            < 0)
            return -1;
    return 0;
}

static size_t end_of(const json_t *edge, const char *end)
{
    return strtoul(word(edge, end), NULL, 10);
}

/* The subsystem of an edge outside of containment, NULL if it is in it. */
static const char *other_subsystem(const json_t *edge)
{
    const json_t *metadata = json_object_get(edge, "metadata");
    const char *subsystem = json_string_value(
        json_object_get(metadata, "subsystem"));

    return subsystem && strcmp(subsystem, "containment") ? subsystem : NULL;
}

/* Containment is in the paths; other edges become links. */
static int key_edges(const json_t *edges, json_t *graph, char **keys)
{
    json_t *links = json_array();
    const json_t *edge;
    size_t i;

    json_array_foreach (edges, i, edge) {
        const char *subsystem = other_subsystem(edge);
        const json_t *relationship = json_object_get(
            json_object_get(edge, "metadata"), "relationship");
        if (!subsystem)
            continue;
        if (json_array_append_new(
                links, json_pack("[s,s,s,s]", subsystem,
                                 relationship ? json_string_value(relationship)
                                              : jgf_usual_word(subsystem),
                                 keys[end_of(edge, "source")],
                                 keys[end_of(edge, "target")]))
            < 0) {
            json_decref(links);
            return -1;
        }
    }
    return json_object_set_new(graph, "links", links);
}

/* They are in the keys and the links. */
static void drop_paths(const json_t *nodes)
{
    const json_t *node;
    size_t i;

    json_array_foreach (nodes, i, node)
        json_object_del(json_object_get(node, "metadata"), "paths");
}

/* Is what a graph says beside them named like a vertex or the links? */
static bool rest_is_apart(const json_t *old)
{
    const char *key;
    json_t *value;

    json_object_foreach ((json_t *)old, key, value)
        if (is_vertex(key) || !strcmp(key, "links"))
            return false;
    return true;
}

/* Has a vertex or an edge anything beside what the keys and links hold? */
static bool has_more(const json_t *graph)
{
    const json_t *item;
    size_t i;

    json_array_foreach (json_object_get(graph, "nodes"), i, item)
        if (json_object_size(item) > 2)
            return true;
    json_array_foreach (json_object_get(graph, "edges"), i, item)
        if (json_object_size(item) > 2 + !!json_object_get(item, "metadata")
            || json_object_size(json_object_get(item, "metadata"))
                   > 1
                         + !!json_object_get(json_object_get(item, "metadata"),
                                             "relationship"))
            return true;
    return false;
}

/* Do the keys of the vertices lead to the parents that the edges say? */
static int keys_lead_up(const struct map *ids, const json_t *edges, char **keys)
{
    size_t i, id, children = 0;
    const json_t *edge;

    json_array_foreach (edges, i, edge) {
        if (other_subsystem(edge))
            continue;
        if (find_parent(ids, keys[end_of(edge, "target")], &id) < 0)
            return -1;
        if (id != end_of(edge, "source") + 1)
            return 0;
        children++;
    }
    for (i = 0; keys[i]; i++)
        children -= has_parent(keys[i]);
    return children == 0;
}

/*
 * Do path and rank tell the vertices apart, and is that all? It is but in odd
 * graphs, with pools of one name and two types, or unknown keys.
 */
static int keys_are_good(const json_t *old, const json_t *graph, char **keys)
{
    struct map ids = {0};
    int rc;

    if (!rest_is_apart(old) || has_more(old)
        || json_object_size(graph)
               != json_array_size(json_object_get(old, "nodes")))
        return 0;
    rc = number_keys(&ids, graph);
    if (rc == 0)
        rc = keys_lead_up(&ids, json_object_get(old, "edges"), keys);
    map_fini(&ids);
    return rc;
}

/* A graph whose keys are no good stays a list of nodes and one of edges. */
static int key_graph(json_t *holder)
{
    json_t *old = json_object_get(holder, "graph"), *graph = json_object();
    json_t *nodes = json_object_get(old, "nodes");
    char **keys = make_keys(nodes);
    int good = -1, rc = -1;

    if (keys && key_nodes(nodes, graph, keys) == 0)
        good = keys_are_good(old, graph, keys);
    if (good > 0)
        drop_paths(nodes);
    if (good > 0
        && key_edges(json_object_get(old, "edges"), graph, keys) == 0) {
        json_object_del(old, "nodes");
        json_object_del(old, "edges");
        if (json_object_update(graph, old) == 0)
            rc = json_object_set(holder, "graph", graph);
    }
    json_decref(graph);
    free_keys(keys);
    return good == 0 ? 0 : rc;
}

json_t *keyed_from_rset(struct rset *rs, struct diag *d)
{
    size_t len;
    char *text = keyed_text(rs, &len, d);
    json_t *doc, *holder;

    doc = text ? json_read(text, len, true, 0, d) : NULL;
    free(text);
    if (!doc)
        return NULL;
    holder = json_object_get(doc, "graph") ? doc
                                           : json_object_get(doc, "scheduling");
    if (json_object_get(holder, "graph") && key_graph(holder) < 0) {
        json_decref(doc);
        diag_oom(d);
        return NULL;
    }
    return doc;
}

/* --- to a set ----------------------------------------------------------- */

struct writing {
    FILE *fp;
    struct map ids; /* from key to the number in the outer id */
    const char *sep;
    struct diag *d;
};

/* A root has to say that it is one if nothing else is in it. */
static int put_metadata(struct writing *w, const char *key, const json_t *value)
{
    const char *rank = strrchr(key, '@');
    json_t *copy;

    if (*key != '/' || has_parent(key) || !json_is_object(value)) {
        json_write(w->fp, value);
        return 0;
    }
    copy = json_copy((json_t *)value);
    if (json_object_set_new(
            copy, "paths",
            json_pack("{s:s%}", "containment", key, (size_t)(rank - key)))
        < 0) {
        json_decref(copy);
        return diag_oom(w->d);
    }
    json_write(w->fp, copy);
    json_decref(copy);
    return 0;
}

static int put_nodes(struct writing *w, const json_t *graph)
{
    const char *key, *sep = "";
    json_t *value;
    size_t n = 0;

    fputs("\"nodes\":[", w->fp);
    json_object_foreach ((json_t *)graph, key, value) {
        if (!is_vertex(key))
            continue;
        fprintf(w->fp, "%s{\"id\":\"v%zu\",\"metadata\":", sep, ++n);
        if (put_metadata(w, key, value) < 0)
            return -1;
        putc('}', w->fp);
        sep = ",";
    }
    putc(']', w->fp);
    return 0;
}

static void put_edge(struct writing *w, size_t source, size_t target,
                     const char *subsystem, const char *relationship)
{
    fprintf(w->fp,
            "%s{\"source\":\"v%zu\",\"target\":\"v%zu\",\"metadata\":"
            "{\"subsystem\":",
            w->sep, source, target);
    json_write_string(w->fp, subsystem);
    fputs(",\"relationship\":", w->fp);
    json_write_string(w->fp, relationship);
    fputs("}}", w->fp);
    w->sep = ",";
}

static int put_containment(struct writing *w, const json_t *graph)
{
    const char *key;
    json_t *value;
    size_t parent;

    json_object_foreach ((json_t *)graph, key, value) {
        if (!has_parent(key))
            continue;
        if (find_parent(&w->ids, key, &parent) < 0)
            return diag_oom(w->d);
        if (!parent)
            return diag_set(w->d, "%s has no parent",
                            quote(key, strlen(key)).text);
        put_edge(w, parent, id_of(&w->ids, key), "containment", "contains");
    }
    return 0;
}

static int put_links(struct writing *w, const json_t *links)
{
    const json_t *link;
    size_t i;

    json_array_foreach (links, i, link) {
        const char *part[4];
        size_t source, target;
        for (size_t j = 0; j < 4; j++) {
            part[j] = json_string_value(json_array_get(link, j));
            if (!part[j])
                return diag_set(w->d, "%s: not a link", json_quote(link).text);
        }
        source = id_of(&w->ids, part[2]);
        target = id_of(&w->ids, part[3]);
        if (!source || !target)
            return diag_set(w->d, "%s: there is no such vertex",
                            json_quote(link).text);
        put_edge(w, source, target, part[0], part[1]);
    }
    return 0;
}

static int put_graph(struct writing *w, const json_t *graph)
{
    const char *key;
    json_t *value;

    if (number_keys(&w->ids, graph) < 0)
        return diag_oom(w->d);
    putc('{', w->fp);
    if (put_nodes(w, graph) < 0)
        return -1;
    fputs(",\"edges\":[", w->fp);
    if (put_containment(w, graph) < 0
        || put_links(w, json_object_get(graph, "links")) < 0)
        return -1;
    putc(']', w->fp);
    json_object_foreach ((json_t *)graph, key, value) {
        if (is_vertex(key) || !strcmp(key, "links"))
            continue;
        putc(',', w->fp);
        json_write_string(w->fp, key);
        putc(':', w->fp);
        json_write(w->fp, value);
    }
    putc('}', w->fp);
    return 0;
}

/* An object whose key `graph` holds a keyed graph. */
static int put_object(struct writing *w, const json_t *object, bool inside)
{
    const char *key, *sep = "";
    json_t *value;
    int rc = 0;

    putc('{', w->fp);
    json_object_foreach ((json_t *)object, key, value) {
        fputs(sep, w->fp);
        json_write_string(w->fp, key);
        putc(':', w->fp);
        if (!strcmp(key, "graph") && json_is_object(value)
            && !json_object_get(value, "nodes"))
            rc = put_graph(w, value);
        else if (!strcmp(key, "scheduling") && !inside && json_is_object(value))
            rc = put_object(w, value, true);
        else
            json_write(w->fp, value);
        if (rc < 0)
            return -1;
        sep = ",";
    }
    putc('}', w->fp);
    return 0;
}

struct rset *keyed_to_rset(const json_t *keyed, struct diag *d)
{
    struct writing w = {.sep = "", .d = d};
    struct rset *rs = NULL;
    struct stream *s;
    char *text = NULL;
    size_t len;
    int rc;

    w.fp = memory_open(&text, &len);
    rc = put_object(&w, keyed, false);
    memory_close(w.fp);
    map_fini(&w.ids);
    if (rc == 0 && (s = stream_open_text(text, len, "patched", d))) {
        rset_read(s, TRUST_NONE, &rs, d);
        stream_close(s);
    }
    free(text);
    return rs;
}
