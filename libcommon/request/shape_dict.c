/*
 * What stands in the braces of a vertex: the label of a slot first, then the
 * optional keys of RFC 14. All of them take a string or a boolean, so that
 * objects and arrays, which the language allows, never fit.
 */
#include "request/shape_private.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct item {
    struct shape_word key;
    char sign;               /* '+' or '-' before the key; 0: none */
    bool has_value;          /* ... after a colon */
    struct shape_word value; /* a bare key and "+" are true, "-" is false */
};

static int set_flag(struct shape *s, enum tristate *flag, struct item *item)
{
    if (item->value.kind != WORD_TRUE && item->value.kind != WORD_FALSE)
        return shape_fault(s, item->value.start, item->value.end,
                           "\"%s\" is true or false", item->key.string);
    if (*flag != UNSET)
        return shape_fault(s, item->key.start, item->key.end,
                           "key is repeated");
    *flag = item->value.kind == WORD_TRUE ? YES : NO;
    return 0;
}

static int set_string(struct shape *s, char **field, struct item *item)
{
    if (item->value.kind != WORD_STRING)
        return shape_fault(s, item->value.start, item->value.end,
                           "\"%s\" takes a string%s", item->key.string,
                           item->has_value ? ": quote it" : "");
    if (*field)
        return shape_fault(s, item->key.start, item->key.end,
                           "key is repeated");
    *field = item->value.string;
    item->value.string = NULL;
    return 0;
}

static int take_label(struct shape *s, const char *label,
                      const struct shape_word *at)
{
    if (json_object_get(s->labels, label))
        return shape_fault(
            s, at->start, at->end,
            "label is used twice, and tasks name their slot by it");
    json_object_set_new(s->labels, label, json_true());
    return 0;
}

static int set_item(struct shape *s, struct request_vertex *v,
                    struct item *item)
{
    const char *key = item->key.string;

    if (!strcmp(key, "x") || !strcmp(key, "exclusive"))
        return set_flag(s, &v->exclusive, item);
    if (!strcmp(key, "unit"))
        return set_string(s, &v->unit, item);
    if (!strcmp(key, "id"))
        return set_string(s, &v->id, item);
    if (strcmp(key, "label"))
        return shape_fault(s, item->key.start, item->key.end,
                           "unknown key (x, exclusive, id, label, unit are "
                           "known)");
    if (set_string(s, &v->label, item) < 0)
        return -1;
    return take_label(s, v->label, &item->value);
}

static int read_item_value(struct shape *s, struct item *item)
{
    char c = shape_peek(s);

    item->has_value = true;
    if (c == '{' || c == '[')
        return shape_fault(s, s->pos, s->pos + 1,
                           "\"%s\" takes no object and no array",
                           item->key.string);
    return shape_read_word(s, "a value", &item->value);
}

static int read_item(struct shape *s, struct item *item)
{
    char sign = shape_peek(s);

    if (sign == '+' || sign == '-')
        item->sign = s->text[s->pos++];
    if (shape_read_word(s, "a key", &item->key) < 0)
        return -1;
    if (item->key.kind != WORD_STRING)
        return shape_fault(s, item->key.start, item->key.end,
                           "a key is a string");
    item->value.kind = item->sign == '-' ? WORD_FALSE : WORD_TRUE;
    item->value.start = item->key.start;
    item->value.end = item->key.end;
    if (!shape_skip(s, ':'))
        return 0;
    if (item->sign)
        return shape_fault(s, item->key.start - 1, s->pos,
                           "a key with a sign takes no value");
    return read_item_value(s, item);
}

/* One key with its value, or a flag. */
static int read_entry(struct shape *s, struct request_vertex *v)
{
    struct item item = {0};
    int rc = read_item(s, &item);

    if (rc == 0)
        rc = set_item(s, v, &item);
    free(item.key.string);
    free(item.value.string);
    return rc;
}

/* The first entry of a slot: its label, without a key. */
static int read_label(struct shape *s, struct request_vertex *v)
{
    struct shape_word word;
    bool sign = shape_peek(s) == '+' || shape_peek(s) == '-';

    if (shape_read_word(s, "the label of the slot", &word) < 0) {
        free(word.string);
        return -1;
    }
    v->label = word.string;
    if (word.kind != WORD_STRING || sign || shape_peek(s) == ':')
        return shape_fault(s, word.start, word.end + (shape_peek(s) == ':'),
                           "the first in the braces of a slot is its label, "
                           "a string");
    return take_label(s, v->label, &word);
}

int shape_read_dict(struct shape *s, struct request_vertex *v)
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
