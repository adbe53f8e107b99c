/* Selections, and sets made from them. Making a set costs the size of the
   selection: pools without a pick are not visited. */
#include "model/change/select.h"

#include <stdlib.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/time.h"
#include "model/records/jobs.h"
#include "model/records/usage.h"

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

    p->v = v;
    p->amount = v->size;
    return p;
}

static struct pick *pick_lot(struct selection *sel, const struct usage *u,
                             const struct lot *lot);

/* Return the list for the pick of a lot. */
static struct pick **list_of(struct selection *sel, const struct usage *u,
                             const struct lot *lot)
{
    const struct vertex *root = usage_rset(u)->root;

    if (lot->parent != usage_top(u))
        return &pick_lot(sel, u, lot->parent)->child;
    return sel->picks && sel->picks->v == root && lot->v != root
               ? &sel->picks->next /* the root stays first */
               : &sel->picks;
}

static struct pick *add_lot(struct selection *sel, struct pick **list,
                            const struct lot *lot)
{
    struct pick *p = selection_pick(sel, lot->v);

    p->first = lot->at;
    p->nmembers = lot->v->run ? lot->n : 0;
    p->next = *list;
    return *list = p;
}

static struct pick *pick_lot(struct selection *sel, const struct usage *u,
                             const struct lot *lot)
{
    struct pick **list = list_of(sel, u, lot), *p = *list;

    while (p && (p->v != lot->v || p->first != lot->at))
        p = p->next;
    return p ? p : add_lot(sel, list, lot);
}

/* Pick the share of the contents that units of a pool of several nodes have. */
static struct pick *pick_shares(struct selection *sel, const struct vertex *top,
                                const struct vertex *v, int64_t units)
{
    struct pick *first = NULL, **end = &first;

    for (struct vertex *c = vertex_child(v); c; c = c->next) {
        if (vertex_share(top, c) == 0)
            continue;
        *end = selection_pick(sel, c);
        (*end)->amount = units * vertex_share(top, c);
        (*end)->child = pick_shares(sel, top, c, units);
        end = &(*end)->next;
    }
    return first;
}

static void pick_take(struct selection *sel, struct pick *p, int64_t units)
{
    const struct vertex *v = p->v;

    p->amount = units;
    p->whole = p->exclusive = units == v->size;
    p->child = !p->whole && type_is_node(v->type)
                   ? pick_shares(sel, v, v, units)
                   : NULL;
}

void selection_take(struct selection *sel, const struct usage *u,
                    const struct lot *lot, int64_t units)
{
    pick_take(sel, pick_lot(sel, u, lot), units);
}

void selection_take_all(struct selection *sel, const struct usage *u,
                        const struct lots *lots)
{
    const struct lot *parent = NULL;
    struct pick **list = NULL;

    for (size_t i = 0; i < lots->n; i++) {
        const struct lot *lot = lots->list[i];

        if (lot->parent != parent)
            list = list_of(sel, u, lot);
        parent = lot->parent;
        pick_take(sel, add_lot(sel, list, lot), lot->v->size);
    }
}

void picks_fold(struct pick *list)
{
    for (struct pick *p = list; p; p = p->next) {
        if (p->exclusive && p->child) {
            p->whole = true;
            p->child = NULL;
        }
        picks_fold(p->child);
    }
}

/* --- extraction --------------------------------------------------------- */

struct extraction {
    const struct selection *sel;
    const struct rset *from;
    struct rset *to;
    bool unlisted;         /* note pools that are held but not listed */
    struct vertex **peers; /* vertices that have a peer, if there are links */
    size_t npeers;
};

struct idset *pick_members(const struct pick *p)
{
    return idset_slice(p->v->run, p->first, p->nmembers);
}

static void add_ranks(struct idset *ranks, const struct pick *list)
{
    for (const struct pick *p = list; p; p = p->next) {
        const struct vertex *v = p->v;
        add_ranks(ranks, p->child);
        do {
            struct idset *own = v->run && v == p->v ? pick_members(p) : NULL;
            if (vertex_is_target(v) && own)
                idset_add_set(ranks, own);
            else if (vertex_is_target(v))
                target_add_ranks(v, ranks);
            idset_destroy(own);
        } while (p->whole && (v = vertex_next(p->v, v, false)));
    }
}

