#include "batch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli/answer.h"
#include "cli/cli.h"

#define BLANKS " \t\r\n"

struct batch {
    struct usage *u;
    const struct match_options *opts;
    struct rset *rs;
    bool feasible;
};

static int put_error(const struct diag *d)
{
    char text[sizeof(*d)];

    fputs("{\"status\":2,\"error\":", stdout);
    json_write_string(stdout, diag_format(d, text, sizeof(text)));
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

static struct request *read_request(const char *line, struct diag *d)
{
    if (*line == '{')
        return request_from_text(line, strlen(line), false, d);
    return request_from_shape(line, d);
}

/* The R is made before anything of the line is written. */
static int put_match(const struct batch *b, const struct request *req,
                     struct selection *sel, struct diag *d)
{
    struct rset *found = rset_extract(b->rs, sel);
    char *text = NULL;
    bool json;

    if (found && req->duration > 0)
        rset_set_times(found, b->opts->now, b->opts->now + req->duration);
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

static int put_no(const struct batch *b, const struct request *req,
                  enum match_answer answer, struct diag *d)
{
    int status = cli_answer_status(answer);
    char *text = cli_explain_text(b->u, req, b->opts, answer, false, d);

    if (!text)
        return put_error(d);
    printf("{\"status\":%d,\"why\":", status);
    json_write_string(stdout, text);
    fputs("}\n", stdout);
    free(text);
    return status;
}

static int answer(const struct batch *b, const struct request *req)
{
    struct selection *sel = NULL;
    struct diag d = {0};
    enum match_answer found = b->feasible
                                  ? match_feasible(b->u, req, b->opts, &d)
                                  : match_find(b->u, req, b->opts, &sel, &d);
    int status = STATUS_OK;

    if (found == MATCH_ERROR)
        status = put_error(&d);
    else if (found != MATCH_FOUND)
        status = put_no(b, req, found, &d);
    else if (sel)
        status = put_match(b, req, sel, &d);
    else
        puts("{\"status\":0}");
    selection_destroy(sel);
    return status;
}

static int answer_line(const struct batch *b, const char *line, bool whole)
{
    struct request *req;
    struct diag d = {0};
    int status;

    if (!whole) {
        diag_set(&d, "the line has a NUL byte");
        return put_error(&d);
    }
    if (!(req = read_request(line, &d)))
        return put_error(&d);
    status = answer(b, req);
    request_destroy(req);
    return status;
}

static int worse(int a, int b)
{
    if (a == STATUS_TROUBLE || b == STATUS_TROUBLE)
        return STATUS_TROUBLE;
    return a > b ? a : b;
}

/*
 * An answer is out before the next request is waited for. What ends the file
 * early, a fault in reading or no memory for a line, is no end of it.
 */
static int answer_all(const struct batch *b, FILE *fp, const char *name)
{
    int worst = STATUS_OK;
    char *line = NULL;
    size_t size = 0;
    ssize_t len;

    while ((len = getline(&line, &size, fp)) >= 0) {
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
    if (len < 0 && !feof(fp))
        cli_die("%s: %s", name, strerror(errno));
    free(line);
    return worst;
}

int cli_batch(const char *file, const struct named_rset *set,
              const struct match_options *opts, bool feasible)
{
    struct batch b = {.opts = opts, .rs = set->rs, .feasible = feasible};
    bool standard = !strcmp(file, "-");
    FILE *fp = standard ? stdin : fopen(file, "r");
    int status;

    if (!fp)
        cli_die("%s: %s", file, strerror(errno));
    b.u = usage_create(set->rs);
    status = answer_all(&b, fp, standard ? "stdin" : file);
    if (!standard)
        fclose(fp);
    usage_destroy(b.u);
    return status;
}
