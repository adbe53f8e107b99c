/* Reservations: their kinds, and how they are held (planner_private.h). */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/records/jobs.h"
#include "model/records/types.h"
#include "model/records/usage.h"
#include "schedule/planner_private.h"

/* --- kinds ---------------------------------------------------------------- */

enum { KINDS_MOST = 256 };

/* Return the known kind that is equal to another one, whose set is taken over.
   NULL: there are too many. */
static struct known_kind *find_kind(struct planner *p, struct part_kind *kind)
{
    const struct types *t = usage_types(p->u);
    size_t i = VECTOR_FIND(k, p->nkinds,
                           part_kind_equal(&p->kinds[k]->kind, kind));
    bool whole;

    if (i < p->nkinds || i == KINDS_MOST) {
        idset_destroy(kind->in);
        return i < p->nkinds ? p->kinds[i] : NULL;
    }
    whole = kind->each.at[0].row == t->count + (unsigned)types_node(t);
    VECTOR_GROW(p->kinds, p->nkinds);
    p->kinds[p->nkinds] = xcalloc(1, sizeof(**p->kinds));
    *p->kinds[p->nkinds] = (struct known_kind){
        .kind = *kind, .any_nodes = whole && !kind->in, .units = !whole};
    return p->kinds[p->nkinds++];
}

static void forget_kinds(struct planner *p)
{
    for (size_t i = 0; i < p->nkinds; i++) {
        idset_destroy(p->kinds[i]->kind.in);
        free(p->kinds[i]);
    }
    p->nkinds = p->bounds.n = p->failed.n = 0;
}

struct known_kind *kind_of(struct planner *p, const struct pending *job)
{
    struct planned_request *r = planned(job->request);
    struct known_kind *known;
    struct part_kind kind;
    bool exact;

    if (r->counted == p->generation)
        return r->kind;
    r->counted = p->generation;
    r->times = match_kind(p->u, job->request->req, p->how, &kind, &exact);
    if (kind.in
        && idset_count(kind.in) + idset_count(p->gone)
               == idset_count(usage_rset(p->u)->ranks)) {
        idset_destroy(kind.in);
        kind.in = NULL;
    }
    known = r->times > 0 || exact ? find_kind(p, &kind) : NULL;
    r->names_units = !exact || !known;
    r->each = !r->names_units && known->units ? &known->kind.each : NULL;
    return r->kind = r->times > 0 ? known : NULL;
}

/* Can a kind be counted side by side with those of all reservations: is each
   the same, or in different nodes? */
static bool goes_with_all(const struct planner *p,
                          const struct known_kind *kind)
{
    const struct idset *in = kind->kind.in;

    for (size_t i = 0; i < p->nkinds; i++) {
        const struct known_kind *other = p->kinds[i];
        if (other->used > 0 && other != kind
            && !(in && other->kind.in && !idset_overlaps(in, other->kind.in)))
            return false;
    }
    return true;
}

/* Can reservations take parts of nodes without naming units? In a window of the
   site, or beside reservations that name units, there may be no units that stay
   free, although the numbers suffice. */
static bool can_take_parts(const struct planner *p)
{
    return p->counts && p->nnamed == 0 && p->passes >= p->named_until
           && !p->windows;
}

/* Find out whether all reservations are numbers. In a window of the site less
   is free in a node than before, so numbers are only a bound. */
static bool find_counting(const struct planner *p)
{
    for (size_t i = 0; i < p->nkinds; i++)
        if (p->kinds[i]->used > 0 && !goes_with_all(p, p->kinds[i]))
            return false;
    return p->counts && p->nodd == 0 && !p->windows;
}

static void destroy(struct reservation *r)
{
    reservation_drop_place(r);
    outlook_fini(&r->outlook);
    free(r);
}

void reservations_fini(struct planner *p)
{
    for (size_t i = 0; i < p->nreserved; i++)
        destroy(p->reserved[i]->reserved);
    forget_kinds(p);
    free(p->kinds);
    free(p->reserved);
}

bool reservation_counts(struct planner *p, const struct pending *job)
{
    struct known_kind *kind = p->counts ? kind_of(p, job) : NULL;

    return kind && (p->counting ? goes_with_all(p, kind) : kind->any_nodes);
}

/* --- reservations --------------------------------------------------------- */

