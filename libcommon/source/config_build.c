/*
 * Makes a set of the entries of `resources` (config.h): as runs where that is
 * enough, or as single pools, as in a graph that was read.
 */
#include "source/config_private.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/saturate.h"
#include "model/document/jgf.h"
#include "model/document/rlite.h"
#include "model/records/tags.h"
#include "model/tree/forest.h"
#include "source/name.h"
#include "source/spec.h"

/* More pools than that are not made. */
enum { POOLS_MAX = 1 << 24 };

/*
 * What is enough to say the entries: an R; runs of nodes below the root, in
 * which what is in a node is made once; or a vertex for each pool, where there
 * are racks, other subsystems, tags, or names that are not just a name and an
 * id.
 */
enum pools_kind { FLAT, RUNS, SINGLES };

/* A pool that leads to one that is named by its path. */
struct leading {
    struct vertex *from;
    char *path;
    const struct pool *pool;
};

struct pools_building {
    struct rset *rs;
    enum pools_kind kind;
    struct lite_children outside; /* ids that are there outside of nodes */
    uint64_t rank;                /* the next */
    struct hostlist *hosts;       /* of runs */
    struct map names;             /* single pools by named_place */
    struct leading *leading;
    size_t nleading;
    struct diag *d;
};

/* Where pools are made. */
struct within {
    struct vertex *parent;
    struct vertex **end; /* behind its last child */
    struct lite_children
        *scope; /* ids that are there in the node, or outside */
    bool in_node;
    int64_t rank;
};

static int wrong(const struct pools_building *b, const struct pool *p,
                 const char *key)
{
    return diag_in(b->d, "%s.%s", p->place, key);
}

/* By its name and no ids, with other pools than those. */
static bool is_named_alone(const struct pool *p)
{
    return p->name && !p->counted && !name_is_template(p->name);
}

/* --- kinds -------------------------------------------------------------- */

static bool is_plain(const struct pool *p)
{
    return !p->subsystem && !p->path && !p->tags && p->size == 1 && !*p->unit;
}

/* What an R has in a node; what is as simple, but of any type and size. */
static int kind_of_part(const struct pool *p)
{
    int kind = is_plain(p) && !p->properties && p->with.n == 0
                       && (!strcmp(p->type, "core") || !strcmp(p->type, "gpu"))
                   ? FLAT
                   : RUNS;

    if (p->subsystem || p->path || p->tags || p->name || type_is_node(p->type))
        return SINGLES;
    for (size_t i = 0; i < p->with.n; i++)
        if (kind_of_part(&p->with.list[i]) == SINGLES)
            return SINGLES;
    return kind;
}

/* Does a run of hosts have these names, and the ids that they end in? */
static bool named_by_run(const struct pool *p)
{
    if (!p->name)
        return true;
    return !name_is_template(p->name) && p->counted == (p->count > 1)
           && !(p->counted
                && isdigit((unsigned char)p->name[strlen(p->name) - 1]));
}

static int kind_of_node(const struct pool *p)
{
    int kind = FLAT, part;

    if (!is_plain(p) || !pool_is_node(p) || !named_by_run(p))
        return SINGLES;
    for (size_t i = 0; i < p->with.n; i++) {
        part = kind_of_part(&p->with.list[i]);
        kind = part > kind ? part : kind;
    }
    return kind;
}

/* `root` is the one that is the root of all, NULL: none is. */
static enum pools_kind kind_of_entries(const struct pool_list *tops,
                                       const struct pool *root)
{
    const struct pool_list *nodes = root ? &root->with : tops;
    int kind = FLAT, one;

    if (root && (tops->n > 1 || root->tags))
        return SINGLES;
    if (root
        && (root->name || root->properties || !is_plain(root)
            || strcmp(root->type, "cluster") != 0))
        kind = RUNS;
    for (size_t i = 0; i < nodes->n; i++) {
        one = kind_of_node(&nodes->list[i]);
        kind = one > kind ? one : kind;
    }
    return kind;
}

