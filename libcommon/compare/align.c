/*
 * Finds the peers of vertices in two sets (align.h), and cuts runs that overlap
 * in part. Algebra, differences and audits stand on it.
 */
#include "compare/align.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/map.h"
#include "model/document/document.h"
#include "model/tree/pieces.h"
#include "model/document/rlite.h"
#include "model/document/shorthand.h"

bool rset_has_graph(const struct rset *rs)
{
    return rs->halves & HALF_GRAPH;
}

/* --- hosts --------------------------------------------------------------- */

static int different_hosts(const struct rset *a, const struct rset *b,
                           uint32_t rank, struct diag *d)
{
    char in_a[HOSTLIST_NAME_MAX], in_b[HOSTLIST_NAME_MAX];

    rset_host(a, rank, in_a, sizeof(in_a));
    rset_host(b, rank, in_b, sizeof(in_b));
    return diag_set(d, "rank %u is %s in one set, %s in the other", rank,
                    quote(in_a, strlen(in_a)).text,
                    quote(in_b, strlen(in_b)).text);
}

struct hostlist *rset_hosts_at(const struct rset *rs, const struct idset *ranks)
{
    struct idset *at = idset_positions(rs->ranks, ranks);
    struct hostlist *hosts = at ? hostlist_pick(rs->hosts, at) : NULL;

    idset_destroy(at);
    return hosts;
}

/* Both lists are of the same ranks: at which do they differ? */
static int check_same_hosts(const struct rset *a, const struct rset *b,
                            const struct idset *ranks, uint32_t *other,
                            struct diag *d)
{
    struct hostlist *in_a = rset_hosts_at(a, ranks);
    struct hostlist *in_b = rset_hosts_at(b, ranks);
    int rc = 0;

    if (!hostlist_equal(in_a, in_b)) {
        char name_a[HOSTLIST_NAME_MAX], name_b[HOSTLIST_NAME_MAX];
        uint32_t rank = idset_first(ranks);
        struct hostlist_iter it_a, it_b;
        hostlist_iter_init(&it_a, in_a);
        hostlist_iter_init(&it_b, in_b);
        while (hostlist_iter_next(&it_a, name_a, sizeof(name_a)) >= 0
               && hostlist_iter_next(&it_b, name_b, sizeof(name_b)) >= 0
               && !strcmp(name_a, name_b))
            rank = idset_next(ranks, rank);
        rc = different_hosts(a, b, rank, d);
        if (other)
            *other = rank;
    }
    hostlist_destroy(in_a);
    hostlist_destroy(in_b);
    return rc;
}

int rset_check_hosts(const struct rset *a, const struct rset *b, uint32_t *rank,
                     struct diag *d)
{
    struct idset *ranks;
    int rc;

    if (!a->hosts || !b->hosts || !a->ranks || !b->ranks)
        return 0;
    if (idset_equal(a->ranks, b->ranks) && hostlist_equal(a->hosts, b->hosts))
        return 0;
    ranks = idset_intersect(a->ranks, b->ranks);
    rc = check_same_hosts(a, b, ranks, rank, d);
    idset_destroy(ranks);
    return rc;
}

int rset_check_roots(const struct rset *a, const struct rset *b, struct diag *d)
{
    if (!a->root || !b->root || !strcmp(a->root->name, b->root->name))
        return 0;
    return diag_set(d, "the graphs have different roots: %s and %s",
                    quote(a->root->name, strlen(a->root->name)).text,
                    quote(b->root->name, strlen(b->root->name)).text);
}

/* --- runs ---------------------------------------------------------------- */

struct sides {
    struct rset *a, *b;
    bool *partial; /* one side knows from R_lite alone what is in a vertex of
                      which the other has the graph: see shorthand.h */
};

static int pair_children(const struct sides *s, struct vertex *a,
                         struct vertex *b);

static int pair(const struct sides *s, struct vertex *a, struct vertex *b)
{
    a->peer = b;
    b->peer = a;
    return pair_children(s, a, b);
}

/* Runs of one type on both sides, laid over each other and cut to pieces. */
static int pair_pieces(const struct sides *s, struct vertex **a, size_t na,
                       struct vertex **b, size_t nb)
{
    const struct idset **sets = xmalloc((na + nb) * sizeof(*sets));
    struct vertex **in_a = NULL, **in_b = NULL;
    struct overlay *ov = NULL;
    int rc = -1;

    for (size_t i = 0; sets && i < na + nb; i++)
        sets[i] = i < na ? a[i]->run : b[i - na]->run;
    if (sets && (ov = overlay_create(sets, na + nb))
        && (in_a = pieces_cut(s->a, a, na, ov, 0))
        && (in_b = pieces_cut(s->b, b, nb, ov, na)))
        rc = 0;
    for (size_t i = 0; rc == 0 && i < overlay_ngroups(ov); i++)
        if (in_a[i] && in_b[i])
            rc = pair(s, in_a[i], in_b[i]);
    free(in_a);
    free(in_b);
    overlay_destroy(ov);
    free(sets);
    return rc;
}

