/*
 * Writes files beside standard output (beside.h) under temporary names, and
 * renames them when all output has arrived.
 *
 * The lock is flock() on the file itself. Each replacement makes another file
 * of this name. So a program that waited for the lock checks whether the name
 * still leads to the locked file, and starts again if not. No lock files are
 * left behind, and readers need no lock.
 *
 * A temporary file is locked too, until it has its final name. One without a
 * lock was left by a killed program, and the next program removes it.
 */
#include "cli/beside.h"

#include <dirent.h>
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

#include "base/file.h"
#include "base/lock.h"
#include "base/time.h"
#include "cli/cli.h"
#include "cli/progress.h"

/* Files `made` that will be renamed to `final`, locked while fd is open. */
static volatile sig_atomic_t npending;
static struct {
    char made[PATH_MAX], final[PATH_MAX];
    int fd;
} pending[2];

void beside_forget(void)
{
    while (npending > 0)
        unlink(pending[--npending].made);
}

static void forget_and_end(int sig)
{
    beside_forget();
    signal(sig, SIG_DFL);
    raise(sig);
}

/* Drop pending files when the program ends, also by a signal, unless the
   program handles this signal itself. */
static void watch(void)
{
    static const int all[] = {SIGPIPE, SIGINT,  SIGTERM, SIGHUP,
                              SIGQUIT, SIGALRM, SIGXCPU, SIGXFSZ};
    static bool watched;

    for (size_t i = 0; !watched && i < sizeof(all) / sizeof(all[0]); i++) {
        struct sigaction act = {.sa_handler = forget_and_end}, old;
        if (sigaction(all[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            sigaction(all[i], &act, NULL);
    }
    if (!watched)
        atexit(beside_forget);
    watched = true;
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

/* --- the file for a text -------------------------------------------------- */

/* Follow the symbolic links of a name to a path of PATH_MAX bytes, which need
   not exist. Returns 0, or -1 with errno. */
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
    return errno == EINVAL || errno == ENOENT ? 0 : -1; /* no link, or
                                                           nothing */
}

/* Is the text written directly to the file? True if it is no regular file, has
   no name any more, or is open as standard error. */
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

enum { NAME_X = 6 };
static const char made_name[] = ".rset-XXXXXX";

/* Is this the name of a temporary file? */
static bool is_made_name(const char *name)
{
    size_t len = sizeof(made_name) - 1 - NAME_X;

    return strlen(name) == len + NAME_X && !memcmp(name, made_name, len)
           && strspn(name + len, "0123456789abcdefghijklmnopqrstuvwxyz"
                                 "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
                  == NAME_X;
}

/* Remove temporary files of this user that nobody has locked. */
static void remove_left(const char *folder)
{
    DIR *dir = opendir(folder);
    const struct dirent *entry;

    while (dir && (entry = readdir(dir))) {
        struct stat st, named;
        int fd;
        if (!is_made_name(entry->d_name))
            continue;
        fd = openat(dirfd(dir), entry->d_name,
                    O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        /* its writer may have renamed it meanwhile */
        if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)
            && st.st_uid == geteuid() && flock(fd, LOCK_EX | LOCK_NB) == 0
            && fstatat(dirfd(dir), entry->d_name, &named, AT_SYMLINK_NOFOLLOW)
                   == 0
            && named.st_dev == st.st_dev && named.st_ino == st.st_ino)
            unlinkat(dirfd(dir), entry->d_name, 0);
        if (fd >= 0)
            close(fd);
    }
    if (dir)
        closedir(dir);
}

/*
 * Make a temporary file and lock it. If another program has locked it first in
 * order to remove it, make another one. On a file system without locks nobody
 * removes it. Returns its descriptor, or -1 with errno.
 */
static int make_locked(char *made, const char *folder)
{
    struct stat st;
    int fd;

    for (;;) {
        errno = ENAMETOOLONG;
        if (snprintf(made, PATH_MAX, "%s/%s", folder, made_name) >= PATH_MAX
            || (fd = mkostemp(made, O_CLOEXEC)) < 0)
            return -1;
        if (flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
            unlink(made);
        else if (fstat(fd, &st) == 0 && st.st_nlink > 0)
            return fd;
        close(fd);
    }
}

/* Make a pending file for a path. Returns its descriptor, or -1 with errno. */
static int make_file(const char *path)
{
    char dir[PATH_MAX];
    const char *folder;
    sigset_t all, before;
    int fd, fault;

    strcpy(pending[npending].final, path);
    strcpy(dir, path);
    folder = dirname(dir);
    remove_left(folder);
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    fd = make_locked(pending[npending].made, folder);
    fault = errno;
    if (fd >= 0)
        pending[npending++].fd = fd;
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = fault;
    return fd;
}

/*
 * Give a new file, which only its owner can read so far, the owner, group and
 * mode of the file that it will replace. Nobody may get more access than
 * before: if the group can't be kept it has no rights, and the old group's
 * members get at most the access they had as a group. Returns 0, or -1 with
 * errno.
 */
static int set_mode(int fd, const char *path)
{
    mode_t mask = umask(0), mode = 0666 & ~mask;
    struct stat st, is;

    umask(mask);
    if (stat(path, &st) == 0) {
        mode = st.st_mode & 07777;
        if (fchown(fd, st.st_uid, st.st_gid) < 0
            && fchown(fd, (uid_t)-1, st.st_gid) < 0)
            mode &= ~(mode_t)(S_ISGID | S_IRWXG)
                    & (~(mode_t)S_IRWXO | (mode & S_IRWXG) >> 3);
        if (fstat(fd, &is) < 0)
            return -1;
        if (is.st_uid != st.st_uid)
            mode &= ~(mode_t)S_ISUID;
    }
    return fchmod(fd, mode);
}

void beside_write(const char *file, const char *text)
{
    char path[PATH_MAX];
    bool straight, new = access(file, F_OK) < 0;
    int fd;

    watch();
    if (follow_links(file, path) < 0
        || (access(file, W_OK) < 0 && errno != ENOENT))
        fail(file);
    straight = is_written_straight(file, path);
    if (straight)
        fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    else
        fd = make_file(path);
    if (fd < 0)
        cli_die("%s: %s%s", file,
                new || straight ? "" : "can't create a file beside it: ",
                strerror(errno));
    if (file_write(fd, text, strlen(text)) < 0
        || (straight ? close(fd) < 0 : set_mode(fd, path) < 0 || fsync(fd) < 0))
        fail(file);
}

void beside_keep(void)
{
    while (npending > 0) {
        const char *final = pending[npending - 1].final;
        char dir[PATH_MAX];
        int fd;

        if (rename(pending[npending - 1].made, final) < 0)
            fail(final);
        close(pending[--npending].fd);

        /* sync the directory, without which the new name may not last; some
           file systems can't do this */
        strcpy(dir, final);
        fd = open(dirname(dir), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd >= 0 && fsync(fd) < 0 && errno != EINVAL)
            fail(final);
        if (fd >= 0)
            close(fd);
    }
}

/* --- the lock ------------------------------------------------------------- */

const char *cli_wait_text;

double cli_wait(const char *needs)
{
    enum { DEFAULT = 60, MOST = 1000000 };
    double seconds = DEFAULT;
    struct diag d = {0};

    if (!cli_wait_text)
        return seconds;
    if (needs)
        cli_usage("--wait needs %s", needs);
    if (duration_parse(cli_wait_text, DURATION_SECONDS, &seconds, &d) < 0)
        cli_usage("--wait: %s", d.text);
    return seconds < MOST ? seconds : MOST;
}

__attribute__((noreturn)) static void fail_locked(const char *file)
{
    pid_t holder = lock_holder(file);

    if (holder > 0)
        cli_die("%s: process %ld has locked it; waited for %g s", file,
                (long)holder, cli_wait(NULL));
    cli_die("%s: another process has locked it; waited for %g s", file,
            cli_wait(NULL));
}

void beside_lock(const char *file)
{
    struct lock_wait w;
    struct stat st;
    int fd;

    beside_check(file);
    progress_begin("waiting for", file);
    lock_wait_begin(&w, cli_wait(NULL));
    for (;;) {
        if (stat(file, &st) < 0)
            fail(file);
        if (!S_ISREG(st.st_mode))
            cli_die("%s: only a regular file can be replaced", file);
        /* open for writing: locks over a network need this */
        if ((fd = open(file, O_RDWR | O_CLOEXEC)) < 0)
            fail(file);
        while (flock(fd, LOCK_EX) < 0) {
            if (errno == EINTR && !lock_wait_over(&w))
                continue;
            lock_wait_end(&w);
            if (errno == EINTR)
                fail_locked(file);
            fail(file);
        }
        if (stat(file, &st) == 0 && is_open_as(&st, fd))
            break;
        close(fd);
    }
    lock_wait_end(&w);
    progress_end();
}
