/*
 * Times and durations as people write them.
 *
 * A time is seconds since the Epoch (`1700000000`, with a fraction if need
 * be), `now`, `+DURATION` from now, or ISO 8601 (`2026-11-21`,
 * `2026-11-21T08:30:00`, `...Z`, `...+01:00`; without a zone it is UTC, so
 * that the answer does not depend on where it is asked).
 *
 * A duration is seconds or Flux's form: `90`, `1.5h`, `2d`, `10m`, `500ms`.
 */
#ifndef BASE_TIME_H
#define BASE_TIME_H

#include "base/diag.h"

/* Read a time; `now` is what it is now. Returns 0 or -1 with a diag. */
int time_parse(const char *text, double now, double *out, struct diag *d);

/* Read a duration in seconds, finite and not negative. */
int duration_parse(const char *text, double *out, struct diag *d);

/* The system's clock: seconds since the Epoch, to the microsecond. */
double time_now(void);

#endif /* BASE_TIME_H */
