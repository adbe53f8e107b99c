/*
 * The transport of broker.h. A message of the broker is wrapped as a line of
 * rset-protocol(5) and handed to the scheduler. Lines that the scheduler has
 * written are unwrapped. Its requests become RPCs, whose responses come back as
 * lines; its responses answer Flux's requests.
 *
 * Two tasks need more, since Flux keeps the R of a job in its KVS: hello
 * (broker_hello.c) and grants (broker_grants.c). Reservations of the site are
 * kept there, too (broker_site.c).
 */
#include "broker_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>

#include "base/json.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/time.h"
#include "protocol/message.h"
#include "schedule/policy.h"

enum { BURST = 200 }; /* jobs served before other messages */

/* A request of the scheduler that waits for responses. */
struct call {
    struct broker *b;
    char *topic;
    uint32_t tag;
    bool streaming, answered; /* a response has come */
};

void broker_stop(struct broker *b)
{
    b->stopped = true;
    flux_reactor_stop(b->reactor);
}

/* --- futures -------------------------------------------------------------- */

int broker_then(struct broker *b, flux_future_t *f, flux_continuation_f fn,
                void *arg)
{
    int error;

    if (f && flux_future_then(f, -1, fn, arg) == 0) {
        map_at(&b->futures, &f, sizeof(f))->value.pointer = f;
        return 0;
    }
    error = errno;
    flux_future_destroy(f);
    errno = error;
    return -1;
}

void broker_forget(struct broker *b, flux_future_t *f)
{
    map_forget(&b->futures, &f, sizeof(f));
    flux_future_destroy(f);
}

/* A guest gets the fault of a request as its answer: guests can't fill the
   log. */
static void take_log(enum log_level level, const char *text, void *arg)
{
    static const int levels[LEVELS] = {LOG_ERR, LOG_WARNING, LOG_INFO,
                                       LOG_DEBUG};
    struct broker *b = arg;
    uint32_t roles = FLUX_ROLE_OWNER;

    if (level == LEVEL_WARNING && b->current)
        flux_msg_get_rolemask(b->current, &roles);
    if (roles & FLUX_ROLE_OWNER)
        flux_log(b->h, levels[level], "%s", text);
}

/* --- lines ---------------------------------------------------------------- */

char *broker_wrap(const char *type, const char *topic, uint32_t tag,
                  const char *payload, int errnum, const char *errstr,
                  size_t *len)
{
    char *line;
    FILE *fp = memory_open(&line, len);

    fprintf(fp, "{\"type\":\"%s\",\"topic\":", type);
    json_write_message(fp, topic);
    if (tag > 0)
        fprintf(fp, ",\"matchtag\":%u", (unsigned)tag);
    if (payload)
        fprintf(fp, ",\"payload\":%s", payload);
    if (errnum > 0)
        fprintf(fp, ",\"errnum\":%d", errnum);
    json_write_field(fp, "errstr", errstr);
    putc('}', fp);
    memory_close(fp);
    return line;
}

char *broker_add_R(const char *object, const char *R)
{
    const char *end = strrchr(object, '}');
    char *text;

    if (!end)
        return xstrdup(object);
    xasprintf(&text, "%.*s,\"R\":%s}", (int)(end - object), object, R);
    return text;
}

static ssize_t take_bytes(void *cookie, const char *bytes, size_t n)
{
    struct broker *b = cookie;

    VECTOR_ROOM(b->text, b->room, b->len + n);
    memcpy(b->text + b->len, bytes, n);
    b->len += n;
    return (ssize_t)n;
}

/* --- answers -------------------------------------------------------------- */

/* Answer a sched.alloc. Any answer but ANNOTATE is the last. */
static void answer_alloc(struct broker *b, const struct message *m)
{
    json_t *payload = m->payload;
    int64_t id = json_integer_value(json_object_get(payload, "id"));
    json_int_t type = json_integer_value(json_object_get(payload, "type"));
    const flux_msg_t *request = map_get(&b->allocs, &id, sizeof(id));

    if (!request)
        return;
    if (type != ANNOTATE)
        map_forget(&b->allocs, &id, sizeof(id));
    if (type == SUCCESS) {
        grants_add(b, request, id, payload);
        return;
    }
    if (flux_respond_pack(b->h, request, "O", payload) < 0)
        flux_log_error(b->h, "answer to sched.alloc");
    if (type != ANNOTATE)
        flux_msg_decref(request);
}

/* Answer the current request. Other functions answer sched.alloc, and requests
   that change reservations of the site. */
