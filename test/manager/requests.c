/* Requests of the scheduler to its provider and to the job manager: which, and
   when. */
#include "manager.h"

#include <inttypes.h>
#include <string.h>

static bool has_flag(const json_t *line, const char *want)
{
    const json_t *flag;
    size_t i;

    json_array_foreach (json_object_get(line, "flags"), i, flag)
        if (json_is_string(flag) && !strcmp(json_string_value(flag), want))
            return true;
    return false;
}

static unsigned group_of(const json_t *payload)
{
    const char *name = json_string_value(json_object_get(payload, "group"));

    for (unsigned g = 0; name && g < options.ngroups; g++)
        if (!strcmp(options.groups[g], name))
            return g;
    fail("there is no such group");
}

/* It is an answer to an open request, and only open streams have several. */
static void check_tag(uint32_t tag)
{
    if (!tag)
        fail("it has no matchtag");
    for (unsigned g = 0; g < options.ngroups; g++)
        if (session.acquire_tag[g] == tag)
            fail("its matchtag is that of a stream");
}

/* --- the provider --------------------------------------------------------- */

static void acquire(uint32_t tag, const json_t *line)
{
    const json_t *payload = json_object_get(line, "payload");
    unsigned group = 0;

    if (options.resources || session.hello_tag)
        fail("this is not the time to acquire resources");
    check_tag(tag);
    if (!has_flag(line, "streaming"))
        fail("a stream is to be asked for");
    if (options.edition == SEED && options.automatic && !session.refused) {
        if (json_object_size(payload))
            fail("the current edition is to be tried first");
        session.refused = true;
        say("{\"type\":\"response\",\"topic\":\"resource.acquire\","
            "\"matchtag\":%" PRIu32 ",\"errnum\":71}",
            tag);
        said();
        return;
    }
    if (options.edition == SEED)
        group = group_of(payload);
    else if (json_object_size(payload))
        fail("there is no payload in the current edition");
    if (session.acquire_tag[group])
        fail("this was acquired already");
    session.acquire_tag[group] = tag;
}

static void release(uint32_t tag, const json_t *line)
{
    const json_t *payload = json_object_get(line, "payload");
    const char *text = json_string_value(json_object_get(payload, "targets"));
    unsigned group = group_of(payload);
    uint64_t targets;

    check_tag(tag);
    if (options.edition == CURRENT)
        fail("this is not to be asked");
    if (!text || idset_read(text, &targets) || !targets || targets & ~book.lost)
        fail("these were not taken away");
    EACH_BIT(r, targets)
    {
        const struct node *n = &book.node[r];

        if (n->group != group)
            fail("rank %d is in another group", r);
        if (n->held.core | n->held.gpu)
            fail("rank %d is held by a job", r);
        if (n->lost_at > child.acked)
            child.acked = n->lost_at;
    }
    book.lost &= ~targets;
    tally.releases++;
    say("{\"type\":\"response\",\"topic\":\"resource.release\",\"matchtag\":"
        "%" PRIu32 "}",
        tag);
    said();
}

/* --- the job manager ------------------------------------------------------ */

static void hello(uint32_t tag, const json_t *line)
{
    const json_t *payload = json_object_get(line, "payload");

    for (unsigned g = 0; g < options.ngroups && !options.resources; g++)
        if (!session.grown[g])
            fail("group %s has not been given yet", options.groups[g]);
    check_tag(tag);
    if (session.hello_tag || !has_flag(line, "streaming"))
        fail("hello is a stream, and comes once");
    if (options.edition == SEED
            ? json_object_size(payload) > 0
            : !json_is_true(json_object_get(payload, "partial-ok")))
        fail("hello has another payload");
    session.hello_tag = tag;
}

static void ready(uint32_t tag, const json_t *line)
{
    const json_t *payload = json_object_get(line, "payload");
    const char *mode = json_string_value(json_object_get(payload, "mode"));
    json_int_t limit = json_integer_value(json_object_get(payload, "limit"));

    check_tag(tag);
    if (!session.hello_done || session.ready_tag)
        fail("ready comes once, when hello is done");
    if (!mode || strcmp(mode, options.limit ? "limited" : "unlimited")
        || limit != options.limit)
        fail("the mode is another");
    session.ready_tag = tag;
}

static bool *raised_before(struct job *j, const char *type)
{
    uint64_t lost = 0;

    if (!strcmp(type, "scheduler-restart")) {
        if (!(j->gone | j->forgotten) && !j->maybe_freed)
            fail("nothing of the job is gone");
        return &j->raised_restart;
    }
    if (options.edition == CURRENT || strcmp(type, "resource-shrink"))
        fail("this is not to be raised");
    EACH_BIT(r, book.lost & j->has.ranks & ~j->released)
    if (!j->freed || book.node[r].lost_at < j->freed)
        lost |= bit(r);
    if (!lost)
        fail("it has nothing that was taken away");
    return &j->raised_shrink;
}

static void raise_on(uint32_t tag, const json_t *line)
{
    const json_t *payload = json_object_get(line, "payload");
    const json_t *id = json_object_get(payload, "id");
    const char *type = json_string_value(json_object_get(payload, "type"));
    const char *why = json_string_value(json_object_get(payload, "note"));
    const json_t *severity = json_object_get(payload, "severity");
    struct job *j = job_find((uint64_t)json_integer_value(id));
    bool *before;

    if (tag || !has_flag(line, "noresponse"))
        fail("no response is to be asked for");
    if (!json_is_integer(severity) || json_integer_value(severity) || !why
        || !*why || !type)
        fail("it needs a type, severity 0 and a note");
    if (!json_is_integer(id) || !j || j->state == WAITING)
        fail("no such job has resources");
    before = raised_before(j, type);
    if (*before)
        fail("it was raised already");
    *before = true;
    tally.raises++;
}

static void disconnect(bool *gone, uint32_t tag)
{
    if (!child.may_end || tag || *gone)
        fail("the end comes once, and when it is asked to");
    *gone = true;
}

void answer_request(const char *topic, uint32_t tag, const json_t *line)
{
    if (!strcmp(topic, "resource.acquire")) {
        acquire(tag, line);
    } else if (!strcmp(topic, "resource.release")) {
        release(tag, line);
    } else if (!strcmp(topic, "job-manager.sched-hello")) {
        hello(tag, line);
    } else if (!strcmp(topic, "job-manager.sched-ready")) {
        ready(tag, line);
    } else if (!strcmp(topic, "job-manager.raise")) {
        raise_on(tag, line);
    } else if (!strcmp(topic, "resource.disconnect")) {
        if (options.resources)
            fail("nobody is asked for resources");
        disconnect(&session.resource_gone, tag);
    } else if (!strcmp(topic, "job-manager.disconnect")) {
        if (!options.resources && !session.resource_gone)
            fail("resource.disconnect comes first");
        disconnect(&session.manager_gone, tag);
    } else {
        fail("this is not to be asked");
    }
}
