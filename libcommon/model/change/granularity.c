/* Keeps pools of some types and sums up the others (granularity.h). */
#include "model/change/granularity.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/records/jobs.h"
#include "model/records/lots.h"
#include "model/records/usage.h"
#include "model/tree/forest.h"
#include "model/tree/types.h"

struct coarsening {
    struct rset *rs;
    const char *const *types;
    size_t ntypes;
    bool targets; /* targets are kept because some pool in them is */
    bool lost;    /* a sum loses pools that an R would list */
    struct diag *d;
};

static bool is_kept_type(const struct coarsening *c, const char *type)
{
    return VECTOR_FIND(i, c->ntypes, !strcmp(c->types[i], type)) < c->ntypes;
}

static bool is_kept(const struct coarsening *c, const struct vertex *v)
{
    return v == c->rs->root || is_kept_type(c, v->type)
           || (c->targets && vertex_is_target(v));
}

/* --- sums --------------------------------------------------------------- */

/* Grants and state that a dropped pool passes on to its contents. */
struct passed {
    const struct grant *claim; /* that holds it whole */
    struct job *staged;        /* for which it is staged */
    enum pool_state state;
    int64_t times; /* members of the runs that contain the pool */
};

static int too_many(struct coarsening *c, const struct vertex *v)
{
    return diag_set(c->d, "%s: the sum is too large", v->type);
}

/* Add units to the claim of the same job and times, or add a claim. */
static int add_claim(struct coarsening *c, struct vertex *sum,
                     const struct grant *claim, int64_t size)
{
    struct lot *lot = vertex_lot(c->rs, sum);

    for (struct grant *have = lot->grants; have; have = have->beside)
        if (have->term->kind == GRANT_CLAIM
            && have->term->job == claim->term->job
            && have->term->reserved == claim->term->reserved
            && have->term->start == claim->term->start
            && have->term->end == claim->term->end)
            return __builtin_add_overflow(have->units, size, &have->units)
                       ? too_many(c, sum)
                       : 0;
    grant_add(c->rs->usage, claim->term->job, lot, GRANT_CLAIM, claim->term,
              size);
    return 0;
}

/* Add the grants of a pool to its sum. A share takes no units. (Claims are
   never larger than their pool.) */
static int add_held(struct coarsening *c, struct vertex *sum,
                    const struct vertex *v, const struct passed *passed)
{
    int64_t n = (int64_t)vertex_count(v) * passed->times;
    const struct grant *first = lot_grants(v->lot);

    for (const struct grant *g = first; g; g = g->beside)
        if (g->term->kind == GRANT_SHARE
            && !grant_of_term(vertex_lot(c->rs, sum), g->term))
            grant_add(c->rs->usage, g->term->job, sum->lot, GRANT_SHARE,
                      g->term, 0);
    if (passed->claim)
        return add_claim(c, sum, passed->claim, v->size * n);
    for (const struct grant *g = first; g; g = g->beside)
        if (g->term->kind == GRANT_CLAIM
            && add_claim(c, sum, g, g->units * n) < 0)
            return -1;
    return 0;
}

static void stage(struct coarsening *c, struct vertex *v, struct job *job)
{
    if (job && !lot_staged(v->lot))
        grant_add(c->rs->usage, job, vertex_lot(c->rs, v), GRANT_STAGED, NULL,
                  0);
}

/* Return the sum below `top` to which v belongs, made if there is none yet. */
static struct vertex *sum_for(struct coarsening *c, struct vertex *top,
                              struct vertex **sums, const struct vertex *v,
                              const struct passed *as)
{
    struct vertex *sum;

    for (; *sums; sums = &(*sums)->next)
        if ((*sums)->type == v->type && (*sums)->unit == v->unit
            && lot_state((*sums)->lot) == as->state
            && lot_staged((*sums)->lot) == as->staged)
            return *sums;
    sum = vertex_create(c->rs, v->type);
    sum->parent = top;
    sum->rank = vertex_is_target(top) && !top->run ? top->rank : -1;
    sum->unit = v->unit;
    sum->size = 0;
    vertex_import_state(c->rs, sum, as->state);
    stage(c, sum, as->staged);
    *sums = sum;
    return sum;
}

static const char sum_key[] = "sum";

bool vertex_is_sum(const struct vertex *v)
{
    return json_is_true(json_object_get(v->extra, sum_key));
}

/*
 * Name each sum by its basename alone (RFC 4), because it has no id: an id
 * would be taken for the id of a pool, above all in R_lite. Its basename is the
 * type; if there are several sums of the type, the type and a number: `core.0`.
 */
static void name_sums(struct coarsening *c, struct vertex *sums)
{
    for (struct vertex *v = sums; v; v = v->next) {
        size_t before = 0, after = 0;
        char *name;
        for (const struct vertex *w = sums; w != v; w = w->next)
            before += w->type == v->type;
        for (const struct vertex *w = v->next; w; w = w->next)
            after += w->type == v->type;
        if (before + after > 0) {
            xasprintf(&name, "%s.%zu", v->type, before);
            v->basename = rset_string(c->rs, name);
            free(name);
        }
        v->name = v->basename;
    }
}

/* --- the tree ----------------------------------------------------------- */

