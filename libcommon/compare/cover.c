/* Selects the resources of an R in a set (cover.h). */
#include "compare/cover.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "compare/align.h"
#include "compare/expand.h"
#include "model/change/ranks.h"
#include "model/document/edition.h"
#include "model/document/shorthand.h"
#include "model/records/jobs.h"
#include "model/records/usage.h"
#include "model/tree/types.h"

struct covering {
    struct rset *rs;
    struct rset *part;
    struct settled named; /* the part */
    struct selection *sel;
    struct vertex_index index; /* of rs */
    struct span *spans;        /* of the targets of `part`, if plain */
    size_t nspans;
    struct vertex **targets; /* targets in the graph, in tree order */
    size_t ntargets, next;
    bool plain;  /* part is an R laid over a graph */
    bool strict; /* everything has to be in rs; else the rest is left out */
    bool lacks;  /* something is not in rs: `d` names the first */
    struct diag *d;
};

/* --- how picks are held ------------------------------------------------- */

static bool is_named_by_ids(const struct vertex *v)
{
    return !strcmp(v->type, "core") || !strcmp(v->type, "gpu");
}

/* Does an R without a graph list all ids below the pick? Other pools, such as
   memory, don't count, because it can't list them. */
static bool has_all_ids(const struct pick *p)
{
    for (const struct vertex *v = p->v->child; v; v = v->next) {
        const struct pick *c = p->child;

        while (c && c->v != v)
            c = c->next;
        if (c && !is_named_by_ids(v) && !has_all_ids(c))
            return false;
        for (const struct vertex *w = c ? NULL : v; w;
             w = vertex_next(v, w, false))
            if (is_named_by_ids(w))
                return false;
    }
    return true;
}

/* Does a job's R have a grant of this kind on a pool without children? */
static bool is_marked(const struct covering *c, const struct vertex *v,
                      enum grant_kind kind)
{
    const struct grant *g = v->child ? NULL : vertex_grants(c->named, v);

    while (g && g->term->kind != kind)
        g = g->beside;
    return g;
}

/* Set how a pick is held, from `named`, the vertex in the job's R. */
static void take(const struct covering *c, struct pick *p,
                 const struct vertex *named)
{
    if (strcmp(named->type, p->v->type) != 0)
        return;
    p->shared = is_marked(c, named, GRANT_SHARE);
    if (c->plain && !vertex_is_target(named)) {
        p->exclusive = p->whole = !p->shared;
        return;
    }
    p->amount = named->size || !is_named_by_ids(p->v) ? named->size
                                                      : p->v->size;
    if (!named->exclusive) {
        /* If nothing is listed in a pool, and it is not held whole, the job
           shares the pool if it has children; otherwise the job holds it. */
        if (!p->child && !p->shared && p->amount == p->v->size) {
            p->shared = p->v->child;
            p->exclusive = p->whole = !p->shared;
        }
        return;
    }

    /*
     * The job holds the pool. It holds it whole if nothing in it is left out.
     * In a graph that ends at this pool the contents are implied, unless the
     * pool is marked as listed; in an R without a graph they are not.
     */
    if (!p->v->child && p->amount < p->v->size)
        return; /* some units of a pool in a pool held whole */
    p->exclusive = true;
    p->whole = (c->plain ? has_all_ids(p) : !pick_is_part(p, true))
               || (!p->child && !c->plain && rset_has_graph(c->rs)
                   && !is_marked(c, named, GRANT_LISTED));
    if (p->whole)
        p->child = NULL;
}

/* Are all contents that the job names in a pool gone? It does not hold the pool
   itself. */
static bool is_empty(const struct pick *p, const struct vertex *named)
{
    return named->child && !p->child && !p->exclusive;
}

/* --- missing pools ------------------------------------------------------ */

/* Note that something is not in the set. Returns 1, or 0 if it is left out. */
static int not_there(struct covering *c, const char *what)
{
    if (!c->lacks)
        diag_set(c->d, "%s is not in the set", what);
    c->lacks = true;
    return c->strict;
}

static int vertex_not_there(struct covering *c, const struct vertex *v)
{
    char *place = c->lacks ? NULL : vertex_place(c->part, v);
    int rc = not_there(c, place);

    free(place);
    return rc;
}

