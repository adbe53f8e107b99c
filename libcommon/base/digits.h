/*
 * Decimal numbers, read and written without the C library: strtoul() accepts
 * blanks, signs and invalid numbers, and printf() is an order of magnitude
 * slower.
 */
#ifndef BASE_DIGITS_H
#define BASE_DIGITS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define DIGITS_MAX 20 /* of a 64-bit number */

/* Return the number of digits of n, or the largest number with this number of
   digits. */
int count_digits(uint64_t n);
uint64_t last_of_digits(int digits);

/* Write a number at p; returns the end. Needs up to DIGITS_MAX bytes. */
char *put_number(char *p, uint64_t n);
/* Write a number padded with zeros to `width` digits. Returns the end. */
char *put_padded(char *p, uint64_t n, int width);

static inline bool is_digit(char c)
{
    return (unsigned char)(c - '0') <= 9;
}

/*
 * Read the digits at p, up to `end`. Returns their end, or p if there are none.
 * A number above UINT64_MAX becomes UINT64_MAX.
 *
 * If there are eight bytes, they are read at once. One bit operation on the
 * word finds the first byte that is not a digit; the bytes behind it are
 * shifted out; three multiplications add up pairs, fours and eights.
 */
static inline const char *get_number(const char *p, const char *end,
                                     uint64_t *value)
{
    uint64_t sum = 0;
    unsigned char c;

    *value = 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (end - p >= 8) {
        const uint64_t ones = UINT64_C(0x0101010101010101);
        uint64_t v, other;
        int n = 8;

        memcpy(&v, p, 8);
        other = ((v + 0x46 * ones) | (v - '0' * ones)) & 0x80 * ones;
        if (other)
            n = __builtin_ctzll(other) / 8;
        if (n == 0)
            return p;
        v = (v & 0x0f * ones) << (64 - 8 * n);
        v = (v * 10 + (v >> 8)) & UINT64_C(0x00ff00ff00ff00ff);
        v = (v * 100 + (v >> 16)) & UINT64_C(0x0000ffff0000ffff);
        *value = sum = (v * 10000 + (v >> 32)) & UINT64_C(0xffffffff);
        p += n;
        if (n < 8)
            return p;
    }
#endif
    for (; p < end && (c = (unsigned char)(*p - '0')) <= 9; p++) {
        if (__builtin_expect(sum >= UINT64_MAX / 10, 0)
            && (sum > UINT64_MAX / 10 || c > UINT64_MAX % 10))
            sum = UINT64_MAX; /* keeps this value for all further digits */
        else
            sum = sum * 10 + c;
    }
    *value = sum;
    return p;
}

/* Is a text a number and nothing else? If so, sets *value as get_number()
   does. */
static inline bool text_is_number(const char *text, uint64_t *value)
{
    const char *end = strchr(text, '\0');

    return *text && get_number(text, end, value) == end;
}

#endif /* BASE_DIGITS_H */
