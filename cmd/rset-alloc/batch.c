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
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/time.h"
#include "cli/beside.h"
#include "cli/cli.h"
#include "cli/clock.h"
#include "cli/request_options.h"
#include "cli/targets.h"
#include "cli/words.h"
#include "commands.h"
#include "model/records/jobs.h"

static struct poptOption line_options[] = {CLI_OWN_TEXTS, ALLOC_OPTIONS,
                                           CLI_REQUEST_OPTIONS,
                                           CLI_TIME_OPTIONS, POPT_TABLEEND};

struct batch {
    struct alloc_call call;
    struct cli_trap trap;
    FILE *out;        /* answers on their way to standard output */
    const char *lost; /* why they don't arrive any more */
    bool no_R;
    double now; /* as --now or a line has fixed it; < 0: the clock's */
    char why[WHY_MAX];
    char digits[JOB_DIGITS_MAX];
    struct words words; /* of the line at hand */
};

/* --- one line ----------------------------------------------------------- */

static double now(const struct batch *b)
{
    return b->now >= 0 ? b->now : time_now();
}

static void put_text(FILE *out, const char *key, const char *text)
{
    fputs(",\"", out);
    fputs(key, out);
    fputs("\":", out);
    json_write_message(out, text);
}

/* The first word that is no option, as far as the line was read. */
static const char *command_word(const struct batch *b)
{
    const char *word = b->call.command ? b->call.command->name
                       : b->words.ctx  ? poptPeekArg(b->words.ctx)
                                       : NULL;

    return word ? word : b->words.n ? b->words.list[0] : "";
}

static void begin_answer(const struct batch *b, int status)
{
    fputs("{\"command\":", b->out);
    json_write_message(b->out, command_word(b));
    if (b->call.job)
        put_text(b->out, "job", b->call.job);
    fputs(",\"status\":", b->out);
    putc('0' + status, b->out);
}

static void end_answer(const struct batch *b)
{
    fputs("}\n", b->out);
}

/* A no or a fault, and what is said of it. */
static void answer_bad(const struct batch *b, int status, const char *key,
                       const char *text)
{
    begin_answer(b, status);
    put_text(b->out, key, text);
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
        put_text(out, "set", text);
}

static void put_data(FILE *out, const char *key, json_t *data)
{
    if (!data)
        return;
    fprintf(out, ",\"%s\":", key);
    json_write(out, data);
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
    alloc_fn run = call->command->run;
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
    begin_answer(b, STATUS_OK);
    if (text)
        put_set(b->out, text, json);
    put_data(b->out, "jobs", jobs);
    put_data(b->out, "rows", rows);
    end_answer(b);
    if (text)
        cli_notes(call->made);
    free(text);
}

static int run_command(struct batch *b)
{
    struct alloc_call *call = &b->call;
    alloc_fn run = call->command->run;

    if (run == alloc_status)
        return STATUS_OK;
    if (run == alloc_jobs)
        return !call->job || ledger_has(alloc_usage(call), call->job)
                   ? STATUS_OK
                   : alloc_no(call, "job %s holds nothing", call->job);
    return run(call);
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
    poptContext ctx = words_options(&b->words, line_options);
    const char *more;

    command_read(ctx, call);
    if (!call->command->run)
        cli_usage("%s: not in a batch", call->command->name);
    if (alloc_options.write)
        cli_usage("--write: not in a batch");
    if (alloc_options.expect_jobs)
        cli_usage("--expect-jobs: not in a batch");
    if (alloc_options.in_place)
        cli_usage("--in-place: not in a batch");
    if (cli_request_reads_stdin())
        cli_usage("%s -: not in a batch", cli_request_reads_stdin());
    if (alloc_options.R && cli_is_stdin(alloc_options.R))
        cli_usage("--R -: not in a batch");
    if (cli_targets_read_stdin(alloc_options.targets)
        || cli_targets_read_stdin(call->what))
        cli_usage("targets of standard input: not in a batch");
    if ((more = poptGetArg(ctx)))
        cli_usage("%s: nothing is expected here",
                  quote(more, strlen(more)).text);
    call->targets = cli_request_constraint(
        &(struct rset_list){.list = (struct named_rset *)call->set, .n = 1});
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
    status = run_command(b);
    if (status == STATUS_OK)
        answer_good(b);
    else
        answer_bad(b, status, "why", b->why);
}

static void end_line(struct batch *b)
{
    struct alloc_call *call = &b->call;

    rset_destroy(call->made);
    request_destroy(call->req);
    constraint_destroy(call->targets);
    job_copy_destroy(call->undo);
    b->why[0] = '\0';
    *call = (struct alloc_call){
        .set = call->set, .rs = call->rs, .why = b->why};
    words_fini(&b->words, line_options);
}

