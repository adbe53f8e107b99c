/*
 * Answers: the times of the set, an attempt with the free resources, and if it
 * fails an attempt as if all were free, which tells "not now" from "never".
 *
 * And the first moment at which a request matches. More becomes free only when
 * a claim ends. So the moments to try are the start and each end after it.
 * Profiles (model/records/profile.h) show at which of them all nodes together
 * have too little. The others are tried in order; moving the usage from one to
 * the next costs as much as ends and begins in between.
 */
#include "schedule/match_private.h"

#include <math.h>
#include <stdlib.h>

#include "base/saturate.h"
#include "model/records/usage.h"
#include "schedule/plan.h"

/* Return how long a job lasts; 0: for ever. */
static double lasting(const struct request *req,
                      const struct match_options *opts)
{
    return opts->duration == INFINITY ? 0
           : opts->duration > 0       ? opts->duration
                                      : req->duration;
}

static struct period period_from(const struct request *req,
                                 const struct match_options *opts, double from)
{
    double duration = lasting(req, opts);

    return (struct period){
        .now = opts->now,
        .from = from,
        .to = duration > 0 ? from + duration : INFINITY,
    };
}

struct period match_period(const struct request *req,
                           const struct match_options *opts)
{
    return period_from(req, opts,
                       opts->start > opts->now ? opts->start : opts->now);
}

/* Answer from the times of the set alone. */
static enum match_answer check_times(const struct match_context *m)
{
    struct period when = match_period(m->req, m->opts);
    unsigned outside = ledger_outside(usage_rset(m->u), &when);

    return outside & AFTER_SET    ? MATCH_NEVER
           : outside & BEFORE_SET ? MATCH_NOT_NOW
                                  : MATCH_FOUND;
}

/* --- an attempt ----------------------------------------------------------- */

int context_begin(struct match_context *m, struct usage *u,
                  const struct request *req, const struct match_options *opts,
                  struct diag *d)
{
    const struct constraint *list[] = {req->constraint, opts->constraint};

    *m = (struct match_context){.u = u, .req = req, .opts = opts};
    m->policy = opts->policy ? opts->policy : policy_first();
    if (entries_make(&m->entries, u, req, opts, d) < 0)
        return -1;
    entries_rules(m, m->entries.list);

    /* Allow the ranks that satisfy both constraints. */
    for (int i = 0; i < 2; i++) {
        struct idset *ranks, *before = m->constrained;
        if (!list[i])
            continue;
        ranks = constraint_ranks(list[i], usage_rset(u));
        m->constrained = before ? idset_intersect(before, ranks) : ranks;
        if (before) {
            idset_destroy(before);
            idset_destroy(ranks);
        }
    }
    m->allowed = m->constrained;
    return 0;
}

/* Allow the ranks that the constraints allow, except some (NULL: none). */
static void allow_without(struct match_context *m, const struct idset *taken)
{
    const struct idset *all = m->constrained ? m->constrained
                                             : usage_rset(m->u)->ranks;

    if (m->allowed != m->constrained)
        idset_destroy(m->allowed);
    m->allowed = taken ? idset_subtract(all, taken) : m->constrained;
}

void context_end(struct match_context *m)
{
    allow_without(m, NULL);
    idset_destroy(m->constrained);
    selection_destroy(m->sel);
    entries_fini(&m->entries);
}

void context_look_at(struct match_context *m, const struct period *when)
{
    const struct types *t = usage_types(m->u);

    if (entries_greedy(m->entries.list) && entries_in_nodes(t, m->entries.list)
        && !m->entries.linked && !t->marked && !m->opts->slot_parent
        && !m->policy->ranked && !m->policy->next)
        usage_look_at(m->u, when);
    else
        usage_at(m->u, when);
}

/* Set the period of the usage, and leave out what is promised in it. */
static void set_period(struct match_context *m, const struct period *when)
{
    struct idset *taken = usage_taken(m->u, when->from, when->to);

    allow_without(m, taken);
    idset_destroy(taken);
    context_look_at(m, when);
}

