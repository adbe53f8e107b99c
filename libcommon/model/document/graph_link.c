/* Links a graph: edges become parents and children, and the tree is checked. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/document/graph.h"
#include "model/document/jgf.h"
#include "model/document/unknown.h"
#include "model/tree/forest.h"

/* --- edges --------------------------------------------------------------- */

const char *jgf_usual_word(const char *subsystem)
{
    return !strcmp(subsystem, "power")     ? "supplies_to"
           : !strcmp(subsystem, "network") ? "connected_down"
                                           : "contains";
}

/* Return whether an edge was reversed. Such an edge has no relationship of its
   own. */
static bool is_turned(const struct edge *e)
{
    return e->relationship && !strcmp(e->relationship, "in");
}

static const char *word_of(const struct edge *e)
{
    return e->relationship && !is_turned(e) ? e->relationship
                                            : jgf_usual_word(e->subsystem);
}

/* Check that a repeated edge has the same relationship, unless it was
   reversed. */
static void same_edge(struct graph *g, const char *old, const struct edge *e,
                      const struct place *at)
{
    const char *new = word_of(e);

    if (strcmp(old, new) && !is_turned(e))
        fault(g->r, RULE_EDGE_DIFFERS, at, "%s: there is such an edge with %s",
              quote_all(new).text, quote_all(old).text);
}

/* Make the source of an edge the parent of its target. The target keeps unknown
   keys of the edge, and its relationship if that is not the usual one. */
static void link_containment(struct graph *g, uint32_t i, const json_t *extra,
                             const struct place *at)
{
    struct edge *e = &g->edges[i];
    struct vertex *parent = g->outers[e->source].v;
    struct vertex *child = g->outers[e->target].v;
    struct edge *first = &g->edges[g->outers[e->target].edge];

    if (child->parent && child->parent != parent) {
        fault(g->r, RULE_TWO_PARENTS, at, "%s has two parents in containment",
              outer_quote(g, e->target).text);
        e->subsystem = NULL;
        return;
    }
    unknown_put(&child->extra, UNKNOWN_EDGE,
                json_incref(unknown_keys(extra, UNKNOWN_EDGE)));
    unknown_put(&child->extra, UNKNOWN_WORDS,
                json_incref(unknown_keys(extra, UNKNOWN_WORDS)));
    if (strcmp(word_of(e), jgf_usual_word(e->subsystem)))
        unknown_put(&child->extra, UNKNOWN_WORDS,
                    json_pack("{s:s}", "relationship", e->relationship));
    if (!child->parent) {
        child->parent = parent;
        g->outers[e->target].edge = i;
        return;
    }
    if (is_turned(first))
        first->relationship = e->relationship;
    else
        same_edge(g, word_of(first), e, at);
    e->subsystem = NULL;
}

/* Add an edge outside containment, unless it exists already. */
static void add_link(struct graph *g, const struct edge *e, json_t *extra,
                     const struct place *at)
{
    struct rset *rs = g->r->rs;
    struct outer *source = &g->outers[e->source];
    struct outer *target = &g->outers[e->target];
    struct edge_key key = {e->source, e->target, e->subsystem};
    struct map_slot *slot = map_at(&g->links, &key, sizeof(key));

    source->linked = target->linked = true;
    if (slot->value.number) {
        same_edge(g, rs->links[slot->value.number - 1].relationship, e, at);
        return;
    }
    rset_add_link(rs, &(struct link){.subsystem = e->subsystem,
                                     .relationship = word_of(e),
                                     .source = source->v,
                                     .target = target->v,
                                     .extra = extra});
    slot->value.number = rs->nlinks;
}

/* Return whether both ends of an edge exist and differ. */
static bool check_ends(struct graph *g, const struct edge *e,
                       const struct place *at)
{
    const char *const keys[] = {"source", "target"};
    const uint32_t ends[] = {e->source, e->target};
    bool good = true;

    for (int i = 0; i < 2; i++) {
        if (g->outers[ends[i]].v)
            continue;
        fault(g->r, RULE_EDGE_DANGLING, IN_KEY(at, keys[i]),
              "%s is not among the vertices", outer_quote(g, ends[i]).text);
        good = false;
    }
    if (good && e->source == e->target)
        fault(g->r, RULE_EDGE_SELF, at, "%s: an edge from a vertex to itself",
              outer_quote(g, e->target).text);
    return good && e->source != e->target;
}

