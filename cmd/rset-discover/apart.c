/*
 * hwloc in a process of its own. If memory is exhausted hwloc does not fail
 * properly: it crashes, or never ends, or silently sees less of a machine. So a
 * child reads the machine, writes the document into a file in memory, and ends
 * at the first allocation that fails. The parent waits without allocating, and
 * uses the document only if the child succeeded.
 *
 * hwloc and its plugins use the allocator of the process. The functions below
 * replace it, and differ only in the child. A sanitizer also replaces it, and
 * ends a process to which it refuses memory.
 */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/cli.h"
#include "discover.h"

static bool apart; /* this is the child */

/* --- allocation ----------------------------------------------------------- */

#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)          \
    && !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer) \
    && !__has_feature(memory_sanitizer)

static struct {
    void *(*malloc)(size_t size);
    void *(*calloc)(size_t n, size_t size);
    void *(*realloc)(void *p, size_t size);
} next;

static void find_next(void)
{
    *(void **)&next.malloc = dlsym(RTLD_NEXT, "malloc");
    *(void **)&next.calloc = dlsym(RTLD_NEXT, "calloc");
    *(void **)&next.realloc = dlsym(RTLD_NEXT, "realloc");
}

static void *checked(void *p)
{
    if (!p)
        memory_exhausted();
    return p;
}

/* libc's declarations have reserved names:
   NOLINTBEGIN(readability-inconsistent-declaration-parameter-name) */

void *malloc(size_t size)
{
    if (!next.malloc)
        find_next();
    return apart ? checked(next.malloc(size)) : next.malloc(size);
}

void *calloc(size_t n, size_t size)
{
    if (!next.calloc)
        find_next();
    return apart ? checked(next.calloc(n, size)) : next.calloc(n, size);
}

void *realloc(void *p, size_t size)
{
    if (!next.realloc)
        find_next();
    return apart && size > 0 ? checked(next.realloc(p, size))
                             : next.realloc(p, size);
}

/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */

#endif

/* --- the processes -------------------------------------------------------- */

/* Wait for the child. If it failed, end with its status. Return its document,
   mapped into memory. */
static const char *take_document(pid_t child, int fd, size_t *len)
{
    int status;
    off_t size;
    void *text;

    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            cli_die("hwloc: %s", strerror(errno));
    if (WIFSIGNALED(status))
        cli_die("hwloc ended by signal %d (%s)", WTERMSIG(status),
                strsignal(WTERMSIG(status)));
    if (WEXITSTATUS(status) != STATUS_OK)
        exit(WEXITSTATUS(status));

    size = lseek(fd, 0, SEEK_END);
    if (size == 0) /* this can't be mapped */
        return "";
    text = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (size < 0 || text == MAP_FAILED)
        memory_exhausted();
    *len = (size_t)size;
    return text;
}

const char *apart_run(size_t *len)
{
    int fd = memfd_create("document", MFD_CLOEXEC);
    pid_t parent = getpid(), child;

    *len = 0;
    signal(SIGCHLD, SIG_DFL);
    if (fd < 0 || (child = fork()) < 0)
        cli_die("hwloc: %s", strerror(errno));
    if (child > 0)
        return take_document(child, fd, len);

    /* The child ends with the parent, even if it hangs in a driver. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(STATUS_TROUBLE);
    if (dup2(fd, STDOUT_FILENO) < 0)
        cli_die("hwloc: %s", strerror(errno));
    apart = true;
    return NULL;
}
