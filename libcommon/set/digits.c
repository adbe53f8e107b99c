/* Writes decimal numbers (digits.h), two digits at a time. */
#include "set/digits.h"

#include <string.h>

static const char pairs[] = "00010203040506070809"
                            "10111213141516171819"
                            "20212223242526272829"
                            "30313233343536373839"
                            "40414243444546474849"
                            "50515253545556575859"
                            "60616263646566676869"
                            "70717273747576777879"
                            "80818283848586878889"
                            "90919293949596979899";

int count_digits(uint64_t n)
{
    int digits = 1;

    for (; n >= 10000; n /= 10000)
        digits += 4;
    return digits + (n >= 10) + (n >= 100) + (n >= 1000);
}

/* Ids are 32 bits wide, and so is most arithmetic twice as fast. */
static char *put_short(char *p, uint32_t n)
{
    int digits = 1 + (n >= 10) + (n >= 100) + (n >= 1000) + (n >= 10000)
                 + (n >= 100000) + (n >= 1000000) + (n >= 10000000)
                 + (n >= 100000000) + (n >= 1000000000);
    char *q = p + digits;

    for (; n >= 100; n /= 100)
        memcpy(q -= 2, pairs + 2 * (n % 100), 2);
    if (n >= 10)
        memcpy(p, pairs + 2 * n, 2);
    else
        *p = (char)('0' + n);
    return p + digits;
}

char *put_number(char *p, uint64_t n)
{
    return n <= UINT32_MAX ? put_short(p, (uint32_t)n) : put_padded(p, n, 0);
}

char *put_padded(char *p, uint64_t n, int width)
{
    int digits = count_digits(n);
    char *end = p + (digits > width ? digits : width), *q = end;

    for (; n >= 100; n /= 100)
        memcpy(q -= 2, pairs + 2 * (n % 100), 2);
    if (n >= 10)
        memcpy(q -= 2, pairs + 2 * n, 2);
    else
        *--q = (char)('0' + n);
    while (q > p)
        *--q = '0';
    return end;
}
