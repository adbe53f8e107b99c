/* Removes, attaches and grafts parts of a set, and checks before that no job is
   in the way (subtree.h). */
#include "model/change/subtree.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/change/select.h"
#include "model/document/document.h"
#include "model/document/jgf.h"
#include "model/records/jobs.h"
#include "model/records/usage.h"
#include "model/tree/forest.h"
#include "model/tree/types.h"

static struct quoted label(const struct rset *rs, const struct vertex *v)
{
    char buf[VERTEX_NAME_MAX];
    const char *name = vertex_name(rs, v, v->run ? idset_first(v->run) : 0,
                                   buf);

    return quote_all(name);
}

/* --- unlink --------------------------------------------------------------- */

/* Move pools that are in other subsystems beside the tree; unlink the
   others. */
static void move_loose(struct rset *rs, struct vertex *v)
{
    struct vertex *next;

    for (struct vertex *c = v->child; c; c = next) {
        next = c->next;
        move_loose(rs, c);
    }
    v->child = NULL;
    v->parent = NULL;
    v->rank = -1; /* targets are in containment */
    v->home = v->above = NULL;
    if (v->index) {
        v->next = rs->loose;
        rs->loose = v;
    }
}

/* Return a claim on a pool (`whole`: of all units), or NULL. */
static const struct grant *claim_on(struct settled s, const struct vertex *v,
                                    bool whole)
{
    const struct grant *g = vertex_grants(s, v);

    while (g && (g->term->kind != GRANT_CLAIM || (whole && g->units < v->size)))
        g = g->beside;
    return g;
}

static int check_unheld(struct settled s, const struct vertex *top,
                        struct diag *d)
{
    const struct grant *g;

    for (const struct vertex *up = top->parent; up; up = up->parent)
        if ((g = claim_on(s, up, true)))
            return diag_set(d, "%s and its contents are held by job %s",
                            label(s.rs, up).text, g->term->job->name);
    for (const struct vertex *v = top; v; v = vertex_next(top, v, false))
        if ((g = claim_on(s, v, false)))
            return diag_set(d, "%s is held by job %s", label(s.rs, v).text,
                            g->term->job->name);
    return 0;
}

/* Fail if a pool that a job holds now lies in a pool that another job holds
   whole. */
static int check_below(struct settled s, const struct vertex *v,
                       const struct grant *g, struct diag *d)
{
    for (const struct vertex *up = v->parent; up; up = up->parent)
        for (const struct grant *w = vertex_grants(s, up); w; w = w->beside)
            if (grant_is_whole(w) && w->term->job != g->term->job
                && terms_overlap(w->term, g->term))
                return diag_set(d,
                                "%s, held by job %s, would be in %s, which job "
                                "%s holds whole",
                                label(s.rs, v).text, g->term->job->name,
                                label(s.rs, up).text, w->term->job->name);
    return 0;
}

static int check_forest(struct settled s, struct diag *d)
{
    for (const struct vertex *v = rset_first(s.rs); v; v = rset_next(s.rs, v))
        for (const struct grant *g = vertex_grants(s, v); g; g = g->beside)
            if (g->term->kind == GRANT_CLAIM && check_below(s, v, g, d) < 0)
                return 1;
    return 0;
}

static void drop_edges(struct rset *rs, const struct vertex *v,
                       const char *subsystem)
{
    size_t n = 0;

    for (size_t i = 0; i < rs->nlinks; i++) {
        const struct link *l = &rs->links[i];
        if ((l->source != v && l->target != v)
            || strcmp(l->subsystem, subsystem))
            rs->links[n++] = *l;
    }
    rs->nlinks = n;
}

/* Remove a hierarchy. A set without a graph keeps its root, even without
   nodes. */
