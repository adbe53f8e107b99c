#include "model/path.h"

#include <stdlib.h>
#include <string.h>

char *vertex_path(const struct vertex *v)
{
    char *up = v->parent ? vertex_path(v->parent) : strdup(""), *path;

    if (!up || asprintf(&path, "%s/%s", up, v->name ? v->name : v->type) < 0)
        path = NULL;
    free(up);
    return path;
}

static bool is_named(const struct vertex *v, const char *name, size_t len)
{
    return v->name && strlen(v->name) == len && !memcmp(v->name, name, len);
}

static int no_such(const char *uri, const char *rest, struct diag *d)
{
    size_t len = (size_t)(rest - uri) + strcspn(rest, "/");

    return diag_set(d, "%s: there is no such vertex", quote(uri, len).text);
}

static struct vertex *find_child(struct vertex *first, const char *name,
                                 size_t len)
{
    while (first && !is_named(first, name, len))
        first = first->next;
    return first;
}

static struct vertex *find_contained(const struct rset *rs, const char *uri,
                                     const char *path, struct diag *d)
{
    struct vertex *v = NULL, *level = rs->root;
    const char *p = path;

    while (*p == '/') {
        size_t len = strcspn(++p, "/");
        if (!(v = find_child(level, p, len))) {
            no_such(uri, p, d);
            return NULL;
        }
        level = v->child;
        p += len;
    }
    return v;
}

/* The vertex that v leads to by that name in a subsystem. */
static struct vertex *follow(const struct rset *rs, const char *subsystem,
                             const struct vertex *v, const char *name,
                             size_t len)
{
    for (size_t i = 0; i < rs->nlinks; i++) {
        const struct link *l = &rs->links[i];
        if (l->source == v && l->subsystem == subsystem
            && is_named(l->target, name, len))
            return l->target;
    }
    return NULL;
}

/* A vertex of that name that no link of the subsystem leads to. */
static struct vertex *find_top(const struct rset *rs, const char *subsystem,
                               const char *name, size_t len)
{
    for (size_t i = 0; i < rs->nlinks; i++) {
        struct vertex *v = rs->links[i].source;
        bool top = rs->links[i].subsystem == subsystem
                   && is_named(v, name, len);
        for (size_t j = 0; j < rs->nlinks && top; j++)
            top = rs->links[j].target != v
                  || rs->links[j].subsystem != subsystem;
        if (top)
            return v;
    }
    return NULL;
}

static struct vertex *find_linked(const struct rset *rs, const char *uri,
                                  const char *path, struct diag *d)
{
    struct vertex *v = NULL;
    const char *p = path, *subsystem = NULL;

    for (size_t i = 0; i < rs->nlinks && !subsystem; i++) {
        const char *name = rs->links[i].subsystem;
        if (strlen(name) == (size_t)(path - 1 - uri)
            && !strncmp(name, uri, strlen(name)))
            subsystem = name;
    }
    if (!subsystem) {
        diag_set(d, "%s: there is no such subsystem",
                 quote(uri, strlen(uri)).text);
        return NULL;
    }
    while (*p == '/') {
        size_t len = strcspn(++p, "/");
        v = v ? follow(rs, subsystem, v, p, len)
              : find_top(rs, subsystem, p, len);
        if (!v) {
            no_such(uri, p, d);
            return NULL;
        }
        p += len;
    }
    return v;
}

struct vertex *rset_find_path(const struct rset *rs, const char *uri,
                              struct diag *d)
{
    const char *colon = strchr(uri, ':');
    const char *path = colon && colon[1] == '/' ? colon + 1 : uri;

    if (*path != '/' || !path[1]) {
        diag_set(d, "%s: expected /PATH or SUBSYSTEM:/PATH",
                 quote(uri, strlen(uri)).text);
        return NULL;
    }
    if (path == uri || !strncmp(uri, "containment:", 12))
        return find_contained(rs, uri, path, d);
    return find_linked(rs, uri, path, d);
}

/* --- unlink ----------------------------------------------------------------
 */

static bool linked(const struct rset *rs, const struct vertex *v)
{
    for (size_t i = 0; i < rs->nlinks; i++)
        if (rs->links[i].source == v || rs->links[i].target == v)
            return true;
    return false;
}

