/* Jobs, their terms, and their grants on lots (jobs.h). */
#include "model/records/jobs.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/saturate.h"
#include "model/records/pieces.h"
#include "model/records/profile.h"

/* --- watching changes ----------------------------------------------------- */

static void note_job(struct usage *u, const struct job *job, size_t what)
{
    u->rs->changes++;
    if (u->watch.on && !(job->terms && job->terms->planned))
        map_at(&u->watch.jobs, job->name, strlen(job->name))
            ->value.number |= what;
}

void usage_forget_changes(struct usage *u)
{
    map_fini(&u->watch.jobs);
    u->watch.states = false;
}

void usage_watch(struct usage *u)
{
    u->watch.on = true;
}

void usage_note_all(struct usage *u)
{
    for (const struct job *job = u->jobs_first; job; job = job->next)
        note_job(u, job, JOB_CHANGED);
    u->watch.states = true;
}

/* --- the table ---------------------------------------------------------- */

struct job *job_find(const struct usage *u, const char *name)
{
    struct rset_source *source = u->rs->source;
    size_t len = strlen(name);
    struct job *job = map_get(&u->names, name, len);

    if (!source || (job && job->whole))
        return job;
    source->read_job(source, (struct usage *)u, name);
    job = map_get(&u->names, name, len);
    if (job)
        job->whole = true;
    return job;
}

struct job *job_get(struct usage *u, const char *name)
{
    size_t len = strlen(name);
    struct map_slot *slot = map_at(&u->names, name, len);
    struct job *job = slot->value.pointer;

    if (job)
        return job;
    slot->value.pointer = job = xcalloc(1, sizeof(*job) + len + 1);
    strcpy(job->name, name);
    job->prev = u->jobs_last;
    *(job->prev ? &job->prev->next : &u->jobs_first) = job;
    u->jobs_last = job;
    u->njobs++;
    return job;
}

bool term_is_like(const struct term *a, const struct term *b)
{
    return a->kind == b->kind && a->start == b->start && a->end == b->end
           && a->nslots == b->nslots && a->reserved == b->reserved
           && a->planned == b->planned && a->each == b->each
           && texts_equal(a->owner, b->owner)
           && texts_equal(a->queue, b->queue);
}

struct term *job_term(struct usage *u, struct job *job, const struct term *like)
{
    struct term *t = job->terms;

    while (t && !term_is_like(t, like))
        t = t->next;
    if (t)
        return t;
    t = xmalloc(sizeof(*t));
    *t = *like;
    t->owner = rset_string(u->rs, like->owner);
    t->queue = rset_string(u->rs, like->queue);
    t->staged = false;
    t->at = NULL;
    t->job = job;
    t->next = job->terms;
    return job->terms = t;
}

struct term *job_share_term(struct usage *u, struct job *job,
                            const struct term *times)
{
    return job_term(u, job,
                    &(struct term){.kind = GRANT_SHARE,
                                   .start = times->start,
                                   .end = times->end,
                                   .planned = times->planned});
}

void job_forget_nslots(struct job *job)
{
    for (struct term *t = job->terms; t; t = t->next)
        t->nslots = 0;
}

bool job_drop_lost(struct usage *u, struct job *job)
{
    bool any = false;

    for (struct grant *g = job->grants, *next; g; g = next) {
        struct lot *lot = g->lot;
        enum grant_kind kind = g->term->kind;

        next = g->next;
        if ((kind == GRANT_LISTED && !job_has_whole(job, lot, usage_top(u)))
            || (kind == GRANT_STAGED && !lot_claimed_by(lot, job)))
            grant_release(u, g);
        else
            any = any || kind != GRANT_SHARE || term_has_times(g->term);
    }
    return any;
}

void job_end_if_empty(struct usage *u, struct job *job)
{
    if (job->grants)
        return;
    note_job(u, job, JOB_ENDED);
    map_forget(&u->names, job->name, strlen(job->name));
    *(job->prev ? &job->prev->next : &u->jobs_first) = job->next;
    *(job->next ? &job->next->prev : &u->jobs_last) = job->prev;
    u->njobs--;
    while (job->terms) {
        struct term *next = job->terms->next;
        agenda_drop(u, job->terms);
        free(job->terms);
        job->terms = next;
    }
    free(job);
}