static void take_out(struct rset *rs, struct vertex *v)
{
    if (v == rs->root && !rset_has_graph(rs)) {
        v->child = NULL;
        return;
    }
    for (struct vertex *c = v; c; c = vertex_next(v, c, false)) {
        if (v->home)
            drop_edges(rs, c, v->home);
        c->index = false;
    }
    for (size_t i = 0; i < rs->nlinks; i++) /* members of other subsystems */
        rs->links[i].source->index = rs->links[i].target->index = true;
    vertex_unlink(rs, v);
    move_loose(rs, v);
    rset_drop_unlinked(rs);
    forest_plant(rs);
}

static int leave_home(struct settled s, struct vertex *v, struct diag *d)
{
    struct rset *rs = s.rs;

    if (check_unheld(s, v, d) < 0)
        return 1;
    if (rs->ranks) {
        struct idset *gone = idset_create();
        for (struct vertex *c = v; c; c = vertex_next(v, c, false))
            if (vertex_is_target(c))
                target_add_ranks(c, gone);
        rset_keep_ranks(rs, idset_subtract(rs->ranks, gone));
        idset_destroy(gone);
    }
    json_object_del(rs->document.execution, "nslots");
    take_out(rs, v);
    return 0;
}

/* Remove a pool from a subsystem that is not its home, with the tops that lie
   in it there. */
static int leave_subsystem(struct settled s, const struct vertex *v,
                           const char *uri, const char *subsystem,
                           struct diag *d)
{
    struct rset *rs = s.rs;

    for (struct vertex *top = rs->loose; top; top = top->next)
        if (top_lies_in(top, uri) && check_unheld(s, top, d) < 0)
            return 1;
    drop_edges(rs, v, subsystem);
    for (struct vertex *top = rs->loose, *next; top; top = next) {
        bool gone = top_lies_in(top, uri);
        next = top->next;
        if (gone)
            take_out(rs, top);
        next = gone ? rs->loose : next; /* the tops were planted again */
    }
    forest_plant(rs);
    return 0;
}

int rset_unlink(struct rset *rs, struct lot *lot, const char *uri,
                struct diag *d)
{
    struct vertex *v = lot_vertex(rs->usage, lot);
    const char *colon = *uri == '/' ? NULL : strchr(uri, ':');
    char *subsystem = colon ? xstrndup(uri, (size_t)(colon - uri)) : NULL;
    struct settled s = usage_settle(rs);
    char *twin = NULL;
    int rc;

    if (!subsystem || !strcmp(subsystem, v->home ? v->home : "containment"))
        rc = leave_home(s, v, d);
    else
        rc = leave_subsystem(s, v, uri, subsystem, d);
    if (rc == 0) {
        rc = check_forest(s, d);
        usage_gather(rs);
    }
    if (rc == 0 && (twin = forest_twin(rs)))
        rc = diag_set(d, "%s would name two resources", quote_all(twin).text);
    free(twin);
    free(subsystem);
    return rc;
}

/* --- subtree -------------------------------------------------------------- */

/* Copy a member of a run in a node, or a hierarchy of single pools, as a
   set. */
static void take_hierarchy(struct rset *to, struct rset *rs, struct vertex *v)
{
    struct vertex *copy;
    char buf[VERTEX_NAME_MAX];

    to->root = copy = vertex_import_all(to, v);
    if (v->run) {
        copy->id = idset_first(v->run);
        copy->name = rset_string(to,
                                 vertex_name(rs, v, (uint32_t)copy->id, buf));
        copy->rank = idset_first(v->parent->run);
        idset_destroy(copy->run);
        copy->run = NULL;
    }
    to->document.halves |= HALF_GRAPH;
    for (struct vertex *c = copy; c; c = vertex_next(copy, c, false))
        c->home = c->above = NULL;
    for (size_t i = 0; i < rs->nlinks; i++) {
        const struct link *l = &rs->links[i];
        if (!v->home || strcmp(l->subsystem, v->home) != 0)
            rset_import_link(to, l); /* links of its home become containment */
    }
}

struct rset *rset_subtree(struct rset *rs, struct lot *lot)
{
    struct selection *sel;
    struct vertex *v;
    struct rset *to;

