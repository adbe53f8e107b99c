/* Times on the command line (clock.h). */
#include "cli/clock.h"

#include <string.h>

#include "base/time.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "model/records/records.h"
#include "model/records/usage.h"

#define AT(member) CLI_AT(struct cli_time_options, member)
const struct cli_option cli_time_table[] = {
    {"at", '\0', AT(at), CLI_AT_TIME,
     "set the start time; with --available or --aggregate: look at this time",
     "TIME"},
    {"duration", '\0', AT(duration), CLI_DURATION,
     "set the duration, such as 90, 1h30m or 2-00:00:00", "DURATION"},
    CLI_LIMIT_OPTION(AT(limit)),
    {"expiration", '\0', AT(expiration), CLI_EXPIRATION, "set the end time",
     "TIME|never"},
    {"earliest", '\0', AT(earliest), CLI_TERMS,
     "start as early as the request fits, from now or --at on"},
    {"now", '\0', AT(now), CLI_NOW,
     "use this as the current time: seconds, +1h, 2026-11-21T08:00:00", "TIME"},
    {0}};

int cli_moment(const struct cli_time_options *o, double now,
               struct period *when, struct diag *d)
{
    double at = now;

    if (o->at && cli_read_time("--at", o->at, now, &at, d) < 0)
        return -1;
    *when = (struct period){.now = now, .from = at, .to = at};
    return 0;
}

int cli_expiration(const struct cli_time_options *o, double now, double *end,
                   struct diag *d)
{
    *end = TIME_UNSET;
    return strcmp(o->expiration, "never") != 0
               ? cli_read_time("--expiration", o->expiration, now, end, d)
               : 0;
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

int cli_when_check(const struct cli_time_options *o, struct diag *d)
{
    const char *one = cli_when_of_request(o);

    if (o->duration && o->limit)
        return cli_exclude("--duration", "--time-limit", d);
    return o->expiration && strcmp(one, "--expiration") != 0
               ? cli_exclude(one, "--expiration", d)
               : 0;
}

static int read_duration(const char *option, const char *text, int unit,
                         double *seconds, struct diag *d)
{
    struct diag why = {0};

    if (duration_parse(text, unit, seconds, &why) < 0)
        return cli_fault(d, "%s: %s", option, why.text);
    return 0;
}

int cli_lasts(const struct cli_time_options *o, bool *more, double *seconds,
              struct diag *d)
{
    const char *text = o->limit ? o->limit : o->duration;

    *more = *text == '+';
    return read_duration(o->limit ? "--time-limit" : "--duration", text + *more,
                         o->limit ? DURATION_MINUTES : DURATION_SECONDS,
                         seconds, d);
}

int cli_when_limit(struct cli_when *when, const char *limit, struct diag *d)
{
    when->expiration = -1;
    return read_duration("--time-limit", limit, DURATION_MINUTES,
                         &when->duration, d);
}

int cli_when_read(const struct cli_time_options *o, double now,
                  struct cli_when *when, struct diag *d)
{
    *when = (struct cli_when){-1, -1, -1};
    if (o->at && cli_read_time("--at", o->at, now, &when->at, d) < 0)
        return -1;
    if (o->expiration && cli_expiration(o, now, &when->expiration, d) < 0)
        return -1;
    if (o->expiration && when->expiration < 0)
        when->duration = 0; /* this overrides a jobspec's duration */
    if (o->duration
        && read_duration("--duration", o->duration, DURATION_SECONDS,
                         &when->duration, d)
               < 0)
        return -1;
    return o->limit ? cli_when_limit(when, o->limit, d) : 0;
}

static int wrong_end(const struct cli_when *when, const char *why,
                     struct diag *d)
{
    return cli_fault(d, "%s: %s",
                     when->expiration >= 0 ? "--expiration"
                     : when->duration >= 0 ? "--duration"
                                           : "attributes.system.duration",
                     why);
}

int cli_times(const struct cli_when *when, double now, double duration,
              bool earliest, struct cli_times *times, struct diag *d)
{
    double start = when->at >= 0 ? when->at : now;
    const char *why;

    *times = (struct cli_times){when->at >= 0 ? start : TIME_UNSET, TIME_UNSET};
    if (when->duration >= 0)
        duration = when->duration;
    if (when->expiration >= 0 || duration > 0) {
        times->start = start;
        times->end = when->expiration >= 0 ? when->expiration
                                           : start + duration;
        if ((why = time_span_fault(start, times->end)))
            return wrong_end(when, why, d);
        if (times->end <= now)
            return wrong_end(when, "it would have ended already", d);
    }
    return earliest ? 0 : cli_times_check(times, now, "--at", d);
}

int cli_span(const struct cli_time_options *o, double now,
             struct cli_times *times, struct diag *d)
{
    struct cli_when when;
    const char *why;

    if (cli_when_check(o, d) < 0 || cli_when_read(o, now, &when, d) < 0)
        return -1;
    *times = (struct cli_times){TIME_UNSET, TIME_UNSET};
    if (when.at >= 0 || when.duration > 0)
        times->start = when.at >= 0 ? when.at : now;
    if (when.expiration >= 0)
        times->end = when.expiration;
    else if (when.duration > 0)
        times->end = times->start + when.duration;
    why = times->end < 0 ? NULL : time_span_fault(times->start, times->end);
    return why ? wrong_end(&when, why, d) : 0;
}

int cli_times_check(const struct cli_times *times, double now,
                    const char *option, struct diag *d)
{
    if (times->end < 0 && times->start > now)
        return cli_fault(
            d, "%s: a later start needs --duration or --expiration", option);
    return 0;
}

void cli_times_apply(const struct cli_times *times, struct request *req,
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
    const char *why;
    double at;

    usage_lapse(u, opts->now);
    progress_begin("matching", NULL);
    answer = earliest ? match_earliest(u, req, opts, sel, &at, d)
                      : match_find(u, req, opts, sel, d);
    progress_end();
    if (answer != MATCH_FOUND || !earliest)
        return answer;
    times->start = at;
    times->end = req->duration > 0 ? at + req->duration
                                   : rset_expiration(usage_rset(u));
    if (req->duration > 0 && (why = time_span_fault(at, times->end))) {
        diag_set(d, "%s", why);
        selection_destroy(*sel);
        *sel = NULL;
        return MATCH_ERROR;
    }
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
