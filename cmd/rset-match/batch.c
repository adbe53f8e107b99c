/* Many requests in one run: see batch.h. */
#include "batch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "cli/answer.h"
#include "cli/cli.h"
#include "cli/request_options.h"
#include "cli/words.h"

#define BLANKS " \t\r\n"

static struct poptOption line_options[] = {CLI_OWN_TEXTS, CLI_REQUEST_OPTIONS,
                                           CLI_LIMIT_OPTION, POPT_TABLEEND};

struct batch {
    struct usage *u;
    const struct match_options *all; /* for all lines */
    const struct cli_when *when;
    const struct rset_list *set;
    struct rset *rs; /* the one in it */
    bool feasible;
    /* Of the line at hand, for who ends it wherever it stopped. */
    struct match_options opts;
    struct request *req;
    struct cli_times times;
    struct constraint *targets;
    struct words words;
    struct cli_trap trap;
};

static int put_error(const struct diag *d)
{
    char text[sizeof(*d)];

    fputs("{\"status\":2,\"error\":", stdout);
    json_write_message(stdout, diag_format(d, text, sizeof(text)));
    fputs("}\n", stdout);
    return STATUS_TROUBLE;
}

/* Cut the blanks around a line, and the CR that some editors leave. */
static char *trim(char *line)
{
    size_t len;

    line += strspn(line, BLANKS);
    len = strlen(line);
    while (len > 0 && strchr(BLANKS, line[len - 1]))
        line[--len] = '\0';
    return line;
}

/* The constraint of the options joins that of their jobspec. */
static void join_targets(struct batch *b)
{
    struct constraint *both[] = {b->targets, b->req->constraint};
    struct diag d = {0};

    b->targets = NULL;
    b->req->constraint = constraint_and(both, both[1] ? 2 : 1, &d);
    if (!b->req->constraint)
        cli_die("%s", d.text);
}

static void read_options(struct batch *b)
{
    poptContext ctx = words_options(&b->words, line_options);
    const char *more;

    while (cli_next(ctx) >= 0)
        ;
    if ((more = poptGetArg(ctx)))
        cli_usage("%s: nothing is expected here",
                  quote(more, strlen(more)).text);
    if (cli_request_reads_stdin())
        cli_usage("%s -: not in a batch", cli_request_reads_stdin());
    if (!cli_request_given())
        cli_usage("a request is expected: -n, -N, --shape or --jobspec");
    cli_request_semantics(&b->opts);
    b->targets = cli_request_constraint(b->set);
    b->req = cli_request();
    if (b->targets)
        join_targets(b);
}

static void read_request(struct batch *b, const char *line)
{
    struct cli_when when = *b->when;
    struct diag d = {0};

    if (*line == '-')
        read_options(b);
    else
        b->req = *line == '{' ? request_from_text(line, strlen(line), false, &d)
                              : request_from_shape(line, &d);
    if (!b->req)
        cli_die_diag(&d);
    cli_when_limit(&when);
    b->times = cli_times(&when, b->opts.now, b->req->duration);
    cli_times_ask(&b->times, b->req, &b->opts);
}

/* What would end the program on a command line springs the trap. */
static int read_asked(struct batch *b, const char *line, struct diag *d)
{
    if (*line == '-' && words_split(line, strlen(line), &b->words, d) < 0)
        return -1;
    cli_set_trap(&b->trap);
    if (setjmp(b->trap.env) == 0)
        read_request(b, line);
    else
        diag_set(d, "%s", b->trap.text);
    cli_set_trap(NULL);
    return d->text[0] ? -1 : 0;
}

/* The R is made before anything of the line is written. */
static int put_match(const struct batch *b, struct selection *sel,
                     struct diag *d)
{
    struct rset *found = rset_extract(b->rs, sel);
    char *text = NULL;
    bool json;

    if (found && b->times.start >= 0)
        rset_set_times(found, b->times.start, b->times.end);
    if (found && cli_check_said(found, d) == 0)
        text = cli_text(found, &json, d);
    rset_destroy(found);
    if (!text)
        return put_error(d);
    fputs("{\"status\":0,\"R\":", stdout);
    if (json)
        fputs(text, stdout);
    else
        json_write_string(stdout, text);
    fputs("}\n", stdout);
    free(text);
    return STATUS_OK;
}

