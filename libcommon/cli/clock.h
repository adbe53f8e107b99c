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

/* As they were given; NULL: not. */
extern const char *cli_at_text, *cli_duration_text, *cli_limit_text,
    *cli_expiration_text;

extern int cli_earliest; /* more than 1: --when asked for it */

/* As flux-run has it, for lines that have no other times, too. */
#define CLI_LIMIT_OPTION                                                   \
    {                                                                      \
        "time-limit", 't', POPT_ARG_STRING, &cli_limit_text, CLI_DURATION, \
            "the same, but a plain number is minutes", "DURATION"          \
    }

/* For inclusion in a program's table. */
extern struct poptOption cli_time_table[];
#define CLI_TIME_OPTIONS                                                      \
    {                                                                         \
        NULL, '\0', POPT_ARG_INCLUDE_TABLE, cli_time_table, 0, "Times:", NULL \
    }

/* --at, or now, as a period; and --expiration, which has to be given:
   TIME_UNSET is never. */
struct period cli_moment(double now);
double cli_expiration(double now);

/*
 * What --duration or -t, one of which has to be given, say of a job that there
 * is: seconds that it lasts, or `more` of them (`+1h`).
 */
double cli_lasts(bool *more);

/*
 * Read --at, --duration or -t, and --expiration, if they were given; of later
 * lines a -t counts, instead of what said how long.
 */
void cli_when_read(double now);

/* The option of these that was given and is of requests alone, or NULL. */
const char *cli_when_of_request(void);

/* Those that exclude each other were not given together: a usage error. */
void cli_when_check(void);

/*
 * From when to when they say, of a request for `duration` seconds (0: for ever)
 * if they don't say how long. TIME_UNSET: no time is to be recorded. What
 * starts later has to have an end, or a usage error ends the program.
 */
struct cli_times {
    double start, end;
};
struct cli_times cli_times(double now, double duration);

/*
 * What --at, --duration and --expiration say of a set: it may be one of the
 * past, and need not end. Without --at what has a duration starts now.
 */
struct cli_times cli_span(double now);

/* What a later start without an end is told as; `option` made it so. */
void cli_times_check(const struct cli_times *times, double now,
                     const char *option);

/* A request asks for resources in these times. */
void cli_times_ask(const struct cli_times *times, struct request *req,
                   struct match_options *opts);

/*
 * Find what a request asks for in these times; if the earliest start is asked
 * for, they become those that were found.
 */
enum match_answer cli_find(struct usage *u, struct request *req,
                           struct match_options *opts, struct cli_times *times,
                           struct selection **sel, struct diag *d);

/* The exit status of an answer. */
int cli_answer_status(enum match_answer answer);

#endif /* CLI_CLOCK_H */
