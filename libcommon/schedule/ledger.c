/*
 * Giving: turn a plan, which is a selection, into grants of a job.
 *
 * A pool that a job holds whole has one claim, and nothing below it has any.
 * The job's R then lists everything in the pool, unless marks below it
 * (GRANT_LISTED) say which part.
 */
#include "schedule/ledger.h"

#include "model/records/jobs.h"
#include "model/records/orders.h"
#include "model/records/types.h"
#include "model/records/usage.h"
#include "schedule/picks.h"

struct recording {
    struct usage *u;
    struct job *job;
    struct term *term; /* of the claims; shares have its times */
    bool staged;
    const struct needs *each;  /* the units of one part of a node */
    const struct period *when; /* in which units have to be free */
    int64_t *missing;          /* counts those that are not */
};

/* --- listed resources --------------------------------------------------- */

/* Mark `size` units of a lot as listed, 0 for all of them. A mark keeps the
   larger number. */
static void mark_listed(const struct recording *r, struct lot *lot,
                        int64_t size)
{
    struct grant *mark = grant_find(lot, r->job, GRANT_LISTED);

    if (!mark)
        grant_add(r->u, r->job, lot, GRANT_LISTED, NULL, size);
    else if (size == 0 || (mark->units > 0 && mark->units < size))
        grant_change(r->u, mark, mark->term, size);
}

static void list_all(const struct recording *r, struct lot *top)
{
    for (struct lot *lot = top; lot; lot = lot_next(r->u, top, lot, false))
        mark_listed(r, lot, 0);
}

/* Return whether a lot, or anything in it, is marked as listed. */
static bool lists_part(const struct job *job, const struct lot *top)
{
    struct grants_in it = grants_in(job, top);

    return grants_in_next_listed(&it);
}

/* Return whether everything below a lot is listed. */
static bool lists_all(const struct recording *r, struct lot *top)
{
    if (!r->job->nlisted)
        return !top->v->child;
    for (struct lot *lot = lot_next(r->u, top, top, false); lot;
         lot = lot_next(r->u, top, lot, false)) {
        const struct grant *mark = grant_find(lot, r->job, GRANT_LISTED);
        if (!mark || mark->units > 0)
            return false;
    }
    return true;
}

/* --- recording ---------------------------------------------------------- */

/* Call fn for each child pick of p with each lot that it names, split off. */
typedef void record_fn(const struct recording *r, const struct pick *p,
                       struct lot *lot);
static void each_child(const struct recording *r, const struct pick *p,
                       struct lot *lot, record_fn *fn)
{
    for (const struct pick *c = p->child; c; c = c->next) {
        struct pick_iter it = pick_iter_of(r->u, lot, c, true);
        struct lot *part;
        while ((part = pick_iter_next(&it)))
            fn(r, c, part);
    }
}

/* Mark the picked part of a pool that is held whole: the R lists it. */
static void list_picked(const struct recording *r, const struct pick *p,
                        struct lot *lot)
{
    if (p->whole) {
        list_all(r, lot);
        return;
    }
    mark_listed(r, lot, p->amount < lot->v->size ? p->amount : 0);
    each_child(r, p, lot, list_picked);
}

static void add_claim(const struct recording *r, struct lot *lot, int64_t size)
{
    struct grant *g = NULL;

    if (size == 0)
        return; /* a pool without units has nothing to give */
    if (r->staged && !grant_find(lot, r->job, GRANT_STAGED))
        grant_add(r->u, r->job, lot, GRANT_STAGED, NULL, 0);
    if (lot->grants && !lot->v->child) /* a claim of units says more than a
                                          share */
        grant_drop_share(r->u, lot, r->job, r->term);
    if (lot->grants)
        g = grant_of_term(lot, r->term);
    if (g)
        grant_change(r->u, g, g->term, g->units + size);
    else
        grant_add(r->u, r->job, lot, GRANT_CLAIM, r->term, size);
}

/* Return whether a term has the times of this allocation, or is a share without
   times. */
static bool is_then(const struct recording *r, const struct term *t)
{
    if (t->kind == GRANT_SHARE && !term_has_times(t))
        return true;
    return term_uses(t) && t->start == r->term->start && t->end == r->term->end;
}

