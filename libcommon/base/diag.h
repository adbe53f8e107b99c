/*
 * Diagnostics: how the library says what went wrong, and where.
 *
 * The library never prints and never exits. A function that can fail takes a
 * struct diag, fills it, and returns -1 or NULL. Text is set where the fault
 * is found; callers that know more of the place add to it on the way out:
 *
 *     if (idset_decode(text, len, &set, d) < 0)
 *         return diag_in(d, "children.%s", type);
 *
 * so that the command in the end prints one line:
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
    char text[512];   /* what is wrong, the offending text quoted */
    bool usage;       /* of a command line, so that --help tells more */
};

/* A piece of input made fit for a message; see quote(). */
struct quoted {
    char text[88];
};

/*
 * Set the text of a fault (printf style) and clear its place and source.
 * Always returns -1, so that a caller can say `return diag_set(...)`.
 */
int diag_set(struct diag *d, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Say in what the fault lies: put an element (a key, an "[index]", or an
 * offset) before what is known of the place. Once the source is named the
 * place is complete, and nothing is added. Always returns -1.
 */
int diag_in(struct diag *d, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * What lies between two offsets of a text is wrong: `offset 7: "node=2": ` and
 * what is said of it (printf style). Always returns -1.
 */
int diag_at(struct diag *d, const char *text, size_t start, size_t end,
            const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/*
 * The fault is in a part of a text, and where is counted from the start of the
 * part: it is said of the part as a whole. Always returns -1.
 */
int diag_part(struct diag *d, size_t start);

/* Name the source of the fault. Always returns -1. */
int diag_source(struct diag *d, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * The whole message in one line, without the program's name: source, place
 * and text, joined by ": ". It is fit for a terminal (show.h). 'buf' is cut at
 * 'size'. Returns buf.
 */
const char *diag_format(const struct diag *d, char *buf, size_t size);

/*
 * `len` bytes of input in double quotes, long text, and what a NUL byte
 * is in, cut with "...", for use as an argument of diag_set: quote(s, n).text
 */
struct quoted quote(const char *s, size_t len);

#endif /* BASE_DIAG_H */
