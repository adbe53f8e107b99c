/*
 * A minimal TAP writer. A unit test is a program that prints "ok N - name" or
 * "not ok N - name" lines and the plan, and ends with status 1 if any test
 * failed.
 */
#ifndef TEST_TAP_H
#define TEST_TAP_H

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int tap_count, tap_failed;

__attribute__((format(printf, 2, 3), unused)) static int
ok(int good, const char *fmt, ...)
{
    va_list ap;

    tap_failed += !good;
    printf("%sok %d - ", good ? "" : "not ", ++tap_count);
    va_start(ap, fmt);
    vprintf(fmt, ap);
    va_end(ap);
    putchar('\n');
    fflush(stdout); /* a crash keeps earlier results */
    return good;
}

/* Compare strings and show a difference. NULL equals only NULL. */
__attribute__((format(printf, 3, 4), unused)) static int
is(const char *got, const char *want, const char *fmt, ...)
{
    char name[512];
    int same = got && want ? !strcmp(got, want) : got == want;
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(name, sizeof(name), fmt, ap);
    va_end(ap);
    if (!ok(same, "%s", name))
        printf("#   got: %s\n#  want: %s\n", got ? got : "(null)",
               want ? want : "(null)");
    return same;
}

__attribute__((unused)) static int done_testing(void)
{
    printf("1..%d\n", tap_count);
    return tap_failed != 0;
}

#endif /* TEST_TAP_H */