static void answer_current(struct broker *b, const struct message *m)
{
    const flux_msg_t *request = b->current;
    int rc;

    if (!request)
        return;
    b->current = NULL;
    if (b->site.changed && !m->errnum
        && (!strcmp(m->topic, "sched.reserve")
            || !strcmp(m->topic, "sched.unreserve"))) {
        flux_msglist_append(b->site.requests, request);
        return;
    }
    if (m->errnum)
        rc = flux_respond_error(b->h, request, m->errnum, m->errstr);
    else if (m->payload)
        rc = flux_respond_pack(b->h, request, "O", m->payload);
    else
        rc = flux_respond(b->h, request, NULL);
    if (rc < 0)
        flux_log_error(b->h, "answer to %s", m->topic);
}

/* --- requests of the scheduler -------------------------------------------- */

static void call_free(void *arg)
{
    struct call *c = arg;

    free(c->topic);
    free(c);
}

/* Take a response to a request of the scheduler. If the stream of resources
   ends, the module ends without an error: there is nothing left to schedule. */
static void take_response(flux_future_t *f, void *arg)
{
    struct call *c = arg;
    struct broker *b = c->b;
    const char *payload = NULL;
    bool hello = !strcmp(c->topic, "job-manager.sched-hello");
    int errnum = flux_rpc_get(f, &payload) < 0 ? errno : 0;
    char *line = NULL;
    size_t len;

    if (errnum && !strcmp(c->topic, "resource.acquire")) {
        flux_log(b->h, c->answered ? LOG_INFO : LOG_ERR, "%s: %s",
                 c->answered ? "the stream of resources ended" : "no resources",
                 future_strerror(f, errnum));
        broker_stop(b);
    } else if (hello && !errnum) {
        hello_take(b, c->tag, payload);
    } else {
        line = broker_wrap("response", c->topic, c->tag,
                           errnum ? NULL : payload, errnum,
                           errnum ? future_strerror(f, errnum) : NULL, &len);
    }
    if (!errnum && !strcmp(c->topic, "job-manager.sched-ready")) {
        b->ready = true;
        flux_watcher_start(b->check);
    }
    c->answered = true;
    if (hello && line && !hello_ends(b, line))
        line = NULL;
    if (errnum || !c->streaming)
        broker_forget(b, f); /* frees the call too */
    else
        flux_future_reset(f);
    if (line)
        broker_deliver(b, line, len);
    free(line);
}

static void send_request(struct broker *b, const struct message *m)
{
    bool answered = message_answered(m);
    int flags = !answered      ? FLUX_RPC_NORESPONSE
                : m->streaming ? FLUX_RPC_STREAMING
                               : 0;
    flux_future_t *f = m->payload
                           ? flux_rpc_pack(b->h, m->topic, FLUX_NODEID_ANY,
                                           flags, "O", m->payload)
                           : flux_rpc(b->h, m->topic, NULL, FLUX_NODEID_ANY,
                                      flags);
    struct call *c;

    if (!f || !answered) {
        if (!f)
            flux_log_error(b->h, "%s", m->topic);
        flux_future_destroy(f);
        return;
    }
    c = xcalloc(1, sizeof(*c));
    *c = (struct call){.b = b,
                       .topic = xstrdup(m->topic),
                       .tag = m->matchtag,
                       .streaming = m->streaming};
    flux_future_aux_set(f, NULL, c, call_free);
    broker_then(b, f, take_response, c);
}

/* --- text of the scheduler ------------------------------------------------ */

static void unwrap(struct broker *b, const char *line, size_t len)
{
    struct diag d = {0};
    struct message m;

    if (message_read(line, len, &m, &d) < 0)
        flux_log(b->h, LOG_ERR, "%s", d.text);
    else if (!m.response)
        send_request(b, &m);
    else if (!strcmp(m.topic, "sched.alloc") && !m.errnum)
        answer_alloc(b, &m);
    else
        answer_current(b, &m);
    message_fini(&m);
}

/* Unwrap the scheduler's lines, then find out when to call it again. */
static void drain(struct broker *b)
{
    size_t at = 0;
    const char *end;
    double wakes, wait;

    fflush(b->out);
    while (
        (end = b->len > at ? memchr(b->text + at, '\n', b->len - at) : NULL)) {
        unwrap(b, b->text + at, (size_t)(end - b->text) - at);
        at = (size_t)(end - b->text) + 1;
    }
    b->len = 0;
    if (!scheduler_fine(b->s) && !b->stopped) {
        flux_log(b->h, LOG_CRIT,
                 "stopping: jobs wait until the module is loaded again");
        broker_stop(b);
    }
    if (scheduler_more(b->s))
        flux_watcher_start(b->idle);
    else
        flux_watcher_stop(b->idle);
    if ((wakes = scheduler_wakes(b->s)) >= 0) {
        wait = wakes - time_now();
        flux_timer_watcher_reset(b->timer, wait > 0 ? wait : 0, 0);
        flux_watcher_start(b->timer);
    } else {
        flux_watcher_stop(b->timer);
    }
}

