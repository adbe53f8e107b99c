/* Algebra (algebra.h): align.c aligns the sets, then vertices are pruned. */
#include "compare/algebra.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "compare/align.h"
#include "compare/expand.h"
#include "compare/unite.h"
#include "model/change/select.h"
#include "model/document/rlite.h"
#include "model/records/jobs.h"
#include "model/records/usage.h"

/* --- pruning aligned sets ------------------------------------------------- */

struct pruning {
    struct settled a;
    struct diag *d; /* about the first pool that can't shrink */
};

typedef bool (*keep_fn)(const struct pruning *p, struct vertex *v);

static void prune_list(const struct pruning *p, struct vertex **list,
                       keep_fn keep)
{
    while (*list) {
        if (keep(p, *list))
            list = &(*list)->next;
        else
            *list = (*list)->next;
    }
}

/* Prune the children of v. Returns true if any is left. */
static bool prune(const struct pruning *p, struct vertex *v, keep_fn keep)
{
    prune_list(p, &v->child, keep);
    return v->child;
}

/* Return the names of the jobs that hold any part of a pool, a new string. */
static char *jobs_in(struct settled s, const struct vertex *top)
{
    enum { SHOWN = 6 };
    struct map jobs = {0};
    char *text = NULL;
    FILE *fp = memory_open(&text, NULL);

    for (const struct vertex *v = top; v; v = vertex_next(top, v, false))
        for (const struct grant *g = vertex_grants(s, v); g; g = g->beside)
            map_at(&jobs, g->term->job->name, strlen(g->term->job->name));
    for (size_t i = 0; i < jobs.count && i < SHOWN; i++)
        fprintf(fp, "%s%.60s", i ? ", " : "", jobs.slots[i].key);
    if (jobs.count > SHOWN)
        fprintf(fp, " and %zu more", jobs.count - SHOWN);
    map_fini(&jobs);
    return memory_take(fp, &text, true);
}

/*
 * Give a pool fewer units; usage_gather() trims its claims later. If a job's
 * part becomes the whole pool, the job would also hold all pools in it, and
 * nobody could share the pool any more (RFC 4). If that would change anything,
 * note a fault that names the jobs.
 */
static void shrink(const struct pruning *p, struct vertex *v, int64_t size)
{
    bool grows = false, shared = false;
    char *jobs, *place;

    for (const struct grant *g = vertex_grants(p->a, v); g; g = g->beside) {
        grows |= g->term->kind == GRANT_CLAIM && g->units < v->size
                 && g->units >= size;
        shared |= g->term->kind == GRANT_SHARE;
    }
    if (grows && (v->child || shared) && !p->d->text[0]) {
        jobs = jobs_in(p->a, v);
        place = vertex_place(p->a.rs, v);
        diag_set(p->d,
                 "%.300s: only %lld of %lld units are left, and jobs have "
                 "parts of it: %.400s",
                 place, (long long)size, (long long)v->size, jobs);
        free(place);
        free(jobs);
    }
    v->size = size;
}

/* Subtract the units of the peer. Returns true if any are left. */
static bool keep_subtract(const struct pruning *p, struct vertex *v)
{
    if (!v->peer)
        return true;
    if (v->child)
        return prune(p, v, keep_subtract);
    if (v->peer->size >= v->size)
        return false;
    shrink(p, v, v->size - v->peer->size);
    return true;
}

/* Keep the pools that are in both sets. A vertex is dropped if nothing below it
   is in both, unless its peer has nothing below it. */
static bool keep_intersect(const struct pruning *p, struct vertex *v)
{
    if (!v->peer
        || (v->child && !prune(p, v, keep_intersect) && v->peer->child))
        return false;
    if (v->peer->size < v->size)
        shrink(p, v, v->peer->size);
    return true;
}

/* Subtract a set without a graph from a graph. Pools of types that R_lite can't
   list (memory, storage) stay as long as another pool of their node stays. */
