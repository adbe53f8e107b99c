/* Reads times and durations (time.h), and the clock. The rest of the library
   gets the time from its callers. */
#include "base/time.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/near.h"

#define DIGITS "0123456789"

/* Read digits with an optional fraction. *end is behind them, NULL if there are
   none. */
static double read_number(const char *text, const char **end)
{
    const char *p = text + strspn(text, DIGITS);

    if (p > text && *p == '.' && isdigit((unsigned char)p[1]))
        p += 1 + strspn(p + 1, DIGITS);
    *end = p > text ? p : NULL;
    return p > text ? strtod(text, NULL) : 0;
}

/* Read exactly n digits at *p, and step over them. Returns false if there are
   fewer, or if the number is not from lo to hi. */
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

/* --- durations ------------------------------------------------------------ */

/* Read numbers with units, the longest unit first, or one number without a
   unit. */
static bool in_units(const char *text, int unit, double *out)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"d", 86400}, {"h", 3600}, {"m", 60}, {"s", 1}, {"ms", 0.001}};
    enum { NUNITS = sizeof(units) / sizeof(units[0]) };
    const char *end;
    double sum = 0;
    size_t i = 0;

    do {
        double value = read_number(text, &end);
        size_t len = end ? strcspn(end, DIGITS) : 0;
        if (end && !*end && i == 0) {
            sum = value * unit;
            break;
        }
        while (i < NUNITS && !word_is(end, len, units[i].name))
            i++;
        if (i == NUNITS)
            return false;
        sum += value * units[i++].seconds;
        text = end + len;
    } while (*text);
    *out = sum;
    return true;
}

/* Read `[DAYS-]HOURS:MM:SS`. */
static bool by_clock(const char *text, double *out)
{
    size_t len = strspn(text, DIGITS);
    bool days = len > 0 && text[len] == '-';
    const char *p = days ? text + len + 1 : text;
    int minutes, seconds;
    double hours;

    len = strspn(p, DIGITS);
    if (len == 0 || p[len] != ':')
        return false;
    hours = strtod(p, NULL);
    if (days && hours > 23)
        return false;
    p += len + 1;
    if (!take_digits(&p, 2, 0, 59, &minutes) || *p++ != ':'
        || !take_digits(&p, 2, 0, 59, &seconds) || *p)
        return false;
    *out = (days ? strtod(text, NULL) * 86400 : 0) + hours * 3600 + minutes * 60
           + seconds;
    return true;
}

int duration_parse(const char *text, int unit, double *out, struct diag *d)
{
    double value;

    if ((!in_units(text, unit, &value) && !by_clock(text, &value))
        || !isfinite(value))
        return diag_set(d,
                        "%s: expected a duration: 90, 1.5h, 1h30m, "
                        "[DAYS-]HH:MM:SS",
                        quote_all(text).text);
    *out = value;
    return 0;
}

/* --- times ---------------------------------------------------------------- */

/* Read `Z`, `+HH:MM` or `-HHMM`, or nothing: the offset from UTC in seconds. */
static bool take_zone(const char **p, bool *given, int *offset)
{
    int hours, minutes, sign = **p == '-' ? -1 : 1;

    *given = **p == 'Z' || **p == '+' || **p == '-';
    *offset = 0;
    if (!*given || *(*p)++ == 'Z')
        return true;
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
        size_t n = strspn(*p + 1, DIGITS);
        if (n == 0 || n > 20)
            return false;
        memcpy(digits + 1, *p, n + 1);
        *fraction = read_number(digits, &end);
        *p += n + 1;
    }
    return true;
}

/* Return the offset of local time from UTC at a moment. */
static time_t local_offset(time_t t)
{
    struct tm tm;

    return localtime_r(&t, &tm) ? timegm(&tm) - t : 0;
}

/*
 * Return the moment at which a local clock shows what a UTC clock shows at t.
 * mktime() can't be used: if two moments match, its choice depends on earlier
 * calls. Assumes that the local clock is not changed twice within a day.
 */
