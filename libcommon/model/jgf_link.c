/*
 * Linking a graph: edges become parents and children, the tree is checked
 * and put in order.
 *
 * Paths that the document gives are checked against the edges (the edges
 * win) without keeping them: a hash of a path can be continued with the
 * next name, so 8 bytes a vertex are enough.
 */
#include "model/jgf.h"
#include "model/jgf_private.h"
#include "model/unknown.h"

#include <string.h>

#include "base/hash.h"

static int check_ends(const struct edge *e, size_t i, struct diag *d)
{
    const struct outer *missing = !e->source->v   ? e->source
                                  : !e->target->v ? e->target
                                                  : NULL;

    if (!missing)
        return 0;
    diag_set(d, "%s is not among the vertices",
             quote(missing->id, strlen(missing->id)).text);
    return diag_in(d, "edges[%zu].%s", i,
                   missing == e->source ? "source" : "target");
}

static int other_words(const char *word, size_t i, struct diag *d)
{
    diag_set(d, "%s: the same edge with another relationship",
             quote(word, strlen(word)).text);
    return diag_in(d, "edges[%zu]", i);
}

static const char *word_of(const struct edge *e)
{
    return e->relationship ? e->relationship : jgf_usual_word(e->subsystem);
}

/* What an edge has beside its words goes to the vertex that it leads to. */
static int keep_extra(struct vertex *child, const json_t *extra)
{
    json_t *keys = unknown_keys(extra, UNKNOWN_EDGE);
    json_t *words = unknown_keys(extra, UNKNOWN_WORDS);

    return unknown_keep(child, UNKNOWN_EDGE, keys) < 0
                   || unknown_keep(child, UNKNOWN_WORDS, words) < 0
               ? -1
               : 0;
}

/* What the first of equal edges says; there hardly ever is a second. */
static const char *first_word(const struct jgf_reading *r, const struct edge *e)
{
    const struct edge *first = r->edges;

    while (first->source != e->source || first->target != e->target
           || first->subsystem != e->subsystem)
        first++;
    return word_of(first);
}

static int link_containment(struct jgf_reading *r, size_t i,
                            const json_t *extra, struct diag *d)
{
    struct edge *e = &r->edges[i];
    struct vertex *parent = e->source->v, *child = e->target->v;

    if (extra && (!child->parent || child->parent == parent)
        && keep_extra(child, extra) < 0)
        return diag_oom(d);
    if (child->parent == parent) {
        if (strcmp(word_of(e), first_word(r, e)))
            return other_words(word_of(e), i, d);
        e->subsystem = NULL; /* the same edge twice */
        return 0;
    }
    if (child->parent) {
        diag_set(d, "%s has two parents in containment",
                 quote(e->target->id, strlen(e->target->id)).text);
        return diag_in(d, "edges[%zu]", i);
    }
    child->parent = parent;
    return 0;
}

/* An edge is known by its ends and its subsystem. */
struct ends {
    const struct vertex *source, *target;
    const char *subsystem;
};

const char *jgf_usual_word(const char *subsystem)
{
    return !strcmp(subsystem, "power")     ? "supplies_to"
           : !strcmp(subsystem, "network") ? "connected_down"
                                           : "contains";
}

/* An edge outside of containment, unless it is there. */
static int add_link(struct jgf_reading *r, size_t i, json_t *extra,
                    struct diag *d)
{
    const struct edge *e = &r->edges[i];
    struct rset *rs = r->rs;
    struct ends key = {e->source->v, e->target->v, e->subsystem};
    struct map_slot *slot = map_at(&r->links, &key, sizeof(key));
    const char *word = rset_string(rs, word_of(e));

    if (!slot || !word)
        return diag_oom(d);
    if (slot->value.number)
        return rs->links[slot->value.number - 1].relationship == word
                   ? 0
                   : other_words(word, i, d);
    if (rset_add_link(rs, &(struct link){.subsystem = e->subsystem,
                                         .relationship = word,
                                         .source = e->source->v,
                                         .target = e->target->v,
                                         .extra = extra})
        < 0)
        return diag_oom(d);
    slot->value.number = rs->nlinks;
    e->source->v->index = e->target->v->index = 1; /* in some subsystem */
    return 0;
}

static int link_edges(struct jgf_reading *r, struct diag *d)
{
    size_t n = 0;

    for (size_t i = 0; i < r->nedges; i++) {
        struct edge *e = &r->edges[i];
        bool more = n < r->nextras && r->extras[n].edge == i;
        json_t *extra = more ? r->extras[n++].extra : NULL;
        if (check_ends(e, i, d) < 0)
            return -1;
        if (e->subsystem == r->containment) {
            if (link_containment(r, i, extra, d) < 0)
                return -1;
        } else if (add_link(r, i, extra, d) < 0) {
            return -1;
        }
    }
    /* Children are put in front, so the last edge goes first. */
    for (size_t i = r->nedges; i-- > 0;) {
        struct edge *e = &r->edges[i];
        if (e->subsystem != r->containment)
            continue;
        e->target->v->next = e->source->v->child;
        e->source->v->child = e->target->v;
    }
    return 0;
}

static uint64_t hash_name(uint64_t parent, const struct vertex *v)
{
    return hash_bytes(hash_bytes(parent, "/", 1), v->name, strlen(v->name));
}

static uint64_t path_hash(const struct vertex *v)
{
    return hash_name(v->parent ? path_hash(v->parent) : HASH_START, v);
}

/*
 * Where nothing is in anything but by the edges of other subsystems, the root
 * is what says of itself that it is.
 */
