/*
 * Times on the command line: from when to when a request asks for resources.
 */
#ifndef CLI_CLOCK_H
#define CLI_CLOCK_H

#include <popt.h>
#include <stdbool.h>

#include "cli/cli.h"
#include "cli/now.h"
#include "schedule/match.h"

/* Options of times, for inclusion in a program's table. */
struct cli_time_options {
    char *at, *duration, *limit, *expiration, *now;
    bool earliest;
    bool when; /* set by --when, which asks for the earliest time */
};
extern struct poptOption cli_time_table[];
#define CLI_TIME_OPTIONS(at) CLI_INCLUDE(cli_time_table, at, "Times:")

/* As flux-run has it, for lines that have no other times, too. */
#define CLI_LIMIT_OPTION(place)                                   \
    {                                                             \
        "time-limit", 't', POPT_ARG_STRING, place, CLI_DURATION,  \
            "the same, but a plain number is minutes", "DURATION" \
    }

/* The functions below return 0, or -1 with a diag: a fault (cli_fault). */

/* --at, or now, as a period; and --expiration, which has to be given:
   TIME_UNSET is never. */
int cli_moment(const struct cli_time_options *o, double now,
               struct period *when, struct diag *d);
int cli_expiration(const struct cli_time_options *o, double now, double *end,
                   struct diag *d);

/*
 * What --duration or -t, one of which has to be given, say of a job that there
 * is: seconds that it lasts, or `more` of them (`+1h`).
 */
int cli_lasts(const struct cli_time_options *o, bool *more, double *seconds,
              struct diag *d);

/* The option of these that was given and is of requests alone, or NULL. */
const char *cli_when_of_request(const struct cli_time_options *o);

/* No two options are given that exclude each other. */
int cli_when_check(const struct cli_time_options *o, struct diag *d);

/*
 * What --at, --duration or -t, and --expiration say; negative: nothing. Of a
 * line a -t counts instead of what said how long.
 */
struct cli_when {
    double at, duration, expiration;
};
int cli_when_read(const struct cli_time_options *o, double now,
                  struct cli_when *when, struct diag *d);
int cli_when_limit(struct cli_when *when, const char *limit, struct diag *d);

/*
 * From when to when they say, of a request for `duration` seconds (0: for ever)
 * if they don't say how long. TIME_UNSET: no time is to be recorded. What
 * starts later has to have an end, unless the earliest time will be found.
 */
struct cli_times {
    double start, end;
};
int cli_times(const struct cli_when *when, double now, double duration,
              bool earliest, struct cli_times *times, struct diag *d);

/*
 * What --at, --duration and --expiration say of a set: it may be one of the
 * past, and need not end. Without --at what has a duration starts now.
 */
int cli_span(const struct cli_time_options *o, double now,
             struct cli_times *times, struct diag *d);

/* What a later start without an end is told as; `option` made it so. */
int cli_times_check(const struct cli_times *times, double now,
                    const char *option, struct diag *d);

/* A request asks for resources in these times. */
void cli_times_ask(const struct cli_times *times, struct request *req,
                   struct match_options *opts);

/*
 * Find what a request asks for in these times; if the `earliest` start is asked
 * for, they become those that were found.
 */
enum match_answer cli_find(struct usage *u, struct request *req,
                           struct match_options *opts, struct cli_times *times,
                           bool earliest, struct selection **sel,
                           struct diag *d);

/* The exit status of an answer. */
int cli_answer_status(enum match_answer answer);

#endif /* CLI_CLOCK_H */
