/* Functions that the commands of rset-alloc share: negative answers, values of
   options, and resources named on the command line. */
#include "alloc.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "cli/cli.h"
#include "cli/targets.h"
#include "compare/cover.h"
#include "model/change/subtree.h"
#include "model/records/jobs.h"
#include "model/records/path.h"
#include "base/digits.h"
#include "model/records/usage.h"

void alloc_end(struct alloc_call *call)
{
    request_destroy(call->req);
    constraint_destroy(call->targets);
    selection_destroy(call->plan);
    rset_destroy(call->part);
    rset_destroy(call->made);
    json_decref(call->data);
    job_copy_destroy(call->undo);
    free(call->lots.list);
    free(call->tops.list);
    free(call->key);
    free(call->place);
    *call = (struct alloc_call){.sets = call->sets,
                                .set = call->set,
                                .rs = call->set->rs,
                                .store = call->store,
                                .in_batch = call->in_batch};
}

bool alloc_as_data(const struct alloc_call *call)
{
    return call->in_batch || cli_output_is("json");
}

void alloc_put_table(struct alloc_call *call, const char *name, struct table *t)
{
    call->data_name = name;
    if (alloc_as_data(call))
        call->data = table_json(t, &call->choice);
    else
        cli_table_print(t, &call->choice, stdout);
}

int alloc_no(struct alloc_call *call, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vsnprintf(call->answer, sizeof(call->answer), fmt, args);
    va_end(args);
    return STATUS_NO;
}

int alloc_trouble(struct alloc_call *call)
{
    return diag_source(&call->d, "%s", call->set->name);
}

int alloc_no_match(struct alloc_call *call, int status, const char *text)
{
    if (call->in_batch) /* the answer has the status */
        alloc_no(call, "%s", text);
    else
        alloc_no(call, "no match %s: %s",
                 status == STATUS_NEVER ? "ever" : "now", text);
    return status;
}

const char *alloc_place(struct alloc_call *call, const struct lot *lot)
{
    free(call->place);
    call->place = lot_place(call->rs->usage, lot);
    return call->place;
}

/* --- values of options -------------------------------------------------- */

int alloc_check_text(const char *what, const char *text, struct diag *d)
{
    if (!*text)
        return cli_fault(d, "%s: the text is empty", what);
    if (!utf8_is(text))
        return cli_fault(d, "%s: %s is not UTF-8", what, quote_all(text).text);
    return 0;
}

int alloc_check_name(const char *what, const char *text, struct diag *d)
{
    if (!*text || strlen(text) > JOB_NAME_MAX)
        return cli_fault(d, "%s: %s is a number or a name of at most %d bytes",
                         quote_all(text).text, what, JOB_NAME_MAX);
    return alloc_check_text(what, text, d);
}

int alloc_read_R(struct alloc_call *call)
{
    call->part = cli_read_set(call->options->R, CLI_PARTIAL | CLI_FRAGMENT,
                              &call->d);
    if (!call->part)
        return -1;
    if (call->part->above && rset_has_graph(call->rs))
        rset_graft(call->part, call->rs);
    return STATUS_OK;
}

int alloc_cover(struct alloc_call *call, int no)
{
    char text[sizeof(call->answer)];
    int rc = cover_select(call->rs, call->part, &call->plan, &call->d);

    if (rc < 0)
        return alloc_trouble(call);
    if (rc == 0)
        return call->plan->picks ? STATUS_OK
                                 : alloc_no(call, "--R: it lists no resources");
    snprintf(text, sizeof(text), "--R: %s", call->d.text);
    return no == STATUS_NEVER ? alloc_no_match(call, no, text)
                              : alloc_no(call, "%s", text);
}

void alloc_join_lots(struct alloc_call *call)
{
    if (call->lots.n)
        lots_join(call->rs->usage, &call->lots);
    call->lots.n = 0;
}

/* --- pools by path ------------------------------------------------------ */

/* Add the first pool at a place. */
static int add_pool(void *arg, const char *place, struct diag *d)
{
    struct alloc_call *call = arg;
    struct lot *lot;

    if (place_check(place, d) < 0)
        return -1;
    if ((lot = rset_find_lot(call->rs, place, d)))
        lots_add(&call->lots, lot);
    return !lot;
}

/* Read PATH=N and append its pools to the call's lots. */
static int find_pools(struct alloc_call *call, const char *option,
                      const char *text, int64_t *units)
{
    const char *eq = strrchr(text, '=');
    struct diag d = {0};
    uint64_t n;
    char *path;
    int rc;

    if (!eq)
        return cli_fault(&call->d, "%s: %s: expected PATH=N", option,
                         quote_all(text).text);
    if (!text_is_number(eq + 1, &n) || n == 0 || n > INT64_MAX)
        return cli_fault(&call->d, "%s: %s is not a number of units", option,
                         quote_all(eq + 1).text);
    *units = (int64_t)n;
    path = xstrndup(text, (size_t)(eq - text));
    rc = places_each(path, add_pool, call, &d);
    free(path);
    if (rc < 0)
        return cli_fault(&call->d, "%s: %s", option, d.text);
    return rc ? alloc_no(call, "%s", d.text) : STATUS_OK;
}

/* Units of a pool, as an option says. */
struct named_units {
    const char *text;
    int64_t units;
};

