/*
 * Reads times and durations (time.h), and asks the clock. The rest of the
 * library is told the time by its callers.
 */
#include "base/time.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int bad_time(const char *text, struct diag *d)
{
    return diag_set(d,
                    "%s: expected seconds, now, +DURATION or "
                    "YYYY-MM-DD[THH:MM:SS[ZONE]]",
                    quote(text, strlen(text)).text);
}

/* Digits with an optional fraction; *end is behind them, NULL if none. */
static double read_number(const char *text, const char **end)
{
    const char *p = text;

    while (isdigit((unsigned char)*p))
        p++;
    if (p > text && *p == '.' && isdigit((unsigned char)p[1]))
        for (p++; isdigit((unsigned char)*p);)
            p++;
    *end = p > text ? p : NULL;
    return p > text ? strtod(text, NULL) : 0;
}

int duration_parse(const char *text, double *out, struct diag *d)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"", 1},   {"s", 1},    {"ms", 0.001},
                 {"m", 60}, {"h", 3600}, {"d", 86400}};
    const char *end;
    double value = read_number(text, &end);

    for (size_t i = 0; end && i < sizeof(units) / sizeof(units[0]); i++) {
        if (!strcmp(end, units[i].unit) && isfinite(value * units[i].seconds)) {
            *out = value * units[i].seconds;
            return 0;
        }
    }
    return diag_set(d, "%s: expected a duration: 90, 1.5h, 2d",
                    quote(text, strlen(text)).text);
}

/* Exactly n digits at *p, in a range; steps over them. */
static bool take_digits(const char **p, int n, int lo, int hi, int *out)
{
    *out = 0;
    for (int i = 0; i < n; i++, ++*p) {
        if (!isdigit((unsigned char)**p))
            return false;
        *out = *out * 10 + (**p - '0');
    }
    return *out >= lo && *out <= hi;
}

/* `Z`, `+HH:MM`, `-HHMM` or nothing: the offset from UTC in seconds. */
static bool take_zone(const char **p, int *offset)
{
    int hours, minutes, sign = **p == '-' ? -1 : 1;

    *offset = 0;
    if (**p == 'Z') {
        ++*p;
        return true;
    }
    if (**p != '+' && **p != '-')
        return true;
    ++*p;
    if (!take_digits(p, 2, 0, 23, &hours))
        return false;
    if (**p == ':')
        ++*p;
    if (!take_digits(p, 2, 0, 59, &minutes))
        return false;
    *offset = sign * (hours * 3600 + minutes * 60);
    return true;
}

static bool take_clock(const char **p, struct tm *tm, double *fraction)
{
    const char *end;

    if (!take_digits(p, 2, 0, 23, &tm->tm_hour) || *(*p)++ != ':'
        || !take_digits(p, 2, 0, 59, &tm->tm_min))
        return false;
    if (**p != ':')
        return true;
    ++*p;
    if (!take_digits(p, 2, 0, 60, &tm->tm_sec))
        return false;
    if (**p == '.') {
        char digits[32] = "0";
        size_t n = strspn(*p + 1, "0123456789");
        if (n == 0 || n > 20)
            return false;
        memcpy(digits + 1, *p, n + 1);
        *fraction = read_number(digits, &end);
        *p += n + 1;
    }
    return true;
}

static bool iso8601(const char *text, double *out)
{
    const char *p = text;
    struct tm tm = {0}, day;
    double fraction = 0;
    int offset = 0;
    time_t t;

    if (!take_digits(&p, 4, 1970, 9999, &tm.tm_year) || *p++ != '-'
        || !take_digits(&p, 2, 1, 12, &tm.tm_mon) || *p++ != '-'
        || !take_digits(&p, 2, 1, 31, &tm.tm_mday))
        return false;
    if (*p == 'T' || *p == ' ') {
        p++;
        if (!take_clock(&p, &tm, &fraction) || !take_zone(&p, &offset))
            return false;
    }
    tm.tm_year -= 1900;
    tm.tm_mon -= 1;
    day = (struct tm){
        .tm_year = tm.tm_year, .tm_mon = tm.tm_mon, .tm_mday = tm.tm_mday};
    timegm(&day);
    if (day.tm_mday != tm.tm_mday) /* there is no 31st of February */
        return false;
    t = timegm(&tm);
    *out = (double)t + fraction - offset;
    return !*p && *out >= 0;
}

int time_parse(const char *text, double now, double *out, struct diag *d)
{
    const char *end;
    double value;

    if (!strcmp(text, "now")) {
        *out = now;
        return 0;
    }
    if (*text == '+') {
        if (duration_parse(text + 1, &value, d) < 0)
            return -1;
        *out = now + value;
        return 0;
    }
    value = read_number(text, &end);
    if (end && !*end && isfinite(value)) {
        *out = value;
        return 0;
    }
    return iso8601(text, out) ? 0 : bad_time(text, d);
}

double time_now(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_REALTIME, &ts);
    ts.tv_nsec -= ts.tv_nsec % 1000; /* microseconds are what R can say */
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}
