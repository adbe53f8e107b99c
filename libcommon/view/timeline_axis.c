/* Round moments on the axis of a timeline, in local time: full minutes, hours,
   days, months or years, depending on the room. */
#include <time.h>

#include "base/memory.h"
#include "base/time.h"
#include "view/timeline_private.h"

enum tick_unit { TICK_SECONDS, TICK_DAYS, TICK_MONTHS, TICK_YEARS };

static const struct tick_step {
    enum tick_unit unit;
    int n;
    double seconds; /* minimum length of a step */
} steps[] = {
    {TICK_SECONDS, 1, 1},
    {TICK_SECONDS, 5, 5},
    {TICK_SECONDS, 15, 15},
    {TICK_SECONDS, 30, 30},
    {TICK_SECONDS, 60, 60},
    {TICK_SECONDS, 300, 300},
    {TICK_SECONDS, 900, 900},
    {TICK_SECONDS, 1800, 1800},
    {TICK_SECONDS, 3600, 3600},
    {TICK_SECONDS, 7200, 7200},
    {TICK_SECONDS, 10800, 10800},
    {TICK_SECONDS, 21600, 21600},
    {TICK_SECONDS, 43200, 43200},
    {TICK_DAYS, 1, 86400},
    {TICK_DAYS, 2, 2 * 86400},
    {TICK_DAYS, 5, 5 * 86400},
    {TICK_DAYS, 10, 10 * 86400},
    {TICK_MONTHS, 1, 28 * 86400},
    {TICK_MONTHS, 3, 90 * 86400},
    {TICK_YEARS, 1, 365 * 86400},
    {TICK_YEARS, 5, 5 * 365 * 86400.0},
    {TICK_YEARS, 20, 20 * 365 * 86400.0},
    {TICK_YEARS, 100, 100 * 365 * 86400.0},
    {TICK_YEARS, 1000, 1000 * 365 * 86400.0},
};
enum { STEPS = sizeof(steps) / sizeof(steps[0]) };

/* Go back to the last round moment that is not after tm. */
static void round_down(struct tm *tm, const struct tick_step *step)
{
    int second = tm->tm_hour * 3600 + tm->tm_min * 60 + tm->tm_sec;

    tm->tm_hour = tm->tm_min = 0;
    tm->tm_sec = step->unit == TICK_SECONDS ? second - second % step->n : 0;
    if (step->unit == TICK_DAYS)
        tm->tm_mday -= (tm->tm_mday - 1) % step->n;
    if (step->unit >= TICK_MONTHS)
        tm->tm_mday = 1;
    if (step->unit == TICK_MONTHS)
        tm->tm_mon -= tm->tm_mon % step->n;
    if (step->unit == TICK_YEARS) {
        tm->tm_mon = 0;
        tm->tm_year -= (tm->tm_year + 1900) % step->n;
    }
}

/* Go to the next tick. Each month begins with a tick. A tick is left out if it
   would come half a step or less before the next month. */
static void go_on(struct tm *tm, const struct tick_step *step)
{
    int *field[] = {&tm->tm_sec, &tm->tm_mday, &tm->tm_mon, &tm->tm_year};
    struct tm near;

    *field[step->unit] += step->n;
    if (step->unit != TICK_DAYS)
        return;
    near = *tm;
    near.tm_mday += step->n / 2;
    timegm(&near);
    if (near.tm_mon != tm->tm_mon % 12) {
        tm->tm_mday = 1;
        tm->tm_mon++;
    }
}

static void name_tick(struct tick *tick, const struct tm *tm,
                      const struct tick_step *step)
{
    bool midnight = !tm->tm_hour && !tm->tm_min && !tm->tm_sec;

    strftime(tick->text, sizeof(tick->text),
             step->unit == TICK_YEARS              ? "%Y"
             : step->unit == TICK_MONTHS           ? "%Y-%m"
             : step->unit == TICK_DAYS || midnight ? "%m-%d"
             : step->n >= 60                       ? "%H:%M"
                                                   : "%H:%M:%S",
             tm);
}

size_t timeline_ticks(const struct timeline *t, size_t most,
                      struct tick **ticks)
{
    const struct tick_step *step = steps;
    time_t time = (time_t)t->from;
    struct tm tm;
    size_t n = 0;

    *ticks = NULL;
    while (step < &steps[STEPS - 1]
           && (t->to - t->from) / step->seconds > (double)most)
        step++;
    if (t->to >= TIME_CALENDAR || !localtime_r(&time, &tm))
        return 0;
    for (round_down(&tm, step);; go_on(&tm, step)) {
        struct tm at = tm;
        at.tm_isdst = -1;
        time = mktime(&at);
        if (time == (time_t)-1 || (double)time > t->to)
            break;
        if ((double)time < t->from
            || (n && (double)time <= (*ticks)[n - 1].time))
            continue; /* too early, or the hour that daylight saving skips */
        VECTOR_GROW(*ticks, n);
        (*ticks)[n].time = (double)time;
        name_tick(&(*ticks)[n], &at, step);
        n++;
    }
    return n;
}