    if (!rset_has_graph(rs)
        && (lot->v == rs->root || vertex_is_target(lot->v))) {
        sel = selection_create();
        sel->inventory = sel->records = true;
        selection_take(sel, rs->usage, lot, lot->v->size);
        to = rset_extract(rs, sel);
        selection_destroy(sel);
        return to;
    }
    v = lot_vertex(rs->usage, lot);
    usage_settle(rs);
    to = rset_create();
    rset_carry(to, rs);
    to->document.bare |= !rset_has_graph(rs);
    take_hierarchy(to, rs, v);
    json_object_del(to->document.execution, "nslots");
    usage_gather(to);
    for (struct vertex *c = v; c; c = vertex_next(v, c, false))
        c->peer = NULL;
    rset_index_targets(to, &(struct diag){0}); /* the ranks are as before */
    return to;
}

/* --- fragments ------------------------------------------------------------ */

void rset_graft(struct rset *rs, struct rset *whole)
{
    struct diag unused = {0};
    const struct lot *up = rset_find_lot(whole, rs->above, &unused);
    int64_t rank = up ? up->v->rank : -1;

    if (!up)
        return;
    usage_settle(rs);
    for (struct vertex *v = rs->root; v && rank >= 0;
         v = vertex_next(rs->root, v, false))
        if (v->rank < 0)
            v->rank = rank; /* rank of the node that now contains it */
    for (; up->parent; up = up->parent) {
        struct vertex *copy = vertex_import(rs, up->v);
        copy->exclusive = false;
        copy->child = rs->root;
        rs->root->parent = copy;
        rs->root = copy;
    }
    rs->above = NULL;
    usage_gather(rs);
    rset_index_targets(rs, &unused);
}

/* --- attach to a graph ---------------------------------------------------- */

/* Return whether any pool has a rank other than `but`. */
static bool has_rank(const struct rset *rs, int64_t but)
{
    for (const struct vertex *v = rset_first(rs); v; v = rset_next(rs, v))
        if ((v->rank >= 0 && v->rank != but) || v->run)
            return true;
    return false;
}

/* Return whether v has a child with the name, or a run of the type with the
   id. */
static bool has_child(const struct vertex *v, const struct vertex *like)
{
    for (const struct vertex *c = v->child; c; c = c->next)
        if (c->run ? !strcmp(c->type, like->type)
                         && idset_contains(c->run, (uint32_t)like->id)
                   : !strcmp(c->name, like->name))
            return true;
    return false;
}

static int child_exists(const struct rset *rs, const struct vertex *v,
                        const char *name, struct diag *d)
{
    return diag_set(d, "%s has a child %s already", label(rs, v).text,
                    quote_all(name).text);
}

static int own_rank(const struct rset *rs, const struct vertex *v,
                    long long rank, struct diag *d)
{
    return diag_set(d,
                    "%s has rank %lld: resources with another rank can't be "
                    "attached there",
                    label(rs, v).text, rank);
}

static int attach_graph(struct rset *rs, struct vertex *v, struct rset *other,
                        struct diag *d)
{
    struct vertex *copy;
    char *twin;

    if (v->rank >= 0 && has_rank(other, v->rank))
        return own_rank(rs, v, v->rank, d);
    if (v->home && (has_rank(other, -1) || other->nlinks > 0))
        return diag_set(
            d,
            "%s is not in containment: resources with a rank, or in "
            "other subsystems, can't be attached there",
            label(rs, v).text);
    if (has_child(v, other->root))
        return child_exists(rs, v, other->root->name, d);
    copy = vertex_import_all(rs, other->root);
    rset_import_loose(rs, other);
    rset_import_links(rs, other);
    forest_plant(rs);
    vertex_append(v, copy);
    for (struct vertex *c = copy; c; c = vertex_next(copy, c, false)) {
        c->home = v->home;
        if (v->home)
            rset_add_link(rs, &(struct link){.source = c->parent,
                                             .target = c,
                                             .subsystem = v->home,
                                             .relationship = rset_string(
                                                 rs, jgf_usual_word(v->home))});
        c->rank = v->rank >= 0 ? v->rank : c->rank;
    }
    vertex_sort_children(v);
    if ((twin = forest_twin(rs)))
        diag_set(d, "%s is in both sets", quote_all(twin).text);
    free(twin);
    return twin ? -1 : rset_index_targets(rs, d);
}

