/* The commands that give resources to jobs. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "cli/answer.h"
#include "beside.h"
#include "cli/cli.h"
#include "cli/request_options.h"
#include "compare/align.h"
#include "compare/cover.h"
#include "model/path.h"

/* --- when --------------------------------------------------------------- */

static double end_of(const struct alloc_call *call, double start)
{
    double duration = call->req ? call->req->duration : 0;

    if (alloc_options.expiration)
        return alloc_time("--expiration", alloc_options.expiration, call->now);
    if (alloc_options.duration)
        duration = alloc_duration("--duration", alloc_options.duration);
    return duration > 0 ? start + duration : TIME_UNSET;
}

static bool times_given(void)
{
    return alloc_options.at || alloc_options.expiration
           || alloc_options.duration;
}

/* No time is recorded unless one was given. */
static void find_times(const struct alloc_call *call, struct terms *terms)
{
    double start = alloc_options.at
                       ? alloc_time("--at", alloc_options.at, call->now)
                       : call->now;

    terms->end = end_of(call, start);
    terms->start = terms->end >= 0 || alloc_options.at ? start : TIME_UNSET;
    if (terms->end >= 0 && terms->end <= start)
        cli_usage("it would end before it starts");
    if (terms->end >= 0 && terms->end <= call->now)
        cli_usage("it would have ended already");
}

/*
 * What a job is given more has the terms of what it has. Otherwise the times
 * are those on the command line, or those of an R, which may well have ended.
 */
static struct terms find_terms(const struct alloc_call *call,
                               const struct rset *part)
{
    bool more = ledger_has(call->rs, call->job), times = times_given();
    struct terms terms;

    ledger_terms(call->rs, call->job, &terms);
    if (alloc_options.owner)
        terms.owner = alloc_name("an owner", alloc_options.owner);
    terms.staged = alloc_options.stage;
    if (more && !times)
        return terms;
    if (part && !times) {
        terms.start = rset_starttime(part);
        terms.end = rset_expiration(part);
    } else {
        find_times(call, &terms);
    }
    terms.reserved = terms.start > call->now;
    if (terms.end < 0 && terms.reserved)
        cli_usage("%s: what starts later needs a --duration or an "
                  "--expiration",
                  alloc_options.at ? "--at" : "--R");
    return terms;
}

static struct period period_of(const struct alloc_call *call,
                               const struct terms *terms)
{
    double from = terms->start > call->now ? terms->start : call->now;

    return (struct period){call->now, from,
                           terms->end >= 0 ? terms->end : INFINITY};
}

/* --- what --------------------------------------------------------------- */

static int select_request(struct alloc_call *call, const struct terms *terms,
                          struct selection **sel)
{
    struct match_options opts = {
        .now = call->now, .start = terms->start, .constraint = call->targets};
    struct period when = period_of(call, terms);
    struct diag d = {0};
    struct matcher *m = matcher_create(call->rs, &d);
    enum match_answer answer;

    cli_request_semantics(&opts);
    call->req->duration = terms->end > when.from ? terms->end - when.from : 0;
    answer = m ? match_find(m, call->req, &opts, sel, &d) : MATCH_ERROR;
    if (answer == MATCH_ERROR)
        alloc_fail(call, &d);
    if (answer != MATCH_FOUND)
        cli_say_no(call->set->name, m, call->req, &opts, answer,
                   alloc_options.explain);
    matcher_destroy(m);
    return cli_answer_status(answer);
}

/* What is named may be more than there is: then waiting does not help. */
static int select_pools(struct alloc_call *call, struct selection **sel)
{
    *sel = alloc_pools(call, "--take", alloc_options.take);
    return *sel ? STATUS_OK : STATUS_NEVER;
}

static int select_R(struct alloc_call *call, struct rset *part,
                    struct selection **sel)
{
    struct diag d = {0};
    int rc = cover_select(call->rs, part, sel, &d);

    if (rc < 0)
        alloc_fail(call, &d);
    if (rc > 0) {
        alloc_no(call, "no match ever: --R: %s", d.text);
        return STATUS_NEVER;
    }
    if (!(*sel)->root && !(*sel)->loose)
        return alloc_no(call, "--R: there is nothing in it");
    return STATUS_OK;
}

/* A pool that has to be taken whole is held whole, whatever is taken of it. */
static void take_whole(struct pick *p)
{
    if (vertex_taken_whole(p->v)) {
        p->exclusive = true;
        p->shared = false;
        p->amount = p->v->size;
        p->whole = p->whole || !p->child;
        return; /* and so is what is in it */
    }
    for (struct pick *c = p->child; c; c = c->next)
        take_whole(c);
}

/* The first that is not up of a pool and, if it is taken whole, all in it. */
static const struct vertex *find_down_in(const struct pick *p)
{
    bool whole = p->exclusive || (!p->child && p->amount >= p->v->size);
    const struct vertex *v = p->v;

    while (v && v->state == STATE_UP)
        v = vertex_next(p->v, v, !whole);
    return v;
}

