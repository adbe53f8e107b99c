/*
 * RFC 46: a shape is the `resources` of a jobspec in one line.
 *
 *     list   = "[" vertex *( ";" vertex ) "]" / vertex
 *     vertex = type [ "=" count ] [ "{" ... "}" ] [ "/" list ]
 *
 * The text is read once, from left to right, with a function for each rule.
 * White space is allowed only in quoted strings.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "request/request_private.h"

struct shape_text {
    const char *text;
    size_t len, pos;
    int depth, entries;
    struct request *req; /* its resources, so far */
    size_t nslots;
    struct request_vertex *unlabelled; /* the first slot without a label; NULL:
                                          none */
    size_t unlabelled_start, unlabelled_end;
    struct diag *d;
};

/* A word: a bare or quoted string, or another JSON value. */
struct shape_word {
    enum { WORD_STRING, WORD_TRUE, WORD_FALSE, WORD_OTHER } kind;
    char *string; /* the text of any kind, unquoted; for free() */
    size_t start, end;
};

/*
 * Report a fault between two offsets: `offset 7: "node=2": <rule>`. Returns -1.
 */
#define shape_fault(s, start, end, ...) \
    diag_at((s)->d, (s)->text, start, end, __VA_ARGS__)

/* --- words ---------------------------------------------------------------- */

/*
 * A bare word ends before the next special character. It is a string unless it
 * would be another value in JSON. Other strings need quotes, and jansson reads
 * them.
 */

/* Return the next byte, or 0 at the end. */
static char shape_peek(const struct shape_text *s)
{
    return s->pos < s->len ? s->text[s->pos] : '\0';
}

/* Step over `c` if it is next. */
static bool shape_skip(struct shape_text *s, char c)
{
    if (shape_peek(s) != c)
        return false;
    s->pos++;
    return true;
}

/* Report that something else is expected next. Returns -1. */
static int shape_due(struct shape_text *s, const char *what)
{
    size_t end = s->pos + 1;

    if (s->pos == s->len) {
        diag_set(s->d, "the shape ends where %s is expected", what);
        return diag_in(s->d, "offset %zu", s->pos);
    }
    if (strchr(" \t\r\n\v\f", shape_peek(s)))
        return shape_fault(s, s->pos, end,
                           "white space is allowed only in quotes");
    while (end < s->len && ((unsigned char)s->text[end] & 0xc0) == 0x80)
        end++; /* up to the end of a UTF-8 sequence */
    return shape_fault(s, s->pos, end, "%s is expected here", what);
}

static int read_quoted(struct shape_text *s, struct shape_word *word)
{
    json_error_t e;
    json_t *value;

    for (s->pos++; shape_peek(s) != '"'; s->pos++) {
        if (shape_peek(s) == '\\')
            s->pos++;
        if (s->pos >= s->len)
            return shape_fault(s, word->start, s->len, "quote is not closed");
    }
    word->end = ++s->pos;
    value = json_loadb(s->text + word->start, word->end - word->start,
                       JSON_DECODE_ANY, &e);
    if (!value)
        return shape_fault(s, word->start, word->end, "not a JSON string");
    word->kind = WORD_STRING;
    word->string = xstrdup(json_string_value(value));
    json_decref(value);
    return 0;
}

/* Read the next word. `what` names it in messages. Makes no string after a
   fault. */
static int read_shape_word(struct shape_text *s, const char *what,
                           struct shape_word *word)
{
    json_error_t e;
    json_t *value;
    char c;

    *word = (struct shape_word){.start = s->pos};
    if (shape_peek(s) == '"')
        return read_quoted(s, word);
    /* up to white space, a control character or a special character */
    while ((c = shape_peek(s)) && (unsigned char)c > ' ' && c != 0x7f
           && !strchr("[]{};,:/=\"\\", c))
        s->pos++;
    if (s->pos == word->start)
        return shape_due(s, what);
    word->end = s->pos;
    word->string = xstrndup(s->text + word->start, word->end - word->start);
    value = json_loads(word->string, JSON_DECODE_ANY, &e);
    if (value || json_error_code(&e) == json_error_numeric_overflow)
        word->kind = json_is_true(value)    ? WORD_TRUE
                     : json_is_false(value) ? WORD_FALSE
                                            : WORD_OTHER;
    json_decref(value);
    return 0;
}

/* --- braces --------------------------------------------------------------- */

/*
 * The braces of a vertex: for a slot its label first, then the optional keys of
 * RFC 14. All keys take a string or a boolean. The language allows objects and
 * arrays, but none fits.
 */
struct shape_item {
    struct shape_word key;
    struct shape_word value; /* without a colon no string: true for a bare key
                                and "+", false for "-" */
};

/* Check the label of a vertex, which is the last one so far. */
static int check_label(struct shape_text *s, const struct request_vertex *v,
                       const struct shape_word *at)
{
    return request_labelled(s->req->resources, v->label) == v
               ? 0
               : shape_fault(
                   s, at->start, at->end,
                   "label is used twice; tasks refer to slots by label");
}

