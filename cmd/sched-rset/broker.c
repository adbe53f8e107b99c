/*
 * The transport of broker.h. A message of the broker is wrapped as a line of
 * rset-protocol(5) and handed to the scheduler. Lines that the scheduler has
 * written are unwrapped. Its requests become RPCs, whose responses come back as
 * lines; its responses answer Flux's requests.
 *
 * Two tasks need more. Flux keeps the R of a job in its KVS: an R is committed
 * there before the job manager gets SUCCESS, and the R is added to hello's
 * message about a job. Meanwhile other messages are served. R's that come
 * during a commit make up the next one. Answers keep their order, because only
 * one commit is in progress at a time.
 */
#include "broker.h"

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

enum {
    BURST = 200,       /* jobs served before other messages */
    LOOKUPS_MAX = 100, /* lookups of an R in progress at a time */
};

/* The key of the reservations of the site, a list as sched.reservations has. */
static const char site_key[] = "sched-rset.reservations";

/* Types of an answer to sched.alloc (RFC 27). */
enum { SUCCESS, ANNOTATE, DENY };

/* A job that was given resources and waits until its R is in the KVS. */
struct grant {
    struct grant *next;
    const flux_msg_t *request;
    int64_t id;
    json_t *payload; /* payload of the answer; its R is a string */
};

/* A job that hello has listed. */
struct greeted {
    struct greeted *next;
    struct broker *b;
    char *payload; /* a JSON object */
    uint32_t tag;
    flux_jobid_t id;
    bool direct; /* read its R directly from the KVS */
};

/* A request of the scheduler that waits for responses. */
struct call {
    struct broker *b;
    char *topic;
    uint32_t tag;
    bool streaming, answered; /* a response has come */
};

struct broker {
    flux_t *h;
    const struct module *module;
    flux_reactor_t *reactor;
    char *stats; /* topic of the module's own statistics */
    struct scheduler *s;
    uint64_t lines; /* number of lines that the scheduler got */
    bool stopped;
    bool ready; /* the job manager has answered sched-ready */
    /* text of the scheduler that is not unwrapped yet */
    FILE *out;
    char *text;
    size_t len, room;
    /* requests of Flux */
    const flux_msg_t *current; /* being served; NULL: none, or answered */
    struct map allocs;         /* sched.alloc of each job that waits, by id */
    struct map futures;        /* futures that wait, by address */
    /* grants, in their order */
    struct grant *first, *last;
    size_t ncommitting; /* how many of the first ones are being committed */
    size_t nsingle;     /* commit this many singly: together they failed */
    /* reservations of the site: all, and the requests to answer when these are
       in the KVS */
    json_t *site;
    struct flux_msglist *changes;
    bool site_changed, site_commits;
    /* hello */
    struct greeted *waiting, *end;
    size_t nlookups;
    char *goodbye; /* the line that ends hello, delivered after all lookups */
    struct map to_check; /* ids of hello's jobs that still hold resources */
    flux_watcher_t *prepare, *idle, *timer, *check;
};

static void deliver(struct broker *b, const char *line, size_t len);

static void stop(struct broker *b)
{
    b->stopped = true;
    flux_reactor_stop(b->reactor);
}

/* --- futures -------------------------------------------------------------- */

/*
 * Call a function with `arg` when a future is fulfilled. The function must end
 * the future with forget_future(). `f` may be NULL. Returns -1 with errno, and
 * then destroys the future. A future that still waits at the end of the module
 * is destroyed there, with its attached data.
 */
