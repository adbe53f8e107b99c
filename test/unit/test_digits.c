/* Numbers read eight digits at a time and written two at a time, compared with
   plain loops. */
#include "base/digits.h"

#include <inttypes.h>
#include <string.h>

#include "random.h"
#include "tap.h"

static const char *naive(const char *p, const char *end, uint64_t *value)
{
    unsigned __int128 n = 0;

    for (; p < end && *p >= '0' && *p <= '9'; p++)
        if (n <= UINT64_MAX)
            n = n * 10 + (unsigned)(*p - '0');
    *value = n > UINT64_MAX ? UINT64_MAX : (uint64_t)n;
    return p;
}

/* Read text of a random length in memory of exactly that length. */
static bool reads_alike(void)
{
    size_t len = random_below(26);
    char *text = malloc(len + 1);
    uint64_t a, b;
    bool same;

    for (size_t i = 0; i < len; i++)
        text[i] = random_below(8) ? (char)('0' + random_below(10))
                                  : (char)random_below(256);
    text = realloc(text, len ? len : 1);
    same = get_number(text, text + len, &a) == naive(text, text + len, &b)
           && a == b;
    free(text);
    return same;
}

static bool writes_alike(void)
{
    uint64_t n = (uint64_t)random_below(UINT32_MAX) << random_below(33)
                 >> random_below(33);
    int width = (int)random_below(DIGITS_MAX + 1);
    char got[DIGITS_MAX + 1], want[DIGITS_MAX + 1];

    snprintf(want, sizeof(want), "%" PRIu64, n);
    *put_number(got, n) = '\0';
    if (strcmp(got, want) != 0 || count_digits(n) != (int)strlen(want))
        return false;
    snprintf(want, sizeof(want), "%0*" PRIu64, width, n);
    *put_padded(got, n, width) = '\0';
    return strcmp(got, want) == 0;
}

int main(void)
{
    static const char *const edges[] = {
        "0",
        "9",
        "99999999",
        "100000000",
        "4294967295",
        "18446744073709551615",
        "18446744073709551616",
        "18446744073709551619",
        "184467440737095516150",
        "00000000000000000000000001",
        "99999999999999999999999999",
    };
    long rounds = random_start(100000), i;

    for (size_t k = 0; k < sizeof(edges) / sizeof(*edges); k++) {
        const char *end = edges[k] + strlen(edges[k]);
        uint64_t a, b;

        ok(get_number(edges[k], end, &a) == naive(edges[k], end, &b) && a == b,
           "reads %s", edges[k]);
    }
    for (i = 0; i < rounds && reads_alike() && writes_alike(); i++)
        ;
    ok(i == rounds, "%ld random numbers", rounds);
    return done_testing();
}
