/* Escapes what must not reach a terminal (show.h), by a table of ranges. */
#include "base/show.h"

#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

static const struct {
    uint32_t first, last;
} hidden[] = {
    {0x01, 0x1f},     {0x7f, 0x9f},     {0xad, 0xad},     {0x61c, 0x61c},
    {0x180e, 0x180e}, {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},
    {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xfffe, 0xffff}, {0xe0000, 0xe007f},
};

/* A character of n bytes as a number. */
static uint32_t decode(const char *text, size_t n)
{
    uint32_t c = (unsigned char)*text;

    if (n > 1)
        c &= 0x7fu >> n;
    for (size_t i = 1; i < n; i++)
        c = c << 6 | ((unsigned char)text[i] & 0x3f);
    return c;
}

static bool is_hidden(uint32_t c)
{
    for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
        if (c >= hidden[i].first && c <= hidden[i].last)
            return true;
    return false;
}

enum { SHOWN_MAX = 16 };

/*
 * How the character that the text begins with is shown, which is not as it is
 * if that is longer than what it has: how long that is goes to *n.
 */
static size_t show_char(const char *text, size_t *n, char out[SHOWN_MAX])
{
    uint32_t c;

    *n = utf8_length(text);
    if (*n == 0) {
        *n = 1;
        return (size_t)sprintf(out, "\\x%02x", (unsigned char)*text);
    }
    c = decode(text, *n);
    if (is_hidden(c))
        return (size_t)sprintf(out,
                               c < 0x80      ? "\\x%02x"
                               : c < 0x10000 ? "\\u%04x"
                                             : "\\U%08x",
                               c);
    memcpy(out, text, *n);
    return *n;
}

bool show_is_plain(const char *text)
{
    char out[SHOWN_MAX];

    for (size_t n; *text; text += n)
        if (show_char(text, &n, out) != n)
            return false;
    return true;
}

static void put(FILE *fp, const char *text, bool twice)
{
    char out[SHOWN_MAX];

    for (size_t n; *text; text += n) {
        size_t len = show_char(text, &n, out);
        fwrite(out, 1, len, fp);
        if (twice && *text == '\\')
            putc('\\', fp);
    }
}

void show(FILE *fp, const char *name)
{
    if (show_is_plain(name))
        fputs(name, fp);
    else
        put(fp, name, true);
}

void show_text(FILE *fp, const char *text)
{
    put(fp, text, false);
}

const char *show_in(char *buf, size_t size, const char *text)
{
    char out[SHOWN_MAX];
    size_t at = 0;

    for (size_t n; *text; text += n) {
        size_t len = show_char(text, &n, out);
        if (at + len >= size)
            break;
        memcpy(buf + at, out, len);
        at += len;
    }
    buf[at] = '\0';
    return buf;
}
