/* Exchanges the places of reservations, to start a job that does not fit beside
   them (planner_private.h). */
#include <stdlib.h>

#include "base/memory.h"
#include "model/records/jobs.h"
#include "model/records/usage.h"
#include "request/constraint.h"
#include "schedule/planner_private.h"

int64_t planner_parts(const struct pending *job)
{
    return planned(job->request)->kind ? planned(job->request)->times : 8;
}

double moment(const struct planner *p)
{
    return nextafter(p->how->now, INFINITY) - p->how->now;
}

bool may_fit_now(struct planner *p, const struct request *req)
{
    double now = p->how->now;
    struct match_options how = how_long(p, moment(p));

    return match_possible(p->u, req, &how, now, now + how.duration, false)
           <= now;
}

struct selection *find_momentary(struct planner *p, const struct request *req,
                                 enum match_answer *answer, struct diag *d)
{
    struct match_options how = how_long(p, moment(p));
    struct selection *plan = NULL;

    *answer = match_find(p->u, req, &how, &plan, d);
    return plan;
}

/* List the held reservations; with a plan for a job, only those that begin
   before its end and have places on the same targets. In the order of their
   times. Returns their number. */
static size_t list_held(struct planner *p, const struct pending *job,
                        const struct selection *plan, struct pending **list)
{
    struct idset *ranks = plan ? selection_ranks(plan) : NULL;
    double now = p->how->now;
    size_t n = 0;

    for (size_t i = 0; i < p->nreserved; i++) {
        const struct reservation *r = p->reserved[i]->reserved;
        if (r->held
            && (!ranks
                || (r->at < end_of(now, job, now) && r->promise.ranks
                    && idset_overlaps(r->promise.ranks, ranks))))
            list[n++] = p->reserved[i];
    }
    idset_destroy(ranks);
    qsort(list, n, sizeof(*list), planner_compare_times);
    return n;
}

/* Take the places of reservations. Returns a new array of what they were. */
static struct reservation *take_places(struct planner *p, struct pending **list,
                                       size_t n)
{
    struct reservation *old = xcalloc(n + 1, sizeof(*old));

    for (size_t i = 0; i < n; i++) {
        reservation_unhold(p, list[i]);
        old[i] = *list[i]->reserved;
        p->effort -= planner_parts(list[i]);
        list[i]->reserved->plan = NULL;
        list[i]->reserved->promise.ranks = NULL;
    }
    return old;
}

/* Give reservations their old places back, or, if the new ones are good, drop
   these; and hold all. */
static void settle_places(struct planner *p, struct pending **list, size_t n,
                          struct reservation *old, bool good)
{
    for (size_t i = 0; i < n; i++) {
        struct reservation *r = list[i]->reserved;
        if (good) {
            reservation_drop_place(&old[i]);
            planner_freed(p);
            continue;
        }
        reservation_unhold(p, list[i]);
        reservation_drop_place(r);
        r->plan = old[i].plan;
        r->promise.ranks = old[i].promise.ranks;
    }
    for (size_t i = 0; i < n; i++)
        reservation_hold(p, list[i]);
    free(old);
}

/* With a job on its units, find places for reservations. Returns whether all
   have one. */
static bool find_places(struct planner *p, const struct pending *job,
                        const struct selection *plan, struct pending **list,
                        size_t n)
{
    const struct job_name name = job_name(job->id);
    const struct term terms = {.start = p->how->now,
                               .end = planner_end(p, job, p->how->now),
                               .planned = true};
    struct diag d;
    bool good = plan_check(p->u, name.text, plan, &terms, p->how->now,
                           PLAN_CHOSEN, &d)
                == PLAN_GOOD;

    if (!good)
        return false;
    ledger_allocate(p->u, name.text, plan, &terms);
    for (size_t i = 0; i < n && good; i++) {
        reservation_hold(p, list[i]);
        good = list[i]->reserved->held;
    }
    ledger_release(p->u, name.text);
    return good;
}

/* Find units for a job that starts now, outside some ranks (NULL: anywhere): at
   this moment, or beside the reservations that are held. */