static bool keep_subtract_plain(const struct pruning *p, struct vertex *v)
{
    bool target = vertex_is_target(v);

    if (rlite_type(p->a.rs, v->type) && v->rank >= 0)
        return !v->peer;
    if (!v->child)
        return !(target && v->peer);
    if (!prune(p, v, keep_subtract_plain))
        return false;
    return !target || !v->peer || rlite_type_below(p->a.rs, v);
}

static bool keep_intersect_plain(const struct pruning *p, struct vertex *v)
{
    if (v->rank < 0)
        return prune(p, v, keep_intersect_plain);
    if (!vertex_is_target(v)) {
        if (rlite_type(p->a.rs, v->type))
            return v->peer;
        return !v->child || prune(p, v, keep_intersect_plain);
    }
    if (!v->peer)
        return false;
    if (!v->child)
        return true;
    prune(p, v, keep_intersect_plain);
    return rlite_type_below(p->a.rs, v) || !v->peer->child;
}

/* Prune a whole set. Keeps the root if pools outside of containment are left,
   or if the set has no graph. Returns 0, or -1 with a diag. */
static int prune_set(struct settled s, keep_fn keep, struct diag *d)
{
    struct diag fault = {0};
    const struct pruning p = {.a = s, .d = &fault};
    struct rset *a = s.rs;
    struct vertex *root = a->root;
    int64_t size = root ? root->size : 0;

    prune_list(&p, &a->root, keep);
    prune_list(&p, &a->loose, keep);
    if (!a->root && (a->loose || !rset_has_graph(a))) {
        a->root = root;
        root->size = size;
    }
    if (!fault.text[0])
        return 0;
    *d = fault;
    return -1;
}

/* --- updating the pruned set ---------------------------------------------- */

/* Drop keys that are no longer true after a change. */
static void end_change(struct rset *a)
{
    json_object_del(a->document.execution, "nslots");
    rset_note_scheduling(a);
}

static size_t units_below(const struct vertex *v)
{
    size_t sum = 0;

    for (const struct vertex *c = v->child; c; c = c->next)
        sum += vertex_count(c) * ((size_t)c->size + units_below(c));
    return sum;
}

/* Count the resources of a job: units, shared pools, and all pools below those
   held whole. In runs each member counts. */
static size_t units_of(const struct job *job)
{
    size_t sum = 0;

    for (const struct grant *g = job ? job->grants : NULL; g; g = g->next) {
        bool claim = g->term->kind == GRANT_CLAIM;
        size_t pools = (size_t)lot_pools(g->lot, NULL);

        if (claim || g->term->kind == GRANT_SHARE)
            sum += pools * (claim ? (size_t)g->units : 1);
        if (grant_is_whole(g))
            sum += pools * units_below(g->lot->v);
    }
    return sum;
}

static void count_units(struct map *had, const struct rset *rs)
{
    for (struct job *job = rs->usage ? usage_jobs(rs->usage) : NULL; job;
         job = job->next)
        map_at(had, job->name, strlen(job->name))->value.number += units_of(
            job);
}

/* Update a pruned set: drop ranks, hosts, edges and records of pools that are
   gone. Adds a note about jobs that lost anything. */
static void keep_ranks_left(struct rset *a, struct map *had)
{
    struct idset *ranks = idset_create();
    struct vertex **targets;
    size_t n = rset_targets(a, &targets), less = 0;
    const char *first = NULL;

    for (size_t i = 0; i < n; i++)
        target_push_ranks(targets[i], ranks);
    idset_settle(ranks);
    free(targets);
    rset_keep_ranks(a, ranks);
    rset_drop_unlinked(a);

    usage_gather(a);
    for (size_t i = 0; i < had->count; i++) {
        const char *name = had->slots[i].key;
        struct job *job = a->usage ? job_find(a->usage, name) : NULL;

        if (units_of(job) >= had->slots[i].value.number)
            continue;
        first = less++ ? first : name;
    }
    if (less == 1)
        rset_note(a, "job %s has less than it had", first);
    else if (less)
        rset_note(a, "job %s and %zu more have less than they had", first,
                  less - 1);
    map_fini(had);
    end_change(a);
}

