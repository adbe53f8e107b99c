/* allocated, available: what jobs have and nobody has, as resource sets. */
#include <string.h>

#include "alloc.h"
#include "cli/cli.h"
#include "cli/clock.h"

struct rset *alloc_job_R(struct alloc_call *call, bool held)
{
    const struct selection plan = {.nslots = call->nslots,
                                   .moldable = call->moldable};

    return ledger_R(usage_begin(call->rs), call->job, held, call->now,
                    call->nslots ? &plan : NULL);
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
    struct selection *sel = ledger_available(usage_begin(call->rs), &when,
                                             alloc_options.any_state);

    call->made = rset_extract(call->rs, sel);
    selection_destroy(sel);
    return STATUS_OK;
}