void broker_deliver(struct broker *b, const char *line, size_t len)
{
    if (b->stopped)
        return;
    scheduler_line(b->s, SCHEDULER_MANAGER, line, len, ++b->lines);
    drain(b);
}

static void serve_more(flux_reactor_t *r, flux_watcher_t *w, int revents,
                       void *arg)
{
    struct broker *b = arg;

    (void)r, (void)w, (void)revents;
    scheduler_serve(b->s);
    drain(b);
}

static void wake(flux_reactor_t *r, flux_watcher_t *w, int revents, void *arg)
{
    struct broker *b = arg;

    (void)r, (void)w, (void)revents;
    scheduler_look(b->s);
    drain(b);
}

void broker_free_job(struct broker *b, int64_t id)
{
    char *payload, *line;
    size_t len;

    xasprintf(&payload, "{\"id\":%jd}", (intmax_t)id);
    line = broker_wrap("request", "sched.free", 0, payload, 0, NULL, &len);
    broker_deliver(b, line, len);
    free(line);
    free(payload);
}

static void commit(flux_reactor_t *r, flux_watcher_t *w, int revents, void *arg)
{
    (void)r, (void)w, (void)revents;
    site_commit(arg);
    grants_commit(arg);
}

/* --- requests of Flux ----------------------------------------------------- */

static void take_request(flux_t *h, flux_msg_handler_t *mh,
                         const flux_msg_t *msg, void *arg)
{
    struct broker *b = arg;
    const char *topic, *payload;
    uint32_t matchtag = 0;
    bool alloc, answered;
    int64_t id;
    char *line;
    size_t len;

    (void)mh;
    if (flux_request_decode(msg, &topic, &payload) < 0
        || flux_msg_get_matchtag(msg, &matchtag) < 0) {
        flux_respond_error(h, msg, errno, NULL);
        return;
    }
    alloc = !strcmp(topic, "sched.alloc");
    /* A request that comes before was sent to the scheduler that was here until
       now. The job manager sends it again after sched-ready. */
    if (alloc && !b->ready)
        return;
    answered = matchtag != FLUX_MATCHTAG_NONE && !flux_msg_is_noresponse(msg);
    if (!strcmp(topic, b->stats))
        topic = "sched.stats-get";
    /* The answer needs no payload: a jobspec may be large, and wait for long.
     */
    if (alloc && flux_request_unpack(msg, NULL, "{s:I}", "id", &id) == 0
        && !map_get(&b->allocs, &id, sizeof(id))
        && !(map_at(&b->allocs, &id, sizeof(id))->value.pointer = flux_msg_copy(
                 msg, false)))
        memory_exhausted();
    if (!strcmp(topic, "sched.free")
        && flux_request_unpack(msg, NULL, "{s:I}", "id", &id) == 0)
        hello_forget(b, (flux_jobid_t)id);
    b->current = msg;
    line = broker_wrap("request", topic, answered, payload, 0, NULL, &len);
    broker_deliver(b, line, len);
    free(line);
    if (b->current && answered && !alloc)
        flux_respond_error(h, msg, EPROTO, NULL);
    b->current = NULL;
}

/* --- the configuration of Flux -------------------------------------------- */

/* Read the options from the arguments and a configuration. Returns -1 with a
   diag. */
static int read_options(struct broker *b, const flux_conf_t *conf,
                        struct scheduler_options *o, struct diag *d)
{
    char *rules;

    if (b->module->read(b->h, b->module, conf, o, d) < 0) {
        queue_rules_fini(&o->rules);
        return -1;
    }
    rules = queue_rules_text(&o->rules);
    if (o->most >= LEVEL_INFO)
        flux_log(b->h, LOG_INFO, "policy %s, queue policy %s",
                 policy_name(o->how.policy), *rules ? rules : "fcfs");
    free(rules);
    return 0;
}

static void take_config(flux_t *h, flux_msg_handler_t *mh,
                        const flux_msg_t *msg, void *arg)
{
    struct broker *b = arg;
    struct scheduler_options o;
    flux_conf_t *conf;
    struct diag d = {0};
    int rc;

    (void)mh;
    if (flux_module_config_request_decode(msg, &conf) < 0) {
        flux_respond_error(h, msg, errno, NULL);
    } else if (read_options(b, conf, &o, &d) < 0) {
        flux_respond_error(h, msg, EINVAL, diag_line(&d).text);
        flux_conf_decref(conf);
    } else {
        if (!scheduler_configure(b->s, &o))
            flux_log(h, LOG_WARNING,
                     "queue-depth, queues and trust count when the module is "
                     "loaded again");
        drain(b);
        rc = flux_set_conf_new(h, conf);
        if (rc < 0 || flux_respond(h, msg, NULL) < 0)
            flux_log_error(h, "configuration");
    }
}

