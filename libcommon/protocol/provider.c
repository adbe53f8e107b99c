/* Groups, the requests of their schedulers, and the responses (provider.h). */
#include "protocol/provider.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "compare/responses.h"
#include "model/records/tags.h"
#include "model/records/usage.h"
#include "protocol/provider_private.h"

/* Largest R in bytes. A line of 1 GiB holds it and the text around it. */
enum { RESOURCES_MAX = 1023 << 20 };

/* --- sets ---------------------------------------------------------------- */

/* Return few − set, a new set. Like idset_intersect(), and unlike
   idset_subtract(), it costs the size of `few`. */
static struct idset *without(const struct idset *few, const struct idset *set)
{
    struct idset *both = idset_intersect(few, set),
                 *rest = idset_subtract(few, both);

    idset_destroy(both);
    return rest;
}

static void put(struct idset *set, const struct idset *few, bool in)
{
    for (size_t i = 0; i < idset_nranges(few); i++) {
        struct idrange r = idset_range(few, i);
        if (in)
            idset_add(set, r.lo, r.hi);
        else
            idset_remove(set, r.lo, r.hi);
    }
}

/* --- writing -------------------------------------------------------------- */

void provider_log(const struct provider *p, const char *fmt, ...)
{
    char *text;
    va_list args;

    va_start(args, fmt);
    xvasprintf(&text, fmt, args);
    va_end(args);
    p->options.log(text);
    free(text);
}

static bool is_current(const struct provider *p)
{
    return p->options.dialect == DIALECT_CURRENT;
}

/* Report a change of these targets to the scheduler of a group. Nothing is
   written if there are none. */
static void send_change(struct provider *p, const struct target_group *g,
                        enum fate fate, const struct idset *targets)
{
    FILE *fp = p->options.out;

    if (idset_empty(targets))
        return;
    response_begin(fp, &g->stream);
    if (is_current(p)) {
        fprintf(fp, ",\"payload\":{\"%s", fate_words[fate].key);
        responses_put_set(fp, "\":\"", targets);
        if (fate == FATE_SHRINK)
            responses_put_set(fp, ",\"down\":\"", targets);
    } else {
        fprintf(fp, ",\"payload\":{\"type\":\"%s", fate_words[fate].type);
        responses_put_set(fp, "\",\"targets\":\"", targets);
    }
    payload_end(fp);
}

/* Note that a group is not acquired any more. */
static void drop_group(struct target_group *g)
{
    g->acquired = g->answered = false;
    idset_clear(g->sent);
    idset_clear(g->owed);
}

/* Send resources and which of them are up. If they can't be written, answer
   with an error and give up the group; returns false. */
static bool send_resources(struct provider *p, struct target_group *g,
                           const struct idset *ranks)
{
    struct idset *up = idset_intersect(ranks, p->up),
                 *down = without(ranks, p->up);
    FILE *fp = p->options.out;
    struct diag d = {0};
    char *text = resources_text(p->rs, ranks, p->options.dialect, &d), *why;

    /* log each note once */
    while (p->nnotes < p->rs->nnotes)
        provider_log(p, "warning: %s", p->rs->notes[p->nnotes++]);
    if (text && strlen(text) > RESOURCES_MAX) {
        diag_set(&d, "they exceed a line of 1 GiB");
        free(text);
        text = NULL;
    }
    if (text) {
        response_begin(fp, &g->stream);
        fprintf(fp, ",\"payload\":{%s\"resources\":%s",
                is_current(p) ? "" : "\"type\":\"grow\",", text);
        responses_put_set(fp, is_current(p) ? ",\"up\":\"" : ",\"online\":\"",
                          up);
        if (!is_current(p))
            responses_put_set(fp, ",\"offline\":\"", down);
        payload_end(fp);
    } else {
        xasprintf(&why, "can't write the resources: %s", d.text);
        provider_log(p, "%s", why);
        response_error(fp, &g->stream, MESSAGE_EOVERFLOW, why);
        drop_group(g);
        free(why);
    }
    idset_destroy(up);
    idset_destroy(down);
    free(text);
    return text;
}

/* --- giving and taking --------------------------------------------------- */

/* Of some targets, give those in the group to its scheduler, if it has one. */
static void hand_over(struct provider *p, struct target_group *g,
                      const struct idset *some)
{
    struct idset *ranks;

    if (!g->acquired)
        return;
    ranks = idset_intersect(some, g->members);
    for (size_t i = 0; i < p->ngroups; i++)
        idset_replace(ranks, without(ranks, p->groups[i].owed));
    if (!idset_empty(ranks) && g->answered && is_current(p)) {
        char *text = idset_encode(ranks);
        provider_log(p,
                     "targets %s wait until resources are acquired again: the "
                     "current edition can't add them",
                     text);
        free(text);
    } else if (!idset_empty(ranks) && send_resources(p, g, ranks)) {
        g->answered = true;
        put(g->sent, ranks, true);
    }
    idset_destroy(ranks);
}

/* --- groups -------------------------------------------------------------- */

