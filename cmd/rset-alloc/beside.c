/*
 * Writes a file beside standard output (beside.h) under a name of its own, and
 * renames it when all output has arrived.
 */
#include "beside.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/cli.h"

/* While `pending`, `made` has the text, and is to become `final`. */
static volatile sig_atomic_t pending;
static char made[PATH_MAX], final[PATH_MAX];

static void forget(void)
{
    if (pending)
        unlink(made);
    pending = 0;
}

static void forget_and_end(int sig)
{
    forget();
    signal(sig, SIG_DFL);
    raise(sig);
}

/* Signals that end the program, unless they were to be ignored. */
static void watch_signals(void)
{
    static const int all[] = {SIGPIPE, SIGINT, SIGTERM, SIGHUP};

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        struct sigaction act = {.sa_handler = forget_and_end}, old;
        if (sigaction(all[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(all[i], &act, NULL);
    }
}

static bool is_open_as(const struct stat *file, int fd)
{
    struct stat st;

    return fstat(fd, &st) == 0 && st.st_dev == file->st_dev
           && st.st_ino == file->st_ino;
}

bool beside_is_stdio(const char *file)
{
    struct stat st;

    return stat(file, &st) == 0 && !S_ISCHR(st.st_mode)
           && (is_open_as(&st, STDIN_FILENO) || is_open_as(&st, STDOUT_FILENO));
}

bool beside_is(const char *file, const char *other)
{
    struct stat a, b;

    return stat(file, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev
           && a.st_ino == b.st_ino;
}

static void fail(const char *file)
{
    cli_die("%s: %s", file, errno ? strerror(errno) : "write error");
}

void beside_check(const char *file)
{
    char *copy = xstrdup(file);
    struct stat st;
    bool there = stat(file, &st) == 0;

    errno = there && S_ISDIR(st.st_mode) ? EISDIR : 0;
    if (errno || access(there ? file : dirname(copy), W_OK) < 0)
        fail(file);
    free(copy);
}

static void write_text(FILE *fp, const char *text, const char *file)
{
    int failed;

    if (!fp)
        fail(file);
    errno = 0;
    failed = fputs(text, fp) < 0 || putc('\n', fp) < 0;
    if ((fclose(fp) != 0) | failed)
        fail(file);
}

/* The mode of a file that was there, or that of a new one. */
static mode_t mode_of(const struct stat *there)
{
    mode_t mask = umask(0);

    umask(mask);
    return there ? there->st_mode & 07777 : 0666 & ~mask;
}

/* A file beside it, -1 if there can't be one. */
static int make_file(const char *file, const struct stat *there)
{
    int fd;

    if (!realpath(file, final)
        && (size_t)snprintf(final, sizeof(final), "%s", file) >= sizeof(final))
        return -1;
    if ((size_t)snprintf(made, sizeof(made), "%s.XXXXXX", final) >= sizeof(made)
        || (fd = mkstemp(made)) < 0)
        return -1;
    pending = 1;
    if (fchmod(fd, mode_of(there)) < 0) {
        close(fd);
        forget();
        return -1;
    }
    return fd;
}

void beside_write(const char *file, const char *text)
{
    struct stat st;
    bool there = stat(file, &st) == 0;
    int fd = -1;

    if (there && access(file, W_OK) < 0)
        fail(file);
    watch_signals();
    atexit(forget);
    cli_undo(forget);
    if (!there || (S_ISREG(st.st_mode) && !is_open_as(&st, STDERR_FILENO)))
        fd = make_file(file, there ? &st : NULL);
    write_text(fd < 0 ? fopen(file, "w") : fdopen(fd, "w"), text, file);
}

void beside_keep(void)
{
    if (pending && rename(made, final) < 0)
        fail(final);
    pending = 0;
}
