/* Times on the command line (clock.h). */
#include "cli/clock.h"

#include <string.h>

#include "base/time.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "model/records/records.h"

const char *cli_at_text, *cli_duration_text, *cli_limit_text,
    *cli_expiration_text;

int cli_earliest;

/* What they say; negative: nothing. */
static struct when {
    double at, duration, expiration;
} asked;

struct poptOption cli_time_table[] = {
    CLI_OWN_TEXTS,
    {"at", '\0', POPT_ARG_STRING, &cli_at_text, CLI_AT,
     "when it starts; of what is available: at what time", "TIME"},
    {"duration", '\0', POPT_ARG_STRING, &cli_duration_text, CLI_DURATION,
     "how long, as 90, 1h30m or 2-00:00:00", "DURATION"},
    CLI_LIMIT_OPTION,
    {"expiration", '\0', POPT_ARG_STRING, &cli_expiration_text, CLI_EXPIRATION,
     "when it ends", "TIME|never"},
    {"earliest", '\0', POPT_ARG_NONE, &cli_earliest, CLI_TERMS,
     "when it can be had first, from now or --at on", NULL},
    {"now", '\0', POPT_ARG_STRING, &cli_now_text, CLI_NOW,
     "what time it is: seconds, +1h, 2026-11-21T08:00:00", "TIME"},
    POPT_TABLEEND};

struct period cli_moment(double now)
{
    double at = cli_at_text ? cli_read_time("--at", cli_at_text, now) : now;

    return (struct period){.now = now, .from = at, .to = at};
}

double cli_expiration(double now)
{
    return strcmp(cli_expiration_text, "never") != 0
               ? cli_read_time("--expiration", cli_expiration_text, now)
               : TIME_UNSET;
}

const char *cli_when_of_request(void)
{
    return cli_duration_text     ? "--duration"
           : cli_limit_text      ? "--time-limit"
           : cli_earliest > 1    ? "--when"
           : cli_earliest        ? "--earliest"
           : cli_expiration_text ? "--expiration"
                                 : NULL;
}

void cli_when_check(void)
{
    const char *one = cli_when_of_request();

    if (cli_duration_text && cli_limit_text)
        cli_exclude(one, "--time-limit");
    if (cli_expiration_text && strcmp(one, "--expiration") != 0)
        cli_exclude(one, "--expiration");
}

static double read_duration(const char *option, const char *text, int unit)
{
    struct diag d = {0};
    double value;

    if (duration_parse(text, unit, &value, &d) < 0)
        cli_usage("%s: %s", option, d.text);
    return value;
}

double cli_lasts(bool *more)
{
    bool limit = cli_limit_text;
    const char *text = limit ? cli_limit_text : cli_duration_text;

    *more = *text == '+';
    return read_duration(limit ? "--time-limit" : "--duration", text + *more,
                         limit ? DURATION_MINUTES : DURATION_SECONDS);
}

static void read_limit(struct when *when)
{
    if (!cli_limit_text)
        return;
    when->duration = read_duration("--time-limit", cli_limit_text,
                                   DURATION_MINUTES);
    when->expiration = -1;
}

void cli_when_read(double now)
{
    asked = (struct when){-1, -1, -1};
    if (cli_at_text)
        asked.at = cli_moment(now).from;
    if (cli_expiration_text && (asked.expiration = cli_expiration(now)) < 0)
        asked.duration = 0; /* whatever that of a jobspec is */
    if (cli_duration_text)
        asked.duration = read_duration("--duration", cli_duration_text,
                                       DURATION_SECONDS);
    read_limit(&asked);
}

static void check_end(const struct when *when, bool fits, const char *why)
{
    if (!fits)
        cli_usage("%s: %s",
                  when->expiration >= 0 ? "--expiration" : "--duration", why);
}

struct cli_times cli_times(double now, double duration)
{
    struct when when = asked;
    double start = when.at >= 0 ? when.at : now;
    struct cli_times times = {when.at >= 0 ? start : TIME_UNSET, TIME_UNSET};

    read_limit(&when);
    if (when.duration >= 0)
        duration = when.duration;
    if (when.expiration >= 0 || duration > 0) {
        times.start = start;
        times.end = when.expiration >= 0 ? when.expiration : start + duration;
        check_end(&when, times.end > start, "it would end before it starts");
        check_end(&when, times.end > now, "it would have ended already");
    }
    if (!cli_earliest)
        cli_times_check(&times, now, "--at");
    return times;
}

struct cli_times cli_span(double now)
{
    struct cli_times times = {TIME_UNSET, TIME_UNSET};

    cli_when_check();
    cli_when_read(now);
    if (asked.at >= 0 || asked.duration > 0)
        times.start = asked.at >= 0 ? asked.at : now;
    if (asked.expiration >= 0)
        times.end = asked.expiration;
    else if (asked.duration > 0)
        times.end = times.start + asked.duration;
    check_end(&asked, times.end < 0 || times.end > times.start,
              "it would end before it starts");
    return times;
}

void cli_times_check(const struct cli_times *times, double now,
                     const char *option)
{
    if (times->end < 0 && times->start > now)
        cli_usage("%s: what starts later needs a --duration or an "
                  "--expiration",
                  option);
}

void cli_times_ask(const struct cli_times *times, struct request *req,
                   struct match_options *opts)
{
    double from = times->start > opts->now ? times->start : opts->now;

    opts->start = times->start;
    req->duration = times->end > from ? times->end - from : 0;
}

enum match_answer cli_find(struct usage *u, struct request *req,
                           struct match_options *opts, struct cli_times *times,
                           struct selection **sel, struct diag *d)
{
    enum match_answer answer;
    double at, end = rset_expiration(u->rs);

    progress_begin("matching", NULL);
    answer = cli_earliest ? match_earliest(u, req, opts, sel, &at, d)
                          : match_find(u, req, opts, sel, d);
    progress_end();
    if (answer != MATCH_FOUND || !cli_earliest)
        return answer;
    times->start = at;
    times->end = req->duration > 0 ? at + req->duration : end;
    return answer;
}

int cli_answer_status(enum match_answer answer)
{
    static const int status[] = {
        [MATCH_FOUND] = STATUS_OK,
        [MATCH_NOT_NOW] = STATUS_NO,
        [MATCH_NEVER] = STATUS_NEVER,
        [MATCH_ERROR] = STATUS_TROUBLE,
    };

    return status[answer];
}
