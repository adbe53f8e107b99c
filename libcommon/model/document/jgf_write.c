/*
 * Writing a graph: two walks over the tree in the same order, one for the
 * vertices and one for the edges, with a counter for outer ids; nothing of
 * the output is held. The members of a run become vertices as the walk comes
 * to them, so a million nodes are written from three vertices.
 *
 * A uuid that the input did not give is made from path and rank (a version 8
 * UUID over FNV-1a with 128 bits): a hash that goes on from the parent's, so
 * that it costs a name and not a path, and is the same in every run.
 */
#include "model/document/jgf.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "model/document/shorthand.h"
#include "model/document/unknown.h"
#include "model/records/usage.h"
#include "set/digits.h"

__extension__ typedef unsigned __int128 hash128;

/* A vertex's place in a subsystem other than containment. */
struct pool_place {
    uint32_t index;
    const char *subsystem;
    const struct vertex *parent; /* NULL: a root of the subsystem */
    const struct vertex *v;
};

struct graph_writing {
    struct rset *rs;
    FILE *fp;
    unsigned style;
    uint64_t count; /* outer ids given */
    const char *sep;
    size_t len;      /* of what waits in `text` */
    char text[4096]; /* before it goes to fp: most of a graph is short texts */
    char *path;      /* of the vertex at hand */
    size_t pathlen, pathsize;
    struct pool_place *places;
    size_t nplaces;
};

/* One pool as it is written: a single vertex, or a member of a run. */
struct written_pool {
    const struct vertex *v;
    const char *name, *basename;
    int64_t id, rank;
    hash128 hash;
    char namebuf[VERTEX_NAME_MAX], basebuf[VERTEX_NAME_MAX];
};

/* --- pools of runs ------------------------------------------------------ */

static void pool_of_target(const struct rset *rs, struct written_pool *p,
                           uint32_t n)
{
    size_t len;

    p->rank = n;
    p->name = vertex_name(rs, p->v, n, p->namebuf);
    len = host_basename(p->name, &p->id);
    p->basename = p->v->basename;
    if (len > 0 && p->id >= 0) {
        memcpy(p->basebuf, p->name, len);
        p->basebuf[len] = '\0';
        p->basename = p->basebuf;
    }
}

static hash128 hash_on(hash128 h, const char *text)
{
    const hash128 prime = ((hash128)1 << 88) + 0x13b;

    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * prime;
    return h;
}

static hash128 hash_start(void)
{
    return (hash128)UINT64_C(0x6c62272e07bb0142) << 64
           | UINT64_C(0x62b821756295c58d);
}

/* Of the path of a vertex, by that of its parent. */
static hash128 hash_down(hash128 h, const struct vertex *v, const char *name)
{
    if (v->above)
        h = hash_on(h, v->above);
    return hash_on(hash_on(h, "/"), name);
}

static void pool_init(struct written_pool *p, const struct rset *rs,
                      const struct vertex *v, uint32_t n,
                      const struct written_pool *parent)
{
    p->v = v;
    p->basename = v->basename;
    if (v->run && vertex_is_target(v)) {
        pool_of_target(rs, p, n);
    } else {
        p->name = vertex_name(rs, v, n, p->namebuf);
        p->id = v->run ? (int64_t)n : v->id;
        p->rank = v->rank >= 0 || !parent ? v->rank : parent->rank;
    }
    p->hash = hash_down(parent ? parent->hash : hash_start(), v, p->name);
}

/* --- text --------------------------------------------------------------- */

/* All that waits goes out, so that others can write. */
static FILE *flush(struct graph_writing *w)
{
    fwrite_unlocked(w->text, 1, w->len, w->fp);
    w->len = 0;
    return w->fp;
}

/* Room for so many bytes, which is less than there is in all. */
static inline char *room(struct graph_writing *w, size_t n)
{
    if (n > sizeof(w->text) - w->len)
        flush(w);
    return w->text + w->len;
}

static inline void put(struct graph_writing *w, const char *text, size_t n)
{
    memcpy(room(w, n), text, n);
    w->len += n;
}

