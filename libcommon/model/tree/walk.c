/* Sums up what is available by type. */
#include "model/tree/walk.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/records/jobs.h"

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

static int64_t claimed(const struct summing *s, const struct vertex *v)
{
    return v->lot ? lot_claimed(v->lot, s->when, NULL) : 0;
}

static bool available(const struct summing *s, const struct vertex *v)
{
    return vertex_state(v) == STATE_UP
           && (!v->lot || (!lot_staged(v->lot) && claimed(s, v) < v->size));
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
        s->list[at].available += times * (uint64_t)(v->size - claimed(s, v));
    return any;
}

static int compare_types(const void *a, const void *b)
{
    return strcmp(((const struct aggregate *)a)->type,
                  ((const struct aggregate *)b)->type);
}

size_t rset_aggregate(struct rset *rs, const struct vertex *top,
                      const struct period *when, bool zero,
                      struct aggregate **out)
{
    struct summing s = {.when = when};
    size_t n = 0;

    usage_settle(rs);
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
