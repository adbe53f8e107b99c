/*
 * A second matcher, naive and slow: every pool by itself, read from the
 * document without the library, and a plain depth-first search.
 *
 * The first success of the search is the answer of the policy `first`. A list
 * of goals is served from its head. Each goal tries all that it could take, in
 * the order of schedule/match.h, and is only compared with what the others have
 * taken.
 */
#ifndef TEST_MATCH_NAIVE_H
#define TEST_MATCH_NAIVE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    POOLS = 256,
    LINKS = 128,
    ENTRIES = 16,
    WITH = 4,
    ACTS = 64,
    NAME = 32,
    PATH = 160,
    TOP = -1 /* as a scope: the whole set */
};

/* --- the set ------------------------------------------------------------- */

struct pool {
    char path[PATH], name[NAME], type[NAME], unit[NAME];
    int id, rank, size;
    int parent; /* -1: the root, or loose */
    int end;    /* index after the last pool in it */
    bool loose; /* outside of containment */
    bool up, staged, marked, shared;
    bool exclusive; /* in the inventory: to be taken whole */
    bool allowed;   /* by the constraints */
    int claimed;
    const json_t *properties; /* borrowed */
};

struct link_to {
    int from, to;
    bool holds; /* from a pool in containment to a top of another home */
};

/* Pools in their order: the tree in preorder, then the loose ones. */
struct world {
    json_t *doc;
    struct pool pool[POOLS];
    int n;
    struct link_to links[LINKS];
    int nlinks;
    bool plain;
};

static bool is_node(const struct pool *p)
{
    return !strcmp(p->type, "node") || !strcmp(p->type, "storage_node");
}

static bool is_target(const struct pool *p)
{
    return is_node(p) && p->rank >= 0;
}

static int compare_pools(const void *x, const void *y)
{
    const struct pool *a = x, *b = y;
    int c = strcmp(a->type, b->type);

    if (c == 0)
        c = (a->rank > b->rank) - (a->rank < b->rank);
    if (c == 0)
        c = (a->id > b->id) - (a->id < b->id);
    return c ? c : strcmp(a->name, b->name);
}

static bool within(const struct world *w, int p, int top)
{
    return p >= top && p < w->pool[top].end;
}

/* --- reading a graph ----------------------------------------------------- */

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

static int claims_of(const json_t *list)
{
    const json_t *claim;
    int sum = 0;
    size_t i;

    json_array_foreach (list, i, claim) {
        const json_t *size = json_object_get(claim, "size");
        sum += size ? (int)json_integer_value(size) : 1;
    }
    return sum;
}

static void read_pool(struct pool *p, const json_t *m)
{
    const json_t *size = json_object_get(m, "size");
    const char *state = text_of(m, "state");

    *p = (struct pool){.parent = -1, .allowed = true};
    snprintf(p->type, sizeof(p->type), "%s", text_of(m, "type"));
    snprintf(p->name, sizeof(p->name), "%s", text_of(m, "name"));
    snprintf(p->unit, sizeof(p->unit), "%s", text_of(m, "unit"));
    p->id = (int)json_integer_value(json_object_get(m, "id"));
    p->rank = (int)json_integer_value(json_object_get(m, "rank"));
    p->size = size ? (int)json_integer_value(size) : 1;
    p->up = !*state || !strcmp(state, "up");
    p->staged = json_object_get(m, "staged") != NULL;
    p->marked = json_is_true(json_object_get(m, "exclusive"));
    p->shared = json_array_size(json_object_get(m, "shared")) > 0;
    p->claimed = claims_of(json_object_get(m, "allocations"))
                 + claims_of(json_object_get(m, "reservations"));
    p->properties = json_object_get(m, "properties");
}

/* A graph as read: `up` is the index of a vertex. */
struct raw {
    struct pool pool[POOLS];
    int up[POOLS], at[POOLS], n;
    bool contained[POOLS]; /* its path is in containment */
    bool loose[POOLS];
    const char *home[POOLS]; /* the home of a loose pool */
};

static int raw_find(const json_t *nodes, const char *id)
{
    const json_t *v;
    size_t i;

    json_array_foreach (nodes, i, v)
        if (!strcmp(text_of(v, "id"), id))
            return (int)i;
    abort();
}