static struct selection *find_without(struct planner *p, struct pending *job,
                                      bool few, const struct idset *without,
                                      enum match_answer *answer, struct diag *d)
{
    const struct match_options *how = p->how;
    struct match_options other = *how;
    struct constraint *outside = NULL;
    struct selection *plan;

    if (without) {
        struct idset *left = idset_subtract(usage_rset(p->u)->ranks, without);
        idset_remove_set(left, p->gone);
        other.constraint = outside = constraint_from_ranks(left);
        idset_destroy(left);
    }
    p->how = &other;
    plan = few ? find_momentary(p, job->request->req, answer, d)
               : find_units(p, job, p->how->now, answer, d);
    p->how = how;
    constraint_destroy(outside);
    return plan;
}

/* The ranks of plans that were in vain; and of the first one: one half, those
   that reservations have, too, and the others. */
struct tries {
    struct idset *all, *half, *common, *own;
};

static void add_try(struct tries *tries, const struct selection *plan,
                    struct pending *const *list, size_t n)
{
    struct idset *ranks = selection_ranks(plan);

    idset_add_set(tries->all, ranks);
    if (!tries->own) {
        tries->half = idset_slice(ranks, 0, (idset_count(ranks) + 1) / 2);
        tries->own = idset_copy(ranks);
        for (size_t i = 0; i < n; i++)
            if (list[i]->reserved->promise.ranks)
                idset_remove_set(tries->own, list[i]->reserved->promise.ranks);
        tries->common = idset_subtract(ranks, tries->own);
    }
    idset_destroy(ranks);
}

/* Try once to exchange places; see planner_exchange(). */
static struct selection *exchange_once(struct planner *p, struct pending *job,
                                       bool few, const struct idset *without,
                                       struct tries *tries,
                                       enum match_answer *answer,
                                       struct diag *d)
{
    struct selection *plan = few ? find_without(p, job, few, without, answer, d)
                                 : NULL;
    struct pending **list = xcalloc(p->nreserved + 1, sizeof(*list));
    struct reservation *old;
    bool good = false;
    size_t n;

    reservations_unplace(p);
    n = few && !plan ? 0 : list_held(p, job, plan, list);
    old = take_places(p, list, n);
    if (!few)
        plan = find_without(p, job, few, without, answer, d);
    if (plan)
        good = find_places(p, job, plan, list, n);
    else if (!plan && *answer == MATCH_NOT_NOW && !without)
        planner_note_failure(&planned(job->request)->alone, p->passes, job);
    settle_places(p, list, n, old, good);
    if (plan && !good) {
        add_try(tries, plan, list, n);
        selection_destroy(plan);
        plan = NULL;
        *answer = MATCH_NOT_NOW;
    }
    free(list);
    return plan;
}

struct selection *planner_exchange(struct planner *p, struct pending *job,
                                   bool few, enum match_answer *answer,
                                   struct diag *d)
{
    struct tries tries = {.all = idset_create()};
    struct idset *const *sets[] = {&tries.half, &tries.common, &tries.own,
                                   &tries.all};
    struct selection *plan = exchange_once(p, job, few, NULL, &tries, answer,
                                           d);

    for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]) && !plan && tries.own
                       && p->effort > 0;
         i++)
        if (!idset_empty(*sets[i]))
            plan = exchange_once(p, job, few, *sets[i], &tries, answer, d);
    if (!plan && tries.own)
        *answer = MATCH_NOT_NOW;
    idset_destroy(tries.all);
    idset_destroy(tries.half);
    idset_destroy(tries.common);
    idset_destroy(tries.own);
    return plan;
}

bool planner_may_exchange(struct planner *p, struct pending *job)
{
    const struct request *req = job->request->req;
    double now = p->how->now;
    struct match_options how = how_long(p, lasts(p, job, now));

    return p->effort > 0 && p->nreserved > (job->reserved != NULL)
           && may_fit_now(p, req) && match_enough(p->u, req, &how, now) <= now;
}

bool planner_may_exchange_all(const struct planner *p)
{
    int64_t parts = 0;

    for (size_t i = 0; i < p->nreserved; i++)
        if (p->reserved[i]->reserved->held)
            parts += planner_parts(p->reserved[i]);
    return parts <= p->effort;
}
