/*
 * The naive reading of a graph: the home, parent and path of each pool by RFC 4
 * and rset-documents(5), from the JSON alone.
 */
#ifndef TEST_FOREST_NAIVE_H
#define TEST_FOREST_NAIVE_H

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* All pools as in the document, with their places. */
struct pool {
    json_t *m; /* its metadata, owned by the document */
    const char *outer;
    const char *home;
    int parent;  /* in its home; -1: none */
    char *above; /* the path of its parent, or the path above it without a
                    parent */
    char *path;  /* in its home */
    char *key;   /* equal for the same pool in two documents */
};

/* With edges of containment, without reverse edges. */
struct edge {
    const char *subsystem, *word;
    int from, to;
};

struct pools {
    json_t *document;
    struct pool *list;
    size_t n;
    struct edge *edges;
    size_t nedges;
};

static const char *text_at(const struct pool *p, const char *key)
{
    return json_string_value(json_object_get(p->m, key));
}

static json_int_t number_at(const struct pool *p, const char *key)
{
    return json_integer_value(json_object_get(p->m, key));
}

static const char *path_of(const struct pool *p, const char *subsystem)
{
    return json_string_value(
        json_object_get(json_object_get(p->m, "paths"), subsystem));
}

static const struct pool *above(const struct pools *all, const struct pool *p)
{
    return p->parent < 0 ? NULL : &all->list[p->parent];
}

__attribute__((unused)) static bool
is_below(const struct pools *all, const struct pool *p, const struct pool *top)
{
    while (p && p != top)
        p = above(all, p);
    return p;
}

__attribute__((unused)) static bool is_leaf(const struct pools *all,
                                            const struct pool *p)
{
    for (size_t i = 0; i < all->n; i++)
        if (above(all, &all->list[i]) == p)
            return false;
    return true;
}

/* --- edges ---------------------------------------------------------------- */

static bool is_containment(const char *subsystem)
{
    return !strcmp(subsystem, "containment");
}

static int find_outer(const struct pools *all, const char *outer)
{
    size_t i = 0;

    while (i < all->n && strcmp(all->list[i].outer, outer) != 0)
        i++;
    return i < all->n ? (int)i : -1;
}

static bool is_back(const char *word)
{
    return !strcmp(word, "in") || !strcmp(word, "drawn_from")
           || !strcmp(word, "connected_up");
}

static bool have_edge(const struct pools *all, const char *subsystem, int from,
                      int to)
{
    for (size_t i = 0; i < all->nedges; i++)
        if (all->edges[i].from == from && all->edges[i].to == to
            && !strcmp(all->edges[i].subsystem, subsystem))
            return true;
    return false;
}

/* Compare by paths: above 0 if `one` is above `other`. */
static int told_above(const struct pools *all, const char *subsystem, int one,
                      int other)
{
    const char *p = path_of(&all->list[one], subsystem);
    const char *q = path_of(&all->list[other], subsystem);
    const char *p_last = p ? strrchr(p, '/') : NULL;
    const char *q_last = q ? strrchr(q, '/') : NULL;

    if (p && q && strlen(p) == (size_t)(q_last - q)
        && !strncmp(p, q, strlen(p)))
        return 1;
    if (p && q && strlen(q) == (size_t)(p_last - p)
        && !strncmp(p, q, strlen(q)))
        return -1;
    return (p && p_last == p) - (q && q_last == q);
}

/* Drop reverse edges beside edges. */
static void drop_back(struct pools *all)
{
    struct pools as_read = *all;

    as_read.edges = calloc(all->nedges + 1, sizeof(*all->edges));
    memcpy(as_read.edges, all->edges, all->nedges * sizeof(*all->edges));
    all->nedges = 0;
    for (size_t i = 0; i < as_read.nedges; i++) {
        const struct edge *e = &as_read.edges[i];
        if (!have_edge(&as_read, e->subsystem, e->to, e->from)
            || told_above(all, e->subsystem, e->from, e->to) > 0)
            all->edges[all->nedges++] = *e;
    }
    free(as_read.edges);
}

