/*
 * Searches for each top entry of a request by itself, as many of it as
 * possible: as things are, and then ignoring one obstacle after the other. The
 * differences say how much each obstacle takes away. Also puts this into words.
 */
#include "schedule/explain.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/time.h"
#include "model/records/jobs.h"
#include "model/records/tags.h"
#include "model/records/usage.h"
#include "request/request.h"
#include "schedule/ledger.h"
#include "schedule/match_private.h"
#include "schedule/plan.h"

const char *const obstacle_names[OBSTACLES] = {
    "down", "held", "reserved", "down_and_held", "staged", "excluded"};

static const unsigned obstacle_ignored[OBSTACLES] = {
    [OBSTACLE_DOWN] = IGNORE_STATE,
    [OBSTACLE_HELD] = IGNORE_CLAIMS,
    [OBSTACLE_STAGED] = IGNORE_STAGED,
    [OBSTACLE_CONSTRAINT] = IGNORE_CONSTRAINT,
};

/*
 * Return how many of an entry are available. If that takes too long to find
 * out, half as many are searched for, and so on; need->at_least is set then.
 */
static uint64_t most_of(struct match_context *m, struct entry *e,
                        unsigned ignore, struct need *need)
{
    uint64_t limit = request_count_most(e->req->unit), most;
    bool found;

    m->ignore = ignore;
    do {
        m->too_long = false;
        most = limit;
        found = match_alone(m, e, &most);
        need->at_least = need->at_least || m->too_long;
        limit = (limit < e->least ? limit : e->least) / 2;
    } while (m->too_long && limit > 0);
    return found ? most : 0;
}

/* --- where -------------------------------------------------------------- */

/* Set the hosts of the selected pools, or their ranks. */
static void find_where(const struct match_context *m, struct need *need)
{
    const struct rset *rs = usage_rset(m->u);
    struct idset *ranks = selection_ranks(m->sel);
    char *ids;

    if (!idset_empty(ranks) && rs->hosts) {
        need->where = rset_hosts_text(rs, ranks);
    } else if (!idset_empty(ranks)) {
        ids = idset_encode(ranks);
        xasprintf(&need->where, "rank[%s]", ids);
        free(ids);
    }
    idset_destroy(ranks);
}

/* --- needs -------------------------------------------------------------- */

/* Return how many more than `have` are available with some obstacles
   ignored. */
static uint64_t more_without(struct match_context *m, struct entry *e,
                             uint64_t have, unsigned ignore, struct need *need)
{
    uint64_t most = need->at_least ? 0 : most_of(m, e, ignore, need);

    return most > have ? most - have : 0;
}

/* Find what is down and held too, if not all that exists is explained; and what
   of it claims only reserve, if any begins later. */
static void split_claims(struct match_context *m, struct entry *e,
                         struct need *need)
{
    const struct period when = *usage_period(m->u);
    uint64_t *more = need->more, ahead,
             known = need->have + more[OBSTACLE_DOWN] + more[OBSTACLE_HELD];

    if (need->ever > known)
        more[OBSTACLE_BOTH] = more_without(m, e, known,
                                           IGNORE_STATE | IGNORE_CLAIMS, need);
    if (!more[OBSTACLE_HELD] || !usage_begins(m->u, when.from, when.to))
        return;
    usage_at(m->u, &(struct period){
                       .now = when.now, .from = when.from, .to = when.from});
    ahead = more_without(m, e, need->have, 0, need);
    usage_at(m->u, &when);
    ahead = ahead < more[OBSTACLE_HELD] ? ahead : more[OBSTACLE_HELD];
    more[OBSTACLE_RESERVED] = ahead;
    more[OBSTACLE_HELD] -= ahead;
}