/* Merge grants inside a pool into the new grant of the pool. If the R lists
   only a part of the pool (`list`), their resources are marked as listed. */
static void absorb(const struct recording *r, struct lot *top, bool list)
{
    for (struct grant *g = r->job->grants, *next; g; g = next) {
        struct lot *lot = g->lot;
        bool claim = g->term == r->term;
        int64_t units = g->units;
        next = g->next;
        if (lot == top || !lot_is_in(lot, top)
            || (!claim
                && (g->term->kind != GRANT_SHARE || !is_then(r, g->term))))
            continue;
        grant_destroy(r->u, g);
        if (!claim || !list)
            lot_join(r->u, lot);
        else if (units < lot->v->size)
            mark_listed(r, lot, units);
        else if (!lists_part(r->job, lot))
            list_all(r, lot);
    }
}

/*
 * Record that the job holds a pool exclusively. Marks of listed resources have
 * no times: over several terms they are the union, and if one term lists
 * everything there are none.
 */
static void record_held(const struct recording *r, const struct pick *p,
                        struct lot *lot)
{
    bool in_whole = false, all = false;

    /* Does it have all of the pool, or of a pool around it, and list
       everything? */
    if (r->job->grants) {
        const struct lot *up = lot;
        in_whole = job_has_whole(r->job, lot->parent, usage_top(r->u));
        while (up->parent
               && !(lot_claimed_by(up, r->job) >= up->v->size
                    && !lists_part(r->job, up)))
            up = up->parent;
        all = up->parent;
    }
    add_claim(r, lot, p->amount);
    if (!lot->v->child)
        return;
    if (lot_nused(lot) > 0)
        absorb(r, lot, !all && !p->whole);
    if (all)
        return;
    if (!p->whole && p->child)
        each_child(r, p, lot, list_picked);
    else if (!p->whole)
        mark_listed(r, lot, 0); /* the pool, and nothing in it */
    else if (in_whole)
        list_all(r, lot);
    if (!in_whole && (p->whole || lists_all(r, lot))) {
        struct grants_in it = grants_in(r->job, lot);
        struct grant *g;
        while ((g = grants_in_next_listed(&it)))
            grant_destroy(r->u, g);
    }
}

/*
 * Return whether the job has the pool, or anything in it, at the times of this
 * allocation. If the allocation has no times, grants at any time count:
 * documents don't distinguish a share without times from a share that follows
 * from other grants.
 */
static bool has_then(const struct recording *r, const struct lot *lot)
{
    bool ever = !term_has_times(r->term);
    struct grants_in it = grants_in(r->job, lot);
    const struct grant *g;

    for (g = lot->grants; g; g = g->beside)
        if (g->term->job == r->job
            && (is_then(r, g->term) || (ever && g->term->kind == GRANT_CLAIM))
            && (g->term->kind == GRANT_SHARE || !lot->v->child))
            return true;
    while (lot->v->child && (g = grants_in_next(&it)))
        if (g->lot != lot
            && (is_then(r, g->term) || (ever && term_uses(g->term))))
            return true;
    return false;
}

/* Record a share, unless it follows from another grant in the pool. */
static void record_share(const struct recording *r, struct lot *lot)
{
    if (has_then(r, lot))
        return;
    if (!term_has_times(r->term)) /* a share without times replaces shares with
                                     times */
        grant_drop(r->u, lot, r->job, GRANT_SHARE);
    grant_add(r->u, r->job, lot, GRANT_SHARE,
              job_share_term(r->u, r->job, r->term), 0);
}

static void record(const struct recording *r, const struct pick *p,
                   struct lot *lot)
{
    const struct grant *last = r->job->last;

    if (p->child && !p->exclusive) {
        if (lot->grants)
            grant_drop_share(r->u, lot, r->job, r->term);
        if (p->amount < lot->v->size) /* units of it, besides the pools in it */
            add_claim(r, lot, p->amount);
        each_child(r, p, lot, record);
        if (r->job->last == last)
            record_share(r, lot); /* nothing in it could be recorded */
    } else if (p->shared) {
        record_share(r, lot);
    } else if (p->exclusive) {
        record_held(r, p, lot);
    } else {
        add_claim(r, lot, p->amount);
    }
}

