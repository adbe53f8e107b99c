/*
 * rset-alloc batch: the set is read once, then commands come one a line, and
 * each is answered at once by one line of JSON.
 *
 * A line is read as a command line is. Whatever would end the program there is
 * the answer to the line here (see cli_trap), and nothing has changed then.
 * What is answered is out as soon as no more input waits, so that a program can
 * hold the other ends of both pipes and talk.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/time.h"
#include "beside.h"
#include "cli/cli.h"
#include "cli/clock.h"
#include "cli/request_options.h"
#include "cli/words.h"
#include "commands.h"
#include "model/records/jobs.h"

enum { LINE_MAX_BYTES = 64 << 20 };

static struct poptOption line_options[] = {ALLOC_OPTIONS, CLI_REQUEST_OPTIONS,
                                           CLI_NOW_OPTION, POPT_TABLEEND};

struct batch {
    struct alloc_call call;
    struct cli_trap trap;
    bool no_R;
    double now; /* as --now or a line has fixed it; < 0: the clock's */
    char why[WHY_MAX];
    char digits[JOB_DIGITS_MAX];
    /* Of the line at hand, for who ends it wherever it stopped. */
    struct words words;
    poptContext ctx;
    const struct command *command;
};

/* --- one line ----------------------------------------------------------- */

static double now(const struct batch *b)
{
    return b->now >= 0 ? b->now : time_now();
}

static void put_text(const char *key, const char *text)
{
    printf(",\"%s\":", key);
    json_write_message(stdout, text);
}

static void begin_answer(const struct batch *b)
{
    fputs("{\"command\":", stdout);
    json_write_message(stdout, b->words.n ? b->words.list[0] : "");
    if (b->call.job)
        put_text("job", b->call.job);
}

static void answer_error(const struct batch *b, const char *text)
{
    begin_answer(b);
    fputs(",\"status\":2", stdout);
    put_text("error", text);
    puts("}");
}

/* A set in the chosen form: "R" if it is an R, else "set". */
static void put_set(const char *text, bool json)
{
    static const char R[] = "{\"version\":";

    if (json)
        printf(",\"%s\":%s", strncmp(text, R, strlen(R)) ? "set" : "R", text);
    else
        put_text("set", text);
}

static void put_data(const char *key, json_t *data)
{
    if (!data)
        return;
    printf(",\"%s\":", key);
    json_write(stdout, data);
    json_decref(data);
}

/* What the job had before is what it has. */
static void undo(struct alloc_call *call)
{
    struct usage *u = alloc_usage(call);

    if (call->undo)
        job_restore(u, call->undo);
    else if (call->gave)
        job_release(u, job_find(u, call->job));
}

/* A good answer. All that can fail comes before the first byte. */
static void answer_good(struct batch *b)
{
    struct alloc_call *call = &b->call;
    alloc_fn run = b->command->run;
    json_t *jobs = run == alloc_jobs ? alloc_jobs_json(call) : NULL;
    json_t *rows = run == alloc_status ? alloc_status_json(call) : NULL;
    struct diag d = {0};
    char *text = NULL;
    bool json;

    if ((run == alloc_allocate || run == alloc_grow) && !b->no_R)
        call->made = alloc_job_R(call, false);
    if (call->made && !b->no_R && !(text = cli_text(call->made, &json, &d))) {
        undo(call);
        cli_die("%s", d.text);
    }
    begin_answer(b);
    fputs(",\"status\":0", stdout);
    if (text)
        put_set(text, json);
    put_data("jobs", jobs);
    put_data("rows", rows);
    puts("}");
    if (text)
        cli_notes(call->made);
    free(text);
}

static int run(struct batch *b)
{
    struct alloc_call *call = &b->call;

    if (b->command->run == alloc_status)
        return STATUS_OK;
    if (b->command->run == alloc_jobs)
        return !call->job || ledger_has(alloc_usage(call), call->job)
                   ? STATUS_OK
                   : alloc_no(call, "job %s holds nothing", call->job);
    return b->command->run(call);
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
    begin_answer(b);
    puts(",\"status\":0}");
}