#define PUT(w, literal) put(w, literal, sizeof(literal) - 1)

static void put_char(struct graph_writing *w, char c)
{
    put(w, &c, 1);
}

/* The text inside of a string. */
static void put_text(struct graph_writing *w, const char *text)
{
    size_t n = json_plain_length(text);

    if (text[n] || n >= sizeof(w->text))
        json_write_text(flush(w), text);
    else
        put(w, text, n);
}

static void put_quoted(struct graph_writing *w, const char *text)
{
    put_char(w, '"');
    put_text(w, text);
    put_char(w, '"');
}

/* --- one vertex --------------------------------------------------------- */

/* A member, with a comma before it: a text; a number. */
#define PUT_STRING(w, key, value) \
    (PUT(w, ",\"" key "\":"), put_quoted(w, value))
#define PUT_INT(w, key, n) (PUT(w, ",\"" key "\":"), put_int(w, n))

static void put_int(struct graph_writing *w, int64_t n)
{
    char *start = room(w, DIGITS_MAX + 2), *p = start;

    if (n < 0)
        *p++ = '-';
    p = put_number(p, n < 0 ? -(uint64_t)n : (uint64_t)n);
    w->len += (size_t)(p - start);
}

/* The uuid of a vertex that the input gave none, by the hash of its path. */
static struct made_uuid make_uuid(hash128 h, int64_t rank)
{
    struct made_uuid uuid;
    char text[DIGITS_MAX + 3] = "@-", *p = text + (rank < 0 ? 2 : 1);
    char *at = uuid.text + sizeof(uuid.text) - 1;

    *put_number(p, rank < 0 ? -(uint64_t)rank : (uint64_t)rank) = '\0';
    h = hash_on(h, text);
    h = (h & ~((hash128)0xf << 76)) | (hash128)8 << 76;
    h = (h & ~((hash128)3 << 62)) | (hash128)2 << 62;
    for (*at = '\0'; at > uuid.text; h >>= 4) {
        size_t left = (size_t)(--at - uuid.text);
        if (left == 8 || left == 13 || left == 18 || left == 23)
            *at-- = '-';
        *at = "0123456789abcdef"[(unsigned)h & 0xf];
    }
    return uuid;
}

static hash128 hash_of(const struct vertex *v)
{
    return hash_down(v->parent ? hash_of(v->parent) : hash_start(), v, v->name);
}

struct made_uuid vertex_made_uuid(const struct vertex *v)
{
    const struct vertex *ranked = v;

    while (ranked->rank < 0 && ranked->parent)
        ranked = ranked->parent;
    return make_uuid(hash_of(v), ranked->rank);
}

static void put_uuid(struct graph_writing *w, const struct written_pool *p)
{
    PUT_STRING(w, "uuid",
               p->v->uuid ? p->v->uuid : make_uuid(p->hash, p->rank).text);
}

/* Has another property the same key? */
static bool has_twin(const struct properties *list, const struct property *p)
{
    for (unsigned i = 0; i < list->count; i++)
        if (&list->list[i] != p && !strcmp(list->list[i].key, p->key))
            return true;
    return false;
}

/* Of a key with several values each is the text `key=value`, as in an R. */
static void put_property(struct graph_writing *w, const struct properties *list,
                         const struct property *p)
{
    char *text = NULL;

    if (*p->value && has_twin(list, p))
        xasprintf(&text, "%s=%s", p->key, p->value);
    put_quoted(w, text ? text : p->key);
    put_char(w, ':');
    put_quoted(w, text ? "" : p->value);
    free(text);
}

static void put_properties(struct graph_writing *w,
                           const struct properties *list)
{
    PUT(w, ",\"properties\":{");
    for (unsigned i = 0; list && i < list->count; i++) {
        if (i)
            put_char(w, ',');
        put_property(w, list, &list->list[i]);
    }
    put_char(w, '}');
}