static void keep_equal_times(struct rset *a, const struct rset *b)
{
    double start = rset_starttime(a), end = rset_expiration(a);
    bool same_start = start == rset_starttime(b);
    bool same_end = end == rset_expiration(b);
    bool none = !same_start && !same_end;

    if (same_start && same_end)
        return;
    rset_note(a, "%s%s%s differ%s in the sets and %s left out",
              same_start ? "" : "starttime", none ? " and " : "",
              same_end ? "" : "expiration", none ? "" : "s",
              none ? "are" : "is");
    rset_set_times(a, same_start ? start : TIME_UNSET,
                   same_end ? end : TIME_UNSET);
}

/* --- sums ---------------------------------------------------------------- */

/* How a set represents a type. BEFORE is the shift of the bits that all sets so
   far have left. */
enum { SUM = 1, SINGLE = 2, HERE = SUM | SINGLE, BEFORE = 2 };

/*
 * Note for each type whether the set has single pools of it, or sums as
 * `--type` makes them (granularity.c). A sum has no id; its name is the type,
 * or the type and a number: `core`, `core.0`.
 */
static void see_types(struct map *types, const struct rset *rs)
{
    struct map_slot *slot = NULL;
    const char *type = NULL;
    size_t len = 0;

    for (const struct vertex *v = rset_first(rs); v; v = rset_next(rs, v)) {
        if (v->type != type) {
            type = v->type;
            len = strlen(type);
            slot = map_at(types, type, len);
        }
        slot->value.number |= !v->run && v->id < 0 && v->parent
                                      && !strncmp(v->name, type, len)
                                      && (!v->name[len] || v->name[len] == '.')
                                  ? SUM
                                  : SINGLE;
    }
}

/* Note types for which one set has sums and another has single pools. Only
   graphs have sums. */
static void note_sums(struct rset *a, struct rset *const *others, size_t n)
{
    bool graphs = rset_has_graph(a), more = false;
    struct map types = {0};
    const char *first = NULL;

    for (size_t i = 0; i < n; i++)
        graphs = graphs || rset_has_graph(others[i]);
    for (size_t i = 0; i <= n && graphs; i++) {
        see_types(&types, i ? others[i - 1] : a);
        for (size_t k = 0; k < types.count; k++) {
            size_t *seen = &types.slots[k].value.number;
            if ((*seen & HERE) != HERE)
                *seen |= (*seen & HERE) << BEFORE;
            *seen &= ~(size_t)HERE;
        }
    }
    for (size_t k = 0; k < types.count; k++)
        if (types.slots[k].value.number == HERE << BEFORE) {
            const char *type = types.slots[k].key;
            more = first;
            first = first && strcmp(first, type) < 0 ? first : type;
        }
    if (first)
        rset_note(a,
                  "%.200s%s: one set has sums and another single pools, "
                  "which count as different (--type makes sets alike)",
                  first, more ? " and other types" : "");
    map_fini(&types);
}

/* --- subtract and intersect ----------------------------------------------- */

/* Prune a by b. If only one of them has a graph, compare their R_lite. */
static int reduce_pools(struct rset *a, struct rset *b, bool in_both,
                        struct diag *d)
{
    struct settled s = usage_settle(a);
    keep_fn keep = in_both ? keep_intersect : keep_subtract;
    struct rset *plain = NULL;
    int rc = 0;

