/* Resources that jobs hold: give a job those of an R, free ranks, and raise
   exceptions for targets that are taken away. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/time.h"
#include "compare/job_R.h"
#include "model/records/jobs.h"
#include "model/records/path.h"
#include "model/records/usage.h"
#include "protocol/scheduler_private.h"
#include "schedule/filter.h"

/* --- who holds ranks ------------------------------------------------------ */

/*
 * Raise an exception with this note on each job that holds anything in a lot,
 * or a part of a pool around the lot. If `note` is NULL raise nothing; return
 * true if there is such a job.
 */
static bool find_holders(struct scheduler *s, struct lot *top, const char *note)
{
    const struct grant *g;

    for (struct lot *lot = top; lot; lot = lot_next_recorded(s->u, top, lot))
        for (g = lot->grants; g; g = g->beside) {
            if (site_owns(g->term->job->name))
                continue;
            if (!note)
                return true;
            raise_job(s, g->term->job->name, "resource-shrink", note);
        }
    for (const struct lot *up = top->parent; up; up = up->parent)
        for (g = up->grants; g; g = g->beside) {
            if (g->term->kind != GRANT_CLAIM || site_owns(g->term->job->name))
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
        char *place = lot_place(s->u, lots.list[i]), *note;
        xasprintf(&note, "%s was taken away", place);
        find_holders(s, lots.list[i], note);
        free(note);
        free(place);
    }
    lots_join(s->u, &lots);
    free(lots.list);
}

/* --- giving and freeing --------------------------------------------------- */

/*
 * A job that did not get all of its R: another job holds a part, or it is not
 * in the set. When a job is freed or the set grows, it gets what it lacks
 * before anybody else can.
 */
struct owed {
    struct owed *next;
    char *job, *note; /* what it lacks first */
    struct rset *R;
    struct term terms; /* with its own texts */
};

/* A job has begun, even if the clock has gone back since then. A reservation of
   the site that has begun is laid beside jobs that ended before it and have not
   been freed. */
static char *hold_R(struct scheduler *s, const char *job, struct rset *R,
                    struct term *terms)
{
    double end = terms->end, now = scheduler_now(s);
    char *note;

    if (site_owns(job))
        now = fmin(now, nextafter(terms->start, 0));
    else if (!terms->reserved)
        terms->start = fmin(terms->start, now);
    note = job_R_hold(s->u, job, R, terms, now);
    if (terms->end != end)
        scheduler_log(s, LEVEL_WARNING,
                      "job %s: a reservation of its resources begins at %s, "
                      "before it ends",
                      job, time_utc(terms->end).text);
    return note;
}

/* Return the link to what a job is owed, or the link at the end. */
static struct owed **find_owed(struct scheduler *s, const char *job)
{
    struct owed **link = &s->owed;

    while (*link && strcmp((*link)->job, job) != 0)
        link = &(*link)->next;
    return link;
}

static void owe(struct scheduler *s, const char *job, struct rset *R,
                const struct term *terms, char *note)
{
    struct owed *o = xcalloc(1, sizeof(*o));

    *find_owed(s, job) = o;
    *o = (struct owed){
        .job = xstrdup(job),
        .note = note,
        .R = R,
        .terms = {.owner = terms->owner ? xstrdup(terms->owner) : NULL,
                  .queue = terms->queue ? xstrdup(terms->queue) : NULL,
                  .start = terms->start,
                  .end = terms->end,
                  .reserved = terms->reserved}};
}

const char *held_take(struct scheduler *s, const char *job, struct rset *R,
                      struct term *terms, char **gone)
{
    char *note;

    held_forget(s, job, NULL);
    *gone = job_R_gone(s->rs, R);
    note = hold_R(s, job, R, terms);
    if (note || *gone)
        owe(s, job, R, terms, note);
    else
        rset_destroy(R);
    return note ? note : *gone;
}

void held_keep(struct scheduler *s, const char *job)
{
    struct term terms = ledger_terms(s->u, job);

    if (!*find_owed(s, job))
        owe(s, job, ledger_R(s->u, job, false, 0, NULL), &terms, NULL);
}

struct rset *held_R(struct scheduler *s, const char *job, struct term *terms)
{
    const struct owed *o = *find_owed(s, job);

    *terms = o ? o->terms : ledger_terms(s->u, job);
    return o ? rset_duplicate(o->R) : ledger_R(s->u, job, false, 0, NULL);
}

void held_begin(struct scheduler *s, const char *job)
{
    struct term terms = ledger_terms(s->u, job);
    struct rset *R;
    char *gone;

    if (terms.start <= scheduler_now(s) || terms.reserved)
        return;
    R = ledger_R(s->u, job, false, 0, NULL);
    ledger_release(s->u, job);
    terms.start = scheduler_now(s);
    held_take(s, job, R, &terms, &gone);
    scheduler_record(s, "allocate", job, NULL, false);
    free(gone);
}

static void unlink_owed(struct owed **link)
{
    struct owed *o = *link;

    *link = o->next;
    rset_destroy(o->R);
    free(o->job);
    free((char *)o->terms.owner);
    free((char *)o->terms.queue);
    free(o->note);
    free(o);
}

bool held_forget(struct scheduler *s, const char *job,
                 const struct idset *ranks)
{
    struct owed **link = job ? find_owed(s, job) : &s->owed, *o = *link;
    struct diag d = {0};

    if (o && ranks && (o->R = job_R_without(o->R, ranks, s->rs, &d)))
        return true;
    if (o)
        unlink_owed(link);
    return o;
}

void held_release(struct scheduler *s, const char *job, const char *command)
{
    held_forget(s, job, NULL);
    ledger_release(s->u, job);
    scheduler_record(s, command, job, NULL, false);
}

void held_raise_lacking(struct scheduler *s)
{
    for (struct owed *o = s->owed; o; o = o->next)
        if (o->note)
            raise_job(s, o->job, "scheduler-restart", o->note);
}

size_t held_jobs(const struct scheduler *s)
{
    size_t n = 0;

    for (const struct job *job = s->u ? usage_jobs(s->u) : NULL; job;
         job = job->next)
        n += !site_owns(job->name);
    return n;
}

bool held_any(struct scheduler *s, const char *job)
{
    return *find_owed(s, job) || (s->u && job_find(s->u, job));
}

void held_retry(struct scheduler *s)
{
    struct owed **link = &s->owed, *o;

    while ((o = *link)) {
        struct term terms = o->terms;
        int64_t before = usage_seq(s->u);
        char *note;

        if (job_find(s->u, o->job))
            terms = ledger_terms(s->u, o->job);
        note = hold_R(s, o->job, o->R, &terms);
        if (usage_seq(s->u) != before)
            scheduler_record(s, site_owns(o->job) ? "reserve" : "allocate",
                             o->job, NULL, false);
        free(o->note);
        o->note = note;
        if (note)
            link = &o->next;
        else
            unlink_owed(link);
    }
}

void held_free(struct scheduler *s, const char *job, const struct idset *ranks)
{
    struct diag d = {0};
    struct filter filter = {
        .job = job, .held = true, .targets = constraint_from_ranks(ranks)};
    struct selection *sel = filter_select(s->rs, &filter);

    held_forget(s, job, ranks);
    if (sel->picks && ledger_shrink(s->u, job, sel, &d) == 0)
        scheduler_record(s, "shrink", job, NULL, false);
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
