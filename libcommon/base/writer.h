/*
 * Text on its way to a stream, for who writes much of it in short pieces: a
 * copy costs less than a call.
 *
 *     struct writer w = {.fp = fp};
 *     PUT(&w, "\"id\":");
 *     writer_int(&w, 7);
 *     writer_flush(&w);
 */
#ifndef BASE_WRITER_H
#define BASE_WRITER_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct writer {
    FILE *fp;
    size_t len; /* of what waits */
    char text[4096];
};

/* All that waits goes out, so that others can write. Returns the stream. */
FILE *writer_flush(struct writer *w);

/* Room for so many bytes, which is less than there is in all. */
static inline char *writer_room(struct writer *w, size_t n)
{
    if (n > sizeof(w->text) - w->len)
        writer_flush(w);
    return w->text + w->len;
}

/* A short text. */
static inline void writer_put(struct writer *w, const char *text, size_t n)
{
    memcpy(writer_room(w, n), text, n);
    w->len += n;
}

#define PUT(w, literal) writer_put(w, literal, sizeof(literal) - 1)

static inline void writer_char(struct writer *w, char c)
{
    writer_put(w, &c, 1);
}

void writer_int(struct writer *w, int64_t n);

/* A text of any length, as JSON: inside of a string; a string. */
void writer_text(struct writer *w, const char *text);
void writer_quoted(struct writer *w, const char *text);

#endif /* BASE_WRITER_H */
