/*
 * RFC 46: a shape is the `resources` of a jobspec in one line.
 *
 *     list   = "[" vertex *( ";" vertex ) "]" / vertex
 *     vertex = type [ "=" count ] [ "{" ... "}" ] [ "/" list ]
 *
 * The reader goes over the text once, from left to right, with a function a
 * rule. White space stands nowhere but in quoted strings.
 */
#include "request/shape_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/utf8.h"

static int read_shapes(struct shape *s, struct request_vertex **list);

static int read_type(struct shape *s, struct request_vertex *v)
{
    struct shape_word word;
    int rc = shape_read_word(s, "a resource type", &word);

    v->type = word.string;
    if (rc == 0 && word.kind != WORD_STRING)
        return shape_fault(s, word.start, word.end,
                           "a type is a string: quote it");
    return rc;
}

/* Where a count is: how large it may be its unit says, which comes later. */
static int skip_count(struct shape *s, size_t *length)
{
    size_t start = s->pos, len;

    if (shape_peek(s) == '[') {
        const char *close = strchr(s->text + start, ']');
        if (!close)
            return shape_fault(s, start, s->len, "bracket is not closed");
        len = (size_t)(close + 1 - (s->text + start));
    } else {
        len = strcspn(s->text + start, "{/;]");
    }
    if (len == 0)
        return shape_due(s, "a count");
    s->pos += len;
    *length = len;
    return 0;
}

/* The count at `start`, if there is one. */
static int read_count(struct shape *s, struct request_vertex *v, size_t start,
                      size_t len)
{
    uint64_t most = request_count_most(v->unit);

    if (len == 0)
        return 0;
    return request_count_decode(s->text + start, len, most, &v->count, s->d) < 0
               ? diag_part(s->d, start)
               : 0;
}

/* What RFC 46 asks of a slot, once all of it was read. */
static int check_slot(struct shape *s, struct request_vertex *v, size_t start)
{
    if (!v->with)
        return shape_fault(s, start, s->pos,
                           "a slot needs \"/\" and what is in it");
    s->nslots++;
    if (v->label)
        return 0;
    if (!s->has_unlabelled) {
        s->has_unlabelled = true;
        s->unlabelled = start;
        s->unlabelled_end = s->pos;
    }
    v->label = xstrdup(REQUEST_DEFAULT_LABEL);
    return 0;
}

static int read_vertex(struct shape *s, struct request_vertex *v)
{
    size_t start = s->pos, count, len = 0;

    if (read_type(s, v) < 0)
        return -1;
    count = s->pos + 1;
    if (shape_skip(s, '=') && skip_count(s, &len) < 0)
        return -1;
    if (shape_peek(s) == '{' && shape_read_dict(s, v) < 0)
        return -1;
    if (read_count(s, v, count, len) < 0)
        return -1;
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

/* Vertices up to the closing bracket; the opening one was stepped over. */
static int read_bracketed(struct shape *s, struct request_vertex **tail)
{
    size_t open = s->pos - 1;

    do {
        *tail = request_vertex_create();
        if (read_vertex(s, *tail) < 0)
            return -1;
        tail = &(*tail)->next;
    } while (shape_skip(s, ';'));
    if (shape_skip(s, ']'))
        return 0;
    if (s->pos == s->len)
        return shape_fault(s, open, s->len, "bracket is not closed");
    return shape_due(s, "\";\" or \"]\"");
}

/* Whatever was read is in *list, even on failure. */
static int read_shapes(struct shape *s, struct request_vertex **list)
{
    if (shape_skip(s, '['))
        return read_bracketed(s, list);
    *list = request_vertex_create();
    return read_vertex(s, *list);
}

/* What can only be said of the whole: the end, and slots without a label. */
static int check_whole(struct shape *s)
{
    if (shape_peek(s) == ';')
        return shape_fault(s, s->pos, s->pos + 1,
                           "several vertices need brackets around them");
    if (s->pos < s->len)
        return shape_due(s, "the end of the shape");
    if (s->has_unlabelled && s->nslots > 1)
        return shape_fault(s, s->unlabelled, s->unlabelled_end,
                           "one of several slots has no label");
    if (s->has_unlabelled && json_object_get(s->labels, REQUEST_DEFAULT_LABEL))
        return shape_fault(s, s->unlabelled, s->unlabelled_end,
                           "the label \"" REQUEST_DEFAULT_LABEL
                           "\" of this slot is taken");
    return 0;
}

/* Shapes are turned into JSON, which holds UTF-8 only. */
static int check_utf8(struct shape *s)
{
    size_t n;

    for (size_t i = 0; i < s->len; i += n) {
        n = utf8_length(s->text + i);
        if (n == 0) {
            diag_set(s->d, "byte 0x%02x: not valid UTF-8",
                     (unsigned char)s->text[i]);
            return diag_in(s->d, "offset %zu", i);
        }
    }
    return 0;
}

struct request *request_from_shape(const char *text, struct diag *d)
{
    struct shape s = {.text = text, .len = strlen(text), .d = d};
    struct request_vertex *list = NULL;
    int rc;

    s.labels = json_object();
    rc = check_utf8(&s);
    if (rc == 0)
        rc = read_shapes(&s, &list);
    if (rc == 0)
        rc = check_whole(&s);
    json_decref(s.labels);
    if (rc == 0)
        return request_create(list);
    request_vertex_destroy(list);
    return NULL;
}
