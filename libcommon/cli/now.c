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

int cli_read_time(const char *option, const char *text, double now, double *out,
                  struct diag *d)
{
    struct diag why = {0};

    if (time_parse(text, now, out, &why) < 0)
        return cli_fault(d, "%s: %s", option, why.text);
    return 0;
}

double cli_clock(bool *given)
{
    static bool known, is_set_before;
    static double now;
    const char *set = getenv("RSET_NOW");

    if (!known) {
        is_set_before = now_text || (set && *set);
        now = time_now();
        if (set && *set)
            cli_read_time("RSET_NOW", set, now, &now, NULL);
        if (now_text)
            cli_read_time("--now", now_text, now, &now, NULL);
        known = true;
    }
    *given = is_set_before;
    return now;
}
