#include "schedule/ledger.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/path.h"

/* --- allocate ----------------------------------------------------------- */

struct recording {
    struct rset *rs;
    const char *job;
    struct claim claim;
    bool staged;
};

static int record_children(struct recording *r, const struct pick *p,
                           struct vertex *v);

/* `size` units of it, 0 for all of them; if more are listed, so many. */
static int mark_listed(struct vertex *v, const char *job, int64_t size)
{
    struct joblist *mark;

    if (!vertex_records(v))
        return -1;
    for (mark = v->records->listed; mark; mark = mark->next)
        if (!strcmp(mark->job, job)) {
            if (size == 0 || (mark->size > 0 && mark->size < size))
                mark->size = size;
            return 0;
        }
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

/* A part of what is below a pool held whole: that is what the R lists. */
static int list_below(struct recording *r, const struct pick *p,
                      struct vertex *v);

static int add_claim(struct recording *r, struct vertex *v, int64_t size)
{
    if (size == 0)
        return 0; /* a pool without units has nothing to give */
    if (!vertex_records(v))
        return -1;
    if (r->staged)
        v->records->staged = r->job;
    if (!v->child) /* it has units of it, which says more */
        joblist_drop(&v->records->shared, r->job);
    for (struct claim *c = v->records->claims; c; c = c->next)
        if (claim_same_terms(c, &r->claim)) {
            c->size += size;
            return 0;
        }
    r->claim.size = size;
    return records_claim(v->records, &r->claim);
}

static void drop_list(struct vertex *top, const char *job)
{
    for (struct vertex *v = top; v; v = vertex_next(top, v, false))
        if (v->records && joblist_drop(&v->records->listed, job))
            vertex_tidy_records(v);
}

/* Is all that is below it listed? */
static bool lists_all(const struct vertex *top, const char *job)
{
    const struct joblist *mark;

    for (const struct vertex *v = vertex_next(top, top, false); v;
         v = vertex_next(top, v, false)) {
        mark = v->records ? joblist_find(v->records->listed, job) : NULL;
        if (!mark || mark->size > 0)
            return false;
    }
    return true;
}

/* Has the job all of something that it lies in, at whatever time? */
static bool is_in_whole(const struct vertex *v, const char *job)
{
    for (v = v->parent; v; v = v->parent)
        if (records_claimed_by(v->records, job) >= v->size)
            return true;
    return false;
}

/* Has it all of the pool, or of something that it lies in, with no list? */
static bool is_all_listed(const struct vertex *v, const char *job)
{
    for (; v; v = v->parent)
        if (records_claimed_by(v->records, job) >= v->size
            && !vertex_lists_part(v, job))
            return true;
    return false;
}

/*
 * A pool that is the job's whole. Lists have no times: of one that it has at
 * several, what is listed is what any of them lists, and where that is all,
 * no mark says more.
 */
static int record_held(struct recording *r, const struct pick *p,
                       struct vertex *v)
{
    bool all = is_all_listed(v, r->job), in_whole = is_in_whole(v, r->job);
    int rc = 0;

    if (add_claim(r, v, p->amount) < 0)
        return -1;
    if (all || !v->child)
        return 0;
    if (!p->whole && p->child)
        rc = list_below(r, p, v);
    else if (!p->whole)
        rc = mark_listed(v, r->job, 0); /* and nothing in it */
    else if (in_whole)
        rc = list_all(v, r->job);
    if (rc == 0 && !in_whole && (p->whole || lists_all(v, r->job)))
        drop_list(v, r->job);
    return rc;
}

static int record(struct recording *r, const struct pick *p, struct vertex *v)
{
    if (p->shared || (p->child && !p->exclusive)) {
        if (!vertex_records(v)
            || ((v->child || !records_claimed_by(v->records, r->job))
                && joblist_add(&v->records->shared, r->job) < 0))
            return -1;
        return record_children(r, p, v);
    }
    return p->exclusive ? record_held(r, p, v) : add_claim(r, v, p->amount);
}

typedef int (*picked_fn)(struct recording *r, const struct pick *p,
                         struct vertex *v);

/* For every child pick of p the vertex below v that it names, split off. */
static int each_picked(struct recording *r, const struct pick *p,
                       struct vertex *v, picked_fn fn)
{
    struct vertex **at = pick_children(p, v);
    size_t i = 0;
    int rc = at ? 0 : -1;

    for (const struct pick *c = p->child; c && rc == 0; c = c->next, i++) {
        struct vertex *part = pick_split(r->rs, c, at[i]);
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
                    const struct terms *terms)
{
    struct recording r = {.rs = rs, .staged = terms->staged};

    r.claim = (struct claim){
        .job = r.job = rset_string(rs, terms->job),
        .owner = terms->owner ? rset_string(rs, terms->owner) : NULL,
        .start = terms->start,
        .end = terms->end,
        .kind = terms->reserved ? CLAIM_RESERVATION : CLAIM_ALLOCATION,
    };
    if (!r.job || !r.claim.owner != !terms->owner
        || (sel->root && record(&r, sel->root, sel->root->v) < 0))
        return -1;
    for (const struct pick *p = sel->loose; p; p = p->next)
        if (record(&r, p, p->v) < 0)
            return -1;
    return 0;
}

/* --- is it free? -------------------------------------------------------- */

struct asking {
    const struct rset *rs;
    const struct period *when;
    struct diag *d;
};

/*
 * A job that shares the pool itself. One that only has something below it is
 * met there, and may have it at another time.
 */
static const char *sharer(const struct vertex *v)
{
    for (const struct joblist *j = v->records->shared; j; j = j->next)
        if (!v->child || vertex_shared_by(v, j->job))
            return j->job;
    return NULL;
}

/*
 * Who is in the way, in words: a lock, a claim, or a job that shares it. NULL:
 * nobody.
 */
static const char *obstacle(const struct asking *q, const struct vertex *v,
                            const char **job)
{
    const struct records *rec = v->records;

    if (!rec)
        return NULL;
    if ((*job = rec->staged))
        return "staged for";
    for (const struct claim *c = rec->claims; c; c = c->next)
        if (claim_during(c, q->when)) {
            *job = c->job;
            return "held by";
        }
    *job = sharer(v);
    return *job ? "shared by" : NULL;
}

/* `left`: units of it that are free, of which more are asked for. */
static int not_free(const struct asking *q, const struct vertex *v,
                    int64_t left)
{
    char *place = vertex_place(q->rs, v);
    const char *what = place ? place : v->type, *job, *words;

    if (left > 0) {
        diag_set(q->d, "%s: only %lld of %lld units are free", what,
                 (long long)left, (long long)v->size);
    } else if ((words = obstacle(q, v, &job))) {
        diag_set(q->d, "%s is %s job %s", what, words, job);
    } else {
        diag_set(q->d, "%s has no units", what);
    }
    free(place);
    return 1;
}

/* Nothing in it may be claimed by anybody. */
static int check_whole(const struct asking *q, const struct vertex *top)
{
    for (const struct vertex *v = top; v; v = vertex_next(top, v, false))
        if (v->records
            && (v->records->staged || records_claimed(v->records, q->when) > 0
                || sharer(v)))
            return not_free(q, v, 0);
    return 0;
}

/*
 * Sharing is not recorded with times, and what is held whole is not shared
 * (RFC 4): it must not be, whenever.
 */
static int check_shared(const struct asking *q, const struct vertex *v)
{
    const struct period ever = {q->when->now, 0, INFINITY};
    const struct asking any_time = {q->rs, &ever, q->d};

    for (; v; v = v->parent)
        for (const struct claim *c = v->records ? v->records->claims : NULL; c;
             c = c->next)
            if (c->size >= v->size)
                return not_free(&any_time, v, 0);
    return 0;
}

static int check_pick(const struct asking *q, const struct pick *p)
{
    const struct vertex *v = p->v;
    int64_t claimed = records_claimed(v->records, q->when);
    int rc = 0;

    if (v->records && v->records->staged)
        return not_free(q, v, 0);
    if (p->exclusive || p->whole)
        return check_whole(q, v);
    if (claimed >= v->size
        || (!p->child && !p->shared && v->size - claimed < p->amount))
        return not_free(q, v, v->size - claimed);
    if (p->shared)
        rc = check_shared(q, v);
    for (const struct pick *c = p->child; c && rc == 0; c = c->next)
        rc = check_pick(q, c);
    return rc;
}

int ledger_check_free(const struct rset *rs, const struct selection *sel,
                      const struct period *when, struct diag *d)
{
    struct asking q = {.rs = rs, .when = when, .d = d};
    int rc = sel->root ? check_pick(&q, sel->root) : 0;

    for (const struct pick *p = sel->loose; p && rc == 0; p = p->next)
        rc = check_pick(&q, p);
    return rc;
}

/* --- staging ------------------------------------------------------------ */

bool ledger_commit(struct rset *rs, const char *job)
{
    bool found = false;

    for (struct vertex *v = rset_first(rs); v; v = rset_next(rs, v))
        if (v->records && v->records->staged
            && !strcmp(v->records->staged, job)) {
            v->records->staged = NULL;
            found = true;
            vertex_tidy_records(v);
        }
    return found;
}

bool ledger_abort(struct rset *rs, const char *job)
{
    if (!ledger_commit(rs, job))
        return false;
    ledger_release(rs, job); /* a lock may be all that there is */
    return true;
}
