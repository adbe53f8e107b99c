/* Extracts one hierarchy from a set (subsystem.h). */
#include "view/subsystem.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "base/near.h"
#include "model/records/usage.h"

/* An edge between two pools, given by their positions in the set. */
struct pool_edge {
    uint32_t from, to;
};

struct taking {
    struct rset *rs, *out;
    const char *name;
    struct taken_pool {
        struct vertex *v;
        bool in, below, done; /* in it; below another; taken with contents */
        size_t first;         /* its first step, if it has any */
    } * list;                 /* all pools in the order of the set */
    size_t n;
    struct pool_edge *steps; /* edges, sorted */
    size_t nsteps;
};

static int compare_steps(const void *a, const void *b)
{
    const struct pool_edge *x = a, *y = b;
    int c = COMPARE(x->from, y->from);

    return c ? c : COMPARE(x->to, y->to);
}

static void add_step(struct taking *t, const struct vertex *from,
                     const struct vertex *to)
{
    VECTOR_ADD(t->steps, t->nsteps, (struct pool_edge){from->index, to->index});
    t->list[from->index].in = t->list[to->index].in = true;
    t->list[to->index].below = true;
}

/* Find the steps of the hierarchy: its edges, and the parents of pools whose
   home it is. */
static void find_steps(struct taking *t)
{
    for (struct vertex *v = rset_first(t->rs); v; v = rset_next(t->rs, v)) {
        v->index = (uint32_t)t->n;
        VECTOR_ADD(t->list, t->n, (struct taken_pool){.v = v});
    }
    for (size_t i = 0; i < t->rs->nlinks; i++)
        if (texts_equal(t->rs->links[i].subsystem, t->name))
            add_step(t, t->rs->links[i].source, t->rs->links[i].target);
    for (size_t i = 0; i < t->n; i++) {
        const struct vertex *v = t->list[i].v;
        if (!texts_equal(v->home, t->name))
            continue;
        t->list[i].in = true;
        if (v->parent)
            add_step(t, v->parent, v);
    }
    VECTOR_SORT(t->steps, t->nsteps, compare_steps);
    for (size_t i = t->nsteps; i-- > 0;)
        t->list[t->steps[i].from].first = i;
}

/* Copy a pool and all pools below it. Returns NULL if that is too deep. */
static struct vertex *take(struct taking *t, uint32_t at, unsigned depth)
{
    struct taken_pool *pool = &t->list[at];
    struct vertex *v = pool->v, *copy = vertex_import(t->out, v),
                  **end = &copy->child;

    copy->home = rset_string(t->out, t->name);
    if (!texts_equal(v->home, t->name))
        copy->above = NULL;
    copy->run = v->run ? idset_copy(v->run) : NULL;
    copy->lot = v->lot;
    if (pool->done)
        return copy;
    pool->done = true;
    for (size_t i = pool->first; i < t->nsteps && t->steps[i].from == at; i++) {
        if (i > 0 && !compare_steps(&t->steps[i], &t->steps[i - 1]))
            continue;
        if (depth == DEPTH_MAX || !(*end = take(t, t->steps[i].to, depth + 1)))
            return NULL;
        (*end)->parent = copy;
        end = &(*end)->next;
    }
    return copy;
}

void rset_each_subsystem(const struct rset *rs, word_fn *next, void *arg)
{
    struct map names = {0};

    map_intern(&names, "containment", strlen("containment"));
    for (size_t i = 0; i < rs->nlinks; i++)
        map_intern(&names, rs->links[i].subsystem,
                   strlen(rs->links[i].subsystem));
    for (struct vertex *v = rs->loose; v; v = v->next)
        if (v->home)
            map_intern(&names, v->home, strlen(v->home));
    for (size_t i = 0; i < names.count; i++)
        next(arg, names.slots[i].key);
    map_fini(&names);
}

struct rset *rset_subsystem(struct rset *rs, const char *name, struct diag *d)
{
    struct taking t = {.rs = rs, .out = rset_create(), .name = name};
    struct vertex **end = &t.out->loose;
    bool containment = !strcmp(name, "containment"), any = containment;
    int rc = 0;

    usage_settle(rs);
    find_steps(&t);
    if (containment && rs->root)
        t.out->root = vertex_import_all(t.out, rs->root);
    for (size_t i = 0; i < t.n && !containment && rc == 0; i++) {
        any = any || t.list[i].in;
        if (!t.list[i].in || t.list[i].below)
            continue;
        if ((*end = take(&t, (uint32_t)i, 1)))
            end = &(*end)->next;
        else
            rc = diag_set(d, "subsystem %s is more than %d pools deep",
                          quote_all(name).text, DEPTH_MAX);
    }
    if (!any) {
        struct near near = {.word = name, .len = strlen(name)};
        rset_each_subsystem(rs, near_try, &near);
        rc = diag_set(d, "the set has no subsystem %s%s",
                      quote(name, near.len).text, near_or_all(&near));
    } else if (rc == 0) {
        usage_gather(t.out);
    }
    if (rs->hosts) {
        t.out->ranks = idset_copy(rs->ranks);
        t.out->hosts = hostlist_copy(rs->hosts);
    }
    free(t.list);
    free(t.steps);
    if (rc == 0)
        return t.out;
    rset_destroy(t.out);
    return NULL;
}