static void link_edges(struct graph *g)
{
    const struct place *in = IN_KEY(&g->at, "edges");
    size_t n = 0;

    graph_drop_back(g);
    for (size_t i = 0; i < g->nedges && !g->r->ended; i++) {
        struct edge *e = &g->edges[i];
        json_t *extra = NULL;
        if (n < g->nextras && g->extras[n].edge == i)
            extra = g->extras[n++].extra;
        if (!e->subsystem)
            continue; /* faulty */
        if (!check_ends(g, e, IN_LIST(in, i))) {
            g->outers[e->target].orphan = true;
            e->subsystem = NULL;
        } else if (e->subsystem == g->containment) {
            link_containment(g, (uint32_t)i, extra, IN_LIST(in, i));
        } else {
            add_link(g, e, extra, IN_LIST(in, i));
        }
    }

    /* Children are added in front, so take edges backwards. */
    for (size_t i = g->r->ended ? 0 : g->nedges; i-- > 0;) {
        const struct edge *e = &g->edges[i];
        struct vertex *parent, *child;
        if (e->subsystem != g->containment)
            continue;
        parent = g->outers[e->source].v;
        child = g->outers[e->target].v;
        child->next = parent->child;
        parent->child = child;
    }
}

/* --- walking ------------------------------------------------------------- */

/* Report if the tree below a top is too deep to be walked. */
static void check_depth(struct graph *g, const struct vertex *top)
{
    const struct vertex *v = top, *next;
    int depth = 1;

    for (; v && !g->r->ended; v = next, depth++) {
        if (depth == DEPTH_MAX + 1)
            graph_fault(g, v, RULE_DEPTH, NULL, "%s is deeper than %d",
                        v->home ? v->home : "containment", DEPTH_MAX);
        next = vertex_next(top, v, false);
        for (; next && v != next->parent; v = v->parent)
            depth--;
    }
}

/* Walk down from a vertex without a parent. Every vertex is reached once,
   passes its rank to its children, and has its children sorted. */
static void walk_down(struct graph *g, struct vertex *top)
{
    for (struct vertex *v = top; v && !g->r->ended;
         v = vertex_next(top, v, false)) {
        const struct vertex *up = v->parent;
        outer_of(g, v)->met = true;
        v->home = v->above = NULL;
        if (up && up->rank >= 0 && v->rank != up->rank)
            graph_fault(g, v, RULE_RANK_DIFFERS, "rank",
                        "%s of rank %lld lies in rank %lld",
                        vertex_quote(g, v).text, (long long)v->rank,
                        (long long)up->rank);
        for (struct vertex *c = v->child; c; c = c->next)
            if (c->rank < 0)
                c->rank = v->rank;
        vertex_sort_children(v); /* ranks are set now */
    }
    check_depth(g, top);
}

/* Return the root if no edge is of containment: the only vertex whose path is a
   root's. */
static struct vertex *root_by_path(const struct graph *g)
{
    struct vertex *root = NULL;

    for (size_t i = 0; i < g->ids.count; i++) {
        const struct outer *o = &g->outers[i];
        if (!o->v || o->v->parent || !o->path_hash.path
            || o->path_hash.path != graph_path_hash(g, o->v, 1))
            continue;
        if (root)
            return NULL;
        root = o->v;
    }
    return root;
}

/* --- other hierarchies ---------------------------------------------------- */

/* Return the path of a pool without one in containment, as place_by_paths()
   looks it up; or NULL. */
static const char *home_path(const struct outer *o)
{
    return o->path_hash.path ? NULL : o->path;
}

/* Place pools outside containment by their paths, if no edge tells their
   parents. */
