/*
 * The jobs of hello (broker_private.h). Flux keeps the R of a job in its KVS:
 * it is added to hello's message about the job. Messages that come meanwhile
 * are served.
 *
 * The job manager doesn't report resources that a job frees between hello and
 * ready. So a moment after ready, when lists are up to date, the jobs of hello
 * are freed that neither run nor keep resources for housekeeping.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

#include "base/json.h"
#include "base/memory.h"
#include "broker_private.h"

enum { LOOKUPS_MAX = 100 }; /* lookups of an R in progress at a time */

/* A job that hello has listed. */
struct greeted {
    struct greeted *next;
    struct broker *b;
    char *payload; /* a JSON object */
    uint32_t tag;
    flux_jobid_t id;
    bool direct; /* read its R directly from the KVS */
};

static const char hello[] = "job-manager.sched-hello";

/* Report a job of hello with its R to the scheduler. NULL: the R could not be
   read; the scheduler decides about the job. */
static void send_greeted(struct greeted *g, const char *R)
{
    char *payload = R ? broker_add_R(g->payload, R) : NULL, *line;
    size_t len;

    map_at(&g->b->hello.to_check, &g->id, sizeof(g->id))->value.number = 1;
    line = broker_wrap("response", hello, g->tag,
                       payload ? payload : g->payload, 0, NULL, &len);
    broker_deliver(g->b, line, len);
    free(line);
    free(payload);
}

static void greeted_free(void *arg)
{
    struct greeted *g = arg;

    free(g->payload);
    free(g);
}

static void look_up(struct broker *b);

/* Take the R of a job. job-info returns it with later changes, the KVS as it
   was at the start. */
static void take_R(flux_future_t *f, void *arg)
{
    struct greeted *g = arg, *again;
    struct broker *b = g->b;
    const char *R = NULL;
    int rc = g->direct ? flux_kvs_lookup_get(f, &R)
                       : flux_rpc_get_unpack(f, "{s:s}", "R", &R);

    b->hello.nlookups--;
    if (rc < 0 && errno == ENOSYS && !g->direct) {
        flux_log(b->h, LOG_WARNING,
                 "job %ju: there is no job-info: its R is that of its start",
                 (uintmax_t)g->id);
        again = xcalloc(1, sizeof(*again));
        *again = *g;
        again->direct = true;
        again->next = b->hello.waiting;
        b->hello.end = b->hello.waiting ? b->hello.end : again;
        b->hello.waiting = again;
        g->payload = NULL;
    } else {
        if (rc < 0)
            flux_log(b->h, LOG_ERR, "job %ju: its R can't be read: %s",
                     (uintmax_t)g->id, future_strerror(f, errno));
        send_greeted(g, rc < 0 ? NULL : R);
    }
    broker_forget(b, f); /* frees the job too */
    look_up(b);
}

/* Look up the R of waiting jobs. After the last one hello ends. */
static void look_up(struct broker *b)
{
    char *line = b->hello.goodbye, key[64];
    struct greeted *g;
    flux_future_t *f;

    while ((g = b->hello.waiting) && b->hello.nlookups < LOOKUPS_MAX) {
        b->hello.waiting = g->next;
        if (g->direct && flux_job_kvs_key(key, sizeof(key), g->id, "R") > 0)
            f = flux_kvs_lookup(b->h, NULL, 0, key);
        else
            f = flux_rpc_pack(b->h, "job-info.lookup", FLUX_NODEID_ANY, 0,
                              "{s:I s:[s] s:i}", "id", g->id, "keys", "R",
                              "flags", FLUX_JOB_LOOKUP_CURRENT);
        if (broker_then(b, f, take_R, g) == 0) {
            flux_future_aux_set(f, NULL, g, greeted_free);
            b->hello.nlookups++;
        } else {
            flux_log_error(b->h, "job %ju: its R", (uintmax_t)g->id);
            send_greeted(g, NULL);
            greeted_free(g);
        }
    }
    if (!line || b->hello.nlookups > 0)
        return;
    b->hello.goodbye = NULL;
    broker_deliver(b, line, strlen(line));
    free(line);
}

