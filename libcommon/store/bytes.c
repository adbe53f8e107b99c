/* Numbers and texts as bytes (bytes.h). */
#include "store/bytes.h"

#include <string.h>

#include "store/store_private.h"

void bytes_put(FILE *fp, uint64_t n)
{
    for (; n >= 128; n >>= 7)
        putc_unlocked((int)(n & 127) | 128, fp);
    putc_unlocked((int)n, fp);
}

void bytes_put_signed(FILE *fp, int64_t n)
{
    bytes_put(fp, n < 0 ? ~((uint64_t)n << 1) : (uint64_t)n << 1);
}

void bytes_put_text(FILE *fp, const char *text, size_t len)
{
    bytes_put(fp, len);
    fwrite(text, 1, len, fp);
}

uint64_t bytes_get(struct bytes *in)
{
    uint64_t n = 0;

    for (int shift = 0; shift < 64 && in->at < in->end; shift += 7) {
        n |= (uint64_t)(*in->at & 127) << shift;
        if (!(*in->at++ & 128))
            return n;
    }
    store_corrupt(in->s, in->what);
}

int64_t bytes_get_signed(struct bytes *in)
{
    uint64_t n = bytes_get(in);

    return (int64_t)(n & 1 ? ~(n >> 1) : n >> 1);
}

size_t bytes_get_count(struct bytes *in)
{
    uint64_t n = bytes_get(in);

    if (n > (uint64_t)(in->end - in->at))
        store_corrupt(in->s, in->what);
    return n;
}

const char *bytes_get_text(struct bytes *in, size_t *len)
{
    const char *text;

    *len = bytes_get_count(in);
    text = (const char *)in->at;
    in->at += *len;
    return text;
}
