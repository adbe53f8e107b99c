/* The tasks of rset-diff (tasks.h): each calls one function of compare/ and
   writes its result. */
#include "tasks.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "cli/terminal.h"
#include "compare/algebra.h"
#include "compare/audit.h"
#include "compare/expand.h"
#include "compare/patch.h"
#include "compare/responses.h"
#include "model/change/subtree.h"
#include "model/change/ranks.h"
#include "model/tree/types.h"

/* End the program on a fault in one document, or in two. */
__attribute__((noreturn)) static void
fail(const struct named_rset *a, const struct named_rset *b, struct diag *d)
{
    if (!b)
        cli_die_in(d, a->name);
    diag_source(d, "%s and %s", a->name, b->name);
    cli_die_diag(d);
}

/*
 * Colours of missing, changed and new resources: vermilion, ochre and blue.
 * People with any colour vision can tell them apart, on light and dark ground.
 */
static const char *const colours[] = {"\033[38;5;166m", "\033[38;5;136m",
                                      "\033[38;5;32m"};

/* Write the changes. Returns the status: whether there are any. */
static int print_changes(const struct task_options *o,
                         const struct changes *changes, const struct rset *a,
                         const struct rset *b)
{
    if (o->stat)
        changes_sum(changes, cli_output_is("json"), stdout);
    else
        changes_print(changes, a, b, cli_output_is("json"),
                      cli_colours(stdout) > 0 ? colours : NULL, stdout);
    return changes->n > 0 ? STATUS_NO : STATUS_OK;
}

static int compare(const struct task_options *o, const struct rset_list *sets)
{
    const struct named_rset *a = &sets->list[0], *b = &sets->list[1];
    struct changes changes = {0};
    struct diag d = {0};
    int status;

    progress_begin("comparing", NULL);
    if (rset_diff(a->rs, b->rs, o->by, o->task == JOBS, &changes, &d) < 0)
        fail(a, b, &d);
    progress_end();
    cli_notes(a->rs, NULL);
    status = print_changes(o, &changes, a->rs, b->rs);
    changes_fini(&changes);
    return status;
}

static int make_patch(const struct task_options *o,
                      const struct rset_list *sets)
{
    const struct named_rset *a = &sets->list[0], *b = &sets->list[1];
    struct diag d = {0};
    json_t *patch = rset_patch(a->rs, b->rs, &d);

    (void)o;
    if (!patch)
        fail(a, b, &d);
    cli_write_json(patch);
    return STATUS_OK;
}

/* Read exactly one JSON value. */
static json_t *read_patch(const char *file)
{
    struct diag d = {0};
    struct stream *s = stream_open(file, &d);
    json_t *patch = NULL;
    int rc = s ? stream_next(s, &d) : -1;

    if (rc == 0) {
        diag_set(&d, "empty input: expected a patch");
        stream_fault(s, &d);
    }
    if (rc == 1 && (patch = stream_value(s, &d))
        && (rc = stream_next(s, &d)) == 1) {
        diag_set(&d, "one patch is expected, there are more");
        diag_source(&d, "%s", file);
        rc = -1;
    }
    if (!patch || rc < 0)
        cli_die_diag(&d);
    stream_close(s);
    return patch;
}

static int apply(const struct task_options *o, const struct rset_list *sets)
{
    const struct named_rset *a = &sets->list[0];
    const struct named_rset b = {
        .name = (char *)(cli_is_stdin(o->argument) ? "stdin" : o->argument)};
    json_t *patch = read_patch(o->argument);
    struct rset *result;
    struct diag d = {0};
    int rc = rset_apply(a->rs, patch, &result, &d);

    json_decref(patch);
    if (rc < 0)
        fail(a, &b, &d);
    if (rc > 0) {
        diag_source(&d, "%s: the patch does not fit", a->name);
        cli_warn_diag(&d);
        return STATUS_NO;
    }
    cli_write(result, a->name);
    rset_destroy(result);
    return STATUS_OK;
}

