/* The clock of the programs (clock.h): --now, or the system's time. */
#include "cli/clock.h"

#include "base/time.h"
#include "cli/cli.h"

const char *cli_now_text;

double cli_now_from(double now)
{
    struct diag d = {0};

    if (cli_now_text && time_parse(cli_now_text, now, &now, &d) < 0)
        cli_usage("--now: %s", d.text);
    return now;
}

/* The clock is looked at once. */
double cli_now(void)
{
    static double now = -1;

    if (now < 0)
        now = cli_now_from(time_now());
    return now;
}
