/* Everything that the scheduler reports beside its answers: log lines,
   exceptions on jobs, and operations for the store. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/near.h"
#include "base/time.h"
#include "model/records/jobs.h"
#include "protocol/scheduler_private.h"

void scheduler_tick(struct scheduler *s)
{
    s->options.how.now = s->options.now >= 0
                             ? s->options.now
                             : fmax(s->options.how.now, time_now());
}

uint32_t scheduler_tag(struct scheduler *s)
{
    if (++s->last_tag == 0)
        s->last_tag = 1;
    return s->last_tag;
}

/* --- events --------------------------------------------------------------- */

enum log_level log_level_of(const char *name, struct diag *d)
{
    static const char *const names[LEVELS] = {"error", "warning", "info",
                                              "debug"};
    int i = word_index(name, names, LEVELS, d);

    return i < 0 ? LEVELS : (enum log_level)i;
}

static void __attribute__((format(printf, 3, 0)))
log_line(struct scheduler *s, enum log_level level, const char *fmt,
         va_list args)
{
    char *text;

    xvasprintf(&text, fmt, args);
    s->options.log(level, text, s->options.arg);
    free(text);
}

void scheduler_log(struct scheduler *s, enum log_level level, const char *fmt,
                   ...)
{
    va_list args;

    if (level > s->options.most)
        return;
    va_start(args, fmt);
    log_line(s, level, fmt, args);
    va_end(args);
}

void scheduler_fail(struct scheduler *s, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    log_line(s, LEVEL_ERROR, fmt, args);
    va_end(args);
    s->failed = true;
}

void scheduler_refused(struct scheduler *s, const char *what, const char *who,
                       const struct message *m)
{
    bool other = m->errnum == MESSAGE_EPROTO && !s->options.any_dialect;

    scheduler_fail(s, "%s: %s%s (error %d)%s%s", what,
                   m->errstr ? m->errstr : who, m->errstr ? "" : " refuses it",
                   m->errnum, other ? ": " : "",
                   other ? "it may speak another edition, see --dialect" : "");
}

/* --- exceptions ----------------------------------------------------------- */

void raise_job(struct scheduler *s, const char *job, const char *type,
               const char *note)
{
    FILE *fp = s->options.manager;
    int64_t id;

    if (!job_is_number(job, &id)
        || map_at(&s->raised, &id, sizeof(id))->value.number++)
        return;
    s->counters.raised++;
    request_begin(fp, "job-manager.raise", 0, "noresponse");
    fprintf(fp, ",\"payload\":{\"id\":%s,\"type\":\"%s\",\"severity\":0", job,
            type);
    json_write_field(fp, "note", note);
    payload_end(fp);
    scheduler_log(s, LEVEL_WARNING, "job %s: %s: %s", job, type, note);
}

void raise_forget(struct scheduler *s, int64_t id)
{
    if (map_get(&s->raised, &id, sizeof(id)))
        map_forget(&s->raised, &id, sizeof(id));
}

/* --- the store ------------------------------------------------------------ */

void scheduler_record(struct scheduler *s, const char *command, const char *job,
                      const char *what, bool facts)
{
    const struct operation op = {.time = scheduler_now(s),
                                 .command = command,
                                 .job = job,
                                 .what = what,
                                 .facts = facts};

    if (s->keeper && s->u) {
        s->keeper->record(s->keeper->store, &op);
        s->recorded = true;
    }
}

void scheduler_note(struct scheduler *s, struct pending *job)
{
    if (!s->keeper || !job->sent_reason || job->noted)
        return;
    job->noted = true;
    VECTOR_ADD(s->noted, s->nnoted, job->id);
}