struct idset *selection_ranks(const struct selection *sel)
{
    struct idset *ranks = idset_create();

    add_ranks(ranks, sel->picks);
    return ranks;
}

void pick_all_members(struct pick *p)
{
    if (p->v->run) {
        p->first = idset_first(p->v->run);
        p->nmembers = idset_count(p->v->run);
    }
}

bool pick_is_part(const struct pick *p, bool deep)
{
    if (!p->child)
        return p->v->child; /* which may not be read yet */
    for (const struct vertex *v = vertex_child(p->v); v; v = v->next) {
        uint64_t members = 0;
        for (const struct pick *c = p->child; c; c = c->next)
            if (c->v == v
                && (deep ? c->amount >= v->size && (!v->child || c->whole)
                         : c->amount == v->size))
                members += v->run ? c->nmembers : 1;
        if (members != vertex_count(v))
            return true;
    }
    return false;
}

static void add_child(struct extraction *x, struct vertex *parent,
                      struct vertex *copy, struct vertex **last)
{
    copy->parent = parent;
    *(*last ? &(*last)->next : &parent->child) = copy;
    *last = copy;
    if (vertex_is_target(copy))
        target_add_ranks(copy, x->to->ranks);
}

/* Drop names with a plus: they belong to the inventory, not to the R of a
   job. */
static void drop_own_properties(struct extraction *x, struct vertex *v)
{
    const struct properties *p = v->properties;
    struct property *list = NULL;
    unsigned n = 0;

    for (unsigned i = 0; p && i < p->count; i++)
        if (p->list[i].key[0] != '+')
            VECTOR_ADD(list, n, p->list[i]);
    if (p && n < p->count)
        vertex_set_properties(x->to, v, list, n);
    free(list);
}

/* Copy a vertex alone. For a while the copy's peer is its original. */
static struct vertex *copy_vertex(struct extraction *x, struct vertex *v)
{
    struct vertex *copy = vertex_import(x->to, v);

    if (!x->sel->inventory)
        drop_own_properties(x, copy);
    if (x->from->nlinks > 0) { /* for links */
        VECTOR_ADD(x->peers, x->npeers, v);
        v->peer = copy;
    }
    copy->peer = v;
    return copy;
}

/* Mark a copy without contents in a job's R: shared, or held with nothing
   listed. */
static void mark_copy(struct extraction *x, struct vertex *copy,
                      enum grant_kind kind)
{
    grant_add(usage_get(x->to), job_get(x->to->usage, x->sel->job),
              vertex_lot(x->to, copy), kind, NULL, 0);
}

/*
 * Copy the pool of a pick below the copy of its parent. `exclusive` is set on
 * contents of a pool that is held whole, and on a pool that is held whole,
 * unless it is only an amount: see vertex_taken_whole().
 */
static struct vertex *extract_pick(struct extraction *x, const struct pick *p,
                                   const struct vertex *parent)
{
    struct vertex *copy = copy_vertex(x, p->v);

    copy->size = p->amount;
    if (x->sel->inventory)
        copy->exclusive = p->v->exclusive;
    else
        copy->exclusive = (parent && parent->exclusive)
                          || (p->exclusive && (p->v->child || p->v->size == 1));
    if (p->v->run)
        copy->run = pick_members(p);
    if (x->sel->job && p->shared
        && (!p->v->child || (!p->child && p->v == x->from->root)))
        mark_copy(x, copy, GRANT_SHARE);
    if (x->sel->job && x->unlisted && p->exclusive && p->v->child && !p->whole
        && !p->child)
        mark_copy(x, copy, GRANT_LISTED); /* and none of its contents */
    return copy;
}

/* Return whether two picks select members of one run in the same way. */
static bool picks_alike(const struct pick *a, const struct pick *b)
{
    return a->v == b->v && a->v->run && a->child == b->child
           && a->amount == b->amount && a->whole == b->whole
           && a->exclusive == b->exclusive && a->shared == b->shared;
}

/* Copy the contents of a pick's pool: all, or the picked ones. */
static void extract_below(struct extraction *x, const struct pick *p,
                          struct vertex *copy)
{
    struct vertex *last = NULL, *child;
    struct vertex *v = p->whole ? vertex_child(p->v) : NULL;

