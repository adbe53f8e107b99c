/*
 * The forest of pools outside containment (forest.h). In each subsystem parents
 * are placed before their children. So if a pool has several possible parents,
 * the first one in the order of the set is taken, whatever the order of the
 * document was. Subsystems are handled in the order of their names: the source
 * of an edge has its home in the edge's subsystem or in an earlier one.
 */
#include "model/tree/forest.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"

struct planting {
    struct rset *rs;
    struct vertex **list; /* pools outside containment; number: place + 1 */
    size_t n; /* their number; other ends of edges have later numbers */
    struct vertex **parent;    /* by number - 1: the best so far */
    size_t *waiting;           /* by number - 1: parents to be placed */
    struct link *places;       /* for pools that no edge leads to */
    const struct link **edges; /* by subsystem, then by source */
    size_t nedges;
    const struct link **in; /* edges of the current subsystem */
    size_t nin;
};

static int compare_edges_of(const void *a, const void *b)
{
    const struct link *la = *(const struct link *const *)a,
                      *lb = *(const struct link *const *)b;
    int c = la->subsystem == lb->subsystem
                ? 0
                : strcmp(la->subsystem, lb->subsystem);

    return c ? c : COMPARE(la->source->number, lb->source->number);
}

/* Count the edges at the front that are of the same subsystem. */
static size_t count_alike(const struct link *const *edges, size_t n)
{
    return VECTOR_FIND(i, n, edges[i]->subsystem != edges[0]->subsystem);
}

static void forget_numbers(const struct rset *rs)
{
    for (size_t i = 0; i < rs->nlinks; i++)
        rs->links[i].source->number = rs->links[i].target->number = 0;
}

/* Number the ends of edges that have no number yet, after n. Returns the last
   number. */
static size_t number_ends(const struct rset *rs, size_t n)
{
    for (size_t i = 0; i < rs->nlinks; i++) {
        struct vertex *ends[] = {rs->links[i].source, rs->links[i].target};
        for (int k = 0; k < 2; k++)
            if (!ends[k]->number)
                ends[k]->number = (uint32_t)++n;
    }
    return n;
}

/* --- homes --------------------------------------------------------------- */

/* Make a subsystem the home of v if it is earlier. v then loses its place in
   the old home. */
static void find_home(struct vertex *v, const char *subsystem)
{
    if (!v->number || (v->home && strcmp(subsystem, v->home) >= 0))
        return;
    if (v->home) {
        v->parent = NULL;
        v->above = NULL;
    }
    v->home = subsystem;
}

static void find_edges(struct planting *p)
{
    struct rset *rs = p->rs;
    size_t n;

    for (size_t i = 0; i < rs->nlinks; i++) {
        find_home(rs->links[i].source, rs->links[i].subsystem);
        find_home(rs->links[i].target, rs->links[i].subsystem);
    }
    n = number_ends(rs, p->n);
    p->parent = xcalloc(n + 1, sizeof(struct vertex *));
    p->waiting = xcalloc(n + 1, sizeof(*p->waiting));
    p->edges = xcalloc(rs->nlinks + p->n + 1, sizeof(*p->edges));
    p->places = xcalloc(p->n + 1, sizeof(*p->places));
    for (size_t i = 0; i < rs->nlinks; i++) {
        const struct link *l = p->edges[p->nedges++] = &rs->links[i];
        if (l->subsystem == l->target->home && l->subsystem == l->source->home)
            p->waiting[l->target->number - 1]++;
    }
    for (size_t i = 0; i < p->n; i++) { /* without an edge */
        struct vertex *v = p->list[i];
        if (p->waiting[i] > 0 || !v->parent || v->parent->home != v->home)
            continue;
        p->places[i] = (struct link){
            .source = v->parent, .target = v, .subsystem = v->home};
        p->edges[p->nedges++] = &p->places[i];
    }
    for (size_t i = 0; i < p->n; i++)
        p->list[i]->parent = NULL;
    VECTOR_SORT(p->edges, p->nedges, compare_edges_of);
}

/* --- planting ------------------------------------------------------------ */

static size_t depth_of(const struct vertex *v)
{
    size_t depth = 0;

    while ((v = v->parent))
        depth++;
    return depth;
}

