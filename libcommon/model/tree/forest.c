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
    struct link *places;    /* of each that no edge leads to */
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

/* Where it was in another one means nothing in its home. */
static void find_home(struct vertex *v, const char *subsystem)
{
    if (!v->number || (v->home && strcmp(subsystem, v->home) >= 0))
        return;
    if (v->home)
        v->parent = NULL;
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

/* Where no edge tells, where it is now does. */
static void add_place(struct planting *p, size_t at)
{
    struct vertex *v = p->list[at];

    if (p->waiting[at] > 0 || !v->parent || v->parent->home != v->home)
        return;
    p->places[at] = (struct link){.source = v->parent, .target = v};
    p->edges[p->nedges++] = &p->places[at];
    p->waiting[at]++;
}

static void find_edges(struct planting *p)
{
    struct rset *rs = p->rs;

    for (size_t i = 0; i < rs->nlinks; i++) {
        find_home(rs->links[i].source, rs->links[i].subsystem);
        find_home(rs->links[i].target, rs->links[i].subsystem);
    }
    p->edges = xcalloc(rs->nlinks + p->n + 1, sizeof(*p->edges));
    p->places = xcalloc(p->n + 1, sizeof(*p->places));
    for (size_t i = 0; i < rs->nlinks; i++)
        if (is_home_edge(&rs->links[i])) {
            p->edges[p->nedges++] = &rs->links[i];
            p->waiting[rs->links[i].target->number - 1]++;
        }
    for (size_t i = 0; i < p->n; i++)
        add_place(p, i);
    qsort(p->edges, p->nedges, sizeof(*p->edges), compare_sources);
}

/* --- planting ------------------------------------------------------------ */

static size_t depth_of(const struct vertex *v)
{
    size_t depth = 0;

    while ((v = v->parent))
        depth++;
    return depth;
}

/* Order from the root down of places, of which those above are known. */
static int compare_chains(const struct vertex *a, const struct vertex *b)
{
    size_t da = depth_of(a), db = depth_of(b);
    int first = da < db ? -1 : 1;

    for (; da > db; da--)
        a = a->parent;
    for (; db > da; db--)
        b = b->parent;
    if (a == b)
        return first;
    for (; a->parent != b->parent; b = b->parent)
        a = a->parent;
    return vertex_compare(a, b);
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
        if (p->waiting[at] == 0)
            continue;
        if (!p->parent[at] || compare_chains(v, p->parent[at]) < 0)
            p->parent[at] = v;
        if (--p->waiting[at] == 0)
            queue[(*end)++] = p->edges[i]->target;
    }
}

/* Edges are right where they and places run in a circle. */
static void leave_places(struct planting *p, struct vertex **queue, size_t *end)
{
    for (size_t i = 0; i < p->n; i++)
        if (p->waiting[i] > 0 && p->places[i].target) {
            p->waiting[i] = 0;
            queue[(*end)++] = p->list[i];
        }
}

