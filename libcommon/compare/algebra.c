#include "compare/algebra.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "compare/align.h"
#include "compare/disjoint.h"
#include "compare/unite.h"
#include "model/copy.h"
#include "model/rlite.h"
#include "schedule/annotate.h"

/* --- pruning what was aligned -------------------------------------------- */

struct pruning {
    const struct rset *a;
    bool failed; /* out of memory */
};
typedef bool (*keep_fn)(struct pruning *p, struct vertex *v);

/*
 * Nothing is left in v that a job could have a part of. In a pool with nothing
 * in it a shared list would say that the pool itself is shared.
 */
static void forget_shared(struct vertex *v)
{
    while (v->records && v->records->shared)
        joblist_drop(&v->records->shared, v->records->shared->job);
    vertex_tidy_records(v);
}

/* Drop the children that are not to be kept; is any left? */
static bool prune(struct pruning *p, struct vertex *v, keep_fn keep)
{
    struct vertex **link = &v->child;
    bool had = v->child;

    while (*link) {
        struct vertex *c = *link;
        if (keep(p, c))
            link = &c->next;
        else
            *link = c->next;
    }
    if (had && !v->child)
        forget_shared(v);
    return v->child;
}

/* The members of v with or without those of its peer; is any left? */
static bool combine_runs(struct pruning *p, struct vertex *v,
                         struct idset *(*op)(const struct idset *a,
                                             const struct idset *b))
{
    struct idset *run = op(v->run, v->peer->run);

    if (!run) {
        p->failed = true;
        return true;
    }
    idset_destroy(v->run);
    v->run = run;
    return !idset_empty(run);
}

/* Units that are left when the other set's are taken away. */
static bool keep_subtract(struct pruning *p, struct vertex *v)
{
    if (!v->peer)
        return true;
    if (v->child)
        return prune(p, v, keep_subtract);
    if (v->run && v->size <= v->peer->size)
        return !idset_equal(v->run, v->peer->run)
               && combine_runs(p, v, idset_subtract);
    v->size -= v->peer->size < v->size ? v->peer->size : v->size;
    return v->size > 0;
}

/*
 * What both have. A vertex goes when nothing that it holds is in both,
 * unless the other set has it with nothing in it.
 */
static bool keep_intersect(struct pruning *p, struct vertex *v)
{
    bool empty;

    if (!v->peer)
        return false;
    if (v->peer->size < v->size)
        v->size = v->peer->size;
    if (!v->child)
        return !v->run || idset_equal(v->run, v->peer->run)
               || combine_runs(p, v, idset_intersect);
    empty = !v->peer->child;
    return prune(p, v, keep_intersect) || empty;
}

/* Is anything below v of a type that R_lite speaks of? */
static bool holds_lite(const struct rset *a, const struct vertex *v)
{
    for (const struct vertex *c = vertex_next(v, v, false); c;
         c = vertex_next(v, c, false))
        if (rlite_type(a, c->type))
            return true;
    return false;
}

/*
 * A graph against a set without one: what R_lite does not speak of (memory,
 * storage) stays with its node, as long as something stays that it does
 * speak of.
 */
static bool keep_subtract_plain(struct pruning *p, struct vertex *v)
{
    bool target = vertex_is_target(v);

    if (rlite_type(p->a, v->type) && v->rank >= 0)
        return !v->peer;
    if (!v->child)
        return !(target && v->peer);
    if (!prune(p, v, keep_subtract_plain))
        return false;
    return !target || !v->peer || holds_lite(p->a, v);
}

static bool keep_intersect_plain(struct pruning *p, struct vertex *v)
{
    if (v->rank < 0)
        return prune(p, v, keep_intersect_plain);
    if (!vertex_is_target(v)) {
        if (rlite_type(p->a, v->type))
            return v->peer;
        return !v->child || prune(p, v, keep_intersect_plain);
    }
    if (!v->peer)
        return false;
    if (!v->child)
        return true;
    prune(p, v, keep_intersect_plain);
    return holds_lite(p->a, v) || !v->peer->child;
}

static int prune_set(struct rset *a, keep_fn keep, struct diag *d)
{
    struct pruning p = {.a = a};
    struct vertex **link = &a->loose;
    bool kept;

    if (a->root) {
        kept = keep(&p, a->root);
        if (!kept && rset_has_graph(a))
            a->root = NULL;
        else if (!kept)
            a->root->child = NULL; /* an R without a graph keeps its root */
    }
    while (*link) {
        if (keep(&p, *link))
            link = &(*link)->next;
        else
            *link = (*link)->next;
    }
    return p.failed ? diag_oom(d) : 0;
}

/* --- putting the set in order again --------------------------------------- */

static struct idset *ranks_left(const struct rset *a)
{
    struct idset *ranks = idset_create();
    struct vertex **targets;
    ssize_t n = rset_targets(a, &targets);

