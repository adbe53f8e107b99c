/*
 * Algebra on sets without a graph (runs.h): targets are laid over each other,
 * and the pools of each group of ranks are combined at once.
 */
#include "compare/runs.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "compare/unite_records.h"
#include "model/records/tags.h"
#include "model/records/usage.h"
#include "model/tree/layers.h"

/* --- targets of many sets ------------------------------------------------- */

void targets_init(struct targets *t, struct rset *const *sets, size_t n)
{
    const struct idset **runs;
    size_t size = 0;

    for (size_t i = 0; i < n; i++)
        for (const struct vertex *v = sets[i]->root->child; v; v = v->next)
            size++;
    *t = (struct targets){.list = xmalloc(size * sizeof(*t->list)),
                          .end = xmalloc(n * sizeof(*t->end)),
                          .nsets = n};
    runs = xmalloc(size * sizeof(*runs));
    for (size_t i = 0; i < n; i++) {
        for (struct vertex *v = sets[i]->root->child; v; v = v->next) {
            runs[t->n] = v->run;
            t->list[t->n++] = v;
        }
        t->end[i] = t->n;
    }
    t->overlay = overlay_create(runs, t->n);
    free(runs);
}

void targets_fini(struct targets *t)
{
    overlay_destroy(t->overlay);
    free(t->list);
    free(t->end);
}

