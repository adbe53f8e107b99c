/*
 * The ledger on a set, for tests that look at vertices between the steps: after
 * each step the set is settled, and its usage is made again from its vertices.
 */
#ifndef TEST_UNIT_ONCE_H
#define TEST_UNIT_ONCE_H

#include "model/records/jobs.h"
#include "model/records/usage.h"
#include "schedule/ledger.h"
#include "schedule/plan.h"

#define UNUSED __attribute__((unused))

static UNUSED void once_more(struct rset *rs)
{
    usage_settle(rs);
    usage_gather(rs);
    usage_settle(rs);
}

static UNUSED void once_allocate(struct rset *rs, const char *job,
                                 const struct selection *sel,
                                 const struct term *terms)
{
    struct usage *u = usage_begin(rs);

    ledger_allocate(u, job, sel, terms);
    once_more(rs);
}

/* Are the selected resources free, whatever their state? */
static UNUSED bool once_is_free(struct rset *rs, const char *job,
                                const struct selection *sel,
                                const struct term *terms, double now,
                                struct diag *d)
{
    return plan_check(usage_begin(rs), job, sel, terms, now,
                      PLAN_CHOSEN | PLAN_ANY_STATE, d)
           == PLAN_GOOD;
}

static UNUSED bool once_commit(struct rset *rs, const char *job)
{
    struct usage *u = usage_begin(rs);
    bool found = ledger_commit(u, job);

    once_more(rs);
    return found;
}

static UNUSED bool once_abort(struct rset *rs, const char *job)
{
    struct usage *u = usage_begin(rs);
    bool found = ledger_abort(u, job);

    once_more(rs);
    return found;
}

static UNUSED bool once_release(struct rset *rs, const char *job)
{
    struct usage *u = usage_begin(rs);
    bool found = ledger_release(u, job);

    once_more(rs);
    return found;
}

static UNUSED int once_shrink(struct rset *rs, const char *job,
                              const struct selection *what, struct diag *d)
{
    struct usage *u = usage_begin(rs);
    int rc = ledger_shrink(u, job, what, d);

    once_more(rs);
    return rc;
}

static UNUSED size_t once_expire(struct rset *rs, double now, expire_fn report,
                                 void *arg)
{
    struct usage *u = usage_begin(rs);
    size_t n = ledger_expire(u, now, report, arg);

    once_more(rs);
    return n;
}

static UNUSED int once_extend(struct rset *rs, const char *job, double end,
                              double now, struct diag *d)
{
    struct usage *u = usage_begin(rs);
    int rc = ledger_extend(u, job, end, now, d);

    once_more(rs);
    return rc;
}

static UNUSED bool once_has(struct rset *rs, const char *job)
{
    struct usage *u = usage_begin(rs);
    bool has = job_find(u, job);

    return has;
}

static UNUSED struct selection *once_allocated(struct rset *rs, const char *job,
                                               bool held)
{
    struct usage *u = usage_begin(rs);
    struct selection *sel = ledger_allocated(u, job, held, 0);

    return sel;
}

/* Pick each pool below a pool that is held whole. */
static UNUSED void pick_all_below(struct selection *sel, struct pick *p)
{
    struct pick **end = &p->child;

    for (struct vertex *c = vertex_child(p->v); c; c = c->next) {
        *end = selection_pick(sel, c);
        pick_all_members(*end);
        (*end)->exclusive = true;
        pick_all_below(sel, *end);
        end = &(*end)->next;
    }
}

static UNUSED void pick_implied(struct selection *sel, struct pick *list)
{
    for (struct pick *p = list; p; p = p->next) {
        if (p->exclusive) {
            pick_all_below(sel, p);
            p->whole = !p->child;
        } else {
            pick_implied(sel, p->child);
        }
    }
}

/*
 * All that a job holds, down to the last pool: pools inside a pool that is held
 * whole are picked, too.
 */
static UNUSED struct selection *holdings(struct usage *u, const char *job)
{
    struct selection *sel = ledger_allocated(u, job, true, 0);

    pick_implied(sel, sel->picks);
    return sel;
}

static UNUSED struct selection *once_holdings(struct rset *rs, const char *job)
{
    return holdings(usage_begin(rs), job);
}

static UNUSED struct selection *
once_available(struct rset *rs, const struct period *when, bool any_state)
{
    struct usage *u = usage_begin(rs);
    struct selection *sel = ledger_available(u, when, any_state);

    return sel;
}

#endif /* TEST_UNIT_ONCE_H */