void job_release(struct usage *u, struct job *job)
{
    orders_defer(u);
    for (struct grant *g = job->grants, *next; g; g = next) {
        next = g->next;
        grant_release(u, g);
    }
    orders_settle(u);
    job_end_if_empty(u, job);
}

void job_release_numbered(struct usage *u)
{
    int64_t id;

    for (struct job *job = usage_jobs(u), *next; job; job = next) {
        next = job->next;
        if (job_is_number(job->name, &id))
            job_release(u, job);
    }
}

/* --- grants ------------------------------------------------------------- */

static bool is_timed(const struct grant *g)
{
    return g->term->start > 0 || g->term->end >= 0;
}

static struct grant *new_grant(struct usage *u, struct job *job,
                               struct lot *lot, enum grant_kind kind,
                               struct term *term, int64_t units)
{
    struct grant *g = stock_take(&u->grants, sizeof(*g));
    const struct term plain = {.kind = kind,
                               .start = TIME_UNSET,
                               .end = TIME_UNSET,
                               .planned = job->terms && job->terms->planned};

    g->lot = lot;
    g->term = term ? term : job_term(u, job, &plain);
    g->units = units;
    g->seq = ++u->seq;
    if (lot->grants) {
        g->before = lot->grants->before; /* the last one */
        g->before->beside = g;
        lot->grants->before = g;
    } else {
        if (!lot_is_used(lot))
            lot_note_used(lot, true);
        lot->grants = g->before = g;
    }
    g->prev = job->last;
    *(job->last ? &job->last->next : &job->grants) = g;
    job->last = g;
    job->nlisted += kind == GRANT_LISTED;
    job->nshared += kind == GRANT_SHARE;
    u->ntimed += is_timed(g);
    u->nparts += g->term->each != NULL;
    agenda_add(u, g->term);
    return g;
}

struct grant *grant_add(struct usage *u, struct job *job, struct lot *lot,
                        enum grant_kind kind, struct term *term, int64_t units)
{
    struct grant *g;

    note_job(u, job, JOB_CHANGED);
    lot_changing(u, lot);
    g = new_grant(u, job, lot, kind, term, units);
    profile_apply(u, g, TAKE);
    lot_changed(u, lot);
    return g;
}

void grant_copy(struct usage *u, const struct grant *g, struct lot *lot)
{
    new_grant(u, g->term->job, lot, g->term->kind, g->term, g->units)
        ->seq = g->seq;
}

void grant_destroy(struct usage *u, struct grant *g)
{
    struct job *job = g->term->job;
    struct lot *lot = g->lot;

    note_job(u, job, JOB_CHANGED);
    lot_changing(u, lot);
    profile_apply(u, g, ADD);
    if (g->beside)
        g->beside->before = g->before;
    else if (lot->grants != g)
        lot->grants->before = g->before; /* the last one */
    *(lot->grants == g ? &lot->grants : &g->before->beside) = g->beside;
    if (!lot_is_used(lot))
        lot_note_used(lot, false);
    *(g->prev ? &g->prev->next : &job->grants) = g->next;
    *(g->next ? &g->next->prev : &job->last) = g->prev;
    job->nlisted -= g->term->kind == GRANT_LISTED;
    job->nshared -= g->term->kind == GRANT_SHARE;
    u->ntimed -= is_timed(g);
    u->nparts -= g->term->each != NULL;
    stock_free(&u->grants, g);
    lot_changed(u, lot);
}

void grant_release(struct usage *u, struct grant *g)
{
    struct lot *lot = g->lot;

    grant_destroy(u, g);
    lot_join(u, lot);
}

struct grant *grant_of_term(const struct lot *lot, const struct term *term)
{
    struct grant *on = lot->grants, *of = term->job->grants;

