/* Reading and writing messages (message.h). */
#include "protocol/message.h"

#include <string.h>

#include "base/json.h"
#include "base/time.h"

const struct fate_words fate_words[FATES] = {
    [FATE_UP] = {"online", "up"},
    [FATE_DOWN] = {"offline", "down"},
    [FATE_SHRINK] = {"shrink", "shrink"}};

enum fate fate_of(const char *type)
{
    enum fate fate = FATE_UP;

    while (fate < FATES && strcmp(fate_words[fate].type, type) != 0)
        fate++;
    return fate;
}

/* --- reading ------------------------------------------------------------ */

static int wrong(const char *key, const char *expected, const json_t *value,
                 struct diag *d)
{
    diag_set(d, "%s is not %s", json_quote(value).text, expected);
    return diag_in(d, "%s", key);
}

static int read_text(const json_t *object, const char *key, const char **out,
                     struct diag *d)
{
    const json_t *value = json_object_get(object, key);

    *out = json_string_value(value);
    return value && !*out ? wrong(key, "a string", value, d) : 0;
}

static int read_number(const json_t *object, const char *key, int64_t max,
                       int64_t *out, struct diag *d)
{
    const json_t *value = json_object_get(object, key);

    if (!value)
        return 0;
    if (!json_is_integer(value) || json_integer_value(value) < 0
        || json_integer_value(value) > max)
        return wrong(key, "a number in its range", value, d);
    *out = json_integer_value(value);
    return 0;
}

static int read_type(struct message *m, struct diag *d)
{
    const json_t *value = json_object_get(m->json, "type");
    const char *type = json_string_value(value);

    m->response = type ? !strcmp(type, "response") : m->errnum > 0;
    return !value || m->response || (type && !strcmp(type, "request"))
               ? 0
               : wrong("type", "request or response", value, d);
}

static int read_flags(struct message *m, struct diag *d)
{
    const json_t *flags = json_object_get(m->json, "flags"), *flag;
    int rc = 0;
    size_t i;

    if (flags && !json_is_array(flags))
        return wrong("flags", "a list", flags, d);
    json_array_foreach (flags, i, flag) {
        const char *text = json_string_value(flag);
        if (text && !strcmp(text, "streaming"))
            m->streaming = true;
        else if (text && !strcmp(text, "noresponse"))
            m->noresponse = true;
        else
            rc = wrong("flags", "streaming or noresponse", flag, d);
    }
    return rc;
}

static int read_matchtag(struct message *m, struct diag *d)
{
    int64_t matchtag = 0;
    int rc = read_number(m->json, "matchtag", UINT32_MAX, &matchtag, d);

    m->matchtag = (uint32_t)matchtag;
    return rc;
}

static int read_errnum(struct message *m, struct diag *d)
{
    int64_t errnum = 0;
    int rc = read_number(m->json, "errnum", INT32_MAX, &errnum, d);

    m->errnum = (int)errnum;
    return rc;
}

static int read_topic(struct message *m, struct diag *d)
{
    int rc = read_text(m->json, "topic", &m->topic, d);

    return rc == 0 && !m->topic ? diag_set(d, "a message has a topic") : rc;
}

static int read_errstr(struct message *m, struct diag *d)
{
    return read_text(m->json, "errstr", &m->errstr, d);
}

/* All that can be understood is, whatever the fault of another key, of which
   the first is told: whether and how a message is answered depends on it. */
static int read_keys(struct message *m, struct diag *d)
{
    static int (*const keys[])(struct message *, struct diag *) = {
        read_matchtag, read_errnum, read_type,
        read_topic,    read_flags,  read_errstr};
    struct diag fault = {0};
    int rc = 0;

    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
        if (keys[i](m, rc < 0 ? &fault : d) < 0)
            rc = -1;
    m->payload = json_object_get(m->json, "payload");
    return rc;
}

