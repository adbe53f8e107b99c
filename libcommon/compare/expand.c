/*
 * Completes shorthand graphs (expand.h). A writer leaves out either all
 * contents of an exclusive vertex, or none. So if a vertex has contents, other
 * pools in it were not listed for the job, unless R_lite lists them.
 */
#include "compare/expand.h"

#include <stdlib.h>
#include <string.h>

#include "compare/vertex_index.h"
#include "model/document/rlite.h"
#include "model/document/shorthand.h"
#include "model/records/usage.h"

struct expansion {
    struct rset *rs, *inventory;
    struct vertex_index index; /* of the inventory */
    struct rlite lite;         /* original R_lite */
    bool listed;               /* there was an R_lite */
    unsigned flags;
    struct settled settled; /* the inventory, if its states are copied */
};

/* --- choosing pools of the inventory ------------------------------------- */

static bool lists_id(const struct lite_entry *e, const struct vertex *v)
{
    const struct idset *ids = e ? lite_children_find(&e->children, v->type)
                                : NULL;

    return ids && v->id >= 0 && v->id <= (int64_t)IDSET_MAX
           && idset_contains(ids, (uint32_t)v->id);
}

static bool is_there(const struct expansion *x, const struct vertex *v)
{
    if (!x->listed)
        return true;
    if (!vertex_is_target(v))
        return v->rank < 0 || !rlite_type(x->rs, v->type)
               || lists_id(rlite_find(&x->lite, v->rank), v);
    if (rlite_find(&x->lite, v->rank))
        return true;

    /* A node without anything that R_lite can list may be missing in it. */
    return !rlite_type_below(x->rs, v);
}

/* --- copying -------------------------------------------------------------- */

/* Copy v and the chosen pools below it, as held whole. */
static struct vertex *copy_whole(struct expansion *x, struct vertex *v)
{
    struct vertex *copy = vertex_import(x->rs, v), **end = &copy->child;

    if (x->flags & EXPAND_STATES)
        vertex_import_state(x->rs, copy, vertex_state(x->settled, v));
    copy->exclusive = true;
    copy->index = 1; /* marks new vertices */
    v->peer = copy;
    for (struct vertex *c = v->child; c; c = c->next) {
        if (!is_there(x, c))
            continue;
        *end = copy_whole(x, c);
        (*end)->parent = copy;
        end = &(*end)->next;
    }
    return copy;
}

/* Does R_lite list a pool, or any pool in it? */
static bool lists_in(const struct expansion *x, const struct vertex *top)
{
    if (x->listed)
        for (const struct vertex *v = top; v; v = vertex_next(top, v, false))
            if (rlite_type(x->rs, v->type)
                && lists_id(rlite_find(&x->lite, v->rank), v))
                return true;
    return false;
}

/* Copy pools that only the inventory has into a vertex that is held whole. */
static void copy_missing(struct expansion *x, struct vertex *v,
                         const struct vertex *in)
{
    bool all = !v->child;

    /* peers may be those of another R */
    for (struct vertex *c = in->child; c; c = c->next)
        c->peer = NULL;
    for (struct vertex *c = v->child; c; c = c->next)
        if (c->peer)
            c->peer->peer = c;
    for (struct vertex *c = in->child; c; c = c->next) {
        struct vertex *copy;
        if (c->peer || !is_there(x, c) || !(all || lists_in(x, c)))
            continue;
        copy = copy_whole(x, c);
        copy->parent = v;
        copy->next = v->child;
        v->child = copy;
    }
    vertex_sort_children(v);
}

/* --- the whole ------------------------------------------------------------ */

static int not_in_inventory(const struct vertex *v, struct diag *d)
{
    char *path = vertex_path(v), rank[32] = "";

    if (v->rank >= 0)
        snprintf(rank, sizeof(rank), " of rank %lld", (long long)v->rank);
    diag_set(d, "%s%s is not in the inventory", quote_all(path).text, rank);
    free(path);
    return -1;
}

/* Find a vertex and all below it in the inventory: they become peers, and get
   missing uuids. */
