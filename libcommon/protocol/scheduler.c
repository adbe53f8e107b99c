/* The scheduler as a whole (scheduler.h): reads its lines, runs the steps that
   are due, begins and ends. */
#include "protocol/scheduler.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "protocol/scheduler_private.h"

enum { LINES_MOST = 1000 }; /* that wait for one pass */

bool scheduler_fine(const struct scheduler *s)
{
    return !s->failed;
}

/* --- lines ---------------------------------------------------------------- */

static void release_response(struct scheduler *s, const struct message *m)
{
    if (m->errnum)
        scheduler_refused(s, m->topic, "the provider", m);
}

/* Handlers of responses to the scheduler's requests. A line with such a topic
   is a response even without a type. */
static const struct {
    const char *topic;
    void (*take)(struct scheduler *s, const struct message *m);
} answers[] = {
    {"resource.acquire", acquire_response},
    {"resource.release", release_response},
    {"job-manager.sched-hello", hello_response},
    {"job-manager.sched-ready", ready_response},
};

static void take_message(struct scheduler *s, enum peer from,
                         const struct message *m, FILE *to, const char *place)
{
    int i = WORD_FIND(answers, m->topic);
    bool typed = json_object_get(m->json, "type"),
         apart = s->alone || s->options.provider != s->options.manager,
         of_provider = !strncmp(m->topic, "resource.", 9);

    if (m->response || (!typed && i >= 0)) {
        planner_unhold(s->planner);
        if (i < 0 || (apart && of_provider != (from == SCHEDULER_PROVIDER)))
            scheduler_log(s, LEVEL_WARNING, "%s: %s: unexpected response",
                          place, m->topic);
        else
            answers[i].take(s, m);
    } else if (from == SCHEDULER_PROVIDER && apart) {
        response_error(to, m, MESSAGE_ENOSYS,
                       "requests of a provider are not served");
    } else if (!jobs_request(s, m)) {
        response_error(to, m, MESSAGE_ENOSYS, "there is no such service");
        scheduler_log(s, LEVEL_WARNING, "%s: %s: there is no such service%s",
                      place, m->topic,
                      strcmp(m->topic, "sched.clock") != 0
                          ? ""
                          : " without --clock messages");
    }
}

/* Do the due steps, in this order. Whatever the handlers wrote comes first. The
   queues are to be served then. */
static void scheduler_step(struct scheduler *s)
{
    unsigned due;

    site_expire(s);
    due = s->due;
    s->due = 0;
    s->more = true;
    if (due & DUE_RENEW)
        inventory_renew(s);
    if (due & DUE_HELLO)
        hello_start(s);
    if (due & (DUE_RENEW | DUE_RELEASE))
        held_retry(s);
    if (due & DUE_RELEASE)
        acquire_release(s);
    jobs_answer_free(s); /* after the releases that it made possible */
    if (due & DUE_READY)
        hello_ready(s);
    if (due & DUE_JUDGE)
        serve_judge(s);
}

bool scheduler_more(const struct scheduler *s)
{
    return s->more && !s->failed && s->phase >= READYING;
}

void scheduler_serve(struct scheduler *s)
{
    if (!scheduler_more(s))
        return;
    scheduler_tick(s);
    s->nlines = 0;
    s->served = scheduler_now(s);
    s->more = planner_pass(s->planner);
}

double scheduler_wakes(const struct scheduler *s)
{
    double start = TIME_UNSET, change = site_changes(s);

    if (s->options.clocked)
        return TIME_UNSET;
    for (size_t i = 0; i < s->queues.nlist; i++)
        if (s->queues.list[i]->blocked >= 0)
            start = rset_starttime(s->rs);
    if (start <= s->served)
        start = TIME_UNSET;
    return start < 0 || (change >= 0 && change < start) ? change : start;
}

void scheduler_look(struct scheduler *s)
{
    double start = scheduler_wakes(s);

    scheduler_tick(s);
    if (start < 0 || scheduler_now(s) < start)
        return;
    planner_freed(s->planner);
    scheduler_step(s);
    scheduler_serve(s);
}

/*
 * Must the queues be served before a message is handled? A ping is answered
 * after everything that came before it; the clock ends a moment; and a job that
 * is freed has got its resources.
 */
static bool is_barrier(const struct scheduler *s, const struct message *m)
{
    return !strcmp(m->topic, "sched.ping")
           || (!strcmp(m->topic, "sched.clock") && s->options.clocked)
           || (!strcmp(m->topic, "sched.free")
               && queues_find(&s->queues, message_id(m->payload)));
}