/* Options and operands, as of a command line of its own. */
static void read_call(struct batch *b)
{
    struct alloc_call *call = &b->call;
    const char *more;

    b->ctx = words_options(&b->words, line_options);
    b->command = command_read(b->ctx, call);
    if (!b->command->run)
        cli_usage("%s: not in a batch", b->command->name);
    if (alloc_options.write)
        cli_usage("--write: not in a batch");
    if (alloc_options.expect_jobs)
        cli_usage("--expect-jobs: not in a batch");
    if (cli_request_reads_stdin())
        cli_usage("--jobspec -: not in a batch");
    if (alloc_options.R && !strcmp(alloc_options.R, "-"))
        cli_usage("--R -: not in a batch");
    if ((more = poptGetArg(b->ctx)))
        cli_usage("%s: nothing is expected here",
                  quote(more, strlen(more)).text);
    call->targets = cli_request_constraint();
    call->req = cli_request();
    call->now = cli_now_from(now(b));
    call->now_given = cli_now_text || b->now >= 0;
    if (call->job)
        call->job = ledger_job(alloc_usage(call), call->job, b->digits);
}

static void answer_line(struct batch *b)
{
    int status;

    if (!strcmp(b->words.list[0], "now")) {
        set_now(b);
        return;
    }
    read_call(b);
    status = run(b);
    if (status == STATUS_OK) {
        answer_good(b);
        return;
    }
    begin_answer(b);
    printf(",\"status\":%d", status);
    put_text("why", b->why);
    puts("}");
}

static void end_line(struct batch *b)
{
    struct alloc_call *call = &b->call;

    rset_destroy(call->made);
    request_destroy(call->req);
    constraint_destroy(call->targets);
    job_copy_destroy(call->undo);
    if (b->ctx)
        poptFreeContext(b->ctx);
    b->ctx = NULL;
    b->command = NULL;
    b->why[0] = '\0';
    *call = (struct alloc_call){
        .set = call->set, .rs = call->rs, .usage = call->usage, .why = b->why};
    words_fini(&b->words);
    cli_free_owned();
    alloc_options_reset();
    cli_request_reset();
    free((char *)cli_now_text);
    cli_now_text = NULL;
}

static void take_line(struct batch *b, const char *line, size_t len)
{
    struct diag d = {0};
    int rc = words_split(line, len, &b->words, &d);

    cli_set_trap(&b->trap);
    if (rc < 0)
        answer_error(b, d.text);
    else if (b->words.n == 0)
        ; /* blank, or a comment */
    else if (setjmp(b->trap.env) == 0)
        answer_line(b);
    else
        answer_error(b, b->trap.text);
    cli_set_trap(NULL);
    end_line(b);
}

/* --- all lines ---------------------------------------------------------- */

/* Signals that end a batch, unless they were to be ignored. */
static const int ends[] = {SIGTERM, SIGINT, SIGHUP};
enum { NENDS = sizeof(ends) / sizeof(ends[0]) };

static volatile sig_atomic_t stopped;

static void stop(int sig)
{
    (void)sig;
    stopped = 1;
}

