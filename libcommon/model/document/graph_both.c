/*
 * Drops reverse edges. The relationships tell which of two edges is the
 * reverse, otherwise the paths of the vertices do.
 *
 * Most edges are of containment. A tree has fewer edges than vertices, so
 * containment is searched only if it has more.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "model/document/graph.h"

static bool is_reverse_word(const char *word)
{
    return word
           && (!strcmp(word, "drawn_from") || !strcmp(word, "connected_up"));
}

/* Return whether there are at least as many edges of containment as vertices at
   them. */
static bool is_dense(const struct graph *g)
{
    bool *at = xcalloc(g->ids.count + 1, sizeof(*at));
    size_t n = 0, edges = 0;

    for (size_t i = 0; i < g->nedges; i++) {
        const struct edge *e = &g->edges[i];
        if (e->subsystem != g->containment)
            continue;
        n += !at[e->source];
        at[e->source] = true;
        n += !at[e->target];
        at[e->target] = true;
        edges++;
    }
    free(at);
    return edges >= n;
}

static struct path_hashes hashes_of(const struct graph *g, uint32_t number,
                                    const char *subsystem)
{
    const struct path_of key = {number, subsystem};
    const char *text;

    if (subsystem == g->containment)
        return g->outers[number].path_hash;
    text = map_get(&g->paths, &key, sizeof(key));
    return text && strchr(text, '/') ? path_hashes(text)
                                     : (struct path_hashes){0};
}

static bool is_root(const struct path_hashes *s)
{
    return s->path && s->above == HASH_START;
}

/* Drop an edge if it is the reverse of the edge `back`. `above` > 0: it leads
   down. */
static void look_at_both(struct graph *g, size_t i, size_t back)
{
    struct edge *e = &g->edges[i];
    struct path_hashes a = hashes_of(g, e->source, e->subsystem);
    struct path_hashes b = hashes_of(g, e->target, e->subsystem);
    int above = is_reverse_word(g->edges[back].relationship)
                - is_reverse_word(e->relationship);

    if (above == 0 && a.path && b.path
        && (b.above == a.path || a.above == b.path))
        above = b.above == a.path ? 1 : -1;
    else if (above == 0)
        above = is_root(&a) - is_root(&b);
    if (above == 0 && i > back) {
        fault(g->r, RULE_CYCLE, IN_LIST(IN_KEY(&g->at, "edges"), i),
              "%s and %s: %s has edges both ways, and neither relationships "
              "nor paths tell which is above",
              outer_quote(g, e->source).text, outer_quote(g, e->target).text,
              e->subsystem);
        g->outers[e->source].orphan = g->outers[e->target].orphan = true;
    }
    if (above <= 0)
        e->subsystem = NULL;
}

void graph_drop_back(struct graph *g)
{
    struct map all = {0};
    bool dense = is_dense(g);

    for (size_t i = 0; i < g->nedges; i++) {
        const struct edge *e = &g->edges[i];
        struct edge_key key = {e->source, e->target, e->subsystem};
        if (e->subsystem && (dense || e->subsystem != g->containment))
            map_at(&all, &key, sizeof(key))->value.number = i;
    }
    for (size_t i = 0; i < g->nedges && all.count && !g->r->ended; i++) {
        const struct edge *e = &g->edges[i];
        struct edge_key key = {e->target, e->source, e->subsystem};
        const struct map_slot *slot = e->source != e->target
                                          ? map_find(&all, &key, sizeof(key))
                                          : NULL;
        if (slot)
            look_at_both(g, i, slot->value.number);
    }
    map_fini(&all);
}