static int put_no(const struct batch *b, enum match_answer answer,
                  struct diag *d)
{
    int status = cli_answer_status(answer);
    char *text = cli_explain_text(b->u, b->req, &b->opts, answer, false, d);

    if (!text)
        return put_error(d);
    printf("{\"status\":%d,\"why\":", status);
    json_write_message(stdout, text);
    fputs("}\n", stdout);
    free(text);
    return status;
}

static int answer(struct batch *b)
{
    struct selection *sel = NULL;
    struct diag d = {0};
    enum match_answer found = b->feasible
                                  ? match_feasible(b->u, b->req, &b->opts, &d)
                                  : cli_find(b->u, b->req, &b->opts, b->when,
                                             &b->times, &sel, &d);
    int status = STATUS_OK;

    if (found == MATCH_ERROR)
        status = put_error(&d);
    else if (found != MATCH_FOUND)
        status = put_no(b, found, &d);
    else if (sel)
        status = put_match(b, sel, &d);
    else
        puts("{\"status\":0}");
    selection_destroy(sel);
    return status;
}

static void end_line(struct batch *b)
{
    request_destroy(b->req);
    constraint_destroy(b->targets);
    words_fini(&b->words, line_options);
    b->req = NULL;
    b->targets = NULL;
    b->opts = *b->all;
}

static int answer_line(struct batch *b, const char *line, bool whole)
{
    struct diag d = {0};
    int rc = whole ? read_asked(b, line, &d)
                   : diag_set(&d, "the line has a NUL byte");
    int status = rc < 0 ? put_error(&d) : answer(b);

    end_line(b);
    return status;
}

static int worse(int a, int b)
{
    if (a == STATUS_TROUBLE || b == STATUS_TROUBLE)
        return STATUS_TROUBLE;
    return a > b ? a : b;
}

/* getline() with an end: a line that is too long ends the program. */
static ssize_t read_line(FILE *fp, const char *name, char **line, size_t *size)
{
    size_t len = 0;
    int c = 0;

    while (c != '\n' && (c = getc_unlocked(fp)) != EOF) {
        if (len + 1 >= *size)
            *line = xrealloc(*line, *size = 2 * *size + 4096);
        if (len > CLI_LINE_MAX)
            cli_die("%s: a line of more than %d MiB", name, CLI_LINE_MAX >> 20);
        (*line)[len++] = (char)c;
    }
    if (len == 0)
        return -1;
    (*line)[len] = '\0';
    return (ssize_t)len;
}

/*
 * An answer is out before the next request is waited for. What ends the file
 * early, a fault in reading, is no end of it.
 */
static int answer_all(struct batch *b, FILE *fp, const char *name)
{
    int worst = STATUS_OK;
    char *line = NULL;
    size_t size = 0;
    ssize_t len;

    while ((len = read_line(fp, name, &line, &size)) >= 0) {
        bool whole = strlen(line) == (size_t)len;
        const char *text = trim(line);
        int status;
        if (whole && !*text)
            continue;
        status = answer_line(b, text, whole);
        if (fflush(stdout) != 0)
            break;
        worst = worse(worst, status);
    }
    if (ferror(fp))
        cli_die("%s: %s", name, strerror(errno));
    free(line);
    return worst;
}

int cli_batch(const char *file, const struct rset_list *set,
              const struct match_options *opts, const struct cli_when *when,
              bool feasible)
{
    struct batch b = {.all = opts,
                      .when = when,
                      .set = set,
                      .rs = set->list[0].rs,
                      .feasible = feasible};
    bool standard = !strcmp(file, "-");
    FILE *fp = standard ? stdin : fopen(file, "r");
    int status;

    if (!fp)
        cli_die("%s: %s", file, strerror(errno));
    b.u = usage_begin(b.rs);
    end_line(&b);
    status = answer_all(&b, fp, standard ? "stdin" : file);
    if (!standard)
        fclose(fp);
    return status;
}