static time_t from_local(time_t t)
{
    enum { DAY = 86400 };
    time_t before = t - local_offset(t - DAY);
    time_t after = t - local_offset(t + DAY);

    return before + local_offset(before) != t
                   && after + local_offset(after) == t
               ? after
               : before;
}

static bool iso8601(const char *text, double *out)
{
    const char *p = text;
    struct tm tm = {0}, day;
    double fraction = 0;
    bool zone = false;
    int offset = 0;
    time_t t;

    if (!take_digits(&p, 4, 1970, 9999, &tm.tm_year) || *p++ != '-'
        || !take_digits(&p, 2, 1, 12, &tm.tm_mon) || *p++ != '-'
        || !take_digits(&p, 2, 1, 31, &tm.tm_mday))
        return false;
    if (*p == 'T' || *p == ' ') {
        p++;
        if (!take_clock(&p, &tm, &fraction) || !take_zone(&p, &zone, &offset))
            return false;
    }
    tm.tm_year -= 1900;
    tm.tm_mon -= 1;
    day = (struct tm){
        .tm_year = tm.tm_year, .tm_mon = tm.tm_mon, .tm_mday = tm.tm_mday};
    timegm(&day);
    if (day.tm_mday != tm.tm_mday) /* 31 February, for example */
        return false;
    t = timegm(&tm);
    *out = (double)(zone ? t - offset : from_local(t)) + fraction;
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
        if (duration_parse(text + 1, DURATION_SECONDS, &value, d) < 0)
            return -1;
        *out = now + value;
        return 0;
    }
    value = read_number(text, &end);
    if (end && !*end && isfinite(value)) {
        *out = value;
        return 0;
    }
    if (iso8601(text, out))
        return 0;
    return diag_set(d,
                    "%s: expected seconds, now, +DURATION or "
                    "YYYY-MM-DD[THH:MM[:SS][ZONE]]",
                    quote_all(text).text);
}

/* Write the whole seconds of a time. Returns false if calendars have no such
   time. */
static bool put_calendar(double seconds, char buf[TIME_TEXT],
                         struct tm *(*split)(const time_t *, struct tm *))
{
    time_t t = seconds < TIME_CALENDAR ? (time_t)seconds : 0;
    struct tm tm;

    if (seconds >= TIME_CALENDAR || !split(&t, &tm))
        return false;
    strftime(buf, TIME_TEXT, "%Y-%m-%dT%H:%M:%S", &tm);
    return true;
}

const char *time_text(double seconds, char buf[TIME_TEXT])
{
    if (!put_calendar(seconds, buf, localtime_r))
        snprintf(buf, TIME_TEXT, "%.15g", seconds);
    return buf;
}

struct utc_text time_utc(double seconds)
{
    struct utc_text utc;
    char fraction[16];
    double whole, micro = round(modf(seconds, &whole) * 1e6);

    if (micro == 1e6) { /* the fraction is rounded up to a second */
        whole++;
        micro = 0;
    }
    if (!put_calendar(whole, utc.text, gmtime_r)) {
        snprintf(utc.text, TIME_TEXT, "%.15g", seconds);
        return utc;
    }
    snprintf(fraction, sizeof(fraction), "%.6f", micro / 1e6);
    for (size_t n = strlen(fraction); n > 1 && strchr("0.", fraction[n - 1]);)
        fraction[--n] = '\0';
    strcat(utc.text, fraction + 1); /* drop the leading 0 */
    strcat(utc.text, "Z");
    return utc;
}

double time_now(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_REALTIME, &ts);
    ts.tv_nsec -= ts.tv_nsec % 1000; /* R has times in microseconds */
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

double time_round(double seconds)
{
    return seconds < 0x1p32 ? round(seconds * 1e6) / 1e6 : seconds;
}

const char *time_span_fault(double start, double end)
{
    return time_round(end) <= time_round(start)
               ? "it would not end after it starts"
           : end > TIME_CALENDAR ? "it would end after 200000000000, the last "
                                   "time that can be written"
                                 : NULL;
}