static void read_edges(struct pools *all, const json_t *edges)
{
    const json_t *item;
    size_t i;

    all->edges = calloc(json_array_size(edges) + 1, sizeof(*all->edges));
    json_array_foreach (edges, i, item) {
        const json_t *m = json_object_get(item, "metadata");
        const char *s = json_string_value(json_object_get(m, "subsystem"));
        const char *w = json_string_value(json_object_get(m, "relationship"));
        struct edge e = {
            .subsystem = s ? s : "containment",
            .word = w ? w : "",
            .from = find_outer(
                all, json_string_value(json_object_get(item, "source"))),
            .to = find_outer(
                all, json_string_value(json_object_get(item, "target")))};
        if (!is_back(e.word) && !have_edge(all, e.subsystem, e.from, e.to))
            all->edges[all->nedges++] = e;
    }
    drop_back(all);
}

/* --- homes and parents ---------------------------------------------------- */

static void note_home(struct pool *p, const char *subsystem)
{
    if (!p->home || is_containment(subsystem)
        || (!is_containment(p->home) && strcmp(subsystem, p->home) < 0))
        p->home = subsystem;
}

static void find_homes(struct pools *all)
{
    const char *subsystem;
    json_t *path;

    for (size_t i = 0; i < all->nedges; i++) {
        note_home(&all->list[all->edges[i].from], all->edges[i].subsystem);
        note_home(&all->list[all->edges[i].to], all->edges[i].subsystem);
    }
    for (size_t i = 0; i < all->n; i++) {
        struct pool *p = &all->list[i];
        json_object_foreach (json_object_get(p->m, "paths"), subsystem, path)
            note_home(p, subsystem);
        p->home = strdup(p->home ? p->home : "containment");
    }
}

/* Order of siblings: type, rank, id, name. */
static int compare_pools(const struct pool *a, const struct pool *b)
{
    int c = strcmp(text_at(a, "type"), text_at(b, "type"));
    json_int_t d = number_at(a, "rank") - number_at(b, "rank");

    if (c || d)
        return c ? c : d < 0 ? -1 : 1;
    d = number_at(a, "id") - number_at(b, "id");
    return d ? (d < 0 ? -1 : 1)
             : strcmp(text_at(a, "name"), text_at(b, "name"));
}

static int depth_of(const struct pools *all, int at)
{
    int depth = 0;

    while ((at = all->list[at].parent) >= 0)
        depth++;
    return depth;
}

/* Order of all pools: from the root down, parents first. */
static int compare_places(const struct pools *all, int a, int b)
{
    int down = depth_of(all, a) - depth_of(all, b), x = a, y = b, c;
    const char *home = all->list[a].home, *other = all->list[b].home;

    if (is_containment(home) != is_containment(other))
        return is_containment(home) ? -1 : 1;
    for (int i = down; i > 0; i--)
        x = all->list[x].parent;
    for (int i = down; i < 0; i++)
        y = all->list[y].parent;
    if (x == y)
        return down;
    while (all->list[x].parent != all->list[y].parent) {
        x = all->list[x].parent;
        y = all->list[y].parent;
    }
    if ((c = compare_pools(&all->list[x], &all->list[y]))
        || (c = strcmp(home, other)))
        return c;
    return strcmp(all->list[x].above, all->list[y].above);
}

static void find_place(struct pools *all, int at);

/* The first pool with an edge to this one, at home in the subsystem or not. */
static int first_above(struct pools *all, int at, const char *subsystem,
                       bool home)
{
    int best = -1;

    for (size_t i = 0; i < all->nedges; i++) {
        const struct edge *e = &all->edges[i];
        if (e->to != at || strcmp(e->subsystem, subsystem) != 0
            || (home && strcmp(all->list[e->from].home, subsystem) != 0))
            continue;
        find_place(all, e->from);
        if (best < 0 || compare_places(all, e->from, best) < 0)
            best = e->from;
    }
    return best;
}

static int parent_by_path(struct pools *all, int at)
{
    const char *home = all->list[at].home;
    const char *path = path_of(&all->list[at], home), *other;
    size_t len = path ? (size_t)(strrchr(path, '/') - path) : 0;

    for (int i = 0; len && i < (int)all->n; i++) {
        other = path_of(&all->list[i], home);
        if (!strcmp(all->list[i].home, home) && other && strlen(other) == len
            && !strncmp(other, path, len))
            return i;
    }
    return -1;
}