/* Set the path of a pool below that of its parent. */
static void set_path(struct world *w, int self)
{
    struct pool *p = &w->pool[self];
    char path[PATH];

    if (p->parent < 0)
        snprintf(path, sizeof(path), "%s", p->name);
    else
        snprintf(path, sizeof(path), "%.120s/%s", w->pool[p->parent].path,
                 p->name);
    memcpy(p->path, path, sizeof(path));
}

static void place(struct world *w, struct raw *raw, int v, int parent);

/* Add all vertices in one (-1: without a parent) to the world, in order. */
static void place_all(struct world *w, struct raw *raw, int v, bool loose,
                      int parent)
{
    int list[POOLS], n = 0;

    for (int c = 0; c < raw->n; c++) {
        int i = n;
        if (raw->up[c] != v || raw->loose[c] != loose)
            continue;
        for (;
             i > 0 && compare_pools(&raw->pool[c], &raw->pool[list[i - 1]]) < 0;
             i--)
            list[i] = list[i - 1];
        list[i] = c;
        n++;
    }
    for (int i = 0; i < n; i++)
        place(w, raw, list[i], parent);
}

/* Add a vertex to the world, followed by its contents. */
static void place(struct world *w, struct raw *raw, int v, int parent)
{
    int self = w->n++;
    struct pool *p = &w->pool[self];

    *p = raw->pool[v];
    p->parent = parent;
    p->loose = raw->loose[v];
    raw->at[v] = self;
    set_path(w, self);
    place_all(w, raw, v, p->loose, self);
    p->end = w->n;
}

/* Order of places: higher ones first. */
static int compare_places(const struct raw *raw, int a, int b)
{
    int c;

    if (a == b)
        return 0;
    if (a < 0 || b < 0)
        return a < 0 ? -1 : 1;
    c = compare_places(raw, raw->up[a], raw->up[b]);
    return c ? c : compare_pools(&raw->pool[a], &raw->pool[b]);
}

/* A pool outside of containment is at home in the first of its subsystems. Of
   the edges within a home, the first to a pool gives it its parent. */
static void read_homes(struct raw *raw, const json_t *graph)
{
    const json_t *nodes = json_object_get(graph, "nodes"), *edge;
    size_t i;

    for (int v = 0; v < raw->n; v++) {
        json_t *paths = json_object_get(
            json_object_get(json_array_get(nodes, (size_t)v), "metadata"),
            "paths");
        const char *s;
        json_t *path;
        json_object_foreach (paths, s, path)
            if (!raw->home[v] || strcmp(s, raw->home[v]) < 0)
                raw->home[v] = s;
    }
    for (int pass = 0; pass < 4; pass++)
        json_array_foreach (json_object_get(graph, "edges"), i, edge) {
            int end[2] = {raw_find(nodes, text_of(edge, "source")),
                          raw_find(nodes, text_of(edge, "target"))};
            const char *s = text_of(json_object_get(edge, "metadata"),
                                    "subsystem");
            if (pass && raw->loose[end[0]] && raw->loose[end[1]]
                && !strcmp(raw->home[end[0]], s)
                && !strcmp(raw->home[end[1]], s)
                && (raw->up[end[1]] < 0
                    || compare_places(raw, end[0], raw->up[end[1]]) < 0))
                raw->up[end[1]] = end[0];
            for (int k = 0; k < 2; k++)
                if (!raw->home[end[k]] || strcmp(s, raw->home[end[k]]) < 0)
                    raw->home[end[k]] = s;
        }
}

/* Find the vertices in containment: at an edge of it, or without edges. */
static void read_edges(struct world *w, struct raw *raw, const json_t *graph)
{
    const json_t *nodes = json_object_get(graph, "nodes"), *edge;
    size_t i;

    for (int v = 0; v < raw->n; v++)
        raw->loose[v] = raw->n > 1 && !raw->contained[v];
    json_array_foreach (json_object_get(graph, "edges"), i, edge) {
        const json_t *m = json_object_get(edge, "metadata");
        int from = raw_find(nodes, text_of(edge, "source"));
        int to = raw_find(nodes, text_of(edge, "target"));
        if (m && strcmp(text_of(m, "subsystem"), "containment")) {
            if (w->nlinks == LINKS)
                abort();
            w->links[w->nlinks++] = (struct link_to){from, to, false};
        } else {
            raw->up[to] = from;
            raw->loose[from] = raw->loose[to] = false;
        }
    }
}

