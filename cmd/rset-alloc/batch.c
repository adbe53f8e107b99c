/*
 * rset-alloc batch: reads the set once, then commands, one a line, and answers
 * each at once with one line of JSON.
 *
 * A line is read as a command line. Errors that would end the program there are
 * answers here, and then nothing has changed.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/time.h"
#include "cli/beside.h"
#include "cli/cli.h"
#include "cli/lines.h"
#include "cli/store.h"
#include "cli/targets.h"
#include "alloc.h"
#include "model/records/jobs.h"
#include "model/records/usage.h"

static const struct cli_option line_options[] = {
    ALLOC_OPTIONS,
    CLI_TABLE_OPTIONS(offsetof(struct alloc_options, table)),
    {0}};

struct batch {
    struct alloc_call call;
    struct lines lines;
    const struct alloc_options *all; /* of the command line */
    size_t nwaiting;                 /* commands not committed yet */
    double since;                    /* time of the first of them */
    double now; /* fixed by --now or a line; below 0: use the clock */
    char digits[JOB_DIGITS_MAX];
    struct words words; /* the current line */
    struct alloc_options options;
};

/* With --group-commit at most this many answers wait for each other, and at
   most this many seconds. */
enum { WAITING_MAX = 1000 };
static const double WAITING_TIME = 0.005;

/* --- one line ----------------------------------------------------------- */

static double now(const struct batch *b)
{
    return b->now >= 0 ? b->now : time_now();
}

static void begin_answer(struct batch *b, int status)
{
    /* the first operand, as far as the line was read */
    const char *word = b->call.command ? b->call.command->help.name
                       : b->words.ctx  ? poptPeekArg(b->words.ctx)
                                       : NULL;
    FILE *out = b->lines.out;

    if (!word)
        word = b->words.n ? b->words.list[0] : "";
    fputs("{\"command\":", out);
    json_write_message(out, word);
    if (b->call.job)
        json_write_field(b->lines.out, "job", b->call.job);
    fputs(",\"status\":", out);
    putc('0' + status, out);
}

/* Write a negative answer or an error with its text. */
static void answer_bad(struct batch *b, int status, const char *key,
                       const char *text)
{
    begin_answer(b, status);
    json_write_field(b->lines.out, key, text);
    fputs("}\n", b->lines.out);
}

/* Give the job back the resources that it had before the line. */
static void undo(struct alloc_call *call)
{
    struct usage *u = usage_begin(call->rs);

    if (call->undo)
        job_restore(u, call->undo);
    else if (call->command->does & GIVES)
        job_release(u, job_find(u, call->job));
}

/* Answer the line with an error. */
static void answer_fault(struct batch *b, const struct diag *d)
{
    const struct diag_line line = diag_line(d);
    const char *fault = d->usage ? d->text : line.text;

    answer_bad(b, STATUS_TROUBLE, "error", fault);
    cli_quiet_fault(b->lines.name, b->lines.nlines, fault);
}

/* If a commit fails, memory differs from the store. Answer the current line
   with the error and end the program. */
static struct batch *committing;

static void end_batch(const struct diag *d)
{
    cli_store_failed = NULL;
    answer_fault(committing, d);
    lines_close(&committing->lines);
    lines_check(&committing->lines); /* was it answered? */
    cli_exit(STATUS_TROUBLE);
}

/* With a store make the change durable before the answer: at once, or together
   with others, and then the answers wait. */
static void keep(struct batch *b)
{
    if (!b->call.store)
        return;
    alloc_store_record(&b->call);
    if (!b->all->group_commit) {
        committing = b;
        cli_store_failed = end_batch;
        store_sync(b->call.store);
        cli_store_failed = NULL;
    }
    if (b->nwaiting++ == 0)
        b->since = time_now();
}

static void sync_waiting(void *arg)
{
    struct batch *b = arg;

    b->nwaiting = 0;
    store_sync(b->call.store);
}

/* Answer with success. Everything that can fail happens before the first byte
   is written. Returns 0, or -1 with a diag. */
