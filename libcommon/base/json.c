#include "base/json.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void json_use_our_memory(void)
{
    json_set_alloc_funcs(xmalloc, free);
}

/* --- reading ------------------------------------------------------------ */

/* Get the decimal digits of a number without zeros at either end. Returns their
   count. */
static int significant_digits(const char *tok, size_t len, char *digits,
                              int max)
{
    int n = 0, zeros = 0;

    for (size_t i = 0; i < len && tok[i] != 'e' && tok[i] != 'E'; i++) {
        if (!isdigit((unsigned char)tok[i]))
            continue;
        if (tok[i] == '0') {
            zeros += n > 0;
            continue;
        }
        for (; zeros > 0 && n < max; zeros--)
            digits[n++] = '0';
        if (n == max)
            return max;
        digits[n++] = tok[i];
    }
    return n;
}

/* Does a double hold this number exactly as written? */
static bool real_is_exact(const char *tok, size_t len)
{
    char want[18], got[18], text[64], *copy;
    int n = significant_digits(tok, len, want, sizeof(want));
    double value;

    if (n == 0 || n > 17)
        return n == 0;
    copy = xstrndup(tok, len);
    value = strtod(copy, NULL);
    free(copy);
    snprintf(text, sizeof(text), "%.*e", n - 1, value);
    return significant_digits(text, strlen(text), got, sizeof(got)) == n
           && !memcmp(want, got, (size_t)n);
}

/* Find reals outside of strings that a double can't hold. The caller checks
   first whether the text may have any reals, because this takes time. */
static int check_reals(const char *text, size_t len, size_t *at, struct diag *d)
{
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '"') {
            for (i++; i < len && text[i] != '"'; i++)
                i += text[i] == '\\';
        } else if (text[i] == '-' || isdigit((unsigned char)text[i])) {
            static const char in_number[] = "+-.eE0123456789";
            size_t n = 1;
            bool real = false;
            for (; i + n < len && memchr(in_number, text[i + n], 15); n++)
                real |= memchr(".eE", text[i + n], 3) != NULL;
            if (real && !real_is_exact(text + i, n)) {
                *at = i;
                return diag_set(d, "%s: more digits than can be kept",
                                quote(text + i, n).text);
            }
            i += n - 1;
        }
    }
    return 0;
}

/* --- faults -------------------------------------------------------------- */

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || strchr("+-._", c) || (c & 0x80);
}

/* Return the length of the token that the text begins with; at least 1. */
static size_t token_length(const char *text, size_t len)
{
    size_t n = 1;

    if (*text == '"') {
        while (n < len && text[n] != '"')
            n += text[n] == '\\' && n + 1 < len ? 2 : 1;
        return n + (n < len);
    }
    if (*text && in_word(*text))
        while (n < len && text[n] && in_word(text[n]))
            n++;
    return n;
}

struct quoted json_quote_token(const char *text, size_t len)
{
    size_t n = len ? token_length(text, len) : 0;

    return n > 1 && *text == '"' && text[n - 1] == '"' ? quote(text + 1, n - 2)
                                                       : quote(text, n);
}

/* Return the start of the token that contains the byte before `end`. */
static size_t token_before(const char *text, size_t len, size_t end)
{
    size_t i = 0, n;

    for (; i < len; i += n) {
        n = strchr(" \t\r\n", text[i]) ? 1 : token_length(text + i, len - i);
        if (i + n >= end)
            return i;
    }
    return len;
}

/* Return what jansson expected, in the words of stream.c. */
static const char *due(const json_error_t *error)
{
    static const struct {
        const char *found, *due;
    } list[] = {
        {"'}' expected", "',' or '}'"},
        {"']' expected", "',' or ']'"},
        {"':' expected", "':'"},
        {"string or '}' expected", "a key in quotes"},
        {"end of file expected", "the end of the text"},
        {"unexpected token", "a value"},
        {"invalid token", "a value"},
    };

    for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
        if (!strncmp(error->text, list[i].found, strlen(list[i].found)))
            return list[i].due;
    return NULL;
}

static void syntax_error(const json_error_t *error, const char *text,
                         size_t len, size_t *at, struct diag *d)
{
    size_t end = error->position > 0 ? (size_t)error->position : 0;
    const char *near = strstr(error->text, " near ");
    struct quoted token;

    if (json_error_code(error) == json_error_premature_end_of_input) {
        *at = len;
        diag_set(d, "input ends in the middle of a document");
        return;
    }
    *at = token_before(text, len, end);
    token = json_quote_token(text + *at, len - *at);
    if (json_error_code(error) == json_error_duplicate_key)
        diag_set(d, "duplicate object key %s", token.text);
    else if (json_error_code(error) == json_error_null_character)
        diag_set(d, "%s: \\u0000 is not allowed", token.text);
    else if (due(error))
        diag_set(d, "%s: expected %s", token.text, due(error));
    else
        diag_set(d, "%s: %.*s", token.text,
                 near ? (int)(near - error->text) : (int)strlen(error->text),
                 error->text);
}