/* How many vertices they are then, those in a node (`in_node`) or others. */
static uint64_t cost_of(const struct pool_list *pools, enum pools_kind kind,
                        bool in_node)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < pools->n; i++) {
        const struct pool *p = &pools->list[i];
        bool run = kind != SINGLES
                   && (pool_is_node(p) || (in_node && p->with.n == 0));
        sum = saturate_add(
            sum, saturate_multiply(
                     run ? 1 : p->count,
                     saturate_add(1, cost_of(&p->with, kind,
                                             in_node || pool_is_node(p)))));
    }
    return sum;
}

/* --- ids ---------------------------------------------------------------- */

/* The ids of an entry, new: its own, or those behind the last one. */
static struct idset *take_ids(struct pools_building *b, const struct pool *p,
                              struct lite_children *scope)
{
    struct idset *there = lite_children_ids(scope, p->type), *twice, *ids;
    uint64_t first = idset_empty(there) ? 0 : (uint64_t)idset_last(there) + 1;

    if (!p->ids && first + p->count > (uint64_t)IDSET_MAX + 1) {
        diag_set(b->d, "there are no ids left above %" PRIu32, IDSET_MAX);
        wrong(b, p, "count");
        return NULL;
    }
    ids = p->ids ? idset_copy(p->ids)
                 : idset_create_range((uint32_t)first,
                                      (uint32_t)(first + p->count - 1));
    twice = idset_intersect(there, ids);
    idset_add_set(there, ids);
    if (!idset_empty(twice)) {
        diag_set(b->d, "there are two of type %s with id %" PRIu32, p->type,
                 idset_first(twice));
        wrong(b, p, "ids");
        idset_destroy(ids);
        ids = NULL;
    }
    idset_destroy(twice);
    return ids;
}

/* --- pools -------------------------------------------------------------- */

static int make_pools(struct pools_building *b, const struct pool_list *list,
                      struct within *in);

static void set_facts(struct pools_building *b, struct vertex *v,
                      const struct pool *p)
{
    const char *key;
    json_t *value;

    v->size = p->size;
    v->unit = rset_string(b->rs, p->unit);
    json_object_foreach (p->properties, key, value)
        vertex_add_property(b->rs, v, key, json_string_value(value));
    json_object_foreach (p->tags, key, value)
        vertex_tag(v, key, *json_string_value(value) ? value : NULL);
}

/* Under its parent; or beside containment, with an edge that leads to it. */
static void place(struct pools_building *b, struct vertex *v,
                  const struct pool *p, struct within *in)
{
    struct rset *rs = b->rs;

    v->parent = in->parent;
    v->rank = in->rank;
    if (!p->subsystem) {
        *in->end = v;
        in->end = &v->next;
        return;
    }
    v->home = rset_string(rs, p->subsystem);
    v->next = rs->loose;
    rs->loose = v;
    if (in->parent)
        rset_add_link(rs,
                      &(struct link){.subsystem = v->home,
                                     .relationship = jgf_usual_word(v->home),
                                     .source = in->parent,
                                     .target = v});
}

/* A name of its own: what is before its id is the basename. */
static void set_name(struct rset *rs, struct vertex *v, const char *name,
                     bool id_from_name)
{
    const char *basename = v->basename;
    int64_t id = v->id;

    node_on_host(rs, v, name);
    if (id_from_name || v->id == id)
        return;
    v->id = id;
    v->basename = basename;
}

static int name_pool(struct pools_building *b, struct vertex *v,
                     const struct pool *p, bool id_from_name)
{
    struct rset *rs = b->rs;
    const struct named of = {v, v->id, v->rank, NULL};
    char *name;

    if (p->name && name_is_template(p->name)) {
        if (!(name = name_make(p->name, &of, b->d)))
            return wrong(b, p, "name");
        set_name(rs, v, name, false);
        free(name);
    } else if (p->name && !p->counted) {
        set_name(rs, v, p->name, id_from_name);
    } else if (p->name && p->count == 1) {
        set_name(rs, v, p->name, false);
    } else {
        v->basename = p->name ? rset_string(rs, p->name) : v->type;
        v->name = rset_name_by_id(rs, v->basename, v->id);
    }
    if (vertex_is_target(v) && host_check(v->name, b->d) < 0)
        return wrong(b, p, "name");
    return 0;
}

