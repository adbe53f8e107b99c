#include "cli/batch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "cli/answer.h"
#include "cli/cli.h"

struct batch {
    struct matcher *m;
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

static struct request *read_request(const char *line, size_t len,
                                    struct diag *d)
{
    line += strspn(line, " \t");
    if (*line == '{')
        return request_from_text(line, len, false, d);
    return request_from_shape(line, d);
}

/* The R is made before anything of the line is written. */
static int put_match(const struct batch *b, const struct request *req,
                     struct selection *sel, struct diag *d)
{
    struct rset *found = rset_extract(b->rs, sel, d);
    char *text = NULL;
    bool json;

    if (found && req->duration > 0
        && rset_set_times(found, b->opts->now, b->opts->now + req->duration))
        diag_oom(d);
    else if (found)
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
    char *text = cli_explain_text(b->m, req, b->opts, answer, false, d);

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
                                  ? match_feasible(b->m, req, b->opts, &d)
                                  : match_find(b->m, req, b->opts, &sel, &d);
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

static int answer_line(const struct batch *b, char *line, size_t len)
{
    struct request *req;
    struct diag d = {0};
    int status;

    if (strlen(line) != len) {
        diag_set(&d, "the line has a NUL byte");
        return put_error(&d);
    }
    if (!(req = read_request(line, len, &d)))
        return put_error(&d);
    status = answer(b, req);
    request_destroy(req);
    return status;
}

/* An answer is out before the next request is waited for. */
static int answer_all(const struct batch *b, FILE *fp)
{
    int worst = STATUS_OK;
    char *line = NULL;
    size_t size = 0;
    ssize_t len;

    while ((len = getline(&line, &size, fp)) >= 0) {
        int status;
        if (len > 0 && line[len - 1] == '\n')
            line[--len] = '\0';
        if (line[strspn(line, " \t\r")] == '\0' && (size_t)len == strlen(line))
            continue;
        status = answer_line(b, line, (size_t)len);
        if (fflush(stdout) != 0)
            break;
        worst = worst == STATUS_TROUBLE || status == STATUS_TROUBLE
                    ? STATUS_TROUBLE
                : status > worst ? status
                                 : worst;
    }
    free(line);
    return worst;
}

int cli_batch(const char *file, const struct named_rset *set,
              const struct match_options *opts, bool feasible)
{
    struct batch b = {.opts = opts, .rs = set->rs, .feasible = feasible};
    bool standard = !strcmp(file, "-");
    FILE *fp = standard ? stdin : fopen(file, "r");
    struct diag d = {0};
    int status;

    if (!fp)
        cli_die("%s: %s", quote(file, strlen(file)).text, strerror(errno));
    if (!(b.m = matcher_create(set->rs, &d)))
        cli_die_diag(&d);
    status = answer_all(&b, fp);
    if (ferror(fp))
        cli_die("%s: %s", standard ? "stdin" : file, strerror(errno));
    if (!standard)
        fclose(fp);
    matcher_destroy(b.m);
    return status;
}