static int find_peers(struct expansion *x, struct vertex *v,
                      struct vertex *peer, struct diag *d)
{
    struct vertex *guess = peer ? peer->child : NULL;
    int rc = 0;

    for (struct vertex *c = v; c && !peer; c = vertex_next(v, c, false))
        c->peer = NULL;
    if (!peer)
        return x->flags & EXPAND_KNOWN ? 0 : not_in_inventory(v, d);
    v->peer = peer;
    peer->peer = v;
    if (!v->uuid)
        v->uuid = rset_string(x->rs, peer->uuid);
    for (struct vertex *c = v->child; c && rc == 0; c = c->next) {
        struct vertex *same = vertex_index_near(&x->index, peer, guess, c);
        rc = find_peers(x, c, same, d);
        guess = same ? same->next : NULL;
    }
    return rc;
}

static int expand_all(struct expansion *x, struct diag *d)
{
    struct rset *rs = x->rs, *inventory = x->inventory;
    struct vertex *next, *top;
    struct diag unused;

    for (size_t i = 0; i < rs->nvertices; i++)
        rs->vertices[i]->index = 0;
    for (struct vertex *v = rs->root; v; v = next) {
        next = vertex_next(rs->root, v, v->implied);
        if (v->implied)
            vertex_unlink(rs, v);
    }

    for (size_t i = 0; i < inventory->nlinks; i++) {
        inventory->links[i].source->peer = NULL;
        inventory->links[i].target->peer = NULL;
    }
    top = inventory->root;
    if (rs->root && strcmp(rs->root->name, top->name))
        top = NULL;
    if (rs->root && find_peers(x, rs->root, top, d) < 0)
        return -1;
    for (struct vertex *v = rs->loose; v; v = v->next)
        find_peers(x, v, vertex_index_find(&x->index, NULL, NULL, v), &unused);

    for (struct vertex *v = rs->root; v; v = vertex_next(rs->root, v, false)) {
        /* new vertices are full */
        const struct vertex *whole = v->index || !v->peer ? NULL : v;
        while (whole && !whole->exclusive)
            whole = whole->parent;
        if (whole)
            copy_missing(x, v, v->peer);
    }
    /* Copy edges of the inventory from or to new vertices. */
    for (size_t i = 0; i < inventory->nlinks; i++) {
        const struct link *l = &inventory->links[i];
        const struct vertex *from = l->source->peer, *to = l->target->peer;
        if (from && to && (from->index || to->index))
            rset_import_link(rs, l);
    }
    usage_gather(rs);
    rs->shorthand = false;
    return rset_index_targets(rs, d);
}

int rset_expand_shorthand(struct rset *rs, struct rset *inventory,
                          unsigned flags, struct diag *d)
{
    struct expansion x = {.rs = rs,
                          .inventory = inventory,
                          .index.rs = inventory,
                          .flags = flags,
                          .listed = rs->document.halves & HALF_EXECUTION};
    struct rlite now = {0};
    int rc = 0;

    if (!rset_partial(rs))
        return 0;
    if (!rset_has_graph(inventory) || rset_partial(inventory)
        || !inventory->root)
        return diag_set(d, "the inventory has no complete graph");
    if (flags & EXPAND_STATES)
        x.settled = usage_settle(inventory);
    if (x.listed)
        rc = rlite_project(&x.lite, rs, d);
    if (rc == 0)
        rc = expand_all(&x, d);
    vertex_index_fini(&x.index);

    /* The result must have everything that R_lite lists. */
    if (rc == 0 && x.listed && !(flags & EXPAND_KNOWN)) {
        rc = rlite_project(&now, rs, d);
        if (rc == 0 && !rlite_equal(&x.lite, &now))
            rc = diag_set(
                d, "R_lite lists resources that the inventory does not have");
        rlite_fini(&now);
    }
    rlite_fini(&x.lite);
    return rc;
}

int rset_expand_other(struct rset *a, struct rset *b, struct diag *d)
{
    if (!rset_has_graph(a) || !rset_has_graph(b)
        || rset_partial(a) == rset_partial(b))
        return 0;
    return rset_partial(a) ? rset_expand_shorthand(a, b, 0, d)
                           : rset_expand_shorthand(b, a, 0, d);
}