/* The usual: one run on each side. */
static int pair_two(const struct sides *s, struct vertex *a, struct vertex *b)
{
    struct idset *both;

    if (idset_equal(a->run, b->run))
        return pair(s, a, b);
    if (!idset_overlaps(a->run, b->run))
        return 0;
    if (!(both = idset_intersect(a->run, b->run)))
        return -1;
    a = vertex_split(s->a, a, both);
    b = vertex_split(s->b, b, both);
    idset_destroy(both);
    return a && b ? pair(s, a, b) : -1;
}

/* The runs from i on that begin at *hi or below; where they end becomes *hi. */
static size_t reach(struct vertex *const *list, size_t i, size_t n,
                    uint32_t *hi)
{
    for (; i < n && idset_first(list[i]->run) <= *hi; i++)
        if (idset_last(list[i]->run) > *hi)
            *hi = idset_last(list[i]->run);
    return i;
}

/*
 * Both lists are in order of the lowest member. They fall into stretches
 * that have nothing in common with each other, and mostly these are one run
 * on each side: a hundred thousand ranks that all differ are compared one by
 * one, and only what is interleaved has to be laid over each other.
 */
static int pair_runs(const struct sides *s, struct vertex **a, size_t na,
                     struct vertex **b, size_t nb)
{
    size_t i = 0, j = 0;
    int rc = 0;

    while (i < na && j < nb && rc == 0) {
        size_t ai = i, bi = j, before;
        uint32_t hi = idset_first(a[i]->run);
        if (idset_first(b[j]->run) < hi)
            hi = idset_first(b[j]->run);
        do {
            before = i + j;
            i = reach(a, i, na, &hi);
            j = reach(b, j, nb, &hi);
        } while (i + j > before);
        if (i - ai == 1 && j - bi == 1)
            rc = pair_two(s, a[ai], b[bi]);
        else if (i > ai && j > bi)
            rc = pair_pieces(s, a + ai, i - ai, b + bi, j - bi);
    }
    return rc;
}

/* The children of one type, from `first` on, which are in order of type. */
static size_t collect(struct vertex *first, struct vertex **list)
{
    size_t n = 0;

    for (struct vertex *v = first; v && !strcmp(v->type, first->type);
         v = v->next, n++)
        if (list)
            list[n] = v;
    return n;
}

static int pair_type(const struct sides *s, struct vertex *a, struct vertex *b)
{
    size_t na = collect(a, NULL), nb = collect(b, NULL);
    struct vertex **list;
    int rc;

    if (na == 1 && nb == 1)
        return pair_two(s, a, b);
    if (!(list = xmalloc((na + nb) * sizeof(*list))))
        return -1;
    collect(a, list);
    collect(b, list + na);
    rc = pair_runs(s, list, na, list + na, nb);
    free(list);
    return rc;
}

static struct vertex *find_type(struct vertex *v, const char *type)
{
    while (v && strcmp(v->type, type))
        v = v->next;
    return v;
}

/*
 * Cutting puts copies beside their originals, so types stay together, and
 * only where something was cut the order has to be restored.
 */
static int pair_run_children(const struct sides *s, struct vertex *a,
                             struct vertex *b)
{
    size_t na = s->a->nvertices, nb = s->b->nvertices;
    const char *last = NULL;

    for (struct vertex *v = a->child; v; v = v->next) {
        struct vertex *other;
        if (last && !strcmp(last, v->type))
            continue;
        last = v->type;
        other = find_type(b->child, v->type);
        if (other && pair_type(s, v, other) < 0)
            return -1;
    }
    if (s->a->nvertices > na)
        vertex_sort_children(a);
    if (s->b->nvertices > nb)
        vertex_sort_children(b);
    return 0;
}

/* --- graphs -------------------------------------------------------------- */

/* Path and rank are the identity: under one parent, type, name and rank. */
static int child_key(const struct vertex *v, char **key)
{
    return xasprintf(key, "%s/%s/%lld", v->type, v->name, (long long)v->rank);
}

static int index_children(struct map *map, struct vertex *first)
{
    for (struct vertex *v = first; v; v = v->next) {
        struct map_slot *slot;
        char *key;
        int len = child_key(v, &key);
        if (len < 0)
            return -1;
        slot = map_at(map, key, (size_t)len);
        free(key);
        if (!slot)
            return -1;
        slot->value.pointer = v;
    }
    return 0;
}

static int find_child(const struct map *map, const struct vertex *v,
                      struct vertex **out)
{
    const struct map_slot *slot;
    char *key;
    int len = child_key(v, &key);

    if (len < 0)
        return -1;
    slot = map_find(map, key, (size_t)len);
    free(key);
    *out = slot ? slot->value.pointer : NULL;
    return 0;
}

bool rset_same_pool(const struct vertex *a, const struct vertex *b)
{
    return a->rank == b->rank && !strcmp(a->name, b->name)
           && !strcmp(a->type, b->type);
}

