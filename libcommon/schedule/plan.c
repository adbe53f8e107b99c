/* Rules that a plan has to satisfy before it is committed. */
#include "schedule/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/time.h"
#include "model/records/jobs.h"
#include "model/change/granularity.h"
#include "model/records/forecast.h"
#include "model/records/tags.h"
#include "model/records/types.h"
#include "model/records/usage.h"
#include "schedule/picks.h"

static void take_whole(struct pick *list)
{
    for (struct pick *p = list; p; p = p->next) {
        if (!vertex_taken_whole(p->v)) {
            take_whole(p->child);
            continue;
        }
        p->whole = p->whole || (!p->child && !p->exclusive);
        p->exclusive = true; /* covers everything in it */
        p->shared = false;
        p->amount = p->v->size;
    }
}

void plan_take_whole(struct selection *plan)
{
    take_whole(plan->picks);
}

struct checking {
    struct usage *u;
    const struct period *when;
    const char *job;
    const struct term *terms;
    struct diag *d;
};

/* --- states ------------------------------------------------------------- */

/* Check that a pool is up; if it is taken whole, everything in it as well. */
static int check_up(void *arg, const struct pick *p, struct lot *lot)
{
    const struct checking *c = arg;
    struct lot *at = lot;
    char *place, *state;

    while (at && at->state == STATE_UP)
        at = p->exclusive ? lot_next_recorded(c->u, lot, at) : NULL;
    if (!at)
        return 0;
    place = pick_place(c->u, p, at);
    state = vertex_state_text(at->v, at->state);
    diag_set(c->d, "%s is %s", place, state);
    free(place);
    free(state);
    return 1;
}

/* --- availability ------------------------------------------------------- */

/* Return a claim or a share of a lot that holds in a period, or NULL. */
static const struct grant *find_grant(const struct lot *lot,
                                      enum grant_kind kind,
                                      const struct period *when)
{
    for (const struct grant *g = lot->grants; g; g = g->beside)
        if (g->term->kind == kind && term_during(g->term, when))
            return g;
    return NULL;
}

/* Return whether a grant belongs to the job of the plan, on the same terms. */
static bool is_own(const struct checking *c, const struct grant *g)
{
    const struct term *t = c->terms;

    if (t->staged || strcmp(g->term->job->name, c->job) != 0)
        return false;
    if (g->term->kind == GRANT_SHARE)
        return !term_has_times(g->term)
               || (g->term->start == t->start && g->term->end == t->end);
    return term_is_like(g->term, t);
}

/*
 * Report the lock, the claim or the share that is in the way. `p` names the lot
 * or a pool around it. `left`: units of it that are free, fewer than the plan
 * takes.
 */
static int not_free(const struct checking *c, const struct pick *p,
                    const struct lot *lot, int64_t left)
{
    char *place = pick_place(c->u, p, lot);
    const struct job *staged = lot_staged(lot);
    const struct grant *claim = find_grant(lot, GRANT_CLAIM, c->when),
                       *share = find_grant(lot, GRANT_SHARE, c->when);

    if (left > 0)
        diag_set(c->d, "%s: only %lld of %lld units are free", place,
                 (long long)left, (long long)lot->v->size);
    else if (staged)
        diag_set(c->d, "%s is staged for job %s", place, staged->name);
    else if (claim)
        diag_set(c->d, "%s is %s job %s", place,
                 term_is_ahead(claim->term, c->when->now)
                         || grant_awaits(c->u, claim, c->when->now)
                     ? "reserved for"
                     : "held by",
                 claim->term->job->name);
    else if (share)
        diag_set(c->d, "%s is shared by job %s", place, share->term->job->name);
    else
        diag_set(c->d, "%s has no units", place);
    free(place);
    return 1;
}

static int check_free(void *arg, const struct pick *p, struct lot *lot)
{
    const struct checking *c = arg;
    int64_t size = lot->v->size, claimed = lot_claimed(lot, c->when, NULL);

    if (lot_staged(lot))
        return not_free(c, p, lot, 0);
    if (!p->exclusive && !p->whole) {
        bool lacks = (!p->child || p->amount < size) && !p->shared
                     && size - claimed < p->amount;
        return claimed >= size || lacks ? not_free(c, p, lot, size - claimed)
                                        : 0;
    }
    /* No other job may have anything in it. Grants of this job in the pool
       become one grant of the whole pool. */
    for (struct lot *in = lot; in; in = lot_next_recorded(c->u, lot, in))
        for (const struct grant *g = in->grants; g; g = g->beside) {
            bool used = g->term->kind == GRANT_STAGED
                        || term_during(g->term, c->when);
            if (used && (in == lot || !is_own(c, g)))
                return not_free(c, p, in, 0);
        }
    return PICKS_OVER;
}

/* --- rules -------------------------------------------------------------- */