    for (; v; v = v->next) {
        struct pick all = {.v = v, .amount = v->size, .whole = true};
        pick_all_members(&all);
        child = extract_pick(x, &all, copy);
        add_child(x, copy, child, &last);
        extract_below(x, &all, child);
    }
    for (const struct pick *c = p->whole ? NULL : p->child; c; c = c->next) {
        child = extract_pick(x, c, copy);
        for (; c->next && picks_alike(c, c->next); c = c->next) {
            struct idset *more = pick_members(c->next);
            idset_add_set(child->run, more);
            idset_destroy(more);
        }
        add_child(x, copy, child, &last);
        extract_below(x, c, child);
    }
    if (x->unlisted && copy->exclusive && !p->whole)
        copy->unlisted = pick_is_part(p, false);
    vertex_sort_children(copy);
}

/*
 * Copy all picks. Pools outside containment come with the root, which is alone
 * if nothing in it is picked. A set without a graph always has its root, even
 * if nothing is in it.
 */
static void extract_pools(struct extraction *x, const struct pick *list)
{
    struct vertex *root = x->from->root, **end = &x->to->loose;

    if (list && list->v == root) {
        x->to->root = extract_pick(x, list, NULL);
        extract_below(x, list, x->to->root);
        list = list->next;
    } else if (list && root) {
        x->to->root = copy_vertex(x, root);
        x->to->root->exclusive = x->sel->inventory && root->exclusive;
    } else if (!list && !rset_has_graph(x->from)) {
        vertex_add(x->to, NULL, "cluster", 0);
    }
    if (x->to->root && vertex_is_target(x->to->root))
        target_add_ranks(x->to->root, x->to->ranks);

    for (; list; list = list->next, end = &(*end)->next) {
        *end = extract_pick(x, list, NULL);
        extract_below(x, list, *end);
    }
}

/* --- grants and states ---------------------------------------------------- */

static void copy_peers(struct vertex *copy, const struct vertex *v)
{
    const struct vertex *c = v->child;

    copy->peer = v->peer;
    for (struct vertex *o = copy->child; o; o = o->next, c = c->next)
        copy_peers(o, c);
}

static void take_below(struct extraction *x, struct vertex *copy,
                       struct lot *lot);

/* Give a copy the grants and state of a lot. The copy has only members of the
   lot. */
static void take_lot(struct extraction *x, struct vertex *copy, struct lot *lot)
{
    if (x->sel->records && lot_is_used(lot))
        copy->lot = lot;
    else
        vertex_import_state(x->to, copy, lot->state);
    take_below(x, copy, lot);
}

/* Call take_lot() for the members that copy and lot have in common. */
static void take_part(struct extraction *x, struct vertex *copy,
                      struct lot *lot)
{
    struct idset *range = idset_create_range(lot->at, lot->at + lot->n - 1);
    struct idset *members = idset_intersect(copy->run, range);
    struct vertex *part = vertex_split(x->to, copy, members);

    if (part != copy)
        copy_peers(part, copy);
    take_lot(x, part, lot);
    idset_destroy(range);
    idset_destroy(members);
}

/* Give a copy the grants and states of its original, a child of the vertex of
   `top`. The walk has seen its lots then. */
static void take_vertex(struct extraction *x, struct vertex *copy,
                        struct lot *top, uint32_t walk)
{
    struct usage *u = x->from->usage;
    struct idset *run = copy->run ? idset_copy(copy->run) : NULL;
    uint32_t at = run ? idset_first(run) : 0;
    struct lot *lot;

    while (copy->peer && at != IDSET_INVALID) {
        lot = lot_find(u, top, copy->peer, at);
        lot->seen = walk;
        if (lot_is_blank(lot))
            ; /* no grants and no states */
        else if (run)
            take_part(x, copy, lot);
        else
            take_lot(x, copy, lot);
        at = run ? idset_next(run, lot->at + lot->n - 1) : IDSET_INVALID;
    }
    idset_destroy(run);
}

/* Return the times of a share for what a grant holds. A share without times
   would count as implied if the job keeps a grant with times below it. */
static struct term share_times(const struct grant *g)
{
    struct term times = *g->term;

