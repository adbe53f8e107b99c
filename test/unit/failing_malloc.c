/*
 * Memory that runs out: preloaded into a program, this fails the allocation
 * with the number OOM_AT, counted from 1; 0 fails none. What test_oom.c wants
 * to know goes to the descriptor OOM_FD: SIZE_MAX when an allocation failed,
 * and how many there were when the program ends.
 *
 * Allocations of popt and hwloc are left alone: what these do without memory
 * is not ours to say.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);

static size_t count, fail_at;
static int report = -1;

static void tell(size_t n)
{
    if (report >= 0 && write(report, &n, sizeof(n)) < 0)
        report = -1;
}

__attribute__((constructor)) static void start(void)
{
    const char *at = getenv("OOM_AT"), *fd = getenv("OOM_FD");

    report = fd ? (int)strtol(fd, NULL, 10) : -1;
    fail_at = at ? strtoul(at, NULL, 10) : 0;
    count = 0;
}

__attribute__((destructor)) static void end(void)
{
    tell(count);
}

static bool is_ours(const void *caller)
{
    static const char *const others[] = {"libpopt", "libhwloc", "libpci",
                                         "libudev", "libxml"};
    Dl_info info;

    if (!dladdr(caller, &info) || !info.dli_fname)
        return true;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (strstr(info.dli_fname, others[i]))
            return false;
    return true;
}

static bool fails(const void *caller)
{
    if (!is_ours(caller) || ++count != fail_at)
        return false;
    tell(SIZE_MAX);
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

/* Of libc, so that it counts for who calls it. */
char *strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = fails(CALLER) ? NULL : __libc_malloc(size);

    return copy ? memcpy(copy, text, size) : NULL;
}
