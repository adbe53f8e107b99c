/*
 * Makes a set from the entries of `resources` (config.h). It makes runs if they
 * can represent all entries; otherwise single pools, as in a graph that was
 * read. The contents of a run of nodes are made once.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/saturate.h"
#include "model/document/jgf.h"
#include "model/document/rlite.h"
#include "model/records/tags.h"
#include "model/tree/forest.h"
#include "source/config_private.h"
#include "source/name.h"
#include "source/spec.h"

enum { POOLS_MAX = 1 << 24 };

/* An edge to a pool that is named by its path. */
struct leading {
    struct vertex *from;
    char *path;
    const struct pool_entry *pool;
};

struct pools_building {
    struct rset *rs;
    bool runs;                    /* make runs where possible: see are_runs() */
    struct lite_children outside; /* ids outside of nodes, taken so far */
    uint64_t rank; /* the next one; the set has the hosts of those below it */
    struct map names; /* single pools by named_place */
    struct leading *leading;
    size_t nleading;
    struct diag *d;
};

/* A place in the set where pools are made. */
struct pool_scope {
    struct vertex *parent;
    struct vertex **end; /* link behind its last child */
    struct lite_children
        *scope; /* ids taken so far in the node, or outside of nodes */
    bool in_node;
    int64_t rank;
};

static int wrong(const struct pools_building *b, const struct pool_entry *p,
                 const char *key)
{
    return diag_in(b->d, "%s.%s", p->place, key);
}

/* --- runs, or single pools ---------------------------------------------- */

/* Can a run of hosts have the names of an entry? They must end in its ids. */
static bool named_by_run(const struct pool_entry *p)
{
    if (!p->name)
        return true;
    return !name_is_template(p->name) && p->counted == (p->count > 1)
           && !(p->counted
                && isdigit((unsigned char)p->name[strlen(p->name) - 1]));
}

/* Are all entries of a type runs, or none? Pools of a type are in the order of
   their ids, and single pools do not lie between members of a run. */
static bool are_alike(const struct pool_list *list)
{
    enum { RUNS = 1, SINGLE };
    struct map types = {0};
    bool alike = true;

    for (size_t i = 0; i < list->n && alike; i++) {
        const struct pool_entry *p = &list->list[i];
        struct map_slot *slot = map_at(&types, p->type, strlen(p->type));
        uint64_t kind = p->with.n == 0 ? RUNS : SINGLE;
        alike = slot->value.number == 0 || slot->value.number == kind;
        slot->value.number = kind;
    }
    map_fini(&types);
    return alike;
}

/*
 * Can runs represent these entries below the root, or in a node? Members of a
 * run have no edges, tags or names of their own. Runs of nodes lie directly
 * below the root and have no other pools beside them.
 */
static bool are_runs(const struct pool_list *list, bool in_node)
{
    if (in_node && !are_alike(list))
        return false;
    for (size_t i = 0; i < list->n; i++) {
        const struct pool_entry *p = &list->list[i];
        if (p->subsystem || p->path || p->tags
            || type_is_node(p->type) == in_node)
            return false;
        if (in_node ? p->name != NULL
                    : p->size != 1 || *p->unit || !named_by_run(p))
            return false;
        if (!are_runs(&p->with, true))
            return false;
    }
    return true;
}

static bool is_run(const struct pools_building *b, const struct pool_entry *p,
                   bool in_node)
{
    return b->runs && (pool_is_node(p) || (in_node && p->with.n == 0));
}

/* Count the vertices that the entries will become. */
static uint64_t cost_of(const struct pools_building *b,
                        const struct pool_list *pools, bool in_node)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < pools->n; i++) {
        const struct pool_entry *p = &pools->list[i];
        uint64_t one = cost_of(b, &p->with, in_node || pool_is_node(p));
        sum = saturate_add(
            sum, saturate_multiply(is_run(b, p, in_node) ? 1 : p->count,
                                   saturate_add(1, one)));
    }
    return sum;
}

/* --- pools -------------------------------------------------------------- */

static int make_pool(struct pools_building *b, const struct pool_entry *p,
                     struct pool_scope *in);

