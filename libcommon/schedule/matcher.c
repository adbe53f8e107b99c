/*
 * What is known of a set before any request.
 *
 * Every vertex with children gets sums of what is below it, free and in all,
 * by type. A pool that cannot hold what is asked for is passed over by one
 * look at them, so that a request costs what it looks at and not what there
 * is.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/cut.h"
#include "schedule/annotate.h"
#include "schedule/match_private.h"

int matcher_type(const struct matcher *m, const char *type)
{
    for (unsigned i = 0; i < m->ntypes; i++)
        if (m->types[i] == type)
            return (int)i;
    return -1;
}

/* --- types -------------------------------------------------------------- */

static int add_type(struct matcher *m, const char *type)
{
    int n = matcher_type(m, type);

    if (n >= 0)
        return n;
    if (m->ntypes == m->types_size) {
        unsigned size = m->types_size ? 2 * m->types_size : 16;
        const char **types = xrealloc(m->types, size * sizeof(*types));
        if (!types)
            return -1;
        m->types = types;
        m->types_size = size;
    }
    m->types[m->ntypes] = type;
    return (int)m->ntypes++;
}

static void add(int64_t *sum, int64_t n)
{
    if (__builtin_add_overflow(*sum, n, sum))
        *sum = INT64_MAX;
}

static int add_unit(struct matcher *m, unsigned ntype, const struct vertex *v)
{
    struct type_unit *units;

    for (size_t i = 0; i < m->nunits; i++)
        if (m->units[i].ntype == ntype && m->units[i].unit == v->unit) {
            add(&m->units[i].total, v->size);
            return 0;
        }
    units = xrealloc(m->units, (m->nunits + 1) * sizeof(*units));
    if (!units)
        return -1;
    m->units = units;
    m->units[m->nunits++] = (struct type_unit){ntype, v->unit, v->size};
    return 0;
}

static int find_types(struct matcher *m)
{
    for (struct vertex *v = rset_first(m->rs); v; v = rset_next(m->rs, v))
        if (add_type(m, v->type) < 0)
            return -1;
    m->flags = xcalloc(m->ntypes + 1, 1);
    m->below = xcalloc((size_t)m->ntypes * m->ntypes + 1, sizeof(*m->below));
    m->least = xcalloc((size_t)m->ntypes * m->ntypes + 1, sizeof(*m->least));
    return m->flags && m->below && m->least ? 0 : -1;
}

/* --- sums --------------------------------------------------------------- */

static int64_t *new_rows(struct matcher *m, struct vertex *v)
{
    if (m->nsums + 2 > m->sums_size) {
        size_t size = m->sums_size ? 2 * m->sums_size : 64;
        int64_t *sums = xrealloc(m->sums, size * m->ntypes * sizeof(*sums));
        if (!sums)
            return NULL;
        m->sums = sums;
        m->sums_size = size;
    }
    v->index = (uint32_t)(m->nsums + 1) << INDEX_SHIFT;
    m->nsums += 2;
    memset(&m->sums[(m->nsums - 2) * m->ntypes], 0,
           2 * m->ntypes * sizeof(*m->sums));
    return m->sums;
}

static int64_t *rows_of(const struct matcher *m, const struct vertex *v)
{
    size_t at = v->index >> INDEX_SHIFT;

    return at ? &m->sums[(at - 1) * m->ntypes] : NULL;
}