    /* walk both lists until the shorter one ends */
    for (; on && of; on = on->beside, of = of->next) {
        if (on->term == term)
            return on;
        if (of->lot == lot && of->term == term)
            return of;
    }
    return NULL;
}

struct grant *grant_find(const struct lot *lot, const struct job *job,
                         enum grant_kind kind)
{
    struct grant *g = NULL;

    for (const struct term *t = job->terms; t && !g; t = t->next)
        g = t->kind == kind ? grant_of_term(lot, t) : NULL;
    return g;
}

void grant_drop(struct usage *u, const struct lot *lot, const struct job *job,
                enum grant_kind kind)
{
    struct grant *g;

    while ((g = grant_find(lot, job, kind)))
        grant_destroy(u, g);
}

void grant_drop_share(struct usage *u, const struct lot *lot,
                      const struct job *job, const struct term *times)
{
    for (struct grant *g = lot->grants, *next; g; g = next) {
        const struct term *t = g->term;
        next = g->beside;
        if (t->job == job && t->kind == GRANT_SHARE
            && (!term_has_times(t)
                || (t->start == times->start && t->end == times->end)))
            grant_destroy(u, g);
    }
}

void grant_change(struct usage *u, struct grant *g, struct term *term,
                  int64_t units)
{
    note_job(u, g->term->job, JOB_CHANGED);
    lot_changing(u, g->lot);
    profile_apply(u, g, ADD);
    u->ntimed -= is_timed(g);
    g->term = term;
    g->units = units;
    u->ntimed += is_timed(g);
    agenda_add(u, term);
    profile_apply(u, g, TAKE);
    lot_changed(u, g->lot);
}

struct grants_in grants_in(const struct job *job, const struct lot *top)
{
    return (struct grants_in){
        .job = job, .top = top, .lot = top, .of_job = job->grants};
}

struct grant *grants_in_next(struct grants_in *it)
{
    struct grant *g;

    for (;;) {
        while ((g = it->on_lot)) {
            it->on_lot = g->beside;
            if (g->term->job != it->job)
                continue;
            if (it->of_job == g) /* it may be destroyed */
                it->of_job = g->next;
            return g;
        }
        g = it->of_job;
        if (!g || !it->lot)
            return NULL;
        it->of_job = g->next;
        it->on_lot = it->lot->grants;
        /* all grants of the job are read: none is in a stored lot */
        it->lot = !it->lot->stored && lot_nused(it->lot) > 0
                      ? lot_child(it->lot)
                      : lot_after(it->top, it->lot);
        if (!lot_is_in(g->lot, it->top))
            continue;
        if (it->on_lot == g)
            it->on_lot = g->beside;
        return g;
    }
}

struct grant *grants_in_next_listed(struct grants_in *it)
{
    struct grant *g;

    while (it->job->nlisted && (g = grants_in_next(it)))
        if (g->term->kind == GRANT_LISTED)
            return g;
    return NULL;
}

bool job_has_below(const struct job *job, const struct lot *lot)
{
    struct grants_in it = grants_in(job, lot);
    const struct grant *g;

    while ((g = grants_in_next(&it)))
        if (g->lot != lot && term_uses(g->term))
            return true;
    return false;
}

bool grant_is_whole(const struct grant *g)
{
    return g->term->kind == GRANT_CLAIM && g->units >= g->lot->v->size;
}

int64_t lot_claimed_by(const struct lot *lot, const struct job *job)
{
    int64_t sum = 0;

    for (const struct grant *g = lot->grants; g; g = g->beside)
        if (g->term->job == job && g->term->kind == GRANT_CLAIM)
            sum = saturate_add_units(sum, g->units);
    return sum;
}

bool job_has_whole(const struct job *job, const struct lot *lot,
                   const struct lot *above)
{
    for (; lot != above; lot = lot->parent)
        if (lot->v->child && lot_claimed_by(lot, job) >= lot->v->size)
            return true;
    return false;
}

struct job *lot_staged(const struct lot *lot)
{
    const struct grant *g = lot_grants(lot);