static const struct pool_place *
find_place(const struct graph_writing *w, uint32_t index, const char *subsystem)
{
    size_t lo = 0, hi = w->nplaces;

    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (w->places[mid].index < index)
            lo = mid + 1;
        else
            hi = mid;
    }
    while (lo < w->nplaces && w->places[lo].index == index && subsystem
           && w->places[lo].subsystem != subsystem)
        lo++;
    return lo < w->nplaces && w->places[lo].index == index ? &w->places[lo]
                                                           : NULL;
}

/* The path of a pool in the hierarchy of its home. */
static void put_home(struct graph_writing *w, const struct vertex *v)
{
    if (v->parent)
        put_home(w, v->parent);
    else if (v->above)
        put_text(w, v->above);
    put_char(w, '/');
    put_text(w, v->name);
}

/* The path of a vertex in a subsystem, from its root down. */
static void put_place(struct graph_writing *w, const struct pool_place *place,
                      unsigned depth)
{
    if (place->v->home == place->subsystem) {
        put_home(w, place->v);
        return;
    }
    if (place->parent && depth < DEPTH_MAX) {
        const struct pool_place *up = find_place(w, place->parent->index,
                                                 place->subsystem);
        if (up)
            put_place(w, up, depth + 1);
    }
    put_char(w, '/');
    put_text(w, place->v->name);
}

static void put_home_path(struct graph_writing *w, const struct vertex *v,
                          const char *sep)
{
    put(w, sep, strlen(sep));
    put_quoted(w, v->home ? v->home : "containment");
    put_char(w, ':');
    put_quoted(w, w->path);
}

static void put_paths(struct graph_writing *w, const struct written_pool *p)
{
    const struct pool_place *place = NULL;
    const char *sep = "", *home = p->v->home;

    if (w->style & JGF_KEYED)
        return; /* they are in the keys */
    PUT(w, ",\"paths\":{");
    if (!home) {
        put_home_path(w, p->v, sep);
        sep = ",";
    }
    if (!p->v->run && w->nplaces)
        place = find_place(w, p->v->index, NULL);
    for (;
         place && place < w->places + w->nplaces && place->index == p->v->index;
         place++) {
        if (place->subsystem == home)
            continue;
        if (home && strcmp(home, place->subsystem) < 0) {
            put_home_path(w, p->v, sep);
            sep = ",";
            home = NULL;
        }
        put(w, sep, strlen(sep));
        put_quoted(w, place->subsystem);
        PUT(w, ":\"");
        put_place(w, place, 0);
        put_char(w, '"');
        sep = ",";
    }
    if (home)
        put_home_path(w, p->v, sep);
    put_char(w, '}');
}

/* The number of the vertex at hand, which a reader would not keep. */
static bool is_own_number(const struct graph_writing *w, const char *key,
                          const json_t *value)
{
    return !strcmp(key, "uniq_id")
           && json_integer_value(value) == (json_int_t)(w->count - 1);
}

static void put_rest(struct graph_writing *w, const struct vertex *v)
{
    const char *key;
    json_t *value;

    if (vertex_state(v) != STATE_UP) {
        PUT(w, ",\"status\":1");
        PUT_STRING(w, "state", pool_state_names[vertex_state(v)]);
    }
    if (v->lot)
        records_write(w->rs->usage, v->lot, flush(w));
    json_object_foreach (v->extra, key, value)
        if (!is_own_number(w, key, value) && strcmp(key, UNKNOWN_KEY))
            json_write_member(flush(w), ",", key, value);
}

static void put_full(struct graph_writing *w, const struct written_pool *p)
{
    const struct vertex *v = p->v;

    put_uuid(w, p);
    PUT_STRING(w, "basename", p->basename);
    PUT_STRING(w, "name", p->name);
    PUT_INT(w, "id", p->id);
    put_properties(w, v->properties);
    PUT_INT(w, "size", v->size);
    PUT_STRING(w, "unit", v->unit);
    PUT_INT(w, "rank", p->rank);
    PUT(w, ",\"exclusive\":");
    if (v->exclusive)
        PUT(w, "true");
    else
        PUT(w, "false");
    put_paths(w, p);
}