    for (const struct term *t = times.job->terms; t; t = t->next)
        if (!term_has_times(&times) && term_uses(t) && term_has_times(t))
            times.start = 0;
    return times;
}

/* Let the jobs that hold something in a lot share a copy of the pool around it,
   because the lot has no copy. Otherwise the pool could be given to a job
   whole. */
static void share_without(struct extraction *x, struct vertex *copy,
                          struct lot *left_out)
{
    struct usage *u = usage_get(x->to);

    records_unite(x->to, copy, copy); /* a lot of its own, if it has one */
    for (struct lot *lot = left_out; lot;
         lot = lot_next_recorded(x->from->usage, left_out, lot))
        for (const struct grant *g = lot->grants; g; g = g->beside) {
            struct term times = share_times(g), *share;
            struct job *job;
            if (!term_uses(g->term))
                continue;
            job = job_get(u, g->term->job->name);
            share = job_share_term(u, job, &times);
            if (!grant_of_term(vertex_lot(x->to, copy), share))
                grant_add(u, job, copy->lot, GRANT_SHARE, share, 0);
        }
}

static void take_below(struct extraction *x, struct vertex *copy,
                       struct lot *lot)
{
    struct vertex *next;
    uint32_t walk;

    if (!lot_nused(lot))
        return;
    walk = usage_walk(x->from->usage);
    for (struct vertex *c = copy->child; c; c = next) {
        next = c->next; /* split-off members come in between; they are done */
        take_vertex(x, c, lot, walk);
    }
    if (x->sel->records && (vertex_in_node(copy) || vertex_target(copy)))
        for (struct lot *in = lot_child(lot); in; in = in->next)
            if (in->seen != walk && !lot_is_blank(in))
                share_without(x, copy, in);
    vertex_sort_children(copy);
}

static void take_usage(struct extraction *x)
{
    struct usage *u = x->from->usage;
    uint32_t walk = u ? usage_walk(u) : 0;

    if (u && x->to->root)
        take_vertex(x, x->to->root, usage_top(u), walk);
    for (struct vertex *v = u ? x->to->loose : NULL; v; v = v->next)
        take_vertex(x, v, usage_top(u), walk);
    usage_gather(x->to);
    for (size_t i = 0; i < x->to->nvertices; i++)
        x->to->vertices[i]->peer = NULL;
}

struct rset *rset_extract(const struct rset *rs, const struct selection *sel)
{
    struct extraction x = {.sel = sel,
                           .from = rs,
                           .to = rset_create(),
                           .unlisted = !sel->inventory && rset_has_graph(rs)};
    struct document *doc = &x.to->document;

    rset_carry(x.to, rs);
    x.to->ranks = idset_create();
    extract_pools(&x, sel->picks);
    take_usage(&x);

    rset_import_links(x.to, rs);
    for (size_t i = 0; i < x.npeers; i++)
        x.peers[i]->peer = NULL;
    free(x.peers);
    if (rs->hosts)
        x.to->hosts = rset_hosts_at(rs, x.to->ranks);
    rset_drop_unlinked(x.to);

    json_object_del(doc->execution, "nslots");
    if (sel->nslots > 0) {
        json_put(&doc->execution, "nslots",
                 json_integer((json_int_t)sel->nslots));
        doc->nslots = sel->moldable ? NSLOTS_MOLDABLE : NSLOTS_FIXED;
    }
    if (sel->job && (sel->start >= 0 || sel->end >= 0))
        rset_set_times(x.to, time_round(sel->start), time_round(sel->end));
    if (!rset_has_graph(rs) && json_object_size(rs->document.scheduling) > 0)
        rset_note(x.to, "scheduling belongs to another scheduler: it is "
                        "kept as it was, and may name more resources");
    return x.to;
}

struct rset *rset_duplicate(struct rset *rs)
{
    struct rset *copy = rset_create();

    usage_settle(rs);
    rset_carry(copy, rs);
    if (rs->root)
        copy->root = vertex_import_all(copy, rs->root);
    rset_import_loose(copy, rs);
    usage_gather(copy);
    rset_import_links(copy, rs);
    if (rs->ranks)
        copy->ranks = idset_copy(rs->ranks);
    if (rs->hosts)
        copy->hosts = hostlist_copy(rs->hosts);
    return copy;
}
