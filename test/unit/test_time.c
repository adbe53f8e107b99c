/* Times and durations in common spellings. */
#include "base/time.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "tap.h"

#define NOW 1000.5

/* Zones that need no files. */
#define NEW_YORK "EST5EDT,M3.2.0,M11.1.0"
#define LORD_HOWE "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0"

static const struct {
    const char *text;
    double seconds; /* NAN: refused */
} durations[] = {
    {"0", 0},
    {"90", 90},
    {"90s", 90},
    {"1.5h", 5400},
    {"2d", 172800},
    {"10m", 600},
    {"500ms", 0.5},
    {"0.25", 0.25},
    {"007", 7},
    {"", NAN},
    {"s", NAN},
    {".5", NAN},
    {"5.", NAN},
    {"-1", NAN},
    {"+1", NAN},
    {" 1", NAN},
    {"1 ", NAN},
    {"1 h", NAN},
    {"1H", NAN},
    {"1w", NAN},
    {"1e3", NAN},
    {"0x10", NAN},
    {"inf", NAN},
    {"infinity", NAN},
    {"nan", NAN},
    /* units together: each once, longest first */
    {"1h30m", 5400},
    {"1d2h3m4s500ms", 93784.5},
    {"1m500ms", 60.5},
    {"1.5h30m", 7200},
    {"0d0ms", 0},
    {"30m1h", NAN},
    {"1h1h", NAN},
    {"1h30", NAN},
    {"1h 30m", NAN},
    {"h30m", NAN},
    {"1h30m ", NAN},
    {"1hm", NAN},
    {"1mss", NAN},
    {"1ms1s", NAN},
    {"1h.5m", NAN},
    /* as on a clock */
    {"01:30:00", 5400},
    {"1:30:00", 5400},
    {"00:00:01", 1},
    {"100:00:00", 360000},
    {"2-00:00:00", 172800},
    {"2-23:59:59", 259199},
    {"0-00:00:00", 0},
    {"30:00", NAN},
    {"01:30:00:00", NAN},
    {"01:60:00", NAN},
    {"01:00:60", NAN},
    {"01:3:00", NAN},
    {"01:30:0", NAN},
    {"01:30:00.5", NAN},
    {"1.5:30:00", NAN},
    {":30:00", NAN},
    {"01:30:", NAN},
    {"2-24:00:00", NAN},
    {"2-", NAN},
    {"2-00", NAN},
    {"2-00:00", NAN},
    {"-00:00:00", NAN},
    {"2-:00:00", NAN},
    {"2d-00:00:00", NAN},
    {"1-2-00:00:00", NAN},
    {"01:30:00s", NAN},
    {"01:30:00 ", NAN},
};

/* A number without a unit means minutes; everything else stays. */
static const struct {
    const char *text;
    double seconds;
} limits[] = {
    {"0", 0},
    {"90", 5400},
    {"1.5", 90},
    {"90s", 90},
    {"1h30m", 5400},
    {"01:30:00", 5400},
    {"2-00:00:00", 172800},
    {"30:00", NAN},
    {"-1", NAN},
};

/* Times of local clocks. */
static const struct {
    const char *zone, *text;
    double seconds;
} locals[] = {
    {"EST5", "2026-11-21", 1795219200 + 5 * 3600},
    {"EST5", "2026-11-21T00:00Z", 1795219200},
    {"EST5", "2026-11-21 00:00:00.5", 1795219200.5 + 5 * 3600},
    {"<+0545>-5:45", "2026-11-21", 1795219200 - 5.75 * 3600},
    {"<+0545>-5:45", "2026-11-21T00:00:00+00:00", 1795219200},
    {"<+01>-1", "1970-01-01T01:00", 0},
    {"<+01>-1", "1970-01-01T00:59", NAN},
    {"EST5", "1970-01-01", 18000},
    {"<+14>-14", "9999-12-31T23:59:59", 253402300799 - 14 * 3600},
    /* one hour is skipped: the time after the change */
    {NEW_YORK, "2026-03-08T01:59:59", 1772953199},
    {NEW_YORK, "2026-03-08T02:00", 1772953200},
    {NEW_YORK, "2026-03-08T02:30", 1772955000},
    {NEW_YORK, "2026-03-08T03:00", 1772953200},
    {NEW_YORK, "2026-07-01T00:00", 1782878400},
    /* one hour comes twice: the first is meant */
    {NEW_YORK, "2026-11-01T00:59:59", 1793509199},
    {NEW_YORK, "2026-11-01T01:30", 1793511000},
    {NEW_YORK, "2026-11-01T02:00", 1793516400},
    /* on the other hemisphere, half an hour, and at midnight */
    {LORD_HOWE, "2026-04-05T01:45", 1775313900},
    {LORD_HOWE, "2026-04-05T02:00", 1775316600},
    {LORD_HOWE, "2026-10-04T02:15", 1791042300},
    {"<-03>3<-02>,M10.3.0/0,M2.3.0/0", "2026-10-18", 1792292400},
};

