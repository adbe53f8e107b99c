/*
 * What jobs have, as marks: for each term of a job one entry with all that it
 * has for it, target by target.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/document/marks_private.h"
#include "model/document/plain.h"
#include "model/records/jobs.h"

/* --- what a mark says of a target ---------------------------------------- */

/* The target itself, or ids in it. */
void saying_add(struct saying *s, const struct vertex *v, uint32_t lo,
                uint32_t hi)
{
    s->touched = true;
    if (vertex_is_target(v))
        s->self = true;
    else
        idset_add(lite_children_ids(&s->here, v->type), lo, hi);
}

void saying_add_all(struct saying *s, const struct vertex *v)
{
    for (size_t i = 0; v->run && i < idset_nranges(v->run); i++) {
        struct idrange r = idset_range(v->run, i);
        saying_add(s, v, r.lo, r.hi);
    }
    if (!v->run)
        saying_add(s, v, (uint32_t)v->id, (uint32_t)v->id);
}

void saying_add_lot(struct saying *s, const struct lot *lot)
{
    uint32_t first = lot->v->run ? lot->at : (uint32_t)lot->v->id;

    saying_add(s, lot->v, first, first + lot->n - 1);
}

/*
 * A claim on pools in a target says that the target is shared, a state of them
 * says nothing of the target's: that is an entry of its own.
 */
void saying_end(struct saying *s, struct mark *m, const struct idset *ranks)
{
    struct lite_children none = {0};

    if (s->self && s->here.n > 0 && m->kind >= MARK_STAGED)
        rlite_add(&m->lite, ranks, &none);
    if (s->touched)
        rlite_add(&m->lite, ranks, &s->here);
    *s = (struct saying){0};
}

struct idset *target_ranks(const struct lot *target)
{
    uint32_t first = target->v->run ? target->at : (uint32_t)target->v->rank;

    return idset_create_range(first, first + target->n - 1);
}

bool is_spoken(const struct rset *rs, const struct vertex *v)
{
    return vertex_is_target(v) || rlite_type(rs, v->type);
}

/* --- a job's grants for a term, by targets ------------------------------- */

struct had {
    struct lot *target;
    const struct grant *grant; /* of it, below it or above it */
};

struct had_list {
    const struct rset *rs;
    struct had *list;
    size_t n;
};

static void add_had(struct had_list *l, struct lot *target,
                    const struct grant *g)
{
    VECTOR_GROW(l->list, l->n);
    l->list[l->n++] = (struct had){target, g};
}

/* What is held whole is all targets in it. */
static void add_targets(struct had_list *l, struct lot *lot,
                        const struct grant *g)
{
    if (vertex_is_target(lot->v)) {
        add_had(l, lot, g);
        return;
    }
    for (struct lot *c = lot_open(l->rs->usage, lot); c; c = c->next)
        add_targets(l, c, g);
}

/* The outermost one that a pool is, or lies in: so many steps up; -1: none. */
static int steps_up(const struct vertex *v)
{
    int steps = -1;

    for (int n = 0; v; v = v->parent, n++)
        if (vertex_is_target(v))
            steps = n;
    return steps;
}

/* The targets of all that are in one; of what is held whole, those in it. */
static void find_targets(struct had_list *l)
{
    const struct vertex *v = NULL;
    size_t all = l->n, n = 0;
    int steps = -1;

    for (size_t i = 0; i < all; i++) {
        const struct grant *g = l->list[i].grant;
        struct lot *lot = g->lot;
        if (lot->v != v) /* mostly it is the same one */
            steps = steps_up(v = lot->v);
        for (int up = steps; up > 0; up--)
            lot = lot->parent;
        l->list[i].target = steps < 0 ? NULL : lot;
        if (steps < 0 && plain_whole(g))
            add_targets(l, lot, g);
    }
    for (size_t i = 0; i < l->n; i++)
        if (l->list[i].target)
            l->list[n++] = l->list[i];
    l->n = n;
}

static int compare_had(const void *a, const void *b)
{
    return lot_compare(((const struct had *)a)->target,
                       ((const struct had *)b)->target);
}

static void gather_had(struct had_list *l, const struct term *t)
{
    bool sorted = true;

    for (const struct grant *g = t->job->grants; g; g = g->next)
        if (g->term == t) {
            __builtin_prefetch(g->lot); /* they lie scattered */
            add_had(l, NULL, g);
        }
    find_targets(l);
    for (size_t i = 1; i < l->n && sorted; i++)
        sorted = compare_had(&l->list[i - 1], &l->list[i]) <= 0;
    if (!sorted)
        qsort(l->list, l->n, sizeof(*l->list), compare_had);
}

/* --- saying it ----------------------------------------------------------- */

