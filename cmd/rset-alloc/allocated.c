/* The commands that tell what jobs have, as resource sets. */
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "cli/cli.h"

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
    if (job && ledger_complete_R(made, call->rs, job) < 0)
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

    return extract(call, with_root(call, sel), call->job);
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
