/*
 * The frame of all programs (cli.h): messages on standard error, and the one
 * way out, which checks the output.
 */
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/near.h"
#include "cli/beside.h"
#include "cli/progress.h"

/* NULL in a program without JSON: this file must not make it link jansson. */
#pragma weak json_use_our_memory
/* NULL in a program that writes no files. atexit() functions don't run when
   memory is exhausted. */
#pragma weak beside_forget

static const struct cli *program;
bool cli_quiet;

/* End without buffered output: half a line must not look like a whole one. */
void memory_exhausted(void)
{
    static const char text[] = ": out of memory\n";

    progress_end();
    if (beside_forget)
        beside_forget();
    if (write(STDERR_FILENO, program->name, strlen(program->name)) >= 0)
        (void)!write(STDERR_FILENO, text, sizeof(text) - 1);
    _exit(STATUS_TROUBLE);
}

const struct cli *cli_program(void)
{
    return program;
}

void cli_init(const struct cli *cli)
{
    program = cli;
    if (json_use_our_memory)
        json_use_our_memory();

    /*
     * A file must not get the number of standard input, output or error if one
     * of these is closed. Open /dev/null there so that reading, or writing,
     * still fails.
     */
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0)
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

static void message(const struct diag *d, const char *tail)
{
    progress_pause();
    fprintf(stderr, "%s: %s%s\n", program->name, diag_line(d).text, tail);
    progress_resume();
}

#define FORMAT(buf, fmt)                      \
    do {                                      \
        va_list ap;                           \
        va_start(ap, fmt);                    \
        vsnprintf(buf, sizeof(buf), fmt, ap); \
        va_end(ap);                           \
    } while (0)

void cli_die_diag(const struct diag *d)
{
    const struct cli_command *command = cli_first_command();
    char tail[80] = "";

    if (d->usage)
        snprintf(tail, sizeof(tail), " (try '%s%s%s --help')", program->name,
                 command ? " " : "", command ? command->name : "");
    progress_end();
    message(d, tail);
    exit(STATUS_TROUBLE);
}

void cli_usage(const char *fmt, ...)
{
    struct diag d = {.usage = true};

    FORMAT(d.text, fmt);
    cli_die_diag(&d);
}

int cli_fault(struct diag *d, const char *fmt, ...)
{
    struct diag own;
    struct diag *to = d ? d : &own;

    *to = (struct diag){.usage = true};
    FORMAT(to->text, fmt);
    if (!d)
        cli_die_diag(to);
    return -1;
}

int cli_word(const char *option, const char *text, const char *first,
             const char *second, const char *third, struct diag *d)
{
    const char *const words[] = {first, second, third};
    struct diag why;
    int i = word_index(text, words, third ? 3 : second ? 2 : 1, &why);

    return i < 0 ? cli_fault(d, "%s: %s", option, why.text) : i;
}

int cli_exclude(const char *one, const char *other, struct diag *d)
{
    if (one && other)
        return cli_fault(d, "%s and %s exclude each other", one, other);
    return 0;
}

int cli_check_words(const char *option, const char *text,
                    const char *const *words, size_t n, const char *fault,
                    struct diag *d)
{
    for (size_t len;; text += len + 1) {
        struct near near = {.word = text, .len = len = strcspn(text, ",")};
        size_t i = 0;
        while (i < n && !word_is(text, len, words[i]))
            near_try(&near, words[i++]);
        if (i == n)
            return cli_fault(d, "%s: %s %s%s", option, fault,
                             quote(text, len).text, near_or_all(&near));
        if (!text[len])
            return 0;
    }
}

void cli_die(const char *fmt, ...)
{
    struct diag d = {0};

    FORMAT(d.text, fmt);
    cli_die_diag(&d);
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

void cli_quiet_fault(const char *source, uint64_t number, const char *text)
{
    struct diag d;

    if (!cli_quiet)
        return;
    diag_set(&d, "%s", text);
    diag_source(&d, "%s:%llu", source, (unsigned long long)number);
    message(&d, "");
}

/* Closing a copy shows errors that some file systems report only on close(). */
void cli_flush(void)
{
    int failed = ferror(stdout), fd;

    if (!failed)
        errno = 0; /* else keep the errno of the failed write */
    if (fflush(stdout) != 0 || failed || (fd = dup(STDOUT_FILENO)) < 0
        || close(fd) < 0)
        cli_die("standard output: %s", errno ? strerror(errno) : "write error");
}

void cli_exit(int status)
{
    progress_end();
    cli_flush();
    exit(status);
}
