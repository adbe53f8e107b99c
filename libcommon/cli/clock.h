/* What time it is for a command: --now, or the system's clock. */
#ifndef CLI_CLOCK_H
#define CLI_CLOCK_H

#include <popt.h>

extern const char *cli_now_text;

/* The option, for a program's table. */
#define CLI_NOW_OPTION                                                   \
    {                                                                    \
        "now", '\0', POPT_ARG_STRING, &cli_now_text, 0,                  \
            "what time it is: seconds, +1h, 2026-11-21T08:00:00", "TIME" \
    }

/* Seconds since the Epoch; a usage error ends the program. */
double cli_now(void);

/* The same of a --now that was just read, given the time without it. */
double cli_now_from(double now);

#endif /* CLI_CLOCK_H */
