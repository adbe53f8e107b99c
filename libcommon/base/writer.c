#include "base/writer.h"

#include "base/digits.h"
#include "base/json.h"

FILE *writer_flush(struct writer *w)
{
    fwrite_unlocked(w->text, 1, w->len, w->fp);
    w->len = 0;
    return w->fp;
}

void writer_int(struct writer *w, int64_t n)
{
    char *start = writer_room(w, DIGITS_MAX + 1), *p = start;

    if (n < 0)
        *p++ = '-';
    p = put_number(p, n < 0 ? -(uint64_t)n : (uint64_t)n);
    w->len += (size_t)(p - start);
}

void writer_text(struct writer *w, const char *text)
{
    size_t n = json_plain_length(text);

    if (text[n] || n >= sizeof(w->text))
        json_write_text(writer_flush(w), text);
    else
        writer_put(w, text, n);
}

void writer_quoted(struct writer *w, const char *text)
{
    writer_char(w, '"');
    writer_text(w, text);
    writer_char(w, '"');
}