void reservation_drop_place(struct reservation *r)
{
    selection_destroy(r->plan);
    r->plan = NULL;
    usage_unplace(&r->promise);
}

void reservation_unhold(struct planner *p, const struct pending *job)
{
    struct reservation *r = job->reserved;

    if (!r || !r->held)
        return;
    r->held = false;
    if (r->claimed)
        ledger_release(p->u, job_name(job->id).text);
    else
        usage_take_back(p->u, &r->promise);
    r->claimed = false;
}

double end_of(double now, const struct pending *job, double from)
{
    const struct reservation *r = job->reserved;

    if (from > now && from <= begin_of(now, now))
        from = r && r->at <= now ? fmax(now, r->latest) : now;
    return job->duration > 0 ? from + job->duration : INFINITY;
}

/* Set the promise of a reservation to its time now. The place stays. */
static void set_promise(struct planner *p, const struct pending *job)
{
    struct reservation *r = job->reserved;
    double now = p->how->now, from = begin_of(now, r->at);

    r->promise = (struct promise){.kind = &planned(job->request)->kind->kind,
                                  .times = planned(job->request)->times,
                                  .from = from,
                                  .to = end_of(now, job, from),
                                  .ranks = r->promise.ranks};
}

/* Hold a reservation by a number that is known to be possible. */
static void hold_number(struct planner *p, const struct pending *job)
{
    set_promise(p, job);
    job->reserved->held = true;
    usage_promise(p->u, &job->reserved->promise);
}

void reservations_unplace(struct planner *p)
{
    for (size_t i = 0; i < p->nreserved && p->placed; i++) {
        struct reservation *r = p->reserved[i]->reserved;
        if (r->claimed) {
            reservation_unhold(p, p->reserved[i]);
            hold_number(p, p->reserved[i]);
        }
        reservation_drop_place(r);
    }
    p->placed = false;
}

/* Claim parts of nodes in place of units, or the other way round, in the order
   of times. */
static void claim_anew(struct planner *p)
{
    struct pending **list = reservations_by(p, planner_compare_times);
    size_t n = 0;

    for (size_t i = 0; i < p->nreserved; i++) {
        const struct reservation *r = list[i]->reserved;
        if (!r->claimed || !r->each)
            continue;
        reservation_unhold(p, list[i]);
        list[n++] = list[i];
    }
    for (size_t i = 0; i < n; i++)
        reservation_hold(p, list[i]);
    free(list);
}

/* After a change of the reservations: if only numbers count now, all become
   numbers; if they don't any more, their places are fixed. */
static void follow_kinds(struct planner *p)
{
    bool before = p->counting, parts = p->in_parts;

    p->in_parts = can_take_parts(p);
    if (p->in_parts != parts)
        claim_anew(p);
    p->counting = find_counting(p);
    if (p->counting == before)
        return;
    p->gained++;
    for (size_t i = 0; i < p->nreserved; i++) {
        struct reservation *r = p->reserved[i]->reserved;
        outlook_fini(&r->outlook);
        r->fixed = !p->counting && !(r->kind && r->kind->any_nodes);
        if (r->held && r->fixed && !r->claimed)
            reservation_unhold(p, p->reserved[i]); /* it had no place */
    }
    p->placed = p->counting;
}

bool reservations_name_units(struct planner *p, const struct pending *job)
{
    bool parts = p->in_parts;

    kind_of(p, job);
    if (!planned(job->request)->names_units)
        return false;
    p->named_until = p->passes + 2;
    follow_kinds(p);
    p->epoch += parts; /* requests that failed in this pass may fit now */
    return parts;
}

void planner_windows(struct planner *p, bool any)
{
    p->windows = any;
    follow_kinds(p);
}

void reservation_forget(struct planner *p, struct pending *job)
{
    size_t i;

    if (!job->reserved)
        return;
    reservation_unhold(p, job);
    planner_freed(p);
    i = VECTOR_FIND(k, p->nreserved, p->reserved[k] == job);
    memmove(&p->reserved[i], &p->reserved[i + 1],
            (--p->nreserved - i) * sizeof(struct pending *));
    job->queue->reserved--;
    job->queue->rule->reserved--;
    p->nodd -= !job->reserved->kind;
    p->nnamed -= job->reserved->names_units;
    if (job->reserved->kind)
        job->reserved->kind->used--;
    follow_kinds(p);
    reservations_unplace(p);
    destroy(job->reserved);
    job->reserved = NULL;
    p->epoch++; /* requests that failed in this pass may fit now */
}