static void place_all(struct planting *p)
{
    struct vertex **queue = xcalloc(p->n + 1, sizeof(struct vertex *));
    size_t end = 0;

    for (size_t i = 0; i < p->n; i++)
        if (p->waiting[i] == 0)
            queue[end++] = p->list[i];
    for (size_t i = 0; i < p->n; i++) {
        if (i == end)
            leave_places(p, queue, &end);
        if (i < end)
            place(p, queue[i], queue, &end);
    }
    for (size_t i = 0; i < p->n; i++)
        if (p->waiting[i] > 0)
            p->list[i]->parent = NULL;
    free(queue);
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

void forest_plant(struct rset *rs)
{
    struct planting p = {.rs = rs};

    list_loose(&p);
    p.parent = xcalloc(p.n + 1, sizeof(struct vertex *));
    p.waiting = xcalloc(p.n + 1, sizeof(*p.waiting));
    find_edges(&p);
    for (size_t i = 0; i < p.n; i++)
        p.list[i]->child = NULL;
    place_all(&p);
    hang_all(&p);
    free(p.list);
    free(p.parent);
    free(p.waiting);
    free(p.edges);
    free(p.places);
}

/* --- circles ------------------------------------------------------------- */

/* The vertices at edges are numbered from 1, in the order of the edges. */
static uint32_t number_ends(struct rset *rs)
{
    uint32_t n = 0;

    for (size_t i = 0; i < rs->nlinks; i++)
        rs->links[i].source->number = rs->links[i].target->number = 0;
    for (size_t i = 0; i < rs->nlinks; i++) {
        struct vertex *ends[] = {rs->links[i].source, rs->links[i].target};
        for (int k = 0; k < 2; k++)
            if (!ends[k]->number)
                ends[k]->number = ++n;
    }
    return n;
}

static int compare_edges_of(const void *a, const void *b)
{
    const struct link *la = *(const struct link *const *)a,
                      *lb = *(const struct link *const *)b;
    int c = la->subsystem == lb->subsystem
                ? 0
                : strcmp(la->subsystem, lb->subsystem);

    return c ? c : compare_sources(a, b);
}

/* A way along edges of one subsystem: vertices by their numbers. */
struct way {
    const struct link **links; /* by source, n of them */
    size_t n;
    size_t *next;   /* of each vertex the next edge to follow */
    uint32_t *from; /* from which one the way came; itself: it begins here */
    bool *done;     /* no circle leads through it */
};

/* Follow all edges from a vertex; returns one that leads back to the way. */
static const struct link *follow_way(struct way *way, uint32_t start)
{
    uint32_t at = start;

    way->from[at] = at;
    for (;;) {
        const struct link *l = way->next[at] < way->n
                                   ? way->links[way->next[at]]
                                   : NULL;
        if (l && l->source->number == at) {
            uint32_t to = l->target->number;
            way->next[at]++;
            if (way->from[to] && !way->done[to])
                return l;
            if (way->done[to])
                continue;
            way->from[to] = at;
            at = to;
        } else {
            way->done[at] = true;
            if (way->from[at] == at)
                return NULL;
            at = way->from[at];
        }
    }
}

/* Of the edges of one subsystem. */
static const struct link *circle_of(struct way *way)
{
    const struct link *back = NULL;

    for (size_t i = 0; i < way->n; i++) {
        uint32_t source = way->links[i]->source->number,
                 target = way->links[i]->target->number;
        way->from[source] = way->from[target] = 0;
        way->done[source] = way->done[target] = false;
        way->next[source] = way->next[target] = way->n;
    }
    for (size_t i = way->n; i-- > 0;)
        way->next[way->links[i]->source->number] = i;
    for (size_t i = 0; i < way->n && !back; i++)
        if (!way->done[way->links[i]->source->number])
            back = follow_way(way, way->links[i]->source->number);
    return back;
}

const struct link *forest_circle(struct rset *rs)
{
    size_t n = number_ends(rs) + 1;
    const struct link **links = xcalloc(rs->nlinks + 1, sizeof(*links)),
                      *back = NULL;
    struct way way = {.next = xcalloc(n, sizeof(*way.next)),
                      .from = xcalloc(n, sizeof(*way.from)),
                      .done = xcalloc(n, sizeof(*way.done))};

    for (size_t i = 0; i < rs->nlinks; i++)
        links[i] = &rs->links[i];
    qsort(links, rs->nlinks, sizeof(*links), compare_edges_of);
    for (size_t i = 0; i < rs->nlinks && !back; i += way.n) {
        way.links = &links[i];
        for (way.n = 1; i + way.n < rs->nlinks
                        && links[i + way.n]->subsystem == links[i]->subsystem;)
            way.n++;
        back = circle_of(&way);
    }
    free(links);
    free(way.next);
    free(way.from);
    free(way.done);
    return back;
}
