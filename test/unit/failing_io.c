/*
 * Failing disks and killed processes: preloaded into a program, this counts
 * the calls that change files, from 1, and acts at call number IO_AT (0: at
 * none). IO_DO selects the action:
 *
 *     kill     the process ends before the call, as with kill -9
 *     torn     it ends after half of the data is written
 *     short    only half of the data is written, and reported
 *     stop     the process stops before the call until it is continued
 *     ENOSPC, EIO, EROFS, EACCES, EINTR, EOPNOTSUPP    the call fails so
 *
 * With IO_LASTS the action applies to all later calls, too. Each call is a
 * line in the file IO_LOG: its name, and the name of the file without its
 * directory. With IO_ONLY only calls with this line are counted.
 *
 * Writes inside libc, to stdout for example, do not pass here, and neither do
 * writes into memory of a mapped file.
 */
#undef _FILE_OFFSET_BITS /* each function has its own name here */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KILLED = 137 }; /* as a shell reports it */

static unsigned long count, at;
static bool lasts, kills, tears, shortens, stops, stopped;
static int fault, report = -1;
static const char *only;

/* The next definition of a function of this file. */
#define REAL(name) ((__typeof__(&(name)))dlsym(RTLD_NEXT, #name))

static int fault_of(const char *what)
{
    static const struct {
        const char *name;
        int fault;
    } faults[] = {{"ENOSPC", ENOSPC}, {"EIO", EIO},
                  {"EROFS", EROFS},   {"EACCES", EACCES},
                  {"EINTR", EINTR},   {"kill", 0},
                  {"torn", 0},        {"short", 0},
                  {"stop", 0},        {"EOPNOTSUPP", EOPNOTSUPP}};

    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
        if (!strcmp(what, faults[i].name))
            return faults[i].fault;
    _exit(126);
}

__attribute__((constructor)) static void start(void)
{
    const char *text = getenv("IO_AT"), *what = getenv("IO_DO");
    const char *log = getenv("IO_LOG");

    at = text ? strtoul(text, NULL, 10) : 0;
    what = what ? what : "kill";
    fault = fault_of(what);
    kills = !strcmp(what, "kill");
    tears = !strcmp(what, "torn");
    shortens = !strcmp(what, "short");
    stops = !strcmp(what, "stop");
    lasts = getenv("IO_LASTS");
    only = getenv("IO_ONLY");
    if (log)
        report = REAL(open)(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
                            0666);
}

/* The rest of the process does not count. */
void failing_stop(void);
void failing_stop(void)
{
    stopped = true;
}

/* Log the call. Does it count? */
static bool note(const char *call, const char *path)
{
    const char *slash = strrchr(path, '/');
    char line[512];
    int len = snprintf(line, sizeof(line), "%s %s\n", call,
                       slash ? slash + 1 : path);

    if (report >= 0 && REAL(write)(report, line, (size_t)len) < 0)
        _exit(126);
    line[len - 1] = '\0';
    return !only || !strcmp(line, only);
}

/* Is this the call to act at? */
static bool is_hit(const char *call, const char *path)
{
    int before = errno;
    bool counts = !stopped && note(call, path);

    errno = before;
    if (!counts)
        return false;
    if (++count != at && (at == 0 || count < at || !lasts))
        return false;
    if (stops)
        raise(SIGSTOP);
    return !stops;
}

/* Does the call fail? If not, it is made. */
static bool fails(const char *call, const char *path)
{
    if (!is_hit(call, path) || shortens)
        return false;
    if (kills || tears)
        _exit(KILLED);
    errno = fault;
    return true;
}

static const char *path_of(int fd, char path[4096])
{
    char link[64];
    ssize_t n;

    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    n = readlink(link, path, 4095);
    path[n > 0 ? n : 0] = '\0';
    return path;
}

static bool fails_at(const char *call, int fd)
{
    char path[4096];

    return fails(call, path_of(fd, path));
}

/* Return how many bytes to write; -1: none, the call failed. */
static ssize_t to_write(const char *call, int fd, size_t n)
{
    char path[4096];

    if (!is_hit(call, path_of(fd, path)))
        return (ssize_t)n;
    if (kills)
        _exit(KILLED);
    if (tears || shortens)
        return (ssize_t)(n + 1) / 2;
    errno = fault;
    return -1;
}

static ssize_t written(ssize_t n, size_t all)
{
    if (tears && n >= 0 && (size_t)n < all)
        _exit(KILLED);
    return n;
}

/* --- the calls ---------------------------------------------------------- */

/* Define a variant of open(), with the arguments before the path. */
#define OPEN(name, before, folder)                                       \
    int name(before const char *path, int flags, ...)                    \
    {                                                                    \
        va_list args;                                                    \
        mode_t mode;                                                     \
                                                                         \
        va_start(args, flags);                                           \
        mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0; \
        va_end(args);                                                    \
        if ((flags & O_ACCMODE) != O_RDONLY && fails("open", path))      \
            return -1;                                                   \
        return REAL(name)(folder path, flags, mode);                     \
    }
#define COMMA ,
OPEN(open, , )
OPEN(open64, , )
OPEN(openat, int fd COMMA, fd COMMA)
OPEN(openat64, int fd COMMA, fd COMMA)

ssize_t write(int fd, const void *bytes, size_t n)
{
    ssize_t part = to_write("write", fd, n);

    return part < 0 ? -1 : written(REAL(write)(fd, bytes, (size_t)part), n);
}

#define PWRITE(name, type)                                                   \
    ssize_t name(int fd, const void *bytes, size_t n, type where)            \
    {                                                                        \
        ssize_t part = to_write("write", fd, n);                             \
                                                                             \
        return part < 0                                                      \
                   ? -1                                                      \
                   : written(REAL(name)(fd, bytes, (size_t)part, where), n); \
    }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

#define TRUNCATE(name, type)                                           \
    int name(int fd, type length)                                      \
    {                                                                  \
        return fails_at("truncate", fd) ? -1 : REAL(name)(fd, length); \
    }
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

int fsync(int fd)
{
    return fails_at("sync", fd) ? -1 : REAL(fsync)(fd);
}

int fdatasync(int fd)
{
    return fails_at("sync", fd) ? -1 : REAL(fdatasync)(fd);
}

int linkat(int from, const char *old, int to, const char *path, int flags)
{
    return fails("link", path) ? -1 : REAL(linkat)(from, old, to, path, flags);
}

int unlink(const char *path)
{
    return fails("unlink", path) ? -1 : REAL(unlink)(path);
}

int unlinkat(int folder, const char *path, int flags)
{
    return fails("unlink", path) ? -1 : REAL(unlinkat)(folder, path, flags);
}

int renameat(int from, const char *old, int to, const char *path)
{
    return fails("rename", path) ? -1 : REAL(renameat)(from, old, to, path);
}

int fchmod(int fd, mode_t mode)
{
    return fails_at("mode", fd) ? -1 : REAL(fchmod)(fd, mode);
}

int fchown(int fd, uid_t user, gid_t group)
{
    return fails_at("owner", fd) ? -1 : REAL(fchown)(fd, user, group);
}