void planner_unhold(struct planner *p)
{
    for (size_t i = 0; i < p->nreserved; i++)
        reservation_unhold(p, p->reserved[i]);
}

void planner_unclaim(struct planner *p)
{
    for (size_t i = 0; i < p->nreserved; i++)
        if (p->reserved[i]->reserved->claimed
            && p->reserved[i]->reserved->at <= p->how->now)
            reservation_unhold(p, p->reserved[i]);
}

void planner_lose_places(struct planner *p)
{
    planner_unhold(p);
    p->gained++;
    for (size_t i = 0; i < p->nreserved; i++) {
        reservation_drop_place(p->reserved[i]->reserved);
        outlook_fini(&p->reserved[i]->reserved->outlook);
    }
    p->placed = false;
    p->displaced = true;
}

/* Note the kind of a new reservation. */
static void count_kind(struct planner *p, struct pending *job)
{
    struct known_kind *kind = kind_of(p, job);

    job->reserved->kind = kind;
    job->reserved->each = planned(job->request)->each;
    job->reserved->names_units = planned(job->request)->names_units;
    p->nodd += !kind;
    p->nnamed += job->reserved->names_units;
    if (kind)
        kind->used++;
}

struct reservation *reservation_add(struct planner *p, struct pending *job)
{
    size_t i = p->nreserved;

    VECTOR_GROW(p->reserved, p->nreserved);
    for (p->nreserved++; i > 0 && pending_before(job, p->reserved[i - 1]); i--)
        p->reserved[i] = p->reserved[i - 1];
    p->reserved[i] = job;
    job->reserved = xcalloc(1, sizeof(*job->reserved));
    job->queue->reserved++;
    job->queue->rule->reserved++;
    count_kind(p, job);
    follow_kinds(p);
    job->reserved->fixed = !reservation_counts(p, job);
    return job->reserved;
}

/* --- the ledger during a pass --------------------------------------------- */

double lasts(const struct planner *p, const struct pending *job, double from)
{
    double end = end_of(p->how->now, job, from), duration = end - from;

    return end == INFINITY         ? 0
           : from + duration > end ? nextafter(duration, 0)
                                   : duration;
}

struct match_options how_long(const struct planner *p, double duration)
{
    struct match_options how = *p->how;

    how.duration = duration > 0 ? duration : INFINITY;
    return how;
}

bool ends_too_late(const struct planner *p, const struct pending *job,
                   double from)
{
    double end = rset_expiration(usage_rset(p->u));

    return end >= 0
           && (from >= end
               || (job->duration > 0 && end_of(p->how->now, job, from) > end));
}

double possible_for(struct planner *p, const struct pending *job, double at,
                    double limit, double duration, bool windows,
                    struct outlook *outlook)
{
    const struct known_kind *kind = kind_of(p, job);
    int64_t times = planned(job->request)->times;
    struct match_options how = how_long(p, duration);

    if (!kind)
        return match_possible(p->u, job->request->req, &how, at, limit,
                              windows);
    return windows
               ? usage_first_window(p->u, &kind->kind.each, times,
                                    kind->kind.in, at, limit, duration, outlook)
               : usage_first_start(p->u, &kind->kind, times, at, limit,
                                   duration);
}

double possible_from(struct planner *p, const struct pending *job, double at,
                     double limit, bool windows)
{
    at = possible_for(p, job, at, limit, lasts(p, job, at), windows, NULL);
    return ends_too_late(p, job, at) ? INFINITY : at;
}

bool possible_at(struct planner *p, const struct pending *job, double at)
{
    return possible_from(p, job, at, nextafter(at, INFINITY), false) <= at;
}

bool needs_window(struct planner *p, const struct pending *job, double at)
{
    return usage_is_late(p->u, at)
           || usage_begins(p->u, at, end_of(p->how->now, job, at));
}

struct selection *find_units(struct planner *p, struct pending *job, double at,
                             enum match_answer *answer, struct diag *d)
{
    struct match_options how = how_long(p, lasts(p, job, at));
    struct selection *plan = NULL;

