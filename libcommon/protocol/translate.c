/* Translating acquisitions between the editions (translate.h). */
#include "protocol/translate.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "compare/responses.h"
#include "protocol/message.h"

static const char acquire[] = "resource.acquire",
                  release[] = "resource.release";

/* A stream of responses, by its matchtag; payloads alone are one, too. */
struct stream_seen {
    uint32_t matchtag;
    bool begun; /* a response was seen, of this edition: */
    bool seed;
    bool grown; /* and one with resources */
};

struct translator {
    enum dialect to;
    FILE *out;
    void (*log)(const char *text);
    struct stream_seen *streams;
    size_t nstreams;
    bool raises; /* it was told what shrink loses */
};

struct translator *translator_create(enum dialect to, FILE *out,
                                     void (*log)(const char *text))
{
    struct translator *t = xcalloc(1, sizeof(*t));

    t->to = to;
    t->out = out;
    t->log = log;
    return t;
}

void translator_destroy(struct translator *t)
{
    if (!t)
        return;
    free(t->streams);
    free(t);
}

static struct stream_seen *stream_of(struct translator *t, uint32_t matchtag)
{
    for (size_t i = 0; i < t->nstreams; i++)
        if (t->streams[i].matchtag == matchtag)
            return &t->streams[i];
    VECTOR_GROW(t->streams, t->nstreams);
    t->streams[t->nstreams] = (struct stream_seen){.matchtag = matchtag};
    return &t->streams[t->nstreams++];
}

/* What ended begins anew. */
static void end_stream(struct translator *t, uint32_t matchtag)
{
    *stream_of(t, matchtag) = (struct stream_seen){.matchtag = matchtag};
}