/* The first pool, from the top, that is not up; NULL: all are. */
static const struct vertex *find_down(const struct pick *list)
{
    const struct vertex *found = NULL;

    for (const struct pick *p = list; p && !found; p = p->next)
        if (!(found = find_down_in(p)))
            found = find_down(p->child);
    return found;
}

static int check_up(const struct alloc_call *call, const struct selection *sel)
{
    const struct vertex *v = find_down(sel->root);
    char *place;

    if (!v && !(v = find_down(sel->loose)))
        return STATUS_OK;
    if (!(place = vertex_place(call->rs, v)))
        alloc_oom();
    alloc_no(call, "no match now: %s is %s", place, pool_state_names[v->state]);
    free(place);
    return STATUS_NO;
}

/* The set itself may begin and end. */
static int check_bounds(const struct alloc_call *call,
                        const struct period *when)
{
    double start = rset_starttime(call->rs), end = rset_expiration(call->rs);

    if (start >= 0 && when->from < start)
        return alloc_no(call, "no match now: the set starts later (%.15g)",
                        start);
    if (end < 0 || (when->from < end && (isinf(when->to) || when->to <= end)))
        return STATUS_OK;
    alloc_no(call,
             "no match ever: the set expires before that is over "
             "(%.15g)",
             end);
    return STATUS_NEVER;
}

/* What was chosen elsewhere: all of it is free, or nothing is taken. */
static int check_free(const struct alloc_call *call, const struct terms *terms,
                      const struct selection *sel)
{
    struct period when = period_of(call, terms);
    int status = check_bounds(call, &when);
    struct diag d = {0};

    if (status == STATUS_OK && ledger_check_free(call->rs, sel, &when, &d))
        return alloc_no(call, "no match now: %s", d.text);
    return status;
}

/* An R says what a job has, whatever has gone down since. */
static int select_chosen(struct alloc_call *call, const struct terms *terms,
                         struct rset *part, struct selection **sel)
{
    int status = part ? select_R(call, part, sel) : select_pools(call, sel);

    if (status != STATUS_OK)
        return status;
    if ((*sel)->root)
        take_whole((*sel)->root);
    for (struct pick *p = (*sel)->loose; p; p = p->next)
        take_whole(p);
    if (!part)
        status = check_up(call, *sel);
    return status == STATUS_OK ? check_free(call, terms, *sel) : status;
}

/* --- the job's R -------------------------------------------------------- */

static void write_R(const struct alloc_call *call)
{
    struct diag d = {0};
    struct rset *R;
    char *text;

    if (!alloc_options.write)
        return;
    R = alloc_job_R(call, false);
    if (!(text = cli_document_text(R, &d)))
        alloc_fail(call, &d);
    beside_write(alloc_options.write, text);
    cli_notes(R);
    free(text);
    rset_destroy(R);
}

/* --- is it the same? ---------------------------------------------------- */

static uint64_t count_units(const struct rset *rs)
{
    uint64_t sum = 0;

    for (const struct vertex *v = rset_first(rs); v; v = rset_next(rs, v)) {
        uint64_t units = (uint64_t)v->size;
        for (const struct vertex *up = v; up; up = up->parent)
            units *= vertex_count(up);
        sum += units;
    }
    return sum;
}

/* Pools with something in them that are held whole. */
static uint64_t count_whole(const struct rset *rs)
{
    uint64_t sum = 0;

    for (const struct vertex *v = rset_first(rs); v; v = rset_next(rs, v))
        if (v->exclusive && v->child)
            sum += vertex_count(v);
    return sum;
}

/* Only what it has matters, not in what state, or who has it. */
static void make_free(struct rset *R)
{
    for (struct vertex *v = rset_first(R); v; v = rset_next(R, v)) {
        v->state = STATE_UP;
        records_destroy(v->records);
        v->records = NULL;
    }
    if (rset_set_times(R, TIME_UNSET, TIME_UNSET) < 0)
        alloc_oom();
}

/* Would the request, asked of what the job has, get all of that? */
static bool same_as(struct alloc_call *call, struct rset *R)
{
    struct match_options opts = {.constraint = call->targets};
    uint64_t units, whole;
    struct selection *sel = NULL;
    struct rset *got = NULL;
    struct diag d = {0};
    enum match_answer answer;
    bool same;

    cli_request_semantics(&opts);
    make_free(R);
    units = count_units(R);
    whole = count_whole(R);
    answer = match_once(R, call->req, &opts, &sel, &d);
    if (answer == MATCH_ERROR
        || (answer == MATCH_FOUND && !(got = rset_extract(R, sel, &d))))
        alloc_fail(call, &d);
    same = got && count_units(got) == units && count_whole(got) == whole;
    rset_destroy(got);
    selection_destroy(sel);
    return same;
}

