/* Requests of rset-match (match.h): one on the command line, or one a line. */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/time.h"
#include "cli/cli.h"
#include "cli/lines.h"
#include "schedule/explain.h"
#include "match.h"
#include "model/records/usage.h"

int query_set_times(struct query *q, struct diag *d)
{
    if (cli_times(&q->when, q->opts.now, q->req->duration, q->earliest,
                  &q->times, d)
        < 0)
        return -1;
    cli_times_apply(&q->times, q->req, &q->opts);
    return 0;
}

enum match_answer query_find(struct query *q, struct usage *u,
                             struct selection **sel, struct diag *d)
{
    return q->feasible
               ? match_feasible(u, q->req, &q->opts, d)
               : cli_find(u, q->req, &q->opts, &q->times, q->earliest, sel, d);
}

struct rset *query_set(const struct query *q, const struct selection *sel,
                       struct rset *rs)
{
    struct rset *found = rset_extract(rs, sel);

    if (q->times.start >= 0)
        rset_set_times(found, time_round(q->times.start),
                       time_round(q->times.end));
    return found;
}

/* --- why, as data -------------------------------------------------------- */

static json_t *need_json(const struct need *need)
{
    json_t *more = json_object(), *part = NULL;

    for (int i = 0; i < OBSTACLES; i++)
        if (need->more[i])
            json_object_set_new(more, obstacle_names[i],
                                json_integer((json_int_t)need->more[i]));
    if (need->part)
        part = json_pack("{s:s,s:I,s:s*}", "need", need->part, "most",
                         (json_int_t)need->part_most, "in",
                         need->part_in_node ? "node" : NULL);
    return json_pack("{s:s,s:s,s:I,s:I,s:s*,s:I,s:o,s:o*}", "need", need->what,
                     "type", need->one, "count", (json_int_t)need->count,
                     "have", (json_int_t)need->have, "where", need->where,
                     "ever", (json_int_t)need->ever, "more", more, "part",
                     part);
}

json_t *query_explain(const struct query *q, struct usage *u,
                      enum match_answer answer)
{
    static const char *const words[] = {[MATCH_FOUND] = "match",
                                        [MATCH_NOT_NOW] = "not now",
                                        [MATCH_NEVER] = "never"};
    double at = match_first_moment(u, q->req, &q->opts, answer);
    struct explanation ex;
    json_t *all, *needs;

    if (answer == MATCH_FOUND) {
        all = json_pack("{s:s}", "answer", words[answer]);
    } else {
        match_explain(u, q->req, &q->opts, MATCH_FOUND, EXPLAIN_ALL, &ex);
        needs = json_array();
        for (size_t i = 0; i < ex.n; i++)
            json_array_append_new(needs, need_json(&ex.needs[i]));
        all = json_pack("{s:s,s:s*,s:o*,s:s*,s:o,s:b}", "answer", words[answer],
                        "times", ex.times, "time",
                        ex.times ? time_to_json(ex.time) : NULL, "both",
                        ex.both, "needs", needs, "each_alone", ex.each_alone);
        explanation_fini(&ex);
    }
    if (at >= 0)
        json_object_set_new(all, "when", time_to_json(at));
    return all;
}

/* --- lines ---------------------------------------------------------------- */

/* The options of a line. */
struct line_options {
    struct cli_request_options request;
    char *limit;
};
static const struct cli_option line_options[] = {
    CLI_REQUEST_OPTIONS(offsetof(struct line_options, request)),
    CLI_LIMIT_OPTION(CLI_AT(struct line_options, limit)),
    {0}};

static const char blanks[] = " \t\r\n";

struct batch {
    const struct query *all; /* for all lines */
    const struct rset_list *set;
    struct usage *u;
    struct lines lines;
    /* State of the current line; end_line() frees all of it. */
    int status;
    struct query q;
    struct constraint *targets;
    struct selection *sel;
    struct rset *found;
    struct words words;
    struct line_options options;
};

