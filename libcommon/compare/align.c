/* Aligns sets (align.h). */
#include "compare/align.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/document/document.h"
#include "model/document/shorthand.h"
#include "model/records/layers.h"
#include "model/records/lots.h"
#include "model/records/usage.h"
#include "model/tree/types.h"

/* --- hosts --------------------------------------------------------------- */

void other_hosts_init(struct other_hosts *h, const struct rset *a,
                      const struct rset *b)
{
    *h = (struct other_hosts){.both = idset_create()};
    if (a->hosts && b->hosts && a->ranks && b->ranks
        && !(idset_equal(a->ranks, b->ranks)
             && hostlist_equal(a->hosts, b->hosts))) {
        idset_destroy(h->both);
        h->both = idset_intersect(a->ranks, b->ranks);
        h->a = rset_hosts_at(a, h->both);
        h->b = rset_hosts_at(b, h->both);
        if (hostlist_equal(h->a, h->b))
            idset_clear(h->both);
        hostlist_iter_init(&h->next_a, h->a);
        hostlist_iter_init(&h->next_b, h->b);
    }
    idset_iter_init(&h->next, h->both);
}

bool other_hosts_next(struct other_hosts *h)
{
    while (idset_iter_next(&h->next, &h->rank)) {
        hostlist_iter_next(&h->next_a, h->in_a);
        hostlist_iter_next(&h->next_b, h->in_b);
        if (strcmp(h->in_a, h->in_b))
            return true;
    }
    return false;
}

void other_hosts_fini(struct other_hosts *h)
{
    idset_destroy(h->both);
    hostlist_destroy(h->a);
    hostlist_destroy(h->b);
}

int rset_check_hosts(const struct rset *a, const struct rset *b, bool combined,
                     uint32_t *rank, struct diag *d)
{
    const char *way_out = "";
    struct other_hosts h;
    int rc = 0;

    other_hosts_init(&h, a, b);
    if (other_hosts_next(&h)) {
        if (rank)
            *rank = h.rank;
        if (host_but_for_domain(h.in_a, h.in_b))
            way_out = ", which differ only in the domain";
        else if (combined)
            way_out = "; --key host compares host names instead";
        rc = diag_set(d, "rank %u is %s in one set, %s in the other%s", h.rank,
                      quote_all(h.in_a).text, quote_all(h.in_b).text, way_out);
    }
    other_hosts_fini(&h);
    return rc;
}

int rset_check_roots(const struct rset *a, const struct rset *b, struct diag *d)
{
    if (!a->root || !b->root || !strcmp(a->root->name, b->root->name))
        return 0;
    return diag_set(d, "the graphs have different roots: %s and %s",
                    quote_all(a->root->name).text,
                    quote_all(b->root->name).text);
}

/* --- runs ---------------------------------------------------------------- */

static void pair(struct alignment *s, struct vertex *a, struct vertex *b);

/* Count the runs of one type from v on. Siblings are in order of type. */
static size_t count_runs(const struct vertex *v)
{
    const char *type = v->type;
    size_t n = 0;

    for (; v && !strcmp(v->type, type); v = v->next)
        n++;
    return n;
}

/* Overlay the runs of one type from both sides, and cut them into pieces. */
static void pair_pieces(struct alignment *s, struct vertex *a, struct vertex *b)
{
    size_t na = count_runs(a), nb = count_runs(b), n = na + nb;
    struct vertex **list = xmalloc(n * sizeof(*list)), **in_a, **in_b;
    const struct idset **sets = xmalloc(n * sizeof(*sets));
    struct overlay *ov;

    for (size_t i = 0; i < n; i++) {
        struct vertex **v = i < na ? &a : &b;
        list[i] = *v;
        sets[i] = (*v)->run;
        *v = (*v)->next;
    }
    ov = overlay_create(sets, n);
    in_a = pieces_cut(s->a, list, na, ov, 0);
    in_b = pieces_cut(s->b, list + na, nb, ov, na);
    for (size_t i = 0; i < overlay_ngroups(ov); i++)
        if (in_a[i] && in_b[i])
            pair(s, in_a[i], in_b[i]);
    free(in_a);
    free(in_b);
    overlay_destroy(ov);
    free(sets);
    free(list);
}

/*
 * Pair the runs of one type. They are ordered by lowest member. Most are equal
 * on both sides or disjoint: a hundred thousand different ranks are then
 * compared one by one. From the first two that interleave on, the runs are
 * overlaid.
 */
static void pair_type(struct alignment *s, struct vertex *a, struct vertex *b)
{
    const char *type = a->type;

    while (a && b && !strcmp(a->type, type) && !strcmp(b->type, type)) {
        struct vertex *v = a, *w = b;

        if (idset_last(v->run) < idset_first(w->run)) {
            a = v->next;
        } else if (idset_last(w->run) < idset_first(v->run)) {
            b = w->next;
        } else if (idset_equal(v->run, w->run)) {
            a = v->next;
            b = w->next;
            pair(s, v, w);
        } else if (count_runs(v) == 1 && count_runs(w) == 1) { /* common case */
            struct idset *both = idset_intersect(v->run, w->run);

            if (!idset_empty(both))
                pair(s, vertex_split(s->a, v, both),
                     vertex_split(s->b, w, both));
            idset_destroy(both);
            return;
        } else {
            pair_pieces(s, v, w);
            return;
        }
    }
}