    how.start = at;
    *answer = MATCH_NOT_NOW;
    if (!ends_too_late(p, job, at)
        && (!possible_at(p, job, at)
            || (needs_window(p, job, at)
                && possible_from(p, job, at, nextafter(at, INFINITY), true)
                       > at)))
        return NULL;
    *answer = match_find(p->u, job->request->req, &how, &plan, d);
    return plan;
}

bool can_start(struct planner *p, struct pending *job)
{
    enum match_answer answer;
    struct diag d = {0};
    struct selection *plan = find_units(p, job, p->how->now, &answer, &d);
    bool can = plan;

    selection_destroy(plan);
    return can;
}

/* Hold a reservation by a promise. */
static void hold_promise(struct planner *p, struct pending *job, double from)
{
    struct promise *promise = &job->reserved->promise;
    bool enough = from >= rset_starttime(usage_rset(p->u))
                  && possible_at(p, job, from);

    set_promise(p, job);
    reservations_unplace(p);
    if (promise->ranks && !(enough && usage_keeps_place(p->u, promise))) {
        usage_unplace(promise);
        planner_freed(p);
    }
    if (enough && !p->counting && !promise->ranks)
        enough = usage_place(p->u, promise);
    if (enough)
        hold_number(p, job);
}

/* Return the terms of the claims of a reservation: of units, or of parts of
   nodes. */
static struct term terms_of(const struct planner *p, const struct pending *job,
                            double from)
{
    return (struct term){.start = from,
                         .end = job->duration > 0
                                    ? end_of(p->how->now, job, from)
                                    : rset_expiration(usage_rset(p->u)),
                         .reserved = from > p->how->now,
                         .planned = true,
                         .each = p->in_parts ? job->reserved->each : NULL};
}

void reservation_claim(struct planner *p, const struct pending *job)
{
    struct reservation *r = job->reserved;
    const struct term terms = terms_of(p, job, begin_of(p->how->now, r->at));

    ledger_allocate(p->u, job_name(job->id).text, r->plan, &terms);
    r->held = r->claimed = true;
}

/* Claim the plan of a reservation; or as many parts of the same nodes. Return
   whether that is possible. */
static bool claim_plan(struct planner *p, const struct pending *job,
                       double from)
{
    const struct term terms = terms_of(p, job, from);
    const struct period when = plan_period(&terms, p->how->now);
    struct reservation *r = job->reserved;
    const struct job_name name = job_name(job->id);
    struct idset *taken = usage_taken(p->u, when.from, when.to);
    bool good = !taken || !idset_overlaps(r->promise.ranks, taken), chosen;
    struct diag d = {0};

    idset_destroy(taken);
    chosen = good && !terms.each
             && plan_check(p->u, name.text, r->plan, &terms, p->how->now,
                           PLAN_CHOSEN, &d)
                    == PLAN_GOOD;
    if (!chosen)
        good = good && r->each && !ledger_outside(usage_rset(p->u), &when)
               && plan_has_enough(p->u, r->plan, &when);
    if (good && !chosen && !terms.each) { /* other units */
        good = ledger_allocate_free(p->u, name.text, r->plan, &terms, r->each,
                                    &when);
        if (good) {
            selection_destroy(r->plan);
            r->plan = ledger_allocated(p->u, name.text, true, 0);
        }
    } else if (good) {
        ledger_allocate(p->u, name.text, r->plan, &terms);
    }
    return good;
}

/* Hold a reservation by claims: of its plan, or of another one. */
static void hold_claims(struct planner *p, struct pending *job, double from)
{
    struct reservation *r = job->reserved;
    enum match_answer answer;
    struct diag d = {0};

    if (r->plan) {
        r->held = r->claimed = claim_plan(p, job, from);
        if (r->held)
            return;
        reservation_drop_place(r);
        planner_freed(p);
    }
    r->plan = find_units(p, job, from, &answer, &d);
    if (!r->plan)
        return;
    r->promise.ranks = selection_ranks(r->plan);
    reservation_claim(p, job);
}

void reservation_hold(struct planner *p, struct pending *job)
{
    struct reservation *r = job->reserved;
    double from = begin_of(p->how->now, r->at);

    if (r->held)
        return;
    if (r->fixed)
        hold_claims(p, job, from);
    else
        hold_promise(p, job, from);
    if (!r->held)
        p->gained++;
}