struct text_place text_place_after(struct text_place from, const char *text,
                                   size_t len)
{
    const char *end = text + len, *feed;

    while ((feed = memchr(text, '\n', (size_t)(end - text)))) {
        from.line++;
        from.column = 1;
        text = feed + 1;
    }
    from.column += (uint64_t)(end - text);
    return from;
}

int text_place_in(struct text_place place, struct diag *d)
{
    return diag_in(d, "line %llu, column %llu", (unsigned long long)place.line,
                   (unsigned long long)place.column);
}

json_t *json_read_part(const char *text, size_t len, bool reals, size_t *at,
                       struct diag *d)
{
    json_error_t error;
    json_t *value;

    value = json_loadb(text, len, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES,
                       &error);
    if (!value) {
        syntax_error(&error, text, len, at, d);
        return NULL;
    }
    if (reals && check_reals(text, len, at, d) < 0) {
        json_decref(value);
        return NULL;
    }
    return value;
}

/* Read a text that is only a plain value. */
static json_t *read_whole_plain(const char *text, size_t len,
                                const char *const *texts)
{
    size_t end;
    json_t *value = json_read_plain(text, len, texts, &end);

    while (value && end < len && strchr(" \t\r\n", text[end]) && text[end])
        end++;
    if (value && end == len)
        return value;
    json_decref(value);
    return NULL;
}

json_t *json_read(const char *text, size_t len, bool reals, struct diag *d)
{
    size_t at;
    json_t *value = read_whole_plain(text, len, NULL);

    if (!value && !(value = json_read_part(text, len, reals, &at, d)))
        text_place_in(text_place_after((struct text_place){1, 1}, text, at), d);
    return value;
}

static json_t *text_of(const json_t *value)
{
    char *text;
    size_t len;
    FILE *fp = memory_open(&text, &len);
    json_t *string;

    json_write(fp, value);
    memory_close(fp);
    string = json_stringn_nocheck(text, len);
    free(text);
    return string;
}

json_t *json_read_texts(const char *text, size_t len, const char *const *keys,
                        struct diag *d)
{
    json_t *object = read_whole_plain(text, len, keys), *member, *value;
    const char *key;

    if (object || !(object = json_read(text, len, true, d)))
        return object;
    json_object_foreach (object, key, member)
        for (size_t i = 0; keys[i]; i++)
            if ((value = json_object_get(member, keys[i])))
                json_object_set_new(member, keys[i], text_of(value));
    return object;
}

/* --- writing ------------------------------------------------------------ */

void json_write_member(FILE *fp, const char *sep, const char *key,
                       const json_t *value)
{
    if (!value)
        return;
    fputs(sep, fp);
    json_write_string(fp, key);
    putc_unlocked(':', fp);
    json_write(fp, value);
}

void json_put(json_t **object, const char *key, json_t *value)
{
    if (!*object)
        *object = json_object();
    json_object_set_new(*object, key, value);
}

json_t *json_at(json_t *object, const char *key, json_t *(*make)(void))
{
    if (!json_object_get(object, key))
        json_object_set_new(object, key, make());
    return json_object_get(object, key);
}

void json_write_members(FILE *fp, const json_t *object)
{
    const char *key;
    json_t *value;

    json_object_foreach ((json_t *)object, key, value)
        json_write_member(fp, ",", key, value);
}

void json_write(FILE *fp, const json_t *value)
{
    const char *key, *sep = "";
    json_t *item;
    size_t i;

    switch (json_typeof(value)) {
    case JSON_OBJECT:
        putc_unlocked('{', fp);
        json_object_foreach ((json_t *)value, key, item) {
            json_write_member(fp, sep, key, item);
            sep = ",";
        }
        putc_unlocked('}', fp);
        break;
    case JSON_ARRAY:
        putc_unlocked('[', fp);
        json_array_foreach (value, i, item) {
            if (i)
                putc_unlocked(',', fp);
            json_write(fp, item);
        }
        putc_unlocked(']', fp);
        break;
    case JSON_STRING:
        json_write_string(fp, json_string_value(value));
        break;
    case JSON_INTEGER:
        fprintf(fp, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        break;
    case JSON_REAL:
        json_write_real(fp, json_real_value(value));
        break;
    case JSON_TRUE:
        fputs("true", fp);
        break;
    case JSON_FALSE:
        fputs("false", fp);
        break;
    case JSON_NULL:
        fputs("null", fp);
        break;
    }
}

struct quoted json_quote(const json_t *value)
{
    struct quoted q;
    char *text;
    size_t len;
    FILE *fp;

    if (json_is_string(value))
        return quote(json_string_value(value), json_string_length(value));
    fp = memory_open(&text, &len);
    json_write(fp, value);
    memory_close(fp);
    q = quote(text, len);
    free(text);
    /* remove our quotes: a number or an object needs none */
    memmove(q.text, q.text + 1, strlen(q.text));
    q.text[strlen(q.text) - 1] = '\0';
    return q;
}

const char *json_container(const json_t *value)
{
    return json_is_array(value)    ? "a list"
           : json_is_object(value) ? "an object"
                                   : NULL;
}
