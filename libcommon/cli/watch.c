/* Answers that are repeated (watch.h). */
#include "cli/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/cli.h"
#include "cli/terminal.h"

enum {
    LOOK_MS = 200, /* between two looks at the file */
    LOOKS = 50,    /* answer again after this many looks */
    TRIES = 3,     /* failures until a fault is shown: earlier ones may be due
                      to half of a file */
};

struct watch {
    const char *file;
    char *mark;  /* state of the file and of a store's log at the last look */
    char *shown; /* the last answer */
    bool terminal, again; /* on a terminal; show the answer again */
    bool keys; /* keys are read from the terminal: it was so before: */
    struct termios before;
    int failed; /* failures in a row */
    int from;   /* output of the child */
    pid_t child;
    sigset_t outside; /* signals that are blocked while it doesn't wait */
};

static volatile sig_atomic_t ended, resized, stopped;

static const int signals[] = {SIGINT,   SIGTERM, SIGHUP, SIGQUIT,
                              SIGWINCH, SIGTSTP, SIGCONT};
enum { SIGNALS = sizeof(signals) / sizeof(signals[0]) };

static void note_signal(int number)
{
    if (number == SIGWINCH || number == SIGCONT)
        resized = 1;
    else if (number == SIGTSTP)
        stopped = 1;
    else
        ended = 1;
}

/* --- the file ----------------------------------------------------------- */

static void print_mark(FILE *fp, const char *file)
{
    struct stat st;

    if (stat(file, &st) == 0)
        fprintf(fp, "%ju %ju %jd %jd.%09ld %jd.%09ld;", (uintmax_t)st.st_dev,
                (uintmax_t)st.st_ino, (intmax_t)st.st_size,
                (intmax_t)st.st_mtim.tv_sec, st.st_mtim.tv_nsec,
                (intmax_t)st.st_ctim.tv_sec, st.st_ctim.tv_nsec);
}

/* Has the file changed since the last look? */
static bool has_changed(struct watch *w)
{
    /* the log is beside the file that a link leads to */
    char *mark, *log, *path = realpath(w->file, NULL);
    FILE *fp = memory_open(&mark, NULL);
    bool changed;

    xasprintf(&log, "%s-wal", path ? path : w->file);
    free(path);
    print_mark(fp, w->file);
    print_mark(fp, log);
    memory_close(fp);
    free(log);
    changed = !w->mark || strcmp(mark, w->mark) != 0;
    free(w->mark);
    w->mark = mark;
    return changed;
}

/* --- answers ------------------------------------------------------------ */

/* Fork. Returns true in the child, which stops only together with its parent,
   between answers. */
static bool is_child(struct watch *w)
{
    int ends[2];

    cli_flush(); /* else the child would write it again */
    if (pipe(ends) < 0 || (w->child = fork()) < 0)
        cli_die("--watch: %s", strerror(errno));
    w->from = ends[0];
    if (w->child > 0) {
        close(ends[1]);
        return false;
    }
    for (size_t i = 0; i < SIGNALS; i++)
        signal(signals[i], signals[i] == SIGTSTP ? SIG_IGN : SIG_DFL);
    sigprocmask(SIG_SETMASK, &w->outside, NULL);
    if (w->terminal)
        cli_shown_on(dup(STDOUT_FILENO));
    if (w->shown && w->terminal)
        dup2(ends[1], STDERR_FILENO);
    else if (w->shown && w->failed != TRIES - 1) /* report it once */
        dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    return true;
}

/* Return the child's output, a new string, and its status; -1 after a
   signal. */
static char *take_answer(struct watch *w, int *status)
{
    char *text, buf[65536];
    FILE *fp = memory_open(&text, NULL);
    ssize_t n;

    while ((n = read(w->from, buf, sizeof(buf))) > 0)
        fwrite(buf, 1, (size_t)n, fp);
    memory_close(fp);
    close(w->from);
    waitpid(w->child, status, 0);
    *status = WIFEXITED(*status) ? WEXITSTATUS(*status) : -1;
    return text;
}