static int verify(const struct task_options *o, const struct rset_list *sets)
{
    const char *files[] = {o->argument, NULL};
    struct rset_list expected = cli_read(files, CLI_ONE);
    const struct named_rset *a = &expected.list[0], *b = &sets->list[0];
    struct changes findings = {0};
    struct diag d = {0};
    int rc = rset_verify(a->rs, b->rs, o->by, o->rules, o->nrules, o->no_extra,
                         &findings, &d);

    /* does a rule mean another type than it names? */
    for (size_t i = 0; i < o->nrules; i++) {
        const char *type = o->rules[i].type;
        struct near near = {.word = type, .len = strlen(type)};
        if (type_is_usual(type) || rset_has_type(a->rs, type)
            || rset_has_type(b->rs, type))
            continue;
        type_near(&near, a->rs);
        if (near.text[0])
            cli_warn("--allow: there is nothing of type %s%s",
                     quote(type, near.len).text, near.text);
    }
    if (rc < 0)
        fail(a, b, &d);
    print_changes(o, &findings, a->rs, b->rs);
    changes_fini(&findings);
    cli_free(&expected);
    return rc ? STATUS_NO : STATUS_OK;
}

/* Return the name of an R's job: its `id`, or `job` of its scheduler, or else
   the name of the document; a new string. */
static char *job_name(const struct named_rset *set)
{
    const json_t *scheduler = json_object_get(
        json_object_get(set->rs->document.attributes, "system"), "scheduler");
    const json_t *id = json_object_get(set->rs->document.extra, "id");

    if (!id)
        id = json_object_get(scheduler, "job");
    if (json_is_string(id))
        return xstrdup(json_string_value(id));
    if (json_is_integer(id)) {
        char *text;
        xasprintf(&text, "%" JSON_INTEGER_FORMAT, json_integer_value(id));
        return text;
    }
    return xstrdup(set->name);
}

static int audit(const struct task_options *o, const struct rset_list *sets)
{
    const struct named_rset *inventory = &sets->list[0];
    size_t n = sets->n - 1;
    struct held *jobs = xcalloc(n + 1, sizeof(*jobs));
    struct changes faults = {0};
    struct diag d = {0};
    int status;

    for (size_t i = 0; i < n; i++) {
        jobs[i].rs = sets->list[i + 1].rs;
        jobs[i].name = job_name(&sets->list[i + 1]);
    }
    if (rset_audit(inventory->rs, jobs, n, &faults, &d) < 0)
        fail(inventory, NULL, &d);
    status = print_changes(o, &faults, inventory->rs, inventory->rs);
    for (size_t i = 0; i < n; i++)
        free((char *)jobs[i].name);
    free(jobs);
    changes_fini(&faults);
    return status;
}

static int respond(const struct task_options *o, const struct rset_list *sets)
{
    const struct named_rset *a = &sets->list[0], *b = &sets->list[1];
    struct diag d = {0};

    (void)o;
    if (rset_responses(a->rs, b->rs, cli_dialect(), stdout, &d) < 0)
        fail(a, b, &d);
    cli_notes(b->rs, NULL);
    return STATUS_OK;
}

static int expand(const struct task_options *o, const struct rset_list *sets)
{
    const char *files[] = {o->argument, NULL};
    struct rset_list whole = cli_read(files, CLI_ONE | CLI_PARTIAL);
    struct diag d = {0};

    for (size_t i = 0; i < sets->n; i++)
        if (rset_expand_shorthand(sets->list[i].rs, whole.list[0].rs,
                                  EXPAND_STATES, &d)
            < 0)
            fail(&sets->list[i], NULL, &d);
    cli_write_all(sets);
    cli_free(&whole);
    return STATUS_OK;
}

/* --- tasks that write a set --------------------------------------------- */

/* With --key host use the ranks of the first set. */
static void adopt_ranks(const struct named_rset *first,
                        const struct named_rset *others, size_t n)
{
    struct host_ranks ranks;
    struct diag d = {0};

    if (host_ranks_init(&ranks, first->rs, &d) < 0)
        fail(first, &others[0], &d);
    for (size_t i = 0; i < n; i++)
        if (host_ranks_adopt(&ranks, others[i].rs, NULL, &d) < 0)
            fail(first, &others[i], &d);
    if (*ranks.alike)
        rset_note(first->rs,
                  "host %s differs from another only in its domain and "
                  "counts as another node: --key host compares whole names",
                  quote_all(ranks.alike).text);
    host_ranks_fini(&ranks);
}

