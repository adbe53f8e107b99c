/*
 * What the commands of rset-alloc share: the set at hand, values of options,
 * jobs, and pools that a command line names.
 */
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
#include "base/digits.h"
#include "view/holders.h"

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
    *call = (struct alloc_call){.sets = call->sets,
                                .set = call->set,
                                .rs = call->set->rs,
                                .store = call->store,
                                .why = call->why};
}

bool alloc_as_data(const struct alloc_call *call)
{
    return call->why || cli_output_json();
}

void alloc_tell(struct alloc_call *call, const char *name, struct table *t)
{
    call->data_name = name;
    if (alloc_as_data(call))
        call->data = cli_table_json(t, &call->choice);
    else
        cli_table_print(t, &call->choice);
}

int alloc_no(const struct alloc_call *call, const char *fmt, ...)
{
    char text[1024];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    if (call->why)
        snprintf(call->why, WHY_MAX, "%s", text);
    else
        cli_warn("%s: %s", call->set->name, text);
    return STATUS_NO;
}

int alloc_no_match(const struct alloc_call *call, int status, const char *text)
{
    if (call->why) /* where the status says the rest */
        alloc_no(call, "%s", text);
    else
        alloc_no(call, "no match %s: %s",
                 status == STATUS_NEVER ? "ever" : "now", text);
    return status;
}

/* --- values of options -------------------------------------------------- */

const char *alloc_text(const char *what, const char *text)
{
    if (!*text)
        cli_usage("%s: there is nothing in it", what);
    if (!utf8_is(text))
        cli_usage("%s: %s is not UTF-8", what, quote(text, strlen(text)).text);
    return text;
}

const char *alloc_name(const char *what, const char *text)
{
    if (!*text || strlen(text) > JOB_NAME_MAX)
        cli_usage("%s: %s is a number or a name of at most %d bytes",
                  quote(text, strlen(text)).text, what, JOB_NAME_MAX);
    return alloc_text(what, text);
}

static int64_t alloc_number(const char *option, const char *text)
{
    const char *end;
    uint64_t n;

    end = get_number(text, text + strlen(text), &n);
    if (end == text || *end || n == 0 || n > INT64_MAX)
        cli_usage("%s: %s is not a number of units", option,
                  quote(text, strlen(text)).text);
    return (int64_t)n;
}

void alloc_read_R(struct alloc_call *call)
{
    cli_expected.fragment = true;
    call->part = cli_read_set(call->options->R);
    cli_expected.fragment = false;
    if (call->part->above && rset_has_graph(call->rs))
        rset_graft(call->part, call->rs);
}

int alloc_cover(struct alloc_call *call, int no)
{
    char text[WHY_MAX];
    struct diag d = {0};
    int rc = cover_select(call->rs, call->part, &call->plan, &d);

    if (rc < 0)
        cli_die_in(&d, call->set->name);
    if (rc == 0)
        return call->plan->picks
                   ? STATUS_OK
                   : alloc_no(call, "--R: there is nothing in it");
    snprintf(text, sizeof(text), "--R: %s", d.text);
    return no == STATUS_NEVER ? alloc_no_match(call, no, text)
                              : alloc_no(call, "%s", text);
}

/* --- pools by path ------------------------------------------------------ */

/* The pool of a PATH=N is one of the call's lots now; or false with a line. */
static bool find_pool(struct alloc_call *call, const char *option,
                      const char *text)
{
    const char *eq = strrchr(text, '=');
    struct diag d = {0};
    struct lot *lot;
    char *path;

    if (!eq)
        cli_usage("%s: %s: expected PATH=N", option,
                  quote(text, strlen(text)).text);
    alloc_number(option, eq + 1);
    path = cli_own(xstrndup(text, (size_t)(eq - text)), free);
    if (path_check(path, &d) < 0)
        cli_usage("%s: %s", option, d.text);
    if ((lot = rset_find_lot(call->rs, path, &d)))
        lots_add(&call->lots, lot);
    else
        alloc_no(call, "%s", d.text);
    return lot;
}

/* A pool and what is in it can't both be counted. */
static void check_apart(const char *option, char *const *texts,
                        const struct lots *lots)
{
    for (size_t i = 0; i < lots->n; i++)
        for (const struct lot *up = lots->list[i]; up; up = up->parent)
            for (size_t k = 0; k < lots->n; k++)
                if (lots->list[k] == up && k != i)
                    cli_usage("%s: %s and %s speak of the same units", option,
                              quote(texts[i], strlen(texts[i])).text,
                              quote(texts[k], strlen(texts[k])).text);
}

static bool take_pool(struct alloc_call *call, struct selection *sel,
                      const char *option, const char *text, struct lot *lot)
{
    const char *eq = strrchr(text, '=');
    int64_t units = alloc_number(option, eq + 1);

    if (units <= lot->v->size)
        selection_take(sel, call->rs->usage, lot, units);
    else
        alloc_no(call, "%.*s has a size of %lld, not %lld", (int)(eq - text),
                 text, (long long)lot->v->size, (long long)units);
    return units <= lot->v->size;
}