    for (ssize_t i = 0; ranks && i < n; i++) {
        const struct vertex *v = targets[i];
        if (v->run)
            idset_add_set(ranks, v->run);
        else
            idset_add(ranks, (uint32_t)v->rank, (uint32_t)v->rank);
    }
    if (n >= 0)
        free(targets);
    return n < 0 ? NULL : ranks;
}

static int narrow_hosts(struct rset *a)
{
    struct idset *ranks = ranks_left(a);
    struct hostlist *hosts = NULL;

    if (!ranks || (a->hosts && !(hosts = rset_hosts_at(a, ranks)))) {
        idset_destroy(ranks);
        return -1;
    }
    idset_destroy(a->ranks);
    hostlist_destroy(a->hosts);
    a->ranks = ranks;
    a->hosts = hosts;
    return 0;
}

/* After something was taken away. */
static int narrow(struct rset *a, struct diag *d)
{
    rset_drop_unlinked(a);
    if (narrow_hosts(a) < 0)
        return diag_oom(d);
    annotate(a);
    json_object_del(a->execution_extra, "nslots");
    rset_note_scheduling(a);
    return 0;
}

static bool same_time(double a, double b)
{
    return a == b || (a < 0 && b < 0);
}

static int keep_equal_times(struct rset *a, const struct rset *b,
                            struct diag *d)
{
    double start = rset_starttime(a), end = rset_expiration(a);
    bool same_start = same_time(start, rset_starttime(b));
    bool same_end = same_time(end, rset_expiration(b));

    if (same_start && same_end)
        return 0;
    rset_note(a, "%s%s%s differ%s in the sets and %s left out",
              same_start ? "" : "starttime",
              !same_start && !same_end ? " and " : "",
              same_end ? "" : "expiration", !same_start && !same_end ? "" : "s",
              !same_start && !same_end ? "are" : "is");
    return rset_set_times(a, same_start ? start : TIME_UNSET,
                          same_end ? end : TIME_UNSET)
                   < 0
               ? diag_oom(d)
               : 0;
}

/* --- subtract and intersect ----------------------------------------------- */

/* Peers in a of what is in b, of the same kind or as R_lite says it. */
static int align(struct rset *a, struct rset *b, struct diag *d)
{
    if (rset_has_graph(a) != rset_has_graph(b))
        return rset_align_plain(a, b, d);
    if (rset_has_graph(a) && rset_check_roots(a, b, d) < 0)
        return -1;
    return rset_align_whole(a, b, d);
}

typedef int (*combine_fn)(struct rset *a, struct rset *b, struct diag *d);

/* What came up about b is told of the outcome. */
static void take_notes(struct rset *a, const struct rset *b)
{
    for (size_t i = 0; i < b->nnotes; i++)
        rset_note(a, "%s", b->notes[i]);
}

/* If only b has a graph, go on with what its R_lite says. */
static int combine(struct rset *a, struct rset *b, combine_fn fn,
                   struct diag *d)
{
    struct rset *plain;
    int rc;

    if (rset_check_hosts(a, b, NULL, d) < 0)
        return -1;
    rlite_adopt_types(a, b);
    rlite_adopt_types(b, a);
    if (rset_has_graph(a) || !rset_has_graph(b))
        return fn(a, b, d);
    if (!(plain = rset_plain_resources(b, d)))
        return -1;
    rc = fn(a, plain, d);
    rset_destroy(plain);
    return rc;
}

static int subtract(struct rset *a, struct rset *b, struct diag *d)
{
    bool alike = rset_has_graph(a) == rset_has_graph(b);

    if (align(a, b, d) < 0)
        return -1;
    if (prune_set(a, alike ? keep_subtract : keep_subtract_plain, d) < 0)
        return -1;
    return narrow(a, d);
}

static int intersect(struct rset *a, struct rset *b, struct diag *d)
{
    bool alike = rset_has_graph(a) == rset_has_graph(b);

    if (align(a, b, d) < 0)
        return -1;
    if (prune_set(a, alike ? keep_intersect : keep_intersect_plain, d) < 0)
        return -1;
    return narrow(a, d) < 0 ? -1 : keep_equal_times(a, b, d);
}

int rset_subtract(struct rset *a, struct rset *b, struct diag *d)
{
    return combine(a, b, subtract, d);
}

int rset_intersect(struct rset *a, struct rset *b, struct diag *d)
{
    return combine(a, b, intersect, d);
}

/* --- union ---------------------------------------------------------------- */

/* What needs to be done after any union, and what it has to say besides. */
static int settle_union(struct rset *const *sets, size_t n, struct diag *d)
{
    struct rset *a = sets[0];

    annotate(a);
    json_object_del(a->execution_extra, "nslots");
    rset_note_scheduling(a);
    for (size_t i = 1; i < n; i++)
        if (keep_equal_times(a, sets[i], d) < 0)
            return -1;
    return 0;
}

/* What R_lite says of both is compared. */
static int check_disjoint_unlike(struct rset *a, struct rset *b, struct diag *d)
{
    struct rset *sets[] = {rset_plain_resources(a, d), NULL};
    size_t at;
    int rc = -1;

    if (sets[0] && (sets[1] = rset_plain_resources(b, d)))
        rc = disjoint_check_plain(sets, 2, &at, d);
    rset_destroy(sets[0]);
    rset_destroy(sets[1]);
    return rc;
}