/* Return the ids of an entry, a new set: its own, or the next free ones. */
static struct idset *take_ids(struct pools_building *b,
                              const struct pool_entry *p,
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
        diag_set(b->d, "two resources of type %s have id %" PRIu32, p->type,
                 idset_first(twice));
        wrong(b, p, "ids");
        idset_destroy(ids);
        ids = NULL;
    }
    idset_destroy(twice);
    return ids;
}

/*
 * Make the vertex of an entry, with its facts. Adds it below its parent. If it
 * is in another subsystem, adds it to that hierarchy, with an edge from its
 * parent.
 */
static struct vertex *vertex_of_entry(struct pools_building *b,
                                      const struct pool_entry *p,
                                      struct pool_scope *in)
{
    struct rset *rs = b->rs;
    struct vertex *v = vertex_create(rs, p->type);
    const char *key;
    json_t *value;

    v->size = p->size;
    v->unit = rset_string(rs, p->unit);
    json_object_foreach (p->properties, key, value)
        vertex_add_property(rs, v, key, json_string_value(value));
    json_object_foreach (p->tags, key, value)
        vertex_tag(v, key, *json_string_value(value) ? value : NULL);

    v->parent = in->parent;
    v->rank = in->rank;
    if (!p->subsystem) {
        *in->end = v;
        in->end = &v->next;
        return v;
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
    return v;
}

static int make_within(struct pools_building *b, const struct pool_entry *p,
                       struct vertex *v, const struct pool_scope *in)
{
    bool begins = pool_is_node(p) && !in->in_node;
    struct lite_children own = {0};
    struct pool_scope inside = {v, &v->child, begins ? &own : in->scope,
                                in->in_node || begins, v->rank};
    int rc = 0;

    for (size_t i = 0; i < p->with.n && rc == 0; i++)
        rc = make_pool(b, &p->with.list[i], &inside);
    lite_children_fini(&own);
    return rc;
}

/*
 * Make a run of pools with these ids, and take over the ids. A node has a rank
 * and a host instead of ids. If `ids` is NULL there is one node, named like its
 * host.
 */
static int make_run(struct pools_building *b, const struct pool_entry *p,
                    struct pool_scope *in, struct idset *ids)
{
    struct vertex *v = vertex_of_entry(b, p, in);
    const char *name = p->name ? p->name : p->type;
    char *list, *first, *all;
    int rc;

    v->rank = -1;
    if (!pool_is_node(p)) {
        v->run = ids;
        return 0;
    }
    if (b->rank + p->count > (uint64_t)IDSET_MAX + 1) {
        idset_destroy(ids);
        diag_set(b->d, "there are no ranks left above %" PRIu32, IDSET_MAX);
        return wrong(b, p, p->counted ? "count" : "type");
    }
    v->run = idset_create_range((uint32_t)b->rank,
                                (uint32_t)(b->rank + p->count - 1));
    b->rank += p->count;

    list = ids ? idset_encode(ids) : xstrdup("");
    xasprintf(&first, ids ? "%s0" : "%s", name);
    xasprintf(&all, ids ? "%s[%s]" : "%s%s", name, list);
    rc = host_check(first, b->d) < 0
                 || hostlist_decode(b->rs->hosts, all, strlen(all), b->d) < 0
             ? wrong(b, p, "name")
             : make_within(b, p, v, in);
    free(list);
    free(first);
    free(all);
    idset_destroy(ids);
    return rc;
}

/* Give a single pool its name, and its id if it has none yet. */
static int name_pool(struct pools_building *b, struct vertex *v,
                     const struct pool_entry *p)
{
    const struct named_pool of = {v, v->id, v->rank, NULL};
    bool template = p->name && name_is_template(p->name);
    const char *basename = v->basename;
    char *made = NULL;

    if (template && !(made = name_make(p->name, &of, b->d)))
        return wrong(b, p, "name");
    if (template || (p->name && (!p->counted || p->count == 1))) {
        /* The name is given: the part before the id is the basename. */
        node_on_host(b->rs, v, made ? made : p->name);
        if (of.id >= 0 && v->id != of.id) {
            v->id = of.id;
            v->basename = basename;
        }
    } else {
        v->basename = p->name ? rset_string(b->rs, p->name) : v->type;
        v->name = rset_name_by_id(b->rs, v->basename, v->id);
    }
    free(made);
    return vertex_is_target(v) && host_check(v->name, b->d) < 0
               ? wrong(b, p, "name")
               : 0;
}

/* The key of a single pool: its parent, hierarchy and name. */
struct named_place {
    const struct vertex *parent;
    const char *home, *name;
};

static void **at_name(struct pools_building *b, const struct vertex *v)
{
    const struct named_place at = {v->parent, v->home, v->name};

    return &map_at(&b->names, &at, sizeof(at))->value.pointer;
}

/* Make a single pool. If `id` is -1 the id comes from the end of its name. */
static int make_single(struct pools_building *b, const struct pool_entry *p,
                       struct pool_scope *in, int64_t id)
{
    struct vertex *v = vertex_of_entry(b, p, in);
    bool target = pool_is_node(p) && !in->in_node;
    void **there;

