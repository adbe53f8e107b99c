/*
 * What time does to the ledger: what has ended goes when it is told to, and
 * an end can be put off as long as nobody else is promised what it frees.
 */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/time.h"
#include "model/records/jobs.h"
#include "schedule/ledger.h"

/* --- what has ended ----------------------------------------------------- */

static bool has_ended(const struct term *t, double now)
{
    return t->end >= 0 && t->end <= now;
}

static int compare_names(const void *a, const void *b)
{
    const struct job *const *ja = a, *const *jb = b;

    return job_compare((*ja)->name, (*jb)->name);
}

/* Has the job the lot with all in it, or what it lies in, whole? */
static bool has_whole(const struct job *job, const struct lot *lot)
{
    for (lot = lot->v->child ? lot : lot->parent; lot->parent;
         lot = lot->parent)
        if (lot_claimed_by(lot, job) >= lot->v->size)
            return true;
    return false;
}

/* Of a job that goes on: what has ended, and what meant something with it. */
static void drop_ended(struct usage *u, struct job *job, double now)
{
    for (struct grant *g = job->grants, *next; g; g = next) {
        next = g->next;
        if (g->term->kind == GRANT_CLAIM && has_ended(g->term, now))
            grant_destroy(u, g);
    }
    for (struct grant *g = job->grants, *next; g; g = next) {
        struct lot *lot = g->lot;
        next = g->next;
        if ((g->term->kind == GRANT_LISTED && !has_whole(job, lot))
            || (g->term->kind == GRANT_STAGED && !lot_claimed_by(lot, job)))
            grant_destroy(u, g);
    }
}

/* The latest end of what has ended; false: nothing has. *all: all has. */
static bool find_ended(const struct job *job, double now, double *end,
                       bool *all)
{
    bool any = false;

    *all = true;
    for (const struct grant *g = job->grants; g; g = g->next) {
        if (g->term->kind != GRANT_CLAIM)
            continue;
        if (!has_ended(g->term, now)) {
            *all = false;
            continue;
        }
        *end = any && *end > g->term->end ? *end : g->term->end;
        any = true;
    }
    return any;
}

size_t ledger_expire(struct usage *u, double now, expire_fn report, void *arg)
{
    struct job **list = xcalloc(u->njobs, sizeof(*list));
    double end = 0;
    size_t n = 0;
    bool all;

    for (struct job *job = u->jobs_first; job; job = job->next)
        if (find_ended(job, now, &end, &all))
            list[n++] = job;
    qsort(list, n, sizeof(*list), compare_names);
    for (size_t i = 0; i < n; i++) {
        find_ended(list[i], now, &end, &all);
        report(list[i]->name, end, arg);
        if (all)
            job_release(u, list[i]);
        else
            drop_ended(u, list[i], now);
    }
    free(list);
    return n;
}

/* --- another end -------------------------------------------------------- */

struct extending {
    struct usage *u;
    const struct grant *claim; /* the one at hand */
    struct period more;        /* from the old end to the new one */
    struct diag *d;
};

/* Report who has claimed some of a lot in the time that is added. */
static int taken(const struct extending *x, const struct lot *lot)
{
    const char *job = x->claim->term->job->name;
    char *place = lot_place(x->u, lot, NULL);

    for (const struct grant *g = lot->grants; g; g = g->beside)
        if (g->term->kind == GRANT_CLAIM && g != x->claim
            && term_during(g->term, &x->more))
            job = g->term->job->name;
    diag_set(x->d, "job %s has %s by then", job, place);
    free(place);
    return 1;
}

static int64_t claimed_beside(const struct extending *x, const struct lot *lot)
{
    return lot_claimed(lot, &x->more, x->claim);
}

/*
 * Is there room for a claim in the time that is added? Other claims of the
 * same job are in its way as those of others are: no unit is held twice.
 */
static int check_room(const struct extending *x, struct lot *lot)
{
    if (claimed_beside(x, lot) > lot->v->size - x->claim->units)
        return taken(x, lot);
    for (const struct lot *up = lot->parent; up->parent; up = up->parent)
        if (claimed_beside(x, up) >= up->v->size)
            return taken(x, up);
    if (!lot->v->child || x->claim->units < lot->v->size)
        return 0;
    for (struct lot *at = lot_next_in(x->u, lot, lot); at;
         at = lot_next_in(x->u, lot, at))
        if (claimed_beside(x, at) > 0)
            return taken(x, at);
    return 0;
}

/* What starts only at the new end, or later, would have no time at all. */
static int no_time_left(const struct extending *x)
{
    const struct grant *g = x->claim;
    char *place = lot_place(x->u, g->lot, NULL);

    diag_set(x->d, "job %s has %s only from %s on", g->term->job->name, place,
             time_utc(g->term->start).text);
    free(place);
    return 1;
}

static int check_claims(struct extending *x, const struct job *job, double end)
{
    int rc = 0;

    for (const struct grant *g = job->grants; g && rc == 0; g = g->next) {
        if (g->term->kind != GRANT_CLAIM)
            continue;
        x->claim = g;
        x->more.from = g->term->end;
        x->more.to = end < 0 ? INFINITY : end;
        if (end >= 0 && end <= g->term->start)
            rc = no_time_left(x);
        else if (g->term->end >= 0 && g->term->end < x->more.to)
            rc = check_room(x, g->lot);
    }
    return rc;
}

/* Terms of one job that became the same are one. */
static void give_end(struct usage *u, struct job *job, double end)
{
    struct term later;

    for (struct grant *g = job->grants; g; g = g->next) {
        if (g->term->kind != GRANT_CLAIM)
            continue;
        later = *g->term;
        later.end = end;
        grant_set_term(u, g, job_term(job, &later));
    }
}

int ledger_extend(struct usage *u, const char *name, double end, double now,
                  struct diag *d)
{
    struct extending x = {
        .u = u, .more = {.now = now, .held_on = true}, .d = d};
    struct job *job = job_find(u, name);
    int rc = job ? check_claims(&x, job, end) : 0;

    if (job && rc == 0)
        give_end(u, job, end);
    return rc;
}