void scheduler_line(struct scheduler *s, enum peer from, const char *line,
                    size_t len, uint64_t number)
{
    FILE *to = from == SCHEDULER_PROVIDER ? s->options.provider
                                          : s->options.manager;
    struct diag d = {0};
    struct message m;
    bool changes = true;
    char place[64];

    if (len == 0)
        return;
    scheduler_tick(s);
    snprintf(place, sizeof(place), "%s:%llu",
             from == SCHEDULER_PROVIDER ? "provider"
             : s->options.input         ? s->options.input
                                        : "stdin",
             (unsigned long long)number);
    if (message_read(line, len, &m, &d) < 0) {
        s->counters.bad++;
        response_error(to, &m, MESSAGE_EPROTO, diag_line(&d).text);
        scheduler_log(s, LEVEL_WARNING, "%s: %s", place, diag_line(&d).text);
    } else {
        changes = strcmp(m.topic, "sched.ping") != 0;
        s->more |= !changes && s->served < scheduler_now(s); /* time passed */
        while (is_barrier(s, &m) && scheduler_more(s)
               && !(s->options.stopped && s->options.stopped()))
            scheduler_serve(s);
        if (changes || !scheduler_more(s)) /* not cut short by a signal */
            take_message(s, from, &m, to, place);
    }
    message_fini(&m);
    if (changes)
        scheduler_step(s);
    if (++s->nlines >= LINES_MOST && !s->options.clocked)
        scheduler_serve(s);
}

static void __attribute__((noreturn))
fail_kvs(struct scheduler *s, struct diag *d)
{
    diag_in(d, "%s", s->options.kvs);
    s->options.fail(d);
}

/* Pass the rows of jobs that wait, or do so no longer, to the keeper. The
   rows of an earlier service stay until all jobs have sent their requests. */
static void keep_pending(struct scheduler *s)
{
    if (s->phase == SERVING && s->counters.requests >= s->waiting && !s->more) {
        for (size_t i = 0; i < s->nearlier; i++)
            VECTOR_ADD(s->noted, s->nnoted, s->earlier[i]);
        s->waiting = UINT64_MAX;
    }
    for (size_t i = 0; i < s->nnoted; i++) {
        struct pending *job = queues_find(&s->queues, s->noted[i]);
        struct pending_row row = {.id = s->noted[i]};
        char *words = NULL;

        if (job && job->sent_reason) {
            if (!job->noted)
                continue; /* it has been written */
            job->noted = false;
            words = request_words(job->request->req->resources, true);
            row = (struct pending_row){
                .id = job->id,
                .owner = job->userid,
                .priority = job->priority,
                .queue = job->name,
                .request = words,
                .reason = job->sent_reason,
                .submitted = job->submitted,
                .duration = job->duration > 0 ? job->duration : TIME_UNSET,
                .estimate = job->estimate};
        }
        s->keeper->pending(s->keeper->store, &row);
        free(words);
    }
    s->nnoted = 0;
}

void scheduler_keep(struct scheduler *s)
{
    struct diag d = {0};

    if (s->keeper && s->u) {
        keep_pending(s);
        if (s->recorded)
            planner_unclaim(s->planner);
        s->recorded = false;
        s->keeper->sync(s->keeper->store);
    }
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
    scheduler_step(s);
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

struct scheduler *scheduler_create(const struct scheduler_options *options)
{
    struct scheduler *s = xcalloc(1, sizeof(*s));
    struct planner_options planning;
    struct diag d = {0};

    s->options = *options;
    scheduler_tick(s);
    queues_follow(&s->queues, &s->options.rules);
    planning = serve_planner_options(s);
    s->planner = planner_create(&planning);
    s->offered = options->rs;
    s->alone = s->offered;
    s->current = options->any_dialect || options->dialect == DIALECT_CURRENT;
    s->down = idset_create();
    s->gone = idset_create();
    s->freed = -1;
    s->queues.joined = options->joined;
    s->keeper = options->keeper;
    for (size_t i = 0; options->groups && options->groups[i]; i++)
        VECTOR_ADD(s->groups, s->ngroups,
                   (struct acquisition){.name = options->groups[i],
                                        .ranks = idset_create(),
                                        .lost = idset_create()});
    if (options->kvs && !(s->kvs = kvs_open(options->kvs, &d)))
        fail_kvs(s, &d);
    return s;
}

bool scheduler_configure(struct scheduler *s, struct scheduler_options *options)
{
    struct scheduler_options *o = &s->options;
    const struct constraint *usable = o->how.constraint;
    struct planner_options planning;

    o->how = options->how;
    o->how.constraint = usable;
    scheduler_tick(s);
    o->depth = options->depth;
    o->slack = options->slack;
    o->estimates = options->estimates;
    o->form = options->form;
    o->most = options->most;
    planning = serve_planner_options(s);
    planner_configure(s->planner, &planning, &options->rules);
    scheduler_step(s);
    return o->joined == options->joined && o->limit == options->limit
           && o->trust == options->trust;
}

void scheduler_destroy(struct scheduler *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->ngroups; i++) {
        idset_destroy(s->groups[i].ranks);
        idset_destroy(s->groups[i].lost);
    }
    free(s->groups);
    while (held_forget(s, NULL, NULL))
        ;
    planner_destroy(s->planner);
    free(s->noted);
    free(s->earlier);
    queues_fini(&s->queues, &s->cache);
    jobspec_cache_fini(&s->cache);
    site_end(s);
    constraint_destroy(s->usable);
    rset_destroy(s->rs);
    rset_destroy(s->offered);
    if (s->keeper)
        s->keeper->close(s->keeper->store);
    kvs_close(s->kvs);
    hello_end(s);
    idset_destroy(s->down);
    idset_destroy(s->gone);
    map_fini(&s->raised);
    free(s);
}