/* Check the times of the set. */
static enum plan_answer check_bounds(const struct checking *c)
{
    const struct rset *rs = usage_rset(c->u);
    unsigned outside = ledger_outside(rs, c->when);

    if (outside & BEFORE_SET) {
        diag_set(c->d, "the set starts later (%s)",
                 time_utc(rset_starttime(rs)).text);
        return PLAN_NOT_NOW;
    }
    if (!outside)
        return PLAN_GOOD;
    diag_set(c->d, "the set expires before the end (%s)",
             time_utc(rset_expiration(rs)).text);
    return PLAN_NEVER;
}

/* Return the first pick that meets a condition, or NULL. Does not search inside
   pools that are held whole. */
static const struct pick *find_pick(const struct pick *list,
                                    bool (*is)(const struct pick *p))
{
    const struct pick *found = NULL;

    for (; list && !found; list = list->next)
        found = is(list)          ? list
                : list->exclusive ? NULL
                                  : find_pick(list->child, is);
    return found;
}

static bool claims_units(const struct pick *p)
{
    return p->amount > 0 && (p->exclusive || (!p->child && !p->shared));
}

static bool takes_sum(const struct pick *p)
{
    return !p->shared && p->v->extra && vertex_is_sum(p->v);
}

int plan_check_sums(const struct rset *rs, const struct selection *plan,
                    struct diag *d)
{
    const struct pick *p = find_pick(plan->picks, takes_sum);
    char *place;

    if (!p)
        return 0;
    place = vertex_place(rs, p->v);
    diag_set(
        d,
        "%s can't be given: it is a sum of pools whose contents are beside it",
        place);
    free(place);
    return -1;
}

/* Reject plans that a document can't record: they would be lost. */
static enum plan_answer check_sayable(const struct checking *c,
                                      const struct selection *plan)
{
    const struct pick *root = plan->picks;
    const struct rset *rs = usage_rset(c->u);

    if (c->terms->staged && !find_pick(plan->picks, claims_units)) {
        diag_set(c->d,
                 "--stage: all of it is shared, so there is nothing to lock");
        return PLAN_UNSAYABLE;
    }
    if (!rset_has_graph(rs) && root && root->shared && !root->child
        && !job_find(c->u, c->job)) {
        diag_set(c->d, "an R without a graph can't record that %s is shared",
                 rs->root->type);
        return PLAN_UNSAYABLE;
    }
    return PLAN_GOOD;
}

struct period plan_period(const struct term *terms, double now)
{
    return (struct period){.now = now,
                           .from = fmax(terms->start, now),
                           .to = terms->end >= 0 ? terms->end : INFINITY};
}

enum plan_answer plan_check(struct usage *u, const char *job,
                            const struct selection *plan,
                            const struct term *terms, double now,
                            unsigned flags, struct diag *d)
{
    const struct period when = plan_period(terms, now);
    struct checking c = {u, &when, job, terms, d};
    enum plan_answer answer = PLAN_GOOD;

    if (flags & PLAN_CHOSEN) {
        picks_split(u, plan);
        if (!(flags & PLAN_ANY_STATE)
            && picks_walk(u, plan, check_up, NULL, &c))
            answer = PLAN_NOT_NOW;
        else if ((flags & PLAN_ANY_TIME
                  || (answer = check_bounds(&c)) == PLAN_GOOD)
                 && picks_walk(u, plan, check_free, NULL, &c))
            answer = PLAN_NOT_NOW;
        picks_join(u, plan);
    }
    if (answer != PLAN_GOOD)
        return answer;
    if ((flags & PLAN_CHOSEN) && plan_check_sums(usage_rset(u), plan, d) < 0)
        return PLAN_UNSAYABLE; /* a match has checked its own */
    return check_sayable(&c, plan);
}

static int lacks_units(void *arg, const struct pick *p, struct lot *lot)
{
    const struct checking *c = arg;
    const struct types *t = usage_types(c->u);

    if (p->exclusive || !type_is_node(lot->v->type))
        return 0;
    for (unsigned i = 0; i < t->count; i++) {
        int64_t units = pick_units(c->u, p, i);
        if (units > 0 && units > usage_least_in(lot, i, c->when))
            return 1;
    }
    return PICKS_OVER;
}

bool plan_has_enough(struct usage *u, const struct selection *plan,
                     const struct period *when)
{
    struct checking c = {.u = u, .when = when};

    return !picks_walk(u, plan, lacks_units, NULL, &c);
}

/* --- taking what is free ------------------------------------------------ */

struct taking {
    struct checking check;
    struct period when;
    const struct job *own;  /* NULL: it has nothing yet */
    bool precedes;          /* it began before a reservation that has begun */
    struct selection *free; /* owns the picks that are made */
    struct diag first;      /* the first thing in the way */
};

/* End the period where a reservation on a pool of the plan begins. A
   reservation of the site yields to jobs that began before it. */