/* Take the selection of a successful attempt, unless it has units of a sum. */
static enum match_answer take_found(struct match_context *m,
                                    struct selection **sel, struct diag *d)
{
    if (plan_check_sums(usage_rset(m->u), m->sel, d) < 0)
        return MATCH_ERROR;
    *sel = m->sel;
    m->sel = NULL;
    return MATCH_FOUND;
}

/* Return whether a failed attempt is an answer (MATCH_NEVER) or was given
   up. */
static enum match_answer failed_answer(const struct match_context *m,
                                       struct diag *d)
{
    if (!m->too_long)
        return MATCH_NEVER;
    diag_set(d, "the search took too long: too many entries of the request "
                "compete for the same pools");
    return MATCH_ERROR;
}

/* Are the entries of a list plain units that can't compete? Pools that contain
   others are none: a claim inside makes one unusable, and units don't show it.
 */
static bool is_plain(const struct types *t, const struct entry *list)
{
    for (const struct entry *e = list; e; e = e->next) {
        if (e->with || e->hold != HOLD_UNITS || e->ntype < 0 || e->bytes
            || e->ids || e->linked)
            return false;
        for (int i = 0; i < (int)t->count; i++)
            if (types_below(t, i, e->ntype))
                return false;
        for (const struct entry *f = list; f != e; f = f->next)
            if (f->ntype == e->ntype)
                return false;
    }
    return true;
}

/*
 * Return how often a list of plain units that can't compete fits into every
 * node at least, by the units of each node. 0: not known.
 */
static int64_t fits_each_node(const struct usage *u, int node,
                              const struct entry *list)
{
    int64_t times = INT64_MAX, n;

    if (!is_plain(usage_types(u), list))
        return 0;
    for (const struct entry *e = list; e; e = e->next) {
        n = usage_least_below(u, node, e->ntype) / (int64_t)e->least;
        times = n < times ? n : times;
    }
    return times;
}

/*
 * Return whether there surely are enough nodes, or slots in nodes, by the sizes
 * of the nodes. Most requests are of this kind, and no node has to be looked at
 * for them.
 */
static bool is_surely_ever(const struct match_context *m)
{
    const struct types *t = usage_types(m->u);
    const struct entry *e = m->entries.list, *in = e->with;
    int node = types_node(t);
    int64_t each = 1, nodes;

    if (node < 0 || t->marked || t->nodes_nested || t->huge || e->next
        || m->allowed || m->opts->slot_parent || m->opts->granule_pool || e->ids
        || (e->slot && !e->slot_of_node) || (!e->slot && e->ntype != node))
        return false;
    nodes = usage_total(m->u, usage_top(m->u)->v, node);
    if (e->slot)
        each = fits_each_node(m->u, node, in);
    else if (in && in->slot && !in->next)
        each = fits_each_node(m->u, node, in->with) / (int64_t)in->least;
    else if (in)
        each = fits_each_node(m->u, node, in);
    if (!e->slot && each > 1)
        each = 1;
    return saturate_multiply_units(each, nodes) >= (int64_t)e->least;
}

/* Decide whether the request would match, in the times of the set, if
   everything were up and free. */
static enum match_answer decide_ever(struct match_context *m, struct diag *d)
{
    enum match_answer answer;

    if (check_times(m) == MATCH_NEVER)
        return MATCH_NEVER;
    allow_without(m, NULL);
    if (is_surely_ever(m))
        return MATCH_FOUND;
    m->ignore = IGNORE_USE;
    m->counts = true;
    answer = match_all(m) ? MATCH_FOUND : failed_answer(m, d);
    m->counts = false;
    m->ignore = 0;
    return answer;
}

/* Select resources that are free in the period of the usage. */
static bool match_free(struct match_context *m)
{
    return match_all(m)
           && (!usage_has_parts(m->u)
               || plan_has_enough(m->u, m->sel, usage_period(m->u)));
}