static int pair_list(const struct sides *s, struct vertex *a, struct vertex *b)
{
    struct map map = {0};
    int rc = 0;

    /* as long as both are in step no index is needed */
    for (; a && b && rset_same_pool(a, b) && rc == 0; a = a->next, b = b->next)
        rc = pair(s, a, b);
    if (rc == 0 && a && b) {
        struct vertex *other;
        rc = index_children(&map, b);
        for (; a && rc == 0; a = a->next) {
            rc = find_child(&map, a, &other);
            if (rc == 0 && other)
                rc = pair(s, a, other);
        }
    }
    map_fini(&map);
    return rc;
}

static int pair_children(const struct sides *s, struct vertex *a,
                         struct vertex *b)
{
    if (!a->child || !b->child)
        return 0;
    if (a->child->run && b->child->run)
        return pair_run_children(s, a, b);
    if (a->child->run || b->child->run) {
        *s->partial = true;
        return 0;
    }
    return pair_list(s, a->child, b->child);
}

void rset_clear_peers(struct rset *rs)
{
    for (size_t i = 0; i < rs->nvertices; i++)
        rs->vertices[i]->peer = NULL;
}

int rset_align(struct rset *a, struct rset *b, struct diag *d)
{
    bool partial = false;
    const struct sides s = {.a = a, .b = b, .partial = &partial};
    int rc = 0;

    rset_clear_peers(a);
    rset_clear_peers(b);
    if (a->root && b->root
        && (!rset_has_graph(a) || !strcmp(a->root->name, b->root->name)))
        rc = pair(&s, a->root, b->root);
    if (rc == 0 && a->loose && b->loose)
        rc = pair_list(&s, a->loose, b->loose);
    if (rc == 0 && partial)
        return shorthand_fault(d);
    return rc < 0 ? diag_oom(d) : 0;
}

/* --- between graphs and plain sets ---------------------------------------- */

static struct rset *plain(struct rset *rs, bool unrecorded, struct diag *d)
{
    const struct rset_style style = {.form = FORM_R, .unrecorded = unrecorded};
    struct rset *out = NULL;
    struct stream *s;
    char *text = NULL;
    size_t len;
    FILE *fp = memory_open(&text, &len);
    int rc = rset_write_as(rs, &style, fp, d);

    memory_close(fp);
    if (rc == 0 && (s = stream_open_text(text, len, "R_lite"))) {
        rset_read(s, TRUST_NONE, &out, d);
        stream_close(s);
    }
    free(text);
    return out;
}

struct rset *rset_plain(struct rset *rs, struct diag *d)
{
    return plain(rs, false, d);
}

struct rset *rset_plain_resources(struct rset *rs, struct diag *d)
{
    return plain(rs, true, d);
}

/* Does a target without a graph have this type and id? */
static struct vertex *find_id(const struct vertex *target, const char *type,
                              int64_t id)
{
    if (id < 0 || id > (int64_t)IDSET_MAX)
        return NULL;
    for (struct vertex *v = target->child; v; v = v->next)
        if (!strcmp(v->type, type) && idset_contains(v->run, (uint32_t)id))
            return v;
    return NULL;
}

static void mark_ancestors(struct vertex *v, struct vertex *peer)
{
    for (v = v->parent; v && !v->peer; v = v->parent)
        v->peer = peer;
}

static void mark_target(const struct rset *graph, struct vertex *target,
                        struct vertex *plain)
{
    target->peer = plain;
    mark_ancestors(target, plain);
    for (struct vertex *v = vertex_next(target, target, false); v;
         v = vertex_next(target, v, false)) {
        struct vertex *same = rlite_type(graph, v->type)
                                  ? find_id(plain, v->type, v->id)
                                  : NULL;
        if (!same)
            continue;
        v->peer = same;
        mark_ancestors(v, same);
        for (struct vertex *c = vertex_next(v, v, false); c;
             c = vertex_next(v, c, false))
            c->peer = same;
    }
}

/* The stretch of ranks that holds one, by binary search. */
static struct vertex *find_rank(const struct span *spans, size_t n,
                                uint32_t rank)
{
    size_t lo = 0, hi = n;

    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (spans[mid].hi < rank)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < n && spans[lo].lo <= rank ? spans[lo].v : NULL;
}

int rset_align_plain(struct rset *graph, struct rset *plain, struct diag *d)
{
    struct vertex **targets = NULL;
    struct span *spans = NULL;
    ssize_t n, nspans;

    if (rset_partial(graph)) /* it does not know where the pools are */
        return shorthand_fault(d);
    rset_clear_peers(graph);
    rset_clear_peers(plain);
    n = (ssize_t)rset_targets(graph, &targets);
    nspans = (ssize_t)vertex_spans(plain->root, &spans);
    for (ssize_t i = 0; nspans >= 0 && i < n; i++) {
        struct vertex *found = find_rank(spans, (size_t)nspans,
                                         (uint32_t)targets[i]->rank);
        if (found)
            mark_target(graph, targets[i], found);
    }
    if (nspans >= 0)
        free(spans);
    if (n >= 0)
        free(targets);
    return nspans < 0 ? diag_oom(d) : 0;
}