static int check_same(struct alloc_call *call)
{
    struct rset *R = alloc_job_R(call, false);
    bool same = same_as(call, R);

    rset_destroy(R);
    if (!same)
        return alloc_no(call, "job %s holds something else", call->job);
    cli_warn("%s: job %s holds that already", call->set->name, call->job);
    write_R(call);
    return STATUS_OK;
}

/* --- commands ----------------------------------------------------------- */

/* Who else has claimed all of a pool, whenever? */
static const char *held_whole_by(const struct vertex *v, const char *job)
{
    for (const struct claim *c = v->records ? v->records->claims : NULL; c;
         c = c->next)
        if (c->size >= v->size && strcmp(c->job, job) != 0)
            return c->job;
    return NULL;
}

/* What is shared has no times, and so must never be held whole by others. */
static int check_shared(const struct alloc_call *call)
{
    const char *job = NULL;
    char *place;

    for (const struct vertex *v = rset_first(call->rs), *up; v;
         v = rset_next(call->rs, v)) {
        if (!vertex_shared_by(v, call->job)
            || records_claimed_by(v->records, call->job))
            continue;
        for (up = v; up && !(job = held_whole_by(up, call->job));)
            up = up->parent;
        if (!job)
            continue;
        if (!(place = vertex_place(call->rs, up)))
            alloc_oom();
        alloc_no(call,
                 "no match now: what is shared has no end, and job %s "
                 "has claimed %s",
                 job, place);
        free(place);
        return STATUS_NO;
    }
    return STATUS_OK;
}

/* What can't be recorded would be lost. */
static void check_recorded(const struct alloc_call *call,
                           const struct terms *terms)
{
    struct terms now;

    ledger_terms(call->rs, call->job, &now);
    if (terms->staged && !now.staged)
        cli_die("%s: --stage: all of it is shared, and can't be locked",
                call->set->name);
    if (!rset_has_graph(call->rs)
        && vertex_shared_by(call->rs->root, call->job))
        cli_die("%s: an R without a graph can't say that %s is shared",
                call->set->name, call->rs->root->type);
}

static int give(struct alloc_call *call, const struct terms *terms,
                struct rset *part)
{
    struct selection *sel = NULL;
    int status = call->req ? select_request(call, terms, &sel)
                           : select_chosen(call, terms, part, &sel);

    if (status == STATUS_OK && ledger_allocate(call->rs, sel, terms) < 0)
        alloc_oom();
    selection_destroy(sel);
    if (status == STATUS_OK)
        status = check_shared(call);
    if (status != STATUS_OK)
        return status;
    check_recorded(call, terms);
    write_R(call);
    return STATUS_OK;
}

/* With the R that --R names, if it does. */
static int give_more(struct alloc_call *call)
{
    struct rset *part = alloc_options.R ? alloc_read_R() : NULL;
    struct terms terms = find_terms(call, part);
    int status = give(call, &terms, part);

    rset_destroy(part);
    return status;
}

static void check_given(const struct alloc_call *call, const char *command)
{
    if (!call->req && !alloc_options.R && !alloc_options.take)
        cli_usage("%s: a request is expected: -n, -N, --shape, --jobspec, "
                  "--R or --take",
                  command);
    if (alloc_options.if_same && !call->req)
        cli_usage("--if-same needs a request");
}

/* What is staged, or over, does not get more. */
static int check_growing(const struct alloc_call *call)
{
    struct terms terms;

    ledger_terms(call->rs, call->job, &terms);
    if (terms.staged)
        return alloc_no(call, "job %s is staged", call->job);
    if (terms.end >= 0 && terms.end <= call->now && !times_given())
        return alloc_no(call, "job %s ended at %.15g", call->job, terms.end);
    return STATUS_OK;
}

int alloc_allocate(struct alloc_call *call)
{
    bool has = ledger_has(call->rs, call->job);

    check_given(call, "allocate");
    if (has && alloc_options.if_same)
        return check_same(call);
    if (has && !alloc_options.grow)
        return alloc_no(call, "job %s holds resources already", call->job);
    if (has && check_growing(call) != STATUS_OK)
        return STATUS_NO;
    return give_more(call);
}

int alloc_grow(struct alloc_call *call)
{
    check_given(call, "grow");
    if (!ledger_has(call->rs, call->job))
        return alloc_no(call, "job %s holds nothing", call->job);
    return check_growing(call) == STATUS_OK ? give_more(call) : STATUS_NO;
}

int alloc_commit(struct alloc_call *call)
{
    return ledger_commit(call->rs, call->job)
               ? STATUS_OK
               : alloc_no(call, "nothing is staged for job %s", call->job);
}

int alloc_abort(struct alloc_call *call)
{
    return ledger_abort(call->rs, call->job)
               ? STATUS_OK
               : alloc_no(call, "nothing is staged for job %s", call->job);
}
