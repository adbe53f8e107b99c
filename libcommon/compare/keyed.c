/* Documents with vertices by key (keyed.h). */
#include "compare/keyed.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "model/document/document.h"
#include "model/document/unknown.h"

/* --- keys --------------------------------------------------------------- */

/* Is a key of a graph the key of a vertex? */
static bool is_vertex(const char *key)
{
    return strchr(key, '@');
}

/* Is a key of a vertex that of one in containment other than the root? */
static bool has_parent(const char *key)
{
    return *key == '/' && strchr(key + 1, '/');
}

/* Return the number of a key, or 0. */
static size_t number_of(const struct map *index, const char *key, size_t len)
{
    const struct map_slot *slot = map_find(index, key, len);

    return slot ? slot->value.number : 0;
}

/* Return the number of the parent. Its path is the vertex's path without the
   last name; its rank is the same, or -1. */
static size_t find_parent(const struct map *index, const char *key)
{
    const char *rank = strrchr(key, '@'), *slash = rank;
    size_t len, number;
    char *above;

    while (slash > key && *slash != '/')
        slash--;
    above = xmalloc(strlen(key) + sizeof("@-1"));
    len = (size_t)(slash - key);
    memcpy(above, key, len);
    strcpy(above + len, rank);
    number = number_of(index, above, strlen(above));
    if (!number) {
        strcpy(above + len, "@-1");
        number = number_of(index, above, strlen(above));
    }
    free(above);
    return number;
}

const struct keyed_vertex *keyed_find(const struct keyed *k, const char *key)
{
    size_t number = number_of(&k->index, key, strlen(key));

    return number ? &k->list[number - 1] : NULL;
}

/* --- from a set --------------------------------------------------------- */

/* Are there keys for which a keyed graph has no place (see unknown.h)? */
static bool has_more(const json_t *extra)
{
    return unknown_keys(extra, UNKNOWN_VERTEX)
           || unknown_keys(extra, UNKNOWN_EDGE)
           || unknown_keys(extra, UNKNOWN_WORDS);
}

/* Can the graph be written with keys? In a key the first ":/" ends the home. */
static bool may_be_keyed(const struct rset *rs)
{
    const char *key;
    json_t *value;

    for (const struct vertex *v = rset_first(rs); v; v = rset_next(rs, v))
        if ((v->extra && has_more(v->extra))
            || (v->home && (*v->home == '/' || strstr(v->home, ":/"))))
            return false;
    for (size_t i = 0; i < rs->nlinks; i++)
        if (has_more(rs->links[i].extra))
            return false;
    json_object_foreach (rs->document.graph, key, value)
        if (is_vertex(key) || !strcmp(key, "links"))
            return false;
    return rset_has_graph(rs);
}

/* Add a vertex from its line: the number of its parent from 1, or 0, its key,
   and its metadata up to a comma. Returns false if the key is not new. */
static bool add_vertex(struct keyed *k, char *line, char *end)
{
    struct keyed_vertex v = {.parent = strtoul(line, &line, 10)};
    struct map_slot *slot;
    char *rest = ++line + 1; /* behind the opening quote */

    if (memchr(line, '\\', (size_t)(end - line))) {
        json_t *key;
        struct diag d;

        while (*rest != '"')
            rest += *rest == '\\' ? 2 : 1;
        rest++;
        key = json_read(line, (size_t)(rest - line), false, &d);
        slot = map_at(&k->index, json_string_value(key),
                      json_string_length(key));
        json_decref(key);
    } else {
        rest = strchr(rest, '"') + 1;
        slot = map_at(&k->index, line + 1, (size_t)(rest - line) - 2);
    }
    if (slot->value.number)
        return false;
    v.key = slot->key;
    v.text = rest + 1;
    v.len = (size_t)(end - rest) - 2;
    VECTOR_ADD(k->list, k->n, v);
    slot->value.number = k->n;
    return true;
}

/* Return the document without the lines of vertices. Returns NULL if keys can't
   represent it. */