/* Return its path in any subsystem. */
static char *path_in(struct pools *all, int at, const char *subsystem)
{
    struct pool *p = &all->list[at];
    char *up, *path;
    int from;

    if (!strcmp(p->home, subsystem)) {
        find_place(all, at);
        return strdup(p->path);
    }
    from = first_above(all, at, subsystem, false);
    up = from < 0 ? strdup("") : path_in(all, from, subsystem);
    if (asprintf(&path, "%s/%s", up, text_at(p, "name")) < 0)
        abort();
    free(up);
    return path;
}

/* The path above a pool without a parent: its own, or that of the pool that
   feeds it. */
static char *path_above(struct pools *all, int at, int from)
{
    struct pool *p = &all->list[at];
    const char *path = path_of(p, p->home);
    size_t len = path ? (size_t)(strrchr(path, '/') - path) : 0;

    return len         ? strndup(path, len)
           : from >= 0 ? path_in(all, from, p->home)
                       : strdup("");
}

/* Find parent and path, after those of the pools above. */
static void find_place(struct pools *all, int at)
{
    struct pool *p = &all->list[at];
    int from;

    if (p->path)
        return;
    p->parent = first_above(all, at, p->home, true);
    from = first_above(all, at, p->home, false);
    if (p->parent < 0)
        p->parent = parent_by_path(all, at);
    if (p->parent >= 0)
        find_place(all, p->parent);
    p->above = p->parent >= 0 ? strdup(all->list[p->parent].path)
                              : path_above(all, at, from);
    if (asprintf(&p->path, "%s/%s", p->above, text_at(p, "name")) < 0
        || asprintf(&p->key, "%s:%s %s@%lld", p->home, p->path,
                    text_at(p, "type"), (long long)number_at(p, "rank"))
               < 0)
        abort();
}

/* A pool whose path is below that of another pool is in that pool. */
static void place_tops(struct pools *all)
{
    int *parents = calloc(all->n + 1, sizeof(*parents));

    for (size_t i = 0; i < all->n; i++) {
        const struct pool *p = &all->list[i], *o = all->list;
        parents[i] = p->parent;
        for (int k = 0; k < (int)all->n && p->parent < 0; k++, o++)
            if (!strcmp(o->path, p->above) && !strcmp(o->home, p->home)
                && (parents[i] < 0 || compare_places(all, k, parents[i]) < 0))
                parents[i] = k;
    }
    for (size_t i = 0; i < all->n; i++)
        all->list[i].parent = parents[i];
    free(parents);
}

/* --- all ------------------------------------------------------------------ */

static void free_places(struct pools *all)
{
    for (size_t i = 0; i < all->n; i++) {
        free((char *)all->list[i].home);
        free(all->list[i].above);
        free(all->list[i].path);
        free(all->list[i].key);
    }
    free(all->list);
    free(all->edges);
}

static void free_pools(struct pools *all)
{
    free_places(all);
    json_decref(all->document);
}

/* The caller owns the document. */
static struct pools place_pools(json_t *document)
{
    struct pools all = {.document = document};
    json_t *g = json_object_get(document, "graph"), *item, *nodes;
    size_t i;

    if (!g)
        g = json_object_get(json_object_get(document, "scheduling"), "graph");
    nodes = json_object_get(g, "nodes");
    all.n = json_array_size(nodes);
    all.list = calloc(all.n + 1, sizeof(*all.list));
    json_array_foreach (nodes, i, item)
        all.list[i] = (struct pool){
            .m = json_object_get(item, "metadata"),
            .outer = json_string_value(json_object_get(item, "id")),
            .parent = -1};
    read_edges(&all, json_object_get(g, "edges"));
    find_homes(&all);
    for (int at = 0; at < (int)all.n; at++)
        find_place(&all, at);
    place_tops(&all);
    return all;
}

__attribute__((unused)) static struct pools read_pools(const char *text)
{
    return place_pools(json_loads(text, 0, NULL));
}

#endif /* TEST_FOREST_NAIVE_H */