/* Note the members of a run that no run of its type under v has. */
static int members_not_there(struct covering *c, const struct vertex *v,
                             const struct vertex *run)
{
    struct vertex up = *run->parent, left = *run;
    int rc;

    left.parent = &up;
    left.run = idset_copy(run->run);
    for (const struct vertex *w = v->child; w; w = w->next)
        if (!strcmp(w->type, run->type))
            idset_remove_set(left.run, w->run);
    up.run = up.run ? idset_intersect(up.run, v->run) : NULL;
    rc = vertex_not_there(c, &left);
    idset_destroy(left.run);
    idset_destroy(up.run);
    return rc;
}

/* Note that the graph of the part, or of the set, is partial. */
static int is_partial(struct covering *c)
{
    if (!c->lacks)
        shorthand_fault(c->d);
    c->lacks = true;
    return c->strict ? -1 : 0;
}

static uint64_t count_picks(const struct rset *rs, const struct pick *list,
                            const char *type)
{
    uint64_t sum = 0;

    for (const struct pick *p = list; p; p = p->next) {
        if (p->whole && p->v->child) {
            sum += rset_count(rs, p->v, type); /* everything in it */
            continue;
        }
        if (!strcmp(p->v->type, type))
            sum += (uint64_t)p->amount;
        sum += count_picks(rs, p->child, type);
    }
    return sum;
}

static int check_count(struct covering *c, const char *type)
{
    char what[64];

    if (count_picks(c->rs, c->sel->picks, type)
        == rset_count(c->part, NULL, type))
        return 0;
    snprintf(what, sizeof(what), "some %s that it names", type);
    return not_there(c, what);
}

/* --- runs --------------------------------------------------------------- */

static int cover_pool(struct covering *c, struct pick *p,
                      const struct vertex *named);

/* Pick runs. The spans of both are ordered by type, then by members. */
static int cover_runs(struct covering *c, struct pick *up,
                      const struct vertex *named)
{
    struct span *a, *b;
    size_t na = vertex_spans(up->v, &a), nb = vertex_spans(named, &b), i = 0;
    const struct vertex *of = NULL; /* vertex of the last pick */
    struct pick *last = NULL, **end = &up->child;
    int rc = 0;

    for (size_t k = 0; k < nb && rc == 0; k++)
        for (uint64_t at = b[k].lo; at <= b[k].hi && rc == 0;) {
            struct pick *p;
            int order = 0;

            while (i < na && (order = strcmp(a[i].v->type, b[k].v->type)) <= 0
                   && (order < 0 || a[i].hi < at))
                i++;
            if (i == na || order > 0 || a[i].lo > at) {
                rc = members_not_there(c, up->v, b[k].v);
                if (i == na || order > 0 || a[i].lo > b[k].hi)
                    break;
                at = a[i].lo;
                continue;
            }
            p = selection_pick(c->sel, a[i].v);
            if (last && last->v == p->v && of == b[k].v)
                *p = *last; /* same vertices, other members */
            else
                rc = cover_pool(c, p, of = b[k].v);
            p->first = (uint32_t)at;
            at = 1 + (uint64_t)(a[i].hi < b[k].hi ? a[i].hi : b[k].hi);
            if (is_empty(p, of))
                continue;
            p->nmembers = at - p->first;
            *end = last = p;
            end = &p->next;
        }
    free(a);
    free(b);
    return rc;
}

/* --- single pools ------------------------------------------------------- */

static int cover_list(struct covering *c, struct vertex *parent,
                      struct vertex *guess, const struct vertex *named,
                      struct pick **end)
{
    int rc = 0;

    for (; named && rc == 0; named = named->next) {
        struct vertex *v = vertex_index_near(&c->index, parent, guess, named);
        if (!v) {
            rc = vertex_not_there(c, named);
            continue;
        }
        *end = selection_pick(c->sel, v);
        rc = cover_pool(c, *end, named);
        if (is_empty(*end, named))
            *end = NULL;
        else
            end = &(*end)->next;
        guess = v->next;
    }
    return rc;
}