static int then(struct broker *b, flux_future_t *f, flux_continuation_f fn,
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

static void forget_future(struct broker *b, flux_future_t *f)
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

/* Return a message as a line, a new string. `payload`: JSON, or NULL for none.
   `errnum`: 0 unless it is an error. A payload that is no JSON can't add keys
   to the line: its reader refuses a key that comes twice. */
static char *wrap(const char *type, const char *topic, uint32_t tag,
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
    if (errstr) {
        fputs(",\"errstr\":", fp);
        json_write_message(fp, errstr);
    }
    putc('}', fp);
    memory_close(fp);
    return line;
}

/* Return an object with an R after its other keys, a new string. */
static char *add_R(const char *object, const char *R)
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

    if (b->room - b->len < n) {
        b->room = (b->len + n) * 2;
        b->text = xrealloc(b->text, b->room);
    }
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
    struct grant *g;

    if (!request)
        return;
    if (type != ANNOTATE)
        map_forget(&b->allocs, &id, sizeof(id));
    if (type == SUCCESS) {
        g = xcalloc(1, sizeof(*g));
        *g = (struct grant){
            .request = request, .id = id, .payload = json_incref(payload)};
        *(b->first ? &b->last->next : &b->first) = g;
        b->last = g;
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
    if (b->site_changed && !m->errnum
        && (!strcmp(m->topic, "sched.reserve")
            || !strcmp(m->topic, "sched.unreserve"))) {
        flux_msglist_append(b->changes, request);
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

static void take_hello(struct broker *b, uint32_t tag, const char *payload);

/* Remove a job of hello from the jobs to be checked. */
static void forget_checked(struct broker *b, flux_jobid_t id)
{
    if (map_get(&b->to_check, &id, sizeof(id)))
        map_forget(&b->to_check, &id, sizeof(id));
}

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
        stop(b);
    } else if (hello && !errnum) {
        take_hello(b, c->tag, payload);
    } else {
        line = wrap("response", c->topic, c->tag, errnum ? NULL : payload,
                    errnum, errnum ? future_strerror(f, errnum) : NULL, &len);
    }
    if (!errnum && !strcmp(c->topic, "job-manager.sched-ready")) {
        b->ready = true;
        flux_watcher_start(b->check);
    }
    c->answered = true;
    if (hello && line && (b->nlookups > 0 || b->waiting)) {
        b->goodbye = line;
        line = NULL;
    }
    if (errnum || !c->streaming)
        forget_future(b, f); /* frees the call too */
    else
        flux_future_reset(f);
    if (line)
        deliver(b, line, len);
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
    then(b, f, take_response, c);
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
        stop(b);
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

/* Hand a line to the scheduler and unwrap its answers. */
static void deliver(struct broker *b, const char *line, size_t len)
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

/* Tell the scheduler that a job has given everything back. */
static void free_job(struct broker *b, int64_t id)
{
    char *payload, *line;
    size_t len;

    xasprintf(&payload, "{\"id\":%jd}", (intmax_t)id);
    line = wrap("request", "sched.free", 0, payload, 0, NULL, &len);
    deliver(b, line, len);
    free(line);
    free(payload);
}

/* --- hello: the R of each job --------------------------------------------- */

static const char hello[] = "job-manager.sched-hello";

/* Report a job of hello with its R to the scheduler. NULL: the R could not be
   read; the scheduler decides about the job. */
static void send_greeted(struct greeted *g, const char *R)
{
    char *payload = R ? add_R(g->payload, R) : NULL, *line;
    size_t len;

    map_at(&g->b->to_check, &g->id, sizeof(g->id))->value.number = 1;
    line = wrap("response", hello, g->tag, payload ? payload : g->payload, 0,
                NULL, &len);
    deliver(g->b, line, len);
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

    b->nlookups--;
    if (rc < 0 && errno == ENOSYS && !g->direct) {
        flux_log(b->h, LOG_WARNING,
                 "job %ju: there is no job-info: its R is that of its start",
                 (uintmax_t)g->id);
        again = xcalloc(1, sizeof(*again));
        *again = *g;
        again->direct = true;
        again->next = b->waiting;
        b->end = b->waiting ? b->end : again;
        b->waiting = again;
        g->payload = NULL;
    } else {
        if (rc < 0)
            flux_log(b->h, LOG_ERR, "job %ju: its R can't be read: %s",
                     (uintmax_t)g->id, future_strerror(f, errno));
        send_greeted(g, rc < 0 ? NULL : R);
    }
    forget_future(b, f); /* frees the job too */
    look_up(b);
}

/* Look up the R of waiting jobs. After the last one hello ends. */
static void look_up(struct broker *b)
{
    char *line = b->goodbye, key[64];
    struct greeted *g;
    flux_future_t *f;

    while ((g = b->waiting) && b->nlookups < LOOKUPS_MAX) {
        b->waiting = g->next;
        if (g->direct && flux_job_kvs_key(key, sizeof(key), g->id, "R") > 0)
            f = flux_kvs_lookup(b->h, NULL, 0, key);
        else
            f = flux_rpc_pack(b->h, "job-info.lookup", FLUX_NODEID_ANY, 0,
                              "{s:I s:[s] s:i}", "id", g->id, "keys", "R",
                              "flags", FLUX_JOB_LOOKUP_CURRENT);
        if (then(b, f, take_R, g) == 0) {
            flux_future_aux_set(f, NULL, g, greeted_free);
            b->nlookups++;
        } else {
            flux_log_error(b->h, "job %ju: its R", (uintmax_t)g->id);
            send_greeted(g, NULL);
            greeted_free(g);
        }
    }
    if (!line || b->nlookups > 0)
        return;
    b->goodbye = NULL;
    deliver(b, line, strlen(line));
    free(line);
}

/* Take a job that hello lists. */
static void take_hello(struct broker *b, uint32_t tag, const char *payload)
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
        *(b->waiting ? &b->end->next : &b->waiting) = g;
        b->end = g;
        look_up(b);
    }
    json_decref(job);
}

