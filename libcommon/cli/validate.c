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
#include "cli/now.h"
#include "model/document/document.h"

/* Most lines that are printed about one rule and one document. */
enum { LINES_MAX = 20 };

/* The document being checked, and the reports so far. */
struct report {
    char source[160];
    struct faults faults;
    unsigned how;
    FILE *fp;     /* the report is written here */
    char **texts; /* the reports of all documents */
    size_t n;
    bool invalid; /* at least one document is invalid */
};

/* --- one document --------------------------------------------------------- */

static bool is_fault(const struct report *r, const struct fault *f, bool strict)
{
    return f->level != FAULT_NOTED
           && (strict || f->level == FAULT_REFUSED
               || (r->how & VALIDATE_RECORDS && rule_on_records(f->rule)));
}

static bool is_valid(const struct report *r)
{
    for (size_t i = 0; i < r->faults.n; i++)
        if (is_fault(r, &r->faults.list[i], r->how & VALIDATE_STRICT))
            return false;
    return true;
}

static void print_line(const struct report *r, const struct fault *f)
{
    struct diag d = {0};

    memcpy(d.source, r->source, sizeof(d.source));
    snprintf(d.where, sizeof(d.where), "%s", f->where);
    snprintf(d.text, sizeof(d.text), "%s%s",
             f->level == FAULT_NOTED                              ? "note: "
             : f->level == FAULT_WARNED && !is_fault(r, f, false) ? "warning: "
                                                                  : "",
             f->text);
    fprintf(r->fp, "%s [%s]\n", diag_line(&d).text, f->rule->name);
}

static void print_lines(const struct report *r)
{
    size_t n;
    const struct fault_rule *rules = fault_rules(&n);
    size_t *reported = xcalloc(n, sizeof(*reported));

    for (size_t i = 0; i < r->faults.n; i++)
        if (reported[r->faults.list[i].rule - rules]++ < LINES_MAX)
            print_line(r, &r->faults.list[i]);
    for (size_t i = 0; i < n; i++)
        if (reported[i] > LINES_MAX) {
            show(r->fp, r->source);
            fprintf(r->fp, ": ... and %zu more [%s]\n", reported[i] - LINES_MAX,
                    rules[i].name);
        }
    free(reported);
}

static void print_member(FILE *fp, const char *before, const char *text)
{
    fputs(before, fp);
    json_write_string(fp, text);
}

static void print_json(const struct report *r)
{
    print_member(r->fp, "{\"source\":", r->source);
    fprintf(r->fp, ",\"valid\":%s,\"faults\":[",
            is_valid(r) ? "true" : "false");
    for (size_t i = 0; i < r->faults.n; i++) {
        const struct fault *f = &r->faults.list[i];
        print_member(r->fp, i ? ",{\"rule\":" : "{\"rule\":", f->rule->name);
        print_member(r->fp, ",\"level\":", fault_level_names[f->level]);
        print_member(r->fp, ",\"where\":", f->where);
        print_member(r->fp, ",\"what\":", f->text);
        putc('}', r->fp);
    }
    fputs("]}\n", r->fp);
}

/* --- all documents -------------------------------------------------------- */

/* Check the next document. Returns 1; 0 at the end; -1 with a diag. */
static int check_next(struct stream *s, void *arg, struct diag *d)
{
    struct report *r = arg;
    struct diag name = {0};
    int rc;

    r->faults = (struct faults){.strict = r->how & VALIDATE_STRICT,
                                .strict_records = r->how & VALIDATE_RECORDS,
                                .waiting = r->how & VALIDATE_WAITING,
                                .now = cli_clock(&(bool){false})};
    rc = rset_validate(s, cli_trust(), &r->faults, d);
    if (rc <= 0)
        return rc;
    stream_fault(s, &name);
    memcpy(r->source, name.source, sizeof(r->source));
    if (r->how & VALIDATE_JOBS && !r->faults.jobs)
        cli_die("%s: " NO_JOBS, r->source);
    VECTOR_GROW(r->texts, r->n);
    r->fp = memory_open(&r->texts[r->n++], NULL);
    if (cli_output_is("json"))
        print_json(r);
    else
        print_lines(r);
    memory_close(r->fp);
    r->invalid |= !is_valid(r);
    faults_fini(&r->faults);
    return 1;
}

static int print_reports(struct report *r)
{
    for (size_t i = 0; i < r->n; i++) {
        fputs(r->texts[i], stdout);
        free(r->texts[i]);
    }
    free(r->texts);
    return r->invalid ? STATUS_NO : STATUS_OK;
}

int cli_validate(const char *const *files, unsigned how)
{
    struct report r = {.how = how};
    struct diag d = {0};

    for (; *files; files++)
        if (cli_each_document(*files, check_next, &r, &d) < 0)
            cli_die_diag(&d);
    return print_reports(&r);
}

int cli_validate_text(const char *text, size_t len, const char *name,
                      unsigned how)
{
    struct report r = {.how = how};
    struct stream *s = stream_open_text(text, len, name);
    struct diag d = {0};
    int rc = check_next(s, &r, &d);

    stream_close(s);
    if (rc < 0)
        cli_die_diag(&d);
    return print_reports(&r);
}
