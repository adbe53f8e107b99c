/*
 * Exhausted memory: preloaded into a program, this fails allocation number
 * OOM_AT, counted from 1, and all later ones if OOM_LASTS is set; 0 fails none.
 * At the end the number of allocations goes to the descriptor OOM_FD. With
 * OOM_RAISE the program gets that signal at each allocation, once it catches
 * it.
 *
 * Allocations of popt and hwloc do not count, since we do not decide what these
 * do without memory. With OOM_POPT only those of popt count. In the child
 * process that rset-discover makes for hwloc all of them count.
 */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);

static size_t count, fail_at;
static bool lasts, of_popt, stopped;
static int report = -1, raised;

__attribute__((constructor)) static void start(void)
{
    const char *at = getenv("OOM_AT"), *fd = getenv("OOM_FD");
    const char *sig = getenv("OOM_RAISE");

    report = fd ? (int)strtol(fd, NULL, 10) : -1;
    fail_at = at ? strtoul(at, NULL, 10) : 0;
    raised = sig ? (int)strtol(sig, NULL, 10) : 0;
    lasts = getenv("OOM_LASTS");
    of_popt = getenv("OOM_POPT");
    count = 0;
}

/* The rest of the process does not count. */
void failing_stop(void);
__attribute__((destructor)) void failing_stop(void)
{
    stopped = true;
    if (report >= 0 && write(report, &count, sizeof(count)) < 0)
        report = -1;
}

static bool is_counted(const void *caller)
{
    static const char *const others[] = {"libpopt", "libhwloc", "libpci",
                                         "libudev", "libxml"};
    Dl_info info;

    if (!dladdr(caller, &info) || !info.dli_fname)
        return !of_popt;
    if (of_popt)
        return strstr(info.dli_fname, others[0]);
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (strstr(info.dli_fname, others[i]))
            return false;
    return true;
}

static void tick(void)
{
    struct sigaction action;

    if (raised && sigaction(raised, NULL, &action) == 0
        && action.sa_handler != SIG_DFL)
        raise(raised);
}

static bool fails(const void *caller)
{
    if (stopped)
        return false;
    tick();
    if (!is_counted(caller) || ++count < fail_at || fail_at == 0
        || (count > fail_at && !lasts))
        return false;
    errno = ENOMEM;
    return true;
}

#define CALLER __builtin_return_address(0)

void *malloc(size_t size)
{
    return fails(CALLER) ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    return fails(CALLER) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
    return fails(CALLER) ? NULL : __libc_realloc(p, size);
}

/* Replaces that of libc, so that the caller of strdup() counts. */
char *strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = fails(CALLER) ? NULL : __libc_malloc(size);

    return copy ? memcpy(copy, text, size) : NULL;
}