/* --- beginning and end ---------------------------------------------------- */

/* Register the services of a scheduler. Returns 0, or -1 with errno. */
static int register_services(struct broker *b)
{
    static const char *const services[] = {"sched", "feasibility"};
    flux_future_t *f;
    int rc = 0, error;

    for (int i = 0; i < 2 && rc == 0; i++) {
        f = flux_service_register(b->h, services[i]);
        rc = f ? flux_future_get(f, NULL) : -1;
        error = errno;
        if (rc < 0 && error == EEXIST)
            flux_log(b->h, LOG_ERR,
                     "another scheduler is loaded: it has the service %s",
                     services[i]);
        else if (rc < 0)
            flux_log(b->h, LOG_ERR, "service %s: %s", services[i],
                     strerror(error));
        flux_future_destroy(f);
        errno = error;
    }
    return rc;
}

/* Drop unanswered requests: their senders ask the next scheduler. */
static void forget_all(struct broker *b)
{
    grants_fini(b);
    hello_fini(b);
    site_fini(b);
    for (size_t i = 0; i < b->futures.count; i++)
        flux_future_destroy(b->futures.slots[i].value.pointer);
    map_fini(&b->futures);
    for (size_t i = 0; i < b->allocs.count; i++)
        flux_msg_decref(b->allocs.slots[i].value.pointer);
    map_fini(&b->allocs);
    free(b->text);
    free(b->stats);
}

int broker_serve(flux_t *h, const struct module *module)
{
    static const char *const groups[] = {"default", NULL};
    const cookie_io_functions_t functions = {.write = take_bytes};
    struct broker b = {
        .h = h, .module = module, .reactor = flux_get_reactor(h)};
    flux_msg_handler_t **handlers = NULL;
    struct scheduler_options o;
    struct diag d = {0};
    char *config;
    int rc;

    if (read_options(&b, flux_get_conf(h), &o, &d) < 0) {
        flux_log(h, LOG_ERR, "%s", diag_line(&d).text);
        errno = EINVAL;
        return -1;
    }
    xasprintf(&b.stats, "%s.stats-get", module->name);
    xasprintf(&config, "%s.config-reload", module->name);
    const struct flux_msg_handler_spec specs[] = {
        {FLUX_MSGTYPE_REQUEST, "sched.*", take_request, 0},
        {FLUX_MSGTYPE_REQUEST, "sched.resource-status", take_request,
         FLUX_ROLE_USER},
        {FLUX_MSGTYPE_REQUEST, "sched.disconnect", take_request,
         FLUX_ROLE_USER},
        {FLUX_MSGTYPE_REQUEST, "feasibility.*", take_request, FLUX_ROLE_USER},
        {FLUX_MSGTYPE_REQUEST, b.stats, take_request, FLUX_ROLE_USER},
        {FLUX_MSGTYPE_REQUEST, config, take_config, 0},
        FLUX_MSGHANDLER_TABLE_END};

    if (!(b.out = fopencookie(&b, "w", functions)))
        memory_exhausted();
    o.dialect = DIALECT_CURRENT;
    o.groups = groups;
    o.burst = BURST;
    o.shell = true;
    o.manager = o.provider = b.out;
    o.input = module->name;
    o.now = -1;
    o.log = take_log;
    o.arg = &b;
    o.reserved = site_reserved;
    site_open(&b);
    o.reservations = b.site.list;
    rc = register_services(&b);
    if (rc == 0)
        rc = flux_msg_handler_addvec(h, specs, &b, &handlers);
    if (rc == 0) {
        b.s = scheduler_create(&o);
        b.prepare = flux_prepare_watcher_create(b.reactor, commit, &b);
        b.idle = flux_idle_watcher_create(b.reactor, serve_more, &b);
        b.timer = flux_timer_watcher_create(b.reactor, 0, 0, wake, &b);
        b.check = flux_timer_watcher_create(b.reactor, 1, 0, hello_check_ended,
                                            &b);
        flux_watcher_start(b.prepare);
        scheduler_start(b.s);
        drain(&b);
        if (flux_reactor_run(b.reactor, 0) < 0)
            flux_log_error(h, "reactor");
        flux_watcher_destroy(b.prepare);
        flux_watcher_destroy(b.idle);
        flux_watcher_destroy(b.timer);
        flux_watcher_destroy(b.check);
    } else {
        queue_rules_fini(&o.rules);
    }
    flux_msg_handler_delvec(handlers);
    free(config);
    fclose(b.out);
    scheduler_destroy(b.s);
    forget_all(&b);
    return rc;
}
