/*
 * rset-alloc batch: the set is read once, then commands come one a line, and
 * each is answered at once by one line of JSON.
 *
 * A line is read as a command line is. Whatever would end the program there is
 * the answer to the line here (see cli_try), and nothing has changed then.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/time.h"
#include "cli/beside.h"
#include "cli/cli.h"
#include "cli/lines.h"
#include "cli/targets.h"
#include "alloc.h"
#include "model/records/jobs.h"

static struct poptOption line_options[] = {
    ALLOC_OPTIONS, CLI_TABLE_OPTIONS(offsetof(struct alloc_options, table)),
    POPT_TABLEEND};

struct batch {
    struct alloc_call call;
    struct lines lines;
    bool no_R;
    bool group;      /* commands are committed together */
    bool ended;      /* one could not be committed */
    size_t nwaiting; /* commands that are not committed yet */
    double since;    /* when the first of them was done */
    double now;      /* as --now or a line has fixed it; < 0: the clock's */
    char why[WHY_MAX];
    char digits[JOB_DIGITS_MAX];
    struct words words; /* of the line at hand */
    struct alloc_options options;
};

/* Answers wait for each other at most so many, and for so many seconds. */
enum { WAITING_MAX = 1000 };
static const double WAITING_TIME = 0.005;

/* --- one line ----------------------------------------------------------- */

static double now(const struct batch *b)
{
    return b->now >= 0 ? b->now : time_now();
}

/* The first word that is no option, as far as the line was read. */
static const char *command_word(const struct batch *b)
{
    const char *word = b->call.command ? b->call.command->help.name
                       : b->words.ctx  ? poptPeekArg(b->words.ctx)
                                       : NULL;

    return word ? word : b->words.n ? b->words.list[0] : "";
}

static void begin_answer(struct batch *b, int status)
{
    FILE *out = b->lines.out;

    fputs("{\"command\":", out);
    json_write_message(out, command_word(b));
    if (b->call.job)
        lines_put(b->lines.out, "job", b->call.job);
    fputs(",\"status\":", out);
    putc('0' + status, out);
}

static void end_answer(struct batch *b)
{
    fputs("}\n", b->lines.out);
}

/* A no or a fault, and what is said of it. */
static void answer_bad(struct batch *b, int status, const char *key,
                       const char *text)
{
    begin_answer(b, status);
    lines_put(b->lines.out, key, text);
    end_answer(b);
}

/* A set in the chosen form: "R" if it is an R, else "set". */
static void put_set(FILE *out, const char *text, bool json)
{
    static const char R[] = "{\"version\":";

    if (json)
        fprintf(out, ",\"%s\":%s", strncmp(text, R, strlen(R)) ? "set" : "R",
                text);
    else
        lines_put(out, "set", text);
}

/* What the job had before is what it has. */
static void undo(struct alloc_call *call)
{
    struct usage *u = usage_begin(call->rs);

    if (call->undo)
        job_restore(u, call->undo);
    else if (call->gave)
        job_release(u, job_find(u, call->job));
}

/*
 * With a store what was done is durable before it is answered: at once, or with
 * others, and then answers wait until that is so. If it fails, what is in
 * memory is not what is stored, and that is the end.
 */
static void keep(struct batch *b)
{
    if (!b->call.store)
        return;
    alloc_store_record(&b->call);
    b->ended = true;
    if (!b->group)
        store_sync(b->call.store);
    b->ended = false;
    if (b->nwaiting++ == 0)
        b->since = time_now();
}

/* Answers that wait for others don't wait for long. */
static void send_waiting(struct batch *b)
{
    if (b->nwaiting < WAITING_MAX
        && (b->nwaiting == 0 || time_now() < b->since + WAITING_TIME))
        return;
    lines_send(&b->lines);
}

static void sync_waiting(void *arg)
{
    struct batch *b = arg;

    b->nwaiting = 0;
    store_sync(b->call.store);
}