static int set_item(struct shape_text *s, struct request_vertex *v,
                    struct shape_item *item)
{
    const char *key = item->key.string;
    const struct shape_word *value = &item->value;
    bool flag = !strcmp(key, "x") || !strcmp(key, "exclusive");
    char **field = !strcmp(key, "unit")    ? &v->unit
                   : !strcmp(key, "id")    ? &v->id
                   : !strcmp(key, "label") ? &v->label
                                           : NULL;

    if (!flag && !field)
        return shape_fault(s, item->key.start, item->key.end,
                           "unknown key (x, exclusive, id, label, unit are "
                           "known)");
    if (flag && value->kind != WORD_TRUE && value->kind != WORD_FALSE)
        return shape_fault(s, value->start, value->end,
                           "\"%s\" is true or false", key);
    if (field && value->kind != WORD_STRING)
        return shape_fault(s, value->start, value->end,
                           "\"%s\" takes a string%s", key,
                           value->string ? ": quote it" : "");
    if (flag ? v->exclusive != UNSET : *field != NULL)
        return shape_fault(s, item->key.start, item->key.end,
                           "key is repeated");
    if (flag) {
        v->exclusive = value->kind == WORD_TRUE ? YES : NO;
        return 0;
    }
    *field = value->string;
    item->value.string = NULL;
    return field == &v->label ? check_label(s, v, value) : 0;
}

static int read_item(struct shape_text *s, struct shape_item *item)
{
    bool minus = shape_skip(s, '-'), sign = minus || shape_skip(s, '+');

    if (read_shape_word(s, "a key", &item->key) < 0)
        return -1;
    if (item->key.kind != WORD_STRING)
        return shape_fault(s, item->key.start, item->key.end,
                           "a key is a string");
    item->value.kind = minus ? WORD_FALSE : WORD_TRUE;
    item->value.start = item->key.start;
    item->value.end = item->key.end;
    if (!shape_skip(s, ':'))
        return 0;
    if (sign)
        return shape_fault(s, item->key.start - 1, s->pos,
                           "a key with a sign takes no value");
    if (shape_peek(s) == '{' || shape_peek(s) == '[')
        return shape_fault(s, s->pos, s->pos + 1,
                           "\"%s\" takes no object and no array",
                           item->key.string);
    return read_shape_word(s, "a value", &item->value);
}

/* Read a key with its value, or a flag. */
static int read_entry(struct shape_text *s, struct request_vertex *v)
{
    struct shape_item item = {0};
    int rc = read_item(s, &item);

    if (rc == 0)
        rc = set_item(s, v, &item);
    free(item.key.string);
    free(item.value.string);
    return rc;
}

/* Read the first entry of a slot: its label, without a key. */
static int read_label(struct shape_text *s, struct request_vertex *v)
{
    struct shape_word word;
    bool sign = shape_peek(s) == '+' || shape_peek(s) == '-';

    if (read_shape_word(s, "the label of the slot", &word) < 0)
        return -1;
    v->label = word.string;
    if (word.kind != WORD_STRING || sign || shape_peek(s) == ':')
        return shape_fault(
            s, word.start, word.end + (shape_peek(s) == ':'),
            "the braces of a slot begin with its label, a string");
    return check_label(s, v, &word);
}

static int read_dict(struct shape_text *s, struct request_vertex *v)
{
    size_t open = s->pos++;
    int rc = 0;

    if (request_is_slot(v))
        rc = read_label(s, v);
    else if (shape_skip(s, '}'))
        return 0;
    else
        rc = read_entry(s, v);
    while (rc == 0 && shape_skip(s, ','))
        rc = read_entry(s, v);
    if (rc < 0 || shape_skip(s, '}'))
        return rc;
    if (s->pos == s->len)
        return shape_fault(s, open, s->len, "brace is not closed");
    return shape_due(s, "\",\" or \"}\"");
}

/* --- vertices ------------------------------------------------------------- */

static int read_shapes(struct shape_text *s, struct request_vertex **end);

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Skip a count. Its limit depends on the unit, which comes later. */
static int skip_count(struct shape_text *s, size_t *length)
{
    size_t start = s->pos, len;

    if (shape_peek(s) == '[') {
        const char *close = strchr(s->text + start, ']');
        if (!close)
            return shape_fault(s, start, s->len, "bracket is not closed");
        for (close++; is_letter(*close); close++)
            ; /* a unit */
        len = (size_t)(close - (s->text + start));
    } else {
        len = strcspn(s->text + start, "{/;]");
    }
    if (len == 0)
        return shape_due(s, "a count");
    s->pos += len;
    *length = len;
    return 0;
}