/* --- jobs that ended between hello and ready ------------------------------ */

/*
 * The job manager doesn't report resources that a job frees between hello and
 * ready. So a moment after ready, when lists are up to date, free the jobs of
 * hello that neither run nor keep resources for housekeeping.
 */
static void free_ended(struct broker *b)
{
    for (size_t i = 0; i < b->to_check.count; i++) {
        flux_jobid_t id;

        memcpy(&id, b->to_check.slots[i].key, sizeof(id));
        if (b->to_check.slots[i].value.number)
            free_job(b, (int64_t)id);
    }
    map_fini(&b->to_check);
    b->to_check = (struct map){0};
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
            forget_checked(b, id);
    if (rc == 0)
        free_ended(b);
    forget_future(b, f);
}

static void keep_running(flux_future_t *f, void *arg)
{
    struct broker *b = arg;
    json_t *jobs = NULL, *one;
    size_t i;
    int rc = flux_rpc_get_unpack(f, "{s:o}", "jobs", &jobs);

    json_array_foreach (jobs, i, one)
        forget_checked(
            b, (flux_jobid_t)json_integer_value(json_object_get(one, "id")));
    forget_future(b, f);
    if (rc == 0 && b->to_check.count > b->to_check.nforgotten)
        then(b,
             flux_rpc(b->h, "job-manager.stats-get", NULL, FLUX_NODEID_ANY, 0),
             keep_cleaned, b);
}

static void check_ended(flux_reactor_t *r, flux_watcher_t *w, int revents,
                        void *arg)
{
    struct broker *b = arg;

    (void)r, (void)w, (void)revents;
    if (b->to_check.count > b->to_check.nforgotten)
        then(b,
             flux_rpc_pack(b->h, "job-list.list", FLUX_NODEID_ANY, 0,
                           "{s:i s:[] s:{s:[s]}}", "max_entries", 0, "attrs",
                           "constraint", "states", "running"),
             keep_running, b);
}

/* --- reservations of the site, in the KVS --------------------------------- */

/* Note that a reservation was made, or (NULL) is gone. */
static void take_reserved(const char *name, json_t *reservation, void *arg)
{
    struct broker *b = arg;
    const json_t *one;
    size_t i;

    json_array_foreach (b->site, i, one)
        if (!strcmp(json_string_value(json_object_get(one, "name")), name)) {
            json_array_remove(b->site, i);
            break;
        }
    if (reservation)
        json_array_append(b->site, reservation);
    b->site_changed = true;
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
    b->site_commits = false;
    forget_future(b, f);
}

/* Commit all reservations, one commit at a time. */
static void commit_site(struct broker *b)
{
    flux_kvs_txn_t *txn = flux_kvs_txn_create();
    flux_future_t *f = NULL;

    if (!txn)
        memory_exhausted();
    if (flux_kvs_txn_pack(txn, 0, site_key, "O", b->site) == 0)
        f = flux_kvs_commit(b->h, NULL, 0, txn);
    flux_kvs_txn_destroy(txn);
    b->site_changed = false;
    if (then(b, f, take_site, b) < 0) {
        flux_log_error(b->h, "reservations");
        return;
    }
    b->site_commits = true;
    flux_future_aux_set(f, "changes", b->changes,
                        (flux_free_f)flux_msglist_destroy);
    if (!(b->changes = flux_msglist_create()))
        memory_exhausted();
}

/* Read the reservations that were kept, without those that have ended. */
static void read_site(struct broker *b)
{
    flux_future_t *f = flux_kvs_lookup(b->h, NULL, 0, site_key);
    json_t *kept = NULL, *one;
    size_t i;

    if (f && flux_kvs_lookup_get_unpack(f, "O", &kept) < 0 && errno != ENOENT)
        flux_log_error(b->h, "reservations can't be read");
    b->site = json_array();
    json_array_foreach (kept, i, one) {
        const json_t *end = json_object_get(one, "end");
        if (!end || json_number_value(end) > time_now())
            json_array_append(b->site, one);
    }
    json_decref(kept);
    flux_future_destroy(f);
}

/* --- grants: R's in the KVS ----------------------------------------------- */

/* Finish the first grant. Its R is in the KVS; or there was a fault, and then
   the job is denied and freed. */