/* --- parts of nodes ------------------------------------------------------- */

/* Return how many parts a plan takes of a node. */
static int64_t parts_in(const struct recording *r, const struct pick *node)
{
    const struct row_need *need = r->each->at;

    return pick_units(r->u, node, need->row % usage_types(r->u)->count)
           / need->least;
}

/* Record how many parts the plan takes of each node. */
static void record_parts(const struct recording *r, const struct pick *p,
                         struct lot *lot)
{
    if (type_is_node(lot->v->type))
        grant_add(r->u, r->job, lot, GRANT_SHARE, r->term, parts_in(r, p));
    else
        each_child(r, p, lot, record_parts);
}

/* Claim units of a row in a node, of those that are free in the period. Return
   how many are missing. */
static int64_t claim_free(const struct recording *r, struct lot *node,
                          unsigned row, int64_t left)
{
    const struct types *t = usage_types(r->u);
    bool over = false;

    for (struct lot *lot = node;
         left > 0 && (lot = lot_next(r->u, node, lot, over));) {
        int64_t size = lot->v->size,
                free = size - lot_claimed(lot, r->when, NULL), units, n;
        over = free <= 0; /* nothing in it is free either */
        if (over || lot->v->type != t->names[row % t->count]
            || (row >= t->count && free < size))
            continue;
        units = left < free ? left : free;
        n = left / units < lot->n ? left / units : lot->n;
        lot_split(r->u, lot, lot->at, (uint32_t)n);
        add_claim(r, lot, units);
        left -= n * units;
    }
    return left;
}

/* Claim as many parts of each node as the plan takes, whichever are free. */
static void record_free(const struct recording *r, const struct pick *p,
                        struct lot *lot)
{
    int64_t parts;

    if (!type_is_node(lot->v->type)) {
        each_child(r, p, lot, record_free);
        return;
    }
    parts = parts_in(r, p);
    for (unsigned i = 0; i < r->each->n; i++)
        *r->missing += claim_free(r, lot, r->each->at[i].row,
                                  r->each->at[i].least * parts);
}

/* --- jobs ----------------------------------------------------------------- */

static void allocate(struct recording *r, const char *name,
                     const struct selection *sel, struct term terms,
                     record_fn *fn)
{
    r->job = job_get(r->u, name);
    r->staged = terms.staged;
    if (r->job->grants) {
        terms.nslots = 0;
        job_forget_nslots(r->job);
    }
    r->term = job_term(r->u, r->job, &terms);
    orders_defer(r->u);
    each_child(r, &(struct pick){.child = sel->picks}, usage_top(r->u), fn);
    orders_settle(r->u);
    job_end_if_empty(r->u, r->job);
}

void ledger_allocate(struct usage *u, const char *name,
                     const struct selection *sel, const struct term *terms)
{
    struct recording r = {.u = u, .each = terms->each};
    struct term shares = *terms;

    shares.kind = GRANT_SHARE;
    if (terms->each)
        allocate(&r, name, sel, shares, record_parts);
    else
        allocate(&r, name, sel, *terms, record);
}

bool ledger_allocate_free(struct usage *u, const char *name,
                          const struct selection *sel, const struct term *terms,
                          const struct needs *each, const struct period *when)
{
    int64_t missing = 0;
    struct recording r = {
        .u = u, .each = each, .when = when, .missing = &missing};

    allocate(&r, name, sel, *terms, record_free);
    if (missing > 0)
        ledger_release(u, name);
    return missing == 0;
}

/* --- staging ------------------------------------------------------------ */

bool ledger_commit(struct usage *u, const char *name)
{
    struct job *job = job_find(u, name);
    bool found = false;

    for (struct grant *g = job ? job->grants : NULL, *next; g; g = next) {
        struct lot *lot = g->lot;
        next = g->next;
        if (g->term->kind != GRANT_STAGED)
            continue;
        grant_destroy(u, g);
        lot_join(u, lot); /* the lock may have been the only reason for the
                             split */
        found = true;
    }
    if (job)
        job_end_if_empty(u, job);
    return found;
}

bool ledger_abort(struct usage *u, const char *job)
{
    if (!ledger_commit(u, job))
        return false;
    ledger_release(u, job);
    return true;
}
