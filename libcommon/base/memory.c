#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* replaced by the function of cli/ in a program */
__attribute__((weak)) void memory_exhausted(void)
{
    abort();
}

static void *checked(void *p)
{
    if (!p)
        memory_exhausted();
    return p;
}

void *xmalloc(size_t size)
{
    return checked(malloc(size ? size : 1));
}

/* Use malloc() for small blocks: glibc's malloc() takes them from its cache of
   freed blocks, its calloc() does not. */
void *xcalloc(size_t n, size_t size)
{
    enum { SMALL = 1024 };

    if (n <= SMALL && size <= SMALL && n * size <= SMALL)
        return memset(xmalloc(n * size), 0, n * size);
    return checked(calloc(n, size));
}

void *xrealloc(void *p, size_t size)
{
    return checked(realloc(p, size ? size : 1));
}

void *xreallocarray(void *p, size_t n, size_t size)
{
    return checked(n && size ? reallocarray(p, n, size) : realloc(p, 1));
}

enum { VECTOR_LEAST = 4, ROOM_LEAST = 40 };

size_t vector_room(size_t n)
{
    size_t room = VECTOR_LEAST;

    while (room < n)
        room *= 2;
    return room;
}

void *xgrow(void *list, size_t n, size_t size)
{
    if (n == 0)
        return xreallocarray(list, VECTOR_LEAST, size);
    if (n < VECTOR_LEAST || (n & (n - 1)) != 0)
        return list;
    return xreallocarray(list, 2 * n, size);
}

void *xroom(void *list, size_t *room, size_t n, size_t size)
{
    size_t more = *room < ROOM_LEAST ? ROOM_LEAST : 2 * *room;

    if (list && n <= *room)
        return list;
    *room = n < more ? more : n;
    return xreallocarray(list, *room, size);
}

char *xstrdup(const char *text)
{
    return checked(strdup(text));
}

char *xstrndup(const char *text, size_t n)
{
    return checked(strndup(text, n));
}

int xvasprintf(char **out, const char *fmt, va_list args)
{
    int len = vasprintf(out, fmt, args);

    if (len < 0)
        memory_exhausted();
    return len;
}

void vector_sort(void *list, size_t n, size_t size,
                 int (*compare)(const void *, const void *))
{
    const char *at = list;
    size_t i = 1;

    for (; i < n && compare(at, at + size) <= 0; i++)
        at += size;
    if (i < n)
        qsort(list, n, size, compare);
}

int compare_uint32(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return COMPARE(x, y);
}

int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return COMPARE(x, y);
}

int xasprintf(char **out, const char *fmt, ...)
{
    va_list args;
    int len;

    va_start(args, fmt);
    len = xvasprintf(out, fmt, args);
    va_end(args);
    return len;
}

/* --- streams ------------------------------------------------------------ */

/* A stream to memory. open_memstream() can't be used: if it can't grow it drops
   text without any error, even in ferror(). */
struct memory {
    char **text; /* the caller's variable */
    size_t *len; /* may be NULL */
    char *buf;
    size_t used, size;
};

static ssize_t memory_write(void *cookie, const char *bytes, size_t n)
{
    struct memory *m = cookie;

    VECTOR_ROOM(m->buf, m->size, m->used + n + 1);
    memcpy(m->buf + m->used, bytes, n);
    m->used += n;
    return (ssize_t)n;
}

static int memory_end(void *cookie)
{
    struct memory *m = cookie;

    if (!m->buf)
        m->buf = xmalloc(1);
    m->buf[m->used] = '\0';
    *m->text = m->buf;
    if (m->len)
        *m->len = m->used;
    free(m);
    return 0;
}

FILE *memory_open(char **text, size_t *len)
{
    const cookie_io_functions_t functions = {.write = memory_write,
                                             .close = memory_end};
    struct memory *m = xcalloc(1, sizeof(*m));

    *text = NULL;
    m->text = text;
    m->len = len;
    return checked(fopencookie(m, "w", functions));
}

void memory_close(FILE *fp)
{
    fclose(fp);
}

char *memory_take(FILE *fp, char **text, bool good)
{
    fclose(fp);
    if (good)
        return *text;
    free(*text);
    return NULL;
}
