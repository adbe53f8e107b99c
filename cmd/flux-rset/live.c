/*
 * Asks a Flux instance for its jobs and its resources (live.h).
 *
 * The list of jobs comes first, then the R and the events of each, with up to
 * WINDOW requests at a time. The events show what a job has given back since it
 * was listed.
 */
#include "live.h"

#include <errno.h>
#include <flux/core.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/memory.h"

enum { WINDOW = 100 };

/* --- requests ------------------------------------------------------------- */

/* Set a diag to the reason why a request failed. Returns -1. */
static int refused(flux_future_t *f, const char *topic, struct diag *d)
{
    int errnum = errno;

    return diag_set(d, "%s: %s", topic,
                    f ? flux_future_error_string(f) : strerror(errnum));
}

static int read_ranks(const char *text, const char *name, struct idset **out,
                      struct diag *d)
{
    return idset_decode(text, strlen(text), out, d) < 0 ? diag_in(d, "%s", name)
                                                        : 0;
}

/* --- resources ------------------------------------------------------------ */

/* Add the graph of the instance to its R. Only the owner may read it. */
static void add_graph(flux_t *h, json_t *R)
{
    flux_future_t *f = flux_kvs_lookup(h, NULL, 0, "resource.R");
    json_t *graph;

    if (f && flux_kvs_lookup_get_unpack(f, "{s:o}", "scheduling", &graph) == 0)
        json_object_set(R, "scheduling", graph);
    flux_future_destroy(f);
}

static int read_drained(struct live *live, json_t *drained, struct diag *d)
{
    const char *ranks, *reason;
    json_t *why;

    json_object_foreach (drained, ranks, why) {
        struct outage *one;

        VECTOR_GROW(live->drained, live->ndrained);
        one = &live->drained[live->ndrained++];
        *one = (struct outage){0};
        if (json_unpack(why, "{s:F s:s}", "timestamp", &one->time, "reason",
                        &reason)
            < 0)
            return diag_set(d, "drain: a timestamp and a reason are expected");
        one->reason = xstrdup(reason);
        if (read_ranks(ranks, "drain", &one->ranks, d) < 0)
            return -1;
    }
    return 0;
}

static int read_resources(struct live *live, flux_t *h, struct diag *d)
{
    static const char topic[] = "resource.status";
    flux_future_t *f = flux_rpc(h, topic, NULL, 0, 0); /* of rank 0 */
    const char *excluded, *offline, *torpid = "";
    json_t *R, *drained;
    int rc = -1;

    if (!f
        || flux_rpc_get_unpack(f, "{s:o s:o s:s s:s s?s}", "R", &R, "drain",
                               &drained, "exclude", &excluded, "offline",
                               &offline, "torpid", &torpid)
               < 0) {
        refused(f, topic, d);
    } else if (read_ranks(excluded, "exclude", &live->excluded, d) < 0
               || read_ranks(offline, "offline", &live->offline, d) < 0
               || read_ranks(torpid, "torpid", &live->torpid, d) < 0
               || read_drained(live, drained, d) < 0) {
        diag_source(d, topic);
    } else {
        add_graph(h, R);
        if (!(live->R = json_dumps(R, JSON_COMPACT)))
            memory_exhausted();
        rc = 0;
    }
    flux_future_destroy(f);
    return rc;
}

/* --- the list of jobs ----------------------------------------------------- */

static struct live_job *add_job(struct live *live, int64_t id)
{
    struct live_job *job;

    VECTOR_GROW(live->jobs, live->njobs);
    job = &live->jobs[live->njobs++];
    *job = (struct live_job){.released = idset_create()};
    snprintf(job->id, sizeof(job->id), "%" PRId64, id);
    return job;
}

static int list_jobs(struct live *live, flux_t *h, struct diag *d)
{
    static const char topic[] = "job-list.list";
    flux_future_t *f = flux_rpc_pack(
        h, topic, FLUX_NODEID_ANY, 0, "{s:i s:[s] s:{s:[s]}}", "max_entries", 0,
        "attrs", "queue", "constraint", "states", "running");
    const char *queue;
    json_t *jobs, *one;
    json_int_t id;
    size_t i;
    int rc = 0;

    if (!f || flux_rpc_get_unpack(f, "{s:o}", "jobs", &jobs) < 0) {
        rc = refused(f, topic, d);
    } else {
        json_array_foreach (jobs, i, one) {
            queue = NULL;
            if (json_unpack(one, "{s:I s?s}", "id", &id, "queue", &queue) < 0) {
                rc = diag_set(d, "%s: a job without an id", topic);
                break;
            }
            add_job(live, id)->queue = queue ? xstrdup(queue) : NULL;
        }
    }
    flux_future_destroy(f);
    return rc;
}

