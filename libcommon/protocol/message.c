/* Reading and writing messages (message.h). */
#include "protocol/message.h"

#include <string.h>

#include "base/json.h"
#include "base/time.h"

const struct fate_words fate_words[FATES] = {
    [FATE_UP] = {"online", "up"},
    [FATE_DOWN] = {"offline", "down"},
    [FATE_SHRINK] = {"shrink", "shrink"}};

/* --- reading ------------------------------------------------------------ */

/* Report a wrong value, unless the message has a fault already. */
static void wrong(const char *key, const json_t *value, const char *expected,
                  struct diag *d)
{
    if (!d->text[0])
        diag_key(d, key, "%s is not %s", json_quote(value).text, expected);
}

static const char *get_text(const json_t *object, const char *key,
                            struct diag *d)
{
    const json_t *value = json_object_get(object, key);

    if (value && !json_is_string(value))
        wrong(key, value, "a string", d);
    return json_string_value(value);
}

static int64_t get_number(const json_t *object, const char *key, int64_t max,
                          struct diag *d)
{
    const json_t *value = json_object_get(object, key);
    int64_t n = json_integer_value(value);

    if (!value || (json_is_integer(value) && n >= 0 && n <= max))
        return n;
    wrong(key, value, "a valid number", d);
    return 0;
}

/*
 * Read every key even after a fault: whether and how a message is answered
 * depends on the others. Report the first fault.
 */
static int read_keys(struct message *m, struct diag *d)
{
    const json_t *type = json_object_get(m->json, "type"),
                 *flags = json_object_get(m->json, "flags"), *flag;
    const json_t *version = json_object_get(m->json, "version");
    const char *word = json_string_value(type);
    struct diag fault = {0};
    size_t i;

    if (json_integer_value(version) > 1)
        wrong("version", version, "a version that is known", &fault);
    m->matchtag = (uint32_t)get_number(m->json, "matchtag", UINT32_MAX, &fault);
    m->errnum = (int)get_number(m->json, "errnum", INT32_MAX, &fault);
    m->response = word ? !strcmp(word, "response") : m->errnum > 0;
    if (type && !m->response && !(word && !strcmp(word, "request")))
        wrong("type", type, "request or response", &fault);
    m->topic = get_text(m->json, "topic", &fault);
    if (!m->topic && !fault.text[0])
        diag_set(&fault, "topic is missing");
    if (flags && !json_is_array(flags))
        wrong("flags", flags, "a list", &fault);
    json_array_foreach (flags, i, flag) {
        word = json_string_value(flag);
        if (word && !strcmp(word, "streaming"))
            m->streaming = true;
        else if (word && !strcmp(word, "noresponse"))
            m->noresponse = true;
        else
            wrong("flags", flag, "streaming or noresponse", &fault);
    }
    m->errstr = get_text(m->json, "errstr", &fault);
    m->payload = json_object_get(m->json, "payload");
    if (!fault.text[0])
        return 0;
    *d = fault;
    return -1;
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
    json_t *object = json_read_texts(line, len, texts, d);
    double tag;

    if (object
        || !(object = json_loadb(
                 line, len, JSON_DECODE_INT_AS_REAL | JSON_ALLOW_NUL, NULL)))
        return from_json(object, m, d);
    /* JSON with a value that is of no use here, such as a larger integer */
    tag = json_number_value(json_object_get(object, "matchtag"));
    *m = (struct message){
        .json = object,
        .topic = json_string_value(json_object_get(object, "topic")),
        .matchtag = tag >= 0 && tag <= UINT32_MAX ? (uint32_t)tag : 0};
    return -1;
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

int message_time(const json_t *value, bool whole, double *out, struct diag *d)
{
    *out = json_number_value(value);
    if (!value)
        return diag_set(d, "a time is expected, 0 for none");
    if (!json_is_number(value) || !(*out >= 0 && *out <= TIME_CALENDAR))
        return diag_set(d, "%s: a time from 0 (none) to %.0f is expected",
                        json_quote(value).text, TIME_CALENDAR);
    if (whole && !json_is_integer(value))
        return diag_set(d, "%s: an integer is expected in this edition",
                        json_quote(value).text);
    return 0;
}

int message_read_time(void *arg, json_t *value, void *to, struct diag *d)
{
    (void)arg;
    return message_time(value, false, to, d);
}

bool message_answered(const struct message *m)
{
    return m->matchtag > 0 && !m->noresponse && !m->response;
}

/* --- writing ------------------------------------------------------------ */

void response_begin(FILE *fp, const struct message *to)
{
    fputs("{\"type\":\"response\"", fp);
    json_write_field(fp, "topic", to->topic);
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

void payload_end(FILE *fp)
{
    fputs("}}\n", fp);
}

void response_error(FILE *fp, const struct message *to, int errnum,
                    const char *text)
{
    if (!message_answered(to))
        return;
    response_begin(fp, to);
    fprintf(fp, ",\"errnum\":%d", errnum);
    json_write_field(fp, "errstr", text);
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