static void place_by_paths(struct graph *g)
{
    struct rset *rs = g->r->rs;
    struct map places = {0};

    for (struct vertex *v = rs->loose; v; v = v->next) {
        const char *path = home_path(outer_of(g, v));
        struct map_slot *slot = path ? map_at(&places, path, strlen(path))
                                     : NULL;
        if (slot
            && (!slot->value.pointer
                || vertex_compare(v, slot->value.pointer) < 0))
            slot->value.pointer = v;
    }
    for (struct vertex *v = rs->loose; v; v = v->next) {
        const char *path = home_path(outer_of(g, v));
        const char *end = path ? strrchr(path, '/') : NULL;
        const struct map_slot *slot = end ? map_find(&places, path,
                                                     (size_t)(end - path))
                                          : NULL;
        if (slot && slot->value.pointer != v)
            v->parent = slot->value.pointer;
    }
    map_fini(&places);
}

/* Build the trees of pools outside containment. */
static void plant_loose(struct graph *g)
{
    struct rset *rs = g->r->rs;
    const struct link *back;

    if (!rs->loose && rs->nlinks == 0)
        return;
    if ((back = forest_circle(rs)))
        graph_fault(g, back->target, RULE_CYCLE, NULL, FOREST_CIRCLE_TEXT,
                    back->subsystem, vertex_quote(g, back->target).text);
    place_by_paths(g);
    forest_plant(rs);
    for (const struct vertex *v = rs->loose; v; v = v->next)
        check_depth(g, v);
}

/* Walk from each vertex without a parent, and return their number. One is the
   root. A vertex with edges only in other subsystems is put beside the tree. */
static size_t walk_roots(struct graph *g)
{
    struct rset *rs = g->r->rs;
    struct vertex **end = &rs->loose, *placed;
    size_t n = 0;

    for (size_t i = 0; i < rs->nvertices && !g->r->ended; i++) {
        struct vertex *v = rs->vertices[i];
        struct outer *o = outer_of(g, v);
        if (v->parent || o->nameless)
            continue;
        if ((o->linked || home_path(o)) && !v->child && !o->orphan) {
            o->met = true;
            *end = v;
            end = &v->next;
            continue;
        }
        if (rs->root && !o->orphan)
            graph_fault(g, v, RULE_TWO_ROOTS, NULL,
                        "%s and %s: containment has two roots",
                        vertex_quote(g, rs->root).text,
                        vertex_quote(g, v).text);
        else if (!o->orphan)
            rs->root = v;
        walk_down(g, v);
        n++;
    }
    if (n == 0 && (placed = root_by_path(g))) {
        vertex_unlink(rs, placed);
        rs->root = placed;
        walk_down(g, placed);
        n++;
    }
    return n;
}

/* --- circles ------------------------------------------------------------- */

/*
 * Report circles: vertices that no walk reached are in a circle or below one.
 * Reports each circle at its first vertex, then the vertices below. Returns
 * whether there is any.
 */
static bool check_circles(struct graph *g)
{
    const struct rset *rs = g->r->rs;
    size_t *walks, first = 0; /* number of the upward walk that saw a vertex */

    while (first < rs->nvertices
           && (outer_of(g, rs->vertices[first])->met
               || outer_of(g, rs->vertices[first])->nameless))
        first++;
    if (first == rs->nvertices)
        return false;
    walks = xcalloc(g->ids.count, sizeof(*walks));
    for (size_t i = first; i < rs->nvertices; i++) {
        struct vertex *v = rs->vertices[i], *start;
        while (!outer_of(g, v)->met && !outer_of(g, v)->nameless
               && !walks[v->index]) {
            walks[v->index] = i + 1;
            v = v->parent;
        }
        if (outer_of(g, v)->met || walks[v->index] != i + 1)
            continue;
        start = v;
        graph_fault(g, v, RULE_CYCLE, NULL,
                    "containment runs in a circle: %s lies in %s",
                    vertex_quote(g, v).text, vertex_quote(g, v->parent).text);
        do {
            outer_of(g, v)->met = true;
            v = v->parent;
        } while (v != start);
    }
    for (size_t i = first; i < rs->nvertices; i++) {
        const struct vertex *v = rs->vertices[i];
        if (!outer_of(g, v)->met && !outer_of(g, v)->nameless)
            graph_fault(g, v, RULE_UNREACHABLE, NULL,
                        "%s is not below the root", vertex_quote(g, v).text);
    }
    free(walks);
    return true;
}

