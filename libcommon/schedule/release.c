/*
 * Taking back what a job has: all of it, a part, or what has ended.
 *
 * A pool that is held whole has no records below it. Where a part of it is
 * given back, what is left is first recorded on its children, and on theirs
 * as far down as the part is.
 */
#include <stdlib.h>
#include <string.h>

#include "model/path.h"
#include "schedule/ledger.h"

static bool forget(struct vertex *v, const char *job)
{
    bool found;

    if (!v->records)
        return false;
    found = records_drop_claims(v->records, job);
    found |= joblist_drop(&v->records->shared, job);
    found |= joblist_drop(&v->records->listed, job);
    if (v->records->staged && !strcmp(v->records->staged, job))
        v->records->staged = NULL;
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

/* --- a part ------------------------------------------------------------- */

struct shrinking {
    struct rset *rs;
    const char *job;
    struct diag *d;
};

static int64_t claimed(const struct shrinking *s, const struct vertex *v)
{
    return v->records ? records_claimed_by(v->records, s->job) : 0;
}

static int not_held(const struct shrinking *s, const struct vertex *v,
                    int64_t has, int64_t amount)
{
    char *path = vertex_path(v);

    if (has > 0)
        diag_set(s->d, "job %s has only %lld of %s, not %lld", s->job,
                 (long long)has, path ? path : v->type, (long long)amount);
    else
        diag_set(s->d, "job %s does not hold %s", s->job,
                 path ? path : v->type);
    free(path);
    return 1;
}

/* Is the end of a pick at this pool, and not at something in it? */
static bool gives_pool(const struct pick *p)
{
    return p->whole || !p->child;
}

/* `whole`: a pool above is held whole. */
static int check_held(const struct shrinking *s, const struct pick *p,
                      bool whole)
{
    const struct vertex *v = p->v;
    int64_t has = whole ? v->size : claimed(s, v);
    int rc = 0;

    whole = whole || (v->child && has >= v->size);
    if (gives_pool(p)) {
        if (p->shared && !whole && vertex_shared_by(v, s->job))
            return 0;
        return has < p->amount ? not_held(s, v, has, p->amount) : 0;
    }
    for (const struct pick *c = p->child; c && rc == 0; c = c->next)
        rc = check_held(s, c, whole);
    return rc;
}

/* Record what a job has of a pool on its children instead. */
static int spread(const struct shrinking *s, struct vertex *v)
{
    struct records *rec = v->records;

    for (const struct claim *c = rec->claims; c; c = c->next) {
        if (strcmp(c->job, s->job) != 0)
            continue;
        for (struct vertex *child = v->child; child; child = child->next) {
            struct claim claim = *c;
            claim.size = child->size;
            if (!vertex_records(child)
                || records_claim(child->records, &claim) < 0)
                return -1;
        }
    }
    records_drop_claims(rec, s->job);
    return joblist_add(&rec->shared, s->job);
}

/* Take units back, the latest of the claims first. */
static void take_back(const struct shrinking *s, struct vertex *v,
                      int64_t units)
{
    while (units > 0) {
        struct claim *last = NULL;
        for (struct claim *c = v->records->claims; c; c = c->next)
            if (!strcmp(c->job, s->job)
                && (!last || c->start >= last->start))
                last = c;
        if (!last)
            break;
        if (last->size > units) {
            last->size -= units;
            break;
        }
        units -= last->size;
        records_drop(v->records, last);
    }
    vertex_tidy_records(v);
}

static int give(const struct shrinking *s, const struct pick *p,
                struct vertex *v);

static int give_children(const struct shrinking *s, const struct pick *p,
                         struct vertex *v)
{
    struct vertex **at = pick_children(p, v);
    size_t i = 0;
    int rc = at ? 0 : -1;

    for (const struct pick *c = p->child; c && rc == 0; c = c->next, i++) {
        struct vertex *part = pick_split(s->rs, c, at[i]);
        rc = part ? give(s, c, part) : -1;
    }
    vertex_sort_children(v);
    free(at);
    return rc;
}

static int give(const struct shrinking *s, const struct pick *p,
                struct vertex *v)
{
    if (gives_pool(p)) {
        if (p->shared && v->records)
            joblist_drop(&v->records->shared, s->job);
        if (v->records)
            take_back(s, v, p->amount);
        return 0;
    }
    if (v->child && claimed(s, v) >= v->size && spread(s, v) < 0)
        return -1;
    return give_children(s, p, v);
}

/* What is left is all listed: marks say so only below what is held whole. */
static void drop_listed(struct rset *rs, const char *job)
{
    for (struct vertex *v = rset_first(rs); v; v = rset_next(rs, v))
        if (v->records && joblist_drop(&v->records->listed, job))
            vertex_tidy_records(v);
}

int ledger_shrink(struct rset *rs, const char *job,
                  const struct selection *what, struct diag *d)
{
    struct shrinking s = {.rs = rs, .job = job, .d = d};
    int rc = what->root ? check_held(&s, what->root, false) : 0;

    for (const struct pick *p = what->loose; p && rc == 0; p = p->next)
        rc = check_held(&s, p, false);
    if (rc)
        return rc;
    drop_listed(rs, job);
    if (what->root)
        rc = give(&s, what->root, what->root->v);
    for (const struct pick *p = what->loose; p && rc == 0; p = p->next)
        rc = give(&s, p, p->v);
    if (rc < 0 || ledger_reannotate(rs) < 0)
        return diag_oom(d);
    return 0;
}
