/*
 * Collects the faults that the readers of model/document/ find in each
 * document, and prints them (validate.h).
 */
#include "cli/validate.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/show.h"
#include "cli/cli.h"
#include "cli/documents.h"
#include "model/document/document.h"

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
    unsigned how;
    struct report *list;
    size_t n;
};

/* --- reading ------------------------------------------------------------ */

static bool is_fault(const struct report *r, const struct fault *f, bool strict)
{
    return strict || f->level == FAULT_REFUSED
           || (r->records && rule_on_records(f->rule));
}

static bool is_valid(const struct report *r, bool strict)
{
    for (size_t i = 0; i < r->faults.n; i++)
        if (is_fault(r, &r->faults.list[i], strict))
            return false;
    return true;
}

static struct diag source_of(const struct stream *s)
{
    struct diag name = {0};

    stream_fault(s, &name);
    return name;
}

static void add_report(struct reports *reports, const struct stream *s,
                       const struct report *r)
{
    const struct diag name = source_of(s);
    struct report *to;

    reports->list = xreallocarray(reports->list, ++reports->n, sizeof(*to));
    to = &reports->list[reports->n - 1];
    *to = *r;
    memcpy(to->source, name.source, sizeof(to->source));
}

/* The next document of a stream: 1, 0 at the end, -1 with a diag. */
static int check_next(struct stream *s, void *arg, struct diag *d)
{
    struct reports *reports = arg;
    unsigned how = reports->how;
    struct report r = {.faults.strict = how & VALIDATE_STRICT,
                       .faults.strict_records = how & VALIDATE_RECORDS,
                       .records = how & VALIDATE_RECORDS};
    int rc = rset_validate(s, cli_trust(), &r.faults, d);

    if (rc <= 0)
        return rc;
    if (how & VALIDATE_JOBS && !r.faults.jobs)
        cli_die("%s: " NO_JOBS, source_of(s).source);
    r.valid = is_valid(&r, how & VALIDATE_STRICT);
    add_report(reports, s, &r);
    return 1;
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
    printf("%s [%s]\n", diag_format(&d, line, sizeof(line)), f->rule->name);
}

static void print_rest(const char *source, size_t n, const char *rule)
{
    show(stdout, source);
    printf(": ... and %zu more [%s]\n", n, rule);
}

static void print_lines(const struct report *r)
{
    size_t n;
    const struct fault_rule *rules = fault_rules(&n);
    size_t *told = xcalloc(n, sizeof(*told));

    for (size_t i = 0; i < r->faults.n; i++)
        if (told[r->faults.list[i].rule - rules]++ < LINES_MAX)
            print_line(r, &r->faults.list[i]);
    for (size_t i = 0; i < n; i++)
        if (told[i] > LINES_MAX)
            print_rest(r->source, told[i] - LINES_MAX, rules[i].name);
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
        print_member(i ? ",{\"rule\":" : "{\"rule\":", f->rule->name);
        print_member(",\"level\":", fault_level_names[f->level]);
        print_member(",\"where\":", f->where);
        print_member(",\"what\":", f->text);
        putchar('}');
    }
    puts("]}");
}

int cli_validate(const char *const *files, unsigned how)
{
    struct reports reports = {.how = how};
    int status = STATUS_OK;

    for (; *files; files++)
        cli_each_document(*files, check_next, &reports);
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
