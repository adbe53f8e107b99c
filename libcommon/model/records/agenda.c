/*
 * The agenda: terms of claims and shares in the order in which they begin, and
 * in which they end. With it, moving to another period costs the number of
 * grants that differ between the two periods, not the number of all grants. It
 * is made when another period is first asked for; reading and writing a
 * document do not need it.
 *
 * It consists of two treaps, by time.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/records/job_list.h"
#include "model/records/usage_private.h"

/* The place of a term in an agenda. */
struct agenda_place {
    struct treap_node node;
    struct term *term;
    double time;
};

static struct agenda_place *agenda_at(const struct treap_node *node)
{
    return (struct agenda_place *)node;
}

static int compare_agenda(const struct treap *t, const struct treap_node *a,
                          const struct treap_node *b)
{
    double x = agenda_at(a)->time, y = agenda_at(b)->time;

    (void)t;
    return x != y ? COMPARE(x, y) : COMPARE(a, b);
}

static const struct treap_rules agenda_rules = {.compare = compare_agenda};

/* How many changes the list of ends follows between two questions. */
enum { ENDS_FEW = 32 };

/* Return whether a term has a time for this agenda. */
static bool is_on(const struct term *t, enum agenda by)
{
    return by == BEGINNINGS ? t->start > 0 : t->end >= 0;
}

/* Return the index of the first listed end that is not before a time. */
static size_t find_end(const struct usage *u, double time)
{
    return VECTOR_SEEK(i, 0, u->nends, u->ends[i] < time);
}

/* Return the first time in an agenda that is not before `from`; INFINITY: there
   is none. */
static double first_time(const struct usage *u, enum agenda by, double from)
{
    double first = INFINITY;

    for (const struct treap_node *at = u->agenda[by].root; at;) {
        bool before = agenda_at(at)->time < from;
        first = before ? first : agenda_at(at)->time;
        at = before ? at->right : at->left;
    }
    return first;
}

/* Let the list of ends follow a term that came or went. After many changes
   without a question it is made anew. */
static void follow_end(struct usage *u, double time)
{
    bool listed, is;
    size_t at;

    u->ends_known = u->ends_known && u->ends_changed++ < ENDS_FEW;
    if (!u->ends_known)
        return;
    at = find_end(u, time);
    listed = at < u->nends && u->ends[at] == time;
    is = first_time(u, ENDS, time) == time;
    if (is == listed)
        return;
    if (is)
        VECTOR_GROW(u->ends, u->nends);
    memmove(&u->ends[at + is], &u->ends[at + listed],
            (u->nends - at - listed) * sizeof(*u->ends));
    if (is)
        u->ends[at] = time;
    u->nends += (size_t)is - (size_t)listed;
}

void agenda_add(struct usage *u, struct term *t)
{
    if (!u->has_agenda || t->at || !term_uses(t))
        return;
    t->at = xcalloc(AGENDAS, sizeof(*t->at));
    for (enum agenda by = 0; by < AGENDAS; by++) {
        t->at[by].term = t;
        t->at[by].time = by == BEGINNINGS ? t->start : t->end;
        if (is_on(t, by))
            treap_insert(&u->agenda[by], &t->at[by].node);
    }
    if (is_on(t, ENDS))
        follow_end(u, t->end);
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
    if (is_on(t, ENDS))
        follow_end(u, t->end);
}

static void agenda_make(struct usage *u)
{
    if (u->has_agenda)
        return;
    u->has_agenda = true;
    for (enum agenda by = 0; by < AGENDAS; by++)
        u->agenda[by].rules = &agenda_rules;
    for (struct job *job = u->jobs_first; job; job = job->next)
        for (struct term *t = job->terms; t; t = t->next)
            agenda_add(u, t);
}

/* --- terms between times ------------------------------------------------ */

/* Terms in order, listed until their jobs have enough grants; SIZE_MAX: all. */
struct due {
    struct term **list;
    size_t n, left;
};

/* List the terms with from <= time < to. */
static void list_between(struct due *l, const struct treap_node *at,
                         double from, double to)
{
    while (at && l->left > 0) {
        double time = agenda_at(at)->time;
        if (time >= from)
            list_between(l, at->left, from, to);
        if (time >= from && time < to) {
            struct term *t = agenda_at(at)->term;
            const struct grant *g = l->left < SIZE_MAX ? t->job->grants : NULL;
            VECTOR_ADD(l->list, l->n, t);
            for (; g && l->left > 0; g = g->next)
                l->left--;
        }
        at = time < to ? at->right : NULL;
    }
}

/*
 * Find the times that decide which terms count in a period: terms that begin
 * before limits[0], unless they end before limits[1]. (In a period that starts
 * now all grants that were not released count, so limits[1] is 0.) A term that
 * ends before limits[2] has ended by now and is held on, into times that others
 * may have reserved.
 */
enum { LIMITS = 3 };
static void find_limits(const struct period *p, double limits[LIMITS])
{
    limits[0] = p->to > p->from ? p->to : nextafter(p->from, INFINITY);
    limits[1] = p->from > p->now ? nextafter(p->from, INFINITY) : 0;
    limits[2] = nextafter(p->now, INFINITY);
}

