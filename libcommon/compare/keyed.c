#include "compare/keyed.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/json.h"
#include "base/map.h"
#include "model/document.h"
#include "model/jgf.h"

/* --- from a set ------------------------------------------------------------
 */

static char *write_text(struct rset *rs, size_t *len, struct diag *d)
{
    char *text = NULL;
    FILE *fp = memory_open(&text, len);
    int rc = fp ? rset_write(rs, FORM_AS_READ, fp, d) : diag_oom(d);

    if (fp && memory_close(fp) != 0 && rc == 0)
        rc = diag_oom(d);
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
    const char *path = word(paths, "containment"), *subsystem = "";
    const char *sep = "";
    char *key;

    if (!*path && json_object_size(paths) > 0) {
        void *it = json_object_iter((json_t *)paths);
        subsystem = json_object_iter_key(it);
        path = json_string_value(json_object_iter_value(it));
        sep = ":";
    }
    return asprintf(&key, "%s%s%s@%lld", subsystem, sep, path,
                    (long long)json_integer_value(rank))
                   < 0
               ? NULL
               : key;
}

/* Outer ids, which are the positions in the list, to keys. */
static int key_nodes(const json_t *nodes, json_t *graph, char **keys)
{
    const json_t *node;
    size_t i;

    json_array_foreach (nodes, i, node) {
        json_t *metadata = json_object_get(node, "metadata");
        if (!(keys[i] = vertex_key(metadata)))
            return -1;
        json_object_del(metadata, "paths");
        if (json_object_set(graph, keys[i], metadata) < 0)
            return -1;
    }
    return 0;
}

static const char *key_of(const json_t *edge, const char *end, char **keys)
{
    return keys[strtoul(word(edge, end), NULL, 10)];
}

/* Containment is in the paths; other edges become links. */
static int key_edges(const json_t *edges, json_t *graph, char **keys)
{
    json_t *links = json_array();
    const json_t *edge;
    size_t i;

    json_array_foreach (edges, i, edge) {
        const json_t *metadata = json_object_get(edge, "metadata");
        const char *subsystem = word(metadata, "subsystem");
        const char *relationship = word(metadata, "relationship");
        if (!*subsystem || !strcmp(subsystem, "containment"))
            continue;
        if (!*relationship)
            relationship = jgf_usual_word(subsystem);
        if (json_array_append_new(
                links, json_pack("[s,s,s,s]", subsystem, relationship,
                                 key_of(edge, "source", keys),
                                 key_of(edge, "target", keys)))
            < 0) {
            json_decref(links);
            return -1;
        }
    }
    return json_object_set_new(graph, "links", links);
}

static int key_graph(json_t *holder)
{
    json_t *old = json_object_get(holder, "graph"), *graph = json_object();
    json_t *nodes = json_object_get(old, "nodes");
    size_t n = json_array_size(nodes);
    char **keys = calloc(n + 1, sizeof(*keys));
    const char *key;
    json_t *value;
    int rc = -1;

    if (keys && key_nodes(nodes, graph, keys) == 0
        && key_edges(json_object_get(old, "edges"), graph, keys) == 0)
        rc = 0;
    json_object_foreach (old, key, value)
        if (rc == 0 && strcmp(key, "nodes") && strcmp(key, "edges"))
            rc = json_object_set(graph, key, value);
    for (size_t i = 0; keys && i < n; i++)
        free(keys[i]);
    free(keys);
    if (rc < 0) {
        json_decref(graph);
        return -1;
    }
    return json_object_set_new(holder, "graph", graph);
}