/* A single pool by where it is. */
struct named_place {
    const struct vertex *parent;
    const char *home, *name;
};

static void **at_name(struct pools_building *b, const struct vertex *v)
{
    const struct named_place at = {v->parent, v->home, v->name};

    return &map_at(&b->names, &at, sizeof(at))->value.pointer;
}

/* Two in one place have different names. */
static int check_name(struct pools_building *b, struct vertex *v,
                      const struct pool *p)
{
    void **there = at_name(b, v);

    if (!*there) {
        *there = v;
        return 0;
    }
    diag_set(b->d, "there are two pools named %s here",
             quote(v->name, strlen(v->name)).text);
    return wrong(b, p, p->name ? "name" : "type");
}

static int make_within(struct pools_building *b, const struct pool *p,
                       struct vertex *v, const struct within *in)
{
    bool begins = pool_is_node(p) && !in->in_node;
    struct lite_children own = {0};
    struct within inside = {v, &v->child, in->scope, in->in_node || begins,
                            v->rank};
    int rc;

    if (begins)
        inside.scope = &own;
    rc = make_pools(b, &p->with, &inside);
    lite_children_fini(&own);
    return rc;
}

/* `id` is -1 where the name tells it. */
static int make_single(struct pools_building *b, const struct pool *p,
                       struct within *in, int64_t id)
{
    struct vertex *v = vertex_create(b->rs, p->type);

    v->id = id;
    set_facts(b, v, p);
    place(b, v, p, in);
    if (pool_is_node(p) && !in->in_node)
        v->rank = (int64_t)b->rank++;
    if (name_pool(b, v, p, id < 0) < 0 || check_name(b, v, p) < 0)
        return -1;
    return make_within(b, p, v, in);
}

/* Nodes, which have a host each. */
static int add_hosts(struct pools_building *b, const struct pool *p,
                     const struct idset *ids)
{
    const char *name = p->name ? p->name : p->type;
    char *text, *list;
    int rc;

    if (!ids) {
        if (host_check(name, b->d) < 0)
            return wrong(b, p, "name");
        return hostlist_append(b->hosts, name, strlen(name));
    }
    xasprintf(&text, "%s0", name);
    rc = host_check(text, b->d);
    free(text);
    if (rc < 0)
        return wrong(b, p, "name");
    list = idset_encode(ids);
    xasprintf(&text, "%s[%s]", name, list);
    rc = hostlist_decode(b->hosts, text, strlen(text), b->d);
    free(text);
    free(list);
    return rc < 0 ? wrong(b, p, "name") : 0;
}

/* Takes the ids over; a run of nodes has ranks. */
static int make_pool_run(struct pools_building *b, const struct pool *p,
                         struct within *in, struct idset *ids)
{
    struct vertex *v = vertex_create(b->rs, p->type);
    int rc = 0;

    set_facts(b, v, p);
    place(b, v, p, in);
    v->rank = -1;
    v->run = ids;
    if (!pool_is_node(p))
        return 0;
    v->run = NULL;
    if (b->rank + p->count > (uint64_t)IDSET_MAX + 1) {
        idset_destroy(ids);
        diag_set(b->d, "there are no ranks left above %" PRIu32, IDSET_MAX);
        return wrong(b, p, p->counted ? "count" : "type");
    }
    v->run = idset_create_range((uint32_t)b->rank,
                                (uint32_t)(b->rank + p->count - 1));
    b->rank += p->count;
    rc = add_hosts(b, p, ids);
    idset_destroy(ids);
    return rc < 0 ? -1 : make_within(b, p, v, in);
}

