/*
 * Writes a graph in two walks over the tree in the same order, one for the
 * vertices and one for the edges, with a counter for outer ids. No output is
 * kept in memory. The walk turns members of a run into vertices one by one, so
 * a million nodes are written from three vertices.
 */
#include "model/document/jgf.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/writer.h"
#include "model/document/shorthand.h"
#include "model/document/unknown.h"
#include "model/records/lots.h"

/* A vertex's place in a subsystem other than containment. */
struct subsystem_place {
    uint32_t index;
    const char *subsystem;
    const struct vertex *parent; /* NULL: a root of the subsystem */
    const struct vertex *v;
};

struct graph_writing {
    struct settled s; /* the set */
    struct writer out;
    unsigned style;
    uint64_t count; /* outer ids given so far */
    const char *sep;
    char *path; /* of the current vertex */
    size_t pathlen, pathsize;
    struct subsystem_place *places;
    size_t nplaces;
};

/* A pool as it is written: a single vertex, or a member of a run. */
struct written_pool {
    const struct vertex *v;
    const char *name, *basename;
    int64_t id, rank;
    uuid_hash hash;
    char namebuf[VERTEX_NAME_MAX], basebuf[VERTEX_NAME_MAX];
};

/* --- pools of runs ------------------------------------------------------ */

static void pool_init(struct written_pool *p, const struct rset *rs,
                      const struct vertex *v, uint32_t n,
                      const struct written_pool *parent)
{
    bool target = v->run && vertex_is_target(v);
    size_t len;

    p->v = v;
    p->name = vertex_name(rs, v, n, p->namebuf);
    p->basename = v->basename;
    p->id = v->run ? (int64_t)n : v->id;
    p->rank = target                    ? (int64_t)n
              : v->rank >= 0 || !parent ? v->rank
                                        : parent->rank;
    if (target && (len = host_basename(p->name, &p->id)) > 0 && p->id >= 0) {
        memcpy(p->basebuf, p->name, len);
        p->basebuf[len] = '\0';
        p->basename = p->basebuf;
    }
    p->hash = uuid_hash_down(parent ? &parent->hash : NULL, v, p->name);
}

/* --- one vertex --------------------------------------------------------- */

/* Write a member after its key, such as `,"unit":`, which is a constant. */
static inline void put_string(struct graph_writing *w, const char *key,
                              const char *value)
{
    writer_put(&w->out, key, strlen(key));
    writer_quoted(&w->out, value);
}

static inline void put_int(struct graph_writing *w, const char *key, int64_t n)
{
    writer_put(&w->out, key, strlen(key));
    writer_int(&w->out, n);
}

/* Write properties. If a key has several values, each is written as the key
   `key=value`, as in an R. */
static void put_properties(struct graph_writing *w,
                           const struct properties *list)
{
    PUT(&w->out, ",\"properties\":{");
    for (unsigned i = 0; list && i < list->count; i++) {
        const struct property *p = &list->list[i];
        char *text = NULL;
        if (i)
            writer_char(&w->out, ',');
        for (unsigned k = 0; *p->value && !text && k < list->count; k++)
            if (k != i && !strcmp(list->list[k].key, p->key))
                xasprintf(&text, "%s=%s", p->key, p->value);
        writer_quoted(&w->out, text ? text : p->key);
        writer_char(&w->out, ':');
        writer_quoted(&w->out, text ? "" : p->value);
        free(text);
    }
    writer_char(&w->out, '}');
}

static const struct subsystem_place *
find_place(const struct graph_writing *w, uint32_t index, const char *subsystem)
{
    size_t at = VECTOR_SEEK(i, 0, w->nplaces, w->places[i].index < index);

    while (at < w->nplaces && w->places[at].index == index && subsystem
           && w->places[at].subsystem != subsystem)
        at++;
    return at < w->nplaces && w->places[at].index == index ? &w->places[at]
                                                           : NULL;
}

/* Write the path of a vertex in a subsystem, from its root down. */
static void put_place(struct graph_writing *w,
                      const struct subsystem_place *place, unsigned depth)
{
    if (place->v->home == place->subsystem) {
        char *path = vertex_path(place->v);
        writer_text(&w->out, path);
        free(path);
        return;
    }
    if (place->parent && depth < DEPTH_MAX)
        put_place(w, find_place(w, place->parent->index, place->subsystem),
                  depth + 1);
    writer_char(&w->out, '/');
    writer_text(&w->out, place->v->name);
}