static struct target_group *find_group(struct provider *p, const char *name)
{
    size_t i = VECTOR_FIND(k, p->ngroups, !strcmp(p->groups[k].name, name));

    return i < p->ngroups ? &p->groups[i] : NULL;
}

static struct target_group *get_group(struct provider *p, const char *name)
{
    struct target_group *g = find_group(p, name);

    if (g)
        return g;
    VECTOR_GROW(p->groups, p->ngroups);
    g = &p->groups[p->ngroups++];
    *g = (struct target_group){.name = xstrdup(name),
                               .members = idset_create(),
                               .sent = idset_create(),
                               .owed = idset_create()};
    return g;
}

void provider_move(struct provider *p, const struct idset *ranks,
                   const char *from, const char *to)
{
    struct idset *all = idset_intersect(ranks, p->rs->ranks);
    struct target_group *g = get_group(p, to), *old;

    idset_replace(all, without(all, g->members));
    if (from)
        idset_replace(all, idset_intersect(all, get_group(p, from)->members));
    g = get_group(p, to); /* groups[] may have moved */
    for (old = p->groups; old < p->groups + p->ngroups; old++)
        if (old != g) {
            struct idset *part = idset_intersect(all, old->members),
                         *lost = idset_intersect(part, old->sent);
            put(old->members, part, false);
            put(old->sent, lost, false);
            if (!is_current(p))
                put(old->owed, lost, true);
            send_change(p, old, FATE_SHRINK, lost);
            idset_destroy(lost);
            idset_destroy(part);
        }
    put(g->members, all, true);
    hand_over(p, g, all);
    idset_destroy(all);
}

int provider_define(struct provider *p, const char *group,
                    const struct idset *ranks, struct diag *d)
{
    struct idset *others = without(ranks, p->groups[0].members);
    char *text = idset_encode(others);
    int rc = 0;

    if (!strcmp(group, p->groups[0].name))
        rc = diag_set(d, "the group %s holds all targets that no other has",
                      group);
    else if (!idset_empty(others))
        rc = diag_set(d, "targets %s are in another group", text);
    else
        provider_move(p, ranks, NULL, group);
    free(text);
    idset_destroy(others);
    return rc;
}

/* --- states -------------------------------------------------------------- */

/* Update which of these targets are up, and report changes. */
static void update_up(struct provider *p, const struct idset *some)
{
    struct idset *now = idset_intersect(some, p->states[TARGET_ONLINE]),
                 *went = idset_intersect(some, p->up), *came;

    idset_replace(now, without(now, p->states[TARGET_DRAINED]));
    idset_replace(now, without(now, p->states[TARGET_TORPID]));
    idset_replace(went, without(went, now));
    came = without(now, p->up);
    put(p->up, went, false);
    put(p->up, came, true);
    for (size_t i = 0; i < p->ngroups; i++) {
        struct target_group *g = &p->groups[i];
        struct idset *its = idset_intersect(went, g->sent);
        send_change(p, g, FATE_DOWN, its);
        idset_destroy(its);
        its = idset_intersect(came, g->sent);
        send_change(p, g, FATE_UP, its);
        idset_destroy(its);
    }
    idset_destroy(now);
    idset_destroy(went);
    idset_destroy(came);
}

void provider_set(struct provider *p, enum target_state state,
                  const struct idset *ranks, bool is)
{
    struct idset *known = idset_intersect(ranks, p->rs->ranks);

    put(p->states[state], known, is);
    update_up(p, known);
    idset_destroy(known);
}

void provider_restart(struct provider *p, const struct idset *online)
{
    idset_destroy(p->states[TARGET_ONLINE]);
    p->states[TARGET_ONLINE] = idset_intersect(online, p->rs->ranks);
    idset_clear(p->states[TARGET_TORPID]);
    update_up(p, p->rs->ranks);
}

void provider_expire(struct provider *p, double end)
{
    rset_set_times(p->rs, rset_starttime(p->rs), end);
    for (size_t i = 0; i < p->ngroups && is_current(p); i++) {
        if (!p->groups[i].answered)
            continue;
        response_begin(p->options.out, &p->groups[i].stream);
        fputs(",\"payload\":", p->options.out);
        responses_put_end(p->options.out, end);
        response_end(p->options.out);
    }
    if (!is_current(p))
        provider_log(p, "expiration: this edition has no response for it");
}

/* --- requests ------------------------------------------------------------ */

