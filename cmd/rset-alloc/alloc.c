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
#include "base/digits.h"
#include "view/holders.h"

void alloc_end(struct alloc_call *call)
{
    request_destroy(call->req);
    if (call->targets)
        constraint_destroy(call->targets);
    selection_destroy(call->plan);
    rset_destroy(call->part);
    rset_destroy(call->made);
    json_decref(call->data);
    if (call->undo)
        job_copy_destroy(call->undo);
    free(call->lots.list);
    free(call->owner);
    free(call->key);
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

int alloc_trouble(struct alloc_call *call)
{
    diag_source(&call->d, "%s", call->set->name);
    return STATUS_TROUBLE;
}

int alloc_no_match(const struct alloc_call *call, int status, const char *text)
{
    if (call->why) /* the answer has the status */
        alloc_no(call, "%s", text);
    else
        alloc_no(call, "no match %s: %s",
                 status == STATUS_NEVER ? "ever" : "now", text);
    return status;
}

/* --- values of options -------------------------------------------------- */

int alloc_check_text(const char *what, const char *text, struct diag *d)
{
    if (!*text)
        return cli_fault(d, "%s: the text is empty", what);
    if (!utf8_is(text))
        return cli_fault(d, "%s: %s is not UTF-8", what,
                         quote(text, strlen(text)).text);
    return 0;
}

int alloc_check_name(const char *what, const char *text, struct diag *d)
{
    if (!*text || strlen(text) > JOB_NAME_MAX)
        return cli_fault(d, "%s: %s is a number or a name of at most %d bytes",
                         quote(text, strlen(text)).text, what, JOB_NAME_MAX);
    return alloc_check_text(what, text, d);
}

int alloc_read_R(struct alloc_call *call)
{
    cli_expected.fragment = cli_expected.partial = true;
    call->part = cli_read_set(call->options->R, &call->d);
    cli_expected.fragment = cli_expected.partial = false;
    if (!call->part)
        return STATUS_TROUBLE;
    if (call->part->above && rset_has_graph(call->rs))
        rset_graft(call->part, call->rs);
    return STATUS_OK;
}

int alloc_cover(struct alloc_call *call, int no)
{
    char text[WHY_MAX];
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

/* --- pools by path ------------------------------------------------------ */

/* Read PATH=N and append its pool to the call's lots. */
static int find_pool(struct alloc_call *call, const char *option,
                     const char *text, int64_t *units)
{
    const char *eq = strrchr(text, '='), *end;
    struct diag d = {0};
    struct lot *lot;
    uint64_t n;
    char *path;
    int rc = STATUS_OK;

    if (!eq) {
        cli_fault(&call->d, "%s: %s: expected PATH=N", option,
                  quote(text, strlen(text)).text);
        return STATUS_TROUBLE;
    }
    end = get_number(eq + 1, strchr(eq, '\0'), &n);
    if (end == eq + 1 || *end || n == 0 || n > INT64_MAX) {
        cli_fault(&call->d, "%s: %s is not a number of units", option,
                  quote(eq + 1, strlen(eq + 1)).text);
        return STATUS_TROUBLE;
    }
    *units = (int64_t)n;
    path = xstrndup(text, (size_t)(eq - text));
    if (path_check(path, &d) < 0) {
        cli_fault(&call->d, "%s: %s", option, d.text);
        rc = STATUS_TROUBLE;
    } else if ((lot = rset_find_lot(call->rs, path, &d))) {
        lots_add(&call->lots, lot);
    } else {
        rc = alloc_no(call, "%s", d.text);
    }
    free(path);
    return rc;
}

/* Refuse a pool together with one in it. */
static int check_apart(struct alloc_call *call, const char *option,
                       char *const *texts)
{
    const struct lots *lots = &call->lots;

    for (size_t i = 0; i < lots->n; i++)
        for (const struct lot *up = lots->list[i]; up; up = up->parent)
            for (size_t k = 0; k < lots->n; k++)
                if (lots->list[k] == up && k != i) {
                    cli_fault(&call->d, "%s: %s and %s count the same units",
                              option, quote(texts[i], strlen(texts[i])).text,
                              quote(texts[k], strlen(texts[k])).text);
                    return STATUS_TROUBLE;
                }
    return STATUS_OK;
}

int alloc_pools(struct alloc_call *call, const char *option, char *const *list)
{
    int64_t *units = NULL;
    int rc = STATUS_OK;
    size_t n = 0;

    for (; rc == STATUS_OK && list[n]; n++) {
        VECTOR_GROW(units, n);
        rc = find_pool(call, option, list[n], &units[n]);
    }
    if (rc == STATUS_OK)
        rc = check_apart(call, option, list);
    call->plan = selection_create();
    for (size_t i = 0; i < n && rc == STATUS_OK; i++) {
        struct lot *lot = call->lots.list[i];
        if (units[i] <= lot->v->size)
            selection_take(call->plan, call->rs->usage, lot, units[i]);
        else
            rc = alloc_no(call, "%.*s has a size of %lld, not %lld",
                          (int)(strrchr(list[i], '=') - list[i]), list[i],
                          (long long)lot->v->size, (long long)units[i]);
    }
    if (call->lots.n)
        lots_join(call->rs->usage, &call->lots);
    free(units);
    return rc;
}

/* --- targets or paths --------------------------------------------------- */

bool alloc_names_paths(const char *what)
{
    const char *colon = strstr(what, ":/");

    return *what == '/'
           || (colon && !memchr(what, ',', (size_t)(colon - what)));
}

/* Add the lots of a path. Returns a status. */
static int find_path(struct alloc_call *call, const char *path)
{
    struct lots at = {0};
    int rc = STATUS_OK;

    if (rset_find_lots(call->rs, path, &at, &call->d) < 0 || at.n == 0)
        rc = alloc_trouble(call);
    for (size_t i = 0; rc == STATUS_OK && i < at.n; i++)
        lots_add(&call->lots, at.list[i]);
    free(at.list);
    return rc;
}

/* Add the lots of a path whose parts may have ranges in brackets, as status
   prints them: of all paths that begin with `from` and go on with `rest`. */
static int find_folded(struct alloc_call *call, const char *from,
                       const char *rest)
{
    size_t len = strcspn(rest, "/");
    struct hostlist *names = hostlist_create();
    char name[HOSTLIST_NAME_MAX], *path;
    struct hostlist_iter it;
    int rc = STATUS_OK;

    if (!strchr(rest, '[')) {
        xasprintf(&path, "%s%s", from, rest);
        rc = find_path(call, path);
        free(path);
    } else if (!memchr(rest, '[', len)) {
        len += rest[len] == '/';
        xasprintf(&path, "%s%.*s", from, (int)len, rest);
        rc = find_folded(call, path, rest + len);
        free(path);
    } else if (hostlist_decode(names, rest, len, &call->d) < 0) {
        rc = alloc_trouble(call);
    } else {
        hostlist_iter_init(&it, names);
        while (rc == STATUS_OK
               && hostlist_iter_next(&it, name, sizeof(name)) >= 0) {
            xasprintf(&path, "%s%s", from, name);
            rc = find_folded(call, path, rest + len);
            free(path);
        }
    }
    hostlist_destroy(names);
    return rc;
}

/* Return the length of the first word of a list; commas in brackets are in
   it. */
static size_t word_length(const char *list)
{
    size_t len = 0;

    for (bool in = false; list[len] && (in || list[len] != ','); len++)
        in = list[len] == '[' || (in && list[len] != ']');
    return len;
}

static int find_paths(struct alloc_call *call)
{
    const char *at = call->what;
    int rc = STATUS_OK;

    for (;;) {
        size_t len = word_length(at);
        char *path = xstrndup(at, len);
        rc = find_folded(call, "", path);
        free(path);
        if (rc != STATUS_OK || !at[len])
            return rc;
        at += len + 1;
    }
}

int alloc_targets(struct alloc_call *call, const char *text, const char *option)
{
    constraint_destroy(call->targets);
    call->targets = cli_targets(text, option, call->sets, &call->d);
    return call->targets ? STATUS_OK : STATUS_TROUBLE;
}

struct idset *alloc_bounds(const struct alloc_call *call)
{
    return call->targets ? constraint_ranks(call->targets, call->rs) : NULL;
}

int alloc_run(struct alloc_call *call)
{
    bool tells = call->command->answer != ANSWER_SETS;
    struct idset *ranks = tells ? alloc_bounds(call) : NULL;
    char *more = NULL;
    int status;

    if (call->rs && call->rs->usage && call->command->help.takes & NOW
        && !(call->command->does & (FACTS | STORED))
        && call->command->run != alloc_expire)
        usage_lapse(call->rs->usage, call->now);
    if (ranks && idset_empty(ranks))
        more = constraint_unknown(call->targets, call->rs);
    idset_destroy(ranks);
    if (!more)
        return call->command->run(call);
    status = alloc_no(call, "%s", more + strlen("; "));
    free(more);
    return status;
}

static void add_roots(struct usage *u, struct lots *lots)
{
    for (struct lot *lot = lot_open(u, usage_top(u)); lot; lot = lot->next)
        lots_add(lots, lot);
}

void alloc_target_lots(struct alloc_call *call, struct lots *lots)
{
    struct idset *ranks = alloc_bounds(call);

    lots_of_ranks(usage_get(call->rs), ranks, lots);
    idset_destroy(ranks);
}

int alloc_lots(struct alloc_call *call)
{
    int status;

    if (!strcmp(call->what, "/")) {
        add_roots(usage_get(call->rs), &call->lots);
        return STATUS_OK;
    }
    if (alloc_names_paths(call->what))
        return find_paths(call);
    if ((status = alloc_targets(call, call->what, call->command->help.name))
        != STATUS_OK)
        return status;
    alloc_target_lots(call, &call->lots);
    return STATUS_OK;
}

bool alloc_means_all(const struct alloc_call *call)
{
    const char *what = call->what;

    return !what || !strcmp(what, "/") || !strcmp(what, "all");
}

int alloc_tops(struct alloc_call *call, struct lots *tops)
{
    struct usage *u = usage_begin(call->rs);
    struct idset *ranks;
    struct period when;
    int status;

    *tops = (struct lots){0};
    if (cli_moment(&call->options->times, call->now, &when, &call->d) < 0)
        return STATUS_TROUBLE;
    usage_at(u, &when);
    if (!alloc_means_all(call)) {
        if ((status = alloc_lots(call)) != STATUS_OK)
            return status;
        lots_tops(u, &call->lots, tops);
        return STATUS_OK;
    }
    if ((ranks = alloc_bounds(call))) {
        lots_of_ranks(u, ranks, &call->lots);
        idset_destroy(ranks);
        lots_tops(u, &call->lots, tops);
    } else {
        add_roots(u, tops);
    }
    return STATUS_OK;
}

void alloc_tops_end(struct alloc_call *call, struct lots *tops)
{
    free(tops->list);
    lots_join(call->rs->usage, &call->lots);
}