/* --- now, or ever --------------------------------------------------------- */

enum match_answer match_find(struct usage *u, const struct request *req,
                             const struct match_options *opts,
                             struct selection **sel, struct diag *d)
{
    struct period when = match_period(req, opts);
    enum match_answer answer;
    struct match_context m;

    *sel = NULL;
    if (context_begin(&m, u, req, opts, d) < 0)
        return MATCH_ERROR;
    set_period(&m, &when);
    answer = check_times(&m);
    if (answer == MATCH_FOUND && match_free(&m)) {
        answer = take_found(&m, sel, d);
    } else if (answer != MATCH_NEVER) {
        answer = failed_answer(&m, d);
        if (answer != MATCH_ERROR)
            answer = decide_ever(&m, d);
        if (answer == MATCH_FOUND)
            answer = MATCH_NOT_NOW;
    }
    context_end(&m);
    return answer;
}

enum match_answer match_feasible(struct usage *u, const struct request *req,
                                 const struct match_options *opts,
                                 struct diag *d)
{
    enum match_answer answer;
    struct match_context m;

    if (context_begin(&m, u, req, opts, d) < 0)
        return MATCH_ERROR;
    answer = decide_ever(&m, d);
    context_end(&m);
    return answer;
}

/* --- kinds ---------------------------------------------------------------- */

/* Would each of the nodes that are allowed serve a request for nodes? */
static bool fits_all_nodes(const struct match_context *m, const struct entry *e)
{
    struct request_vertex nodes = *e->req;
    struct request req = *m->req;
    struct match_options opts = *m->opts;
    const struct idset *all = m->constrained ? m->constrained
                                             : usage_rset(m->u)->ranks;
    uint64_t n = idset_count(all);
    struct diag d;

    nodes.count = (struct request_count){.range = {n, n, '+', 1}};
    req.resources = &nodes;
    opts.duration = INFINITY;
    return n > 0 && match_feasible(m->u, &req, &opts, &d) == MATCH_FOUND;
}

/* Return how often a list of plain units fits into a whole node, if all nodes
   are equal in this; 0: not known. */
static int64_t fits_a_node(const struct usage *u, int node,
                           const struct entry *list)
{
    const struct types *t = usage_types(u);
    int64_t least = fits_each_node(u, node, list), most = INT64_MAX, n;

    if (t->marked || t->nodes_nested || t->huge)
        return 0;
    for (const struct entry *e = least > 0 ? list : NULL; e; e = e->next) {
        n = types_nesting(t, (unsigned)node, (unsigned)e->ntype)->most
            / (int64_t)e->least;
        most = n < most ? n : most;
    }
    return least == most ? least : 0;
}

/* Does each of a list of plain units have a fixed count? */
static bool is_fixed(const struct types *t, const struct entry *list)
{
    const struct entry *e = list;

    while (e && e->fixed)
        e = e->next;
    return list && !e && is_plain(t, list);
}

