/*
 * Taking back: release everything that a job has, a part, or what has ended;
 * and extend a job, unless its resources are taken by then.
 *
 * A pool that is held whole has no claims below it. If a part of it is
 * released, the rest is first claimed on its children, and on their children,
 * as far down as the part is.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/time.h"
#include "model/records/job_list.h"
#include "model/records/jobs.h"
#include "model/records/orders.h"
#include "model/records/path.h"
#include "model/records/usage.h"
#include "schedule/ledger.h"
#include "schedule/picks.h"

bool ledger_release(struct usage *u, const char *name)
{
    struct job *job = job_find(u, name);

    if (job)
        job_release(u, job);
    return job;
}

/* --- releasing a part --------------------------------------------------- */

struct shrinking {
    struct usage *u;
    struct job *job;
    struct diag *d;
    struct lots *unlisted; /* lots in which marks of listed resources were
                              removed */
};

/* Return whether a pick releases this pool, and not only pools in it. */
static bool frees_pool(const struct pick *p)
{
    return p->whole || !p->child;
}

/* Return whether a pick releases units of a pool with their share of the pools
   in it: see vertex_share(). */
static bool frees_units(const struct pick *p)
{
    return p->child && !p->whole && !p->shared && p->amount < p->v->size;
}

/* Return whether a pick leaves nothing of its pool. */
static bool frees_all(const struct pick *pick)
{
    if (frees_pool(pick))
        return pick->amount >= pick->v->size;
    for (const struct vertex *v = vertex_child(pick->v); v; v = v->next) {
        uint64_t members = 0; /* released completely */
        for (const struct pick *p = pick->child; p; p = p->next)
            if (p->v == v && frees_all(p))
                members += v->run ? p->nmembers : 1;
        if (members < vertex_count(v))
            return false;
    }
    return true;
}

/* An exclusive pool is held whole or not at all (RFC 4, Exclusive flag). */
static int check_flag(void *arg, const struct pick *p, struct lot *lot)
{
    const struct shrinking *s = arg;
    char *place;

    if (!vertex_taken_whole(p->v) || frees_all(p))
        return 0;
    place = pick_place(s->u, p, lot);
    diag_set(s->d, "%s can only be given back whole", place);
    free(place);
    return 1;
}

static int check_held(void *arg, const struct pick *p, struct lot *lot)
{
    const struct shrinking *s = arg;
    const struct vertex *v = lot->v;
    bool in_whole = job_has_whole(s->job, lot->parent, usage_top(s->u));
    int64_t has = in_whole ? v->size : lot_claimed_by(lot, s->job);
    bool whole = in_whole || (v->child && has >= v->size);
    char *place;

    if (frees_pool(p) && p->shared && !whole
        && grant_find(lot, s->job, GRANT_SHARE))
        return PICKS_OVER;
    if (has >= p->amount || (!frees_pool(p) && !frees_units(p)))
        return 0;
    place = pick_place(s->u, p, lot);
    if (has > 0)
        diag_set(s->d, "job %s has only %lld of %s, not %lld", s->job->name,
                 (long long)has, place, (long long)p->amount);
    else
        diag_set(s->d, "job %s does not hold %s", s->job->name, place);
    free(place);
    return 1;
}

/*
 * Remove the marks of listed resources in a lot, unless the lot is still held
 * whole; they have no meaning then. With `all` remove them anyway.
 */
static void drop_listed(const struct shrinking *s, const struct lot *top,
                        bool all)
{
    struct grants_in it = grants_in(s->job, top);
    struct grant *g;

    while ((g = grants_in_next_listed(&it)))
        if (all || !job_has_whole(s->job, g->lot, top->parent)) {
            lots_add(s->unlisted, g->lot);
            grant_destroy(s->u, g);
        }
}

/*
 * Move the claims of a pool, except `keep` units, and its lock to its children.
 * The R lists the children completely.
 */
static void spread(const struct shrinking *s, struct lot *lot, int64_t keep)
{
    bool staged = grant_find(lot, s->job, GRANT_STAGED);

    for (struct lot *c = lot_open(s->u, lot); c; c = c->next) {
        for (const struct grant *g = lot->grants; g; g = g->beside)
            if (g->term->job == s->job && g->term->kind == GRANT_CLAIM
                && c->v->size > 0)
                grant_add(s->u, s->job, c, GRANT_CLAIM, g->term, c->v->size);
        if (staged)
            grant_add(s->u, s->job, c, GRANT_STAGED, NULL, 0);
    }
    for (struct grant *g = lot->grants, *next; g; g = next) {
        next = g->beside;
        if (g->term->job == s->job && g->term->kind == GRANT_CLAIM && keep > 0)
            grant_change(s->u, g, g->term, keep);
        else if (g->term->job == s->job && g->term->kind != GRANT_LISTED)
            grant_destroy(s->u, g);
    }
    drop_listed(s, lot, true); /* unmarked resources are listed */
}

