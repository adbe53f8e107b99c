/*
 * Plain JSON: values as programs usually write them, without escapes,
 * exponents, bytes beyond ASCII and very long numbers. Everything unusual or
 * wrong is left to jansson, so that jansson alone decides what is JSON. But its
 * scanner calls a function for each byte; most of a document is read here in
 * half the time.
 */
#include <float.h>
#include <string.h>

#include "base/json.h"

enum { DEPTH = 32, KEY_MAX = 64, NUMBER_MAX = 18, FRACTION_MAX = 9 };

struct plain {
    const char *p, *end;
    unsigned depth;
    const char *const *texts; /* see json_read_texts(); NULL: none */
    bool skips; /* only step over values; any value stands for one */
};

static json_t *read_plain_value(struct plain *r);

/* Bytes that stand for themselves in a string. */
static const bool is_plain[256] = {
    [' ' ... '!'] = true, ['#' ... '['] = true, [']' ... '~'] = true};

static void skip_plain_blanks(struct plain *r)
{
    while (r->p < r->end && *r->p <= ' '
           && (*r->p == ' ' || *r->p == '\n' || *r->p == '\r' || *r->p == '\t'))
        r->p++;
}

/* Step over white space and the byte c. Returns false if c does not follow. */
static bool skip(struct plain *r, char c)
{
    skip_plain_blanks(r);
    if (r->p == r->end || *r->p != c)
        return false;
    r->p++;
    return true;
}

/* Return the text up to the closing quote; NULL if it is not plain. */
static const char *read_text(struct plain *r, size_t *len)
{
    const char *start, *p;

    if (!skip(r, '"'))
        return NULL;
    start = p = r->p;
    while (p < r->end && is_plain[(unsigned char)*p])
        p++;
    if (p == r->end || *p != '"')
        return NULL;
    *len = (size_t)(p - start);
    r->p = p + 1;
    return start;
}

/* Read a value as a string of its text, if it is plain. */
static json_t *read_as_text(struct plain *r)
{
    const char *start;
    json_t *value;

    skip_plain_blanks(r);
    start = r->p;
    r->skips = true;
    value = read_plain_value(r);
    r->skips = false;
    return value ? json_stringn_nocheck(start, (size_t)(r->p - start)) : NULL;
}

/* Read a member of an object. A repeated key is not plain. */
static int read_member(struct plain *r, json_t *object)
{
    const char *const *texts = r->depth == 2 ? r->texts : NULL;
    size_t len, n;
    const char *text = read_text(r, &len);
    char key[KEY_MAX];
    json_t *value;

    if (!text || len >= sizeof(key) || !skip(r, ':'))
        return -1;
    if (r->skips)
        return read_plain_value(r) ? 0 : -1;
    memcpy(key, text, len);
    key[len] = '\0';
    while (texts && *texts && strcmp(*texts, key) != 0)
        texts++;
    value = texts && *texts ? read_as_text(r) : read_plain_value(r);
    n = json_object_size(object);
    return json_object_set_new_nocheck(object, key, value) < 0
                   || json_object_size(object) == n
               ? -1
               : 0;
}

static int read_element(struct plain *r, json_t *array)
{
    json_t *value = read_plain_value(r);

    if (r->skips)
        return value ? 0 : -1;
    return json_array_append_new(array, value);
}

/* Read an object or an array. Returns NULL if anything in it is not plain. */
static json_t *read_members(struct plain *r, json_t *value, char close,
                            int (*read)(struct plain *r, json_t *value))
{
    bool good = value && ++r->depth <= DEPTH;

    r->p++;
    if (good && !skip(r, close)) {
        do
            good = read(r, value) == 0;
        while (good && skip(r, ','));
        good = good && skip(r, close);
    }
    r->depth--;
    if (good)
        return value;
    json_decref(value);
    return NULL;
}

/* Does a number or a word end here? At the end of the text it might go on. */
static bool ends_word(const struct plain *r)
{
    return r->p < r->end && *r->p && strchr(" \n\r\t,]}", *r->p);
}

/*
 * Read the fraction of a real behind n, its digits so far. All digits together
 * have less than 52 bits, and a double holds the power of ten exactly. So the
 * quotient is the nearest double, which keeps every digit.
 */
static json_t *read_fraction(struct plain *r, json_int_t n, bool negative)
{
    const char *start = ++r->p;
    double scale = 1, real;

    for (; r->p < r->end && *r->p >= '0' && *r->p <= '9'; r->p++) {
        if (r->p - start == FRACTION_MAX || n >= (INT64_C(1) << 52) / 10 - 1)
            return NULL;
        n = n * 10 + (*r->p - '0');
        scale *= 10;
    }
    if (r->p == start || !ends_word(r) || FLT_EVAL_METHOD != 0)
        return NULL;
    real = (double)n / scale;
    if (r->skips)
        return json_true();
    return json_real(negative ? -real : real);
}