static json_t *take_vertices(struct keyed *k)
{
    char *first = strchr(k->text, '\n'), *line = first + 1, *rest;
    struct diag d;
    json_t *doc;
    int len;

    for (char *end; *line != '"'; line = end + 1) {
        end = strchr(line, '\n');
        if (!add_vertex(k, line, end))
            return NULL;
    }
    /* Keys must lead to parents. (Outside of containment the links do.) */
    for (size_t i = 0; i < k->n; i++) {
        const struct keyed_vertex *v = &k->list[i];
        size_t parent = has_parent(v->key) ? find_parent(&k->index, v->key) : 0;

        if (parent != v->parent && *v->key == '/')
            return NULL;
    }
    len = xasprintf(&rest, "%.*s%s", (int)(first - k->text), k->text, line);
    doc = json_read(rest, (size_t)len, true, &d);
    free(rest);
    return doc;
}

int keyed_init(struct keyed *k, struct rset *rs, struct diag *d)
{
    json_t *doc = NULL, *graph, *link;
    size_t len, i;

    *k = (struct keyed){0};
    if (may_be_keyed(rs)) {
        if (!(k->text = rset_text(rs, &(struct rset_style){.keyed = true}, &len,
                                  d)))
            return -1;
        if ((doc = take_vertices(k))) {
            graph = json_object_get(doc, "graph");
            k->graph = json_incref(
                graph ? graph
                      : json_object_get(json_object_get(doc, "scheduling"),
                                        "graph"));
        } else {
            keyed_fini(k);
        }
    }
    /* In links, replace numbers of vertices by keys. */
    json_array_foreach (json_object_get(k->graph, "links"), i, link)
        for (size_t j = 2; j < 4; j++) {
            json_int_t n = json_integer_value(json_array_get(link, j));
            json_array_set_new(link, j, json_string(k->list[n].key));
        }
    if (!doc) {
        if (!(k->text = rset_text(rs, &(struct rset_style){0}, &len, d)))
            return -1;
        doc = json_read(k->text, len, true, d);
    }
    k->top = doc ? json_pack("{s:o}", "", doc) : NULL;
    return doc ? 0 : -1;
}

void keyed_fini(struct keyed *k)
{
    json_decref(k->top);
    json_decref(k->graph);
    free(k->list);
    map_fini(&k->index);
    free(k->text);
    *k = (struct keyed){0};
}

/* --- vertices as JSON ---------------------------------------------------- */

json_t *keyed_metadata(const struct keyed_vertex *v)
{
    struct diag d;

    return json_read(v->text, v->len, true, &d);
}

static void load(struct keyed *k, struct keyed_vertex *v)
{
    if (!v->loaded)
        json_object_set_new(k->graph, v->key, keyed_metadata(v));
    v->loaded = true;
}

void keyed_load(struct keyed *k, const char *key)
{
    size_t number = number_of(&k->index, key, strlen(key));

    if (number)
        load(k, &k->list[number - 1]);
}

/* Vertices come first in a keyed graph. */
void keyed_load_all(struct keyed *k)
{
    json_t *rest;

    if (!k->graph)
        return;
    rest = json_copy(k->graph);
    json_object_clear(k->graph);
    for (size_t i = 0; i < k->n; i++)
        load(k, &k->list[i]);
    json_object_update(k->graph, rest);
    json_decref(rest);
    json_decref(k->graph);
    k->graph = NULL;
    k->n = 0;
    map_fini(&k->index);
}

/* --- to a set ----------------------------------------------------------- */

struct writing {
    struct keyed *k;
    FILE *fp;
    const char **keys; /* of the vertices, in order */
    size_t n;
    const char *sep;
    struct diag *d;
};

static void begin_node(struct writing *w, const char *key)
{
    VECTOR_ADD(w->keys, w->n, key);
    map_at(&w->k->index, key, strlen(key))->value.number = w->n;
    fprintf(w->fp, "%s{\"id\":\"v%zu\",\"metadata\":", w->sep, w->n);
    w->sep = ",";
}