int64_t match_kind(struct usage *u, const struct request *req,
                   const struct match_options *opts, struct part_kind *kind,
                   bool *exact)
{
    const struct types *t = usage_types(u);
    int node = types_node(t);
    struct match_context m;
    const struct entry *e, *nodes, *in;
    uint64_t slots = 1;
    int64_t times = 0, each = 0;
    struct diag d;

    *kind = (struct part_kind){0};
    *exact = false;
    if (context_begin(&m, u, req, opts, &d) < 0)
        return 0;
    nodes = e = m.entries.list;
    if (e->slot && e->fixed && e->with && !e->with->next) { /* of nodes? */
        slots = e->least;
        nodes = e->with;
    }
    if (node >= 0 && !e->next && !req->resources->next && nodes->fixed
        && !nodes->ids && !nodes->names && !m.entries.linked
        && !opts->slot_parent && !opts->granule_pool) {
        if (e->slot && e->fixed && e->slot_of_node && is_plain(t, e->with)) {
            each = opts->node_exclusive ? fits_a_node(u, node, e->with) : 1;
            if (each > 0)
                times = (int64_t)((e->least + (uint64_t)each - 1)
                                  / (uint64_t)each);
            if (opts->node_exclusive)
                needs_add(&kind->each, t->count + (unsigned)node, 1);
            else
                kind->each = e->list;
            *exact = opts->node_exclusive || is_fixed(t, e->with);
        } else if (nodes->ntype == node
                   && (nodes->hold == HOLD_WHOLE || opts->node_exclusive)) {
            needs_add(&kind->each, t->count + (unsigned)node, 1);
            *exact = true;
            if (slots <= UINT32_MAX && nodes->least <= UINT32_MAX
                && fits_all_nodes(&m, nodes))
                times = (int64_t)(slots * nodes->least);
        } else if (nodes->ntype == node && nodes->hold == HOLD_SHARED) {
            in = nodes->with;
            if (in && in->slot && in->fixed && !in->next)
                in = in->with;
            *exact = is_fixed(t, in);
            kind->each = nodes->list;
        }
    }
    if ((times > 0 || *exact) && m.constrained)
        kind->in = idset_copy(m.constrained);
    context_end(&m);
    return times;
}

/* --- the first moment ----------------------------------------------------- */

static bool find_at(struct match_context *m, double at)
{
    struct period when = period_from(m->req, m->opts, at);

    set_period(m, &when);
    return context_may_hold(m, usage_top(m->u), m->entries.list)
           && match_free(m);
}

/* Return the time before which match_earliest() has to find one. */
static double limit_of(const struct match_context *m)
{
    return m->opts->before > 0 ? m->opts->before : INFINITY;
}

/* Return whether the request can start at a time, before the limit, and ends
   before the set expires. */
static bool ends_in_time(const struct match_context *m, double at)
{
    struct period when = period_from(m->req, m->opts, at);

    return at < limit_of(m)
           && !(ledger_outside(usage_rset(m->u), &when) & AFTER_SET);
}

/* Find the first end at which the request matches, by bisection. This is
   possible once nothing begins any more: then more and more is free. */
static bool find_by_halves(struct match_context *m, double *at)
{
    double *ends;
    size_t n = usage_ends(m->u, *at, INFINITY, &ends), lo = 0, hi = n, last = n;

    while (hi > 0 && !ends_in_time(m, ends[hi - 1]))
        hi--;
    for (n = hi; lo < hi && !m->too_long;) {
        last = lo + (hi - lo) / 2;
        if (find_at(m, ends[last]))
            hi = last;
        else
            lo = last + 1;
    }
    *at = lo < n ? ends[lo] : INFINITY;
    free(ends);
    return isfinite(*at) && !m->too_long && (last == lo || find_at(m, *at));
}

/* Return the first time from `at` on at which there may be enough for a list,
   `times` times; INFINITY: there is none before `limit`. With `windows`, see
   usage_first_window(). All times for a list of one entry are found by the
   first question; they are kept in `known` (or NULL). */
static double first_start(struct match_context *m, const struct entry *list,
                          int64_t times, double at, double limit, bool windows,
                          struct outlook *known)
{
    double duration = lasting(m->req, m->opts);

    known = list && !list->next ? known : NULL;
    for (const struct entry *e = list; e && isfinite(at); e = e->next) {
        const struct part_kind kind = {.each = e->slot ? e->list : e->needs};
        int64_t n = saturate_multiply_units(times, (int64_t)e->least);
        if (e->bytes || (e->hold == HOLD_SHARED && !e->with)
            || (e->slot_of_node && m->opts->node_exclusive))
            n = 1; /* one may serve all of them */
        if (e->slot && !e->slot_of_node)
            at = first_start(m, e->with, n, at, limit, windows, known);
        else if (windows && known && known->n > 0)
            at = outlook_next(known, n, at);
        else if (windows)
            at = usage_first_window(m->u, &kind.each, n, m->constrained, at,
                                    limit, duration, known);
        else
            at = usage_first_start(m->u, &kind, n, at, limit, duration);
    }
    return at;
}

