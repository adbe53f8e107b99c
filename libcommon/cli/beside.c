/*
 * Writes files beside standard output (beside.h) under names of their own, and
 * renames them when all output has arrived.
 *
 * The lock is that of flock() on the file itself, which is another file after
 * each replacement: who has waited for the lock looks whether the name still
 * leads to what was locked, and begins again if not. So no file of locks is
 * left behind, and who only reads needs no lock.
 */
#include "cli/beside.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/progress.h"

/* Each of `made` has a text, and is to become `final`. */
static volatile sig_atomic_t npending;
static struct {
    char made[PATH_MAX], final[PATH_MAX];
} pending[2];

static void forget(void)
{
    while (npending > 0)
        unlink(pending[--npending].made);
}

static void forget_and_end(int sig)
{
    forget();
    signal(sig, SIG_DFL);
    raise(sig);
}

/* Signals that end the program, unless it does something else with them. */
static void watch_signals(void)
{
    static const int all[] = {SIGPIPE, SIGINT,  SIGTERM, SIGHUP,
                              SIGQUIT, SIGALRM, SIGXCPU, SIGXFSZ};

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        struct sigaction act = {.sa_handler = forget_and_end}, old;
        if (sigaction(all[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            sigaction(all[i], &act, NULL);
    }
}

static void watch(void)
{
    static bool watched;

    if (watched)
        return;
    watched = true;
    watch_signals();
    atexit(forget);
    cli_undo(forget);
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

/* --- where a text goes ---------------------------------------------------- */

/*
 * Where a name leads, over symbolic links, whether there is anything or not:
 * a path of PATH_MAX bytes. -1 with errno.
 */
static int follow_links(const char *file, char *path)
{
    enum { MOST = 40 };
    char link[PATH_MAX];
    ssize_t n;

    if (snprintf(path, PATH_MAX, "%s", file) >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return -1;
    }
    for (int i = 0; (n = readlink(path, link, sizeof(link))) >= 0; i++) {
        char *slash = *link == '/' ? NULL : strrchr(path, '/');
        char *tail = slash ? slash + 1 : path;
        if (i == MOST || tail - path + n >= PATH_MAX) {
            errno = i == MOST ? ELOOP : ENAMETOOLONG;
            return -1;
        }
        memcpy(tail, link, (size_t)n);
        tail[n] = '\0';
    }
    return errno == EINVAL || errno == ENOENT ? 0 : -1; /* no link, nothing */
}

/*
 * Is the text written to the file as it is? To what is no regular file, to
 * what has no name any more, and to what standard error goes to.
 */
static bool is_written_straight(const char *file, const char *path)
{
    struct stat st;

    return stat(file, &st) == 0
           && (!S_ISREG(st.st_mode) || is_open_as(&st, STDERR_FILENO)
               || !beside_is(file, path));
}

void beside_check(const char *file)
{
    char path[PATH_MAX];
    struct stat st;
    bool there = stat(file, &st) == 0;

    errno = there && S_ISDIR(st.st_mode) ? EISDIR : 0;
    if (errno || follow_links(file, path) < 0
        || (there && access(file, W_OK) < 0))
        fail(file);
    if (!is_written_straight(file, path) && access(dirname(path), W_OK) < 0)
        fail(file);
}

/* The mode of a file that is there, or that of a new one. */
static mode_t mode_of(const char *path)
{
    mode_t mask = umask(0);
    struct stat st;

    umask(mask);
    return stat(path, &st) == 0 ? st.st_mode & 07777 : 0666 & ~mask;
}

/* A pending file for what is at a path; -1 with errno. */
static int make_file(const char *path)
{
    char *made = pending[npending].made, dir[PATH_MAX];
    sigset_t all, before;
    int fd = -1, fault;

    strcpy(pending[npending].final, path);
    strcpy(dir, path);
    errno = ENAMETOOLONG;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    if (snprintf(made, PATH_MAX, "%s/.rset-XXXXXX", dirname(dir)) < PATH_MAX
        && (fd = mkostemp(made, O_CLOEXEC)) >= 0)
        npending++;
    fault = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = fault;
    return fd < 0 || fchmod(fd, mode_of(path)) < 0 ? -1 : fd;
}

static void write_text(FILE *fp, const char *text, bool sync, const char *file)
{
    int failed;

    if (!fp)
        fail(file);
    errno = 0;
    failed = fputs(text, fp) < 0
             || (sync && (fflush(fp) != 0 || fsync(fileno(fp)) < 0));
    if ((fclose(fp) != 0) | failed)
        fail(file);
}

void beside_write(const char *file, const char *text)
{
    char path[PATH_MAX];
    bool straight, new = access(file, F_OK) < 0;
    int fd = -1;

    watch();
    if (follow_links(file, path) < 0
        || (access(file, W_OK) < 0 && errno != ENOENT))
        fail(file);
    straight = is_written_straight(file, path);
    if (!straight && (fd = make_file(path)) < 0)
        cli_die("%s: %s%s", file,
                new ? "" : "no file can be made beside it: ", strerror(errno));
    write_text(straight ? fopen(file, "we") : fdopen(fd, "w"), text, !straight,
               file);
}

/* Only then the new name is sure to last. Not all file systems can say so. */
static void sync_directory(const char *path)
{
    char dir[PATH_MAX];
    int fd;

    strcpy(dir, path);
    fd = open(dirname(dir), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0 && fsync(fd) < 0 && errno != EINVAL)
        fail(path);
    if (fd >= 0)
        close(fd);
}

void beside_keep(void)
{
    while (npending > 0) {
        const char *final = pending[npending - 1].final;
        if (rename(pending[npending - 1].made, final) < 0)
            fail(final);
        npending--;
        sync_directory(final);
    }
}

/* --- the lock ------------------------------------------------------------- */

void beside_lock(const char *file)
{
    struct stat st;
    int fd;

    beside_check(file);
    progress_begin("waiting for", file);
    for (;;) {
        if (stat(file, &st) < 0)
            fail(file);
        if (!S_ISREG(st.st_mode))
            cli_die("%s: only a regular file can be replaced", file);
        /* for writing, as locks over a network need it */
        if ((fd = open(file, O_RDWR | O_CLOEXEC)) < 0 || flock(fd, LOCK_EX) < 0)
            fail(file);
        if (stat(file, &st) == 0 && is_open_as(&st, fd))
            break;
        close(fd);
    }
    progress_end();
}
