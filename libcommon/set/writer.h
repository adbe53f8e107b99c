/*
 * Output put together in a block, without a call into stdio for each piece.
 */
#ifndef SET_WRITER_H
#define SET_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define WRITER_BLOCK 16384

struct writer {
    FILE *fp;
    size_t n;
    bool failed;
    char buf[WRITER_BLOCK];
};

static inline void writer_init(struct writer *w, FILE *fp)
{
    w->fp = fp;
    w->n = 0;
    w->failed = false;
}

/* Hand on what is there. Returns -1 if the stream has failed so far. */
static inline int writer_flush(struct writer *w)
{
    if (w->n && fwrite(w->buf, 1, w->n, w->fp) != w->n)
        w->failed = true;
    w->n = 0;
    return w->failed ? -1 : 0;
}

/* Room for `len` (<= WRITER_BLOCK) bytes; say with `writer_end` what for. */
static inline char *writer_room(struct writer *w, size_t len)
{
    if (sizeof(w->buf) - w->n < len)
        writer_flush(w);
    return w->buf + w->n;
}

static inline void writer_end(struct writer *w, const char *end)
{
    w->n = (size_t)(end - w->buf);
}

static inline void writer_put(struct writer *w, const char *text, size_t len)
{
    while (len > 0) {
        size_t part = len < WRITER_BLOCK ? len : WRITER_BLOCK;

        memcpy(writer_room(w, part), text, part);
        w->n += part;
        text += part;
        len -= part;
    }
}

#endif /* SET_WRITER_H */
