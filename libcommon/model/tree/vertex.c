/* Vertices (rset.h): making them, their places, names and order. rset.c is
   about the whole set, properties.c about properties. */
#include "model/tree/rset.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/digits.h"

const char *const pool_state_names[NODE_STATE_WORDS] = {
    "up",      "down",     "degraded", "failing", "unknown", "none",
    "drained", "draining", "idle",     "mixed",   "full"};

int pool_state_from_name(const char *name)
{
    return word_find(pool_state_names, POOL_STATES, sizeof(char *), name);
}

struct near pool_state_near(const char *word, int n)
{
    struct near near = {.word = word, .len = strlen(word)};

    for (int i = 0; i < n; i++)
        near_try(&near, pool_state_names[i]);
    return near;
}

int64_t vertex_share(const struct vertex *top, const struct vertex *v)
{
    return v->size / top->size;
}

bool vertex_taken_whole(const struct vertex *v)
{
    if (!v->exclusive)
        return false;
    if (!v->child)
        return v->size > 1 && !(v->parent && v->parent->exclusive);
    for (const struct vertex *c = v->child; c; c = c->next)
        if (!c->exclusive)
            return true;
    return false;
}

bool type_is_node(const char *type)
{
    /* called for every pool and grant: usually the first letter decides */
    return (*type == 'n' && !strcmp(type, "node"))
           || (*type == 's' && !strcmp(type, "storage_node"));
}

bool vertex_in_node(const struct vertex *v)
{
    for (; v; v = v->parent)
        if (type_is_node(v->type))
            return true;
    return false;
}

/* Runs lie below the root, except that a run implied by R_lite may lie in a
   rack. A node in a node has the rank of the outer node, and is no target. */
bool vertex_is_target(const struct vertex *v)
{
    const struct vertex *up = v->parent;

    if (!type_is_node(v->type))
        return false;
    if (v->run)
        return up && (!up->parent || (v->implied && up->rank < 0));
    for (; up && up->rank >= 0; up = up->parent)
        if (type_is_node(up->type))
            return false;
    return v->rank >= 0;
}

struct vertex *vertex_target(const struct vertex *v)
{
    while (v && !vertex_is_target(v))
        v = v->parent;
    return (struct vertex *)v;
}

struct vertex *vertex_create(struct rset *rs, const char *type)
{
    struct vertex *v = rs->spare;

    if (v) {
        rs->spare = v->next;
        v->next = NULL;
    } else {
        v = arena_alloc(&rs->arena, sizeof(*v));
        VECTOR_ADD(rs->vertices, rs->nvertices, v);
    }
    v->type = rset_string(rs, type);
    v->unit = "";
    v->basename = v->type;
    v->id = v->rank = -1;
    v->size = 1;
    return v;
}

void vertices_spare(struct rset *rs, struct vertex *list)
{
    rs->cuts++;
    for (struct vertex *v = list, *next; v; v = next) {
        next = v->next;
        vertices_spare(rs, v->child);
        idset_destroy(v->run);
        json_decref(v->extra);
        *v = (struct vertex){.next = rs->spare};
        rs->spare = v;
    }
}

void vertex_append(struct vertex *parent, struct vertex *v)
{
    struct vertex **end = &parent->child;

    while (*end)
        end = &(*end)->next;
    *end = v;
    v->parent = parent;
    v->next = NULL;
}

const char *rset_name_by_id(struct rset *rs, const char *basename, int64_t id)
{
    size_t len = strlen(basename);
    const char *name;
    char *text;

    if (id < 0)
        return rset_string(rs, basename);
    text = xmalloc(len + DIGITS_MAX + 1);
    memcpy(text, basename, len);
    *put_number(text + len, (uint64_t)id) = '\0';
    name = rset_string(rs, text);
    free(text);
    return name;
}

bool is_name_by_id(const char *name, const char *basename, int64_t id)
{
    size_t len = strlen(basename);
    char digits[DIGITS_MAX + 1] = "";

    if (id >= 0)
        *put_number(digits, (uint64_t)id) = '\0';
    return !strncmp(name, basename, len) && !strcmp(name + len, digits);
}

struct vertex *vertex_add(struct rset *rs, struct vertex *parent,
                          const char *type, int64_t id)
{
    struct vertex *v = vertex_create(rs, type);

    v->name = rset_name_by_id(rs, v->basename, id);
    v->id = id;
    if (parent) {
        vertex_append(parent, v);
        v->rank = parent->rank;
    } else {
        rs->root = v;
    }
    return v;
}

struct vertex *vertex_add_run(struct rset *rs, struct vertex *parent,
                              const char *type, struct idset *run)
{
    struct vertex *v = vertex_create(rs, type);

    v->run = run;
    vertex_append(parent, v);
    return v;
}

void vertex_unlink(struct rset *rs, struct vertex *v)
{
    struct vertex **link = v->parent ? &v->parent->child : &rs->loose;

    if (rs->root == v) {
        rs->root = NULL;
        return;
    }
    while (*link && *link != v)
        link = &(*link)->next;
    if (*link)
        *link = v->next;
    v->parent = v->next = NULL;
}

/* --- names and counts --------------------------------------------------- */

uint64_t vertex_count(const struct vertex *v)
{
    return v->run ? idset_count(v->run) : 1;
}

