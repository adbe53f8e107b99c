/* Times on the command line (clock.h). */
#include "cli/clock.h"

#include <string.h>

#include "base/time.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "model/records/records.h"

#define AT(member) CLI_AT(struct cli_time_options, member)
struct poptOption cli_time_table[] = {
    {"at", '\0', POPT_ARG_STRING, AT(at), CLI_AT_TIME,
     "when it starts; of what is available: at what time", "TIME"},
    {"duration", '\0', POPT_ARG_STRING, AT(duration), CLI_DURATION,
     "how long, as 90, 1h30m or 2-00:00:00", "DURATION"},
    CLI_LIMIT_OPTION(AT(limit)),
    {"expiration", '\0', POPT_ARG_STRING, AT(expiration), CLI_EXPIRATION,
     "when it ends", "TIME|never"},
    {"earliest", '\0', POPT_ARG_NONE, AT(earliest), CLI_TERMS,
     "when it can be had first, from now or --at on", NULL},
    {"now", '\0', POPT_ARG_STRING, AT(now), CLI_NOW,
     "what time it is: seconds, +1h, 2026-11-21T08:00:00", "TIME"},
    POPT_TABLEEND};

struct period cli_moment(const struct cli_time_options *o, double now)
{
    double at = o->at ? cli_read_time("--at", o->at, now) : now;

    return (struct period){.now = now, .from = at, .to = at};
}

double cli_expiration(const struct cli_time_options *o, double now)
{
    return strcmp(o->expiration, "never") != 0
               ? cli_read_time("--expiration", o->expiration, now)
               : TIME_UNSET;
}

const char *cli_when_of_request(const struct cli_time_options *o)
{
    return o->duration     ? "--duration"
           : o->limit      ? "--time-limit"
           : o->when       ? "--when"
           : o->earliest   ? "--earliest"
           : o->expiration ? "--expiration"
                           : NULL;
}

void cli_when_check(const struct cli_time_options *o)
{
    const char *one = cli_when_of_request(o);

    if (o->duration && o->limit)
        cli_exclude(one, "--time-limit");
    if (o->expiration && strcmp(one, "--expiration") != 0)
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

double cli_lasts(const struct cli_time_options *o, bool *more)
{
    const char *text = o->limit ? o->limit : o->duration;

    *more = *text == '+';
    return read_duration(o->limit ? "--time-limit" : "--duration", text + *more,
                         o->limit ? DURATION_MINUTES : DURATION_SECONDS);
}

void cli_when_limit(struct cli_when *when, const char *limit)
{
    if (!limit)
        return;
    when->duration = read_duration("--time-limit", limit, DURATION_MINUTES);
    when->expiration = -1;
}

struct cli_when cli_when_read(const struct cli_time_options *o, double now)
{
    struct cli_when when = {-1, -1, -1};

    if (o->at)
        when.at = cli_moment(o, now).from;
    if (o->expiration && (when.expiration = cli_expiration(o, now)) < 0)
        when.duration = 0; /* whatever that of a jobspec is */
    if (o->duration)
        when.duration = read_duration("--duration", o->duration,
                                      DURATION_SECONDS);
    cli_when_limit(&when, o->limit);
    return when;
}

static void check_end(const struct cli_when *when, bool fits, const char *why)
{
    if (!fits)
        cli_usage("%s: %s",
                  when->expiration >= 0 ? "--expiration" : "--duration", why);
}

struct cli_times cli_times(const struct cli_when *when, double now,
                           double duration, bool earliest)
{
    double start = when->at >= 0 ? when->at : now;
    struct cli_times times = {when->at >= 0 ? start : TIME_UNSET, TIME_UNSET};

    if (when->duration >= 0)
        duration = when->duration;
    if (when->expiration >= 0 || duration > 0) {
        times.start = start;
        times.end = when->expiration >= 0 ? when->expiration : start + duration;
        check_end(when, times.end > start, "it would end before it starts");
        check_end(when, times.end > now, "it would have ended already");
    }
    if (!earliest)
        cli_times_check(&times, now, "--at");
    return times;
}

struct cli_times cli_span(const struct cli_time_options *o, double now)
{
    struct cli_times times = {TIME_UNSET, TIME_UNSET};
    struct cli_when when;

    cli_when_check(o);
    when = cli_when_read(o, now);
    if (when.at >= 0 || when.duration > 0)
        times.start = when.at >= 0 ? when.at : now;
    if (when.expiration >= 0)
        times.end = when.expiration;
    else if (when.duration > 0)
        times.end = times.start + when.duration;
    check_end(&when, times.end < 0 || times.end > times.start,
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
                           bool earliest, struct selection **sel,
                           struct diag *d)
{
    enum match_answer answer;
    double at, end = rset_expiration(usage_rset(u));

    progress_begin("matching", NULL);
    answer = earliest ? match_earliest(u, req, opts, sel, &at, d)
                      : match_find(u, req, opts, sel, d);
    progress_end();
    if (answer != MATCH_FOUND || !earliest)
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
