#include "base/digits.h"

int count_digits(uint64_t n)
{
    int digits = 1;

    for (; n >= 10000; n /= 10000)
        digits += 4;
    return digits + (n >= 10) + (n >= 100) + (n >= 1000);
}

uint64_t last_of_digits(int digits)
{
    uint64_t n = 9;

    while (--digits > 0)
        n = 10 * n + 9;
    return n;
}

char *put_number(char *p, uint64_t n)
{
    return put_padded(p, n, 0);
}

char *put_padded(char *p, uint64_t n, int width)
{
    int digits = count_digits(n);
    char *end = p + (digits > width ? digits : width);

    for (char *q = end; q > p; n /= 10)
        *--q = (char)('0' + n % 10);
    return end;
}
