/*
 * A text while it is read: where one is, and how to complain.
 *
 * A fault names the piece of text it is in, in quotes, and its offset there.
 * What the piece is depends on who reads: the whole text of an argument, a
 * word where white space separates, a line. It is looked for only when
 * there is a fault, so that reading costs nothing for it.
 */
#ifndef SET_SCAN_H
#define SET_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"

enum scan_piece { SCAN_WHOLE, SCAN_WORDS, SCAN_LINES };

struct scan {
    const char *text, *end;
    const char *p; /* what is read next */
    enum scan_piece piece;
    size_t line; /* the number of the text's first line; 0: do not tell */
    struct diag *d;
};

/* Always -1: the piece around `at`, the message, and the offset of `at`. */
int scan_fault(const struct scan *s, const char *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The same, without an offset: for a fault of the whole piece. */
int scan_fault_all(const struct scan *s, const char *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Add the line of `at` to a fault found by other means. Always -1. */
int scan_locate(const struct scan *s, const char *at);

/* The fault that the byte at `at` (which there is) cannot stand there. */
int scan_unexpected(const struct scan *s, const char *at);

/* `len` bytes of text in quotes; cut where a NUL byte would end a string. */
struct quoted scan_quote(const char *text, size_t len);

static inline bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Does a word end at p? */
static inline bool scan_at_end(const struct scan *s, const char *p)
{
    return p == s->end || (s->piece != SCAN_WHOLE && is_space(*p));
}

static inline bool scan_skip(struct scan *s, char c)
{
    if (s->p == s->end || *s->p != c)
        return false;
    s->p++;
    return true;
}

/* Skip white space; false at the end of the text. */
static inline bool scan_blanks(struct scan *s)
{
    while (s->p < s->end && is_space(*s->p))
        s->p++;
    return s->p < s->end;
}

/*
 * Is there another word? White space before it is skipped where it
 * separates words, and is left for the reader to stumble on elsewhere.
 */
static inline bool scan_next_word(struct scan *s)
{
    return s->piece == SCAN_WHOLE ? s->p < s->end : scan_blanks(s);
}

#endif /* SET_SCAN_H */