/* Pools that are in other subsystems stay beside the tree. */
static void move_loose(struct rset *rs, struct vertex *v)
{
    struct vertex *next;

    for (struct vertex *c = v->child; c; c = next) {
        next = c->next;
        move_loose(rs, c);
    }
    v->child = NULL;
    v->parent = NULL;
    v->rank = -1; /* a target is in containment */
    if (v->index) {
        v->next = rs->loose;
        rs->loose = v;
    }
}

static int check_unheld(const struct vertex *top, struct diag *d)
{
    for (const struct vertex *up = top->parent; up; up = up->parent)
        for (const struct claim *c = up->records ? up->records->claims : NULL;
             c; c = c->next)
            if (c->size >= up->size)
                return diag_set(d, "%s is held by job %s with all in it",
                                quote(up->name, strlen(up->name)).text, c->job);
    for (const struct vertex *v = top; v; v = vertex_next(top, v, false))
        if (v->records && v->records->claims)
            return diag_set(d, "%s is held by job %s",
                            quote(v->name, strlen(v->name)).text,
                            v->records->claims->job);
    return 0;
}

/* Out of a subsystem: a pool that is in no other is gone. */
static void leave_subsystem(struct rset *rs, struct vertex *v,
                            const char *subsystem)
{
    size_t n = 0;

    for (size_t i = 0; i < rs->nlinks; i++) {
        const struct link *l = &rs->links[i];
        if ((l->source != v && l->target != v)
            || strcmp(l->subsystem, subsystem))
            rs->links[n++] = *l;
    }
    rs->nlinks = n;
    if (!v->parent && v != rs->root && !linked(rs, v))
        vertex_unlink(rs, v);
}

int rset_unlink(struct rset *rs, struct vertex *v, const char *uri,
                struct diag *d)
{
    const char *colon = strchr(uri, ':');

    if (*uri != '/' && colon && strncmp(uri, "containment:", 12)) {
        char *subsystem = strndup(uri, (size_t)(colon - uri));
        if (!subsystem)
            return diag_oom(d);
        leave_subsystem(rs, v, subsystem);
        free(subsystem);
        return 0;
    }
    if (check_unheld(v, d) < 0)
        return 1;
    for (struct vertex *c = v; c; c = vertex_next(v, c, false))
        c->index = linked(rs, c); /* a member of another subsystem, too */
    vertex_unlink(rs, v);
    move_loose(rs, v);
    return rset_index_targets(rs, d);
}

/* --- attach ----------------------------------------------------------------
 */

static void append_child(struct vertex *parent, struct vertex *v)
{
    struct vertex **end = &parent->child;

    while (*end)
        end = &(*end)->next;
    *end = v;
    v->parent = parent;
}

static int import_loose(struct rset *rs, const struct rset *other)
{
    struct vertex **end = &rs->loose;

    while (*end)
        end = &(*end)->next;
    for (struct vertex *v = other->loose; v; v = v->next) {
        if (!(*end = vertex_import_all(rs, v)))
            return -1;
        end = &(*end)->next;
    }
    return 0;
}

static bool has_rank(const struct rset *rs)
{
    for (const struct vertex *v = rset_first(rs); v; v = rset_next(rs, v))
        if (v->rank >= 0 || v->run)
            return true;
    return false;
}

int rset_attach(struct rset *rs, struct vertex *v, struct rset *other,
                struct diag *d)
{
    struct vertex *copy;

    if (!other->root)
        return 0;
    if (v->rank >= 0 && has_rank(other))
        return diag_set(d,
                        "%s is of rank %lld: what has a rank of its own "
                        "can't be put there",
                        quote(v->name, strlen(v->name)).text,
                        (long long)v->rank);
    if (find_child(v->child, other->root->name, strlen(other->root->name)))
        return diag_set(
            d, "%s has a child %s already",
            quote(v->name, strlen(v->name)).text,
            quote(other->root->name, strlen(other->root->name)).text);
    if (!(copy = vertex_import_all(rs, other->root))
        || import_loose(rs, other) < 0 || rset_import_links(rs, other) < 0)
        return diag_oom(d);
    append_child(v, copy);
    for (struct vertex *c = copy; c && v->rank >= 0;
         c = vertex_next(copy, c, false))
        c->rank = v->rank;
    vertex_sort_children(v);
    return rset_index_targets(rs, d);
}