/* Read digits. Returns false if there are none, too many, or a leading zero. */
static bool read_digits(struct plain *r, json_int_t *n)
{
    const char *start = r->p;

    for (*n = 0; r->p < r->end && *r->p >= '0' && *r->p <= '9'; r->p++) {
        if (r->p - start == NUMBER_MAX)
            return false;
        *n = *n * 10 + (*r->p - '0');
    }
    return r->p > start && (*start != '0' || r->p == start + 1);
}

static json_t *read_plain_number(struct plain *r)
{
    bool negative = *r->p == '-';
    json_int_t n;

    r->p += negative;
    if (!read_digits(r, &n))
        return NULL;
    if (r->p < r->end && *r->p == '.')
        return read_fraction(r, n, negative);
    if (!ends_word(r))
        return NULL;
    return r->skips ? json_true() : json_integer(negative ? -n : n);
}

static json_t *read_word(struct plain *r, const char *word, json_t *value)
{
    size_t len = strlen(word);

    if ((size_t)(r->end - r->p) < len || memcmp(r->p, word, len) != 0)
        return NULL;
    r->p += len;
    return ends_word(r) ? value : NULL;
}

static json_t *read_plain_value(struct plain *r)
{
    const char *text;
    size_t len;

    skip_plain_blanks(r);
    if (r->p == r->end)
        return NULL;
    switch (*r->p) {
    case '{':
        return read_members(r, r->skips ? json_true() : json_object(), '}',
                            read_member);
    case '[':
        return read_members(r, r->skips ? json_true() : json_array(), ']',
                            read_element);
    case '"':
        if (!(text = read_text(r, &len)))
            return NULL;
        return r->skips ? json_true() : json_stringn_nocheck(text, len);
    case 't':
        return read_word(r, "true", json_true());
    case 'f':
        return read_word(r, "false", json_false());
    case 'n':
        return read_word(r, "null", json_null());
    default:
        return read_plain_number(r);
    }
}

/* --- reading without values ----------------------------------------------- */

static bool read_fields(struct plain *r, const struct json_field *fields,
                        struct json_token *out);

static bool read_token(struct plain *r, const struct json_field *field,
                       struct json_token *out)
{
    struct json_token *t = &out[field->slot];
    bool negative;

    skip_plain_blanks(r);
    t->text = r->p;
    if (r->p == r->end)
        return false;
    switch (field->type) {
    case JSON_STRING:
        return (t->text = read_text(r, &t->len));
    case JSON_INTEGER:
        r->p += (negative = *r->p == '-');
        if (!read_digits(r, &t->number) || !ends_word(r))
            return false;
        t->number *= negative ? -1 : 1;
        return true;
    case JSON_TRUE:
        t->number = *r->p == 't';
        return read_word(r, t->number ? "true" : "false", json_true());
    default:
        return read_fields(r, field->in, out);
    }
}

static bool read_fields(struct plain *r, const struct json_field *fields,
                        struct json_token *out)
{
    if (!skip(r, '{'))
        return false;
    if (skip(r, '}'))
        return true;
    do {
        size_t len;
        const char *key = read_text(r, &len);
        const struct json_field *field = fields;
        while (key && field->key
               && (*field->key != *key || strncmp(field->key, key, len) != 0
                   || field->key[len]))
            field++;
        if (!key || !field->key || out[field->slot].text || !skip(r, ':')
            || !read_token(r, field, out))
            return false;
    } while (skip(r, ','));
    return skip(r, '}');
}

bool json_read_fields(const char *text, size_t len,
                      const struct json_field *fields, struct json_token *out,
                      size_t *end)
{
    struct plain r = {.p = text, .end = text + len};
    bool good = read_fields(&r, fields, out);

    *end = (size_t)(r.p - text);
    return good;
}

const char *json_read_string(const char *text, size_t len, size_t *n)
{
    struct plain r = {.p = text, .end = text + len};

    return read_text(&r, n);
}

/* --- the whole ------------------------------------------------------------ */

json_t *json_read_plain(const char *text, size_t len, const char *const *texts,
                        size_t *end)
{
    struct plain r = {.p = text, .end = text + len, .texts = texts};
    json_t *value = read_plain_value(&r);

    *end = (size_t)(r.p - text);
    return value;
}
