/*
 * The ledger on a set whose records are its only memory: each call makes
 * usage of the set, and what it did is in the records after it. So a test
 * looks at the set itself between any two steps.
 */
#ifndef TEST_UNIT_ONCE_H
#define TEST_UNIT_ONCE_H

#include "schedule/ledger.h"
#include "schedule/plan.h"

#define UNUSED __attribute__((unused))

static UNUSED void once_allocate(struct rset *rs, const struct selection *sel,
                                 const struct terms *terms)
{
    struct usage *u = usage_create(rs);

    ledger_allocate(u, sel, terms);
    usage_settle(u);
}

static UNUSED int once_check_free(struct rset *rs, const struct selection *sel,
                                  const struct period *when, struct diag *d)
{
    struct usage *u = usage_create(rs);
    int rc = plan_check_free(u, sel, when, d);

    usage_destroy(u);
    return rc;
}

static UNUSED bool once_commit(struct rset *rs, const char *job)
{
    struct usage *u = usage_create(rs);
    bool found = ledger_commit(u, job);

    usage_settle(u);
    return found;
}

static UNUSED bool once_abort(struct rset *rs, const char *job)
{
    struct usage *u = usage_create(rs);
    bool found = ledger_abort(u, job);

    usage_settle(u);
    return found;
}

static UNUSED bool once_release(struct rset *rs, const char *job)
{
    struct usage *u = usage_create(rs);
    bool found = ledger_release(u, job);

    usage_settle(u);
    return found;
}

static UNUSED int once_shrink(struct rset *rs, const char *job,
                              const struct selection *what, struct diag *d)
{
    struct usage *u = usage_create(rs);
    int rc = ledger_shrink(u, job, what, d);

    usage_settle(u);
    return rc;
}

static UNUSED size_t once_expire(struct rset *rs, double now, expire_fn report,
                                 void *arg)
{
    struct usage *u = usage_create(rs);
    size_t n = ledger_expire(u, now, report, arg);

    usage_settle(u);
    return n;
}

static UNUSED int once_extend(struct rset *rs, const char *job, double end,
                              double now, struct diag *d)
{
    struct usage *u = usage_create(rs);
    int rc = ledger_extend(u, job, end, now, d);

    usage_settle(u);
    return rc;
}

static UNUSED bool once_has(struct rset *rs, const char *job)
{
    struct usage *u = usage_create(rs);
    bool has = ledger_has(u, job);

    usage_destroy(u);
    return has;
}

static UNUSED struct selection *once_allocated(struct rset *rs, const char *job,
                                               bool held)
{
    struct usage *u = usage_create(rs);
    struct selection *sel = ledger_allocated(u, job, held);

    usage_destroy(u);
    return sel;
}

static UNUSED struct selection *once_holdings(struct rset *rs, const char *job)
{
    struct usage *u = usage_create(rs);
    struct selection *sel = ledger_holdings(u, job);

    usage_destroy(u);
    return sel;
}

static UNUSED struct selection *
once_available(struct rset *rs, const struct period *when, bool any_state)
{
    struct usage *u = usage_create(rs);
    struct selection *sel = ledger_available(u, when, any_state);

    usage_destroy(u);
    return sel;
}

#endif /* TEST_UNIT_ONCE_H */