static void end_grant(struct broker *b, const char *fault)
{
    struct grant *g = b->first;
    char *R = xstrdup(json_string_value(json_object_get(g->payload, "R"))),
         *rest = NULL, *text = NULL;
    int rc;

    b->first = g->next;
    if (fault) {
        rc = flux_respond_pack(b->h, g->request, "{s:I s:i s:s}", "id", g->id,
                               "type", DENY, "note", fault);
        flux_log(b->h, LOG_ERR, "job %jd: %s", (intmax_t)g->id, fault);
        free_job(b, g->id);
    } else {
        json_object_del(g->payload, "R");
        rest = json_dumps(g->payload, JSON_COMPACT);
        text = add_R(rest, R);
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
    size_t n = b->ncommitting;
    char *text;

    b->ncommitting = 0;
    if (fault && n > 1) {
        b->nsingle = n;
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
    forget_future(arg, f);
}

/* Before the reactor waits: commit new grants, one commit at a time. */
static void commit(flux_reactor_t *r, flux_watcher_t *w, int revents, void *arg)
{
    struct broker *b = arg;
    flux_kvs_txn_t *txn;
    char key[64];
    int rc = 0;

    (void)r, (void)w, (void)revents;
    if (b->site_changed && !b->site_commits)
        commit_site(b);
    while (b->ncommitting == 0 && b->first) {
        if (!(txn = flux_kvs_txn_create()))
            memory_exhausted();
        for (struct grant *g = b->first; g && rc == 0; g = g->next) {
            if (flux_job_kvs_key(key, sizeof(key), (flux_jobid_t)g->id, "R") < 0
                || flux_kvs_txn_put(
                       txn, 0, key,
                       json_string_value(json_object_get(g->payload, "R")))
                       < 0)
                rc = -1;
            b->ncommitting++;
            if (b->nsingle > 0)
                break;
        }
        b->nsingle -= b->nsingle > 0;
        if (rc == 0)
            rc = then(b, flux_kvs_commit(b->h, NULL, 0, txn), take_commit, b);
        if (rc < 0)
            end_commit(b, strerror(errno));
        flux_kvs_txn_destroy(txn);
    }
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
        forget_checked(b, (flux_jobid_t)id);
    b->current = msg;
    line = wrap("request", topic, answered, payload, 0, NULL, &len);
    deliver(b, line, len);
    free(line);
    if (b->current && answered && !alloc)
        flux_respond_error(h, msg, EPROTO, NULL);
    b->current = NULL;
}

/* --- the configuration of Flux -------------------------------------------- */

/* Read the options from the arguments and a configuration. Returns -1 with a
   message in `text`. */
static int read_options(struct broker *b, const flux_conf_t *conf,
                        struct scheduler_options *o, char *text, size_t size)
{
    struct diag d = {0};
    char *rules;

    if (b->module->read(b->h, b->module, conf, o, &d) < 0) {
        diag_format(&d, text, size);
        queue_rules_fini(&o->rules);
        return -1;
    }
    rules = queue_rules_text(&o->rules);
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
    char text[1024];
    int rc;

    (void)mh;
    if (flux_module_config_request_decode(msg, &conf) < 0) {
        flux_respond_error(h, msg, errno, NULL);
    } else if (read_options(b, conf, &o, text, sizeof(text)) < 0) {
        flux_respond_error(h, msg, EINVAL, text);
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
    struct greeted *greeted;
    struct grant *g;

    while ((g = b->first)) {
        b->first = g->next;
        flux_msg_decref(g->request);
        json_decref(g->payload);
        free(g);
    }
    while ((greeted = b->waiting)) {
        b->waiting = greeted->next;
        greeted_free(greeted);
    }
    for (size_t i = 0; i < b->futures.count; i++)
        flux_future_destroy(b->futures.slots[i].value.pointer);
    map_fini(&b->futures);
    map_fini(&b->to_check);
    for (size_t i = 0; i < b->allocs.count; i++)
        flux_msg_decref(b->allocs.slots[i].value.pointer);
    map_fini(&b->allocs);
    flux_msglist_destroy(b->changes);
    json_decref(b->site);
    free(b->goodbye);
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
    char text[1024], *config;
    int rc;

    if (read_options(&b, flux_get_conf(h), &o, text, sizeof(text)) < 0) {
        flux_log(h, LOG_ERR, "%s", text);
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
    o.reserved = take_reserved;
    read_site(&b);
    o.reservations = b.site;
    if (!(b.changes = flux_msglist_create()))
        memory_exhausted();
    rc = register_services(&b);
    if (rc == 0)
        rc = flux_msg_handler_addvec(h, specs, &b, &handlers);
    if (rc == 0) {
        b.s = scheduler_create(&o);
        b.prepare = flux_prepare_watcher_create(b.reactor, commit, &b);
        b.idle = flux_idle_watcher_create(b.reactor, serve_more, &b);
        b.timer = flux_timer_watcher_create(b.reactor, 0, 0, wake, &b);
        b.check = flux_timer_watcher_create(b.reactor, 1, 0, check_ended, &b);
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