static void put_compact(struct graph_writing *w, const struct written_pool *p)
{
    const struct vertex *v = p->v;

    if (strcmp(p->basename, v->type))
        PUT_STRING(w, "basename", p->basename);
    if (!is_name_by_id(p->name, p->basename, p->id))
        PUT_STRING(w, "name", p->name);
    PUT_INT(w, "id", p->id);
    if (v->properties)
        put_properties(w, v->properties);
    if (v->size != 1)
        PUT_INT(w, "size", v->size);
    if (*v->unit)
        PUT_STRING(w, "unit", v->unit);
    PUT_INT(w, "rank", p->rank);
    if (v->exclusive)
        PUT(w, ",\"exclusive\":true");
    put_paths(w, p);
}

static void put_metadata(struct graph_writing *w, const struct written_pool *p)
{
    PUT(w, "{\"type\":");
    put_quoted(w, p->v->type);
    if (w->style & JGF_COMPACT)
        put_compact(w, p);
    else
        put_full(w, p);
    put_rest(w, p->v);
    put_char(w, '}');
}

/* Its path in containment, or its first one in another subsystem; its rank. */
static void put_key(struct graph_writing *w, const struct written_pool *p)
{
    put_char(w, '"');
    if (p->v->home) {
        put_text(w, p->v->home);
        put_char(w, ':');
    }
    put_text(w, w->path);
    put_char(w, '@');
    put_int(w, p->rank);
    put_char(w, '"');
}

/* --- the walks ---------------------------------------------------------- */

static bool left_out(const struct graph_writing *w, const struct vertex *v)
{
    return (w->style & JGF_SHORTHAND) && v->index == LEFT_OUT;
}

/* Put a name behind the path. Returns the length to go back to. */
static size_t path_down(struct graph_writing *w, const char *above,
                        const char *name)
{
    size_t old = w->pathlen, n = strlen(above), len = strlen(name),
           need = old + n + len + 2;

    if (need > w->pathsize) {
        w->pathsize = need * 2;
        w->path = xrealloc(w->path, w->pathsize);
    }
    memcpy(w->path + old, above, n);
    w->path[old + n] = '/';
    memcpy(w->path + old + n + 1, name, len + 1);
    w->pathlen = need - 1;
    return old;
}

typedef void (*visit_fn)(struct graph_writing *w, const struct written_pool *p,
                         uint64_t parent);

static void write_below(struct graph_writing *w, const struct vertex *v,
                        uint32_t n, const struct written_pool *parent,
                        uint64_t parent_id, visit_fn visit);

/* Is there a run among the children that are written? */
static bool has_runs(const struct graph_writing *w, const struct vertex *v)
{
    for (const struct vertex *c = v->child; c; c = c->next)
        if (c->run && !left_out(w, c))
            return true;
    return false;
}

static void write_children(struct graph_writing *w,
                           const struct written_pool *p, uint64_t id,
                           visit_fn visit)
{
    struct span *spans;
    size_t n;

    if (!has_runs(w, p->v)) {
        for (const struct vertex *c = p->v->child; c; c = c->next)
            if (!left_out(w, c))
                write_below(w, c, 0, p, id, visit);
        return;
    }
    n = vertex_spans(p->v, &spans);
    for (size_t i = 0; i < n; i++)
        for (uint64_t m = spans[i].lo;
             m <= spans[i].hi && !left_out(w, spans[i].v); m++)
            write_below(w, spans[i].v, (uint32_t)m, p, id, visit);
    free(spans);
}

static void write_below(struct graph_writing *w, const struct vertex *v,
                        uint32_t n, const struct written_pool *parent,
                        uint64_t parent_id, visit_fn visit)
{
    struct written_pool p;
    uint64_t id = w->count;
    size_t old;

    pool_init(&p, w->rs, v, n, parent);
    old = path_down(w, v->above ? v->above : "", p.name);
    visit(w, &p, parent_id);
    write_children(w, &p, id, visit);
    w->pathlen = old;
}