/* Pair the runs below two vertices. Cutting puts copies beside their originals,
   so types stay together; order is only restored if anything was cut. */
static void pair_run_children(struct alignment *s, struct vertex *a,
                              struct vertex *b)
{
    size_t na = s->a->nvertices, nb = s->b->nvertices;
    const char *last = NULL;

    for (struct vertex *v = a->child; v; v = v->next) {
        struct vertex *other = b->child;

        if (last && !strcmp(last, v->type))
            continue;
        last = v->type;
        while (other && strcmp(other->type, v->type))
            other = other->next;
        if (other)
            pair_type(s, v, other);
    }
    if (s->a->nvertices > na)
        vertex_sort_children(a);
    if (s->b->nvertices > nb)
        vertex_sort_children(b);
}

/* --- the targets of many sets -------------------------------------------- */

void targets_init(struct targets *t, struct rset *const *sets, size_t n)
{
    const struct idset **runs = NULL;

    *t = (struct targets){0};
    for (size_t i = 0; i < n; i++) {
        for (struct vertex *v = sets[i]->root->child; v; v = v->next) {
            VECTOR_GROW(runs, t->n);
            VECTOR_GROW(t->set, t->n);
            runs[t->n] = v->run;
            t->set[t->n] = i;
            VECTOR_ADD(t->list, t->n, v);
        }
        if (i == 0)
            t->nfirst = t->n;
    }
    t->overlay = overlay_create(runs, t->n);
    free(runs);
}

void targets_fini(struct targets *t)
{
    overlay_destroy(t->overlay);
    free(t->list);
    free(t->set);
}

/* --- graphs -------------------------------------------------------------- */

static void pair_list(struct alignment *s, struct vertex *parent,
                      struct vertex *a, struct vertex *b)
{
    for (; b; b = b->next) {
        struct vertex *same = vertex_index_find(&s->index, parent, a, b);
        if (!same)
            continue;
        pair(s, same, b);
        a = same->next;
    }
}

/* Make two vertices peers, and pair the same pools below them. */
static void pair(struct alignment *s, struct vertex *a, struct vertex *b)
{
    a->peer = b;
    b->peer = a;
    if (!a->child || !b->child)
        return;
    if (a->child->run && b->child->run)
        pair_run_children(s, a, b);
    else if (a->child->run || b->child->run)
        s->partial = true;
    else
        pair_list(s, a, a->child, b->child);
}

static void clear_peers(struct rset *rs)
{
    for (size_t i = 0; i < rs->nvertices; i++)
        rs->vertices[i]->peer = NULL;
}

void align_pair(struct alignment *s, struct vertex *a, struct vertex *b)
{
    for (struct vertex *v = b; v; v = vertex_next(b, v, false))
        v->peer = NULL;
    pair(s, a, b);
}

int align_next(struct alignment *s, struct settled b, struct diag *d)
{
    struct rset *a = s->a, *other = b.rs;

    s->index.rs = a;
    s->b = other;
    s->partial = false;
    clear_peers(other);
    if (a->root && other->root
        && (!rset_has_graph(a) || !strcmp(a->root->name, other->root->name)))
        pair(s, a->root, other->root);
    if (a->loose && other->loose)
        pair_list(s, NULL, a->loose, other->loose);
    return s->partial ? shorthand_fault(d) : 0;
}

int rset_align(struct settled a, struct settled b, struct diag *d)
{
    struct alignment s = {.a = a.rs};
    int rc;

    clear_peers(s.a);
    rc = align_next(&s, b, d);
    vertex_index_fini(&s.index);
    return rc;
}

/* --- between graphs and plain sets ---------------------------------------- */

struct rset *rset_plain(struct rset *rs, bool records, struct diag *d)
{
    const struct rset_style style = {.form = FORM_R, .unrecorded = !records};

    return rset_in_style(rs, &style, "R_lite", d);
}

struct rset *rset_as_plain(struct rset *rs, struct diag *d)
{
    return rset_has_graph(rs) ? rset_plain(rs, true, d) : rs;
}

void rset_drop_plain(struct rset *plain, const struct rset *rs)
{
    if (plain != rs)
        rset_destroy(plain);
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
                                  ? run_find(plain, v->type, v->id)
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

/* Targets and spans are both in order of rank. */
int rset_align_plain(struct settled a, struct settled b, struct diag *d)
{
    struct rset *graph = a.rs, *plain = b.rs;
    struct vertex **targets;
    struct span *spans;
    size_t n, nspans, at = 0;

    if (rset_partial(graph)) /* graph without places of pools */
        return shorthand_fault(d);
    clear_peers(graph);
    clear_peers(plain);
    n = rset_targets(graph, &targets);
    nspans = vertex_spans(plain->root, &spans);
    for (size_t i = 0; i < n; i++) {
        while (at < nspans && spans[at].hi < targets[i]->rank)
            at++;
        if (at < nspans && spans[at].lo <= targets[i]->rank)
            mark_target(graph, targets[i], spans[at].v);
    }
    free(spans);
    free(targets);
    return 0;
}
