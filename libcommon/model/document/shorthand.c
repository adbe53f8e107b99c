/* Finds the places of implied pools, and adds them (shorthand.h). */
#include "model/document/shorthand.h"

#include <stdlib.h>
#include <string.h>

#include "model/document/execution.h"

bool is_shorthand_writer(const json_t *writer)
{
    return json_is_string(writer)
           && !strcmp(json_string_value(writer), SHORTHAND_WRITER);
}

/* --- places of implied pools ----------------------------------------- */

/* Return the nearest vertex that contains both. */
static struct vertex *common(struct vertex *a, const struct vertex *b)
{
    while (a && !vertex_is_in(b, a))
        a = a->parent;
    return a;
}

/*
 * Return the nearest vertex that contains all exclusive vertices below `top`
 * (with `nodes`: all without a rank), not counting pools that R_lite itself
 * lists. NULL: there are none.
 */
static struct vertex *place_under(const struct rset *rs, struct vertex *top,
                                  bool nodes)
{
    struct vertex *place = NULL, *v = top;

    while (v) {
        bool over = v->implied || (nodes && vertex_is_target(v));
        bool found = !over && v->exclusive && (!nodes || v->rank < 0)
                     && !rlite_type(rs, v->type);
        if (found)
            place = place ? common(place, v) : v;
        v = vertex_next(top, v, over || found);
    }
    return place;
}

/* Return the vertex that contains the pools of a target that are not in the
   graph, or NULL. */
static struct vertex *place_in(const struct rset *rs, struct vertex *target)
{
    for (const struct vertex *up = target; up; up = up->parent)
        if (up->exclusive)
            return target;
    return place_under(rs, target, false);
}

/* --- filling in ---------------------------------------------------------- */

/* Add ids as pools, and take the ids over. Returns NULL if there are none. */
static struct vertex *add_implied(struct rset *rs, struct vertex *place,
                                  const char *type, struct idset *run)
{
    struct vertex *v;

    if (idset_empty(run)) {
        idset_destroy(run);
        return NULL;
    }
    v = vertex_create(rs, type);
    v->run = run;
    v->implied = v->exclusive = true;
    v->rank = place->rank;
    v->parent = place;
    v->next = place->child;
    place->child = v;
    return v;
}

/* Add the pools of a target. Invalid ids are reported when the halves are
   compared. */
static void fill_target(struct rset *rs, struct vertex *target,
                        const struct lite_entry *e)
{
    struct vertex *place = e ? place_in(rs, target) : NULL;
    struct lite_children have = {0};
    struct diag unused;

    if (place && lite_children_project(rs, target, &have, NULL, &unused) == 0) {
        for (size_t i = 0; i < e->children.n; i++) {
            const struct lite_child *c = &e->children.list[i];
            add_implied(
                rs, place, c->type,
                idset_subtract(c->ids, lite_children_ids(&have, c->type)));
        }
        vertex_sort_children(place);
    }
    lite_children_fini(&have);
}

/* --- nodes that are not in the graph --------------------------------- */

/* Add missing nodes. Without hosts none are added: then the halves disagree. */
static void fill_nodes(struct rset *rs, const struct execution *ex,
                       const struct idset *missing)
{
    struct vertex *place = rs->root ? place_under(rs, rs->root, true) : NULL;
    struct rset listed = {.ranks = ex->ranks, .hosts = ex->hosts};

    if (!place || idset_empty(missing) || !ex->hosts)
        return;
    for (size_t i = 0; i < ex->lite.n; i++) {
        const struct lite_entry *e = &ex->lite.list[i];
        struct vertex *v = add_implied(rs, place, "node",
                                       idset_intersect(e->ranks, missing));
        for (size_t k = 0; v && k < e->children.n; k++)
            add_implied(rs, v, e->children.list[k].type,
                        idset_copy(e->children.list[k].ids));
        if (v)
            vertex_sort_children(v);
    }
    vertex_sort_children(place);
    rset_unite_hosts(rs, &listed);
}

