/*
 * Times and durations as people write them.
 *
 * A time is seconds since the Epoch (`1700000000`, with a fraction if need
 * be), `now`, `+DURATION` from now, or ISO 8601 (`2026-11-21`,
 * `2026-11-21T08:30:00`, `...Z`, `...+01:00`; without a zone it is local time,
 * as TZ says). Of a local time that comes twice the first is meant; in an hour
 * that is left out 02:30 is 03:30.
 *
 * A duration is a number, numbers with Flux's units, each once and the longest
 * first, or a clock's: `90`, `1.5h`, `1h30m`, `500ms`, `01:30:00`,
 * `2-00:00:00`. MM:SS is none, for others read it as HH:MM.
 */
#ifndef BASE_TIME_H
#define BASE_TIME_H

#include "base/diag.h"

/* Read a time; `now` is what it is now. Returns 0 or -1 with a diag. */
int time_parse(const char *text, double now, double *out, struct diag *d);

/* What a number without a unit is, in seconds. */
enum { DURATION_SECONDS = 1, DURATION_MINUTES = 60 };

/* Read a duration; it is in seconds, finite and not negative. */
int duration_parse(const char *text, int unit, double *out, struct diag *d);

/* Local time, ISO 8601 without fractions; beyond what calendars have, seconds.
   Returns buf. */
#define TIME_CALENDAR 2e11
enum { TIME_TEXT = 40 };
const char *time_text(double seconds, char buf[TIME_TEXT]);

/*
 * The same in a message, which is the same in every zone: UTC, and says so;
 * with all of a fraction.
 */
struct time_said {
    char text[TIME_TEXT];
};
struct time_said time_utc(double seconds);

/* The system's clock: seconds since the Epoch, to the microsecond. */
double time_now(void);

#endif /* BASE_TIME_H */