json_t *keyed_from_rset(struct rset *rs, struct diag *d)
{
    size_t len;
    char *text = write_text(rs, &len, d);
    json_t *doc = NULL, *holder;

    if (!text)
        return NULL;
    doc = json_read(text, len, true, 0, d);
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

/* --- to a set --------------------------------------------------------------
 */

struct writing {
    FILE *fp;
    struct map ids; /* from key to outer id + 1 */
    const char *sep;
    struct diag *d;
};

static bool is_vertex(const char *key)
{
    return strchr(key, '@');
}

static size_t id_of(const struct writing *w, const char *key, size_t len)
{
    const struct map_slot *slot = map_find(&w->ids, key, len);

    return slot ? slot->value.number : 0;
}

static int number_keys(struct writing *w, const json_t *graph)
{
    const char *key;
    json_t *value;
    size_t n = 0;

    json_object_foreach ((json_t *)graph, key, value) {
        struct map_slot *slot;
        if (!is_vertex(key))
            continue;
        if (!(slot = map_at(&w->ids, key, strlen(key))))
            return diag_oom(w->d);
        slot->value.number = ++n;
    }
    return 0;
}

static void put_nodes(struct writing *w, const json_t *graph)
{
    const char *key, *sep = "";
    json_t *value;
    size_t n = 0;

    fputs("\"nodes\":[", w->fp);
    json_object_foreach ((json_t *)graph, key, value) {
        if (!is_vertex(key))
            continue;
        fprintf(w->fp, "%s{\"id\":\"%zu\",\"metadata\":", sep, n++);
        json_write(w->fp, value);
        putc('}', w->fp);
        sep = ",";
    }
    putc(']', w->fp);
}

static void put_edge(struct writing *w, size_t source, size_t target,
                     const char *subsystem, const char *relationship)
{
    fprintf(w->fp,
            "%s{\"source\":\"%zu\",\"target\":\"%zu\",\"metadata\":"
            "{\"subsystem\":",
            w->sep, source - 1, target - 1);
    json_write_string(w->fp, subsystem);
    fputs(",\"relationship\":", w->fp);
    json_write_string(w->fp, relationship);
    fputs("}}", w->fp);
    w->sep = ",";
}

/* The parent has the path without the last name, and the rank or none. */
static size_t parent_of(const struct writing *w, const char *key)
{
    const char *at = strrchr(key, '@'), *slash = at;
    char *parent;
    size_t id = 0;

    while (slash > key && *slash != '/')
        slash--;
    if (slash == key
        || asprintf(&parent, "%.*s%s", (int)(slash - key), key, at) < 0)
        return 0;
    id = id_of(w, parent, strlen(parent));
    if (!id) {
        free(parent);
        if (asprintf(&parent, "%.*s@-1", (int)(slash - key), key) < 0)
            return 0;
        id = id_of(w, parent, strlen(parent));
    }
    free(parent);
    return id;
}

static int put_containment(struct writing *w, const json_t *graph)
{
    const char *key;
    json_t *value;

    json_object_foreach ((json_t *)graph, key, value) {
        size_t parent;
        if (!is_vertex(key) || *key != '/')
            continue;
        parent = parent_of(w, key);
        if (parent)
            put_edge(w, parent, id_of(w, key, strlen(key)), "containment",
                     "contains");
        else if (strchr(key + 1, '/'))
            return diag_set(w->d, "%s has no parent",
                            quote(key, strlen(key)).text);
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
        source = id_of(w, part[2], strlen(part[2]));
        target = id_of(w, part[3], strlen(part[3]));
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

    if (number_keys(w, graph) < 0)
        return -1;
    putc('{', w->fp);
    put_nodes(w, graph);
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
        if (!strcmp(key, "graph") && json_is_object(value))
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

    if (!(w.fp = memory_open(&text, &len))) {
        diag_oom(d);
        return NULL;
    }
    rc = put_object(&w, keyed, false);
    if (memory_close(w.fp) != 0 && rc == 0)
        rc = diag_oom(d);
    map_fini(&w.ids);
    if (rc == 0 && (s = stream_open_text(text, len, "patched", d))) {
        rset_read(s, TRUST_NONE, &rs, d);
        stream_close(s);
    }
    free(text);
    return rs;
}