/* What is there already is looked for when all is. */
static int lead(struct pools_building *b, const struct pool *p,
                const struct within *in)
{
    const struct vertex *v = in->parent;
    const struct named of = {v, v->id, v->rank, NULL};
    char *path = name_make(p->path, &of, b->d);

    if (!path)
        return wrong(b, p, "path");
    VECTOR_GROW(b->leading, b->nleading);
    b->leading[b->nleading++] = (struct leading){in->parent, path, p};
    return 0;
}

static int make_pool(struct pools_building *b, const struct pool *p,
                     struct within *in)
{
    bool named = is_named_alone(p) && !in->in_node, runs = b->kind != SINGLES;
    struct idset_iter it;
    struct idset *ids;
    uint32_t id;
    int rc = 0;

    if (p->path)
        return lead(b, p, in);
    if (named && !(runs && pool_is_node(p)))
        return make_single(b, p, in, -1);
    ids = named ? NULL : take_ids(b, p, in->scope);
    if (!named && !ids)
        return -1;
    if (runs && (pool_is_node(p) || (in->in_node && p->with.n == 0)))
        return make_pool_run(b, p, in, ids);
    idset_iter_init(&it, ids);
    while (rc == 0 && idset_iter_next(&it, &id))
        rc = make_single(b, p, in, id);
    idset_destroy(ids);
    return rc;
}

static int make_pools(struct pools_building *b, const struct pool_list *list,
                      struct within *in)
{
    int rc = 0;

    for (size_t i = 0; i < list->n && rc == 0; i++)
        rc = make_pool(b, &list->list[i], in);
    return rc;
}

/* --- paths -------------------------------------------------------------- */

static struct vertex *find_name(const struct pools_building *b,
                                const struct vertex *parent, const char *home,
                                const char *name, size_t len)
{
    char *text = xstrndup(name, len);
    const struct named_place at = {parent, home,
                                   strtab_find(&b->rs->names, text)};
    const struct map_slot *slot = map_find(&b->names, &at, sizeof(at));

    free(text);
    return slot ? slot->value.pointer : NULL;
}

/* The pool at /PATH, or at SUBSYSTEM:/PATH in the hierarchy of its home. */
static struct vertex *find_path(const struct pools_building *b,
                                const char *path)
{
    const char *slash = strchr(path, '/'), *home = NULL;
    struct vertex *v = NULL;
    char *text;

    if (!slash || (slash > path && slash[-1] != ':'))
        return NULL;
    if (slash > path) {
        text = xstrndup(path, (size_t)(slash - path) - 1);
        home = strtab_find(&b->rs->names, text);
        free(text);
        if (!home)
            return NULL;
    }
    do {
        size_t len = strcspn(++slash, "/");
        v = find_name(b, v, home, slash, len);
        slash += len;
    } while (v && *slash);
    return v;
}

/* The edge between two pools, which is there once. */
static bool is_new_edge(struct map *edges, const struct link *l)
{
    const void *key[] = {l->subsystem, l->source, l->target};

    return map_at(edges, key, sizeof(key))->value.number++ == 0;
}

static int follow(struct pools_building *b, const struct leading *l,
                  struct map *edges)
{
    const char *subsystem = rset_string(b->rs, l->pool->subsystem);
    const struct link edge = {.subsystem = subsystem,
                              .relationship = jgf_usual_word(subsystem),
                              .source = l->from,
                              .target = find_path(b, l->path)};

    if (edge.target && is_new_edge(edges, &edge)) {
        rset_add_link(b->rs, &edge);
        return 0;
    }
    diag_set(b->d, "%s: %s", quote(l->path, strlen(l->path)).text,
             edge.target ? "it leads there already" : "there is no such pool");
    return wrong(b, l->pool, "path");
}

static int follow_all(struct pools_building *b)
{
    const struct link *circle;
    struct map edges = {0};
    int rc = 0;

    for (size_t i = 0; i < b->rs->nlinks; i++)
        is_new_edge(&edges, &b->rs->links[i]);
    for (size_t i = 0; i < b->nleading && rc == 0; i++)
        rc = follow(b, &b->leading[i], &edges);
    map_fini(&edges);
    if (rc < 0)
        return -1;
    if (!(circle = forest_circle(b->rs))) {
        forest_plant(b->rs);
        return 0;
    }
    return diag_set(
        b->d, FOREST_CIRCLE_TEXT,
        quote(circle->subsystem, strlen(circle->subsystem)).text,
        quote(circle->target->name, strlen(circle->target->name)).text);
}

