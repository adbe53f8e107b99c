/*
 * The agenda: the terms of claims, by when they begin and by when they end, so
 * that another period of time costs what changes between the two and not what
 * there is. It is made when somebody first asks for another period; reading
 * and writing a document don't.
 *
 * Two treaps: binary trees by time, heaps by random priorities, and so
 * balanced whatever comes and goes.
 */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "model/records/jobs.h"
#include "model/records/usage_private.h"

static double term_time(const struct term *t, enum agenda by)
{
    return by == BEGINNINGS ? t->start : t->end;
}

static bool term_is_before(const struct term *a, const struct term *b,
                           enum agenda by)
{
    double ta = term_time(a, by), tb = term_time(b, by);

    return ta != tb ? ta < tb : (uintptr_t)a < (uintptr_t)b;
}

/* One tree of two, all of the first before the second. */
static struct term *join_terms(struct term *a, struct term *b, enum agenda by)
{
    if (!a || !b)
        return a ? a : b;
    if (a->at[by].priority > b->at[by].priority) {
        a->at[by].after = join_terms(a->at[by].after, b, by);
        return a;
    }
    b->at[by].before = join_terms(a, b->at[by].before, by);
    return b;
}

/* What is before a term, and what is after it. */
static void cut_terms(struct term *root, const struct term *t, enum agenda by,
                      struct term **before, struct term **after)
{
    if (!root) {
        *before = *after = NULL;
    } else if (term_is_before(root, t, by)) {
        *before = root;
        cut_terms(root->at[by].after, t, by, &root->at[by].after, after);
    } else {
        *after = root;
        cut_terms(root->at[by].before, t, by, before, &root->at[by].before);
    }
}

static void put_term(struct usage *u, struct term *t, enum agenda by)
{
    struct term **link = &u->agenda[by];

    t->at[by] = (struct agenda_place){.priority = usage_random(u)};
    while (*link && (*link)->at[by].priority >= t->at[by].priority)
        link = term_is_before(t, *link, by) ? &(*link)->at[by].before
                                            : &(*link)->at[by].after;
    cut_terms(*link, t, by, &t->at[by].before, &t->at[by].after);
    *link = t;
}

static void take_term(struct usage *u, const struct term *t, enum agenda by)
{
    struct term **link = &u->agenda[by];

    while (*link != t)
        link = term_is_before(t, *link, by) ? &(*link)->at[by].before
                                            : &(*link)->at[by].after;
    *link = join_terms(t->at[by].before, t->at[by].after, by);
}

void agenda_add(struct usage *u, struct term *t)
{
    if (!u->has_agenda || t->at || t->kind != GRANT_CLAIM)
        return;
    t->at = xcalloc(AGENDAS, sizeof(*t->at));
    if (t->start > 0)
        put_term(u, t, BEGINNINGS);
    if (t->end >= 0)
        put_term(u, t, ENDS);
}

void agenda_drop(struct usage *u, struct term *t)
{
    if (!t->at)
        return;
    if (t->start > 0)
        take_term(u, t, BEGINNINGS);
    if (t->end >= 0)
        take_term(u, t, ENDS);
    free(t->at);
    t->at = NULL;
}

void agenda_make(struct usage *u)
{
    if (u->has_agenda)
        return;
    u->has_agenda = true;
    for (struct job *job = u->jobs_first; job; job = job->next)
        for (struct term *t = job->terms; t; t = t->next)
            agenda_add(u, t);
}

/* --- what changes ------------------------------------------------------- */

/* The claims of a term; a lot is counted once, however many are on it. */
static void recount(struct usage *u, const struct term *t)
{
    for (const struct grant *g = t->job->grants; g; g = g->next)
        if (g->term == t && g->lot->seen != u->walks) {
            g->lot->seen = u->walks;
            lot_changing(u, g->lot);
            lot_changed(u, g->lot);
        }
}

/* Those with a time from `from` on, and before `to`. */
static void recount_between(struct usage *u, const struct term *root,
                            enum agenda by, double from, double to)
{
    while (root) {
        double time = term_time(root, by);
        if (time >= from)
            recount_between(u, root->at[by].before, by, from, to);
        if (time >= from && time < to)
            recount(u, root);
        root = time < to ? root->at[by].after : NULL;
    }
}

/* What began before that counts in a period ... */
static double begun_before(const struct period *p)
{
    return p->to > p->from ? p->to : nextafter(p->from, INFINITY);
}

/* ... unless it ended before that: now, all is held until it is released. */
static double ended_before(const struct period *p)
{
    return p->from > p->now ? nextafter(p->from, INFINITY) : 0;
}

void agenda_recount(struct usage *u, const struct period *old)
{
    double was, is;

    usage_walk(u);
    was = begun_before(old);
    is = begun_before(&u->when);
    recount_between(u, u->agenda[BEGINNINGS], BEGINNINGS, fmin(was, is),
                    fmax(was, is));
    was = ended_before(old);
    is = ended_before(&u->when);
    recount_between(u, u->agenda[ENDS], ENDS, fmin(was, is), fmax(was, is));
    /* what is over by now holds on, into what others have reserved */
    was = nextafter(old->now, INFINITY);
    is = nextafter(u->when.now, INFINITY);
    recount_between(u, u->agenda[ENDS], ENDS, fmin(was, is), fmax(was, is));
}

double usage_next_end(struct usage *u, double time)
{
    const struct term *t;
    double next = INFINITY;

    agenda_make(u);
    for (t = u->agenda[ENDS]; t;) {
        if (t->end > time)
            next = t->end;
        t = t->end > time ? t->at[ENDS].before : t->at[ENDS].after;
    }
    return next;
}

static void list_ends(const struct term *root, double from, double **list,
                      size_t *n)
{
    while (root) {
        if (root->end >= from) {
            list_ends(root->at[ENDS].before, from, list, n);
            if (*n == 0 || (*list)[*n - 1] != root->end) {
                VECTOR_GROW(*list, *n);
                (*list)[(*n)++] = root->end;
            }
        }
        root = root->at[ENDS].after;
    }
}

size_t usage_ends(struct usage *u, double from, double **ends)
{
    size_t n = 0;

    agenda_make(u);
    *ends = NULL;
    list_ends(u->agenda[ENDS], from, ends, &n);
    return n;
}

bool usage_begins(struct usage *u, double after)
{
    const struct term *t;

    agenda_make(u);
    for (t = u->agenda[BEGINNINGS]; t && t->start <= after;)
        t = t->at[BEGINNINGS].after;
    return t;
}
