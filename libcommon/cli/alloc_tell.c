/* The commands that tell what jobs have, as resource sets. */
#include <stdlib.h>
#include <string.h>

#include "cli/alloc.h"
#include "cli/cli.h"

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

static struct rset *extract(const struct alloc_call *call,
                            struct selection *sel, const char *job)
{
    struct diag d = {0};
    struct rset *made;

    if (!sel)
        alloc_oom();
    made = rset_extract_peers(call->rs, sel, &d);
    if (!made)
        alloc_fail(call, &d);
    if (job && mark_shared(made, call->rs, job) < 0)
        alloc_oom();
    selection_destroy(sel);
    return made;
}

/* Pools in no containment need something to be beside. */
static struct selection *with_root(const struct alloc_call *call,
                                   struct selection *sel)
{
    if (!sel || sel->root || !sel->loose || !call->rs->root)
        return sel;
    if (!(sel->root = selection_pick(sel, call->rs->root)))
        alloc_oom();
    pick_all_members(sel->root);
    sel->root->shared = true;
    return sel;
}

struct rset *alloc_job_R(const struct alloc_call *call, bool held)
{
    struct selection *sel = ledger_allocated(call->rs, call->job, held);
    struct rset *R = extract(call, with_root(call, sel), call->job);
    struct terms terms;

    ledger_terms(call->rs, call->job, &terms);
    if ((terms.start >= 0 || terms.end >= 0)
        && rset_set_times(R, terms.start, terms.end) < 0)
        alloc_oom();
    return R;
}

int alloc_allocated(struct alloc_call *call)
{
    if (call->job && !ledger_has(call->rs, call->job))
        return alloc_no(call, "job %s holds nothing", call->job);
    if (call->job)
        call->made = alloc_job_R(call, alloc_options.held);
    else
        call->made = extract(
            call,
            with_root(call,
                      ledger_allocated(call->rs, NULL, alloc_options.held)),
            NULL);
    return STATUS_OK;
}

int alloc_available(struct alloc_call *call)
{
    double at = alloc_options.at
                    ? alloc_time("--at", alloc_options.at, call->now)
                    : call->now;
    struct period when = {call->now, at, at};

    call->made = extract(
        call, ledger_available(call->rs, &when, alloc_options.any_state), NULL);
    return STATUS_OK;
}
