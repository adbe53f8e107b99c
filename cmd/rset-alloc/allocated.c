/* allocated, available: what jobs have and nobody has, as resource sets. */
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "cli/cli.h"
#include "cli/clock.h"

static struct rset *extract(const struct alloc_call *call,
                            struct selection *sel)
{
    struct rset *made = rset_extract(call->rs, sel);

    selection_destroy(sel);
    return made;
}

/* Pools in no containment need something to be beside. */
static struct selection *with_root(const struct alloc_call *call,
                                   struct selection *sel)
{
    if (sel->root || !sel->loose || !call->rs->root)
        return sel;
    sel->root = selection_pick(sel, call->rs->root);
    pick_all_members(sel->root);
    return sel;
}

struct rset *alloc_job_R(struct alloc_call *call, bool held)
{
    struct usage *u = usage_begin(call->rs);
    struct selection *sel = ledger_allocated(u, call->job, held, call->now);

    if (call->nslots) { /* which says it where it is fixed, too */
        sel->nslots = call->nslots;
        sel->moldable = call->moldable;
    }
    return extract(call, with_root(call, sel));
}

int alloc_allocated(struct alloc_call *call)
{
    if (call->job && !ledger_has(usage_begin(call->rs), call->job))
        return alloc_no(call, "job %s holds nothing", call->job);
    call->made = alloc_job_R(call, alloc_options.held);
    return STATUS_OK;
}

int alloc_available(struct alloc_call *call)
{
    const struct period when = cli_moment(call->now);

    call->made = extract(call, ledger_available(usage_begin(call->rs), &when,
                                                alloc_options.any_state));
    return STATUS_OK;
}