static const struct {
    const char *text;
    double seconds;
} times[] = {
    {"0", 0},
    {"1700000000", 1700000000},
    {"1700000000.25", 1700000000.25},
    {"now", NOW},
    {"+0", NOW},
    {"+1h", NOW + 3600},
    {"+1.5m", NOW + 90},
    /* one moment in all spellings */
    {"2026-11-21", 1795219200},
    {"2026-11-21T00:00", 1795219200},
    {"2026-11-21T00:00:00", 1795219200},
    {"2026-11-21T00:00:00Z", 1795219200},
    {"2026-11-21 00:00:00", 1795219200},
    {"2026-11-21T01:00:00+01:00", 1795219200},
    {"2026-11-21T01:30:00+0130", 1795219200},
    {"2026-11-20T19:00:00-05:00", 1795219200},
    {"2026-11-21T00:00:00.000000Z", 1795219200},
    /* fractions of a second, leap years, distant times */
    {"2026-11-21T00:00:00.5", 1795219200.5},
    {"2026-11-21T08:30:00", 1795249800},
    {"1970-01-01", 0},
    {"2000-02-29", 951782400},
    {"2024-02-29T12:00Z", 1709208000},
    {"9999-12-31T23:59:59Z", 253402300799},
    /* a leap second is the second after it, in any zone */
    {"2016-12-31T23:59:60Z", 1483228800},
    /* none of these is a time */
    {"", NAN},
    {"Now", NAN},
    {"now+1h", NAN},
    {"+", NAN},
    {"+-1", NAN},
    {"-1", NAN},
    {"-1h", NAN},
    {"1h", NAN},
    {"1e9", NAN},
    {"nan", NAN},
    {"inf", NAN},
    {"2026", 2026}, /* seconds */
    {"2026-11", NAN},
    {"2026-13-01", NAN},
    {"2026-00-01", NAN},
    {"2026-11-00", NAN},
    {"2026-11-31", NAN},
    {"2026-02-29", NAN},
    {"2100-02-29", NAN},
    {"1969-12-31", NAN},
    {"20261121", 20261121},
    {"2026-1-1", NAN},
    {"2026-11-21T", NAN},
    {"2026-11-21T24:00:00", NAN},
    {"2026-11-21T08", NAN},
    {"2026-11-21T08:60", NAN},
    {"2026-11-21T08:00:61", NAN},
    {"2026-11-21T08:00:00.", NAN},
    {"2026-11-21T08:00:00,5", NAN},
    {"2026-11-21T08:00:00z", NAN},
    {"2026-11-21T08:00:00+1", NAN},
    {"2026-11-21T08:00:00+24:00", NAN},
    {"2026-11-21T08:00:00+01:60", NAN},
    {"2026-11-21T08:00:00Z ", NAN},
    {" 2026-11-21", NAN},
    {"2026-11-21+01:00", NAN},
};

/* Times before the Epoch are refused. */
static const char *const before[] = {
    "1970-01-01T00:00:00+01:00",
    "1970-01-01T00:59:59+01:00",
};

static void check(int rc, double got, double want, const char *text,
                  const struct diag *d)
{
    if (isnan(want))
        ok(rc == -1 && d->text[0], "\"%s\" is refused with a text", text);
    else if (!ok(rc == 0 && got == want, "\"%s\" is %.15g", text, want))
        printf("# got %.17g %s\n", got, d->text);
}

