/*
 * Reach: the pools that edges lead to. These facts of an inventory are found
 * when usage is made, so that a request can go from a PDU to the nodes that it
 * feeds, and back, at the cost of the pools that it finds.
 *
 * An edge counts in both directions. Edges between a pool and its child are
 * ignored.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/records/usage_private.h"

struct lead {
    const struct vertex *from;
    struct reach to;
};

struct leads {
    struct lead *list;
    size_t n;
};

static void add_lead(struct leads *leads, const struct vertex *from,
                     struct vertex *to, bool alone)
{
    VECTOR_ADD(leads->list, leads->n, (struct lead){from, {to, alone}});
}

static struct vertex *beside_containment(const struct vertex *v)
{
    return v->home ? v->parent : NULL;
}

/* An edge of a PDU is also one of the panel that contains it. */
static void add_leads(struct leads *leads, const struct vertex *from,
                      struct vertex *to)
{
    for (; from; from = beside_containment(from)) {
        add_lead(leads, from, to, false);
        for (struct vertex *up = beside_containment(to); up; up = up->parent)
            add_lead(leads, from, up, true);
    }
}

static int compare_leads(const void *a, const void *b)
{
    const struct lead *x = a, *y = b;
    int c = COMPARE(x->from->number, y->from->number);

    if (c == 0)
        c = COMPARE(x->to.v->number, y->to.v->number);
    return c ? c : x->to.alone - y->to.alone;
}

static bool holds_top(const struct link *l)
{
    const struct vertex *top = l->target;

    return !l->source->home && top->home && !top->parent
           && !strcmp(l->subsystem, top->home);
}

/* Give a PDU in containment the leads of its outlets in another hierarchy. The
   first n leads are sorted. */
static void hand_over(struct leads *leads, size_t n, const struct link *l)
{
    size_t i = VECTOR_SEEK(k, 0, n,
                           leads->list[k].from->number < l->target->number);

    for (; i < n && leads->list[i].from == l->target; i++) {
        struct reach to = leads->list[i].to;
        add_lead(leads, l->source, to.v, to.alone);
        add_lead(leads, to.v, l->source, true);
    }
}

/* Drop leads to a pool that an earlier lead reaches, or that is an ancestor or
   a descendant of its source. Returns the number of leads left. */
static size_t drop_idle_leads(struct leads *leads)
{
    const struct lead *last = NULL, *whole = NULL;
    size_t n = 0;

    for (size_t i = 0; i < leads->n; i++) {
        const struct lead s = leads->list[i];
        if (vertex_is_in(s.to.v, s.from) || vertex_is_in(s.from, s.to.v)
            || (last && last->from == s.from && last->to.v == s.to.v)
            || (whole && whole->from == s.from
                && vertex_is_in(s.to.v, whole->to.v)))
            continue;
        leads->list[n] = s;
        last = &leads->list[n++];
        whole = s.to.alone ? whole : last;
    }
    return n;
}

static void note_types(struct usage *u, const struct lead *s)
{
    struct types *t = &u->types;
    unsigned from = (unsigned)usage_type(u, s->from->type),
             to = (unsigned)usage_type(u, s->to.v->type);

    types_nest(t, from, to)->reached = true;
    for (unsigned i = 0; i < t->count && !s->to.alone; i++)
        if (types_nesting(t, to, i)->most > 0)
            types_nest(t, from, i)->reached = true;
}

void reach_survey(struct usage *u)
{
    const struct rset *rs = u->rs;
    struct types *t = &u->types;
    struct leads leads = {0};
    size_t sorted;
    uint32_t number = 0;

    for (size_t i = 0; i < rs->nlinks; i++) {
        const struct link *l = &rs->links[i];
        if (l->target->parent == l->source)
            continue; /* containment is not reach */
        add_leads(&leads, l->source, l->target);
        add_leads(&leads, l->target, l->source);
    }
    VECTOR_SORT(leads.list, leads.n, compare_leads);
    sorted = leads.n;
    for (size_t i = 0; i < rs->nlinks; i++)
        if (holds_top(&rs->links[i]))
            hand_over(&leads, sorted, &rs->links[i]);
    VECTOR_SORT(leads.list, leads.n, compare_leads);
    leads.n = drop_idle_leads(&leads);
    t->reach = xcalloc(leads.n + 1, sizeof(*t->reach));
    t->reach_of = xcalloc((size_t)t->nnumbers + 2, sizeof(*t->reach_of));
    for (size_t i = 0; i < leads.n; i++) {
        t->reach[i] = leads.list[i].to;
        while (number <= leads.list[i].from->number)
            t->reach_of[number++] = (uint32_t)i;
        note_types(u, &leads.list[i]);
    }
    while (number <= t->nnumbers + 1)
        t->reach_of[number++] = (uint32_t)leads.n;
    free(leads.list);
}

size_t usage_reach(const struct usage *u, const struct vertex *v,
                   const struct reach **list)
{
    const struct types *t = &u->types;

    if (!t->reach)
        return 0;
    *list = &t->reach[t->reach_of[v->number]];
    return t->reach_of[v->number + 1] - t->reach_of[v->number];
}

bool usage_reaches(const struct usage *u, int ntype, int to)
{
    return ntype >= 0 && to >= 0
           && types_nesting(&u->types, (unsigned)ntype, (unsigned)to)->reached;
}