/* --- siblings ------------------------------------------------------------ */

static void sibling_twice(struct graph *g, const struct vertex *v)
{
    const char *up = v->above ? v->above : v->home;

    graph_fault(
        g, v, RULE_SIBLING_TWICE, NULL, "%s holds two resources named %s",
        v->parent ? vertex_quote(g, v->parent).text : quote_all(up).text,
        vertex_quote(g, v).text);
}

/* The key of a sibling. Except for the rank its members are pointers, so bytes
   compare. */
struct sibling {
    const struct vertex *parent;
    const char *home, *above, *type, *name;
    int64_t rank;
};

/*
 * Report siblings with the same path and rank, which are the identity of a
 * vertex. Siblings that fold (vertex_folds()) are sorted by id, so comparing
 * neighbours is enough; but other siblings may have the same name. So siblings
 * that fold are checked last, and are not put into `seen`.
 */
static void check_siblings(struct graph *g)
{
    const struct rset *rs = g->r->rs;
    struct map seen = {0};
    bool odd = false;

    for (size_t i = 0; i < 2 * rs->nvertices && !g->r->ended; i++) {
        const struct vertex *v = rs->vertices[i % rs->nvertices];
        const struct vertex *next = v->next;
        const struct sibling key = {v->parent, v->home, v->above,
                                    v->type,   v->name, v->rank};
        bool folds = vertex_folds(v), again = i >= rs->nvertices;
        if ((!v->parent && !v->home) || outer_of(g, v)->unnamed
            || !outer_of(g, v)->met || folds != again)
            continue;
        odd |= !folds && !vertex_is_target(v);
        if (folds ? odd && map_find(&seen, &key, sizeof(key))
                  : map_at(&seen, &key, sizeof(key))->value.number++ > 0)
            sibling_twice(g, v);
        else if (folds && next && v->name == next->name && v->type == next->type
                 && v->rank == next->rank && v->home == next->home
                 && v->above == next->above && vertex_folds(next))
            sibling_twice(g, v->index > next->index ? v : next);
    }
    map_fini(&seen);
}

/* --- targets ------------------------------------------------------------- */

static void list_targets(struct graph *g)
{
    struct rset *rs = g->r->rs;
    struct vertex **targets;
    ssize_t n = rset_targets(rs, &targets);

    rset_set_ranks(rs, idset_create(), hostlist_create());
    for (ssize_t i = 0; i < n && !g->r->ended; i++) {
        const struct vertex *v = targets[i];
        uint32_t rank = (uint32_t)v->rank;
        if (idset_contains(rs->ranks, rank))
            graph_fault(g, v, RULE_NODE_RANK_TWICE, "rank",
                        "rank %lld: two nodes have this rank",
                        (long long)v->rank);
        idset_add(rs->ranks, rank, rank);
        if (!outer_of(g, v)->unnamed && hostlist_append(rs->hosts, v->name) < 0)
            graph_fault(g, v, RULE_HOST_NAME, NULL, "%s: not a valid host name",
                        vertex_quote(g, v).text);
    }
    free(targets);
}

void graph_link(struct graph *g)
{
    size_t roots;

    if (g->nedges == 0)
        graph_link_paths(g);
    link_edges(g);
    if (g->r->ended)
        return;
    roots = walk_roots(g);
    if (g->r->ended)
        return;
    if (!check_circles(g)) {
        if (roots == 0 && g->r->rs->nvertices > 0)
            fault(g->r, RULE_NO_ROOT, &g->at, "containment has no root");
        plant_loose(g);
        check_siblings(g);
    }
    list_targets(g);
    if (!g->r->ended)
        graph_check_paths(g);
}
