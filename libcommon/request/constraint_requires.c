/*
 * The text form of constraints (RFC 35). The tokens are signs, keywords and
 * terms. A term is an operand, or an operator and an operand. expression.c
 * reads how they are joined.
 */
#include <string.h>

#include "base/near.h"

#include "request/expression.h"

#define SIGNS "()|&"
#define QUOTES "'\""

/* Return whether the byte at an offset is one of `set`. False at the end. */
static bool at_one_of(const struct expression *e, size_t at, const char *set)
{
    return at < e->len && strchr(set, e->text[at]);
}

/* --- operands ----------------------------------------------------------- */

/*
 * Read a quoted operand. Its token excludes the quotes. An operator (`oplen` >
 * 0) may have been read before.
 */
static int read_quoted_operand(struct expression *e, size_t open)
{
    const char *close = strchr(e->text + open + 1, e->text[open]);
    struct token *t = &e->token;

    if (!close)
        return expression_fault(e, open, e->len, "quote is not closed");
    t->operand = open + 1;
    t->operand_end = (size_t)(close - e->text);
    t->end = t->operand_end + 1;
    if (t->operand == t->operand_end)
        return expression_fault(e, open, t->end, "the operand is empty");
    if (t->end == e->len || at_one_of(e, t->end, BLANKS SIGNS))
        return 0;
    t->end += 1 + strcspn(e->text + t->end + 1, BLANKS SIGNS QUOTES);
    return expression_fault(e, t->start, t->end,
                            "quotes must enclose a whole operand");
}

/* Read a term without quotes up to a blank, a sign or a quote. The operand
   after its operator may be quoted. */
static int read_bare_operand(struct expression *e)
{
    static const char chars[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789_.+@-";
    struct token *t = &e->token;
    const char *word = e->text + t->start, *colon;
    size_t len = strcspn(word, BLANKS SIGNS QUOTES), next;

    t->end = t->operand_end = t->start + len;
    t->operand = t->start;
    colon = memchr(word, ':', len);
    if (colon) {
        t->oplen = (size_t)(colon - word);
        t->operand += t->oplen + 1;
        if (t->oplen == 0 || strspn(word, chars) < t->oplen)
            return expression_fault(
                e, t->start, t->operand,
                "no operator: a name with \":\" needs quotes");
    }
    if (!colon || t->operand < t->end) {
        if (at_one_of(e, t->end, QUOTES))
            return expression_fault(e, t->start, t->end + 1,
                                    "quotes must enclose a whole operand");
        return 0;
    }
    next = t->end + strspn(e->text + t->end, BLANKS);
    if (at_one_of(e, next, QUOTES))
        return read_quoted_operand(e, next);
    return expression_fault(
        e, t->start, t->end,
        "the operand is expected directly after the operator");
}

/* --- tokens ------------------------------------------------------------- */

/* As \w in regular expressions. Bytes beyond ASCII count as letters. */
static bool is_word_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
           || (c >= '0' && c <= '9') || c == '_' || (unsigned char)c >= 0x80;
}

/*
 * Read a keyword, or leave a term to the caller. A keyword ends where no
 * letter, digit or "_" follows. `or.y` is refused: some readers see a keyword
 * and more, others a name.
 */
static int read_keyword(struct expression *e)
{
    struct token *t = &e->token;
    const char *word = e->text + t->start;
    size_t len = 0;

    while (is_word_char(word[len]))
        len++;
    t->kind = expression_word(word, len);
    if (t->kind == TOKEN_TERM)
        return 0;
    t->end = t->start + len;
    if (t->end == e->len || at_one_of(e, t->end, BLANKS SIGNS QUOTES)
        || (t->kind == TOKEN_NOT && e->text[t->end] == '-'))
        return 0;
    t->end = t->start + strcspn(word, BLANKS SIGNS QUOTES);
    return expression_fault(e, t->start, t->end,
                            "a name that begins with a keyword needs quotes");
}

