/*
 * The words of a shape. A bare word runs up to the next special character
 * and is a string unless it would be another value in JSON; all else needs
 * quotes, within which jansson knows the rules.
 */
#include "request/shape_private.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "set/digits.h"

/* Characters with a meaning in a shape, white space and controls. */
static bool is_special(char c)
{
    return (unsigned char)c <= ' ' || c == 0x7f || strchr("[]{};,:/=\"\\", c);
}

char shape_peek(const struct shape *s)
{
    return s->pos < s->len ? s->text[s->pos] : '\0';
}

bool shape_skip(struct shape *s, char c)
{
    if (shape_peek(s) != c)
        return false;
    s->pos++;
    return true;
}

int shape_due(struct shape *s, const char *what)
{
    size_t end = s->pos + 1;

    if (s->pos == s->len) {
        diag_set(s->d, "the shape ends where %s is due", what);
        return diag_in(s->d, "offset %zu", s->pos);
    }
    if (strchr(" \t\r\n\v\f", shape_peek(s)))
        return shape_fault(s, s->pos, end, "white space stands only in quotes");
    while (end < s->len && ((unsigned char)s->text[end] & 0xc0) == 0x80)
        end++; /* the whole of a UTF-8 sequence */
    return shape_fault(s, s->pos, end, "%s is due here", what);
}

/* --- what JSON would read ----------------------------------------------- */

static const char *skip_digits(const char *p)
{
    while (is_digit(*p))
        p++;
    return p;
}

/* RFC 8259: [-] int [frac] [exp] */
static bool is_json_number(const char *p)
{
    const char *digits;

    p += *p == '-';
    digits = p;
    p = skip_digits(p);
    if (p == digits || (*digits == '0' && p > digits + 1))
        return false;
    if (*p == '.') {
        if (!is_digit(p[1]))
            return false;
        p = skip_digits(p + 1);
    }
    if (*p == 'e' || *p == 'E') {
        p += p[1] == '+' || p[1] == '-' ? 2 : 1;
        if (!is_digit(*p))
            return false;
        p = skip_digits(p);
    }
    return *p == '\0';
}

static int kind_of_bare(const char *bare)
{
    if (!strcmp(bare, "true"))
        return WORD_TRUE;
    if (!strcmp(bare, "false"))
        return WORD_FALSE;
    return !strcmp(bare, "null") || is_json_number(bare) ? WORD_OTHER
                                                         : WORD_STRING;
}

/* --- reading ------------------------------------------------------------ */

static int read_quoted(struct shape *s, struct shape_word *word)
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
        return shape_fault(s, word->start, word->end, "not a string of JSON");
    word->kind = WORD_STRING;
    word->string = xstrdup(json_string_value(value));
    json_decref(value);
    return 0;
}

static int read_bare(struct shape *s, const char *what, struct shape_word *word)
{
    while (s->pos < s->len && !is_special(s->text[s->pos]))
        s->pos++;
    if (s->pos == word->start)
        return shape_due(s, what);
    word->end = s->pos;
    word->string = xstrndup(s->text + word->start, word->end - word->start);
    word->kind = kind_of_bare(word->string);
    return 0;
}

int shape_read_word(struct shape *s, const char *what, struct shape_word *word)
{
    *word = (struct shape_word){.start = s->pos};
    return shape_peek(s) == '"' ? read_quoted(s, word)
                                : read_bare(s, what, word);
}