    v->id = id;
    if (target)
        v->rank = (int64_t)b->rank++;
    if (name_pool(b, v, p) < 0)
        return -1;
    if (target)
        hostlist_append(b->rs->hosts, v->name);

    there = at_name(b, v);
    if (*there) {
        diag_set(b->d, "there are two resources named %s here",
                 quote_all(v->name).text);
        return wrong(b, p, p->name ? "name" : "type");
    }
    *there = v;
    return make_within(b, p, v, in);
}

static int make_pool(struct pools_building *b, const struct pool_entry *p,
                     struct pool_scope *in)
{
    bool named = p->name && !p->counted && !name_is_template(p->name)
                 && !in->in_node; /* its name ends in its id */
    struct idset *ids = NULL;
    struct idset_iter it;
    uint32_t id;
    int rc = 0;

    if (p->path) { /* an edge, which is made when all pools exist */
        const struct vertex *v = in->parent;
        const struct named_pool of = {v, v->id, v->rank, NULL};
        char *path = name_make(p->path, &of, b->d);

        if (!path)
            return wrong(b, p, "path");
        VECTOR_ADD(b->leading, b->nleading,
                   (struct leading){in->parent, path, p});
        return 0;
    }
    if (!named && !(ids = take_ids(b, p, in->scope)))
        return -1;
    if (is_run(b, p, in->in_node))
        return make_run(b, p, in, ids);
    if (named)
        return make_single(b, p, in, -1);
    idset_iter_init(&it, ids);
    while (rc == 0 && idset_iter_next(&it, &id))
        rc = make_single(b, p, in, id);
    idset_destroy(ids);
    return rc;
}

/* --- paths -------------------------------------------------------------- */

/* Find the pool at /PATH, or at SUBSYSTEM:/PATH in another hierarchy. */
static struct vertex *find_path(const struct pools_building *b,
                                const char *path)
{
    const char *slash = strchr(path, '/');
    const struct map_slot *word;
    struct named_place at = {0};
    size_t len;

    if (!slash || (slash > path && slash[-1] != ':'))
        return NULL;
    if (slash > path) {
        word = map_find(&b->rs->names, path, (size_t)(slash - path) - 1);
        if (!word)
            return NULL;
        at.home = word->key;
    }
    do {
        len = strcspn(++slash, "/");
        word = map_find(&b->rs->names, slash, len);
        at.name = word ? word->key : NULL;
        at.parent = map_get(&b->names, &at, sizeof(at));
        slash += len;
    } while (at.parent && *slash);
    return (struct vertex *)at.parent;
}

/* Note an edge; returns false if there is one already. */
static bool is_new_edge(struct map *edges, const struct link *l)
{
    const void *key[] = {l->subsystem, l->source, l->target};

    return map_at(edges, key, sizeof(key))->value.number++ == 0;
}

static int follow_paths(struct pools_building *b)
{
    const struct link *circle;
    struct map edges = {0};
    int rc = 0;

    for (size_t i = 0; i < b->rs->nlinks; i++)
        is_new_edge(&edges, &b->rs->links[i]);
    for (size_t i = 0; i < b->nleading && rc == 0; i++) {
        const struct leading *l = &b->leading[i];
        const char *subsystem = rset_string(b->rs, l->pool->subsystem);
        const struct link edge = {.subsystem = subsystem,
                                  .relationship = jgf_usual_word(subsystem),
                                  .source = l->from,
                                  .target = find_path(b, l->path)};
        if (edge.target && is_new_edge(&edges, &edge)) {
            rset_add_link(b->rs, &edge);
            continue;
        }
        diag_set(b->d, "%s: %s", quote_all(l->path).text,
                 edge.target ? "there is such an edge already"
                             : "there is no such resource");
        rc = wrong(b, l->pool, "path");
    }
    map_fini(&edges);
    if (rc < 0)
        return -1;
    if (!(circle = forest_circle(b->rs))) {
        forest_plant(b->rs);
        return 0;
    }
    return diag_set(b->d, FOREST_CIRCLE_TEXT, quote_all(circle->subsystem).text,
                    quote_all(circle->target->name).text);
}

/* --- the whole ---------------------------------------------------------- */

/* Return the root: the only pool in containment, given without a count. */
static const struct pool_entry *find_root(const struct pool_list *tops)
{
    const struct pool_entry *root = NULL;

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
                    const struct pool_entry *root)
{
    struct pool_scope in = {
        .end = &b->rs->root, .scope = &b->outside, .rank = -1};
    uint64_t n;

    b->runs = root ? tops->n == 1 && !root->tags && are_runs(&root->with, false)
                   : are_runs(tops, false);
    if ((n = cost_of(b, tops, false)) > POOLS_MAX)
        return diag_set(b->d, "%" PRIu64 " resources are too many: at most %d",
                        n, POOLS_MAX);
    if (!root) {
        struct vertex *top = vertex_add(b->rs, NULL, "cluster", 0);
        in.end = &top->child;
        *at_name(b, top) = top;
    }
    for (size_t i = 0; i < tops->n; i++) {
        const struct pool_entry *p = &tops->list[i];
        in.parent = root || p->subsystem ? NULL : b->rs->root;
        if (make_pool(b, p, &in) < 0)
            return -1;
    }
    for (size_t i = 0; i < b->rs->nvertices; i++)
        vertex_sort_children(b->rs->vertices[i]);
    return b->runs ? 0 : follow_paths(b);
}

/* Can an R represent all of the set? `root` is the entry of its root,
   or NULL. */
static bool is_plain(const struct rset *rs, const struct pool_entry *root)
{
    const struct vertex *top = rs->root, *v = top;

    if (root
        && (root->name || root->properties || root->size != 1 || *root->unit
            || strcmp(root->type, "cluster") != 0))
        return false;
    while ((v = vertex_next(top, v, false)))
        if (!v->run || v->size != 1 || *v->unit
            || (v->parent != top
                && (v->properties || !rlite_type(rs, v->type))))
            return false;
    return true;
}

struct rset *pools_build(const struct pool_list *pools, struct diag *d)
{
    struct rset *rs = rset_create();
    struct pools_building b = {.rs = rs, .d = d};
    const struct pool_entry *root = find_root(pools);
    char host[HOSTLIST_NAME_MAX];
    int rc;

    rs->hosts = hostlist_create();
    rc = make_all(&b, pools, root);
    if (rc == 0 && hostlist_repeats(rs->hosts, host))
        rc = diag_set(d, "there are two nodes named %s", quote_all(host).text);
    if (rc < 0) {
        rset_destroy(rs);
        rs = NULL;
        goto out;
    }
    rs->ranks = b.rank == 0 ? idset_create()
                            : idset_create_range(0, (uint32_t)(b.rank - 1));
    rs->document.full = !b.runs || !is_plain(rs, root);
    rs->document.halves = rs->document.full ? HALF_GRAPH : 0;
    if (b.rank > 0 || !rs->document.full)
        rs->document.halves |= HALF_EXECUTION;
    rs->document.bare = rs->document.halves == HALF_GRAPH;
out:
    lite_children_fini(&b.outside);
    map_fini(&b.names);
    for (size_t i = 0; i < b.nleading; i++)
        free(b.leading[i].path);
    free(b.leading);
    return rs;
}
