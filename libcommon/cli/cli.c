/*
 * The frame of all programs (cli.h): messages on standard error, and the one
 * way out, which checks the output.
 */
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/near.h"
#include "cli/progress.h"

/* NULL in a program without JSON: this file must not make it link jansson. */
#pragma weak json_use_our_memory

static const struct cli *program;
static void (*undo_last)(void);
bool cli_quiet;

/* While a line is answered faults don't end the program. */
static struct {
    bool set;
    jmp_buf env;
    char text[1024];
} trap;

/* Nothing more goes out: half a line must not look like a whole one. */
void memory_exhausted(void)
{
    static const char text[] = ": out of memory\n";

    progress_end();
    if (undo_last)
        undo_last();
    if (write(STDERR_FILENO, program->name, strlen(program->name)) >= 0)
        (void)!write(STDERR_FILENO, text, sizeof(text) - 1);
    _exit(STATUS_TROUBLE);
}

const struct cli *cli_program(void)
{
    return program;
}

void cli_undo(void (*undo)(void))
{
    undo_last = undo;
}

/*
 * No file may take the place of standard input, output or error that is
 * closed: it is open, and can't be read, or written, as before.
 */
static void keep_closed(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

void cli_init(const struct cli *cli)
{
    program = cli;
    if (json_use_our_memory)
        json_use_our_memory();
    keep_closed();
}

static void message(const struct diag *d, const char *tail)
{
    char line[1024];

    progress_pause();
    fprintf(stderr, "%s: %s%s\n", program->name,
            diag_format(d, line, sizeof(line)), tail);
    progress_resume();
}

#define FORMAT(buf, fmt)                      \
    do {                                      \
        va_list ap;                           \
        va_start(ap, fmt);                    \
        vsnprintf(buf, sizeof(buf), fmt, ap); \
        va_end(ap);                           \
    } while (0)

const char *cli_try(void (*answer)(void *arg), void *arg)
{
    const char *fault = NULL;

    trap.set = true;
    if (setjmp(trap.env) == 0)
        answer(arg);
    else
        fault = trap.text;
    trap.set = false;
    return fault;
}

static struct owned {
    void *p;
    void (*destroy)(void *p);
} * owned;
static size_t nowned;

void *cli_own(void *p, void (*destroy)(void *p))
{
    VECTOR_GROW(owned, nowned);
    owned[nowned++] = (struct owned){p, destroy};
    return p;
}

void cli_free_owned(void)
{
    while (nowned > 0) {
        nowned--;
        owned[nowned].destroy(owned[nowned].p);
    }
    free(owned);
    owned = NULL;
}

/* With a text into the trap, if there is one; else with a message. */
__attribute__((noreturn)) static void
end(const char *text, const struct diag *d, const char *tail)
{
    if (trap.set) {
        snprintf(trap.text, sizeof(trap.text), "%s", text);
        longjmp(trap.env, 1);
    }
    progress_end();
    message(d, tail);
    exit(STATUS_TROUBLE);
}

void cli_usage(const char *fmt, ...)
{
    struct diag d = {0};
    char tail[80];

    FORMAT(d.text, fmt);
    snprintf(tail, sizeof(tail), " (try '%s --help')", program->name);
    end(d.text, &d, tail);
}

int cli_word(const char *option, const char *text, const char *first,
             const char *second, const char *third)
{
    if (!strcmp(text, first))
        return 0;
    if (!strcmp(text, second))
        return 1;
    if (third && !strcmp(text, third))
        return 2;
    cli_usage("%s: %s: expected %s%s%s or %s", option,
              quote(text, strlen(text)).text, first, third ? ", " : "",
              third ? second : "", third ? third : second);
}

bool cli_second_word(const char *option, const char *text, const char *first,
                     const char *second)
{
    return cli_word(option, text, first, second, NULL) == 1;
}

void cli_exclude(const char *one, const char *other)
{
    if (one && other)
        cli_usage("%s and %s exclude each other", one, other);
}

void cli_check_types(const char *option, const char *text)
{
    size_t len = strlen(text);

    if (!len || *text == ',' || text[len - 1] == ',' || strstr(text, ",,"))
        cli_usage("%s: %s: expected TYPE[,TYPE...]", option,
                  quote(text, len).text);
}

void cli_check_words(const char *option, const char *text,
                     const char *const *words, size_t n, const char *fault)
{
    for (size_t len;; text += len + 1) {
        struct near near = {.word = text, .len = len = strcspn(text, ",")};
        size_t i = 0;
        while (i < n
               && (strlen(words[i]) != len || memcmp(words[i], text, len)))
            near_try(&near, words[i++]);
        if (i == n)
            cli_usage("%s: %s %s%s", option, fault, quote(text, len).text,
                      near_or_all(&near));
        if (!text[len])
            return;
    }
}

void cli_die(const char *fmt, ...)
{
    struct diag d = {0};

    FORMAT(d.text, fmt);
    end(d.text, &d, "");
}

void cli_die_diag(const struct diag *d)
{
    char line[1024];

    end(diag_format(d, line, sizeof(line)), d, "");
}

void cli_die_in(struct diag *d, const char *source)
{
    if (source)
        diag_source(d, "%s", source);
    cli_die_diag(d);
}

void cli_warn(const char *fmt, ...)
{
    struct diag d = {0};

    FORMAT(d.text, fmt);
    cli_warn_diag(&d);
}

void cli_warn_diag(const struct diag *d)
{
    if (!cli_quiet)
        message(d, "");
}

static struct {
    const char *source;
    uint64_t number;
} at_line;

void cli_at_line(const char *source, uint64_t number)
{
    at_line.source = source;
    at_line.number = number;
}

void cli_log_diag(struct diag *d)
{
    if (at_line.source)
        diag_source(d, "%s:%llu", at_line.source,
                    (unsigned long long)at_line.number);
    cli_warn_diag(d);
}

void cli_log(const char *text)
{
    struct diag d;

    diag_set(&d, "%s", text);
    cli_log_diag(&d);
}

void cli_quiet_fault(const char *source, uint64_t number, const char *text)
{
    struct diag d;

    if (!cli_quiet)
        return;
    diag_set(&d, "%s", text);
    diag_source(&d, "%s:%llu", source, (unsigned long long)number);
    message(&d, "");
}

static void output_failed(void)
{
    cli_die("standard output: %s", errno ? strerror(errno) : "write error");
}

/* To close a copy tells what some file systems say in the end only. */
void cli_flush(void)
{
    int failed = ferror(stdout), fd;

    if (!failed)
        errno = 0; /* otherwise it is that of the write that failed */
    if (fflush(stdout) != 0 || failed || (fd = dup(STDOUT_FILENO)) < 0
        || close(fd) < 0)
        output_failed();
}

void cli_exit(int status)
{
    int failed = ferror(stdout);

    progress_end();
    if (!failed)
        errno = 0;
    if (fclose(stdout) != 0 || failed)
        output_failed();
    exit(status);
}
