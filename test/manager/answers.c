/* Checks of lines from the scheduler: answers to requests. */
#include "manager.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct owed owed;
struct session session;
struct tally tally;
json_t *status_payload;

/* --- answers with a matchtag ---------------------------------------------- */

enum { TAGS = 65536 };

struct asked {
    uint32_t tag;
    unsigned right; /* 0: no request is open */
    uint64_t line;  /* number of the last line before it */
    const char *topic;
};

static struct asked asked[TAGS];
static uint32_t next_tag;

static struct asked *asked_with(uint32_t tag)
{
    struct asked *a = &asked[tag % TAGS];

    return a->right && a->tag == tag ? a : NULL;
}

void say_request(const char *topic, unsigned right)
{
    struct asked *a;

    if (next_tag == 0) /* all tags may be used */
        next_tag = once_in(2) ? 1 : UINT32_MAX - below(100000);
    a = &asked[next_tag % TAGS];
    if (a->right)
        fail("%s with matchtag %" PRIu32 " was not answered", a->topic, a->tag);
    *a = (struct asked){next_tag, right, child.sent, topic};
    owed.tags++;
    say("{\"type\":\"request\",");
    if (*topic)
        say("\"topic\":\"%s\",", topic);
    say("\"matchtag\":%" PRIu32, next_tag++);
}

void forget_owed(void)
{
    memset(&owed, 0, sizeof(owed));
    memset(asked, 0, sizeof(asked));
}

static unsigned kind_of_error(int errnum)
{
    switch (errnum) {
    case 0:
        return OK;
    case 2:
        return IS_ENOENT;
    case 22:
        return IS_EINVAL;
    case 34:
        return IS_ERANGE;
    case 38:
        return IS_ENOSYS;
    case 71:
        return IS_EPROTO;
    default:
        return IS_OTHER;
    }
}

/* A ping was answered: the scheduler has read all lines before it. */
static void pinged(const struct asked *a, const json_t *payload)
{
    if ((uint64_t)json_integer_value(json_object_get(payload, "sent"))
        != a->line)
        fail("the payload of a ping is another");
    if (a->line + 1 > child.acked)
        child.acked = a->line + 1;
}

static void tagged(const char *topic, uint32_t tag, int errnum,
                   const json_t *payload)
{
    struct asked *a = asked_with(tag);

    if (!a)
        fail("no request with this matchtag is open");
    if (strcmp(a->topic, topic ? topic : ""))
        fail("the request was %s", a->topic);
    if (!(a->right & kind_of_error(errnum)))
        fail("errnum %d is none of the right ones (mask %u)", errnum, a->right);
    if (errnum && payload)
        fail("an error has a payload");
    a->right = 0;
    owed.tags--;
    if (errnum)
        return;
    if (!strcmp(topic, "sched.ping")) {
        pinged(a, payload);
    } else if (!strcmp(topic, "sched.resource-status")) {
        json_decref(status_payload);
        status_payload = json_deep_copy(payload);
    } else if (!strcmp(topic, "sched.stats-get")) {
        if (!json_is_object(payload))
            fail("counters are no object");
    } else if (payload) {
        fail("it has a payload");
    }
}

/* --- sched.alloc ---------------------------------------------------------- */

/* RFC 27, Alloc Annotate. A change without effect is not sent. */
static bool merge(json_t *notes, json_t *changes)
{
    bool changed = false;
    const char *key;
    json_t *value;

    json_object_foreach (changes, key, value) {
        json_t *old = json_object_get(notes, key);

        if (json_is_object(old) && json_is_object(value)) {
            changed |= merge(old, value);
        } else if (old && json_is_null(value)) {
            json_object_del(notes, key);
            changed = true;
        } else if (!old || !json_equal(old, value)) {
            json_object_set_new(notes, key, json_deep_copy(value));
            changed = true;
        }
    }
    return changed;
}

const char *job_note(const struct job *j, const char *key)
{
    json_t *sched = json_object_get(j->notes, "sched");

    return json_string_value(json_object_get(sched, key));
}

bool job_is_behind(const struct job *j)
{
    const char *why = job_note(j, "reason_pending");

    return why && !strcmp(why, "it is behind other jobs in the queue");
}

static bool has_null(const json_t *notes)
{
    const char *key;
    json_t *value;

    json_object_foreach ((json_t *)(uintptr_t)notes, key, value)
        if (json_is_null(value) || (json_is_object(value) && has_null(value)))
            return true;
    return false;
}

