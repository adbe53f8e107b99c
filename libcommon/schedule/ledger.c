#include "schedule/ledger.h"

#include <stdlib.h>
#include <string.h>

/* --- allocate ----------------------------------------------------------- */

struct recording {
    struct rset *rs;
    const char *job;
    struct claim claim;
};

static int record_children(struct recording *r, const struct pick *p,
                           struct vertex *v);

/* A part of what is below a pool held whole: that is what the R lists. */
static int list_below(struct recording *r, const struct pick *p,
                      struct vertex *v);

static struct vertex *child_at(const struct vertex *v, size_t n)
{
    struct vertex *c = v->child;

    while (c && n-- > 0)
        c = c->next;
    return c;
}

static size_t index_of(const struct vertex *parent, const struct vertex *v)
{
    const struct vertex *c = parent->child;
    size_t n = 0;

    for (; c && c != v; c = c->next)
        n++;
    return n;
}

/*
 * The vertices that the child picks of p name, below v: v is p->v, or a
 * member that was split off it, whose children are in the same order. They
 * are found before any of them is split.
 */
static struct vertex **resolve(const struct pick *p, struct vertex *v)
{
    struct vertex **list;
    size_t n = 0;

    for (const struct pick *c = p->child; c; c = c->next)
        n++;
    if (!(list = malloc((n + 1) * sizeof(*list))))
        return NULL;
    n = 0;
    for (const struct pick *c = p->child; c; c = c->next)
        list[n++] = v == p->v ? c->v : child_at(v, index_of(p->v, c->v));
    return list;
}

/* The members of a run that a pick names, as a vertex of their own. */
static struct vertex *split_off(struct recording *r, const struct pick *p,
                                struct vertex *v)
{
    struct idset *members;
    struct vertex *part;

    if (!v->run)
        return v;
    if (!(members = pick_members(p)))
        return NULL;
    part = vertex_split(r->rs, v, members);
    idset_destroy(members);
    return part;
}

static int add_claim(struct recording *r, struct vertex *v, int64_t size)
{
    if (!vertex_records(v))
        return -1;
    r->claim.size = size;
    return records_claim(v->records, &r->claim);
}

static int record(struct recording *r, const struct pick *p, struct vertex *v)
{
    if (p->shared || (p->child && !p->exclusive)) {
        if (!vertex_records(v) || joblist_add(&v->records->shared, r->job) < 0)
            return -1;
        return record_children(r, p, v);
    }
    if (add_claim(r, v, p->amount) < 0)
        return -1;
    return p->whole || !p->child ? 0 : list_below(r, p, v);
}

typedef int (*picked_fn)(struct recording *r, const struct pick *p,
                         struct vertex *v);

/* For every child pick of p the vertex below v that it names, split off. */
static int each_picked(struct recording *r, const struct pick *p,
                       struct vertex *v, picked_fn fn)
{
    struct vertex **at = resolve(p, v);
    size_t i = 0;
    int rc = at ? 0 : -1;

    for (const struct pick *c = p->child; c && rc == 0; c = c->next, i++) {
        struct vertex *part = split_off(r, c, at[i]);
        rc = part ? fn(r, c, part) : -1;
    }
    vertex_sort_children(v);
    free(at);
    return rc;
}

static int record_children(struct recording *r, const struct pick *p,
                           struct vertex *v)
{
    return each_picked(r, p, v, record);
}

/* `size` units of it, 0 for all of them. */
static int mark_listed(struct vertex *v, const char *job, int64_t size)
{
    if (!vertex_records(v))
        return -1;
    if (joblist_has(v->records->listed, job))
        return 0;
    return joblist_append(&v->records->listed, job, size);
}

static int list_all(struct vertex *top, const char *job)
{
    int rc = mark_listed(top, job, 0);

    for (struct vertex *v = vertex_next(top, top, false); v && rc == 0;
         v = vertex_next(top, v, false))
        rc = mark_listed(v, job, 0);
    return rc;
}

static int list_picked(struct recording *r, const struct pick *p,
                       struct vertex *v)
{
    if (p->whole)
        return list_all(v, r->job);
    if (mark_listed(v, r->job, p->amount < v->size ? p->amount : 0) < 0)
        return -1;
    return list_below(r, p, v);
}

static int list_below(struct recording *r, const struct pick *p,
                      struct vertex *v)
{
    return each_picked(r, p, v, list_picked);
}

int ledger_allocate(struct rset *rs, const struct selection *sel,
                    const char *job, double start, double end)
{
    struct recording r = {.rs = rs};

    if (!(r.job = rset_string(rs, job)))
        return -1;
    r.claim = (struct claim){
        .job = r.job, .start = start, .end = end, .kind = CLAIM_ALLOCATION};
    if (sel->root && record(&r, sel->root, sel->root->v) < 0)
        return -1;
    for (const struct pick *p = sel->loose; p; p = p->next)
        if (record(&r, p, p->v) < 0)
            return -1;
    return 0;
}

/* --- release and queries ------------------------------------------------ */

static bool forget(struct vertex *v, const char *job)
{
    bool found;

    if (!v->records)
        return false;
    found = records_drop_claims(v->records, job);
    found |= joblist_drop(&v->records->shared, job);
    found |= joblist_drop(&v->records->listed, job);
    vertex_tidy_records(v);
    return found;
}

bool ledger_release(struct rset *rs, const char *job)
{
    bool found = false;

    for (struct vertex *v = rset_first(rs); v; v = rset_next(rs, v))
        found |= forget(v, job);
    return found;
}