static int64_t times(int64_t a, int64_t b)
{
    int64_t product;

    return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

/*
 * Is any of it claimed or shared? A job that has something below a pool is
 * among those that share it, whenever that is: what is below will tell.
 */
static bool vertex_shared(const struct matcher *m, const struct vertex *v)
{
    const struct records *rec = v->records;

    for (const struct claim *c = rec ? rec->claims : NULL; c; c = c->next)
        if (claim_during(c, &m->when))
            return true;
    if (!rec || !rec->shared || !m->timed || !v->child)
        return rec && rec->shared;
    for (const struct joblist *j = rec->shared; j; j = j->next)
        if (!below_has(&m->below_jobs, v, j->job))
            return true;
    return false;
}

/*
 * Units that nobody has claimed. Who has all of them has the pool alone
 * (RFC 4): where a job shares it, one of them is left.
 */
static int64_t vertex_free(const struct matcher *m, const struct vertex *v)
{
    int64_t units = v->size - records_claimed(v->records, &m->when);

    return units == v->size && units > 1 && vertex_shared(m, v) ? units - 1
                                                                : units;
}

static void note_least(int64_t *least, int64_t n)
{
    *least = n < *least ? n : *least;
}

/* Add what c and all below it are to the rows of its parent. */
static void add_to_parent(struct matcher *m, int64_t *up, struct vertex *c,
                          int ntype)
{
    const int64_t *own = rows_of(m, c);
    int64_t members = (int64_t)vertex_count(c);
    bool usable = !(c->index & UNUSABLE);
    unsigned n = m->ntypes;

    if (usable)
        add(&up[ntype], times(vertex_free(m, c), members));
    add(&up[n + (unsigned)ntype], times(c->size, members));
    for (unsigned t = 0; own && t < n; t++) {
        if (usable)
            add(&up[t], times(own[t], members));
        add(&up[n + t], times(own[n + t], members));
        m->below[t * n + (unsigned)ntype] |= own[n + t] > 0;
        note_least(&m->least[(unsigned)ntype * n + t], own[n + t]);
    }
    if (!own)
        m->flags[ntype] |= TYPE_BARE;
}

static int note_vertex(struct matcher *m, const struct vertex *v, int ntype,
                       bool in_node)
{
    unsigned char *flags = &m->flags[ntype];

    *flags |= (unsigned char)((in_node ? TYPE_IN_NODES : 0)
                              | (v->size != 1 ? TYPE_POOLED : 0)
                              | (vertex_taken_whole(v) ? TYPE_MARKED : 0)
                              | (*v->unit ? 0 : TYPE_NO_UNIT));
    return *v->unit ? add_unit(m, (unsigned)ntype, v) : 0;
}

static bool vertex_in_use(const struct matcher *m, const struct vertex *v)
{
    return v->state != STATE_UP
           || (v->records
               && (v->records->staged
                   || records_claimed(v->records, &m->when) >= v->size));
}

/* Children before parents. The depth of a set is bounded. */
static int survey(struct matcher *m, struct vertex *v, bool in_node)
{
    int ntype;

    v->index = 0;
    if (v->child && !new_rows(m, v))
        return -1;
    if (vertex_in_use(m, v))
        v->index |= UNUSABLE | TOUCHED;
    else if (vertex_shared(m, v))
        v->index |= TOUCHED;
    in_node = in_node || type_is_node(v->type);
    for (struct vertex *c = v->child; c; c = c->next) {
        ntype = matcher_type(m, c->type);
        if (note_vertex(m, c, ntype, in_node) < 0 || survey(m, c, in_node) < 0)
            return -1;
        v->index |= c->index & TOUCHED;
        m->nodes_nested |= in_node && type_is_node(c->type);
        add_to_parent(m, rows_of(m, v), c, ntype);
    }
    return 0;
}

static int survey_all(struct matcher *m)
{
    m->nsums = 0;
    m->nunits = 0;
    for (unsigned i = 0; i < m->ntypes * m->ntypes; i++)
        m->least[i] = INT64_MAX;
    m->above = (struct vertex){
        .type = "", .child = m->rs->root, .size = 1, .unit = ""};
    if (survey(m, &m->above, false) < 0)
        return -1;
    for (struct vertex *v = m->rs->loose; v; v = v->next) {
        int ntype = matcher_type(m, v->type);
        if (note_vertex(m, v, ntype, false) < 0 || survey(m, v, false) < 0)
            return -1;
        m->flags[ntype] |= TYPE_LOOSE;
    }
    return 0;
}

/* Does some claim not hold always? Then it matters who has what below. */
static int find_timed(struct matcher *m)
{
    for (struct vertex *v = rset_first(m->rs); v; v = rset_next(m->rs, v))
        for (const struct claim *c = v->records ? v->records->claims : NULL; c;
             c = c->next)
            m->timed = m->timed || c->start > 0 || c->end >= 0;
    return m->timed ? below_note(&m->below_jobs, m->rs) : 0;
}

int matcher_at(struct matcher *m, const struct period *when)
{
    bool same = m->when.now == when->now && m->when.from == when->from
                && m->when.to == when->to;

    m->when = *when;
    return same || !m->timed ? 0 : survey_all(m);
}

struct matcher *matcher_create(struct rset *rs, struct diag *d)
{
    struct matcher *m = xcalloc(1, sizeof(*m));

    if (m) {
        m->rs = rs;
        if (find_types(m) == 0 && find_timed(m) == 0 && survey_all(m) == 0)
            return m;
        matcher_destroy(m);
    }
    diag_oom(d);
    return NULL;
}

void matcher_destroy(struct matcher *m)
{
    if (!m)
        return;
    free(m->types);
    free(m->flags);
    free(m->below);
    free(m->least);
    free(m->units);
    free(m->sums);
    map_fini(&m->below_jobs);
    free(m);
}

int matcher_cut(struct matcher *m, const char *type, const struct idset *ids)
{
    int cut = rset_cut(m->rs, type, ids);

    return cut > 0 ? survey_all(m) : cut;
}

/* --- what one attempt may use ------------------------------------------- */

static bool vertex_blocked(const struct attempt *a, const struct vertex *v,
                           unsigned ignore)
{
    const struct records *rec = v->records;

    if (v->state != STATE_UP && !(ignore & IGNORE_STATE))
        return true;
    return rec
           && ((rec->staged && !(ignore & IGNORE_STAGED))
               || (!(ignore & IGNORE_CLAIMS)
                   && records_claimed(rec, &a->m->when) >= v->size));
}

static bool is_allowed(const struct attempt *a, const struct vertex *v)
{
    return !a->allowed || (a->ignore & IGNORE_CONSTRAINT)
           || !vertex_is_target(v)
           || idset_contains(a->allowed,
                             v->run ? idset_first(v->run) : (uint32_t)v->rank);
}

bool attempt_usable(const struct attempt *a, const struct vertex *v)
{
    unsigned ignore = a->ignore & IGNORE_USE;

    if (!is_allowed(a, v))
        return false;
    if (ignore == 0)
        return !(v->index & UNUSABLE);
    return ignore == IGNORE_USE || !vertex_blocked(a, v, ignore);
}

/* Are all targets in it? What is in a target is not looked at. */
static bool targets_allowed(const struct attempt *a, const struct vertex *top)
{
    const struct vertex *v = top;

    while (v) {
        if (!is_allowed(a, v))
            return false;
        v = vertex_next(top, v, vertex_is_target(v));
    }
    return true;
}

bool attempt_untouched(const struct attempt *a, const struct vertex *v)
{
    unsigned ignore = a->ignore & IGNORE_USE;

    if (ignore == 0 || ignore == IGNORE_USE)
        return ignore || !(v->index & TOUCHED);
    for (const struct vertex *at = v; at; at = vertex_next(v, at, false))
        if (vertex_blocked(a, at, ignore)
            || (!(ignore & IGNORE_CLAIMS) && vertex_shared(a->m, at)))
            return false;
    return true;
}

bool attempt_whole(const struct attempt *a, const struct vertex *v)
{
    return attempt_untouched(a, v) && (!a->allowed || targets_allowed(a, v));
}

int64_t attempt_free(const struct attempt *a, const struct vertex *v)
{
    if (a->ignore & IGNORE_CLAIMS)
        return v->size;
    return vertex_free(a->m, v);
}

int64_t matcher_below(const struct matcher *m, const struct vertex *v,
                      int ntype)
{
    const int64_t *rows = rows_of(m, v);

    return ntype < 0 || !rows ? 0 : rows[m->ntypes + (unsigned)ntype];
}

int64_t matcher_least_below(const struct matcher *m, int ntype, int below)
{
    int64_t least = m->least[(unsigned)ntype * m->ntypes + (unsigned)below];

    if (m->flags[ntype] & (TYPE_BARE | TYPE_LOOSE | TYPE_POOLED))
        return 0;
    return least == INT64_MAX ? 0 : least;
}

int64_t attempt_below(const struct attempt *a, const struct vertex *v,
                      int ntype)
{
    const int64_t *rows = rows_of(a->m, v);

    if (ntype < 0 || !rows || (a->ignore & IGNORE_USE))
        return matcher_below(a->m, v, ntype);
    return rows[(unsigned)ntype];
}

/* Could one entry be had, as far as the sums tell? */
static bool may_have(const struct attempt *a, const struct vertex *v,
                     const struct entry *e)
{
    int64_t units;

    if (e->slot)
        return attempt_may_hold(a, v, e->with);
    if (e->ntype >= 0 && (a->m->flags[e->ntype] & TYPE_LOOSE))
        return true;
    units = attempt_below(a, v, e->ntype);
    return units > 0
           && (e->hold == HOLD_SHARED || e->bytes
               || (uint64_t)units >= e->least);
}

bool attempt_may_hold(const struct attempt *a, const struct vertex *v,
                      const struct entry *list)
{
    for (; list; list = list->next)
        if (!may_have(a, v, list))
            return false;
    return true;
}