/* Unite all sets at once, because they may be many. */
static void unite(const struct task_options *o, const struct rset_list *sets)
{
    const struct named_rset *first = &sets->list[0];
    struct rset **others = xmalloc(sets->n * sizeof(*others));
    struct diag d = {0};
    size_t at;

    if (o->by == BY_HOST)
        adopt_ranks(first, &sets->list[1], sets->n - 1);
    for (size_t i = 1; i < sets->n; i++)
        others[i - 1] = sets->list[i].rs;
    progress_begin("uniting", NULL);
    if (rset_unite(first->rs, others, sets->n - 1, o->disjoint, &at, &d) < 0)
        fail(first, at < sets->n - 1 ? &sets->list[at + 1] : NULL, &d);
    progress_end();
    free(others);
}

/* Attach or unlink at a path. Returns the exit status. */
static int change_graph(const struct task_options *o,
                        const struct rset_list *sets)
{
    const struct named_rset *a = &sets->list[0];
    bool unlinks = o->task == UNLINK;
    struct diag d = {0};
    struct lot *lot = (unlinks ? rset_find_lot
                               : rset_find_home)(a->rs, o->argument, &d);
    int rc;

    if (!lot)
        fail(a, NULL, &d);
    rc = unlinks ? rset_unlink(a->rs, lot, o->argument, &d)
                 : rset_attach(a->rs, lot, sets->list[1].rs, &d);
    if (rc < 0)
        fail(a, NULL, &d);
    if (rc > 0) {
        diag_source(&d, "%s", a->name);
        cli_warn_diag(&d);
    }
    return rc;
}

static int write_set(const struct task_options *o, const struct rset_list *sets)
{
    const struct named_rset *first = &sets->list[0];
    enum task_name task = o->task;
    struct diag d = {0};

    for (size_t i = 1; (task == UNION || task == XOR) && i < sets->n; i++)
        if (rset_has_graph(first->rs)
            && cli_check_size(sets->list[i].rs, &d) < 0)
            cli_die_in(&d, sets->list[i].name);
    if (task == UNION && sets->n > 1)
        unite(o, sets);
    for (size_t i = 1; task != UNION && tasks[task].combine && i < sets->n;
         i++) {
        const struct named_rset *other = &sets->list[i];

        if (o->by == BY_HOST)
            adopt_ranks(first, other, 1);
        if (tasks[task].combine(first->rs, other->rs, &d) < 0)
            fail(first, other, &d);
    }
    if ((task == ATTACH || task == UNLINK) && change_graph(o, sets) != 0)
        return STATUS_NO;
    if (o->remap)
        rset_remap(first->rs);
    if (o->remap_cores)
        rset_remap_cores(first->rs);
    if (o->order && rset_rerank(first->rs, o->order, &d) < 0)
        cli_die_in(&d, sets->n > 1 ? tasks[task].option : first->name);
    cli_write(first->rs, first->name);
    return STATUS_OK;
}

const struct task tasks[TASKS] = {
    [COMPARE] = {"comparing", 2, 2, ANSWER_DATA, compare, NULL},
    [JOBS] = {"--jobs", 2, 2, ANSWER_DATA, compare, NULL},
    [UNION] = {"--union", 1, 0, ANSWER_SETS, write_set, rset_union},
    [INTERSECT] = {"--intersect", 2, 0, ANSWER_SETS, write_set, rset_intersect},
    [SUBTRACT] = {"--subtract", 2, 0, ANSWER_SETS, write_set, rset_subtract},
    [XOR] = {"--xor", 2, 0, ANSWER_SETS, write_set, rset_xor},
    [ATTACH] = {"--attach", 2, 2, ANSWER_SETS, write_set, NULL},
    [UNLINK] = {"--unlink", 1, 1, ANSWER_SETS, write_set, NULL},
    [EXPAND] = {"--inventory", 1, 0, ANSWER_SETS, expand, NULL},
    [PATCH] = {"--patch", 2, 2, ANSWER_DATA, make_patch, NULL},
    [APPLY] = {"--apply", 1, 1, ANSWER_SETS, apply, NULL},
    [VERIFY] = {"--verify", 1, 1, ANSWER_DATA, verify, NULL},
    [AUDIT] = {"--audit", 2, 0, ANSWER_DATA, audit, NULL},
    [RESPONSES] = {"--responses", 2, 2, ANSWER_SPOKEN, respond, NULL},
    [RENUMBER] = {"--remap", 1, 1, ANSWER_SETS, write_set, NULL},
};