/* Is it, or something in it, marked as what the job's R lists? */
static bool lists_part_of(struct usage *u, struct lot *top,
                          const struct job *job)
{
    for (struct lot *lot = job->nlisted ? top : NULL; lot;
         lot = lot_next_in(u, top, lot))
        if (grant_find(lot, job, GRANT_LISTED))
            return true;
    return false;
}

/* What a job that holds a lot whole lists of all below it. */
static void say_listed(const struct rset *rs, const struct job *job,
                       struct lot *top, struct saying *s)
{
    struct usage *u = rs->usage;
    bool part = lists_part_of(u, top, job);

    for (struct lot *lot = part ? lot_next_in(u, top, top) : NULL; lot;
         lot = lot_next_in(u, top, lot))
        if (rlite_type(rs, lot->v->type) && grant_find(lot, job, GRANT_LISTED))
            saying_add_lot(s, lot);
    for (const struct vertex *v = part ? NULL : vertex_next(top->v, top->v, 0);
         v; v = vertex_next(top->v, v, false))
        if (rlite_type(rs, v->type))
            saying_add_all(s, v);
}

static void say_had(const struct rset *rs, const struct had *had,
                    struct mark *m, struct saying *s)
{
    const struct term *t = had->grant->term;
    struct lot *lot = had->grant->lot, *target = had->target;
    bool above = !lot_is_in(lot, target);

    if (!above && is_spoken(rs, lot->v))
        saying_add_lot(s, lot);
    if (plain_whole(had->grant))
        say_listed(rs, t->job, above ? target : lot, s);
    if (t->kind == GRANT_CLAIM && (above || lot == target)) {
        struct idset *ranks = target_ranks(target);
        if (!m->holds)
            m->holds = idset_create();
        idset_add_set(m->holds, ranks);
        idset_destroy(ranks);
        s->touched = true;
    }
}

/* Is it the same pools, with nothing in them, of two targets? */
static bool says_same(const struct had *a, const struct had *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct lot *x = a[i].grant->lot, *y = b[i].grant->lot;
        if (x->v != y->v || x->v->child || x->at != y->at || x->n != y->n)
            return false;
    }
    return true;
}

/* Targets of which the same is said go together. */
static void say_all(const struct had_list *l, struct mark *m)
{
    struct saying s = {0};
    struct idset *ranks = idset_create();
    size_t before = 0;

    for (size_t i = 0, n; i < l->n; i += n, before = n) {
        const struct had *had = &l->list[i];
        struct idset *more = target_ranks(had->target);
        for (n = 1; i + n < l->n && had[n].target == had->target;)
            n++;
        if (n != before || !says_same(had - n, had, n)) {
            saying_end(&s, m, ranks);
            idset_clear(ranks);
            for (size_t k = 0; k < n; k++)
                say_had(l->rs, &had[k], m, &s);
        }
        idset_add_set(ranks, more);
        idset_destroy(more);
    }
    saying_end(&s, m, ranks);
    idset_destroy(ranks);
}

static enum mark_kind kind_of(const struct term *t)
{
    return t->kind == GRANT_SHARE    ? MARK_SHARED
           : t->kind == GRANT_STAGED ? MARK_STAGED
           : t->reserved             ? MARK_RESERVATION
                                     : MARK_ALLOCATION;
}

bool mark_of_term(const struct rset *rs, const struct term *t, struct mark *m)
{
    struct had_list l = {.rs = rs};

    *m = (struct mark){.kind = kind_of(t),
                       .name = t->job->name,
                       .owner = t->owner,
                       .queue = t->queue,
                       .start = t->start,
                       .end = t->end,
                       .nslots = t->nslots};
    gather_had(&l, t);
    say_all(&l, m);
    free(l.list);
    return m->lite.n > 0;
}

static int compare_terms(const void *a, const void *b)
{
    const struct term *x = *(struct term *const *)a,
                      *y = *(struct term *const *)b;
    int c = (int)kind_of(x) - (int)kind_of(y);

    if (c || (c = job_compare(x->job->name, y->job->name)))
        return c;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    if ((c = strcmp(x->owner ? x->owner : "", y->owner ? y->owner : "")))
        return c;
    return strcmp(x->queue ? x->queue : "", y->queue ? y->queue : "");
}

size_t terms_in_order(const struct usage *u, struct term ***list)
{
    bool sorted = true;
    size_t n = 0;

    *list = NULL;
    for (struct job *job = u ? u->jobs_first : NULL; job; job = job->next)
        for (struct term *t = job->terms; t; t = t->next)
            if (t->kind != GRANT_LISTED) {
                VECTOR_GROW(*list, n);
                (*list)[n++] = t;
            }
    for (size_t i = 1; i < n && sorted; i++)
        sorted = compare_terms(&(*list)[i - 1], &(*list)[i]) <= 0;
    if (!sorted)
        qsort(*list, n, sizeof(**list), compare_terms);
    return n;
}