void shorthand_fill(struct rset *rs, const struct execution *ex)
{
    struct idset *missing;
    struct vertex **targets;
    size_t n;

    for (const struct vertex *v = rs->root; v && !rs->shorthand;
         v = vertex_next(rs->root, v, false))
        rs->shorthand = v->exclusive;
    if (!rs->shorthand || !ex)
        return;
    missing = idset_subtract(ex->ranks, rs->ranks);
    n = rset_targets(rs, &targets);
    for (size_t i = 0; i < n; i++)
        fill_target(rs, targets[i], rlite_find(&ex->lite, targets[i]->rank));
    fill_nodes(rs, ex, missing);
    free(targets);
    idset_destroy(missing);
}

/* --- partial sets -------------------------------------------------------- */

bool rset_partial(const struct rset *rs)
{
    for (const struct vertex *v = rs->shorthand ? rs->root : NULL; v;
         v = vertex_next(rs->root, v, false))
        if (v->exclusive || v->implied)
            return true;
    return false;
}

const char *rset_partial_note(const struct rset *rs)
{
    if (!rset_partial(rs))
        return NULL;
    return rs->document.halves & HALF_EXECUTION
               ? "the graph is partial: of the contents of exclusive vertices "
                 "only those in R_lite are known (--expand)"
               : "the graph is partial: the contents of exclusive vertices are "
                 "not known and not counted (--expand)";
}

int shorthand_fault(struct diag *d)
{
    return diag_set(
        d, "the graph is partial: the contents of exclusive "
           "vertices are missing (--expand takes them from the inventory)");
}

/* Check that a reader would find a place for implied pools, and that they have
   no records. */
static int check_implied(const struct rset *rs, const struct vertex *top,
                         struct diag *d)
{
    struct vertex *target = vertex_target(top);
    bool placed = target == top ? place_under(rs, rs->root, true) != NULL
                                : target && place_in(rs, target);
    char buf[VERTEX_NAME_MAX], rank[32] = "";
    const struct vertex *v = top;

    while (placed && v && !v->lot)
        v = vertex_next(top, v, false);
    if (placed && !v)
        return 0;
    if (top->rank >= 0)
        snprintf(rank, sizeof(rank), " of rank %lld", (long long)top->rank);
    return diag_set(d,
                    "the graph is partial: it does not say where %s%s lies "
                    "(--expand)",
                    vertex_name(rs, top, idset_first(top->run), buf), rank);
}

int shorthand_check(const struct rset *rs, int halves, struct diag *d)
{
    const struct vertex *v = rs->root;

    if (!rset_partial(rs))
        return 0;
    if ((halves & HALF_EXECUTION) && !(rs->document.halves & HALF_EXECUTION))
        return shorthand_fault(d);
    while (v && (halves & HALF_GRAPH)) {
        if (v->implied && check_implied(rs, v, d) < 0)
            return -1;
        v = vertex_next(rs->root, v, v->implied);
    }
    return 0;
}

/* --- leaving out --------------------------------------------------------- */

/* Values of vertex->index during marking. */
enum { LINKED = 1, CUT = 2 };

/* Return whether the inventory can give back all contents of a vertex. */
static bool can_cut(const struct rset *rs, const struct vertex *top)
{
    bool listed = rlite_type(rs, top->type);

    if (!top->exclusive || !top->parent || !top->child || top->unlisted)
        return false;
    for (const struct vertex *v = vertex_next(top, top, false); v;
         v = vertex_next(top, v, false))
        if (!v->exclusive || v->lot || v->index == LINKED || v->unlisted
            || (listed && rlite_type(rs, v->type)))
            return false;
    return true;
}

size_t shorthand_mark(struct rset *rs, bool cut)
{
    size_t n = 0;

    /* a vertex that is held with nothing listed would look like one that was
       cut */
    for (const struct vertex *v = rs->root; v && cut;
         v = vertex_next(rs->root, v, false))
        cut = !v->unlisted || v->child;
    for (struct vertex *v = rset_first(rs); v; v = rset_next(rs, v))
        v->index = 0;
    for (size_t i = 0; i < rs->nlinks; i++) {
        const struct link *l = &rs->links[i];
        if (l->source->home || l->target->home)
            l->source->index = l->target->index = LINKED;
    }
    for (struct vertex *v = rs->root; v; v = vertex_next(rs->root, v, false)) {
        uint32_t above = v->parent ? v->parent->index : 0;
        if (v->implied || above == CUT || above == LEFT_OUT)
            v->index = LEFT_OUT;
        else if (cut && can_cut(rs, v))
            v->index = CUT;
        n += v->index == LEFT_OUT;
    }
    return n;
}