/* List the terms that count in only one of two periods. */
static struct due list_changed(struct usage *u, const struct period *a,
                               const struct period *b, size_t most)
{
    static const enum agenda by[LIMITS] = {BEGINNINGS, ENDS, ENDS};
    struct due l = {.left = most};
    double x[LIMITS], y[LIMITS];

    agenda_make(u);
    find_limits(a, x);
    find_limits(b, y);
    for (size_t i = 0; i < LIMITS; i++)
        list_between(&l, u->agenda[by[i]].root, fmin(x[i], y[i]),
                     fmax(x[i], y[i]));
    return l;
}

void agenda_recount(struct usage *u, const struct period *old)
{
    struct due l = list_changed(u, old, &u->when, SIZE_MAX);
    uint32_t walk = usage_walk(u);

    for (size_t i = 0; i < l.n; i++)
        for (const struct grant *g = l.list[i]->job->grants; g; g = g->next)
            if (g->term == l.list[i] && lot_visit(g->lot, walk)) {
                lot_changing(u, g->lot);
                lot_changed(u, g->lot);
            }
    free(l.list);
}

bool agenda_is_few(struct usage *u, const struct period *when, size_t few)
{
    struct due l = list_changed(u, &u->base, when, few);

    free(l.list);
    return l.left > 0;
}

/* --- reservations that lapse --------------------------------------------- */

static int by_start_of_term(const void *a, const void *b)
{
    double x = (*(struct term *const *)a)->start,
           y = (*(struct term *const *)b)->start;

    return COMPARE(x, y);
}

/* List the terms that have ended by a time since the last call. Most programs
   ask once: they need no agenda. */
static struct due list_ended(struct usage *u, double now)
{
    double from = u->lapsed;
    struct due l = {.left = SIZE_MAX};

    if (from > 0)
        agenda_make(u);
    u->lapsed = nextafter(now, INFINITY);
    if (u->has_agenda) {
        list_between(&l, u->agenda[ENDS].root, from, u->lapsed);
        return l;
    }
    for (const struct job *job = u->jobs_first; job; job = job->next)
        for (struct term *t = job->terms; t; t = t->next)
            if (term_uses(t) && t->end >= from && t->end < u->lapsed)
                VECTOR_ADD(l.list, l.n, t);
    return l;
}

/* Earlier reservations first: when they are gone, later ones may not have
   waited. A job is ended last, because its terms end with it. */
void usage_lapse(struct usage *u, double now)
{
    struct job_list lost = {0};
    struct due l;

    if (u->ntimed == 0 || now < u->lapsed)
        return;
    l = list_ended(u, now);
    if (l.n == 0)
        return;

    qsort(l.list, l.n, sizeof(struct term *), by_start_of_term);
    for (size_t i = 0; i < l.n; i++) {
        for (struct grant *g = l.list[i]->job->grants, *next; g; g = next) {
            next = g->next;
            if (g->term != l.list[i] || !grant_awaits(u, g, now))
                continue;
            grant_release(u, g);
            job_list_add(&lost, l.list[i]->job);
        }
    }
    job_list_sort(&lost);
    for (size_t i = 0; i < lost.n; i++)
        if (!job_drop_lost(u, lost.list[i]))
            job_release(u, lost.list[i]);
    free(lost.list);
    free(l.list);
}

/* --- questions ---------------------------------------------------------- */

bool agenda_is_late(struct usage *u, double now)
{
    agenda_make(u);
    return first_time(u, ENDS, 0) <= now;
}

bool usage_is_late(const struct usage *u, double time)
{
    return u->late && time == u->now;
}

double usage_next_end(struct usage *u, double time)
{
    double next;

    agenda_make(u);
    next = first_time(u, ENDS, nextafter(time, INFINITY));
    for (const struct promise *p = u->promises; p; p = p->next)
        if (p->ranks && p->to > time)
            next = fmin(next, p->to);
    return next;
}

/* List the ends of all terms, each time once. */
static void list_ends(struct usage *u, const struct treap_node *at)
{
    for (; at; at = at->right) {
        list_ends(u, at->left);
        if (u->nends == 0 || u->ends[u->nends - 1] != agenda_at(at)->time)
            VECTOR_ADD(u->ends, u->nends, agenda_at(at)->time);
    }
}

size_t usage_ends(struct usage *u, double from, double to, double **ends)
{
    size_t first, listed, n, m = 0;

    agenda_make(u);
    if (!u->ends_known) {
        u->nends = 0;
        list_ends(u, u->agenda[ENDS].root);
        u->ends_known = true;
    }
    u->ends_changed = 0;
    first = find_end(u, from);
    listed = from < to ? find_end(u, to) - first : 0;
    *ends = xmalloc(vector_room(listed) * sizeof(**ends));
    if (listed > 0)
        memcpy(*ends, u->ends + first, listed * sizeof(**ends));
    n = listed;
    for (const struct promise *p = u->promises; p; p = p->next)
        if (p->ranks && p->to >= from && p->to < to)
            VECTOR_ADD(*ends, n, p->to);
    if (n == listed)
        return n;
    VECTOR_SORT(*ends, n, compare_doubles);
    for (size_t i = 0; i < n; i++)
        if (m == 0 || (*ends)[m - 1] != (*ends)[i])
            (*ends)[m++] = (*ends)[i];
    return m;
}

bool usage_begins(struct usage *u, double after, double before)
{
    bool begins;

    agenda_make(u);
    begins = first_time(u, BEGINNINGS, nextafter(after, INFINITY)) < before;
    for (const struct promise *p = u->promises; p && !begins; p = p->next)
        begins = p->ranks && p->from > after && p->from < before;
    return begins;
}