static void visit_vertex(struct graph_writing *w, const struct written_pool *p,
                         uint64_t parent)
{
    (void)parent;
    put(w, w->sep, strlen(w->sep));
    PUT(w, "{\"id\":\"");
    put_int(w, (int64_t)w->count++);
    PUT(w, "\",\"metadata\":");
    put_metadata(w, p);
    if (p->v->extra)
        json_write_members(flush(w), unknown_keys(p->v->extra, UNKNOWN_VERTEX));
    put_char(w, '}');
    w->sep = ",";
}

static void visit_keyed(struct graph_writing *w, const struct written_pool *p,
                        uint64_t parent)
{
    w->count++;
    put_int(w, p->v->parent ? (int64_t)parent + 1 : 0);
    put_char(w, ' ');
    put_key(w, p);
    put_char(w, ':');
    put_metadata(w, p);
    PUT(w, ",\n");
}

/* What there is to say of an edge beside the usual words: new, or NULL. */
static json_t *more_words(const struct graph_writing *w, const json_t *extra)
{
    json_t *more = json_copy(unknown_keys(extra, UNKNOWN_WORDS));

    if (w->style & JGF_WORDLESS)
        json_object_del(more, "relationship");
    if (json_object_size(more) > 0)
        return more;
    json_decref(more);
    return NULL;
}

/* The metadata of an edge of containment, and what is beside it. */
static void put_words(struct graph_writing *w, const json_t *extra)
{
    json_t *more = extra ? more_words(w, extra) : NULL;

    if (!(w->style & JGF_COMPACT) || more)
        PUT(w, ",\"metadata\":{\"subsystem\":\"containment\"");
    if (!(w->style & JGF_COMPACT) && !json_object_get(more, "relationship"))
        PUT(w, ",\"relationship\":\"contains\"");
    json_write_members(flush(w), more);
    if (!(w->style & JGF_COMPACT) || more)
        put_char(w, '}');
    json_write_members(flush(w), unknown_keys(extra, UNKNOWN_EDGE));
    json_decref(more);
}

static void visit_edge(struct graph_writing *w, const struct written_pool *p,
                       uint64_t parent)
{
    uint64_t id = w->count++;

    if (!p->v->parent || p->v->home) /* those are among the links */
        return;
    put(w, w->sep, strlen(w->sep));
    PUT(w, "{\"source\":\"");
    put_int(w, (int64_t)parent);
    PUT(w, "\",\"target\":\"");
    put_int(w, (int64_t)id);
    put_char(w, '"');
    put_words(w, p->v->extra);
    put_char(w, '}');
    w->sep = ",";
}

static void walk_all(struct graph_writing *w, visit_fn visit)
{
    w->count = 0;
    w->sep = "";
    w->pathlen = 0;
    if (w->rs->root)
        write_below(w, w->rs->root, 0, NULL, 0, visit);
    for (const struct vertex *v = w->rs->loose; v; v = v->next)
        write_below(w, v, 0, NULL, 0, visit);
}

/* --- other subsystems --------------------------------------------------- */

/* Those that are written, in the order in which they are. */
static void number_vertices(const struct graph_writing *w)
{
    uint32_t n = 0;

    for (struct vertex *v = rset_first(w->rs); v; v = rset_next(w->rs, v))
        if (!left_out(w, v))
            v->index = n++;
}

static bool link_left_out(const struct graph_writing *w, const struct link *l)
{
    return left_out(w, l->source) || left_out(w, l->target);
}

/* By vertex and subsystem; a place with a parent before one without. */
static int compare_places(const void *a, const void *b)
{
    const struct pool_place *pa = a, *pb = b;
    int c;

    if (pa->index != pb->index)
        return pa->index < pb->index ? -1 : 1;
    if ((c = strcmp(pa->subsystem, pb->subsystem)))
        return c;
    if (!pa->parent || !pb->parent)
        return !pa->parent - !pb->parent;
    return (pa->parent->index > pb->parent->index)
           - (pa->parent->index < pb->parent->index);
}