struct selection *alloc_pools(struct alloc_call *call, const char *option,
                              char *const *list)
{
    struct selection *sel;
    bool good = true;
    size_t n = 0;

    while (good && list[n])
        good = find_pool(call, option, list[n++]);
    if (good)
        check_apart(option, list, &call->lots);
    sel = selection_create();
    for (size_t i = 0; i < n && good; i++)
        good = take_pool(call, sel, option, list[i], call->lots.list[i]);
    lots_join(call->rs->usage, &call->lots);
    if (good)
        return sel;
    selection_destroy(sel);
    return NULL;
}

/* --- targets or paths --------------------------------------------------- */

static bool names_paths(const char *what)
{
    const char *colon = strstr(what, ":/");

    return *what == '/'
           || (colon && !memchr(what, ',', (size_t)(colon - what)));
}

static void find_paths(struct alloc_call *call)
{
    char *rest = cli_own(xstrdup(call->what), free), *path;

    while ((path = strsep(&rest, ","))) {
        struct lots at;
        struct diag d = {0};
        if (rset_find_lots(call->rs, path, &at, &d) < 0 || at.n == 0)
            cli_die_in(&d, call->set->name);
        for (size_t i = 0; i < at.n; i++)
            lots_add(&call->lots, at.list[i]);
        free(at.list);
    }
}

void alloc_targets(struct alloc_call *call, const char *text,
                   const char *option)
{
    constraint_destroy(call->targets);
    call->targets = NULL;
    call->targets = cli_targets(text, option, call->sets);
}

struct idset *alloc_bounds(struct alloc_call *call)
{
    struct idset *ranks = NULL;
    struct diag d = {0};

    if (call->targets
        && constraint_ranks(call->targets, call->rs, &ranks, &d) < 0)
        cli_die_in(&d, call->set->name);
    return ranks;
}

int alloc_run(struct alloc_call *call)
{
    bool tells = call->command->answer != ANSWER_SETS;
    struct idset *ranks = tells ? alloc_bounds(call) : NULL;
    char *more = NULL;

    if (ranks && idset_empty(ranks))
        more = constraint_unknown(call->targets, call->rs);
    idset_destroy(ranks);
    if (!more)
        return call->command->run(call);
    cli_own(more, free);
    return alloc_no(call, "%s", more + strlen("; "));
}

static void find_targets(struct alloc_call *call)
{
    struct idset *ranks;

    alloc_targets(call, call->what, call->command->help.name);
    ranks = alloc_bounds(call);
    lots_of_ranks(call->rs->usage, ranks, &call->lots);
    idset_destroy(ranks);
}

static void add_roots(struct usage *u, struct lots *lots)
{
    for (struct lot *lot = lot_open(u, usage_top(u)); lot; lot = lot->next)
        lots_add(lots, lot);
}

const struct lots *alloc_lots(struct alloc_call *call)
{
    struct usage *u = usage_get(call->rs);

    if (!strcmp(call->what, "/"))
        add_roots(u, &call->lots);
    else if (names_paths(call->what))
        find_paths(call);
    else
        find_targets(call);
    return &call->lots;
}

int64_t alloc_times(const struct lot *lot)
{
    int64_t times = 1;

    for (; lot->parent; lot = lot->parent)
        times *= lot->n;
    return times;
}

bool alloc_means_all(const struct alloc_call *call)
{
    const char *what = call->what;

    return !what || !strcmp(what, "/") || !strcmp(what, "all");
}

/* Of these lots each one that lies in none of them, once. */
static void add_tops(struct usage *u, const struct lots *lots,
                     struct lots *tops)
{
    uint32_t named = usage_walk(u), taken;

    for (size_t i = 0; i < lots->n; i++)
        lots->list[i]->seen = named;
    taken = usage_walk(u);
    for (size_t i = 0; i < lots->n; i++) {
        struct lot *lot = lots->list[i], *up = lot->parent;
        while (up && up->seen != named && up->seen != taken)
            up = up->parent;
        if (!up && lot->seen == named)
            lots_add(tops, lot);
        lot->seen = taken;
    }
}

struct lots alloc_tops(struct alloc_call *call)
{
    struct usage *u = usage_now(call->rs, call->now);
    struct idset *ranks;
    struct lots tops = {0};

    if (!alloc_means_all(call)) {
        add_tops(u, alloc_lots(call), &tops);
    } else if ((ranks = alloc_bounds(call))) {
        lots_of_ranks(u, ranks, &call->lots);
        idset_destroy(ranks);
        add_tops(u, &call->lots, &tops);
    } else {
        add_roots(u, &tops);
    }
    return tops;
}

void alloc_tops_end(struct alloc_call *call, struct lots *tops)
{
    free(tops->list);
    lots_join(call->rs->usage, &call->lots);
}