/* --- the whole ---------------------------------------------------------- */

/* The only pool in containment, of which it was not said how many there are. */
static const struct pool *find_root(const struct pool_list *tops)
{
    const struct pool *root = NULL;

    for (size_t i = 0; i < tops->n; i++) {
        if (tops->list[i].subsystem)
            continue;
        if (root || tops->list[i].counted || pool_is_node(&tops->list[i]))
            return NULL;
        root = &tops->list[i];
    }
    return root;
}

static int make_all(struct pools_building *b, const struct pool_list *tops,
                    const struct pool *root)
{
    struct within in = {.end = &b->rs->root, .scope = &b->outside, .rank = -1};
    uint64_t n = cost_of(tops, b->kind, false);

    if (n > POOLS_MAX)
        return diag_set(b->d,
                        "%" PRIu64 " pools are more than %d, which is "
                        "too much",
                        n, POOLS_MAX);
    if (!root) {
        struct vertex *top = vertex_add(b->rs, NULL, "cluster", "cluster", 0);
        in.end = &top->child;
        *at_name(b, top) = top;
    }
    for (size_t i = 0; i < tops->n; i++) {
        const struct pool *p = &tops->list[i];
        in.parent = root || p->subsystem ? NULL : b->rs->root;
        if (make_pool(b, p, &in) < 0)
            return -1;
    }
    return 0;
}

/* A host is one node. */
static int check_hosts(struct pools_building *b)
{
    struct hostlist *once = hostlist_sort(b->rs->hosts, true), *all;
    char one[HOSTLIST_NAME_MAX], next[HOSTLIST_NAME_MAX];
    uint64_t i = 0;
    int rc = 0;

    if (hostlist_count(once) < hostlist_count(b->rs->hosts)) {
        all = hostlist_sort(b->rs->hosts, false);
        do {
            hostlist_nth(all, i++, one, sizeof(one));
            hostlist_nth(all, i, next, sizeof(next));
        } while (strcmp(one, next) != 0);
        rc = diag_set(b->d, "there are two nodes named %s",
                      quote(one, strlen(one)).text);
        hostlist_destroy(all);
    }
    hostlist_destroy(once);
    return rc;
}

static int finish(struct pools_building *b)
{
    struct rset *rs = b->rs;

    for (size_t i = 0; i < rs->nvertices; i++)
        vertex_sort_children(rs->vertices[i]);
    if (b->kind == SINGLES) {
        if (rset_index_targets(rs, b->d) < 0 || follow_all(b) < 0)
            return -1;
    } else {
        rset_set_ranks(rs,
                       b->rank == 0
                           ? idset_create()
                           : idset_create_range(0, (uint32_t)(b->rank - 1)),
                       hostlist_copy(b->hosts));
    }
    rs->halves = b->kind == FLAT ? HALF_EXECUTION
                 : b->rank > 0   ? HALF_EXECUTION | HALF_GRAPH
                                 : HALF_GRAPH;
    rs->bare = rs->halves == HALF_GRAPH;
    rs->full = b->kind != FLAT;
    return check_hosts(b);
}

struct rset *pools_build(const struct pool_list *pools, struct diag *d)
{
    struct pools_building b = {
        .rs = rset_create(), .hosts = hostlist_create(), .d = d};
    const struct pool *root = find_root(pools);

    b.kind = kind_of_entries(pools, root);
    if (make_all(&b, pools, root) < 0 || finish(&b) < 0) {
        rset_destroy(b.rs);
        b.rs = NULL;
    }
    lite_children_fini(&b.outside);
    hostlist_destroy(b.hosts);
    map_fini(&b.names);
    for (size_t i = 0; i < b.nleading; i++)
        free(b.leading[i].path);
    free(b.leading);
    return b.rs;
}