    while (g && g->term->kind != GRANT_STAGED)
        g = g->beside;
    return g ? g->term->job : NULL;
}

/* --- undoing ------------------------------------------------------------ */

/* Lots come and go, so a copy keeps the way from the root to the lot of each
   grant: the members of a vertex at each step. */
struct way_step {
    struct vertex *v;
    uint32_t at, n;
};

struct kept {
    struct kept *next;
    int64_t units;
    struct term term;
    unsigned nsteps;
    struct way_step steps[];
};

struct job_copy {
    char *name;
    struct kept *first;
    struct arena arena;
};

struct job_copy *job_save(const struct job *job)
{
    struct job_copy *copy = xcalloc(1, sizeof(*copy));
    struct kept *kept, **end = &copy->first;

    copy->name = xstrdup(job->name);
    for (const struct grant *g = job->grants; g; g = g->next) {
        unsigned n = 0;
        for (const struct lot *up = g->lot; up->parent; up = up->parent)
            n++;
        *end = kept = arena_alloc(&copy->arena,
                                  sizeof(*kept) + n * sizeof(kept->steps[0]));
        end = &kept->next;
        kept->units = g->units;
        kept->term = *g->term;
        kept->nsteps = n;
        for (const struct lot *up = g->lot; up->parent; up = up->parent)
            kept->steps[--n] = (struct way_step){up->v, up->at, up->n};
    }
    return copy;
}

/* Give a grant back to all lots that have the members of a step now, and split
   them off where needed. */
static void undo_steps(struct usage *u, struct job *job,
                       const struct kept *kept, unsigned i, struct lot *parent)
{
    const struct way_step *step = &kept->steps[i];
    struct idset *members = idset_create_range(step->at,
                                               step->at + step->n - 1);
    struct lots lots = {0};

    lots_take(u, parent, step->v, members, &lots);
    for (size_t k = 0; k < lots.n; k++)
        if (i + 1 < kept->nsteps)
            undo_steps(u, job, kept, i + 1, lots.list[k]);
        else
            grant_add(u, job, lots.list[k], kept->term.kind,
                      job_term(u, job, &kept->term), kept->units);
    idset_destroy(members);
    free(lots.list);
}

void job_restore(struct usage *u, const struct job_copy *copy)
{
    struct job *job = job_find(u, copy->name);

    if (job)
        job_release(u, job);
    job = job_get(u, copy->name);
    for (const struct kept *kept = copy->first; kept; kept = kept->next)
        undo_steps(u, job, kept, 0, &u->top);
}

void job_copy_destroy(struct job_copy *copy)
{
    if (!copy)
        return;
    arena_fini(&copy->arena);
    free(copy->name);
    free(copy);
}

/* --- time --------------------------------------------------------------- */

bool term_is_ahead(const struct term *t, double now)
{
    return t->start > now;
}

bool term_during(const struct term *t, const struct period *p)
{
    bool has_end = t->end >= 0
                   && (t->end > p->now || (p->from > p->now && !p->held_on));

    return term_uses(t) && (t->start < p->to || t->start <= p->from)
           && (!has_end || p->from < t->end);
}

/* A moment from which more (or fewer, if negative) units are claimed. */
struct moment {
    double time;
    int64_t units;
};

/* By time. At one time ends come first, so that their units are free for a
   claim that starts then. */
static int compare_moments(const void *a, const void *b)
{
    const struct moment *x = a, *y = b;
    int c = COMPARE(x->time, y->time);

    return c ? c : COMPARE(x->units, y->units);
}

/* Walk through the begins and ends of claims in order of time, and keep the
   maximum of their sum. */
