/*
 * The tasks of rset-diff beside the algebra (tasks.h): each calls one function
 * of compare/ and prints what it answers.
 */
#include "tasks.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "cli/cli.h"
#include "compare/audit.h"
#include "compare/patch.h"
#include "model/document/shorthand.h"

void diff_fail(const struct named_rset *a, const struct named_rset *b,
               struct diag *d)
{
    if (b)
        diag_source(d, "%s and %s", a->name, b->name);
    else
        diag_source(d, "%s", a->name);
    cli_die_diag(d);
}

/* Write the changes, and say whether there are any. */
static int print_changes(const struct changes *changes, const struct rset *a,
                         const struct rset *b)
{
    changes_print(changes, a, b, cli_output_json(), stdout);
    return changes->n > 0 ? STATUS_NO : STATUS_OK;
}

int diff_compare(const struct rset_list *sets, enum identity by)
{
    const struct named_rset *a = &sets->list[0], *b = &sets->list[1];
    struct changes changes = {0};
    struct diag d = {0};
    int status;

    if (rset_diff(a->rs, b->rs, by, &changes, &d) < 0)
        diff_fail(a, b, &d);
    cli_notes(a->rs);
    status = print_changes(&changes, a->rs, b->rs);
    changes_fini(&changes);
    return status;
}

int diff_patch(const struct rset_list *sets)
{
    const struct named_rset *a = &sets->list[0], *b = &sets->list[1];
    struct diag d = {0};
    json_t *patch = rset_patch(a->rs, b->rs, &d);

    if (!patch)
        diff_fail(a, b, &d);
    json_write(stdout, patch);
    putchar('\n');
    json_decref(patch);
    return STATUS_OK;
}

/* Exactly one JSON value. */
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

int diff_apply(const struct rset_list *sets, const char *file)
{
    const struct named_rset *a = &sets->list[0];
    json_t *patch = read_patch(file);
    struct rset *result;
    struct diag d = {0};
    int rc = rset_apply(a->rs, patch, &result, &d);

    json_decref(patch);
    if (rc < 0)
        diff_fail(a, NULL, &d);
    if (rc > 0) {
        diag_source(&d, "%s: the patch does not fit", a->name);
        cli_warn_diag(&d);
        return STATUS_NO;
    }
    cli_write(result, a->name);
    rset_destroy(result);
    return STATUS_OK;
}

int diff_verify(const struct rset_list *sets, const struct diff_verify *how)
{
    const char *files[] = {how->expected, NULL};
    struct rset_list expected = cli_read_one(files);
    const struct named_rset *a = &expected.list[0], *b = &sets->list[0];
    struct changes findings = {0};
    struct diag d = {0};
    int rc = rset_verify(a->rs, b->rs, how->by, how->rules, how->nrules,
                         how->no_extra, &findings, &d);

    if (rc < 0)
        diff_fail(a, b, &d);
    print_changes(&findings, a->rs, b->rs);
    changes_fini(&findings);
    cli_free(&expected);
    return rc ? STATUS_NO : STATUS_OK;
}

/*
 * The job of an R: what the document says (`id`, or `job` for its
 * scheduler), otherwise the document's name.
 */
static char *job_name(const struct named_rset *set)
{
    const json_t *scheduler = json_object_get(
        json_object_get(set->rs->attributes, "system"), "scheduler");
    const json_t *id = json_object_get(set->rs->extra, "id");

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

int diff_audit(const struct rset_list *sets)
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
        diff_fail(inventory, NULL, &d);
    status = print_changes(&faults, inventory->rs, inventory->rs);
    for (size_t i = 0; i < n; i++)
        free((char *)jobs[i].name);
    free(jobs);
    changes_fini(&faults);
    return status;
}

int diff_responses(const struct rset_list *sets, enum dialect dialect)
{
    const struct named_rset *a = &sets->list[0], *b = &sets->list[1];
    struct diag d = {0};
    int n = rset_responses(a->rs, b->rs, dialect, stdout, &d);

    if (n < 0)
        diff_fail(a, b, &d);
    cli_notes(b->rs);
    return STATUS_OK;
}

int diff_expand(const struct rset_list *sets, const char *inventory)
{
    const char *files[] = {inventory, NULL};
    struct rset_list whole = cli_read_one(files);
    struct diag d = {0};

    for (size_t i = 0; i < sets->n; i++)
        if (rset_expand_shorthand(sets->list[i].rs, whole.list[0].rs, &d) < 0)
            diff_fail(&sets->list[i], NULL, &d);
    cli_check_writable(sets);
    for (size_t i = 0; i < sets->n; i++)
        cli_write(sets->list[i].rs, sets->list[i].name);
    cli_free(&whole);
    return STATUS_OK;
}