void hello_take(struct broker *b, uint32_t tag, const char *payload)
{
    struct greeted *g = xcalloc(1, sizeof(*g));
    struct diag d = {0};
    json_t *job = payload ? json_read(payload, strlen(payload), true, &d)
                          : NULL;
    const json_t *id = json_object_get(job, "id");

    *g = (struct greeted){.b = b,
                          .tag = tag,
                          .payload = xstrdup(payload ? payload : "null"),
                          .id = (flux_jobid_t)json_integer_value(id)};
    if (!json_is_integer(id) || json_object_get(job, "R")) {
        send_greeted(g, NULL);
        greeted_free(g);
    } else {
        *(b->hello.waiting ? &b->hello.end->next : &b->hello.waiting) = g;
        b->hello.end = g;
        look_up(b);
    }
    json_decref(job);
}

bool hello_ends(struct broker *b, char *line)
{
    if (b->hello.nlookups == 0 && !b->hello.waiting)
        return true;
    b->hello.goodbye = line;
    return false;
}

/* --- jobs that ended between hello and ready ------------------------------ */

void hello_forget(struct broker *b, flux_jobid_t id)
{
    if (map_get(&b->hello.to_check, &id, sizeof(id)))
        map_forget(&b->hello.to_check, &id, sizeof(id));
}

/* Free the jobs that are left. */
static void free_ended(struct broker *b)
{
    for (size_t i = 0; i < b->hello.to_check.count; i++) {
        flux_jobid_t id;

        memcpy(&id, b->hello.to_check.slots[i].key, sizeof(id));
        if (b->hello.to_check.slots[i].value.number)
            broker_free_job(b, (int64_t)id);
    }
    map_fini(&b->hello.to_check);
}

static void keep_cleaned(flux_future_t *f, void *arg)
{
    struct broker *b = arg;
    json_t *running = NULL, *one;
    const char *name;
    flux_jobid_t id;
    int rc = flux_rpc_get_unpack(f, "{s?{s?o}}", "housekeeping", "running",
                                 &running);

    json_object_foreach (running, name, one)
        if (flux_job_id_parse(name, &id) == 0)
            hello_forget(b, id);
    if (rc == 0)
        free_ended(b);
    broker_forget(b, f);
}

static void keep_running(flux_future_t *f, void *arg)
{
    struct broker *b = arg;
    json_t *jobs = NULL, *one;
    size_t i;
    int rc = flux_rpc_get_unpack(f, "{s:o}", "jobs", &jobs);

    json_array_foreach (jobs, i, one)
        hello_forget(
            b, (flux_jobid_t)json_integer_value(json_object_get(one, "id")));
    broker_forget(b, f);
    if (rc == 0 && b->hello.to_check.count > b->hello.to_check.nforgotten)
        broker_then(
            b,
            flux_rpc(b->h, "job-manager.stats-get", NULL, FLUX_NODEID_ANY, 0),
            keep_cleaned, b);
}

void hello_check_ended(flux_reactor_t *r, flux_watcher_t *w, int revents,
                       void *arg)
{
    struct broker *b = arg;

    (void)r, (void)w, (void)revents;
    if (b->hello.to_check.count > b->hello.to_check.nforgotten)
        broker_then(b,
                    flux_rpc_pack(b->h, "job-list.list", FLUX_NODEID_ANY, 0,
                                  "{s:i s:[] s:{s:[s]}}", "max_entries", 0,
                                  "attrs", "constraint", "states", "running"),
                    keep_running, b);
}

void hello_fini(struct broker *b)
{
    struct greeted *g;

    while ((g = b->hello.waiting)) {
        b->hello.waiting = g->next;
        greeted_free(g);
    }
    map_fini(&b->hello.to_check);
    free(b->hello.goodbye);
}
