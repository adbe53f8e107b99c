/*
 * Taking back what a job has: all of it, a part, or what has ended.
 *
 * A pool that is held whole has no records below it. Where a part of it is
 * given back, what is left is first recorded on its children, and on theirs
 * as far down as the part is.
 */
#include <math.h>
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
    char *path = vertex_place(s->rs, v);

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

static bool gives_all(const struct pick *p);

/* Do these picks give all of a pool, of all members of a run? */
static bool gives_vertex(const struct pick *list, const struct vertex *v)
{
    uint64_t members = 0;

    for (const struct pick *p = list; p; p = p->next)
        if (p->v == v && gives_all(p))
            members += v->run ? p->nmembers : 1;
    return members >= vertex_count(v);
}

/* Is nothing in it kept? */
static bool gives_all(const struct pick *p)
{
    if (gives_pool(p))
        return p->amount >= p->v->size;
    for (const struct vertex *v = p->v->child; v; v = v->next)
        if (!gives_vertex(p->child, v))
            return false;
    return true;
}

/* RFC 4, Exclusive flag: it is held whole, or not at all. */
static int check_flag(const struct shrinking *s, const struct pick *p)
{
    char *path;

    if (!vertex_taken_whole(p->v) || gives_all(p))
        return 0;
    path = vertex_place(s->rs, p->v);
    diag_set(s->d, "%s can only be given back whole", path ? path : p->v->type);
    free(path);
    return 1;
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
        return has < p->amount ? not_held(s, v, has, p->amount)
                               : check_flag(s, p);
    }
    for (const struct pick *c = p->child; c && rc == 0; c = c->next)
        rc = check_held(s, c, whole);
    return rc ? rc : check_flag(s, p);
}

/* What is left of it is all listed, and as staged as it was. */
static void settle_below(const struct shrinking *s, struct vertex *top)
{
    const char *staged = top->records->staged;

    if (staged && !strcmp(staged, s->job)) {
        for (struct vertex *c = top->child; c; c = c->next)
            c->records->staged = staged;
        top->records->staged = NULL;
    }
    for (struct vertex *v = top; v; v = vertex_next(top, v, false))
        if (v->records && joblist_drop(&v->records->listed, s->job))
            vertex_tidy_records(v);
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
            if (claim.size == 0)
                continue; /* there is nothing in it to be had */
            if (!vertex_records(child)
                || records_claim(child->records, &claim) < 0)
                return -1;
        }
    }
    if (joblist_add(&rec->shared, s->job) < 0)
        return -1;
    records_drop_claims(rec, s->job);
    settle_below(s, v);
    return 0;
}

/* Which of two claims is the later one does not depend on their order. */
static bool is_later(const struct claim *a, const struct claim *b)
{
    double a_end = a->end < 0 ? INFINITY : a->end;
    double b_end = b->end < 0 ? INFINITY : b->end;

    if (a->start != b->start)
        return a->start > b->start;
    if (a_end != b_end)
        return a_end > b_end;
    if (a->kind != b->kind)
        return a->kind == CLAIM_RESERVATION;
    return a->owner && (!b->owner || strcmp(a->owner, b->owner) > 0);
}

/* Take units back, the latest of the claims first. */
static void take_back(const struct shrinking *s, struct vertex *v,
                      int64_t units)
{
    while (units > 0) {
        struct claim *last = NULL;
        for (struct claim *c = v->records->claims; c; c = c->next)
            if (!strcmp(c->job, s->job) && (!last || is_later(c, last)))
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
    if (v->records->staged && !strcmp(v->records->staged, s->job)
        && !claimed(s, v))
        v->records->staged = NULL;
    vertex_tidy_records(v);
}

/* Does the job have a part of it that begins at one of its children? */
static bool has_in(const struct shrinking *s, const struct vertex *v)
{
    for (const struct vertex *c = v->child; c; c = c->next)
        if (claimed(s, c)
            || (c->records && joblist_has(c->records->shared, s->job)))
            return true;
    return false;
}

/* What is listed means something only in what is held whole. */
static void drop_listed(const struct shrinking *s, struct vertex *top)
{
    for (struct vertex *v = top; v;) {
        bool whole = v->child && claimed(s, v) >= v->size;
        if (!whole && v->records && joblist_drop(&v->records->listed, s->job))
            vertex_tidy_records(v);
        v = vertex_next(top, v, whole);
    }
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
    /* check_flag() has seen to it that all of it is given */
    bool flagged = vertex_taken_whole(v) && claimed(s, v) >= v->size;

    if (gives_pool(p) || flagged) {
        if (p->shared && v->records && !has_in(s, v))
            joblist_drop(&v->records->shared, s->job);
        if (v->records)
            take_back(s, v, flagged ? v->size : p->amount);
        drop_listed(s, v);
        return 0;
    }
    if (v->child && claimed(s, v) >= v->size && spread(s, v) < 0)
        return -1;
    if (give_children(s, p, v) < 0)
        return -1;
    if (v->records && !has_in(s, v)
        && joblist_drop(&v->records->shared, s->job))
        vertex_tidy_records(v);
    return 0;
}

int ledger_shrink(struct rset *rs, const char *job,
                  const struct selection *what, struct diag *d)
{
    struct shrinking s = {.rs = rs, .job = rset_string(rs, job), .d = d};
    int rc = !s.job ? -1 : what->root ? check_held(&s, what->root, false) : 0;

    for (const struct pick *p = what->loose; p && rc == 0; p = p->next)
        rc = check_held(&s, p, false);
    if (rc > 0)
        return rc;
    if (rc == 0 && what->root)
        rc = give(&s, what->root, what->root->v);
    for (const struct pick *p = what->loose; p && rc == 0; p = p->next)
        rc = give(&s, p, p->v);
    return rc < 0 ? diag_oom(d) : 0;
}