static int end_before(void *arg, const struct pick *p, struct lot *lot)
{
    struct taking *t = arg;
    bool all = p->exclusive || p->whole;
    int64_t id;

    for (struct lot *in = lot; in;
         in = all ? lot_next_recorded(t->check.u, lot, in) : NULL)
        for (const struct grant *g = in->grants; g; g = g->beside) {
            double start = term_uses(g->term) ? g->term->start : -INFINITY;
            bool yields = t->check.terms->start >= 0
                          && start > t->check.terms->start
                          && start <= t->when.from
                          && !job_is_number(g->term->job->name, &id);
            if (yields || start > t->when.from)
                t->when.to = fmin(t->when.to, start);
            t->precedes = t->precedes || yields;
        }
    return all ? PICKS_OVER : 0;
}

static struct pick *reduce_list(struct taking *t, const struct pick *list,
                                struct lot *parent);

/* Pick everything in a pool as held whole. */
static struct pick *pick_contents(struct taking *t, const struct vertex *v)
{
    struct pick *first = NULL, **end = &first;

    for (struct vertex *c = vertex_child(v); c; c = c->next) {
        *end = selection_pick(t->free, c);
        pick_all_members(*end);
        (*end)->whole = (*end)->exclusive = true;
        end = &(*end)->next;
    }
    return first;
}

/* Note what is in the way of a pick, unless the job itself has all of it. */
static void note_lack(struct taking *t, int64_t lacks)
{
    if (lacks > 0 && !t->first.text[0])
        t->first = *t->check.d;
}

/* Return a new pick of a lot with the part of a pick that is free; NULL if
   nothing is, or if the job has it. */
static struct pick *reduce(struct taking *t, const struct pick *p,
                           struct lot *lot)
{
    bool whole = p->exclusive || p->whole;
    int64_t size = lot->v->size, left = size - lot_claimed(lot, &t->when, NULL),
            own = t->own ? lot_claimed_by(lot, t->own) : 0,
            want = (whole ? size : p->amount) - own;
    int in_way = check_free(&t->check, p, lot);
    struct pick *q = selection_pick(t->free, lot->v);

    *q = *p;
    q->next = NULL;
    q->first = lot->at;
    q->nmembers = lot->v->run ? lot->n : 0;
    if (in_way == PICKS_OVER)
        return q;
    if (in_way && (left <= 0 || lot_staged(lot))) {
        note_lack(t, want);
        return NULL;
    }
    if (whole)
        q->exclusive = q->whole = false;
    if (lot->v->child && (whole || p->child)) {
        q->child = reduce_list(t, whole ? pick_contents(t, lot->v) : p->child,
                               lot);
        /* units of the pool beside the pools in it */
        q->amount = whole || want <= 0 || p->amount == size ? size
                    : want < left                           ? want
                                                            : left;
        return q->child || q->amount < size ? q : NULL;
    }
    if (p->shared)
        return q;
    q->amount = want < left ? want : left;
    if (in_way)
        note_lack(t, want - left);
    return q->amount > 0 || p->amount == 0 ? q : NULL;
}

static struct pick *reduce_list(struct taking *t, const struct pick *list,
                                struct lot *parent)
{
    struct pick *first = NULL, **end = &first;

    for (; list; list = list->next) {
        struct pick_iter it = pick_iter_of(t->check.u, parent, list, true);
        struct lot *lot;
        while ((lot = pick_iter_next(&it)))
            if ((*end = reduce(t, list, lot)))
                end = &(*end)->next;
    }
    return first;
}

char *plan_take_free(struct usage *u, const char *job,
                     const struct selection *plan, struct term *terms,
                     double now)
{
    const unsigned flags = PLAN_CHOSEN | PLAN_ANY_STATE | PLAN_ANY_TIME;
    struct diag d = {0};
    struct taking t = {.check = {u, &t.when, job, terms, &d},
                       .when = plan_period(terms, now),
                       .own = job_find(u, job)};
    enum plan_answer answer = plan_check(u, job, plan, terms, now, flags, &d);

    if (answer == PLAN_GOOD && !t.own)
        ledger_allocate(u, job, plan, terms);
    if (answer != PLAN_NOT_NOW && (answer != PLAN_GOOD || !t.own))
        return answer == PLAN_GOOD ? NULL : xstrdup(d.text);
    picks_walk(u, plan, end_before, NULL, &t);
    if (t.when.to < INFINITY)
        terms->end = t.when.to;
    if (t.precedes) /* what was held just before? */
        t.when.from = t.when.now = nextafter(t.when.to, 0);
    t.free = selection_create();
    t.free->picks = reduce_list(&t, plan->picks, usage_top(u));
    picks_join(u, plan);
    if (t.free->picks)
        ledger_allocate(u, job, t.free, terms);
    selection_destroy(t.free);
    return t.first.text[0] ? xstrdup(t.first.text) : NULL;
}