static void measure(struct match_context *m, struct entry *e, struct need *need)
{
    uint64_t unheld, more;

    need->have = most_of(m, e, 0, need);
    if (need->have && !m->counts)
        find_where(m, need);
    for (int i = 0; i < OBSTACLES; i++)
        if (obstacle_ignored[i] && (i != OBSTACLE_CONSTRAINT || m->allowed))
            need->more[i] = more_without(m, e, need->have, obstacle_ignored[i],
                                         need);
    need->ever = most_of(m, e, IGNORE_USE, need);

    /* Staged resources are allocated to their job as well. They count as
       staged, not as held. */
    unheld = need->have + need->more[OBSTACLE_HELD];
    if (need->ever > unheld) {
        more = more_without(m, e, unheld, IGNORE_CLAIMS | IGNORE_STAGED, need);
        if (more > need->more[OBSTACLE_STAGED])
            need->more[OBSTACLE_STAGED] = more;
    }
    split_claims(m, e, need);
}

/*
 * Explain why there is none: find the first entry below it that no pool can
 * serve, and the most of it that some pool can give.
 */
static void find_part(struct match_context *m, struct entry *e,
                      struct entry *list, struct need *need)
{
    bool in_node = e->ntype >= 0
                   && (type_is_node(e->type)
                       || (usage_types(m->u)->flags[e->ntype] & TYPE_IN_NODES));

    for (struct entry *below = list; below; below = below->next) {
        uint64_t most = match_below_best(m, e, below);
        if (most == UINT64_MAX)
            return;
        if (most >= below->least)
            continue;
        if (below->slot && most == 0 && below->with) {
            find_part(m, in_node ? e : below, below->with, need);
            return;
        }
        need->part_most = most;
        need->part_in_node = most == 0 && e->slot_of_node && below->ntype >= 0
                             && !(usage_types(m->u)->flags[below->ntype]
                                  & TYPE_IN_NODES);
        need->part = request_words(below->req, false);
        if (below->ntype < 0 && !below->slot)
            need->absent = below->req->type;
        return;
    }
    if (list && list->next && (!e->slot || e->slot_of_node)) {
        need->place = e->slot ? "node" : e->req->type;
        need->slot_of_node = e->slot;
    }
}

/* Find out what the numbers count, if pools of the type have sizes. */
static void find_unit(const struct match_context *m, const struct entry *e,
                      struct need *need)
{
    const struct rset *rs = usage_rset(m->u);
    struct request_vertex named = *e->req;
    const char *unit = NULL;
    int64_t size = 0;

    if (e->ntype < 0 || !(usage_types(m->u)->flags[e->ntype] & TYPE_POOLED))
        return;
    for (const struct vertex *v = rset_first(rs); v; v = rset_next(rs, v)) {
        const char *its = v->unit ? v->unit : "";
        if (v->type != e->type)
            continue;
        unit = !unit || !strcmp(unit, its) ? its : "";
        size = !size || size == v->size ? v->size : -1;
    }
    if (named.exclusive == YES && need->count == 1)
        need->each = size > 0 ? size : 1;
    else if (!named.unit && unit && *unit)
        named.unit = (char *)unit;
    if (need->each == 1)
        need->unit = named.unit;
    free(need->what);
    need->what = request_words(&named, false);
}

static void explain_entry(struct match_context *m, struct entry *e,
                          enum match_answer answer, enum explain_level level,
                          struct need *need)
{
    bool never = answer == MATCH_NEVER, reasons = level >= EXPLAIN_REASONS;
    unsigned ignore = never ? IGNORE_USE : 0;

    need->count = e->least;
    need->what = request_words(e->req, false);
    need->one = xstrdup(e->req->type);
    need->each = 1;
    if (reasons)
        find_unit(m, e, need);
    if (reasons && !never) {
        measure(m, e, need);
        ignore = need->ever ? 0 : IGNORE_USE;
    } else {
        need->have = need->ever = most_of(m, e, ignore, need);
    }
    if (reasons && need->ever < need->count && m->allowed)
        need->more[OBSTACLE_CONSTRAINT] = more_without(
            m, e, need->ever, IGNORE_USE | IGNORE_CONSTRAINT, need);
    m->ignore = ignore;
    /* if a constraint allows no rank, there is nothing to compare with */
    if (!need->have && !need->at_least
        && !(m->allowed && idset_empty(m->allowed)))
        find_part(m, e, e->with, need);
}

