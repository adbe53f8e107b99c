/* The commands that take resources back from jobs. */
#include <stdlib.h>
#include <string.h>

#include "cli/alloc.h"
#include "cli/cli.h"
#include "cli/targets.h"
#include "compare/cover.h"
#include "schedule/filter.h"

static int nothing_held(const struct alloc_call *call)
{
    return alloc_no(call, "job %s holds nothing", call->job);
}

/* --- which part --------------------------------------------------------- */

static int by_R(struct alloc_call *call, struct selection **sel)
{
    struct rset *part = alloc_read_R(call);
    struct diag d = {0};
    int rc = cover_select(call->rs, part, sel, &d);

    rset_destroy(part);
    if (rc < 0)
        alloc_fail(call, &d);
    return rc ? alloc_no(call, "--R: %s", d.text) : STATUS_OK;
}

/* All that the job holds on some targets. */
static int by_targets(struct alloc_call *call, struct selection **sel)
{
    const struct rset_list sets = {.list = (struct named_rset *)call->set,
                                   .n = 1};
    struct constraint *c = cli_targets(alloc_options.targets, "--targets",
                                       &sets);
    struct filter filter = {.targets = c, .job = call->job, .held = true};
    struct diag d = {0};

    if (!(*sel = filter_select(call->rs, &filter, &d)))
        alloc_fail(call, &d);
    constraint_destroy(c);
    if (!(*sel)->root)
        return alloc_no(call, "job %s holds nothing on %s", call->job,
                        alloc_options.targets);
    return STATUS_OK;
}

static int by_path(struct alloc_call *call, struct selection **sel)
{
    *sel = alloc_pools(call, "--give", alloc_options.give);
    return *sel ? STATUS_OK : STATUS_NO;
}

static int64_t picked_units(const struct pick *p)
{
    return p->amount * (int64_t)(p->nmembers ? p->nmembers : 1);
}

/* Units of a type in a list of picks. */
static int64_t count_units(const struct pick *list, const char *type)
{
    int64_t sum = 0;

    for (const struct pick *p = list; p; p = p->next)
        sum += !strcmp(p->v->type, type) ? picked_units(p)
                                         : count_units(p->child, type);
    return sum;
}

/* Of a list of picks keep the units of a type after the first `skip`. */
static struct pick *keep_last(struct pick *list, const char *type,
                              int64_t *skip)
{
    struct pick *first = NULL, **end = &first;

    for (struct pick *p = list, *next; p; p = next) {
        int64_t units = picked_units(p), each = p->amount;
        next = p->next;
        p->next = NULL;
        if (strcmp(p->v->type, type) != 0) {
            if (!(p->child = keep_last(p->child, type, skip)))
                continue;
        } else if (*skip >= units) {
            *skip -= units;
            continue;
        } else if (p->nmembers) {
            while (*skip >= each) {
                p->first = idset_next(p->v->run, p->first);
                p->nmembers--;
                *skip -= each;
            }
        } else {
            p->amount -= *skip;
            p->child = NULL;
            *skip = 0;
        }
        *end = p;
        end = &p->next;
    }
    return first;
}

static bool type_known(const struct rset *rs, const char *type)
{
    return rset_count(rs, NULL, type) > 0;
}

/* The last units of a type, so that the job keeps the first. */
static int by_units(struct alloc_call *call, struct selection **sel)
{
    int64_t units = alloc_number("--units", alloc_options.units), have;
    const char *type = alloc_options.type;

    if (!type_known(call->rs, type))
        return alloc_no(call, "there is no %s", type);
    if (!(*sel = ledger_holdings(call->rs, call->job)))
        alloc_oom();
    have = count_units((*sel)->root, type) + count_units((*sel)->loose, type);
    if (have < units)
        return alloc_no(call, "job %s holds only %lld of %s", call->job,
                        (long long)have, type);
    have -= units;
    (*sel)->root = keep_last((*sel)->root, type, &have);
    (*sel)->loose = keep_last((*sel)->loose, type, &have);
    return STATUS_OK;
}

/* Which part was named; false: none. */
static bool part_given(void)
{
    int n = (alloc_options.R != NULL) + (alloc_options.targets != NULL)
            + (alloc_options.give != NULL) + (alloc_options.units != NULL);

    if (n > 1)
        cli_usage("--R, --targets, --give and --units exclude each other");
    if (!alloc_options.units != !alloc_options.type)
        cli_usage("--units and --type go together");
    return n;
}

static int release_part(struct alloc_call *call)
{
    struct selection *sel = NULL;
    struct diag d = {0};
    int status = alloc_options.R         ? by_R(call, &sel)
                 : alloc_options.targets ? by_targets(call, &sel)
                 : alloc_options.give    ? by_path(call, &sel)
                                         : by_units(call, &sel);
    int rc = status == STATUS_OK
                 ? ledger_shrink(call->rs, call->job, sel, &d)
                 : 0;

    selection_destroy(sel);
    if (rc < 0)
        alloc_fail(call, &d);
    return rc ? alloc_no(call, "%s", d.text) : status;
}

/* --- commands ----------------------------------------------------------- */

int alloc_release(struct alloc_call *call)
{
    bool part = part_given();

    if (!ledger_has(call->rs, call->job))
        return nothing_held(call);
    if (part)
        return release_part(call);
    ledger_release(call->rs, call->job);
    return STATUS_OK;
}

int alloc_shrink(struct alloc_call *call)
{
    int status;

    if (!part_given())
        cli_usage("shrink: what is given back? --R, --targets, --give or "
                  "--units is expected");
    if (!ledger_has(call->rs, call->job))
        return nothing_held(call);
    status = release_part(call);
    if (status == STATUS_OK && !ledger_has(call->rs, call->job))
        return alloc_no(call, "job %s would hold nothing: release it",
                        call->job);
    return status;
}

int alloc_extend(struct alloc_call *call)
{
    struct diag d = {0};
    double end = TIME_UNSET;
    struct terms terms;

    if (!alloc_options.expiration)
        cli_usage("extend: --expiration is expected");
    if (strcmp(alloc_options.expiration, "never") != 0)
        end = alloc_time("--expiration", alloc_options.expiration, call->now);
    if (!ledger_has(call->rs, call->job))
        return nothing_held(call);
    ledger_terms(call->rs, call->job, &terms);
    if (end >= 0 && end <= terms.start)
        cli_usage("--expiration: job %s would end before it starts",
                  call->job);
    if (ledger_extend(call->rs, call->job, end, call->now, &d))
        return alloc_no(call, "%s", d.text);
    return STATUS_OK;
}

static void tell_expired(const struct rset *rs, const char *job, double end,
                         void *arg)
{
    const struct alloc_call *call = arg;

    (void)rs;
    cli_warn("%s: job %s ended at %.15g", call->set->name, job, end);
}

int alloc_expire(struct alloc_call *call)
{
    if (ledger_expire(call->rs, call->now, tell_expired, call) < 0)
        alloc_oom();
    return STATUS_OK;
}