/* Refuse a pool together with one in it. */
static int check_apart(struct alloc_call *call, const char *option,
                       const struct named_units *named)
{
    const struct lots *lots = &call->lots;

    for (size_t i = 0; i < lots->n; i++)
        for (const struct lot *up = lots->list[i]; up; up = up->parent)
            for (size_t k = 0; k < lots->n; k++)
                if (lots->list[k] == up && k != i)
                    return cli_fault(&call->d,
                                     "%s: %s and %s count the same units",
                                     option, quote_all(named[i].text).text,
                                     quote_all(named[k].text).text);
    return STATUS_OK;
}

int alloc_pools(struct alloc_call *call, const char *option, char *const *list)
{
    struct named_units *named = NULL, one;
    int rc = STATUS_OK;
    size_t n = 0;

    for (; rc == STATUS_OK && *list; list++) {
        one.text = *list;
        rc = find_pools(call, option, *list, &one.units);
        while (n < call->lots.n)
            VECTOR_ADD(named, n, one);
    }
    if (rc == STATUS_OK)
        rc = check_apart(call, option, named);
    call->plan = selection_create();
    for (size_t i = 0; i < n && rc == STATUS_OK; i++) {
        struct lot *lot = call->lots.list[i];
        if (named[i].units <= lot->v->size)
            selection_take(call->plan, call->rs->usage, lot, named[i].units);
        else
            rc = alloc_no(call, "%.*s has a size of %lld, not %lld",
                          (int)(strrchr(named[i].text, '=') - named[i].text),
                          named[i].text, (long long)lot->v->size,
                          (long long)named[i].units);
    }
    alloc_join_lots(call);
    free(named);
    return rc;
}

/* --- targets or paths --------------------------------------------------- */

bool alloc_names_paths(const char *what)
{
    const char *colon = strstr(what, ":/");

    return *what == '/'
           || (colon && !memchr(what, ',', (size_t)(colon - what)));
}

int alloc_targets(struct alloc_call *call)
{
    constraint_destroy(call->targets);
    call->targets = cli_targets(call->options->targets, "--targets", call->sets,
                                true, &call->d);
    return call->targets ? 0 : -1;
}

struct idset *alloc_bounds(const struct alloc_call *call)
{
    return call->targets ? constraint_ranks(call->targets, call->rs) : NULL;
}

static void add_roots(struct usage *u, struct lots *lots)
{
    for (struct lot *lot = lot_open(u, usage_top(u)); lot; lot = lot->next)
        lots_add(lots, lot);
}

void alloc_target_lots(struct alloc_call *call)
{
    struct idset *ranks = alloc_bounds(call);

    lots_of_ranks(usage_get(call->rs), ranks, &call->lots);
    idset_destroy(ranks);
}

int alloc_lots(struct alloc_call *call)
{
    struct diag hosts = {0};
    int rc;

    if (!strcmp(call->what, "/")) {
        add_roots(usage_get(call->rs), &call->lots);
        return STATUS_OK;
    }
    if (!alloc_names_paths(call->what)) {
        constraint_destroy(call->targets);
        call->targets = cli_targets(call->what, call->command->help.name,
                                    call->sets, false, &hosts);
        if (call->targets) {
            alloc_target_lots(call);
            return STATUS_OK;
        }
    }
    rc = rset_find_places(call->rs, call->what, &call->lots, &call->d);
    if (rc == 0)
        return STATUS_OK;
    if ((rc < 0 && !hosts.usage) || strchr(call->what, '/'))
        return alloc_trouble(call);
    call->d = hosts;
    return -1;
}

bool alloc_means_all(const struct alloc_call *call)
{
    const char *what = call->what;

    return !what || !strcmp(what, "/") || !strcmp(what, "all");
}

/* Set call->tops: see alloc_run(). Returns a status. */
static int find_tops(struct alloc_call *call)
{
    struct usage *u = usage_begin(call->rs);
    struct period when;
    int status;

    if (cli_moment(&call->options->times, call->now, &when, &call->d) < 0)
        return -1;
    usage_at(u, &when);
    if (!alloc_means_all(call)) {
        if ((status = alloc_lots(call)) != STATUS_OK)
            return status;
    } else if (call->targets) {
        alloc_target_lots(call);
    } else {
        add_roots(u, &call->tops);
        return STATUS_OK;
    }
    lots_tops(u, &call->lots, &call->tops);
    return STATUS_OK;
}

int alloc_run(struct alloc_call *call)
{
    bool tells = call->command->answer != ANSWER_SETS;
    struct idset *ranks = tells ? alloc_bounds(call) : NULL;
    char *more = NULL;
    int status;

    if (call->rs && call->rs->usage && call->command->help.takes & NOW
        && !(call->command->does & (FACTS | STORED | EXPIRES)))
        usage_lapse(call->rs->usage, call->now);
    if (ranks && idset_empty(ranks))
        more = constraint_unknown(call->targets, call->rs);
    idset_destroy(ranks);
    if (more)
        status = alloc_no(call, "%s", more + strlen("; "));
    else if (call->command->operands != MAY_WHAT
             || (status = find_tops(call)) == STATUS_OK)
        status = call->command->run(call);
    alloc_join_lots(call);
    free(more);
    return status;
}
