/*
 * Binding find expressions to a set.
 *
 * What each criterion says of ranks, ids and names is found out once, as
 * sets of numbers; the runs of targets are cut to all of those of ranks in
 * one sweep, the runs below them to those of ids, and paths cut what they
 * name. After that the first member of a run speaks for all.
 */
#include "request/find_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/path.h"

/* --- targets
 * ------------------------------------------------------------------ */

static bool has_target_runs(const struct rset *rs)
{
    const struct vertex *v = rset_first(rs);

    while (v && !(v->run && vertex_is_target(v)))
        v = rset_next(rs, v);
    return v;
}

static int apply_nothing(struct rset *rs, struct vertex *target,
                         const void *item, void *arg, struct diag *d)
{
    (void)rs, (void)target, (void)item, (void)arg, (void)d;
    return 0;
}

static int cut_targets(struct find *f, struct diag *d)
{
    struct layer *layers;
    size_t n = 0, at;
    int rc;

    for (const struct criterion *c = f->criteria; c; c = c->next)
        n += c->targets != NULL;
    if (!n || !has_target_runs(f->rs))
        return 0;
    if (!(layers = xcalloc(n, sizeof(*layers))))
        return diag_oom(d);
    n = 0;
    for (const struct criterion *c = f->criteria; c; c = c->next)
        if (c->targets)
            layers[n++].ranks = c->targets;
    rc = rset_lay(f->rs, layers, n, apply_nothing, NULL, &at, d);
    free(layers);
    return rc;
}

/* --- below targets
 * ------------------------------------------------------------ */

static int cut(struct rset *rs, struct vertex *v, const struct idset *ids)
{
    struct idset *part = ids ? idset_intersect(v->run, ids) : NULL;
    int rc = part ? 0 : -1;

    if (rc == 0 && !idset_empty(part) && !vertex_split(rs, v, part))
        rc = -1;
    idset_destroy(part);
    return rc;
}

/* What is cut off a run stands behind it, and so comes to its turn. */
static int cut_members(struct find *f, struct criterion *c)
{
    if (c->about != ABOUT_ID && c->about != ABOUT_NAME)
        return 0;
    for (struct vertex *v = rset_first(f->rs); v; v = rset_next(f->rs, v)) {
        if (!v->run || vertex_is_target(v))
            continue;
        if (cut(f->rs, v,
                c->about == ABOUT_ID ? c->ids : find_member_ids(c, v->basename))
            < 0)
            return -1;
    }
    return 0;
}

static void sort_runs(struct rset *rs)
{
    for (struct vertex *v = rset_first(rs); v; v = rset_next(rs, v)) {
        const struct vertex *c = v->child;
        while (c && !c->run)
            c = c->next;
        if (c)
            vertex_sort_children(v);
    }
}

/* --- paths and subsystems
 * ------------------------------------------------------ */

static int compare_addresses(const void *a, const void *b)
{
    uintptr_t va = (uintptr_t) * (struct vertex *const *)a;
    uintptr_t vb = (uintptr_t) * (struct vertex *const *)b;

    return (va > vb) - (va < vb);
}

static void sort_list(struct criterion *c)
{
    if (c->nlist)
        qsort(c->list, c->nlist, sizeof(*c->list), compare_addresses);
}

/* A path that leads nowhere is that of no pool. */
static int bind_path(struct find *f, struct criterion *c, struct diag *d)
{
    struct diag nowhere = {0};
    ssize_t n = rset_find_at(f->rs, c->text, &c->list, &nowhere);

    if (n < 0)
        return diag_oom(d);
    c->nlist = (size_t)n;
    sort_list(c);
    return 0;
}

static int bind_subsystem(struct find *f, struct criterion *c, struct diag *d)
{
    const struct rset *rs = f->rs;

    if (!(c->list = xmalloc((2 * rs->nlinks + 1) * sizeof(*c->list))))
        return diag_oom(d);
    for (size_t i = 0; i < rs->nlinks; i++) {
        const struct link *l = &rs->links[i];
        if (!find_has_word(c, l->subsystem, strlen(l->subsystem)))
            continue;
        c->list[c->nlist++] = l->source;
        c->list[c->nlist++] = l->target;
    }
    sort_list(c);
    return 0;
}

/* Paths last: they are of vertices that are not cut any more. */
static int bind_places(struct find *f, struct diag *d)
{
    for (struct criterion *c = f->criteria; c; c = c->next) {
        if (c->about == ABOUT_PATH && bind_path(f, c, d) < 0)
            return -1;
        if (c->about == ABOUT_SUBSYSTEM && bind_subsystem(f, c, d) < 0)
            return -1;
    }
    return 0;
}

int find_prepare(struct find *f, struct rset *rs, struct diag *d)
{
    find_unbind(f);
    f->rs = rs;
    for (struct criterion *c = f->criteria; c; c = c->next)
        if (find_bind_targets(f, c) < 0)
            return diag_oom(d);
    if (cut_targets(f, d) < 0)
        return -1;
    for (struct criterion *c = f->criteria; c; c = c->next)
        if (cut_members(f, c) < 0)
            return diag_oom(d);
    sort_runs(rs);
    if (bind_places(f, d) < 0)
        return -1;
    return find_bind_names(f) < 0 ? diag_oom(d) : 0;
}