static void find_places(struct graph_writing *w)
{
    const struct rset *rs = w->rs;
    size_t n = 0;

    if (!rs->nlinks)
        return;
    w->places = xmalloc(2 * rs->nlinks * sizeof(*w->places));
    for (size_t i = 0; i < rs->nlinks; i++) {
        const struct link *l = &rs->links[i];
        if (link_left_out(w, l))
            continue;
        w->places[n++] = (struct pool_place){l->target->index, l->subsystem,
                                             l->source, l->target};
        w->places[n++] = (struct pool_place){l->source->index, l->subsystem,
                                             NULL, l->source};
    }
    qsort(w->places, n, sizeof(*w->places), compare_places);
    for (size_t i = 0; i < n; i++) {
        const struct pool_place *last = w->nplaces ? &w->places[w->nplaces - 1]
                                                   : NULL;
        if (!last || last->index != w->places[i].index
            || last->subsystem != w->places[i].subsystem)
            w->places[w->nplaces++] = w->places[i];
    }
}

/* By the numbers of their ends, then by subsystem. */
static int compare_links(const void *a, const void *b)
{
    const struct link *la = a, *lb = b;

    if (la->source != lb->source)
        return la->source->index < lb->source->index ? -1 : 1;
    if (la->target != lb->target)
        return la->target->index < lb->target->index ? -1 : 1;
    return strcmp(la->subsystem, lb->subsystem);
}

static bool says_word(const struct graph_writing *w, const struct link *l)
{
    return !(w->style & JGF_COMPACT)
           || (!(w->style & JGF_WORDLESS)
               && strcmp(l->relationship, jgf_usual_word(l->subsystem)));
}

/* Links name vertices; only single vertices have links. */
static void put_links(struct graph_writing *w)
{
    for (size_t i = 0; i < w->rs->nlinks; i++) {
        const struct link *l = &w->rs->links[i];
        if (link_left_out(w, l))
            continue;
        fprintf(flush(w), "%s{\"source\":\"%u\",\"target\":\"%u\"", w->sep,
                l->source->index, l->target->index);
        PUT(w, ",\"metadata\":{\"subsystem\":");
        put_quoted(w, l->subsystem);
        if (says_word(w, l))
            PUT_STRING(w, "relationship", l->relationship);
        json_write_members(flush(w), unknown_keys(l->extra, UNKNOWN_WORDS));
        put_char(w, '}');
        json_write_members(flush(w), unknown_keys(l->extra, UNKNOWN_EDGE));
        put_char(w, '}');
        w->sep = ",";
    }
}

static void put_keyed_links(struct graph_writing *w)
{
    PUT(w, "\"links\":[");
    for (size_t i = 0; i < w->rs->nlinks; i++) {
        const struct link *l = &w->rs->links[i];
        if (link_left_out(w, l))
            continue;
        fprintf(flush(w), "%s[", w->sep);
        put_quoted(w, l->subsystem);
        put_char(w, ',');
        put_quoted(w, l->relationship);
        fprintf(flush(w), ",%u,%u]", l->source->index, l->target->index);
        w->sep = ",";
    }
}

static void put_lists(struct graph_writing *w)
{
    PUT(w, "\"nodes\":[");
    walk_all(w, visit_vertex);
    PUT(w, "],\"edges\":[");
    walk_all(w, visit_edge);
    put_links(w);
}

static void put_keyed(struct graph_writing *w)
{
    put_char(w, '\n');
    walk_all(w, visit_keyed);
    put_keyed_links(w);
}

void jgf_write(struct rset *rs, unsigned style, FILE *fp)
{
    struct graph_writing w = {.rs = rs, .fp = fp, .style = style};

    if (rs->nlinks)
        number_vertices(&w);
    if (rs->nlinks)
        qsort(rs->links, rs->nlinks, sizeof(*rs->links), compare_links);
    find_places(&w);
    put_char(&w, '{');
    (style & JGF_KEYED ? put_keyed : put_lists)(&w);
    put_char(&w, ']');
    json_write_members(flush(&w), rs->graph_extra);
    putc_unlocked('}', fp);
    free(w.path);
    free(w.places);
}