static int read_options(struct batch *b, const char *line, struct diag *d)
{
    const struct cli_request_options *o = &b->options.request;
    struct constraint *both[2];
    const char *more, *input;
    poptContext ctx;

    if (words_split(line, strlen(line), &b->words, d) < 0)
        return -1;
    ctx = words_options(&b->words, line_options, &b->options);
    if (cli_read_options(ctx, d) < 0)
        return -1;
    if ((more = poptGetArg(ctx)))
        return cli_fault(d, "unexpected argument %s", quote_all(more).text);
    if ((input = cli_request_reads_stdin(o)))
        return cli_fault(d, "%s -: not in a batch", input);
    if (!cli_first_set(cli_request_table, o, CLI_ASKS))
        return cli_fault(d, "a request is expected: -n, -N, --shape or "
                            "--jobspec");
    if (cli_request_semantics(o, &b->q.opts, d) < 0
        || cli_request_constraint(o, b->set, &b->targets, d) < 0
        || cli_request(o, &b->q.req, d) < 0
        || (b->options.limit
            && cli_when_limit(&b->q.when, b->options.limit, d) < 0))
        return -1;
    if (!b->targets)
        return 0;

    /* join the constraint of the options with that of the jobspec */
    both[0] = b->targets;
    both[1] = b->q.req->constraint;
    b->targets = NULL;
    b->q.req->constraint = constraint_and(both, both[1] ? 2 : 1, d);
    return b->q.req->constraint ? 0 : -1;
}

/* Write a match. The R is made before any of the line is written. */
static int put_match(struct batch *b, struct diag *d)
{
    FILE *out = b->lines.out;
    char *text = NULL;
    bool json;

    b->found = query_set(&b->q, b->sel, b->set->list[0].rs);
    if (cli_check_expressible(b->found, d) < 0
        || !(text = cli_text(b->found, &json, d)))
        return -1;
    fputs("{\"status\":0", out);
    if (json)
        fprintf(out, ",\"R\":%s", text);
    else
        json_write_field(b->lines.out, "R", text);
    fputs("}\n", out);
    free(text);
    return 0;
}

static void put_text(struct batch *b, const char *key, const char *text)
{
    fprintf(b->lines.out, "{\"status\":%d", b->status);
    if (text)
        json_write_field(b->lines.out, key, text);
    fputs("}\n", b->lines.out);
}

/* Answer a line, whose request begins at `text`. Returns -1 with a diag if an
   error is its answer. */
static int answer_line(struct batch *b, const char *text, struct diag *d)
{
    struct lines *l = &b->lines;
    enum match_answer answer;
    char *why = NULL;
    int rc = 0;

    if (strlen(l->text) != l->len)
        return diag_set(d, "the line has a NUL byte");
    while (strchr(blanks, l->text[l->len - 1])) /* also a CR of some editors */
        l->text[--l->len] = '\0';
    if (*text == '{')
        b->q.req = request_from_text(text, strlen(text), d);
    else if (*text != '-')
        b->q.req = request_from_shape(text, d);
    else if (read_options(b, text, d) < 0)
        return -1;
    if (!b->q.req || query_set_times(&b->q, d) < 0)
        return -1;
    answer = query_find(&b->q, b->u, &b->sel, d);
    if (answer == MATCH_ERROR)
        return -1;
    if (answer != MATCH_FOUND)
        why = match_explain_text(b->u, b->q.req, &b->q.opts, answer,
                                 EXPLAIN_REASONS);
    b->status = cli_answer_status(answer);
    if (b->sel)
        rc = put_match(b, d);
    else
        put_text(b, "why", why);
    free(why);
    return rc;
}

static void end_line(struct batch *b)
{
    request_destroy(b->q.req);
    constraint_destroy(b->targets);
    selection_destroy(b->sel);
    rset_destroy(b->found);
    words_fini(&b->words);
    cli_free_options(line_options, &b->options);
    b->options = (struct line_options){0};
    b->q = *b->all;
    b->targets = NULL;
    b->sel = NULL;
    b->found = NULL;
}

int query_batch(const char *file, const struct rset_list *set,
                const struct query *all)
{
    struct batch b = {.all = all, .set = set};
    int worst = STATUS_OK;

    lines_open(&b.lines, file);
    b.u = usage_begin(set->list[0].rs);
    end_line(&b);
    while (lines_next(&b.lines)) {
        const char *text = b.lines.text + strspn(b.lines.text, blanks);
        struct diag d = {0};
        if (text == b.lines.text + b.lines.len || *text == '#')
            continue;
        if (answer_line(&b, text, &d) < 0) {
            const struct diag_line line = diag_line(&d);
            const char *fault = d.usage ? d.text : line.text;
            b.status = STATUS_TROUBLE;
            put_text(&b, "error", fault);
            cli_quiet_fault(b.lines.name, b.lines.nlines, fault);
        }
        if (worst != STATUS_TROUBLE
            && (b.status == STATUS_TROUBLE || b.status > worst))
            worst = b.status;
        end_line(&b);
    }
    lines_close(&b.lines);
    lines_check(&b.lines);
    return worst;
}
