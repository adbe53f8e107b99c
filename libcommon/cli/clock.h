/* Times on the command line: when a request begins and ends. */
#ifndef CLI_CLOCK_H
#define CLI_CLOCK_H

#include <stdbool.h>

#include "cli/cli.h"
#include "cli/now.h"
#include "schedule/match.h"

/* Options of times, to include in a program's table. */
struct cli_time_options {
    char *at, *duration, *limit, *expiration, *now;
    bool earliest;
    bool when; /* set by --when, which asks for the earliest time */
};
extern const struct cli_option cli_time_table[];
#define CLI_TIME_OPTIONS(at) CLI_INCLUDE(cli_time_table, at, "Times:")

/* -t of flux-run, also for lines without other times. */
#define CLI_LIMIT_OPTION(place)                                          \
    {                                                                    \
        "time-limit", 't', place, CLI_DURATION,                          \
            "like --duration, but a plain number is minutes", "DURATION" \
    }

/* The functions below return 0, or -1 with a diag: a fault (cli_fault). */

/* cli_moment: read --at, by default now, as a period. cli_expiration: read
   --expiration, which must be given; TIME_UNSET for `never`. */
int cli_moment(const struct cli_time_options *o, double now,
               struct period *when, struct diag *d);
int cli_expiration(const struct cli_time_options *o, double now, double *end,
                   struct diag *d);

/* Read --duration or -t, one of which must be given, for an existing job: its
   seconds, or (*more) seconds to add to them (`+1h`). */
int cli_lasts(const struct cli_time_options *o, bool *more, double *seconds,
              struct diag *d);

/* Return the first given option that only requests take, or NULL. */
const char *cli_when_of_request(const struct cli_time_options *o);

/* Check that no two given options exclude each other. */
int cli_when_check(const struct cli_time_options *o, struct diag *d);

/* The values of --at, --duration or -t, and --expiration; negative if not
   given. cli_when_limit() replaces the length with that of a line's own -t. */
struct cli_when {
    double at, duration, expiration;
};
int cli_when_read(const struct cli_time_options *o, double now,
                  struct cli_when *when, struct diag *d);
int cli_when_limit(struct cli_when *when, const char *limit, struct diag *d);

/*
 * Times of a request that lasts `duration` seconds (0: for ever), unless the
 * options say how long. TIME_UNSET: no time is recorded. A later start needs an
 * end, unless `earliest` is set.
 */
struct cli_times {
    double start, end;
};
int cli_times(const struct cli_when *when, double now, double duration,
              bool earliest, struct cli_times *times, struct diag *d);

/* Read the times of a set. They may be in the past, and it need not end. With a
   duration, but without --at, it starts now. */
int cli_span(const struct cli_time_options *o, double now,
             struct cli_times *times, struct diag *d);

/* Report a later start without an end. `option` sets the start. */
int cli_times_check(const struct cli_times *times, double now,
                    const char *option, struct diag *d);

/* Let a request ask for these times. */
void cli_times_apply(const struct cli_times *times, struct request *req,
                     struct match_options *opts);

/* Find resources for a request in these times. `earliest`: look for the
   earliest start and change `times` to the times found. */
enum match_answer cli_find(struct usage *u, struct request *req,
                           struct match_options *opts, struct cli_times *times,
                           bool earliest, struct selection **sel,
                           struct diag *d);

/* Return the exit status for an answer. */
int cli_answer_status(enum match_answer answer);

#endif /* CLI_CLOCK_H */
