#include "base/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/show.h"

int diag_set(struct diag *d, const char *fmt, ...)
{
    va_list ap;

    d->where[0] = d->source[0] = '\0';
    d->usage = false;
    va_start(ap, fmt);
    vsnprintf(d->text, sizeof(d->text), fmt, ap);
    va_end(ap);
    return -1;
}

int diag_key(struct diag *d, const char *key, const char *fmt, ...)
{
    va_list ap;

    diag_set(d, "%s", "");
    va_start(ap, fmt);
    vsnprintf(d->text, sizeof(d->text), fmt, ap);
    va_end(ap);
    return diag_in(d, "%s", key);
}

int diag_in(struct diag *d, const char *fmt, ...)
{
    char old[sizeof(d->where)];
    size_t n;
    va_list ap;

    if (d->source[0])
        return -1;
    memcpy(old, d->where, sizeof(old));
    va_start(ap, fmt);
    vsnprintf(d->where, sizeof(d->where), fmt, ap);
    va_end(ap);
    n = strlen(d->where);
    if (old[0])
        snprintf(d->where + n, sizeof(d->where) - n, "%s%s",
                 old[0] == '[' ? "" : ".", old);
    return -1;
}

int diag_at(struct diag *d, const char *text, size_t start, size_t end,
            const char *fmt, ...)
{
    char rule[320];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(rule, sizeof(rule), fmt, ap);
    va_end(ap);
    diag_set(d, "%s: %s", quote(text + start, end - start).text, rule);
    return diag_in(d, "offset %zu", start);
}

int diag_part(struct diag *d, size_t start)
{
    char *tail = d->text, *next;

    while ((next = strstr(tail + 1, " at offset ")))
        tail = next;
    if (tail != d->text)
        *tail = '\0';
    d->where[0] = '\0';
    return diag_in(d, "offset %zu", start);
}

int diag_source(struct diag *d, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(d->source, sizeof(d->source), fmt, ap);
    va_end(ap);
    return -1;
}

struct diag_line diag_line(const struct diag *d)
{
    char text[sizeof(*d) + 4];
    struct diag_line line;

    snprintf(text, sizeof(text), "%s%s%s%s%s", d->source,
             d->source[0] ? ": " : "", d->where, d->where[0] ? ": " : "",
             d->text);
    show_in(line.text, sizeof(line.text), text);
    return line;
}

struct quoted quote(const char *s, size_t len)
{
    struct quoted q;
    size_t room = sizeof(q.text) - 6;
    size_t n = strnlen(s, len < room ? len : room);
    char *p = q.text;

    while (n < len && n > 0 && ((unsigned char)s[n] & 0xc0) == 0x80)
        n--; /* do not cut a UTF-8 sequence in two */
    *p++ = '"';
    p = mempcpy(p, s, n);
    memcpy(p, n < len ? "...\"" : "\"", n < len ? 5 : 2);
    return q;
}

struct quoted quote_all(const char *text)
{
    return quote(text, strlen(text));
}