/* Very many digits: refused, or a finite number. */
static void test_long(void)
{
    char text[400];

    for (size_t digits = 300; digits < 320; digits++) {
        struct diag d = {0};
        double value = NAN;
        int rc;
        memset(text, '9', digits);
        strcpy(text + digits, "d");
        rc = duration_parse(text, DURATION_SECONDS, &value, &d);
        ok(rc == -1 || isfinite(value), "%zu digits and a unit", digits);
    }
}

static void set_zone(const char *zone)
{
    setenv("TZ", zone, 1);
    tzset();
}

/* The result does not depend on earlier calls. */
static void test_local(size_t i)
{
    struct diag d = {0};
    double got = NAN;
    int rc;

    set_zone(locals[i].zone);
    rc = time_parse(locals[i].text, NOW, &got, &d);
    check(rc, got, locals[i].seconds, locals[i].text, &d);
}

/*
 * Each quarter of an hour of a year, as local clocks show it, is read as that
 * moment, or as an earlier one with the same time on the clock.
 */
static void test_shown(const char *zone)
{
    const time_t begin = 1767225600, step = 900;
    size_t wrong = 0, twice = 0;

    set_zone(zone);
    for (time_t t = begin; t < begin + 366 * 86400; t += step) {
        char text[32], again[32] = "";
        struct diag d = {0};
        struct tm tm;
        double got = NAN;
        time_t first;
        strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", localtime_r(&t, &tm));
        if (time_parse(text, NOW, &got, &d) == 0) {
            first = (time_t)got;
            strftime(again, sizeof(again), "%Y-%m-%dT%H:%M:%S",
                     localtime_r(&first, &tm));
        }
        wrong += strcmp(text, again) != 0 || !(got <= (double)t);
        twice += got < (double)t;
    }
    ok(wrong == 0 && twice <= 4, "%s: times on clocks are read back", zone);
}

int main(void)
{
    bool held = true;
    double t1, t2;

    for (size_t i = 0; i < sizeof(durations) / sizeof(durations[0]); i++) {
        struct diag d = {0};
        double got = NAN;
        int rc = duration_parse(durations[i].text, DURATION_SECONDS, &got, &d);
        check(rc, got, durations[i].seconds, durations[i].text, &d);
    }
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        struct diag d = {0};
        double got = NAN;
        int rc = duration_parse(limits[i].text, DURATION_MINUTES, &got, &d);
        check(rc, got, limits[i].seconds, limits[i].text, &d);
    }
    set_zone("UTC0");
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        struct diag d = {0};
        double got = NAN;
        int rc = time_parse(times[i].text, NOW, &got, &d);
        check(rc, got, times[i].seconds, times[i].text, &d);
    }
    for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
        struct diag d = {0};
        double got = NAN;
        int rc = time_parse(before[i], NOW, &got, &d);
        ok(rc == -1 || got >= 0, "\"%s\" is not a time before the Epoch",
           before[i]);
    }
    for (size_t i = 0; i < sizeof(locals) / sizeof(locals[0]); i++)
        test_local(i);
    for (size_t i = sizeof(locals) / sizeof(locals[0]); i-- > 0;)
        test_local(i);
    test_shown("UTC0");
    test_shown(NEW_YORK);
    test_shown(LORD_HOWE);
    test_long();
    is(time_utc(677777.25).text, "1970-01-08T20:16:17.25Z",
       "a fraction is written");
    is(time_utc(677777.9999999).text, "1970-01-08T20:16:18Z",
       "a fraction is rounded up to the next second");
    for (int i = 0; i < 1000; i++) {
        t1 = 1e9 + 3e9 * i / 1000 + i / 1e6;
        held = held && time_round(time_round(t1)) == time_round(t1)
               && fabs(time_round(t1) - t1) < 1e-6
               && !time_span_fault(t1, t1 + 1.5e-6);
    }
    ok(held, "a time is rounded to the microsecond, once");
    ok(time_round(1795824607.1234567) == 1795824607.123457
           && time_round(1e300) == 1e300,
       "very large times are not rounded");
    ok(time_span_fault(5, 5) && time_span_fault(5, 4)
           && time_span_fault(5, 5.0000004) && !time_span_fault(5, 5.000001)
           && !time_span_fault(5, 2e11) && time_span_fault(5, 2.1e11),
       "an end is after its start, and not too late");
    t1 = time_now();
    t2 = time_now();
    ok(t1 > 1700000000 && t2 >= t1, "the clock goes forward");
    return done_testing();
}