static void annotate(struct job *j, const json_t *payload)
{
    json_t *changes = json_object_get(payload, "annotations");
    bool was_first = job_note(j, "reason_pending") && !job_is_behind(j);

    if (!json_is_object(changes))
        fail("no annotations");
    if (!j->notes)
        j->notes = json_object();
    if (!merge(j->notes, changes))
        fail("annotations that change nothing");
    if (has_null(j->notes))
        fail("a null that removes nothing");
    tally.notes++;
    if (!job_note(j, "reason_pending"))
        fail("it waits without a reason");
    if (!was_first && !job_is_behind(j) && job_passed(j))
        fail("it is not the head of the queue: job %" PRIu64 " is before it",
             job_passed(j)->id);
}

json_t *R_in_kvs(const struct job *j)
{
    char path[4096];
    json_t *R;

    snprintf(path, sizeof(path), "%s/%" PRIu64 ".json", options.kvs, j->id);
    R = json_load_file(path, 0, NULL);
    if (!R)
        fail("SUCCESS, and %s is not there, or is no JSON", path);
    return R;
}

/* Compare the grant with the R, if there is one, and with the summary. */
static void granted(struct job *j, const json_t *payload)
{
    json_t *R = json_object_get(payload, "R");
    const char *summary = job_note(j, "resource_summary");
    struct holding short_form;

    if ((R != NULL) != (options.edition == CURRENT))
        fail("R is in SUCCESS in the current edition alone");
    j->R = R ? json_incref(R) : options.kvs ? R_in_kvs(j) : NULL;
    if (!summary)
        fail("there is no resource_summary");
    read_summary(summary, &short_form);
    if (!j->R) {
        j->has = short_form;
        return;
    }
    read_R(j->R, &j->has);
    if (j->has.ranks != short_form.ranks
        || memcmp(j->has.on, short_form.on, sizeof(short_form.on)))
        fail("R and resource_summary differ");
}

static void check_notes(const struct job *j)
{
    const char *queue = queue_name(&j->shape), *said = job_note(j, "queue");
    json_t *in_R = json_object_get(
        json_object_get(
            json_object_get(json_object_get(j->R, "attributes"), "system"),
            "scheduler"),
        "queue");

    if (job_note(j, "reason_pending") || job_note(j, "t_estimate")
        || has_null(j->notes))
        fail("an annotation does not hold any more");
    if (queue ? !said || strcmp(queue, said) : said != NULL)
        fail("annotations.sched.queue is %s", said ? said : "missing");
    if (j->R && options.edition == SEED && queue
        && (!in_R || strcmp(json_string_value(in_R), queue)))
        fail("attributes.system.scheduler.queue of R is not %s", queue);
}

/* Could these targets be allocated at any moment since the last ping? */
static void check_targets(const struct job *j)
{
    EACH_BIT(r, j->has.ranks)
    {
        const struct node *n = &book.node[r];

        if (!(book.known & bit(r)) && n->lost_at <= child.acked)
            fail("rank %d is not there", r);
        if (book.known & bit(r) && !(book.up & bit(r))
            && n->down_at <= child.acked)
            fail("rank %d is not up", r);
    }
}

static void success(struct job *j, const json_t *payload)
{
    struct job *passed = job_passed(j);
    json_t *changes = json_object_get(payload, "annotations");

    if (passed)
        fail("job %" PRIu64 " waits, and is before it in the queue",
             passed->id);
    if (!j->notes)
        j->notes = json_object();
    if (changes)
        merge(j->notes, changes);
    granted(j, payload);
    check_notes(j);
    json_decref(j->notes);
    j->notes = NULL;
    book_hold(j->id, &j->has);
    check_targets(j);
    shape_check(&j->shape, &j->has);
    if (j->R && !j->expires)
        shape_check_end(&j->shape, &j->has);
    j->end = j->R && !j->expires ? j->has.end : -1;
    if (j->shape.duration <= 0 && book.end_at > child.acked)
        j->end = -1; /* another end may be on its way */
    job_move(j, HOLDING);
    tally.grants++;
}

static void check_why(const json_t *payload)
{
    const char *why = json_string_value(json_object_get(payload, "note"));

    if (!why || !*why)
        fail("no note");
}

static void deny(struct job *j, const json_t *payload)
{
    check_why(payload);
    if (book.changed <= child.acked && shape_possible(&j->shape, book.known))
        fail("it could be allocated");
    tally.denials++;
    job_remove(j);
}