/*
 * A graph and a set without one. The records of b count where they come
 * into a.
 */
static int unite_unlike(struct rset *a, struct rset *b, bool disjoint,
                        struct diag *d)
{
    struct rset *sets[] = {a, NULL};
    size_t at;
    int rc;

    if (disjoint && check_disjoint_unlike(a, b, d) < 0)
        return -1;
    if (rset_check_hosts(a, b, NULL, d) < 0)
        return -1;
    if (rset_has_graph(a))
        return unite_plain(a, b, d);
    if (!(sets[1] = rset_plain(b, d)))
        return -1;
    take_notes(a, b);
    rc = unite_alike(sets, 2, false, &at, d);
    rset_destroy(sets[1]);
    return rc;
}

/* How many sets, from the first on, have graphs as it has. */
static size_t count_alike(struct rset *const *sets, size_t n)
{
    size_t i = 1;

    while (i < n && rset_has_graph(sets[i]) == rset_has_graph(sets[0]))
        i++;
    return i;
}

/* All that the R_lite of any of them speaks of, that of the first does. */
static void adopt_types(struct rset *const *sets, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        rlite_adopt_types(sets[0], sets[i]);
        rlite_adopt_types(sets[i], sets[0]);
    }
}

int rset_unite(struct rset *a, struct rset *const *others, size_t n,
               bool disjoint, size_t *at, struct diag *d)
{
    struct rset **sets = xmalloc((n + 1) * sizeof(*sets));
    size_t alike, fault = 0;
    int rc = 0;

    sets[0] = a;
    memcpy(sets + 1, others, n * sizeof(*sets));
    for (size_t i = 0; i < n && rc == 0; i += alike) {
        struct rset *last = sets[i];
        sets[i] = a; /* the union of all so far */
        if ((alike = count_alike(sets + i, n + 1 - i) - 1) > 0) {
            adopt_types(sets + i, alike + 1);
            rc = unite_alike(sets + i, alike + 1, disjoint, &fault, d);
        } else {
            adopt_types(sets + i, 2);
            rc = unite_unlike(a, sets[i + 1], disjoint, d);
            fault = alike = 1;
        }
        sets[i] = last;
        *at = fault ? i + fault - 1 : n;
    }
    if (rc == 0)
        rc = settle_union(sets, n + 1, d);
    free(sets);
    return rc;
}

int rset_union(struct rset *a, struct rset *b, struct diag *d)
{
    size_t at;

    return rset_unite(a, &b, 1, false, &at, d);
}

/* --- xor: each set without the other one, then united ----------------------
 */

/* Both runs lose what they share; is any left of the first? */
static bool part_runs(struct pruning *p, struct vertex *v)
{
    struct vertex *w = v->peer;
    struct idset *mine = idset_subtract(v->run, w->run);
    struct idset *other = idset_subtract(w->run, v->run);

    if (!mine || !other) {
        idset_destroy(mine);
        idset_destroy(other);
        p->failed = true;
        return true;
    }
    idset_destroy(v->run);
    idset_destroy(w->run);
    v->run = mine;
    w->run = other;
    return !idset_empty(mine);
}

/* In the first set what is not in the second. What goes is no peer any more. */
static bool keep_apart(struct pruning *p, struct vertex *v)
{
    bool kept;

    if (!v->peer)
        return true;
    if (v->child)
        kept = prune(p, v, keep_apart);
    else
        kept = v->run && !v->peer->child && part_runs(p, v);
    if (!kept && v->parent)
        v->peer->peer = NULL;
    return kept;
}

/* Then in the second set: runs in both have been parted. */
static bool keep_rest(struct pruning *p, struct vertex *v)
{
    if (v->child)
        return prune(p, v, keep_rest);
    return v->run && !idset_empty(v->run) && !(v->peer && v->peer->child);
}

/* Sets without graphs have to be aligned just once. */
static int part_plain(struct rset *a, struct rset *b, struct diag *d)
{
    if (align(a, b, d) < 0 || prune_set(a, keep_apart, d) < 0
        || prune_set(b, keep_rest, d) < 0)
        return -1;
    return narrow(a, d) < 0 ? -1 : narrow(b, d);
}

static int part_graphs(struct rset *a, struct rset *b, struct diag *d)
{
    struct rset *whole = rset_duplicate(a, d);
    int rc = -1;

    if (whole && rset_subtract(a, b, d) == 0)
        rc = rset_subtract(b, whole, d);
    rset_destroy(whole);
    return rc;
}

int rset_xor(struct rset *a, struct rset *b, struct diag *d)
{
    int rc = rset_has_graph(a) || rset_has_graph(b)
                 ? part_graphs(a, b, d)
                 : combine(a, b, part_plain, d);

    return rc < 0 ? -1 : rset_union(a, b, d);
}
