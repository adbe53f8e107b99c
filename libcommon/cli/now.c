/* The clock of a program (now.h). */
#include "cli/now.h"

#include <stdlib.h>

#include "base/time.h"
#include "cli/cli.h"

static const char *now_text;

void cli_clock_is(const char *text)
{
    now_text = text;
}

double cli_read_time(const char *option, const char *text, double now)
{
    struct diag d = {0};
    double value;

    if (time_parse(text, now, &value, &d) < 0)
        cli_usage("%s: %s", option, d.text);
    return value;
}

double cli_now(const char *text, double now)
{
    return text ? cli_read_time("--now", text, now) : now;
}

double cli_clock(bool *given)
{
    static bool known, was_given;
    static double now;
    const char *set = getenv("RSET_NOW");

    if (!known) {
        was_given = now_text || (set && *set);
        now = time_now();
        if (set && *set)
            now = cli_read_time("RSET_NOW", set, now);
        now = cli_now(now_text, now);
        known = true;
    }
    *given = was_given;
    return now;
}
