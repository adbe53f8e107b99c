/*
 * Answering: what the set's times say, an attempt with what is free, and if
 * that fails one as if all were, which tells 'not now' from 'never'.
 */
#include "schedule/match_private.h"
#include "schedule/plan.h"

#include <math.h>

#include "base/saturate.h"

struct period match_period(const struct request *req,
                           const struct match_options *opts)
{
    double from = opts->start > opts->now ? opts->start : opts->now;

    return (struct period){
        .now = opts->now,
        .from = from,
        .to = req->duration > 0 ? from + req->duration : INFINITY,
    };
}

static enum match_answer check_times(const struct rset *rs,
                                     const struct request *req,
                                     const struct match_options *opts)
{
    double start = rset_starttime(rs), end = rset_expiration(rs);
    struct period when = match_period(req, opts);

    if (end >= 0 && (when.from >= end || when.from + req->duration > end))
        return MATCH_NEVER;
    return start >= 0 && when.from < start ? MATCH_NOT_NOW : MATCH_FOUND;
}

static void attempt_end(struct attempt *a)
{
    idset_destroy(a->allowed);
    selection_destroy(a->sel);
    a->allowed = NULL;
    a->sel = NULL;
}

/* What may be used by the request's own constraint and the one beside it. */
static int find_allowed(struct attempt *a, const struct request *req,
                        struct diag *d)
{
    struct idset *ranks = NULL, *more = NULL;
    int rc = 0;

    if (req->constraint)
        rc = constraint_ranks(req->constraint, a->u->rs, &ranks, d);
    if (rc == 0 && a->opts->constraint)
        rc = constraint_ranks(a->opts->constraint, a->u->rs, &more, d);
    if (ranks && more) {
        a->allowed = idset_intersect(ranks, more);
        idset_destroy(ranks);
        idset_destroy(more);
    } else {
        a->allowed = ranks ? ranks : more;
    }
    if (rc < 0)
        attempt_end(a);
    return rc;
}

enum match_answer attempt_trouble(const struct attempt *a, struct diag *d)
{
    if (!a->too_long)
        return MATCH_NEVER;
    diag_set(d, "the search took too long: too many entries of the request "
                "compete for the same pools");
    return MATCH_ERROR;
}

/*
 * How often a list of plain units, that can't be in each other's way, fits into
 * any node at least, by what each node has; 0: that does not tell.
 */
static int64_t fits_each_node(const struct types *t, const struct usage *u,
                              int node, const struct entry *list)
{
    int64_t times = INT64_MAX;

    for (const struct entry *e = list; e; e = e->next) {
        if (e->with || e->hold != HOLD_UNITS || e->ntype < 0 || e->bytes
            || e->ids || e->linked)
            return 0;
        for (const struct entry *f = list; f != e; f = f->next)
            if (f->ntype == e->ntype || types_below(t, f->ntype, e->ntype)
                || types_below(t, e->ntype, f->ntype))
                return 0;
        if (times > usage_least_below(u, node, e->ntype) / (int64_t)e->least)
            times = usage_least_below(u, node, e->ntype) / (int64_t)e->least;
    }
    return times;
}

/* The only type of nodes, if none lie in each other and no pool is marked; -1.
 */
static int only_node_type(const struct types *t)
{
    int node = -1;

    for (unsigned i = 0; i < t->count; i++) {
        if (type_is_node(t->names[i]) && node >= 0)
            return -1;
        node = type_is_node(t->names[i]) ? (int)i : node;
    }
    return t->marked || t->nodes_nested || t->huge ? -1 : node;
}

/*
 * Is there enough of nodes, or of slots in nodes, that all are large enough?
 * That is what most ask for, and no node has to be looked at for it.
 */
static bool is_surely_ever(const struct attempt *a)
{
    const struct types *t = &a->u->types;
    const struct entry *e = a->entries->list, *in = e->with;
    int node = only_node_type(t);
    int64_t each = 1, nodes;

    if (node < 0 || e->next || a->allowed || a->opts->slot_parent
        || a->opts->granule_pool || e->ids || (e->slot && !e->slot_of_node)
        || (!e->slot && e->ntype != node))
        return false;
    nodes = usage_total(a->u, a->u->top.v, node);
    if (e->slot)
        each = fits_each_node(t, a->u, node, in);
    else if (in && in->slot && !in->next)
        each = fits_each_node(t, a->u, node, in->with) / (int64_t)in->least;
    else if (in)
        each = fits_each_node(t, a->u, node, in);
    if (!e->slot && each > 1)
        each = 1;
    return saturate_multiply_units(each, nodes) >= (int64_t)e->least;
}

