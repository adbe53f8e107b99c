/*
 * Reads lines and writes answers (lines.h) directly on file descriptors, so
 * that a signal can always end the waiting for a pipe. Also splits lines into
 * words.
 */
#include "cli/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/cli.h"
#include "cli/progress.h"

/* Signals that end the lines, unless the program was started ignoring them. */
static const int ends[] = {SIGTERM, SIGINT, SIGHUP};
enum { NENDS = sizeof(ends) / sizeof(ends[0]) };

static volatile sig_atomic_t stopped;

static void stop(int sig)
{
    (void)sig;
    stopped = 1;
}

void lines_catch_signals(void)
{
    const struct sigaction end = {.sa_handler = stop};
    struct sigaction old;

    for (int i = 0; i < NENDS; i++)
        if (sigaction(ends[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(ends[i], &end, NULL);
    signal(SIGPIPE, SIG_IGN);
}

/* Write answers together until they have this many bytes. */
enum { ANSWERS_MANY = 65536 };

/* Milliseconds between calls of `idle`. */
enum { IDLE = 100 };

/* Most peers at a time. */
enum { PEERS = 2 };

/* Time limits of a wait: NULL waits for ever, this one not at all. */
static const struct timespec no_time = {0};

/* Wait for peers. A signal also ends the wait if it comes just before. Then no
   more is read, and the reader of the answers must go on within a second. */
static int wait_long(struct pollfd *fds, size_t n, bool in,
                     const struct timespec *most)
{
    static const struct timespec grace = {.tv_sec = 1};
    sigset_t blocked, before;
    int rc = -1;

    sigemptyset(&blocked);
    for (int i = 0; i < NENDS; i++)
        sigaddset(&blocked, ends[i]);
    sigprocmask(SIG_BLOCK, &blocked, &before);
    while (!(stopped && in)
           && (rc = ppoll(fds, n, stopped ? &grace : most, &before)) < 0
           && errno == EINTR)
        ;
    sigprocmask(SIG_SETMASK, &before, NULL);
    return rc;
}

/* Wait until any peer has input, or answers can be written to it. */
static void wait_for(struct lines *const *peers, size_t n, bool in,
                     const struct timespec *most)
{
    struct pollfd fds[2 * PEERS];
    int rc;

    for (size_t i = 0; i < n; i++) {
        const struct lines *l = peers[i];
        bool out = l->nanswers > 0 && most != &no_time;
        fds[2 * i] = (struct pollfd){.fd = in ? l->fd : -1, .events = POLLIN};
        fds[2 * i + 1] = (struct pollfd){.fd = out ? l->to : -1,
                                         .events = POLLOUT};
    }
    rc = most == &no_time ? poll(fds, 2 * n, 0)
                          : wait_long(fds, 2 * n, in, most);
    for (size_t i = 0; i < n; i++) {
        peers[i]->can_read = rc > 0 && fds[2 * i].revents;
        peers[i]->can_write = rc > 0 && fds[2 * i + 1].revents;
    }
}

/* Write as many complete lines of answers as fit, or a part of a longer one. */
static void send_some(struct lines *l)
{
    const char *bytes = l->answers + l->sent, *end;
    size_t n = l->nanswers - l->sent, most = PIPE_BUF;
    int waiting, room;
    ssize_t part;

    /*
     * A pipe that is ready takes PIPE_BUF bytes without blocking; an empty one
     * takes its capacity. A write that blocks on a reader that doesn't read
     * would delay signals.
     */
    if (n > PIPE_BUF && ioctl(l->to, FIONREAD, &waiting) == 0 && waiting == 0
        && (room = fcntl(l->to, F_GETPIPE_SZ)) > PIPE_BUF)
        most = (size_t)room;
    if (n > most) {
        end = memrchr(bytes, '\n', most);
        n = end ? (size_t)(end - bytes) + 1 : most;
    }
    part = write(l->to, bytes, n);
    if (part < 0 && errno != EAGAIN && errno != EINTR)
        l->lost = strerror(errno);
    l->sent += part > 0 ? (size_t)part : 0;
    if (l->sent == l->nanswers)
        l->sent = l->nanswers = l->settled = 0;
}

/* Allow all answers so far to be written. */
static void settle(struct lines *l)
{
    fflush(l->out);
    if (l->before && l->settled < l->nanswers)
        l->before(l->arg);
    l->settled = l->nanswers;
}

void lines_send(struct lines *l)
{
    settle(l);
    while (l->nanswers > 0 && !l->lost) {
        wait_for(&l, 1, false, NULL);
        if (l->can_write)
            send_some(l);
        else
            l->lost = "nobody reads it";
    }
}

/* Keep answers in memory, so that no part of one is written too early. */
static ssize_t hold_bytes(void *cookie, const char *bytes, size_t n)
{
    struct lines *l = cookie;

    if (l->sent > 0 && l->room - l->nanswers < n) {
        memmove(l->answers, l->answers + l->sent, l->nanswers - l->sent);
        l->nanswers -= l->sent;
        l->settled -= l->sent;
        l->sent = 0;
    }
    VECTOR_ROOM(l->answers, l->room, l->nanswers + n);
    memcpy(l->answers + l->nanswers, bytes, n);
    l->nanswers += n;
    return (ssize_t)n;
}

void lines_open(struct lines *l, const char *file)
{
    bool standard = !strcmp(file, "-");
    int fd = standard ? STDIN_FILENO : open(file, O_RDONLY);

    if (fd < 0)
        cli_die("%s: %s", file, strerror(errno));
    lines_open_pipes(l, standard ? "stdin" : file, fd, STDOUT_FILENO);
}

void lines_open_pipes(struct lines *l, const char *name, int in, int out)
{
    *l = (struct lines){
        .name = name, .fd = in, .to = out, .most = ANSWERS_MANY};
    progress_stop();
    l->out = fopencookie(l, "w", (cookie_io_functions_t){.write = hold_bytes});
    if (!l->out)
        memory_exhausted();
    setvbuf(l->out, NULL, _IOFBF, ANSWERS_MANY);
}

/* Check the length of a line that has at least n bytes. */
static void check_length(struct lines *l, size_t n)
{
    if (n <= (l->skips ? LINES_LONGEST : CLI_LINE_MAX))
        return;
    if (l->skips)
        l->too_long = true;
    else
        l->fault = "a line of more than 64 MiB";
}

/* Read more bytes. Returns false if there were none. */
static bool fill(struct lines *l)
{
    enum { ROOM = 65536 };
    ssize_t n;

    if (l->at > 0)
        memmove(l->bytes, l->bytes + l->at, l->end - l->at);
    l->end -= l->at;
    l->endless -= l->endless > l->at ? l->at : l->endless;
    l->at = 0;
    check_length(l, l->end);
    if (l->fault)
        return false;
    if (l->too_long)
        l->at = l->end = l->endless = 0;
    VECTOR_ROOM(l->bytes, l->size, l->end + ROOM);
    n = stopped ? 0 : read(l->fd, l->bytes + l->end, l->size - l->end - 1);
    if (n < 0 && errno != EINTR && errno != EAGAIN)
        l->fault = strerror(errno);
    l->end += n > 0 ? (size_t)n : 0;
    l->ended = n == 0;
    return n > 0;
}

bool lines_stopped(void)
{
    return stopped;
}

bool lines_over(const struct lines *l)
{
    return stopped || l->ended || l->fault || l->lost;
}

/* Write answers when no input waits, or when they are many. While their reader
   doesn't read, go on reading lines until too many answers wait. */
static void go_on(struct lines *const *peers, size_t n)
{
    static const struct timespec idle = {.tv_nsec = IDLE * 1000000};
    bool in = true, ready = false, waits = false, many = false;

    for (size_t i = 0; i < n; i++)
        in = in && peers[i]->nanswers < peers[i]->most;
    if (in)
        wait_for(peers, n, true, &no_time);
    for (size_t i = 0; in && i < n; i++) {
        waits = waits || peers[i]->can_read;
        many = many || peers[i]->nanswers >= ANSWERS_MANY;
    }
    if (!in || !waits || many) {
        for (size_t i = 0; i < n; i++)
            if (peers[i]->waits)
                peers[i]->waits(peers[i]->arg);
        for (size_t i = 0; i < n; i++)
            settle(peers[i]);
        wait_for(peers, n, in, peers[0]->idle && in ? &idle : NULL);
    }
    for (size_t i = 0; i < n; i++) {
        ready = ready || peers[i]->can_read || peers[i]->can_write;
        if (peers[i]->can_write)
            send_some(peers[i]);
        if (peers[i]->can_read)
            fill(peers[i]);
    }
    if (!ready && peers[0]->idle && !stopped)
        peers[0]->idle(peers[0]->arg);
}

/* Take the next line from the bytes read. Returns false if there is none. */
static bool take_line(struct lines *l)
{
    /* no byte is searched twice, even if a line comes in many pieces */
    size_t from = l->endless > l->at ? l->endless : l->at;
    char *end = l->end > from ? memchr(l->bytes + from, '\n', l->end - from)
                              : NULL;

    l->endless = end ? (size_t)(end - l->bytes) : l->end;
    if (!end && !lines_over(l))
        return false;
    l->nlines++;
    l->text = l->bytes + l->at;
    l->len = (end ? (size_t)(end - l->bytes) : l->end) - l->at;
    check_length(l, l->len);
    if (l->too_long)
        cli_warn("%s:%llu: skipping a line of more than 1 GiB", l->name,
                 (unsigned long long)l->nlines);
    if (l->too_long && end) {
        l->too_long = false;
        l->at = (size_t)(end - l->bytes) + 1;
        return take_line(l);
    }
    l->too_long = false;
    if ((stopped && !(l->skips && end)) /* a service answers all lines read */
        || l->lost || l->fault || (!end && l->len == 0))
        return false;
    l->at += l->len + (end ? 1 : 0);
    l->text[l->len] = '\0';
    return true;
}

/* Do too many answers wait for their reader? */
static bool is_full(struct lines *const *peers, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        fflush(peers[i]->out);
        if (peers[i]->nanswers >= peers[i]->most && !lines_over(peers[i]))
            return true;
    }
    return false;
}

struct lines *lines_next_of(struct lines *const *peers, size_t n)
{
    for (;;) {
        while (is_full(peers, n))
            go_on(peers, n);
        for (size_t i = 0; i < n; i++)
            if (take_line(peers[i]))
                return peers[i];
        for (size_t i = 0; i < n; i++)
            if (lines_over(peers[i]))
                return NULL;
        go_on(peers, n);
    }
}

bool lines_next(struct lines *l)
{
    return lines_next_of(&l, 1);
}

/* --- a growing file ------------------------------------------------------- */

void lines_open_followed(struct lines *l, const char *file)
{
    int fd = open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

    if (fd < 0)
        cli_die("%s: %s", file, strerror(errno));
    lines_open_pipes(l, file, fd, -1);
    l->skips = true;
}

/* If the file was truncated or replaced, start again at its beginning. */
static bool begin_anew(struct lines *l)
{
    struct stat open_now, named;
    const char *what = "it was cut";
    int fd;

    if (fstat(l->fd, &open_now) < 0 || !S_ISREG(open_now.st_mode))
        return false;
    if (open_now.st_size >= lseek(l->fd, 0, SEEK_CUR)) {
        if (stat(l->name, &named) < 0
            || (named.st_ino == open_now.st_ino
                && named.st_dev == open_now.st_dev)
            || (fd = open(l->name, O_RDONLY | O_NONBLOCK | O_CLOEXEC)) < 0)
            return false;
        close(l->fd);
        l->fd = fd;
        what = "another file has its name";
    }
    lseek(l->fd, 0, SEEK_SET);
    cli_warn("%s: %s: read from its beginning", l->name, what);
    l->at = l->end = l->endless = 0;
    l->nlines = 0;
    l->too_long = false;
    return true;
}

bool lines_follow(struct lines *l)
{
    while (!take_line(l)) {
        bool more = fill(l);
        l->ended = false;
        if (!more && (l->fault || !begin_anew(l)))
            return false;
    }
    return true;
}

/* --- the end -------------------------------------------------------------- */

void lines_close(struct lines *l)
{
    lines_send(l);
    fclose(l->out);
    free(l->answers);
    free(l->bytes);
}

void lines_check_service(const struct lines *l)
{
    if (l->lost)
        cli_die("standard output: %s", l->lost);
    if (l->fault)
        cli_die("%s: %s", l->name, l->fault);
}

void lines_check(const struct lines *l)
{
    lines_check_service(l);
    if (stopped)
        cli_die("%s: stopped by a signal", l->name);
}

/* --- words ---------------------------------------------------------------- */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

int words_split(const char *line, size_t len, struct words *out, struct diag *d)
{
    const char *at = line, *end = line + len;
    char *to;

    *out = (struct words){.text = xmalloc(len + 2),
                          .list = xcalloc(len / 2 + 3, sizeof(char *))};
    to = out->text;
    if (memchr(line, '\0', len))
        return diag_set(d, "the line has a NUL byte");
    for (;;) {
        char quote = '\0';

        while (at < end && is_blank(*at))
            at++;
        if (at == end || *at == '#')
            return 0;
        out->list[out->n++] = to;
        for (; at < end && (quote || !is_blank(*at)); at++) {
            if (*at == quote) {
                quote = '\0';
            } else if (!quote && (*at == '\'' || *at == '"')) {
                quote = *at;
            } else if (*at != '\\' || quote == '\'') {
                *to++ = *at;
            } else if (at + 1 == end) {
                *to = '\0';
                return diag_set(d, "the line ends with a backslash");
            } else {
                /* in double quotes it mostly stays */
                if (quote && !strchr("$`\"\\", at[1]))
                    *to++ = *at;
                *to++ = *++at;
            }
        }
        *to++ = '\0';
        if (quote)
            return diag_set(d, "a quote %c is not closed", quote);
    }
}

poptContext words_options(struct words *words, const struct cli_option *options,
                          void *into)
{
    words->ctx = cli_options((int)words->n, words->list, options, into,
                             POPT_CONTEXT_KEEP_FIRST);
    return words->ctx;
}

void words_fini(struct words *words)
{
    if (words->ctx)
        poptFreeContext(words->ctx);
    free(words->list);
    free(words->text);
    *words = (struct words){0};
}
