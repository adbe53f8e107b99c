/*
 * What the ledger tells of: who has what, and what nobody has.
 */
#include <stdlib.h>
#include <string.h>

#include "schedule/ledger.h"

bool ledger_has(const struct rset *rs, const char *job)
{
    for (const struct vertex *v = rset_first(rs); v; v = rset_next(rs, v))
        if (v->records
            && (records_claimed_by(v->records, job)
                || joblist_has(v->records->shared, job)))
            return true;
    return false;
}

const char *ledger_job(const struct rset *rs, const char *text,
                       char buf[JOB_DIGITS_MAX])
{
    if (ledger_has(rs, text) || !job_decode(text, true, buf))
        return text;
    return ledger_has(rs, buf) || job_decode(text, false, buf) ? buf : text;
}

void ledger_terms(const struct rset *rs, const char *job, struct terms *out)
{
    bool first = true;

    *out = (struct terms){.job = job, .start = TIME_UNSET, .end = TIME_UNSET};
    for (const struct vertex *v = rset_first(rs); v; v = rset_next(rs, v)) {
        const struct records *rec = v->records;
        if (!rec)
            continue;
        out->staged |= rec->staged && !strcmp(rec->staged, job);
        for (const struct claim *c = rec->claims; c; c = c->next) {
            if (strcmp(c->job, job) != 0)
                continue;
            if (first || c->start < out->start)
                out->start = c->start;
            if (first || c->end < 0 || (out->end >= 0 && c->end > out->end))
                out->end = c->end;
            out->owner = c->owner ? c->owner : out->owner;
            out->reserved |= c->kind == CLAIM_RESERVATION;
            first = false;
        }
    }
}

/* --- allocated ---------------------------------------------------------- */

struct listing {
    struct selection *sel;
    const char *job;           /* NULL: all */
    bool held;                 /* all that is held, not only what is listed */
    bool implied;              /* what is implied is picked by itself */
    const struct period *when; /* for what is available */
    bool any_state;
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
            if (l->job ? !strcmp(c->job, l->job) : c->kind == CLAIM_ALLOCATION)
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

/* All that is below a pool that is held whole. */
static struct pick *pick_implied(struct listing *l, const struct vertex *v)
{
    struct pick *first = NULL, **end = &first;

    for (struct vertex *c = v->child; c; c = c->next) {
        if (!(*end = new_pick(l, c)))
            break;
        (*end)->exclusive = true;
        (*end)->child = pick_implied(l, c);
        end = &(*end)->next;
    }
    return first;
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
    for (struct vertex *c = l->held ? NULL : v->child; c && p->exclusive;
         c = c->next)
        if ((*end = pick_listed(l, c)))
            end = &(*end)->next;
    p->whole = p->exclusive && !p->child && (l->held || !lists_nothing(l, v));
    if (l->implied && p->exclusive) {
        p->child = pick_implied(l, v);
        p->whole = !p->child;
    }
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

static struct selection *list_set(const struct rset *rs, struct listing l,
                                  struct pick *(*pick)(struct listing *l,
                                                       struct vertex *v))
{
    struct pick **end;

    if (!(l.sel = selection_create()))
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

struct selection *ledger_allocated(const struct rset *rs, const char *job,
                                   bool held)
{
    return list_set(rs, (struct listing){.job = job, .held = held},
                    pick_allocated);
}

struct selection *ledger_holdings(const struct rset *rs, const char *job)
{
    return list_set(rs,
                    (struct listing){.job = job, .held = true, .implied = true},
                    pick_allocated);
}

/*
 * A pool with nothing in it that the job only shares says so, or its R would
 * claim it. Of one in which there is something it is plain: nothing of that
 * is in the R.
 */
static int mark_shared(struct rset *R, const struct rset *rs, const char *job)
{
    for (struct vertex *v = rset_first(rs); v; v = rset_next(rs, v))
        if (v->peer && !v->child && vertex_shared_by(v, job)
            && !records_claimed_by(v->records, job)) {
            const char *name = rset_string(R, job);
            if (!name || !vertex_records(v->peer)
                || joblist_add(&v->peer->records->shared, name) < 0)
                return -1;
        }
    return 0;
}

int ledger_complete_R(struct rset *R, const struct rset *rs, const char *job)
{
    struct terms terms;

    ledger_terms(rs, job, &terms);
    if ((terms.start >= 0 || terms.end >= 0)
        && rset_set_times(R, terms.start, terms.end) < 0)
        return -1;
    return mark_shared(R, rs, job);
}

/* --- available ---------------------------------------------------------- */

/* Is something of it claimed in the period, or shared? */
static bool in_use(const struct listing *l, const struct vertex *top)
{
    for (const struct vertex *v = top; v; v = vertex_next(top, v, false))
        if (v->records
            && (records_claimed(v->records, l->when) > 0
                || (!v->child && v->records->shared)))
            return true;
    return false;
}

static struct pick *pick_available(struct listing *l, struct vertex *v)
{
    int64_t units = v->size - records_claimed(v->records, l->when);
    struct pick *p, *first = NULL, **end = &first;

    if (units <= 0 || (v->state != STATE_UP && !l->any_state)
        || (v->records && v->records->staged)
        || (vertex_taken_whole(v) && in_use(l, v)))
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

struct selection *ledger_available(const struct rset *rs,
                                   const struct period *when, bool any_state)
{
    struct selection *sel = list_set(
        rs, (struct listing){.when = when, .any_state = any_state},
        pick_available);

    if (sel)
        sel->inventory = true;
    return sel;
}
