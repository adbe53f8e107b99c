/*
 * The agenda: the terms of claims, by when they begin and by when they end, so
 * that another period of time costs what changes between the two and not what
 * there is. It is made when somebody first asks for another period; reading
 * and writing a document don't.
 *
 * Two treaps, by time.
 */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "model/records/jobs.h"
#include "model/records/usage_private.h"

static struct term *term_at(const struct treap_node *node)
{
    return node ? ((const struct agenda_place *)node)->term : NULL;
}

static struct term *term_before(const struct term *t, enum agenda by)
{
    return term_at(t->at[by].node.left);
}

static struct term *term_after(const struct term *t, enum agenda by)
{
    return term_at(t->at[by].node.right);
}

static struct term *agenda_root(const struct usage *u, enum agenda by)
{
    return term_at(u->agenda[by].root);
}

static double term_time(const struct term *t, enum agenda by)
{
    return by == BEGINNINGS ? t->start : t->end;
}

static int compare_times(double a, double b, const struct treap_node *x,
                         const struct treap_node *y)
{
    return a != b ? (a > b) - (a < b) : (x > y) - (x < y);
}

static int compare_term_starts(const struct treap *t,
                               const struct treap_node *a,
                               const struct treap_node *b)
{
    (void)t;
    return compare_times(term_at(a)->start, term_at(b)->start, a, b);
}

static int compare_term_ends(const struct treap *t, const struct treap_node *a,
                             const struct treap_node *b)
{
    (void)t;
    return compare_times(term_at(a)->end, term_at(b)->end, a, b);
}

static const struct treap_rules agenda_rules[AGENDAS] = {
    [BEGINNINGS] = {.compare = compare_term_starts},
    [ENDS] = {.compare = compare_term_ends},
};

/* Has a term such a time? */
static bool is_on(const struct term *t, enum agenda by)
{
    return by == BEGINNINGS ? t->start > 0 : t->end >= 0;
}

void agenda_add(struct usage *u, struct term *t)
{
    if (!u->has_agenda || t->at || t->kind != GRANT_CLAIM)
        return;
    t->at = xcalloc(AGENDAS, sizeof(*t->at));
    for (enum agenda by = 0; by < AGENDAS; by++) {
        t->at[by].term = t;
        if (is_on(t, by))
            treap_insert(&u->agenda[by], &t->at[by].node);
    }
}

void agenda_drop(struct usage *u, struct term *t)
{
    if (!t->at)
        return;
    for (enum agenda by = 0; by < AGENDAS; by++)
        if (is_on(t, by))
            treap_remove(&u->agenda[by], &t->at[by].node);
    free(t->at);
    t->at = NULL;
}

void agenda_make(struct usage *u)
{
    if (u->has_agenda)
        return;
    u->has_agenda = true;
    for (enum agenda by = 0; by < AGENDAS; by++)
        u->agenda[by].rules = &agenda_rules[by];
    for (struct job *job = u->jobs_first; job; job = job->next)
        for (struct term *t = job->terms; t; t = t->next)
            agenda_add(u, t);
}

/* --- what changes ------------------------------------------------------- */

/* What is done with a term that makes a difference; false: no more of them. */
typedef bool (*term_fn)(struct usage *u, const struct term *t, size_t *left);

/* The claims of a term; a lot is counted once, however many are on it. */
static bool recount(struct usage *u, const struct term *t, size_t *left)
{
    (void)left;
    for (const struct grant *g = t->job->grants; g; g = g->next)
        if (g->term == t && g->lot->seen != u->walks) {
            g->lot->seen = u->walks;
            lot_changing(u, g->lot);
            lot_changed(u, g->lot);
        }
    return true;
}

static bool spend(struct usage *u, const struct term *t, size_t *left)
{
    (void)u;
    for (const struct grant *g = t->job->grants; g && *left > 0; g = g->next)
        *left -= 1;
    return *left > 0;
}

/* Those with a time from `from` on, and before `to`. */
static bool each_between(struct usage *u, const struct term *root,
                         enum agenda by, double from, double to, term_fn fn,
                         size_t *left)
{
    while (root) {
        double time = term_time(root, by);
        if (time >= from
            && !each_between(u, term_before(root, by), by, from, to, fn, left))
            return false;
        if (time >= from && time < to && !fn(u, root, left))
            return false;
        root = time < to ? term_after(root, by) : NULL;
    }
    return true;
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

/* What is over by now holds on, into what others have reserved. */
static double over_before(const struct period *p)
{
    return nextafter(p->now, INFINITY);
}

/* All terms between two periods. */
static bool each_changed(struct usage *u, const struct period *a,
                         const struct period *b, term_fn fn, size_t *left)
{
    static const struct {
        enum agenda by;
        double (*before)(const struct period *p);
    } list[] = {
        {BEGINNINGS, begun_before}, {ENDS, ended_before}, {ENDS, over_before}};
    bool more = true;

    for (size_t i = 0; i < sizeof(list) / sizeof(list[0]) && more; i++) {
        double x = list[i].before(a), y = list[i].before(b);
        more = each_between(u, agenda_root(u, list[i].by), list[i].by,
                            fmin(x, y), fmax(x, y), fn, left);
    }
    return more;
}

void agenda_recount(struct usage *u, const struct period *old)
{
    usage_walk(u);
    each_changed(u, old, &u->when, recount, NULL);
}

bool agenda_is_few(struct usage *u, const struct period *old,
                   const struct period *when, size_t few)
{
    size_t left = few;

    agenda_make(u);
    return left > 0 && each_changed(u, old, when, spend, &left);
}

double usage_next_end(struct usage *u, double time)
{
    const struct term *t;
    double next = INFINITY;

    agenda_make(u);
    for (t = agenda_root(u, ENDS); t;) {
        if (t->end > time)
            next = t->end;
        t = t->end > time ? term_before(t, ENDS) : term_after(t, ENDS);
    }
    return next;
}

static void list_ends(const struct term *root, double from, double **list,
                      size_t *n)
{
    while (root) {
        if (root->end >= from) {
            list_ends(term_before(root, ENDS), from, list, n);
            if (*n == 0 || (*list)[*n - 1] != root->end) {
                VECTOR_GROW(*list, *n);
                (*list)[(*n)++] = root->end;
            }
        }
        root = term_after(root, ENDS);
    }
}

size_t usage_ends(struct usage *u, double from, double **ends)
{
    size_t n = 0;

    agenda_make(u);
    *ends = NULL;
    list_ends(agenda_root(u, ENDS), from, ends, &n);
    return n;
}

bool usage_begins(struct usage *u, double after)
{
    const struct term *t;

    agenda_make(u);
    for (t = agenda_root(u, BEGINNINGS); t && t->start <= after;)
        t = term_after(t, BEGINNINGS);
    return t;
}
