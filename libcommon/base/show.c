#include "base/show.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"

static const struct {
    uint32_t first, last;
} hidden[] = {
    {0x01, 0x1f},     {0x7f, 0x9f},     {0xad, 0xad},     {0x61c, 0x61c},
    {0x180e, 0x180e}, {0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},
    {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xfffe, 0xffff}, {0xe0000, 0xe007f},
};

/* Decode a character of n bytes. */
static uint32_t decode(const char *text, size_t n)
{
    uint32_t c = (unsigned char)*text;

    if (n > 1)
        c &= 0x7fu >> n;
    for (size_t i = 1; i < n; i++)
        c = c << 6 | ((unsigned char)text[i] & 0x3f);
    return c;
}

/* Characters that don't take one column: marks over letters, East Asian
   characters, emoji. */
static const struct {
    uint32_t first, last;
    unsigned width;
} wide[] = {
    {0x300, 0x36f, 0},     {0x1100, 0x115f, 2},   {0x1ab0, 0x1aff, 0},
    {0x1dc0, 0x1dff, 0},   {0x20d0, 0x20ff, 0},   {0x2e80, 0xa4cf, 2},
    {0xac00, 0xd7a3, 2},   {0xf900, 0xfaff, 2},   {0xfe00, 0xfe0f, 0},
    {0xfe20, 0xfe2f, 0},   {0xfe30, 0xfe6f, 2},   {0xff00, 0xff60, 2},
    {0xffe0, 0xffe6, 2},   {0x1f300, 0x1f64f, 2}, {0x1f680, 0x1f6ff, 2},
    {0x1f900, 0x1f9ff, 2}, {0x20000, 0x3fffd, 2},
};

/* Return the columns of the first character of a text; *n is its length in
   bytes. */
static size_t width_of(const char *text, size_t *n)
{
    uint32_t c;

    *n = (unsigned char)*text < 0x80 ? 1 : utf8_length(text);
    if (*n <= 1) {
        *n = 1;
        return 1;
    }
    c = decode(text, *n);
    for (size_t i = 0; i < sizeof(wide) / sizeof(wide[0]); i++)
        if (c >= wide[i].first && c <= wide[i].last)
            return wide[i].width;
    return 1;
}

size_t show_width(const char *text)
{
    size_t width = 0;

    for (size_t n; *text; text += n)
        width += width_of(text, &n);
    return width;
}

size_t show_fitting(const char *text, size_t width)
{
    size_t at = 0;

    for (size_t n, w; text[at]; at += n, width -= w)
        if ((w = width_of(text + at, &n)) > width)
            break;
    return at;
}

enum { SHOWN_MAX = 16 };

/*
 * Write the first character of a text as it is shown. *n is its length in the
 * text. Returns its length in `out`, which is longer only if the character is
 * escaped.
 */
static size_t show_char(const char *text, size_t *n, char out[SHOWN_MAX])
{
    const size_t nhidden = sizeof(hidden) / sizeof(hidden[0]);
    uint32_t c;

    *n = utf8_length(text);
    if (*n == 0) {
        *n = 1;
        return (size_t)sprintf(out, "\\x%02x", (unsigned char)*text);
    }
    c = decode(text, *n);
    if (VECTOR_FIND(i, nhidden, c >= hidden[i].first && c <= hidden[i].last)
        < nhidden)
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

char *show_copy(const char *text)
{
    char *out;
    FILE *fp = memory_open(&out, NULL);

    show_text(fp, text);
    return memory_take(fp, &out, true);
}

size_t show_columns(const char *text)
{
    char *out = show_copy(text);
    size_t n = show_width(out);

    free(out);
    return n;
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