size_t targets_set(const struct targets *t, size_t label)
{
    size_t low = 0, high = t->nsets - 1;

    while (low < high) {
        size_t mid = (low + high) / 2;
        if (t->end[mid] <= label)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* --- union ---------------------------------------------------------------- */

/* A copy of members of a run of another set, with all below it. */
static struct vertex *import_run(struct rset *a, struct vertex *parent,
                                 struct vertex *v, struct idset *ids)
{
    struct vertex *copy = vertex_import_all(a, v);

    idset_destroy(copy->run);
    copy->run = ids;
    copy->parent = parent;
    return copy;
}

/* Members of both runs: what is below the one comes below the other. */
static void adopt_run(struct rset *a, struct vertex *v,
                      const struct vertex *other, const struct idset *both,
                      struct diag *d)
{
    if (other->child || other->properties
        || (d && (vertex_is_used(other) || vertex_has_tags(other)))) {
        v = vertex_split(a, v, both);
        vertex_add_properties(a, v, other->properties);
        unite_records(a, v, other, d);
        runs_adopt(a, v, other, d);
    }
}

/* The members of c that are not below v yet; those that are become whole. */
static struct idset *adopt_known(struct rset *a, struct vertex *v,
                                 const struct vertex *c, struct diag *d)
{
    struct idset *rest = idset_copy(c->run);

    for (struct vertex *w = v->child; w; w = w->next) {
        struct idset *both, *left;
        if (strcmp(w->type, c->type) || !idset_overlaps(rest, w->run))
            continue;
        both = idset_intersect(rest, w->run);
        left = idset_subtract(rest, both);
        adopt_run(a, w, c, both, d);
        idset_destroy(both);
        idset_destroy(rest);
        rest = left;
    }
    return rest;
}

/* Copies of the runs below another vertex that are not below v yet. */
static struct vertex *import_rest(struct rset *a, struct vertex *v,
                                  const struct vertex *other, struct diag *d)
{
    struct vertex *list = NULL, **end = &list;

    for (struct vertex *c = other->child; c; c = c->next) {
        struct idset *rest = adopt_known(a, v, c, d);
        if (idset_empty(rest)) {
            idset_destroy(rest);
        } else {
            *end = import_run(a, v, c, rest);
            end = &(*end)->next;
        }
    }
    return list;
}

static void add_children(struct vertex *v, struct vertex *list)
{
    struct vertex **end = &v->child;

    while (*end)
        end = &(*end)->next;
    *end = list;
    for (; list; list = list->next)
        list->parent = v;
    vertex_sort_children(v);
}

void runs_adopt(struct rset *a, struct vertex *v, const struct vertex *other,
                struct diag *d)
{
    add_children(v, import_rest(a, v, other, d));
}

/* --- with and without another target -------------------------------------- */

struct idset *runs_common(const struct vertex *c, const struct vertex *other)
{
    struct idset *ids = NULL;

    for (const struct vertex *w = other->child; w; w = w->next) {
        struct idset *both;
        if (strcmp(w->type, c->type))
            continue;
        both = idset_intersect(c->run, w->run);
        if (ids)
            idset_add_set(both, ids);
        idset_destroy(ids);
        ids = both;
    }
    return ids ? ids : idset_create();
}

/* Keep below v what is (or is not) below another target. Is any left? */
static bool keep(struct vertex *v, const struct vertex *other, bool in_both)
{
    struct vertex **link = &v->child;

    while (*link) {
        struct vertex *c = *link;
        struct idset *ids = runs_common(c, other);
        if (!in_both) {
            struct idset *rest = idset_subtract(c->run, ids);
            idset_destroy(ids);
            ids = rest;
        }
        idset_destroy(c->run);
        c->run = ids;
        if (idset_empty(ids))
            *link = c->next;
        else
            link = &c->next;
    }
    return v->child;
}

/* A copy of a target with nothing in it. */
static struct vertex *import_bare(struct rset *a, struct vertex *target,
                                  const struct idset *ranks)
{
    struct vertex *children = target->child, *copy;

    target->child = NULL;
    copy = import_run(a, a->root, target, idset_copy(ranks));
    target->child = children;
    return copy;
}

/* What is in exactly one of two targets; NULL: nothing. */
static struct vertex *part(struct rset *a, struct vertex *v,
                           struct vertex *other)
{
    struct vertex *theirs = import_rest(a, v, other, NULL);
    bool ours = keep(v, other, false);

    if (!ours && !theirs)
        return NULL;
    if (!ours)
        v = import_bare(a, other, v->run);
    else if (theirs)
        vertex_add_properties(a, v, other->properties);
    add_children(v, theirs);
    return v;
}

/* --- target by target ----------------------------------------------------- */

/* What becomes of ranks that both have; NULL: nothing. */
static struct vertex *combine(struct rset *a, struct vertex *v,
                              struct vertex *other, enum runs_operation op,
                              struct diag *d)
{
    switch (op) {
    case RUNS_UNITE:
        vertex_add_properties(a, v, other->properties);
        unite_records(a, v, other, d);
        runs_adopt(a, v, other, d);
        return v;
    case RUNS_SUBTRACT:
        return keep(v, other, false) ? v : NULL;
    case RUNS_INTERSECT:
        return !v->child || keep(v, other, true) || !other->child ? v : NULL;
    case RUNS_XOR:
        break;
    }
    return part(a, v, other);
}

/* Of a group: `v` is the piece of the first set, or NULL. */
static struct vertex *combine_group(struct rset *a, struct vertex *v,
                                    const struct targets *t,
                                    const struct overlay_group *g,
                                    enum runs_operation op, struct diag *d)
{
    if (v && g->nlabels == 1)
        return op == RUNS_INTERSECT ? NULL : v;
    if (!v && op != RUNS_UNITE && op != RUNS_XOR)
        return NULL;
    if (!v)
        v = import_run(a, a->root, t->list[g->labels[0]], idset_copy(g->ids));
    for (size_t i = 1; i < g->nlabels; i++)
        v = combine(a, v, t->list[g->labels[i]], op, d);
    return v;
}

void runs_combine(struct rset *const *sets, size_t n, enum runs_operation op,
                  struct diag *d)
{
    struct rset *a = sets[0];
    struct vertex **pieces, **end = &a->root->child;
    struct targets t;

    targets_init(&t, sets, n);
    pieces = pieces_cut(a, t.list, t.end[0], t.overlay, 0);
    for (size_t i = 0; i < overlay_ngroups(t.overlay); i++)
        if ((*end = combine_group(a, pieces[i], &t, overlay_group(t.overlay, i),
                                  op, d)))
            end = &(*end)->next;
    *end = NULL;
    vertex_sort_children(a->root);
    free(pieces);
    targets_fini(&t);
}