static int from_json(json_t *object, struct message *m, struct diag *d)
{
    *m = (struct message){.json = object};
    if (!object)
        return -1;
    if (!json_is_object(object))
        return diag_set(d, "%s: a message is an object",
                        json_quote(object).text);
    return read_keys(m, d);
}

int message_read(const char *line, size_t len, struct message *m,
                 struct diag *d)
{
    static const char *const texts[] = {"R", "resources", NULL};

    return from_json(json_read_texts(line, len, texts, d), m, d);
}

int message_or_event(const char *line, size_t len, struct message *m,
                     struct diag *d)
{
    int rc = from_json(json_read(line, len, true, d), m, d);

    return json_object_get(m->json, "name")
                   && !json_object_get(m->json, "topic")
               ? 1
               : rc;
}

void message_fini(struct message *m)
{
    json_decref(m->json);
    *m = (struct message){0};
}

int64_t message_id(const json_t *payload)
{
    const json_t *id = json_object_get(payload, "id");

    return json_is_integer(id) && json_integer_value(id) >= 0
               ? json_integer_value(id)
               : -1;
}

struct idset *message_ranks(const json_t *object, const char *key,
                            struct diag *d)
{
    const char *text = json_string_value(json_object_get(object, key));
    struct idset *ranks = NULL;

    if (!text)
        diag_set(d, "an idset is expected");
    if (!text || idset_decode(text, strlen(text), &ranks, d) < 0)
        diag_in(d, "%s", key);
    return ranks;
}

int message_time(const json_t *object, const char *key, bool whole, double *out,
                 struct diag *d)
{
    const json_t *value = json_object_get(object, key);

    *out = json_number_value(value);
    if (!value)
        diag_set(d, "a time is expected, 0 for none");
    else if (!json_is_number(value) || !(*out >= 0 && *out <= TIME_CALENDAR))
        diag_set(d, "%s: a time from 0 (none) to %.0f is expected",
                 json_quote(value).text, TIME_CALENDAR);
    else if (whole && !json_is_integer(value))
        diag_set(d, "%s: an integer is expected in this edition",
                 json_quote(value).text);
    else
        return 0;
    return diag_in(d, "%s", key);
}

bool message_answered(const struct message *m)
{
    return m->matchtag > 0 && !m->noresponse && !m->response;
}

/* --- writing ------------------------------------------------------------ */

static void write_text(FILE *fp, const char *key, const char *text)
{
    if (!text)
        return;
    fprintf(fp, ",\"%s\":", key);
    json_write_string(fp, text);
}

void response_begin(FILE *fp, const struct message *to)
{
    fputs("{\"type\":\"response\"", fp);
    write_text(fp, "topic", to->topic);
    if (to->matchtag > 0)
        fprintf(fp, ",\"matchtag\":%u", (unsigned)to->matchtag);
}

void request_begin(FILE *fp, const char *topic, uint32_t matchtag,
                   const char *flag)
{
    fprintf(fp, "{\"type\":\"request\",\"topic\":\"%s\"", topic);
    if (matchtag > 0)
        fprintf(fp, ",\"matchtag\":%u", (unsigned)matchtag);
    if (flag)
        fprintf(fp, ",\"flags\":[\"%s\"]", flag);
}

void response_end(FILE *fp)
{
    fputs("}\n", fp);
}

void response_error(FILE *fp, const struct message *to, int errnum,
                    const char *text)
{
    if (!message_answered(to))
        return;
    response_begin(fp, to);
    fprintf(fp, ",\"errnum\":%d", errnum);
    write_text(fp, "errstr", text);
    response_end(fp);
}

void response_payload(FILE *fp, const struct message *to, const json_t *payload)
{
    if (!message_answered(to))
        return;
    response_begin(fp, to);
    json_write_member(fp, ",", "payload", payload);
    response_end(fp);
}

void response_empty(FILE *fp, const struct message *to)
{
    response_payload(fp, to, NULL);
}
