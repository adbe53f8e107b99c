/*
 * Questions to the ledger: the resources of a job, and the available ones.
 *
 * The resources of a job are found from its grants, from each lot up to the
 * root. So the cost depends on the job and not on the set.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"
#include "model/document/edition.h"
#include "model/records/jobs.h"
#include "model/records/types.h"
#include "model/records/usage.h"
#include "schedule/ledger.h"

const char *ledger_job(const struct usage *u, const char *text,
                       char buf[JOB_DIGITS_MAX])
{
    if (job_find(u, text) || !job_decode(text, true, buf))
        return text;
    return job_find(u, buf) || job_decode(text, false, buf) ? buf : text;
}

struct term ledger_terms(const struct usage *u, const char *name)
{
    struct term all = {.start = TIME_UNSET, .end = TIME_UNSET};
    const struct job *job = job_find(u, name);
    bool first = true;
    size_t claims = 0;

    for (const struct grant *g = job ? job->grants : NULL; g; g = g->next) {
        const struct term *t = g->term;
        all.staged |= t->kind == GRANT_STAGED;
        if (t->kind != GRANT_CLAIM
            && (t->kind != GRANT_SHARE || !term_has_times(t)))
            continue;
        if (first || t->start < all.start)
            all.start = t->start;
        if (first || t->end < 0 || (all.end >= 0 && t->end > all.end))
            all.end = t->end;
        all.owner = t->owner ? t->owner : all.owner;
        all.queue = t->queue ? t->queue : all.queue;
        all.reserved |= t->reserved;
        if (t->kind == GRANT_CLAIM)
            all.nslots = !claims++ || all.nslots == t->nslots ? t->nslots : 0;
        first = false;
    }
    return all;
}

/* --- allocated ---------------------------------------------------------- */

/* A lot in which a job (or any job) has grants, or around such a lot. */
struct lot_mark {
    struct lot_mark *up, *next, *child;
    struct lot *lot;
    int64_t units;        /* claimed */
    int64_t listed_units; /* 0: all */
    bool listed, shared;
};

struct holdings {
    struct usage *u;
    struct selection *sel;
    struct map marks;          /* by lot */
    bool held;                 /* select all held resources, not only the listed
                                  ones */
    double now;                /* of all jobs: only claims that have begun by
                                  then */
    const struct period *when; /* of available resources */
    bool any_state;
};

static struct lot_mark *mark_of(struct holdings *l, struct lot *lot)
{
    struct map_slot *slot = map_at(&l->marks, &lot, sizeof(struct lot *));
    struct lot_mark *mark = slot->value.pointer;

    if (!mark) {
        slot->value.pointer = mark = arena_alloc(&l->sel->arena, sizeof(*mark));
        mark->lot = lot;
        mark->up = lot->parent ? mark_of(l, lot->parent) : NULL;
    }
    return mark;
}

static void mark_job(struct holdings *l, const struct job *job, bool all)
{
    for (const struct grant *g = job->grants; g; g = g->next) {
        bool claim = g->term->kind == GRANT_CLAIM;
        bool share = g->term->kind == GRANT_SHARE;
        struct lot_mark *mark;
        if (g->term->kind == GRANT_STAGED
            || (all && (share || (claim && term_is_ahead(g->term, l->now))))
            || grant_awaits(l->u, g, l->now))
            continue;
        mark = mark_of(l, g->lot);
        if (claim) {
            mark->units += g->units;
        } else if (share) {
            mark->shared = true;
        } else if (!mark->listed) {
            mark->listed = true;
            mark->listed_units = g->units;
        }
    }
}

static int compare_marks(const void *a, const void *b)
{
    const struct lot_mark *x = *(struct lot_mark *const *)a,
                          *y = *(struct lot_mark *const *)b;

    if (x->up != y->up)
        return (uintptr_t)x->up < (uintptr_t)y->up ? -1 : 1;
    return lot_compare(x->lot, y->lot);
}

static struct pick *lot_pick(struct holdings *l, const struct lot *lot)
{
    struct pick *p = selection_pick(l->sel, lot->v);

    if (lot->v->run) {
        p->first = lot->at;
        p->nmembers = lot->n;
    }
    return p;
}

/* Make the picks of a list of marks with fn, which may return NULL. */
typedef struct pick *(*mark_fn)(struct holdings *l,
                                const struct lot_mark *mark);
static struct pick *each_mark(struct holdings *l, const struct lot_mark *mark,
                              mark_fn fn)
{
    struct pick *first = NULL, **end = &first;

    for (; mark; mark = mark->next)
        if ((*end = fn(l, mark)))
            end = &(*end)->next;
    return first;
}

/* Pick the listed resources below a pool that is held whole. */
static struct pick *pick_listed(struct holdings *l, const struct lot_mark *mark)
{
    struct pick *below = each_mark(l, mark->child, pick_listed), *p;

    if (!below && !mark->listed)
        return NULL;
    p = lot_pick(l, mark->lot);
    p->child = below;
    p->exclusive = mark->listed;
    if (mark->listed && mark->listed_units > 0)
        p->amount = mark->listed_units;
    return p;
}