static void alloc_answer(const json_t *payload)
{
    const json_t *id = json_object_get(payload, "id");
    const json_t *type = json_object_get(payload, "type");
    struct job *j = json_is_integer(id)
                        ? job_find((uint64_t)json_integer_value(id))
                        : NULL;

    if (json_integer_value(type) == 2 && owed.denials > 0
        && (uint64_t)json_integer_value(id) == owed.denied) {
        owed.denials--;
        check_why(payload);
        return;
    }
    if (!j || !json_is_integer(type))
        fail("nobody asked for this");
    if (j->state != WAITING)
        fail("it was answered already");
    switch (json_integer_value(type)) {
    case 0:
        success(j, payload);
        break;
    case 1:
        annotate(j, payload);
        break;
    case 2:
        deny(j, payload);
        break;
    case 3:
        if (!j->cancelled || json_object_size(payload) != 2)
            fail("it was not cancelled, or there is more than that in it");
        tally.cancels++;
        job_remove(j);
        break;
    default:
        fail("there is no such type");
    }
}

/* --- sched.free ----------------------------------------------------------- */

static void free_answer(const json_t *payload)
{
    const json_t *id = json_object_get(payload, "id");
    struct job *j = json_is_integer(id)
                        ? job_find((uint64_t)json_integer_value(id))
                        : NULL;
    char path[4096];

    if (options.edition == CURRENT)
        fail("sched.free is not answered in the current edition");
    if (json_object_size(payload) != 1 || owed.frees-- <= 0)
        fail("nobody asked for this");
    if (!j || j->state != FREEING) {
        if (!json_is_integer(id)
            || (uint64_t)json_integer_value(id) != owed.freed)
            fail("this was not freed");
        return;
    }
    snprintf(path, sizeof(path), "%s/%" PRIu64 ".json",
             options.kvs ? options.kvs : "", j->id);
    if (options.kvs && access(path, F_OK) == 0)
        fail("%s is there yet", path);
    tally.frees++;
    job_remove(j);
}

/* --- a line --------------------------------------------------------------- */

static const char *text_in(const json_t *line, const char *key)
{
    return json_string_value(json_object_get(line, key));
}

static void answer_response(const json_t *line, const char *topic)
{
    json_t *tag = json_object_get(line, "matchtag");
    json_t *payload = json_object_get(line, "payload");
    int errnum = (int)json_integer_value(json_object_get(line, "errnum"));
    bool untagged = !tag || json_integer_value(tag) == 0;

    if (topic && untagged && !strcmp(topic, "sched.alloc") && errnum == 71) {
        if (payload || owed.protos-- <= 0)
            fail("no request broke the protocol, or there is a payload");
    } else if (untagged && errnum) {
        fail("errnum is not 0");
    } else if (topic && untagged && !strcmp(topic, "sched.alloc")) {
        alloc_answer(payload);
    } else if (topic && untagged && !strcmp(topic, "sched.free")) {
        free_answer(payload);
    } else {
        tagged(topic, (uint32_t)json_integer_value(tag), errnum, payload);
    }
}

/* Check the keys of a line, and their order. */
static void check_keys(const json_t *line)
{
    static const char *const keys[] = {"type",    "topic",  "matchtag", "flags",
                                       "payload", "errnum", "errstr"};
    const char *key;
    json_t *value;
    size_t at = 0;

    json_object_foreach ((json_t *)(uintptr_t)line, key, value) {
        while (at < sizeof(keys) / sizeof(*keys) && strcmp(keys[at], key))
            at++;
        if (at++ >= sizeof(keys) / sizeof(*keys))
            fail("the key %s is not known, or not in its place", key);
    }
}

void answer(const char *text, size_t len)
{
    json_error_t error;
    json_t *line = json_loadb(text, len, JSON_REJECT_DUPLICATES, &error);
    const char *type, *topic;

    if (options.clock && !strncmp(text, "rset-alloc: ", 12))
        return; /* of its log */
    if (!json_is_object(line))
        fail("this is no JSON object: %s", error.text);
    if (session.manager_gone)
        fail("a line after job-manager.disconnect");
    check_keys(line);
    type = text_in(line, "type");
    topic = text_in(line, "topic");
    if (type && !strcmp(type, "response"))
        answer_response(line, topic);
    else if (type && !strcmp(type, "request") && topic)
        answer_request(
            topic,
            (uint32_t)json_integer_value(json_object_get(line, "matchtag")),
            line);
    else
        fail("this is no message");
    json_decref(line);
}