/* Edges of a home from pools in containment to its tops. */
static void read_holders(struct world *w, const struct raw *raw,
                         const json_t *graph)
{
    const json_t *edge;
    size_t i;
    int k = 0;

    json_array_foreach (json_object_get(graph, "edges"), i, edge) {
        const json_t *m = json_object_get(edge, "metadata");
        struct link_to *l = &w->links[k];
        if (!m || !strcmp(text_of(m, "subsystem"), "containment"))
            continue;
        l->holds = !raw->loose[l->from] && raw->loose[l->to]
                   && raw->up[l->to] < 0
                   && !strcmp(text_of(m, "subsystem"), raw->home[l->to]);
        k++;
    }
}

static void read_graph(struct world *w, const json_t *graph)
{
    struct raw *raw = calloc(1, sizeof(*raw));
    const json_t *v;
    size_t i;

    json_array_foreach (json_object_get(graph, "nodes"), i, v) {
        const json_t *m = json_object_get(v, "metadata");
        raw->up[raw->n] = -1;
        raw->contained[raw->n] = json_object_get(json_object_get(m, "paths"),
                                                 "containment");
        read_pool(&raw->pool[raw->n++], m);
    }
    read_edges(w, raw, graph);
    read_homes(raw, graph);
    read_holders(w, raw, graph);
    place_all(w, raw, -1, false, -1); /* the tree first */
    place_all(w, raw, -1, true, -1);
    for (int k = 0; k < w->nlinks; k++) {
        w->links[k].from = raw->at[w->links[k].from];
        w->links[k].to = raw->at[w->links[k].to];
    }
    free(raw);
}

/* --- reading a plain R --------------------------------------------------- */

/* Is a number in an idset? Texts of the cases are valid. */
static bool idset_has(const char *text, int n)
{
    while (*text) {
        char *end;
        long lo, hi;
        if (*text == '[' || *text == ']' || *text == ',') {
            text++;
            continue;
        }
        lo = hi = strtol(text, &end, 10);
        if (*end == '-')
            hi = strtol(end + 1, &end, 10);
        if (n >= lo && n <= hi)
            return true;
        text = end;
    }
    return false;
}

/* Is a name in a hostlist? Its forms are a, a1, a[1-3,5], and several of
   these. */
static bool hostlist_has(const char *text, const char *name)
{
    while (*text) {
        size_t stem = strcspn(text, "[,");
        size_t len = stem;
        if (text[stem] == '[') {
            char ids[64];
            len = strcspn(text, "]") + 1;
            snprintf(ids, sizeof(ids), "%.*s", (int)(len - stem), text + stem);
            if (!strncmp(text, name, stem) && name[stem] >= '0'
                && name[stem] <= '9' && idset_has(ids, atoi(name + stem)))
                return true;
        } else if (strlen(name) == stem && !strncmp(text, name, stem)) {
            return true;
        }
        text += len;
        text += *text == ',';
    }
    return false;
}

/* The host of a rank. In the cases a host is h and a number. */
static void host_of(const json_t *execution, int rank, char name[NAME])
{
    const json_t *lists = json_object_get(execution, "nodelist");
    const json_t *ranks = json_object_get(execution, "R_lite"), *entry;
    const char *list = json_string_value(json_array_get(lists, 0));
    int before = 0, host = 0;
    size_t i;

    for (int r = 0; r < rank; r++)
        json_array_foreach (ranks, i, entry)
            before += idset_has(text_of(entry, "rank"), r);
    for (;; host++) {
        snprintf(name, NAME, "h%d", host);
        if (hostlist_has(list, name) && before-- == 0)
            return;
    }
}