/* Pick the resources that a job has of a lot and in it. */
static struct pick *pick_allocated(struct holdings *l,
                                   const struct lot_mark *mark)
{
    int64_t size = mark->lot->v->size;
    bool shared = mark->units == 0, all = !shared && mark->units >= size;
    struct pick *below = NULL, *p;

    if (!all)
        below = each_mark(l, mark->child, pick_allocated);
    else if (!l->held)
        below = each_mark(l, mark->child, pick_listed);
    if (shared && !below && !mark->shared)
        return NULL;
    p = lot_pick(l, mark->lot);
    p->child = below;
    p->shared = shared;
    p->exclusive = all;
    if (!all && !shared)
        p->amount = mark->units;
    p->whole = all && !below && (l->held || !mark->listed);
    return p;
}

struct selection *ledger_allocated(struct usage *u, const char *name, bool held,
                                   double now)
{
    struct holdings l = {
        .u = u, .sel = selection_create(), .held = held, .now = now};
    const struct job *job = name ? job_find(u, name) : NULL;
    struct lot_mark *top = mark_of(&l, usage_top(u)), **marks;
    struct term terms;
    size_t n;

    if (job)
        mark_job(&l, job, false);
    for (job = name ? NULL : usage_jobs(u); job; job = job->next)
        mark_job(&l, job, true);

    /* Put each mark below the mark of its parent, in the order of lots. */
    n = l.marks.count;
    marks = xmalloc(n * sizeof(*marks));
    for (size_t i = 0; i < n; i++)
        marks[i] = l.marks.slots[i].value.pointer;
    qsort(marks, n, sizeof(*marks), compare_marks);
    while (n-- > 0) {
        struct lot_mark *mark = marks[n];
        if (!mark->up)
            continue;
        mark->next = mark->up->child;
        mark->up->child = mark;
    }
    free(marks);
    map_fini(&l.marks);

    l.sel->picks = each_mark(&l, top->child, pick_allocated);
    if (!name)
        return l.sel;
    terms = ledger_terms(u, name);
    l.sel->job = arena_strndup(&l.sel->arena, name, strlen(name));
    l.sel->queue = terms.queue;
    l.sel->start = terms.start;
    l.sel->end = terms.end;
    l.sel->nslots = terms.nslots;
    l.sel->moldable = true;
    return l.sel;
}

struct rset *ledger_R(struct usage *u, const char *job, bool held, double now,
                      const struct selection *plan)
{
    struct selection *sel = ledger_allocated(u, job, held, now);
    struct vertex *root = usage_rset(u)->root;
    struct rset *R;

    if (plan) { /* it also knows whether the number of slots is fixed */
        sel->nslots = plan->nslots;
        sel->moldable = plan->moldable;
    }
    if (sel->picks && root && sel->picks->v != root) {
        /* Pools outside of containment need a root beside them. */
        struct pick *p = selection_pick(sel, root);
        pick_all_members(p);
        p->next = sel->picks;
        sel->picks = p;
    }
    R = rset_extract(usage_rset(u), sel);
    if (sel->queue) { /* an R of the seed edition names the queue */
        json_t **own = &R->document.attributes, *old = *own;
        *own = old ? json_deep_copy(old) : json_object();
        json_object_set_new(edition_make_scheduler(*own), "queue",
                            json_string(sel->queue));
        json_decref(old);
    }
    selection_destroy(sel);
    return R;
}

/* --- available ---------------------------------------------------------- */

/* Return whether anything of a pool, or in it, is claimed in the period, shared
   or staged. */
static bool is_in_use(struct usage *u, struct lot *top,
                      const struct period *when)
{
    for (struct lot *lot = top; lot; lot = lot_next_recorded(u, top, lot))
        for (const struct grant *g = lot->grants; g; g = g->beside)
            if (g->term->kind == GRANT_STAGED || term_during(g->term, when))
                return true;
    return false;
}

bool ledger_blocks(struct usage *u, struct lot *lot)
{
    return lot->blocked
           || (vertex_taken_whole(lot->v)
               && is_in_use(u, lot, usage_period(u)));
}

/* Pick a pool in which nobody has anything, with all pools in it. */
static struct pick *pick_unused(struct holdings *l, struct vertex *v)
{
    struct pick *p, *first = NULL, **end = &first;

    if (v->size <= 0)
        return NULL;
    for (struct vertex *c = vertex_child(v); c; c = c->next)
        if ((*end = pick_unused(l, c)))
            end = &(*end)->next;
    if (v->child && !first)
        return NULL;
    p = selection_pick(l->sel, v);
    pick_all_members(p);
    p->child = first;
    return p;
}

static struct pick *pick_available(struct holdings *l, struct lot *lot)
{
    struct vertex *v = lot->v;
    int64_t units = v->size - lot_claimed(lot, l->when, NULL);
    struct pick *p, *first = NULL, **end = &first;