/* Take a unit behind a count off it, as in `memory=24GiB`. */
static int take_unit(struct shape_text *s, struct request_vertex *v, size_t at,
                     size_t *length)
{
    size_t end = at + *length, from = end;
    const char *comma = memchr(s->text + at, ',', *length);

    while (from > at && is_letter(s->text[from - 1]))
        from--;
    if (comma && is_letter(comma[1]))
        return shape_fault(s, (size_t)(comma - s->text), end,
                           "a comma is for numbers: `/` goes on with what is "
                           "inside, and [a;b] asks for both");
    if (from == at || from == end
        || !memchr("0123456789+]", s->text[from - 1], 12))
        return 0;
    v->unit = xstrndup(s->text + from, end - from);
    *length = from - at;
    return 0;
}

/* Check the rules of RFC 46 for a slot that was read. */
static int check_slot(struct shape_text *s, struct request_vertex *v,
                      size_t start)
{
    if (!v->with)
        return shape_fault(s, start, s->pos,
                           "a slot needs \"/\" and its contents");
    s->nslots++;
    if (!v->label && !s->unlabelled) {
        s->unlabelled = v;
        s->unlabelled_start = start;
        s->unlabelled_end = s->pos;
    }
    return 0;
}

static int read_vertex(struct shape_text *s, struct request_vertex *v)
{
    size_t start = s->pos, count, len = 0;
    struct shape_word word;

    if (++s->entries > REQUEST_ENTRIES_MAX)
        return shape_fault(s, s->pos, s->len,
                           "there are more than %d resources in a request",
                           REQUEST_ENTRIES_MAX);
    if (read_shape_word(s, "a resource type", &word) < 0)
        return -1;
    v->type = word.string;
    if (word.kind != WORD_STRING)
        return shape_fault(s, word.start, word.end,
                           "a type is a string: quote it");
    count = s->pos + 1;
    if (shape_skip(s, '=')
        && (skip_count(s, &len) < 0 || take_unit(s, v, count, &len) < 0))
        return -1;
    if (shape_peek(s) == '{' && read_dict(s, v) < 0)
        return -1;
    if (len > 0
        && request_count_decode(s->text + count, len,
                                request_count_most(v->unit), &v->count, s->d)
               < 0)
        return diag_part(s->d, count);
    if (shape_peek(s) == '=')
        return shape_fault(s, s->pos, s->pos + 1,
                           "a count comes once, before the braces");
    if (shape_peek(s) == '/') {
        if (++s->depth == REQUEST_DEPTH_MAX)
            return shape_fault(s, s->pos, s->len,
                               "nested deeper than %d levels",
                               REQUEST_DEPTH_MAX);
        s->pos++;
        if (read_shapes(s, &v->with) < 0)
            return -1;
        s->depth--;
    }
    return request_is_slot(v) ? check_slot(s, v, start) : 0;
}

/* Read a vertex, or several in brackets. The list has everything that was read,
   even on failure. */
static int read_shapes(struct shape_text *s, struct request_vertex **end)
{
    size_t open = s->pos;
    bool several = shape_skip(s, '[');

    do {
        *end = request_vertex_create();
        if (read_vertex(s, *end) < 0)
            return -1;
        end = &(*end)->next;
    } while (several && shape_skip(s, ';'));
    if (!several || shape_skip(s, ']'))
        return 0;
    if (s->pos == s->len)
        return shape_fault(s, open, s->len, "bracket is not closed");
    return shape_due(s, "\";\" or \"]\"");
}

/* Check the end, and slots without a label. */
static int check_whole(struct shape_text *s)
{
    if (shape_peek(s) == ';')
        return shape_fault(s, s->pos, s->pos + 1,
                           "several vertices need brackets around them");
    if (s->pos < s->len)
        return shape_due(s, "the end of the shape");
    if (!s->unlabelled)
        return 0;
    if (s->nslots > 1)
        return shape_fault(s, s->unlabelled_start, s->unlabelled_end,
                           "each of several slots needs a label");
    if (request_labelled(s->req->resources, REQUEST_DEFAULT_LABEL))
        return shape_fault(s, s->unlabelled_start, s->unlabelled_end,
                           "the label \"" REQUEST_DEFAULT_LABEL
                           "\" of this slot is taken");
    s->unlabelled->label = xstrdup(REQUEST_DEFAULT_LABEL);
    return 0;
}

struct request *request_from_shape(const char *text, struct diag *d)
{
    struct shape_text s = {.text = text,
                           .len = strlen(text),
                           .req = xcalloc(1, sizeof(*s.req)),
                           .d = d};
    int rc = 0;

    /* names of pools are JSON, which has to be UTF-8 */
    for (size_t i = 0, n; i < s.len && rc == 0; i += n)
        if ((n = utf8_length(text + i)) == 0) {
            diag_set(d, "byte 0x%02x: not valid UTF-8", (unsigned char)text[i]);
            rc = diag_in(d, "offset %zu", i);
        }
    if (rc == 0)
        rc = read_shapes(&s, &s.req->resources);
    if (rc == 0)
        rc = check_whole(&s);
    if (rc == 0)
        return s.req;
    request_destroy(s.req);
    return NULL;
}