/* Write the paths of a pool in all subsystems, in the order of their names; the
   path in containment comes first. */
static void put_paths(struct graph_writing *w, const struct written_pool *p)
{
    const struct subsystem_place *place = NULL;
    const char *home = p->v->home, *sep = "";
    bool written = false; /* the path in its home is written */

    if (w->style & JGF_KEYED)
        return; /* they are in the keys */
    if (!p->v->run && w->nplaces)
        place = find_place(w, p->v->index, NULL);
    PUT(&w->out, ",\"paths\":{");
    for (;; place++) {
        bool end = !place || place == w->places + w->nplaces
                   || place->index != p->v->index;
        if (!written && (end || !home || strcmp(home, place->subsystem) <= 0)) {
            writer_put(&w->out, sep, strlen(sep));
            writer_quoted(&w->out, home ? home : "containment");
            writer_char(&w->out, ':');
            writer_quoted(&w->out, w->path);
            written = true;
            sep = ",";
        }
        if (end)
            break;
        if (place->subsystem == home)
            continue;
        writer_put(&w->out, sep, strlen(sep));
        writer_quoted(&w->out, place->subsystem);
        PUT(&w->out, ":\"");
        put_place(w, place, 0);
        writer_char(&w->out, '"');
        sep = ",";
    }
    writer_char(&w->out, '}');
}

/* Write the members of a vertex. Compact style omits defaults. */
static void put_members(struct graph_writing *w, const struct written_pool *p)
{
    const struct vertex *v = p->v;
    bool full = !(w->style & JGF_COMPACT);

    if (full)
        put_string(w, ",\"uuid\":",
                   v->uuid ? v->uuid : uuid_make(p->hash, p->rank).text);
    if (full || strcmp(p->basename, v->type))
        put_string(w, ",\"basename\":", p->basename);
    if (full || !is_name_by_id(p->name, p->basename, p->id))
        put_string(w, ",\"name\":", p->name);
    put_int(w, ",\"id\":", p->id);
    if (full || v->properties)
        put_properties(w, v->properties);
    if (full || v->size != 1)
        put_int(w, ",\"size\":", v->size);
    if (full || *v->unit)
        put_string(w, ",\"unit\":", v->unit);
    put_int(w, ",\"rank\":", p->rank);
    if (v->exclusive)
        PUT(&w->out, ",\"exclusive\":true");
    else if (full)
        PUT(&w->out, ",\"exclusive\":false");
    put_paths(w, p);
}

static void put_metadata(struct graph_writing *w, const struct written_pool *p)
{
    const struct vertex *v = p->v;
    struct lot *lot = settled_lot(w->s, v);
    const char *key;
    json_t *value;

    PUT(&w->out, "{\"type\":");
    writer_quoted(&w->out, v->type);
    put_members(w, p);
    if (lot_state(lot) != STATE_UP) {
        PUT(&w->out, ",\"status\":1");
        put_string(w, ",\"state\":", pool_state_names[lot->state]);
    }
    if (lot)
        records_write(w->s.rs->usage, lot, writer_flush(&w->out));
    json_object_foreach (v->extra, key, value)
        if (strcmp(key, UNKNOWN_KEY)
            && (strcmp(key, "uniq_id") /* a reader would not keep the number */
                || json_integer_value(value) != (json_int_t)(w->count - 1)))
            json_write_member(writer_flush(&w->out), ",", key, value);
    writer_char(&w->out, '}');
}

/* --- the walks ---------------------------------------------------------- */

static bool left_out(const struct graph_writing *w, const struct vertex *v)
{
    return (w->style & JGF_SHORTHAND) && v->index == LEFT_OUT;
}

typedef void (*visit_fn)(struct graph_writing *w, const struct written_pool *p,
                         uint64_t parent);

static void write_below(struct graph_writing *w, const struct vertex *v,
                        uint32_t n, const struct written_pool *parent,
                        uint64_t parent_id, visit_fn visit)
{
    const char *above = v->above ? v->above : "";
    size_t old = w->pathlen, need, nspans;
    struct span *spans = NULL;
    struct written_pool p;
    uint64_t id = w->count;
    char *end;

    pool_init(&p, w->s.rs, v, n, parent);
    need = old + strlen(above) + strlen(p.name) + 2;
    VECTOR_ROOM(w->path, w->pathsize, need);
    end = stpcpy(w->path + old, above);
    *end = '/';
    stpcpy(end + 1, p.name);
    w->pathlen = need - 1;
    visit(w, &p, parent_id);

    nspans = v->child ? vertex_spans(v, &spans) : 0;
    for (size_t i = 0; i < nspans; i++)
        for (uint64_t m = spans[i].lo;
             m <= spans[i].hi && !left_out(w, spans[i].v); m++)
            write_below(w, spans[i].v, (uint32_t)m, &p, id, visit);
    free(spans);
    w->pathlen = old;
}

