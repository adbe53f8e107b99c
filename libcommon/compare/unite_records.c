/* Unites the records of pools that two sets have (unite_records.h). */
#include "compare/unite_records.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/records/jobs.h"
#include "model/tree/path.h"

static int conflict(struct rset *a, const struct vertex *v, const char *what,
                    const char *one, const char *other, struct diag *d)
{
    char *place = vertex_place(a, v);

    if (!d->text[0])
        diag_set(d, "%.300s: %s%.80s in one set, %s%.80s in another", place,
                 what, one, what, other);
    free(place);
    return -1;
}

void unite_records(struct rset *a, struct vertex *v, const struct vertex *b,
                   struct diag *d)
{
    enum pool_state own = vertex_state(v), other = vertex_state(b);

    if (!d)
        return;
    if (own != other && own != STATE_UP && other != STATE_UP)
        conflict(a, v, "", pool_state_names[own], pool_state_names[other], d);
    records_unite(a, v, b);
}

/* --- conflicts ---------------------------------------------------------- */

static bool overlap(const struct term *a, const struct term *b)
{
    return (b->end < 0 || a->start < b->end)
           && (a->end < 0 || b->start < a->end);
}

static const struct grant *grants_of(const struct vertex *v)
{
    return v->lot ? v->lot->grants : NULL;
}

/* One of another job that has all of `up` at the same time; NULL: none. */
static const struct grant *find_whole(const struct grant *g,
                                      const struct vertex *up)
{
    const struct grant *o = grants_of(up);

    while (o
           && (o->term->kind != GRANT_CLAIM || o->units < up->size
               || !strcmp(o->term->job->name, g->term->job->name)
               || !overlap(o->term, g->term)))
        o = o->beside;
    return o;
}

static int check_wholes(struct rset *a, const struct vertex *v,
                        const struct grant *g, struct diag *d)
{
    const struct vertex *up = g->term->kind == GRANT_SHARE ? v : v->parent;
    const struct grant *o = NULL;

    for (; up && !o; up = up->parent)
        o = find_whole(g, up);
    return o ? conflict(a, v, "held by job ", o->term->job->name,
                        g->term->job->name, d)
             : 0;
}

/* Another job beside the first of a kind; NULL: there is none. */
static const struct grant *find_other(const struct grant *first)
{
    const struct grant *o = first;

    while (o
           && (o->term->kind != first->term->kind
               || !strcmp(o->term->job->name, first->term->job->name)))
        o = o->beside;
    return o;
}

static int check_pool(struct rset *a, const struct vertex *v, struct diag *d)
{
    const struct period ever = {.to = INFINITY};
    bool excess = lot_claimed(v->lot, &ever, NULL) > v->size;

    for (const struct grant *g = grants_of(v); g; g = g->beside) {
        const struct grant *o = find_other(g);
        if (g->term->kind == GRANT_CLAIM && excess)
            return conflict(a, v, "held by job ", g->term->job->name,
                            (o ? o : g)->term->job->name, d);
        if (g->term->kind == GRANT_STAGED && o)
            return conflict(a, v, "staged for job ", g->term->job->name,
                            o->term->job->name, d);
        if (term_uses(g->term) && check_wholes(a, v, g, d) < 0)
            return -1;
    }
    return 0;
}

int unite_check_records(struct rset *a, struct diag *d)
{
    if (d->text[0])
        return -1;
    for (const struct vertex *v = rset_first(a); v; v = rset_next(a, v))
        if (v->lot && check_pool(a, v, d) < 0)
            return -1;
    return 0;
}
