/* Times and durations as people write them. */
#include "base/time.h"

#include <math.h>

#include "tap.h"

#define NOW 1000.5

static const struct {
    const char *text;
    double seconds; /* NAN: refused */
} durations[] = {
    {"0", 0},          {"90", 90},   {"90s", 90},    {"1.5h", 5400},
    {"2d", 172800},    {"10m", 600}, {"500ms", 0.5}, {"0.25", 0.25},
    {"007", 7},        {"", NAN},    {"s", NAN},     {".5", NAN},
    {"5.", NAN},       {"-1", NAN},  {"+1", NAN},    {" 1", NAN},
    {"1 ", NAN},       {"1 h", NAN}, {"1h30m", NAN}, {"1H", NAN},
    {"1w", NAN},       {"1e3", NAN}, {"0x10", NAN},  {"inf", NAN},
    {"infinity", NAN}, {"nan", NAN},
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
    /* the same moment in all the ways */
    {"2026-11-21", 1795219200},
    {"2026-11-21T00:00", 1795219200},
    {"2026-11-21T00:00:00", 1795219200},
    {"2026-11-21T00:00:00Z", 1795219200},
    {"2026-11-21 00:00:00", 1795219200},
    {"2026-11-21T01:00:00+01:00", 1795219200},
    {"2026-11-21T01:30:00+0130", 1795219200},
    {"2026-11-20T19:00:00-05:00", 1795219200},
    {"2026-11-21T00:00:00.000000Z", 1795219200},
    /* parts of a second, leap years, far times */
    {"2026-11-21T00:00:00.5", 1795219200.5},
    {"2026-11-21T08:30:00", 1795249800},
    {"1970-01-01", 0},
    {"2000-02-29", 951782400},
    {"2024-02-29T12:00Z", 1709208000},
    {"9999-12-31T23:59:59Z", 253402300799},
    /* a leap second is the second after it, wherever it stands */
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

/* The Epoch is the first time there is. */
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

/* Digits beyond all measure: refused, or a finite number. */
static void test_long(void)
{
    char text[400];

    for (size_t digits = 300; digits < 320; digits++) {
        struct diag d = {0};
        double value = NAN;
        int rc;
        memset(text, '9', digits);
        strcpy(text + digits, "d");
        rc = duration_parse(text, &value, &d);
        ok(rc == -1 || isfinite(value), "%zu digits and a unit", digits);
    }
}

int main(void)
{
    double t1, t2;

    for (size_t i = 0; i < sizeof(durations) / sizeof(durations[0]); i++) {
        struct diag d = {0};
        double got = NAN;
        int rc = duration_parse(durations[i].text, &got, &d);
        check(rc, got, durations[i].seconds, durations[i].text, &d);
    }
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
    test_long();
    t1 = time_now();
    t2 = time_now();
    ok(t1 > 1700000000 && t2 >= t1, "the clock goes forward");
    return done_testing();
}
