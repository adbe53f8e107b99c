#include "source/text.h"

#include <stddef.h>

/* Lead bytes, and what the byte behind them may be. */
static const struct {
    unsigned char first, last, low, high;
    size_t len;
} forms[] = {
    {0x01, 0x7f, 0x00, 0xff, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2},
    {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
    {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
    {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4},
    {0xf4, 0xf4, 0x80, 0x8f, 4},
};

/* The length of the character at s, 0 if there is none. */
static size_t character(const unsigned char *s)
{
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        size_t n = 1;
        if (*s < forms[i].first || *s > forms[i].last)
            continue;
        if (s[1] < forms[i].low || s[1] > forms[i].high)
            return 0;
        while (n < forms[i].len && (s[n] & 0xc0) == 0x80)
            n++;
        return n == forms[i].len ? n : 0;
    }
    return 0;
}

bool text_is_utf8(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    size_t n;

    for (; *s; s += n)
        if (!(n = character(s)))
            return false;
    return true;
}
