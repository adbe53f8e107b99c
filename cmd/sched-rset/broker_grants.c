/*
 * Grants: R's in the KVS (broker_private.h). An R is committed there before the
 * job manager gets SUCCESS. R's that come during a commit make up the next one.
 * Answers keep their order, because only one commit is in progress at a time.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

#include "base/memory.h"
#include "broker_private.h"

/* A job that was given resources and waits until its R is in the KVS. */
struct grant {
    struct grant *next;
    const flux_msg_t *request;
    int64_t id;
    json_t *payload; /* payload of the answer; its R is a string */
};

void grants_add(struct broker *b, const flux_msg_t *request, int64_t id,
                json_t *payload)
{
    struct grant *g = xcalloc(1, sizeof(*g));

    *g = (struct grant){
        .request = request, .id = id, .payload = json_incref(payload)};
    *(b->grants.first ? &b->grants.last->next : &b->grants.first) = g;
    b->grants.last = g;
}

/* Finish the first grant. Its R is in the KVS; or there was a fault, and then
   the job is denied and freed. */
static void end_grant(struct broker *b, const char *fault)
{
    struct grant *g = b->grants.first;
    char *R = xstrdup(json_string_value(json_object_get(g->payload, "R"))),
         *rest = NULL, *text = NULL;
    int rc;

    b->grants.first = g->next;
    if (fault) {
        rc = flux_respond_pack(b->h, g->request, "{s:I s:i s:s}", "id", g->id,
                               "type", DENY, "note", fault);
        flux_log(b->h, LOG_ERR, "job %jd: %s", (intmax_t)g->id, fault);
        broker_free_job(b, g->id);
    } else {
        json_object_del(g->payload, "R");
        rest = json_dumps(g->payload, JSON_COMPACT);
        text = broker_add_R(rest, R);
        rc = flux_respond(b->h, g->request, text);
    }
    if (rc < 0)
        flux_log_error(b->h, "answer to sched.alloc");
    free(rest);
    free(text);
    free(R);
    flux_msg_decref(g->request);
    json_decref(g->payload);
    free(g);
}

/* Finish a commit. If several R's failed together, each is tried alone. */
static void end_commit(struct broker *b, const char *fault)
{
    size_t n = b->grants.ncommitting;
    char *text;

    b->grants.ncommitting = 0;
    if (fault && n > 1) {
        b->grants.nsingle = n;
        return;
    }
    xasprintf(&text, "its R can't be committed: %s", fault ? fault : "");
    for (size_t i = 0; i < n; i++)
        end_grant(b, fault ? text : NULL);
    free(text);
}

static void take_commit(flux_future_t *f, void *arg)
{
    int rc = flux_future_get(f, NULL);

    end_commit(arg, rc < 0 ? future_strerror(f, errno) : NULL);
    broker_forget(arg, f);
}

void grants_commit(struct broker *b)
{
    flux_kvs_txn_t *txn;
    char key[64];
    int rc = 0;

    while (b->grants.ncommitting == 0 && b->grants.first) {
        if (!(txn = flux_kvs_txn_create()))
            memory_exhausted();
        for (struct grant *g = b->grants.first; g && rc == 0; g = g->next) {
            if (flux_job_kvs_key(key, sizeof(key), (flux_jobid_t)g->id, "R") < 0
                || flux_kvs_txn_put(
                       txn, 0, key,
                       json_string_value(json_object_get(g->payload, "R")))
                       < 0)
                rc = -1;
            b->grants.ncommitting++;
            if (b->grants.nsingle > 0)
                break;
        }
        b->grants.nsingle -= b->grants.nsingle > 0;
        if (rc == 0)
            rc = broker_then(b, flux_kvs_commit(b->h, NULL, 0, txn),
                             take_commit, b);
        if (rc < 0)
            end_commit(b, strerror(errno));
        flux_kvs_txn_destroy(txn);
    }
}

void grants_fini(struct broker *b)
{
    struct grant *g;

    while ((g = b->grants.first)) {
        b->grants.first = g->next;
        flux_msg_decref(g->request);
        json_decref(g->payload);
        free(g);
    }
}
