/*
 * Between R_lite and the tree: what R_lite says of a set, and the tree of a
 * set of which nothing else is said.
 */
#include "model/rlite.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/unknown.h"

/* --- types ------------------------------------------------------------- */

bool rlite_type(const struct rset *rs, const char *type)
{
    if (!strcmp(type, "core") || !strcmp(type, "gpu"))
        return true;
    for (size_t i = 0; i < rs->ntypes; i++)
        if (!strcmp(rs->types[i], type))
            return true;
    return false;
}

int rlite_add_type(struct rset *rs, const char *type)
{
    const char **types;

    if (rlite_type(rs, type))
        return 0;
    types = xrealloc(rs->types, (rs->ntypes + 1) * sizeof(*types));
    if (!types)
        return -1;
    rs->types = types;
    if (!(type = rset_string(rs, type)))
        return -1;
    types[rs->ntypes++] = type;
    return 0;
}

int rlite_adopt_types(struct rset *rs, const struct rset *from)
{
    for (size_t i = 0; i < from->ntypes; i++)
        if (rlite_add_type(rs, from->types[i]) < 0)
            return -1;
    return 0;
}

/* --- to R_lite ---------------------------------------------------------- */

static int project_id(const struct vertex *v, const struct vertex *target,
                      struct idset *ids, struct diag *d)
{
    long long rank = target->run ? (long long)idset_first(target->run)
                                 : (long long)target->rank;

    if (v->id < 0 || v->id > (int64_t)IDSET_MAX)
        return diag_set(d, "%s of rank %lld has no id that R can hold", v->name,
                        rank);
    if (idset_contains(ids, (uint32_t)v->id))
        return diag_set(d, "rank %lld has two pools of type %s with id %lld",
                        rank, v->type, (long long)v->id);
    idset_add(ids, (uint32_t)v->id, (uint32_t)v->id);
    return 0;
}

int lite_children_project(const struct rset *rs, const struct vertex *target,
                          struct lite_children *children,
                          const struct vertex **at, struct diag *d)
{
    const char *type = NULL;
    struct idset *ids = NULL;
    bool wanted = false;

    for (const struct vertex *v = vertex_next(target, target, false); v;
         v = vertex_next(target, v, false)) {
        if (v->type != type) {
            type = v->type;
            wanted = rlite_type(rs, type);
            ids = wanted ? lite_children_ids(children, type) : NULL;
            if (wanted && !ids)
                return diag_oom(d);
        }
        if (wanted && v->run)
            idset_add_set(ids, v->run);
        if (wanted && !v->run && project_id(v, target, ids, d) < 0) {
            *at = v;
            return -1;
        }
    }
    return 0;
}

static int project_target(struct rlite *rl, const struct rset *rs,
                          const struct vertex *v, struct diag *d)
{
    struct lite_children children = {0};
    const struct vertex *unused;
    struct idset *own = NULL;
    int rc;

    if (lite_children_project(rs, v, &children, &unused, d) < 0) {
        lite_children_fini(&children);
        return -1;
    }
    if (!v->run
        && !(own = idset_create_range((uint32_t)v->rank, (uint32_t)v->rank))) {
        lite_children_fini(&children);
        return diag_oom(d);
    }
    rc = rlite_add_entry(rl, own ? own : v->run, &children,
                         rl->unknown ? unknown_keys(v->extra, UNKNOWN_ENTRY)
                                     : NULL);
    idset_destroy(own);
    return rc < 0 ? diag_oom(d) : 0;
}

int rlite_project(struct rlite *rl, const struct rset *rs, struct diag *d)
{
    struct vertex **targets;
    ssize_t n = rset_targets(rs, &targets);
    int rc = 0;

    if (n < 0)
        return diag_oom(d);
    for (ssize_t i = 0; i < n && rc == 0; i++)
        rc = project_target(rl, rs, targets[i], d);
    free(targets);
    rlite_sort(rl);
    return rc;
}

/* --- from R_lite -------------------------------------------------------- */

static int build_children(struct rset *rs, struct vertex *target,
                          struct lite_children *children)
{
    for (size_t i = 0; i < children->n; i++) {
        struct lite_child *c = &children->list[i];
        struct idset *run = c->ids;
        c->ids = NULL;
        if (!vertex_add_run(rs, target, c->type, run)
            || rlite_add_type(rs, c->type) < 0)
            return -1;
    }
    vertex_sort_children(target);
    return 0;
}

static struct vertex *build_target(struct rset *rs, struct lite_entry *e)
{
    struct vertex *v = vertex_create(rs, "node");

    if (!v)
        return NULL;
    v->run = e->ranks;
    e->ranks = NULL;
    v->parent = rs->root;
    return build_children(rs, v, &e->children) < 0 ? NULL : v;
}

int rlite_build(struct rset *rs, struct rlite *rl, struct diag *d)
{
    struct vertex **end;

    if (!vertex_add(rs, NULL, "cluster", "cluster", 0))
        return diag_oom(d);
    end = &rs->root->child;
    for (size_t i = 0; i < rl->n; i++) {
        if (!(*end = build_target(rs, &rl->list[i])))
            return diag_oom(d);
        end = &(*end)->next;
    }
    vertex_sort_children(rs->root);
    return 0;
}
