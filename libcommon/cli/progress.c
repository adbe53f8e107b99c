/*
 * Draws the line of progress.h by a timer. Its signal handler reads the counter
 * of the work. A handler may call few functions, so the line is put together by
 * hand.
 */
#include "cli/progress.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/show.h"
#include "cli/cli.h"
#include "cli/terminal.h"
#include "base/digits.h"

bool progress_off;

enum { FIRST = 2, EVERY = 1, LINE = 256 }; /* seconds; bytes */

static struct {
    char what[LINE]; /* "rset-match: reading a.json" */
    const uint64_t *done;
    uint64_t all;
    volatile sig_atomic_t on;    /* there is work to show */
    volatile sig_atomic_t shown; /* columns shown */
} line;

static bool started;
static timer_t timer;
static struct timespec begun;
static size_t width;
static char blanks[LINE];

/* Append the progress, ": 45 %" or ": 120 MB", and the seconds so far. */
static char *put_state(char *p)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    if (line.done && line.all) {
        p = put_number(stpcpy(p, ": "), *line.done / (line.all / 100 + 1));
        p = stpcpy(p, " %");
    } else if (line.done) {
        p = put_number(stpcpy(p, ": "), *line.done / 1000000);
        p = stpcpy(p, " MB");
    }
    p = put_number(stpcpy(p, " ("), (uint64_t)(now.tv_sec - begun.tv_sec));
    return stpcpy(p, " s)");
}

/* Write a text of `len` columns over the line, and blanks over its rest. */
static void write_line(const char *text, size_t len)
{
    size_t shown = (size_t)line.shown, rest = shown > len ? shown - len : 0;

    (void)!write(STDERR_FILENO, "\r", 1);
    (void)!write(STDERR_FILENO, text, len);
    (void)!write(STDERR_FILENO, blanks, rest);
    line.shown = (sig_atomic_t)len;
}

static void draw(int sig)
{
    char text[LINE + 64];
    int error = errno;
    size_t len;

    (void)sig;
    if (line.on && tcgetpgrp(STDERR_FILENO) == getpgrp()) {
        len = (size_t)(put_state(stpcpy(text, line.what)) - text);
        len = len < width ? len : width;
        while (len > 0 && (text[len] & 0xc0) == 0x80) /* no half a character */
            len--;
        write_line(text, len);
    }
    errno = error;
}

/* Start the timer. SIGALRM is not free: it ends the wait for a store's lock. */
static void start(void)
{
    struct sigaction action = {.sa_handler = draw, .sa_flags = SA_RESTART};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL,
                             .sigev_signo = SIGRTMIN};
    struct itimerspec times = {.it_value.tv_sec = FIRST,
                               .it_interval.tv_sec = EVERY};

    memset(blanks, ' ', sizeof(blanks));
    width = (size_t)cli_width(stderr, true) - 1;
    width = width < LINE - 1 ? width : LINE - 1;
    clock_gettime(CLOCK_MONOTONIC, &begun);
    if (sigaction(SIGRTMIN, &action, NULL) < 0
        || timer_create(CLOCK_MONOTONIC, &event, &timer) < 0
        || timer_settime(timer, 0, &times, NULL) < 0)
        progress_off = true;
    started = !progress_off;
}

void progress_stop(void)
{
    progress_end();
    progress_off = true;
    if (started)
        timer_delete(timer);
    started = false;
}

void progress_begin(const char *verb, const char *name)
{
    char text[LINE];

    progress_end();
    progress_off |= cli_quiet || (!started && !isatty(STDERR_FILENO));
    if (!progress_off && !started)
        start();
    if (progress_off)
        return;
    snprintf(text, sizeof(text), "%s: %s%s%s", cli_program()->name, verb,
             name ? " " : "", name ? name : "");
    show_in(line.what, sizeof(line.what), text);
    line.on = true;
}

void progress_read(const char *file)
{
    bool standard = !strcmp(file, "-");
    struct stat st;

    progress_begin("reading", standard ? "stdin" : file);
    line.all = 0;
    if (line.on && (standard ? fstat(STDIN_FILENO, &st) : stat(file, &st)) == 0
        && S_ISREG(st.st_mode))
        line.all = (uint64_t)st.st_size;
}

void progress_count(const uint64_t *bytes)
{
    line.done = bytes;
}

/* The signal may come at any time. After the first line nothing is drawn. */
void progress_pause(void)
{
    line.on = false;
    if (line.shown > 0) {
        write_line("", 0);
        (void)!write(STDERR_FILENO, "\r", 1);
    }
}

void progress_resume(void)
{
    line.on = line.what[0] != '\0';
}

void progress_end(void)
{
    if (!line.what[0])
        return; /* nothing was begun */
    progress_pause();
    line.done = NULL;
    line.what[0] = '\0';
}