/* Would it match if all were up and free? */
static enum match_answer decide_ever(struct attempt *a, struct diag *d)
{
    enum match_answer answer;

    if (is_surely_ever(a))
        return MATCH_FOUND;
    a->ignore = IGNORE_USE;
    a->counts = true;
    answer = attempt_all(a) ? MATCH_FOUND : attempt_trouble(a, d);
    a->counts = false;
    a->ignore = 0;
    return answer;
}

enum match_answer attempt_ever(struct attempt *a, const struct request *req,
                               struct diag *d)
{
    return check_times(a->u->rs, req, a->opts) == MATCH_NEVER
               ? MATCH_NEVER
               : decide_ever(a, d);
}

enum match_answer attempt_found(struct attempt *a, struct selection **sel,
                                struct diag *d)
{
    if (plan_check_sums(a->u->rs, a->sel, d) < 0)
        return MATCH_ERROR;
    *sel = a->sel;
    a->sel = NULL;
    return MATCH_FOUND;
}

static enum match_answer decide(struct attempt *a, enum match_answer times,
                                struct selection **sel, struct diag *d)
{
    enum match_answer answer;

    if (times == MATCH_FOUND && attempt_all(a))
        return attempt_found(a, sel, d);
    if ((answer = attempt_trouble(a, d)) == MATCH_ERROR)
        return answer;
    answer = decide_ever(a, d);
    return answer == MATCH_FOUND ? MATCH_NOT_NOW : answer;
}

/* Is it enough to know of those nodes to which the search comes? */
static bool looks_at_nodes(const struct attempt *a)
{
    const struct types *t = &a->u->types;

    return entries_greedy(a->entries->list)
           && entries_in_nodes(t, a->entries->list) && !a->entries->linked
           && !t->marked && !a->opts->slot_parent && !a->policy->ranked
           && !a->policy->next;
}

void attempt_at(struct attempt *a, const struct period *when)
{
    if (looks_at_nodes(a))
        usage_look_at(a->u, when);
    else
        usage_at(a->u, when);
}

int attempt_prepare(struct attempt *a, struct entries *entries,
                    const struct request *req, struct diag *d)
{
    a->policy = a->opts->policy ? a->opts->policy : policy_first();
    if (entries_make(entries, a->u, req, a->opts, d) < 0)
        return -1;
    a->entries = entries;
    entries_rules(a, entries->list);
    if (find_allowed(a, req, d) == 0)
        return 0;
    entries_fini(entries);
    return -1;
}

void attempt_finish(struct attempt *a, struct entries *entries)
{
    attempt_end(a);
    entries_fini(entries);
}

enum match_answer match_find(struct usage *u, const struct request *req,
                             const struct match_options *opts,
                             struct selection **sel, struct diag *d)
{
    struct attempt a = {.u = u, .opts = opts};
    struct period when = match_period(req, opts);
    enum match_answer answer = check_times(u->rs, req, opts);
    struct entries entries;

    *sel = NULL;
    if (attempt_prepare(&a, &entries, req, d) < 0)
        return MATCH_ERROR;
    attempt_at(&a, &when);
    if (answer != MATCH_NEVER)
        answer = decide(&a, answer, sel, d);
    attempt_finish(&a, &entries);
    return answer;
}

enum match_answer match_feasible(struct usage *u, const struct request *req,
                                 const struct match_options *opts,
                                 struct diag *d)
{
    struct attempt a = {.u = u, .opts = opts};
    enum match_answer answer;
    struct entries entries;

    if (attempt_prepare(&a, &entries, req, d) < 0)
        return MATCH_ERROR;
    answer = attempt_ever(&a, req, d);
    attempt_finish(&a, &entries);
    return answer;
}

enum match_answer match_once(struct rset *rs, const struct request *req,
                             const struct match_options *opts,
                             struct selection **sel, struct diag *d)
{
    struct usage *u = usage_begin(rs);
    enum match_answer answer = match_find(u, req, opts, sel, d);

    return answer;
}