/* Return a text about the first nodes that are not up and that jobs hold, a new
   string; NULL: there are none. */
static char *describe_both(const struct match_context *m,
                           const struct period *when)
{
    enum { SHOWN = 4 };
    const struct rset *rs = usage_rset(m->u);
    struct lot *top = usage_top(m->u), *lot = top;
    char buf[VERTEX_NAME_MAX], *text, *jobs, *state;
    uint64_t n = 0;
    FILE *fp = memory_open(&text, NULL);

    while ((lot = lot_next_in(m->u, top, lot))) {
        const struct lot *out = lot_not_up(lot);
        if (!type_is_node(lot->v->type) || !out
            || (m->allowed && vertex_is_target(lot->v)
                && !idset_contains(m->allowed, lot_ranks(lot).lo)))
            continue;
        if (!(jobs = jobs_in_the_way(m->u, "", &(struct lots){&lot, 1}, when)))
            continue;
        state = vertex_state_text(out->v, out->state);
        if (n < SHOWN)
            fprintf(fp, "%s%s%s is %s and held by %s", n ? ", " : "",
                    vertex_name(rs, lot->v, lot->at, buf),
                    lot->n > 1 ? " and others" : "", state, jobs);
        n += lot->n;
        free(state);
        free(jobs);
    }
    return memory_take(fp, &text, n > 0);
}

void match_explain(struct usage *u, const struct request *req,
                   const struct match_options *opts, enum match_answer answer,
                   enum explain_level level, struct explanation *out)
{
    struct period when = match_period(req, opts);
    unsigned outside = ledger_outside(usage_rset(u), &when);
    struct match_context m;
    struct diag d = {0};

    *out = (struct explanation){.time = rset_expiration(usage_rset(u))};
    if (outside & AFTER_SET) {
        out->times = when.from >= out->time
                         ? "the set has expired"
                         : "the set expires before the duration is over";
    } else if (outside & BEFORE_SET) {
        out->times = "the set starts later";
        out->time = rset_starttime(usage_rset(u));
        out->later = true;
    }

    context_begin(&m, u, req, opts, &d); /* as for the answer */
    if (answer == MATCH_NOT_NOW && level == EXPLAIN_COUNTS)
        context_look_at(&m, &when);
    else
        usage_at(u, &when);
    m.hurry = true;
    m.counts = level < EXPLAIN_ALL;
    out->each_alone = true;
    for (struct entry *e = m.entries.list; e; e = e->next) {
        struct need need = {0};
        explain_entry(&m, e, answer, level, &need);
        VECTOR_ADD(out->needs, out->n, need);
        out->each_alone = out->each_alone && need.have >= need.count;
    }
    for (size_t i = 0; i < out->n && level == EXPLAIN_ALL && !out->both; i++)
        if (out->needs[i].more[OBSTACLE_BOTH])
            out->both = describe_both(&m, &when);
    context_end(&m);
}

void explanation_fini(struct explanation *ex)
{
    for (size_t i = 0; i < ex->n; i++) {
        free(ex->needs[i].what);
        free(ex->needs[i].one);
        free(ex->needs[i].where);
        free(ex->needs[i].part);
    }
    free(ex->needs);
    free(ex->both);
    *ex = (struct explanation){0};
}

/* --- in words ------------------------------------------------------------- */

/*
 * Report the part that one of the needed entries lacks: more of it than there
 * is in any place where it has to fit.
 */
static void report_part(FILE *fp, const struct need *need, bool never)
{
    fprintf(fp, " (%s needs %s, ", need->count == 1 ? "it" : "each",
            need->part);
    if (need->part_in_node)
        fputs("and none is in a node", fp);
    else if (need->part_most == 0)
        fputs("and none is there", fp);
    else
        fprintf(fp, "at most %llu %s in one place",
                (unsigned long long)need->part_most,
                need->part_most == 1 ? (never ? "is" : "is free")
                                     : (never ? "are" : "are free"));
}