/* Add jobs that have ended but are still cleaned up by housekeeping. They are
   not listed, and their ranks are not free yet. */
static int list_kept(struct live *live, flux_t *h, struct diag *d)
{
    static const char topic[] = "job-manager.stats-get";
    flux_future_t *f = flux_rpc(h, topic, NULL, FLUX_NODEID_ANY, 0);
    size_t listed = live->njobs;
    struct map by_id = {0};
    json_t *running = NULL, *one;
    const char *id, *ranks;
    flux_jobid_t number;
    int rc = 0;

    for (size_t i = 0; i < listed; i++)
        map_at(&by_id, live->jobs[i].id, strlen(live->jobs[i].id))
            ->value.number = i + 1;
    if (!f
        || flux_rpc_get_unpack(f, "{s?{s?o}}", "housekeeping", "running",
                               &running)
               < 0)
        rc = refused(f, topic, d);
    json_object_foreach (running, id, one) {
        struct live_job *job;
        const struct map_slot *slot;
        char text[24];

        if (flux_job_id_parse(id, &number) < 0
            || json_unpack(one, "{s:s}", "allocated", &ranks) < 0) {
            rc = diag_set(d,
                          "%s: housekeeping: an id and the ranks of a job "
                          "are expected",
                          topic);
            break;
        }
        snprintf(text, sizeof(text), "%" PRIu64, number);
        slot = map_find(&by_id, text, strlen(text));
        job = slot ? &live->jobs[slot->value.number - 1]
                   : add_job(live, (int64_t)number);
        if ((rc = read_ranks(ranks, "housekeeping", &job->kept, d)) < 0) {
            diag_source(d, topic);
            break;
        }
    }
    map_fini(&by_id);
    flux_future_destroy(f);
    return rc;
}

/* --- resources of each job ------------------------------------------------ */

/* Read an event of a job (RFC 21): its owner, or resources that it gave
   back. */
static int read_event(struct live_job *job, const json_t *event, struct diag *d)
{
    const char *name, *text;
    struct idset *ranks;
    json_int_t owner;
    json_t *context = NULL;

    if (json_unpack((json_t *)event, "{s:s s?o}", "name", &name, "context",
                    &context)
        < 0)
        return diag_set(d, "an event without a name");
    if (!strcmp(name, "submit")
        && json_unpack(context, "{s:I}", "userid", &owner) == 0) {
        snprintf(job->owner, sizeof(job->owner), "%" JSON_INTEGER_FORMAT,
                 owner);
    } else if (!strcmp(name, "free")) {
        idset_add(job->released, 0, IDSET_MAX);
    } else if (!strcmp(name, "release")
               && json_unpack(context, "{s:s}", "ranks", &text) == 0) {
        if (!strcmp(text, "all"))
            ranks = idset_create_range(0, IDSET_MAX);
        else if (read_ranks(text, "release", &ranks, d) < 0)
            return -1;
        idset_add_set(job->released, ranks);
        idset_destroy(ranks);
    }
    return 0;
}

static int read_events(struct live_job *job, const char *text, struct diag *d)
{
    const char *end;
    json_t *event;
    int rc = 0;

    for (; rc == 0 && (end = strchr(text, '\n')); text = end + 1) {
        if (!(event = json_loadb(text, (size_t)(end - text), 0, NULL)))
            return diag_set(d, "eventlog: a line is not JSON");
        rc = read_event(job, event, d);
        json_decref(event);
    }
    return rc;
}

/* Take the R and the events of a job, or note that a guest may not read them. A
   job that was cancelled while it waited never had an R. */
static int take(struct live_job *job, flux_future_t *f, bool *guest,
                struct diag *d)
{
    const char *R, *events;
    int rc = 0;