    if (!rset_has_graph(a)) {
        if (rset_has_graph(b) && !(b = plain = rset_plain(b, false, d)))
            return -1;
        rc = rset_align(s, usage_settle(b), d);
    } else if (!rset_has_graph(b)) {
        keep = in_both ? keep_intersect_plain : keep_subtract_plain;
        rc = rset_align_plain(s, usage_settle(b), d);
    } else {
        rc = rset_check_roots(a, b, d) < 0 ? -1
                                           : rset_align(s, usage_settle(b), d);
    }
    if (rc == 0)
        rc = prune_set(s, keep, d);
    rset_destroy(plain);
    return rc;
}

/* Reduce the times of a to the time common to both sets. If there is none, drop
   all pools. */
static void intersect_times(struct rset *a, const struct rset *b)
{
    double start = rset_starttime(a), end = rset_expiration(a);
    double starts = rset_starttime(b), ends = rset_expiration(b);

    start = starts > start ? starts : start;
    end = end < 0 || (ends >= 0 && ends < end) ? ends : end;
    if (end < 0 || start < end) {
        rset_set_times(a, start, end);
        return;
    }
    rset_note(a, "the sets have no time in common");
    rset_set_times(a, TIME_UNSET, TIME_UNSET);
    if (a->root)
        a->root->child = NULL;
    a->loose = NULL;
}

/* Remove from a the pools that b has, or (`intersect`) the pools that b does
   not have. */
static int reduce(struct rset *a, struct rset *b, bool intersect,
                  struct diag *d)
{
    struct map had = {0};

    if (rset_check_hosts(a, b, true, NULL, d) < 0
        || rset_expand_other(a, b, d) < 0)
        return -1;
    count_units(&had, a);
    note_sums(a, &b, 1);
    rlite_share_types(a, b);
    if (reduce_pools(a, b, intersect, d) < 0) {
        map_fini(&had);
        return -1;
    }
    if (intersect)
        intersect_times(a, b);
    keep_ranks_left(a, &had);
    return 0;
}

int rset_subtract(struct rset *a, struct rset *b, struct diag *d)
{
    return reduce(a, b, false, d);
}

int rset_intersect(struct rset *a, struct rset *b, struct diag *d)
{
    return reduce(a, b, true, d);
}

/* --- union ---------------------------------------------------------------- */

int rset_unite(struct rset *a, struct rset *const *others, size_t n,
               bool disjoint, size_t *at, struct diag *d)
{
    note_sums(a, others, n);
    if (unite_sets(a, others, n, disjoint, at, d) < 0)
        return -1;
    end_change(a);
    for (size_t i = 0; i < n; i++) {
        keep_equal_times(a, others[i]);
        rset_note_all(a, others[i]);
    }
    return 0;
}

int rset_union(struct rset *a, struct rset *b, struct diag *d)
{
    size_t at;

    return rset_unite(a, &b, 1, false, &at, d);
}

/* --- xor ------------------------------------------------------------------ */

/* Drop the pools from both sets that both have. They have no graphs. */
static int drop_common(struct rset *a, struct rset *b, struct diag *d)
{
    struct settled in_a = usage_settle(a), in_b = usage_settle(b);
    struct map had_a = {0}, had_b = {0};

    if (rset_check_hosts(a, b, true, NULL, d) < 0)
        return -1;
    count_units(&had_a, a);
    count_units(&had_b, b);
    rlite_share_types(a, b);
    rset_align(in_a, in_b, d); /* no fault is possible without graphs */
    prune_set(in_a, keep_subtract, d);
    prune_set(in_b, keep_subtract, d);
    keep_ranks_left(a, &had_a);
    keep_ranks_left(b, &had_b);
    return 0;
}

int rset_xor(struct rset *a, struct rset *b, struct diag *d)
{
    bool graphs = rset_has_graph(a) || rset_has_graph(b);
    struct rset *whole = graphs ? rset_duplicate(a) : NULL;
    int rc = -1;

    if (whole ? rset_subtract(a, b, d) == 0 && rset_subtract(b, whole, d) == 0
              : drop_common(a, b, d) == 0)
        rc = rset_union(a, b, d);
    rset_destroy(whole);
    return rc;
}