double match_possible(struct usage *u, const struct request *req,
                      const struct match_options *opts, double from,
                      double limit, bool windows)
{
    struct match_context m;
    struct diag d = {0};

    if (!isfinite(from) || context_begin(&m, u, req, opts, &d) < 0)
        return INFINITY;
    if (entries_in_nodes(usage_types(u), m.entries.list) && !opts->slot_parent)
        from = first_start(&m, m.entries.list, 1, from, limit, windows, NULL);
    if (!ends_in_time(&m, from))
        from = INFINITY;
    context_end(&m);
    return from;
}

double match_enough(struct usage *u, const struct request *req,
                    const struct match_options *opts, double from)
{
    const struct types *t = usage_types(u);
    struct needs all = {.n = 0};
    struct match_context m;
    struct diag d = {0};

    if (!isfinite(from) || context_begin(&m, u, req, opts, &d) < 0)
        return INFINITY;
    if (entries_in_nodes(t, m.entries.list))
        for (const struct entry *e = m.entries.list; e; e = e->next)
            entry_needs(&all, t, e, (int64_t)e->least);
    for (unsigned i = 0; i < all.n && isfinite(from); i++) {
        struct part_kind unit = {.each = {.n = 0}};
        if (all.at[i].row >= t->count)
            continue; /* how much is idle depends on the places */
        needs_add(&unit.each, all.at[i].row, 1);
        from = usage_first_start(u, &unit, all.at[i].least, from, INFINITY,
                                 lasting(req, opts));
    }
    if (!ends_in_time(&m, from))
        from = INFINITY;
    context_end(&m);
    return from;
}

/* The number of moments that are tried one by one. */
enum { MOMENTS_FEW = 4 };

/* Find the first moment from *at on, until the set expires. */
static bool find_from(struct match_context *m, double *at)
{
    const struct entry *list = m->entries.list;
    bool in_nodes = entries_in_nodes(usage_types(m->u), list)
                    && !m->opts->slot_parent;
    double now = m->opts->now, before;
    struct outlook known = {.n = 0};
    bool found = false;

    for (int n = 0; ends_in_time(m, *at); n++) {
        if (*at > now + 1 && in_nodes)
            *at = first_start(m, list, 1, *at, limit_of(m),
                              n > 0 && usage_begins(m->u, *at, INFINITY),
                              &known);
        if (!ends_in_time(m, *at))
            break;
        if (n >= MOMENTS_FEW && *at > now + 1
            && !usage_begins(m->u, *at, INFINITY)) {
            found = find_by_halves(m, at);
            break;
        }
        found = find_at(m, *at);
        if (found || m->too_long)
            break;
        /* A claim that should have ended by now is still held, and nobody knows
           for how long: assume at least a second. */
        before = *at;
        *at = usage_next_end(m->u, before);
        if (before < now + 1 && *at > now + 1
            && usage_next_end(m->u, -1) <= now)
            *at = now + 1;
    }
    outlook_fini(&known);
    return found;
}

enum match_answer match_earliest(struct usage *u, const struct request *req,
                                 const struct match_options *opts,
                                 struct selection **sel, double *at,
                                 struct diag *d)
{
    double start = rset_starttime(usage_rset(u));
    enum match_answer answer;
    struct match_context m;

    *sel = NULL;
    *at = match_period(req, opts).from;
    *at = *at > start ? *at : start;
    if (context_begin(&m, u, req, opts, d) < 0)
        return MATCH_ERROR;
    answer = decide_ever(&m, d);
    if (answer == MATCH_FOUND && find_from(&m, at)) {
        answer = take_found(&m, sel, d);
    } else if (answer == MATCH_FOUND) {
        answer = failed_answer(&m, d);
        answer = answer == MATCH_NEVER ? MATCH_NOT_NOW : answer;
    }
    context_end(&m);
    return answer;
}