/* Add the pools that an entry's children give a rank, below a node. */
static void place_children(struct world *w, int node, const json_t *children)
{
    const char *type;
    json_t *ids;

    json_object_foreach ((json_t *)children, type, ids)
        for (int id = 0; id < 16; id++) {
            struct pool *p = &w->pool[w->n];
            if (!idset_has(json_string_value(ids), id))
                continue;
            *p = (struct pool){.parent = node, .allowed = true};
            snprintf(p->type, sizeof(p->type), "%s", type);
            snprintf(p->name, sizeof(p->name), "%s%d", type, id);
            p->id = id;
            p->rank = w->pool[node].rank;
            p->size = 1;
            p->up = true;
            w->n++;
        }
    qsort(&w->pool[node + 1], (size_t)(w->n - node - 1), sizeof(struct pool),
          compare_pools);
    for (int p = node + 1; p < w->n; p++) {
        w->pool[p].end = p + 1;
        set_path(w, p);
    }
}

static void place_rank(struct world *w, const json_t *execution, int rank,
                       const json_t *children)
{
    int self = w->n++;
    struct pool *p = &w->pool[self];

    *p = (struct pool){.type = "node",
                       .rank = rank,
                       .id = rank, /* `id` is the rank, for targets of an R */
                       .size = 1,
                       .up = true,
                       .allowed = true};
    host_of(execution, rank, p->name);
    set_path(w, self);
    place_children(w, self, children);
    p->end = w->n;
}

/* Does a list of entries name a pool? Entries without children name nodes. */
static bool entry_names(const struct world *w, const json_t *list, int at)
{
    const struct pool *p = &w->pool[at];
    const json_t *entry;
    size_t i;

    json_array_foreach (list, i, entry) {
        const json_t *children = json_object_get(entry, "children");
        if (p->rank < 0 || !idset_has(text_of(entry, "rank"), p->rank))
            continue;
        if (!children && is_node(p))
            return true;
        if (children && !is_node(p)
            && idset_has(text_of(children, p->type), p->id))
            return true;
    }
    return false;
}

static void read_marks(struct world *w, const json_t *marks, int at)
{
    static const char *const claims[] = {"allocations", "reservations"};
    struct pool *p = &w->pool[at];
    const json_t *mark;
    size_t i;

    for (int k = 0; k < 2; k++)
        json_array_foreach (json_object_get(marks, claims[k]), i, mark)
            p->claimed += entry_names(w, json_object_get(mark, "R_lite"), at)
                          || (is_node(p)
                              && idset_has(text_of(mark, "holds"), p->rank));
    json_array_foreach (json_object_get(marks, "shared"), i, mark)
        p->shared |= entry_names(w, json_object_get(mark, "R_lite"), at);
    json_array_foreach (json_object_get(marks, "staged"), i, mark)
        p->staged |= entry_names(w, json_object_get(mark, "R_lite"), at);
    json_array_foreach (json_object_get(marks, "states"), i, mark)
        if (entry_names(w, json_object_get(mark, "R_lite"), at))
            p->up = false;
    p->marked = is_node(p) && idset_has(text_of(marks, "exclusive"), p->rank);
}

static void read_plain(struct world *w, const json_t *doc)
{
    const json_t *execution = json_object_get(doc, "execution"), *entry;
    const json_t *marks = json_object_get(
        json_object_get(json_object_get(doc, "attributes"), "system"),
        "scheduler");
    size_t i;

    w->plain = true;
    w->pool[w->n++] = (struct pool){.path = "cluster0",
                                    .name = "cluster0",
                                    .type = "cluster",
                                    .rank = -1,
                                    .size = 1,
                                    .parent = -1,
                                    .up = true,
                                    .allowed = true};
    for (int rank = 0; rank < 16; rank++)
        json_array_foreach (json_object_get(execution, "R_lite"), i, entry)
            if (idset_has(text_of(entry, "rank"), rank))
                place_rank(w, execution, rank,
                           json_object_get(entry, "children"));
    w->pool[0].end = w->n;
    for (int p = 1; p < w->n; p++)
        read_marks(w, marks, p);
}

/* --- the whole ----------------------------------------------------------- */

static void world_read(struct world *w, const char *text)
{
    const json_t *graph;

    *w = (struct world){.doc = json_loads(text, 0, NULL)};
    graph = json_object_get(w->doc, "graph");
    if (graph)
        read_graph(w, graph);
    else
        read_plain(w, w->doc);
    for (int p = 0; p < w->n;
         p++) /* in the cases, marks belong to the inventory */
        w->pool[p].exclusive = w->pool[p].marked;
}

#endif /* TEST_MATCH_NAIVE_H */