/* Compare pools in the order of the set. Pools above them have their places. */
static int compare_chains(const struct vertex *a, const struct vertex *b)
{
    size_t da = depth_of(a), db = depth_of(b);
    int first = da < db ? -1 : 1;

    if (!a->home != !b->home)
        return a->home ? 1 : -1;
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

/* Return whether the source of an edge is a better parent than the best so
   far. */
static bool is_better(const struct link *l, const struct vertex *best)
{
    const char *home = l->subsystem;

    if (!best)
        return true;
    if (l->target->home == home
        && (l->source->home == home) != (best->home == home))
        return l->source->home == home;
    return compare_chains(l->source, best) < 0;
}

static size_t first_edge(const struct planting *p, const struct vertex *source)
{
    return VECTOR_SEEK(i, 0, p->nin, p->in[i]->source->number < source->number);
}

/* Return the path of a pool in the current subsystem, or the end of a long
   path. */
static const char *path_in(const struct planting *p, const struct vertex *v)
{
    const char *subsystem = p->in[0]->subsystem, *above = NULL;
    char buf[ABOVE_MAX], *path = buf + sizeof(buf) - 1;
    size_t len;

    *path = '\0';
    for (; v && !above; v = p->parent[v->number - 1]) {
        if ((len = strlen(v->name)) >= (size_t)(path - buf))
            return rset_string(p->rs, path);
        path = memcpy(path - len, v->name, len);
        *--path = '/';
        above = v->home == subsystem ? v->above : NULL;
    }
    if (above && (len = strlen(above)) < (size_t)(path - buf))
        path = memcpy(path - len, above, len);
    return rset_string(p->rs, path);
}

/* Place a pool, and offer it as a parent to the targets of its edges. A top
   that has a path keeps it, even if the edges that led to it are gone. */
static void place(struct planting *p, struct vertex *v, struct vertex **queue,
                  size_t *end)
{
    struct vertex *up = p->parent[v->number - 1];

    if (v->home == p->in[0]->subsystem && up) {
        v->parent = up->home == v->home ? up : NULL;
        v->above = v->parent ? NULL : v->above ? v->above : path_in(p, up);
    }
    for (size_t i = first_edge(p, v); i < p->nin && p->in[i]->source == v;
         i++) {
        size_t at = p->in[i]->target->number - 1;
        if (p->waiting[at] == 0)
            continue;
        if (is_better(p->in[i], p->parent[at]))
            p->parent[at] = v;
        if (--p->waiting[at] == 0)
            queue[(*end)++] = p->in[i]->target;
    }
}

/* Count the edges that each target waits for, and queue sources that wait for
   none. */
static size_t queue_roots(const struct planting *p, struct vertex **queue)
{
    size_t end = 0;

    for (size_t i = 0; i < p->nin; i++) {
        p->waiting[p->in[i]->source->number - 1] = 0;
        p->waiting[p->in[i]->target->number - 1] = 0;
    }
    for (size_t i = 0; i < p->nin; i++)
        p->waiting[p->in[i]->target->number - 1]++;
    for (size_t i = 0; i < p->nin; i++)
        if (p->waiting[p->in[i]->source->number - 1] == 0
            && (i == 0 || p->in[i - 1]->source != p->in[i]->source))
            queue[end++] = p->in[i]->source;
    return end;
}

/* Place the ends of the edges of one subsystem. */
static void place_all(struct planting *p, struct vertex **queue)
{
    size_t end = queue_roots(p, queue);

    for (size_t i = 0; i < p->nin; i++) {
        p->parent[p->in[i]->source->number - 1] = NULL;
        p->parent[p->in[i]->target->number - 1] = NULL;
    }
    for (size_t i = 0;; i++) {
        bool all = i == end;
        for (size_t k = 0; all && k < p->nin; k++) {
            /* if edges and places form a circle, trust the edges */
            struct vertex *v = p->in[k]->target;
            if (p->waiting[v->number - 1] == 0 || p->in[k]->relationship)
                continue;
            p->waiting[v->number - 1] = 0;
            v->above = NULL;
            queue[end++] = v;
        }
        if (i == end)
            return;
        place(p, queue[i], queue, &end);
    }
}

static char *text_above(const struct vertex *top)
{
    char *text;

    xasprintf(&text, "%s:%s", top->home, top->above);
    return text;
}

/* Find the first pool at each path in which a top lies. */
static void find_at_paths(const struct planting *p, struct map *at)
{
    for (size_t i = 0; i < p->n; i++)
        if (p->list[i]->above) {
            char *text = text_above(p->list[i]);
            map_at(at, text, strlen(text));
            free(text);
        }
    for (size_t i = 0; i < p->n && at->count; i++) {
        char *text = vertex_place(p->rs, p->list[i]);
        struct map_slot *slot = (struct map_slot *)map_find(at, text,
                                                            strlen(text));
        if (slot
            && (!slot->value.pointer
                || compare_chains(p->list[i], slot->value.pointer) < 0))
            slot->value.pointer = p->list[i];
        free(text);
    }
}

/* Give tops a parent if there is a pool at the path in which they lie. Returns
   whether any got one. */
static bool place_tops(const struct planting *p)
{
    struct map at = {0};
    bool any = false;

    find_at_paths(p, &at);
    for (size_t i = 0; i < p->n && at.count; i++) {
        struct vertex *v = p->list[i];
        char *text = v->above ? text_above(v) : NULL;
        if (text)
            v->parent = map_at(&at, text, strlen(text))->value.pointer;
        if (text && v->parent) {
            v->above = NULL;
            any = true;
        }
        free(text);
    }
    map_fini(&at);
    return any;
}

void forest_hang(struct rset *rs, struct vertex *const *list, size_t n)
{
    struct vertex above = {0};

    for (size_t i = 0; i < n; i++)
        list[i]->child = NULL;
    for (size_t i = n; i-- > 0;) {
        struct vertex *v = list[i], *up = v->parent ? v->parent : &above;
        v->next = up->child;
        up->child = v;
    }
    vertex_sort_children(&above);
    for (size_t i = 0; i < n; i++)
        vertex_sort_children(list[i]);
    rs->loose = above.child;
}

/* Return false if tops got a place, because other pools may now have a better
   parent. */
static bool plant(struct rset *rs)
{
    struct planting p = {.rs = rs};
    struct vertex **queue;
    bool more;

    forget_numbers(rs);
    for (struct vertex *top = rs->loose; top; top = top->next)
        for (struct vertex *v = top; v; v = vertex_next(top, v, false)) {
            VECTOR_ADD(p.list, p.n, v); /* a top may still have a parent */
            v->number = (uint32_t)p.n;
        }
    find_edges(&p);
    queue = xcalloc(2 * p.nedges + 1, sizeof(struct vertex *));
    for (size_t i = 0; i < p.nedges; i += p.nin) {
        p.in = &p.edges[i];
        p.nin = count_alike(p.in, p.nedges - i);
        place_all(&p, queue);
    }
    more = place_tops(&p);
    forest_hang(rs, p.list, p.n);
    free(queue);
    free(p.list);
    free(p.parent);
    free(p.waiting);
    free(p.edges);
    free(p.places);
    return !more;
}

void forest_plant(struct rset *rs)
{
    if (!plant(rs))
        plant(rs);
}

char *forest_twin(const struct rset *rs)
{
    struct map seen = {0};
    char *twin = NULL;

    for (const struct vertex *v = rs->loose; v && !twin; v = rset_next(rs, v)) {
        char *place = vertex_place(rs, v), *key;
        int len = xasprintf(&key, "%s\n%s\n%lld", place, v->type,
                            (long long)v->rank);
        if (map_at(&seen, key, (size_t)len)->value.number++)
            twin = place;
        else
            free(place);
        free(key);
    }
    map_fini(&seen);
    return twin;
}

/* --- circles ------------------------------------------------------------- */

/*
 * Return an edge of the current subsystem that is in a circle, or NULL. All
 * vertices except those in a circle or behind one are queued sooner or later.
 * `to` has room for one edge to each end.
 */
static const struct link *circle_of(const struct planting *p,
                                    struct vertex **queue,
                                    const struct link **to)
{
    size_t end = queue_roots(p, queue);
    const struct link *found = NULL, *first;

    for (size_t k = 0; k < end; k++)
        for (size_t i = first_edge(p, queue[k]);
             i < p->nin && p->in[i]->source == queue[k]; i++)
            if (--p->waiting[p->in[i]->target->number - 1] == 0)
                queue[end++] = p->in[i]->target;
    for (size_t i = 0; i < p->nin; i++)
        if (p->waiting[p->in[i]->source->number - 1])
            found = to[p->in[i]->target->number - 1] = p->in[i];
    for (size_t i = 0; found && i < p->nin; i++) /* go up */
        found = to[found->source->number - 1];
    if (!(first = found))
        return NULL;
    for (const struct link *l = to[found->source->number - 1]; l != found;
         l = to[l->source->number - 1])
        if (l->target->number < first->target->number)
            first = l;
    return first;
}

const struct link *forest_circle(struct rset *rs)
{
    size_t nlinks = rs->nlinks, n;
    const struct link **links = xcalloc(nlinks + 1, sizeof(*links)), **to,
                      *back = NULL;
    struct planting p = {0};
    struct vertex **queue;

    forget_numbers(rs);
    n = number_ends(rs, 0) + 1;
    p.waiting = xcalloc(n, sizeof(*p.waiting));
    to = xcalloc(n, sizeof(*to));
    queue = xcalloc(n, sizeof(struct vertex *));
    for (size_t i = 0; i < nlinks; i++)
        links[i] = &rs->links[i];
    VECTOR_SORT(links, nlinks, compare_edges_of);
    for (size_t i = 0; i < nlinks && !back; i += p.nin) {
        p.in = &links[i];
        p.nin = count_alike(p.in, nlinks - i);
        back = circle_of(&p, queue, to);
    }
    free(links);
    free(to);
    free(p.waiting);
    free(queue);
    return back;
}
