/*
 * Taking back what a job has: all of it, or a part.
 *
 * A pool that is held whole has no claims below it. Where a part of it is
 * given back, what is left is first claimed on its children, and on theirs as
 * far down as the part is.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/records/jobs.h"
#include "schedule/ledger.h"
#include "schedule/parts.h"

bool ledger_release(struct usage *u, const char *name)
{
    struct job *job = job_find(u, name);

    if (job)
        job_release(u, job);
    return job;
}

/* --- a part ------------------------------------------------------------- */

struct shrinking {
    struct usage *u;
    struct job *job;
    struct diag *d;
    struct lots *unlisted; /* of which something was listed */
};

static int not_held(const struct shrinking *s, const struct pick *p,
                    const struct lot *lot, int64_t has)
{
    char *place = pick_place(s->u, p, lot);

    if (has > 0)
        diag_set(s->d, "job %s has only %lld of %s, not %lld", s->job->name,
                 (long long)has, place, (long long)p->amount);
    else
        diag_set(s->d, "job %s does not hold %s", s->job->name, place);
    free(place);
    return 1;
}

/* Is the end of a pick at this pool, and not at something in it? */
static bool gives_pool(const struct pick *p)
{
    return p->whole || !p->child;
}

/* Units of it, and what is in these: see vertex_share(). */
static bool gives_units(const struct pick *p)
{
    return p->child && !p->whole && !p->shared && p->amount < p->v->size;
}

static bool gives_all(const struct pick *p);

/* Do these picks give all of a pool, of all members of a run? */
static bool gives_vertex(const struct pick *list, const struct vertex *v)
{
    uint64_t members = 0;

    for (const struct pick *p = list; p; p = p->next)
        if (p->v == v && gives_all(p))
            members += v->run ? p->nmembers : 1;
    return members >= vertex_count(v);
}

/* Is nothing in it kept? */
static bool gives_all(const struct pick *p)
{
    if (gives_pool(p))
        return p->amount >= p->v->size;
    for (const struct vertex *v = vertex_child(p->v); v; v = v->next)
        if (!gives_vertex(p->child, v))
            return false;
    return true;
}

/* RFC 4, Exclusive flag: it is held whole, or not at all. */
static int check_flag(const struct shrinking *s, const struct pick *p,
                      const struct lot *lot)
{
    char *place;

    if (!vertex_taken_whole(p->v) || gives_all(p))
        return 0;
    place = pick_place(s->u, p, lot);
    diag_set(s->d, "%s can only be given back whole", place);
    free(place);
    return 1;
}

static int check_held(const struct shrinking *s, const struct pick *p,
                      struct lot *parent, bool whole);

static int check_held_lot(const struct shrinking *s, const struct pick *p,
                          struct lot *lot, bool whole)
{
    const struct vertex *v = lot->v;
    int64_t has = whole ? v->size : lot_claimed_by(lot, s->job);
    int rc = 0;

    whole = whole || (v->child && has >= v->size);
    if (gives_pool(p)) {
        if (p->shared && !whole && grant_find(lot, s->job, GRANT_SHARE))
            return 0;
        return has < p->amount ? not_held(s, p, lot, has)
                               : check_flag(s, p, lot);
    }
    if (gives_units(p) && has < p->amount)
        return not_held(s, p, lot, has);
    for (const struct pick *c = p->child; c && rc == 0; c = c->next)
        rc = check_held(s, c, lot, whole);
    return rc ? rc : check_flag(s, p, lot);
}

/* `whole`: a pool above is held whole. */
static int check_held(const struct shrinking *s, const struct pick *p,
                      struct lot *parent, bool whole)
{
    struct parts parts = parts_of(s->u, parent, p);
    struct lot *lot;
    int rc = 0;

    while (rc == 0 && (lot = parts_next(&parts)))
        rc = check_held_lot(s, p, lot, whole);
    return rc;
}

static int check_pick_held(void *arg, const struct pick *p, struct lot *top)
{
    return check_held(arg, p, top, false);
}

/* Does the job hold the lot whole, or what it lies in up to `top`? */
static bool is_in_whole(const struct job *job, const struct lot *lot,
                        const struct lot *top)
{
    for (; lot != top->parent; lot = lot->parent)
        if (lot->v->child && lot_claimed_by(lot, job) >= lot->v->size)
            return true;
    return false;
}

