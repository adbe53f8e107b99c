/* Walks trees (walk.h), and sums up what is available by type. */
#include "model/walk.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* --- traversal ----------------------------------------------------------- */

static int walk_at(struct vertex *v, const struct walk *walk, unsigned depth);

static int compare_children(const void *a, const void *b, void *arg)
{
    const struct walk *walk = arg;

    return walk->order(*(struct vertex *const *)a, *(struct vertex *const *)b,
                       walk->arg);
}

static int walk_ordered(struct vertex *v, const struct walk *walk,
                        unsigned depth)
{
    struct vertex **list;
    size_t n = 0, i = 0;
    int rc = 0;

    for (const struct vertex *c = v->child; c; c = c->next)
        n++;
    list = xmalloc((n + 1) * sizeof(*list));
    for (struct vertex *c = v->child; c; c = c->next)
        list[i++] = c;
    qsort_r(list, n, sizeof(*list), compare_children, (void *)walk);
    for (i = 0; rc == 0 && i < n; i++)
        rc = walk_at(list[i], walk, depth);
    free(list);
    return rc;
}

static int walk_children(struct vertex *v, const struct walk *walk,
                         unsigned depth)
{
    int rc = 0;

    if (walk->order)
        return walk_ordered(v, walk, depth);
    for (struct vertex *c = v->child; c && rc == 0; c = c->next)
        rc = walk_at(c, walk, depth);
    return rc;
}

/* Containment is at most DEPTH_MAX deep, and so is this. */
static int walk_at(struct vertex *v, const struct walk *walk, unsigned depth)
{
    enum walk_step step = WALK_ON;
    int rc = 0;

    if (walk->before)
        step = walk->before(v, depth, walk->arg);
    if (step == WALK_END)
        return 1;
    if (step == WALK_ON)
        rc = walk_children(v, walk, depth + 1);
    if (rc == 0 && walk->after && walk->after(v, depth, walk->arg) == WALK_END)
        rc = 1;
    return rc;
}

int vertex_walk(struct vertex *top, const struct walk *walk)
{
    return walk_at(top, walk, 0);
}

/* --- aggregation --------------------------------------------------------- */

struct summing {
    struct aggregate *list;
    size_t n;
    const struct period *when;
};

/* The number of a type's sum. */
static size_t sum_of(struct summing *s, const char *type)
{
    size_t i = 0;

    while (i < s->n && s->list[i].type != type)
        i++;
    if (i == s->n) {
        VECTOR_GROW(s->list, s->n);
        s->list[s->n++] = (struct aggregate){.type = type};
    }
    return i;
}

static bool available(const struct summing *s, const struct vertex *v)
{
    return v->state == STATE_UP
           && (!v->records
               || (!v->records->staged
                   && records_claimed(v->records, s->when) < v->size));
}

/*
 * Add what is available of v and below it; `times` is how many of v there
 * are, 0 under what is not available. A pool that holds others is available
 * if any of them is. Is it?
 */
static bool sum_under(struct summing *s, const struct vertex *v, uint64_t times)
{
    size_t at = sum_of(s, v->type);
    bool any = !v->child;

    times = available(s, v) ? times * vertex_count(v) : 0;
    for (const struct vertex *c = v->child; c; c = c->next)
        any |= sum_under(s, c, times);
    any = any && times;
    if (any)
        s->list[at].available += times
                                 * (uint64_t)(v->size
                                              - records_claimed(v->records,
                                                                s->when));
    return any;
}

static int compare_types(const void *a, const void *b)
{
    return strcmp(((const struct aggregate *)a)->type,
                  ((const struct aggregate *)b)->type);
}

size_t rset_aggregate(const struct rset *rs, const struct vertex *top,
                      const struct period *when, bool zero,
                      struct aggregate **out)
{
    struct summing s = {.when = when};
    size_t n = 0;

    if (top || rs->root)
        sum_under(&s, top ? top : rs->root, 1);
    for (const struct vertex *v = top ? NULL : rs->loose; v; v = v->next)
        sum_under(&s, v, 1);
    for (size_t i = 0; i < s.n; i++)
        if (zero || s.list[i].available)
            s.list[n++] = s.list[i];
    if (n)
        qsort(s.list, n, sizeof(*s.list), compare_types);
    *out = s.list;
    return n;
}