static void visit_vertex(struct graph_writing *w, const struct written_pool *p,
                         uint64_t parent)
{
    (void)parent;
    writer_put(&w->out, w->sep, strlen(w->sep));
    PUT(&w->out, "{\"id\":\"");
    writer_int(&w->out, (int64_t)w->count++);
    PUT(&w->out, "\",\"metadata\":");
    put_metadata(w, p);
    if (p->v->extra)
        json_write_members(writer_flush(&w->out),
                           unknown_keys(p->v->extra, UNKNOWN_VERTEX));
    writer_char(&w->out, '}');
    w->sep = ",";
}

static void visit_keyed(struct graph_writing *w, const struct written_pool *p,
                        uint64_t parent)
{
    w->count++;
    writer_int(&w->out, p->v->parent ? (int64_t)parent + 1 : 0);
    PUT(&w->out, " \"");
    if (p->v->home) { /* otherwise the path is one in containment */
        writer_text(&w->out, p->v->home);
        writer_char(&w->out, ':');
    }
    writer_text(&w->out, w->path);
    writer_char(&w->out, '@');
    writer_int(&w->out, p->rank);
    PUT(&w->out, "\":");
    put_metadata(w, p);
    PUT(&w->out, ",\n");
}

/* Write the metadata and unknown keys of an edge of containment. */
static void put_words(struct graph_writing *w, const json_t *extra)
{
    bool full = !(w->style & JGF_COMPACT);
    json_t *more; /* other than the usual words */

    if (!extra && full)
        PUT(&w->out, ",\"metadata\":{\"subsystem\":\"containment\","
                     "\"relationship\":\"contains\"}");
    if (!extra)
        return;
    more = json_copy(unknown_keys(extra, UNKNOWN_WORDS));
    if (w->style & JGF_WORDLESS)
        json_object_del(more, "relationship");
    if (full || json_object_size(more) > 0) {
        PUT(&w->out, ",\"metadata\":{\"subsystem\":\"containment\"");
        if (full && !json_object_get(more, "relationship"))
            PUT(&w->out, ",\"relationship\":\"contains\"");
        json_write_members(writer_flush(&w->out), more);
        writer_char(&w->out, '}');
    }
    json_write_members(writer_flush(&w->out),
                       unknown_keys(extra, UNKNOWN_EDGE));
    json_decref(more);
}

static void visit_edge(struct graph_writing *w, const struct written_pool *p,
                       uint64_t parent)
{
    uint64_t id = w->count++;

    if (!p->v->parent || p->v->home) /* it has no edge, or a link */
        return;
    writer_put(&w->out, w->sep, strlen(w->sep));
    PUT(&w->out, "{\"source\":\"");
    writer_int(&w->out, (int64_t)parent);
    PUT(&w->out, "\",\"target\":\"");
    writer_int(&w->out, (int64_t)id);
    writer_char(&w->out, '"');
    put_words(w, p->v->extra);
    writer_char(&w->out, '}');
    w->sep = ",";
}

static void walk_all(struct graph_writing *w, visit_fn visit)
{
    w->count = 0;
    w->sep = "";
    w->pathlen = 0;
    if (w->s.rs->root)
        write_below(w, w->s.rs->root, 0, NULL, 0, visit);
    for (const struct vertex *v = w->s.rs->loose; v; v = v->next)
        write_below(w, v, 0, NULL, 0, visit);
}

/* --- other subsystems --------------------------------------------------- */

static bool link_left_out(const struct graph_writing *w, const struct link *l)
{
    return left_out(w, l->source) || left_out(w, l->target);
}

/* By vertex and subsystem; a place with a parent before one without. */
static int compare_places(const void *a, const void *b)
{
    const struct subsystem_place *pa = a, *pb = b;
    int c = COMPARE(pa->index, pb->index);

    if (c || (c = strcmp(pa->subsystem, pb->subsystem)))
        return c;
    if (!pa->parent || !pb->parent)
        return !pa->parent - !pb->parent;
    return COMPARE(pa->parent->index, pb->parent->index);
}