const char *vertex_name(const struct rset *rs, const struct vertex *v,
                        uint32_t n, char buf[VERTEX_NAME_MAX])
{
    if (v->name)
        return v->name;
    if (!vertex_is_target(v) || rset_host(rs, n, buf) < 0)
        snprintf(buf, VERTEX_NAME_MAX, "%s%u", v->basename, n);
    return buf;
}

bool vertex_folds(const struct vertex *v)
{
    return v->run
           || (v->id >= 0 && v->id <= (int64_t)IDSET_MAX
               && is_name_by_id(v->name, v->basename, v->id));
}

/* --- order -------------------------------------------------------------- */

int vertex_compare(const struct vertex *a, const struct vertex *b)
{
    int c = a->type == b->type ? 0 : strcmp(a->type, b->type);

    if (c)
        return c;
    if (a->run && b->run)
        return COMPARE(idset_first(a->run), idset_first(b->run));
    if (!a->run != !b->run)
        return a->run ? -1 : 1;
    if ((c = COMPARE(a->rank, b->rank)) || (c = COMPARE(a->id, b->id)))
        return c;
    if ((c = strcmp(a->name, b->name)))
        return c;
    if (a->home != b->home)
        return !a->home || (b->home && strcmp(a->home, b->home) < 0) ? -1 : 1;
    return strcmp(a->above ? a->above : "", b->above ? b->above : "");
}

static int compare_children(const void *a, const void *b)
{
    return vertex_compare(*(struct vertex *const *)a,
                          *(struct vertex *const *)b);
}

void vertex_sort_children(struct vertex *v)
{
    struct vertex **list = NULL, **end = &v->child;
    bool sorted = true;
    size_t n = 0;

    for (const struct vertex *c = v->child; c && sorted; c = c->next)
        sorted = !c->next || vertex_compare(c, c->next) <= 0;
    if (sorted)
        return;
    for (struct vertex *c = v->child; c; c = c->next)
        VECTOR_ADD(list, n, c);
    qsort(list, n, sizeof(*list), compare_children);
    for (size_t i = 0; i < n; i++, end = &(*end)->next)
        *end = list[i];
    *end = NULL;
    free(list);
}

static int compare_spans(const void *a, const void *b)
{
    return COMPARE(((const struct span *)a)->lo, ((const struct span *)b)->lo);
}

size_t vertex_spans(const struct vertex *parent, struct span **spans)
{
    struct vertex *first = vertex_child(parent);
    size_t n = 0, at = 0, alike;

    for (const struct vertex *c = first; c; c = c->next)
        n += c->run ? idset_nranges(c->run) : 1;
    *spans = xmalloc((n + 1) * sizeof(**spans));
    for (struct vertex *c = first; c; c = c->next) {
        if (!c->run)
            (*spans)[at++] = (struct span){.v = c};
        for (size_t i = 0; c->run && i < idset_nranges(c->run); i++) {
            struct idrange r = idset_range(c->run, i);
            (*spans)[at++] = (struct span){.v = c, .lo = r.lo, .hi = r.hi};
        }
    }
    for (at = 0; at < n; at += alike) { /* by type, then by members */
        struct span *s = *spans + at;
        for (alike = 1; at + alike < n && s->v->run && s[alike].v->run
                        && !strcmp(s[alike].v->type, s->v->type);)
            alike++;
        VECTOR_SORT(s, alike, compare_spans);
    }
    return n;
}

bool vertex_is_in(const struct vertex *v, const struct vertex *top)
{
    while (v && v != top)
        v = v->parent;
    return v;
}

struct vertex *vertex_next(const struct vertex *top, const struct vertex *v,
                           bool over)
{
    if (v->child && !over)
        return vertex_child(v);
    for (; v && v != top; v = v->parent)
        if (v->next)
            return v->next;
    return NULL;
}

/* --- paths and places ----------------------------------------------------- */

char *vertex_path(const struct vertex *v)
{
    char *up = v->parent ? vertex_path(v->parent)
                         : xstrdup(v->above ? v->above : "");
    char *path;

    xasprintf(&path, "%s/%s", up, v->name ? v->name : v->type);
    free(up);
    return path;
}

void vertex_write_name(const struct rset *rs, const struct vertex *v,
                       const struct idset *members, FILE *fp)
{
    if (!members) {
        fputs(v->name, fp);
    } else if (vertex_is_target(v) && rs->hosts) {
        struct hostlist *hosts = rset_hosts_at(rs, members);
        hostlist_write(hosts, fp);
        hostlist_destroy(hosts);
    } else {
        fputs(v->basename, fp);
        idset_write_members(members, fp);
    }
}

static void put_path(const struct rset *rs, const struct vertex *v, int depth,
                     FILE *fp)
{
    if (v->parent && depth < DEPTH_MAX)
        put_path(rs, v->parent, depth + 1, fp);
    else if (v->above)
        fputs(v->above, fp);
    putc('/', fp);
    vertex_write_name(rs, v, v->run, fp);
}

/* Containment is not named in a path. */
char *vertex_place(const struct rset *rs, const struct vertex *v)
{
    char *text;
    FILE *fp = memory_open(&text, NULL);

    if (v->home)
        fprintf(fp, "%s:", v->home);
    put_path(rs, v, 0, fp);
    return memory_take(fp, &text, true);
}