/* Write a number of what an entry counts: "72", "20480 GiB". */
static void put_amount(FILE *fp, const struct need *need, uint64_t n)
{
    fprintf(fp, "%llu%s%s", (unsigned long long)n / (uint64_t)need->each,
            need->unit ? " " : "", need->unit ? need->unit : "");
}

/*
 * Report how much of an entry there is, and how much each obstacle takes away:
 * "2 available on n[1-2] (1 down, 3 allocated)". From the number that ever
 * exist, only a constraint takes something away, whose source is `excluder`.
 * With `unknown`, the caller names a type that the set does not have.
 */
static void report_need(FILE *fp, const struct need *need, const char *excluder,
                        enum match_answer answer, bool unknown)
{
    static const char *const words[OBSTACLES] = {"down",     "allocated",
                                                 "reserved", "down and held",
                                                 "staged",   "excluded by "};
    bool never = answer == MATCH_NEVER;
    uint64_t n = never ? need->ever : need->have;
    uint64_t rest = need->ever - n;
    const char *least = need->at_least ? "at least " : "", *sep = " (";

    fprintf(fp, "need %s: ", need->what);
    if (n == 0 && need->at_least)
        fputs("how many there are takes too long to find out", fp);
    else if (n == 0 && need->absent && !unknown)
        fprintf(fp, "this set has no %s", need->absent);
    else if (n == 0)
        fputs(never ? "there is none" : "none available", fp);
    else if (never)
        fprintf(fp, "there %s %s", n == 1 ? "is" : "are", least);
    else
        fputs(least, fp);
    if (n > 0)
        put_amount(fp, need, n);
    if (n > 0 && !never)
        fputs(" available", fp);
    if (need->where && n == need->have)
        fprintf(fp, " on %s", need->where);
    if (n == 0 && !need->at_least && need->part && !need->absent
        && (never || need->part_most > 0 || need->part_in_node)) {
        report_part(fp, need, never);
        sep = "; ";
    } else if (n == 0 && !need->at_least && need->place) {
        fprintf(fp, " (%sno %s has all of this%s",
                need->slot_of_node ? "a slot lies in one node, and " : "",
                need->place, never ? "" : " free");
        sep = "; ";
    }
    for (int i = 0; i < OBSTACLES; i++) {
        if (!need->more[i] || (never && i != OBSTACLE_CONSTRAINT))
            continue;
        fputs(sep, fp);
        put_amount(fp, need, need->more[i]);
        fprintf(fp, " %s%s", words[i],
                i == OBSTACLE_CONSTRAINT ? excluder : "");
        sep = ", ";
        if (i != OBSTACLE_CONSTRAINT)
            rest = need->more[i] < rest ? rest - need->more[i] : 0;
    }
    if (rest > 0 && !need->at_least && !never && need->have < need->ever) {
        fputs(sep, fp);
        put_amount(fp, need, rest);
        fputs(" for several reasons", fp);
        sep = ", ";
    }
    if (*sep != ' ' || sep[1] != '(')
        fputc(')', fp);
}

/* Does a reservation hold any of these ranks? */
static bool is_on(struct usage *u, const struct job *job,
                  const struct idset *ranks)
{
    struct selection *sel = ledger_allocated(u, job->name, true, 0);
    struct idset *held = selection_ranks(sel);
    bool is = idset_overlaps(held, ranks);

    idset_destroy(held);
    selection_destroy(sel);
    return is;
}

enum { WINDOWS_SHOWN = 4 };

/* List the jobs that have claims on some ranks that begin within a period, or,
   with `now`, that go on at its begin; with `site` only the site's. Returns a
   new string; NULL: there are none. */