/* Return whether a claim is later than another. The result does not depend on
   the order in which they are stored. */
static bool is_later(const struct term *a, const struct term *b)
{
    double a_end = a->end < 0 ? INFINITY : a->end;
    double b_end = b->end < 0 ? INFINITY : b->end;

    if (a->start != b->start)
        return a->start > b->start;
    if (a_end != b_end)
        return a_end > b_end;
    if (a->reserved != b->reserved)
        return a->reserved;
    return a->owner && (!b->owner || strcmp(a->owner, b->owner) > 0);
}

/* Release units, from the latest claims first. */
static void take_back(const struct shrinking *s, struct lot *lot, int64_t units)
{
    while (units > 0) {
        struct grant *last = NULL;
        for (struct grant *g = lot->grants; g; g = g->beside)
            if (g->term->job == s->job && g->term->kind == GRANT_CLAIM
                && (!last || is_later(g->term, last->term)))
                last = g;
        if (!last)
            break;
        if (last->units > units) {
            grant_change(s->u, last, last->term, last->units - units);
            break;
        }
        units -= last->units;
        grant_destroy(s->u, last);
    }
    if (!lot_claimed_by(lot, s->job))
        grant_drop(s->u, lot, s->job, GRANT_STAGED);
}

static int free_pick(void *arg, const struct pick *p, struct lot *lot)
{
    /* check_flag() made sure that all of an exclusive pool is released */
    const struct shrinking *s = arg;
    const struct vertex *v = lot->v;
    bool all = lot_claimed_by(lot, s->job) >= v->size;
    bool flagged = all && vertex_taken_whole(v);

    if (frees_pool(p) || flagged) {
        if (p->shared && !job_has_below(s->job, lot))
            grant_drop(s->u, lot, s->job, GRANT_SHARE);
        take_back(s, lot, flagged ? v->size : p->amount);
        drop_listed(s, lot, false);
        return PICKS_OVER;
    }
    if (v->child && all)
        spread(s, lot, frees_units(p) ? v->size - p->amount : 0);
    else if (frees_units(p))
        take_back(s, lot, p->amount);
    return 0;
}

static int drop_share(void *arg, const struct pick *p, struct lot *lot)
{
    const struct shrinking *s = arg;

    (void)p;
    if (!job_has_below(s->job, lot))
        grant_drop(s->u, lot, s->job, GRANT_SHARE);
    return 0;
}

int ledger_shrink(struct usage *u, const char *name,
                  const struct selection *what, struct diag *d)
{
    struct lots unlisted = {0};
    struct shrinking s = {
        .u = u, .job = job_get(u, name), .d = d, .unlisted = &unlisted};
    int rc;

    orders_defer(u);
    picks_split(u, what);
    rc = picks_walk(u, what, check_held, check_flag, &s);
    if (rc == 0) {
        picks_walk(u, what, free_pick, drop_share, &s);
        job_forget_nslots(s.job);
    }
    lots_join(u, &unlisted);
    free(unlisted.list);
    picks_join(u, what);
    orders_settle(u);
    job_end_if_empty(u, s.job);
    return rc;
}

/* --- expiring ----------------------------------------------------------- */

static bool has_ended(const struct term *t, double now)
{
    return t->end >= 0 && t->end <= now;
}

/*
 * Find the latest end, by `now`, of a job's grants. Returns false if nothing
 * has ended. *all: everything has ended. A share without times ends with the
 * last grant that has times.
 */
static bool find_ended(const struct job *job, double now, double *end,
                       bool *all)
{
    bool any = false;

    *all = true;
    for (const struct grant *g = job->grants; g; g = g->next) {
        if (!term_uses(g->term))
            continue;
        if (!has_ended(g->term, now)) {
            *all = *all && g->term->kind == GRANT_SHARE
                   && !term_has_times(g->term);
            continue;
        }
        *end = any && *end > g->term->end ? *end : g->term->end;
        any = true;
    }
    return any;
}

size_t ledger_expire(struct usage *u, double now, expire_fn report, void *arg)
{
    struct job_list ended = {0};
    double end = 0;
    bool all;

    for (struct job *job = usage_jobs(u); job; job = job->next)
        if (find_ended(job, now, &end, &all))
            job_list_add(&ended, job);
    job_list_sort(&ended);
    for (size_t i = 0; i < ended.n; i++) {
        struct job *job = ended.list[i];
        find_ended(job, now, &end, &all);
        report(job->name, end, arg);
        if (all) {
            job_release(u, job);
            continue;
        }
        for (struct grant *g = job->grants, *next; g; g = next) {
            next = g->next;
            if (term_uses(g->term) && has_ended(g->term, now))
                grant_release(u, g);
        }
        job_drop_lost(u, job); /* marks and locks that have lost their claim */
    }
    free(ended.list);
    return ended.n;
}