/* Pick the pools listed below a pool, then the pool itself. */
static int cover_pool(struct covering *c, struct pick *p,
                      const struct vertex *named)
{
    struct vertex *v = p->v;
    int rc = 0;

    if (named->child && !v->child)
        rc = vertex_not_there(c, named->child);
    else if (named->child && !v->child->run != !named->child->run)
        rc = is_partial(c);
    else if (named->child && v->child->run)
        rc = cover_runs(c, p, named);
    else if (named->child)
        rc = cover_list(c, v, v->child, named->child, &p->child);
    take(c, p, named);
    return rc;
}

/* --- an R laid over a graph --------------------------------------------- */

/* Pick the pools below v that the R lists by type and id, and their ancestors.
   `target` is v's target in the R; NULL: v is the target of one of the spans.
   Returns NULL if there are none. */
static struct pick *cover_ids(struct covering *c, struct vertex *v,
                              const struct vertex *target)
{
    bool is_target = !target;
    const struct vertex *named = NULL;
    struct pick *p, **end;

    if (is_target) {
        size_t at = VECTOR_SEEK(i, 0, c->nspans, c->spans[i].hi < v->rank);
        named = target = c->spans[at].v;
    } else if (rlite_type(c->rs, v->type)) {
        named = run_find(target, v->type, v->id);
    }
    p = selection_pick(c->sel, v);
    end = &p->child;
    for (struct vertex *child = is_target || !named ? v->child : NULL; child;
         child = child->next)
        if ((*end = cover_ids(c, child, target)))
            end = &(*end)->next;
    if (!named)
        return p->child ? p : NULL;
    take(c, p, named);
    return is_empty(p, named) ? NULL : p;
}

/* Pick a pool and the next targets, as long as they are below it. Returns NULL
   if the job has nothing there. */
static struct pick *cover_above(struct covering *c, struct vertex *v)
{
    struct pick *p = selection_pick(c->sel, v), **end = &p->child;

    while (c->next < c->ntargets) {
        struct vertex *target = c->targets[c->next], *child = target;

        while (child && child->parent != v)
            child = child->parent;
        if (!child)
            break;
        if (child != target) {
            *end = cover_above(c, child);
        } else {
            c->next++;
            *end = cover_ids(c, target, NULL);
        }
        if (*end)
            end = &(*end)->next;
    }
    return p->child ? p : NULL;
}

static int compare_places(const void *a, const void *b)
{
    const struct vertex *x = *(struct vertex *const *)a,
                        *y = *(struct vertex *const *)b;

    return COMPARE(x->number, y->number);
}

static int cover_plain(struct covering *c)
{
    const struct rset *rs = c->rs, *part = c->part;
    int rc;

    if (rset_partial(rs)) /* graph without places of pools */
        return is_partial(c);
    c->nspans = vertex_spans(part->root, &c->spans);
    for (size_t i = 0; i < c->nspans; i++) {
        struct idrange ranks = {(uint32_t)c->spans[i].lo,
                                (uint32_t)c->spans[i].hi};
        struct vertex *const *list;
        size_t n;

        list = usage_targets(usage_get(c->rs), ranks, &n);
        for (size_t k = 0; k < n; k++)
            VECTOR_ADD(c->targets, c->ntargets, list[k]);
    }
    VECTOR_SORT(c->targets, c->ntargets, compare_places);
    if (c->ntargets > 0)
        c->sel->picks = c->targets[0] == rs->root ? cover_ids(c, rs->root, NULL)
                                                  : cover_above(c, rs->root);
    free(c->targets);
    free(c->spans);

    rc = idset_subset(part->ranks, rs->ranks)
             ? check_count(c, "core")
             : not_there(c, "some rank that it names");
    if (rc == 0)
        rc = check_count(c, "gpu");
    for (size_t i = 0; i < part->document.types.count && rc == 0; i++)
        rc = check_count(c, part->document.types.slots[i].key);
    return rc;
}

/* --- the whole ---------------------------------------------------------- */