/* A good answer. All that can fail comes before the first byte. */
static void answer_good(struct batch *b)
{
    struct alloc_call *call = &b->call;
    alloc_fn run = call->command->run;
    struct diag d = {0};
    char *text = NULL;
    bool json;

    if ((run == alloc_allocate || run == alloc_grow) && !b->no_R)
        call->made = alloc_job_R(call, false);
    if (call->made && !b->no_R && !(text = cli_text(call->made, &json, &d))) {
        undo(call);
        cli_die("%s", d.text);
    }
    keep(b);
    begin_answer(b, STATUS_OK);
    if (text)
        put_set(b->lines.out, text, json);
    json_write_member(b->lines.out, ",", call->data_name, call->data);
    end_answer(b);
    if (text)
        cli_notes(call->made, NULL);
    free(text);
}

/* `now TIME`: from then on that is the time. */
static void set_now(struct batch *b)
{
    struct diag d = {0};
    double time;

    if (b->words.n != 2)
        cli_usage("now: a time is expected");
    if (time_parse(b->words.list[1], now(b), &time, &d) < 0)
        cli_usage("now: %s", d.text);
    b->now = time;
    begin_answer(b, STATUS_OK);
    end_answer(b);
}

/* Options and operands, as of a command line of its own. */
static void read_call(struct batch *b)
{
    struct alloc_call *call = &b->call;
    poptContext ctx = words_options(&b->words, line_options, &b->options);
    const char *more, *input;

    command_read(ctx, call);
    if ((input = cli_request_reads_stdin(&b->options.request)))
        cli_usage("%s -: not in a batch", input);
    if (b->options.R && cli_is_stdin(b->options.R))
        cli_usage("--R -: not in a batch");
    if (cli_targets_read_stdin(b->options.targets)
        || cli_targets_read_stdin(call->what))
        cli_usage("targets of standard input: not in a batch");
    if ((more = poptGetArg(ctx)))
        cli_usage("%s: nothing is expected here",
                  quote(more, strlen(more)).text);
    call->targets = cli_request_constraint(&b->options.request, call->sets);
    call->req = cli_request(&b->options.request);
    call->now = cli_now(b->options.times.now, now(b));
    call->now_given = b->options.times.now || b->now >= 0;
    if (call->job)
        call->job = ledger_job(usage_begin(call->rs), call->job, b->digits);
}

static void answer_line(void *arg)
{
    struct batch *b = arg;
    struct diag d = {0};
    int status;

    if (words_split(b->lines.text, b->lines.len, &b->words, &d) < 0)
        cli_die_diag(&d);
    if (b->words.n == 0)
        return; /* blank, or a comment */
    if (!strcmp(b->words.list[0], "now")) {
        set_now(b);
        return;
    }
    read_call(b);
    status = alloc_run(&b->call);
    if (status == STATUS_OK)
        answer_good(b);
    else
        answer_bad(b, status, "why", b->why);
}

static void end_line(struct batch *b)
{
    alloc_end(&b->call);
    b->call.options = &b->options;
    b->why[0] = '\0';
    words_fini(&b->words);
    cli_free_options(line_options, &b->options);
    b->options = (struct alloc_options){0};
}

int alloc_batch(struct alloc_call *call)
{
    struct batch b = {.call = *call,
                      .no_R = call->options->no_R,
                      .group = call->options->group_commit};
    const char *save_file = call->options->save;

    lines_open(&b.lines, call->what);
    if (save_file)
        beside_check(save_file);
    b.now = call->now_given ? call->now : -1;
    b.call.why = b.why;
    end_line(&b);
    lines_catch_signals(); /* the set is to be saved, whatever happens */
    if (b.group) {
        b.lines.before = sync_waiting;
        b.lines.arg = &b;
    }
    while (!b.ended && lines_next(&b.lines)) {
        const char *fault = cli_try(answer_line, &b);
        if (fault) {
            answer_bad(&b, STATUS_TROUBLE, "error", fault);
            cli_quiet_fault(b.lines.name, b.lines.nlines, fault);
        }
        end_line(&b);
        if (b.group && !b.ended)
            send_waiting(&b);
    }
    lines_close(&b.lines);
    if (b.ended) {
        lines_check(&b.lines); /* was it answered? */
        return STATUS_TROUBLE;
    }
    if (save_file) {
        cli_save(call->rs, call->set->name, save_file);
        beside_keep();
    }
    lines_check(&b.lines);
    return STATUS_OK;
}
