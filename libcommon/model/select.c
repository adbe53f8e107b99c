#include "model/select.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/copy.h"

struct selection *selection_create(void)
{
    return xcalloc(1, sizeof(struct selection));
}

void selection_destroy(struct selection *sel)
{
    if (!sel)
        return;
    arena_fini(&sel->arena);
    free(sel);
}

struct pick *selection_pick(struct selection *sel, struct vertex *v)
{
    struct pick *p = arena_alloc(&sel->arena, sizeof(*p));

    if (p) {
        p->v = v;
        p->amount = v->size;
    }
    return p;
}

/* --- extraction --------------------------------------------------------- */

struct extraction {
    const struct rset *from;
    struct rset *to;
    bool inventory;      /* what is extracted is a part of one */
    bool records;        /* they go with it */
    struct idset *ranks; /* of the targets that were met */
};

struct idset *pick_members(const struct pick *p)
{
    struct idset *members = idset_create();
    uint64_t left = p->nmembers;

    for (size_t i = 0; members && left && i < idset_nranges(p->v->run); i++) {
        struct idrange r = idset_range(p->v->run, i);
        uint32_t lo = r.lo < p->first ? p->first : r.lo;
        uint64_t n;
        if (r.hi < p->first)
            continue;
        n = (uint64_t)r.hi - lo + 1;
        n = n < left ? n : left;
        idset_add(members, lo, (uint32_t)(lo + n - 1));
        left -= n;
    }
    return members;
}

void pick_all_members(struct pick *p)
{
    if (p->v->run) {
        p->first = idset_first(p->v->run);
        p->nmembers = idset_count(p->v->run);
    }
}

static struct vertex *child_at(const struct vertex *v, size_t n)
{
    struct vertex *c = v->child;

    while (c && n-- > 0)
        c = c->next;
    return c;
}

static size_t index_of(const struct vertex *parent, const struct vertex *v)
{
    const struct vertex *c = parent->child;
    size_t n = 0;

    for (; c && c != v; c = c->next)
        n++;
    return n;
}

struct vertex **pick_children(const struct pick *p, struct vertex *v)
{
    struct vertex **list;
    size_t n = 0;

    for (const struct pick *c = p->child; c; c = c->next)
        n++;
    if (!(list = xmalloc((n + 1) * sizeof(*list))))
        return NULL;
    n = 0;
    for (const struct pick *c = p->child; c; c = c->next)
        list[n++] = v == p->v ? c->v : child_at(v, index_of(p->v, c->v));
    return list;
}

struct vertex *pick_split(struct rset *rs, const struct pick *p,
                          struct vertex *v)
{
    struct idset *members;
    struct vertex *part;

    if (!v->run)
        return v;
    if (!(members = pick_members(p)))
        return NULL;
    part = vertex_split(rs, v, members);
    idset_destroy(members);
    return part;
}

static int note_target(struct extraction *x, const struct vertex *copy)
{
    if (copy->run) {
        idset_add_set(x->ranks, copy->run);
        return 0;
    }
    idset_add(x->ranks, (uint32_t)copy->rank, (uint32_t)copy->rank);
    return 0;
}

static int add_child(struct extraction *x, struct vertex *parent,
                     struct vertex *copy, struct vertex **last)
{
    copy->parent = parent;
    if (*last)
        (*last)->next = copy;
    else
        parent->child = copy;
    *last = copy;
    return vertex_is_target(copy) ? note_target(x, copy) : 0;
}

/* A copy of a vertex alone, with its records if they are wanted. */
static struct vertex *copy_vertex(struct extraction *x, struct vertex *v)
{
    struct vertex *copy = vertex_import(x->to, v);

    v->peer = copy;
    if (copy && x->records && v->records
        && !(copy->records = records_copy(v->records, &x->to->names)))
        return NULL;
    return copy;
}

/* All that is below v, held or not. */
static int copy_below(struct extraction *x, struct vertex *v, struct vertex *to,
                      bool exclusive)
{
    struct vertex *last = NULL;

    for (struct vertex *c = v->child; c; c = c->next) {
        struct vertex *copy = copy_vertex(x, c);
        if (!copy || (c->run && !(copy->run = idset_copy(c->run))))
            return -1;
        copy->exclusive = x->inventory ? c->exclusive : exclusive;
        if (add_child(x, to, copy, &last) < 0
            || copy_below(x, c, copy, exclusive) < 0)
            return -1;
    }
    return 0;
}

static int extract_children(struct extraction *x, const struct pick *p,
                            struct vertex *to);

/*
 * Is `exclusive` said of a pick? Of what is in a pool held whole, and of what
 * is held whole, unless it is a mere amount: see vertex_taken_whole().
 */
static bool says_exclusive(const struct pick *p, const struct vertex *parent)
{
    if (parent && parent->exclusive)
        return true;
    return p->exclusive && (p->v->child || p->v->size == 1);
}

static struct vertex *extract_pick(struct extraction *x, const struct pick *p,
                                   const struct vertex *parent)
{
    struct vertex *copy = copy_vertex(x, p->v);

    if (!copy)
        return NULL;
    copy->size = p->amount;
    copy->exclusive = x->inventory ? p->v->exclusive
                                   : says_exclusive(p, parent);
    if (p->v->run && !(copy->run = pick_members(p)))
        return NULL;
    return copy;
}

static int extract_below(struct extraction *x, const struct pick *p,
                         struct vertex *copy)
{
    int rc = p->whole ? copy_below(x, p->v, copy, p->exclusive)
                      : extract_children(x, p, copy);

    vertex_sort_children(copy);
    return rc;
}

