/*
 * Any text is refused with a text, or it is a time or a duration that is
 * finite and not negative. The first byte chooses the zone. A time in a
 * calendar is read back from its text in UTC and in the zone, and a duration
 * from its seconds. More time from now is what a duration says.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"
#include "base/memory.h"
#include "base/time.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define NOW 1000.5

static double time_of(const char *text)
{
    struct diag d = {0};
    double seconds;

    check(time_parse(text, NOW, &seconds, &d) == 0);
    return seconds;
}

static void check_time(double seconds)
{
    double whole, local;
    char text[TIME_TEXT];

    check(isfinite(seconds) && seconds >= 0);
    if (seconds < 86400 || seconds >= TIME_CALENDAR)
        return; /* not in the calendar of each zone */
    modf(seconds, &whole);
    check(fabs(time_of(time_utc(seconds).text) - seconds)
          < 1e-6 + seconds / 1e15);
    /* an hour that occurs twice is read as the first one */
    local = time_of(time_text(seconds, text));
    check(local == whole || (local < whole && whole - local <= 7200));
}

static void check_duration(const char *text)
{
    struct diag d = {0}, more = {0};
    double seconds, minutes, then, again;
    bool good = duration_parse(text, DURATION_SECONDS, &seconds, &d) == 0;
    char *said;

    check(good || d.text[0]);
    xasprintf(&said, "+%s", text);
    check((time_parse(said, NOW, &then, &more) == 0) == good);
    free(said);
    if (!good)
        return;
    check(isfinite(seconds) && seconds >= 0 && then == NOW + seconds);
    if (duration_parse(text, DURATION_MINUTES, &minutes, &d) == 0)
        check(minutes == seconds || minutes == seconds * 60);
    xasprintf(&said, "%.17f", seconds);
    check(duration_parse(said, DURATION_SECONDS, &again, &d) == 0
          && fabs(again - seconds) <= 1e-16 + seconds / 1e15);
    free(said);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const zones[] = {"UTC", "EST5EDT,M3.2.0,M11.1.0",
                                        "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0",
                                        "<-12>12"};
    struct diag d = {0};
    double seconds;
    char *text;

    if (size == 0)
        return 0;
    setenv("TZ", zones[data[0] % 4], 1);
    tzset();
    text = xstrndup((const char *)data + 1, size - 1);
    if (time_parse(text, NOW, &seconds, &d) == 0)
        check_time(seconds);
    else
        check(d.text[0] != '\0');
    check_duration(text);
    free(text);
    return 0;
}
