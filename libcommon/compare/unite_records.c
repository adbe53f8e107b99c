/* Unites records (unite.h). */
#include "compare/unite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/records/jobs.h"
#include "model/records/path.h"
#include "model/records/usage.h"

/* Report two records of a pool that exclude each other, unless a conflict was
   reported before. Each record is words and the name that ends them. Returns
   -1. */
static int conflict(struct rset *a, const struct vertex *v, const char *words,
                    const char *name, const char *other_words,
                    const char *other_name, struct diag *d)
{
    char *place = vertex_place(a, v);

    if (!d->text[0])
        diag_set(d, "%.300s: %s%.80s in one set, %s%.80s in another", place,
                 words, name, other_words, other_name);
    free(place);
    return -1;
}

void unite_sizes(struct rset *a, struct vertex *v, const struct vertex *b,
                 struct diag *d)
{
    const struct vertex *small = v->size < b->size ? v : b;
    int64_t size = small == v ? b->size : v->size;

    for (const struct grant *g = lot_grants(small->lot); g; g = g->beside)
        if (g->term->kind == GRANT_CLAIM && small->child
            && g->units >= small->size && small->size < size)
            conflict(a, v, "held whole by job ", g->term->job->name, "larger",
                     "", d);
    v->size = size;
}

void unite_records(struct rset *a, struct vertex *v, const struct vertex *b,
                   struct diag *d)
{
    enum pool_state own = lot_state(v->lot), other = lot_state(b->lot);

    if (own != other && own != STATE_UP && other != STATE_UP)
        conflict(a, v, "", pool_state_names[own], "", pool_state_names[other],
                 d);
    records_unite(a, v, b);
}

/* --- conflicts ---------------------------------------------------------- */

/* Find another job's claim on all of `up` at the time of g. For a share, claims
   of the same job count too: a job can't hold whole what it shares (RFC 4). */
static const struct grant *find_whole(const struct grant *g,
                                      const struct vertex *up)
{
    const struct term *t = g->term;

    for (const struct grant *o = lot_grants(up->lot); o; o = o->beside) {
        const struct term *other = o->term;

        if (other->kind != GRANT_CLAIM || o->units < up->size)
            continue;
        if (t->kind == GRANT_CLAIM && !strcmp(other->job->name, t->job->name))
            continue;
        if (terms_overlap(t, other))
            return o;
    }
    return NULL;
}

/* Check a grant against claims on enclosing pools, and their flags. */
static int check_pools_above(struct rset *a, const struct vertex *v,
                             const struct grant *g, struct diag *d)
{
    bool share = g->term->kind == GRANT_SHARE;
    const char *job = g->term->job->name;
    const char *mine = share ? "shared by job " : "held by job ";
    const struct vertex *up = share ? v : v->parent;

    if (!share && g->units < v->size && vertex_taken_whole(v))
        return conflict(a, v, "exclusive", "", mine, job, d);
    for (; up; up = up->parent) {
        const struct grant *o = find_whole(g, up);
        if (o)
            return conflict(a, v, "held by job ", o->term->job->name, mine, job,
                            d);
        if (vertex_taken_whole(up))
            return conflict(a, up, "exclusive", "", mine, job, d);
    }
    return 0;
}

static int check_pool(struct rset *a, const struct vertex *v, struct diag *d)
{
    const struct period ever = {.to = INFINITY};
    bool excess = lot_claimed(v->lot, &ever, NULL) > v->size;

    for (const struct grant *g = lot_grants(v->lot); g; g = g->beside) {
        const struct term *t = g->term;
        const struct grant *o = g; /* of another job and the same kind */

        while (o
               && (o->term->kind != t->kind
                   || !strcmp(o->term->job->name, t->job->name)))
            o = o->beside;
        if (t->kind == GRANT_CLAIM && excess)
            return conflict(a, v, "held by job ", t->job->name, "held by job ",
                            (o ? o : g)->term->job->name, d);
        if (t->kind == GRANT_STAGED && o)
            return conflict(a, v, "staged for job ", t->job->name,
                            "staged for job ", o->term->job->name, d);
        if (term_uses(t) && check_pools_above(a, v, g, d) < 0)
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
