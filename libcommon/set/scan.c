/* Quotes the text in which a reader has found a fault (scan.h). */
#include "set/scan.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct quoted scan_quote(const char *text, size_t len)
{
    return quote(text, strnlen(text, len));
}

static bool is_border(const struct scan *s, char c)
{
    return s->piece == SCAN_WORDS   ? is_space(c)
           : s->piece == SCAN_LINES ? c == '\n'
                                    : false;
}

int scan_locate(const struct scan *s, const char *at)
{
    size_t line = s->line;

    if (!line)
        return -1;
    for (const char *p = s->text; p < at; p++)
        line += *p == '\n';
    return diag_in(s->d, "line %zu", line);
}

/* Set the diag, and return the start of the piece around `at`. */
__attribute__((format(printf, 3, 0))) static const char *
fault(const struct scan *s, const char *at, const char *fmt, va_list ap)
{
    char what[256];
    const char *start = at, *stop = at;

    vsnprintf(what, sizeof(what), fmt, ap);
    while (start > s->text && !is_border(s, start[-1]))
        start--;
    while (stop < s->end && !is_border(s, *stop))
        stop++;
    diag_set(s->d, "%s: %s", scan_quote(start, (size_t)(stop - start)).text,
             what);
    scan_locate(s, start);
    return start;
}

int scan_fault(const struct scan *s, const char *at, const char *fmt, ...)
{
    const char *start;
    size_t n;
    va_list ap;

    va_start(ap, fmt);
    start = fault(s, at, fmt, ap);
    va_end(ap);
    n = strlen(s->d->text);
    snprintf(s->d->text + n, sizeof(s->d->text) - n, " at offset %zu",
             (size_t)(at - start));
    return -1;
}

int scan_fault_all(const struct scan *s, const char *at, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    fault(s, at, fmt, ap);
    va_end(ap);
    return -1;
}

int scan_unexpected(const struct scan *s, const char *at)
{
    unsigned char c = (unsigned char)*at;

    if (c == '\0')
        return scan_fault(s, at, "unexpected NUL byte");
    if (c == '\n')
        return scan_fault(s, at, "unexpected line break");
    if (is_space(*at))
        return scan_fault(s, at, "unexpected white space");
    if (c < 0x20 || c >= 0x7f)
        return scan_fault(s, at, "unexpected byte 0x%02x", c);
    return scan_fault(s, at, "unexpected \"%c\"", c);
}