static void take_line(struct batch *b, const char *line, size_t len)
{
    struct diag d = {0};
    int rc = words_split(line, len, &b->words, &d);

    cli_set_trap(&b->trap);
    if (rc < 0)
        answer_bad(b, STATUS_TROUBLE, "error", d.text);
    else if (b->words.n == 0)
        ; /* blank, or a comment */
    else if (setjmp(b->trap.env) == 0)
        answer_line(b);
    else
        answer_bad(b, STATUS_TROUBLE, "error", b->trap.text);
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

/*
 * Wait until a pipe is ready. A signal that comes just before the waiting ends
 * it, too: nothing is read any more then, and who reads the answers has to go
 * on within a second. False: it is not ready.
 */
static bool wait_for(int fd, short events)
{
    static const struct timespec grace = {.tv_sec = 1};
    struct pollfd pipe = {.fd = fd, .events = events};
    sigset_t blocked, before;
    int rc = -1;

    sigemptyset(&blocked);
    for (int i = 0; i < NENDS; i++)
        sigaddset(&blocked, ends[i]);
    sigprocmask(SIG_BLOCK, &blocked, &before);
    while (!(stopped && events == POLLIN)
           && (rc = ppoll(&pipe, 1, stopped ? &grace : NULL, &before)) < 0
           && errno == EINTR)
        ;
    sigprocmask(SIG_SETMASK, &before, NULL);
    return rc > 0;
}

/*
 * Writes answers to standard output. A pipe that is ready takes PIPE_BUF bytes
 * without blocking, so that no signal is lost on a reader that does not read.
 */
static ssize_t send_bytes(void *cookie, const char *bytes, size_t n)
{
    struct batch *b = cookie;
    size_t sent = 0;

    while (sent < n && !b->lost) {
        size_t most = n - sent < PIPE_BUF ? n - sent : PIPE_BUF;
        ssize_t part = -1;
        errno = EAGAIN;
        if (wait_for(STDOUT_FILENO, POLLOUT))
            part = write(STDOUT_FILENO, bytes + sent, most);
        else
            b->lost = "nobody reads it";
        if (part < 0 && errno != EAGAIN && errno != EINTR)
            b->lost = strerror(errno);
        sent += part > 0 ? (size_t)part : 0;
    }
    return (ssize_t)sent;
}

static FILE *open_answers(struct batch *b)
{
    enum { BUFFER = 65536 };
    FILE *out = fopencookie(b, "w",
                            (cookie_io_functions_t){.write = send_bytes});

    if (!out)
        memory_exhausted();
    setvbuf(out, NULL, _IOFBF, BUFFER);
    return out;
}

struct input {
    int fd;
    const char *name;
    char *bytes;
    size_t len, size, at; /* lines up to `at` were taken */
    const char *fault;    /* why it can't be read any further */
};

static bool more_waits(const struct input *in)
{
    struct pollfd fd = {.fd = in->fd, .events = POLLIN};

    return poll(&fd, 1, 0) > 0;
}

/* Read on; false at the end, or when a signal or a fault says so. */
static bool fill(struct input *in)
{
    ssize_t n;

    memmove(in->bytes, in->bytes + in->at, in->len - in->at);
    in->len -= in->at;
    in->at = 0;
    if (in->len > CLI_LINE_MAX) {
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
static const char *next_line(struct input *in, struct batch *b, size_t *len)
{
    const char *line, *end;

    while (!(end = memchr(in->bytes + in->at, '\n', in->len - in->at))) {
        if (!more_waits(in)) {
            fflush(b->out);
            if (!b->lost)
                wait_for(in->fd, POLLIN);
        }
        if (b->lost || !fill(in))
            break;
    }
    line = in->bytes + in->at;
    *len = end ? (size_t)(end - line) : in->len - in->at;
    if (stopped || b->lost || in->fault || (!end && *len == 0))
        return NULL;
    in->at += *len + (end ? 1 : 0);
    return line;
}

int alloc_batch(struct alloc_call *call, const char *commands)
{
    bool standard = !strcmp(commands, "-");
    struct batch b = {.call = *call, .no_R = alloc_options.no_R};
    char *save_file = alloc_options.save ? xstrdup(alloc_options.save) : NULL;
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
    end_line(&b);
    watch_signals();
    in.bytes = xmalloc(in.size = 65536);
    b.out = open_answers(&b);
    while ((line = next_line(&in, &b, &len)))
        take_line(&b, line, len);
    fclose(b.out);
    if (save_file) {
        cli_save(call->rs, call->set->name, save_file);
        beside_keep();
    }
    free(in.bytes);
    free(save_file);
    if (b.lost)
        cli_die("standard output: %s", b.lost);
    if (in.fault)
        cli_die("%s: %s", in.name, in.fault);
    if (stopped)
        cli_die("%s: stopped by a signal", in.name);
    return STATUS_OK;
}
