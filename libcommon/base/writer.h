/*
 * A buffer before a stream, for code that writes much text in short pieces: a
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
    size_t len; /* length of the waiting text */
    char text[4096];
};

/* Write all waiting text, so that others can write. Returns the stream. */
FILE *writer_flush(struct writer *w);

/* Make room for n bytes, fewer than the buffer has. Returns their place. */
static inline char *writer_room(struct writer *w, size_t n)
{
    if (n > sizeof(w->text) - w->len)
        writer_flush(w);
    return w->text + w->len;
}

/* Write a short text. */
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

/* Write a text of any length as JSON: as a part of a string, or as a whole
   string. */
void writer_text(struct writer *w, const char *text);
void writer_quoted(struct writer *w, const char *text);

#endif /* BASE_WRITER_H */
