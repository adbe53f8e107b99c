/* Reservations of the site, in the KVS (broker_private.h). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

#include "base/memory.h"
#include "base/time.h"
#include "broker_private.h"

/* The key of the reservations of the site, a list as sched.reservations has. */
static const char site_key[] = "sched-rset.reservations";

void site_reserved(const char *name, json_t *reservation, void *arg)
{
    struct broker *b = arg;
    const json_t *one;
    size_t i;

    json_array_foreach (b->site.list, i, one)
        if (!strcmp(json_string_value(json_object_get(one, "name")), name)) {
            json_array_remove(b->site.list, i);
            break;
        }
    if (reservation)
        json_array_append(b->site.list, reservation);
    b->site.changed = true;
}

static void take_site(flux_future_t *f, void *arg)
{
    struct broker *b = arg;
    struct flux_msglist *list = flux_future_aux_get(f, "changes");
    int rc = flux_future_get(f, NULL), error = errno;
    const flux_msg_t *request;
    char *text;

    xasprintf(&text, "it can't be kept in the KVS: %s",
              rc < 0 ? future_strerror(f, error) : "");
    while ((request = flux_msglist_pop(list))) {
        if (rc < 0)
            flux_respond_error(b->h, request, error, text);
        else
            flux_respond(b->h, request, NULL);
        flux_msg_decref(request);
    }
    if (rc < 0)
        flux_log(b->h, LOG_ERR, "reservations: %s", text);
    free(text);
    b->site.commits = false;
    broker_forget(b, f);
}

void site_commit(struct broker *b)
{
    flux_kvs_txn_t *txn;
    flux_future_t *f = NULL;

    if (!b->site.changed || b->site.commits)
        return;
    if (!(txn = flux_kvs_txn_create()))
        memory_exhausted();
    if (flux_kvs_txn_pack(txn, 0, site_key, "O", b->site.list) == 0)
        f = flux_kvs_commit(b->h, NULL, 0, txn);
    flux_kvs_txn_destroy(txn);
    b->site.changed = false;
    if (broker_then(b, f, take_site, b) < 0) {
        flux_log_error(b->h, "reservations");
        return;
    }
    b->site.commits = true;
    flux_future_aux_set(f, "changes", b->site.requests,
                        (flux_free_f)flux_msglist_destroy);
    if (!(b->site.requests = flux_msglist_create()))
        memory_exhausted();
}

void site_open(struct broker *b)
{
    flux_future_t *f = flux_kvs_lookup(b->h, NULL, 0, site_key);
    json_t *kept = NULL, *one;
    size_t i;

    if (f && flux_kvs_lookup_get_unpack(f, "O", &kept) < 0 && errno != ENOENT)
        flux_log_error(b->h, "reservations can't be read");
    else if (kept && !json_is_array(kept))
        flux_log(b->h, LOG_ERR, "reservations: %s is no list", site_key);
    b->site.list = json_array();
    json_array_foreach (kept, i, one) {
        const json_t *end = json_object_get(one, "end");
        if (!end || json_number_value(end) > time_now())
            json_array_append(b->site.list, one);
    }
    json_decref(kept);
    flux_future_destroy(f);
    if (!(b->site.requests = flux_msglist_create()))
        memory_exhausted();
}

void site_fini(struct broker *b)
{
    flux_msglist_destroy(b->site.requests);
    json_decref(b->site.list);
}