static void acquire(struct provider *p, const struct message *m)
{
    const char *name = NULL;
    struct target_group *g;
    FILE *fp = p->options.out;
    size_t same = VECTOR_FIND(
        i, p->ngroups,
        p->groups[i].acquired && p->groups[i].stream.matchtag == m->matchtag);

    if (!is_current(p))
        name = json_string_value(json_object_get(m->payload, "group"));
    else if (!m->payload
             || (json_is_object(m->payload)
                 && json_object_size(m->payload) == 0))
        name = p->groups[0].name;
    g = name ? find_group(p, name) : NULL;
    if (!message_answered(m))
        provider_log(p, "resource.acquire without a matchtag is not answered");
    else if (!m->streaming)
        response_error(fp, m, MESSAGE_EPROTO, "the flag streaming is missing");
    else if (same < p->ngroups)
        response_error(fp, m, MESSAGE_EPROTO, "the matchtag is in use");
    else if (!name)
        response_error(fp, m, MESSAGE_EPROTO,
                       is_current(p) ? "this edition has an empty payload"
                                     : "group: a string is expected");
    else if (!g || idset_empty(g->members))
        response_error(fp, m, MESSAGE_ENOENT, "no target is in that group");
    else if (g->acquired)
        response_error(fp, m, MESSAGE_EBUSY, "the group is acquired already");
    else {
        g->acquired = true;
        g->stream = (struct message){.topic = "resource.acquire",
                                     .matchtag = m->matchtag,
                                     .streaming = true};
        hand_over(p, g, g->members);
    }
}

static void take_back(struct provider *p, struct target_group *g,
                      const struct message *m, const struct idset *ranks)
{
    struct idset *wrong = without(ranks, g->owed);
    char *text = idset_encode(wrong), *why;

    if (idset_empty(wrong)) {
        put(g->owed, ranks, false);
        response_payload(p->options.out, m, NULL);
        for (size_t i = 0; i < p->ngroups; i++)
            hand_over(p, &p->groups[i], ranks);
    } else {
        xasprintf(&why, "can't release targets %s: they were not taken away",
                  text);
        response_error(p->options.out, m, MESSAGE_EINVAL, why);
        free(why);
    }
    free(text);
    idset_destroy(wrong);
}

static void release(struct provider *p, const struct message *m)
{
    const char *name = json_string_value(json_object_get(m->payload, "group"));
    struct target_group *g = name ? find_group(p, name) : NULL;
    struct diag d;
    struct idset *ranks = message_ranks(m->payload, "targets", &d);

    if (!name || !ranks)
        response_error(p->options.out, m, MESSAGE_EPROTO,
                       name ? "targets: an idset is expected"
                            : "group: a string is expected");
    else if (!g)
        response_error(p->options.out, m, MESSAGE_ENOENT,
                       "there is no such group");
    else if (!g->acquired)
        response_error(p->options.out, m, MESSAGE_EINVAL,
                       "the group is not acquired");
    else
        take_back(p, g, m, ranks);
    idset_destroy(ranks);
}

void provider_request(struct provider *p, const struct message *m)
{
    if (!strcmp(m->topic, "resource.acquire"))
        acquire(p, m);
    else if (!strcmp(m->topic, "resource.release") && !is_current(p))
        release(p, m);
    else if (!strcmp(m->topic, "resource.disconnect"))
        for (size_t i = 0; i < p->ngroups; i++)
            drop_group(&p->groups[i]);
    else if (!strcmp(m->topic, "resource.ping"))
        response_payload(p->options.out, m, m->payload);
    else
        response_error(p->options.out, m, MESSAGE_ENOSYS,
                       "there is no such service");
}

int provider_line(struct provider *p, const char *line, size_t len,
                  struct diag *d)
{
    struct message m;
    int rc = message_or_event(line, len, &m, d);

    if (rc > 0) {
        rc = provider_event(p, m.json, d);
    } else if (rc < 0 && message_answered(&m)) {
        response_error(p->options.out, &m, MESSAGE_EPROTO, diag_line(d).text);
        rc = 0;
    } else if (rc == 0 && !m.response) {
        provider_request(p, &m);
    }
    message_fini(&m);
    return rc;
}

/* --- creating ------------------------------------------------------------- */

struct provider *provider_create(struct rset *rs,
                                 const struct provider_options *options)
{
    struct provider *p = xcalloc(1, sizeof(*p));
    struct vertex **list;
    struct settled s;
    size_t n;

    p->rs = rs;
    p->options = *options;
    for (int i = 0; i < TARGET_STATES; i++)
        p->states[i] = idset_create();
    p->up = idset_create();
    if (!rs->ranks)
        rset_set_ranks(rs, idset_create(), NULL);
    idset_add_set(get_group(p, "default")->members, rs->ranks);
    s = usage_settle(rs);
    n = rset_targets(rs, &list);
    for (size_t i = 0; i < n; i++) {
        /* a target has the state of the nearest vertex that is not up */
        const struct vertex *v = vertex_not_up(s, list[i]);
        bool drained = v == list[i] && vertex_get_tag(v, "drained");
        if (drained)
            target_add_ranks(v, p->states[TARGET_DRAINED]);
        if ((!v || drained) && !options->offline)
            target_add_ranks(list[i], p->states[TARGET_ONLINE]);
    }
    free(list);
    update_up(p, rs->ranks);
    return p;
}

void provider_destroy(struct provider *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->ngroups; i++) {
        free(p->groups[i].name);
        idset_destroy(p->groups[i].members);
        idset_destroy(p->groups[i].sent);
        idset_destroy(p->groups[i].owed);
    }
    free(p->groups);
    for (int i = 0; i < TARGET_STATES; i++)
        idset_destroy(p->states[i]);
    idset_destroy(p->up);
    rank_map_destroy(p->map);
    free(p);
}
