/* The process of a scheduler (child.h). */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Seconds without any progress. Only a hanging process reaches the limit. */
enum { PATIENCE = 300, REMEMBERED = 120, SHOWN = 4000 };

struct buffer {
    char *bytes;
    size_t at, end, size;
};

struct child child;

static int to = -1, from = -1;
static struct buffer out, in;
static size_t line_start; /* offset in `out` of the unfinished line */
static char *remembered[REMEMBERED];
static uint64_t nremembered;
static FILE *trace;

/* --- the report ----------------------------------------------------------- */

static void remember(char mark, const char *line, size_t len)
{
    char **slot = &remembered[nremembered++ % REMEMBERED];
    size_t kept = len < SHOWN ? len : SHOWN;

    *slot = realloc(*slot, kept + 3);
    if (!*slot)
        abort();
    (*slot)[0] = mark;
    (*slot)[1] = ' ';
    memcpy(*slot + 2, line, kept);
    (*slot)[kept + 2] = '\0';
    if (trace)
        fprintf(trace, "%c %.*s\n", mark, (int)len, line);
}

void fail(const char *fmt, ...)
{
    va_list ap;

    if (trace)
        fclose(trace);
    printf("messages before it, > to the scheduler and < from it:\n");
    for (uint64_t i = 0; i < REMEMBERED; i++) {
        const char *line = remembered[(nremembered + i) % REMEMBERED];

        if (line)
            printf("%s\n", line);
    }
    printf("message %" PRIu64 " (read: %" PRIu64 ", answers: %" PRIu64 ")\n",
           child.sent, child.acked, child.heard);
    if (child.line)
        printf("at: %.4000s\n", child.line);
    printf("FAILED: ");
    va_start(ap, fmt);
    vprintf(fmt, ap);
    va_end(ap);
    printf("\n");
    fflush(stdout);
    if (child.pid > 0)
        kill(child.pid, SIGKILL);
    _exit(1);
}

/* --- the process ---------------------------------------------------------- */

static pid_t run(char *const argv[], int *write_to, int *read_from)
{
    int down[2], up[2];
    pid_t pid;

    if (pipe2(down, O_CLOEXEC) || pipe2(up, O_CLOEXEC))
        fail("pipe: %s", strerror(errno));
    fflush(stdout);
    pid = fork();
    if (pid < 0)
        fail("fork: %s", strerror(errno));
    if (pid == 0) {
        signal(SIGPIPE, SIG_DFL);
        dup2(down[0], STDIN_FILENO);
        dup2(up[1], STDOUT_FILENO);
        execvp(argv[0], argv);
        perror(argv[0]);
        _exit(127);
    }
    close(down[0]);
    close(up[1]);
    *write_to = down[1];
    *read_from = up[0];
    return pid;
}

void child_start(char *const command[], const char *path)
{
    if (path && !trace)
        trace = fopen(path, "w");
    child.pid = run(command, &to, &from);
    fcntl(to, F_SETFL, O_NONBLOCK);
    fcntl(from, F_SETFL, O_NONBLOCK);
    out.at = out.end = in.at = in.end = line_start = 0;
    child.ended = child.may_end = false;
}

char *output_of(const char *const argv[])
{
    size_t len, got = 0;
    char *text = NULL, bytes[4096];
    FILE *fp = open_memstream(&text, &len);
    int write_to, read_from, status;
    pid_t pid = run((char *const *)(uintptr_t)argv, &write_to, &read_from);

    close(write_to);
    do {
        ssize_t n = read(read_from, bytes, sizeof(bytes));

        got = n > 0 ? (size_t)n : 0;
        fwrite(bytes, 1, got, fp);
    } while (got);
    fclose(fp);
    close(read_from);
    if (waitpid(pid, &status, 0) != pid || status != 0) {
        free(text);
        return NULL;
    }
    return text;
}