struct kept_level {
    struct vertex *top;   /* the kept pool above */
    struct vertex *sums;  /* of dropped pools */
    struct vertex **last; /* link for the next kept pool */
};

static int coarsen(struct coarsening *c, struct vertex *top);

/* Fail if two kept pools have the same name now. Dropped pools kept them apart
   before. */
static int check_names(struct coarsening *c, const struct vertex *top)
{
    for (const struct vertex *v = top->child; v && v->next; v = v->next)
        if (!v->run && !v->next->run && v->type == v->next->type
            && v->rank == v->next->rank && !strcmp(v->name, v->next->name))
            return diag_set(
                c->d,
                "there would be two resources named %s in one %s: keep "
                "the type around them as well",
                quote_all(v->name).text, top->type);
    return 0;
}

static struct passed pass_on(const struct vertex *v,
                             const struct passed *passed)
{
    struct passed below = *passed;

    if (lot_state(v->lot) != STATE_UP)
        below.state = v->lot->state;
    if (lot_staged(v->lot))
        below.staged = lot_staged(v->lot);
    if (v->run && v->child)
        below.times *= (int64_t)vertex_count(v);
    for (const struct grant *g = lot_grants(v->lot); g && !below.claim;
         g = g->beside)
        if (grant_is_whole(g))
            below.claim = g;
    return below;
}

/* The recursion is bounded by the depth of a set. */
static int gather_pools(struct coarsening *c, struct kept_level *g,
                        struct vertex *list, const struct passed *passed)
{
    for (struct vertex *v = list, *next; v; v = next) {
        struct passed below = pass_on(v, passed);
        struct vertex *sum;
        int64_t units;
        next = v->next;
        if (is_kept(c, v)) {
            v->parent = g->top;
            *g->last = v;
            g->last = &v->next;
            if (lot_state(v->lot) == STATE_UP)
                vertex_import_state(c->rs, v, passed->state);
            stage(c, v, passed->staged);
            if ((passed->claim && add_claim(c, v, passed->claim, v->size) < 0)
                || coarsen(c, v) < 0)
                return -1;
            continue;
        }

        if (__builtin_mul_overflow(v->size, (int64_t)vertex_count(v), &units)
            || __builtin_mul_overflow(units, passed->times, &units))
            return too_many(c, v);
        sum = sum_for(c, g->top, &g->sums, v, &below);
        if ((v->child || vertex_is_sum(v)) && !sum->extra)
            sum->extra = json_pack("{s:b}", sum_key, true);
        if (add_held(c, sum, v, passed) < 0)
            return -1;
        if (__builtin_add_overflow(sum->size, units, &sum->size))
            return too_many(c, v);
        c->lost = c->lost || vertex_is_target(v) || rlite_type(c->rs, v->type);
        if (gather_pools(c, g, v->child, &below) < 0)
            return -1;
    }
    return 0;
}

static int coarsen(struct coarsening *c, struct vertex *top)
{
    struct vertex *list = top->child;
    struct kept_level g = {.top = top, .last = &top->child};
    struct passed passed = {.state = STATE_UP, .times = 1};

    if (gather_pools(c, &g, list, &passed) < 0)
        return -1;
    name_sums(c, g.sums);
    *g.last = g.sums;
    vertex_sort_children(top);
    return check_names(c, top);
}

/* Keep pools outside containment by their type; drop the others without
   sums. */
static int coarsen_loose(struct coarsening *c)
{
    struct vertex **kept = NULL, *v = c->rs->loose;
    size_t n = 0;
    int rc = 0;

    for (struct vertex *next; v; v = next) {
        next = rset_next(c->rs, v);
        if (is_kept(c, v))
            VECTOR_ADD(kept, n, v);
    }
    for (size_t i = 0; i < n; i++) {
        char *path = kept[i]->parent ? vertex_path(kept[i]->parent) : NULL;
        while (kept[i]->parent && !is_kept(c, kept[i]->parent))
            kept[i]->parent = kept[i]->parent->parent;
        if (path && !kept[i]->parent) /* keep its path */
            kept[i]->above = rset_string(c->rs, path);
        free(path);
    }
    forest_hang(c->rs, kept, n);
    for (size_t i = 0; i < n && rc == 0; i++)
        rc = check_names(c, kept[i]);
    free(kept);
    return rc;
}

int rset_coarsen(struct rset *rs, const char *const *types, size_t n,
                 struct diag *d)
{
    struct coarsening c = {.rs = rs, .types = types, .ntypes = n, .d = d};

    usage_settle(rs);
    for (struct vertex *v = rs->root; v && !c.targets;
         v = vertex_next(rs->root, v, false))
        c.targets = is_kept_type(&c, v->type) && vertex_target(v->parent);
    if (rs->root && coarsen(&c, rs->root) < 0)
        return -1;
    if (coarsen_loose(&c) < 0)
        return -1;
    if (c.lost) {
        rs->document.halves = HALF_GRAPH;
        rs->document.bare = true;
    }
    if (!c.targets && !is_kept_type(&c, "node") && rs->ranks)
        rset_set_ranks(rs, idset_create(), NULL);
    rset_drop_unlinked(rs);
    usage_gather(rs);
    return 0;
}
