/*
 * A text being read: the position, and messages about faults.
 *
 * A message quotes the piece of text with the fault, and has the offset of the
 * fault in the piece. The piece is a whole argument, a word between white
 * space, or a line, as the reader chooses. It is only searched for after a
 * fault, so it costs nothing otherwise.
 */
#ifndef SET_SCAN_H
#define SET_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"

enum scan_piece { SCAN_WHOLE, SCAN_WORDS, SCAN_LINES };

struct scan {
    const char *text, *end;
    const char *p; /* the next byte */
    enum scan_piece piece;
    size_t line; /* the number of the text's first line; 0: no line numbers */
    struct diag *d;
};

/* Report a fault: the piece around `at`, the message, and the offset of `at`.
   Returns -1. */
int scan_fault(const struct scan *s, const char *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Report a fault of the whole piece: without an offset. Returns -1. */
int scan_fault_all(const struct scan *s, const char *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Add the line of `at` to a fault found by other means. Returns -1. */
int scan_locate(const struct scan *s, const char *at);

/* Report that the byte at `at` is not allowed there. Returns -1. */
int scan_unexpected(const struct scan *s, const char *at);

/* Quote `len` bytes of text, up to the first NUL byte. */
struct quoted scan_quote(const char *text, size_t len);

static inline bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Return whether a word ends at p. */
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

/* Skip white space. Returns false at the end of the text. */
static inline bool scan_blanks(struct scan *s)
{
    while (s->p < s->end && is_space(*s->p))
        s->p++;
    return s->p < s->end;
}

/*
 * Return whether there is another word. White space before it is skipped if it
 * separates words; otherwise the reader refuses it.
 */
static inline bool scan_next_word(struct scan *s)
{
    return s->piece == SCAN_WHOLE ? s->p < s->end : scan_blanks(s);
}

#endif /* SET_SCAN_H */
