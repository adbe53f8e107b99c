/*
 * The forest of pools in no containment (forest.h). Parents come before their
 * children, so that of several parents the first one in the order of their
 * places can be taken, whatever the order in the document was.
 */
#include "model/tree/forest.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct planting {
    struct rset *rs;
    struct vertex **list;   /* pools in no containment; number: place + 1 */
    struct vertex **parent; /* the best so far, of each */
    size_t *waiting;        /* for parents that have none yet, of each */
    struct link **edges;    /* of homes, by their sources */
    size_t n, nedges;
};

/* --- who is at home where ------------------------------------------------ */

static void list_loose(struct planting *p)
{
    for (size_t i = 0; i < p->rs->nlinks; i++)
        p->rs->links[i].source->number = p->rs->links[i].target->number = 0;
    for (struct vertex *top = p->rs->loose; top; top = top->next)
        for (struct vertex *v = top; v; v = vertex_next(top, v, false)) {
            VECTOR_GROW(p->list, p->n);
            p->list[p->n++] = v;
            v->number = (uint32_t)p->n;
        }
}

static void find_home(struct vertex *v, const char *subsystem)
{
    if (v->number && (!v->home || strcmp(subsystem, v->home) < 0))
        v->home = subsystem;
}

/* Is it an edge within the hierarchy that both ends are at home in? */
static bool is_home_edge(const struct link *l)
{
    return l->source->number && l->target->number
           && l->target->home == l->subsystem
           && l->source->home == l->subsystem;
}

static int compare_sources(const void *a, const void *b)
{
    const struct link *la = *(struct link *const *)a;
    const struct link *lb = *(struct link *const *)b;

    return (la->source->number > lb->source->number)
           - (la->source->number < lb->source->number);
}

static void find_edges(struct planting *p)
{
    struct rset *rs = p->rs;

    for (size_t i = 0; i < rs->nlinks; i++) {
        find_home(rs->links[i].source, rs->links[i].subsystem);
        find_home(rs->links[i].target, rs->links[i].subsystem);
    }
    p->edges = xcalloc(rs->nlinks + 1, sizeof(*p->edges));
    for (size_t i = 0; i < rs->nlinks; i++)
        if (is_home_edge(&rs->links[i])) {
            p->edges[p->nedges++] = &rs->links[i];
            p->waiting[rs->links[i].target->number - 1]++;
        }
    qsort(p->edges, p->nedges, sizeof(*p->edges), compare_sources);
}

/* --- planting ------------------------------------------------------------ */

/* Order of places, of which those above are known. */
static int compare_chains(const struct vertex *a, const struct vertex *b)
{
    int c;

    if (a == b)
        return 0;
    if (!a || !b)
        return a ? 1 : -1;
    c = compare_chains(a->parent, b->parent);
    return c ? c : vertex_compare(a, b);
}

static size_t first_edge(const struct planting *p, const struct vertex *source)
{
    size_t lo = 0, hi = p->nedges;

    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (p->edges[mid]->source->number < source->number)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Its place is known: what it may be the parent of comes nearer to its own. */
static void place(struct planting *p, struct vertex *v, struct vertex **queue,
                  size_t *end)
{
    v->parent = p->parent[v->number - 1];
    for (size_t i = first_edge(p, v); i < p->nedges && p->edges[i]->source == v;
         i++) {
        size_t at = p->edges[i]->target->number - 1;
        if (!p->parent[at] || compare_chains(v, p->parent[at]) < 0)
            p->parent[at] = v;
        if (--p->waiting[at] == 0)
            queue[(*end)++] = p->edges[i]->target;
    }
}

/* Returns one that no way from a top leads to. */
static struct vertex *place_all(struct planting *p)
{
    struct vertex **queue = xcalloc(p->n + 1, sizeof(struct vertex *));
    struct vertex *circle = NULL;
    size_t end = 0;

    for (size_t i = 0; i < p->n; i++)
        if (p->waiting[i] == 0)
            queue[end++] = p->list[i];
    for (size_t i = 0; i < end; i++)
        place(p, queue[i], queue, &end);
    for (size_t i = 0; i < p->n; i++)
        if (p->waiting[i] > 0) {
            p->list[i]->parent = NULL;
            if (!circle || vertex_compare(p->list[i], circle) < 0)
                circle = p->list[i];
        }
    free(queue);
    return circle;
}

static void hang_all(struct planting *p)
{
    struct vertex above = {0};

    for (size_t i = p->n; i-- > 0;) {
        struct vertex *v = p->list[i], *up = v->parent ? v->parent : &above;
        v->next = up->child;
        up->child = v;
    }
    vertex_sort_children(&above);
    for (size_t i = 0; i < p->n; i++)
        vertex_sort_children(p->list[i]);
    p->rs->loose = above.child;
}

struct vertex *forest_plant(struct rset *rs)
{
    struct planting p = {.rs = rs};
    struct vertex *circle;

    list_loose(&p);
    p.parent = xcalloc(p.n + 1, sizeof(struct vertex *));
    p.waiting = xcalloc(p.n + 1, sizeof(*p.waiting));
    find_edges(&p);
    for (size_t i = 0; i < p.n; i++) {
        if (p.waiting[i] == 0) /* of a place that no edge tells of */
            p.parent[i] = p.list[i]->parent;
        p.list[i]->child = NULL;
    }
    circle = place_all(&p);
    hang_all(&p);
    free(p.list);
    free(p.parent);
    free(p.waiting);
    free(p.edges);
    return circle;
}