/* --- the terminal ------------------------------------------------------- */

/* Switch to another screen without cursor, which cuts long lines. */
static void enter(struct watch *w)
{
    struct termios keys;

    if (w->terminal)
        fputs("\033[?1049h\033[?25l\033[?7l", stdout);
    w->keys = w->terminal && tcgetpgrp(STDIN_FILENO) == getpgrp()
              && tcgetattr(STDIN_FILENO, &w->before) == 0;
    if (!w->keys)
        return;
    keys = w->before;
    keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    tcsetattr(STDIN_FILENO, TCSANOW, &keys);
}

static void leave(const struct watch *w)
{
    if (w->keys)
        tcsetattr(STDIN_FILENO, TCSANOW, &w->before);
    if (w->terminal && w->shown)
        fputs("\033[?7h\033[?25h\033[?1049l", stdout);
    cli_flush();
}

/* Show a text over the last one, line by line, so that nothing flickers. */
static void show_over(const char *text)
{
    int lines = cli_height(stdout);

    fputs("\033[H", stdout);
    for (int i = 0; i < lines && *text; i++) {
        size_t len = strcspn(text, "\n");
        printf("%s%.*s\033[K", i ? "\n" : "", (int)len, text);
        text += len + (text[len] == '\n');
    }
    fputs("\033[J", stdout);
}

static void show_answer(struct watch *w, char *text)
{
    if (!w->shown)
        enter(w);
    if (w->shown && !w->again && !strcmp(text, w->shown))
        ;
    else if (w->terminal)
        show_over(text);
    else
        printf("%s%s", w->shown ? "\n" : "", text);
    free(w->shown);
    w->shown = text;
    w->again = false;
    cli_flush();
}

/* Wait until another answer is needed, or end the program. */
static void wait_for_change(struct watch *w, bool again)
{
    const struct timespec look = {.tv_nsec = LOOK_MS * 1000000L};
    bool changed = false;

    for (int i = 0; !changed && i < (again ? 1 : LOOKS); i++) {
        struct pollfd ends[] = {{.fd = STDOUT_FILENO},
                                {w->keys ? STDIN_FILENO : -1, POLLIN, 0}};
        char key = 0;
        ppoll(ends, 2, &look, &w->outside);
        if (ends[1].revents && read(STDIN_FILENO, &key, 1) <= 0)
            w->keys = false;
        if (ended || key == 'q' || ends[0].revents) {
            leave(w);
            if (!ended && key != 'q')
                raise(SIGPIPE); /* the reader is gone */
            cli_exit(STATUS_OK);
        }
        if (stopped) {
            leave(w);
            raise(SIGSTOP);
            enter(w);
        }
        w->again |= resized || stopped;
        changed = has_changed(w) || w->again;
        stopped = resized = 0;
    }
}

void watch_file(const char *file)
{
    struct watch w = {.file = file, .terminal = isatty(STDOUT_FILENO)};
    struct sigaction note = {.sa_handler = note_signal};
    sigset_t set;
    int status;

    /* signals arrive only during a wait, and are noted */
    sigemptyset(&set);
    for (size_t i = 0; i < SIGNALS; i++)
        sigaddset(&set, signals[i]);
    sigprocmask(SIG_BLOCK, &set, &w.outside);
    for (size_t i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &note, NULL);

    for (has_changed(&w);; wait_for_change(&w, w.failed && w.failed < TRIES)) {
        char *text;
        if (is_child(&w)) {
            free(w.mark);
            free(w.shown);
            return;
        }
        text = take_answer(&w, &status);
        w.failed = status == STATUS_TROUBLE ? w.failed + 1 : 0;
        if (w.failed && !w.shown) {
            fputs(text, stdout);
            free(text);
            cli_exit(status);
        }
        if (status >= 0 && (!w.failed || (w.terminal && w.failed >= TRIES)))
            show_answer(&w, text);
        else
            free(text);
    }
}
