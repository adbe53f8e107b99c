/*
 * Times and durations as people write them.
 *
 * A time is seconds since the Epoch (`1700000000`, possibly with a fraction),
 * `now`, `+DURATION` from now, or ISO 8601 (`2026-11-21`,
 * `2026-11-21T08:30:00`, `...Z`, `...+01:00`; without a zone it is local time
 * by TZ). Of a local time that occurs twice, the first is taken; in the hour
 * that daylight saving skips, 02:30 is 03:30.
 *
 * A duration is a number, numbers with Flux's units (each at most once, the
 * longest first), or a clock's: `90`, `1.5h`, `1h30m`, `500ms`, `01:30:00`,
 * `2-00:00:00`. MM:SS is refused, because others read it as HH:MM.
 */
#ifndef BASE_TIME_H
#define BASE_TIME_H

#include "base/diag.h"

/* Read a time; `now` is the current time. Returns 0, or -1 with a diag. */
int time_parse(const char *text, double now, double *out, struct diag *d);

/* Units of a number without a unit, in seconds. */
enum { DURATION_SECONDS = 1, DURATION_MINUTES = 60 };

/* Read a duration into *out, in seconds, finite and not negative. Returns 0, or
   -1 with a diag. */
int duration_parse(const char *text, int unit, double *out, struct diag *d);

/* Write a local time, ISO 8601 without fractions. Times beyond any calendar are
   written as seconds. Returns buf. */
#define TIME_CALENDAR 2e11
enum { TIME_TEXT = 40 };
const char *time_text(double seconds, char buf[TIME_TEXT]);

/* Return a time for a message, which must not depend on the zone: in UTC, with
   a `Z` and all of the fraction. */
struct utc_text {
    char text[TIME_TEXT];
};
struct utc_text time_utc(double seconds);

/* Return the system's time: seconds since the Epoch, to the microsecond. */
double time_now(void);

/* Round a time to the microsecond, the precision of an R (RFC 20). Later than
   2106 a double may be less precise: returned as it is. */
double time_round(double seconds);

/*
 * Return why nothing can last from a start to an end, or NULL: an R's
 * expiration is after its starttime (RFC 20), also if both are rounded, and
 * readers of messages know no time after TIME_CALENDAR.
 */
const char *time_span_fault(double start, double end);

#endif /* BASE_TIME_H */