static struct vertex *root_by_path(const struct jgf_reading *r)
{
    struct vertex *root = NULL;

    for (size_t i = 0; i < r->outers.nslots; i++) {
        const struct outer *o = r->outers.slots[i].value.pointer;
        if (!o || !o->v || o->v->parent || !o->path
            || o->path != path_hash(o->v))
            continue;
        if (root)
            return NULL;
        root = o->v;
    }
    return root;
}

/*
 * The root is the one vertex without a parent that is contained in nothing
 * and linked by nothing else; what other subsystems alone hold is loose.
 */
static int find_root(struct jgf_reading *r, struct diag *d)
{
    struct rset *rs = r->rs;
    struct vertex **end = &rs->loose, above = {0}, *v;

    for (size_t i = 0; i < rs->nvertices; i++) {
        v = rs->vertices[i];
        if (v->parent)
            continue;
        if (v->index && !v->child) {
            *end = v;
            end = &v->next;
        } else if (rs->root) {
            return diag_set(d, "%s and %s: containment has two roots",
                            quote(rs->root->name, strlen(rs->root->name)).text,
                            quote(v->name, strlen(v->name)).text);
        } else {
            rs->root = v;
        }
    }
    above.child = rs->loose;
    vertex_sort_children(&above);
    rs->loose = above.child;
    if (!rs->root && (v = root_by_path(r))) {
        vertex_unlink(rs, v);
        rs->root = v;
    }
    if (!rs->root && rs->nvertices > 0)
        return diag_set(d, "containment has no root");
    return 0;
}

/* What is below a node is of the node's rank, whether it says so or not. */
static int hand_down_rank(const struct vertex *v, struct diag *d)
{
    for (struct vertex *c = v->child; c; c = c->next) {
        if (c->rank < 0)
            c->rank = v->rank;
        else if (v->rank >= 0 && c->rank != v->rank)
            return diag_set(d, "%s of rank %lld lies in rank %lld",
                            quote(c->name, strlen(c->name)).text,
                            (long long)c->rank, (long long)v->rank);
    }
    return 0;
}

/*
 * Walk down from the root: every vertex is met once, at a depth that can be
 * walked, and its children are put in order.
 */
static int descend(struct jgf_reading *r, struct diag *d)
{
    struct vertex *v = r->rs->root, *next;
    size_t met = 0;
    int depth = 0;

    for (; v; v = next, met++) {
        if (hand_down_rank(v, d) < 0)
            return -1;
        vertex_sort_children(v);
        next = vertex_next(r->rs->root, v, false);
        for (struct vertex *up = v; next && up != next->parent; up = up->parent)
            depth--;
        if (++depth > DEPTH_MAX)
            return diag_set(d, "containment is deeper than %d", DEPTH_MAX);
    }
    for (v = r->rs->loose; v; v = v->next)
        met++;
    if (met < r->rs->nvertices)
        return diag_set(d, "containment runs in a circle");
    return 0;
}

static int twice(const struct vertex *v, struct diag *d)
{
    return diag_set(d, "%s holds two pools named %s",
                    quote(v->parent->name, strlen(v->parent->name)).text,
                    quote(v->name, strlen(v->name)).text);
}

/* Of pools with an id of their own in their name the neighbour tells. */
static bool same_names(const struct vertex *a, const struct vertex *b)
{
    return a->name == b->name && a->type == b->type && a->rank == b->rank;
}

/* Type, name and rank are pointers and a number: the bytes are the key. */
struct sibling {
    const struct vertex *parent;
    const char *type, *name;
    int64_t rank;
};

/*
 * Path and rank are the identity of a vertex: no two siblings share them.
 * Siblings that fold are told apart by their ids, and those are in order.
 */
static int check_siblings(const struct rset *rs, struct diag *d)
{
    struct map seen = {0};
    int rc = 0;

    for (size_t i = 0; i < rs->nvertices && rc == 0; i++) {
        const struct vertex *v = rs->vertices[i];
        struct sibling key = {v->parent, v->type, v->name, v->rank};
        struct map_slot *slot;
        if (!v->parent)
            continue;
        if (v->next && same_names(v, v->next))
            rc = twice(v, d);
        if (rc < 0 || vertex_folds(v))
            continue;
        slot = map_at(&seen, &key, sizeof(key));
        rc = !slot ? diag_oom(d) : slot->value.number ? twice(v, d) : 0;
        if (slot)
            slot->value.number = 1;
    }
    map_fini(&seen);
    return rc;
}

/* --- paths that were given ---------------------------------------------- */

static void check_paths(struct jgf_reading *r)
{
    const struct outer *first = NULL;
    size_t bad = 0;

    for (size_t i = 0; i < r->outers.nslots; i++) {
        const struct outer *o = r->outers.slots[i].value.pointer;
        if (!o || !o->path || (!o->v->parent && o->v != r->rs->root))
            continue;
        if (o->path != path_hash(o->v)) {
            first = first && strcmp(first->id, o->id) < 0 ? first : o;
            bad++;
        }
    }
    if (bad)
        rset_note(r->rs,
                  "graph: %zu of the paths differ from the edges, which are "
                  "used: vertex %s is %s",
                  bad, quote(first->id, strlen(first->id)).text,
                  first->v->name);
}

int jgf_link(struct jgf_reading *r, struct diag *d)
{
    if (link_edges(r, d) < 0 || find_root(r, d) < 0 || descend(r, d) < 0
        || check_siblings(r->rs, d) < 0 || rset_index_targets(r->rs, d) < 0)
        return -1;
    check_paths(r);
    return 0;
}