/* --- attach to a set of runs ---------------------------------------------- */

/* Attach a pool to a node, as a member of a run. */
static int attach_pool(struct rset *rs, struct vertex *v, struct vertex *pool,
                       struct diag *d)
{
    struct vertex *copy;

    if (pool->child || pool->id < 0 || pool->id > (int64_t)IDSET_MAX
        || pool->size != 1)
        return diag_set(d,
                        "%s: a node of a set without a graph can contain only "
                        "resources with an id, of size 1 and without contents",
                        quote_all(pool->name).text);
    if (has_child(v, pool))
        return child_exists(rs, v, pool->name, d);
    copy = vertex_import_all(rs, pool);
    copy->run = idset_create_range((uint32_t)pool->id, (uint32_t)pool->id);
    rlite_add_type(rs, pool->type);
    copy->basename = copy->type;
    copy->name = copy->uuid = NULL;
    copy->id = copy->rank = -1;
    vertex_append(v, copy);
    vertex_sort_children(v);
    return 0;
}

static int attach_nodes(struct rset *rs, struct rset *other, struct diag *d)
{
    struct idset *both = idset_intersect(rs->ranks, other->ranks);
    uint32_t rank = idset_first(both);

    idset_destroy(both);
    if (rank != IDSET_INVALID)
        return diag_set(d, "rank %u: two nodes have this rank", rank);
    for (struct vertex *v = other->root->child; v; v = v->next)
        vertex_append(rs->root, vertex_import_all(rs, v));
    vertex_sort_children(rs->root);
    rlite_adopt_types(rs, other);
    if (!rset_unite_hosts(rs, other))
        rset_note(rs, "nodelist is left out: one of the sets has none");
    return 0;
}

/* --- attach --------------------------------------------------------------- */

static struct rset *in_form(struct rset *rs, enum rset_form form,
                            struct diag *d)
{
    return rset_in_style(rs, &(struct rset_style){.form = form}, "attached set",
                         d);
}

static int attach_runs(struct rset *rs, struct vertex *v, struct rset *other,
                       struct diag *d)
{
    struct rset *plain;
    int rc;

    if (v != rs->root && !vertex_is_target(v))
        return diag_set(
            d, "%s: in a set without a graph it can't contain resources",
            label(rs, v).text);
    if (v != rs->root && has_rank(other, idset_first(v->run)))
        return own_rank(rs, v, idset_first(v->run), d);
    if (v != rs->root) {
        rc = attach_pool(rs, v, other->root, d);
        usage_gather(rs);
        return rc;
    }
    if (!has_rank(other, -1))
        return diag_set(d,
                        "%s has no rank: the root of a set without a graph can "
                        "contain only nodes",
                        label(other, other->root).text);
    if (!(plain = in_form(other, FORM_R, d)))
        return -1;
    rset_note_all(rs, other);
    usage_settle(plain);
    rc = attach_nodes(rs, plain, d);
    usage_gather(rs);
    rset_destroy(plain);
    return rc;
}

int rset_attach(struct rset *rs, struct lot *lot, struct rset *other,
                struct diag *d)
{
    struct vertex *v = lot_vertex(rs->usage, lot);
    struct rset *graph = other;
    int rc;

    if (!other->root)
        return 0;
    json_object_del(rs->document.execution, "nslots");
    usage_settle(rs);
    usage_settle(other);
    if (!rset_has_graph(rs))
        return attach_runs(rs, v, other, d);
    if (!rset_has_graph(other)) {
        if (!(graph = in_form(other, FORM_JGF, d)))
            return -1;
        usage_settle(graph);
    }
    rc = attach_graph(rs, v, graph, d);
    usage_gather(rs);
    if (graph != other)
        rset_destroy(graph);
    return rc;
}