/*
 * Write a vertex. One without a parent also gets `paths`, because it may have
 * no edge: {"containment": "/cluster0"} for "/cluster0@-1", {"power": "/pdu0"}
 * for "power:/pdu0@-1".
 */
static void put_value(struct writing *w, const char *key, json_t *value)
{
    begin_node(w, key);
    if (!has_parent(key) && json_is_object(value)) {
        const char *colon = *key == '/' ? NULL : strstr(key, ":/");
        const char *path = colon ? colon + 1 : key, *rank = strrchr(key, '@');
        char *subsystem = colon ? xstrndup(key, (size_t)(colon - key))
                                : xstrdup("containment");
        json_t *copy = json_copy(value), *paths = json_object();

        json_object_set_new(paths, subsystem,
                            json_stringn(path, (size_t)(rank - path)));
        json_object_set_new(copy, "paths", paths);
        json_write(w->fp, copy);
        json_decref(copy);
        free(subsystem);
    } else {
        json_write(w->fp, value);
    }
    putc('}', w->fp);
}

static void put_nodes(struct writing *w, json_t *graph)
{
    size_t listed = graph == w->k->graph ? w->k->n : 0;
    const char *key;
    json_t *value;

    fputs("\"nodes\":[", w->fp);
    for (size_t i = 0; i < listed; i++) {
        const struct keyed_vertex *v = &w->k->list[i];

        /* For loaded vertices the graph counts. */
        value = v->loaded ? json_incref(json_object_get(graph, v->key)) : NULL;
        if (!v->loaded && !has_parent(v->key))
            value = keyed_metadata(v);
        if (value) {
            put_value(w, v->key, value);
        } else if (!v->loaded) {
            begin_node(w, v->key);
            fwrite(v->text, 1, v->len, w->fp);
            putc('}', w->fp);
        } else {
            map_at(&w->k->index, v->key, strlen(v->key))->value.number = 0;
        }
        json_decref(value);
    }
    json_object_foreach (graph, key, value)
        if (is_vertex(key) && !number_of(&w->k->index, key, strlen(key)))
            put_value(w, key, value);
    putc(']', w->fp);
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
        source = number_of(&w->k->index, part[2], strlen(part[2]));
        target = number_of(&w->k->index, part[3], strlen(part[3]));
        if (!source || !target)
            return diag_set(w->d, "%s: there is no such vertex",
                            json_quote(link).text);
        put_edge(w, source, target, part[0], part[1]);
    }
    return 0;
}

static int put_graph(struct writing *w, json_t *graph)
{
    const char *key;
    json_t *value;

    putc('{', w->fp);
    w->sep = "";
    put_nodes(w, graph);
    fputs(",\"edges\":[", w->fp);
    w->sep = "";
    for (size_t i = 0; i < w->n; i++) {
        size_t parent;

        key = w->keys[i];
        if (!has_parent(key))
            continue;
        if (!(parent = find_parent(&w->k->index, key)))
            return diag_set(w->d, "%s has no parent", quote_all(key).text);
        put_edge(w, parent, i + 1, "containment", "contains");
    }
    if (put_links(w, json_object_get(graph, "links")) < 0)
        return -1;
    putc(']', w->fp);
    json_object_foreach (graph, key, value)
        if (!is_vertex(key) && strcmp(key, "links"))
            json_write_member(w->fp, ",", key, value);
    putc('}', w->fp);
    return 0;
}

/* Write an object whose key `graph` holds a keyed graph. */
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

struct rset *keyed_to_rset(struct keyed *k, struct diag *d)
{
    struct writing w = {.k = k, .d = d};
    struct rset *rs = NULL;
    char *text = NULL;
    size_t len;
    int rc;

    w.fp = memory_open(&text, &len);
    rc = put_object(&w, json_object_get(k->top, ""), false);
    memory_close(w.fp);
    free(w.keys);
    if (rc == 0)
        rs = rset_read_text(text, len, "patched", TRUST_NONE, d);
    free(text);
    return rs;
}
