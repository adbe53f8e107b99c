/* When a set begins and ends, by the options that other programs have. */
#include "cli/cli.h"
#include "cli/clock.h"
#include "discover.h"

struct poptOption times_options[] = {
    CLI_OWN_TEXTS,
    {"at", '\0', POPT_ARG_STRING, &cli_at_text, OF_SETS, "when the set begins",
     "TIME"},
    {"duration", '\0', POPT_ARG_STRING, &cli_duration_text, OF_SETS,
     "how long there is, as 90, 1h30m or 2-00:00:00", "DURATION"},
    {"expiration", '\0', POPT_ARG_STRING, &cli_expiration_text, OF_SETS,
     "when it ends", "TIME|never"},
    {"now", '\0', POPT_ARG_STRING, &cli_now_text, OF_SETS,
     "what time it is: seconds, +1h, 2026-11-21T08:00:00", "TIME"},
    POPT_TABLEEND};

const char *times_option_given(void)
{
    return cli_at_text ? "--at" : cli_when_of_request();
}

void times_set(struct rset *rs)
{
    struct cli_times times;

    if (!times_option_given())
        return;
    times = cli_span(cli_clock(&(bool){false}));
    rset_set_times(rs, times.start, times.end);
}