struct pending **reservations_by(const struct planner *p,
                                 int (*compare)(const void *, const void *))
{
    struct pending **list = xcalloc(p->nreserved + 1, sizeof(*list));

    for (size_t i = 0; i < p->nreserved; i++)
        list[i] = p->reserved[i];
    VECTOR_SORT(list, p->nreserved, compare);
    return list;
}

/* The most other orders in which reservations are held. */
enum { ORDERS_MOST = 8 };

bool reservations_again(struct planner *p, struct pending **list, size_t i,
                        int *tried)
{
    struct pending *lost = list[i];

    if (i == 0 || p->counting || *tried == ORDERS_MOST
        || !planner_may_exchange_all(p))
        return false;
    ++*tried;
    for (size_t k = 0; k < i; k++) {
        reservation_unhold(p, list[k]);
        p->effort -= planner_parts(list[k]);
    }
    memmove(&list[1], &list[0], i * sizeof(*list));
    list[0] = lost;
    return true;
}

/* Hold all reservations, which have no units, in the order of their times: so
   none takes what an earlier one needs; or in another order, if not all find
   units. Return whether all are held. */
static bool hold_by_times(struct planner *p)
{
    struct pending **list = reservations_by(p, planner_compare_times);
    bool all = true;
    int tried = 0;

    for (size_t i = 0; i < p->nreserved && !planner_stopped(p); i++) {
        reservation_hold(p, list[i]);
        if (list[i]->reserved->held)
            continue;
        if (reservations_again(p, list, i, &tried))
            i = SIZE_MAX; /* from the first one on */
        else
            all = false;
    }
    free(list);
    return all;
}

bool reservations_hold(struct planner *p)
{
    bool all = true;

    if (p->displaced && !hold_by_times(p))
        planner_lose_places(p);
    p->displaced = false;
    for (size_t i = 0; i < p->nreserved; i++) {
        if (!planner_stopped(p))
            reservation_hold(p, p->reserved[i]);
        all &= p->reserved[i]->reserved->held;
    }
    return all;
}

/* --- numbers and places --------------------------------------------------- */

void reservations_place(struct planner *p)
{
    struct pending **list = reservations_by(p, planner_compare_times);

    for (size_t i = 0; i < p->nreserved; i++) {
        struct reservation *r = list[i]->reserved;
        if (!r->held)
            continue;
        if (r->kind->any_nodes) {
            usage_place(p->u, &r->promise);
            continue;
        }
        reservation_unhold(p, list[i]);
        hold_claims(p, list[i], begin_of(p->how->now, r->at));
        if (!r->held)
            hold_number(p, list[i]);
    }
    p->placed = true;
    free(list);
}

/* Are the targets the nodes, and does nothing but nodes have a state? */
static bool only_nodes_fail(struct planner *p)
{
    struct lot *top = usage_top(p->u);
    struct rset *rs = usage_rset(p->u);

    for (struct vertex *v = rset_first(rs); v; v = rset_next(rs, v))
        if (vertex_is_target(v) != type_is_node(v->type))
            return false;
    if (!usage_has_states(p->u))
        return true;
    for (struct lot *lot = top; (lot = lot_next(p->u, top, lot, false));)
        if (lot->state != STATE_UP && !type_is_node(lot->v->type))
            return false;
    return true;
}

void reservations_survey(struct planner *p)
{
    bool before = p->counts, all = p->surveyed != p->generation;

    if (all)
        p->countable = only_nodes_fail(p);
    p->surveyed = p->generation;
    p->counts = p->countable && usage_counts_nodes(p->u);
    if (p->counts == before && !all)
        return;
    planner_lose_places(p);
    if (all)
        forget_kinds(p);
    for (size_t i = 0; i < p->nkinds; i++)
        p->kinds[i]->used = 0;
    p->nodd = p->nnamed = 0;
    for (size_t i = 0; i < p->nreserved; i++)
        count_kind(p, p->reserved[i]);
    p->in_parts = can_take_parts(p);
    p->counting = find_counting(p);
    for (size_t i = 0; i < p->nreserved; i++) {
        struct pending *job = p->reserved[i];
        job->reserved->fixed = !reservation_counts(p, job);
    }
}
