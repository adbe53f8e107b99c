#include "cli/validate.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/stream.h"
#include "cli/cli.h"
#include "cli/documents.h"
#include "model/validate.h"

/* Of one rule no more lines than this are printed of a document. */
enum { LINES_MAX = 20 };

/* A document and what is wrong with it. */
struct report {
    char source[160];
    struct faults faults;
    bool valid;
};

struct reports {
    struct report *list;
    size_t n;
};

/* --- reading ------------------------------------------------------------ */

static bool is_valid(const struct faults *faults)
{
    if (faults->strict)
        return faults->n == 0;
    return faults_count(faults, FAULT_REFUSED) == 0;
}

static struct report *add_report(struct reports *reports,
                                 const struct stream *s, bool strict)
{
    struct report *list = realloc(reports->list,
                                  (reports->n + 1) * sizeof(*list));
    struct report *r;
    struct diag name = {0};

    if (!list)
        cli_die("out of memory");
    reports->list = list;
    r = &list[reports->n++];
    *r = (struct report){.faults.strict = strict};
    stream_fault(s, &name);
    memcpy(r->source, name.source, sizeof(r->source));
    return r;
}

/* The next document of a stream: 1, 0 at the end, -1 with a diag. */
static int check_next(struct stream *s, struct reports *reports, bool strict,
                      struct diag *d)
{
    int rc = stream_next(s, d);
    struct report *r;
    json_t *doc;

    if (rc <= 0)
        return rc;
    if (!(doc = stream_value(s, d)))
        return -1;
    r = add_report(reports, s, strict);
    rc = validate_document(doc, &r->faults, d);
    json_decref(doc);
    if (rc < 0)
        return stream_fault(s, d);
    r->valid = is_valid(&r->faults);
    return 1;
}

static void check_file(const char *file, struct reports *reports, bool strict)
{
    size_t before = reports->n;
    struct diag d = {0};
    struct stream *s = stream_open(file, &d);
    int rc = -1;

    while (s && (rc = check_next(s, reports, strict, &d)) == 1)
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
             f->level == FAULT_WARNED ? "warning: " : "", f->text);
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

    if (!(told = calloc(n, sizeof(*told))))
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

int cli_validate(const char *const *files, bool strict)
{
    struct reports reports = {0};
    int status = STATUS_OK;

    for (; *files; files++)
        check_file(*files, &reports, strict);
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