/* The set is to be saved, whatever happens to the pipes. */
static void watch_signals(void)
{
    const struct sigaction end = {.sa_handler = stop};
    struct sigaction old;

    for (int i = 0; i < NENDS; i++)
        if (sigaction(ends[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(ends[i], &end, NULL);
    signal(SIGPIPE, SIG_IGN);
}

struct input {
    int fd;
    const char *name;
    char *bytes;
    size_t len, size, at; /* lines up to `at` were taken */
    const char *fault;    /* why it can't be read any further */
    const char *lost;     /* why answers have not arrived */
};

/* False: somebody has not got the answers. */
static bool send_answers(struct input *in)
{
    errno = 0;
    if (!in->lost && (fflush(stdout) != 0 || ferror(stdout)))
        in->lost = errno ? strerror(errno) : "write error";
    return !in->lost;
}

static bool more_waits(const struct input *in)
{
    struct pollfd fd = {.fd = in->fd, .events = POLLIN};

    return poll(&fd, 1, 0) > 0;
}

/* A signal that comes just before the waiting ends it, too. */
static void wait_for_more(const struct input *in)
{
    struct pollfd fd = {.fd = in->fd, .events = POLLIN};
    sigset_t blocked, before;

    sigemptyset(&blocked);
    for (int i = 0; i < NENDS; i++)
        sigaddset(&blocked, ends[i]);
    sigprocmask(SIG_BLOCK, &blocked, &before);
    while (!stopped && ppoll(&fd, 1, NULL, &before) < 0 && errno == EINTR)
        ;
    sigprocmask(SIG_SETMASK, &before, NULL);
}

/* Read on; false at the end, or when a signal or a fault says so. */
static bool fill(struct input *in)
{
    ssize_t n;

    memmove(in->bytes, in->bytes + in->at, in->len - in->at);
    in->len -= in->at;
    in->at = 0;
    if (in->len > LINE_MAX_BYTES) {
        in->fault = "a line of more than 64 MiB";
        return false;
    }
    if (in->size - in->len < 65536) {
        in->size = 2 * in->size + 65536;
        in->bytes = xrealloc(in->bytes, in->size);
    }
    n = stopped ? 0 : read(in->fd, in->bytes + in->len, in->size - in->len);
    if (n < 0)
        in->fault = strerror(errno);
    in->len += n > 0 ? (size_t)n : 0;
    return n > 0;
}

/* The next line, without its end; the last one need not have one. */
static const char *next_line(struct input *in, size_t *len)
{
    const char *line, *end;

    while (!(end = memchr(in->bytes + in->at, '\n', in->len - in->at))) {
        if (!more_waits(in)) {
            if (!send_answers(in))
                return NULL;
            wait_for_more(in);
        }
        if (!fill(in))
            break;
    }
    line = in->bytes + in->at;
    *len = end ? (size_t)(end - line) : in->len - in->at;
    if (stopped || in->fault || (!end && *len == 0))
        return NULL;
    in->at += *len + (end ? 1 : 0);
    return line;
}

static void save(struct alloc_call *call, const char *file)
{
    struct diag d = {0};
    char *text = cli_document_text(alloc_set(call), &d);

    if (!text)
        alloc_fail(call, &d);
    beside_write(file, text);
    beside_keep();
    cli_notes(call->rs);
    free(text);
}

int alloc_batch(struct alloc_call *call, const char *commands)
{
    bool standard = !strcmp(commands, "-");
    struct batch b = {.call = *call, .no_R = alloc_options.no_R};
    char *save_file = (char *)alloc_options.save;
    struct input in = {.fd = standard ? STDIN_FILENO : open(commands, O_RDONLY),
                       .name = standard ? "stdin" : commands};
    const char *line;
    size_t len;

    if (in.fd < 0)
        cli_die("%s: %s", commands, strerror(errno));
    if (save_file)
        beside_check(save_file);
    b.now = cli_now_text ? call->now : -1;
    b.call.why = b.why;
    alloc_options.save = NULL; /* it outlasts the first line */
    end_line(&b);
    watch_signals();
    in.bytes = xmalloc(in.size = 65536);
    while (!ferror(stdout) && (line = next_line(&in, &len)))
        take_line(&b, line, len);
    send_answers(&in);
    if (save_file)
        save(&b.call, save_file);
    call->usage = b.call.usage;
    free(in.bytes);
    free(save_file);
    if (in.lost)
        cli_die("standard output: %s", in.lost);
    if (in.fault)
        cli_die("%s: %s", in.name, in.fault);
    if (stopped)
        cli_die("%s: stopped by a signal", in.name);
    return STATUS_OK;
}
