/*
 * The orders of policies, read naively from the manual (rset-match(1),
 * POLICIES): see match_search.h. Of pools without edges.
 */
#ifndef TEST_MATCH_POLICIES_H
#define TEST_MATCH_POLICIES_H

#include "match_search.h"

enum { TYPES_MAX = 8 };

struct ordering {
    const struct search *s;
    short *out;
    int n;
    /* Does pool a come before its sibling b, or node a before node b? */
    bool (*before)(const struct ordering *o, int a, int b);
    bool (*node_before)(const struct ordering *o, int a, int b);
    const char *types[TYPES_MAX]; /* that are asked for in nodes */
    int ntypes;
    bool most; /* free comes first */
};

typedef bool (*before_fn)(const struct ordering *o, int a, int b);

/* --- what pools are ordered by ------------------------------------------- */

static bool is_there(const struct search *s, int p)
{
    const struct pool *at = &s->w->pool[p];

    return at->up && !at->staged && at->claimed < at->size;
}

/* Units of a type that are free in a pool. */
static int free_in(const struct search *s, int top, const char *type)
{
    int sum = 0;

    for (int p = top + 1; p < s->w->pool[top].end; p++) {
        const struct pool *at = &s->w->pool[p];
        if (!is_there(s, p))
            p = at->end - 1;
        else if (!strcmp(at->type, type)) /* all but 1 of what is shared */
            sum += at->size - at->claimed
                   - (at->shared && at->size > 1 && !at->claimed);
    }
    return sum;
}

static bool free_before(const struct ordering *o, int a, int b)
{
    for (int i = 0; i < o->ntypes; i++) {
        int x = free_in(o->s, a, o->types[i]),
            y = free_in(o->s, b, o->types[i]);
        if (x != y)
            return o->most ? x > y : x < y;
    }
    return a < b;
}

/* What holds something comes by its type and what is free in it, then the
   rest. */
static bool fit_before(const struct ordering *o, int a, int b)
{
    const struct pool *x = &o->s->w->pool[a], *y = &o->s->w->pool[b];
    bool in_a = x->end > a + 1, in_b = y->end > b + 1;

    if (!in_node(o->s->w, x->parent) || in_a != in_b)
        return in_a != in_b && in_node(o->s->w, x->parent) ? in_a : a < b;
    return in_a && !strcmp(x->type, y->type) ? free_before(o, a, b) : a < b;
}

static bool last_before(const struct ordering *o, int a, int b)
{
    (void)o;
    return a > b;
}

static bool tree_before(const struct ordering *o, int a, int b)
{
    (void)o;
    return a < b;
}

static int class_of_node(const struct pool *p)
{
    const char *text = text_of(p->properties, "perf_class");
    int n = 0;

    for (const char *c = text; *c; c++)
        n = *c >= '0' && *c <= '9' && n <= 9999 ? 10 * n + *c - '0' : 10000;
    return *text && n <= 9999 ? n : 9999;
}

static bool class_before(const struct ordering *o, int a, int b)
{
    int x = class_of_node(&o->s->w->pool[a]);
    int y = class_of_node(&o->s->w->pool[b]);

    return x == y ? a < b : x < y;
}

/* The types of a request, in its order, of which pools lie in nodes. */
static void find_types(struct ordering *o)
{
    const struct wish *q = o->s->q;
    const struct world *w = o->s->w;

    for (int i = 0; i < q->n; i++) {
        bool counts = false;
        for (int p = 0; p < w->n && !counts; p++)
            counts = !strcmp(w->pool[p].type, q->entry[i].type)
                     && in_node(w, w->pool[p].parent);
        for (int k = 0; k < o->ntypes; k++)
            counts = counts && strcmp(o->types[k], q->entry[i].type) != 0;
        if (counts && o->ntypes < TYPES_MAX)
            o->types[o->ntypes++] = q->entry[i].type;
    }
}

/* --- orders -------------------------------------------------------------- */

static void sort(const struct ordering *o, int *list, int n, before_fn before)
{
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && before(o, list[k], list[k - 1]); k--) {
            int swap = list[k];
            list[k] = list[k - 1];
            list[k - 1] = swap;
        }
}

/* Put what is in a pool (TOP: all), but nodes if these were put before. */
static void put_children(struct ordering *o, int top, bool put_nodes)
{
    const struct world *w = o->s->w;
    int list[POOLS], n = 0, end = top == TOP ? w->n : w->pool[top].end;

    for (int c = top + 1; c < end; c = w->pool[c].end)
        if (put_nodes || !is_node(&w->pool[c]))
            list[n++] = c;
    sort(o, list, n, o->before);
    for (int i = 0; i < n; i++) {
        o->out[o->n++] = (short)list[i];
        put_children(o, list[i], put_nodes);
    }
}

static void put_nodes(struct ordering *o, int top)
{
    const struct world *w = o->s->w;
    int list[POOLS], n = 0, end = top == TOP ? w->n : w->pool[top].end;

    for (int p = top + 1; p < end; p++)
        if (is_node(&w->pool[p]))
            list[n++] = p;
    sort(o, list, n, o->node_before);
    for (int i = 0; i < n; i++) {
        o->out[o->n++] = (short)list[i];
        put_children(o, list[i], true);
    }
}

/* The scope, what is in it, and what is not, which doesn't matter. */
static void put_all(struct ordering o, const struct search *s,
                    const struct goal *g, short *order)
{
    o.s = s;
    o.out = order;
    find_types(&o);
    o.n = g->scope == TOP ? 0 : 1;
    if (o.node_before)
        put_nodes(&o, g->scope);
    put_children(&o, g->scope, !o.node_before);
}

static void order_high(const struct search *s, const struct goal *g,
                       short order[POOLS])
{
    put_all((struct ordering){.before = last_before}, s, g, order);
}

static void order_best(const struct search *s, const struct goal *g,
                       short order[POOLS])
{
    put_all((struct ordering){.before = fit_before, .node_before = free_before},
            s, g, order);
}

static void order_worst(const struct search *s, const struct goal *g,
                        short order[POOLS])
{
    put_all((struct ordering){.before = fit_before,
                              .node_before = free_before,
                              .most = true},
            s, g, order);
}

static void order_variation(const struct search *s, const struct goal *g,
                            short order[POOLS])
{
    put_all(
        (struct ordering){.before = tree_before, .node_before = class_before},
        s, g, order);
}

static const struct {
    const char *name;
    order_fn order;
} policies[] = {
    {"first", NULL},
    {"low", NULL},
    {"lonode", NULL},
    {"high", order_high},
    {"hinode", order_high},
    {"best-fit", order_best},
    {"worst-fit", order_worst},
    {"variation", order_variation},
};
enum { POLICIES = sizeof(policies) / sizeof(policies[0]) };

#endif /* TEST_MATCH_POLICIES_H */