static int next_term(struct expression *e)
{
    size_t at = e->pos + strspn(e->text + e->pos, BLANKS);
    struct token *t = &e->token;
    char c = e->text[at];
    int rc = 0;

    *t = (struct token){.start = at, .end = at};
    if (at_one_of(e, at, SIGNS "-")) {
        t->kind = c == '('   ? TOKEN_OPEN
                  : c == ')' ? TOKEN_CLOSE
                  : c == '-' ? TOKEN_MINUS
                  : c == '&' ? TOKEN_AND
                             : TOKEN_OR;
        t->end += (c == '&' || c == '|') && e->text[at + 1] == c ? 2 : 1;
    } else if (at < e->len) {
        rc = read_keyword(e);
    }
    if (rc == 0 && t->kind == TOKEN_TERM)
        rc = at_one_of(e, at, QUOTES) ? read_quoted_operand(e, at)
                                      : read_bare_operand(e);
    e->pos = t->end;
    return rc;
}

/* --- terms -------------------------------------------------------------- */

static const struct {
    const char *name;
    enum criterion_about about;
} operators[] = {
    {"host", ABOUT_HOST}, {"hosts", ABOUT_HOST}, {"hostlist", ABOUT_HOST},
    {"rank", ABOUT_RANK}, {"ranks", ABOUT_RANK}, {"properties", ABOUT_PROPERTY},
};

static int find_operator(struct expression *e, enum criterion_about *about)
{
    const struct token *t = &e->token;

    *about = ABOUT_PROPERTY;
    if (t->oplen == 0)
        return 0;
    for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++)
        if (word_is(e->text + t->start, t->oplen, operators[i].name)) {
            *about = operators[i].about;
            return 0;
        }
    return expression_fault(
        e, t->start, t->start + t->oplen,
        "unknown operator (host, hosts, hostlist, rank, ranks, "
        "properties are known; a name with \":\" needs quotes)");
}

static struct constraint *read_term_value(struct expression *e,
                                          enum criterion_about about,
                                          size_t start, size_t end)
{
    struct constraint *c = criterion_create(about);

    if (criterion_add(c, e->text + start, end - start, e->d) == 0)
        return c;
    diag_part(e->d, start);
    constraint_destroy(c);
    return NULL;
}

/* Read names of properties, split at commas. */
static struct constraint *read_names(struct expression *e)
{
    const struct token *t = &e->token;
    struct constraint *list = NULL, **end = &list;

    for (size_t start = t->operand, len; start <= t->operand_end;
         start += len + 1) {
        const char *name = e->text + start;
        const char *comma = memchr(name, ',', t->operand_end - start);

        len = comma ? (size_t)(comma - name) : t->operand_end - start;
        if (len == 0)
            expression_fault(e, t->operand, t->operand_end,
                             "a name is missing beside a comma");
        else
            *end = read_term_value(e, ABOUT_PROPERTY, start, start + len);
        if (!*end) {
            constraint_destroy(list);
            return NULL;
        }
        end = &(*end)->next;
    }
    return constraint_join(CONSTRAINT_AND, list);
}

static struct constraint *read_positive(struct expression *e)
{
    enum criterion_about about;
    const struct token *t = &e->token;
    struct constraint *c;

    if (t->kind != TOKEN_TERM) {
        expression_due(e, e->grammar->term);
        return NULL;
    }
    if (find_operator(e, &about) < 0)
        return NULL;
    c = about == ABOUT_PROPERTY
            ? read_names(e)
            : read_term_value(e, about, t->operand, t->operand_end);
    if (!c || next_term(e) == 0)
        return c;
    constraint_destroy(c);
    return NULL;
}

/* "-" applies to one term only. */
static struct constraint *read_signed(struct expression *e)
{
    size_t start = e->token.start;
    struct constraint *c;

    if (e->token.kind != TOKEN_MINUS)
        return read_positive(e);
    if (next_term(e) < 0)
        return NULL;
    if (e->token.kind == TOKEN_OPEN) {
        expression_fault(e, start, e->token.end,
                         "\"-\" takes one term: use \"not (\"");
        return NULL;
    }
    c = read_positive(e);
    return c ? constraint_join(CONSTRAINT_NOT, c) : NULL;
}

struct constraint *constraint_from_requires(const char *text, struct diag *d)
{
    static const struct grammar grammar = {
        .advance = next_term,
        .read_term = read_signed,
        .blank_joins = true,
        .depth = CONSTRAINT_DEPTH_MAX,
        .whole = "text",
        .term = "a term",
        .opened = "parenthesis is not closed",
        .behind = "no parenthesis is open",
    };

    return expression_read(&grammar, text, 0, d);
}