/*
 * Forget what is listed in a lot: it means something only in what is held
 * whole. With `all` of that, too.
 */
static void drop_listed(const struct shrinking *s, const struct lot *top,
                        bool all)
{
    struct grant *next = s->job->nlisted ? s->job->grants : NULL;

    for (struct grant *g; (g = next);) {
        next = g->next;
        if (g->term->kind == GRANT_LISTED && lot_is_in(g->lot, top)
            && (all || !is_in_whole(s->job, g->lot, top))) {
            lots_add(s->unlisted, g->lot);
            grant_destroy(s->u, g);
        }
    }
}

/*
 * Claim the children of a pool instead of it, as staged, and all listed; but
 * `keep` units of it.
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
            grant_grow(s->u, g, keep - g->units);
        else if (g->term->job == s->job && g->term->kind != GRANT_LISTED)
            grant_destroy(s->u, g);
    }
    drop_listed(s, lot, true); /* what is left is all listed */
}

/* Which of two claims is the later one does not depend on their order. */
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

static struct grant *last_claim(const struct shrinking *s,
                                const struct lot *lot)
{
    struct grant *last = NULL;

    for (struct grant *g = lot->grants; g; g = g->beside)
        if (g->term->job == s->job && g->term->kind == GRANT_CLAIM
            && (!last || is_later(g->term, last->term)))
            last = g;
    return last;
}

/* Take units back, the latest of the claims first. */
static void take_back(const struct shrinking *s, struct lot *lot, int64_t units)
{
    struct grant *last;

    for (; units > 0 && (last = last_claim(s, lot));) {
        if (last->units > units) {
            grant_grow(s->u, last, -units);
            break;
        }
        units -= last->units;
        grant_destroy(s->u, last);
    }
    if (!lot_claimed_by(lot, s->job))
        grant_drop(s->u, lot, s->job, GRANT_STAGED);
}

static int give(const struct shrinking *s, const struct pick *p,
                struct lot *parent);

static void give_lot(const struct shrinking *s, const struct pick *p,
                     struct lot *lot)
{
    /* check_flag() has seen to it that all of it is given */
    const struct vertex *v = lot->v;
    bool flagged = vertex_taken_whole(v)
                   && lot_claimed_by(lot, s->job) >= v->size;

    if (gives_pool(p) || flagged) {
        if (p->shared && !job_has_below(s->job, lot))
            grant_drop(s->u, lot, s->job, GRANT_SHARE);
        take_back(s, lot, flagged ? v->size : p->amount);
        drop_listed(s, lot, false);
        return;
    }
    if (v->child && lot_claimed_by(lot, s->job) >= v->size)
        spread(s, lot, gives_units(p) ? v->size - p->amount : 0);
    else if (gives_units(p))
        take_back(s, lot, p->amount);
    for (const struct pick *c = p->child; c; c = c->next)
        give(s, c, lot);
    if (!job_has_below(s->job, lot))
        grant_drop(s->u, lot, s->job, GRANT_SHARE);
}

static int give(const struct shrinking *s, const struct pick *p,
                struct lot *parent)
{
    struct parts parts = parts_of(s->u, parent, p);
    struct lot *lot;

    while ((lot = parts_next(&parts)))
        give_lot(s, p, lot);
    return 0;
}

static int give_pick(void *arg, const struct pick *p, struct lot *top)
{
    return give(arg, p, top);
}

int ledger_shrink(struct usage *u, const char *name,
                  const struct selection *what, struct diag *d)
{
    struct lots unlisted = {0};
    struct shrinking s = {
        .u = u, .job = job_get(u, name), .d = d, .unlisted = &unlisted};
    int rc;

    parts_split(u, what);
    rc = each_pick(u, what, check_pick_held, &s) ? 1 : 0;
    if (rc == 0) {
        each_pick(u, what, give_pick, &s);
        job_forget_nslots(s.job);
    }
    lots_join(u, &unlisted);
    free(unlisted.list);
    parts_join(u, what);
    job_end_if_empty(u, s.job);
    return rc;
}
