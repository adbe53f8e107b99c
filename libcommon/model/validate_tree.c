/*
 * Validation of containment: edges have given each vertex at most one parent;
 * is that one tree, in which everything is in its place?
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/hash.h"
#include "model/validate_private.h"

/* --- what is true of a vertex in its place ------------------------------ */

/* What is below a node is of the node's rank, whether it says so or not. */
static void take_rank(struct graph *g, struct pool *p)
{
    const struct pool *up = p->parent;

    if (!up)
        return;
    if (p->rank < 0)
        p->rank = up->rank;
    else if (up->rank >= 0 && p->rank != up->rank)
        pool_fault(g, p, RULE_RANK_DIFFERS, "rank",
                   "%s of rank %lld lies in rank %lld", pool_quote(p).text,
                   (long long)p->rank, (long long)up->rank);
}

static bool host_can_be(struct graph *g, const char *name)
{
    struct hostlist *one = hostlist_create();
    bool good = one && hostlist_append(one, name, strlen(name)) == 0;

    if (!one)
        g->c->failed = true;
    hostlist_destroy(one);
    return good || g->c->failed;
}

/* Nodes in a node are not execution targets of their own. */
static void take_target(struct graph *g, struct pool *p)
{
    struct map_slot *slot;

    p->target = p->parent ? p->parent->target : NULL;
    if (p->target || p->rank < 0 || !p->type || !type_is_node(p->type))
        return;
    p->target = p;
    if (p->name && !host_can_be(g, p->name))
        pool_fault(g, p, RULE_HOST_NAME, NULL, "%s: no host can be named so",
                   pool_quote(p).text);
    slot = map_at(&g->targets, &p->rank, sizeof(p->rank));
    idset_add(g->ranks, (uint32_t)p->rank, (uint32_t)p->rank);
    if (slot->value.pointer)
        pool_fault(g, p, RULE_NODE_RANK_TWICE, "rank",
                   "rank %lld: two nodes have this rank", (long long)p->rank);
    else
        slot->value.pointer = p;
}

/* Path and rank are the identity of a vertex: no two siblings share them. */
static void check_sibling(struct graph *g, struct map *siblings,
                          const struct pool *p)
{
    struct {
        const struct pool *parent;
        int64_t rank;
        const char *type, *name;
    } key = {.parent = p->parent, .rank = p->rank};
    struct map_slot *slot;

    if (!p->parent || !p->name)
        return;
    key.type = strtab_intern(&g->c->names, p->type, strlen(p->type));
    key.name = strtab_intern(&g->c->names, p->name, strlen(p->name));
    slot = map_at(siblings, &key, sizeof(key));
    if (!slot || !key.type || !key.name)
        g->c->failed = true;
    else if (slot->value.number++)
        pool_fault(g, p, RULE_SIBLING_TWICE, NULL,
                   "%s holds two pools named %s", pool_quote(p->parent).text,
                   pool_quote(p).text);
}

/* --- paths -------------------------------------------------------------- */

static void take_hash(struct pool *p)
{
    uint64_t up = p->parent ? p->parent->hash : HASH_START;

    if (up && p->name)
        p->hash = hash_bytes(hash_bytes(up, "/", 1), p->name, strlen(p->name));
}

/* Depth is bounded where this is used. */
static void write_path(const struct pool *p, FILE *fp)
{
    if (p->parent)
        write_path(p->parent, fp);
    fprintf(fp, "/%s", p->name);
}

static void path_differs(struct graph *g, const struct pool *p)
{
    char *path = NULL;
    size_t len;
    FILE *fp = memory_open(&path, &len);

    if (!fp) {
        g->c->failed = true;
        return;
    }
    write_path(p, fp);
    memory_close(fp);
    pool_fault(g, p, RULE_PATH_DIFFERS, "paths.containment",
               "%s: by the edges it is %s",
               quote(p->path, strlen(p->path)).text, quote(path, len).text);
    free(path);
}

static void check_path(struct graph *g, const struct pool *p)
{
    if (p->path && p->hash && p->depth <= DEPTH_MAX
        && hash_bytes(HASH_START, p->path, strlen(p->path)) != p->hash)
        path_differs(g, p);
}

/* --- walking ------------------------------------------------------------ */