    if (units <= 0 || (lot->state != STATE_UP && !l->any_state)
        || lot_staged(lot)
        || (vertex_taken_whole(v) && is_in_use(l->u, lot, l->when)))
        return NULL;
    for (struct lot *c = lot_child(lot); c; c = c->next)
        if ((*end = pick_available(l, c)))
            end = &(*end)->next;
    for (struct vertex *c = lot_is_open(lot) ? NULL : vertex_child(v); c;
         c = c->next)
        if ((*end = pick_unused(l, c)))
            end = &(*end)->next;
    if (v->child && !first)
        return NULL;
    p = lot_pick(l, lot);
    p->child = first;
    p->amount = units;
    return p;
}

unsigned ledger_outside(const struct rset *rs, const struct period *when)
{
    double start = rset_starttime(rs), end = rset_expiration(rs);
    bool before = start >= 0 && when->from < start;
    bool after = end >= 0
                 && (when->from >= end
                     || (isfinite(when->to) && when->to > end));

    return (before ? BEFORE_SET : 0) | (after ? AFTER_SET : 0);
}

struct selection *ledger_available(struct usage *u, const struct period *when,
                                   bool any_state)
{
    struct holdings l = {.u = u,
                         .sel = selection_create(),
                         .when = when,
                         .any_state = any_state};
    struct pick **end = &l.sel->picks;
    struct lot *lot = ledger_outside(usage_rset(u), when)
                          ? NULL
                          : lot_open(u, usage_top(u));

    for (; lot; lot = lot->next)
        if ((*end = pick_available(&l, lot)))
            end = &(*end)->next;
    l.sel->inventory = true;
    return l.sel;
}

/* Is a pick, or any in it, one of cores or GPUs, or of everything? */
static bool has_cores(const struct pick *p)
{
    bool any = p->whole || !strcmp(p->v->type, "core")
               || !strcmp(p->v->type, "gpu");

    for (const struct pick *c = p->child; c && !any; c = c->next)
        any = has_cores(c);
    return any;
}

static void drop_unusable(struct pick **list, int core, int gpu,
                          const struct usage *u)
{
    while (*list) {
        struct pick *p = *list;
        if (!type_is_node(p->v->type))
            drop_unusable(&p->child, core, gpu, u);
        else if (((core >= 0 && usage_total(u, p->v, core))
                  || (gpu >= 0 && usage_total(u, p->v, gpu)))
                 && !has_cores(p)) {
            *list = p->next;
            continue;
        }
        list = &p->next;
    }
}

void selection_drop_unusable(const struct usage *u, struct selection *sel)
{
    drop_unusable(&sel->picks, usage_type_named(u, "core"),
                  usage_type_named(u, "gpu"), u);
}

/* --- sums --------------------------------------------------------------- */

/* Add the units of all pools that a list of picks stands for `times` times to
   `sums`, by number of the type. */
static void sum_picks(const struct usage *u, const struct pick *list,
                      uint64_t times, struct aggregate *sums)
{
    for (const struct pick *p = list; p; p = p->next) {
        uint64_t pools = p->v->run ? times * p->nmembers : times;
        int type = usage_type(u, p->v->type);
        sums[type].available += pools * (uint64_t)p->amount;
        sum_picks(u, p->child, pools, sums);
    }
}

/*
 * Add the wholly free units of a lot that occurs `times` times: pools in which
 * nobody has anything, and the unclaimed units of a partly claimed pool.
 */
static void sum_free(struct usage *u, struct lot *lot, uint64_t times,
                     struct aggregate *sums)
{
    const struct vertex *v = lot->v;
    const int64_t *below = usage_row(u, v);
    const struct lot *used;
    uint64_t units;

    lot_load(u, lot);
    times *= lot->n;
    units = (uint64_t)(v->size - lot->taken);
    if (ledger_blocks(u, lot))
        return;
    for (used = lot_child(lot); used && lot_idle(used);)
        used = used->next;
    if (lot_idle(lot) || (lot->taken > 0 && !used))
        sums[usage_type(u, v->type)].free += times * units;
    for (unsigned t = 0;
         !lot_is_open(lot) && below && t < usage_types(u)->count; t++)
        sums[t].free += times * (uint64_t)below[t];
    for (struct lot *c = lot_child(lot); c; c = c->next)
        sum_free(u, c, times, sums);
}

static int compare_types(const void *a, const void *b)
{
    return strcmp(((const struct aggregate *)a)->type,
                  ((const struct aggregate *)b)->type);
}

size_t ledger_aggregate(struct usage *u, const struct period *when, bool zero,
                        struct aggregate **out)
{
    const struct types *types = usage_types(u);
    struct aggregate *sums = xcalloc(types->count, sizeof(*sums));
    struct selection *sel = ledger_available(u, when, false);
    struct lot *lot = ledger_outside(usage_rset(u), when)
                          ? NULL
                          : lot_open(u, usage_top(u));
    size_t n = 0;

    sum_picks(u, sel->picks, 1, sums);
    selection_destroy(sel);
    usage_at(u, when);
    for (; lot; lot = lot->next)
        sum_free(u, lot, 1, sums);
    for (unsigned t = 0; t < types->count; t++)
        if (sums[t].available > 0 || zero) {
            sums[n] = sums[t];
            sums[n++].type = types->names[t];
        }
    VECTOR_SORT(sums, n, compare_types);
    *out = sums;
    return n;
}
