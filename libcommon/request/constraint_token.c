/*
 * The words of a constraint's text: signs, keywords, and terms, which are an
 * operator and an operand or the operand alone.
 */
#include "request/constraint_text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define BLANKS " \t\r\n\v\f"
#define SIGNS "()|&"
#define QUOTES "'\""

int query_fault(struct query *q, size_t start, size_t end, const char *fmt, ...)
{
    char rule[320];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(rule, sizeof(rule), fmt, ap);
    va_end(ap);
    diag_set(q->d, "%s: %s", quote(q->text + start, end - start).text, rule);
    return diag_in(q->d, "offset %zu", start);
}

/* Is the byte at an offset one of `set`? The end is none. */
static bool at_one_of(const struct query *q, size_t at, const char *set)
{
    return at < q->len && strchr(set, q->text[at]);
}

/* --- operands ----------------------------------------------------------- */

static int read_quoted(struct query *q, struct token *t, size_t open)
{
    const char *close = strchr(q->text + open + 1, q->text[open]);

    if (!close)
        return query_fault(q, open, q->len, "quote is not closed");
    t->operand_start = open + 1;
    t->operand_end = (size_t)(close - q->text);
    t->end = t->operand_end + 1;
    if (t->operand_start == t->operand_end)
        return query_fault(q, open, t->end, "the operand is empty");
    if (t->end == q->len || at_one_of(q, t->end, BLANKS SIGNS))
        return 0;
    t->end += 1 + strcspn(q->text + t->end + 1, BLANKS SIGNS QUOTES);
    return query_fault(q, t->start, t->end,
                       "quotes stand around a whole operand");
}

static int check_operator(struct query *q, size_t start, size_t len)
{
    static const char chars[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789_.+@-";

    if (len > 0 && strspn(q->text + start, chars) >= len)
        return 0;
    return query_fault(q, start, start + len + 1,
                       "no operator: a name with \":\" needs quotes");
}

/* A word up to a blank, a sign or a quote, which only an operator precedes. */
static int read_word(struct query *q, struct token *t)
{
    const char *word = q->text + t->start, *colon;
    size_t len = strcspn(word, BLANKS SIGNS QUOTES), next;

    t->end = t->operand_end = t->start + len;
    t->operand_start = t->start;
    colon = memchr(word, ':', len);
    if (colon) {
        t->oplen = (size_t)(colon - word);
        if (check_operator(q, t->start, t->oplen) < 0)
            return -1;
        t->operand_start += t->oplen + 1;
    }
    if (!colon || t->operand_start < t->end) {
        if (at_one_of(q, t->end, QUOTES))
            return query_fault(q, t->start, t->end + 1,
                               "quotes stand around a whole operand");
        return 0;
    }
    next = t->end + strspn(q->text + t->end, BLANKS);
    if (at_one_of(q, next, QUOTES))
        return read_quoted(q, t, next);
    return query_fault(q, t->start, t->end,
                       "the operand is due right behind the operator");
}

/* --- keywords ----------------------------------------------------------- */

static const struct {
    const char *text;
    enum token_kind kind;
} keywords[] = {{"and", TOKEN_AND}, {"or", TOKEN_OR}, {"not", TOKEN_NOT}};

/* As a regular expression's \w; what is beyond ASCII is taken for letters. */
static bool is_word_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
           || (c >= '0' && c <= '9') || c == '_' || (unsigned char)c >= 0x80;
}

/*
 * A keyword ends where a letter, a digit or "_" does not follow: `or.y` is a
 * keyword and more to some, and a name to who wrote it.
 */
static int read_keyword(struct query *q, struct token *t, enum token_kind kind,
                        size_t len)
{
    t->kind = kind;
    t->end = t->start + len;
    if (t->end == q->len || at_one_of(q, t->end, BLANKS SIGNS QUOTES)
        || (kind == TOKEN_NOT && q->text[t->end] == '-'))
        return 0;
    t->end = t->start + strcspn(q->text + t->start, BLANKS SIGNS QUOTES);
    return query_fault(q, t->start, t->end,
                       "a name that begins with a keyword needs quotes");
}

static int read_term(struct query *q, struct token *t)
{
    const char *word = q->text + t->start;
    size_t len = 0;

    t->kind = TOKEN_TERM;
    if (at_one_of(q, t->start, QUOTES))
        return read_quoted(q, t, t->start);
    while (is_word_char(word[len]))
        len++;
    for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++)
        if (len == strlen(keywords[i].text)
            && !memcmp(word, keywords[i].text, len))
            return read_keyword(q, t, keywords[i].kind, len);
    return read_word(q, t);
}

/* --- tokens ------------------------------------------------------------- */

static void read_sign(const struct query *q, struct token *t)
{
    char c = q->text[t->start];

    t->end = t->start + 1;
    t->kind = c == '('   ? TOKEN_OPEN
              : c == ')' ? TOKEN_CLOSE
              : c == '-' ? TOKEN_MINUS
              : c == '&' ? TOKEN_AND
                         : TOKEN_OR;
    if ((c == '&' || c == '|') && q->text[t->end] == c)
        t->end++;
}

int query_advance(struct query *q)
{
    struct token *t = &q->token;
    size_t at = t->end;

    at += strspn(q->text + at, BLANKS);
    *t = (struct token){.start = at, .end = at};
    if (at == q->len) {
        t->kind = TOKEN_END;
        return 0;
    }
    if (at_one_of(q, at, SIGNS "-")) {
        read_sign(q, t);
        return 0;
    }
    return read_term(q, t);
}
