/* The scheduler as a whole (scheduler.h): its lines, and what it says first. */
#include "protocol/scheduler.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/time.h"
#include "protocol/scheduler_private.h"

double scheduler_now(const struct scheduler *s)
{
    return s->options.now >= 0 ? s->options.now : time_now();
}

uint32_t scheduler_tag(struct scheduler *s)
{
    if (++s->last_tag == 0)
        s->last_tag = 1;
    return s->last_tag;
}

struct job_name job_name(int64_t id)
{
    struct job_name name;

    snprintf(name.text, sizeof(name.text), "%lld", (long long)id);
    return name;
}

/* --- events --------------------------------------------------------------- */

enum log_level log_level_of(const char *name)
{
    static const char *const names[LEVELS] = {"error", "warning", "info",
                                              "debug"};
    enum log_level level = LEVEL_ERROR;

    while (level < LEVELS && strcmp(name, names[level]) != 0)
        level++;
    return level;
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

bool scheduler_fine(const struct scheduler *s)
{
    return !s->failed;
}

/* --- lines ---------------------------------------------------------------- */

static bool is_apart(const struct scheduler *s)
{
    return s->alone || s->options.provider != s->options.manager;
}

static bool is_of_provider(const char *topic)
{
    return !strncmp(topic, "resource.", 9);
}

static void release_response(struct scheduler *s, const struct message *m)
{
    if (m->errnum)
        scheduler_refused(s, m->topic, "the provider", m);
}

/* What the scheduler asks is answered, also where no type says so. */
typedef void response_fn(struct scheduler *s, const struct message *m);
static const struct {
    const char *topic;
    response_fn *take;
} asked[] = {
    {"resource.acquire", acquire_response},
    {"resource.release", release_response},
    {"job-manager.sched-hello", hello_response},
    {"job-manager.sched-ready", ready_response},
};

static response_fn *find_asked(const char *topic)
{
    for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++)
        if (!strcmp(asked[i].topic, topic))
            return asked[i].take;
    return NULL;
}

static void take_message(struct scheduler *s, enum peer from,
                         const struct message *m, const char *place)
{
    bool typed = json_object_get(m->json, "type");
    response_fn *take = find_asked(m->topic);
    FILE *to = from == SCHEDULER_PROVIDER ? s->options.provider
                                          : s->options.manager;

    if (m->response || (!typed && take)) {
        if (!take
            || (is_apart(s)
                && is_of_provider(m->topic) != (from == SCHEDULER_PROVIDER)))
            scheduler_log(s, LEVEL_WARNING, "%s: %s: nobody has asked for it",
                          place, m->topic);
        else
            take(s, m);
    } else if (from == SCHEDULER_PROVIDER && is_apart(s)) {
        response_error(to, m, MESSAGE_ENOSYS, "a provider is not served");
    } else if (!jobs_request(s, m)) {
        response_error(to, m, MESSAGE_ENOSYS, "there is no such service");
        scheduler_log(s, LEVEL_WARNING, "%s: %s: there is no such service",
                      place, m->topic);
    }
}

static void bad_line(struct scheduler *s, enum peer from,
                     const struct message *m, const char *place, struct diag *d)
{
    char text[1024];

    s->counters.bad++;
    diag_format(d, text, sizeof(text));
    if (message_answered(m))
        response_error(from == SCHEDULER_PROVIDER ? s->options.provider
                                                  : s->options.manager,
                       m, MESSAGE_EPROTO, text);
    scheduler_log(s, LEVEL_WARNING, "%s: %s", place, text);
}

void scheduler_line(struct scheduler *s, enum peer from, const char *line,
                    size_t len, uint64_t number)
{
    struct diag d = {0};
    struct message m;
    char place[64];

    if (len == 0)
        return;
    snprintf(place, sizeof(place), "%s:%llu",
             from == SCHEDULER_PROVIDER ? "provider"
             : s->options.input         ? s->options.input
                                        : "stdin",
             (unsigned long long)number);
    if (message_read(line, len, &m, &d) < 0)
        bad_line(s, from, &m, place, &d);
    else
        take_message(s, from, &m, place);
    message_fini(&m);
    if (!s->failed)
        jobs_serve(s);
}

static void __attribute__((noreturn))
fail_kvs(struct scheduler *s, struct diag *d)
{
    diag_in(d, "%s", s->options.kvs);
    s->options.fail(d);
}

void scheduler_keep(struct scheduler *s)
{
    struct diag d = {0};

    if (s->keeper && s->u)
        s->keeper->sync(s->keeper->arg);
    if (s->kvs && kvs_sync(s->kvs, &d) < 0)
        fail_kvs(s, &d);
}

/* --- beginning and end ---------------------------------------------------- */

void scheduler_start(struct scheduler *s)
{
    if (s->alone)
        inventory_begin(s);
    else
        acquire_start(s);
}

static void write_disconnect(FILE *fp, const char *topic)
{
    request_begin(fp, topic, 0, NULL);
    response_end(fp);
}

void scheduler_end(struct scheduler *s)
{
    if (!s->alone)
        write_disconnect(s->options.provider, "resource.disconnect");
    write_disconnect(s->options.manager, "job-manager.disconnect");
}

static void add_group(struct scheduler *s, const char *name)
{
    VECTOR_GROW(s->groups, s->ngroups);
    s->groups[s->ngroups++] = (struct acquisition){
        .name = name, .ranks = idset_create(), .lost = idset_create()};
}

struct scheduler *scheduler_create(const struct scheduler_options *options)
{
    struct scheduler *s = xcalloc(1, sizeof(*s));
    struct diag d = {0};

    s->options = *options;
    s->alone = options->rs;
    s->current = options->any_dialect || options->dialect == DIALECT_CURRENT;
    s->asking = options->any_dialect;
    s->down = idset_create();
    s->gone = idset_create();
    s->blocked = -1;
    s->keeper = options->keeper;
    for (size_t i = 0; options->groups && options->groups[i]; i++)
        add_group(s, options->groups[i]);
    if (options->kvs && !(s->kvs = kvs_open(options->kvs, &d)))
        fail_kvs(s, &d);
    return s;
}

void scheduler_destroy(struct scheduler *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->ngroups; i++) {
        rset_destroy(s->groups[i].first);
        idset_destroy(s->groups[i].ranks);
        idset_destroy(s->groups[i].lost);
    }
    free(s->groups);
    queue_fini(&s->queue, &s->known);
    known_fini(&s->known);
    constraint_destroy(s->usable);
    rset_destroy(s->rs);
    rset_destroy(s->options.rs);
    if (s->keeper)
        s->keeper->close(s->keeper->arg);
    kvs_close(s->kvs);
    map_fini(&s->greeted);
    idset_destroy(s->down);
    idset_destroy(s->gone);
    map_fini(&s->raised);
    free(s);
}
