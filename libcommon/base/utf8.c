#include "base/utf8.h"

/* The first byte determines the length of a character. The first two bytes show
   overlong forms, surrogates and values beyond Unicode. */
size_t utf8_length(const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    size_t n = p[0] < 0x80 ? 1 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
    unsigned char least = p[0] == 0xe0 ? 0xa0 : p[0] == 0xf0 ? 0x90 : 0x80;
    unsigned char most = p[0] == 0xed ? 0x9f : p[0] == 0xf4 ? 0x8f : 0xbf;

    if (n == 1)
        return 1;
    if (p[0] < 0xc2 || p[0] > 0xf4 || p[1] < least || p[1] > most)
        return 0;
    for (size_t i = 2; i < n; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    return n;
}

bool utf8_is(const char *text)
{
    for (size_t n; *text; text += n)
        if (!(n = utf8_length(text)))
            return false;
    return true;
}
