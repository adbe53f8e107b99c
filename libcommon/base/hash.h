/* Hashing of bytes (FNV-1a) and mixing of words (splitmix64). */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_START UINT64_C(0xcbf29ce484222325)

/* Return a hash h continued over `len` more bytes. */
static inline uint64_t hash_bytes(uint64_t h, const void *data, size_t len)
{
    const unsigned char *p = data;

    while (len--)
        h = (h ^ *p++) * UINT64_C(0x100000001b3);
    return h;
}

/* Spread the bits of a word. */
static inline uint64_t hash_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

#endif /* BASE_HASH_H */