static void lost(const struct translator *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static void lost(const struct translator *t, const char *fmt, ...)
{
    char *text, *line;
    va_list args;

    va_start(args, fmt);
    xvasprintf(&text, fmt, args);
    va_end(args);
    xasprintf(&line, "warning: lost: %s", text);
    t->log(line);
    free(line);
    free(text);
}

/* Keys that are not among these. */
static void lose_others(const struct translator *t, const json_t *payload,
                        const char *const *keys)
{
    const char *key;
    json_t *value;

    json_object_foreach ((json_t *)payload, key, value) {
        size_t i = 0;
        while (keys[i] && strcmp(keys[i], key) != 0)
            i++;
        if (!keys[i])
            lost(t, "%s: the %s edition has no response for it", key,
                 t->to == DIALECT_SEED ? "seed's" : "current");
    }
}

/* --- what a payload says ------------------------------------------------ */

struct said {
    json_t *payload;
    struct rset *rs;           /* resources; NULL: none */
    struct idset *sets[FATES]; /* NULL where it is not there */
};

static void said_fini(struct said *s)
{
    rset_destroy(s->rs);
    for (int i = 0; i < FATES; i++)
        idset_destroy(s->sets[i]);
}

/* A value of a key (NULL: the payload itself) is not what is expected; NULL: it
   is not there. */
static int wrong_payload(const json_t *value, const char *key, const char *what,
                         struct diag *d)
{
    if (value)
        diag_set(d, "%s is no %s", json_quote(value).text, what);
    else
        diag_set(d, "%s is expected", key);
    if (value && key)
        diag_in(d, "%s", key);
    return diag_in(d, "payload");
}

static int get_set(struct said *s, const char *key, enum fate which,
                   struct diag *d)
{
    const json_t *value = json_object_get(s->payload, key);
    int rc = message_idset(s->payload, key, &s->sets[which], d);

    if (rc == 0 && value)
        return wrong_payload(value, key, "idset", d);
    return rc < 0 ? diag_in(d, "payload") : 0;
}

static int need_set(struct said *s, const char *key, enum fate which,
                    struct diag *d)
{
    return json_object_get(s->payload, key)
               ? get_set(s, key, which, d)
               : wrong_payload(NULL, key, "idset", d);
}

static int get_resources(struct said *s, struct diag *d)
{
    const json_t *value = json_object_get(s->payload, "resources");
    char *text;
    size_t len;
    FILE *fp;

    if (!value)
        return 0;
    fp = memory_open(&text, &len);
    json_write(fp, value);
    memory_close(fp);
    s->rs = rset_read_text(text, len, "payload.resources", d);
    free(text);
    return s->rs ? 0 : -1;
}

/* --- writing ------------------------------------------------------------ */

/* Where a response goes: a payload may be alone on its line. */
struct answer {
    struct translator *t;
    const struct message *to; /* NULL: alone */
};

static void begin(const struct answer *a, const char *key)
{
    if (a->to)
        response_begin(a->t->out, a->to);
    fprintf(a->t->out, "%s{\"%s\":", a->to ? ",\"payload\":" : "", key);
}

static void end(const struct answer *a)
{
    putc('}', a->t->out);
    if (a->to)
        response_end(a->t->out);
    else
        putc('\n', a->t->out);
}

static char *resources_in(const struct answer *a, struct rset *rs,
                          struct diag *d)
{
    const struct rset_style style = {.dialect = a->t->to};
    size_t len;
    char *text = rset_text(rs, &style, &len, d);

    for (size_t i = 0; text && i < rs->nnotes; i++)
        lost(a->t, "%s", rs->notes[i]);
    if (text)
        text[len - 1] = '\0';
    return text;
}

/* --- to the current edition --------------------------------------------- */

/* Each rank is either online or offline. */
static int check_grow(const struct said *s, struct diag *d)
{
    struct idset *both = idset_intersect(s->sets[FATE_UP], s->sets[FATE_DOWN]),
                 *all = idset_union(s->sets[FATE_UP], s->sets[FATE_DOWN]);
    int rc = 0;

    if (!idset_empty(both))
        rc = diag_set(d, "rank %u is online and offline",
                      (unsigned)idset_first(both));
    else if (!s->rs->ranks || !idset_equal(all, s->rs->ranks))
        rc = diag_set(d, "online and offline are not the ranks of resources");
    idset_destroy(both);
    idset_destroy(all);
    return rc < 0 ? diag_in(d, "payload") : 0;
}

static int grow_to_current(const struct answer *a, struct said *s,
                           struct stream_seen *seen, struct diag *d)
{
    char *text;

    if (need_set(s, "online", FATE_UP, d) < 0
        || need_set(s, "offline", FATE_DOWN, d) < 0 || get_resources(s, d) < 0)
        return -1;
    if (!s->rs)
        return wrong_payload(NULL, "resources", "R", d);
    if (check_grow(s, d) < 0)
        return -1;
    if (seen->grown)
        return diag_set(d, "a second grow: the current edition can't add "
                           "resources");
    if (!(text = resources_in(a, s->rs, d)))
        return -1;
    seen->grown = true;
    begin(a, "resources");
    fputs(text, a->t->out);
    responses_put_set(a->t->out, ",\"up\":\"", s->sets[FATE_UP]);
    end(a);
    free(text);
    return 0;
}

static int set_to_current(const struct answer *a, struct said *s,
                          const char *type, struct diag *d)
{
    enum fate which = fate_of(type);

    if (which == FATES) {
        diag_set(d, "%s: there is no such response",
                 quote(type, strlen(type)).text);
        diag_in(d, "type");
        return diag_in(d, "payload");
    }
    if (need_set(s, "targets", which, d) < 0)
        return -1;
    begin(a, fate_words[which].key);
    responses_put_set(a->t->out, "\"", s->sets[which]);
    if (which == FATE_SHRINK)
        responses_put_set(a->t->out, ",\"down\":\"", s->sets[which]);
    end(a);
    if (which == FATE_SHRINK && !a->t->raises) {
        a->t->raises = true;
        lost(a->t, "shrink: that an exception is raised on jobs there");
    }
    return 0;
}

static int response_to_current(const struct answer *a, struct said *s,
                               struct stream_seen *seen, struct diag *d)
{
    static const char *const grow[] = {"type", "resources", "online", "offline",
                                       NULL},
                             *const others[] = {"type", "targets", NULL};
    const json_t *value = json_object_get(s->payload, "type");
    const char *type = json_string_value(value);

    if (!type)
        return wrong_payload(value, "type", "string", d);
    lose_others(a->t, s->payload, strcmp(type, "grow") != 0 ? others : grow);
    return !strcmp(type, "grow") ? grow_to_current(a, s, seen, d)
                                 : set_to_current(a, s, type, d);
}

/* --- to the seed's edition ---------------------------------------------- */

/* Nothing where nothing is there: a new set. */
static struct idset *less(const struct idset *set, const struct idset *but)
{
    struct idset *all = set ? idset_copy(set) : idset_create(), *left;

    if (!but)
        return all;
    left = idset_subtract(all, but);
    idset_destroy(all);
    return left;
}

static void event_to_seed(const struct answer *a, enum fate fate,
                          const struct idset *targets)
{
    if (!targets || idset_empty(targets))
        return;
    begin(a, "type");
    fprintf(a->t->out, "\"%s\"", fate_words[fate].type);
    responses_put_set(a->t->out, ",\"targets\":\"", targets);
    end(a);
}

static int grow_to_seed(const struct answer *a, struct said *s, struct diag *d)
{
    struct idset *up, *online, *offline;
    char *text = resources_in(a, s->rs, d);

    if (!text)
        return -1;
    up = less(s->sets[FATE_UP], s->sets[FATE_DOWN]);
    online = s->rs->ranks ? idset_intersect(up, s->rs->ranks) : idset_create();
    offline = less(s->rs->ranks, online);
    begin(a, "type");
    fprintf(a->t->out, "\"grow\",\"resources\":%s", text);
    responses_put_set(a->t->out, ",\"online\":\"", online);
    responses_put_set(a->t->out, ",\"offline\":\"", offline);
    end(a);
    idset_destroy(up);
    idset_destroy(online);
    idset_destroy(offline);
    free(text);
    return 0;
}

static void events_to_seed(const struct answer *a, struct said *s)
{
    struct idset *down = less(s->sets[FATE_DOWN], s->sets[FATE_SHRINK]),
                 *up = less(s->sets[FATE_UP], s->sets[FATE_SHRINK]), *online;

    online = less(up, s->sets[FATE_DOWN]);
    event_to_seed(a, FATE_DOWN, down);
    event_to_seed(a, FATE_UP, online);
    idset_destroy(down);
    idset_destroy(up);
    idset_destroy(online);
}

static int response_to_seed(const struct answer *a, struct said *s,
                            struct diag *d)
{
    static const char *const keys[] = {"resources", "up", "down", "shrink",
                                       NULL};

    for (enum fate i = FATE_UP; i < FATES; i++)
        if (get_set(s, fate_words[i].key, i, d) < 0)
            return -1;
    if (get_resources(s, d) < 0)
        return -1;
    if (s->rs && grow_to_seed(a, s, d) < 0)
        return -1;
    if (!s->rs)
        events_to_seed(a, s);
    event_to_seed(a, FATE_SHRINK, s->sets[FATE_SHRINK]);
    lose_others(a->t, s->payload, keys);
    return 0;
}

/* --- lines -------------------------------------------------------------- */

static bool is_seed(const json_t *payload)
{
    return json_object_get(payload, "type");
}

static bool is_response(const json_t *payload)
{
    static const char *const keys[] = {
        "type",   "resources",  "up",           "down",
        "shrink", "expiration", "property-add", "property-remove"};

    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
        if (json_object_get(payload, keys[i]))
            return true;
    return false;
}

static int pass(const struct translator *t, const char *line, size_t len)
{
    fwrite(line, 1, len, t->out);
    putc('\n', t->out);
    return 0;
}

static int translate_response(const struct answer *a, json_t *payload,
                              const char *line, size_t len, struct diag *d)
{
    struct said s = {.payload = payload};
    struct stream_seen *seen = stream_of(a->t, a->to ? a->to->matchtag : 0);
    bool seed = is_seed(payload);
    int rc;

    if (!json_is_object(payload))
        return wrong_payload(payload, NULL, "object", d);
    if (seen->begun && seen->seed != seed)
        return diag_set(d, "the response before it is of the other edition");
    seen->begun = true;
    seen->seed = seed;
    if (seed == (a->t->to == DIALECT_SEED))
        rc = pass(a->t, line, len);
    else if (seed)
        rc = response_to_current(a, &s, seen, d);
    else
        rc = response_to_seed(a, &s, d);
    said_fini(&s);
    return rc;
}

/* NULL: none, in a payload that is empty. */
static int read_group(const struct message *m, const char **group,
                      struct diag *d)
{
    const json_t *value = json_object_get(m->payload, "group");

    *group = json_string_value(value);
    if (m->payload && !json_is_object(m->payload))
        return wrong_payload(m->payload, NULL, "object", d);
    return !*group && json_object_size(m->payload) > 0
               ? wrong_payload(value, "group", "string", d)
               : 0;
}

/* The current edition acknowledges nothing. */
static int lose_release(struct translator *t, const struct message *m,
                        struct diag *d)
{
    struct said s = {.payload = m->payload};
    const char *group;
    int rc = read_group(m, &group, d);

    if (rc == 0 && !group)
        rc = wrong_payload(NULL, "group", "string", d);
    if (rc == 0)
        rc = need_set(&s, "targets", FATE_SHRINK, d);
    if (rc == 0)
        lost(t, "resource.release: the current edition has no such request");
    said_fini(&s);
    return rc;
}

static int translate_acquire(struct translator *t, struct message *m,
                             struct diag *d)
{
    const char *group;
    json_t *made = NULL;

    if (read_group(m, &group, d) < 0)
        return -1;
    end_stream(t, m->matchtag);
    if (t->to == DIALECT_CURRENT) {
        if (group && strcmp(group, "default") != 0)
            lost(t, "the group %s", quote(group, strlen(group)).text);
        m->payload = NULL;
    } else if (!group) {
        m->payload = made = json_pack("{s:s}", "group", "default");
    }
    message_write(t->out, m);
    json_decref(made);
    return 0;
}

static bool concerns(const struct translator *t, const struct message *m)
{
    if (m->response)
        return !strcmp(m->topic, acquire) && m->payload && m->errnum == 0;
    return !strcmp(m->topic, acquire)
           || (!strcmp(m->topic, release) && t->to == DIALECT_CURRENT);
}

static int translate_message(struct translator *t, struct message *m,
                             const char *line, size_t len, struct diag *d)
{
    const struct answer a = {.t = t, .to = m};

    if (!json_object_get(m->json, "type") && m->payload
        && is_response(m->payload) && !strcmp(m->topic, acquire))
        m->response = true;
    if (!m->response && !strcmp(m->topic, "resource.disconnect"))
        t->nstreams = 0;
    if (m->errnum > 0 && !strcmp(m->topic, acquire))
        end_stream(t, m->matchtag);
    if (!concerns(t, m))
        return pass(t, line, len);
    if (m->response)
        return translate_response(&a, m->payload, line, len, d);
    return strcmp(m->topic, release) ? translate_acquire(t, m, d)
                                     : lose_release(t, m, d);
}

int translate_line(struct translator *t, const char *line, size_t len,
                   struct diag *d)
{
    struct message m;
    int rc = message_or_event(line, len, &m, d);

    if (!json_object_get(m.json, "topic") && is_response(m.json))
        rc = translate_response(&(struct answer){.t = t}, m.json, line, len, d);
    else if (rc > 0)
        rc = pass(t, line, len);
    else if (rc == 0)
        rc = translate_message(t, &m, line, len, d);
    message_fini(&m);
    return rc;
}
