#include "cli/validate.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/stream.h"
#include "cli/cli.h"
#include "cli/documents.h"
#include "model/records.h"
#include "model/validate.h"

/* Of one rule no more lines than this are printed of a document. */
enum { LINES_MAX = 20 };

/* A document and what is wrong with it. */
struct report {
    char source[160];
    struct faults faults;
    bool valid;
    bool records; /* all that breaks a rule on records is a fault */
};

struct reports {
    struct report *list;
    size_t n;
};

/* --- reading ------------------------------------------------------------ */

/* Is it a rule on records (RFC 4, RFC 16)? */
static bool on_records(const struct fault *f)
{
    static const char *const names[] = {"job",     "span",       "shared-",
                                        "record-", "exclusive-", "stale-"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (!strncmp(f->rule, names[i], strlen(names[i])))
            return true;
    return false;
}

static bool is_fault(const struct report *r, const struct fault *f, bool strict)
{
    return strict || f->level == FAULT_REFUSED || (r->records && on_records(f));
}

/* Forget what is against other rules to the letter only. */
static void keep_records(struct faults *faults)
{
    struct faults kept = {
        .strict = faults->strict, .size = faults->size, .list = faults->list};

    for (size_t i = 0; i < faults->n; i++) {
        struct fault *f = &faults->list[i];
        if (f->level != FAULT_STRICT || on_records(f)) {
            kept.list[kept.n++] = *f;
            continue;
        }
        free(f->where);
        free(f->text);
    }
    *faults = kept;
}

/* With --trust it is no more than a warning that the halves disagree. */
static void trust_half(struct faults *faults)
{
    for (size_t i = 0; i < faults->n; i++) {
        struct fault *f = &faults->list[i];
        if (!strcmp(f->rule, "halves-disagree")
            || !strcmp(f->rule, "hosts-disagree"))
            f->level = FAULT_WARNED;
    }
}

static bool is_valid(const struct report *r, bool strict)
{
    for (size_t i = 0; i < r->faults.n; i++)
        if (is_fault(r, &r->faults.list[i], strict))
            return false;
    return true;
}

static struct report *add_report(struct reports *reports,
                                 const struct stream *s, unsigned how)
{
    struct report *list = xrealloc(reports->list,
                                   (reports->n + 1) * sizeof(*list));
    struct report *r;
    struct diag name = {0};

    if (!list)
        cli_die("out of memory");
    reports->list = list;
    r = &list[reports->n++];
    *r = (struct report){.faults.strict = how != 0,
                         .records = how & VALIDATE_RECORDS};
    stream_fault(s, &name);
    memcpy(r->source, name.source, sizeof(r->source));
    return r;
}

/* Are there any records in it, of whatever kind? */
static bool has_records(const json_t *metadata)
{
    const char *key;
    json_t *value;

    json_object_foreach ((json_t *)metadata, key, value)
        if (records_key(key)
            && (!json_is_array(value) || json_array_size(value) > 0))
            return true;
    return false;
}

/* Is there a job in a document, sound or not? */
static bool has_jobs(const json_t *doc)
{
    const json_t *system = json_object_get(json_object_get(doc, "attributes"),
                                           "system");
    const json_t *graph = json_object_get(json_object_get(doc, "scheduling"),
                                          "graph");
    json_t *nodes, *vertex;
    const char *id;
    size_t i;

    nodes = json_object_get(graph ? graph : json_object_get(doc, "graph"),
                            "nodes");
    json_array_foreach (nodes, i, vertex)
        if (has_records(json_object_get(vertex, "metadata")))
            return true;
    json_object_foreach (nodes, id, vertex)
        if (has_records(json_object_get(vertex, "metadata")))
            return true;
    return has_records(json_object_get(system, "scheduler"));
}

/* The next document of a stream: 1, 0 at the end, -1 with a diag. */
static int check_next(struct stream *s, struct reports *reports, unsigned how,
                      struct diag *d)
{
    int rc = stream_next(s, d);
    struct report *r;
    json_t *doc;

    if (rc <= 0)
        return rc;
    if (!(doc = stream_value(s, d)))
        return -1;
    r = add_report(reports, s, how);
    rc = validate_document(doc, &r->faults, d);
    if (rc == 0 && how & VALIDATE_JOBS && !has_jobs(doc))
        cli_die("%s: " NO_JOBS, r->source);
    json_decref(doc);
    if (rc < 0)
        return stream_fault(s, d);
    if (cli_trusts_half())
        trust_half(&r->faults);
    if (r->records)
        keep_records(&r->faults);
    r->valid = is_valid(r, how & VALIDATE_STRICT);
    return 1;
}

static void check_file(const char *file, struct reports *reports, unsigned how)
{
    size_t before = reports->n;
    struct diag d = {0};
    struct stream *s = stream_open(file, &d);
    int rc = -1;

    while (s && (rc = check_next(s, reports, how, &d)) == 1)
        ;
    if (rc < 0)
        cli_die_diag(&d);
    if (reports->n == before) {
        diag_set(&d, "empty input: expected a document");
        stream_fault(s, &d);
        cli_die_diag(&d);
    }
    stream_close(s);
}

/* --- printing ----------------------------------------------------------- */

static void print_line(const struct report *r, const struct fault *f)
{
    struct diag d = {0};
    char line[1024];

    memcpy(d.source, r->source, sizeof(d.source));
    snprintf(d.where, sizeof(d.where), "%s", f->where);
    snprintf(d.text, sizeof(d.text), "%s%s",
             f->level == FAULT_WARNED && !is_fault(r, f, false) ? "warning: "
                                                                : "",
             f->text);
    printf("%s [%s]\n", diag_format(&d, line, sizeof(line)), f->rule);
}

/* The number of a rule in the table. */
static size_t rule_number(const struct fault *f)
{
    const struct fault_rule *rules;
    size_t n, i = 0;

    rules = fault_rules(&n);
    while (i + 1 < n && strcmp(rules[i].name, f->rule))
        i++;
    return i;
}

static void print_lines(const struct report *r)
{
    size_t n, *told;
    const struct fault_rule *rules = fault_rules(&n);

    if (!(told = xcalloc(n, sizeof(*told))))
        cli_die("out of memory");
    for (size_t i = 0; i < r->faults.n; i++)
        if (told[rule_number(&r->faults.list[i])]++ < LINES_MAX)
            print_line(r, &r->faults.list[i]);
    for (size_t i = 0; i < n; i++)
        if (told[i] > LINES_MAX)
            printf("%s: ... and %zu more [%s]\n", r->source,
                   told[i] - LINES_MAX, rules[i].name);
    free(told);
}

static void print_member(const char *before, const char *text)
{
    fputs(before, stdout);
    json_write_string(stdout, text);
}

static void print_json(const struct report *r)
{
    print_member("{\"source\":", r->source);
    printf(",\"valid\":%s,\"faults\":[", r->valid ? "true" : "false");
    for (size_t i = 0; i < r->faults.n; i++) {
        const struct fault *f = &r->faults.list[i];
        print_member(i ? ",{\"rule\":" : "{\"rule\":", f->rule);
        print_member(",\"level\":", fault_level_names[f->level]);
        print_member(",\"where\":", f->where);
        print_member(",\"what\":", f->text);
        putchar('}');
    }
    puts("]}");
}

int cli_validate(const char *const *files, unsigned how)
{
    struct reports reports = {0};
    int status = STATUS_OK;

    for (; *files; files++)
        check_file(*files, &reports, how);
    for (size_t i = 0; i < reports.n; i++) {
        struct report *r = &reports.list[i];
        if (cli_output_json())
            print_json(r);
        else
            print_lines(r);
        if (!r->valid)
            status = STATUS_NO;
        faults_fini(&r->faults);
    }
    free(reports.list);
    return status;
}