static int answer_good(struct batch *b)
{
    static const char R[] = "{\"version\":"; /* how an R begins */
    struct alloc_call *call = &b->call;
    char *text = NULL;
    bool json;

    if (call->command->does & GIVES && !b->all->no_R)
        call->made = alloc_job_R(call, false);
    if (call->made && !b->all->no_R
        && !(text = cli_text(call->made, &json, &call->d))) {
        undo(call);
        call->d.where[0] = call->d.source[0] = '\0';
        return -1;
    }
    keep(b);
    begin_answer(b, STATUS_OK);
    if (text && json)
        fprintf(b->lines.out, ",\"%s\":%s",
                strncmp(text, R, strlen(R)) ? "set" : "R", text);
    else if (text)
        json_write_field(b->lines.out, "set", text);
    json_write_member(b->lines.out, ",", call->data_name, call->data);
    fputs("}\n", b->lines.out);
    if (text)
        cli_notes(call->made, NULL);
    free(text);
    return STATUS_OK;
}

/* Handle `now TIME`: use this time from now on. */
static int set_now(struct batch *b)
{
    struct diag d = {0};
    double time;

    if (b->words.n != 2)
        return cli_fault(&b->call.d, "now: a time is expected");
    if (time_parse(b->words.list[1], now(b), &time, &d) < 0)
        return cli_fault(&b->call.d, "now: %s", d.text);
    b->now = time;
    begin_answer(b, STATUS_OK);
    fputs("}\n", b->lines.out);
    return STATUS_OK;
}

/* Read the options and operands of a line. Returns 0, or -1 with a diag. */
static int read_call(struct batch *b)
{
    struct alloc_call *call = &b->call;
    const struct alloc_options *o = &b->options;
    struct diag *d = &call->d;
    const char *more, *input;
    poptContext ctx = words_options(&b->words, line_options, &b->options);

    if (command_read(ctx, call) < 0)
        return -1;
    if ((input = cli_request_reads_stdin(&o->request)))
        return cli_fault(d, "%s -: not in a batch", input);
    if (o->R && cli_is_stdin(o->R))
        return cli_fault(d, "--R -: not in a batch");
    if (cli_targets_read_stdin(o->targets)
        || cli_targets_read_stdin(call->what))
        return cli_fault(d, "targets of standard input: not in a batch");
    if ((more = poptGetArg(ctx)))
        return cli_fault(d, "unexpected argument %s", quote_all(more).text);
    call->now = now(b);
    call->now_is_set = o->times.now || b->now >= 0;
    if (cli_request_constraint(&o->request, call->sets, &call->targets, d) < 0
        || cli_request(&o->request, &call->req, d) < 0
        || (o->times.now
            && cli_read_time("--now", o->times.now, call->now, &call->now, d)
                   < 0))
        return -1;
    if (call->job)
        call->job = ledger_job(usage_begin(call->rs), call->job, b->digits);
    return 0;
}

/* Run a line and answer it. Returns -1 with a diag in the call if it is not
   answered yet. */
static int answer_line(struct batch *b)
{
    int status;

    if (words_split(b->lines.text, b->lines.len, &b->words, &b->call.d) < 0)
        return -1;
    if (b->words.n == 0)
        return STATUS_OK; /* blank or a comment */
    if (!strcmp(b->words.list[0], "now"))
        return set_now(b);
    if (read_call(b) < 0)
        return -1;
    if ((status = alloc_run(&b->call)) == STATUS_OK)
        return answer_good(b);
    if (status > 0)
        answer_bad(b, status, "why", b->call.answer);
    return status;
}

static void end_line(struct batch *b)
{
    alloc_end(&b->call);
    b->call.options = &b->options;
    words_fini(&b->words);
    cli_free_options(line_options, &b->options);
    b->options = (struct alloc_options){0};
}

int alloc_batch(struct alloc_call *call)
{
    struct batch b = {.call = *call, .all = call->options};

    lines_open(&b.lines, call->what);
    if (b.all->save)
        beside_check(b.all->save);
    b.now = call->now_is_set ? call->now : -1;
    b.call.in_batch = true;
    end_line(&b);
    lines_catch_signals(); /* the set must be saved in any case */
    if (b.all->group_commit) {
        b.lines.before = sync_waiting;
        b.lines.arg = &b;
    }
    while (lines_next(&b.lines)) {
        if (answer_line(&b) < 0)
            answer_fault(&b, &b.call.d);
        end_line(&b);
        /* write waiting answers before they have waited too long */
        if (b.all->group_commit
            && (b.nwaiting >= WAITING_MAX
                || (b.nwaiting > 0 && time_now() >= b.since + WAITING_TIME)))
            lines_send(&b.lines);
    }
    lines_close(&b.lines);
    if (b.all->save) {
        cli_save(call->rs, call->set->name, b.all->save);
        beside_keep();
    }
    lines_check(&b.lines);
    return STATUS_OK;
}
