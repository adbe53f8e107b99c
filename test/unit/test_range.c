/* RFC 45 ranges: valid ones, refused ones, and their values. */
#include "set/range.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "tap.h"

/* The first values as "1 2 4", with " ..." if there are more. */
static void values(const struct range *r, char *buf, size_t size)
{
    uint64_t n = r->min;
    size_t len = (size_t)snprintf(buf, size, "%" PRIu64, n);

    for (int i = 1; range_next(r, &n); i++) {
        if (i == 5) {
            snprintf(buf + len, size - len, " ...");
            return;
        }
        len += (size_t)snprintf(buf + len, size - len, " %" PRIu64, n);
    }
}

static void reads(void)
{
    static const struct {
        const char *in, *values, *out;
    } t[] = {
        {"3-6", "3 4 5 6", "3-6"},
        {"[3-6]", "3 4 5 6", "3-6"},
        {"2-9:3", "2 5 8", "2-9:3"},
        {"2-9:3:+", "2 5 8", "2-9:3"},
        {"3-50:2:*", "3 6 12 24 48", "3-50:2:*"},
        {"2-300:2:^", "2 4 16 256", "2-300:2:^"},
        {"3-100:2:^", "3 9 81", "3-100:2:^"},
        {"4+", "4 5 6 7 8 ...", "4+"},
        {"[4+]", "4 5 6 7 8 ...", "4+"},
        {"1+:2:*", "1 2 4 8 16 ...", "1+:2:*"},
        {"1+:1:+", "1 2 3 4 5 ...", "1+"},
        {"5", "5", "5"},
        {"5-5", "5", "5"},
        {"2-3:7", "2", "2"},
        {"9223372036854775806", "9223372036854775806", "9223372036854775806"},
        {"9223372036854775806+:9:*", "9223372036854775806",
         "9223372036854775806+:9:*"},
    };

    for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
        struct range r;
        struct diag d = {0};
        char got[128] = "", *text;
        size_t len;
        FILE *fp;

        if (ok(range_decode(t[i].in, strlen(t[i].in), &r, &d) == 0,
               "reads \"%s\"", t[i].in))
            values(&r, got, sizeof(got));
        is(got, t[i].values, "values of \"%s\"", t[i].in);
        fp = memory_open(&text, &len);
        range_write(&r, fp);
        memory_close(fp);
        is(text, t[i].out, "writes \"%s\"", t[i].out);
        free(text);
    }
}

static void refuses(void)
{
    static const struct {
        const char *in, *why;
    } t[] = {
        {"", "minimum is missing at offset 0"},
        {"[]", "minimum is missing at offset 1"},
        {"0", "minimum must be at least 1 at offset 0"},
        {"00", "minimum has a leading zero at offset 0"},
        {"02-4", "minimum has a leading zero at offset 0"},
        {"2-04", "maximum has a leading zero at offset 2"},
        {"-4", "minimum is missing at offset 0"},
        {"2-", "maximum is missing at offset 2"},
        {"5:2", "a single number takes no operand at offset 1"},
        {"5-3", "maximum is below the minimum"},
        {"2-8:0", "operand must be at least 1 at offset 4"},
        {"2-8:", "operand is missing at offset 4"},
        {"2-8:2:", "operator must be +, * or ^ at offset 6"},
        {"2-8:2:/", "operator must be +, * or ^ at offset 6"},
        {"2-8:1:*", "operand of * must be at least 2"},
        {"2-8:1:^", "operand of ^ must be at least 2"},
        {"1-8:2:^", "minimum must be at least 2 with ^"},
        {"[2-8", "bracket is not closed at offset 4"},
        {"2-8]", "unexpected \"]\" at offset 3"},
        {"[[2-8]]", "minimum is missing at offset 1"},
        {"2-8:2:*x", "unexpected \"x\" at offset 7"},
        {"2+8", "unexpected \"8\" at offset 2"},
        {" 2", "minimum is missing at offset 0"},
        {"2 ", "unexpected white space at offset 1"},
        {"9223372036854775808", "minimum is too large at offset 0"},
        {"99999999999999999999", "minimum is too large at offset 0"},
    };

    for (size_t i = 0; i < sizeof(t) / sizeof(*t); i++) {
        struct range r;
        struct diag d = {0};
        char want[256];
        int rc = range_decode(t[i].in, strlen(t[i].in), &r, &d);

        snprintf(want, sizeof(want), "\"%s\": %s", t[i].in, t[i].why);
        is(rc < 0 ? d.text : NULL, want, "refuses \"%s\"", t[i].in);
    }
}

/* Compare the largest value and membership with a walk over the values. */
static void walks(void)
{
    static const char ops[] = "+*^";
    uint64_t wrong = 0;

    for (uint64_t min = 1; min < 7; min++)
        for (uint64_t max = min; max < 70; max++)
            for (uint64_t operand = 1; operand < 6; operand++)
                for (const char *op = ops; *op; op++)
                    for (uint64_t limit = 0; limit < 80; limit++) {
                        struct range r = {min, max, *op, operand};
                        struct diag d;
                        uint64_t n = min, best = 0;

                        if (range_check(&r, &d) < 0)
                            continue;
                        do {
                            if (n <= limit)
                                best = n;
                        } while (range_next(&r, &n));
                        wrong += best != range_largest(&r, limit);
                    }
    ok(wrong == 0, "the largest value agrees with the values");
}

int main(void)
{
    struct range big = {1, RANGE_UNBOUNDED, '+', 1};
    struct range squares = {2, RANGE_UNBOUNDED, '^', 2};

    reads();
    refuses();
    walks();
    ok(range_largest(&big, UINT64_MAX - 1) == UINT64_MAX - 1, "no maximum");
    ok(range_largest(&squares, UINT64_MAX - 1) == UINT64_C(1) << 32,
       "powers end before they overflow");
    return done_testing();
}