/* --- extending ---------------------------------------------------------- */

struct extending {
    struct usage *u;
    const struct grant *own; /* the claim or share being extended */
    struct period more;      /* from its old end to the new end */
    struct diag *d;
};

/* Return whether another claim or share of the lot falls into the added
   time. */
static bool is_used(const struct extending *x, const struct grant *g)
{
    return g != x->own && term_during(g->term, &x->more);
}

/* Report the job that has a lot in the added time. */
static int taken(const struct extending *x, const struct lot *lot)
{
    const struct term *t = x->own->term;
    char *place = lot_place(x->u, lot);

    for (const struct grant *g = lot->grants; g; g = g->beside)
        if (is_used(x, g))
            t = g->term;
    if (t->start >= x->more.from)
        diag_set(x->d, "%s is reserved for job %s from %s", place, t->job->name,
                 time_utc(t->start).text);
    else
        diag_set(x->d, "job %s still holds %s", t->job->name, place);
    free(place);
    return 1;
}

/* Return whether a lot is fully claimed in the added time. */
static bool is_full(const struct extending *x, const struct lot *lot)
{
    return lot_claimed(lot, &x->more, x->own) >= lot->v->size;
}

/*
 * Check that there is room for a claim or a share in the added time, between
 * two ends. Other claims of the same job are in the way like those of others:
 * no unit is held twice.
 */
static int check_room(struct extending *x, const struct grant *own, double from,
                      double to)
{
    struct lot *lot = own->lot;
    bool share = own->term->kind == GRANT_SHARE;

    x->own = own;
    x->more.from = from;
    x->more.to = to;
    if (share ? is_full(x, lot)
              : lot_claimed(lot, &x->more, own) > lot->v->size - own->units)
        return taken(x, lot);
    for (const struct lot *up = lot->parent; up->parent; up = up->parent)
        if (is_full(x, up))
            return taken(x, up);
    if (share || own->units < lot->v->size)
        return 0;
    for (struct lot *at = lot; at; at = lot_next_recorded(x->u, lot, at))
        for (const struct grant *g = at->grants; g; g = g->beside)
            if (is_used(x, g))
                return taken(x, at);
    return 0;
}

/* Let a grant end at another time. */
static void set_end(struct usage *u, struct grant *g, double end)
{
    struct term later = *g->term;

    later.end = end;
    if (term_uses(g->term)) /* equal terms become one */
        grant_change(u, g, job_term(u, g->term->job, &later), g->units);
}

/* Check once more what a job has, after all of it ends later than it did. */
static int check_together(struct extending *x, const struct job *job,
                          const double *ends)
{
    bool differ = false;
    size_t i = 0;
    int rc = 0;

    for (const struct grant *g = job->grants; g; g = g->next, i++)
        differ |= ends[i] < ends[0] || ends[i] > ends[0];
    i = 0;
    for (const struct grant *g = job->grants; g && differ && rc == 0;
         g = g->next, i++) {
        double from = ends[i], to = g->term->end < 0 ? INFINITY : g->term->end;
        if (term_uses(g->term) && from >= 0 && from < to)
            rc = check_room(x, g, from, to);
    }
    return rc;
}

/* Check that everything a job has could end at another time. */
static int check_extended(struct extending *x, const struct job *job,
                          double end)
{
    double to = end < 0 ? INFINITY : end;
    int rc = 0;

    for (const struct grant *g = job->grants; g && rc == 0; g = g->next) {
        if (!term_uses(g->term))
            continue;
        if (end >= 0 && end <= g->term->start) {
            char *place = lot_place(x->u, g->lot);
            rc = 1; /* it would have no time left */
            diag_set(x->d, "job %s has %s only from %s on", job->name, place,
                     time_utc(g->term->start).text);
            free(place);
        } else if (g->term->end >= 0 && g->term->end < to) {
            rc = check_room(x, g, g->term->end, to);
        }
    }
    return rc;
}

int ledger_extend(struct usage *u, const char *name, double end, double now,
                  struct diag *d)
{
    struct extending x = {
        .u = u, .more = {.now = now, .held_on = true}, .d = d};
    struct job *job = job_find(u, name);
    struct grant *g;
    double *ends = NULL;
    size_t n = 0, i = 0;
    int rc;

    if (!job)
        return 0;
    if (check_extended(&x, job, end))
        return 1;
    for (g = job->grants; g; g = g->next) {
        VECTOR_ADD(ends, n, g->term->end);
        set_end(u, g, end);
    }
    /* claims that end at different times may be too many together */
    rc = check_together(&x, job, ends);
    for (g = rc ? job->grants : NULL; g; g = g->next)
        set_end(u, g, ends[i++]);
    free(ends);
    return rc;
}
