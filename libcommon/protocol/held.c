/* Resources that jobs hold: give a job those of an R, free ranks, and raise
   exceptions for targets that are taken away. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "compare/algebra.h"
#include "compare/cover.h"
#include "model/records/jobs.h"
#include "model/records/path.h"
#include "protocol/scheduler_private.h"
#include "schedule/filter.h"
#include "schedule/plan.h"

/* --- who holds ranks ------------------------------------------------------ */

/*
 * Raise an exception with this note on each job that holds anything in a lot,
 * or a part of a pool around the lot. If `note` is NULL raise nothing; return
 * true if there is such a job.
 */
static bool find_holders(struct scheduler *s, struct lot *top, const char *note)
{
    const struct grant *g;

    for (struct lot *lot = top; lot; lot = lot_next_in(s->u, top, lot))
        for (g = lot->grants; g; g = g->beside) {
            if (!note)
                return true;
            raise_job(s, g->term->job->name, "resource-shrink", note);
        }
    for (const struct lot *up = top->parent; up; up = up->parent)
        for (g = up->grants; g; g = g->beside) {
            if (g->term->kind != GRANT_CLAIM)
                continue;
            if (!note)
                return true;
            raise_job(s, g->term->job->name, "resource-shrink", note);
        }
    return false;
}

struct idset *held_unused(struct scheduler *s, const struct idset *ranks)
{
    struct idset *unused = idset_create();
    struct lots lots = {0};

    if (!s->u)
        return unused;
    lots_of_ranks(s->u, ranks, &lots);
    for (size_t i = 0; i < lots.n; i++) {
        struct idrange in = lot_ranks(lots.list[i]);
        if (!find_holders(s, lots.list[i], NULL))
            idset_add(unused, in.lo, in.hi);
    }
    lots_join(s->u, &lots);
    free(lots.list);
    return unused;
}

void held_raise(struct scheduler *s, const struct idset *ranks)
{
    struct lots lots = {0};

    lots_of_ranks(s->u, ranks, &lots);
    for (size_t i = 0; i < lots.n; i++) {
        char *place = lot_place(s->u, lots.list[i], NULL), *note;
        xasprintf(&note, "%s was taken away", place);
        find_holders(s, lots.list[i], note);
        free(note);
        free(place);
    }
    free(lots.list);
}

/* --- giving and freeing --------------------------------------------------- */

/* Return the part of an R on known targets and a note about the others; or NULL
   if all targets are known. */
static struct rset *on_targets(struct scheduler *s, struct rset *R, char **note)
{
    struct idset *missing = R->ranks ? idset_subtract(R->ranks, s->rs->ranks)
                                     : idset_create();
    struct rset *part = NULL;

    if (!idset_empty(missing)) {
        struct hostlist *hosts = R->hosts ? rset_hosts_at(R, missing) : NULL;
        char *ranks = idset_encode(missing),
             *names = hosts ? hostlist_encode(hosts) : NULL;
        xasprintf(note, "targets %s%s%s%s are gone", ranks, names ? " (" : "",
                  names ? names : "", names ? ")" : "");
        hostlist_destroy(hosts);
        free(ranks);
        free(names);
        part = rset_on_ranks(R, s->rs->ranks, true);
    }
    idset_destroy(missing);
    return part;
}

char *held_take(struct scheduler *s, const char *job, struct rset *R,
                struct term *terms)
{
    char *note = NULL;
    struct rset *part = on_targets(s, R, &note), *facts;
    struct selection *sel = NULL;
    struct diag d = {0};

    if (part)
        R = part;
    /* try all of R first, then the part of it that exists */
    if (cover_select(s->rs, R, &sel, &d) != 0) {
        if (!note)
            note = xstrdup(d.text);
        facts = rset_facts(s->rs);
        if (rset_intersect(R, facts, &d) == 0)
            cover_select(s->rs, R, &sel, &d);
        rset_destroy(facts);
    }
    if (sel && sel->picks) {
        plan_take_whole(sel);
        terms->nslots = selection_open_slots(sel);
        if (plan_check(s->u, job, sel, terms, scheduler_now(s),
                       PLAN_CHOSEN | PLAN_ANY_STATE | PLAN_ANY_TIME, &d)
            == PLAN_GOOD)
            ledger_allocate(s->u, job, sel, terms);
        else if (!note)
            note = xstrdup(d.text);
    }
    selection_destroy(sel);
    rset_destroy(part);
    return note;
}

void held_free(struct scheduler *s, const char *job, const struct idset *ranks)
{
    struct diag d = {0};
    struct filter filter = {
        .job = job, .held = true, .targets = constraint_from_ranks(ranks)};
    struct selection *sel = filter_select(s->rs, &filter);

    if (sel->picks && ledger_shrink(s->u, job, sel, &d) == 0)
        scheduler_record(s, "shrink", job, false);
    if (d.text[0])
        scheduler_log(s, LEVEL_WARNING, "sched.free: job %s: %s", job, d.text);
    selection_destroy(sel);
    constraint_destroy(filter.targets);
}

void held_follow_end(struct scheduler *s, double old)
{
    double end = rset_expiration(s->rs), now = scheduler_now(s);
    struct diag d;
    int64_t id;

    for (struct job *job = end == old ? NULL : usage_jobs(s->u); job;
         job = job->next) {
        if (ledger_terms(s->u, job->name).end != old)
            continue;
        if (ledger_extend(s->u, job->name, end, now, &d))
            scheduler_log(
                s, LEVEL_WARNING,
                "job %s: its end can't follow that of the resources: %s",
                job->name, d.text);
        else if (s->kvs && job_is_number(job->name, &id))
            kvs_put_end(s->kvs, id, end);
    }
}