int child_reap(void)
{
    int status;

    if (to >= 0)
        close(to);
    close(from);
    to = from = -1;
    if (waitpid(child.pid, &status, 0) != child.pid)
        fail("waitpid: %s", strerror(errno));
    child.pid = 0;
    return status;
}

/* --- lines to it ---------------------------------------------------------- */

static void make_room(struct buffer *b, size_t n)
{
    if (b->size - b->end >= n)
        return;
    b->size = b->size * 2 + n;
    b->bytes = realloc(b->bytes, b->size);
    if (!b->bytes)
        abort();
}

void say(const char *fmt, ...)
{
    va_list ap;
    int n;

    make_room(&out, 512);
    va_start(ap, fmt);
    n = vsnprintf(out.bytes + out.end, out.size - out.end, fmt, ap);
    va_end(ap);
    if (n >= 512) {
        make_room(&out, (size_t)n + 1);
        va_start(ap, fmt);
        vsnprintf(out.bytes + out.end, out.size - out.end, fmt, ap);
        va_end(ap);
    }
    out.end += (size_t)n;
}

uint64_t said(void)
{
    remember('>', out.bytes + line_start, out.end - line_start);
    make_room(&out, 1);
    out.bytes[out.end++] = '\n';
    line_start = out.end;
    return ++child.sent;
}

void said_to(const char *path)
{
    FILE *fp = fopen(path, "w");

    if (!fp)
        fail("%s: %s", path, strerror(errno));
    fwrite(out.bytes, 1, out.end, fp);
    fclose(fp);
    out.end = 0;
}

/* Write complete lines only. */
static void flush(void)
{
    ssize_t n = write(to, out.bytes + out.at, line_start - out.at);

    if (n < 0 && errno != EAGAIN && errno != EPIPE)
        fail("cannot write to it: %s", strerror(errno));
    if (n > 0)
        out.at += (size_t)n;
    if (n < 0 && errno == EPIPE)
        out.at = line_start; /* the end of its output follows */
    if (out.at == line_start) {
        memmove(out.bytes, out.bytes + out.at, out.end - out.at);
        out.end -= out.at;
        out.at = line_start = 0;
    }
}

void child_close(void)
{
    while (out.at < line_start && !child.ended)
        pump(true);
    close(to);
    to = -1;
}

/* --- lines from it -------------------------------------------------------- */

static void take_lines(void)
{
    char *start = in.bytes + in.at, *end;

    while ((end = memchr(start, '\n', in.end - in.at))) {
        *end = '\0';
        remember('<', start, (size_t)(end - start));
        child.heard++;
        child.line = start;
        answer(start, (size_t)(end - start));
        child.line = NULL;
        in.at += (size_t)(end + 1 - start);
        start = end + 1;
    }
    memmove(in.bytes, in.bytes + in.at, in.end - in.at);
    in.end -= in.at;
    in.at = 0;
}

static void take(void)
{
    ssize_t n;

    make_room(&in, 65536);
    n = read(from, in.bytes + in.end, in.size - in.end);
    if (n < 0 && errno != EAGAIN && errno != EINTR)
        fail("cannot read from it: %s", strerror(errno));
    if (n > 0) {
        in.end += (size_t)n;
        take_lines();
    }
    child.ended = n == 0;
}

void pump(bool wait)
{
    struct pollfd fds[2] = {{.fd = from, .events = POLLIN},
                            {.fd = to, .events = POLLOUT}};
    bool writes = to >= 0 && out.at < line_start;
    int n = poll(fds, writes ? 2 : 1, wait ? PATIENCE * 1000 : 0);

    if (n < 0 && errno != EINTR)
        fail("poll: %s", strerror(errno));
    if (n == 0 && wait)
        fail("it says nothing, and should");
    if (n > 0 && writes && fds[1].revents)
        flush();
    if (n > 0 && fds[0].revents)
        take();
    if (child.ended && !child.may_end)
        fail("it ends by itself");
}