static char *list_windows(struct usage *u, const struct idset *ranks,
                          const struct period *when, bool now, bool site)
{
    size_t n = 0;
    int64_t id;
    char *text;
    FILE *fp = memory_open(&text, NULL);

    for (struct job *job = usage_jobs(u); job; job = job->next) {
        struct term terms = ledger_terms(u, job->name);
        bool in = now ? terms.start <= when->from
                            && (terms.end < 0 || terms.end > when->from)
                      : terms.start > when->from && terms.start < when->to;
        double at = now ? terms.end : terms.start;

        if (!in || (site && job_is_number(job->name, &id))
            || !is_on(u, job, ranks) || n++ >= WINDOWS_SHOWN)
            continue;
        fprintf(fp, "%s%s", n > 1 ? ", " : "", job->name);
        if (at >= 0)
            fprintf(fp, " %s %s", now ? "until" : "from", time_utc(at).text);
    }
    if (n > WINDOWS_SHOWN)
        fprintf(fp, " and %zu more", n - WINDOWS_SHOWN);
    return memory_take(fp, &text, n > 0);
}

char *match_windows(struct usage *u, const struct request *req,
                    const struct match_options *opts, bool site)
{
    const struct period when = match_period(req, opts);
    struct match_options brief = *opts;
    struct selection *plan = NULL;
    struct diag unused = {0};
    struct idset *ranks;
    char *text;

    brief.duration = 1e-3; /* would it fit for a moment? */
    if (!usage_begins(u, when.from, when.to)
        || match_find(u, req, &brief, &plan, &unused) != MATCH_FOUND)
        return NULL;
    ranks = selection_ranks(plan);
    text = list_windows(u, ranks, &when, false, site);
    selection_destroy(plan);
    idset_destroy(ranks);
    return text;
}

char *match_windows_now(struct usage *u, const struct request *req,
                        const struct match_options *opts)
{
    const struct period when = match_period(req, opts);
    struct idset *ranks = req->constraint
                              ? constraint_ranks(req->constraint, usage_rset(u))
                              : idset_copy(usage_rset(u)->ranks);
    char *text = list_windows(u, ranks, &when, true, true);

    idset_destroy(ranks);
    return text;
}

double match_first_moment(struct usage *u, const struct request *req,
                          const struct match_options *opts,
                          enum match_answer answer)
{
    struct selection *sel = NULL;
    struct diag unknown = {0};
    double at;

    if (answer != MATCH_NOT_NOW
        || match_earliest(u, req, opts, &sel, &at, &unknown) != MATCH_FOUND)
        return -1;
    selection_destroy(sel);
    return at;
}

char *match_explain_text(struct usage *u, const struct request *req,
                         const struct match_options *opts,
                         enum match_answer answer, enum explain_level level)
{
    double at = level == EXPLAIN_ALL ? match_first_moment(u, req, opts, answer)
                                     : -1;
    bool never = answer == MATCH_NEVER, times;
    struct explanation ex;
    const char *sep = "", *excluder = opts->constraint_option;
    char *text, *unknown, *windows;
    FILE *fp;

    match_explain(u, req, opts, answer, level, &ex);
    times = ex.times && !(ex.later && never);
    if (!(unknown = constraint_unknown(opts->constraint, usage_rset(u))))
        unknown = request_unknown(req, usage_rset(u));
    if (!opts->constraint)
        excluder = "the jobspec";
    else if (req->constraint || !excluder)
        excluder = "constraints";
    fp = memory_open(&text, NULL);
    if (times)
        fprintf(fp, "%s (%s)", ex.times, time_utc(ex.time).text);
    for (size_t i = 0; i < ex.n && !times; i++) {
        const struct need *need = &ex.needs[i];
        if ((never ? need->ever : need->have) >= need->count)
            continue; /* there is enough of it */
        fputs(sep, fp);
        report_need(fp, need, excluder, answer, unknown != NULL);
        sep = "; ";
    }
    if (!times && !*sep)
        fputs("each part is available, but not all parts together", fp);
    if (level == EXPLAIN_ALL && answer == MATCH_NOT_NOW
        && (windows = match_windows(u, req, opts, false))) {
        fprintf(fp, "; reserved: %s", windows);
        free(windows);
    }
    if (at >= 0)
        fprintf(fp, "; it fits at %s", time_utc(at).text);
    if (ex.both)
        fprintf(fp, "; %s", ex.both);
    if (unknown)
        fputs(unknown, fp);
    free(unknown);
    memory_close(fp);
    explanation_fini(&ex);
    return text;
}
