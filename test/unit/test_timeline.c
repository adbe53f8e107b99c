/*
 * Ticks of timelines: their labels, and that any span of time has some ticks,
 * in order, and not too many.
 */
#include "view/timeline_private.h"

#include <stdlib.h>
#include <time.h>

#include "base/time.h"
#include "random.h"
#include "tap.h"

static char *names_of(double from, double to, size_t most)
{
    const struct timeline t = {.from = from, .to = to};
    struct tick *ticks;
    size_t n = timeline_ticks(&t, most, &ticks), len = 0;
    static char text[2000];

    *text = '\0';
    for (size_t i = 0; i < n; i++)
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s",
                                i ? " " : "", ticks[i].text);
    free(ticks);
    return text;
}

/* Check the ticks of a random span, from a second to thousands of years. */
static bool are_sound(void)
{
    double from = (double)random_below(4000000000U),
           to = from
                + (double)(1
                           + (random_below(UINT32_MAX) >> random_below(32))
                                 * (random_below(2) ? 1.0 : 60.0));
    const struct timeline t = {.from = from, .to = to};
    size_t most = 1 + random_below(12);
    struct tick *ticks;
    size_t n = timeline_ticks(&t, most, &ticks);
    bool good = to >= TIME_CALENDAR ? n == 0 : n <= 2 * most + 6;

    for (size_t i = 0; i < n; i++)
        good &= ticks[i].time >= (i ? ticks[i - 1].time + 1 : from)
                && ticks[i].time <= to && *ticks[i].text;
    if (!good)
        printf("# %.0f to %.0f, at most %zu: %s\n", from, to, most,
               names_of(from, to, most));
    free(ticks);
    return good;
}

int main(void)
{
    const double day = 86400, march = 1772323200; /* 2026-03-01 in UTC */
    long i = 0, rounds;

    setenv("TZ", "UTC", 1);
    tzset();
    is(names_of(march, march + 90, 10),
       "03-01 00:00:15 00:00:30 00:00:45 "
       "00:01:00 00:01:15 00:01:30",
       "seconds");
    is(names_of(march - 7200, march + 7200, 5), "22:00 23:00 03-01 01:00 02:00",
       "hours, and where a day begins");
    is(names_of(march - 3 * day, march + 2 * day, 5),
       "02-26 02-27 02-28 03-01 03-02 03-03", "the end of February");
    is(names_of(march - 20 * day, march + 45 * day, 9),
       "02-11 02-21 03-01 03-11 03-21 04-01 04-11", "days");
    is(names_of(march - 20 * day, march + 300 * day, 5),
       "2026-04 2026-07 2026-10", "months");
    is(names_of(0, 3e9, 6), "1980 2000 2020 2040 2060", "years");
    is(names_of(march, march, 5), "03-01", "no span");
    setenv("TZ", "EST5EDT,M3.2.0,M11.1.0", 1);
    tzset();
    is(names_of(1772945999, 1772964001, 6),
       "03-08 01:00 03:00 04:00 05:00 06:00", "an hour that is left out");
    is(names_of(1793505599, 1793523601, 6),
       "11-01 01:00 01:00 02:00 03:00 04:00", "an hour that comes twice");
    rounds = random_start(5000);
    while (i < rounds && are_sound())
        i++;
    ok(i == rounds, "ticks are sound");
    return done_testing();
}