static void find_places(struct graph_writing *w)
{
    const struct rset *rs = w->s.rs;
    size_t n = 0;

    w->places = xmalloc(2 * rs->nlinks * sizeof(*w->places));
    for (size_t i = 0; i < rs->nlinks; i++) {
        const struct link *l = &rs->links[i];
        if (link_left_out(w, l))
            continue;
        w->places[n++] = (struct subsystem_place){
            l->target->index, l->subsystem, l->source, l->target};
        w->places[n++] = (struct subsystem_place){
            l->source->index, l->subsystem, NULL, l->source};
    }
    VECTOR_SORT(w->places, n, compare_places);
    for (size_t i = 0; i < n; i++) {
        const struct subsystem_place *last = w->nplaces
                                                 ? &w->places[w->nplaces - 1]
                                                 : NULL;
        if (!last || last->index != w->places[i].index
            || last->subsystem != w->places[i].subsystem)
            w->places[w->nplaces++] = w->places[i];
    }
}

static int compare_links(const void *a, const void *b)
{
    const struct link *la = a, *lb = b;
    int c = COMPARE(la->source->index, lb->source->index);

    if (c || (c = COMPARE(la->target->index, lb->target->index)))
        return c;
    return strcmp(la->subsystem, lb->subsystem);
}

/* Write links, which name vertices by number. Only single vertices have
   links. */
static void put_links(struct graph_writing *w)
{
    for (size_t i = 0; i < w->s.rs->nlinks; i++) {
        const struct link *l = &w->s.rs->links[i];
        if (link_left_out(w, l))
            continue;
        fprintf(writer_flush(&w->out), "%s{\"source\":\"%u\",\"target\":\"%u\"",
                w->sep, l->source->index, l->target->index);
        PUT(&w->out, ",\"metadata\":{\"subsystem\":");
        writer_quoted(&w->out, l->subsystem);
        if (!(w->style & JGF_COMPACT)
            || (!(w->style & JGF_WORDLESS)
                && strcmp(l->relationship, jgf_usual_word(l->subsystem))))
            put_string(w, ",\"relationship\":", l->relationship);
        json_write_members(writer_flush(&w->out),
                           unknown_keys(l->extra, UNKNOWN_WORDS));
        writer_char(&w->out, '}');
        json_write_members(writer_flush(&w->out),
                           unknown_keys(l->extra, UNKNOWN_EDGE));
        writer_char(&w->out, '}');
        w->sep = ",";
    }
}

static void put_keyed_links(struct graph_writing *w)
{
    PUT(&w->out, "\"links\":[");
    for (size_t i = 0; i < w->s.rs->nlinks; i++) {
        const struct link *l = &w->s.rs->links[i];
        if (link_left_out(w, l))
            continue;
        fprintf(writer_flush(&w->out), "%s[", w->sep);
        writer_quoted(&w->out, l->subsystem);
        writer_char(&w->out, ',');
        writer_quoted(&w->out, l->relationship);
        fprintf(writer_flush(&w->out), ",%u,%u]", l->source->index,
                l->target->index);
        w->sep = ",";
    }
}

void jgf_write(struct settled s, unsigned style, FILE *fp)
{
    struct graph_writing w = {.s = s, .out.fp = fp, .style = style};
    struct rset *rs = s.rs;
    uint32_t n = 0;

    if (rs->nlinks) { /* links name vertices by number, in the order written */
        for (struct vertex *v = rset_first(rs); v; v = rset_next(rs, v))
            if (!left_out(&w, v))
                v->index = n++;
        VECTOR_SORT(rs->links, rs->nlinks, compare_links);
        find_places(&w);
    }
    if (style & JGF_KEYED) {
        PUT(&w.out, "{\n");
        walk_all(&w, visit_keyed);
        put_keyed_links(&w);
    } else {
        PUT(&w.out, "{\"nodes\":[");
        walk_all(&w, visit_vertex);
        PUT(&w.out, "],\"edges\":[");
        walk_all(&w, visit_edge);
        put_links(&w);
    }
    writer_char(&w.out, ']');
    json_write_members(writer_flush(&w.out), rs->document.graph);
    putc_unlocked('}', fp);
    free(w.path);
    free(w.places);
}