int64_t lot_claimed(const struct lot *lot, const struct period *p,
                    const struct grant *but)
{
    struct moment few[16], *list = few;
    size_t count = 0, n = 0;
    int64_t sum = 0, most = 0;

    for (const struct grant *g = lot->grants; g; g = g->beside)
        count += g->term->kind == GRANT_CLAIM && g != but;
    if (2 * count > sizeof(few) / sizeof(*few))
        list = xcalloc(2 * count, sizeof(*list));
    for (const struct grant *g = lot->grants; g; g = g->beside) {
        const struct term *t = g->term;
        bool has_end = t->end >= 0 && t->end > p->now;
        double from = t->start > p->from ? t->start : p->from;
        if (t->kind != GRANT_CLAIM || g == but || !term_during(t, p)
            || (has_end && t->end <= from))
            continue;
        list[n++] = (struct moment){from, g->units};
        if (has_end && t->end < p->to)
            list[n++] = (struct moment){t->end, -g->units};
    }
    if (count > 1)
        qsort(list, n, sizeof(*list), compare_moments);
    for (size_t i = 0; i < n && most < INT64_MAX; i++) {
        sum = saturate_add_units(sum, list[i].units);
        most = sum > most ? sum : most;
    }
    if (list != few)
        free(list);
    return most;
}

/* --- waiting for jobs whose end has passed -------------------------------- */

/*
 * Return whether h belongs to another job than g, holds something, and began
 * earlier. If h has ended, and began before *over did, set *over to h.
 */
static bool comes_first(const struct grant *h, const struct grant *g,
                        double now, const struct grant **over)
{
    const struct term *t = h->term;

    if (!term_uses(t) || t->job == g->term->job || t->start >= g->term->start
        || (t->kind == GRANT_CLAIM && h->units == 0))
        return false;
    if (t->end >= 0 && t->end <= now
        && (!*over || t->start < (*over)->term->start))
        *over = h;
    return true;
}

/* Return the grant on its own lot that g waits for, or NULL if there is
   room. */
static const struct grant *await_units(const struct grant *g, double now)
{
    const struct grant *over = NULL;
    int64_t size = g->lot->v->size, left = size;
    bool share = g->term->kind == GRANT_SHARE, held = false, shared = false;

    for (const struct grant *h = g->lot->grants; h; h = h->beside) {
        if (!comes_first(h, g, now, &over))
            continue;
        shared |= h->term->kind == GRANT_SHARE;
        held |= h->term->kind == GRANT_CLAIM && h->units >= size;
        left -= h->term->kind == GRANT_CLAIM ? h->units : 0;
    }
    if (share ? held : left < g->units || (shared && g->units >= size))
        return over;
    return NULL;
}

/* Return the grant that g waits for because it holds a pool around the lot of g
   whole, or NULL. */
static const struct grant *await_above(struct usage *u, const struct grant *g,
                                       double now)
{
    const struct grant *over = NULL;

    for (struct lot *up = g->lot->parent; up; up = up->parent) {
        lot_load(u, up);
        for (const struct grant *h = up->grants; h; h = h->beside)
            if (grant_is_whole(h))
                comes_first(h, g, now, &over);
    }
    return over;
}

/* Return the grant below the lot of g that g waits for, or NULL. Only a claim
   of the whole lot waits for grants below it. */
static const struct grant *await_below(struct usage *u, const struct grant *g,
                                       double now)
{
    const struct grant *over = NULL;
    struct lot *lot = g->lot;

    if (g->term->kind == GRANT_SHARE || g->units < lot->v->size)
        return NULL;
    while ((lot = lot_next_in(u, g->lot, lot))) {
        lot_load(u, lot);
        for (const struct grant *h = lot->grants; h; h = h->beside)
            comes_first(h, g, now, &over);
    }
    return over;
}

const struct grant *grant_awaits(struct usage *u, const struct grant *g,
                                 double now)
{
    const struct grant *over = NULL;

    if (!term_uses(g->term) || g->term->start < 0 || g->term->start > now)
        return NULL;
    if (!(over = await_units(g, now)) && !(over = await_above(u, g, now)))
        over = await_below(u, g, now);
    return over;
}

const struct grant *job_awaits(struct usage *u, const struct job *job,
                               double now, const struct grant **own)
{
    const struct grant *over = NULL;

    for (const struct grant *g = job->grants; g && !over; g = g->next)
        if ((over = grant_awaits(u, g, now)))
            *own = g;
    return over;
}