static int extract_children(struct extraction *x, const struct pick *p,
                            struct vertex *to)
{
    struct vertex *last = NULL;

    for (const struct pick *c = p->child; c; c = c->next) {
        struct vertex *copy = extract_pick(x, c, to);
        if (!copy || add_child(x, to, copy, &last) < 0
            || extract_below(x, c, copy) < 0)
            return -1;
    }
    return 0;
}

static int extract_loose(struct extraction *x, const struct pick *list)
{
    struct vertex **end = &x->to->loose;

    for (const struct pick *p = list; p; p = p->next, end = &(*end)->next)
        if (!(*end = extract_pick(x, p, NULL)))
            return -1;
    return 0;
}

/* The root alone: what is in no containment hangs on it. */
static int extract_bare_root(struct extraction *x)
{
    struct vertex *root = x->from->root, *copy;

    if (!root)
        return 0;
    if (!(copy = copy_vertex(x, root)))
        return -1;
    copy->exclusive = x->inventory && root->exclusive;
    x->to->root = copy;
    return vertex_is_target(copy) ? note_target(x, copy) : 0;
}

/* A tree without a graph always has its root, however little is in it. */
static int extract_root(struct extraction *x, const struct pick *root,
                        bool loose)
{
    struct vertex *copy;

    if (!root && !loose && (x->from->halves & HALF_GRAPH))
        return 0;
    if (!root && loose)
        return extract_bare_root(x);
    if (!root)
        return vertex_add(x->to, NULL, "cluster", "cluster", 0) ? 0 : -1;
    if (!(copy = extract_pick(x, root, NULL)))
        return -1;
    x->to->root = copy;
    if (vertex_is_target(copy) && note_target(x, copy) < 0)
        return -1;
    return extract_below(x, root, copy);
}

static int extract_hosts(struct extraction *x)
{
    struct idset *at;

    x->to->ranks = x->ranks;
    x->ranks = NULL;
    if (!x->from->hosts)
        return 0;
    if (!(at = idset_positions(x->from->ranks, x->to->ranks)))
        return -1;
    x->to->hosts = hostlist_pick(x->from->hosts, at);
    idset_destroy(at);
    return x->to->hosts ? 0 : -1;
}

/*
 * A pool in no containment keeps its edge to what is left of where that led:
 * the nearest pool above.
 */
static int keep_link(struct extraction *x, const struct link *l)
{
    struct link kept = *l;
    const struct vertex *up = l->target;

    if (!l->source->peer || l->source->parent || l->source == x->from->root
        || l->target->peer)
        return 0;
    while (up && !up->peer)
        up = up->parent;
    if (!up)
        return 0;
    kept.source = l->source->peer;
    kept.target = up->peer;
    kept.subsystem = rset_string(x->to, l->subsystem);
    kept.relationship = rset_string(x->to, l->relationship);
    if (!kept.subsystem || !kept.relationship)
        return -1;
    for (size_t i = 0; i < x->to->nlinks; i++)
        if (x->to->links[i].source == kept.source
            && x->to->links[i].target == kept.target
            && x->to->links[i].subsystem == kept.subsystem)
            return 0;
    return rset_add_link(x->to, &kept);
}

static int extract_links(struct extraction *x)
{
    if (rset_import_links(x->to, x->from) < 0)
        return -1;
    for (size_t i = 0; i < x->from->nlinks; i++)
        if (keep_link(x, &x->from->links[i]) < 0)
            return -1;
    return 0;
}

static bool is_listed(const struct vertex *v)
{
    return v->peer && v->peer->size == v->size
           && (!v->run || idset_equal(v->run, v->peer->run));
}

/* Of what is held whole an R may list a part, which no shorthand can say. */
static void mark_unlisted(const struct rset *rs)
{
    for (size_t i = 0; i < rs->nvertices; i++) {
        const struct vertex *v = rs->vertices[i];
        if (!v->peer || !v->peer->exclusive)
            continue;
        for (const struct vertex *c = v->child; c && !v->peer->unlisted;
             c = c->next)
            v->peer->unlisted = !is_listed(c);
    }
}

static void forget_peers(const struct rset *rs)
{
    for (size_t i = 0; i < rs->nvertices; i++)
        rs->vertices[i]->peer = NULL;
}

struct rset *rset_extract_peers(const struct rset *rs,
                                const struct selection *sel, struct diag *d)
{
    struct extraction x = {
        .from = rs,
        .to = rset_create(),
        .inventory = sel->inventory,
        .records = sel->records,
    };
    int rc = -1;

    x.ranks = idset_create();
    if (x.to && x.ranks && rset_carry(x.to, rs) == 0
        && extract_root(&x, sel->root, sel->loose) == 0
        && extract_loose(&x, sel->loose) == 0 && extract_links(&x) == 0
        && extract_hosts(&x) == 0)
        rc = 0;
    if (rc == 0)
        rset_drop_unlinked(x.to);
    if (rc == 0 && !x.inventory && (rs->halves & HALF_GRAPH))
        mark_unlisted(rs);
    json_object_del(x.to ? x.to->execution_extra : NULL, "nslots");
    idset_destroy(x.ranks);
    if (rc < 0) {
        diag_oom(d);
        rset_destroy(x.to);
        return NULL;
    }
    if (!(rs->halves & HALF_GRAPH) && json_object_size(rs->scheduling) > 0)
        rset_note(x.to, "scheduling is another scheduler's: it is carried "
                        "as it was, and may speak of more than is here");
    return x.to;
}

struct rset *rset_extract(const struct rset *rs, const struct selection *sel,
                          struct diag *d)
{
    struct rset *made = rset_extract_peers(rs, sel, d);

    forget_peers(rs);
    return made;
}
