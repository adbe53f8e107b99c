#include "base/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct memory {
    char **text; /* the caller's */
    size_t *len;
    char *buf;
    size_t used, size;
    bool failed;
};

static ssize_t memory_write(void *cookie, const char *bytes, size_t n)
{
    struct memory *m = cookie;

    if (m->size - m->used <= n) {
        size_t size = (m->used + n + 1) * 2;
        char *buf = m->failed ? NULL : realloc(m->buf, size);
        if (!buf) {
            m->failed = true;
            return 0; /* an error, as fopencookie() has it */
        }
        m->buf = buf;
        m->size = size;
    }
    memcpy(m->buf + m->used, bytes, n);
    m->used += n;
    return (ssize_t)n;
}

static int memory_end(void *cookie)
{
    struct memory *m = cookie;
    bool failed = m->failed || (!m->buf && !(m->buf = calloc(1, 1)));

    if (failed) {
        free(m->buf);
        m->buf = NULL;
    } else {
        m->buf[m->used] = '\0';
    }
    *m->text = m->buf;
    *m->len = m->used;
    free(m);
    return failed ? -1 : 0;
}

FILE *memory_open(char **text, size_t *len)
{
    const cookie_io_functions_t functions = {.write = memory_write,
                                             .close = memory_end};
    struct memory *m = calloc(1, sizeof(*m));
    FILE *fp = NULL;

    *text = NULL;
    *len = 0;
    if (!m)
        return NULL;
    m->text = text;
    m->len = len;
    if (!(fp = fopencookie(m, "w", functions)))
        free(m);
    return fp;
}

int memory_close(FILE *fp)
{
    return fclose(fp) != 0 ? -1 : 0;
}