static void visit(struct graph *g, struct map *siblings, struct pool *p)
{
    p->met = true;
    g->order[g->norder++] = p;
    p->depth = p->parent ? p->parent->depth + 1 : 1;
    if (p->depth == DEPTH_MAX + 1)
        pool_fault(g, p, RULE_DEPTH, NULL, "containment is deeper than %d",
                   DEPTH_MAX);
    take_rank(g, p);
    take_target(g, p);
    check_sibling(g, siblings, p);
    take_hash(p);
    check_path(g, p);
}

static struct pool *next_pool(const struct pool *p)
{
    if (p->child)
        return p->child;
    for (; p; p = p->parent)
        if (p->next)
            return p->next;
    return NULL;
}

/* A root has no siblings, and so the walk ends with what is below it. */
static void walk(struct graph *g, struct map *siblings, struct pool *root)
{
    for (struct pool *p = root; p && !g->c->failed; p = next_pool(p))
        visit(g, siblings, p);
}

static void list_children(struct graph *g)
{
    for (size_t i = g->n; i-- > 0;) {
        struct pool *p = &g->list[i];
        if (!p->parent)
            continue;
        p->next = p->parent->child;
        p->parent->child = p;
    }
}

/* The one pool that says that it is the root of containment. */
static struct pool *find_placed(const struct graph *g)
{
    struct pool *found = NULL;

    for (size_t i = 0; i < g->n; i++) {
        struct pool *p = &g->list[i];
        if (p->parent || !p->path || !p->name || p->path[0] != '/'
            || strcmp(p->path + 1, p->name) != 0)
            continue;
        if (found)
            return NULL;
        found = p;
    }
    return found && found->id && !found->parent && found->linked ? found : NULL;
}

/*
 * Walk from all that has no parent. One of these is the root; what other
 * subsystems alone hold is none. Returns the number of roots.
 */
static size_t walk_roots(struct graph *g, struct map *siblings)
{
    const struct pool *root = NULL;
    struct pool *placed;
    size_t n = 0;

    for (size_t i = 0; i < g->n; i++) {
        struct pool *p = &g->list[i];
        if (p->parent || !p->id)
            continue;
        if (p->linked && !p->child && !p->orphan) {
            p->met = true;
            continue;
        }
        if (!p->orphan && root)
            pool_fault(g, p, RULE_TWO_ROOTS, NULL,
                       "%s and %s: containment has two roots",
                       pool_quote(root).text, pool_quote(p).text);
        else if (!p->orphan)
            root = p;
        walk(g, siblings, p);
        n++;
    }
    if (n == 0 && (placed = find_placed(g))) {
        walk(g, siblings, placed);
        n++;
    }
    return n;
}

/* --- circles ------------------------------------------------------------ */

/* Go up from p until a circle closes or known ground is reached. */
static struct pool *find_circle(struct pool *p, size_t walk_number)
{
    while (!p->met && !p->walk) {
        p->walk = walk_number;
        p = p->parent;
    }
    return !p->met && p->walk == walk_number ? p : NULL;
}

static void tell_circle(struct graph *g, struct pool *first)
{
    struct pool *p = first;

    pool_fault(g, first, RULE_CYCLE, NULL,
               "containment runs in a circle: %s lies in %s",
               pool_quote(first).text, pool_quote(first->parent).text);
    do {
        p->met = true;
        p = p->parent;
    } while (p != first);
}

/* All that was not met is in a circle or below one. True if there is any. */
static bool check_circles(struct graph *g)
{
    bool any = false;

    for (size_t i = 0; i < g->n; i++) {
        struct pool *p = &g->list[i], *circle;
        if (p->met || !p->id)
            continue;
        any = true;
        if ((circle = find_circle(p, i + 1)))
            tell_circle(g, circle);
    }
    for (size_t i = 0; any && i < g->n; i++)
        if (!g->list[i].met && g->list[i].id)
            pool_fault(g, &g->list[i], RULE_UNREACHABLE, NULL,
                       "%s is not below the root",
                       pool_quote(&g->list[i]).text);
    return any;
}

void check_tree(struct graph *g)
{
    struct map siblings = {0};
    size_t roots;

    g->order = xcalloc(g->n + 1, sizeof(struct pool *));
    g->ranks = idset_create();
    if (!g->order || !g->ranks) {
        g->c->failed = true;
        return;
    }
    list_children(g);
    roots = walk_roots(g, &siblings);
    if (!check_circles(g) && roots == 0 && g->n > 0)
        fault(g->c, RULE_NO_ROOT, g->at, "containment has no root");
    map_fini(&siblings);
}