    if (f
        && flux_rpc_get_unpack(f, "{s:s s:s}", "R", &R, "eventlog", &events)
               == 0) {
        job->R = xstrdup(R);
        if ((rc = read_events(job, events, d)) < 0)
            diag_source(d, "job %s", job->id);
    } else if (errno == EPERM) {
        *guest = true;
    } else if (errno != ENOENT) {
        rc = refused(f, "job-info.lookup", d);
    }
    return rc;
}

static int look_up(struct live *live, flux_t *h, bool *guest, struct diag *d)
{
    flux_future_t *requests[WINDOW];
    size_t sent = 0;
    int rc = 0;

    for (size_t i = 0; i < live->njobs && (rc == 0 || i < sent); i++) {
        for (; rc == 0 && sent < live->njobs && sent < i + WINDOW; sent++)
            requests[sent % WINDOW] = flux_rpc_pack(
                h, "job-info.lookup", FLUX_NODEID_ANY, 0, "{s:I s:[ss] s:i}",
                "id", (json_int_t)strtoll(live->jobs[sent].id, NULL, 10),
                "keys", "R", "eventlog", "flags", FLUX_JOB_LOOKUP_CURRENT);
        if (rc == 0)
            rc = take(&live->jobs[i], requests[i % WINDOW], guest, d);
        flux_future_destroy(requests[i % WINDOW]);
    }
    return rc;
}

/* --- reservations of the site --------------------------------------------- */

/* Other schedulers have none. */
static int list_reservations(struct live *live, flux_t *h, struct diag *d)
{
    static const char topic[] = "sched.reservations";
    flux_future_t *f = flux_rpc(h, topic, NULL, FLUX_NODEID_ANY, 0);
    json_t *list;
    int rc = 0;

    if (f && flux_rpc_get_unpack(f, "{s:o}", "reservations", &list) == 0)
        live->reservations = json_incref(list);
    else if (errno != ENOSYS && errno != EPERM)
        rc = refused(f, topic, d);
    flux_future_destroy(f);
    return rc;
}

/* --- what a guest may see ------------------------------------------------- */

/* Ask the scheduler, or the resource module if it answers owners only: that one
   may not have a graph. */
static int read_status(struct live *live, flux_t *h, struct diag *d)
{
    const char *text, *topic = "sched.resource-status";
    flux_future_t *f = flux_rpc(h, topic, NULL, FLUX_NODEID_ANY, 0);
    int rc = 0;

    if (f && flux_rpc_get(f, &text) < 0 && errno == EPERM) {
        flux_future_destroy(f);
        topic = "resource.sched-status";
        f = flux_rpc(h, topic, NULL, 0, 0);
    }
    if (f && flux_rpc_get(f, &text) == 0 && text)
        live->status = xstrdup(text);
    else
        rc = refused(f, topic, d);
    flux_future_destroy(f);
    return rc;
}

/* --- everything ----------------------------------------------------------- */

int live_read(struct live *live, struct diag *d)
{
    flux_error_t error;
    flux_t *h = flux_open_ex(NULL, 0, &error);
    bool guest = false;
    int rc;

    if (!h)
        return diag_set(d, "no instance of Flux: %s", error.text);
    rc = list_jobs(live, h, d) < 0 || list_kept(live, h, d) < 0
                 || look_up(live, h, &guest, d) < 0
                 || (guest && read_status(live, h, d) < 0)
                 || read_resources(live, h, d) < 0
                 || list_reservations(live, h, d) < 0
             ? -1
             : 0;
    flux_close(h);
    return rc;
}

void live_fini(struct live *live)
{
    for (size_t i = 0; i < live->njobs; i++) {
        free(live->jobs[i].queue);
        free(live->jobs[i].R);
        idset_destroy(live->jobs[i].released);
        idset_destroy(live->jobs[i].kept);
    }
    for (size_t i = 0; i < live->ndrained; i++) {
        idset_destroy(live->drained[i].ranks);
        free(live->drained[i].reason);
    }
    idset_destroy(live->excluded);
    idset_destroy(live->offline);
    idset_destroy(live->torpid);
    free(live->drained);
    json_decref(live->reservations);
    free(live->jobs);
    free(live->R);
    free(live->status);
    *live = (struct live){0};
}
