/*
 * Between R_lite and the tree: what R_lite says of a set, and the tree of a
 * set of which nothing else is said.
 */
#include "model/document/rlite.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/document/unknown.h"

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

void rlite_add_type(struct rset *rs, const char *type)
{
    if (rlite_type(rs, type))
        return;
    VECTOR_GROW(rs->types, rs->ntypes);
    rs->types[rs->ntypes++] = rset_string(rs, type);
}

void rlite_adopt_types(struct rset *rs, const struct rset *from)
{
    for (size_t i = 0; i < from->ntypes; i++)
        rlite_add_type(rs, from->types[i]);
}

void rlite_share_types(struct rset *a, struct rset *b)
{
    rlite_adopt_types(a, b);
    rlite_adopt_types(b, a);
}

/* --- to R_lite ---------------------------------------------------------- */

static int project_id(const struct vertex *v, const struct vertex *target,
                      struct idset *ids, struct diag *d)
{
    long long rank = target->run ? (long long)idset_first(target->run)
                                 : (long long)target->rank;

    if (v->id < 0 || v->id > (int64_t)IDSET_MAX)
        return diag_set(d, "%s of rank %lld has no id that R can hold%s",
                        v->name, rank,
                        strcmp(v->name, v->type) == 0
                            ? " (if it is a sum, --type can keep its parts)"
                            : "");
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

int rlite_add_target(struct rlite *rl, const struct rset *rs,
                     const struct vertex *target, const struct vertex **at,
                     struct diag *d)
{
    json_t *extra = rl->unknown ? unknown_keys(target->extra, UNKNOWN_ENTRY)
                                : NULL;
    struct lite_children children = {0};
    struct idset *own = NULL;

    if (lite_children_project(rs, target, &children, at, d) < 0) {
        lite_children_fini(&children);
        return -1;
    }
    if (!target->run)
        target_add_ranks(target, own = idset_create());
    rlite_add_entry(rl, own ? own : target->run, &children, extra);
    idset_destroy(own);
    return 0;
}

int rlite_project(struct rlite *rl, const struct rset *rs, struct diag *d)
{
    const struct vertex *unused;
    struct vertex **targets;
    size_t n = rset_targets(rs, &targets);
    int rc = 0;

    for (size_t i = 0; i < n && rc == 0; i++)
        rc = rlite_add_target(rl, rs, targets[i], &unused, d);
    free(targets);
    rlite_sort(rl);
    return rc;
}

/* --- from R_lite -------------------------------------------------------- */

static struct vertex *build_target(struct rset *rs, struct lite_entry *e)
{
    struct vertex *v = vertex_create(rs, "node");

    v->run = e->ranks;
    e->ranks = NULL;
    v->parent = rs->root;
    for (size_t i = 0; i < e->children.n; i++) {
        struct lite_child *c = &e->children.list[i];
        vertex_add_run(rs, v, c->type, c->ids);
        rlite_add_type(rs, c->type);
        c->ids = NULL;
    }
    vertex_sort_children(v);
    return v;
}

void rlite_build(struct rset *rs, struct rlite *rl)
{
    struct vertex **end = &vertex_add(rs, NULL, "cluster", "cluster", 0)->child;

    for (size_t i = 0; i < rl->n; i++) {
        *end = build_target(rs, &rl->list[i]);
        end = &(*end)->next;
    }
    vertex_sort_children(rs->root);
}