bool ledger_has(const struct rset *rs, const char *job)
{
    for (const struct vertex *v = rset_first(rs); v; v = rset_next(rs, v))
        if (v->records
            && (records_claimed_by(v->records, job)
                || joblist_has(v->records->shared, job)))
            return true;
    return false;
}

/* --- allocated ---------------------------------------------------------- */

struct listing {
    struct selection *sel;
    const char *job; /* NULL: all */
    bool failed;
};

static struct pick *new_pick(struct listing *l, struct vertex *v)
{
    struct pick *p = selection_pick(l->sel, v);

    if (p)
        pick_all_members(p);
    else
        l->failed = true;
    return p;
}

static int64_t allocated_units(const struct listing *l, const struct vertex *v)
{
    int64_t sum = 0;

    if (v->records)
        for (const struct claim *c = v->records->claims; c; c = c->next)
            if (c->kind == CLAIM_ALLOCATION
                && (!l->job || !strcmp(c->job, l->job)))
                sum += c->size;
    return sum;
}

/* What is marked as listed below a pool that is held whole. */
static struct pick *pick_listed(struct listing *l, struct vertex *v)
{
    struct pick *p, *first = NULL, **end = &first;
    const struct joblist *mark = v->records ? v->records->listed : NULL;

    if (l->job)
        mark = joblist_find(mark, l->job);
    for (struct vertex *c = v->child; c; c = c->next)
        if ((*end = pick_listed(l, c)))
            end = &(*end)->next;
    if (!first && !mark)
        return NULL;
    if ((p = new_pick(l, v))) {
        p->child = first;
        p->exclusive = mark;
        if (mark && mark->size > 0)
            p->amount = mark->size;
    }
    return p;
}

/* Is the pool itself marked as listed? Then what is below it is not. */
static bool lists_nothing(const struct listing *l, const struct vertex *v)
{
    return v->records && v->records->listed
           && (!l->job || joblist_has(v->records->listed, l->job));
}

static struct pick *pick_held(struct listing *l, struct vertex *v,
                              int64_t units)
{
    struct pick *p = new_pick(l, v), **end;

    if (!p)
        return NULL;
    p->amount = units < v->size ? units : v->size;
    p->exclusive = p->amount == v->size;
    end = &p->child;
    for (struct vertex *c = v->child; c && p->exclusive; c = c->next)
        if ((*end = pick_listed(l, c)))
            end = &(*end)->next;
    p->whole = p->exclusive && !p->child && !lists_nothing(l, v);
    return p;
}

/* Does the job share this very pool? */
static bool shares(const struct listing *l, const struct vertex *v)
{
    return l->job && vertex_shared_by(v, l->job)
           && !records_claimed_by(v->records, l->job);
}

static struct pick *pick_allocated(struct listing *l, struct vertex *v)
{
    int64_t units = allocated_units(l, v);
    struct pick *p, *first = NULL, **end = &first;

    if (units > 0)
        return pick_held(l, v, units);
    for (struct vertex *c = v->child; c; c = c->next)
        if ((*end = pick_allocated(l, c)))
            end = &(*end)->next;
    if (!first && !shares(l, v))
        return NULL;
    if ((p = new_pick(l, v))) {
        p->child = first;
        p->shared = true;
    }
    return p;
}

static struct selection *list_set(const struct rset *rs, const char *job,
                                  struct pick *(*pick)(struct listing *l,
                                                       struct vertex *v))
{
    struct listing l = {.sel = selection_create(), .job = job};
    struct pick **end;

    if (!l.sel)
        return NULL;
    if (rs->root)
        l.sel->root = pick(&l, rs->root);
    end = &l.sel->loose;
    for (struct vertex *v = rs->loose; v; v = v->next)
        if ((*end = pick(&l, v)))
            end = &(*end)->next;
    if (!l.failed)
        return l.sel;
    selection_destroy(l.sel);
    return NULL;
}

struct selection *ledger_allocated(const struct rset *rs, const char *job)
{
    return list_set(rs, job, pick_allocated);
}

void ledger_times(const struct rset *rs, const char *job, double *start,
                  double *end)
{
    bool first = true;

    *start = *end = TIME_UNSET;
    for (const struct vertex *v = rset_first(rs); v; v = rset_next(rs, v)) {
        const struct claim *c = v->records ? v->records->claims : NULL;
        for (; c; c = c->next) {
            if (c->kind != CLAIM_ALLOCATION || strcmp(c->job, job))
                continue;
            if (first || c->start < *start)
                *start = c->start;
            if (first || c->end < 0 || (*end >= 0 && c->end > *end))
                *end = c->end;
            first = false;
        }
    }
}

/* --- available ---------------------------------------------------------- */

/* Does any job hold, share or have reserved something of it? */
static bool in_use(const struct vertex *top)
{
    for (const struct vertex *v = top; v; v = vertex_next(top, v, false))
        if (v->records && (v->records->claims || v->records->shared))
            return true;
    return false;
}

static struct pick *pick_available(struct listing *l, struct vertex *v)
{
    int64_t units = v->size - records_claimed(v->records);
    struct pick *p, *first = NULL, **end = &first;

    if (units <= 0 || v->state != STATE_UP || (v->records && v->records->staged)
        || (vertex_taken_whole(v) && in_use(v)))
        return NULL;
    for (struct vertex *c = v->child; c; c = c->next)
        if ((*end = pick_available(l, c)))
            end = &(*end)->next;
    if (v->child && !first)
        return NULL;
    if ((p = new_pick(l, v))) {
        p->child = first;
        p->amount = units;
    }
    return p;
}

struct selection *ledger_available(const struct rset *rs)
{
    struct selection *sel = list_set(rs, NULL, pick_available);

    if (sel)
        sel->inventory = true;
    return sel;
}
