/* Asks sched-rset for reservations of the site (reserve.h). */
#include "reserve.h"

#include <errno.h>
#include <flux/core.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "cli/targets.h"
#include "model/document/document.h"

/* Send a request and wait for its answer, which is a new object in *answer
   (NULL: none is expected). `pass`: an error of the scheduler that is a
   negative answer. */
static int call(const char *topic, json_t *payload, int pass, json_t **answer,
                struct diag *d)
{
    flux_error_t error;
    flux_t *h = flux_open_ex(NULL, 0, &error);
    flux_future_t *f = NULL;
    int status = STATUS_TROUBLE, rc = -1;

    if (!h) {
        diag_set(d, "no instance of Flux: %s", error.text);
        json_decref(payload);
        return status;
    }
    f = flux_rpc_pack(h, topic, FLUX_NODEID_ANY, 0, "o", payload);
    if (f)
        rc = answer ? flux_rpc_get_unpack(f, "O", answer)
                    : flux_rpc_get(f, NULL);
    if (rc == 0) {
        status = STATUS_OK;
    } else if (errno == ENOSYS) {
        diag_set(d, "%s: the scheduler of the instance is not sched-rset",
                 topic);
    } else {
        status = f && errno == pass ? STATUS_NO : STATUS_TROUBLE;
        diag_set(d, "%s", f ? flux_future_error_string(f) : strerror(errno));
    }
    flux_future_destroy(f);
    flux_close(h);
    return status;
}

/* Return the ranks of the targets, as text, a new string; NULL with a diag. */
static char *read_targets(const char *targets, struct diag *d)
{
    struct named_rset one = {NULL, (char *)"the instance"};
    const struct rset_list sets = {&one, 1};
    struct constraint *c = NULL;
    json_t *status = NULL;
    char *text = NULL;
    struct idset *ranks;

    if (call("sched.resource-status", json_object(), 0, &status, d)
        != STATUS_OK)
        return NULL;
    text = json_dumps(json_object_get(status, "all"), JSON_COMPACT);
    json_decref(status);
    if (text)
        one.rs = rset_read_text(text, strlen(text), "sched.resource-status",
                                TRUST_NONE, d);
    free(text);
    text = NULL;
    if (one.rs && (c = cli_targets(targets, "--targets", &sets, true, d))) {
        ranks = constraint_ranks(c, one.rs);
        text = idset_encode(ranks);
        idset_destroy(ranks);
    }
    constraint_destroy(c);
    rset_destroy(one.rs);
    return text;
}

/* Check that a text can be in a message. */
static int check_text(const char *text, struct diag *d)
{
    return utf8_is(text)
               ? 0
               : diag_set(d, "%s: expected UTF-8", quote_all(text).text);
}

int reserve_make(const char *name, const struct reserve_options *o,
                 struct diag *d)
{
    double now = cli_clock(&(bool){false});
    struct cli_times times;
    struct cli_when when;
    json_t *payload;
    char *ranks;

    if (!o->targets) {
        diag_set(d, "reserve: --targets is expected");
        return STATUS_TROUBLE;
    }
    if (check_text(name, d) < 0 || (o->owner && check_text(o->owner, d) < 0)
        || cli_when_check(&o->times, d) < 0
        || cli_when_read(&o->times, now, &when, d) < 0
        || cli_times(&when, now, 0, false, &times, d) < 0
        || !(ranks = read_targets(o->targets, d)))
        return STATUS_TROUBLE;
    payload = json_pack("{s:s, s:s, s:b}", "name", name, "targets", ranks,
                        "any-state", o->any_state);
    if (!payload)
        memory_exhausted();
    if (times.start >= 0)
        json_object_set_new(payload, "start", json_real(times.start));
    if (times.end >= 0)
        json_object_set_new(payload, "end", json_real(times.end));
    if (o->owner)
        json_object_set_new(payload, "owner", json_string(o->owner));
    free(ranks);
    return call("sched.reserve", payload, EBUSY, NULL, d);
}

int reserve_free(const char *name, struct diag *d)
{
    if (check_text(name, d) < 0)
        return STATUS_TROUBLE;
    return call("sched.unreserve", json_pack("{s:s}", "name", name), ENOENT,
                NULL, d);
}
