/*
 * Paths of a graph. They link its vertices if it has no edges; otherwise they
 * are compared with the edges, which win. Only hashes of paths are kept: the
 * hash of a path continues its parent's hash with the next name.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "model/document/graph.h"

uint64_t graph_path_hash(const struct graph *g, const struct vertex *v,
                         int depth)
{
    uint64_t up = g->start;

    if (outer_of(g, v)->unnamed || depth > DEPTH_MAX)
        return 0;
    if (v->parent && !(up = graph_path_hash(g, v->parent, depth + 1)))
        return 0;
    return hash_bytes(hash_bytes(up, "/", 1), v->name, strlen(v->name));
}

struct path_hashes path_hashes(const char *path)
{
    const char *last = strrchr(path, '/');
    size_t len = last ? (size_t)(last - path) : 0;
    uint64_t above = hash_bytes(HASH_START, path, len);

    return (struct path_hashes){
        hash_bytes(above, path + len, strlen(path + len)), above};
}

/* --- graphs without edges ------------------------------------------------ */

/* A path and a rank, or ANY_RANK if only one vertex has the path. */
enum { ANY_RANK = -2 };
struct path_key {
    uint64_t path;
    int64_t rank;
};

static struct vertex *at_path(const struct map *places, uint64_t path,
                              int64_t rank)
{
    const struct path_key key = {path, rank};
    const struct map_slot *slot = map_find(places, &key, sizeof(key));

    return slot && slot->value.pointer != places ? slot->value.pointer : NULL;
}

void graph_link_paths(struct graph *g)
{
    struct map places = {0};

    for (size_t i = 0; i < g->ids.count; i++) {
        const struct outer *o = &g->outers[i];
        const struct path_key own = {o->path_hash.path, o->v ? o->v->rank : -1};
        const struct path_key any = {o->path_hash.path, ANY_RANK};
        struct map_slot *slot;
        if (!o->v || !o->path_hash.path)
            continue;
        map_at(&places, &own, sizeof(own))->value.pointer = o->v;
        slot = map_at(&places, &any, sizeof(any));
        slot->value.pointer = slot->value.pointer ? &places : (void *)o->v;
    }
    /* children are added in front, so take vertices backwards */
    for (size_t i = g->ids.count; i-- > 0;) {
        const struct outer *o = &g->outers[i];
        struct vertex *up = NULL;
        if (!o->v || !o->path_hash.path || o->path_hash.above == HASH_START)
            continue;
        if (!(up = at_path(&places, o->path_hash.above, o->v->rank))
            && !(up = at_path(&places, o->path_hash.above,
                              o->v->rank < 0 ? ANY_RANK : -1)))
            continue;
        o->v->parent = up;
        o->v->next = up->child;
        up->child = o->v;
    }
    map_fini(&places);
}

/* --- graphs with edges --------------------------------------------------- */

/* Return whether the given path of a vertex differs from its edges. */
static bool path_differs(const struct graph *g, const struct outer *o)
{
    uint64_t hash = o->met && o->path_hash.path && !o->v->home
                        ? graph_path_hash(g, o->v, 1)
                        : 0;

    return hash && hash != o->path_hash.path;
}

/* Find out whether a graph is a fragment of another one: its paths agree with
   its edges, but begin further up. Sets rs->above. */
static bool find_fragment(struct graph *g)
{
    struct rset *rs = g->r->rs;
    const struct outer *o = rs->root ? outer_of(g, rs->root) : NULL;
    size_t len = g->least ? strlen(g->least) : 0;

    if (!o || !o->path_hash.path || o->path_hash.above == HASH_START
        || hash_bytes(HASH_START, g->least, len) != o->path_hash.path)
        return false;
    g->start = o->path_hash.above;
    for (size_t i = 0; i < g->ids.count; i++)
        if (path_differs(g, &g->outers[i])) {
            g->start = HASH_START;
            return false;
        }
    len = (size_t)(strrchr(g->least, '/') - g->least);
    rs->above = map_intern(&rs->names, g->least, len);
    return true;
}

void graph_check_paths(struct graph *g)
{
    const char *first = NULL;
    const struct vertex *where = NULL;
    size_t bad = 0;

    if (!g->r->faults && find_fragment(g))
        return;
    for (size_t i = 0; i < g->ids.count; i++) {
        const struct outer *o = &g->outers[i];
        const char *id = g->ids.slots[i].key;
        if (!path_differs(g, o))
            continue;
        bad++;
        if (g->r->faults) {
            char *path = vertex_path(o->v);
            graph_fault(g, o->v, RULE_PATH_DIFFERS, "paths.containment",
                        "%s: by the edges it is %s", quote_all(o->path).text,
                        quote_all(path).text);
            free(path);
        }
        if (!first || strcmp(first, id) > 0) {
            first = id;
            where = o->v;
        }
    }
    if (bad)
        rset_note(g->r->rs,
                  "graph: %zu of the paths differ from the edges, which are "
                  "used: vertex %s is %s",
                  bad, quote_all(first).text, where->name);
}
