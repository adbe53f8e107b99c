/*
 * Diagnostics: how the library reports a fault and its place.
 *
 * The library never prints and never exits. A function that can fail takes a
 * struct diag, fills it, and returns -1 or NULL. The text is set where the
 * fault is found. Callers that know more of the place add it on the way out:
 *
 *     if (idset_decode(text, len, &set, d) < 0)
 *         return diag_in(d, "children.%s", type);
 *
 * In the end the command prints one line:
 *
 *     rset-match: stdin:1: execution.R_lite[3].children.core: "0-": ...
 */
#ifndef BASE_DIAG_H
#define BASE_DIAG_H

#include <stdbool.h>
#include <stddef.h>

struct diag {
    char source[160]; /* the file's name, or "stdin:2": the 2nd document */
    char where[256];  /* JSON path, or an offset in the source */
    char text[512];   /* the fault, with the offending text quoted */
    bool usage;       /* fault of a command line: suggest --help */
};

/* A fault in one line, perhaps cut; see diag_line(). */
struct diag_line {
    char text[1024];
};

/* A piece of input prepared for a message; see quote(). */
struct quoted {
    char text[88];
};

/* Set the text of a fault (printf style). Clears its place and source. Always
   returns -1, for `return diag_set(...)`. */
int diag_set(struct diag *d, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Put an element (a key, an "[index]", or an offset) before the place of a
 * fault (printf style). Does nothing once the source is set, because then the
 * place is complete. Always returns -1.
 */
int diag_in(struct diag *d, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Set the text of a fault in the value of a key. Always returns -1. */
int diag_key(struct diag *d, const char *key, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Report a fault between two offsets of a text (printf style), as in `offset 7:
   "node=2": no such key`. Always returns -1. */
int diag_at(struct diag *d, const char *text, size_t start, size_t end,
            const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* Give a fault the place of a part of a text as a whole. Drops its offset
   within the part. Always returns -1. */
int diag_part(struct diag *d, size_t start);

/* Name the source of the fault. Always returns -1. */
int diag_source(struct diag *d, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Return the whole message in one line, without the program's name: source,
   place and text, joined by ": ". It is safe for a terminal (show.h). */
struct diag_line diag_line(const struct diag *d);

/* Return `len` bytes of input in double quotes, as an argument of diag_set:
   quote(s, n).text. Long text, and text after a NUL byte, is cut with "...". */
struct quoted quote(const char *s, size_t len);
/* Return a whole text in double quotes. */
struct quoted quote_all(const char *text);

#endif /* BASE_DIAG_H */