static int cover_roots(struct covering *c)
{
    const struct vertex *named = c->part->root;
    struct vertex *root = c->rs->root;
    struct pick **end = &c->sel->picks, *p = NULL;
    int rc = 0;

    if (named && !root)
        rc = vertex_not_there(c, named);
    else if (named) {
        p = selection_pick(c->sel, root);
        rc = cover_pool(c, p, named);
        /* an R never holds the root itself */
        if (p->child || (rset_has_graph(c->rs) && !is_empty(p, named))) {
            *end = p;
            end = &p->next;
        }
    }
    if (rc == 0)
        rc = cover_list(c, NULL, c->rs->loose, c->part->loose, end);
    if (p && p->next && !p->child && p->shared
        && !is_marked(c, named, GRANT_SHARE))
        c->sel->picks = p->next; /* it is only the parent of other picks */
    return rc;
}

int cover_adopt(struct rset *rs, struct rset *part, struct diag *d)
{
    struct diag unused;

    if (rset_check_hosts(rs, part, false, NULL, d) < 0)
        return rset_adopt_ranks(part, rs, NULL, d) < 0 ? -1 : 1;
    if (part->ranks && !idset_subset(part->ranks, rs->ranks))
        rset_adopt_ranks(part, rs, NULL, &unused);
    return 0;
}

/* Fit the part to the set: a shorthand graph is completed, hosts get their
   ranks in the set, and only R_lite counts if the set has no graph or another
   root. *plain: a new set to destroy, or NULL. Returns 0, 1 or -1. */
static int fit(struct covering *c, struct rset **plain)
{
    struct rset *rs = c->rs, *part = c->part;
    bool graph = rset_has_graph(rs);
    int moved;

    moved = c->strict ? rset_check_hosts(rs, part, false, NULL, c->d)
                      : cover_adopt(rs, part, c->d);
    if (moved < 0) {
        c->lacks = true;
        return 1;
    }
    if (moved > 0)
        *c->d = (struct diag){0};
    if (graph && !rset_partial(rs)
        && rset_expand_shorthand(part, rs, c->strict ? 0 : EXPAND_KNOWN, c->d)
               < 0)
        return -1;
    if (!graph && rset_has_graph(part)) {
        /* A set without a graph can't contain pools that an R can't list, such
           as memory or a licence. */
        for (const struct vertex *v = rset_first(part); v;
             v = rset_next(part, v))
            if (!v->child && !rlite_lists(part, v) && vertex_not_there(c, v))
                return 1;
        if (!(c->part = *plain = rset_plain(part, true, c->d)))
            return -1;
    }
    c->plain = graph && !rset_has_graph(part);
    return !c->plain && rset_check_roots(rs, c->part, c->d) < 0;
}

/* Select the part, or as much of it as there is. Returns 0, 1 or -1. */
static int cover(struct covering *c)
{
    const struct rset *R = c->part;
    struct rset *plain = NULL;
    int rc = fit(c, &plain);

    c->index.rs = c->rs;
    c->sel = selection_create();
    if (rc == 0) {
        c->named = usage_settle(c->part);
        rc = c->plain ? cover_plain(c) : cover_roots(c);
        vertex_index_fini(&c->index);
    }
    rset_destroy(plain);
    if (rc == 0) {
        c->sel->nslots = (uint64_t)json_integer_value(edition_nslots(R));
        c->sel->moldable = true;
        return 0;
    }
    selection_destroy(c->sel);
    c->sel = NULL;
    return rc;
}

int cover_select(struct rset *rs, struct rset *part, struct selection **out,
                 struct diag *d)
{
    struct covering c = {.rs = rs, .part = part, .strict = true, .d = d};
    int rc = cover(&c);

    *out = c.sel;
    return rc;
}

struct selection *cover_known(struct rset *rs, struct rset *part, char **lacks)
{
    struct diag d = {0};
    struct covering c = {.rs = rs, .part = part, .d = &d};
    int rc = cover(&c);

    *lacks = rc || c.lacks ? xstrdup(d.text) : NULL;
    return rc ? NULL : c.sel;
}

void cover_times(const struct rset *rs, const struct rset *part, double *start,
                 double *end)
{
    *start = rset_starttime(part);
    *end = rset_expiration(part);
    if (*start == rset_starttime(rs) && *end == rset_expiration(rs))
        *start = *end = TIME_UNSET;
}
